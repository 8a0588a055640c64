"""Members come one at a time."""

import pytest
from torch import nn

from endd.families import Gaussian
from endd.training import OneByOne


def test_each_member_is_loaded_when_its_turn_comes() -> None:
    loaded: list[nn.Module] = []

    def load() -> nn.Module:
        loaded.append(nn.Linear(2, 2))
        return loaded[-1]

    one_by_one = OneByOne([load, load], Gaussian())
    for number, single in enumerate(one_by_one.members()):
        assert single.members[0] is loaded[-1]
        assert len(loaded) == number + 1
    assert len(one_by_one) == 2


def test_no_members_are_refused() -> None:
    with pytest.raises(ValueError, match="at least one"):
        OneByOne([], Gaussian())
