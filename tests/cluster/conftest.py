"""One undisturbed run, which every other is compared with."""

from pathlib import Path

import pytest

from endd.cli import app
from tests.cluster.jobs import distill, finish, label, prepare, start


@pytest.fixture(scope="session")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a teacher, its cache, and students trained in one process and in two."""
    folder = prepare(tmp_path_factory.mktemp("undisturbed"))
    here(label(folder, "cache"))
    two = start(distill(folder, "cache", "two", 2))
    here(distill(folder, "cache", "one"))
    finish(two)
    return folder


def here(command: list[str]) -> None:
    """The command in this process, which has read its libraries already."""
    *_, arguments = [command[place + 2 :] for place, word in enumerate(command) if word == "-m"]
    app(arguments, result_action="return_value")
