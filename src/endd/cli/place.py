"""Where the parts of a command run: the same options for all that can run elsewhere."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import Parameter
from cyclopts.validators import Number

if TYPE_CHECKING:
    from endd.engines import Engine


@Parameter(name="*")
@dataclass(frozen=True)
class Place:
    """Options of a command.

    Parameters
    ----------
    engine
        Where parts run: on this machine, or on Ray. Results are the same.
    workers
        How many at once, in processes of their own; 0 is one after another in this one, or with Ray as many as it has
        cores.
    address
        Of a Ray cluster, such as auto; none starts one here.
    """

    engine: Literal["local", "ray"] = "local"
    workers: Annotated[int, Parameter(validator=Number(gte=0))] = 0
    address: str | None = None

    def as_engine(self) -> "Engine":
        """The engine that was asked for."""
        from endd.engines import Engine

        return Engine(self.engine, self.workers, self.address)


#: In this process.
HERE = Place()
