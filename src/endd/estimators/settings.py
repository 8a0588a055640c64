"""How the estimators train unless told otherwise: one set of settings for tables of every size."""

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Settings:
    """Budgets are in steps, so that small and large tables train about as long.

    member_steps, student_steps, class_student_steps: gradient steps of each, unless that makes more than `few_epochs`
    and two for every row of the table: a tiny table is learnt in no time. A step of a student of classes is dearer.
    batches, least_batch, largest_batch: an epoch has about `batches` of them. member_decay, class_decay: weight decay
    of members for numbers and for classes, where without it logits go too far out for a student to follow. patience:
    the part of training that a member waits for a better validation loss. least_validation, largest_validation: rows
    that early stopping takes at least, but no more than the part `most_of_few` of a tiny table, and at most.

    pool_views, pool_rows: the student's inputs are so many versions of each row, fewer where these would be more than
    `pool_rows`. pool_mix: the part of them that is mixed with another row. pool_noise: the deviation of noise on them.
    class_mean_weight: for classes, how much the members' mean prediction counts against their distribution
    (`mean_and_spread`). class_epistemic_weight: how much the size of their disagreement counts for every part of the
    mean. class_points: at how many points of a student's v the two are looked at.
    student_width: the student's layers, as a multiple of the members'.
    """

    activation: str = "silu"
    member_steps: int = 3000
    member_decay: float = 1e-5
    class_decay: float = 1e-3
    student_steps: int = 10_000
    class_student_steps: int = 6000
    student_decay: float = 0.0
    student_width: float = 2.0
    student_batch: int = 128
    few_epochs: int = 60
    batches: int = 50
    least_batch: int = 32
    largest_batch: int = 1024
    clip: float = 10.0
    patience: float = 0.25
    least_validation: int = 10
    most_of_few: float = 0.2
    largest_validation: int = 10_000
    pool_rows: int = 200_000
    pool_views: int = 8
    pool_mix: float = 0.3
    pool_noise: float = 0.0
    class_mean_weight: float = 0.5
    class_epistemic_weight: float = 6.0
    class_points: int = 64

    def batch_size(self, rows: int) -> int:
        """A power of two that grows with the table."""
        size = max(rows // self.batches, 1)
        return min(max(1 << (size - 1).bit_length(), self.least_batch), self.largest_batch)

    def epochs(self, rows: int, batch_size: int, steps: int, table_rows: int) -> int:
        """As many epochs over so many rows as `steps` make, fewer for a tiny table."""
        per_epoch = -(-rows // min(batch_size, rows))
        return min(max(-(-steps // per_epoch), 1), self.few_epochs + 2 * table_rows)

    def views(self, rows: int) -> int:
        """How many versions of each row the student sees."""
        return min(max(self.pool_rows // rows, 1), self.pool_views)

    def validation_rows(self, rows: int, fraction: float) -> int:
        """How many rows each member holds out. On few rows it overfits soonest, so these go without it least of all."""
        least = min(self.least_validation, int(self.most_of_few * rows))
        return min(max(round(fraction * rows), least), self.largest_validation)

    def member_options(
        self, rows: int, batch_size: int, epochs: int | None, *, validation: bool, classes: bool
    ) -> dict[str, Any]:
        """Options of `fit_ensemble`."""
        epochs = epochs or self.epochs(rows, batch_size, self.member_steps, rows)
        patience = max(round(self.patience * epochs), 1) if validation else None
        decay = self.class_decay if classes else self.member_decay
        return {"epochs": epochs, "weight_decay": decay, "clip": self.clip, "patience": patience}

    def student_options(
        self, pool_rows: int, batch_size: int, epochs: int | None, *, table_rows: int, classes: bool
    ) -> dict[str, Any]:
        """Options of `distill`, for a pool of rows that a table was made into."""
        steps = self.class_student_steps if classes else self.student_steps
        epochs = epochs or self.epochs(pool_rows, batch_size, steps, table_rows)
        return {"epochs": epochs, "weight_decay": self.student_decay, "clip": self.clip}


SETTINGS = Settings()
