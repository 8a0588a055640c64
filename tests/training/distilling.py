"""Small teachers, students and inputs that the tests of distillation share."""

from typing import Any

import torch
from torch import Tensor, nn
from torch.distributions import Distribution

import endd
from endd.distributions import Atoms
from endd.families import Gaussian
from endd.nn import MLP
from endd.objectives import Objective

FAMILY = Gaussian()
SETTINGS: dict[str, Any] = {"epochs": 3, "batch_size": 16, "progress": "none"}
STANDING: dict[str, Any] = {**SETTINGS, "learning_rate": 1e-12}  # a student that all but stays where it is
X = torch.linspace(-1, 1, 40).unsqueeze(-1)


class Constant(nn.Module):
    """Says the same of every input."""

    def __init__(self, *z: float) -> None:
        super().__init__()
        self.z = nn.Parameter(torch.tensor(z))

    def forward(self, x: Tensor) -> Tensor:
        return self.z.expand(*x.shape[:-1], -1)


def constants(*means: float, weights: Tensor | None = None) -> endd.Ensemble:
    return endd.Ensemble([Constant(mean, 0.0) for mean in means], FAMILY, weights=weights)


def lines(members: int = 20) -> Tensor:
    """Outputs (M, N, 2) of members: parallel lines for the mean, levels for the raw variance."""
    level = torch.randn(members, 1, 2) @ torch.tensor([[1.0, 0.5], [0.0, 0.6]])
    return level + 2 * X * torch.tensor([1.0, 0.0])


def student(outputs: int = 5, inputs: int = 1, **options: Any) -> endd.Student:
    torch.manual_seed(7)
    return endd.Student(MLP(inputs, [6], outputs), FAMILY, **options)


def same(a: nn.Module, b: nn.Module, **tolerance: float) -> None:
    torch.testing.assert_close(dict(a.state_dict()), dict(b.state_dict()), **tolerance)


class Recorded(Objective):
    """Another objective, with a note of what it was given."""

    def __init__(self, base: Objective) -> None:
        self.base = base
        self.trained: list[Tensor] = []
        self.validated: list[Tensor] = []
        self.students: list[Tensor] = []

    def __call__(self, v: Distribution, teacher: Atoms, y: Tensor | None = None) -> Tensor:
        (self.trained if torch.is_grad_enabled() else self.validated).append(teacher.atoms)
        self.students.append(v.mean.detach())
        return self.base(v, teacher, y)
