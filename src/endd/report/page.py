"""A report as one page of HTML that needs nothing else: figures inside, light and dark, wide and narrow."""

import base64
import json

from jinja2 import Environment
from markupsafe import Markup

from endd.report.document import Report
from endd.studies.result import Result

# Characters that a cell holds on one line.
LONG = 60

TEMPLATE = r"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{{ report.title }} - endd</title>
<style>
:root { --ink: #1b1f24; --paper: #ffffff; --soft: #5b6470; --line: #d8dce1; --stripe: #f5f6f8; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e6e9ed; --paper: #15181c; --soft: #a2abb6; --line: #363c44; --stripe: #1d2126; }
}
body { font: 16px/1.55 system-ui, sans-serif; color: var(--ink); background: var(--paper); margin: 0 auto;
  max-width: 72rem; padding: 1rem 1.25rem 4rem; }
h1 { line-height: 1.2; margin: 1.5rem 0 .5rem; }
h2 { margin: 2.5rem 0 .5rem; font-size: 1.25rem; }
p, figcaption { max-width: 46rem; }
figure { margin: 2rem 0; }
figure img { display: block; width: 100%; height: auto; background: #fff; border: 1px solid var(--line);
  border-radius: 6px; }
figcaption, .note, footer { color: var(--soft); font-size: .9rem; margin-top: .5rem; }
.note { white-space: pre-line; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; font-size: .9rem; }
th, td { padding: .35rem .75rem; text-align: right; white-space: nowrap; border-bottom: 1px solid var(--line); }
th:first-child, td:first-child { text-align: left; }
th.text, td.text { white-space: normal; text-align: left; min-width: 22rem; }
tbody tr:nth-child(even) { background: var(--stripe); }
thead th { cursor: pointer; }
thead th:focus-visible { outline: 2px solid var(--soft); }
th[aria-sort=ascending]::after { content: " \25B2"; }
th[aria-sort=descending]::after { content: " \25BC"; }
pre { overflow-x: auto; background: var(--stripe); padding: 1rem; border-radius: 6px; font-size: .85rem; }
</style>
</head>
<body>
<main>
<h1>{{ report.title }}</h1>
<p>{{ report.summary }}</p>
{% for drawing, source in drawings %}
<figure>
<img src="data:image/png;base64,{{ source }}" alt="{{ drawing.alt }}">
<figcaption>{{ drawing.caption }}</figcaption>
</figure>
{% endfor %}
{% for table in report.tables %}
<h2>{{ table.title }}</h2>
<div class="wide" role="region" aria-label="{{ table.title }}" tabindex="0">
<table>
<thead><tr>{% for name in table.header %}<th scope="col" tabindex="0">{{ name }}</th>{% endfor %}</tr></thead>
<tbody>
{% for row in table.rows %}
<tr><th scope="row"{{ text(row[0]) }}>{{ row[0] }}</th>
{%- for value in row[1:] %}<td{{ text(value) }}>{{ value }}</td>{% endfor %}</tr>
{% endfor %}
</tbody>
</table>
</div>
<p class="note">{{ table.note }}</p>
{% endfor %}
<h2>Settings</h2>
<details><summary>Settings and machine</summary>
<pre>{{ settings }}</pre>
</details>
</main>
<script>
// a click on a column's name sorts the table by it: as numbers where both are
for (const table of document.querySelectorAll("table")) {
  const heads = [...table.tHead.rows[0].cells];
  const value = (row, at) => row.cells[at].textContent.trim();
  const compare = (a, b) => {
    const [x, y] = [parseFloat(a), parseFloat(b)];
    return isNaN(x) || isNaN(y) ? a.localeCompare(b) : x - y;
  };
  const sort = (at) => {
    const down = heads[at].getAttribute("aria-sort") === "ascending";
    heads.forEach((head) => head.removeAttribute("aria-sort"));
    heads[at].setAttribute("aria-sort", down ? "descending" : "ascending");
    const rows = [...table.tBodies[0].rows].sort((a, b) => compare(value(a, at), value(b, at)) * (down ? -1 : 1));
    table.tBodies[0].append(...rows);
  };
  heads.forEach((head, at) => {
    head.addEventListener("click", () => sort(at));
    head.addEventListener("keydown", (event) => { if (event.key === "Enter") sort(at); });
  });
}
</script>
</body>
</html>
"""


def _text(value: str) -> Markup:
    """A sentence in a table takes several lines; a number or a name keeps its own."""
    return Markup(' class="text"' if len(value) > LONG else "")


def render_page(report: Report, result: Result) -> str:
    """The page as text."""
    drawings = [(drawing, base64.b64encode(drawing.png).decode()) for drawing in report.drawings]
    settings = json.dumps({"config": result.config, "environment": result.environment}, indent=2)
    template = Environment(autoescape=True, trim_blocks=True).from_string(TEMPLATE)
    return template.render(report=report, drawings=drawings, settings=settings, text=_text)
