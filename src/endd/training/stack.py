"""J networks of one kind as one module: every parameter has the network's number as its first dimension."""

import copy
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor, nn

from endd.models.inputs import Output, as_arguments, pick_output
from endd.models.stacking import stackable
from endd.nn.grouped import KNOWN, grouped_forward, takes_groups
from endd.training.dense import DenseStack, Workspace, slope_of
from endd.training.tables import map_tensors


class Stack(nn.Module):
    """Networks that train side by side: inputs (J, B, ...) to raw outputs (J, B, R), one network a track.

    An MLP runs as batched matrix products, a ResNet (also a Variational one) or DenseNet as grouped convolutions; any
    other module under torch.vmap, batch norm and dropout included, as long as its tracks share no state. What vmap
    refuses (a network that looks at its data to decide what to do, as transformers do at a mask) runs track by track.
    Those of endd.nn may differ in their outputs: the last layer of those with fewer is padded with rows of zeros, of
    which no loss may take notice. `unstack` copies the parameters back into the networks.
    """

    def __init__(self, networks: Sequence[nn.Module], output: Output = None) -> None:
        super().__init__()
        if len(networks) > 1 and not (stackable(networks) or alike_but_for_outputs(networks)):
            raise ValueError("Expected networks of the same class, settings and shapes to train side by side.")
        self.output = output
        #: Whether kernels may be compiled, which takes a while at first.
        self.fuse = False
        self._networks = list(networks)
        # the forward pass of all tracks; its own parameters are never used
        self._template = [copy.deepcopy(networks[0]).train()]
        self._slope = slope_of(networks[0]) if output is None else None
        self._workspace = Workspace()
        self._groups = output is None and takes_groups(networks[0])
        # unknown until there are inputs to try it on; a single track needs none of it
        self._vmaps = None if len(networks) > 1 else False
        self._parameter_names = [name for name, _ in networks[0].named_parameters()]
        self._buffer_names = [name for name, _ in networks[0].named_buffers()]
        states = [dict(network.named_parameters()) | dict(network.named_buffers()) for network in networks]
        self.stacked = nn.ParameterList(
            nn.Parameter(_padded([state[name].detach() for state in states]), states[0][name].requires_grad)
            for name in self._parameter_names
        )
        for number, name in enumerate(self._buffer_names):
            self.register_buffer(f"buffer_{number}", torch.stack([state[name].detach() for state in states]))

    @property
    def tracks(self) -> int:
        """J."""
        return len(self._networks)

    def tensors(self) -> list[Tensor]:
        """All parameters, then all buffers, each with the track first."""
        return [*self.stacked, *(getattr(self, f"buffer_{n}") for n in range(len(self._buffer_names)))]

    def forward(self, inputs: Any) -> Tensor:
        """(J, B, ...) -> (J, B, R), each track on inputs of its own."""
        if self._slope is not None and isinstance(inputs, Tensor) and inputs.ndim == 3:
            return self._dense_forward(inputs)
        if self._groups and isinstance(inputs, Tensor) and inputs.ndim == 5:
            return grouped_forward(self._template[0], self._by_name(self.tensors()), inputs, self.training, self.fuse)  # type: ignore[arg-type]
        if self._vmaps is None:
            self._vmaps = self._takes_vmap(inputs)
        self._template[0].train(self.training)
        return self._vmapped(self.tensors(), inputs) if self._vmaps else self._looped(inputs)

    def of_each(self, function: Callable[[nn.Module], Tensor]) -> Tensor:
        """function(network) for every track, (J,): what is asked of networks themselves and not of their outputs."""
        asked = _Asked(function, self._template[0])
        named = {f"network.{name}": tensor for name, tensor in self._by_name(self.tensors()).items()}
        values: Tensor = torch.vmap(lambda tensors: torch.func.functional_call(asked, tensors, ()))(named)
        return values

    def _vmapped(self, tensors: list[Tensor], inputs: Any) -> Tensor:
        return torch.vmap(self._track, randomness="different")(tensors, inputs)

    def _looped(self, inputs: Any) -> Tensor:
        # unbound once: the gradients of all tracks come back as one stack
        tensors = [tensor.unbind() for tensor in self.tensors()]
        tracks = range(self.tracks)
        return torch.stack([self._track([t[j] for t in tensors], _rows_of(j, inputs)) for j in tracks])

    def _track(self, tensors: list[Tensor], inputs: Any) -> Tensor:
        """The network with one track's tensors, on that track's inputs."""
        arguments, named = as_arguments(inputs)
        called = torch.func.functional_call(self._template[0], self._by_name(tensors), arguments, named)
        return pick_output(called, self.output)

    def _by_name(self, tensors: list[Tensor]) -> dict[str, Tensor]:
        return dict(zip([*self._parameter_names, *self._buffer_names], tensors, strict=True))

    @torch.no_grad()
    def _takes_vmap(self, inputs: Any) -> bool:
        """Whether vmap takes the network in both modes, tried on copies and without a trace in the random numbers."""
        with torch.random.fork_rng(devices=[]):
            for training in (True, False):
                self._template[0].train(training)
                try:
                    self._vmapped([tensor.clone() for tensor in self.tensors()], inputs)
                except RuntimeError:
                    return False  # if the network itself is at fault, the loop says so
        return True

    def _dense_forward(self, x: Tensor) -> Tensor:
        if x.device.type == "cpu" and not torch.is_autocast_enabled("cpu"):
            z: Tensor = DenseStack.apply(  # type: ignore[no-untyped-call]
                x, self._workspace.lease(), self._slope, *self.stacked
            )
            return z
        parameters = iter(self.stacked)
        for layer in self._template[0].layers:  # type: ignore[union-attr]
            if isinstance(layer, nn.Linear):
                weight, bias = next(parameters), next(parameters)
                x = torch.baddbmm(bias.unsqueeze(1), x, weight.mT)
            else:
                x = layer(x)
        return x

    @torch.no_grad()
    def unstack(self) -> None:
        """Copy every track back into its network."""
        names = [*self._parameter_names, *self._buffer_names]
        for track, network in enumerate(self._networks):
            state = dict(network.named_parameters()) | dict(network.named_buffers())
            for name, tensor in zip(names, self.tensors(), strict=True):
                own = tensor[track]
                state[name].copy_(own[: len(state[name])] if own.ndim else own)


