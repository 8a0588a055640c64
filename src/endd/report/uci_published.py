"""Numbers that others printed for the UCI sets, to stand beside ours."""

from typing import NamedTuple


class Published(NamedTuple):
    """rmse; nll of the moment-matched normal; ause over ten points, where it was printed."""

    rmse: float
    nll: float
    ause: float | None = None


#: Lindqvist et al. (2020), Table 1: its ensemble and its distribution-distilled student, five folds.
PAPER_ENSEMBLE = {
    "concrete": Published(8.08, 3.47, 0.36),
    "wine-quality-red": Published(0.65, 0.99, 0.50),
    "yacht": Published(2.86, 3.41, 0.28),
    "kin8nm": Published(0.11, -0.72, 0.30),
    "power-plant": Published(4.31, 3.10, 0.57),
}
PAPER_STUDENT = {
    "concrete": Published(8.64, 3.80, 0.34),
    "wine-quality-red": Published(0.65, 1.05, 0.58),
    "yacht": Published(3.42, 4.30, 0.34),
    "kin8nm": Published(0.12, -0.27, 0.37),
    "power-plant": Published(4.33, 3.67, 0.64),
}
#: Lakshminarayanan et al. (2017), five members, the 20 published splits.
DEEP_ENSEMBLES = {
    "concrete": Published(6.03, 3.06),
    "wine-quality-red": Published(0.64, 0.94),
    "yacht": Published(1.58, 1.18),
    "kin8nm": Published(0.09, -1.20),
    "power-plant": Published(4.11, 2.79),
}
#: All of them under the names of their rows.
PUBLISHED = {
    "paper's ensemble": PAPER_ENSEMBLE,
    "paper's student": PAPER_STUDENT,
    "Deep Ensembles 2017": DEEP_ENSEMBLES,
}
