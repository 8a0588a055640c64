"""Numbers of others are whole."""

from endd.report.cifar10_published import CLEAN_ACCURACY, OVADIA


def test_quartiles_are_in_order() -> None:
    assert len(OVADIA) == 7
    assert all(list(found.ece) == sorted(found.ece) for found in OVADIA.values())


def test_the_ensemble_is_their_best() -> None:
    best = OVADIA["ensemble of 10"]
    assert all(best.nll <= found.nll and best.brier <= found.brier for found in OVADIA.values())
    assert max(CLEAN_ACCURACY, key=lambda name: CLEAN_ACCURACY[name]) == "Ovadia 2019: ensemble of 10"
