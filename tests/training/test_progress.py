"""A long run tells as much as was asked, on the error stream."""

import json

import pytest

from endd.training import progress
from endd.training.progress import reporter

NUMBERS = {"loss": 1.2345678, "learning_rate": 0.01}


def tell(mode: str, epochs: int = 3, stop: int = 3) -> None:
    with reporter(mode, "5 members") as report:
        for epoch in range(1, stop + 1):
            report.update(epoch, epochs, NUMBERS)


def test_lines_end_with_the_last_epoch(capsys: pytest.CaptureFixture[str]) -> None:
    tell("lines")
    out, err = capsys.readouterr()
    assert out == ""
    assert err.splitlines()[-1].startswith("5 members: epoch 3/3  loss 1.235  learning_rate 0.01  ")


def test_lines_come_every_few_seconds_only(capsys: pytest.CaptureFixture[str]) -> None:
    tell("lines", epochs=100, stop=100)
    assert len(capsys.readouterr().err.splitlines()) <= 3


def test_lines_come_for_every_epoch_that_takes_long(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(progress, "SECONDS_BETWEEN_LINES", 0.0)
    tell("lines")
    assert [line.split("  ")[0] for line in capsys.readouterr().err.splitlines()] == [
        f"5 members: epoch {epoch}/3" for epoch in (1, 2, 3)
    ]


def test_lines_end_with_the_last_epoch_of_a_run_that_stopped_early(capsys: pytest.CaptureFixture[str]) -> None:
    tell("lines", epochs=100, stop=7)
    assert "epoch 7/100" in capsys.readouterr().err.splitlines()[-1]


def test_none_prints_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    tell("none")
    assert capsys.readouterr() == ("", "")


def test_auto_is_lines_where_there_is_no_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    tell("auto")
    assert "epoch 3/3" in capsys.readouterr().err


def test_a_bar_shows_title_and_loss_also_where_there_is_no_terminal(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "120")
    tell("bar")
    out, err = capsys.readouterr()
    assert out == ""
    assert "5 members" in err
    assert "3/3" in err
    assert "loss 1.235" in err


def test_an_unknown_mode_is_named() -> None:
    with pytest.raises(
        ValueError, match="`progress` to be one of 'auto', 'bar', 'lines', 'json', 'none', but got 'loud'"
    ):
        tell("loud")


def test_json_is_an_object_a_line(capsys: pytest.CaptureFixture[str]) -> None:
    with reporter("json", "student") as report:
        report.update(1, 2, {"loss": float("nan")})
        report.update(2, 2, NUMBERS)
    out, err = capsys.readouterr()
    first, second = (json.loads(line) for line in err.splitlines())
    assert out == ""
    assert first | {"run": "student", "epoch": 1, "of": 2, "loss": None} == first
    assert second["loss"] == 1.2345678
    assert second["time"] >= first["time"] > 1e9
