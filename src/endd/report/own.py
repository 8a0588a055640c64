"""Rows that users added to a study: each of them beside every other model."""

from collections.abc import Iterator

from endd.report.rows import differences
from endd.report.tables import MISSING, Table
from endd.studies.result import Result

METRICS = ("accuracy", "rmse", "nll", "brier", "ece", "ause", "kl_teacher", "epistemic_spearman", "epistemic_ratio")
NOTE = (
    "The method minus each other model, paired by split and seed, with 95 % intervals. Scores that either lacks are "
    "left out."
)


def own_tables(result: Result) -> Iterator[Table]:
    """A table for every added row and data set on which it stands beside others."""
    for name, place in result.config.get("own", {}).items():
        for dataset in _datasets(result, name):
            metrics = [metric for metric in METRICS if result.values(name, metric, dataset)]
            others = [model for model in result.models() if model != name]
            rows = [(model, *differences(result, name, model, metrics, dataset)) for model in others]
            rows = [row for row in rows if any(cell != MISSING for cell in row[1:])]
            if rows:
                note = f"{name} is {place}. {NOTE}"
                yield Table(f"{name} minus the others: {dataset}", ("model", *metrics), tuple(rows), note)


def _datasets(result: Result, name: str) -> list[str]:
    """Those with the method's scores; of images the clean ones and, for agreement, all corrupted ones together."""
    found = list(dict.fromkeys(record.dataset for record in result.records if record.model == name))
    whole = [dataset for dataset in found if dataset in ("clean", "corrupted")]
    return whole or found
