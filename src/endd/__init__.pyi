from endd import data as data
from endd import distributions as distributions
from endd import families as families
from endd import integrals as integrals
from endd import metrics as metrics
from endd import models as models
from endd import nn as nn
from endd import objectives as objectives
from endd import report as report
from endd import studies as studies
from endd import training as training
from endd.distributions import DiagonalNormal as DiagonalNormal
from endd.distributions import Dirichlet as Dirichlet
from endd.distributions import FullNormal as FullNormal
from endd.distributions import LowRankNormal as LowRankNormal
from endd.distributions import Members as Members
from endd.distributions import ModuloShift as ModuloShift
from endd.distributions import Point as Point
from endd.integrals import marginal as marginal
from endd.models import Ensemble as Ensemble
from endd.models import Prediction as Prediction
from endd.models import Student as Student
from endd.models import num_outputs as num_outputs
from endd.training import distill as distill
from endd.training import fit_ensemble as fit_ensemble
from endd.uncertainty import decompose as decompose

__version__: str
