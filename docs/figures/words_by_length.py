"""Makes docs/figures/words-by-length.svg from reports/results/lasting.json: the accuracy on random,
sink-free and periodic words by length, of networks trained by the usual recipe and by --lasting.

    python3 docs/figures/words_by_length.py           writes it
    python3 docs/figures/words_by_length.py --check   exit status 1 where it is not what it writes
"""

import argparse
import json
import sys
from html import escape
from pathlib import Path
from statistics import median

ROOT = Path(__file__).resolve().parent.parent.parent
RECORD, FIGURE = ROOT / "reports/results/lasting.json", ROOT / "docs/figures/words-by-length.svg"
COLUMNS = ("usual", "the usual recipe"), ("words", "--lasting")
KINDS = (
    ("sequence_accuracy", "random", "r"),
    ("sink_free_accuracy", "sink-free", "s"),
    ("periodic_accuracy", "periodic", "p"),
)
LEFT, TOP, WIDE, HIGH, GAP = 110, 66, 250, 96, 44

STYLE = """<style>
:root{--bg:#fbfbfd;--ink:#1c2230;--soft:#5c6579;--line:#dde2ec;--r:#2459d3;--s:#b8500a;--p:#1d7a46}
@media (prefers-color-scheme: dark){:root{--bg:#12151c;--ink:#e6e9f0;--soft:#a0a9bb;--line:#2c3444;\
--r:#8ab0ff;--s:#ff9b52;--p:#6fd59b}}
text{font:13px sans-serif;fill:var(--ink)}.h{font-weight:bold}.soft{fill:var(--soft)}
.mid{text-anchor:middle}.end{text-anchor:end}.bg{fill:var(--bg)}line{stroke:var(--line)}
polyline{fill:none;stroke-width:2.5}.r{stroke:var(--r)}.s{stroke:var(--s);stroke-dasharray:7 4}
.p{stroke:var(--p);stroke-dasharray:2 3}
</style>"""


def curve(row, member):
    """Returns (length, median over the seeds) where all of them were tested."""
    by_length = {}
    for seed in row["seeds"]:
        for at in seed["lengths"]:
            if member in at:
                by_length.setdefault(at["length"], []).append(at[member])
    return [(n, median(x)) for n, x in by_length.items() if len(x) == len(row["seeds"])]


def panel(row, x, y):
    """Returns the marks of one panel, with its lower left corner at (x, y)."""
    lengths = [at["length"] for at in row["seeds"][0]["lengths"]]
    step = WIDE / (len(lengths) - 1)
    for share in (0, 0.5, 1):
        at = y - share * HIGH
        yield f'<line x1="{x}" y1="{at}" x2="{x + WIDE}" y2="{at}"/>'
    for i, length in enumerate(lengths):
        yield f'<text x="{x + i * step:.1f}" y="{y + 17}" class="mid soft">{length}</text>'
    for member, _, name in KINDS:
        points = [(x + lengths.index(n) * step, y - v * HIGH) for n, v in curve(row, member)]
        if points:
            path = " ".join(f"{a:.1f},{b:.1f}" for a, b in points)
            yield f'<polyline class="{name}" points="{path}"/>'


def draw(record):
    rows = {(row["automaton"], row["variant"]): row for row in record["words"]}
    automata = list(dict.fromkeys(name for name, _ in rows))
    width = LEFT + 2 * WIDE + GAP + 30
    height = TOP + len(automata) * (HIGH + GAP) + 6
    label = "Words of each length whose answers are all right, by kind of words"
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-label="{label}" width="{width}"'
        f' height="{height}" viewBox="0 0 {width} {height}">',
        STYLE,
        f'<rect class="bg" width="{width}" height="{height}" rx="8"/>',
    ]
    for i, (_, text, name) in enumerate(KINDS):
        x = LEFT + 170 * i
        out.append(f'<polyline class="{name}" points="{x},18 {x + 34},18"/>')
        out.append(f'<text x="{x + 42}" y="22">{text} words</text>')
    for i, (variant, title) in enumerate(COLUMNS):
        x = LEFT + i * (WIDE + GAP)
        out.append(f'<text x="{x + WIDE / 2}" y="{TOP - 16}" class="mid h">{escape(title)}</text>')
        for j, name in enumerate(automata):
            y = TOP + j * (HIGH + GAP) + HIGH
            out += panel(rows[name, variant], x, y)
            if i == 0:
                out.append(f'<text x="16" y="{y - HIGH / 2 + 4}" class="h">{escape(name)}</text>')
                out.append(f'<text x="{x - 8}" y="{y + 4}" class="end soft">0</text>')
                out.append(f'<text x="{x - 8}" y="{y - HIGH + 4}" class="end soft">1</text>')
    return "\n".join([*out, "</svg>", ""])


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--check", action="store_true")
    check, text = parser.parse_args().check, draw(json.loads(RECORD.read_text()))
    if check and (not FIGURE.exists() or FIGURE.read_text() != text):
        sys.exit(f"{FIGURE.name}: not what docs/figures/words_by_length.py writes")
    if not check:
        FIGURE.write_text(text)


if __name__ == "__main__":
    main()
