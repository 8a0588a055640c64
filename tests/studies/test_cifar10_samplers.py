"""Single networks with an uncertain part."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from endd.distributions import Members
from endd.nn import Variational
from endd.nn.variational import MeanField
from endd.posteriors import Divergence, SVISampler
from endd.studies import cifar10_samplers
from endd.studies.cifar10_config import Config
from endd.studies.cifar10_images import load_pictures
from endd.studies.cifar10_samplers import SAMPLERS, SamplerKind, SamplerWorkshop
from endd.studies.cifar10_training import on
from tests.studies.small_pictures import TINY

ALONE = {"dropout": (0.05,), "head_dropout": (0.3,), "svi_prior": (0.0,), "svi_weight": (1.0,)}
CONFIG = on(replace(TINY, seeds=2, together=2, draws=4, **ALONE), "cpu")  # type: ignore[arg-type]
X = torch.randint(0, 256, (5, 3, 32, 32), dtype=torch.uint8, generator=torch.Generator().manual_seed(0))


@pytest.fixture
def workshop(small_pictures: None, tmp_path: Path) -> SamplerWorkshop:
    return _workshop(CONFIG, tmp_path)


def _workshop(config: Config, out: Path) -> SamplerWorkshop:
    pictures = load_pictures(config, None, torch.device("cpu"))
    return SamplerWorkshop(config, pictures, out, "none", SAMPLERS, "samplers")


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


def test_rates_and_priors_are_chosen_on_validation_images_once(
    small_pictures: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    choices = {"dropout": (0.9, 0.01), "svi_prior": (0.0, 0.1), "svi_weight": (1.0, 0.5)}
    config = replace(CONFIG, **choices, trial_epochs=1, finalists=2)
    workshop = _workshop(config, tmp_path)
    workshop.prepare()
    trials = json.loads((tmp_path / "samplers" / "trials.json").read_text())
    short, whole = "1", str(config.member.epochs)
    tried = {name: {epochs: list(losses) for epochs, losses in rounds.items()} for name, rounds in trials.items()}
    best_two = sorted(trials["svi"][short], key=trials["svi"][short].__getitem__)[:2]
    assert tried == {
        "dropout": {whole: ["0.9", "0.01"]},
        "svi": {short: ["0, 1", "0, 0.5", "0.1, 1", "0.1, 0.5"], whole: best_two},
        "ll_svi": {whole: ["0", "0.1"]},
    }
    for name, rounds in trials.items():
        best = min(rounds[whole], key=rounds[whole].__getitem__)
        assert workshop.kinds[name].chosen == tuple(map(float, best.split(", ")))
    monkeypatch.setattr(cifar10_samplers, "fit_ensemble", None)  # no training any more
    again = _workshop(config, tmp_path)
    again.prepare()
    assert {n: kind.chosen for n, kind in again.kinds.items()} == {n: k.chosen for n, k in workshop.kinds.items()}


def test_what_was_chosen_is_what_is_built() -> None:
    net = replace(SAMPLERS["dropout"], chosen=(0.25,)).student(CONFIG).net
    assert {part.p for part in net.modules() if isinstance(part, torch.nn.Dropout)} == {0.25}
    prior = replace(SAMPLERS["ll_svi"], chosen=(0.2,)).student(CONFIG).net
    assert isinstance(prior, Variational)
    assert [part.prior_scale for part in prior.modules() if isinstance(part, MeanField)] == [0.2]


def test_the_divergence_counts_as_was_chosen() -> None:
    assert SAMPLERS["dropout"].penalty(CONFIG, 50) is None
    assert SAMPLERS["ll_svi"].penalty(CONFIG, 50) == Divergence(50, 1.0)
    assert replace(SAMPLERS["svi"], chosen=(0.0, 0.1)).penalty(CONFIG, 50) == Divergence(50, 0.1)


def test_scales_learn_which_by_a_members_recipe_they_would_not(
    small_pictures: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """At the pull of the real study, one part in 40,000, steps of Adam are seen in it and those of SGD are not."""
    weight = CONFIG.train_rows / 40_000
    config = replace(CONFIG, member=replace(CONFIG.member, epochs=20), svi_learning_rate=0.03)
    kind = replace(SAMPLERS["svi"], chosen=(0.0, weight))

    def moved() -> float:
        sampler = kind.student(config)
        layers = [layer for layer in sampler.net.modules() if isinstance(layer, MeanField)]
        before = [layer.scale.detach().clone() for layer in layers]
        _workshop(config, tmp_path)._fit_samplers(kind, [sampler], 0, config.member)
        found = [(layer.scale / old).log().abs().mean() for layer, old in zip(layers, before, strict=True)]
        return torch.stack(found).mean().item()

    by_adam = moved()
    monkeypatch.setattr(SamplerKind, "recipe", lambda kind, config, recipe: replace(recipe, weight_decay=0.0))
    assert by_adam > 0.05
    assert moved() < by_adam / 3


def test_repeats_have_draws_of_their_own(workshop: SamplerWorkshop) -> None:
    first, second = workshop.students(0)["svi"], workshop.students(1)["svi"]
    assert isinstance(first, SVISampler)
    assert isinstance(second, SVISampler)
    assert not torch.equal(first.noise_0, second.noise_0)


def test_the_last_layer_alone() -> None:
    nets = {name: SAMPLERS[name].student(CONFIG).net for name in ("svi", "ll_svi")}
    uncertain = {name: len(net.uncertain()) for name, net in nets.items() if isinstance(net, Variational)}
    assert uncertain == {"svi": 8, "ll_svi": 1}
