"""Makes docs/figures/language.svg and the tables of docs/language/README.md from
reports/results/lm.json and lm-heads.json: the loss of every row by position, what was expected of
the rows, the first losses with our operators and fla's, and what the heads of trained rows do.

    python3 docs/figures/language.py           writes both
    python3 docs/figures/language.py --check   exit status 1 where they are not what it writes
"""

import argparse
import json
import math
import sys
from html import escape
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
RECORD = ROOT / "reports/results/lm.json"
HEADS = ROOT / "reports/results/lm-heads.json"
PAGE, FIGURE = ROOT / "docs/language/README.md", ROOT / "docs/figures/language.svg"
MARKS = "<!-- made by docs/figures/language.py -->", "<!-- end -->"
DOMAINS = ("code", "prose", "mathematics")
TRAINED = 4096
NAMES = {
    "delta-01": "DeltaNet [0, 1]",
    "delta-11": "DeltaNet [-1, 1]",
    "delta-11-wide": "DeltaNet [-1, 1], wider",
    "product2-11": "DeltaProduct, n_h 2, [-1, 1]",
    "product3-01": "DeltaProduct, n_h 3, [0, 1]",
    "product3-11": "DeltaProduct, n_h 3, [-1, 1]",
    "gated-delta-11": "Gated DeltaNet [-1, 1]",
    "gated-product3-11": "Gated DeltaProduct, n_h 3, [-1, 1]",
    "mamba-01": "Mamba [0, 1]",
    "mamba-11": "Mamba [-1, 1]",
    "transformer": "Transformer, RoPE",
}
COLOURS = {
    "delta": "#2459d3",
    "product2": "#0d8a72",
    "product3": "#b8500a",
    "gated-delta": "#7a3fb8",
    "gated-product3": "#c75fb0",
    "mamba": "#8a6d00",
    "transformer": "#c02050",
}
LEFT, TOP, WIDE, HIGH, KEY = 60, 30, 460, 330, 300
STYLE = """<style>
:root{--bg:#fbfbfd;--ink:#1c2230;--soft:#5c6579;--line:#dde2ec}
@media (prefers-color-scheme: dark){:root{--bg:#12151c;--ink:#e6e9f0;--soft:#a0a9bb;--line:#2c3444}}
text{font:13px sans-serif;fill:var(--ink)}.soft{fill:var(--soft)}.mid{text-anchor:middle}
.end{text-anchor:end}.bg{fill:var(--bg)}.grid{stroke:var(--line)}path{fill:none;stroke-width:2}
</style>"""


def curves(rows):
    """Returns {row: (ends of the bins, mean loss in each)} over all pieces."""
    found = {}
    for row in rows:
        about = row["evaluation"]
        columns = zip(*about["losses"])
        found[row["row"]] = about["ends"], [sum(c) / len(c) for c in columns]
    return found


def style_of(name):
    """Returns the colour of a row, and the dashes of what is not in [-1, 1] or is wider."""
    colour = next(c for prefix, c in COLOURS.items() if name.startswith(prefix))
    return colour, "5 4" if name.endswith("-01") else "2 3" if name.endswith("-wide") else "none"


def axes(ends, low, high, x, y):
    bottom = TOP + HIGH
    for end in ends:
        name = f"{end // 1024}k" if end >= 1024 else str(end)
        yield f'<line class="grid" x1="{x(end):.1f}" y1="{TOP}" x2="{x(end):.1f}" y2="{bottom}"/>'
        yield f'<text class="mid soft" x="{x(end):.1f}" y="{TOP + HIGH + 18}">{name}</text>'
    for tick in range(math.ceil(low * 4), math.floor(high * 4) + 1):
        value = tick / 4
        yield (
            f'<line class="grid" x1="{LEFT}" y1="{y(value):.1f}" x2="{LEFT + WIDE}"'
            f' y2="{y(value):.1f}"/>'
        )
        yield f'<text class="end soft" x="{LEFT - 8}" y="{y(value) + 4:.1f}">{value:.2f}</text>'


def draw(found):
    """Returns the picture: loss over position, the first bin left out. It is as high as the losses
    that training has seen; a line that rises above is cut off."""
    every = [(e, v) for ends, values in found.values() for e, v in zip(ends[1:], values[1:])]
    low = min(v for _, v in every) - 0.03
    high = max(v for e, v in every if e <= TRAINED) + 0.03
    ends = next(iter(found.values()))[0][1:]

    def x(end):
        return LEFT + WIDE * math.log2(end / ends[0]) / math.log2(ends[-1] / ends[0])

    def y(value):
        return TOP + HIGH * (high - value) / (high - low)

    out = list(axes(ends, low, high, x, y))
    inside = f'<rect x="{LEFT}" y="{TOP}" width="{WIDE}" height="{HIGH}"/>'
    out.append(f'<clipPath id="inside">{inside}</clipPath>')
    trained = x(TRAINED)
    out.append(
        f'<line x1="{trained:.1f}" y1="{TOP}" x2="{trained:.1f}" y2="{TOP + HIGH}"'
        ' stroke="var(--soft)" stroke-dasharray="1 3"/>'
    )
    order = sorted(found, key=lambda name: -found[name][1][-1])
    for number, name in enumerate(order):
        colour, dashes = style_of(name)
        points = " L".join(f"{x(e):.1f} {y(v):.1f}" for e, v in zip(ends, found[name][1][1:]))
        stroke = f'stroke="{colour}" stroke-dasharray="{dashes}"'
        out.append(f'<path d="M{points}" {stroke} clip-path="url(#inside)"/>')
        at, left = TOP + 14 + 24 * number, LEFT + WIDE + 24
        out.append(f'<path d="M{left} {at} h26" {stroke}/>')
        out.append(f'<text x="{left + 34}" y="{at + 4}">{escape(NAMES[name])}</text>')
    label = "Loss by position of every row; the table below has the numbers"
    width, height = LEFT + WIDE + KEY, max(TOP + HIGH + 50, TOP + 24 * len(order) + 20)
    middle = LEFT + WIDE // 2
    title = "nats a token, by position (end of the bin); training ended at the dotted line"
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-label="{label}"'
        f' width="{width}" height="{height}" viewBox="0 0 {width} {height}">'
    )
    back = f'<rect class="bg" width="{width}" height="{height}" rx="8"/>'
    words = f'<text class="mid soft" x="{middle}" y="{TOP - 12}">{title}</text>'
    return "\n".join([head, STYLE, back, words, *out, "</svg>", ""])


