"""The students of the CIFAR-10 study: what each says and how it learns to."""

from dataclasses import dataclass

from endd.distributions import (
    DiagonalNormal,
    Dirichlet,
    Form,
    LiftedNormal,
    LowRankNormal,
    ModuloShift,
    Point,
    TemperedPoint,
)
from endd.families import Categorical
from endd.models import Student, num_outputs
from endd.nn import ResNet
from endd.objectives import (
    DirichletDistillation,
    MixtureDistillation,
    Objective,
    mean_and_spread,
)
from endd.objectives.dirichlet import Annealing
from endd.studies.cifar10_config import Config

CLASSES = 10
FAMILY = Categorical(CLASSES)
#: The paper's form: K - 1 logits against the last class.
PAPER_FAMILY = Categorical(CLASSES, reference=CLASSES - 1)
#: Of these the better one on validation images is "distilled".
CANDIDATES = ("distilled_diagonal", "distilled_low_rank")


@dataclass(frozen=True)
class Method:
    """A kind of student: a family, its v, and an objective."""

    family: Categorical
    form: Form
    objective: Objective

    def student(self, config: Config) -> Student:
        """A new one, under the global generator."""
        net = ResNet(config.depth, num_outputs(self.family, self.form), config.width)
        return Student(net, self.family, self.form)


def methods(config: Config) -> dict[str, Method]:
    """All students by name; those over all K logits come first, as `distill_many` wants it."""
    both = mean_and_spread(FAMILY, config.mean_weight)
    dirichlet = DirichletDistillation(annealing=Annealing(hold=config.hold))
    low_rank = LowRankNormal.of(rank=config.rank)
    return {
        "mixture": Method(FAMILY, Point, MixtureDistillation(FAMILY, config.temperature)),
        "temperature_control": Method(FAMILY, TemperedPoint, MixtureDistillation(FAMILY)),
        "dirichlet": Method(FAMILY, Dirichlet, dirichlet),
        "distilled_diagonal": Method(FAMILY, ModuloShift.of(DiagonalNormal), both),
        "distilled_low_rank": Method(FAMILY, ModuloShift.of(low_rank), both),
        "distilled_paper": Method(PAPER_FAMILY, LiftedNormal, mean_and_spread(PAPER_FAMILY, 0.0)),
    }
