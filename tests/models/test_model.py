"""What ensembles and students have in common."""

from concurrent.futures import ThreadPoolExecutor

import pytest
import torch
from torch import Tensor, nn

import endd
from endd.families import Family, Gaussian
from endd.models import Model


def test_rows_with_nan_are_named() -> None:
    x = torch.randn(6, 3)
    x[[2, 4]] = float("nan")
    with pytest.raises(ValueError, match=r"in 2 rows \(2, 4\)"):
        endd.Ensemble([nn.Linear(3, 2) for _ in range(3)], Gaussian()).predict(x)


def everything(model: Model, x: Tensor) -> list[Tensor]:
    prediction = model.predict(x)
    y_type = torch.float32 if isinstance(model.family, Gaussian) else torch.int64
    parts = prediction.decompose()
    return [prediction.log_prob(torch.zeros(len(x), dtype=y_type)), parts.total, parts.aleatoric, parts.epistemic]


@pytest.mark.parametrize("training", [True, False])
@pytest.mark.parametrize("family", [endd.families.Gaussian(), endd.families.Categorical(4)], ids=str)
def test_sixteen_threads_say_the_same_bits_as_one(family: Family, training: bool) -> None:
    nets = [nn.Sequential(nn.Linear(3, 32), nn.BatchNorm1d(32), nn.Dropout(0.5), nn.ReLU()) for _ in range(4)]
    outputs = [*[family.num_parameters] * 3, endd.num_outputs(family)]
    heads = [net.append(nn.Linear(32, width)).train(training) for net, width in zip(nets, outputs, strict=True)]
    models: list[Model] = [endd.Ensemble(heads[:3], family), endd.Student(heads[3], family)]
    batches = [torch.randn(rows, 3) for rows in (1, 7, 64, 300)]
    work = [(model, x) for model in models for x in batches] * 8
    alone = [everything(model, x) for model, x in work]
    with ThreadPoolExecutor(16) as threads:
        together = list(threads.map(lambda one: everything(*one), work))
    assert all(
        torch.equal(a, b) for one, other in zip(alone, together, strict=True) for a, b in zip(one, other, strict=True)
    )
    assert all(head.training == training for head in heads)
