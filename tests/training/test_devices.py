"""Devices that cannot be used."""

from collections.abc import Callable
from typing import Any

import pytest
import torch

import endd
from endd.nn import MLP
from endd.training.devices import usable_device

FAMILY = endd.families.Gaussian()
X = torch.rand(20, 1)
NO_CUDA = pytest.mark.skipif(torch.cuda.is_available(), reason="there is a GPU here")


def fit(device: Any) -> None:
    ensemble = endd.Ensemble([MLP(1, [4], 2) for _ in range(2)], FAMILY)
    endd.fit_ensemble(ensemble, (X, X[:, 0]), epochs=1, progress="none", device=device)


def distil(device: Any) -> None:
    ensemble = endd.Ensemble([MLP(1, [4], 2) for _ in range(2)], FAMILY)
    endd.distill(ensemble, endd.Student(MLP(1, [4], 5), FAMILY), X, epochs=1, progress="none", device=device)


def estimate(device: Any) -> None:
    endd.DistilledRegressor(n_members=2, epochs=1, student_epochs=1, device=device).fit(X.numpy(), X[:, 0].numpy())


@pytest.mark.parametrize("train", [fit, distil, estimate])
@pytest.mark.parametrize("device", ["abacus", "meta", "", 3.5, pytest.param("cuda", marks=NO_CUDA)])
def test_what_cannot_be_used_is_one_line(train: Callable[[Any], None], device: Any) -> None:
    with pytest.raises(ValueError, match="Expected a device to train on") as raised:
        train(device)
    assert repr(device) in str(raised.value)
    assert len(str(raised.value).splitlines()) == 1


def test_a_device_is_taken_as_text_or_as_it_is() -> None:
    assert usable_device("cpu") == usable_device(torch.device("cpu")) == torch.device("cpu")
