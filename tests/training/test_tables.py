"""Every track sees its own rows in its own order."""

import pytest
import torch
from scipy.stats import chisquare
from torch import Tensor

from endd.training import tables
from endd.training.tables import Order, first_tensor, map_tensors, some_of, stack_jobs


def numbered(order: Order) -> Tensor:
    """A table (jobs, n) that holds its own row numbers."""
    return torch.arange(max(order.sizes)).repeat(len(order.sizes), 1)


def epochs_of(order: Order, epochs: int = 1, seed: int = 0) -> list[Tensor]:
    """The rows (J, n) of some epochs."""
    generator = torch.Generator().manual_seed(seed)
    return [torch.cat(list(order.batches(numbered(order), generator)), 1) for _ in range(epochs)]


def test_an_epoch_holds_every_row_once_for_every_track() -> None:
    (rows,) = epochs_of(Order([10], [0, 0, 0], 4))
    assert torch.equal(rows.sort(1).values, torch.arange(10).expand(3, 10))
    assert len({tuple(track) for track in rows.tolist()}) == 3


def test_every_epoch_and_every_seed_has_an_order_of_its_own() -> None:
    order = Order([10], [0], 4)
    first, second = epochs_of(order, 2)
    (other,) = epochs_of(order, seed=1)
    assert not torch.equal(first, second)
    assert not torch.equal(first, other)
    assert torch.equal(first, epochs_of(order)[0])


@pytest.mark.parametrize(
    ("rows", "batch", "sizes"),
    [(3, 64, [3]), (64, 64, [64]), (65, 64, [64]), (66, 64, [64, 2]), (10, 4, [4, 4, 2]), (1, 1, [1])],
)
def test_batches_are_as_large_as_asked_and_a_remainder_is_smaller(rows: int, batch: int, sizes: list[int]) -> None:
    order = Order([rows], [0, 0], batch)
    shapes = [tuple(part.shape) for part in order.batches(numbered(order), torch.Generator())]
    assert shapes == [(2, size) for size in sizes]
    assert order.steps() == len(sizes)


def test_jobs_of_different_size_share_the_steps_and_keep_to_their_rows() -> None:
    epochs = epochs_of(Order([7, 5, 6], [0, 0, 1, 2], 3), 20)
    for track, size in enumerate([7, 7, 5, 6]):
        seen = [set(rows[track].tolist()) for rows in epochs]
        assert all(len(rows) == 5 for rows in seen)
        assert set.union(*seen) == set(range(size))


def test_every_track_picks_from_its_own_job() -> None:
    order = Order([4, 4], [0, 1, 1], 2)
    table = {"job": torch.tensor([[0, 0, 0, 0], [1, 1, 1, 1]]), "row": numbered(order)}
    for batch in order.batches(table, torch.Generator()):
        assert batch["job"].tolist() == [[0, 0], [1, 1], [1, 1]]


def test_the_parts_of_a_nest_stay_together() -> None:
    order = Order([9], [0, 0], 4)
    x = torch.arange(9).reshape(1, 9)
    for (a, b), c in order.batches(((x, 2 * x), 3 * x), torch.Generator()):
        assert torch.equal(b, 2 * a)
        assert torch.equal(c, 3 * a)


def test_large_tables_come_in_the_same_order_as_small_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    order = Order([7, 5], [0, 1, 1], 3)
    at_once = epochs_of(order, 2)
    monkeypatch.setattr(tables, "MAX_ORDERED_CELLS", 0)
    assert all(torch.equal(a, b) for a, b in zip(at_once, epochs_of(order, 2), strict=True))


def test_jobs_are_stacked_with_padding_behind() -> None:
    a, b = torch.randn(3, 2), torch.randn(5, 2)
    table = stack_jobs([{"x": (a,)}, {"x": (b,)}])["x"][0]
    assert torch.equal(table[0, :3], a)
    assert torch.equal(table[1], b)


def test_nests_keep_their_shape() -> None:
    nest = {"a": torch.ones(2), "b": (torch.ones(3), [torch.ones(4)])}
    doubled = map_tensors(lambda tensor: 2 * tensor, nest)
    assert [doubled["a"].sum(), doubled["b"][0].sum(), doubled["b"][1][0].sum()] == [4, 6, 8]
    assert first_tensor(nest) is nest["a"]


def test_what_is_no_tensor_is_refused() -> None:
    with pytest.raises(TypeError, match="Expected tensors, or dicts or tuples of them, but got 'text'"):
        map_tensors(lambda tensor: tensor, {"a": "text"})
    with pytest.raises(ValueError, match="at least one tensor"):
        first_tensor(())


def test_some_tables_are_for_some_tracks_only() -> None:
    order = Order([6, 6], [0, 1, 0], 4)
    table = numbered(order)
    parts = list(order.batches((table, -table), torch.Generator(), [slice(None), slice(1, 3)]))
    assert [tuple(some.shape) for _, some in parts] == [(2, 4), (2, 2)]
    assert all(torch.equal(some, -whole[1:]) for whole, some in parts)


def test_tracks_of_a_job_may_share_its_order() -> None:
    order = Order([6, 6], [0, 1, 0, 1], 4, shared=True)
    table = numbered(order) + torch.tensor([[0], [100]])
    for whole, some in order.batches((table, -table), torch.Generator(), [slice(None), slice(2, 4)]):
        assert torch.equal(whole[:2], whole[2:])
        assert torch.equal(some, -whole[2:])
        assert (whole[0] < 100).all()
        assert (whole[1] >= 100).all()
    (first, *_), (other, *_) = (list(order.batches(table, torch.Generator().manual_seed(s))) for s in (0, 1))
    assert first.shape == (4, 4)
    assert not torch.equal(first, other)


def test_an_epoch_may_be_a_part_of_the_rows_drawn_anew() -> None:
    order, generator = Order([50], [0, 0], 8, rows=20), torch.Generator().manual_seed(0)
    table = torch.arange(50).reshape(1, 50)
    first, second = (torch.cat([*order.batches(table, generator)], 1) for _ in range(2))
    assert order.steps() == 3
    assert first.shape == (2, 20)
    assert all(len(set(track.tolist())) == 20 for track in first)
    assert not torch.equal(first.sort(1).values, second.sort(1).values)


@pytest.mark.parametrize(("length", "count"), [(5, 5), (7, 3), (12, 3), (400, 100), (1000, 1)])
def test_some_of_many_are_different_ones(length: int, count: int) -> None:
    drawn = some_of(length, count, torch.Generator().manual_seed(1))
    assert drawn.unique().shape == (count,)
    assert 0 <= int(drawn.min()) <= int(drawn.max()) < length


def test_some_of_many_come_in_any_order_equally_often() -> None:
    generator = torch.Generator().manual_seed(2)
    drawn = torch.stack([some_of(8, 2, generator) for _ in range(5600)])
    counts = torch.bincount(drawn[:, 0] * 8 + drawn[:, 1], minlength=64).reshape(8, 8)
    assert not counts.diagonal().any()
    assert chisquare(counts[~torch.eye(8, dtype=torch.bool)].numpy()).pvalue > 0.001


def test_no_batch_is_a_single_row_that_is_left_over() -> None:
    x = torch.arange(65.0).reshape(1, 65, 1)
    order = Order([65], [0], 64)
    assert [batch.shape[1] for batch in order.batches(x, torch.Generator().manual_seed(0))] == [64]
    assert order.steps() == 1
    assert Order([66], [0], 64).steps() == 2
    assert Order([5], [0], 1).steps() == 5
