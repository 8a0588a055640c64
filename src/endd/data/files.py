"""Tables on disk, read through pyarrow: CSV, plain or compressed, and Parquet; whole, or batch by batch."""

import codecs
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from endd.data.columns import CATEGORIES, NUMBERS, column_names

if TYPE_CHECKING:
    import pyarrow as pa

CSV, PARQUET = "csv", "parquet"
SUFFIXES = {".csv": CSV, ".csv.gz": CSV, ".tsv": CSV, ".tsv.gz": CSV, ".parquet": PARQUET, ".pq": PARQUET}
# Bytes of CSV text that become a batch.
BLOCK = 1 << 22
# Bytes in which a column of a Parquet file is read, however large its row groups are.
BUFFER = 1 << 20
DELIMITERS = ",;\t|"


def arrow() -> Any:
    """pyarrow with what reads and writes files, or one line that says how to get it."""
    try:
        import pyarrow
        import pyarrow.compute
        import pyarrow.csv
        import pyarrow.parquet
    except ImportError:
        raise ImportError(
            "Expected pyarrow for tables on disk, but it is not installed. Use pip install 'endd[tables]'."
        ) from None
    return pyarrow


def kind_of_file(path: Path) -> str:
    """CSV or Parquet, by the name of the file."""
    for suffix, kind in SUFFIXES.items():
        if path.name.lower().endswith(suffix):
            return kind
    raise ValueError(f"Expected a table named {', '.join(SUFFIXES)}, but got {path}. Save it as one of these.")


