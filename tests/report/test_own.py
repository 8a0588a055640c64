"""Tables of rows that users added."""

from dataclasses import replace

from endd.report.own import own_tables
from endd.studies.own import with_row
from endd.studies.result import Result
from tests.report.synthetic_cifar10 import cifar10_result


def test_a_row_beside_every_other(toy_result: Result) -> None:
    mine = [replace(record, model="mine") for record in toy_result.records if record.model == "distilled"]
    (table,) = own_tables(with_row(toy_result, "mine", "mine.py:mine", mine))
    assert {row[0] for row in table.rows} == set(toy_result.models())
    same = next(row for row in table.rows if row[0] == "distilled")
    assert all(cell.startswith("+0.000") for cell in same[1:])


def test_images_have_a_table_of_clean_and_one_of_all_corrupted_sets() -> None:
    result = cifar10_result()
    mine = [replace(record, model="mine") for record in result.records if record.model == "dirichlet"]
    clean, corrupted = own_tables(with_row(result, "mine", "mine.py:mine", mine))
    assert clean.title == "mine minus the others: clean"
    assert corrupted.title == "mine minus the others: mean over corrupted sets"
    assert {"accuracy", "nll", "ece", "kl_teacher"} <= set(corrupted.header)


def test_no_rows_no_tables(toy_result: Result) -> None:
    assert list(own_tables(toy_result)) == []
