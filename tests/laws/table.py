"""Everything the laws run over: one row a family, one row a distribution, and all pairs that go together."""

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor
from torch.distributions import Distribution

import endd
from endd import families
from endd.distributions import Form, LiftedNormal, TemperedPoint
from endd.families import Family
from endd.integrals import check_pair

BATCHES = [(), (2,), (2, 3)]
F64 = torch.float64

FAMILIES: dict[str, Family] = {
    "gaussian": families.Gaussian(),
    "gaussian_in_units": families.Gaussian(shift=-3.0, scale=2.5),
    "categorical": families.Categorical(4),
    "categorical_reference": families.Categorical(4, reference=1),
    "bernoulli": families.Bernoulli(),
    "bernoulli_labels": families.Bernoulli(3),
    "bernoulli_many_labels": families.Bernoulli(10),
    "poisson": families.Poisson(),
    "multivariate_gaussian": families.MultivariateGaussian(2, shift=(1.0, -1.0), scale=(0.5, 3.0)),
}


@dataclass(frozen=True)
class Row:
    """How to make a v of batch and P with scales around `scale`, over what its density integrates to 1, and how a
    student's raw outputs become one."""

    make: Callable[[tuple[int, ...], int, float], Distribution]
    integrates_over: str | None
    form: Form | None


def _loc(batch: tuple[int, ...], P: int) -> Tensor:
    return torch.randn(*batch, P, dtype=F64)


def _scales(batch: tuple[int, ...], P: int, scale: float) -> Tensor:
    return scale * (0.3 + 0.7 * torch.rand(*batch, P, dtype=F64))


def members(batch: tuple[int, ...], P: int, scale: float) -> endd.Members:
    return endd.Members(
        scale * torch.randn(5, *batch, P, dtype=F64), torch.tensor([0.1, 0.2, 0.3, 0.15, 0.25], dtype=F64)
    )


def point(batch: tuple[int, ...], P: int, scale: float) -> endd.Point:
    return endd.Point(scale * torch.randn(*batch, P, dtype=F64))


def diagonal(batch: tuple[int, ...], P: int, scale: float) -> endd.DiagonalNormal:
    return endd.DiagonalNormal(_loc(batch, P), _scales(batch, P, scale))


def lifted(batch: tuple[int, ...], P: int, scale: float) -> LiftedNormal:
    return LiftedNormal(_loc(batch, P), _scales(batch, P, scale))


def tempered(batch: tuple[int, ...], P: int, scale: float) -> TemperedPoint:
    return TemperedPoint(scale * torch.randn(*batch, P, dtype=F64), 0.5 + torch.rand(batch, dtype=F64))


def full(batch: tuple[int, ...], P: int, scale: float) -> endd.FullNormal:
    lower = torch.tril(torch.randn(*batch, P, P, dtype=F64), -1) * scale / P
    return endd.FullNormal(_loc(batch, P), lower + torch.diag_embed(_scales(batch, P, scale)))


def low_rank(batch: tuple[int, ...], P: int, scale: float) -> endd.LowRankNormal:
    factor = torch.randn(*batch, P, 2, dtype=F64) * scale / 2
    return endd.LowRankNormal(_loc(batch, P), factor, (_scales(batch, P, scale) / 2).square())


def dirichlet(batch: tuple[int, ...], P: int, scale: float) -> endd.Dirichlet:
    return endd.Dirichlet((0.2 + 3 * torch.rand(*batch, P, dtype=F64)) / scale)


def modulo(base: Callable[[tuple[int, ...], int, float], Distribution]) -> Callable[..., Distribution]:
    return lambda batch, P, scale: endd.ModuloShift(base(batch, P, scale))  # type: ignore[arg-type]


DISTRIBUTIONS: dict[str, Row] = {
    "members": Row(members, None, endd.Members.of(size=4)),
    "point": Row(point, None, endd.Point),
    "tempered_point": Row(tempered, None, TemperedPoint),
    "lifted_normal": Row(lifted, "space", LiftedNormal),
    "diagonal_normal": Row(diagonal, "space", endd.DiagonalNormal),
    "full_normal": Row(full, "space", endd.FullNormal),
    "low_rank_normal": Row(low_rank, "space", endd.LowRankNormal.of(rank=2)),
    "modulo_shift_diagonal": Row(modulo(diagonal), "last logit fixed", endd.ModuloShift.of(endd.DiagonalNormal)),
    "modulo_shift_full": Row(modulo(full), "last logit fixed", endd.ModuloShift.of(endd.FullNormal)),
    "modulo_shift_low_rank": Row(modulo(low_rank), "last logit fixed", endd.ModuloShift.of(endd.LowRankNormal)),
    "dirichlet": Row(dirichlet, "simplex", endd.Dirichlet),
}


def make_v(distribution: str, family: str, batch: tuple[int, ...] = (), scale: float = 0.7) -> Distribution:
    """A v from the table for the parameters of a family from the table."""
    return DISTRIBUTIONS[distribution].make(batch, FAMILIES[family].num_parameters, scale)


def _valid(family: str, distribution: str) -> bool:
    if distribution in ("modulo_shift_diagonal", "dirichlet") and FAMILIES[family].num_parameters < 2:
        return False
    try:
        check_pair(FAMILIES[family], make_v(distribution, family))
    except TypeError:
        return False
    return True


PAIRS = [(family, v) for family in FAMILIES for v in DISTRIBUTIONS if _valid(family, v)]
DENSITY_PAIRS = [(family, v) for family, v in PAIRS if DISTRIBUTIONS[v].integrates_over is not None]
