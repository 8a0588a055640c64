"""What a model costs."""

import pytest
import torch

import endd
from endd.nn import MLP, ResNet
from endd.studies.cost import BATCHES, cost, milliseconds_a_row, multiply_adds

CLASSES = endd.families.Categorical(10)
IMAGES = torch.zeros(2, 3, 32, 32, dtype=torch.uint8)


def test_parameters_bytes_and_times() -> None:
    family = endd.families.Gaussian()
    student = endd.Student(MLP(3, [8], endd.num_outputs(family)), family)
    found = cost(student, torch.randn(5, 3))
    count = sum(p.numel() for p in student.parameters())
    assert found["parameters"] == count
    assert found["bytes"] == 4 * count
    assert all(found[f"ms_a_row@{size}"] > 0 for size in BATCHES)


def by_hand(width: int, outputs: int) -> int:
    """ResNet-20: a stem, six convolutions a stage, of which the first of the later ones halves the image, and a head.

    The shortcuts stride and pad, which multiplies nothing.
    """
    stem = 32 * 32 * 9 * 3 * width
    stages = [(32, width), (16, 2 * width), (8, 4 * width)]
    narrower = [width, width, 2 * width]  # what the first convolution of a stage takes
    products = [
        side * side * 9 * channels * (before + 5 * channels)
        for (side, channels), before in zip(stages, narrower, strict=True)
    ]
    return stem + sum(products) + 4 * width * outputs


@pytest.mark.parametrize("width", [16, 24])
def test_multiply_adds_of_a_residual_network_by_hand(width: int) -> None:
    one = endd.Ensemble([ResNet(20, 10, width)], CLASSES).eval()
    assert multiply_adds(one, IMAGES) == by_hand(width, 10)
    assert by_hand(16, 10) == 40_551_040  # the 41 M of He et al. 2016
    outputs = endd.num_outputs(CLASSES)
    student = endd.Student(ResNet(20, outputs, width), CLASSES).eval()
    assert multiply_adds(student, IMAGES) == by_hand(width, outputs)


@pytest.mark.parametrize("stacking", ["stacked", "loop"])
def test_members_count_one_by_one(stacking: str) -> None:
    networks = [ResNet(8, 10, 4) for _ in range(3)]
    one, all_three = (endd.Ensemble(chosen, CLASSES).eval() for chosen in (networks[:1], networks))
    all_three.stacking = stacking
    assert multiply_adds(all_three, IMAGES) == 3 * multiply_adds(one, IMAGES)


def test_a_time_is_the_median_of_rounds_after_one_to_warm_up(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter([0.0, 9.0, 10.0, 10.1, 20.0, 20.3, 30.0, 30.2])
    monkeypatch.setattr("endd.studies.cost.time.perf_counter", lambda: next(clock))
    one = endd.Ensemble([ResNet(8, 10, 2)], CLASSES)
    assert milliseconds_a_row(one, IMAGES, 4, rounds=3) == pytest.approx(1e3 * 0.2 / 4)
