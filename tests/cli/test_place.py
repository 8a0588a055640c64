"""Options that all commands share which can run elsewhere."""

import pytest

from endd.cli import app
from endd.cli.place import HERE, Place
from endd.engines import Engine


def test_a_place_is_an_engine() -> None:
    assert HERE.as_engine() == Engine()
    assert Place("ray", 3, "auto").as_engine() == Engine("ray", 3, "auto")


@pytest.mark.parametrize(
    "command", [["label"], *(["reproduce", study] for study in ("toy", "uci", "cifar10", "estimators"))]
)
def test_commands_share_their_options(command: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    app([*command, "--help"], result_action="return_value")
    told = " ".join(capsys.readouterr().out.replace("│", " ").split())
    for word in ("--engine", "--workers", "--address", "Of a Ray cluster, such as auto"):
        assert word in told
    assert "--place" not in told
