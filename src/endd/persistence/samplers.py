"""Posterior samplers as plain data and tensors, and back: their draws follow from the seed."""

from typing import Any

from endd._checks import describe
from endd.persistence.folder import ModelFolderError
from endd.persistence.models import plain_output, under
from endd.persistence.networks import State, network_from_plain, network_to_plain, state_of
from endd.persistence.plain import family_from_plain, family_to_plain
from endd.posteriors import DropoutSampler, Sampler, SVISampler

SAMPLERS: dict[str, Any] = {kind.__name__: kind for kind in (DropoutSampler, SVISampler)}
# Draws take memory that no file holds: so many are believed.
MAX_DRAWS = 10_000


def sampler_to_plain(sampler: Sampler) -> tuple[dict[str, Any], State]:
    """What a sampler is, and its tensors."""
    if type(sampler) not in SAMPLERS.values():
        raise TypeError(f"Expected a sampler of endd.posteriors to save, but got {describe(sampler)}.")
    described = {
        "kind": type(sampler).__name__,
        "family": family_to_plain(sampler.family),
        "net": network_to_plain(sampler.net),
        "draws": sampler.draws,
        "seed": sampler.seed,
        "output": plain_output(sampler.output),
    }
    return described, state_of(sampler)


def sampler_from_plain(described: dict[str, Any], state: State, net: Any = None) -> Sampler:
    """The sampler that `sampler_to_plain` described, in eval mode."""
    if described["draws"] > MAX_DRAWS:
        raise ModelFolderError(f"Expected at most {MAX_DRAWS} draws, but the folder asks for {described['draws']}.")
    inner, family = network_from_plain(described["net"], under("net.", state), net), described["family"]
    options = {"draws": described["draws"], "seed": described["seed"], "output": described["output"]}
    sampler: Sampler = SAMPLERS[described["kind"]](inner, family_from_plain(family), **options)
    return sampler.eval()
