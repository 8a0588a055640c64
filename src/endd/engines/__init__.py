"""Where independent parts of a piece of work run: in this process, in processes of this machine, or on Ray."""

from endd.engines.engine import ENGINES, Engine, LostPartError, map_parts, stream_parts

__all__ = ["ENGINES", "Engine", "LostPartError", "map_parts", "stream_parts"]
