"""Makes the tables of docs/training.md about all lengths from reports/results/settle.json: which
small networks fail eventually, by automaton and by what decides, and the large ones of groups.

    python3 docs/figures/settle_table.py           writes them
    python3 docs/figures/settle_table.py --check   exit status 1 where they are not what it writes
"""

import argparse
import json
import sys
from pathlib import Path
from statistics import median

ROOT = Path(__file__).resolve().parent.parent.parent
RECORD, PAGE = ROOT / "reports/results/settle.json", ROOT / "docs/training.md"
HORIZON = ROOT / "reports/results/horizon.json"
MARKS = "<!-- made by docs/figures/settle_table.py -->", "<!-- end -->"
SEEDS = "123"
NAMES = {
    "def1": "last letter",
    "flipflop": "flip-flop",
    "def2": "last two letters",
    "abstar": r"(ab)\*",
    "astarb": r"a\*b",
    "upcap": "a counted to 2",
    "cap2": "counter 0..2",
    "dyck2": "Dyck words of depth 2",
    "elev3": "elevator of three floors",
    "parity": "parity",
    "z5": "Z5",
    "s3": "S3",
}
GROUPS = "parity", "z5", "s3"
LARGE = {"s3-": "S3", "s4-": "S4", "a5-": "A5", "s5-": "S5"}


def automaton(row):
    return row["run"].split(".")[1]


def more_keys(row):
    """Returns whether a head has more keys than dimensions, so that AL.4 says nothing."""
    return row["letters"] * row["householders"] > row["key_dim"]


KINDS = (
    ("a group; range [-1, 1], n_h 1 or 2", lambda r: automaton(r) in GROUPS),
    ("the last letter only", lambda r: automaton(r) == "def1"),
    ("the rest: B = 0, key dimension 4", lambda r: not r["additive"]),
    (
        "the rest: values, no more keys than the key dimension, 4",
        lambda r: r["key_dim"] == 4 and not more_keys(r),
    ),
    ("the rest: values, more keys than the key dimension, 4", lambda r: r["key_dim"] == 4),
    ("the rest: values, key dimension 1", lambda r: r["key_dim"] == 1),
    ("the rest: values, key dimension 2, n_h 1", lambda r: r["householders"] == 1),
    ("the rest: values, key dimension 2, n_h 2", lambda r: True),
)


def number(x):
    return f"{x:,.0f}"


def cell(row):
    if row is None:
        return "not run"
    if row["settle_verdict"] != "fails":
        return "-"
    found = number(row["found_letters"]) if row["found_letters"] else "none"
    return f"{found} ({number(row['settle_within'])})"


def by_automaton(rows):
    yield "| automaton | values, seeds 1 to 3 | B = 0, seeds 1 to 3 |"
    yield "|---|---|---|"
    for name, text in NAMES.items():
        cells = [", ".join(cell(rows.get(f"{k}.{name}.{s}")) for s in SEEDS) for k in "VB"]
        yield f"| {text} | {cells[0]} | {cells[1]} |"


def by_kind(rows):
    yield "| networks | fail eventually | shortest wrong word, median | bound, median |"
    yield "|---|---|---|---|"
    left = list(rows)
    for text, is_one in KINDS:
        some, left = [r for r in left if is_one(r)], [r for r in left if not is_one(r)]
        fail = [r for r in some if r["settle_verdict"] == "fails"]
        found = [r["found_letters"] for r in fail if r["found_letters"]]
        bounds = [r["settle_within"] for r in fail]
        medians = (number(median(x)) if x else "-" for x in (found, bounds))
        yield f"| {text} | {len(fail)} of {len(some)} | {' | '.join(medians)} |"
    fail = [r for r in rows if r["settle_verdict"] == "fails"]
    yield f"| all | {len(fail)} of {len(rows)} | | |"


def by_group(rows, recorded):
    """The networks of horizon.json that were trained again; recorded: its rows, by name."""
    some = [r for r in rows if r["run"][:3] in LARGE and r["settle_verdict"] == "fails"]
    if some:
        yield ""
        yield "| group | network | weights | right to, by proof | shortest wrong word met | bound |"
        yield "|---|---|---|---|---|---|"
    for start, text in LARGE.items():
        for r in some:
            if r["run"].startswith(start):
                same = r["recorded_weights"]
                first = recorded[r["run"]]["first_failure"] if same else None
                met = r["found_letters"], r.get("first_failure"), first
                shortest = min((x for x in met if x), default=None)
                cells = text, r["run"], "recorded" if same else "others"
                numbers = (number(x) if x else "-" for x in (r.get("certified_length"), shortest))
                yield f"| {' | '.join([*cells, *numbers])} | {number(r['settle_within'])} |"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--check", action="store_true")
    check = parser.parse_args().check
    runs = json.loads(RECORD.read_text())["runs"]
    rows = [r for r in runs if r["run"].startswith(("V.", "B.", "K1.", "K2.", "K2n2."))]
    fails = [r for r in runs if r["settle_verdict"] == "fails"]
    wrong = [r["run"] for r in fails if r["verdict"] != "VERIFIED"]
    if wrong:
        sys.exit(f"failures without a verified certificate: {' '.join(wrong)}")
    recorded = {r["run"]: r for r in json.loads(HORIZON.read_text())["runs"]}
    lines = [*by_automaton({r["run"]: r for r in rows}), "", *by_kind(rows)]
    lines += by_group(runs, recorded)
    old = PAGE.read_text()
    begin = old.index(MARKS[0])
    end = old.index(MARKS[1], begin)
    new = f"{old[:begin]}{MARKS[0]}\n\n" + "\n".join(lines) + f"\n\n{old[end:]}"
    if check and new != old:
        sys.exit(f"docs/training.md is not what {RECORD.name} gives: run {Path(__file__).name}")
    if not check:
        PAGE.write_text(new)


if __name__ == "__main__":
    main()
