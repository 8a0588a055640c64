"""Mixtures of class distributions with their gradients in closed form, against autograd's walk through every step."""

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor

import endd
from endd.families import Categorical
from endd.integrals import class_mixture, integrals_of
from endd.integrals.class_mixture import ClassMixture
from endd.integrals.class_mixture import by_operations as plain

Both = Callable[[Tensor, Tensor], Any]


def drawn(*shape: int, scale: float = 2.0, seed: int = 0) -> tuple[Tensor, Tensor]:
    generator = torch.Generator().manual_seed(seed)
    z = scale * torch.randn(shape, generator=generator, dtype=torch.float64)
    weights = torch.rand(shape[0], generator=generator, dtype=torch.float64) + 0.1
    return z.requires_grad_(), weights / weights.sum()


def slopes(of: Both, z: Tensor, weights: Tensor) -> Tensor:
    """The gradient of a sum of both that weighs every entry differently."""
    log_q, information, *_ = of(z, weights)
    generator = torch.Generator().manual_seed(9)
    total = sum(
        (torch.randn(value.shape, generator=generator, dtype=value.dtype) * value).sum()
        for value in (log_q, information)
    )
    return torch.autograd.grad(total, z)[0]


@pytest.mark.parametrize("shape", [(5, 7, 3), (6, 4), (4, 2, 3, 5), (1, 6, 2), (3, 0, 4), (64, 40, 30)])
def test_values_and_gradients_are_those_of_plain_operations(
    shape: tuple[int, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(class_mixture, "NUMBERS_AT_ONCE", 3 * shape[0] * shape[-1])  # several parts, the last shorter
    z, weights = drawn(*shape)
    for ours, theirs in zip(ClassMixture.apply(z, weights)[:2], plain(z, weights), strict=True):
        assert ours.shape == theirs.shape
        torch.testing.assert_close(ours, theirs, rtol=1e-10, atol=1e-12)
    torch.testing.assert_close(slopes(ClassMixture.apply, z, weights), slopes(plain, z, weights), rtol=1e-9, atol=1e-12)


def test_gradients_are_those_of_small_differences() -> None:
    z, weights = drawn(4, 3, 3)
    assert torch.autograd.gradcheck(lambda z: ClassMixture.apply(z, weights)[:2], [z])


@pytest.mark.parametrize("scale", [1e-4, 50.0, 1e4])
def test_single_precision_at_the_extremes(scale: float) -> None:
    z, weights = drawn(16, 9, 5, scale=scale)
    near, exact = (ClassMixture.apply(x, weights.to(x)) for x in (z.float(), z))
    torch.testing.assert_close(near[0].double(), exact[0], rtol=1e-5, atol=1e-5)
    torch.testing.assert_close(near[1].double(), exact[1], rtol=1e-3, atol=1e-12)
    found = slopes(ClassMixture.apply, z.detach().float().requires_grad_(), weights.float())
    assert bool(found.isfinite().all())


def test_agreeing_atoms_say_nothing_of_each_other() -> None:
    z = torch.randn(1, 6, 4).expand(8, 6, 4).clone().requires_grad_()
    _, information, *_ = ClassMixture.apply(z, torch.full((8,), 1 / 8))
    assert float(information.detach().max()) < 1e-12
    information.sum().backward()
    assert z.grad is not None
    assert float(z.grad.abs().max()) < 1e-7


def test_gradients_can_be_differentiated_again() -> None:
    z, weights = drawn(4, 3, 3)
    assert torch.autograd.gradgradcheck(lambda z: ClassMixture.apply(z, weights)[:2], [z])
    marginal = endd.marginal(Categorical(3), endd.Members(z, weights))
    (slope,) = torch.autograd.grad(marginal.log_prob(torch.tensor([0, 2, 1])).sum(), z, create_graph=True)
    assert bool((torch.autograd.grad(slope.square().sum(), z)[0] != 0).any())


def asked(z: Tensor) -> Tensor:
    """A loss of the marginal and the information of atoms z (S, B, K), as a user would write it."""
    found = integrals_of(Categorical(z.shape[-1]), endd.Members(z))
    return (found.information().value - found.probabilities().log()[:, 0]).sum()


def test_transforms_of_functions_go_through_plain_operations() -> None:
    z, _ = drawn(3, 5, 4)
    (slope,) = torch.autograd.grad(asked(z), z)
    for found in (torch.func.grad(asked)(z), torch.func.jacrev(asked)(z), torch.func.jacfwd(asked)(z)):
        torch.testing.assert_close(found, slope)
    by_row = torch.vmap(torch.func.grad(lambda row: asked(row.unsqueeze(1))), 1, 1)(z)
    torch.testing.assert_close(by_row, slope)
    small = z[:2, :1].detach()
    torch.testing.assert_close(torch.func.hessian(asked)(small), torch.autograd.functional.hessian(asked, small))


def test_a_class_that_an_atom_rules_out() -> None:
    z, weights = drawn(4, 3, 3)
    ruled_out = z.detach().clone()
    ruled_out[0, :, 1] = -torch.inf
    ours, theirs = (
        torch.autograd.grad(of(x, weights)[0].sum(), x)[0]
        for of, x in ((ClassMixture.apply, ruled_out.clone().requires_grad_()), (plain, ruled_out.requires_grad_()))
    )
    torch.testing.assert_close(ours, theirs)


@pytest.mark.parametrize("family", [Categorical(4), Categorical(5, reference=2)])
def test_integrals_are_the_same_with_and_without_gradients(family: Categorical) -> None:
    z, weights = drawn(6, 9, 4)
    trained = integrals_of(family, endd.Members(z, weights))
    asked = integrals_of(family, endd.Members(z.detach(), weights))
    torch.testing.assert_close(trained.information().value, asked.information().value)
    torch.testing.assert_close(trained.probabilities(), asked.probabilities())
    assert trained.information().value.requires_grad


@pytest.mark.parametrize("case", ["a weight of 0", "weights that learn"])
def test_other_weights_go_through_plain_operations(case: str) -> None:
    z, weights = drawn(3, 5, 4)
    weights = torch.tensor([0.5, 0.5, 0.0], dtype=z.dtype) if case == "a weight of 0" else weights.requires_grad_()
    found = integrals_of(Categorical(4), endd.Members(z, weights, validate_args=case == "a weight of 0"))
    found.information().value.sum().backward()
    assert z.grad is not None
    assert bool(z.grad.isfinite().all())
    if weights.requires_grad:
        assert weights.grad is not None
