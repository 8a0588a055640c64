"""Settings of `endd fit`."""

from dataclasses import asdict, dataclass
from typing import Any

from endd._checks import check_option

TASKS = ("auto", "regression", "classification")


@dataclass(frozen=True)
class Config:
    """Which column of which table is learnt, and how.

    table: the name of the file. task: "auto" decides by what the target holds. members: networks of the ensemble.
    test_share: the part of the rows that is held out. drop: columns that are left out. strict: refuse values that
    training did not prepare for. epochs, student_epochs: None leaves them to the estimator.
    """

    table: str
    target: str
    task: str = "auto"
    members: int = 10
    test_share: float = 0.2
    seed: int = 0
    drop: tuple[str, ...] = ()
    strict: bool = False
    epochs: int | None = None
    student_epochs: int | None = None

    def __post_init__(self) -> None:
        check_option("task", self.task, TASKS)
        if not 0 < self.test_share < 1:
            raise ValueError(f"Expected a share of test rows between 0 and 1, but got {self.test_share}.")

    def as_plain(self) -> dict[str, Any]:
        """The settings in plain types, as they are written down."""
        return {name: list(value) if isinstance(value, tuple) else value for name, value in asdict(self).items()}