class TableFile:
    """A CSV or Parquet file: its column names, and its rows as often as they are asked for."""

    def __init__(self, path: str | Path, encoding: str = "utf-8") -> None:
        self.path, self.pa = Path(path), arrow()
        self.kind = kind_of_file(self.path)
        if not self.path.is_file():
            raise FileNotFoundError(f"Expected a table at {self.path}, but there is no such file. Check its name.")
        self.encoding = _known(encoding)
        self.delimiter = self._delimiter() if self.kind == CSV else ""
        with self._reading():
            self._inferred: pa.Schema = (
                self._open_csv().schema if self.kind == CSV else self._open_parquet().schema_arrow
            )
            self.names = column_names(self._inferred.empty_table())
        # how far the rows have been read
        self.done, self.total, self.unit = 0.0, 0.0, "kB" if self.kind == CSV else "rows"

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != "pa"}  # no library travels

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state, pa=arrow())

    def read(self, columns: Sequence[str]) -> "pa.Table":
        """These columns of all rows."""
        with self._reading():
            if self.kind == PARQUET:
                table = self._open_parquet().read(columns=list(columns))
            else:
                convert = self._conversion(columns, {})
                with self._text() as (text, _):
                    table = self.pa.csv.read_csv(text, *self._csv_options(), convert)
            return self.suitable(table.select(list(columns)))

    def batches(self, columns: Sequence[str], kinds: Mapping[str, str], rows: int) -> Iterator["pa.Table"]:
        """These columns, a part of the rows at a time. kinds: which of them hold numbers, and which categories.

        Parquet says what a column holds; of a CSV a part might show too little to tell.
        """
        with self._reading():
            parts = self._csv_parts(columns, kinds) if self.kind == CSV else self._parquet_parts(columns, rows)
            for part in parts:
                if len(part):
                    yield self.suitable(part.select(list(columns)))

    def _parquet_parts(self, columns: Sequence[str], rows: int) -> Iterator["pa.Table"]:
        file = self._open_parquet()
        self.done, self.total = 0, file.metadata.num_rows
        for batch in file.iter_batches(rows, columns=list(columns)):
            self.done += len(batch)
            yield self.pa.Table.from_batches([batch])

    def _csv_parts(self, columns: Sequence[str], kinds: Mapping[str, str]) -> Iterator["pa.Table"]:
        with self._text() as (text, raw):
            self.total = raw.size() / 1000
            reader = self.pa.csv.open_csv(text, *self._csv_options(), self._conversion(columns, self._types(kinds)))
            for batch in reader:
                self.done = raw.tell() / 1000
                yield self.pa.Table.from_batches([batch])

    def _types(self, kinds: Mapping[str, str]) -> dict[str, Any]:
        """Categories are text but for booleans; numbers are floats but for dates and times."""
        types = self.pa.types
        found = {}
        for name, kind in kinds.items():
            seen = self._inferred.field(name).type
            if kind == CATEGORIES and not types.is_boolean(seen):
                found[name] = self.pa.string()
            elif kind == NUMBERS and not types.is_temporal(seen):
                found[name] = self.pa.float64()
        return found

    def suitable(self, table: "pa.Table") -> "pa.Table":
        """The table with columns that an encoder takes: times of day as seconds, decimals as floats; others raise."""
        types, cast = self.pa.types, self.pa.compute.cast
        for place, (name, column) in enumerate(zip(table.column_names, table.columns, strict=True)):
            if types.is_decimal(column.type):
                table = table.set_column(place, name, cast(column, "float64"))
            elif types.is_time(column.type):
                seconds = self.pa.compute.divide(cast(cast(column, self.pa.time64("us")), "int64").cast("float64"), 1e6)
                table = table.set_column(place, name, seconds)
            elif types.is_binary(column.type) and self.kind == CSV:
                raise UnicodeError(f"column {name!r}")
            elif types.is_nested(column.type) or types.is_binary(column.type):
                raise ValueError(
                    f"Expected numbers, text or dates in column {name!r}, but got {column.type} values. Leave it out."
                )
        return table

    def _open_parquet(self) -> Any:
        return self.pa.parquet.ParquetFile(self.path, buffer_size=BUFFER, pre_buffer=False)

    def _open_csv(self) -> Any:
        with self._text() as (text, _):
            return self.pa.csv.open_csv(text, *self._csv_options(), self._conversion(None, {}))

    @contextmanager
    def _text(self) -> Iterator[tuple[Any, Any]]:
        """The bytes of a CSV, decompressed, and the file itself, which says how far it has been read."""
        with self.pa.OSFile(str(self.path)) as raw:
            gzipped = self.path.name.lower().endswith(".gz")
            yield (self.pa.CompressedInputStream(raw, "gzip") if gzipped else raw), raw

    def _csv_options(self) -> tuple[Any, Any]:
        csv = self.pa.csv
        return (
            csv.ReadOptions(encoding=self.encoding, block_size=BLOCK),
            csv.ParseOptions(delimiter=self.delimiter, newlines_in_values=True),
        )

    def _conversion(self, columns: Sequence[str] | None, types: Mapping[str, Any]) -> Any:
        chosen = {} if columns is None else {"include_columns": list(columns)}
        return self.pa.csv.ConvertOptions(column_types=dict(types), strings_can_be_null=True, **chosen)

    def _delimiter(self) -> str:
        """Whatever of , ; tab | stands most often in the first line, outside of quotes."""
        with self._reading(), self._text() as (text, _):
            head = text.read(BLOCK)
            if head[:2] in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE) and "16" not in self.encoding:
                raise UnicodeError("a mark of UTF-16")
            if not head:
                raise OSError("it is empty")
            first = codecs.getincrementaldecoder(self.encoding)().decode(bytes(head)).partition("\n")[0]
        return max(DELIMITERS, key=re.sub('"[^"]*"', "", first).count)

    @contextmanager
    def _reading(self) -> Iterator[None]:
        """What goes wrong with the file is said in one line."""
        try:
            yield
        except UnicodeError as error:
            raise self._wrong_encoding(error) from None
        except (self.pa.ArrowInvalid, self.pa.ArrowKeyError, self.pa.ArrowNotImplementedError, OSError) as error:
            if re.search("UTF-?8", str(error)):
                raise self._wrong_encoding(error) from None
            raise ValueError(f"Expected a {self.kind} table in {self.path}, but it cannot be read: {error}.") from None

    def _wrong_encoding(self, error: Exception) -> ValueError:
        return ValueError(
            f"Expected {self.encoding} text in {self.path}, but got other bytes ({error}). Save it as UTF-8, or pass "
            "--encoding, such as latin-1."
        )


def _known(encoding: str) -> str:
    try:
        return codecs.lookup(encoding).name
    except LookupError:
        raise ValueError(f"Expected the name of an encoding such as utf-8, but got {encoding!r}.") from None
