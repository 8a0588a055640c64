"""Students that start from the weights of networks that are there."""

from collections.abc import Callable, Iterable
from functools import partial

import torch
from torch import nn

from endd.models import Model, Student
from endd.nn import ResNet, join
from endd.nn.joining import check_fit, listed


def start_from(networks: nn.Module | Iterable[nn.Module], *students: Student) -> None:
    """Let each student start from a network, where names and shapes agree.

    A ResNet that is wider starts as one or several of them side by side, see `endd.nn.join`. Where one student cannot
    start so, none is changed.
    """
    for start in starts(networks, *students):
        start()


def starts(networks: nn.Module | Iterable[nn.Module], *students: Student) -> list[Callable[[], object]]:
    """What lets each student start so, to be called when all else is known to be right; raise if one cannot."""
    if isinstance(networks, Model):
        remedy = "`student.net`" if isinstance(networks, Student) else "`ensemble.members[:1]`"
        raise ValueError(
            f"Expected networks to start from (`warm_start`), but got {type(networks).__name__}. Take them out of it, "
            f"such as {remedy}."
        )
    try:
        given = listed(networks)
    except ValueError as error:
        raise _of_warm_start(error) from None
    return [_start(given, student.net) for student in students]


def _of_warm_start(error: ValueError) -> ValueError:
    return ValueError(f"{error} (They came as `warm_start`.)")


def _start(networks: list[nn.Module], network: nn.Module) -> Callable[[], object]:
    """How a network starts; raise if it cannot."""
    if _is_wider(network, networks):
        try:
            check_fit(networks, network)
        except ValueError as error:
            raise _of_warm_start(error) from None
        return partial(join, networks, network)
    if len(networks) != 1:
        raise ValueError(
            "Expected one network to start from (`warm_start`), or several of type ResNet for a student that is wider "
            f"than each of them, but got {len(networks)} ({_named(networks)}) for {_named([network])}. Take one of "
            "them, or make the student wider."
        )
    (only,) = networks
    # running counts of batch norms agree between any two networks
    known = {name: parameter.shape for name, parameter in only.named_parameters()}
    if not any(known.get(name) == parameter.shape for name, parameter in network.named_parameters()):
        raise ValueError(
            "Expected a network to start from (`warm_start`) with some parameters of the names and shapes of the "
            "student's, but none match. Give the student a network of the same kind, or leave `warm_start` out."
        )
    return partial(copy_matching, only, network)


def _is_wider(network: nn.Module, others: list[nn.Module]) -> bool:
    """Whether all are residual, and this one wider than each of the others."""
    widths = [_width(other) for other in (network, *others)]
    return None not in widths and widths[0] > max(widths[1:])  # type: ignore[operator, type-var]


def _width(network: nn.Module) -> float | None:
    return network.architecture["width"] if isinstance(network, ResNet) else None


def _named(networks: list[nn.Module]) -> str:
    """Their kinds, with widths where they have some."""
    pairs = ((type(network).__name__, _width(network)) for network in networks)
    return ", ".join(kind if width is None else f"{kind} of width {width:g}" for kind, width in pairs)


@torch.no_grad()
def copy_matching(source: nn.Module, target: nn.Module) -> list[str]:
    """Copy parameters and buffers of the same name and shape; returns their names."""
    known = source.state_dict()
    copied = []
    for name, tensor in target.state_dict().items():
        if name in known and known[name].shape == tensor.shape:
            tensor.copy_(known[name])
            copied.append(name)
    return copied
