"""A student beside its teacher: did it keep what the ensemble gained over a single network?"""

from collections.abc import Callable
from typing import Any

from torch import Tensor

from endd.metrics import spearman
from endd.models import Ensemble, Prediction, Student

#: (prediction, y) -> numbers by name.
Scores = Callable[[Prediction, Tensor], dict[str, float]]


def compare(ensemble: Ensemble, student: Student, x: Any, y: Tensor, scores: Scores) -> dict[str, dict[str, float]]:
    """Scores on (x, y) of a single network (the mean over members), of the ensemble and of its student.

    The student's row also says how its epistemic part ranks the inputs beside the ensemble's (Spearman's correlation).

    >>> import torch, endd
    >>> nll = lambda prediction, y: {"nll": float(-prediction.log_prob(y).mean())}
    >>> family, net = endd.families.Gaussian(), torch.nn.Linear(3, 2)
    >>> student = endd.Student(torch.nn.Linear(3, 5), family)
    >>> table = compare(endd.Ensemble([net, net], family), student, torch.rand(8, 3), torch.rand(8), nll)
    >>> table["single"] == table["ensemble"]
    True
    """
    members = [Ensemble([member], ensemble.family, output=ensemble.output) for member in ensemble.members]
    singles = [scores(member.predict(x), y) for member in members]
    teacher, pupil = ensemble.predict(x), student.predict(x)
    return {
        "single": {name: sum(one[name] for one in singles) / len(singles) for name in singles[0]},
        "ensemble": scores(teacher, y),
        "student": {**scores(pupil, y), "epistemic_spearman": float(spearman(teacher.epistemic, pupil.epistemic))},
    }
