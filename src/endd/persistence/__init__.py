"""Models on disk: tensors in safetensors, everything else in one readable JSON. Nothing is ever unpickled."""

from endd.persistence.folder import ModelFolderError, remove_stale
from endd.persistence.one_by_one import load_one_by_one
from endd.persistence.saving import load, save

__all__ = ["ModelFolderError", "load", "load_one_by_one", "remove_stale", "save"]
