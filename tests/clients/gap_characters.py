"""Compares characters and fewest Householder factors of all transitive groups of degree 9 or less
with GAP.

GAP computes classes, degrees, Frobenius-Schur indicators and the minimum (for its generators as
letters, and for all elements) from its own character tables. Without `gap` or its library of
transitive groups nothing is compared.

usage: gap_characters.py --tool build/release/tests/prop/p_rep [--degree 9]
"""

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
COUNT = [
    0,
    0,
    1,
    2,
    5,
    5,
    16,
    7,
    50,
    34,
]  # numbers of transitive groups of degree 0 .. 9 in the library, which begins at 2


def skip(reason):
    print(f"{reason}: nothing was compared")
    print("0 passed, 0 failed")
    return 0


def ask_gap(gap, script, timeout):
    done = subprocess.run(
        [gap, "-q", "-b", "--quitonbreak", script],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=timeout,
    )
    return done.stdout


def cycles(images):
    done, out = set(), ""
    for first in range(1, len(images) + 1):
        cycle, p = [], first
        while p not in done:
            done.add(p)
            cycle.append(str(p))
            p = images[p - 1]
        out += f"({' '.join(cycle)})" if len(cycle) > 1 else ""
    return out or "()"


def ours(tool, degree, generators):
    """Returns (order, classes, sorted degree:indicator, minima) as GAP's lines give them."""
    words = subprocess.run(
        [tool, "table", str(degree), *map(cycles, generators)],
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    ).stdout.split()
    at = words.index("generators")
    characters = sorted(words[5:at], key=lambda w: tuple(map(int, w.split(":"))))
    minima = [words[at + 1].split(":")[0], words[at + 3].split(":")[0]]
    return [words[1], words[3]], characters, minima


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--tool", required=True)
    parser.add_argument("--degree", type=int, default=9)
    args = parser.parse_args()
    gap = shutil.which("gap")
    if not gap:
        return skip("GAP is not installed (apt-get install gap-core gap-transgrp)")
    passed = failed = 0
    with tempfile.TemporaryDirectory() as temporary:
        script = Path(temporary) / "groups.g"
        script.write_text(
            'Print("library ", LoadPackage("transgrp", false) = true, "\\n"); QUIT;\n'
        )
        if "library true" not in ask_gap(gap, script, 120):
            return skip("GAP has no library of transitive groups (apt-get install gap-transgrp)")
        script.write_text(
            f'LoadPackage("transgrp", false);;\ndegrees := [2 .. {args.degree}];\n'
            + (HERE / "gap_characters.g").read_text()
        )
        text = ask_gap(gap, script, 1500)
    groups = 0
    for line in text.splitlines():
        if not line.startswith("group "):
            print("gap:", line)
            continue
        head, size, characters, minima = (part.split() for part in line.split("|"))
        degree, generators = int(head[1]), [json.loads(word) for word in head[3:]]
        found = ours(args.tool, degree, generators)
        good = found == (size, characters, minima)
        groups += 1
        passed, failed = passed + good, failed + (not good)
        if not good:
            print(
                f"FAILED TransitiveGroup({degree}, {head[2]}): ours {found}, GAP"
                f" {(size, characters, minima)}"
            )
    if groups != sum(COUNT[: args.degree + 1]):
        failed += 1
        print(f"FAILED {groups} groups were compared, {sum(COUNT[:args.degree + 1])} expected")
    print(f"{groups} transitive groups of degree {args.degree} or less")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
