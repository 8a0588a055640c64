"""Order with ties."""

import itertools

import numpy as np
import torch
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import rankdata

from endd.metrics._ranks import inclusion, mid_ranks, ordered

FEW = st.lists(st.integers(-2, 2), min_size=1, max_size=12)
INF = float("inf")


@given(FEW)
def test_mid_ranks_as_scipy(values):
    expected = rankdata(values, method="average")
    np.testing.assert_array_equal(mid_ranks(torch.tensor(values, dtype=torch.float64)).numpy(), expected)


def test_mid_ranks_of_infinities_and_signed_zeros():
    values = torch.tensor([0.0, -0.0, INF, INF, -INF])
    assert mid_ranks(values).tolist() == [2.5, 2.5, 4.5, 4.5, 1.0]


def test_ordered_without_ties_sorts():
    loss, key = torch.tensor([1.0, 2.0, 3.0]), torch.tensor([0.5, -1.0, 7.0])
    assert ordered(loss, key).tolist() == [2.0, 1.0, 3.0]


@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 5)), min_size=1, max_size=5))
def test_ordered_is_the_mean_over_all_ways_to_break_ties(pairs):
    orders = [o for o in itertools.permutations(pairs) if [k for k, _ in o] == sorted(k for k, _ in pairs)]
    expected = np.mean([[loss for _, loss in order] for order in orders], axis=0)
    key, loss = torch.tensor(pairs, dtype=torch.float64).T
    np.testing.assert_allclose(ordered(loss, key).numpy(), expected, atol=1e-12)


def test_ordered_gives_the_same_bits_in_any_order():
    generator = torch.Generator().manual_seed(0)
    loss = torch.rand(500, generator=generator, dtype=torch.float64)
    key = torch.randint(5, (500,), generator=generator).double()
    order = torch.randperm(500, generator=generator)
    assert torch.equal(ordered(loss, key), ordered(loss[order], key[order]))


@given(FEW, st.data())
def test_inclusion_sums_to_the_count(values, data):
    count = data.draw(st.integers(1, len(values)))
    weight = inclusion(torch.tensor(values, dtype=torch.float64), count)
    assert abs(weight.sum().item() - count) < 1e-12
    assert bool(((weight >= 0) & (weight <= 1)).all())


def test_inclusion_shares_the_places_left():
    assert inclusion(torch.tensor([3.0, 1.0, 1.0, 1.0, 0.0]), 2).tolist()[0] == 1.0
    torch.testing.assert_close(
        inclusion(torch.tensor([3.0, 1.0, 1.0, 1.0, 0.0]), 2),
        torch.tensor([1, 1 / 3, 1 / 3, 1 / 3, 0], dtype=torch.float64),
    )
