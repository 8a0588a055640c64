"""Inference leaves shared modules as they are and follows their weights."""

import torch
from torch import nn

import endd
from endd.families import Gaussian
from endd.models.twin import in_training, shared_copy


def test_predict_is_inference_for_net_and_leaves_the_mode_alone() -> None:
    net = nn.Sequential(nn.Linear(3, 8), nn.Dropout(0.5), nn.BatchNorm1d(8), nn.Linear(8, 5))
    student, x = endd.Student(net, Gaussian()), torch.randn(16, 3)
    student(x)
    first = student.predict(x).mean
    assert torch.equal(first, student.predict(x).mean)
    assert net.training
    assert torch.equal(first, student.eval().predict(x).mean)


def test_predict_follows_weights_and_dtype() -> None:
    student, x = endd.Student(nn.Linear(3, 5), Gaussian()), torch.randn(4, 3)
    before = student.predict(x).mean
    with torch.no_grad():
        student.net.bias.add_(1.0)
    torch.testing.assert_close(student.predict(x).mean, before + 1)
    assert student.double().predict(x).mean.dtype == torch.float64


def test_predict_is_inference_and_leaves_the_mode_alone() -> None:
    nets = [nn.Sequential(nn.Linear(3, 8), nn.BatchNorm1d(8), nn.Dropout(0.5), nn.Linear(8, 2)) for _ in range(3)]
    ensemble, x = endd.Ensemble(nets, Gaussian()), torch.randn(16, 3)
    before = [buffer.clone() for net in nets for buffer in net.buffers()]
    state = torch.random.get_rng_state()
    first, second = ensemble.predict(x), ensemble.predict(x)
    assert torch.equal(first.v.atoms, second.v.atoms)
    assert all(part.training for net in nets for part in net.modules())
    assert all(torch.equal(a, b) for a, b in zip(before, (b for net in nets for b in net.buffers()), strict=True))
    assert torch.equal(state, torch.random.get_rng_state())
    expected = torch.stack([net.eval()(x) for net in nets])
    torch.testing.assert_close(first.v.atoms, expected.detach())


def test_a_shared_copy_is_in_eval_mode_and_has_the_same_tensors() -> None:
    net = nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4))
    other = shared_copy(net)
    assert net.training
    assert not any(part.training for part in other.modules())
    assert all(a is b for a, b in zip(net.parameters(), other.parameters(), strict=True))
    assert all(a is b for a, b in zip(net.buffers(), other.buffers(), strict=True))


def test_a_module_trains_if_any_part_does() -> None:
    net = nn.Sequential(nn.Linear(3, 4), nn.Sequential(nn.Identity(), nn.Dropout(0.5))).eval()
    net.register_module("missing", None)
    assert not in_training(net)
    net[1][1].train()
    assert in_training(net)


def test_predict_sees_a_part_put_into_training_mode_between_calls() -> None:
    net = nn.Sequential(nn.Linear(3, 8), nn.Sequential(nn.Dropout(0.5)), nn.Linear(8, 5))
    student, x = endd.Student(net, Gaussian()).eval(), torch.randn(16, 3)
    before = student.predict(x).mean
    net[1][0].train()
    assert torch.equal(student.predict(x).mean, before)
