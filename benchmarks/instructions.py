"""Run under callgrind: the bare token ring and both variants, each between two dumps."""

from __future__ import annotations

import os
import subprocess

import numpy as np

import amoebot
from amoebot.bench import warm_up
from amoebot.bench.token_ring import token_ring

AGENTS, ROUNDS = 240, 700


def control(*options: str) -> None:
    """Tell callgrind to count, to forget or to write down."""
    subprocess.run(
        ["callgrind_control", *options, str(os.getpid())], check=True, stdout=subprocess.DEVNULL
    )


def main() -> None:
    """Count nothing but the three runs."""
    warm_up()
    shape = amoebot.shapes.hexagon(AGENTS // 6)
    section_2 = amoebot.Simulation(shape, almost_sure=False, terminate=False)
    default = amoebot.Simulation(shape)
    tokens, order = np.ones(AGENTS, np.uint8), np.empty(AGENTS, np.int32)
    activations = {"nothing": 0, "ring": AGENTS * ROUNDS}
    control("--instr=on")
    control("--zero")
    control("--dump=nothing")
    control("--zero")
    token_ring(tokens, order, ROUNDS)
    control("--dump=ring")
    for name, simulation in (("section-2", section_2), ("default", default)):
        control("--zero")
        result = simulation.run()
        control(f"--dump={name}")
        activations[name] = result.rounds * result.agents
    control("--instr=off")
    for number, (name, count) in enumerate(activations.items(), start=1):
        print(number, name, count)


if __name__ == "__main__":
    main()
