"""M networks of one kind as one: their parameters stacked, the forward pass vectorised."""

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor, nn

from endd.models.inputs import Output, as_arguments, pick_output
from endd.nn.grouped import KNOWN, grouped_forward, takes_groups

# Layers whose stacked form is a batched matrix product, a grouped convolution or elementwise.
PLAIN_LAYERS = (
    *(nn.Linear, nn.LayerNorm, nn.Dropout, nn.Flatten, nn.Identity, nn.BatchNorm1d, nn.BatchNorm2d),
    *(nn.Conv1d, nn.Conv2d, nn.AvgPool2d, nn.AdaptiveAvgPool2d, nn.MaxPool2d),
)
ACTIVATIONS = "torch.nn.modules.activation"
FEW_ROWS = 4
# A stacked copy of the parameters is made for every call; beyond this it would crowd the memory.
MAX_STACKED_PARAMETERS = 100_000_000


def stackable(modules: Sequence[nn.Module]) -> bool:
    """Whether all modules run the same code on tensors of the same shapes."""
    first, *rest = modules
    return len(modules) > 1 and all(_same_code(first, other) for other in rest)


def worth_stacking(modules: Sequence[nn.Module], device: torch.device, rows: int) -> bool:
    """Whether the stacked pass is the faster one, as measured in benchmarks/stacking.py.

    On a GPU it is, for layers that stack well, because it fills the chip. On a CPU the loop wins, whose activations
    stay in the cache, but for a handful of images.
    """
    parameters = sum(p.numel() for module in modules for p in module.parameters())
    leaves = [part for part in modules[0].modules() if not any(part.children())]
    plain = all(isinstance(leaf, PLAIN_LAYERS) or type(leaf).__module__ == ACTIVATIONS for leaf in leaves)
    few_images = rows <= FEW_ROWS and any(isinstance(leaf, nn.Conv2d) for leaf in leaves)
    return (device.type == "cuda" or few_images) and plain and parameters <= MAX_STACKED_PARAMETERS


def stacked_forward(modules: Sequence[nn.Module], inputs: Any, output: Output) -> Tensor:
    """z (M, *batch, P) of M modules in one pass over the same inputs; gradients reach every member."""
    arguments, named = as_arguments(inputs)
    state = {name: torch.stack(tensors) for name, tensors in _states(modules).items()}
    first = modules[0]
    if output is None and isinstance(first, KNOWN) and takes_groups(first) and isinstance(inputs, Tensor):
        return grouped_forward(first, state, inputs, training=False)

    def one(member: dict[str, Tensor]) -> Tensor:
        return pick_output(torch.func.functional_call(modules[0], member, arguments, named), output)

    return torch.vmap(one)(state)


def _states(modules: Sequence[nn.Module]) -> dict[str, list[Tensor]]:
    states = [dict(module.named_parameters()) | dict(module.named_buffers()) for module in modules]
    return {name: [state[name] for state in states] for name in states[0]}


def _same_code(a: nn.Module, b: nn.Module) -> bool:
    """Same classes all the way down, with the same settings and the same shapes."""
    parts_a, parts_b = dict(a.named_modules()), dict(b.named_modules())
    if parts_a.keys() != parts_b.keys():
        return False
    return all(_same_part(parts_a[name], parts_b[name]) for name in parts_a)


def _same_part(a: nn.Module, b: nn.Module) -> bool:
    if type(a) is not type(b) or a._forward_hooks or b._forward_hooks or a._forward_pre_hooks or b._forward_pre_hooks:
        return False
    tensors_a, tensors_b = a._parameters | a._buffers, b._parameters | b._buffers
    if {k: _kind(t) for k, t in tensors_a.items()} != {k: _kind(t) for k, t in tensors_b.items()}:
        return False
    settings_a, settings_b = _settings(a), _settings(b)
    if settings_a.keys() != settings_b.keys():
        return False
    return all(_equal(settings_a[name], settings_b[name]) for name in settings_a)


def _kind(tensor: Tensor | None) -> tuple[Any, ...] | None:
    return None if tensor is None else (tuple(tensor.shape), tensor.dtype, tensor.device)


def _settings(module: nn.Module) -> dict[str, Any]:
    return {name: value for name, value in vars(module).items() if not name.startswith("_")}


def _equal(a: Any, b: Any) -> bool:
    if a is b:
        return True
    try:
        # two objects are equal where their class says so, as that of a transformer's config does
        return type(a) is type(b) and (a == b) is True
    except (RuntimeError, ValueError):
        # tensors and arrays, which answer number by number, differ from member to member without being stacked
        return False
