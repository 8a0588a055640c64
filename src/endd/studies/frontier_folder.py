"""The folder of a frontier between two runs: it goes on with the settings and the teacher that it began with."""

import json
from pathlib import Path
from typing import Any

from endd.studies.cifar10_config import Config as Study
from endd.studies.cifar10_folder import fingerprints
from endd.studies.frontier_config import Config
from endd.studies.result import CONFIG
from endd.studies.settings import check_unchanged

#: What was written down beside the settings, for readers of the numbers.
NOTES = "notes"
#: What may differ between the runs of a folder: which models and repeats, how many at once, and where they train.
FREE = (
    *("seeds", "first_seed", "groups", "levers", "widths", "together", "command", NOTES),
    *(
        "study.preset",
        "study.seeds",
        "study.first_seed",
        "study.groups",
        "study.models",
        "study.together",
        "study.kept_rows",
        "study.late",
        "study.late_views",
        "study.late_warm",
    ),
    *("study.member.device", "study.student.device", "study.warm.device", "study.student.epochs"),
)


def settings_of(config: Config, teacher: Path | None) -> dict[str, Any]:
    """The settings in plain types, with what tells the members of every repeat from others."""
    return config.as_plain() | {"teachers": {} if teacher is None else fingerprints(teacher, config.all_seeds())}


def check_settings(out: Path, plain: dict[str, Any]) -> None:
    """Raise if the folder was begun with other settings, or with other members in a repeat that both runs have."""
    file = out / CONFIG
    if not file.exists():
        return
    try:
        found = dict(json.loads(file.read_text()))
        teachers, study = dict(found["teachers"]), dict(found["study"])
    except (KeyError, TypeError, ValueError):
        raise ValueError(f"Expected settings in {file}, but it cannot be read. Choose another --out.") from None
    shared = {seed: teachers.get(seed, said) for seed, said in plain["teachers"].items()}
    # a setting that came up since then was at its default
    before = Config().as_plain() | found | {"teachers": shared, "study": Study().as_plain() | study}
    check_unchanged(before, plain, FREE, f"Choose another --out, or delete {out}.")
