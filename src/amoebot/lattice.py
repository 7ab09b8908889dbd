"""The triangular grid: nodes in axial coordinates, six directions in clockwise order.

A node is a pair (x, y). The x axis points right and the y axis up and to the right at 60°, so
that node (x, y) is drawn at (x + y / 2, y · √3 / 2). The directions 0 to 5 start at the positive
x axis and turn clockwise: right, lower right, lower left, left, upper left, upper right. The
grid is that of Section 1.1 and Figure 1, with axes as in Figure 4.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

#: The step (dx, dy) that each direction takes.
STEPS: NDArray[np.int32] = np.array(
    [(1, 0), (1, -1), (0, -1), (-1, 0), (-1, 1), (0, 1)], dtype=np.int32
)


def position(nodes: NDArray[np.integer]) -> NDArray[np.float64]:
    """Return where nodes are drawn in the plane: unit edges, y upwards."""
    grid = np.asarray(nodes, dtype=np.float64)
    return np.stack([grid[..., 0] + grid[..., 1] / 2, grid[..., 1] * np.sqrt(0.75)], axis=-1)
