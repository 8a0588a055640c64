"""Snow brightens, frost is a piece of a picture, fog is a cloud."""

import numpy as np

from endd.data.corruptions.constants import CONSTANTS
from endd.data.corruptions.weather import clouds, fog, frost, snow
from tests.data.corruptions.reference import IMAGES, change

MANY = np.repeat(IMAGES, 30, axis=0)


def random() -> np.random.Generator:
    return np.random.default_rng(0)


def test_snow_brightens_and_looks_the_same_upside_down() -> None:
    black = np.zeros((2, 32, 32, 3), np.uint8)
    found = snow(black, random(), *CONSTANTS["snow"][1])
    assert np.array_equal(found, found[:, ::-1, ::-1])
    assert found.min() >= int((1 - 0.9) * 0.5 * 255) - 1
    means = [snow(MANY, random(), *row).mean() for row in CONSTANTS["snow"]]
    assert IMAGES.mean() < means[0] < means[1] < means[4]


def test_frost_is_a_piece_of_a_picture_at_a_fifth_of_its_size() -> None:
    rows, columns = np.mgrid[:200, :215]
    picture = np.stack([rows, columns, np.full_like(rows, 50)], -1).astype(np.uint8)
    black = np.zeros((20, 32, 32, 3), np.uint8)
    found = frost(black, random(), 1, 1, pictures=[picture])
    assert (found[:, 1:, :, 0].astype(int) - found[:, :-1, :, 0] == 5).all()
    assert (found[:, :, 1:, 1].astype(int) - found[:, :, :-1, 1] == 5).all()
    assert set(found[:, 0, 0, 0]) <= {5 * k + 2 for k in range(8)}
    assert len(set(found[:, 0, 0, 1])) > 3
    assert (found[..., 2] == 50).all()


def test_clouds_reach_from_0_to_1_and_are_smooth_where_roughness_decays() -> None:
    rough, smooth = (clouds(random(), 50, decay) for decay in (1.75, 3.0))
    for heights in (rough, smooth):
        assert (heights.min((1, 2)) == 0).all()
        assert (heights.max((1, 2)) == 1).all()
    assert np.abs(np.diff(smooth)).mean() < 0.8 * np.abs(np.diff(rough)).mean()


def test_fog_lowers_the_contrast_and_keeps_the_brightest_value() -> None:
    found = fog(MANY, random(), 1.5, 1.75)
    assert found.max() <= IMAGES.max()
    assert 20 < np.abs(found.astype(int) - MANY).mean() < 60
    assert change(fog(IMAGES, random(), 0.2, 3)) < change(fog(IMAGES, random(), 1.5, 1.75))
