"""The folder of a CIFAR-10 study between two runs: the settings that it began with, and the outputs that it keeps."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from endd._damage import reading
from endd._files import make_folder, replace_file
from endd.persistence.folder import DESCRIPTION
from endd.studies.cifar10_config import LATE, Config
from endd.studies.cifar10_outputs import Outputs, load_outputs, save_outputs
from endd.studies.result import CONFIG, OWN
from endd.studies.settings import check_unchanged

#: The file of kept outputs, and the folder of the members.
OUTPUTS, MEMBERS = "outputs.npz", "members"
#: What members depend on.
OF_MEMBERS = ("members", "depth", "width", "train_rows", "member", "mirrored_edges")
#: What is written down beside the settings and stays when more models join: whose members taught, remarks on numbers,
#: rows of one's own.
WRITTEN = ("teachers", "missed", "remarks", "notes", OWN)
#: What may differ between the runs of a folder: how many repeats, at once and in all, which groups of models, and
#: which of these, where they train, and what is written down later.
FREE = (
    "seeds",
    "first_seed",
    "together",
    "groups",
    "models",
    "member.device",
    "student.device",
    "warm.device",
    "late.device",
    "late_warm",
    "chosen",
    "trials",
    "command",
    *WRITTEN,
)


def check_settings(out: Path, plain: dict[str, Any]) -> None:
    """Raise if the folder was begun with other settings: what it holds would be mixed with what comes."""
    before = _settings(out, "--out")
    if before:
        _check_late(out, before, plain)
        check_unchanged(before, plain, FREE, f"Choose another --out, or delete {out}.")


def _check_late(out: Path, before: Mapping[str, Any], plain: Mapping[str, Any]) -> None:
    """Raise if students that see more images late started otherwise than they would now, where both have some."""
    if _has_late(before) and _has_late(plain) and before["late_warm"] != plain["late_warm"]:
        there, remedy = ("a member", "Add --warm") if before["late_warm"] else ("random weights", "Leave out --warm")
        raise ValueError(
            f"Expected the groups {' and '.join(LATE)} to start from {there}, as those in {out} did. {remedy}, leave "
            "these groups out, or choose another --out."
        )


def late_as_there(out: Path, config: Config) -> Config:
    """The settings, with what the folder says of students that see more images late where this run adds none."""
    before = _settings(out, "--out")
    if not _has_late(before) or _has_late(config.as_plain()):
        return config
    return replace(config, late_warm=before["late_warm"])


def check_members(teacher: Path, plain: dict[str, Any], otherwise: str = "leave it out to train members") -> None:
    """Raise if the members in a folder of their own were trained, or would be there, with other settings.

    otherwise: what else to do about it than to choose another folder.
    """
    before = _settings(teacher, "--teacher")
    if not before and (teacher / MEMBERS).exists():
        raise ValueError(
            f"Expected the settings of the members in {teacher}, but it holds no {CONFIG}. Choose another --teacher."
        )
    if before:
        theirs, ours = ({name: found[name] for name in OF_MEMBERS} for found in (before, plain))
        remedy = f"Choose another --teacher, or {otherwise}."
        check_unchanged(theirs, ours, FREE, remedy, f"the members in {teacher}")


def fingerprints(teacher: Path, seeds: Iterable[int]) -> dict[str, str]:
    """What tells the members of every repeat from others."""
    places = {str(seed): teacher / MEMBERS / str(seed) / DESCRIPTION for seed in seeds}
    return {seed: _fingerprint(place) for seed, place in places.items()}


def _fingerprint(description: Path) -> str:
    with reading(description, "what members are", remade(description.parent)):
        return str(json.loads(description.read_text())["sha256"][:12])


def remade(folder: Path) -> str:
    """What to do where a model of a study is damaged."""
    return f"Bring it back, or delete {folder} and run the study again to have it trained anew."


def check_same_members(before: Mapping[str, str], now: Mapping[str, str]) -> None:
    """Raise if members teach in a repeat where others did before."""
    for seed in before.keys() & now.keys():
        if before[seed] != now[seed]:
            raise ValueError(
                f"Expected the members that the folder's repeat {seed} has numbers of ({before[seed]}), but got others "
                f"({now[seed]}). Choose another --out, or leave out --teacher."
            )


def _settings(folder: Path, option: str) -> dict[str, Any]:
    """Those that a folder was begun with; none if it is new."""
    file = folder / CONFIG
    if not file.exists():
        return {}
    with reading(file, "settings", f"Bring it back, or choose another {option}."):
        return as_then(dict(json.loads(file.read_text())))


def as_then(found: dict[str, Any]) -> dict[str, Any]:
    """Settings that were written down, with those that came up since then as they were."""
    known = Config().as_plain()
    if found.get("preset") == "short" or _has_late(found):
        known["warm"] = None  # before there was this setting, these students started from random weights too
    if _has_late(found):
        known["late_warm"] = bool(found.get("warm"))  # then all that could started from a member
        if not (known | found)["late_warm"]:
            known["late"] = None  # and the others trained as the students did
    return known | found


def _has_late(found: Mapping[str, Any]) -> bool:
    """Whether there are students that see more images late."""
    return not {*LATE}.isdisjoint(found.get("groups", ()))


def write_settings(out: Path, plain: dict[str, Any]) -> None:
    """Write down the settings of a new folder; those of one that was begun stay, with what was added to them."""
    make_folder(out)
    if not (out / CONFIG).exists():
        replace_file(out / CONFIG, (json.dumps(plain, indent=1) + "\n").encode())


def check_outputs(out: Path) -> None:
    """Raise if outputs that are kept cannot be read: others are to join them once they were made."""
    if (out / OUTPUTS).exists():
        load_outputs(out / OUTPUTS)


def add_outputs(out: Path, config: Config, outputs: Outputs, everything: bool) -> None:
    """Keep all outputs of a repeat beside those of the others, or else some rows of the first repeat that there is.

    Those of other models of the same repeat stay with them.
    """
    file = out / OUTPUTS
    there = load_outputs(file)[1] if file.exists() else []
    others = [one for one in there if one.seed != outputs.seed]
    if others and not everything:
        return
    kept = outputs if everything else outputs.part(config.kept_rows)
    # parts that an earlier run kept do not go with whole sets
    beside = [one for one in there if len(one.y) == len(kept.y)]
    before = [one for one in beside if one.seed == kept.seed]
    whole = before[0].joined(kept) if before else kept
    save_outputs(file, config.as_plain(), [*(one for one in beside if one.seed != kept.seed), whole])
