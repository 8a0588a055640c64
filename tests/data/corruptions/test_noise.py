"""The moments of each kind of noise."""

import numpy as np

from endd.data.corruptions.noise import gaussian_noise, impulse_noise, shot_noise, speckle_noise

GREY = np.full((200, 32, 32, 3), 100, np.uint8)


def random() -> np.random.Generator:
    return np.random.default_rng(0)


def moments(images: np.ndarray) -> tuple[float, float]:
    return float(images.mean()), float(images.std())


def test_deviations_are_those_of_the_formula() -> None:
    # cutting off the fraction takes half a grey level
    for found, deviation in (
        (gaussian_noise(GREY, random(), 0.04), 0.04 * 255),
        (speckle_noise(GREY, random(), 0.1), 0.1 * 100),
        (shot_noise(GREY, random(), 250), (100 / 255 / 250) ** 0.5 * 255),
    ):
        mean, spread = moments(found)
        assert abs(mean - 99.5) < 0.1
        assert abs(spread / deviation - 1) < 0.03


def test_salt_and_pepper() -> None:
    found = impulse_noise(GREY, random(), 0.07)
    assert set(np.unique(found)) == {0, 100, 255}
    assert abs((found == 0).mean() - 0.035) < 0.002
    assert abs((found == 255).mean() - 0.035) < 0.002
