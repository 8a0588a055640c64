"""Ten networks that foresee the course of diabetes, distilled into one that keeps both kinds of their uncertainty."""

import torch
from sklearn.datasets import load_diabetes
from sklearn.model_selection import train_test_split

import endd
from endd import metrics
from endd.nn import MLP
from endd.studies.comparison import compare


def main(seed: int = 0, progress: str = "auto") -> dict[str, dict[str, float]]:
    torch.manual_seed(seed)
    x, y = load_diabetes(return_X_y=True)
    parts = train_test_split(torch.tensor(x).float(), torch.tensor(y).float(), test_size=0.3, random_state=seed)
    x_train, x_test, y_train, y_test = parts
    centre, spread = x_train.mean(0), x_train.std(0)
    x_train, x_test = (x_train - centre) / spread, (x_test - centre) / spread

    # z is learnt in standardised units; predictions come in the user's
    family = endd.families.Gaussian().in_units(float(y_train.mean()), float(y_train.std()))
    ensemble = endd.Ensemble([MLP(10, [50], 2) for _ in range(10)], family)
    # few epochs: 309 patients are soon learnt by heart
    options = {"progress": progress, "seed": seed}
    endd.fit_ensemble(ensemble, (x_train, y_train), epochs=5, batch_size=32, learning_rate=0.03, **options)

    pool = endd.training.transfer_pool(x_train, views=8, mix=0.75, seed=seed)
    student = endd.Student(MLP(10, [75], endd.num_outputs(family)), family)
    endd.distill(ensemble, student, pool, epochs=60, batch_size=128, **options)
    return compare(ensemble, student, x_test, y_test, scores)


def scores(prediction: endd.Prediction, y: torch.Tensor) -> dict[str, float]:
    """Error, negative log-likelihood and what the 95 % interval covers."""
    lower, upper = prediction.interval(0.95)
    return {
        "rmse": float(metrics.rmse(prediction.mean, y)),
        "nll": float(metrics.nll(prediction.log_prob(y))),
        "coverage": float(metrics.interval_coverage(lower, upper, y)),
    }


if __name__ == "__main__":
    for name, numbers in main().items():
        print(f"{name:10s}" + "  ".join(f"{key} {value:.4f}" for key, value in numbers.items()))
