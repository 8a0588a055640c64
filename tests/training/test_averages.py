"""Moving averages of weights."""

import torch

from endd.training.averages import Averages


def test_they_follow_the_weights() -> None:
    weight = torch.zeros(3, requires_grad=True)
    averages = Averages([weight], 0.75)
    expected = 0.0
    for value in (1.0, 5.0, -2.0):
        weight.data.fill_(value)
        averages.move()
        expected += 0.25 * (value - expected)
        assert averages.tensors[0].tolist() == [expected] * 3
    assert not averages.tensors[0].requires_grad


def test_weights_are_their_averages_for_a_while() -> None:
    weights = [torch.ones(2), torch.ones(1)]
    averages = Averages(weights, 0.5)
    for weight in weights:
        weight.fill_(3)
    averages.move()
    try:
        with averages.instead():
            assert [weight.tolist() for weight in weights] == [[2, 2], [2]]
            raise KeyError
    except KeyError:
        assert [weight.tolist() for weight in weights] == [[3, 3], [3]]
    buffer = torch.zeros(4)
    assert [tensor.tolist() for tensor in averages.of([*weights, buffer])] == [[2, 2], [2], [0] * 4]


def test_without_a_decay_weights_stand_for_themselves() -> None:
    weight = torch.ones(2)
    averages = Averages([weight], None)
    averages.move()
    with averages.instead():
        weight.add_(1)
    assert weight.tolist() == [2, 2]
    assert averages.of([weight])[0] is weight
    assert averages.tensors == []
