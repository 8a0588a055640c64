"""Single networks with an uncertain part in the CIFAR-10 study: what Ovadia et al. 2019 compare ensembles with."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from torch import nn

from endd.models import Ensemble, Model
from endd.nn import ResNet, Variational
from endd.posteriors import Divergence, DropoutSampler, Sampler, SVISampler
from endd.studies.cifar10_config import Config
from endd.studies.cifar10_methods import CLASSES, FAMILY
from endd.studies.cifar10_training import SEEDS_APART, WeightsWorkshop, crops
from endd.studies.training import options, seeded
from endd.training import fit_ensemble

# The first seed of a sampler's network, far from those of members and students.
SAMPLER_SEEDS = 2_000_000


@dataclass(frozen=True)
class SamplerKind:
    """A network and how its draws are made.

    penalised: whether a divergence from the prior takes the place of weight decay.
    """

    network: Callable[[Config], nn.Module]
    sampler: type[DropoutSampler] | type[SVISampler]
    penalised: bool = False

    def student(self, config: Config) -> Sampler:
        """A new one, under the global generator."""
        network: Any = self.network(config)
        return self.sampler(network, FAMILY, config.draws)


def _resnet(config: Config, **rates: float) -> ResNet:
    return ResNet(config.depth, CLASSES, config.width, **rates)


def _uncertain(config: Config, last_only: bool) -> Variational:
    return Variational(_resnet(config), last_only=last_only, start=config.svi_start)


#: By name; "ll" is the last layer alone.
SAMPLERS = {
    "dropout": SamplerKind(lambda config: _resnet(config, dropout=config.dropout), DropoutSampler),
    "ll_dropout": SamplerKind(lambda config: _resnet(config, head_dropout=config.head_dropout), DropoutSampler),
    "svi": SamplerKind(lambda config: _uncertain(config, last_only=False), SVISampler, penalised=True),
    "ll_svi": SamplerKind(lambda config: _uncertain(config, last_only=True), SVISampler, penalised=True),
}


class SamplerWorkshop(WeightsWorkshop):
    """Trains a kind after the other, each in all repeats side by side, on labels as members are."""

    def _taught(self, seeds: list[int], run: Path) -> dict[Path, Model]:
        found: dict[Path, Model] = {}
        for number, (name, kind) in enumerate(self.kinds.items()):
            first = SAMPLER_SEEDS + number
            samplers = [seeded(first + SEEDS_APART * seed, lambda k=kind: k.student(self.config)) for seed in seeds]  # type: ignore[misc]
            self._fit_samplers(kind, samplers, first + SEEDS_APART * seeds[0], run / name)
            found |= {self._students(seed) / name: sampler for seed, sampler in zip(seeds, samplers, strict=True)}
        return found

    def _fit_samplers(self, kind: SamplerKind, samplers: list[Sampler], seed: int, run: Path) -> None:
        config, pictures = self.config, self.pictures
        ensemble = Ensemble([sampler.net for sampler in samplers], FAMILY).to(self.device)
        recipe, penalty = config.member, None
        if kind.penalised:
            recipe, penalty = replace(recipe, weight_decay=0.0), Divergence(len(pictures.x_train), config.svi_weight)
        how = options(recipe, seed) | {"progress": self.progress, "run": run, "resume": True}
        data = pictures.x_train, pictures.y_train
        fit_ensemble(ensemble, data, augment=crops(config), penalty=penalty, **how)
