"""The viewer in a notebook, by anywidget: the same JavaScript, the same requests and answers."""

from __future__ import annotations

from typing import Any

from amoebot import runs
from amoebot.simulation import Simulation
from amoebot.viewer.bundle import bundle, style
from amoebot.viewer.session import Session


def view(simulation: Simulation) -> Any:
    """Return a widget that shows the run of a simulation, beginning at the present moment.

    The widget has a simulation of its own: watching does not disturb the one that was given.
    """
    try:
        import anywidget
    except ImportError:
        raise ImportError("the view in a notebook needs anywidget: pip install anywidget") from None
    session = Session(runs.of(simulation))
    session.answer({"do": "goto", "round": simulation.rounds, "position": simulation.position})
    kind = type("View", (anywidget.AnyWidget,), {"_esm": bundle("widget"), "_css": style()})
    widget = kind()
    widget.on_msg(lambda _, message, buffers: answer(widget, session, message))
    return widget


def answer(widget: Any, session: Session, message: Any) -> None:
    """Answer a request from the notebook's page."""
    if not isinstance(message, dict):
        return
    found = session.answer(message.get("request"))
    head = {"to": message.get("to"), "number": message.get("number")}
    if isinstance(found, bytes):
        widget.send(head, buffers=[found])
    else:
        widget.send({**head, "answer": found})
