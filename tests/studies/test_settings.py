"""What the settings of all studies share."""

from dataclasses import dataclass

import pytest

from endd.studies.settings import Settings
from endd.training import Recipe

RECIPE = Recipe(epochs=3, device="cpu")


@dataclass(frozen=True)
class Two(Settings):
    recipe: Recipe = RECIPE
    sizes: tuple[int, ...] = (1, 2)


def test_settings_are_written_in_plain_types() -> None:
    plain = Two().as_plain()
    assert list(plain) == ["preset", "seeds", "first_seed", "recipe", "sizes"]
    assert plain["sizes"] == [1, 2]
    assert plain["recipe"]["epochs"] == 3


def test_seeds() -> None:
    assert [*Two(seeds=3, first_seed=4).all_seeds()] == [4, 5, 6]
    for wrong in ({"seeds": 0}, {"first_seed": -1}):
        with pytest.raises(ValueError, match=next(iter(wrong))):
            Two(**wrong)
