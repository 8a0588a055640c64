"""Who may import whom: a room may import every lower layer, not its own layer's other rooms."""

import ast
from pathlib import Path

import pytest

import endd

ROOT = Path(endd.__file__).parent
LAYERS = [
    {"_checks", "_damage", "_dispatch", "_elementary", "_errors", "_files", "_points", "_transforms"},
    {"families", "distributions", "metrics", "data", "nn", "engines"},
    {"integrals"},
    {"uncertainty", "objectives"},
    {"models"},
    {"training", "calibration", "cascade", "posteriors"},
    {"estimators"},
    {"persistence", "export", "streaming"},
    {"studies"},
    {"report"},
    {"cli"},
    {"__main__", "__init__"},
]
LAYER = {room: number for number, rooms in enumerate(LAYERS) for room in rooms}
FILES = sorted(ROOT.rglob("*.py"))


def room_of(file: Path) -> str:
    return file.relative_to(ROOT).parts[0].removesuffix(".py")


def imported_rooms(file: Path) -> set[str]:
    """Rooms that a file names in its import statements, wherever they stand."""
    rooms = set()
    for node in ast.walk(ast.parse(file.read_text())):
        names: list[str] = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            names = [node.module]
            if node.module == "endd":
                names = [f"endd.{alias.name}" for alias in node.names]
        assert not (isinstance(node, ast.ImportFrom) and node.level), f"{file}: import from endd, not relatively"
        rooms |= {name.split(".")[1] for name in names if name.startswith("endd.") and len(name.split(".")) > 1}
    return {room for room in rooms if room in LAYER}


@pytest.mark.parametrize("file", FILES, ids=lambda file: str(file.relative_to(ROOT)))
def test_imports_go_down(file: Path) -> None:
    room = room_of(file)
    assert room in LAYER, f"{room} has no place in the layers"
    for other in imported_rooms(file) - {room}:
        # layer 0 is one small room of helpers
        allowed = LAYER[other] < LAYER[room] or (LAYER[other] == LAYER[room] == 0)
        assert allowed, f"{room} (layer {LAYER[room]}) imports {other} (layer {LAYER[other]})"


def test_there_is_no_utils() -> None:
    assert not [file for file in FILES if "util" in file.name]


def test_tests_mirror_the_source() -> None:
    """Every source file has a test file of its name."""
    tests = Path(__file__).parent
    missing = []
    for file in FILES:
        relative = file.relative_to(ROOT)
        if file.name.startswith("__"):
            continue
        if not (tests / relative.parent / f"test_{file.name.removeprefix('_')}").exists():
            missing.append(str(relative))
    assert missing == []
