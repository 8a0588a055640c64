"""Predictions stretched about their mean."""

import pickle

import torch

import endd
from endd.families import Gaussian
from endd.models.stretched import StretchedPrediction


def test_parts_get_the_square_and_shares_stay() -> None:
    base = endd.Prediction(Gaussian(), endd.FullNormal.from_raw(torch.randn(6, 5)))
    wider = StretchedPrediction(base, 3.0)
    for part in ("total", "aleatoric", "epistemic"):
        torch.testing.assert_close(getattr(wider, part), 9 * getattr(base, part))
    entropy, before = wider.decompose("entropy"), base.decompose("entropy")
    torch.testing.assert_close(entropy.epistemic, before.epistemic)
    torch.testing.assert_close(entropy.aleatoric, before.aleatoric + torch.tensor(3.0).log())
    torch.testing.assert_close(wider.mean, base.mean)
    assert len(wider) == 6
    assert "3" in repr(wider)


def test_they_pickle() -> None:
    wider = StretchedPrediction(endd.Prediction(Gaussian(), endd.Members(torch.randn(5, 4, 2))), 2.0)
    torch.testing.assert_close(pickle.loads(pickle.dumps(wider)).total, wider.total)
