"""What happened in a run."""

from endd.training import History


def test_losses_are_those_of_the_rows() -> None:
    history = History()
    assert history.loss == []
    history.rows.append({"loss": 2.0, "learning_rate": 0.1})
    assert history.loss == [2.0]
    assert (History().rows, history.best_epoch) == ([], None)
