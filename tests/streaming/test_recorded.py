"""Answers replayed as one recording; without a GPU they are what `predict` says."""

from concurrent.futures import ThreadPoolExecutor

import pytest
import torch
from torch import Tensor

import endd
from endd.nn import MLP, ResNet
from endd.streaming import Recorded
from endd.streaming.recorded import MOST_ROWS, Answer

CLASSES, NUMBER = endd.families.Categorical(4), endd.families.Gaussian()
needs_gpu = pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")
DEVICES = ["cpu", pytest.param("cuda", marks=needs_gpu)]


def image_student(device: str) -> endd.Student:
    form = endd.ModuloShift.of(endd.LowRankNormal.of(rank=2))
    return endd.Student(ResNet(8, endd.num_outputs(CLASSES, form), 4), CLASSES, form).to(device).eval()


def images(rows: int, device: str) -> Tensor:
    return torch.randint(0, 256, (rows, 3, 16, 16), dtype=torch.uint8, device=device)


def assert_same(answer: Answer, prediction: endd.Prediction) -> None:
    classes = prediction.family.default_measure == "entropy"
    expected = (prediction.probs if classes else prediction.mean, *_parts(prediction))
    for ours, theirs in zip(answer, expected, strict=True):
        torch.testing.assert_close(ours, theirs, rtol=1e-4, atol=1e-5)


def _parts(prediction: endd.Prediction) -> tuple[Tensor, Tensor, Tensor]:
    return prediction.total, prediction.aleatoric, prediction.epistemic


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("rows", [1, 37, 64])
def test_an_answer_is_what_the_model_predicts(device: str, rows: int) -> None:
    student = image_student(device)
    answer = Recorded(student)
    for _ in range(6):  # some as they are, then recorded, then replayed
        x = images(rows, device)
        assert_same(answer(x), student.predict(x))


@pytest.mark.parametrize("device", DEVICES)
def test_ensembles_and_regression_answer_too(device: str) -> None:
    ensemble = endd.Ensemble([MLP(3, [8], 2) for _ in range(4)], NUMBER).to(device)
    x = torch.randn(10, 3)
    answer = Recorded(ensemble)
    for _ in range(6):
        assert_same(answer(x), ensemble.predict(x))


def test_many_rows_come_in_parts() -> None:
    student = endd.Student(torch.nn.Linear(3, 5), NUMBER)
    x = torch.randn(2 * MOST_ROWS + 5, 3)
    assert_same(Recorded(student)(x), student.predict(x))


@pytest.mark.parametrize("device", DEVICES)
def test_answers_keep_their_numbers_and_follow_the_weights(device: str) -> None:
    student = image_student(device)
    answer, x = Recorded(student), images(8, device)
    first = [answer(x) for _ in range(6)]
    kept = first[0].total.clone()
    with torch.no_grad():
        student.net.head.bias.add_(torch.arange(len(student.net.head.bias), device=device))  # type: ignore[union-attr]
    assert_same(answer(x), student.predict(x))
    assert all(torch.allclose(each.total, kept, rtol=1e-4, atol=1e-5) for each in first)


@pytest.mark.parametrize("device", DEVICES)
def test_threads_get_their_own_answers(device: str) -> None:
    student = image_student(device)
    answer = Recorded(student)
    batches = [images(rows, device) for rows in (1, 5, 8, 3) * 4]
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(answer, batches))
    for x, each in zip(batches, found, strict=True):
        assert_same(each, student.predict(x))
