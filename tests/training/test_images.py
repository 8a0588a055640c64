"""Random flips and crops."""

import pytest
import torch
from torch import Tensor
from torch.nn.functional import pad

from endd.training.images import flips_and_crops


def generator(seed: int = 0) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


@pytest.mark.parametrize("dtype", [torch.uint8, torch.float32])
@pytest.mark.parametrize("edges", ["constant", "reflect"])
def test_every_image_is_a_crop_of_the_padded_one_mirrored_or_not(dtype: torch.dtype, edges: str) -> None:
    images = torch.randint(1, 255, (40, 3, 8, 6), generator=generator()).to(dtype)
    changed = flips_and_crops(images, generator(1), padding=2, mirrored_edges=edges == "reflect")
    assert changed.dtype == dtype
    found = [_crop_of(image, after, edges) for image, after in zip(images, changed, strict=True)]
    assert None not in found
    assert len(set(found)) > 20
    assert {mirrored for mirrored, _, _ in filter(None, found)} == {True, False}


def _crop_of(image: Tensor, changed: Tensor, edges: str) -> tuple[bool, int, int] | None:
    for mirrored in (False, True):
        padded = pad((image.flip(-1) if mirrored else image).float(), (2, 2, 2, 2), edges).to(image.dtype)
        for down in range(5):
            for right in range(5):
                if torch.equal(padded[:, down : down + 8, right : right + 6], changed):
                    return mirrored, down, right
    return None


def test_a_seed_repeats_and_batches_may_have_any_shape() -> None:
    images = torch.randn(2, 5, 3, 8, 8)
    first, same, other = (flips_and_crops(images, generator(seed)) for seed in (1, 1, 2))
    assert torch.equal(first, same)
    assert not torch.equal(first, other)
    assert torch.equal(
        flips_and_crops(images, generator(1)).flatten(0, 1), flips_and_crops(images.flatten(0, 1), generator(1))
    )


def test_all_moves_are_equally_likely() -> None:
    images = torch.zeros(5000, 1, 5, 5)
    images[:, :, 2, 2] = 1
    places = flips_and_crops(images, generator(), padding=1).flatten(1).argmax(1).bincount(minlength=25)
    near = torch.tensor([6, 7, 8, 11, 12, 13, 16, 17, 18])
    assert places[near].sum() == 5000
    assert (places[near] / 5000 - 1 / 9).abs().max() < 0.02
