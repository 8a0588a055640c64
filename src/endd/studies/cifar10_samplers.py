"""Single networks with an uncertain part in the CIFAR-10 study: what Ovadia et al. 2019 compare ensembles with."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import torch
from torch import nn
from torch.nn.functional import nll_loss

from endd.models import Ensemble, Model
from endd.nn import ResNet, Variational
from endd.posteriors import Divergence, DropoutSampler, Sampler, SVISampler
from endd.studies.cifar10_config import Config
from endd.studies.cifar10_methods import CLASSES, FAMILY
from endd.studies.cifar10_outputs import raw_outputs
from endd.studies.cifar10_training import SEEDS_APART, WeightsWorkshop, crops
from endd.studies.cifar10_trials import Trials
from endd.studies.training import options, say, seeded
from endd.training import Recipe, fit_ensemble

# The first seed of a sampler's network, far from those of members and students.
SAMPLER_SEEDS = 2_000_000


@dataclass(frozen=True)
class SamplerKind:
    """A network and how its draws are made.

    setting: the one of the study's settings that has the values to choose from, for the network. chosen: the one that
    was taken; the first before that. penalised: whether a divergence from the prior takes the place of weight decay.
    """

    network: Callable[[Config, float], nn.Module]
    sampler: type[DropoutSampler] | type[SVISampler]
    setting: str
    chosen: float | None = None
    penalised: bool = False

    def candidates(self, config: Config) -> tuple[float, ...]:
        """What to choose from."""
        found: tuple[float, ...] = getattr(config, self.setting)
        return found

    def student(self, config: Config) -> Sampler:
        """A new one, under the global generator."""
        value = self.candidates(config)[0] if self.chosen is None else self.chosen
        network: Any = self.network(config, value)
        return self.sampler(network, FAMILY, config.draws)


def _resnet(config: Config, **rates: float) -> ResNet:
    return ResNet(config.depth, CLASSES, config.width, **rates)


def _uncertain(config: Config, prior: float, last_only: bool) -> Variational:
    return Variational(_resnet(config), last_only=last_only, prior_scale=prior or None, start=config.svi_start)


#: By name; "ll" is the last layer alone.
SAMPLERS = {
    "dropout": SamplerKind(lambda config, rate: _resnet(config, dropout=rate), DropoutSampler, "dropout"),
    "ll_dropout": SamplerKind(lambda config, rate: _resnet(config, head_dropout=rate), DropoutSampler, "head_dropout"),
    "svi": SamplerKind(partial(_uncertain, last_only=False), SVISampler, "svi_prior", penalised=True),
    "ll_svi": SamplerKind(partial(_uncertain, last_only=True), SVISampler, "svi_prior", penalised=True),
}


class SamplerWorkshop(WeightsWorkshop):
    """Trains a kind after the other, each in all repeats side by side, on labels as members are."""

    def prepare(self) -> None:
        """Choose the setting of every kind on validation images, once for all repeats."""
        trials = Trials(self.out / self.shelf)
        for name, kind in self.kinds.items():
            candidates = kind.candidates(self.config)
            best = trials.best(name, candidates, partial(self._tried, name, kind))
            self.kinds = {**self.kinds, name: replace(kind, chosen=best)}

    def students(self, seed: int) -> dict[str, Model]:
        """The samplers of a repeat by name, with the settings that were chosen."""
        self.prepare()
        return super().students(seed)

    def _tried(self, name: str, kind: SamplerKind, value: float) -> float:
        """The negative log-likelihood of validation images after a short training with a setting."""
        say(f"{self.study}: trying {name} with {kind.setting} {value:g}", self.progress)
        seed = self._first(name) + SEEDS_APART * self.config.first_seed
        sampler: Sampler = seeded(seed, partial(replace(kind, chosen=value).student, self.config))
        recipe = replace(self.config.member, epochs=self.config.trial_epochs)
        self._fit_samplers(kind, [sampler], seed, recipe)
        drawn = torch.as_tensor(raw_outputs(self.ready(sampler), self.pictures.x_validation)).float()
        probs = FAMILY.mean(drawn).mean(-2)
        return float(nll_loss(probs.log(), self.pictures.y_validation.cpu()))

    def _taught(self, seeds: list[int], run: Path) -> dict[Path, Model]:
        found: dict[Path, Model] = {}
        for name, kind in self.kinds.items():
            first = self._first(name)
            samplers = [seeded(first + SEEDS_APART * seed, partial(kind.student, self.config)) for seed in seeds]
            self._fit_samplers(kind, samplers, first + SEEDS_APART * seeds[0], self.config.member, run / name)
            found |= {self._students(seed) / name: sampler for seed, sampler in zip(seeds, samplers, strict=True)}
        return found

    def _first(self, name: str) -> int:
        """The first seed of a kind."""
        return SAMPLER_SEEDS + list(self.kinds).index(name)

    def _fit_samplers(
        self, kind: SamplerKind, samplers: list[Sampler], seed: int, recipe: Recipe, run: Path | None = None
    ) -> None:
        config, pictures, penalty = self.config, self.pictures, None
        ensemble = Ensemble([sampler.net for sampler in samplers], FAMILY).to(self.device)
        if kind.penalised:
            recipe, penalty = replace(recipe, weight_decay=0.0), Divergence(len(pictures.x_train), config.svi_weight)
        how = options(recipe, seed) | {"progress": self.progress, "run": run, "resume": run is not None}
        data = pictures.x_train, pictures.y_train
        fit_ensemble(ensemble, data, augment=crops(config), penalty=penalty, **how)
