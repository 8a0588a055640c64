"""Importing is lazy and changes nothing global."""

import subprocess
import sys

import pytest


def run(code: str) -> str:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return done.stdout.strip()


def test_import_does_not_load_torch() -> None:
    assert run("import sys, endd; print('torch' in sys.modules)") == "False"


@pytest.mark.parametrize("arguments", ["['--help']", "['--version']"])
def test_the_command_line_answers_without_torch(arguments: str) -> None:
    code = f"import sys\nfrom endd.cli import app\ntry:\n app({arguments})\nfinally:\n print('torch' in sys.modules)"
    assert run(code).endswith("False")


def test_importing_changes_nothing_global() -> None:
    code = """
import logging, torch
def state():
    seed = torch.random.get_rng_state().sum().item()
    return torch.get_default_dtype(), torch.get_num_threads(), seed, logging.root.level
before = state()
import endd
for name in endd.__all__: getattr(endd, name)
print(state() == before)
"""
    assert run(code) == "True"


def test_unknown_names_are_named() -> None:
    import endd

    with pytest.raises(AttributeError, match="has no attribute 'Teacher'"):
        endd.Teacher  # noqa: B018


def test_the_stub_lists_the_same_names() -> None:
    import ast
    from pathlib import Path

    import endd

    stub = ast.parse(Path(endd.__file__).with_suffix(".pyi").read_text())
    named = {alias.asname for node in stub.body if isinstance(node, ast.ImportFrom) for alias in node.names}
    assert named | {"__version__"} == set(endd.__all__)
