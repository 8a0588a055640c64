"""What the figures draw."""

import datetime

import numpy as np
import pyarrow as pa
import torch

from endd.studies.table_curves import distance_curves, evenly, table_curves, top_rows
from endd.studies.table_rows import Rows

N = 40


def number_rows() -> Rows:
    random = torch.Generator().manual_seed(0)
    rows = {name: torch.rand(N, generator=random).double() for name in ("mean", "level", "aleatoric", "epistemic")}
    return rows | {"total": rows["aleatoric"] + rows["epistemic"]}


def test_curves_of_numbers() -> None:
    rows, y = number_rows(), torch.zeros(N).double()
    curves = table_curves({"ensemble": rows, "distilled": rows}, y)
    assert curves["mean"].shape == curves["y"].shape == (N,)
    np.testing.assert_array_equal(curves["ensemble_coverage"], curves["distilled_coverage"])
    assert (np.diff(curves["distilled_coverage"]) >= 0).all()
    assert curves["distilled_sparsification"][0] == curves["distilled_oracle"][0] == 1
    assert (curves["distilled_oracle"] <= curves["distilled_sparsification"] + 1e-9).all()


def test_without_a_teacher_only_the_student_is_drawn() -> None:
    curves = table_curves({"distilled": number_rows()}, torch.zeros(N).double())
    assert "distilled_coverage" in curves
    assert "ensemble_coverage" not in curves


def test_curves_of_classes() -> None:
    rows = number_rows() | {"probs": torch.rand(N, 2).double().softmax(-1)}
    del rows["mean"], rows["level"]
    curves = table_curves({"ensemble": rows, "distilled": rows}, torch.arange(N) % 2)
    assert curves["confusion"].sum() == curves["groups"][:, 0].sum() == N
    assert curves["confusion"].trace() == curves["groups"][0, 0]
    assert curves["groups"].shape == (2, 3)
    assert curves["distilled_count"].sum() == N
    assert "levels" not in curves


def test_distances_are_to_the_nearest_row() -> None:
    curves = distance_curves(number_rows(), torch.zeros(N, 2), torch.tensor([[3.0, 4.0], [6.0, 8.0]]))
    np.testing.assert_allclose(curves["distance"], 5)
    assert curves["distance_epistemic"].shape == (N,)


def test_the_rows_that_are_known_least() -> None:
    rows = number_rows()
    rows["epistemic"] = torch.arange(N).double()
    day = datetime.date(2020, 1, 1)
    table = pa.table({"y": np.arange(N) / 3, "a": ["one\n| two " * 5] * N, "when": [None] + [day] * (N - 1)})
    top = top_rows(rows, table, np.arange(101, 101 + N), "y", None)
    assert top["top_header"].tolist() == ["row", "y", "mean", "epistemic", "aleatoric", "a", "when"]
    assert top["top_cells"].shape == (10, 7)
    first = top["top_cells"][0].tolist()
    assert (first[0], first[1], first[3], first[6]) == ("140", "13", "39", "2020-01-01")
    assert first[5] == "one | two one | two one…"
    probs = torch.tensor([[0.9, 0.1]]).repeat(N, 1)
    named = top_rows(rows | {"probs": probs}, table, np.arange(N), "y", np.array(["no", "yes"]))
    assert named["top_cells"][0][2] == "no"


def test_evenly() -> None:
    assert len(range(*evenly(1001, 1000).indices(1001))) == 501
    assert len(range(*evenly(7, 1000).indices(7))) == 7
