"""Ten networks that foresee the course of diabetes, distilled into one that keeps both kinds of their uncertainty."""

import torch
from sklearn.datasets import load_diabetes
from sklearn.model_selection import train_test_split

import endd
from endd import metrics
from endd.nn import MLP


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
    endd.fit_ensemble(ensemble, (x_train, y_train), epochs=15, batch_size=32, progress=progress, seed=seed)

    pool = endd.training.transfer_pool(x_train, views=8, mix=0.75, seed=seed)
    student = endd.Student(MLP(10, [75], endd.num_outputs(family)), family)
    endd.distill(ensemble, student, pool, epochs=150, batch_size=128, progress=progress, seed=seed)

    singles = [scores(endd.Ensemble([member], family).predict(x_test), y_test) for member in ensemble.members]
    table = {"single": {key: sum(one[key] for one in singles) / len(singles) for key in singles[0]}}
    table["ensemble"] = scores(ensemble.predict(x_test), y_test)
    table["student"] = scores(student.predict(x_test), y_test)
    teacher, pupil = ensemble.predict(x_test), student.predict(x_test)
    table["student"]["epistemic_spearman"] = float(metrics.spearman(teacher.epistemic, pupil.epistemic))
    return table


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
