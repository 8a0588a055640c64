"""A report as one page of HTML that needs nothing else: figures inside, light and dark, wide and narrow."""

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
:root { --ink: #1b1f24; --paper: #ffffff; --soft: #5b6470; --line: #d8dce1; --stripe: #f5f6f8;
  --student: #0072b2; --teacher: #c25700; --yes: #0b7a4b; --no: #b3261e; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e6e9ed; --paper: #15181c; --soft: #a2abb6; --line: #363c44; --stripe: #1d2126;
    --student: #56b4e9; --teacher: #f0a04b; --yes: #4cc38a; --no: #ff8a80; }
}
body { font: 16px/1.55 system-ui, sans-serif; color: var(--ink); background: var(--paper); margin: 0 auto;
  max-width: 72rem; padding: 1rem 1.25rem 4rem; }
h1 { line-height: 1.2; margin: 1.5rem 0 .5rem; }
h2 { margin: 2.5rem 0 .5rem; font-size: 1.25rem; }
p, figcaption { max-width: 46rem; }
h1, p, li, figcaption { overflow-wrap: anywhere; }
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
.verdict { border: 1px solid var(--line); border-left: .4rem solid var(--no); border-radius: 6px;
  padding: .75rem 1.25rem; margin: 1.25rem 0; }
.verdict.yes { border-left-color: var(--yes); }
.verdict p { margin: 0; font-size: 1.25rem; }
.verdict strong { color: var(--no); }
.verdict.yes strong { color: var(--yes); }
.verdict ul { margin: .5rem 0 0; padding-left: 1.25rem; overflow-wrap: anywhere; }
.chart { display: flex; flex-wrap: wrap; gap: .5rem 1rem; }
.chart svg { flex: 1 1 18rem; min-width: 0; max-width: 26rem; height: auto; font-size: 11px; }
.chart text { fill: var(--soft); }
.chart .name { fill: var(--ink); font-size: 13px; font-weight: 600; }
.chart path { fill: none; }
.grid { stroke: var(--line); stroke-width: .7; }
.line { stroke-width: 2; stroke-linejoin: round; }
.line.equal { stroke: var(--soft); stroke-width: 1; stroke-dasharray: 3 3; }
.line.student { stroke: var(--student); }
.line.teacher { stroke: var(--teacher); stroke-width: 5; opacity: .55; }
.chart .band { stroke: none; opacity: .18; }
.chart .band.student { fill: var(--student); }
.chart .band.teacher { fill: var(--teacher); }
.dot { fill: var(--student); opacity: .55; }
.dot:hover { opacity: 1; stroke: var(--ink); }
.spot { fill: transparent; }
.keys { flex: 1 0 100%; display: flex; flex-wrap: wrap; gap: 0 1.25rem; font-size: .9rem; }
.key::before { content: ""; display: inline-block; width: 1.4em; border-top: 3px solid var(--soft);
  vertical-align: middle; margin-right: .4em; }
.key.student::before { border-color: var(--student); }
.key.teacher::before { border-color: var(--teacher); }
.key.equal::before { border-top-style: dotted; }
.tip { position: fixed; z-index: 1; max-width: 16rem; padding: .25rem .6rem; border-radius: 4px; font-size: .85rem;
  background: var(--ink); color: var(--paper); pointer-events: none; white-space: pre-line; }
pre { overflow-x: auto; background: var(--stripe); padding: 1rem; border-radius: 6px; font-size: .85rem; }
</style>
</head>
<body>
<main>
<h1>{{ report.title }}</h1>
{% if report.verdict %}
<section class="verdict {{ 'yes' if report.verdict.yes else 'no' }}" aria-label="Verdict">
<p><span>{{ report.verdict.question }}</span> <strong>{{ report.verdict.answer }}</strong></p>
<ul>{% for reason in report.verdict.reasons %}<li>{{ reason }}</li>{% endfor %}</ul>
</section>
{% endif %}
<p>{{ report.summary }}</p>
{% for drawing in report.drawings %}
<figure>
{{ drawing.markup }}
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
    const [x, y] = [parseFloat(a.replace(/,/g, "")), parseFloat(b.replace(/,/g, ""))];
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
// what a point of a chart is, where the pointer or a finger is on it
const tip = document.createElement("div");
tip.className = "tip";
tip.hidden = true;
document.body.append(tip);
const show = (event) => {
  const text = event.target.dataset && event.target.dataset.tip;
  tip.hidden = !text;
  if (!text) return;
  tip.textContent = text;
  const room = document.documentElement.clientWidth - tip.offsetWidth - 8;
  tip.style.left = Math.max(8, Math.min(event.clientX + 12, room)) + "px";
  tip.style.top = Math.max(8, event.clientY - tip.offsetHeight - 10) + "px";
};
document.addEventListener("pointerover", show);
document.addEventListener("click", show);
</script>
</body>
</html>
"""


def _text(value: str) -> Markup:
    """A sentence in a table takes several lines; a number or a name keeps its own."""
    return Markup(' class="text"' if len(value) > LONG else "")


def render_page(report: Report, result: Result) -> str:
    """The page as text."""
    settings = json.dumps({"config": result.config, "environment": result.environment}, indent=2)
    template = Environment(autoescape=True, trim_blocks=True).from_string(TEMPLATE)
    return template.render(report=report, settings=settings, text=_text)
