"""Makes docs/figures/what-decides.svg and the table of docs/what-decides.md from the recorded
outcomes: how far each seed of each row is right, by what differs between the rows.

    python3 docs/figures/what_decides.py           writes both
    python3 docs/figures/what_decides.py --check   exit status 1 where they are not what it writes
"""

import argparse
import json
import re
import sys
from html import escape
from pathlib import Path
from typing import NamedTuple

from published_table import LEAST_SEEDS, searched_elsewhere

ROOT = Path(__file__).resolve().parent.parent.parent
RESULTS, TRAINING = ROOT / "reports/results", ROOT / "reports/results/training"
PAGE, FIGURE = ROOT / "docs/what-decides.md", ROOT / "docs/figures/what-decides.svg"
RIGHT = 0.99  # of the words (of the answers where the last one counts)
LENGTHS = 0, 32, 64, 128, 256, 512, 1024
LEFT, TOP, STEP, ROW = 330, 54, 62, 24
OTHERS = (
    ("Gated DeltaNet [-1, 1]", "gated-signed"),
    ("RWKV-7 [-.46, 1]", "rwkv7"),
    ("RWKV-7 [-1, 1]", "rwkv7-signed"),
    ("diagonal [-1, 1]", "diagonal-signed"),
    ("gated linear attention", "gla"),
    ("Transformer", "attention"),
)
MARKS = "<!-- made by docs/figures/what_decides.py -->", "<!-- end -->"


class Seed(NamedTuple):
    reach: int  # greatest length up to which all evaluated lengths are right
    tested: int  # greatest evaluated length
    ended: bool
    wrong: int  # letters of the shortest failing word that is known, 0: none


class Row(NamedTuple):
    label: str
    seeds: list
    source: str


ELSEWHERE = searched_elsewhere()


def seed_of(scores, ended, seed=None):
    """Returns a seed from {length: fraction that is right}, and the seed of an outcome."""
    reach = 0
    for length in sorted(scores):
        if scores[length] < RIGHT:
            break
        reach = length
    seed = seed or {}
    every = seed.get("every_length") or {"length": [], "sequence_accuracy": []}
    tested = [*scores.items(), *zip(every["length"], every["sequence_accuracy"])]
    wrong = [length for length, right in tested if right < 1]
    wrong.append((seed.get("failing_word") or {}).get("wrong_letters"))
    wrong.append(ELSEWHERE.get(seed.get("weights")))
    return Seed(reach, max(scores, default=0), ended, min(filter(None, wrong), default=0))


def of_outcomes(pattern):
    """Returns the seeds of the rows outcome-PATTERN.json, in their order."""
    seeds = []
    for path in sorted(TRAINING.glob(f"outcome-{pattern}.json")):
        read = json.loads(path.read_text())
        for row in read if isinstance(read, list) else read.get("rows", [read]):
            last = row["preset"].startswith(("parity", "modarith", "even", "cycle-n"))
            what = "accuracy" if last else "sequence_accuracy"
            for seed in row["seeds"]:
                scores = {x["length"]: x[what] for x in seed["lengths"] or []}
                ended = seed["end"] in ("completed", "reached", "diverged")
                seeds.append(seed_of(scores, ended, seed))
    return seeds


def of_weights(pattern):
    """Returns the seeds of the runs of first-weights.json whose names match."""
    runs = json.loads((RESULTS / "first-weights.json").read_text())["runs"]
    seeds = []
    for run in runs:
        if re.fullmatch(pattern, run["name"]) and run["evaluations"]:
            last = run["evaluations"][-1]
            scores = {int(k): v for k, v in last["sequence_accuracy"].items()}
            seeds.append(seed_of(scores, last["step"] == run["steps"]))
    return seeds


def of_lengths(group, first):
    runs = json.loads((RESULTS / "first-lengths.json").read_text())["runs"]
    return [
        seed_of(dict(zip(r["length"], r["sequence_accuracy"])), r["end"] == "completed")
        for r in runs
        if (r["group"], r["from"]) == (group, first)
    ]


def outcome(label, name):
    return Row(label, of_outcomes(name), name)


def weights(label, pattern):
    return Row(label, of_weights(pattern), "first-weights.json")


def lengths(label, group, first):
    return Row(label, of_lengths(group, first), "first-lengths.json")


def pairs(groups, what, without):
    """Returns for each group the row of the recipe and the one without one thing."""
    rows = []
    for name, recipe in groups:
        group, model = recipe.split("-best-")
        rows.append(outcome(f"{name}, {what}", f"{recipe}-64to512"))
        other = without(model)
        rows.append(outcome(f"{name}, {other[0]}", f"{group}-best-{other[1]}-64to512"))
    return rows


