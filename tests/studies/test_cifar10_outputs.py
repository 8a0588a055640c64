"""What models say, kept in a file."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from endd.distributions import Members, Point
from endd.models import Ensemble
from endd.nn import ResNet
from endd.nn.folding import folded
from endd.studies import cifar10_outputs
from endd.studies.cifar10_methods import FAMILY, methods
from endd.studies.cifar10_outputs import Outputs, load_outputs, raw_outputs, said, save_outputs
from endd.studies.result import Result
from tests.nn.test_grouped import used
from tests.studies.small_pictures import TINY


def repeat(seed: int) -> Outputs:
    random = np.random.default_rng(seed)
    sets = {"clean": 6, "fog-1": 6, "svhn": 4}
    raw = {
        "ensemble": {name: random.normal(size=(rows, 2, 10)).astype(np.float16) for name, rows in sets.items()},
        "mixture": {name: random.normal(size=(rows, 10)).astype(np.float16) for name, rows in sets.items()},
    }
    y, temperatures = random.integers(0, 10, 6), random.uniform(1, 2, 2)
    return Outputs(seed, y, temperatures, raw, {"mixture": {"parameters": 3.0}}, {"mixture": {"nll": 1 / 3}})


def same(a: Outputs, b: Outputs) -> None:
    assert (a.seed, a.facts, a.validation, a.sets()) == (b.seed, b.facts, b.validation, b.sets())
    arrays = [(a.y, b.y), (a.temperatures, b.temperatures)]
    arrays += [(raw, b.raw[model][name]) for model, found in a.raw.items() for name, raw in found.items()]
    for one, other in arrays:
        assert one.dtype == other.dtype
        assert one.tobytes() == other.tobytes()


def test_outputs_survive_bit_for_bit(tmp_path: Path) -> None:
    repeats, config = [repeat(0), repeat(12)], {"rank": 4, "corruptions": ["fog"]}
    save_outputs(tmp_path / "new" / "outputs.npz", config, repeats)
    plain, found = load_outputs(tmp_path / "new" / "outputs.npz")
    assert plain == config
    for one, other in zip(repeats, found, strict=True):
        same(one, other)
    assert [file.name for file in (tmp_path / "new").iterdir()] == ["outputs.npz"]


def test_those_of_a_study_survive(cifar10_study: tuple[Path, Result], tmp_path: Path) -> None:
    plain, repeats = load_outputs(cifar10_study[0] / "outputs.npz")
    save_outputs(tmp_path / "outputs.npz", plain, repeats)
    for one, other in zip(repeats, load_outputs(tmp_path / "outputs.npz")[1], strict=True):
        same(one, other)


def test_a_part_is_the_first_rows() -> None:
    whole = repeat(0)
    part = whole.part(4)
    assert part.y.tolist() == whole.y[:4].tolist()
    assert np.array_equal(part.raw["ensemble"]["fog-1"], whole.raw["ensemble"]["fog-1"][:4])
    assert part.temperatures is whole.temperatures


def test_a_file_that_was_not_finished_leaves_the_old_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "outputs.npz"
    save_outputs(file, {}, [repeat(0)])

    def killed(target: Path, **arrays: Any) -> None:
        target.write_bytes(b"PK")
        raise KeyboardInterrupt

    monkeypatch.setattr(np, "savez_compressed", killed)
    with pytest.raises(KeyboardInterrupt):
        save_outputs(file, {}, [repeat(1)])
    same(load_outputs(file)[1][0], repeat(0))


def cut(content: bytes) -> bytes:
    return content[: len(content) // 2]


def scratched(content: bytes) -> bytes:
    middle = len(content) // 2
    return content[:middle] + bytes(64) + content[middle + 64 :]


@pytest.mark.parametrize("damage", [cut, scratched, lambda _: b"", lambda _: b"no outputs at all"])
def test_a_damaged_file_is_one_clear_line(tmp_path: Path, damage: Any) -> None:
    file = tmp_path / "outputs.npz"
    save_outputs(file, {}, [repeat(0)])
    file.write_bytes(damage(file.read_bytes()))
    with pytest.raises(
        ValueError, match=r"^Expected outputs of a CIFAR-10 study in .*outputs\.npz, but .+ move it away\.$"
    ):
        load_outputs(file)


def test_other_files_are_one_clear_line(tmp_path: Path) -> None:
    np.savez(tmp_path / "curves.npz", x=np.zeros(3))
    np.savez(tmp_path / "headless.npz", head=np.frombuffer(b'{"config": {}}', np.uint8))
    for name in ("curves.npz", "headless.npz", "missing.npz"):
        with pytest.raises(ValueError, match=f"^Expected outputs of a CIFAR-10 study in .*{name}"):
            load_outputs(tmp_path / name)


def test_raw_outputs_are_a_models_own_in_half_precision() -> None:
    x = torch.randint(0, 256, (5, 3, 32, 32), dtype=torch.uint8)
    members = Ensemble(used([ResNet(8, 10, 2) for _ in range(3)]), FAMILY).eval()
    raw = raw_outputs(members, x)
    assert (raw.shape, raw.dtype) == ((5, 3, 10), np.float16)
    for place, net in enumerate(members.members):
        np.testing.assert_allclose(raw[:, place], net(x).detach().numpy(), rtol=2e-3, atol=2e-3)
    student = methods(TINY)["dirichlet"].student(TINY).eval()
    np.testing.assert_allclose(raw_outputs(student, x), student.net(x).detach().numpy(), rtol=2e-3, atol=2e-3)


def test_on_a_cpu_norms_are_folded_and_halves_may_be_coarser(monkeypatch: pytest.MonkeyPatch) -> None:
    x = torch.randint(0, 256, (5, 3, 32, 32), dtype=torch.uint8)
    members = Ensemble(used([ResNet(8, 10, 4) for _ in range(3)]), FAMILY).eval()
    asked: list[Ensemble] = []

    def note(model: Ensemble) -> Ensemble:
        asked.append(folded(model))
        return asked[-1]

    monkeypatch.setattr(cifar10_outputs, "folded", note)
    fine, coarse = (raw_outputs(members, x, precision) for precision in ("32-true", "bf16-mixed"))
    assert len(asked) == 2
    assert not np.array_equal(fine, coarse)
    np.testing.assert_allclose(coarse, fine, rtol=0.05, atol=0.02 * np.abs(fine).max())


def test_what_raw_outputs_stand_for() -> None:
    kinds, raw = methods(TINY), torch.randn(5, 3, 10)
    members = said("reference", raw, kinds)
    assert isinstance(members, Members)
    assert torch.equal(members.atoms, raw.movedim(1, 0))
    point = said("mixture", raw[:, 0], kinds)
    assert isinstance(point, Point)
    assert torch.equal(point.atoms[0], raw[:, 0])
