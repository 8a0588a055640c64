"""What members learn: labelled data, each in an order of its own."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

import torch
from torch import Tensor, nn

from endd.families import Family
from endd.training.losses import Loss
from endd.training.tables import Order, map_tensors
from endd.training.task import Task

#: (inputs (J, B, ...), generator) -> inputs of the same shape, each batch of each member changed in a way of its own.
Augmentation = Callable[[Any, torch.Generator], Any]
#: (network) -> a number that is added to its loss, with gradients to its parameters; run under torch.vmap.
Penalty = Callable[[nn.Module], Tensor]


@dataclass
class MemberTask(Task):
    """Members learn labelled data, each in an order of its own."""

    family: Family
    loss_function: Loss
    x: Any
    y: Tensor
    order: Order
    validation: tuple[Any, ...] | None = None  # (x, y), with weights where there are any
    own_validation: bool = False  # whether each member has its own
    adversarial: float | None = None
    names: Sequence[str] = ()
    weights: Tensor | None = None  # (jobs, N)
    augment: Augmentation | None = None
    penalty: Penalty | None = None

    def on(self, device: torch.device) -> Self:
        """The same task with its data on a device."""
        for name in ("x", "y", "weights", "validation"):
            data = getattr(self, name)
            setattr(self, name, None if data is None else map_tensors(lambda t: t.to(device), data))
        return self

    def name(self, track: int) -> str:
        """The member's number, and whose member it is where there are several ensembles."""
        return self.names[track]

    def steps_per_epoch(self) -> int:
        """Batches an epoch."""
        return self.order.steps()

    def batches(self, epoch: int, generator: torch.Generator) -> Iterator[Any]:
        """(x, y) for every track, with weights where there are any."""
        tables = (self.x, self.y) if self.weights is None else (self.x, self.y, self.weights)
        for x, *rest in self.order.batches(tables, generator):
            yield x if self.augment is None else self.augment(x, generator), *rest

    def loss(self, stack: nn.Module, batch: Any, epoch: int) -> Tensor:
        """The mean loss of each member, and its penalty where there is one."""
        losses = self._data_loss(stack, batch)
        return losses if self.penalty is None else losses + stack.of_each(self.penalty)  # type: ignore[operator]

    def _data_loss(self, stack: nn.Module, batch: Any) -> Tensor:
        """The mean loss of each member; with adversarial examples, half of it on those."""
        x, y, *weights = batch
        if self.adversarial is None:
            return self._losses(stack, x, y, *weights)
        x = x.detach().requires_grad_()
        plain = self._losses(stack, x, y, *weights)
        (slope,) = torch.autograd.grad(plain.sum(), x, retain_graph=True)
        nearby = x.detach() + self.adversarial * self._range * slope.sign()
        return (plain + self._losses(stack, nearby, y, *weights)) / 2

    @cached_property
    def _range(self) -> Tensor:
        """The range of each input over the training data: the unit of adversarial steps."""
        flat: Tensor = self.x.flatten(0, 1)
        return (flat.amax(0) - flat.amin(0)).detach()

    def _losses(self, stack: nn.Module, x: Any, y: Tensor, weights: Tensor | None = None) -> Tensor:
        z = stack(x)
        losses = self.loss_function(self.family, z, y)
        if losses.shape != z.shape[:-1]:
            raise ValueError(
                f"Expected a loss for each example, {tuple(z.shape[:-1])}, but got {tuple(losses.shape)}. Leave the "
                "mean to the loop."
            )
        return (losses if weights is None else losses * weights).mean(1)

    def validate(self, stack: nn.Module) -> Tensor | None:
        """The loss on held-out data."""
        if self.validation is None:
            return None
        parts: Any = self.validation
        if not self.own_validation:
            parts = map_tensors(lambda t: t[self.order.job_of_track.to(t.device)], parts)
        return self._losses(stack, *parts)
