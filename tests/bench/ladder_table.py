"""What every row of the ladder says of every automaton of the gallery, and of a folder's files.

`classify` is run once for each automaton; a row has the verdict for the closed range of its
parameters and for the range that is reached without rounding, each with its statement. No cell is
empty: what no statement decides is "not known", and what a limit left open "UNKNOWN". At most five
rows may be "not known" for the closed range.

usage: ladder_table.py --tool FILE [--data DIR] [--jobs N] --out FILE     makes the record
       ladder_table.py --check FILE       checks a record: every row, every automaton, no blank

The files of DIR, .att, are acceptors of MLRegTest; DIR is left out where it is not there."""

import argparse
import concurrent.futures
import json
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
import records

GALLERY = {
    "parity": ["parity"],
    "modular arithmetic": ["modarith", "3"],
    "S3": ["symmetric", "3"],
    "S4": ["symmetric", "4"],
    "A5": ["alternating", "5"],
    "S5": ["symmetric", "5", "--generators"],
    "Z6": ["cyclic", "6"],
    "flipflop": ["flipflop"],
    "definite 3": ["definite", "3"],
    "dyck 1 3": ["dyck", "1", "3"],
    "counter 6": ["counter", "6"],
    "elevator 5": ["elevator", "5"],
    "all maps of 4 points": ["transformations", "4"],
    **{f"tomita {n}": ["tomita", str(n)] for n in range(1, 8)},
}
# At most this many rows may say "not known" of some automaton, for the closed ranges, and none of
# these.
MOST_UNKNOWN = 5
ALWAYS_KNOWN = "rwkv7 rwkv7-double gdn2-double kda-positive kda block-diagonal mamba3".split()
ANSWERS = {"can", "can (published)", "cannot", "cannot unless TC0 = NC1", "not known", "UNKNOWN"}


def classify(tool, name, words):
    """Returns the rows of one automaton."""
    done = subprocess.run([tool, "classify", *words, "--json"], capture_output=True, text=True)
    if done.returncode not in (0, 2):
        raise SystemExit(f"{name}: classify ended with {done.returncode}: {done.stderr.strip()}")
    report = json.loads(done.stdout)
    return {
        "automaton": name,
        "states": report["automaton"]["states"],
        "letters": report["automaton"]["letters"],
        "rows": {
            row["class"]: [
                row["answer"],
                row["statement"],
                row["reached_answer"],
                row["reached_by"],
            ]
            for row in report["classes"]
        },
    }


def find_automata(tool, folder, data):
    """Writes the gallery into the folder; returns the names and arguments of all automata."""
    found = []
    for name, family in GALLERY.items():
        path = Path(folder) / f"{'-'.join(family)}.fsa"
        new = subprocess.run([tool, "new", *family], check=True, capture_output=True)
        path.write_bytes(new.stdout)
        found.append((name, [str(path)]))
    for path in sorted(Path(data).rglob("*.att")) if data else []:
        found.append((path.stem, [str(path), "--label", "accept", "--sink"]))
    return found


def find_faults(record):
    """Returns what is wrong with a record."""
    faults = [] if record["automata"] else ["there are no automata"]
    classes = record["classes"]
    for one in record["automata"]:
        if list(one["rows"]) != classes:
            faults.append(f"{one['automaton']}: rows are missing, or are others")
        for name, (answer, statement, reached, _) in one["rows"].items():
            if answer not in ANSWERS or reached not in ANSWERS:
                faults.append(f"{one['automaton']}, {name}: {answer!r}, {reached!r}")
            if answer != "UNKNOWN" and not statement:
                faults.append(f"{one['automaton']}, {name}: no statement")
    unknown = {
        name
        for one in record["automata"]
        for name, row in one["rows"].items()
        if row[0] == "not known"
    }
    known = set(classes) - unknown
    faults += [f"{name} is not there, or not known" for name in ALWAYS_KNOWN if name not in known]
    if len(unknown) > MOST_UNKNOWN:
        faults.append(f"more than {MOST_UNKNOWN} rows are not known: {', '.join(sorted(unknown))}")
    return faults


def count_answers(record):
    """Returns how many automata each row gives each verdict."""
    counts = {name: {} for name in record["classes"]}
    for one in record["automata"]:
        for name, (answer, *_) in one["rows"].items():
            counts[name][answer] = counts[name].get(answer, 0) + 1
    return counts


def make_record(args):
    with tempfile.TemporaryDirectory() as folder:
        work = find_automata(args.tool, folder, args.data)
        with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
            automata = list(pool.map(lambda one: classify(args.tool, *one), work))
    program = {"name": "tests/bench/ladder_table.py", "commit": records.git("rev-parse", "HEAD")}
    record = {
        "program": program,
        "columns": ["answer", "statement", "reached_answer", "reached_by"],
        "classes": list(automata[0]["rows"]),
        "automata": automata,
    }
    record["counts"] = count_answers(record)
    return record


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--tool", default="build/release/fsa2lrnn")
    parser.add_argument("--data", type=Path)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--check", type=Path)
    args = parser.parse_args()
    if bool(args.out) == bool(args.check):
        parser.error("one of --out and --check is expected")
    record = json.loads(args.check.read_text()) if args.check else make_record(args)
    for fault in (faults := find_faults(record)):
        print(fault)
    if args.out and not faults:
        records.write_json(args.out, record)
    sizes = len(record["automata"]), len(record["classes"]), len(faults)
    print("{} automata, {} rows, {} faults".format(*sizes))
    print(f"{max(0, sizes[0] * sizes[1] - sizes[2])} passed, {sizes[2]} failed")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
