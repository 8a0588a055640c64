"""A row of one's own in the CIFAR-10 study."""

from dataclasses import replace
from pathlib import Path

from endd.models.student import default_form
from endd.studies.cifar10_asking import Asking
from endd.studies.cifar10_config import Config
from endd.studies.cifar10_evaluation import Evaluation
from endd.studies.cifar10_folder import MEMBERS, check_members
from endd.studies.cifar10_images import load_pictures, make_corrupted
from endd.studies.cifar10_methods import FAMILY, Kind
from endd.studies.cifar10_training import SECONDS, WeightsWorkshop, on, tidy
from endd.studies.method import load_method
from endd.studies.own import with_row
from endd.studies.result import Record, Result
from endd.training.ensembles import training_device


def add_row(
    before: Result,
    place: str,
    out: Path,
    progress: str = "auto",
    data: str | Path | None = None,
    device: str | None = None,
    teacher: Path | None = None,
) -> Result:
    """Train the method at FILE.py:NAME in every repeat that is there, and add its row.

    teacher: where the members are, if not in `out`.
    """
    teacher = teacher or out
    seeds = sorted({record.seed for record in before.records})
    config = on(replace(Config.from_plain(before.config), first_seed=seeds[0], seeds=len(seeds)), device)
    name, method = load_method(place, FAMILY)
    missing = [seed for seed in seeds if not (teacher / MEMBERS / str(seed) / SECONDS).exists()]
    if missing:
        raise FileNotFoundError(
            f"Expected the members of repeat {missing[0]} in {teacher / MEMBERS}, but found none. Run the study first, "
            "or name a folder that has them with --teacher."
        )
    kind = Kind(FAMILY, default_form(FAMILY) if method.v is None else method.v, method.objective, method.head)
    check_members(teacher, config.as_plain())
    pictures = load_pictures(config, data, training_device(config.member))
    make_corrupted(config, pictures.x_test, data)
    # what a user's student is made of only the user's file knows
    workshop = WeightsWorkshop(config, pictures, out, progress, {name: kind}, f"own/{name}", teacher=teacher)
    ask = Asking(config, workshop, pictures, data)
    records: list[Record] = []
    for seed in seeds:
        found = Evaluation(ask.all_about(seed), workshop.forms(), workshop.device).records()
        records += [record for record in found if record.model == name]
    tidy(out)
    return with_row(before, name, place, records)
