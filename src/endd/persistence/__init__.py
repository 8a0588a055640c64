"""Models on disk: tensors in safetensors, everything else in one readable JSON. Nothing is ever unpickled."""

from endd.persistence.folder import ModelFolderError, remove_stale
from endd.persistence.saving import load, save

__all__ = ["ModelFolderError", "load", "remove_stale", "save"]
