"""Networks that give an image and its mirror image the same answer."""

from pathlib import Path

import onnxruntime
import pytest
import torch
from torch import nn

import endd
from endd.nn import DenseNet, ResNet, symmetric
from endd.nn.folding import folded
from endd.training.starting import start_from

NETWORKS = [ResNet(8, 10, 4), DenseNet((1, 2), 3, 10)]


def pixels(rows: int = 3) -> torch.Tensor:
    return torch.randint(0, 256, (rows, 3, 32, 32), dtype=torch.uint8)


@pytest.mark.parametrize("network", NETWORKS)
def test_it_gives_the_mean_for_an_image_and_its_mirror_image(network: ResNet | DenseNet) -> None:
    plain, both, x = network.eval(), symmetric(network.eval()), pixels()
    torch.testing.assert_close(both(x), (plain(x) + plain(x.flip(-1))) / 2, rtol=1e-4, atol=1e-5)
    torch.testing.assert_close(both(x), both(x.flip(-1)))
    torch.testing.assert_close(folded(both)(x), both(x), rtol=1e-4, atol=1e-5)
    assert not torch.allclose(plain(x), plain(x.flip(-1)), atol=1e-3)


@pytest.mark.parametrize("network", NETWORKS)
def test_it_is_a_copy_and_built_again_by_its_architecture(network: ResNet | DenseNet) -> None:
    both = symmetric(network)
    again = type(network)(**both.architecture)
    again.load_state_dict(network.state_dict())
    x = pixels()
    assert torch.equal(again.eval()(x), both.eval()(x))
    assert not network.symmetric
    assert both.architecture == {**network.architecture, "symmetric": True}
    both.head.bias.data.add_(1.0)
    assert not torch.equal(both.head.bias, network.head.bias)


def test_a_network_with_a_way_of_its_own_is_refused() -> None:
    class Own(ResNet):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return super().forward(x) + 1

    with pytest.raises(TypeError, match="to look at both sides of images, but got Own"):
        symmetric(Own(8, 10, 4))


def test_batch_norms_see_both_sides_in_training() -> None:
    both, plain = ResNet(8, 10, 4, symmetric=True), ResNet(8, 10, 4)
    plain.load_state_dict(both.state_dict())
    x = torch.rand(4, 3, 32, 32)
    out = plain(torch.cat([x, x.flip(-1)]))
    torch.testing.assert_close(both(x), (out[:4] + out[4:]) / 2)
    torch.testing.assert_close(both.norm.running_mean, plain.norm.running_mean)


def test_other_networks_are_refused() -> None:
    with pytest.raises(TypeError, match=r"Expected a ResNet or DenseNet of endd\.nn to look at .*, but got Linear"):
        symmetric(nn.Linear(3, 2))  # type: ignore[type-var]


@pytest.mark.parametrize("network", NETWORKS)
def test_it_is_a_graph_for_any_number_of_rows(network: ResNet | DenseNet, tmp_path) -> None:
    student = endd.Student(symmetric(network), endd.families.Categorical(10), endd.Point)
    endd.export_onnx(student, tmp_path / "model.onnx")
    session = onnxruntime.InferenceSession(tmp_path / "model.onnx")
    for rows in (1, 5):
        x = torch.rand(rows, 3, 32, 32)
        said = session.run(["probabilities"], {session.get_inputs()[0].name: x.numpy()})[0]
        torch.testing.assert_close(torch.as_tensor(said), student.predict(x).probs, rtol=1e-4, atol=1e-6)


def test_a_student_with_it_starts_from_a_member_and_learns() -> None:
    family = endd.families.Categorical(10)
    ensemble = endd.Ensemble([ResNet(8, 10, 4) for _ in range(2)], family)
    student = endd.Student(ResNet(8, endd.num_outputs(family), 4, symmetric=True), family)
    start_from(ensemble.members[0], student)
    assert torch.equal(student.net.blocks[-1].conv2.weight, ensemble.members[0].blocks[-1].conv2.weight)
    history = endd.distill(ensemble, student, pixels(64), epochs=4, batch_size=16, progress="none")
    assert history.loss[-1] < history.loss[0]
    x = pixels(2)
    for part in ("probs", "epistemic"):
        ours, mirrored = (getattr(student.predict(images), part) for images in (x, x.flip(-1)))
        torch.testing.assert_close(ours, mirrored)


def test_a_student_that_was_asked_before_looks_at_both_sides_from_then_on(tmp_path: Path) -> None:
    family = endd.families.Categorical(10)
    student, x = endd.Student(ResNet(8, endd.num_outputs(family), 4), family).eval(), pixels()
    before = [student.predict(images) for images in (x, x.flip(-1))]
    assert not torch.allclose(before[0].probs, before[1].probs)
    student.net = symmetric(student.net)
    endd.save(student, tmp_path / "model")
    for model in (student, endd.load(tmp_path / "model")):
        here, there = (model.predict(images) for images in (x, x.flip(-1)))
        torch.testing.assert_close(here.probs, there.probs)
        torch.testing.assert_close(here.epistemic, there.epistemic)
        assert not torch.allclose(here.probs, before[0].probs)
