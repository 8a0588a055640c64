"""endd: ensemble distribution distillation.

One network that keeps an ensemble's prediction, the noise in the data and the model's ignorance. Names are loaded on
first use, so that the command line answers without waiting for torch.
"""

from importlib import import_module
from typing import Any

__version__ = "0.1.0.dev0"

_HOMES = {
    "Rejector": "endd.calibration",
    "Cascade": "endd.cascade",
    "DiagonalNormal": "endd.distributions",
    "Dirichlet": "endd.distributions",
    "FullNormal": "endd.distributions",
    "LowRankNormal": "endd.distributions",
    "Members": "endd.distributions",
    "ModuloShift": "endd.distributions",
    "Point": "endd.distributions",
    "DistilledClassifier": "endd.estimators",
    "DistilledRegressor": "endd.estimators",
    "Ensemble": "endd.models",
    "Prediction": "endd.models",
    "Student": "endd.models",
    "num_outputs": "endd.models",
    "TeacherCache": "endd.training",
    "cache_teacher": "endd.training",
    "decompose": "endd.uncertainty",
    "distill": "endd.training",
    "export_onnx": "endd.export",
    "export_torch": "endd.export",
    "fidelity_report": "endd.report",
    "fit_ensemble": "endd.training",
    "from_pretrained": "endd.persistence",
    "load": "endd.persistence",
    "marginal": "endd.integrals",
    "push_to_hub": "endd.persistence",
    "save": "endd.persistence",
    "save_pretrained": "endd.persistence",
}
_ROOMS = (
    *(
        "calibration",
        "cascade",
        "data",
        "distributions",
        "engines",
        "estimators",
        "export",
        "families",
        "integrals",
        "metrics",
    ),
    *("models", "nn", "objectives", "persistence", "posteriors", "report", "studies", "training"),
)

__all__ = sorted([*_HOMES, *_ROOMS, "__version__"])


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        value = getattr(import_module(_HOMES[name]), name)
    elif name in _ROOMS:
        value = import_module(f"endd.{name}")
    else:
        raise AttributeError(f"module 'endd' has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