def cell(numbers):
    return f"{numbers['mean']:+.3f} [{numbers['low']:+.3f}, {numbers['high']:+.3f}]"


def said(name):
    """Returns a name of a statement's number with the row's name in words."""
    row, comma, rest = name.partition(", ")
    return NAMES.get(row, row) + comma + rest


def expected(statements):
    """Returns the table of what was expected, failed statements first."""
    lines = ["| | expected | outcome | mean [95 % interval] |", "|---|---|---|---|"]
    for one in statements:
        found = one["numbers"].items()
        numbers = [f"{said(name)}: {cell(n)}" for name, n in found if isinstance(n, dict)]
        text = "; ".join(numbers)
        lines.append(f"| {one['statement']} | {one['text']} | **{one['outcome']}** | {text} |")
    return lines


def table(record):
    """Returns the table of the rows."""
    lines = [
        "| row | parameters | tokens (passes) | code | prose | mathematics | 2k to 4k | 16k to 32k"
        " | tokens a second |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    found = curves(record["rows"])
    for row in sorted(record["rows"], key=lambda r: list(NAMES).index(r["row"])):
        domains = row["evaluation"]["domains"]
        bits = [f"{domains[d]['bits_a_byte']:.3f}" for d in DOMAINS]
        ends, values = found[row["row"]]
        at = {end: value for end, value in zip(ends, values)}
        losses = [f"{at[TRAINED]:.3f}", f"{values[-1]:.3f}"]
        count = f"{row['tokens'] / 1e6:.1f}M ({row['passes']:.2f})"
        speed = f"{row['step_tokens'] / row['step_seconds'] / 1000:.0f}k"
        size = f"{row['parameters'] / 1e6:.1f}M"
        lines.append(f"| {' | '.join([NAMES[row['row']], size, count, *bits, *losses, speed])} |")
    for name, command in record["not_run"].items():
        lines.append(f"| {NAMES[name]} | | not run: `{command}` | | | | | | |")
    return lines


def first_losses(record):
    """Returns the table of the first losses with our operators and fla's."""
    found = record.get("first_losses", [])
    if not found:
        return []
    rows = " | ".join(NAMES[one["row"]] for one in found)
    lines = [f"| first losses, apart at most (on average) | {rows} |"]
    lines.append("|---" * (1 + len(found)) + "|")
    for name in {name: 0 for one in found for name in one["apart"]}:
        apart = [one["apart"].get(name) for one in found]
        cells = [f"{x['largest']:.4f} ({x['mean']:.5f})" if x else "not run" for x in apart]
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return lines


def heads(record):
    """Returns the table of what the heads of trained rows do."""
    lines = [
        "| row | beta, mean | below 0.1 | above 1 | above 1.9 | gate"
        " | rank of the state at 4,096: least, mean, greatest |",
        "|---|---|---|---|---|---|---|",
    ]
    for name in sorted(record["rows"], key=lambda n: list(NAMES).index(n.partition(",")[0])):
        row = record["rows"][name]
        names = ("beta_mean", "beta_below_0_1", "beta_above_1", "beta_above_1_9", "gate")
        cells = ["" if row[one] is None else f"{row[one]:.3f}" for one in names]
        ranks = ", ".join(f"{row[one]:.1f}" for one in ("rank_least", "rank_mean", "rank_greatest"))
        cells.append(f"{ranks} of {min(row['state'])}")
        lines.append(f"| {NAMES[name.partition(',')[0]]} | {' | '.join(cells)} |")
    return lines


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--check", action="store_true")
    check = parser.parse_args().check
    record = json.loads(RECORD.read_text(encoding="utf-8"))
    page = PAGE.read_text(encoding="utf-8")
    begin, end = (page.index(mark) for mark in MARKS)
    parts = [table(record), expected(record["statements"]), first_losses(record)]
    parts.append(heads(json.loads(HEADS.read_text(encoding="utf-8"))) if HEADS.exists() else [])
    middle = "\n\n".join("\n".join(part) for part in parts if part)
    page = f"{page[:begin]}{MARKS[0]}\n\n{middle}\n\n{page[end:]}"
    made = {FIGURE: draw(curves(record["rows"])), PAGE: page}
    old = [p.name for p, text in made.items() if not p.exists() or p.read_text() != text]
    if check:
        return f"old: {', '.join(old)}; python3 docs/figures/language.py" if old else 0
    for path, text in made.items():
        path.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
