"""A table and one of its columns: an ensemble and its student are trained on a part, and tried on the rest."""

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from endd.data.columns import CATEGORIES, NUMBERS, as_codes, as_text
from endd.data.files import TableFile
from endd.estimators import DistilledClassifier, DistilledRegressor
from endd.estimators.networks import parts_aside
from endd.models import Ensemble, Model
from endd.streaming import ROWS, Estimator, check_columns, kinds_of
from endd.studies.environment import environment
from endd.studies.evaluation import epistemic_scores
from endd.studies.result import Record, Result, records_of
from endd.studies.table_config import Config
from endd.studies.table_curves import distance_curves, table_curves, top_rows
from endd.studies.table_rows import Rows, kl_teacher, rows_of, scores_of
from endd.studies.table_target import check_values, read_target
from endd.studies.training import say
from endd.training.progress import reporter

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["EVALUATION", "STUDY", "Config", "run", "try_table"]

STUDY, EVALUATION = "table", "evaluation"


def run(config: Config, source: TableFile, progress: str = "auto") -> tuple[Result, Estimator]:
    """Train on a part of the rows, and try all models on the rest."""
    names = input_columns(config, source)
    say(f"fit: reading {source.path}", progress)
    table = source.read([*names, config.target])
    target = read_target(table.column(config.target), config.target, config.task)
    say(f"fit: the target {config.target!r} makes this {target.reason}", progress if config.task == "auto" else "none")
    config = replace(config, task=target.task)
    train, test = split_rows(target.y, config)
    model = new_estimator(config, progress)
    X = table.select(names)
    model.fit(X.take(train), target.y[train]).set_params(verbose=0)
    near, far = (torch.as_tensor(model.encoder_.encode(X.take(rows))[0]) for rows in (train, test))
    y = target.y[test]
    codes = torch.as_tensor(np.searchsorted(model.classes_, y) if target.task == "classification" else y)
    rows, records = try_models(model, far, codes, config, progress)
    curves = table_curves(rows, codes) | distance_curves(rows["distilled"], far, near)
    curves |= top_rows(rows["distilled"], table.take(test), test + 1, config.target, getattr(model, "classes_", None))
    plain = config.as_plain() | {"columns": names, "rows": {"train": len(train), "test": len(test)}} | _classes(model)
    return Result(STUDY, plain, environment(), records, curves), model


def try_table(
    model: Estimator, settings: Mapping[str, Any], source: TableFile, target: str, progress: str = "auto"
) -> Result:
    """Try the models of a fitted estimator on another table with the target in it."""
    check_columns(source, model.encoder_.names, "of training")
    check_columns(source, [target], "of the target")
    if target in model.encoder_.names:
        raise ValueError(f"Expected a --target that the model does not see, but {target!r} is one of its inputs.")
    classes = getattr(model, "classes_", None)
    kinds = kinds_of(model.encoder_) | {target: NUMBERS if classes is None else CATEGORIES}
    parts = list(source.batches([*model.encoder_.names, target], kinds, ROWS))
    if not parts:
        raise ValueError(f"Expected rows in {source.path}, but it has none.")
    table = source.pa.concat_tables(parts)
    y = targets_of(table.column(target), target, classes)
    x = torch.as_tensor(model.encoder_.transform(table.select(model.encoder_.names), strict=model.strict))
    config = Config(source.path.name, target, "regression" if classes is None else "classification")
    rows, records = try_models(model, x, y, config, progress)
    curves = table_curves(rows, y) | top_rows(rows["distilled"], table, np.arange(1, len(y) + 1), target, classes)
    plain = {
        **settings,
        **_classes(model),
        "table": source.path.name,
        "target": target,
        "task": config.task,
        "rows": {"test": len(y)},
    }
    return Result(EVALUATION, plain, environment(), records, curves)


def input_columns(config: Config, source: TableFile) -> list[str]:
    """All columns but the target and those that are dropped."""
    check_columns(source, [config.target], "of the target")
    check_columns(source, config.drop, "to drop")
    names = [name for name in source.names if name != config.target and name not in config.drop]
    if not names:
        raise ValueError(f"Expected columns besides the target {config.target!r}, but none are left.")
    return names


