"""Distributions v over the parameters z of a predictive family."""

from endd.distributions.atoms import Atoms
from endd.distributions.diagonal_normal import DiagonalNormal
from endd.distributions.dirichlet import Dirichlet
from endd.distributions.form import Configured, Form
from endd.distributions.full_normal import FullNormal
from endd.distributions.lifted_normal import LiftedNormal
from endd.distributions.low_rank_normal import LowRankNormal
from endd.distributions.members import Members
from endd.distributions.modulo_shift import ModuloShift
from endd.distributions.normal import MIN_SCALE, Normal
from endd.distributions.point import Point
from endd.distributions.tempered_point import TemperedPoint

__all__ = [
    "MIN_SCALE",
    "Atoms",
    "Configured",
    "DiagonalNormal",
    "Dirichlet",
    "Form",
    "FullNormal",
    "LiftedNormal",
    "LowRankNormal",
    "Members",
    "ModuloShift",
    "Normal",
    "Point",
    "TemperedPoint",
]
