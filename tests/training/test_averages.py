"""Moving averages of weights."""

import pytest
import torch

from endd.training.averages import Averages


def test_they_follow_the_weights() -> None:
    weight = torch.full((3,), 100.0, requires_grad=True)  # where it begins says nothing
    averages, values = Averages([weight], 0.75), [1.0, 5.0, -2.0, 0.5]
    for seen, value in enumerate(values, 1):
        weight.data.fill_(value)
        averages.move()
        weights = [0.75**ago for ago in reversed(range(seen))]
        expected = sum(w * v for w, v in zip(weights, values, strict=False)) / sum(weights)
        assert averages.tensors[0].tolist() == pytest.approx([expected] * 3)
    assert not averages.tensors[0].requires_grad


def test_weights_are_their_averages_for_a_while() -> None:
    weights = [torch.ones(2), torch.ones(1)]
    averages = Averages(weights, 0.5)
    for weight in weights:
        weight.fill_(3)
    averages.move()
    for weight in weights:
        weight.fill_(6)
    averages.move()  # to (0.5 * 3 + 6) / 1.5
    try:
        with averages.instead():
            assert [weight.tolist() for weight in weights] == [[5, 5], [5]]
            raise KeyError
    except KeyError:
        assert [weight.tolist() for weight in weights] == [[6, 6], [6]]
    count = torch.zeros(4, dtype=torch.long)
    assert [tensor.tolist() for tensor in averages.of([weights[0], count, weights[1]])] == [[5, 5], [0] * 4, [5]]


def test_without_a_decay_weights_stand_for_themselves() -> None:
    weight = torch.ones(2)
    averages = Averages([weight], None)
    averages.move()
    with averages.instead():
        weight.add_(1)
    assert weight.tolist() == [2, 2]
    assert averages.of([weight])[0] is weight
    assert averages.tensors == []
