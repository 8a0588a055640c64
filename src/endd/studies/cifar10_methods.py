"""The students of the CIFAR-10 study: what each says and how it learns to."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

from torch import nn

from endd.distributions import (
    DiagonalNormal,
    Dirichlet,
    Form,
    LiftedNormal,
    LowRankNormal,
    Members,
    ModuloShift,
    Point,
    TemperedPoint,
)
from endd.families import Categorical
from endd.models import Student
from endd.nn import DenseNet, ResNet
from endd.objectives import (
    DirichletDistillation,
    EpistemicDistillation,
    HydraDistillation,
    MixtureDistillation,
    Objective,
    ProxyDirichletDistillation,
    mean_and_spread,
)
from endd.objectives.dirichlet import Annealing
from endd.studies.cifar10_config import Config
from endd.studies.method import Head, Method

CLASSES = 10
FAMILY = Categorical(CLASSES)
#: The paper's form: K - 1 logits against the last class.
PAPER_FAMILY = Categorical(CLASSES, reference=CLASSES - 1)
#: Of these the better one on validation images is "distilled".
CANDIDATES = ("distilled_diagonal", "distilled_low_rank")


def residual(config: Config, outputs: int) -> nn.Module:
    """A network as the members are."""
    return ResNet(config.depth, outputs, config.width)


def symmetric(config: Config, outputs: int) -> nn.Module:
    """One that also looks at the mirror image: as many parameters, twice the multiply-adds."""
    return ResNet(config.depth, outputs, config.width, symmetric=True)


def dense(config: Config, outputs: int) -> nn.Module:
    """One that makes more of as many parameters."""
    return DenseNet(config.dense_layers, config.dense_growth, outputs)


@dataclass(frozen=True)
class Kind:
    """A kind of student: a family, its v, how it learns and, if it has its own, its head; network: what is below."""

    family: Categorical
    form: Form
    objective: Objective
    head: Head | None = None
    network: Callable[[Config, int], nn.Module] = residual

    def student(self, config: Config) -> Student:
        """A new one, under the global generator."""

        method = Method(self.objective, self.form, self.head)
        return method.student(partial(self.network, config), self.family, self.form, features_of(config))


def features_of(config: Config) -> int:
    """Of a ResNet: as many as its last stage has channels."""
    return 4 * config.width


def methods(config: Config) -> dict[str, Kind]:
    """All students by name."""
    return {name: kind for group in students(config).values() for name, kind in group.items()}


def students(config: Config) -> dict[str, dict[str, Kind]]:
    """Students by group and name; in a group those over all K logits come first, as `distill_many` wants it."""
    both = mean_and_spread(FAMILY, config.mean_weight) + config.epistemic_weight * EpistemicDistillation(FAMILY)
    annealed = DirichletDistillation(annealing=Annealing(hold=config.hold))
    low_rank = Kind(FAMILY, ModuloShift.of(LowRankNormal.of(rank=config.rank)), both)
    return {
        "students": {
            "mixture": Kind(FAMILY, Point, MixtureDistillation(FAMILY, config.temperature)),
            "temperature_control": Kind(FAMILY, TemperedPoint, MixtureDistillation(FAMILY)),
            "dirichlet": Kind(FAMILY, Dirichlet, annealed),
            "distilled_diagonal": Kind(FAMILY, ModuloShift.of(DiagonalNormal), both),
            "distilled_low_rank": low_rank,
            "distilled_paper": Kind(PAPER_FAMILY, LiftedNormal, mean_and_spread(PAPER_FAMILY, 0.0)),
        },
        "rivals": {
            "hydra": Kind(FAMILY, Members.of(size=config.members), HydraDistillation(FAMILY)),
            "proxy_dirichlet": Kind(FAMILY, Dirichlet, ProxyDirichletDistillation()),
            "dirichlet_plain": Kind(FAMILY, Dirichlet, DirichletDistillation(smoothing=0.0)),
        },
        "dense": {"distilled_dense": replace(low_rank, network=dense)},
        "symmetric": {"distilled_symmetric": replace(low_rank, network=symmetric)},
        "long": {"distilled_long": low_rank},
        "warm": {"distilled_warm": low_rank},
        "outside": {"distilled_ood": low_rank},
        "late": {"distilled_late": low_rank},
    }
