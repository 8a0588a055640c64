"""Laws of all corruptions: bytes in, bytes out; seeded; stronger as the severity grows; some exact to the bit."""

import numpy as np
import pytest

from endd.data.corruptions import CORRUPTIONS, SEVERITIES, corrupt
from endd.data.fetching import fingerprint
from tests.data.corruptions.reference import EXACT, IMAGES, REFERENCE

RANDOM = [name for name in CORRUPTIONS if name not in (*EXACT, "jpeg_compression")]
# Mean absolute change of the six images in grey levels at severities 1, 3 and 5, over 120 draws each.
CHANGES = {
    "gaussian_noise": (8.08, 15.97, 19.79),
    "shot_noise": (6.15, 13.53, 18.85),
    "impulse_noise": (1.28, 3.81, 8.88),
    "speckle_noise": (6.0, 11.72, 19.0),
    "frosted_glass_blur": (11.42, 11.3, 17.37),
    "motion_blur": (6.79, 12.51, 14.39),
    "snow": (11.07, 25.83, 51.69),
    "fog": (10.6, 27.08, 38.37),
    "spatter": (0.99, 6.6, 5.21),
    "elastic": (22.04, 17.95, 14.21),
}
FROST = tuple(np.random.default_rng(k).integers(100, 256, (200, 220, 3), np.uint8) for k in range(5))


@pytest.mark.parametrize("name", EXACT)
def test_results_equal_the_reference_bit_for_bit(name: str) -> None:
    assert [fingerprint(corrupt(IMAGES, name, severity)) for severity in SEVERITIES] == REFERENCE[name].tolist()


@pytest.mark.parametrize("severity", SEVERITIES)
def test_jpeg_is_about_one_grey_level_off(severity: int) -> None:
    found = corrupt(IMAGES[:2], "jpeg_compression", severity).astype(int)
    assert np.abs(found - REFERENCE["jpeg_compression"][severity - 1]).mean() < 2.5


@pytest.mark.parametrize("name", CORRUPTIONS)
def test_images_stay_images_and_are_not_written_to(name: str) -> None:
    images = IMAGES[:2].copy()
    found = corrupt(images, name, 5, frost=FROST)
    assert (found.shape, found.dtype) == (images.shape, np.uint8)
    assert np.array_equal(images, IMAGES[:2])
    assert corrupt(images[:0], name, 1, frost=FROST).shape == (0, 32, 32, 3)


@pytest.mark.parametrize("name", RANDOM)
def test_a_seed_repeats_and_another_does_not(name: str) -> None:
    first, again, other = (corrupt(IMAGES, name, 3, seed, FROST) for seed in (1, 1, 2))
    assert np.array_equal(first, again)
    assert not np.array_equal(first, other)


@pytest.mark.parametrize("name", RANDOM)
def test_equal_images_get_randomness_of_their_own(name: str) -> None:
    first, second = corrupt(IMAGES[[0, 0]], name, 4, frost=FROST)
    assert not np.array_equal(first, second)


@pytest.mark.parametrize("name", CHANGES)
def test_the_change_is_what_it_was_when_sizes_were_those_of_the_released_images(name: str) -> None:
    many = np.repeat(IMAGES, 30, axis=0)
    changes = [np.abs(corrupt(many, name, severity, 7).astype(int) - many).mean() for severity in (1, 3, 5)]
    assert changes == pytest.approx(CHANGES[name], rel=0.08)


def test_blocks_have_random_numbers_of_their_own(monkeypatch: pytest.MonkeyPatch) -> None:
    grey = np.full((4, 32, 32, 3), 128, np.uint8)
    whole = corrupt(grey, "gaussian_noise", 1)
    monkeypatch.setattr("endd.data.corruptions.by_name.BLOCK", 2)
    parts = corrupt(grey, "gaussian_noise", 1)
    assert np.array_equal(parts[:2], whole[:2])
    assert not np.array_equal(parts[:2], parts[2:])


def test_what_is_wrong_is_named() -> None:
    with pytest.raises(ValueError, match="'rain'"):
        corrupt(IMAGES, "rain", 1)
    with pytest.raises(ValueError, match="Expected pictures of frost"):
        corrupt(IMAGES, "frost", 1)
    for images, got in ((IMAGES / 255, "float64"), (IMAGES[0], r"\(32, 32, 3\)"), ([1], "list")):
        with pytest.raises(ValueError, match=rf"Expected images of shape \(N, 32, 32, 3\) in uint8, but got .*{got}"):
            corrupt(images, "fog", 1)
