"""Another pair of axes: the same signs, counted from one heading further on."""


def sign(heading):
    return (1, 0, -1, -1, 0, 1)[heading]
