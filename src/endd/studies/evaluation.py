"""Scores of a regression model on test data, and of how well it speaks for its teacher."""

from torch import Tensor
from torch.distributions import Normal

from endd import metrics
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


def marginal_scores(teacher: Prediction, model: Prediction) -> dict[str, float]:
    """kl_teacher = mean_x KL(teacher's marginal || model's); variance_ratio = mean_x of the total variances' ratio."""
    return {
        "kl_teacher": metrics.kl_marginal(teacher.marginal, model.marginal).mean().item(),
        "variance_ratio": (model.total / teacher.total).mean().item(),
    }


def epistemic_scores(teacher: Prediction, model: Prediction) -> dict[str, float]:
    """Agreement on the epistemic part: its order, its size, and the 10 % of inputs to reject."""
    return {
        "epistemic_spearman": metrics.spearman(teacher.epistemic, model.epistemic).item(),
        "epistemic_ratio": metrics.mean_ratio(teacher.epistemic, model.epistemic).item(),
        "rejection_overlap@10": metrics.rejection_overlap(teacher.epistemic, model.epistemic, 0.10).item(),
    }
