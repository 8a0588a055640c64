"""Every distribution over logits at a temperature: what z / T is when z is v's."""

from functools import singledispatch

from torch import Tensor
from torch.distributions import Distribution

from endd.distributions import (
    Atoms,
    DiagonalNormal,
    Dirichlet,
    FullNormal,
    LowRankNormal,
    Members,
    ModuloShift,
    Point,
    TemperedPoint,
)
from endd.distributions.dirichlet import MIN_CONCENTRATION


@singledispatch
def cooled(v: Distribution, temperature: float | Tensor) -> Distribution:
    """The distribution of z / T. For a normal that is loc / T with scale / T, for atoms z_j / T.

    A Dirichlet divided by T is none. Its mean is tempered, softmax(log a / T), and its evidence sum_k a_k stays: labels
    are foreseen by the mean alone, so that they say nothing about how much evidence there was.

    >>> import torch
    >>> cooled(Dirichlet(torch.tensor([[1.0, 9.0]])), 2.0).concentration
    tensor([[2.5000, 7.5000]])
    """
    raise TypeError(f"Expected a distribution over logits from endd to put a temperature on, but got {v}.")


@cooled.register
def _(v: Atoms, temperature: float | Tensor) -> Distribution:
    return Members(v.atoms / temperature, v.weights, validate_args=False)


@cooled.register
def _(v: Point, temperature: float | Tensor) -> Distribution:
    return Point(v.z / temperature)


@cooled.register
def _(v: TemperedPoint, temperature: float | Tensor) -> Distribution:
    return TemperedPoint(v.z / temperature, v.temperature * temperature)


@cooled.register
def _(v: DiagonalNormal, temperature: float | Tensor) -> Distribution:
    return type(v)(v.loc / temperature, v.scale / temperature, validate_args=False)


@cooled.register
def _(v: FullNormal, temperature: float | Tensor) -> Distribution:
    return FullNormal(v.loc / temperature, v.scale_tril / temperature, validate_args=False)


@cooled.register
def _(v: LowRankNormal, temperature: float | Tensor) -> Distribution:
    loc, factor, diagonal = v.loc / temperature, v.factor / temperature, v.diagonal / temperature**2
    return LowRankNormal(loc, factor, diagonal, validate_args=False)


@cooled.register
def _(v: ModuloShift, temperature: float | Tensor) -> Distribution:
    base = cooled(v.base, temperature)
    return ModuloShift(base, validate_args=False)  # type: ignore[arg-type]  # a normal gives a normal


@cooled.register
def _(v: Dirichlet, temperature: float | Tensor) -> Distribution:
    evidence = v.concentration.sum(-1, keepdim=True)
    concentration = evidence * (v.concentration.log() / temperature).softmax(-1)
    return Dirichlet(concentration.clamp(min=MIN_CONCENTRATION), validate_args=False)
