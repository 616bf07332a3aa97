# SPDX-License-Identifier: Apache-2.0
"""Where text is in a map of probabilities: components, their hulls, and rectangles of least area around them.

Points are (x, y) with y downwards; a pixel covers the square from its indices to those plus one.
"""

from __future__ import annotations

import dataclasses
from typing import List

import numpy as np

LEVEL_EXCESS = 1.25  # of a level rectangle's area


@dataclasses.dataclass(frozen=True)
class Rectangle:
    """`along` is the unit vector in which text is read, `width` and `height` are as the reader sees them."""

    centre: np.ndarray
    along: np.ndarray
    width: float
    height: float

    @property
    def down(self) -> np.ndarray:
        return np.array([-self.along[1], self.along[0]])

    @property
    def corners(self) -> np.ndarray:
        """From the top left as the reader sees it, clockwise."""
        right, down = self.along * self.width / 2, self.down * self.height / 2
        return self.centre + np.stack([-right - down, right - down, right + down, down - right])

    def quarter_turn(self) -> Rectangle:
        """The same rectangle, read downwards instead of to the right."""
        return Rectangle(self.centre, self.down, self.height, self.width)

    def half_turn(self) -> Rectangle:
        return dataclasses.replace(self, along=-self.along)

    def grown(self, margin: float) -> Rectangle:
        return dataclasses.replace(self, width=self.width + 2 * margin, height=self.height + 2 * margin)


def components(mask: np.ndarray) -> List[np.ndarray]:
    """For each set of pixels that touch, diagonally too, the corners of the runs in its rows: all that its hull depends on."""
    steps = np.diff(np.pad(mask, ((0, 0), (1, 1))).astype(np.int8), axis=1)
    rows, starts = np.nonzero(steps == 1)
    ends = np.nonzero(steps == -1)[1]  # in the same order
    parents = list(range(len(rows)))

    def root(run: int) -> int:
        while parents[run] != run:
            parents[run] = parents[parents[run]]
            run = parents[run]
        return run

    firsts = np.searchsorted(rows, np.arange(len(mask) + 1))
    for row in range(1, len(mask)):
        above, here = firsts[row - 1], firsts[row]
        while above < firsts[row] and here < firsts[row + 1]:
            if starts[above] <= ends[here] and starts[here] <= ends[above]:
                parents[root(here)] = root(above)
            if ends[above] < ends[here]:
                above += 1
            else:
                here += 1
    roots = np.array([root(run) for run in range(len(rows))])
    found = []
    for one in np.unique(roots):
        runs = roots == one
        x, y = np.concatenate([starts[runs], ends[runs]]), np.tile(rows[runs], 2)
        found.append(np.concatenate([np.stack([x, y], 1), np.stack([x, y + 1], 1)]).astype(float))
    return found


def convex_hull(points: np.ndarray) -> np.ndarray:
    """Andrew's monotone chain."""
    in_order = np.unique(points, axis=0).tolist()

    def chain(ordered: list) -> list:
        kept: list = []
        for x, y in ordered:
            while len(kept) > 1:
                (ax, ay), (bx, by) = kept[-2:]
                if (bx - ax) * (y - ay) - (by - ay) * (x - ax) > 0:
                    break
                kept.pop()
            kept.append((x, y))
        return kept[:-1]

    return np.array(chain(in_order) + chain(in_order[::-1]))


def least_rectangle(points: np.ndarray) -> Rectangle:
    """The rectangle of least area, one of whose sides lies on a side of the hull. It is read to the right, or nearly.

    A level one is taken where it is hardly larger: ragged edges tilt no line.
    """
    hull = convex_hull(points)
    sides = np.concatenate([[[1.0, 0.0]], np.roll(hull, -1, axis=0) - hull])
    along = sides / np.hypot(*sides.T)[:, None]
    along = np.where(np.abs(along[:, :1]) < np.abs(along[:, 1:]), along[:, ::-1] * [1, -1], along)
    along *= np.sign(along[:, :1])
    down = along[:, ::-1] * [-1, 1]
    reach = hull @ np.stack([along, down], 2)  # of each side, each point, each direction
    low, high = reach.min(axis=1), reach.max(axis=1)
    areas = np.prod(high - low, axis=1)
    best = 0 if areas[0] <= LEVEL_EXCESS * areas.min() else int(np.argmin(areas))
    middle = (low[best] + high[best]) / 2
    width, height = high[best] - low[best]
    return Rectangle(middle[0] * along[best] + middle[1] * down[best], along[best], float(width), float(height))


def mean_within(values: np.ndarray, rectangle: Rectangle) -> float:
    """Of the pixels whose middles are in the rectangle."""
    low = np.maximum(np.floor(rectangle.corners.min(axis=0)).astype(int), 0)
    high = np.minimum(np.ceil(rectangle.corners.max(axis=0)).astype(int), values.shape[::-1])
    x, y = np.meshgrid(np.arange(low[0], high[0]) + 0.5, np.arange(low[1], high[1]) + 0.5)
    offsets = np.stack([x, y], -1) - rectangle.centre
    inside = np.abs(offsets @ rectangle.along) <= rectangle.width / 2
    inside &= np.abs(offsets @ rectangle.down) <= rectangle.height / 2
    return float(values[low[1] : high[1], low[0] : high[0]][inside].mean()) if inside.any() else 0.0
