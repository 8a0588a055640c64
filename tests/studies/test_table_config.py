"""Settings of `endd fit`."""

import json

import pytest

from endd.studies.table_config import Config


def test_settings_are_written_in_plain_types() -> None:
    plain = Config("t.csv", "y", drop=("a",)).as_plain()
    assert json.loads(json.dumps(plain)) == plain
    assert (plain["drop"], plain["task"], plain["members"]) == (["a"], "auto", 10)


def test_wrong_settings_are_named() -> None:
    with pytest.raises(ValueError, match="Expected `task` to be one of 'auto', 'regression', 'classification'"):
        Config("t.csv", "y", "clustering")
    with pytest.raises(ValueError, match="share of test rows between 0 and 1, but got 1"):
        Config("t.csv", "y", test_share=1)
