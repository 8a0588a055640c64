"""An ensemble of which only one member at a time is in memory."""

from collections.abc import Callable, Iterator, Sequence

from torch import Tensor, nn

from endd.families import Family
from endd.models import Ensemble
from endd.models.inputs import Output


class OneByOne:
    """Members that are loaded when their turn comes.

    loaders: for each member a function that gives its network, and that can be pickled. The rest is as for Ensemble.
    """

    def __init__(
        self,
        loaders: Sequence[Callable[[], nn.Module]],
        family: Family,
        *,
        output: Output = None,
        weights: Tensor | None = None,
    ) -> None:
        if not loaders:
            raise ValueError("Expected a loader for each member, at least one, but got none.")
        self.loaders, self.family, self.output, self.weights = list(loaders), family, output, weights

    def __len__(self) -> int:
        return len(self.loaders)

    def members(self) -> Iterator[Ensemble]:
        """Each member as an ensemble of its own."""
        for load in self.loaders:
            yield Ensemble([load()], self.family, output=self.output)
