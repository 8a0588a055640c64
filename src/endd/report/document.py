"""What a report consists of, before it becomes Markdown or a page."""

from dataclasses import dataclass
from functools import cached_property
from io import BytesIO

from matplotlib.figure import Figure

from endd.report.figures import DPI
from endd.report.tables import Table


@dataclass(frozen=True)
class Drawing:
    """A figure with the name of its file, a caption, and a text for those who cannot see it."""

    name: str
    figure: Figure
    caption: str
    alt: str

    @cached_property
    def png(self) -> bytes:
        """The picture, drawn once."""
        stream = BytesIO()
        self.figure.savefig(stream, format="png", dpi=DPI)
        return stream.getvalue()


@dataclass(frozen=True)
class Report:
    """A title, a few sentences, figures and tables."""

    title: str
    summary: str
    drawings: tuple[Drawing, ...]
    tables: tuple[Table, ...]

    def markdown(self) -> str:
        """Title, summary and tables."""
        return "\n".join([f"# {self.title}", "", self.summary, "", *(table.markdown() for table in self.tables)])
