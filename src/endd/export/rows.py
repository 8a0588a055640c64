"""The rows of a table inside a graph: numbers as they are, categories as integer codes."""

from typing import Any

import torch
from torch import Tensor, nn

from endd.data.encodings import LARGEST
from endd.data.tables import TableEncoder


class EncodedRows(nn.Module):
    """What a TableEncoder makes of rows, from tensors.

    numbers (B, columns), float64 and NaN where missing; codes (B, columns), the place of each category among its
    levels. A code below 0 is a missing value, one beyond the levels an unseen one; the code book says so too.

    >>> import numpy as np
    >>> encoder = TableEncoder()
    >>> _ = encoder.fit_transform(np.array([[1.0, "red"], [3.0, "blue"]], dtype=object), np.zeros((2, 1)))
    >>> EncodedRows(encoder)(numbers=torch.tensor([[2.0]]).double(), codes=torch.tensor([[1]]))
    tensor([[0., 0., 1.]])
    """

    def __init__(self, encoder: TableEncoder) -> None:
        super().__init__()
        numeric = encoder.numeric
        self.register_buffer("shift", torch.as_tensor(numeric.shift))
        self.register_buffer("scale", torch.as_tensor(numeric.scale))
        self.register_buffer("far", torch.as_tensor(numeric.far))
        self.indicators = [place for place, lacked in enumerate(numeric.indicator.tolist()) if lacked]
        self.num_numbers = len(numeric.names)
        self.levels = [len(column.levels) for column in encoder.categorical]
        for place, column in enumerate(encoder.categorical):
            self.register_buffer(f"table{place}", torch.as_tensor(column.table))

    def forward(self, numbers: Tensor | None = None, codes: Tensor | None = None) -> Tensor:
        """(B, width), as the networks were trained on."""
        blocks = [] if numbers is None else [self._encode_numbers(numbers)]
        for place, levels in enumerate(self.levels):
            assert codes is not None, "a table with categories has codes"
            code = codes[:, place]
            places = torch.where(code < 0, levels, code.clamp(max=levels + 1))
            blocks.append(self.get_buffer(f"table{place}")[places])
        return torch.cat(blocks, 1)

    def _encode_numbers(self, numbers: Tensor) -> Tensor:
        missing = numbers.isnan()
        standard = (numbers - self.get_buffer("shift")) / self.get_buffer("scale")
        size, far = standard.abs().clamp(max=LARGEST), self.get_buffer("far")
        # of what is not far, 0 is added to it
        near = standard.sign() * (torch.minimum(size, far) + (1 + (size - far).clamp(min=0.0)).log())
        encoded = torch.where(missing, 0.0, near)
        return torch.cat([encoded, missing[:, self.indicators].to(encoded)], 1).float()

    def example(self) -> dict[str, Tensor]:
        """Inputs of the right names, dtypes and widths."""
        found = {"numbers": torch.zeros(2, self.num_numbers, dtype=torch.float64)} if self.num_numbers else {}
        return found | ({"codes": torch.zeros(2, len(self.levels), dtype=torch.int64)} if self.levels else {})


def code_book(encoder: TableEncoder) -> dict[str, Any]:
    """The columns of `numbers` and of `codes` in order, and what each code stands for."""
    codes = {
        column.name: {"levels": list(column.levels), "missing": len(column.levels), "unseen": len(column.levels) + 1}
        for column in encoder.categorical
    }
    return {"numbers": list(encoder.numeric.names), "codes": codes}
