"""A transfer pool holds every input in several versions."""

import pytest
import torch
from torch import Tensor

from endd.training import transfer_pool


def noise(x: Tensor, generator: torch.Generator) -> Tensor:
    return x + torch.randn(x.shape, generator=generator)


def test_views_without_changes_are_the_inputs_themselves() -> None:
    x = torch.randn(6, 2)
    assert torch.equal(transfer_pool(x, views=3), x.repeat(3, 1))


def test_every_view_is_augmented_anew() -> None:
    x = torch.randn(6, 2, 3)
    pool = transfer_pool(x, views=2, augment=noise).reshape(2, 6, 2, 3)
    assert pool.shape == (2, 6, 2, 3)
    assert not torch.isclose(pool[0], pool[1]).any()


def test_mixed_inputs_lie_between_two_inputs() -> None:
    x = torch.tensor([[0.0, 0.0], [1.0, 2.0]])
    pool = transfer_pool(x, views=50, mix=1.0)
    torch.testing.assert_close(pool[:, 1], 2 * pool[:, 0])
    assert torch.equal(pool, pool.clamp(0, 2))
    assert len(pool[:, 0].unique()) > 20


def test_mix_is_the_part_that_is_mixed() -> None:
    x = torch.randn(2000, 1)
    mixed = (transfer_pool(x, views=1, mix=0.25) != x).float().mean()
    assert 0.2 < float(mixed) < 0.3


def test_a_seed_gives_the_same_pool_and_leaves_the_global_generator_alone() -> None:
    x, before = torch.randn(6, 2), torch.random.get_rng_state()
    first, same, other = (transfer_pool(x, augment=noise, mix=0.5, seed=seed) for seed in (1, 1, 2))
    assert torch.equal(first, same)
    assert not torch.equal(first, other)
    assert torch.equal(before, torch.random.get_rng_state())


@pytest.mark.parametrize(
    "options", [{"views": 0}, {"mix": 1.5}, {"mix": -0.1}, {"swap": 2.0}, {"mix": 0.6, "patch": 0.6}]
)
def test_a_pool_that_makes_no_sense_is_refused(options: dict[str, float]) -> None:
    with pytest.raises(ValueError, match="at least one view, and `mix`, `patch`, their sum and `swap` from 0 to 1"):
        transfer_pool(torch.randn(6, 2), **options)  # type: ignore[arg-type]


def test_swapped_inputs_have_one_entry_of_another() -> None:
    x = torch.arange(300.0).reshape(100, 3)
    pool = transfer_pool(x, 20, swap=0.5)
    changed = pool != x.repeat(20, 1)
    assert changed.sum(1).max() == 1
    # 99 of 100 partners are another row
    assert changed.any(1).float().mean() == pytest.approx(0.5 * 0.99, abs=0.03)
    assert all(torch.isin(pool[:, place], x[:, place]).all() for place in range(3))


def test_pixels_stay_pixels() -> None:
    x = torch.randint(0, 256, (50, 3, 4, 4)).to(torch.uint8)
    pool = transfer_pool(x, 2, mix=1.0)
    assert pool.dtype == torch.uint8
    assert not torch.equal(pool, x.repeat(2, 1, 1, 1))
    assert int(pool.min()) >= int(x.min())
    assert int(pool.max()) <= int(x.max())


def test_patches_are_squares_of_another_image() -> None:
    x = torch.arange(50, dtype=torch.uint8).reshape(50, 1, 1, 1).expand(50, 3, 16, 16)
    pool = transfer_pool(x, 4, patch=0.5)
    foreign = pool != x.repeat(4, 1, 1, 1)
    assert bool((foreign.all(1) == foreign.any(1)).all())  # all channels of a pixel
    rows, columns = foreign[:, 0].any(2).sum(1), foreign[:, 0].any(1).sum(1)
    assert torch.equal(foreign[:, 0].sum((1, 2)), rows * columns)
    assert 0.35 < (rows > 0).double().mean() < 0.6
    assert all(len(image.unique()) <= 2 for image in pool)


def test_patches_are_for_images() -> None:
    with pytest.raises(ValueError, match="Expected images"):
        transfer_pool(torch.randn(6, 2), patch=0.5)
