"""Single networks with an uncertain part."""

from dataclasses import replace
from pathlib import Path

import pytest
import torch

from endd.distributions import Members
from endd.nn import Variational
from endd.studies import cifar10_samplers
from endd.studies.cifar10_images import load_pictures
from endd.studies.cifar10_samplers import SAMPLERS, SamplerWorkshop
from endd.studies.cifar10_training import on
from tests.studies.small_pictures import TINY

CONFIG = on(replace(TINY, seeds=2, together=2, draws=4), "cpu")
X = torch.randint(0, 256, (5, 3, 32, 32), dtype=torch.uint8, generator=torch.Generator().manual_seed(0))


@pytest.fixture
def workshop(small_pictures: None, tmp_path: Path) -> SamplerWorkshop:
    pictures = load_pictures(CONFIG, None, torch.device("cpu"))
    return SamplerWorkshop(CONFIG, pictures, tmp_path, "none", SAMPLERS, "samplers")


@pytest.mark.parametrize("name", SAMPLERS)
def test_draws_are_members_that_differ(name: str) -> None:
    v = SAMPLERS[name].student(CONFIG).predict(X).v
    assert isinstance(v, Members)
    assert v.atoms.shape == (4, 5, 10)
    assert not torch.equal(v.atoms[0], v.atoms[1])


def test_repeats_of_a_kind_train_side_by_side_and_are_read_as_they_were(
    workshop: SamplerWorkshop, monkeypatch: pytest.MonkeyPatch
) -> None:
    fitted = []
    train = cifar10_samplers.fit_ensemble

    def note(ensemble, *arguments, **named):  # type: ignore[no-untyped-def]
        fitted.append((len(ensemble.members), named["penalty"] is not None, named["weight_decay"] > 0))
        return train(ensemble, *arguments, **named)

    monkeypatch.setattr(cifar10_samplers, "fit_ensemble", note)
    first, second = workshop.students(0), workshop.students(1)
    decays = CONFIG.member.weight_decay > 0
    assert fitted == [(2, False, decays)] * 2 + [(2, True, False)] * 2
    for name in SAMPLERS:
        one, again, other = (samplers[name].predict(X).probs for samplers in (first, workshop.students(0), second))
        assert torch.equal(one, again)
        assert not torch.equal(one, other)


def test_the_last_layer_alone() -> None:
    nets = {name: SAMPLERS[name].student(CONFIG).net for name in ("svi", "ll_svi")}
    uncertain = {name: len(net.uncertain()) for name, net in nets.items() if isinstance(net, Variational)}
    assert uncertain == {"svi": 8, "ll_svi": 1}
