"""Does a student's uncertainty agree with its teacher's: in order, in size, and in which rows to reject?

>>> teacher = torch.tensor([0.1, 0.2, 0.4, 0.3])
>>> spearman(teacher, 2 * teacher), mean_ratio(teacher, 2 * teacher)
(tensor(1.), tensor(2.))
>>> rejection_overlap(teacher, teacher.roll(1), fraction=0.5)
tensor(0.5000)
"""

import math
from collections.abc import Mapping

import torch
from jaxtyping import Float
from torch import Tensor

from endd.metrics._inputs import double_rows, restore
from endd.metrics._ranks import inclusion, mid_ranks

NAMES = ("total", "aleatoric", "epistemic")
REJECTED = (1, 5, 10, 20)  # per cent


def spearman(a: Float[Tensor, "B"], b: Float[Tensor, "B"]) -> Float[Tensor, ""]:
    """Spearman's rank correlation: Pearson's correlation of the mid-ranks of a and b, both (B,).

    Where a or b is constant (or B = 1) there is no order to agree on: the result is 0, never NaN.
    """
    first, second = (ranks - ranks.mean() for ranks in map(mid_ranks, double_rows(a=a, b=b)))
    scale = first.square().sum().sqrt() * second.square().sum().sqrt()
    correlation = (first * second).sum() / scale if bool(scale > 0) else torch.zeros_like(scale)
    return restore(correlation.clamp(-1, 1), a, b)


def mean_ratio(teacher: Float[Tensor, "B"], student: Float[Tensor, "B"]) -> Float[Tensor, ""]:
    """mean(student) / mean(teacher), both (B,): 1 is ideal, above 1 the student is too uncertain.

    Equal means, 0 and infinity included, have the ratio 1.
    """
    t, s = double_rows(teacher=teacher, student=student)
    return restore(_ratio(t.mean(), s.mean()), teacher, student)


def median_ratio(teacher: Float[Tensor, "B"], student: Float[Tensor, "B"]) -> Float[Tensor, ""]:
    """Median over rows of student / teacher, both (B,); a few rows of large uncertainty cannot carry it.

    Rows with teacher = 0 have no ratio and are left out; if none is left, the ratio of the means is given.
    """
    t, s = double_rows(teacher=teacher, student=student)
    ratios = _ratio(t, s)[t != 0].sort().values
    n = len(ratios)
    middle = (ratios[(n - 1) // 2] + ratios[n // 2]) / 2 if n else _ratio(t.mean(), s.mean())
    return restore(middle, teacher, student)


def rejection_overlap(
    teacher_epistemic: Float[Tensor, "B"], student_epistemic: Float[Tensor, "B"], fraction: float = 0.10
) -> Float[Tensor, ""]:
    """Share of the teacher's n = ceil(fraction B) most epistemic rows that are among the student's n too.

    Shapes: both (B,). By chance alone it is n / B. Ties at either threshold: the expectation when each side
    breaks its ties at random, on its own; so a teacher with ties there does not fully overlap with itself.
    """
    teacher, student = double_rows(teacher_epistemic=teacher_epistemic, student_epistemic=student_epistemic)
    if not 0 < fraction <= 1:
        raise ValueError(f"Expected `fraction` above 0 and up to 1, but got {fraction!r}. For 10 % give 0.10.")
    # 0.1 * 30 is a little above 3 in floating point; that must not become 4 rows.
    count = max(1, math.ceil(fraction * len(teacher) - 1e-9))
    shared = (inclusion(teacher, count) * inclusion(student, count)).sum() / count
    return restore(shared, teacher_epistemic, student_epistemic)


def agreement(teacher: Mapping[str, Tensor], student: Mapping[str, Tensor]) -> dict[str, float]:
    """All of the above for every uncertainty, each (B,), that both sides name.

    For "total", "aleatoric" and "epistemic": `{name}_spearman`, `{name}_ratio` (of the means) and
    `{name}_ratio_median`; from "epistemic" also `rejection_overlap@1`, `@5`, `@10` and `@20` (per cent).
    """
    common = [name for name in NAMES if name in teacher and name in student]
    if not common:
        raise ValueError(
            f"Expected one of {', '.join(NAMES)} in both mappings, but got {[*teacher]} and {[*student]}. "
            "Give the fields of endd.decompose by name."
        )
    result: dict[str, Tensor] = {}
    for name in common:
        pair = teacher[name], student[name]
        result[f"{name}_spearman"] = spearman(*pair)
        result[f"{name}_ratio"] = mean_ratio(*pair)
        result[f"{name}_ratio_median"] = median_ratio(*pair)
        if name == "epistemic":
            result |= {f"rejection_overlap@{n}": rejection_overlap(*pair, n / 100) for n in REJECTED}
    return {metric: value.item() for metric, value in result.items()}


def _ratio(teacher: Tensor, student: Tensor) -> Tensor:
    return torch.where(student == teacher, 1.0, student / teacher)
