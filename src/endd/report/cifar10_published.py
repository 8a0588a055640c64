"""Numbers that others printed for CIFAR-10, to stand beside ours."""

from typing import NamedTuple


class Published(NamedTuple):
    """Over the 80 corrupted sets the quartiles of ece and the medians of nll and brier; accuracy on clean images,
    where it was printed."""

    ece: tuple[float, float, float]
    nll: float
    brier: float
    accuracy: float | None = None


#: Ovadia et al. (2019), ResNet-20: the paper's Figure 3 draws its own methods beside these.
OVADIA = {
    "vanilla": Published((0.057, 0.127, 0.288), 1.120, 0.425, 0.91),
    "temperature scaling": Published((0.022, 0.049, 0.180), 0.871, 0.392),
    "ensemble of 10": Published((0.031, 0.037, 0.110), 0.653, 0.299, 0.935),
    "dropout": Published((0.021, 0.034, 0.174), 0.771, 0.349, 0.91),
    "LL dropout": Published((0.069, 0.136, 0.292), 1.086, 0.416),
    "SVI": Published((0.029, 0.064, 0.187), 0.823, 0.363, 0.88),
    "LL SVI": Published((0.058, 0.135, 0.275), 1.158, 0.431),
}
#: Accuracy on clean images, under the names of the rows.
CLEAN_ACCURACY = {"He 2016: ResNet-20": 0.9125} | {
    f"Ovadia 2019: {name}": found.accuracy for name, found in OVADIA.items() if found.accuracy is not None
}
