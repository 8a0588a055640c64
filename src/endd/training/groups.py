"""An ensemble trained in groups of members, each wherever an engine has room."""

from functools import partial
from pathlib import Path
from typing import Any

from torch import Tensor

from endd.engines import Engine, map_parts
from endd.models import Ensemble
from endd.training.ensembles import fit_ensemble
from endd.training.history import History
from endd.training.progress import reporter

State = dict[str, Tensor]


def fit_in_groups(
    ensemble: Ensemble,
    data: Any,
    groups: int,
    *,
    engine: Engine | None = None,
    seed: int = 0,
    run: str | Path | None = None,
    progress: str = "auto",
    **options: Any,
) -> list[History]:
    """Train the members of an ensemble in so many groups, in place; the history of each group.

    A group is a stacked run by itself, with a seed and, in `run`, a folder of its own, from which it goes on if its
    worker dies. Members are the same whatever the engine. options: as for `fit_ensemble`.

    >>> import torch, endd
    >>> ensemble = Ensemble([torch.nn.Linear(1, 2) for _ in range(4)], endd.families.Gaussian())
    >>> x = torch.rand(20, 1)
    >>> [len(history.loss) for history in fit_in_groups(ensemble, (x, x[:, 0]), 2, epochs=3, progress="none")]
    [3, 3]
    """
    if not 1 <= groups <= len(ensemble):
        raise ValueError(f"Expected from 1 to {len(ensemble)} groups, one member each at least, but got {groups}.")
    work = partial(_fit_group, ensemble, data, groups, seed, None if run is None else Path(run), options)
    with reporter(progress, f"{len(ensemble)} members", "group") as told:
        tell = partial(_tell, told)
        found = map_parts(work, range(groups), engine=engine, tell=tell)
    for number, (states, _) in enumerate(found):
        for member, state in zip(_members(ensemble, groups, number), states, strict=True):
            member.load_state_dict(state)
    return [history for _, history in found]


def _fit_group(
    ensemble: Ensemble, data: Any, groups: int, seed: int, run: Path | None, options: dict[str, Any], number: int
) -> tuple[list[State], History]:
    """What the members of a group have learnt."""
    group = Ensemble(_members(ensemble, groups, number), ensemble.family, output=ensemble.output)
    folder: dict[str, Any] = {} if run is None else {"run": run / f"group{number}", "resume": True}
    history = fit_ensemble(group, data, seed=seed + number, progress="none", **folder, **options)
    return [dict(member.state_dict()) for member in group.members], history


def _members(ensemble: Ensemble, groups: int, number: int) -> list[Any]:
    """Every `groups`-th member, from the group's own."""
    return list(ensemble.members)[number::groups]


def _tell(told: Any, done: int, of: int) -> None:
    told.update(done, of, {})
