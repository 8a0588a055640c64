"""Groups of models in the CIFAR-10 study: each trains on its own, and a later run may add one to a folder."""

from pathlib import Path

from endd.data.frost import load_frost
from endd.studies.cifar10_config import Config
from endd.studies.cifar10_images import Pictures
from endd.studies.cifar10_methods import students
from endd.studies.cifar10_outside import OutsideWorkshop
from endd.studies.cifar10_samplers import SAMPLERS, SamplerWorkshop
from endd.studies.cifar10_training import Workshop


def names_of(group: str, config: Config) -> set[str]:
    """The models of a group."""
    return set(SAMPLERS if group == "samplers" else students(config)[group])


def workshops_of(
    config: Config, pictures: Pictures, out: Path, progress: str, data: str | Path | None
) -> dict[str, Workshop]:
    """Where the models of each of the study's groups are made."""
    made: dict[str, Workshop] = {}
    for group in config.groups:
        common = config, pictures, out, progress
        if group == "samplers":
            made[group] = SamplerWorkshop(*common, SAMPLERS, group)
        elif group == "outside":
            made[group] = OutsideWorkshop(*common, shelf=group, frost=load_frost(data))
        else:
            made[group] = Workshop(*common, shelf=group)
    return made
