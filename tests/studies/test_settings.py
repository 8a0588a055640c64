"""What the settings of all studies share."""

from dataclasses import dataclass

import pytest

from endd.studies.settings import Settings, check_unchanged
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


def test_the_first_setting_that_changed_is_named() -> None:
    before, now = Two(preset="a").as_plain(), Two(preset="b", sizes=(3,)).as_plain()
    with pytest.raises(ValueError, match=r"preset was 'a' and now is 'b'\. Go away\."):
        check_unchanged(before, now, [], "Go away.")
    with pytest.raises(ValueError, match=r"sizes was \[1, 2\] and now is \[3\]"):
        check_unchanged(before, now, ["preset"], "")
    with pytest.raises(ValueError, match="extra was 1 and now is None"):
        check_unchanged(before | {"extra": 1}, before, [], "")


def test_the_name_of_a_preset_alone_does_not_matter() -> None:
    check_unchanged(Two(preset="a").as_plain(), Two(preset="b").as_plain(), [], "")


def test_what_is_free_may_be_a_setting_or_all_settings_of_a_name() -> None:
    before, now = Two().as_plain(), Two(recipe=Recipe(epochs=4, device="cuda")).as_plain()
    check_unchanged(before, now, ["recipe"], "")
    with pytest.raises(ValueError, match=r"recipe\.epochs was 3 and now is 4"):
        check_unchanged(before, now, ["recipe.device"], "")
