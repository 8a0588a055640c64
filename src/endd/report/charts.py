"""Charts as SVG inside a page: they follow its light and dark colours, and say what lies under the pointer."""

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from markupsafe import Markup, escape
from matplotlib.ticker import MaxNLocator
from numpy.typing import NDArray

Array = NDArray[Any]
# Of a panel, and of the margins left and below for its labels.
WIDTH, HEIGHT, LEFT, BELOW, ABOVE, RIGHT = 340, 300, 58, 46, 30, 14
# Where a tick of a logarithmic axis may stand within a decade.
STEPS = (1, 2, 5)


@dataclass(frozen=True)
class Points:
    """A scatter: tips say what each point is."""

    x: Array
    y: Array
    tips: tuple[str, ...]
    kind: str


@dataclass(frozen=True)
class Line:
    """A curve with a band around it, if there is one; label: for the legend; tips: of its points, if any."""

    x: Array
    y: Array
    kind: str
    label: str = ""
    band: Array | None = None
    tips: tuple[str, ...] = ()


@dataclass(frozen=True)
class Panel:
    """Axes with what is drawn in them; ends: of both axes, from low to high."""

    title: str
    xlabel: str
    ylabel: str
    layers: tuple[Points | Line, ...]
    x: tuple[float, float]
    y: tuple[float, float]
    log: bool = False

    def place(self, values: Any, axis: str) -> Array:
        """Numbers as places in the picture, cut where they leave it."""
        low, high = self.x if axis == "x" else self.y
        if self.log:
            values, low, high = np.log(np.maximum(values, low)), math.log(low), math.log(high)
        part = np.clip((np.asarray(values, float) - low) / (high - low), -0.02, 1.02)
        if axis == "x":
            return LEFT + part * (WIDTH - LEFT - RIGHT)
        return HEIGHT - BELOW - part * (HEIGHT - BELOW - ABOVE)

    def svg(self) -> Markup:
        """The panel as one element; whoever cannot see it reads the text of the whole chart."""
        inside = Markup("").join([*_axes(self), *(part for layer in self.layers for part in _drawn(self, layer))])
        return Markup('<svg viewBox="0 0 {} {}" aria-hidden="true" focusable="false">{}</svg>').format(
            WIDTH, HEIGHT, inside
        )


@dataclass(frozen=True)
class Chart:
    """Panels side by side, or one below the other where there is no room, with a caption and a text for all of it."""

    name: str
    panels: tuple[Panel, ...]
    caption: str
    alt: str

    @property
    def markup(self) -> Markup:
        """What stands in the page."""
        drawn = Markup("").join(panel.svg() for panel in self.panels)
        keys = Markup("").join(_keys(self.panels))
        return Markup('<div class="chart" role="img" aria-label="{}"><div class="keys">{}</div>{}</div>').format(
            self.alt, keys, drawn
        )


def _keys(panels: Iterable[Panel]) -> Iterator[Markup]:
    lines = [layer for panel in panels for layer in panel.layers if isinstance(layer, Line) and layer.label]
    for label, kind in dict.fromkeys((line.label, line.kind) for line in lines):
        yield Markup('<span class="key {}">{}</span>').format(kind, label)


def _axes(panel: Panel) -> Iterator[Markup]:
    right, bottom = WIDTH - RIGHT, HEIGHT - BELOW
    for value in _ticks(*panel.x, panel.log):
        at = f"{float(panel.place(value, 'x')):.1f}"
        yield Markup(
            '<path class="grid" d="M{0} {1}V{2}"/><text x="{0}" y="{3}" text-anchor="middle">{4}</text>'
        ).format(at, ABOVE, bottom, bottom + 16, f"{value:g}")
    for value in _ticks(*panel.y, panel.log):
        at = f"{float(panel.place(value, 'y')):.1f}"
        yield Markup(
            '<path class="grid" d="M{0} {1}H{2}"/><text x="{3}" y="{1}" dy="4" text-anchor="end">{4}</text>'
        ).format(LEFT, at, right, LEFT - 6, f"{value:g}")
    middle = (ABOVE + bottom) / 2
    yield Markup('<text class="name" x="{}" y="18">{}</text>').format(LEFT, panel.title)
    yield Markup('<text x="{}" y="{}" text-anchor="end">{}</text>').format(right, HEIGHT - 8, panel.xlabel)
    yield Markup('<text transform="translate(13 {}) rotate(-90)" text-anchor="middle">{}</text>').format(
        middle, panel.ylabel
    )


def _drawn(panel: Panel, layer: Points | Line) -> Iterator[Markup]:
    if isinstance(layer, Line):
        if layer.band is not None:
            around = _path(panel, layer.x, layer.band[0]) + _path(panel, layer.x[::-1], layer.band[1][::-1], "L")
            yield Markup('<path class="band {}" d="{}Z"/>').format(layer.kind, around)
        yield Markup('<path class="line {}" d="{}"/>').format(layer.kind, _path(panel, layer.x, layer.y))
    kind = f"dot {layer.kind}" if isinstance(layer, Points) else "spot"
    places = zip(panel.place(layer.x, "x"), panel.place(layer.y, "y"), strict=True)
    for (x, y), tip in zip(places, layer.tips, strict=False):
        yield Markup('<circle class="{}" cx="{:.1f}" cy="{:.1f}" r="{}" data-tip="{}"/>').format(
            kind, x, y, 3 if isinstance(layer, Points) else 6, escape(tip)
        )


def _path(panel: Panel, x: Array, y: Array, first: str = "M") -> str:
    places = zip(panel.place(x, "x"), panel.place(y, "y"), strict=True)
    return "".join(f"{'L' if number else first}{a:.1f} {b:.1f}" for number, (a, b) in enumerate(places))


def _ticks(low: float, high: float, log: bool) -> list[float]:
    """Round numbers within an axis.

    >>> _ticks(0.0, 1.0, False), _ticks(0.02, 3.0, True)
    ([0.0, 0.2, 0.4, 0.6, 0.8, 1.0], [0.1, 1.0])
    """
    if not log:
        found = [round(float(value), 12) for value in MaxNLocator(5).tick_values(low, high)]
        return [value for value in found if low <= value <= high]
    decades = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    whole = [float(f"1e{decade}") for decade in decades if low <= 10.0**decade <= high]
    if len(whole) >= 2:
        return whole[:: -(-len(whole) // 4)]
    finer = [float(f"{step}e{decade}") for decade in decades for step in STEPS]
    return [value for value in finer if low <= value <= high]
