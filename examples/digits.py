"""Ten networks that read handwritten digits, distilled into one that is as sure and as unsure as they are."""

import torch
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

import endd
from endd import metrics
from endd.nn import MLP
from endd.studies.comparison import compare


def main(seed: int = 0, progress: str = "auto") -> dict[str, dict[str, float]]:
    return compare(*train(seed, progress), scores)


def train(seed: int, progress: str) -> tuple[endd.Ensemble, endd.Student, torch.Tensor, torch.Tensor]:
    """An ensemble, its student, and the digits that neither has seen."""
    torch.manual_seed(seed)
    x, y = load_digits(return_X_y=True)
    parts = train_test_split(torch.tensor(x).float() / 16, torch.tensor(y), test_size=0.3, random_state=seed)
    x_train, x_test, y_train, y_test = parts

    family = endd.families.Categorical(10)
    ensemble = endd.Ensemble([MLP(64, [64], 10) for _ in range(10)], family)
    options = {"progress": progress, "seed": seed}
    endd.fit_ensemble(ensemble, (x_train, y_train), epochs=30, batch_size=16, learning_rate=0.03, **options)

    # around the digits and between them members disagree: there the student learns how
    pool = endd.training.transfer_pool(x_train, views=4, augment=smudge, mix=0.25, seed=seed)
    student = endd.Student(MLP(64, [256], endd.num_outputs(family)), family)
    endd.distill(ensemble, student, pool, epochs=30, learning_rate=0.02, clip=0.3, **options)
    return ensemble, student, x_test, y_test


def smudge(x: torch.Tensor, generator: torch.Generator) -> torch.Tensor:
    return x + 0.05 * torch.randn(x.shape, generator=generator)


def scores(prediction: endd.Prediction, y: torch.Tensor) -> dict[str, float]:
    """Accuracy, negative log-likelihood and calibration."""
    return {
        "accuracy": float(metrics.accuracy(prediction.probs, y)),
        "nll": float(metrics.nll(prediction.log_prob(y))),
        "ece": float(metrics.ece(prediction.probs, y)),
    }


if __name__ == "__main__":
    for name, numbers in main().items():
        print(f"{name:10s}" + "  ".join(f"{key} {value:.4f}" for key, value in numbers.items()))
