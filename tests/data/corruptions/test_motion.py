"""Motion blur of a point is a line, of a flat picture nothing."""

import numpy as np

from endd.data.corruptions.motion import along_lines, motion_blur

POINT = np.zeros((3, 32, 32), np.uint8)
POINT[:, 16, 16] = 255


def test_a_point_becomes_a_line_at_its_angle() -> None:
    flat, steep, slanted = along_lines(POINT, np.array([0.0, 90.0, 45.0]), 6, 2.0)
    weights = np.exp(-(np.arange(13) ** 2) / 8)
    weights *= 255 / weights.sum()
    # the pixel is spread to where it is looked up from
    assert np.array_equal(flat[16, 16:3:-1], np.rint(weights))
    assert np.array_equal(steep[16:3:-1, 16], np.rint(weights))
    assert slanted[16, 16] == flat[16, 16]
    assert slanted[15, 15] > 0
    assert slanted[15, 17] == slanted[17, 15] == 0


def test_a_flat_picture_stays_and_angles_differ() -> None:
    random = np.random.default_rng(0)
    grey = np.full((4, 32, 32, 3), 77, np.uint8)
    assert np.array_equal(motion_blur(grey, random, 9, 2.5), grey)
    points = motion_blur(np.repeat(POINT[:2, ..., None], 3, -1), random, 9, 2.5)
    assert not np.array_equal(points[0], points[1])
