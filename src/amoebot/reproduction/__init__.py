"""Reproduction: every lemma, theorem and corollary of the paper beside a measurement."""

from amoebot.reproduction.reproducing import (
    Reproduction,
    Verdict,
    check_claim,
    page_name,
    reproduce,
    write_markdown,
)
from amoebot.reproduction.standard import plans

__all__ = [
    "Reproduction",
    "Verdict",
    "check_claim",
    "page_name",
    "plans",
    "reproduce",
    "write_markdown",
]
