"""The default settings, as rules over the size of a table."""

import pytest

from endd.estimators import SETTINGS


@pytest.mark.parametrize(("rows", "size"), [(10, 32), (1_700, 64), (10_000, 256), (200_000, 1024), (10**7, 1024)])
def test_batches_grow_with_the_table(rows: int, size: int) -> None:
    assert SETTINGS.batch_size(rows) == size


@pytest.mark.parametrize(("rows", "batch"), [(300, 32), (2000, 64), (200_000, 1024)])
def test_tables_of_every_size_train_about_as_long(rows: int, batch: int) -> None:
    steps = SETTINGS.epochs(rows, batch, 3000, rows) * -(-rows // batch)
    assert 3000 <= steps <= 3200


def test_tiny_tables_stop_earlier() -> None:
    assert SETTINGS.epochs(10, 32, 3000, 10) == SETTINGS.epochs(80, 32, 3000, 10) == SETTINGS.few_epochs + 20
    assert SETTINGS.epochs(10**7, 32, 3000, 10**7) == 1


def test_large_tables_need_fewer_views() -> None:
    assert [SETTINGS.views(rows) for rows in (10, 50_000, 10**6)] == [8, 4, 1]


def test_of_few_rows_a_larger_part_is_held_out() -> None:
    assert [SETTINGS.validation_rows(rows, 0.1) for rows in (4, 20, 50, 94, 500, 10**6)] == [0, 4, 10, 10, 50, 10_000]


def test_options() -> None:
    assert SETTINGS.member_options(1000, 50, None, validation=True, classes=False)["patience"] == 38
    assert SETTINGS.member_options(1000, 50, 7, validation=False, classes=False) == {
        "epochs": 7,
        "weight_decay": SETTINGS.member_decay,
        "clip": SETTINGS.clip,
        "patience": None,
    }
    assert SETTINGS.member_options(9, 9, 7, validation=False, classes=True)["weight_decay"] == SETTINGS.class_decay
    assert SETTINGS.student_options(8000, 100, None, table_rows=1000, classes=False)["epochs"] == 125
    assert SETTINGS.student_options(8000, 100, None, table_rows=1000, classes=True)["epochs"] == 75
