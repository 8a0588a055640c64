"""Warped images."""

import numpy as np
import pytest
import torch
from scipy.ndimage import affine_transform

from endd.training import warps
from endd.training.warps import _affine_maps, _warped


def generator(seed: int = 0) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


@pytest.fixture
def images() -> torch.Tensor:
    return torch.randint(0, 256, (200, 3, 8, 8), generator=generator(), dtype=torch.uint8)


def test_a_share_is_warped_and_the_rest_stays(images: torch.Tensor) -> None:
    changed = (warps(images, generator(1), share=0.3) != images).flatten(1).any(1)
    assert 0.2 < changed.double().mean() < 0.4
    assert torch.equal(warps(images, generator(1), share=0.0), images)


@pytest.mark.parametrize("dtype", [torch.uint8, torch.float32])
def test_a_seed_repeats(images: torch.Tensor, dtype: torch.dtype) -> None:
    first, same, other = (warps(images.to(dtype), generator(seed)) for seed in (1, 1, 2))
    assert first.dtype == dtype
    assert torch.equal(first, same)
    assert not torch.equal(first, other)


def test_what_is_one_colour_stays_so_or_becomes_its_negative() -> None:
    plain = torch.tensor([10, 20, 30], dtype=torch.uint8).reshape(1, 3, 1, 1).expand(300, 3, 6, 6)
    colours = {tuple(image[:, 0, 0].tolist()) for image in warps(plain, generator())}
    assert {tuple(sorted(colour)) for colour in colours} == {(10, 20, 30), (225, 235, 245)}
    assert len(colours) == 12  # six orders of the channels, each as it is and as its negative


def test_pixels_go_where_another_library_puts_them() -> None:
    smooth = torch.nn.functional.interpolate(torch.rand(1, 1, 4, 4, generator=generator()), 32, mode="bicubic")
    maps = _affine_maps(1, generator(3))
    ours = _warped(smooth, maps, torch.zeros(1, 1, dtype=torch.long), torch.zeros(1, dtype=torch.bool))[0, 0]
    # places (y, x) in pixels in place of (x, y) from -1 to 1, from output to input
    turned = maps[0, :, :2].numpy()[::-1, ::-1]
    centre = np.full(2, 15.5)
    offset = centre + 16 * maps[0, :, 2].numpy()[::-1]
    theirs = affine_transform(smooth[0, 0].numpy(), turned, offset - turned @ centre, order=1, mode="reflect")
    assert np.abs(ours.numpy() - theirs).max() < 1e-3


def test_shares_out_of_range_are_refused(images: torch.Tensor) -> None:
    with pytest.raises(ValueError, match=r"Expected `share` from 0 to 1, but got 1\.5"):
        warps(images, generator(), share=1.5)
