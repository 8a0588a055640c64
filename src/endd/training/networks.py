"""What networks have to be like to learn, and to learn side by side."""

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor, nn

from endd.families import Family
from endd.models import Student
from endd.models.inputs import as_arguments, pick_output, through_head
from endd.models.stacking import stackable
from endd.models.twin import InferenceTwin
from endd.nn import MLP
from endd.nn.grouped import KNOWN
from endd.training.tables import first_tensor, map_tensors


class RawStudent(nn.Module):
    """A student's network and head as one module that gives raw numbers."""

    def __init__(self, student: Student) -> None:
        super().__init__()
        self.net, self.head, self.output = student.net, student.head, student.output

    def forward(self, *arguments: Any, **named: Any) -> Tensor:
        """Raw outputs."""
        return through_head(pick_output(self.net(*arguments, **named), self.output), self.head)


def network_of(student: Student) -> nn.Module:
    """A bare network of endd.nn where that is all there is, so that all of them run as batched kernels."""
    if student.head is None and student.output is None and isinstance(student.net, (MLP, *KNOWN)):
        return student.net
    return RawStudent(student)


def check_networks(
    networks: Sequence[nn.Module], x: Any, family: Family, output: Any, width: int | None = None
) -> None:
    """Raise, naming the first, unless every network takes a row of x and gives as many numbers as it must."""
    width = family.num_parameters if width is None else width
    arguments, named = as_arguments(map_tensors(lambda tensor: tensor[:2], x))
    for number, network in enumerate(networks):
        if number and stackable([networks[0], network]):
            continue  # it does what the first one did
        try:
            with torch.no_grad():
                z = pick_output(InferenceTwin().of(network)(*arguments, **named), output)
        except (IndexError, RuntimeError) as error:
            raise ValueError(
                f"Expected inputs that network {number} accepts, but got {tuple(first_tensor(x).shape[1:])} a row: "
                f"{str(error).splitlines()[0]}."
            ) from None
        if z.shape[-1] != width:
            raise ValueError(f"Expected {width} outputs for {family}, but network {number} gives {z.shape[-1]}.")


def groups_of(networks: Sequence[nn.Module]) -> list[list[int]]:
    """The places of networks that can be stacked with each other; a mixed ensemble trains group by group."""
    groups: list[list[int]] = []
    for place, network in enumerate(networks):
        for group in groups:
            if stackable([networks[group[0]], network]):
                group.append(place)
                break
        else:
            groups.append([place])
    return groups
