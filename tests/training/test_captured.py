"""A step of training as a CUDA graph; without a GPU these tests are skipped."""

from typing import Any

import pytest
import torch
from torch import Tensor

import endd
from endd.distributions import TemperedPoint
from endd.nn import MLP, ResNet
from endd.objectives import DirichletDistillation, MixtureDistillation, mean_and_spread
from endd.objectives.dirichlet import Annealing
from endd.training import flips_and_crops, tables
from endd.training.captured import WARM_STEPS, CapturedStep
from endd.training.loop import Loop

pytestmark = pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")
FAMILY = endd.families.Categorical(4)
QUIET: dict[str, Any] = {"progress": "none", "device": "cuda"}


@pytest.fixture(autouse=True)
def _on_the_cpu() -> None:
    """These are about the GPU."""


def without_recording(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(CapturedStep, "__call__", lambda self, batch, stage=None: self._step(batch))


def test_a_recorded_step_is_the_step() -> None:
    weight = torch.zeros(3, device="cuda")

    def step(batch: tuple[Tensor]) -> Tensor:
        weight.add_(batch[0])
        return weight.clone()

    captured = CapturedStep(step)
    for number in range(1, 3 * WARM_STEPS):
        found = captured((torch.full((3,), 1.0, device="cuda"),)).clone()
        assert found.tolist() == [number] * 3
    assert captured.refused is None


def test_a_step_that_looks_at_its_data_runs_as_it_is() -> None:
    captured = CapturedStep(lambda batch: batch + float(batch.sum()))
    found = [captured(torch.ones(2, device="cuda")).tolist() for _ in range(WARM_STEPS + 3)]
    assert found == [[3.0, 3.0]] * (WARM_STEPS + 3)
    assert captured.refused is not None


@pytest.mark.parametrize("optimiser", ["sgd", "adam", "adamw", "muon"])
def test_members_train_as_without_recording(optimiser: str, monkeypatch: pytest.MonkeyPatch) -> None:
    x, y = torch.randn(100, 5), torch.randint(4, (100,))

    def trained() -> list[Tensor]:
        torch.manual_seed(0)
        ensemble = endd.Ensemble([MLP(5, [8], 4) for _ in range(3)], FAMILY)
        options: dict[str, Any] = {"epochs": 5, "batch_size": 32, "optimiser": optimiser, "ema": 0.9, "clip": 1.0}
        endd.fit_ensemble(ensemble, (x, y), **options, **QUIET)
        return [p.detach().cpu() for p in ensemble.parameters()]

    recorded = trained()
    without_recording(monkeypatch)
    torch.testing.assert_close(recorded, trained(), rtol=1e-3, atol=1e-4)


@pytest.fixture
def refused(monkeypatch: pytest.MonkeyPatch) -> list[str | None]:
    """Why steps were not recorded, an entry an epoch."""
    found: list[str | None] = []
    taken = Loop._run_epoch

    def watched(self: Loop) -> dict[str, float]:
        numbers = taken(self)
        found.append("not tried" if self.captured is None else self.captured.refused)
        return numbers

    monkeypatch.setattr(Loop, "_run_epoch", watched)
    return found


def test_every_kind_of_image_student_is_recorded(refused: list[str | None]) -> None:
    torch.manual_seed(0)
    family = endd.families.Categorical(4)
    kinds: list[tuple[Any, Any]] = [
        (endd.Point, MixtureDistillation(family, temperature=2.5)),
        (TemperedPoint, MixtureDistillation(family)),
        (endd.Dirichlet, DirichletDistillation(annealing=Annealing(hold=2))),
        (endd.ModuloShift.of(endd.DiagonalNormal), mean_and_spread(family, 0.8)),
        (endd.ModuloShift.of(endd.LowRankNormal.of(rank=2)), mean_and_spread(family, 0.8)),
    ]
    forms, objectives = zip(*kinds, strict=True)
    students = [endd.Student(ResNet(8, endd.num_outputs(family, v), 4), family, v) for v in forms]
    pool = torch.randint(0, 256, (300, 3, 32, 32), dtype=torch.uint8, device="cuda")
    z = torch.randn(5, 300, 4, device="cuda")
    options: dict[str, Any] = {"epochs": 5, "batch_size": 50, "optimiser": "sgd", "precision": "bf16-mixed"}
    history = endd.training.distill_many([z] * 5, students, [pool] * 5, objective=objectives, **options, **QUIET)
    assert refused == [None] * 5
    assert all(torch.tensor(history.loss).isfinite())


@pytest.mark.parametrize("optimiser", ["sgd", "muon"])
def test_image_members_are_recorded_with_flips_and_crops(optimiser: str, refused: list[str | None]) -> None:
    torch.manual_seed(0)
    ensemble = endd.Ensemble([ResNet(8, 4, 4) for _ in range(3)], FAMILY)
    x, y = torch.randint(0, 256, (200, 3, 32, 32), dtype=torch.uint8), torch.randint(4, (200,))
    options: dict[str, Any] = {"epochs": 8, "batch_size": 64, "optimiser": optimiser, "precision": "bf16-mixed"}
    history = endd.fit_ensemble(ensemble, (x, y), augment=flips_and_crops, **options, **QUIET)
    assert refused == [None] * 8
    assert history.loss[-1] < history.loss[0]


@pytest.mark.parametrize("shared", [True, False])
def test_the_next_batch_is_made_while_the_gpu_is_busy(shared: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tables, "MAX_ORDERED_CELLS", 0)  # picked batch by batch, as large ones are
    x = torch.zeros(2, 64, 3, 8, 8, dtype=torch.uint8, device="cuda")
    order, generator = tables.Order([64, 64], [0, 0, 1], 16, shared=shared), torch.Generator()
    torch.cuda.set_sync_debug_mode("error")
    try:
        shapes = [flips_and_crops(batch, generator).shape for batch in order.batches(x, generator)]
    finally:
        torch.cuda.set_sync_debug_mode("default")
    assert shapes == 4 * [(3, 16, 3, 8, 8)]
