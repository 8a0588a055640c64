"""Training: stacked ensembles and distillation."""

from endd.training.distillation import distill, distill_many
from endd.training.ensembles import fit_ensemble, fit_ensembles
from endd.training.images import flips_and_crops
from endd.training.loop import History, TrainingDivergedError
from endd.training.pool import transfer_pool
from endd.training.recipe import Recipe
from endd.training.schedules import Constant, OneCycle, PowerSteps
from endd.training.warps import warps

__all__ = [
    "Constant",
    "History",
    "OneCycle",
    "PowerSteps",
    "Recipe",
    "TrainingDivergedError",
    "distill",
    "distill_many",
    "fit_ensemble",
    "fit_ensembles",
    "flips_and_crops",
    "transfer_pool",
    "warps",
]
