"""Networks as plain data: those of endd.nn are built again, any other is brought by whoever loads the model."""

from typing import Any

import torch
from torch import Tensor, nn

from endd._checks import describe
from endd.nn import MLP, DenseNet, ResNet, Variational
from endd.persistence.folder import ModelFolderError

NETWORKS: dict[str, type[nn.Module]] = {"MLP": MLP, "DenseNet": DenseNet, "ResNet": ResNet}
# A mismatch is named by so many of its tensors.
NAMED = 3

State = dict[str, Tensor]


def network_to_plain(net: nn.Module) -> dict[str, Any]:
    """What it takes to build a network of endd.nn again; of any other, the name of its class."""
    name = type(net).__name__
    if isinstance(net, Variational):
        inner = network_to_plain(net.net)
        return {"name": name, "own": True} if "own" in inner else {"name": name, "settings": net.settings, "of": inner}
    if NETWORKS.get(name) is type(net):
        return {"name": name, "architecture": net.architecture}
    return {"name": name, "own": True}


def state_of(module: nn.Module) -> State:
    """The tensors of a module, if it has nothing else to save."""
    state = module.state_dict()
    for name, value in state.items():
        if not isinstance(value, Tensor):
            raise TypeError(f"Expected tensors in the state of the network, but {name} is {describe(value)}.")
    return dict(state)


def network_from_plain(plain: dict[str, Any], state: State, net: Any = None) -> nn.Module:
    """The network that `network_to_plain` described, with its tensors; `net` is one that was brought."""
    if net is not None:
        return _filled(net, state)
    if plain.get("own"):
        raise ValueError(
            f"Expected the network that was saved, a {plain['name']}, but got none: endd builds only its own again. "
            "Pass endd.load(path, net=...), or a list of networks for an ensemble."
        )
    # without memory of its own: whatever the JSON says, no more is taken than the file holds
    with torch.device("meta"):
        built = _empty(plain, len(state))
    check_state(built, state, "model.json describes", ModelFolderError)
    built.load_state_dict(state, assign=True)
    return built


def _empty(plain: dict[str, Any], tensors: int) -> nn.Module:
    """The network as described, of which the file holds so many tensors."""
    if plain["name"] == "Variational":
        return Variational(_empty(plain["of"], tensors), **plain["settings"])
    name, settings = plain["name"], plain["architecture"]
    if {"ResNet": settings.get("depth", 0), "DenseNet": sum(settings.get("layers", ()))}.get(name, 0) > tensors:
        raise ModelFolderError(f"Expected a tensor for each layer of the {name}, but the file holds fewer.")
    return NETWORKS[name](**settings)


def _filled(net: Any, state: State) -> nn.Module:
    if not isinstance(net, nn.Module):
        raise TypeError(f"Expected `net` to be a torch.nn.Module, but got {describe(net)}.")
    check_state(net, state, "`net` has", ValueError)
    net.load_state_dict(state)
    return net


def check_state(module: nn.Module, state: State, who: str, error: type[ValueError]) -> None:
    """Raise, naming the first that differ, unless a module has tensors of these names, shapes and dtypes."""
    found, saved = _kinds(module.state_dict()), _kinds(state)
    # what was built without memory takes the dtype of the file
    meta = any(tensor.is_meta for tensor in module.state_dict().values())
    differ = [
        name
        for name in [*found, *(saved.keys() - found.keys())]
        if found.get(name, ())[:1] != saved.get(name, ())[:1] or (not meta and found[name] != saved[name])
    ]
    if differ:
        lines = (f"{name}: {_shown(found.get(name))} against {_shown(saved.get(name))}" for name in differ[:NAMED])
        more = f" and {len(differ) - NAMED} more" if len(differ) > NAMED else ""
        raise error(f"Expected the tensors that {who} in the saved weights, but got others: {', '.join(lines)}{more}.")


def _kinds(state: State) -> dict[str, tuple[Any, ...]]:
    return {name: (tuple(tensor.shape), str(tensor.dtype).removeprefix("torch.")) for name, tensor in state.items()}


def _shown(kind: tuple[Any, ...] | None) -> str:
    return "none" if kind is None else f"{kind[0]} {kind[1]}"
