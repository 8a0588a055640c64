"""Edges of shapes that are known, and distances by going step by step."""

import heapq

import numpy as np

from endd.data.corruptions.edges import STEPS, distances, edges


def test_a_step_has_one_edge_and_a_flat_picture_none() -> None:
    step = np.zeros((2, 10, 12), np.uint8)
    step[0, :, 6:] = 200
    found = edges(step, 50, 150)
    assert (found[0].sum(1) == 1).all()
    assert found[0, :, 5:7].any(1).all()
    assert not found[1].any()


def test_a_weak_edge_counts_where_it_joins_a_strong_one() -> None:
    picture = np.zeros((2, 12, 12), np.uint8)
    picture[:, :, 6:] = 20  # a gradient of 80, between the thresholds
    assert not edges(picture, 50, 150).any()
    picture[1, :4, 6:] = 100
    found = edges(picture, 50, 150)
    assert not found[0].any()
    assert found[1, 6:].any()


def test_diagonals_are_found() -> None:
    picture = np.triu(np.full((16, 16), 200, np.uint8))
    for one in (picture, picture[:, ::-1], picture.T):
        found = edges(one[None], 50, 150)[0]
        assert 10 <= found.sum() <= 32


def test_distances_are_the_shortest_of_all_walks() -> None:
    random = np.random.default_rng(0)
    marks = random.random((3, 12, 14)) < 0.02
    found = distances(marks, 20)
    for one, expected in zip(found, map(walked, marks), strict=True):
        assert np.allclose(one, np.minimum(expected, 20))


def walked(marks: np.ndarray) -> np.ndarray:
    """Dijkstra's distances on the grid."""
    far = np.where(marks, 0.0, np.inf)
    queue = [(0.0, tuple(place)) for place in np.argwhere(marks).tolist()]
    moves = [((s * r, s * c), length) for (r, c), length in STEPS.items() for s in (1, -1)]
    while queue:
        gone, (row, column) = heapq.heappop(queue)
        for (down, right), length in moves:
            place = row + down, column + right
            inside = 0 <= place[0] < marks.shape[0] and 0 <= place[1] < marks.shape[1]
            if inside and gone + length < far[place]:
                far[place] = gone + length
                heapq.heappush(queue, (gone + length, place))
    return far
