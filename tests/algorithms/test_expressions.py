"""Expressions over memories: built by operators, evaluated on arrays, sent as lists."""

from __future__ import annotations

import numpy as np
import pytest

from amoebot.algorithms.expressions import (
    as_json,
    choose,
    evaluate,
    me,
    mentioned,
    one_of,
    option,
    text,
    view,
    when,
)
from amoebot.algorithms.pictures import Key, Mark

INNER = np.dtype([("held", np.uint8), ("turn", np.int8)])
MEMORY = np.array(
    [(0, (0, -1), (1, 2)), (7, (2, 1), (3, 4)), (255, (1, 0), (5, 6))],
    [("state", np.uint8), ("lane", INNER), ("slots", np.uint8, 2)],
)


def value(expression: object) -> list[object]:
    places = {"me": MEMORY, "view": {"empty": np.arange(3)}, "option": {"sure": True}}
    found: list[object] = np.broadcast_to(evaluate(expression, places), 3).tolist()
    return found


def test_fields_are_read_as_whole_numbers() -> None:
    assert value(me.state * 60) == [0, 420, 15300]
    assert value(me.lane.turn * 60) == [-60, 60, 0]
    assert value(me.slots[1]) == [2, 4, 6]
    assert value(view.empty + option.sure) == [1, 2, 3]


def test_conditions_are_joined_and_turned_round() -> None:
    held = me.lane.held > 0
    assert value(held & (me.state == 7)) == [False, True, False]
    assert value(~held | (me.lane.turn == 0)) == [True, False, True]
    assert value(~me.lane.held) == [True, False, False]
    assert value(one_of(me.state, 0, 255)) == [True, False, True]
    assert value(held + (me.state == 7)) == [0, 2, 1]


def test_bits_can_be_taken_apart() -> None:
    assert value(me.state & 12) == [0, 4, 12]
    assert value((me.state >> 2) & 3) == [0, 1, 3]
    assert value(1 << me.lane.held) == [1, 4, 2]


def test_numbers_become_words() -> None:
    assert value(choose(me.lane.held, ["none", "one"])) == ["none", "one", "one"]
    assert value(when(me.lane.held, me.state, "none")) == ["none", 7, 255]
    told = text("{}, {} held", me.state, when(me.lane.held, me.lane.held, "none"))
    assert value(told) == ["0, none held", "7, 2 held", "255, 1 held"]
    assert value(text("all")) == ["all"] * 3


def test_one_record_is_evaluated_as_many_are() -> None:
    assert str(evaluate(text("{}°", me.lane.turn * 60), {"me": MEMORY[1]})) == "60°"
    assert evaluate(me.state == 7, {"me": MEMORY[1]})


def test_conditions_are_not_joined_by_words() -> None:
    with pytest.raises(TypeError, match=r"join conditions by &, \| and ~"):
        bool(me.state)


def test_declarations_travel_as_lists() -> None:
    mark = Mark("disc", 0.1, me.lane.held > np.uint8(0), when(option.sure, "a", "b"))
    sent = as_json(mark)
    assert sent["when"] == [">", ["me", "lane.held"], 0]
    assert sent["fill"] == ["when", ["option", "sure"], "a", "b"]
    assert (sent["form"], sent["size"], sent["stroke"]) == ("disc", 0.1, None)
    assert {*mentioned(sent)} == {("me", "lane.held"), ("option", "sure")}
    assert as_json(Key("words", ({"lane.held": 1},))) == {
        "words": "words",
        "samples": [{"lane.held": 1}],
    }
