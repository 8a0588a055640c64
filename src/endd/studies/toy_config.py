"""Settings of the toy study: one frozen dataclass, and the two presets that have a name."""

from dataclasses import dataclass, replace
from typing import Any

from endd._checks import check_option
from endd.studies.settings import Settings
from endd.training import Recipe

#: How the paper trains members, and how both presets do.
MEMBER = Recipe(epochs=150, batch_size=32, learning_rate=1e-3, schedule="constant")
#: How a student trains until it has learnt. Where members agree the likelihood is steep, hence the clipping.
STUDENT = Recipe(epochs=2000, batch_size=256, learning_rate=1e-2, clip=10.0)
SWEEP = replace(STUDENT, epochs=500)
#: The student's normal over z.
FORMS = ("full", "diagonal")


@dataclass(frozen=True)
class Config(Settings):
    """Settings of the study; `PRESETS` holds the two that have a name.

    seeds, first_seed: how many repeats, from which. together: repeats that train side by side, as one stacked run; it
    decides on the order of batches. v: the student's normal over z, "full" or "diagonal". samples:
    inputs x ~ U[-5, 5] that a student learns from. teacher, student: how they train. sweep: how the students of
    every trade-off weight train. labelled: whether there is a student that learns labels too. label_weight: of the
    likelihood of the labelled data.
    """

    seeds: int = 20
    together: int = 20
    members: int = 10
    hidden: tuple[int, ...] = (10,)
    student_hidden: tuple[int, ...] = (10, 10)
    student_activation: str = "silu"
    train_points: int = 1000
    test_points: int = 2000
    v: str = "full"
    samples: int = 2048
    teacher: Recipe = MEMBER
    student: Recipe = STUDENT
    sweep: Recipe = SWEEP
    weights: tuple[float, ...] = (0.0, 0.25, 0.5, 0.75, 1.0)
    labelled: bool = True
    label_weight: float = 1.0

    def __post_init__(self) -> None:
        super().__post_init__()
        self.check_at_least(1, "members", "together", "train_points", "test_points", "samples")
        check_option("v", self.v, FORMS)

    def smoke(self) -> "Config":
        """The same study in a second or two: two seeds, few points and epochs; its numbers mean nothing."""
        small: dict[str, Any] = {"members": 3, "train_points": 64, "test_points": 50, "samples": 64}
        for name in ("teacher", "student", "sweep"):
            small[name] = replace(getattr(self, name), epochs=2)
        return replace(self, seeds=2, weights=(0.0, 0.5), **small)


_PAPER = replace(MEMBER, epochs=30)
#: Members and the sizes of all networks are the paper's in both. "paper" is its text: a student of thirty epochs at a
#: constant rate and a diagonal normal. "converged" trains it until it has learnt, with a smooth activation, larger
#: batches and a full covariance.
PRESETS = {
    "converged": Config(),
    "paper": Config("paper", student_activation="relu", v="diagonal", samples=1000, student=_PAPER, sweep=_PAPER),
}
