"""Scores of a model on test data, and of how well it speaks for its teacher."""

from collections.abc import Mapping

from torch import Tensor
from torch.distributions import Normal

from endd import metrics
from endd.distributions import Atoms
from endd.models import Prediction


def regression_scores(prediction: Prediction, y: Tensor) -> dict[str, float]:
    """rmse; nll of the full marginal and of its moment-matched normal; ause, ause10 by the total variance."""
    error = y - prediction.mean
    matched = Normal(prediction.mean, prediction.variance.sqrt())
    scores = {
        "rmse": metrics.rmse(prediction.mean, y),
        "nll": metrics.nll(prediction.log_prob(y)),
        "nll_gaussian": metrics.nll(matched.log_prob(y)),
        "ause": metrics.ause(error, prediction.total),
        "ause10": metrics.ause10(error, prediction.total),
    }
    return {name: score.item() for name, score in scores.items()}


def class_scores(probs: Tensor, log_prob: Tensor, total: Tensor, y: Tensor) -> dict[str, float]:
    """accuracy, nll, brier, ece on fifteen bins and on the paper's four, and aurc by the total uncertainty."""
    scores = {
        "accuracy": metrics.accuracy(probs, y),
        "nll": metrics.nll(log_prob),
        "brier": metrics.brier(probs, y),
        "ece": metrics.ece(probs, y),
        "ece_quartile": metrics.ece_quartile(probs, y),
        "aurc": metrics.aurc(probs.argmax(-1) != y, total),
    }
    return {name: score.item() for name, score in scores.items()}


def marginal_scores(teacher: Prediction, model: Prediction) -> dict[str, float]:
    """kl_teacher = mean_x KL(teacher's marginal || model's); variance_ratio = mean_x of the total variances' ratio."""
    return {
        "kl_teacher": metrics.kl_marginal(teacher.marginal, model.marginal).mean().item(),
        "variance_ratio": (model.total / teacher.total).mean().item(),
    }


def epistemic_scores(teacher: Tensor, model: Tensor) -> dict[str, float]:
    """Agreement on the epistemic parts (B,): their order, their size, and the 10 % of inputs to reject."""
    return {
        "epistemic_spearman": metrics.spearman(teacher, model).item(),
        "epistemic_ratio": metrics.mean_ratio(teacher, model).item(),
        "rejection_overlap@10": metrics.rejection_overlap(teacher, model, 0.10).item(),
    }


def interval_scores(prediction: Prediction, y: Tensor) -> dict[str, float]:
    """crps of the full marginal; coverage95, the share of y inside the central 95 % interval."""
    return {
        "crps": metrics.crps(prediction.marginal, y).item(),
        "coverage95": (central_level(prediction, y) <= 0.95).double().mean().item(),
    }


def central_level(prediction: Prediction, y: Tensor) -> Tensor:
    """|2 F(y) - 1|: the level of the central interval on whose edge y lies, uniform under a calibrated model."""
    return (2 * prediction.marginal.cdf(y) - 1).abs()


def agreement(name: str, predictions: Mapping[str, Prediction]) -> dict[str, float]:
    """Agreement with the "ensemble"; for the ensemble itself that of the "reference", under names of its own."""
    teacher, model = predictions["ensemble"], predictions[name]
    if name == "ensemble":
        reference = agreement("reference", predictions)
        return {
            "kl_reference": reference["kl_teacher"],
            "epistemic_spearman_reference": reference["epistemic_spearman"],
        }
    # a single atom has no epistemic part
    splits = not (isinstance(model.v, Atoms) and len(model.v.atoms) == 1)
    return marginal_scores(teacher, model) | (epistemic_scores(teacher.epistemic, model.epistemic) if splits else {})
