"""Water brightens towards its colour, mud covers with its own."""

import numpy as np

from endd.data.corruptions.constants import CONSTANTS
from endd.data.corruptions.spatter import MUD, spatter

BLACK, WHITE = (np.full((40, 32, 32, 3), level, np.uint8) for level in (0, 255))


def random() -> np.random.Generator:
    return np.random.default_rng(0)


def test_water_adds_light_on_part_of_the_image() -> None:
    for row in CONSTANTS["spatter"][:3]:
        found = spatter(BLACK, random(), *row)
        assert found.max() == int(row[4] * 238)
        assert 0.005 < (found.max(-1) > 0).mean() < 0.6
        assert (found[..., 1] >= found[..., 0]).all()
        assert np.array_equal(spatter(WHITE, random(), *row), WHITE)


def test_mud_covers_with_one_colour() -> None:
    for row in CONSTANTS["spatter"][3:]:
        found = spatter(WHITE, random(), *row)
        covered = (found != 255).any(-1)
        assert 0.01 < covered.mean() < 0.3
        assert np.abs(found.reshape(-1, 3).min(0) - MUD * 255).max() < 2


def test_no_drops_change_nothing() -> None:
    grey = np.full((2, 32, 32, 3), 100, np.uint8)
    assert np.array_equal(spatter(grey, random(), 0, 0.01, 0.7, 0.7, 0.5, 0), grey)
    assert np.array_equal(spatter(grey, random(), 0, 0.01, 0.7, 0.7, 0.5, 1), grey)
