"""Images blended with chains of changes, each change against Pillow's."""

import numpy as np
import pytest
import torch
from PIL import Image, ImageOps
from torch import Tensor

from endd.training import blends
from endd.training.blends import MOVED, SLANTED, TURNED, _moved, equalised, posterised, solarised, stretched


def generator(seed: int = 0) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


@pytest.fixture
def images() -> Tensor:
    """Smooth ones, of few colours at the ends of the scale."""
    small = torch.rand(40, 3, 4, 4, generator=generator())
    return torch.nn.functional.interpolate(60 + 120 * small, 16, mode="bilinear").round().to(torch.uint8)


def pillow(image: Tensor) -> Image.Image:
    return Image.fromarray(image.permute(1, 2, 0).numpy())


def tensor(image: Image.Image) -> Tensor:
    return torch.as_tensor(np.asarray(image).copy()).permute(2, 0, 1).float()


def test_a_share_is_blended_and_the_rest_stays(images: Tensor) -> None:
    changed = (blends(images, generator(1), share=0.4) != images).flatten(1).any(1)
    assert 0.2 < changed.double().mean() < 0.6
    assert torch.equal(blends(images, generator(1), share=0.0), images)


def test_shares_out_of_range_are_refused(images: Tensor) -> None:
    with pytest.raises(ValueError, match=r"Expected `share` from 0 to 1, but got -0\.5"):
        blends(images, generator(), share=-0.5)


def test_a_seed_repeats_and_whole_numbers_are_rounded_ones(images: Tensor) -> None:
    first, same, other = (blends(images, generator(seed)) for seed in (1, 1, 2))
    assert torch.equal(first, same)
    assert not torch.equal(first, other)
    fractions = 255 * blends(images.double() / 255, generator(1))
    assert fractions.dtype == torch.float64
    # where a colour lies at a threshold, rounding decides
    assert ((fractions - first).abs() <= 0.51).double().mean() > 0.97


def test_a_blend_is_a_blend(images: Tensor) -> None:
    """Every second picture, half of it the image itself on average, is nearer to its image than to another."""
    blended = blends(images, generator(3)).float()
    own = (blended - images).square().flatten(1).mean(1)
    other = (blended - images.roll(1, 0)).square().flatten(1).mean(1)
    assert (own < other).double().mean() > 0.8


def test_fewer_bits_are_those_of_pillow(images: Tensor) -> None:
    for dropped in range(5):
        found = posterised(images.float(), torch.full((len(images),), float(dropped)))
        assert torch.equal(found[0], tensor(ImageOps.posterize(pillow(images[0]), 8 - dropped)))


def test_inverted_colours_are_those_of_pillow(images: Tensor) -> None:
    for threshold in (0, 100, 128, 256):
        found = solarised(images.float(), torch.full((len(images),), float(threshold)))
        assert torch.equal(found[1], tensor(ImageOps.solarize(pillow(images[1]), threshold)))


def test_stretched_contrast_is_that_of_pillow(images: Tensor) -> None:
    found = stretched(images.float())
    for mine, image in zip(found, images, strict=True):
        assert (mine - tensor(ImageOps.autocontrast(pillow(image)))).abs().max() < 1.001


def test_equalised_contrast_is_near_that_of_pillow() -> None:
    """Pillow counts in whole steps."""
    large = torch.randint(40, 200, (1, 3, 256, 256), generator=generator()).to(torch.uint8)
    assert (equalised(large.float())[0] - tensor(ImageOps.equalize(pillow(large[0])))).abs().max() <= 3


def test_one_colour_has_no_contrast_to_change() -> None:
    plain = torch.full((1, 3, 4, 4), 77.0)
    assert torch.equal(stretched(plain), plain)
    assert torch.equal(equalised(plain), plain)


def test_each_image_moves_in_its_own_way(images: Tensor) -> None:
    kinds = torch.tensor([TURNED, SLANTED, MOVED])
    still = _moved(images[:3].float(), kinds, torch.zeros(3, 2))
    torch.testing.assert_close(still, images[:3].float(), rtol=0, atol=1e-2)
    # a move by an eighth of the whole image is one by two pixels
    moved = _moved(images[:1].float(), torch.tensor([MOVED]), torch.tensor([[0.25 * 3, 1.0]]))
    torch.testing.assert_close(moved[..., :-2], images[:1, :, :, 2:].float(), rtol=0, atol=1e-2)
