"""What members learn: their losses, with neighbours, weights and what is held out."""

from typing import Any

import torch
from torch import Tensor

from endd.families import Gaussian
from endd.nn import MLP
from endd.training.losses import nll
from endd.training.members import MemberTask
from endd.training.stack import Stack
from endd.training.tables import Order

FAMILY = Gaussian()


def examples() -> tuple[Tensor, Tensor]:
    x = torch.randn(40, 2, dtype=torch.float64)
    return x, x.sum(1).sin()


def task_of(x: Tensor, y: Tensor, **options: Any) -> MemberTask:
    """Two members on the same data."""
    return MemberTask(FAMILY, nll, x[None], y[None], Order([len(y)], [0, 0], 16), **options)


def test_the_adversarial_loss_is_the_mean_of_the_plain_and_the_nearby_loss() -> None:
    x, y = examples()
    x = x * torch.tensor([1.0, 100.0])
    stack = Stack([MLP(2, [8], 2).double() for _ in range(2)])
    batch = (x.expand(2, 40, 2), y.expand(2, 40))
    plain = task_of(x, y).loss(stack, batch, 0)
    both = task_of(x, y, adversarial=0.01).loss(stack, batch, 0)
    assert (2 * both - plain > plain).all()
    inputs = batch[0].clone().requires_grad_()
    (slope,) = torch.autograd.grad(nll(FAMILY, stack(inputs), batch[1]).mean(1).sum(), inputs)
    nearby = x + 0.01 * (x.amax(0) - x.amin(0)) * slope.sign()
    torch.testing.assert_close(2 * both - plain, nll(FAMILY, stack(nearby), batch[1]).mean(1))


def test_a_validation_loss_is_weighted_too() -> None:
    torch.manual_seed(0)
    x, y = examples()
    task, weights = task_of(x, y), torch.arange(40.0, dtype=torch.float64)
    stack = Stack([MLP(2, [8], 2).double() for _ in range(2)])
    task.validation = (x[None], y[None], weights[None])
    losses = nll(FAMILY, stack(x.expand(2, 40, 2)), y)
    torch.testing.assert_close(task.validate(stack), (losses * weights).mean(1))


def test_all_that_there_is_of_the_data_goes_to_a_device() -> None:
    x, y = examples()
    task = task_of({"a": x}["a"], y, weights=torch.ones(1, 40), validation=(x[None], y[None])).on(torch.device("meta"))
    assert {data.device.type for data in (task.x, task.y, task.weights, *task.validation)} == {"meta"}
    assert task_of(x, y).on(torch.device("meta")).weights is None


def test_members_have_names() -> None:
    x, y = examples()
    assert task_of(x, y, names=["member 0", "member 7"]).name(1) == "member 7"
