"""A student beside its teacher."""

import pytest
import torch

import endd
from endd.metrics import nll, spearman
from endd.nn import MLP
from endd.studies.comparison import compare

FAMILY = endd.families.Gaussian()


class Named(torch.nn.Module):
    """Inputs and outputs by name."""

    def __init__(self) -> None:
        super().__init__()
        self.net = MLP(3, [4], 2)

    def forward(self, *, x: torch.Tensor) -> dict[str, torch.Tensor]:
        return {"logits": self.net(x)}


def scores(prediction: endd.Prediction, y: torch.Tensor) -> dict[str, float]:
    return {"nll": float(nll(prediction.log_prob(y))), "mean": float(prediction.mean.mean())}


def test_rows_are_the_mean_of_members_the_ensemble_and_the_student() -> None:
    x, y = torch.randn(20, 3), torch.randn(20)
    nets, student = [MLP(3, [4], 2) for _ in range(4)], endd.Student(MLP(3, [4], 5), FAMILY)
    ensemble = endd.Ensemble(nets, FAMILY)
    table = compare(ensemble, student, x, y, scores)
    alone = [scores(endd.Ensemble([net], FAMILY).predict(x), y) for net in nets]
    assert list(table) == ["single", "ensemble", "student"]
    assert table["single"]["nll"] == pytest.approx(sum(one["nll"] for one in alone) / 4)
    assert table["ensemble"] == scores(ensemble.predict(x), y)
    order = spearman(ensemble.predict(x).epistemic, student.predict(x).epistemic)
    assert table["student"] == {**scores(student.predict(x), y), "epistemic_spearman": float(order)}
    # a mixture is never worse than its members are on average
    assert table["ensemble"]["nll"] < table["single"]["nll"]


def test_inputs_and_outputs_may_have_names() -> None:
    x, y = torch.randn(20, 3), torch.randn(20)
    named = [Named(), Named()]
    pupil = endd.Student(Named(), FAMILY, v=endd.Point, output="logits")
    table = compare(endd.Ensemble(named, FAMILY, output="logits"), pupil, {"x": x}, y, scores)
    plain = endd.Ensemble([net.net for net in named], FAMILY)
    assert table["ensemble"] == pytest.approx(scores(plain.predict(x), y))
