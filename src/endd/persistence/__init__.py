"""Models on disk: tensors in safetensors, everything else in one readable JSON. Nothing is ever unpickled."""

from endd.persistence.folder import ModelFolderError, remove_stale
from endd.persistence.hub import from_pretrained, push_to_hub, save_pretrained
from endd.persistence.one_by_one import load_one_by_one
from endd.persistence.saving import load, save

__all__ = [
    "ModelFolderError",
    "from_pretrained",
    "load",
    "load_one_by_one",
    "push_to_hub",
    "remove_stale",
    "save",
    "save_pretrained",
]
