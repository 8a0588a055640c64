"""What a report consists of, before it becomes Markdown or a page."""

import base64
from dataclasses import dataclass
from functools import cached_property
from io import BytesIO

from markupsafe import Markup
from matplotlib.figure import Figure
from PIL import Image

from endd.report.charts import Chart
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

    @cached_property
    def webp(self) -> bytes:
        """The same picture for a page, which every browser reads and which is a quarter smaller."""
        kept = BytesIO()
        Image.open(BytesIO(self.png)).convert("RGB").save(kept, format="webp", lossless=True, method=4, quality=75)
        return kept.getvalue()

    @property
    def markup(self) -> Markup:
        """What stands in the page."""
        source = base64.b64encode(self.webp).decode()
        return Markup('<img src="data:image/webp;base64,{}" alt="{}">').format(source, self.alt)


@dataclass(frozen=True)
class Verdict:
    """A question that a page answers, the answer, and the reasons."""

    question: str
    yes: bool
    reasons: tuple[str, ...]

    @property
    def answer(self) -> str:
        """Yes or No."""
        return "Yes" if self.yes else "No"

    def markdown(self) -> str:
        """The same as text."""
        return "\n".join([f"**{self.question} {self.answer}.**", "", *(f"- {reason}" for reason in self.reasons), ""])


@dataclass(frozen=True)
class Report:
    """A title, a few sentences, figures and tables, and a verdict if the report is about one."""

    title: str
    summary: str
    drawings: tuple[Drawing | Chart, ...]
    tables: tuple[Table, ...]
    verdict: Verdict | None = None

    def markdown(self) -> str:
        """Title, verdict, summary and tables."""
        verdict = [] if self.verdict is None else [self.verdict.markdown()]
        return "\n".join([f"# {self.title}", "", *verdict, self.summary, "", *(t.markdown() for t in self.tables)])
