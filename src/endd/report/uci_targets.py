"""What the UCI study is meant to show, and whether it does, data set by data set."""

from collections.abc import Iterator

from endd.report.tables import MISSING, Table
from endd.report.targets import Target
from endd.report.uci_published import DEEP_ENSEMBLES
from endd.studies.result import Result

STUDENT, TEACHER = "distilled", "ensemble"
#: Bounds of the student's nll minus its teacher's, in nats; other sets have none.
NLL_GAP = {"concrete": 0.02, "wine-quality-red": 0.01, "yacht": 0.05, "kin8nm": 0.02, "power-plant": 0.005}
RMSE_RATIO, RMSE_RATIO_KIN8NM = 1.01, 1.02
AUSE_GAP, COVERAGE_GAP = 0.01, 0.015
EPISTEMIC_RATIO = (0.85, 1.15)
NLL_SLACK = 0.05


def targets(result: Result, dataset: str) -> Iterator[Target]:
    """All targets of a data set."""

    def mean(model: str, metric: str) -> float:
        found = result.estimate(model, metric, dataset)
        assert found is not None
        return found.mean

    def gap(metric: str) -> float:
        return mean(STUDENT, metric) - mean(TEACHER, metric)

    if dataset in NLL_GAP:
        yield Target("nll, student minus teacher", gap("nll"), high=NLL_GAP[dataset], digits=4)
    ratio = mean(STUDENT, "rmse") / mean(TEACHER, "rmse")
    yield Target("rmse, ratio", ratio, high=RMSE_RATIO_KIN8NM if dataset == "kin8nm" else RMSE_RATIO, digits=4)
    yield Target("ause, student minus teacher", gap("ause"), high=AUSE_GAP, digits=4)
    yield Target("coverage95, student minus teacher", gap("coverage95"), -COVERAGE_GAP, COVERAGE_GAP, 4)
    yield Target("mean epistemic, ratio", mean(STUDENT, "epistemic_ratio"), *EPISTEMIC_RATIO)
    reference = mean(TEACHER, "epistemic_spearman_reference")
    yield Target("Spearman of epistemic, against two ensembles'", mean(STUDENT, "epistemic_spearman"), low=reference)
    kl = mean(TEACHER, "kl_reference")
    yield Target("kl_teacher, against kl_reference", mean(STUDENT, "kl_teacher"), high=kl, digits=4)
    if result.config["splits"] == "published20" and dataset in DEEP_ENSEMBLES:
        allowed = DEEP_ENSEMBLES[dataset].nll + NLL_SLACK
        yield Target("teacher's nll, against Deep Ensembles 2017 + 0.05", mean(TEACHER, "nll"), high=allowed)


def targets_table(result: Result) -> Table:
    """A row a target, a column a data set."""
    by_set = {dataset: {t.name: t for t in targets(result, dataset)} for dataset in result.datasets()}
    names = dict.fromkeys(name for found in by_set.values() for name in found)
    rows = tuple((name, *(str(found.get(name, MISSING)) for found in by_set.values())) for name in names)
    every = [target for found in by_set.values() for target in found.values()]
    note = (
        f"{sum(target.met for target in every)} of {len(every)} are met. Of the student with the full covariance, "
        "means over splits; ratios of rmse are ratios of the means."
    )
    return Table("Targets", ("target", *by_set), rows, note)
