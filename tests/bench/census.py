"""The censuses of docs: every automaton of 3 states and 2 or 3 letters, or 4 states and 2 letters,
up to names, with the fewest layers that are proved and built. Tables that are there are continued;
the summary is recorded, and the seconds of tables that were not there.

usage: census.py [--build build/release] [--out FILE]"""

import argparse
import json
import os
import subprocess
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
SIZES = ((3, 2), (3, 3), (4, 2))


def device():
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return "unknown"


def census(tool, states, letters):
    table = ROOT / f"docs/census/{states}x{letters}.csv"
    words = [tool, "census", str(states), str(letters), "--out", str(table), "--json"]
    begun, start = table.exists(), time.perf_counter()
    before = os.times()
    text = subprocess.run(words, capture_output=True, text=True, check=True).stdout
    seconds, after = round(time.perf_counter() - start, 1), os.times()
    of_processor = after.children_user + after.children_system
    of_processor -= before.children_user + before.children_system
    report = json.loads(text)
    print(
        f"{states} states, {letters} letters: {report['census_automata']} automata,"
        f" {report['settled_automata']} settled, {seconds} s"
    )
    return {
        "seconds": None if begun else seconds,
        "processor_seconds": None if begun else round(of_processor, 1),
        "table": str(table.relative_to(ROOT)),
        "summary": report,
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=Path, default=Path("build/release"))
    parser.add_argument("--out", type=Path)
    args = parser.parse_args()
    tool = str((args.build / "fsa2lrnn").resolve())
    version = json.loads(
        subprocess.run([tool, "--version", "--json"], capture_output=True, text=True).stdout
    )
    record = {
        "command": "make census",
        "date": time.strftime("%Y-%m-%d"),
        "device": device(),
        "tool": version["tool"],
        "censuses": [census(tool, *size) for size in SIZES],
    }
    if args.out:
        args.out.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
