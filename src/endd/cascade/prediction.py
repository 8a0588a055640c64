"""What a cascade says: row by row the answer of whoever gave it."""

from collections.abc import Callable

import torch
from torch import Tensor

from endd.families import Family
from endd.models import Prediction


class CascadePrediction:
    """Reads like a Prediction. student: of all rows; ensemble: of the rows `asked`, a mask (B,), or None.

    >>> import endd
    >>> family, z = endd.families.Gaussian(), torch.tensor([[0.0, 1.0], [0.0, 1.0]])
    >>> student, ensemble = Prediction(family, endd.Point(z)), Prediction(family, endd.Point(z[:1] + 3))
    >>> CascadePrediction(student, ensemble, torch.tensor([False, True])).mean
    tensor([0., 3.])
    """

    def __init__(self, student: Prediction, ensemble: Prediction | None, asked: Tensor) -> None:
        self.student, self.ensemble, self.asked = student, ensemble, asked

    @property
    def family(self) -> Family:
        """The student's."""
        return self.student.family

    def _merge(self, read: Callable[[Prediction], Tensor], row_dim: int = 0) -> Tensor:
        """A reading (..., B, ...) with the rows that were asked replaced."""
        answer = read(self.student)
        if self.ensemble is None:
            return answer
        rows = self.asked.nonzero().squeeze(-1).to(answer.device)
        return answer.index_copy(row_dim, rows, read(self.ensemble).to(answer))

    @property
    def mean(self) -> Tensor:
        """E[y]."""
        return self._merge(lambda prediction: prediction.mean)

    @property
    def variance(self) -> Tensor:
        """Var[y], of the shape of the mean."""
        return self._merge(lambda prediction: prediction.variance)

    @property
    def probs(self) -> Tensor:
        """The class probabilities (B, K), or the probability of each binary label."""
        return self._merge(lambda prediction: prediction.probs)

    @property
    def total(self) -> Tensor:
        """The total uncertainty by the family's default measure, (B,)."""
        return self._merge(lambda prediction: prediction.total)

    @property
    def aleatoric(self) -> Tensor:
        """The part that is noise in the data, (B,)."""
        return self._merge(lambda prediction: prediction.aleatoric)

    @property
    def epistemic(self) -> Tensor:
        """The part that is ignorance of whoever answered, (B,)."""
        return self._merge(lambda prediction: prediction.epistemic)

    def quantile(self, level: float | Tensor) -> Tensor:
        """The value that y stays below with probability `level`; a tensor of levels goes in front of the batch."""
        return self._merge(lambda prediction: prediction.quantile(level), row_dim=torch.as_tensor(level).ndim)

    def interval(self, level: float = 0.95) -> tuple[Tensor, Tensor]:
        """The central interval that holds y with probability `level`: (lower, upper)."""
        lower, upper = self._merge(lambda prediction: torch.stack(prediction.interval(level)), row_dim=1)
        return lower, upper

    def log_prob(self, y: Tensor) -> Tensor:
        """log q~(y) for targets y (B, ...)."""
        y = torch.as_tensor(y)
        answer = self.student.log_prob(y)
        if self.ensemble is None:
            return answer
        rows = self.asked.nonzero().squeeze(-1).to(answer.device)
        return answer.index_copy(0, rows, self.ensemble.log_prob(y.to(answer.device)[rows]).to(answer))

    def __len__(self) -> int:
        return len(self.student)

    def __repr__(self) -> str:
        return f"CascadePrediction({self.student.family}, {int(self.asked.sum())} of {len(self)} rows asked)"
