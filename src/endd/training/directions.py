"""Inputs moved to where members disagree: output-diversified steps, after Nam et al. 2021 (ConfODS)."""

import torch
from torch import Tensor, nn

from endd.families import Categorical
from endd.models import Ensemble
from endd.models.inputs import pick_output
from endd.models.twin import InferenceTwin

# Inputs at once, all moved by the same member.
AT_ONCE = 2048


def diverse_steps(ensemble: Ensemble, inputs: Tensor, step: float, *, seed: int = 0) -> Tensor:
    """Inputs (N, ...), each moved by `step` along the gradient of w E[y | x], with w uniform in [-1, 1]^K.

    On training inputs members agree, and a student cannot learn there how they differ. A small step in a direction
    that changes one member's prediction changes those of the others in other ways. The member is drawn for every batch
    and w for every input. `step` is a Euclidean length in units of the inputs (of pixels from 0 to 1 if they are
    uint8); with classes it is multiplied by the member's confidence, since an unsure input needs no push.

    >>> import endd
    >>> ensemble = Ensemble([nn.Linear(3, 4) for _ in range(5)], endd.families.Categorical(4))
    >>> diverse_steps(ensemble, torch.randn(10, 3), 0.1).shape
    torch.Size([10, 3])
    """
    if step < 0:
        raise ValueError(f"Expected `step` of at least 0, but got {step}.")
    generator = torch.Generator().manual_seed(seed)
    members = list(InferenceTwin().of(ensemble.members).children())
    parts = [_moved(ensemble, members, part, step, generator) for part in inputs.split(AT_ONCE)]
    return torch.cat(parts)


def _moved(
    ensemble: Ensemble, members: list[nn.Module], inputs: Tensor, step: float, generator: torch.Generator
) -> Tensor:
    """A batch, by one member."""
    drawn = int(torch.randint(len(members), (1,), generator=generator))
    whole = inputs if inputs.is_floating_point() else inputs / 255
    gradient, confidence = _direction(ensemble, members[drawn], whole, generator)
    length = gradient.flatten(1).norm(dim=1).clamp(min=torch.finfo(gradient.dtype).tiny)
    scale = (step * confidence / length).reshape(-1, *[1] * (inputs.ndim - 1))
    moved: Tensor = whole + scale * gradient
    return moved if inputs.is_floating_point() else (255 * moved).round().clamp(0, 255).to(inputs.dtype)


def _direction(
    ensemble: Ensemble, member: nn.Module, inputs: Tensor, generator: torch.Generator
) -> tuple[Tensor, Tensor]:
    """The gradient at every input, and how sure the member is of its class, (B,)."""
    with torch.enable_grad():
        x = inputs.detach().requires_grad_()
        mean = ensemble.family.mean(pick_output(member(x), ensemble.output))
        w = 2 * torch.rand(mean.shape, generator=generator) - 1
        (gradient,) = torch.autograd.grad((w.to(mean) * mean).sum(), x)
    sure = mean.detach().amax(-1) if isinstance(ensemble.family, Categorical) else mean.new_ones(len(mean))
    return gradient, sure
