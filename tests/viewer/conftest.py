"""A browser, a server that shows one run, and a tab of it: for all tests of the page."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from amoebot import runs, shapes
from amoebot.options import Options
from helpers.browsing import SEED, SHAPE, Tab, chromium
from helpers.serving import serving


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium() as found:
        yield found


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with serving(runs.Run(shapes.parse(SHAPE), Options(SEED), shape_text=SHAPE)) as found:
        yield f"http://{found}/"


@pytest.fixture
def tab(browser: Any, address: str) -> Iterator[Tab]:
    found = Tab(browser, address)
    yield found
    found.close()
