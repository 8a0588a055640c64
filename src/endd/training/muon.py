"""Muon: weights move along their orthogonalised momentum, those of all networks of a stack at once."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import torch
from torch import Tensor, nn
from torch.optim.adamw import adamw

# A quintic that lifts singular values between 0 and 1 to near 1 within five rounds (Jordan et al. 2024).
QUINTIC, ROUNDS = (3.4445, -4.7750, 2.0315), 5
MOMENTUM = 0.95
# The root mean square of a step of Adam's, in units of the learning rate (Liu et al. 2025).
LIKE_ADAM = 0.2
BETAS, EPSILON = (0.9, 0.999), 1e-8
SMALLEST_NORM = 1e-7


class Muon(torch.optim.Optimizer):
    """Matrices of weights take steps whose singular values are all near 1; everything else takes Adam's.

    A gradient's few large directions drown the many small ones; here each counts the same. parameters: of a stack, (J,
    ...) with the network first, in the order of the layers. Those with at least two more dimensions are matrices (J,
    rows, columns), a filter a row; the last of them, which makes the outputs, is left to Adam, as are biases and
    scales. lr: of both, as steps are as large as Adam's would be. weight_decay: of matrices, decoupled.
    """

    def __init__(self, parameters: Iterable[nn.Parameter], lr: float, weight_decay: float = 0.0) -> None:
        tensors = list(parameters)
        matrices = [tensor for tensor in tensors if tensor.ndim >= 3]
        hidden, last = matrices[:-1], matrices[-1:]
        vectors = [tensor for tensor in tensors if tensor.ndim < 3]
        groups: list[dict[str, Any]] = [
            {"params": hidden, "orthogonal": True, "weight_decay": weight_decay},
            {"params": last, "orthogonal": False, "weight_decay": weight_decay},
            {"params": vectors, "orthogonal": False, "weight_decay": 0.0},
        ]
        super().__init__([group for group in groups if group["params"]], {"lr": lr})

    @torch.no_grad()
    def step(self, closure: Callable[[], float] | None = None) -> float | None:  # type: ignore[override]
        """One step of all networks, without a look at the numbers, so that it can be recorded."""
        loss = None
        if closure is not None:
            with torch.enable_grad():
                loss = closure()
        for group in self.param_groups:
            tensors = [tensor for tensor in group["params"] if tensor.grad is not None]
            if tensors:
                (self._orthogonal if group["orthogonal"] else self._adam)(tensors, group)
        return loss

    def _orthogonal(self, tensors: list[Tensor], group: dict[str, Any]) -> None:
        gradients = _gradients(tensors)
        momenta = [self._kept(tensor, "momentum") for tensor in tensors]
        torch._foreach_lerp_(momenta, gradients, 1 - MOMENTUM)
        ahead = torch._foreach_lerp(gradients, momenta, MOMENTUM)  # Nesterov's
        torch._foreach_mul_(tensors, 1 - group["lr"] * group["weight_decay"])
        steps = _of_one_size([direction.flatten(2) for direction in ahead])
        torch._foreach_mul_(steps, group["lr"])
        torch._foreach_sub_(tensors, [step.view_as(tensor) for step, tensor in zip(steps, tensors, strict=True)])

    def _adam(self, tensors: list[Tensor], group: dict[str, Any]) -> None:
        counts = [self._kept(tensor, "steps", torch.zeros((), device=tensor.device)) for tensor in tensors]
        first, second = ([self._kept(tensor, name) for tensor in tensors] for name in ("first", "second"))
        adamw(
            tensors,
            _gradients(tensors),
            first,
            second,
            [],
            counts,
            fused=True,
            amsgrad=False,
            beta1=BETAS[0],
            beta2=BETAS[1],
            lr=group["lr"],
            weight_decay=group["weight_decay"],
            eps=EPSILON,
            maximize=False,
        )

    def _kept(self, tensor: Tensor, name: str, start: Tensor | None = None) -> Tensor:
        """What is remembered of a parameter, 0 at first."""
        state = self.state[tensor]
        if name not in state:
            state[name] = torch.zeros_like(tensor) if start is None else start
        kept: Tensor = state[name]
        return kept


def _gradients(tensors: Sequence[Tensor]) -> list[Tensor]:
    return [tensor.grad for tensor in tensors if tensor.grad is not None]


def _of_one_size(directions: Sequence[Tensor]) -> list[Tensor]:
    """Directions (J, rows, columns) orthogonalised and as large as Adam's steps; those of one shape are one product."""
    steps: list[Tensor] = list(directions)
    for shape in dict.fromkeys(direction.shape[1:] for direction in directions):
        places = [place for place, direction in enumerate(directions) if direction.shape[1:] == shape]
        together = orthogonalised(torch.cat([directions[place] for place in places]))
        together = LIKE_ADAM * max(shape) ** 0.5 * together
        for place, step in zip(places, together.chunk(len(places)), strict=True):
            steps[place] = step
    return steps


def orthogonalised(matrices: Tensor) -> Tensor:
    """Matrices (N, rows, columns) with nearly the same singular vectors and singular values of about 0.7 to 1.2.

    By rounds of a polynomial, which are products alone: half precision is enough for them on a GPU. A matrix of zeros
    stays one.
    """
    x = matrices.bfloat16() if matrices.is_cuda else matrices
    wide = x.shape[-2] <= x.shape[-1]
    x = x if wide else x.mT
    x = x / torch.linalg.vector_norm(x, dim=(-2, -1), keepdim=True).clamp(min=SMALLEST_NORM)
    a, b, c = QUINTIC
    for _ in range(ROUNDS):
        gram = x @ x.mT
        x = torch.baddbmm(x, torch.baddbmm(gram, gram, gram, beta=b, alpha=c), x, beta=a)
    result: Tensor = (x if wide else x.mT).to(matrices.dtype)
    return result