def sections():
    groups = [(g, f"{g.lower()}-best-nh{4 if g == 'S5' else 2}") for g in ("S3", "S4", "A5", "S5")]
    fewer = {"nh2": ("n_h = 1", "nh1"), "nh4": ("n_h = 3", "nh3")}
    return {
        "Range of the eigenvalues": [
            *pairs(groups, "[-1, 1]", lambda m: ("[0, 1]", f"{m}-positive")),
            outcome("parity, DeltaNet [-1, 1]", "parity-best-delta-signed-width64"),
            outcome("parity, DeltaNet [0, 1]", "parity-best-delta-positive-width64"),
            outcome("parity, Gated DeltaNet [-1, 1]", "parity-best-gated-signed-width64"),
            outcome("parity, Gated DeltaNet [0, 1]", "parity-best-gated-positive-width64"),
            outcome("parity, diagonal [-1, 1]", "parity-best-diagonal-signed-width64"),
            outcome("parity, diagonal [0, 1]", "parity-best-diagonal-positive-width64"),
        ],
        "Factors for each letter": [
            *pairs(groups, "as the theorem needs", lambda m: fewer[m]),
            outcome("arithmetic, n_h = 2, 3 layers", "modarith-best-nh2"),
            outcome("arithmetic, n_h = 1, 3 layers", "modarith-best-delta-signed-seed*"),
        ],
        "Seeds that did not choose the recipe": [
            outcome(f"{g}, fresh seeds from 11 on", f"{recipe}-64to512-seeds*")
            for g, recipe in groups
        ],
        "Layers": [
            outcome("S3, n_h = 1, 3 layers", "s3-best-nh1-3-64to512"),
            outcome("A5, n_h = 1, 3 layers", "a5-best-nh1-3-64to512"),
            outcome("arithmetic, n_h = 1, 5 layers", "modarith-best-delta-signed-5-seed*"),
            outcome("arithmetic, n_h = 1, 3 layers", "modarith-best-delta-signed-seed*"),
            outcome("S5, four letters each, 2 layers", "s5-tokens-best-delta-signed-rate6e-3-s*"),
        ],
        "Other recurrences, in the recipe of the groups": [
            row
            for g, _ in groups
            for label, model in OTHERS
            if (row := outcome(f"{g}, {label}", f"{g.lower()}-best-{model}-64to512")).seeds
        ],
        "First weights": [
            weights("S5, small (.02, .006)", r"s5-(grow|fix)-h\d+-(fla|0\.006)-\d+"),
            weights("S5, of PyTorch's size", r"s5-(grow|fix)-h\d+-pytorch-\d+"),
            weights("A5, small", r"a5-(grow|fix)-h\d+-(fla|0\.006)-\d+"),
            weights("A5, of PyTorch's size", r"a5-(grow|fix)-h\d+-pytorch-\d+"),
        ],
        "Length of the words in training": [
            outcome("S3, 64 to 512 letters", "s3-best-nh2-64to512"),
            outcome("S3, 256 letters", "s3-best-nh2-fix256"),
            outcome("S4, 4 to 256 letters, four heads", "s4-best-nh2-grow256"),
            outcome("A5, 64 to 512 letters", "a5-best-nh2-64to512"),
            outcome("A5, 256 letters", "a5-best-nh2-fix256"),
            lengths("A5, 128 to 512 letters", "a5", 128),
            lengths("A5, 32 to 512 letters", "a5", 32),
            lengths("A5, 4 to 512 letters, fresh seeds", "a5", 4),
            outcome("S5, 64 to 512 letters", "s5-best-nh4-64to512"),
            outcome("S5, 256 to 512 letters", "s5-best-nh4-256to512"),
            outcome("S5, 256 letters", "s5-best-nh4-fix256"),
            outcome("S5, 4 to 256 letters, four heads", "s5-best-nh4-grow256"),
        ],
        "Values, and a start of 0, in place of a learned start": pairs(
            groups, "B = 0, learned H_0", lambda m: ("values, H_0 = 0", f"{m}-values")
        ),
    }


STYLE = """<style>
:root{--bg:#fbfbfd;--ink:#1c2230;--soft:#5c6579;--line:#dde2ec;--p:#2459d3;--m:#b8500a}
@media (prefers-color-scheme: dark){:root{--bg:#12151c;--ink:#e6e9f0;--soft:#a0a9bb;--line:#2c3444;\
--p:#8ab0ff;--m:#ff9b52}}
text{font:13px sans-serif;fill:var(--ink)}.h{font-weight:bold}.soft{fill:var(--soft)}
.mid{text-anchor:middle}.end{text-anchor:end}.bg{fill:var(--bg)}line{stroke:var(--line)}
.dot{fill:var(--p);fill-opacity:.65}.bad{fill:var(--m);fill-opacity:.75}
</style>"""


