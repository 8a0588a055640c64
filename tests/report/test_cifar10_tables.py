"""Tables of the CIFAR-10 study."""

from dataclasses import replace

import pytest

from endd.report.cifar10_scores import Scores
from endd.report.cifar10_tables import (
    chosen_table,
    clean_table,
    difference_tables,
    fidelity_tables,
    quartiles_table,
    severity_tables,
    svhn_table,
    trials_table,
)
from endd.report.tables import Table
from tests.report.synthetic_cifar10 import MODELS, cifar10_result

RESULT = cifar10_result()
SCORES = Scores(RESULT)


def rows(table: Table) -> dict[str, dict[str, str]]:
    return {row[0]: dict(zip(table.header, row, strict=True)) for row in table.rows}


def test_clean_images_stand_beside_published_accuracies() -> None:
    found = rows(clean_table(SCORES))
    expected = RESULT.estimate("distilled", "nll", "clean")
    assert expected is not None
    assert found["distilled"]["nll"] == f"{expected.mean:.4f} ± {expected.half_width:.4f}"
    assert (found["distilled"]["train_seconds"], found["distilled"]["parameters"]) == ("90.0", "300000")
    assert found["He 2016: ResNet-20"]["accuracy"] == "0.9125"
    assert found["Ovadia 2019: ensemble of 10"]["accuracy"] == "0.935"


def test_quartiles_stand_beside_published_ones() -> None:
    found = rows(quartiles_table(SCORES))
    expected = " / ".join(f"{value:.3f}" for value in SCORES.quartiles("ensemble", "ece"))
    assert found["ensemble"]["ece"] == expected
    assert found["Ovadia 2019: vanilla"]["ece"] == "0.057 / 0.127 / 0.288"
    assert found["Ovadia 2019: vanilla"]["nll"] == "- / 1.120 / -"
    assert found["Ovadia 2019: vanilla"]["accuracy"] == "-"


def test_medians_by_severity() -> None:
    first, *others = severity_tables(SCORES)
    assert first.header == ("model", "clean", *(f"severity {s}" for s in range(1, 6)))
    assert rows(first)["single"]["severity 3"] == f"{SCORES.median('single', 'accuracy', 3):.3f}"
    assert [bool(table.note) for table in (first, *others)] == [True, *[False] * 4]


def test_fidelity_has_the_reference() -> None:
    tables = {table.title: rows(table) for table in fidelity_tables(SCORES)}
    assert [*tables["Fidelity: kl_teacher"]][-1] == "another ensemble"
    order = tables["Fidelity: epistemic_spearman"]
    assert order["another ensemble"]["clean"].startswith("0.900")
    stand_ins = {"mixture (entropy)", "temperature_control (entropy)", "temperature_control (temperature)"}
    assert stand_ins < order.keys()
    assert not {"mixture", "single", "ensemble"} & order.keys()
    assert "another ensemble" in tables["Fidelity: rejection_overlap@10"]


def test_detection() -> None:
    found = rows(svhn_table(SCORES))
    assert [*found] == [*MODELS]
    assert found["mixture"]["auroc_epistemic"] == "-"
    assert found["temperature_control"]["auroc_temperature"].startswith("0.8000")


def test_differences_are_paired() -> None:
    clean, corrupted = difference_tables(SCORES)
    gap = RESULT.difference("distilled", "single", "nll", "clean")
    assert gap is not None
    assert rows(clean)["single"]["nll"] == f"{gap.mean:+.4f} ± {gap.half_width:.4f}"
    ours, theirs = (SCORES.over_corrupted(model, "nll") for model in ("distilled", "single"))
    expected = sum(ours[seed] - theirs[seed] for seed in ours) / len(ours)
    assert rows(corrupted)["single"]["nll"].startswith(f"{expected:+.4f} ± ")
    assert "distilled" not in rows(clean)


def test_the_choice_is_shown() -> None:
    table = chosen_table(RESULT)
    assert table is not None
    assert rows(table)["distilled_low_rank"]["chosen"] == "yes"
    assert rows(table)["distilled_diagonal"]["nll"] == "0.2100"


@pytest.mark.parametrize("chosen", [None, {}, {"model": "distilled_low_rank"}])
def test_without_a_choice_there_is_no_table(chosen: object) -> None:
    assert chosen_table(replace(RESULT, config=RESULT.config | {"chosen": chosen})) is None


def test_what_was_tried_is_shown_with_what_was_chosen() -> None:
    assert [*trials_table(RESULT)] == []
    tried = {
        "dropout": {"20": {"0.02": 0.31, "0.1": 0.29, "0.3": 0.5}, "80": {"0.02": 0.21, "0.1": 0.23}},
        "svi": {"20": {"0": 0.4, "0.2": 0.5}},
    }
    (table,) = trials_table(replace(RESULT, config=RESULT.config | {"trials": tried}))
    assert table.header == ("model", "value", "nll after 20 epochs", "nll after 80 epochs", "chosen")
    assert table.rows[:3] == (
        ("dropout", "0.02", "0.3100", "0.2100", "yes"),
        ("dropout", "0.1", "0.2900", "0.2300", ""),
        ("dropout", "0.3", "0.5000", "", ""),
    )
    assert [row[1] for row in table.rows if row[0] == "svi" and row[-1] == "yes"] == ["0"]
