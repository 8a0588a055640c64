"""Distilling from a cache: the same as from the teacher where it fits into memory, in blocks where it does not."""

from pathlib import Path
from typing import Any

import pytest
import torch

import endd
from endd.families import Gaussian
from endd.nn import MLP
from endd.training import TeacherCache, distill
from endd.training.cache import CacheError
from endd.training.loop import Loop
from tests.training.cache.caching import X, ensemble, label
from tests.training.distilling import Recorded, same

SETTINGS: dict[str, Any] = {"epochs": 3, "batch_size": 16, "progress": "none"}


def taught(teacher: Any, inputs: Any = X, v: Any = None, **options: Any) -> endd.Student:
    torch.manual_seed(5)
    family = Gaussian()
    student = endd.Student(MLP(2, [6], endd.num_outputs(family, v)), family, v)
    distill(teacher, student, inputs, **{**SETTINGS, **options})
    return student


def test_a_cache_in_memory_teaches_what_its_teacher_does(tmp_path: Path) -> None:
    cache = label(tmp_path, keep_inputs=True)
    same(taught(cache), taught(ensemble()))
    same(taught(cache, None), taught(ensemble()))


def test_moments_teach_what_members_do(tmp_path: Path) -> None:
    teacher = ensemble(7)
    cache = label(tmp_path, teacher, contents="moments")
    same(taught(cache), taught(teacher), rtol=1e-3, atol=1e-4)


def test_moments_are_refused_where_they_do_not_suffice(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="holds moments only"):
        taught(label(tmp_path, contents="moments"), v=endd.Point)


def test_a_cache_larger_than_memory_shows_every_row_once_an_epoch(tmp_path: Path) -> None:
    label(tmp_path)
    cache = TeacherCache(tmp_path, memory=1500)  # two or three shards at a time
    spy = Recorded(endd.objectives.DistributionDistillation())
    taught(cache, objective=spy)
    assert [z.shape[2] for z in spy.trained] == [16, 16, 16, 2] * 3
    seen = [torch.cat([z[:, 0] for z in spy.trained[4 * e : 4 * e + 4]], 1) for e in range(3)]
    for epoch in seen:
        assert torch.equal(epoch[0, :, 0].sort().values, cache.outputs()[0, :, 0].sort().values)
    assert not torch.equal(seen[0], seen[1])


def test_a_stream_repeats_to_the_last_bit_and_resumes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    label(tmp_path / "cache")
    cache = TeacherCache(tmp_path / "cache", memory=1500)
    whole = taught(cache)
    same(taught(cache), whole)
    run = {"run": tmp_path / "run", "checkpoint_seconds": 0}
    real, epochs = Loop._run_epoch, []

    def stops(loop: Loop) -> Any:
        epochs.append(loop.epoch)
        if len(epochs) == 3:
            raise KeyboardInterrupt
        return real(loop)

    monkeypatch.setattr(Loop, "_run_epoch", stops)
    with pytest.raises(KeyboardInterrupt):
        taught(cache, **run)
    same(taught(cache, **run, resume=True), whole)
    assert epochs == [0, 1, 2, 2]


def test_a_run_does_not_go_on_with_another_cache(tmp_path: Path) -> None:
    taught(label(tmp_path / "a"), run=tmp_path / "run")
    with pytest.raises(ValueError, match="caches was"):
        taught(label(tmp_path / "b", ensemble(seed=4)), run=tmp_path / "run", resume=True)


def test_a_stream_learns_as_well_as_a_table(tmp_path: Path) -> None:
    label(tmp_path)
    whole = taught(TeacherCache(tmp_path), epochs=200)
    part = taught(TeacherCache(tmp_path, memory=1500), epochs=200)
    torch.testing.assert_close(part.predict(X).mean, whole.predict(X).mean, rtol=0.2, atol=0.05)


def test_some_members_a_batch(tmp_path: Path) -> None:
    label(tmp_path)
    spy = Recorded(endd.objectives.DistributionDistillation())
    taught(TeacherCache(tmp_path, members=2), objective=spy)
    assert {len(z) for z in spy.trained} == {2}
    assert len({tuple(z[:, 0, 0, 0].tolist()) for z in spy.trained}) > 6


def test_shards_are_held_out(tmp_path: Path) -> None:
    label(tmp_path)
    spy = Recorded(endd.objectives.DistributionDistillation())
    taught(TeacherCache(tmp_path, memory=1500), objective=spy, hold_out="inputs", hold_out_share=0.3)
    assert {z.shape[2] for z in spy.validated} <= {16, 10}
    assert sum(z.shape[2] for z in spy.trained) in (3 * 34, 3 * 40)


def test_an_epoch_of_some_rows(tmp_path: Path) -> None:
    label(tmp_path)
    spy = Recorded(endd.objectives.DistributionDistillation())
    taught(TeacherCache(tmp_path, memory=1500), objective=spy, epoch_rows=20, epochs=1)
    assert len(spy.trained) == 2


def test_other_inputs_and_damage_stop_distillation(tmp_path: Path) -> None:
    cache = label(tmp_path)
    with pytest.raises(CacheError, match="rows 0 to 7 are others"):
        taught(cache, X + 1)
    (tmp_path / "shard-000004.npy").write_bytes(b"")
    with pytest.raises(CacheError, match=r"shard-000004\.npy"):
        taught(TeacherCache(tmp_path, memory=1500))


def test_a_student_of_another_family_is_refused(tmp_path: Path) -> None:
    cache, family = label(tmp_path), endd.families.Categorical(2)
    student = endd.Student(MLP(2, [6], endd.num_outputs(family)), family)
    with pytest.raises(ValueError, match=r"teacher's family, Gaussian, but got one of Categorical"):
        distill(cache, student, X, **SETTINGS)
