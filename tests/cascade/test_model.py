"""Cascades: who answers, and who is asked about what."""

from typing import Any

import pytest
import torch
from torch import Tensor, nn

import endd
from endd.families import Categorical, Gaussian, Poisson


class Counting(nn.Module):
    """A network that keeps the rows it was asked about."""

    def __init__(self, outputs: int) -> None:
        super().__init__()
        self.inner, self.seen = nn.Linear(3, outputs), [torch.empty(0, 3)]

    def forward(self, x: Tensor) -> Tensor:
        self.seen.append(x)
        return self.inner(x)


def models(family: Any = Gaussian()) -> tuple[endd.Student, endd.Ensemble, Counting]:  # noqa: B008
    student = endd.Student(nn.Linear(3, endd.num_outputs(family)), family)
    counting = Counting(family.num_parameters)
    other = nn.Linear(3, family.num_parameters)
    return student, endd.Ensemble([counting, other], family, stacking="loop").eval(), counting


X = torch.randn(40, 3, generator=torch.Generator().manual_seed(0))


@pytest.mark.parametrize("family", [Gaussian(), Categorical(4), Poisson()])
def test_the_ensemble_sees_the_rows_above_the_threshold_and_no_others(family: Any) -> None:
    student, ensemble, counting = models(family)
    epistemic = student.predict(X).epistemic
    threshold = float(epistemic.sort().values[29])
    prediction = endd.Cascade(student, ensemble, threshold).predict(X)
    assert torch.equal(prediction.asked, epistemic > threshold)
    assert torch.equal(torch.cat(counting.seen), X[prediction.asked])
    assert len(torch.cat(counting.seen)) == 10


def test_nobody_is_asked_for_nothing() -> None:
    student, ensemble, counting = models()
    prediction = endd.Cascade(student, ensemble, float("inf")).predict(X)
    assert len(torch.cat(counting.seen)) == 0
    assert torch.equal(prediction.mean, student.predict(X).mean)
    always = endd.Cascade(student, ensemble, -float("inf")).predict(X)
    torch.testing.assert_close(always.total, ensemble.predict(X).total)


def test_inputs_by_name() -> None:
    student, ensemble, _ = models()
    cascade = endd.Cascade(student, ensemble, 0.0)
    assert torch.equal(cascade.predict((X,)).mean, cascade.predict(X).mean)
    assert torch.equal(cascade.predict(X.numpy()).mean, cascade.predict(X).mean)


def test_the_threshold_is_saved_with_the_state() -> None:
    student, ensemble, _ = models()
    assert endd.Cascade(student, ensemble, 0.25).state_dict()["threshold"] == 0.25


def test_what_does_not_fit_is_refused() -> None:
    student, ensemble, _ = models()
    with pytest.raises(ValueError, match="two models of the same y"):
        endd.Cascade(student, models(Categorical(4))[1], 0.1)
    with pytest.raises(ValueError, match="two models of the same y"):
        endd.Cascade(models(Categorical(3))[0], models(Categorical(4))[1], 0.1)
    with pytest.raises(TypeError, match="`ensemble` to be a model of endd"):
        endd.Cascade(student, nn.Linear(2, 2), 0.1)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="but got NaN"):
        endd.Cascade(student, ensemble, float("nan"))
