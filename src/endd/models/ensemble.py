"""M networks that each say what y looks like."""

from collections.abc import Iterable
from typing import Any

import torch
from torch import Tensor, nn
from torch.distributions import Distribution

from endd._checks import check_option, check_parameters, describe
from endd._elementary import exporting
from endd.distributions import Members
from endd.families import Family
from endd.models.inputs import Output, as_arguments, count_rows, pick_output, to_model
from endd.models.model import Model
from endd.models.stacking import stackable, stacked_forward, worth_stacking
from endd.models.twin import InferenceTwin, in_training

STACKING = ("auto", "stacked", "loop")


class Ensemble(Model):
    """Any list of networks, equal or mixed, each with P outputs: x -> Members with z (M, B, P).

    modules: the networks; their weights are shared, not copied. family: what their outputs mean. output: which part
    of a network's output is z (a key, attribute, index or function) where it is no plain tensor. stacking: "auto"
    takes the faster of one stacked pass and a loop; "stacked" and "loop" insist. weights: (M,), equal by default.

    >>> import endd
    >>> ensemble = Ensemble([nn.Linear(3, 2) for _ in range(10)], endd.families.Gaussian())
    >>> ensemble(torch.randn(32, 3))
    Members(batch=(32,), P=2, M=10)
    """

    def __init__(
        self,
        modules: Iterable[nn.Module],
        family: Family,
        *,
        output: Output = None,
        stacking: str = "auto",
        weights: Tensor | None = None,
    ) -> None:
        super().__init__(family)
        check_option("stacking", stacking, STACKING)
        members = list(modules)
        for member in members:
            if not isinstance(member, nn.Module):
                raise TypeError(f"Expected a list of torch.nn.Modules, but one of them is {describe(member)}.")
        if not members:
            raise ValueError("Expected at least one network in `modules`, but got an empty list.")
        if stacking == "stacked" and not stackable(members):
            raise ValueError(
                "Expected two or more networks of the same class, settings and shapes for stacking='stacked', but got "
                "others. Use stacking='auto'."
            )
        self.members = nn.ModuleList(members)
        self.output, self.stacking, self.weights = output, stacking, weights
        self._twin = InferenceTwin()

    def __len__(self) -> int:
        return len(self.members)

    def forward(self, x: Any) -> Members:
        """The plain forward pass of every member, with gradients."""
        return self._as_members(self._run(list(self.members), x))

    def _inference(self, inputs: Any) -> tuple[Distribution, Tensor]:
        twin = self._twin.of(self.members)
        members = self._as_members(self._run(list(twin.children()), inputs))
        return members, members.atoms.movedim(0, -2)

    def _run(self, members: list[nn.Module], inputs: Any) -> Tensor:
        if self._stacks(members, inputs):
            return stacked_forward(members, inputs, self.output)
        outputs = []
        for member in members:  # each in its own precision
            arguments, named = as_arguments(to_model(inputs, member))
            outputs.append(pick_output(member(*arguments, **named), self.output))
        if any(z.shape != outputs[0].shape for z in outputs):
            shapes = sorted({tuple(z.shape) for z in outputs})
            raise ValueError(
                f"Expected outputs of one shape from all members, but got {shapes}. Every "
                f"network needs {self.family.num_parameters} outputs."
            )
        return torch.stack(outputs)

    def _stacks(self, members: list[nn.Module], inputs: Any) -> bool:
        """Training-mode members loop: batch norm updates and dropout belong to each one alone."""
        if self.stacking == "loop" or any(in_training(member) for member in members):
            return False
        if self.stacking == "stacked" or exporting():  # a graph does not know how many rows it will get
            return self.stacking == "stacked"
        device = next((p.device for p in self.members.parameters()), torch.device("cpu"))
        return worth_stacking(members, device, count_rows(inputs)) and stackable(members)

    def _as_members(self, z: Tensor) -> Members:
        check_parameters(z, self.family.num_parameters, self.family)
        return Members(z, self.weights)
