"""Settings of the UCI study: one frozen dataclass, the same for every data set, and the two presets with a name."""

from dataclasses import dataclass, replace
from typing import Any

from endd._checks import check_option
from endd.data.uci import NAMES, PROTOCOLS
from endd.studies.settings import Settings
from endd.training import Recipe
from endd.training.losses import LOSSES

TEACHER = Recipe(batch_size=32, learning_rate=1e-2)
#: Where members agree the likelihood of their z is steep, hence the clipping.
STUDENT = Recipe(batch_size=256, learning_rate=2e-2, clip=10.0)


@dataclass(frozen=True)
class Config(Settings):
    """Settings of the study; `PRESETS` holds the two that have a name. None of them knows the data set.

    splits: "kfold5" or "published20". datasets: by name. seeds, first_seed: how many times over all splits, with other
    weights and other folds. together: splits that train side by side, as one stacked run; it decides on the order of
    batches. hidden, student_hidden: the sizes of members and students. min_variance: of the members'
    noise, in standardised units. loss: of the members. adversarial: see `fit_ensemble`. validation: the share of the
    training part that each member holds out, another part each, to choose its best epoch by; 0 keeps the last.
    teacher, student: how they train; with teacher_steps or student_steps the number of epochs follows from that and
    from the rows. student_validation: the share of inputs held out for the choice of each student's best epoch.

    Students learn at the training inputs and at further versions of them, `pool` or more in all: a part `swap` of them
    has one column from another row, `noise` is added, in standard deviations, and a part `mix` of them is mixed with
    another row. mean_weight: how much the mean and
    variance of the members' prediction count against their distribution (see `mean_and_spread`).
    """

    splits: str = "kfold5"
    datasets: tuple[str, ...] = NAMES
    together: int = 20
    members: int = 10
    hidden: tuple[int, ...] = (50,)
    activation: str = "relu"
    student_hidden: tuple[int, ...] = (75,)
    student_activation: str = "relu_gelu"
    min_variance: float = 1e-6
    loss: str = "nll"
    adversarial: float | None = None
    validation: float = 0.1
    teacher: Recipe = TEACHER
    teacher_steps: int | None = 8000
    student: Recipe = STUDENT
    student_steps: int | None = 30_000
    student_validation: float = 0.0
    pool: int = 30_000
    noise: float = 0.1
    mix: float = 0.0
    swap: float = 0.2
    mean_weight: float = 0.7

    def __post_init__(self) -> None:
        super().__post_init__()
        check_option("splits", self.splits, PROTOCOLS)
        check_option("loss", self.loss, LOSSES)
        self.check_at_least(1, "members", "together")
        self.check_at_least(0, "pool", "noise", "mix", "swap", "mean_weight")
        for name in ("validation", "student_validation"):
            if not 0 <= getattr(self, name) < 1:
                raise ValueError(f"Expected `{name}` from 0 to below 1, but got {getattr(self, name)}.")
        if not self.datasets or len(set(self.datasets)) < len(self.datasets):
            raise ValueError(f"Expected `datasets` to name each of them once, but got {self.datasets}.")

    def smoke(self) -> "Config":
        """The same study in seconds: few members and epochs; its numbers mean nothing."""
        short: dict[str, Any] = {name: replace(getattr(self, name), epochs=2) for name in ("teacher", "student")}
        return replace(self, members=3, teacher_steps=None, student_steps=None, pool=min(self.pool, 150), **short)


_PAPER = Recipe(epochs=40, batch_size=100, learning_rate=1e-3, schedule="constant")
#: Sizes of all networks are the paper's in both. "paper" is its text: members as in Deep Ensembles (2017), students of
#: thirty epochs at a constant rate. "converged" trains both until they have learnt.
PRESETS = {
    "converged": Config(),
    "paper": Config(
        "paper",
        student_activation="relu",
        validation=0.0,
        teacher=_PAPER,
        teacher_steps=None,
        student=replace(_PAPER, epochs=30),
        student_steps=None,
        pool=0,
        mean_weight=0.0,
    ),
}
