"""Lets GAP list transition monoids and their maximal subgroups, and compares `fsa2lrnn classify`
with it.

The automata are families with up to 7 states, and random ones (the seed is printed). The three
answers are compared, and the sizes of composition factors: the sizes in the holonomy groups are
among the sizes in the maximal subgroups, and the sets of sizes are equal where all these subgroups
are solvable. Without `gap` on the path nothing is compared.

usage: gap_classify.py --tool build/release/fsa2lrnn
"""

import argparse
import json
import random
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from gap_cascade import HERE, families, trimmed

SEED = 11
RANDOM = 60
MOST_MAPS = 8000  # most maps of a monoid that GAP is asked to list
SIMPLE = {"A_5": 60, "A_6": 360, "A_7": 2520, "PSL(2,7)": 168}


def random_automata():
    rng = random.Random(SEED)
    for number in range(RANDOM):
        states, letters = rng.randint(3, 7), []
        for _ in range(rng.randint(1, 3)):
            image = list(range(1, states + 1))
            rng.shuffle(image)
            letters.append(
                image if rng.random() < 0.4 else [rng.randint(1, states) for _ in range(states)]
            )
        yield f"RANDOM{number}", letters


def monoid_size(letters):
    found = {tuple(range(1, len(letters[0]) + 1))}
    queue = list(found)
    for word in queue:
        for image in letters:
            product = tuple(image[q - 1] for q in word)
            if product not in found:
                found.add(product)
                queue.append(product)
                if len(found) > MOST_MAPS:
                    return None
    return len(found)


def classify(tool, letters, folder):
    n = len(letters[0])
    lines = [
        "letters " + " ".join(f"x{a}" for a in range(len(letters))),
        "states " + " ".join(map(str, range(1, n + 1))),
        "start 1",
    ]
    lines += [
        f"{q} x{a} {image[q - 1]}" for a, image in enumerate(letters) for q in range(1, n + 1)
    ]
    path = folder / "automaton.fsa"
    path.write_text("\n".join(lines) + "\n")
    done = subprocess.run(
        [tool, "classify", str(path), "--json", "--quiet"], stdout=subprocess.PIPE, check=True
    )
    return json.loads(done.stdout)


def sizes(report):
    """Returns the sizes of the composition factors that the report names."""
    found = set()
    for group in report["groups"]:
        for factor in group["composition"].split(", "):
            name = re.sub(r" \(x\d+\)$", "", factor)
            found.add(int(name[2:]) if name.startswith("Z_") else SIMPLE[name])
    return found


def ask_gap(gap, automata, folder):
    records = ",\n".join(
        f'rec(name := "{name}", letters := {letters})' for name, letters in automata
    )
    script = folder / "compare.g"
    script.write_text(f"automata := [{records}];\n" + (HERE / "gap_classify.g").read_text())
    done = subprocess.run(
        [gap, "-q", "-b", str(script)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=900,
    )
    found = {}
    for line in done.stdout.replace("\\\n", "").splitlines():
        words = line.split()
        if words[:1] == ["ladder"]:
            found[words[1]] = [w == "true" for w in words[2:5]], (
                set(map(int, words[5].split(","))) if words[5:] else set()
            )
        elif words:
            print("gap:", line)
    return found


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--tool", required=True)
    args = parser.parse_args()
    gap = shutil.which("gap")
    if not gap:
        print("GAP is not installed (apt-get install gap-core): nothing was compared")
        print("0 passed, 0 failed")
        return 0
    passed = failed = 0

    def check(good, what):
        nonlocal passed, failed
        passed, failed = passed + good, failed + (not good)
        if not good:
            print("FAILED", what)

    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        automata = [(name, trimmed(letters)) for name, letters in [*families(), *random_automata()]]
        automata = [(name, letters) for name, letters in automata if monoid_size(letters)]
        found = ask_gap(gap, automata, folder)
        rungs = [0] * 4
        for name, letters in automata:
            report = classify(args.tool, letters, folder)
            ours = [report[key] is True for key in ("aperiodic", "two_groups", "solvable")]
            theirs, factors = found.get(name, (None, None))
            check(ours == theirs, f"{name}: {ours}, GAP {theirs}")
            if theirs is None:
                continue
            rungs[3 - sum(theirs)] += 1
            # A simple group inside another one, as A_5 in A_6, is a divisor, but need not be a
            # factor of a holonomy group.
            check(
                sizes(report) <= factors and (factors == sizes(report) or not theirs[2]),
                f"{name}: factors {sizes(report)}, GAP {factors}",
            )
    print(
        f"{len(automata)} automata (random ones with seed {SEED}): aperiodic {rungs[0]}, 2-groups"
        f" {rungs[1]}, solvable {rungs[2]}, not solvable {rungs[3]}"
    )
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
