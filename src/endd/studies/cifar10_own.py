"""A row of one's own in the CIFAR-10 study."""

from dataclasses import replace
from pathlib import Path

from endd.studies.cifar10_asking import Asking
from endd.studies.cifar10_config import Config
from endd.studies.cifar10_evaluation import OF_MEMBERS, Evaluation
from endd.studies.cifar10_folder import MEMBERS, check_members, check_same_members, fingerprints
from endd.studies.cifar10_images import load_pictures, make_corrupted
from endd.studies.cifar10_methods import CANDIDATES, FAMILY, Kind, features_of, students
from endd.studies.cifar10_outputs import ENSEMBLE, REFERENCE
from endd.studies.cifar10_samplers import SAMPLERS
from endd.studies.cifar10_training import SECONDS, WeightsWorkshop, on, tidy
from endd.studies.cifar10_warm import WarmWorkshop, warmed
from endd.studies.method import load_method
from endd.studies.own import check_name, with_row
from endd.studies.result import Record, Result
from endd.studies.user_file import fingerprint
from endd.training.devices import training_device


class OwnWorkshop(WarmWorkshop, WeightsWorkshop):
    """Makes students of a kind that only the user's file knows how to build."""


def add_row(
    before: Result,
    place: str,
    out: Path,
    progress: str = "auto",
    data: str | Path | None = None,
    device: str | None = None,
    teacher: Path | None = None,
    warm: bool = False,
) -> Result:
    """Train the method at FILE.py:NAME in every repeat that is there, and add its row.

    teacher: where the members are, if not in `out`. warm: whether students start from a member, as "distilled_warm"
    does, and learn as briefly; the row is then called NAME_warm.
    """
    teacher = teacher or out
    seeds = sorted({record.seed for record in before.records})
    config = on(replace(Config.from_plain(before.config), first_seed=seeds[0], seeds=len(seeds)), device)
    if warm and config.warm is None:
        raise ValueError(
            f"Expected a study whose students may start from a member, but in {out} the setting `warm` is null. Leave "
            "out --warm, or name another --out."
        )
    known = {model: kind for kinds in students(config).values() for model, kind in kinds.items()}
    usual = known[before.config["chosen"]["model"] if "chosen" in before.config else CANDIDATES[0]].form
    name, method = load_method(place, FAMILY, usual, features_of(config), config.members)
    method_name, place_said = name, f"{place} --warm" if warm else place
    name = f"{name}_warm" if warm else name
    missing = [seed for seed in seeds if not (teacher / MEMBERS / str(seed) / SECONDS).exists()]
    if missing:
        raise FileNotFoundError(
            f"Expected the members of repeat {missing[0]} in {teacher / MEMBERS}, but found none. Run the study first, "
            "or name a folder that has them with --teacher."
        )
    check_name(before, name, place_said, (*known, *SAMPLERS, ENSEMBLE, REFERENCE, *OF_MEMBERS))
    check_members(teacher, config.as_plain(), "a study of theirs as --out")
    check_same_members(before.config.get("teachers", {}), fingerprints(teacher, seeds))
    kind = Kind(FAMILY, usual if method.v is None else method.v, method.objective, method.head)
    pictures = load_pictures(config, data, training_device(config.member))
    make_corrupted(config, pictures.x_test, data)
    # what a user's student is made of only the user's file knows: another one makes another student
    shelf = f"own/{method_name}-{fingerprint(Path(place.rpartition(':')[0]))}{'+warm' if warm else ''}"
    how = warmed(config) if warm else replace(config, warm=None)
    workshop = OwnWorkshop(how, pictures, out, progress, {name: kind}, shelf, teacher=teacher)
    ask = Asking(config, workshop, pictures, data, reference=False)
    records: list[Record] = []
    for seed in seeds:
        found = Evaluation(ask.all_about(seed), workshop.forms(), workshop.device).records()
        records += [record for record in found if record.model == name]
    tidy(out)
    return with_row(before, name, place_said, records)
