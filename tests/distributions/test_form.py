"""Raw outputs become distributions: what every form must do."""

import pytest
import torch
from torch.distributions import Distribution

from endd.distributions import (
    Atoms,
    Configured,
    DiagonalNormal,
    Dirichlet,
    FullNormal,
    LowRankNormal,
    Members,
    ModuloShift,
    Point,
)
from endd.distributions.form import split_raw

FORMS = [
    Point,
    Point.of(),
    Members.of(size=4),
    DiagonalNormal,
    DiagonalNormal.of(min_scale=0.1),
    FullNormal,
    FullNormal.of(min_scale=0.1),
    LowRankNormal,
    LowRankNormal.of(rank=1),
    LowRankNormal.of(rank=3, min_scale=0.1),
    ModuloShift,
    ModuloShift.of(DiagonalNormal),
    ModuloShift.of(FullNormal),
    ModuloShift.of(LowRankNormal.of(rank=2)),
    Dirichlet,
    Dirichlet.of(min_concentration=0.1),
]


DENSITIES = FORMS[3:]


def name(form):
    return getattr(form, "__name__", repr(form))


@pytest.fixture(params=FORMS, ids=name)
def form(request):
    return request.param


def smallest(form):
    """Logits need two classes."""
    kind = getattr(form, "kind", form)
    return 2 if kind in (Dirichlet, ModuloShift) else 1


def test_raw_size_is_what_from_raw_takes(form):
    for P in range(smallest(form), 7):
        v = form.from_raw(torch.randn(4, form.raw_size(P)))
        assert isinstance(v, Distribution)
        assert (v.batch_shape, v.event_shape) == ((4,), (P,))
        assert v.sample((2,)).shape == (2, 4, P)


def test_any_batch_shape_will_do(form):
    assert form.from_raw(torch.randn(form.raw_size(3))).batch_shape == ()
    assert form.from_raw(torch.randn(5, 4, form.raw_size(3))).batch_shape == (5, 4)


@pytest.mark.parametrize("value", [-1e4, 1e4])
def test_extreme_raw_numbers_give_finite_moments_and_gradients(form, value):
    raw = torch.full((2, form.raw_size(3)), value, requires_grad=True)
    v = form.from_raw(raw)
    assert v.mean.isfinite().all()
    assert v.variance.isfinite().all()
    assert isinstance(v, Atoms) or (v.variance > 0).all()
    (v.mean.sum() + v.variance.sum()).backward()
    assert raw.grad.isfinite().all()


@pytest.mark.parametrize("value", [-100.0, 0.0, 100.0])
@pytest.mark.parametrize("form", DENSITIES, ids=name)
def test_log_densities_have_finite_gradients(form, value):
    raw = torch.full((2, form.raw_size(3)), value, requires_grad=True)
    form.from_raw(raw).log_prob(torch.tensor([-1.0, 0.0, 2.0]).expand(4, 2, 3)).sum().backward()
    assert raw.grad.isfinite().all()
    assert raw.grad.abs().max() > 0


def test_configured_passes_its_options_on():
    form = Configured(LowRankNormal, {"rank": 2, "min_scale": 0.1})
    assert form == LowRankNormal.of(rank=2, min_scale=0.1)
    assert form.raw_size(3) == 12
    assert form.from_raw(torch.zeros(2, 12)).rank == 2


def test_configured_repr():
    assert repr(LowRankNormal.of(rank=2, min_scale=0.1)) == "LowRankNormal.of(rank=2, min_scale=0.1)"
    assert repr(FullNormal.of()) == "FullNormal.of()"


def test_an_unknown_option_raises(form):
    kind = getattr(form, "kind", form)
    with pytest.raises(TypeError, match="unexpected keyword argument 'colour'"):
        kind.of(**getattr(form, "options", {}), colour=1).from_raw(torch.zeros(2, 12))


def test_split_raw():
    assert split_raw(torch.zeros(4, 6), 2, "thing") == 3


@pytest.mark.parametrize("size", [0, 1, 5])
def test_split_raw_refuses_a_remainder(size):
    with pytest.raises(
        ValueError, match=rf"a multiple of 2 raw numbers for a thing, but got a float32 .* \(4, {size}\)"
    ):
        split_raw(torch.zeros(4, size), 2, "thing")
