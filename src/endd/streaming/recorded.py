"""Answers as fast as a GPU gives them: the whole of a prediction, replayed as one recording."""

import threading
from itertools import chain
from typing import Any, NamedTuple

import torch
from torch import Tensor

from endd.models import Model, Prediction
from endd.models.inputs import to_model
from endd.training.captured import CapturedStep
from endd.training.tables import first_tensor, map_tensors, tensors_of

# Rows answered at once; more of them come in parts.
MOST_ROWS = 4096


class Answer(NamedTuple):
    """What a model says about each input: the class probabilities or the mean, and its uncertainty in three numbers."""

    prediction: Tensor
    total: Tensor
    aleatoric: Tensor
    epistemic: Tensor


class Recorded:
    """A model of which only the answers are wanted, many times: x -> Answer.

    A student's answer takes some hundred small kernels, and Python is slower to start them than a GPU to run them. On
    a GPU they are recorded as CUDA graphs, one for every power of two of rows (a batch in between is filled up), and
    replayed; NaN in, NaN out. On a CPU, and for a model that cannot be recorded, they run as they are. Calls from
    several threads wait for each other. Weights that change in place count at once.

    >>> import endd
    >>> student = endd.Student(torch.nn.Linear(3, 60), endd.families.Categorical(10))
    >>> Recorded(student)(torch.randn(32, 3)).prediction.shape
    torch.Size([32, 10])
    """

    def __init__(self, model: Model) -> None:
        self.model = model
        self._lock = threading.Lock()
        self._replay: CapturedStep | None = None

    def __call__(self, x: Any) -> Answer:
        """The answer for a batch of inputs: a tensor, an array, or a dict or tuple of them."""
        x = to_model(x, self.model)
        rows = len(first_tensor(x))
        parts = [
            self._part(map_tensors(lambda tensor, at=start: tensor[at : at + MOST_ROWS], x))  # type: ignore[misc]
            for start in range(0, rows, MOST_ROWS)
        ]
        return parts[0] if len(parts) == 1 else Answer(*map(torch.cat, zip(*parts, strict=True)))

    @torch.no_grad()
    def _part(self, x: Any) -> Answer:
        if not all(tensor.is_cuda for tensor in tensors_of(x)):
            return self._answer(x)
        rows = len(first_tensor(x))
        size = 1 << (rows - 1).bit_length()
        full = map_tensors(lambda tensor: _filled_up(tensor, size), x)
        with self._lock:
            self._replay = self._replay or CapturedStep(self._answer)
            # a recording reads the weights where they lay
            weights = [tensor.data_ptr() for tensor in chain(self.model.parameters(), self.model.buffers())]
            said = self._replay(full, weights)
            return Answer(*(tensor[:rows].clone() for tensor in said))

    def _answer(self, x: Any) -> Answer:
        # without the look for NaN that `predict` takes: it would make the GPU wait
        prediction = Prediction(self.model.family, self.model._inference(x)[0])
        classes = self.model.family.default_measure == "entropy"
        parts = prediction.decompose()
        return Answer(prediction.probs if classes else prediction.mean, parts.total, parts.aleatoric, parts.epistemic)


def _filled_up(tensor: Tensor, size: int) -> Tensor:
    """`size` rows: those of the tensor, and its last one as often as it takes."""
    return torch.cat([tensor, tensor[-1:].expand(size - len(tensor), *tensor.shape[1:])])
