"""Fabric where it is asked for."""

from typing import Any

import pytest

from endd.training import fabric
from endd.training.fabric import fabric_on


@pytest.mark.parametrize("precision", ["32-true", "bf16-mixed"])
def test_one_process_on_the_device_that_was_named(precision: str) -> None:
    made = fabric_on("cpu", precision)
    assert (made.device.type, made.world_size) == ("cpu", 1)
    assert made._precision.precision == precision


def test_without_it_the_line_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(name: str) -> Any:
        raise ImportError(name)

    monkeypatch.setattr(fabric, "import_module", refused)
    with pytest.raises(ImportError, match="pip install lightning-fabric"):
        fabric_on("cpu", "32-true")
