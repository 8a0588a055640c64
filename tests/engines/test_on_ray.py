"""Ray where it is not installed; where it is, tests/cluster shows it at work."""

import sys

import pytest

from endd.engines import Engine, map_parts


def test_a_missing_ray_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(ImportError, match=r"pip install 'endd\[ray\]'"):
        map_parts(abs, [1], engine=Engine("ray"))
