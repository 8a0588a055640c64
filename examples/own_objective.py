"""An objective of your own: match the members' mean and variance of z instead of their likelihood."""

import torch
from torch import Tensor
from torch.distributions import Distribution

import endd
from endd.distributions import Atoms
from endd.nn import MLP


class MomentMatching(endd.objectives.Objective):
    """|E z - mean|^2 + (log scale - log std)^2, summed over the parameters."""

    def __call__(self, v: Distribution, teacher: Atoms, y: Tensor | None = None) -> Tensor:
        mean = (v.mean - teacher.mean).square()
        scale = (v.variance.log() - (teacher.variance + 1e-6).log()).square() / 4
        return (mean + scale).sum(-1)


def main(progress: str = "auto") -> tuple[endd.Prediction, endd.Prediction]:
    torch.manual_seed(0)
    x = 6 * torch.rand(500, 1) - 3
    y = torch.sin(x[:, 0]) + 0.2 * torch.randn(500)
    family = endd.families.Gaussian()
    ensemble = endd.Ensemble([MLP(1, [10], 2, activation="tanh") for _ in range(10)], family)
    endd.fit_ensemble(ensemble, (x, y), epochs=60, progress=progress)
    student = endd.Student(MLP(1, [32, 32], endd.num_outputs(family), activation="tanh"), family)
    inputs = 10 * torch.rand(2000, 1) - 5
    endd.distill(ensemble, student, inputs, objective=MomentMatching(), epochs=100, progress=progress)
    places = torch.linspace(-5, 5, 201).unsqueeze(-1)
    return ensemble.predict(places), student.predict(places)


if __name__ == "__main__":
    teacher, student = main()
    print("Spearman of the epistemic part:", float(endd.metrics.spearman(teacher.epistemic, student.epistemic)))
