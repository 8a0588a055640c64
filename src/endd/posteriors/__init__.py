"""One network with an uncertain part, as samplers whose draws are Members."""

from endd.posteriors.dropout import DropoutSampler
from endd.posteriors.sampler import Sampler
from endd.posteriors.svi import Divergence, SVISampler

__all__ = ["Divergence", "DropoutSampler", "SVISampler", "Sampler"]