def split_rows(y: NDArray[Any], config: Config) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Rows to train on and rows to test on, both in order; of every class one row at least is trained on."""
    strata = np.unique(y, return_inverse=True)[1] if config.task == "classification" else None
    parts = parts_aside(max(round(config.test_share * len(y)), 1), 1, strata, len(y), config.seed)
    test = np.sort(parts[0]) if parts else np.empty(0, np.intp)
    return np.setdiff1d(np.arange(len(y)), test), test


def new_estimator(config: Config, progress: str) -> Any:
    """The estimator for the task, with the settings' options."""
    kind = DistilledClassifier if config.task == "classification" else DistilledRegressor
    return kind(
        n_members=config.members,
        epochs=config.epochs,
        student_epochs=config.student_epochs,
        random_state=config.seed,
        strict=config.strict,
        verbose=progress,
    )


def targets_of(column: "pa.ChunkedArray", name: str, classes: NDArray[Any] | None) -> Tensor:
    """Numbers, or the places of classes; a class that the model does not know raises."""
    values = np.asarray(column.to_numpy())
    check_values(values, name)
    if classes is None:
        return torch.as_tensor(values.astype(np.float64))
    codes, levels = as_codes(name, values)
    place = {as_text(known): number for number, known in enumerate(classes.tolist())}
    strange = [level for level in levels if level not in place]
    if strange:
        raise ValueError(
            f"Expected the classes {', '.join(map(repr, place))} in the target {name!r}, but got "
            f"{', '.join(map(repr, strange[:5]))}. Drop those rows, or fit again."
        )
    return torch.as_tensor(np.array([place[level] for level in levels])[codes])


def models_of(model: Estimator) -> dict[str, Model]:
    """The ensemble and one of its members, if they were kept, and the student."""
    student: dict[str, Model] = {"distilled": model.student_}
    teacher = model.teacher_
    if not isinstance(teacher, Ensemble):
        return student
    return {"ensemble": teacher, **student, "single": Ensemble([teacher.members[0]], teacher.family)}


def try_models(
    model: Estimator, x: Tensor, y: Tensor, config: Config, progress: str
) -> tuple[dict[str, Rows], list[Record]]:
    """What every model says about encoded rows, and its scores."""
    models, done = models_of(model), 0
    with reporter(progress, "test", "rows") as bar:

        def told(count: int) -> None:
            nonlocal done
            done += count
            bar.update(done, len(models) * len(y), {})

        rows, scores = scores_of_models(models, x, y, told)
    return rows, list(_records(scores, config))


def scores_of_models(
    models: Mapping[str, Model], x: Tensor, y: Tensor, told: Callable[[int], None] = lambda _: None
) -> tuple[dict[str, Rows], dict[str, dict[str, float]]]:
    """What every model says about encoded rows x, its scores, and how well it speaks for the ensemble if there is one.

    told: called with the number of rows after every part of them.
    """
    rows = {name: rows_of(model, x, y, told) for name, model in models.items()}
    scores = {name: scores_of(found, y) for name, found in rows.items()}
    if "ensemble" not in models:
        return rows, scores
    for name in scores.keys() - {"ensemble"}:
        scores[name]["kl_teacher"] = kl_teacher(models["ensemble"], models[name], x)
    scores["distilled"] |= epistemic_scores(rows["ensemble"]["epistemic"], rows["distilled"]["epistemic"])
    best, single = scores["ensemble"]["nll"], scores["single"]["nll"]
    if single != best:
        scores["distilled"]["gain_lost"] = (scores["distilled"]["nll"] - best) / (single - best)
    return rows, scores


def _classes(model: Estimator) -> dict[str, list[Any]]:
    return {"classes": model.classes_.tolist()} if isinstance(model, DistilledClassifier) else {}


def _records(scores: Mapping[str, dict[str, float]], config: Config) -> Iterable[Record]:
    for name, found in scores.items():
        finite = {metric: value for metric, value in found.items() if math.isfinite(value)}
        yield from records_of(name, config.table, "test", config.seed, finite)
