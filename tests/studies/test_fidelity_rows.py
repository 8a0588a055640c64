"""What a teacher and its student say about every row."""

import torch

from endd.studies import fidelity_rows
from endd.studies.fidelity_rows import drawn_rows, errors, rows_of_pair
from tests.studies.test_fidelity import data, pair


def test_rows_in_parts_are_those_of_all_at_once(monkeypatch) -> None:  # type: ignore[no-untyped-def]
    teacher, student = pair("numbers")
    x, y = data("numbers", 50)
    whole = rows_of_pair(teacher, student, x, y)
    monkeypatch.setattr(fidelity_rows, "AT_ONCE", 16)
    parts = rows_of_pair(teacher, student, x, y)
    for model, rows in whole.items():
        assert rows.keys() == parts[model].keys()
        for name, values in rows.items():
            torch.testing.assert_close(parts[model][name], values, rtol=1e-4, atol=1e-6)
    assert "kl" in whole["distilled"]
    assert "cdf" in whole["ensemble"]
    assert "log_prob" not in rows_of_pair(teacher, student, x, None)["ensemble"]


def test_drawn_rows_are_in_the_order_of_the_draw() -> None:
    rows = {"ensemble": {"total": torch.arange(5.0)}}
    assert drawn_rows(rows, torch.tensor([3, 3, 0]))["ensemble"]["total"].tolist() == [3, 3, 0]


def test_errors_of_classes_numbers_and_vectors() -> None:
    probs = torch.tensor([[0.9, 0.1], [0.2, 0.8]])
    assert errors({"probs": probs}, torch.tensor([0, 0])).tolist() == [0, 1]
    assert errors({"mean": torch.tensor([1.0, 2.0])}, torch.tensor([3, 1])).tolist() == [2, 1]
    assert errors({"mean": torch.zeros(1, 2)}, torch.tensor([[3.0, 4.0]])).tolist() == [5]
