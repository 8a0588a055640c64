"""Where a student's inputs and labels come from; most of it is shown in the tests of distillation."""

from pathlib import Path

import pytest
import torch

import endd
from endd.families import Gaussian
from endd.nn import MLP
from endd.training import TeacherCache
from endd.training.sources import Source, stream_of
from tests.training.cache.caching import X, ensemble, label

STUDENT = endd.Student(MLP(2, [4], 5), Gaussian())


def source(teacher: object, inputs: object = X) -> Source:
    return Source(teacher, inputs, STUDENT, "parameters", 10)


def test_a_cache_gives_the_table_that_its_teacher_gives(tmp_path: Path) -> None:
    generator = torch.Generator()
    x, z = source(label(tmp_path)).table(generator)
    expected_x, expected_z = source(ensemble()).table(generator)
    assert torch.equal(x, expected_x)
    torch.testing.assert_close(z, expected_z)


def test_a_cache_streams_where_it_is_larger_than_memory(tmp_path: Path) -> None:
    small, large = source(label(tmp_path)), source(TeacherCache(tmp_path, memory=1000))
    assert stream_of([small], "none") is None
    assert stream_of([large], "none") is large
    with pytest.raises(ValueError, match="Expected one cache"):
        stream_of([small, large], "none")


def test_a_share_of_shards_is_held_out(tmp_path: Path) -> None:
    kept, held = source(label(tmp_path)).split("inputs", 0.3, torch.Generator().manual_seed(0))
    assert len(kept) == 5
    assert held is not None
    assert len(held[0][1]) in (10, 16)


@pytest.mark.parametrize(
    ("theirs", "ours", "said"),
    [
        (Gaussian().in_units(100.0, 10.0), Gaussian(), "with shift 100.0, scale 10.0, but got one of Gaussian with"),
        (Gaussian(min_variance=0.5), Gaussian(), "with min_variance 0.5"),
        (endd.families.Bernoulli(2), Gaussian(), "Bernoulli, but got one of Gaussian:"),
    ],
)
def test_a_student_of_another_family_than_its_teacher_is_refused(
    theirs: endd.families.Family, ours: endd.families.Family, said: str
) -> None:
    teacher = endd.Ensemble([MLP(3, [4], 2) for _ in range(3)], theirs)
    student = endd.Student(MLP(3, [4], endd.num_outputs(ours)), ours)
    with pytest.raises(ValueError, match=said):
        Source(teacher, torch.zeros(4, 3), student, "parameters", 1)
    if type(theirs) is type(ours):  # moments say by themselves what they mean
        Source(teacher, torch.zeros(4, 3), student, "moments", 1)
    else:
        with pytest.raises(ValueError, match=said):
            Source(teacher, torch.zeros(4, 3), student, "moments", 1)
