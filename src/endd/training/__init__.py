"""Training: stacked ensembles and distillation."""

from endd._errors import TrainingDivergedError
from endd.training.blends import blends
from endd.training.cache import OneByOne, TeacherCache, cache_teacher
from endd.training.directions import diverse_steps
from endd.training.distillation import distill, distill_many
from endd.training.ensembles import fit_ensemble, fit_ensembles
from endd.training.groups import fit_in_groups
from endd.training.history import History
from endd.training.images import flips_and_crops
from endd.training.pool import transfer_pool
from endd.training.recipe import Recipe
from endd.training.schedules import Constant, OneCycle, PowerSteps
from endd.training.warps import warps

__all__ = [
    "Constant",
    "History",
    "OneByOne",
    "OneCycle",
    "PowerSteps",
    "Recipe",
    "TeacherCache",
    "TrainingDivergedError",
    "blends",
    "cache_teacher",
    "distill",
    "distill_many",
    "diverse_steps",
    "fit_ensemble",
    "fit_ensembles",
    "fit_in_groups",
    "flips_and_crops",
    "transfer_pool",
    "warps",
]
