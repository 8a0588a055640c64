"""A family of your own: Student-t noise, for data with outliers."""

import torch
from torch import Tensor
from torch.nn.functional import softplus

import endd
from endd.nn import MLP


class StudentT(endd.families.Family):
    """z = (raw degrees of freedom, location, raw scale)."""

    num_parameters = 3

    def standard(self, z: Tensor) -> torch.distributions.StudentT:
        df, loc, scale = z.unbind(-1)
        return torch.distributions.StudentT(2.1 + softplus(df), loc, softplus(scale) + 1e-3)


def main(progress: str = "auto") -> tuple[endd.Prediction, endd.Prediction]:
    torch.manual_seed(0)
    x = 6 * torch.rand(500, 1) - 3
    y = torch.sin(x[:, 0]) + torch.distributions.StudentT(3.0, 0.0, 0.1).sample((500,))
    family = StudentT()
    ensemble = endd.Ensemble([MLP(1, [10], 3, activation="tanh") for _ in range(5)], family)
    endd.fit_ensemble(ensemble, (x, y), epochs=60, progress=progress)
    student = endd.Student(MLP(1, [32], endd.num_outputs(family), activation="tanh"), family)
    endd.distill(ensemble, student, 10 * torch.rand(1000, 1) - 5, epochs=100, progress=progress)
    places = torch.linspace(-5, 5, 101).unsqueeze(-1)
    return ensemble.predict(places), student.predict(places)


if __name__ == "__main__":
    teacher, student = main()
    print("largest gap of the means:", float((teacher.mean - student.mean).abs().max()))
    print("Spearman of the epistemic part:", float(endd.metrics.spearman(teacher.epistemic, student.epistemic)))
