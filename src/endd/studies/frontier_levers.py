"""What a student can be taught with or without: each lever is the study with one setting changed."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from endd.studies.cifar10_config import Config as Study

#: Levers by name; those that change no pixels share what the members say about them, and come first.
#: Students are of the members' own width, and compared with "student_1", which has none of them.
LEVERS: dict[str, Callable[[Study], Study]] = {
    "lever_diagonal": lambda study: study,  # another v, see `form_of`
    "lever_no_mean": lambda study: replace(study, mean_weight=0.0),
    "lever_mean_0.9": lambda study: replace(study, mean_weight=0.9),
    "lever_no_epistemic": lambda study: replace(study, epistemic_weight=0.0),
    "lever_ema": lambda study: _student(study, ema=0.999),
    "lever_short": lambda study: _student(study, epochs=max(1, study.student.epochs // 3)),
    "lever_long": lambda study: _student(study, epochs=3 * study.student.epochs),
    # from here on with pixels of their own
    "lever_no_mixing": lambda study: replace(study, mix=0.0, patch=0.0),
    "lever_no_warp": lambda study: replace(study, warp=0.0),
    "lever_push": lambda study: replace(study, push=0.3),
}


def form_of(lever: str) -> str:
    """Which of the study's students a lever changes."""
    return "distilled_diagonal" if lever == "lever_diagonal" else "distilled_low_rank"


def _student(study: Study, **changes: Any) -> Study:
    return replace(study, student=replace(study.student, **changes))
