"""What can be integrated over v, and who does it for a pair (family, v)."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from functools import partial
from typing import Any

import torch
from torch import Tensor
from torch.distributions import Distribution

from endd._checks import describe
from endd._dispatch import PairRegistry
from endd._elementary import plain_autograd
from endd.distributions import Atoms, Members
from endd.families import Family
from endd.integrals.result import Integral


class Integrals(ABC):
    """The integrals over z ~ v(z) of a predictive family q(y; z), for one pair of types.

    Shapes: `batch` for entropies, information and log-likelihoods; (*batch, *event) for variances, with the K
    classes standing in for the event of a class label.
    """

    @abstractmethod
    def marginal(self) -> Distribution:
        """q~(y) = int q(y; z) v(z) dz."""

    @abstractmethod
    def expected_entropy(self) -> Integral:
        """E_v H[q(.; z)]."""

    @abstractmethod
    def information(self) -> Integral:
        """E_v KL(q(.; z) || q~), the mutual information of y and z. Never negative."""

    @abstractmethod
    def expected_pairwise_kl(self) -> Integral:
        """E KL(q(.; z) || q(.; z')) over independent z, z' ~ v. Never negative."""

    @abstractmethod
    def expected_variance(self) -> Integral:
        """E_v Var[y; z]."""

    @abstractmethod
    def variance_of_mean(self) -> Integral:
        """Var_v E[y; z]."""

    @abstractmethod
    def expected_log_prob(self, y: Tensor) -> Integral:
        """E_v log q(y; z)."""

    def expectation(self) -> Tensor:
        """E[y], (*batch, *event); a rule that knows it without the marginal says so."""
        return self.marginal().mean

    def probabilities(self) -> Tensor:
        """Of each class, or of each label; a rule that knows them without the marginal says so."""
        marginal = self.marginal()
        probs = getattr(marginal, "probs", None)
        return probs if isinstance(probs, Tensor) else marginal.mean

    def expected_covariance(self) -> Tensor:
        """E_v Cov[y; z], (*batch, D, D), for a vector y."""
        raise NotImplementedError

    def covariance_of_mean(self) -> Tensor:
        """Cov_v E[y; z], (*batch, D, D), for a vector y."""
        raise NotImplementedError


#: One entry per closed form; the fallbacks are registered for (Family, Atoms) and (Family, Distribution).
registry: PairRegistry[Callable[[Any, Any], Integrals]] = PairRegistry("integration rule")


class SharedAtoms(Members):
    """Atoms of a single step, whose integrals are begun once, however many terms of a loss ask for some of them."""

    def __init__(self, atoms: Atoms) -> None:
        super().__init__(atoms.atoms, atoms.weights, validate_args=False)
        self._begun: dict[tuple[int, bool], tuple[Family, Integrals]] = {}

    def integrals(self, family: Family, begin: Callable[[], Integrals]) -> Integrals:
        """Those of a family, begun if they are not; what was begun without gradients has none to give."""
        if not plain_autograd():
            return begin()
        place = id(family), torch.is_grad_enabled()
        if place not in self._begun:
            self._begun[place] = family, begin()  # the family too, so that no other has its id
        return self._begun[place][1]


def integrals_of(family: Family, v: Distribution) -> Integrals:
    """The best rule for a valid pair; an invalid pair raises."""
    check_pair(family, v)
    rule = registry.find(type(family), type(v))
    assert rule is not None, "the fallback matches every pair"
    return v.integrals(family, partial(rule, family, v)) if isinstance(v, SharedAtoms) else rule(family, v)


def check_pair(family: Any, v: Any) -> None:
    """Raise unless v is a distribution over the parameters of this family."""
    if not isinstance(family, Family):
        raise TypeError(
            f"Expected a family such as endd.families.Gaussian(), but got {describe(family)}. The order is (family, v)."
        )
    if not isinstance(v, Distribution) or len(v.event_shape) != 1:
        raise TypeError(
            f"Expected a distribution over z such as endd.Members(z), but got {describe(v)}. "
            "A bare tensor z of one network is endd.Point(z)."
        )
    if v.event_shape[0] != family.num_parameters:
        raise ValueError(
            f"Expected a distribution over {family.num_parameters} parameters for {family}, but got {v} over "
            f"{v.event_shape[0]}."
        )
    modulo = getattr(v, "shift_invariant", False)
    if modulo and not family.shift_invariant and not isinstance(v, Atoms):
        raise TypeError(
            f"{type(v).__name__} is a distribution over logits modulo a shift and needs a family whose z is one, such "
            f"as endd.families.Categorical({family.num_parameters}), but got {family}. Use endd.FullNormal instead."
        )
