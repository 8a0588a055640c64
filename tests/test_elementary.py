"""Special functions spelled out in elementary operations are torch's."""

from collections.abc import Callable

import pytest
import torch
from torch import Tensor

from endd import _elementary as elementary

F64 = torch.float64


class Wrapped(torch.nn.Module):
    """A function as a module to export."""

    def __init__(self, function: Callable[[Tensor], Tensor]) -> None:
        super().__init__()
        self.function = function

    def forward(self, x: Tensor) -> Tensor:
        return self.function(x)


@pytest.mark.parametrize(
    ("function", "own", "low", "high"),
    [
        (elementary.expm1, torch.expm1, -90.0, 80.0),
        (elementary.softplus, torch.nn.functional.softplus, -90.0, 90.0),
        (elementary.logsigmoid, torch.nn.functional.logsigmoid, -90.0, 90.0),
        (elementary.sigmoid, torch.sigmoid, -80.0, 90.0),
    ],
)
def test_exported_forms_in_float32(
    function: Callable[[Tensor], Tensor], own: Callable[[Tensor], Tensor], low: float, high: float
) -> None:
    x = torch.cat([torch.linspace(low, high, 4001), torch.linspace(-0.01, 0.01, 4001)])
    assert torch.equal(function(x), own(x))
    exported = torch.export.export(Wrapped(function), (x,)).module()(x)
    # torch's softplus drops what is less than 2e-9 of its value, ours what is less than the unit of 1 in float64
    torch.testing.assert_close(exported, own(x.double()).float(), rtol=3e-7, atol=3e-16)


def test_digamma() -> None:
    x = torch.logspace(-6, 9, 2001, dtype=F64)
    assert torch.equal(elementary.digamma(x), torch.digamma(x))
    torch.testing.assert_close(elementary.elementary_digamma(x), torch.digamma(x), rtol=1e-10, atol=1e-11)


def test_erfc_keeps_the_digits_of_its_tail() -> None:
    x = torch.linspace(-6, 12, 3001, dtype=F64)
    found = elementary.elementary_erfc(x, (-x.square()).exp())
    torch.testing.assert_close(found, torch.erfc(x), rtol=1.2e-7, atol=0)


def test_the_rough_quantile() -> None:
    p = torch.linspace(1e-9, 1 - 1e-9, 9999, dtype=F64)
    assert (elementary.rough_normal_quantile(p) - torch.special.ndtri(p)).abs().max() < 4.5e-4
    assert elementary.rough_normal_quantile(torch.tensor([0.0, 1.0])).isfinite().all()


def test_weighed_sums_are_the_same_in_a_graph() -> None:
    values, weights = torch.randn(3, 4, 5, dtype=F64), torch.rand(5, dtype=F64)
    expected = (values * weights).sum(-1)
    torch.testing.assert_close(elementary.weigh(values, weights), expected)
    exported = torch.export.export(Wrapped(lambda x: elementary.weigh(x, weights)), (values,)).module()
    torch.testing.assert_close(exported(values), expected)


def test_the_falling_order_is_stable() -> None:
    x = torch.tensor([[0.2, 0.5, 0.2, 0.1], [1.0, 1.0, 1.0, 2.0]])
    assert elementary.falling_order(x).tolist() == [[1, 0, 2, 3], [3, 0, 1, 2]]


def test_polynomials() -> None:
    x = torch.tensor([0.5, -2.0])
    assert elementary.polynomial(x, (1.0, 2.0, 3.0)).tolist() == [2.75, 9.0]


@pytest.mark.parametrize("shape", [(5, 3), (4, 4), (7, 1), (9, 6)])
def test_householder_has_the_signs_of_lapack(shape: tuple[int, int]) -> None:
    x = torch.randn(20, *shape, dtype=F64)
    if shape[0] > shape[1] + 1:
        x[:5, :2] = 0  # columns that lie off their axes altogether
    x[-1].tril_()  # and one that lies on its own
    for found, expected in zip(elementary.householder(x), torch.linalg.qr(x), strict=True):
        torch.testing.assert_close(found, expected, rtol=1e-12, atol=1e-12)
    for found, expected in zip(elementary.qr(x), torch.linalg.qr(x), strict=True):
        assert torch.equal(found, expected)


def test_nothing_is_being_exported_here() -> None:
    assert not elementary.exporting()


def test_transforms_and_traces_are_not_plain_autograd() -> None:
    seen: list[bool] = []

    def looked(x: Tensor) -> Tensor:
        seen.append(elementary.plain_autograd())
        return x.square().sum()

    x = torch.ones(2, requires_grad=True)
    looked(x).backward()
    with torch.no_grad():
        looked(x)
    assert seen == [True, True]
    seen.clear()
    torch.func.grad(looked)(x)
    torch.vmap(looked)(x.detach().reshape(2, 1))
    with torch.autograd.forward_ad.dual_level():
        looked(x)
    torch.jit.trace(looked, x.detach(), check_trace=False)
    torch.export.export(Wrapped(looked), (x.detach(),))
    assert len(seen) >= 5
    assert not any(seen)
