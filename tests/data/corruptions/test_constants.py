"""The table names 19 corruptions at five severities."""

import pytest

from endd.data.corruptions.by_name import FUNCTIONS
from endd.data.corruptions.constants import CONSTANTS, CORRUPTIONS, RELEASED_NAMES, SEVERITIES, check_corruption


def test_every_corruption_has_five_severities_and_a_function() -> None:
    assert len(CORRUPTIONS) == 19
    assert set(FUNCTIONS) == set(CORRUPTIONS) >= set(RELEASED_NAMES)
    assert {len(rows) for rows in CONSTANTS.values()} == {len(SEVERITIES)}
    assert all(len({len(row) for row in rows}) == 1 for rows in CONSTANTS.values())


def test_other_names_and_severities_are_refused() -> None:
    check_corruption("fog", 5)
    with pytest.raises(ValueError, match="'rain'"):
        check_corruption("rain", 1)
    with pytest.raises(ValueError, match="`severity` from 1 to 5, but got 0"):
        check_corruption("fog", 0)