def near(length):
    """Returns the length, 256 for words of 255 letters, as arithmetic has them."""
    return 256 if length == 255 else length


def place(reach):
    """Returns the column of a length; lengths between two columns are at the lower one."""
    return max(i for i, length in enumerate(LENGTHS) if length <= near(reach))


def draw_row(row, y):
    """Returns the marks of a row: seeds that reach the same length lie beside each other."""
    at = {}
    for seed in sorted(row.seeds):
        at.setdefault(place(seed.reach), []).append(seed)
    yield f'<text x="{LEFT - 40}" y="{y + 4}" class="end">{escape(row.label)}</text>'
    for column, seeds in at.items():
        apart = min(8, 52 / len(seeds))
        for i, seed in enumerate(seeds):
            x = LEFT + column * STEP + (i - (len(seeds) - 1) / 2) * apart
            good = "dot" if seed.reach == seed.tested else "bad"
            yield f'<circle cx="{x:.1f}" cy="{y}" r="4" class="{good}"/>'


def draw(parts):
    rows = sum(len(x) for x in parts.values())
    height, width = TOP + (rows + 2 * len(parts)) * ROW, LEFT + len(LENGTHS) * STEP - 10
    out, y = [], TOP
    label = "How far each seed is right, by what differs between the rows; the table below has it"
    for i, length in enumerate(LENGTHS):
        x, text = LEFT + i * STEP, str(length) if length else "none"
        out.append(f'<line x1="{x}" y1="{TOP - 14}" x2="{x}" y2="{height - 10}"/>')
        out.append(f'<text x="{x}" y="{TOP - 22}" class="mid soft">{text}</text>')
    out.append(f'<text x="{LEFT - 40}" y="{TOP - 22}" class="end soft">right to letters</text>')
    for title, some in parts.items():
        out.append(f'<text x="12" y="{y + 18}" class="h">{escape(title)}</text>')
        y += 2 * ROW - 6
        for row in some:
            out += draw_row(row, y)
            y += ROW
        y += 6
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-label="{label}" width="{width}"'
        f' height="{height}" viewBox="0 0 {width} {height}">'
    )
    back = f'<rect class="bg" width="{width}" height="{height}" rx="8"/>'
    return "\n".join([head, STYLE, back, *out, "</svg>", ""])


def cell(seeds, length):
    """Returns how many seeds are right up to the length; - where it was not evaluated."""
    tested = [s for s in seeds if near(s.tested) >= length]
    return f"{sum(near(s.reach) >= length for s in tested)} of {len(tested)}" if tested else "-"


def failing(seeds):
    """Returns the letters of the seeds' shortest failing words, and of how many none is known."""
    known = sorted(s.wrong for s in seeds if s.wrong)
    none = len(seeds) - len(known)
    ends = f"{known[0]:,} to {known[-1]:,}" if known and known[0] < known[-1] else None
    texts = [ends or f"{known[0]:,}"] if known else []
    return ", ".join([*texts, f"none of {none}"] if none else texts)


def table(parts):
    lines = []
    head = "| | seeds | to 128 | to 256 | to 512 | to 1,024 | shortest failing words | record |"
    for title, rows in parts.items():
        lines += [f"**{title}**", "", head, "|---|---|---|---|---|---|---|---|"]
        for row in rows:
            count = str(len(row.seeds))
            count += f" (under {LEAST_SEEDS})" if len(row.seeds) < LEAST_SEEDS else ""
            stopped = sum(not s.ended for s in row.seeds)
            count += f", {stopped} stopped" if stopped else ""
            cells = [cell(row.seeds, n) for n in (128, 256, 512, 1024)]
            cells += [failing(row.seeds), f"`{row.source}`"]
            lines.append(f"| {' | '.join([row.label, count, *cells])} |")
        lines.append("")
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--check", action="store_true")
    check, parts = parser.parse_args().check, sections()
    empty = [r.label for rows in parts.values() for r in rows if not r.seeds]
    if empty:
        sys.exit(f"no recorded outcomes: {'; '.join(empty)}")
    page = PAGE.read_text()
    begin, end = (page.index(mark) for mark in MARKS)
    page = f"{page[:begin]}{MARKS[0]}\n\n{table(parts)}\n{page[end:]}"
    made = {FIGURE: draw(parts), PAGE: page}
    old = [p.name for p, text in made.items() if not p.exists() or p.read_text() != text]
    if check and old:
        sys.exit(f"{', '.join(old)}: not what docs/figures/what_decides.py writes")
    for path, text in made.items():
        if path.name in old:
            path.write_text(text)


if __name__ == "__main__":
    main()
