"""How much memory a piece of work takes at its peak."""

from collections.abc import Callable, Iterable
from typing import Any

import torch
from torch import Tensor
from torch.multiprocessing.reductions import StorageWeakRef
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves


def peak_bytes(work: Callable[[], object], held: Iterable[Tensor] = ()) -> int:
    """The most bytes of tensors alive at once after any operation of the work, beyond those of the tensors `held`.

    What an operation takes for itself while it runs is not seen.

    >>> x = torch.zeros(1000)
    >>> peak_bytes(lambda: (x + 1).sum(), held=[x])
    4004
    """
    seen = _Alive(held)
    with torch.no_grad(), seen:
        work()
    return seen.most


class _Alive(TorchDispatchMode):
    """Looks at the result of every operation, and at what is left of earlier ones."""

    def __init__(self, held: Iterable[Tensor]) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.held = {StorageWeakRef(tensor.untyped_storage()) for tensor in held}
        self.alive: dict[StorageWeakRef, int] = {}
        self.most = 0

    def __torch_dispatch__(self, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        result = function(*args, **(kwargs or {}))
        self.alive = {ref: size for ref, size in self.alive.items() if not ref.expired()}
        for tensor in tree_leaves(result):
            if isinstance(tensor, Tensor):
                storage = tensor.untyped_storage()
                ref = StorageWeakRef(storage)
                if ref not in self.held:
                    self.alive[ref] = storage.nbytes()
        self.most = max(self.most, sum(self.alive.values()))
        return result
