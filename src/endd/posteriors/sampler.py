"""What posterior samplers have in common: S draws of one network, fixed from the start."""

from abc import abstractmethod
from contextlib import suppress
from typing import Any

import torch
from torch import Tensor, nn
from torch.distributions import Distribution

from endd._checks import check_parameters, describe
from endd.distributions import Members
from endd.families import Family
from endd.models import Model
from endd.models.inputs import Output, as_arguments, count_rows, pick_output, take_rows
from endd.nn.grouped import grouped_forward, takes_groups

# How many rows times draws are in memory at once, and on a GPU, which wants more to do.
AT_ONCE, AT_ONCE_ON_GPU = 8192, 32768


class Sampler(Model):
    """x -> Members with z (S, B, P): one atom for each of S draws of what is uncertain in a network.

    The draws are functions of x, the same ones for every input and in every call, so predictions repeat to the last
    bit and do not depend on what else is in the batch. Where that is faster, all run at once under torch.vmap, and
    whatever comes before the first uncertain layer is computed once. Gradients reach the network's parameters.

    net: a trained network, whose weights are shared, not copied. draws: S. seed: of the draws; more draws with the
    same seed begin with the same ones. output: as for Ensemble.
    """

    def __init__(
        self, net: nn.Module, family: Family, draws: int = 30, *, seed: int = 0, output: Output = None
    ) -> None:
        super().__init__(family)
        if not isinstance(net, nn.Module):
            raise TypeError(f"Expected `net` to be a torch.nn.Module, but got {describe(net)}.")
        if draws < 1:
            raise ValueError(f"Expected `draws` of at least 1, but got {draws}.")
        self.net, self.draws, self.seed, self.output = net, draws, seed, output

    @abstractmethod
    def _drawn(self) -> tuple[nn.Module, dict[str, Tensor]]:
        """The network in eval mode, and by name the tensors (S, ...) in which its draws differ."""

    def forward(self, x: Any) -> Members:
        """The members, with gradients."""
        z = self._sample(x)
        check_parameters(z, self.family.num_parameters, self.family)
        return Members(z)

    def _inference(self, inputs: Any) -> tuple[Distribution, Tensor]:
        members = self(inputs)
        return members, members.atoms.movedim(0, -2)

    def _sample(self, inputs: Any) -> Tensor:
        net, tensors = self._drawn()
        rows, most = max(count_rows(inputs), 1), max((AT_ONCE_ON_GPU if _on_gpu(tensors) else AT_ONCE) // self.draws, 1)
        # parts of one size, or nearly: kernels are chosen anew for every other
        step = -(-rows // -(-rows // most))
        starts = range(0, rows, step)
        parts = [self._all_draws(net, tensors, take_rows(inputs, slice(at, at + step))) for at in starts]
        return parts[0] if len(parts) == 1 else torch.cat(parts, 1)

    def _all_draws(self, net: nn.Module, tensors: dict[str, Tensor], inputs: Any) -> Tensor:
        arguments, named = as_arguments(inputs)

        def one(draw: dict[str, Tensor]) -> Tensor:
            return pick_output(torch.func.functional_call(net, draw, arguments, named), self.output)

        if worth_sharing(net, tensors):
            if self.output is None and isinstance(inputs, Tensor) and worth_grouping(net, tensors):
                return _grouped(net, tensors, inputs, self.draws)
            # what vmap refuses runs draw by draw; if the network itself is at fault, it says so then
            with suppress(RuntimeError):
                return torch.vmap(one)(tensors)
        return torch.stack([one({name: t[s] for name, t in tensors.items()}) for s in range(self.draws)])

    def extra_repr(self) -> str:
        """Shown by repr()."""
        return f"family={self.family}, draws={self.draws}, seed={self.seed}"


def worth_sharing(net: nn.Module, tensors: dict[str, Tensor]) -> bool:
    """Whether all draws at once are faster than one by one.

    On a GPU they fill it. On a CPU they are if the first uncertain layer is in the second half of the network (8 draws
    of last-layer dropout take the time of one); if it is earlier, single draws stay in the cache and take a third.
    """
    return _on_gpu(tensors) or _late(net, tensors)


def worth_grouping(net: nn.Module, tensors: dict[str, Tensor]) -> bool:
    """Whether draws run side by side as members of an ensemble do: residual networks that differ early, on a GPU."""
    return _on_gpu(tensors) and takes_groups(net) and not _late(net, tensors)


def _grouped(net: nn.Module, tensors: dict[str, Tensor], inputs: Tensor, draws: int) -> Tensor:
    """All draws of a residual network in one pass; what they share is spread over them."""
    shared = dict(net.named_parameters()) | dict(net.named_buffers())
    state = {name: tensors.get(name, t.expand(draws, *t.shape)) for name, t in shared.items()}
    return grouped_forward(net, state, inputs, training=False)  # type: ignore[arg-type]


def _on_gpu(tensors: dict[str, Tensor]) -> bool:
    return any(tensor.device.type != "cpu" for tensor in tensors.values())


def _late(net: nn.Module, tensors: dict[str, Tensor]) -> bool:
    """Whether the first uncertain layer is in the second half of the network."""
    leaves = [name for name, part in net.named_modules() if not any(part.children())]
    uncertain = {name.rpartition(".")[0] for name in tensors}
    first = next((place for place, name in enumerate(leaves) if name in uncertain), 0)
    return 2 * first >= len(leaves)
