"""Single networks with an uncertain part in the CIFAR-10 study: what Ovadia et al. 2019 compare ensembles with."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from itertools import product
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
from endd.studies.cifar10_trials import Trials, Values
from endd.studies.training import options, say, seeded
from endd.training import Recipe, fit_ensemble

# The first seed of a sampler's network, far from those of members and students.
SAMPLER_SEEDS = 2_000_000


@dataclass(frozen=True)
class SamplerKind:
    """A network and how its draws are made.

    settings: those of the study's settings that have values to choose from; the first is for the network. chosen: one
    value of each that was taken; the first ones before that. penalised: whether a divergence from the prior takes the
    place of weight decay; a second value says how much it counts.
    """

    network: Callable[[Config, float], nn.Module]
    sampler: type[DropoutSampler] | type[SVISampler]
    settings: tuple[str, ...]
    chosen: Values | None = None
    penalised: bool = False

    def candidates(self, config: Config) -> list[Values]:
        """What to choose from: every value of a setting with every one of the others."""
        return [*product(*(getattr(config, name) for name in self.settings))]

    def values(self, config: Config) -> Values:
        """What was taken."""
        return self.candidates(config)[0] if self.chosen is None else self.chosen

    def student(self, config: Config, seed: int = 0) -> Sampler:
        """A new one, under the global generator; the draws of every repeat are its own."""
        network: Any = self.network(config, self.values(config)[0])
        return self.sampler(network, FAMILY, config.draws, seed=seed)

    def recipe(self, config: Config, recipe: Recipe) -> Recipe:
        """How it trains: as a member does, but uncertain weights by Adam.

        The divergence pulls at a scale with 1 / N of its weight, which SGD at a member's rate would hardly follow.
        """
        if not self.penalised:
            return recipe
        return replace(recipe, optimiser="adam", learning_rate=config.svi_learning_rate, weight_decay=0.0)

    def penalty(self, config: Config, rows: int) -> Divergence | None:
        """The divergence from the prior of a network that learns from so many rows, where there is one."""
        return Divergence(rows, *self.values(config)[1:]) if self.penalised else None


def _resnet(config: Config, **rates: Any) -> ResNet:
    return ResNet(config.depth, CLASSES, config.width, **rates)


def _uncertain(config: Config, prior: float, last_only: bool) -> Variational:
    return Variational(_resnet(config), last_only=last_only, prior_scale=prior or None, start=config.svi_start)


#: By name; "ll" is the last layer alone.
SAMPLERS = {
    "dropout": SamplerKind(lambda config, rate: _resnet(config, dropout=rate), DropoutSampler, ("dropout",)),
    "ll_dropout": SamplerKind(
        lambda config, rate: _resnet(config, head_dropout=rate), DropoutSampler, ("head_dropout",)
    ),
    # seven weights an image: by the evidence lower bound itself they say next to nothing
    "svi": SamplerKind(partial(_uncertain, last_only=False), SVISampler, ("svi_prior", "svi_weight"), penalised=True),
    "ll_svi": SamplerKind(partial(_uncertain, last_only=True), SVISampler, ("svi_prior",), penalised=True),
}


class SamplerWorkshop(WeightsWorkshop):
    """Trains a kind after the other, each in all repeats side by side, on labels as members are."""

    def prepare(self) -> None:
        """Choose the setting of every kind on validation images, once for all repeats.

        What does best in a short training may overfit in a whole one, so the finalists have that too.
        """
        trials, config = Trials(self.out / self.shelf), self.config
        rounds = {config.trial_epochs: config.finalists, config.member.epochs: 1}
        for name, kind in self.kinds.items():
            best = trials.best(name, kind.candidates(config), rounds, partial(self._tried, name, kind))
            self.kinds = {**self.kinds, name: replace(kind, chosen=best)}

    def students(self, seed: int) -> dict[str, Model]:
        """The samplers of a repeat by name, with the settings that were chosen."""
        self.prepare()
        return super().students(seed)

    def _tried(self, name: str, kind: SamplerKind, values: Values, epochs: int) -> float:
        """The negative log-likelihood of validation images after a training with some settings."""
        tried = ", ".join(f"{setting} {value:g}" for setting, value in zip(kind.settings, values, strict=True))
        say(f"{self.study}: trying {name} with {tried}, {epochs} epochs", self.progress)
        seed, kind = self._first(name) + SEEDS_APART * self.config.first_seed, replace(kind, chosen=values)
        sampler: Sampler = seeded(seed, partial(kind.student, self.config))
        recipe = replace(self.config.member, epochs=epochs)
        self._fit_samplers(kind, [sampler], seed, recipe)
        drawn = torch.as_tensor(raw_outputs(self.ready(sampler), self.pictures.x_validation)).float()
        probs = FAMILY.mean(drawn).mean(-2)
        return float(nll_loss(probs.log(), self.pictures.y_validation.cpu()))

    def _taught(self, seeds: list[int], run: Path) -> dict[Path, Model]:
        found: dict[Path, Model] = {}
        for name, kind in self.kinds.items():
            first = self._first(name)
            samplers = [seeded(first + SEEDS_APART * seed, partial(kind.student, self.config, seed)) for seed in seeds]
            self._fit_samplers(kind, samplers, first + SEEDS_APART * seeds[0], self.config.member, run / name)
            found |= {self._students(seed) / name: sampler for seed, sampler in zip(seeds, samplers, strict=True)}
        return found

    def new_student(self, name: str, folder: Path) -> Model:
        """One with the draws of its repeat."""
        made: Model = self.kinds[name].student(self.config, int(folder.parent.name))
        return made

    def _first(self, name: str) -> int:
        """The first seed of a kind."""
        return SAMPLER_SEEDS + self._places[name]

    def _fit_samplers(
        self, kind: SamplerKind, samplers: list[Sampler], seed: int, recipe: Recipe, run: Path | None = None
    ) -> None:
        config, pictures = self.config, self.pictures
        ensemble = Ensemble([sampler.net for sampler in samplers], FAMILY).to(self.device)
        penalty = kind.penalty(config, len(pictures.x_train))
        how = options(kind.recipe(config, recipe), seed)
        how |= {"progress": self.progress, "run": run, "resume": run is not None}
        data = pictures.x_train, pictures.y_train
        fit_ensemble(ensemble, data, augment=crops(config), penalty=penalty, **how)
