"""A table on disk that is written batch by batch and stands in its place only once it is whole."""

import os
import uuid
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from endd.data.files import CSV, arrow, kind_of_file

if TYPE_CHECKING:
    import pyarrow as pa


class TableWriter:
    """Appends batches to a CSV or Parquet file; the first of them says what the columns are."""

    def __init__(self, path: Path, kind: str, gzipped: bool) -> None:
        self.path, self.kind, self.gzipped, self.pa = path, kind, gzipped, arrow()
        self._open = ExitStack()
        self._writer: Any = None

    def write(self, table: "pa.Table") -> None:
        """Append rows."""
        if self._writer is None:
            self._writer = self._start(table.schema)
        self._writer.write_table(table)

    def _start(self, schema: "pa.Schema") -> Any:
        if self.kind != CSV:
            # numbers that hardly ever repeat are not worth a dictionary
            return self._open.enter_context(self.pa.parquet.ParquetWriter(self.path, schema, use_dictionary=False))
        sink = self._open.enter_context(self.pa.OSFile(str(self.path), "wb"))
        if self.gzipped:
            sink = self._open.enter_context(self.pa.CompressedOutputStream(sink, "gzip"))
        return self._open.enter_context(self.pa.csv.CSVWriter(sink, schema))

    def close(self) -> None:
        """Write what is left."""
        self._open.close()


@contextmanager
def new_table(path: str | Path) -> Iterator[TableWriter]:
    """A writer for a file beside `path`, put there at the end; after an error nothing is left of it."""
    path = Path(path)
    kind = kind_of_file(path)
    if not path.parent.is_dir():
        raise FileNotFoundError(f"Expected the folder of {path} to be there, but it is not. Make it first.")
    if path.is_dir():
        raise IsADirectoryError(f"Expected a file to write, but {path} is a folder. Choose another name.")
    temporary = path.parent / f".{uuid.uuid4().hex[:8]}-{path.name}"
    writer = TableWriter(temporary, kind, path.name.lower().endswith(".gz"))
    try:
        yield writer
        writer.close()
        os.replace(temporary, path)
    finally:
        writer.close()
        temporary.unlink(missing_ok=True)
