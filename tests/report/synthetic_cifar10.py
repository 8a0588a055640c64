"""A result in the form of the CIFAR-10 study, of numbers made up: better models score better, worse images worse."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from endd.studies.result import Record, Result, records_of

# How far from the ensemble: 0 is as good, 1 as good as a single network.
MODELS = {
    "single": 1.0,
    "temperature": 0.7,
    "ensemble": 0.0,
    "mixture": 0.3,
    "dirichlet": 0.5,
    "distilled": 0.2,
    "distilled_paper": 0.4,
    "distilled_diagonal": 0.25,
    "temperature_control": 0.3,
}
SPREAD = ("dirichlet", "distilled", "distilled_paper", "distilled_diagonal")
CORRUPTIONS = ("fog", "frost", "gaussian_noise", "pixelate")
SETS = ("clean", *(f"severity-{s}" for s in range(1, 6)))
CONFIG: dict[str, Any] = {
    "preset": "standard",
    "members": 10,
    "depth": 20,
    "width": 16,
    "train_rows": 40000,
    "validation_rows": 10000,
    "member": {"epochs": 80, "batch_size": 128, "learning_rate": 0.2},
    "student": {"epochs": 200, "batch_size": 256, "learning_rate": 0.1},
    "views": 4,
    "mix": 0.5,
    "mean_weight": 0.5,
    "chosen": {
        "model": "distilled_low_rank",
        "validation": {
            "distilled_low_rank": {"nll": 0.2, "epistemic_spearman": 0.93},
            "distilled_diagonal": {"nll": 0.21, "epistemic_spearman": 0.9},
        },
    },
    "command": "endd reproduce cifar10 --out results/cifar10",
}
ENVIRONMENT = {"python": "3.11", "torch": "2.13.0", "GPU": "NVIDIA H200", "seconds": "3600"}


def cifar10_result(repeats: int = 3, models: tuple[str, ...] = tuple(MODELS), points: int = 60) -> Result:
    """All records and curves of those models."""
    random = np.random.default_rng(0)
    records = [record for seed in range(repeats) for model in models for record in _records(model, seed, random)]
    if repeats == 1:
        records = [record for record in records if "reference" not in record.metric]
    curves = {"coverage": np.linspace(0.05, 1, 20), "fpr": np.linspace(0, 1, 21)}
    for model in models:
        curves |= _curves(model, repeats, random)
    return Result("cifar10", CONFIG | {"seeds": repeats}, ENVIRONMENT, records, curves | _epistemic(models, points))


def _records(model: str, seed: int, random: np.random.Generator) -> Iterator[Record]:
    worse = MODELS[model] + 0.01 * random.normal()
    yield from records_of(model, "clean", "test", seed, _scores(worse, 0.0) | {"train_seconds": 90, "parameters": 3e5})
    yield from records_of(model, "clean", "test", seed, _fidelity(model, worse, 0.0))
    for place, name in enumerate(CORRUPTIONS):
        for severity in range(1, 6):
            harm = 0.2 * severity * (0.6 + 0.8 * place / len(CORRUPTIONS))
            scores = _scores(worse, harm) | _fidelity(model, worse, harm)
            yield from records_of(model, f"{name}-{severity}", "test", seed, scores)
    yield from records_of(model, "corrupted", "test", seed, _fidelity(model, worse, 0.5))
    yield from records_of(model, "svhn", "test", seed, _detection(model, worse))


def _scores(worse: float, harm: float) -> dict[str, float]:
    wrong = 0.064 + 0.3 * harm + 0.02 * worse
    return {
        "accuracy": 1 - wrong,
        "nll": 2.7 * wrong + 0.08 * worse * (1 + 8 * harm),
        "brier": 1.5 * wrong,
        "ece": 0.01 + 0.02 * worse + 0.08 * harm * (0.2 + worse),
        "ece_quartile": 0.008 + 0.02 * worse + 0.08 * harm * (0.2 + worse),
        "aurc": wrong**2,
    }


def _fidelity(model: str, worse: float, harm: float) -> dict[str, float]:
    match model:
        case "single" | "temperature":
            return {}
        case "ensemble":
            names = ("kl_reference", "epistemic_spearman_reference", "epistemic_ratio_reference")
            overlap = {"rejection_overlap_reference@10": 0.6}
            return dict(zip(names, (0.03 + 0.1 * harm, 0.9 - 0.1 * harm, 1.0), strict=True)) | overlap
        case "mixture" | "temperature_control":
            found = {"kl_teacher": 0.04 + 0.1 * harm, "epistemic_spearman_entropy": 0.9 - 0.2 * harm}
            temperature = {"epistemic_spearman_temperature": 0.8 - 0.2 * harm}
            return found | temperature if model == "temperature_control" else found
    order, size = 0.97 - 0.1 * worse - 0.1 * harm, 1 - 0.3 * worse - 0.2 * harm
    scores = {"kl_teacher": 0.1 * worse + 0.1 * harm, "epistemic_spearman": order, "epistemic_ratio": size}
    return scores | {"rejection_overlap@10": 0.7 - 0.1 * harm}


def _detection(model: str, worse: float) -> dict[str, float]:
    found = {"auroc_total": 0.94 - 0.03 * worse}
    if model in ("ensemble", *SPREAD):
        found |= {"auroc_aleatoric": 0.93 - 0.03 * worse, "auroc_epistemic": 0.95 - 0.03 * worse}
    return found | {"auroc_temperature": 0.8} if model == "temperature_control" else found


def _curves(model: str, repeats: int, random: np.random.Generator) -> dict[str, np.ndarray]:
    coverage, fpr = np.linspace(0.05, 1, 20), np.linspace(0, 1, 21)
    noise = 1 + 0.02 * random.normal(size=(repeats, 1))
    found = {
        f"{model}/risk/{name}": noise * (0.07 + 0.05 * level + 0.02 * MODELS[model]) * coverage**3
        for level, name in enumerate(SETS)
    }
    parts = ("total", "aleatoric", "epistemic") if model in ("ensemble", *SPREAD) else ("total",)
    return found | {
        f"{model}/roc/{part}": fpr ** (0.1 * noise * (1 + MODELS[model]) * (1 + 0.3 * (part == "aleatoric")))
        for part in parts
    }


def _epistemic(models: tuple[str, ...], points: int) -> dict[str, np.ndarray]:
    random = np.random.default_rng(1)
    found = {}
    for level, name in enumerate(SETS):
        teacher = np.exp(random.normal(-5 + 0.6 * level, 1.5, points))
        for model in {"ensemble", "reference", "distilled", "dirichlet", "distilled_paper"} & {*models, "reference"}:
            spread = 0.0 if model == "ensemble" else 0.2 + 0.5 * MODELS.get(model, 0.8)
            found[f"{model}/epistemic/{name}"] = teacher * np.exp(spread * random.normal(size=points))
    return found
