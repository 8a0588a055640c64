"""The conventions of the Hugging Face Hub, on local folders."""

import builtins
import shutil
from pathlib import Path
from typing import Any

import pytest
import torch

import endd
from endd.families import Gaussian
from endd.nn import MLP
from endd.persistence import hub
from endd.persistence.hub import from_pretrained, push_to_hub, save_pretrained

X = torch.linspace(-1, 1, 12).reshape(4, 3)


class LocalHub:
    """Repositories as folders; remembers what was asked of it."""

    def __init__(self, root: Path) -> None:
        self.root, self.asked = root, []  # type: ignore[var-annotated]

    def create_repo(self, repo_id: str, **options: Any) -> str:
        self.asked.append(("create", repo_id, options))
        (self.root / repo_id).mkdir(parents=True, exist_ok=True)
        return f"https://hub/{repo_id}"

    def upload_folder(self, *, repo_id: str, folder_path: str, delete_patterns: list[str], **options: Any) -> None:
        self.asked.append(("upload", repo_id, options))
        for pattern in delete_patterns:
            for file in (self.root / repo_id).glob(pattern):
                file.unlink()
        shutil.copytree(folder_path, self.root / repo_id, dirs_exist_ok=True)

    def snapshot_download(self, repo_id: str, **options: Any) -> str:
        self.asked.append(("download", repo_id, options))
        return str(self.root / repo_id)


@pytest.fixture
def student() -> endd.Student:
    return endd.Student(MLP(3, [4], 5), Gaussian()).eval()


@pytest.fixture
def local(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> LocalHub:
    made = LocalHub(tmp_path / "hub")
    monkeypatch.setattr(hub, "_hub", lambda: made)
    return made


def same(one: Any, other: Any) -> bool:
    return torch.equal(one.predict(X).epistemic, other.predict(X).epistemic)


def test_a_folder_with_a_card(student: endd.Student, tmp_path: Path) -> None:
    save_pretrained(student, tmp_path / "model", fidelity="**Yes.**")
    assert "**Yes.**" in (tmp_path / "model" / "README.md").read_text()
    assert same(from_pretrained(tmp_path / "model"), student)
    assert same(endd.load(tmp_path / "model"), student)


def test_there_and_back_again(student: endd.Student, local: LocalHub) -> None:
    assert push_to_hub(student, "me/model", private=True) == "https://hub/me/model"
    assert local.asked[0] == ("create", "me/model", {"private": True, "token": None, "exist_ok": True})
    assert same(from_pretrained("me/model", revision="main"), student)
    name, repo, options = local.asked[-1]
    assert (name, repo, options["revision"]) == ("download", "me/model", "main")
    assert options["allow_patterns"] == ["model.json", "weights-*.safetensors", "README.md"]


def test_another_model_takes_the_place_of_the_first(student: endd.Student, local: LocalHub) -> None:
    push_to_hub(endd.Student(MLP(3, [4], 5), Gaussian()), "me/model")
    push_to_hub(student, "me/model")
    assert len(list((local.root / "me" / "model").glob("weights-*"))) == 1
    assert same(from_pretrained("me/model"), student)


def test_a_network_of_ones_own(tmp_path: Path) -> None:
    net = torch.nn.Linear(3, 5)
    save_pretrained(endd.Student(net, Gaussian()), tmp_path)
    assert isinstance(from_pretrained(tmp_path, net=torch.nn.Linear(3, 5)), endd.Student)


def test_a_report_goes_into_the_card(student: endd.Student, tmp_path: Path) -> None:
    teacher = endd.Ensemble([MLP(3, [4], 2) for _ in range(4)], Gaussian())
    report = endd.fidelity_report(teacher, student, X.repeat(5, 1), require="kl_teacher>=0", resamples=2)
    save_pretrained(student, tmp_path, fidelity=report.text)
    card = (tmp_path / "README.md").read_text()
    assert "**May the student replace its ensemble? Yes.**" in card
    assert "| kl_teacher " in card


def test_a_missing_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = builtins.__import__

    def without(name: str, *rest: Any, **options: Any) -> Any:
        if name == "huggingface_hub":
            raise ImportError(name)
        return whole(name, *rest, **options)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(ImportError, match=r"Use pip install 'endd\[hub\]'"):
        from_pretrained("me/no-such-folder")
