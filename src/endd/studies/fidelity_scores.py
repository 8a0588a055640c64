"""Scores of a teacher and its student, their agreement, and how much all of them move with the rows."""

from collections.abc import Mapping

import numpy as np
import torch
from torch import Tensor

from endd import metrics
from endd.studies.evaluation import class_scores
from endd.studies.fidelity_rows import PARTS, STUDENT, TEACHER, Rows, drawn_rows, errors

# Rows that a resampling looks at, at most; the level of all intervals.
RESAMPLED, LEVEL = 5000, 0.95

Numbers = dict[str, float]


def numbers_of(rows: Mapping[str, Rows], y: Tensor | None) -> dict[str, Numbers]:
    """Scores of both where there are labels, and the student's agreement with its teacher."""
    found = {model: {} if y is None else scores_of(own, y) for model, own in rows.items()}
    found[STUDENT] |= agreement_of(rows[TEACHER], rows[STUDENT])
    return found


def scores_of(rows: Rows, y: Tensor) -> Numbers:
    """How good predictions are, how calibrated, and how well the total uncertainty ranks them."""
    error = errors(rows, y)
    if "probs" in rows:
        found = class_scores(rows["probs"], rows["log_prob"], rows["total"], y)
        return found | {"ause": metrics.ause(error, rows["total"], by="mae").item()}
    scores = {
        "rmse": metrics.rmse(rows["mean"], y.to(rows["mean"])),
        "nll": metrics.nll(rows["log_prob"]),
        "aurc": metrics.aurc(error.square(), rows["total"]),
        "ause": metrics.ause(error, rows["total"]),
    }
    if "cdf" in rows:
        scores["calibration_error"] = metrics.calibration_error_quantile(rows["cdf"])
    return {name: value.item() for name, value in scores.items()}


def agreement_of(teacher: Rows, student: Rows) -> Numbers:
    """How far the student's predictive is from its teacher's, and whether each uncertainty has its order and size."""
    found = {"kl_teacher": student["kl"].mean()}
    for part in PARTS:
        found[f"{part}_spearman"] = metrics.spearman(teacher[part], student[part])
        found[f"{part}_ratio"] = metrics.mean_ratio(teacher[part], student[part])
    found["rejection_overlap@10"] = metrics.rejection_overlap(teacher["epistemic"], student["epistemic"], 0.10)
    return {name: value.item() for name, value in found.items()}


def resampled_places(count: int, resamples: int, seed: int) -> list[Tensor]:
    """Rows drawn with replacement, again and again."""
    generator = torch.Generator().manual_seed(seed)
    return [torch.randint(count, (min(count, RESAMPLED),), generator=generator) for _ in range(resamples)]


def resampled_numbers(rows: dict[str, Rows], y: Tensor | None, places: list[Tensor]) -> list[dict[str, Numbers]]:
    """The numbers on each draw of the rows."""
    return [numbers_of(drawn_rows(rows, some), None if y is None else y[some.to(y.device)]) for some in places]


def intervals(spread: list[dict[str, Numbers]], model: str) -> dict[str, list[float]]:
    """Ends of the interval of each number."""
    return {name: ends([each[model][name] for each in spread]) for name in (spread[0][model] if spread else ())}


def differences(spread: list[dict[str, Numbers]]) -> dict[str, list[float]]:
    """Ends of the interval of student minus teacher, paired."""
    shared = [name for name in spread[0][TEACHER] if name in spread[0][STUDENT]] if spread else []
    return {name: ends([each[STUDENT][name] - each[TEACHER][name] for each in spread]) for name in shared}


def ends(values: list[float]) -> list[float]:
    """The middle 95 % of values."""
    outside = (1 - LEVEL) / 2
    low, high = np.quantile(values, [outside, 1 - outside])
    return [float(low), float(high)]
