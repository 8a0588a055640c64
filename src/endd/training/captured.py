"""Work on a GPU as a CUDA graph: thousands of kernels started as one, so that the GPU never waits for Python."""

from collections.abc import Callable
from typing import Any

import torch

from endd.training.tables import map_tensors, tensors_of

# Steps on batches of a new shape that run as they are, on the side: libraries choose and load their kernels then.
WARM_STEPS = 3


class CapturedStep:
    """Takes steps, of training or of anything else, by replaying a recording of one.

    step: batch -> a nest of tensors, such as losses, made of work on the GPU alone; whatever it changes it changes in
    place. The first steps on batches of a shape run as they are; the next one is recorded, and from then on replayed on
    memory of its own that each batch is copied into, and that the next replay overwrites. A step that cannot be
    recorded (one that looks at its data) always runs as it is.
    """

    def __init__(self, step: Callable[[Any], Any]) -> None:
        self._step, self._side = step, torch.cuda.Stream()
        self._graphs: dict[Any, tuple[torch.cuda.CUDAGraph, Any, Any]] = {}
        self._warm: dict[Any, int] = {}
        self._stage: Any = None
        self.refused: str | None = None

    def __call__(self, batch: Any, stage: Any = None) -> Any:
        """What the step gives for a batch. stage: what else a recording depends on; a change forgets them all."""
        if stage != self._stage:
            self._graphs.clear()
            self._stage = stage
        shape = _shape_of(batch)
        if shape not in self._graphs and not self._record(shape, batch):
            return self._aside(batch)
        graph, inputs, result = self._graphs[shape]
        for kept, given in zip(tensors_of(inputs), tensors_of(batch), strict=True):
            kept.copy_(given)
        graph.replay()
        return result

    def _record(self, shape: Any, batch: Any) -> bool:
        """Record the step, if batches of this shape are warm and it can be recorded."""
        self._warm[shape] = self._warm.get(shape, 0) + 1
        if self.refused is not None or self._warm[shape] <= WARM_STEPS:
            return False
        inputs = map_tensors(torch.clone, batch)
        graph = torch.cuda.CUDAGraph()
        try:
            # what other threads do meanwhile is none of its business
            with torch.cuda.graph(graph, capture_error_mode="thread_local"):
                result = self._step(inputs)
        except RuntimeError as error:
            # what ends a failed recording says less than what made it fail
            self.refused = str(error.__context__ or error).splitlines()[0]
            return False
        self._graphs[shape] = graph, inputs, result
        return True

    def _aside(self, batch: Any) -> Any:
        """The step as it is, on a stream of its own, as what is recorded later must not depend on the main one."""
        self._side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(self._side):
            result = self._step(batch)
        torch.cuda.current_stream().wait_stream(self._side)
        return result


def _shape_of(nest: Any) -> Any:
    return tuple((tuple(tensor.shape), tensor.dtype) for tensor in tensors_of(nest))
