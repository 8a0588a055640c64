"""Students that start from the weights of networks that are there."""

from typing import Any

import pytest
import torch
from torch import Tensor

import endd
from endd.families import Categorical
from endd.nn import MLP, ResNet, Variational
from endd.training import distill, distill_many
from endd.training.starting import copy_matching, start_from
from tests.training.distilling import STANDING, X, lines, student

FAMILY = Categorical(10)


def wide(width: int, depth: int = 8) -> endd.Student:
    return endd.Student(ResNet(depth, 60, width=width), FAMILY)


def tensors(student: endd.Student) -> dict[str, Tensor]:
    return {name: tensor.clone() for name, tensor in student.net.state_dict().items()}


def test_a_warm_start_copies_what_matches() -> None:
    member, learner = MLP(1, [6], 2), student()
    last = learner.net.layers[-1].weight.detach().clone()
    distill(lines(3), learner, X, warm_start=member, **STANDING)
    torch.testing.assert_close(learner.net.layers[0].weight, member.layers[0].weight)
    torch.testing.assert_close(learner.net.layers[-1].weight, last)
    assert copy_matching(member, learner.net) == ["layers.0.weight", "layers.0.bias"]


def test_a_warm_start_of_which_nothing_matches_is_refused() -> None:
    with pytest.raises(ValueError, match=r"start from \(`warm_start`\) with some parameters .* but none match"):
        distill(lines(3), student(), X, warm_start=MLP(2, [5], 2), **STANDING)
    wide, narrow = ResNet(8, 10, width=4), ResNet(8, 60, width=3)
    wide.norm.num_batches_tracked += 1  # which has the same shape in both
    with pytest.raises(ValueError, match="but none match"):
        start_from(wide, endd.Student(narrow, Categorical(10)))
    assert narrow.norm.num_batches_tracked == 0


def test_a_wider_residual_student_starts_as_members_side_by_side() -> None:
    members = [ResNet(8, 10, width=4) for _ in range(3)]
    for given in (members[:2], endd.Ensemble(members[:2], Categorical(10)).members):
        student = endd.Student(ResNet(8, 10, width=9), Categorical(10), endd.Point).eval()
        start_from(given, student)
        x = torch.rand(3, 3, 32, 32)
        mean = torch.stack([member.eval()(x) for member in members[:2]]).mean(0)
        torch.testing.assert_close(student(x).atoms[0], mean, rtol=1e-4, atol=1e-5)
    alone = endd.Student(ResNet(8, 60, width=8), Categorical(10))
    start_from(members[0], alone)
    assert torch.equal(alone.net.stem.weight[:4], members[0].stem.weight)


def test_any_collection_of_members_will_do() -> None:
    members = [ResNet(8, 10, width=4) for _ in range(2)]
    stems = torch.cat([member.stem.weight for member in members])
    ways: list[Any] = [members, tuple(members), iter(members), endd.Ensemble(members, FAMILY).members[:2]]
    for given in ways:
        started = wide(8)
        start_from(given, started)
        assert torch.equal(started.net.stem.weight, stems)


def test_networks_of_another_precision_will_do() -> None:
    member, started = ResNet(8, 10, width=4).double(), wide(6)
    start_from(member, started)
    torch.testing.assert_close(started.net.stem.weight[:4], member.stem.weight.float())
    assert started.net.stem.weight.dtype == torch.float32


def test_an_uncertain_network_of_the_same_width_gives_what_matches() -> None:
    uncertain, started = Variational(ResNet(8, 10, width=4)).net, wide(4)
    start_from(uncertain, started)
    assert torch.equal(started.net.norm.weight, uncertain.norm.weight)


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ([], "one network or more to start from, .* but got none"),
        ([None], r"one network or more to start from, .* but got NoneType\. \(They came as `warm_start`\.\)"),
        (5, "one network or more to start from, .* but got int"),
        ("results/members/0", "but got str"),
        (wide(8), r"but got Student.*`student\.net`"),
        ([ResNet(8, 10, width=8)] * 2, r"got 2 \(ResNet of width 8, ResNet of width 8\) for ResNet of width 8"),
        ([ResNet(8, 10, width=4), MLP(3, [4], 2)], r"got 2 \(ResNet of width 4, MLP\) for ResNet of width 8"),
        ([ResNet(8, 10, width=4)] * 3, r"widths of 4, 4, 4\. Take fewer .* \(They came as `warm_start`\.\)"),
        (ResNet(14, 10, width=4), r"alike in `depth`, but got \[8, 14\]"),
        (Variational(ResNet(8, 10, width=4)).net, "with the layers that they came with"),
        (endd.Ensemble([ResNet(8, 10, width=4)], FAMILY), r"but got Ensemble.*`ensemble\.members\[:1\]`"),
        (MLP(3, [4], 2), "but none match"),
    ],
)
def test_what_does_not_fit_is_one_line_and_changes_nothing(given: Any, told: str) -> None:
    student = wide(8)
    before = tensors(student)
    with pytest.raises(ValueError, match=told):
        start_from(given, student)
    assert all(torch.equal(tensor, before[name]) for name, tensor in tensors(student).items())


@pytest.mark.parametrize("options", [{"late": (99, 1)}, {"hold_out": "inputs", "hold_out_share": 0.999}])
def test_where_other_options_are_refused_no_student_has_started(options: dict[str, Any]) -> None:
    learner = student()
    before = tensors(learner)
    with pytest.raises(ValueError, match="Expected"):
        distill(lines(3), learner, X[:8], warm_start=MLP(1, [6], 2), **STANDING, **options)
    assert all(torch.equal(tensor, before[name]) for name, tensor in tensors(learner).items())


def test_of_several_students_none_starts_where_one_cannot() -> None:
    members, fits, other = [ResNet(8, 10, width=4) for _ in range(2)], wide(8), wide(6)
    before = tensors(fits)
    x, z = torch.rand(4, 3, 32, 32), torch.rand(2, 4, 10)
    with pytest.raises(ValueError, match="6 channels or less together"):
        distill_many([z, z], [fits, other], [x, x], warm_start=members, epochs=1, progress="none")
    assert all(torch.equal(tensor, before[name]) for name, tensor in tensors(fits).items())
