"""Numbers of others cover the sets of the study."""

from endd.data.uci import NAMES
from endd.report.uci_published import PUBLISHED


def test_every_set_has_a_row() -> None:
    assert all({*found} == {*NAMES} for found in PUBLISHED.values())
