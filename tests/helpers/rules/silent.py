"""Particles that terminate without passing the message on."""


def pass_message(neighbour):
    neighbour.terminated = neighbour.terminated
