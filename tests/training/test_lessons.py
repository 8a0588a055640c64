"""Lessons of students: each teacher is asked once, and what is set aside is not taught."""

from typing import Any

import pytest
import torch

import endd
from endd.training import Recipe
from endd.training.lessons import Lessons
from endd.training.students import Kind, kinds_of
from tests.training.distilling import X, constants, lines, student


def lessons_of(teachers: Any, inputs: Any, hold_out: str = "none", **options: Any) -> Lessons:
    made = Lessons(teachers, [student() for _ in teachers], inputs, "parameters", 20, hold_out, **options)
    made.read(torch.Generator().manual_seed(0))
    return made


def kinds() -> list[Kind]:
    return kinds_of([student()], None, 3, None)


def test_a_teacher_with_its_inputs_is_one_job_however_many_learn_from_it() -> None:
    one, other = constants(0.0, 1.0), constants(2.0, 3.0)
    lessons = lessons_of([one, other, one], [X, X, X])
    assert lessons.job_of_track == [0, 1, 0]
    assert len(lessons.sources) == len(lessons.tables) == 2
    torch.testing.assert_close(lessons.tables[1][1][..., 0], torch.tensor([2.0, 3.0]).expand(40, 2))


def test_what_is_set_aside_is_not_taught() -> None:
    generator = torch.Generator().manual_seed(0)
    rows = lessons_of([lines()], [X], "inputs")
    rows.set_aside(0.25, generator)
    assert rows.held_out is not None
    kept, held = rows.tables[0][0], rows.held_out[0][0]
    assert sorted([*kept.flatten().tolist(), *held.flatten().tolist()]) == sorted(X.flatten().tolist())
    assert len(held) == 10
    members = lessons_of([lines()], [X], "members")
    assert members.fewest_members() == 20
    members.set_aside(0.1, generator)
    assert members.fewest_members() == 2


def test_late_rows_make_a_shorter_order_of_as_many_rows_an_epoch() -> None:
    taught = lessons_of([lines()], [X], late=(10, 2)).taught(kinds(), Recipe(batch_size=5), torch.device("cpu"))
    epoch, order = taught["early"]
    assert (epoch, order.sizes, order.rows) == (2, [30], 30)
    assert (taught["order"].sizes, taught["order"].rows) == ([40], 30)


def test_only_what_changes_is_asked_for_again() -> None:
    plain = lessons_of([constants(0.0)], [X]).taught(kinds(), Recipe(), torch.device("cpu"))
    assert plain["redraw"] is plain["relabel"] is plain["validation"] is plain["early"] is None
    drawn = lessons_of([constants(0.0)], [lambda size, generator: torch.rand(size, 1, generator=generator)])
    x, _ = drawn.taught(kinds(), Recipe(), torch.device("cpu"))["redraw"](torch.Generator())
    assert x.shape == (1, 20, 1)
    moved = lessons_of([constants(0.0)], [X], perturb=lambda x, generator: x + 7)
    x, z = moved.taught(kinds(), Recipe(), torch.device("cpu"))["relabel"](X[None], torch.Generator())
    torch.testing.assert_close(x, X[None] + 7)
    assert z.shape == (1, 40, 1, 2)


def test_students_that_do_not_fit_are_told() -> None:
    lessons = lessons_of([constants(0.0)], [X])
    wrong = endd.Student(torch.nn.Linear(1, 4), student().family)
    with pytest.raises(ValueError, match="network 0 gives 4"):
        lessons.check([wrong])