class _Asked(nn.Module):
    """A function of a network as a module, so that the network's tensors can be exchanged."""

    def __init__(self, function: Callable[[nn.Module], Tensor], network: nn.Module) -> None:
        super().__init__()
        self.function, self.network = function, network

    def forward(self) -> Tensor:
        """The function's value."""
        return self.function(self.network)


def alike_but_for_outputs(networks: Sequence[nn.Module]) -> bool:
    """Whether these are plain networks of endd.nn that could be stacked if their last layers were of one size."""
    plain = all(
        slope_of(network) is not None or (takes_groups(network) and type(network) in KNOWN) for network in networks
    )
    return plain and len({(type(network), slope_of(network)) for network in networks}) == 1 and _same_below(networks)


def _same_below(networks: Sequence[nn.Module]) -> bool:
    """Whether all but the last layer, a weight and a bias, is the same: settings, names, shapes and types."""
    settings = [{**network.architecture, "outputs": None} for network in networks]  # type: ignore[dict-item]
    below = [
        [(name, tensor.shape, tensor.dtype) for name, tensor in list(network.named_parameters())[:-2]]
        for network in networks
    ]
    return all(one == settings[0] for one in settings) and all(shapes == below[0] for shapes in below)


def _padded(tensors: list[Tensor]) -> Tensor:
    """Tensors as one, each with zeros behind its last row up to the longest."""
    if len({tensor.shape for tensor in tensors}) == 1:
        return torch.stack(tensors)
    return nn.utils.rnn.pad_sequence(tensors, batch_first=True)


def _rows_of(track: int, inputs: Any) -> Any:
    return map_tensors(lambda tensor: tensor[track], inputs)
