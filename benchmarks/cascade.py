"""Does a student that asks its ensemble about a fifth of the rows reach what the ensemble reaches?

Claim: 95 % of the ensemble's gain in nll over a single network (the mean over its members) while at most 20 % of the
rows are asked about, on the toy, concrete and digits. Half of the rows held out are the validation set, from which the
threshold comes; all scores are of the other half. The toy has ten seeds, concrete four times five folds, digits ten
splits.
"""

import runpy
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor

from benchmarks.timing import RESULTS, ROOT, write
from endd.cascade import Cascade, CostRiskCurve, cost_risk_curve
from endd.data import load_uci, toy_examples, uci_splits
from endd.families import Gaussian
from endd.models import Ensemble, Student, num_outputs, row_losses
from endd.nn import MLP
from endd.report.cost_risk import cost_risk_figure
from endd.studies import toy_config, uci_config
from endd.studies.statistics import estimate, ratio
from endd.studies.toy_training import draw_inputs
from endd.studies.training import STUDENT_SEEDS, options, seeded
from endd.studies.uci_training import arms, as_jobs, train_ensembles, train_students
from endd.training import distill_many, fit_ensembles

COST, WANTED = 0.2, 0.95
# The threshold is chosen for a little less than that, so that chance among the scored rows does not lead above it.
AIMED = 0.18
COSTS = np.linspace(0, 1, 21)
SEEDS = range(10)
FOLD_SEEDS = range(4)
DPI = 160


class Trial(NamedTuple):
    """A teacher, its student, and rows that neither has seen."""

    ensemble: Ensemble
    student: Student
    x: Tensor
    y: Tensor


def toy() -> Iterator[Trial]:
    config, family = toy_config.Config(), Gaussian()
    v = num_outputs(family)
    data = [toy_examples(config.train_points, 3.0, (seed, 0)) for seed in SEEDS]
    teachers = [seeded(s, lambda: Ensemble([MLP(1, config.hidden, 2) for _ in range(10)], family)) for s in SEEDS]
    fit_ensembles(teachers, data, progress="none", **options(config.teacher, 0))
    nets = [seeded(STUDENT_SEEDS + s, lambda: MLP(1, config.student_hidden, v, "silu")) for s in SEEDS]  # type: ignore[type-var]
    students = [Student(net, family) for net in nets]
    inputs = [draw_inputs(config.samples, seed) for seed in SEEDS]
    distill_many(teachers, students, inputs, progress="none", **options(config.student, 0))
    for seed in SEEDS:
        x, y = (torch.as_tensor(part) for part in toy_examples(2 * config.test_points, 5.0, (seed, 1)))
        yield Trial(teachers[seed], students[seed], x, y)


def concrete() -> Iterator[Trial]:
    config = uci_config.Config(datasets=("concrete",))
    table = load_uci("concrete")
    jobs = [job for seed in FOLD_SEEDS for job in as_jobs(seed, uci_splits(table, config.splits, seed))]
    teachers = train_ensembles(config, jobs, "none")
    students = train_students({"distilled": arms(config)["distilled"]}, config, jobs, teachers, "none")["distilled"]
    for job, teacher, student in zip(jobs, teachers, students, strict=True):
        # folds are shuffled, so that any half of one is as good as the other
        yield Trial(teacher, student, torch.as_tensor(job.split.test.x), torch.as_tensor(job.split.test.y))


def digits() -> Iterator[Trial]:
    train = runpy.run_path(str(ROOT / "examples" / "digits.py"))["train"]
    for seed in SEEDS:
        yield Trial(*train(seed, "none"))


def measured(trial: Trial) -> dict[str, Any]:
    """nll of everybody on the second half, with the threshold from the first, and the curve on the second half."""
    ensemble, student, x, y = trial
    half = len(y) // 2
    threshold = cost_risk_curve(student.predict(x[:half]), ensemble.predict(x[:half]), y[:half]).for_cost(AIMED)
    x, y = x[half:], y[half:]
    cascade = Cascade(student, ensemble, threshold).predict(x)
    singles = [Ensemble([member], ensemble.family) for member in ensemble.members]
    curve = cost_risk_curve(student.predict(x), ensemble.predict(x), y)
    nll = {"single": float(np.mean([float(row_losses(one.predict(x), y).mean()) for one in singles]))}
    nll |= {"student": float(curve.risk[0]), "ensemble": float(curve.risk[-1])}
    nll["cascade"] = float(row_losses(cascade, y).mean())
    return {"nll": nll, "asked": float(cascade.asked.double().mean()), "curve": on_grid(curve)}


def on_grid(curve: CostRiskCurve) -> np.ndarray:
    """The risk at COSTS."""
    return np.interp(COSTS, curve.cost.numpy(), curve.risk.numpy())


def summary(name: str, trials: list[dict[str, Any]]) -> dict[str, Any]:
    """Means over trials, the shares with their 95 % intervals, and the mean curve."""
    nll = {model: [trial["nll"][model] for trial in trials] for model in trials[0]["nll"]}
    gain = {m: [a - b for a, b in zip(nll["single"], nll[m], strict=True)] for m in ("student", "ensemble", "cascade")}
    shares = {m: ratio(gain[m], gain["ensemble"]) for m in ("student", "cascade")}
    behind, left = (estimate(np.subtract(nll[m], nll["ensemble"]).tolist()) for m in ("student", "cascade"))
    asked = float(np.mean([trial["asked"] for trial in trials]))
    curve = np.mean([trial["curve"] for trial in trials], axis=0)
    return {
        "data": name,
        "trials": len(trials),
        "asked": round(asked, 4),
        "nll": {model: round(float(np.mean(values)), 4) for model, values in nll.items()},
        "share of the gain": {m: [round(s.mean, 3), round(s.half_width, 3)] for m, s in shares.items()},
        "reached": bool(shares["cascade"].mean >= WANTED and asked <= COST),
        "student less ensemble": [round(behind.mean, 4), round(behind.half_width, 4)],
        "cascade less ensemble": [round(left.mean, 4), round(left.half_width, 4)],
        "curve": {"cost": COSTS.round(2).tolist(), "nll": curve.round(4).tolist()},
    }


def main() -> None:
    makers = {"toy": toy, "concrete": concrete, "digits": digits}
    rows = [summary(name, [measured(trial) for trial in make()]) for name, make in makers.items()]
    write("cascade", rows)
    curves = {row["data"]: (np.array(row["curve"]["cost"]), np.array(row["curve"]["nll"])) for row in rows}
    singles = {row["data"]: row["nll"]["single"] for row in rows}
    cost_risk_figure(curves, "nll", singles, mark=COST).savefig(RESULTS / "cascade.png", dpi=DPI)
