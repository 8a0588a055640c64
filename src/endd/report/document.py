"""What a report consists of, before it becomes Markdown or a page."""

from dataclasses import dataclass
from functools import cached_property
from io import BytesIO

from matplotlib.figure import Figure
from PIL import Image

from endd.report.figures import DPI
from endd.report.tables import Table

# What a palette holds. The seeds of the clusters are spread over all colours, so that thin lines keep theirs.
COLOURS, STEPS = 256, 3


@dataclass(frozen=True)
class Drawing:
    """A figure with the name of its file, a caption, and a text for those who cannot see it."""

    name: str
    figure: Figure
    caption: str
    alt: str

    @cached_property
    def png(self) -> bytes:
        """The picture, drawn once, in up to 256 colours: a third of the size, and nothing that an eye would miss."""
        drawn, kept = BytesIO(), BytesIO()
        self.figure.savefig(drawn, format="png", dpi=DPI)
        image = Image.open(drawn).convert("RGB")
        spread, plain = Image.Quantize.MAXCOVERAGE, Image.Dither.NONE
        image.quantize(COLOURS, spread, STEPS, dither=plain).save(kept, format="png", optimize=True)
        return kept.getvalue()


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
