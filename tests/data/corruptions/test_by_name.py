"""Laws of all corruptions: bytes in, bytes out; seeded; stronger as the severity grows; some exact to the bit."""

import numpy as np
import pytest

from endd.data.corruptions import CORRUPTIONS, SEVERITIES, corrupt
from endd.data.fetching import fingerprint
from tests.data.corruptions.reference import EXACT, IMAGES, REFERENCE, change

RANDOM = [name for name in CORRUPTIONS if name not in (*EXACT, "jpeg_compression")]
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


@pytest.mark.parametrize("name", [*(name for name in RANDOM if name.endswith("noise")), "motion_blur", "fog"])
def test_the_change_grows_with_the_severity(name: str) -> None:
    many = np.repeat(IMAGES, 20, axis=0)
    changes = [np.abs(corrupt(many, name, severity).astype(int) - many).mean() for severity in (1, 3, 5)]
    assert changes == sorted(changes)


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


def test_the_measure_of_change_is_zero_without_one() -> None:
    assert change(IMAGES) == 0
