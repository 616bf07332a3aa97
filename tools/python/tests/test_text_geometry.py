# SPDX-License-Identifier: Apache-2.0
"""Components and rectangles, of shapes whose answers are known."""

import pathlib
import sys

import numpy as np
import pytest

FOLDER = pathlib.Path(__file__).resolve().parent.parent
if not (FOLDER / "text_geometry.py").is_file():
    pytest.skip("text_geometry.py is not here", allow_module_level=True)
sys.path.insert(0, str(FOLDER))
from text_geometry import Rectangle, components, convex_hull, least_rectangle, mean_within  # noqa: E402


def mask_of(*rows):
    return np.array([[pixel == "#" for pixel in row] for row in rows])


def extents(points):
    return tuple(map(int, (*points.min(axis=0), *points.max(axis=0))))


def test_components_touch_by_sides_and_corners():
    found = components(mask_of("##...", "..#..", ".....", "#.#.#", "###.#"))
    assert sorted(map(extents, found)) == [(0, 0, 3, 2), (0, 3, 3, 5), (4, 3, 5, 5)]


def test_components_that_meet_below_are_one():
    found = components(mask_of("#.#.#", "#.#.#", "#####"))
    assert [extents(points) for points in found] == [(0, 0, 5, 3)]
    assert components(mask_of("...", "...")) == []


def test_components_are_not_joined_around_the_edge():
    assert len(components(mask_of("#...#", "#...#"))) == 2


def test_hull_has_corners_alone():
    points = np.array([[0, 0], [1, 0], [2, 0], [2, 2], [0, 2], [1, 1], [0, 1], [2, 0]], float)
    assert sorted(map(tuple, convex_hull(points))) == [(0, 0), (0, 2), (2, 0), (2, 2)]


@pytest.mark.parametrize("degrees", [0, 30, -30, 44, -44])
def test_least_rectangle_finds_a_turned_one(degrees):
    along = np.array([np.cos(np.radians(degrees)), np.sin(np.radians(degrees))])
    given = Rectangle(np.array([20.0, 10.0]), along, 12.0, 4.0)
    inside = given.centre + np.array([[1.0, 1.0], [-2.0, 0.5]])
    found = least_rectangle(np.concatenate([given.corners, inside]))
    np.testing.assert_allclose(found.corners, given.corners, atol=1e-12)


def test_least_rectangle_is_read_to_the_right():
    given = Rectangle(np.array([0.0, 0.0]), np.array([0.6, 0.8]), 12.0, 4.0)  # more down than to the right
    found = least_rectangle(given.corners)
    np.testing.assert_allclose([*found.along, found.width, found.height], [0.8, -0.6, 4, 12], atol=1e-12)


def test_ragged_edges_tilt_nothing():
    ragged = least_rectangle(np.array([[0, 0], [40, 0.5], [40, 8], [0, 7.5]]))
    np.testing.assert_allclose([*ragged.along, ragged.width, ragged.height], [1, 0, 40, 8])


def test_turns():
    box = Rectangle(np.array([5.0, 5.0]), np.array([1.0, 0.0]), 4.0, 2.0)
    np.testing.assert_allclose(box.corners, [[3, 4], [7, 4], [7, 6], [3, 6]])
    np.testing.assert_allclose(box.half_turn().corners, [[7, 6], [3, 6], [3, 4], [7, 4]])
    np.testing.assert_allclose(box.quarter_turn().corners, [[7, 4], [7, 6], [3, 6], [3, 4]])
    np.testing.assert_allclose(box.grown(1).corners, [[2, 3], [8, 3], [8, 7], [2, 7]])


def test_mean_within():
    values = np.arange(12.0).reshape(3, 4)
    level = np.array([1.0, 0.0])
    assert mean_within(values, Rectangle(np.array([1.0, 1.0]), level, 2.0, 2.0)) == 2.5  # of 0, 1, 4 and 5
    assert mean_within(values, Rectangle(np.array([4.0, 3.0]), level, 2.0, 2.0)) == 11  # what is outside has no part
    assert mean_within(values, Rectangle(np.array([9.0, 9.0]), level, 2.0, 2.0)) == 0
