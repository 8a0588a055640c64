"""Order with ties: rows of equal value share what a random order among them would give on average.

This is what makes every ranking metric here independent of the order in which the rows come.
"""

import torch
from torch import Tensor


def mid_ranks(values: Tensor) -> Tensor:
    """Ranks 1..B of values (B,) in float64; rows of equal value get the mean of the ranks they occupy."""
    _, block, count = torch.unique(values, return_inverse=True, return_counts=True)
    rank = count.cumsum(0).double() - (count.double() - 1) / 2
    return torch.gather(rank, 0, block)


def ordered(loss: Tensor, key: Tensor) -> Tensor:
    """`loss` (B,) in ascending order of `key` (B,); rows of equal key get the mean of their losses."""
    # Adding up in the order of the losses gives the same bits whatever the order of the rows.
    loss, order = loss.sort()
    values, block, count = torch.unique(key[order], return_inverse=True, return_counts=True)
    total = loss.new_zeros(len(values)).index_add_(0, block, loss)
    return torch.repeat_interleave(total / count, count)


def inclusion(values: Tensor, count: int) -> Tensor:
    """Probability (B,) that each row is among the `count` largest values when ties are broken at random."""
    threshold = values.sort(descending=True).values[count - 1]
    above, tied = values > threshold, values == threshold
    share = (count - above.sum()).double() / tied.sum()
    return above.double() + tied.double() * share
