"""Lets GAP compute holonomy groups and aperiodicity from the definitions and compares `fsa2lrnn
cascade` with it.

Families with up to 7 states, and random automata (the seed is printed). Without `gap` on the path
nothing is compared.

usage: gap_cascade.py --tool build/release/fsa2lrnn
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

HERE = Path(__file__).resolve().parent
FAMILIES = HERE.parent / "golden/cascade-families.txt"
MOST_STATES = 7
LISTED = 6  # most states for which the transition monoid is listed
SEED = 7
RANDOM = 60


def families():
    """Yields (name, letters), letters as lists of images from 1."""
    lines = [line.split() for line in FAMILIES.read_text().splitlines() if not line.startswith("#")]
    at = 0
    while at < len(lines):
        name, states, letters = lines[at][0], int(lines[at][1]), int(lines[at][2])
        if states <= MOST_STATES:
            yield name, [list(map(int, row)) for row in lines[at + 1 : at + 1 + letters]]
        at += 1 + letters


def random_automata():
    rng = random.Random(SEED)
    for number in range(RANDOM):
        states = rng.randint(3, MOST_STATES)
        yield f"RANDOM{number}", [
            [rng.randint(1, states) for _ in range(states)] for _ in range(rng.randint(1, 3))
        ]


def reachable(letters, start):
    found = [start]
    for state in found:
        for image in letters:
            if image[state - 1] not in found:
                found.append(image[state - 1])
    return found


def trimmed(letters):
    """Returns the part that the best start reaches, renumbered with the start first, as the tool
    keeps it."""
    states = max((reachable(letters, s) for s in range(1, len(letters[0]) + 1)), key=len)
    number = {state: i + 1 for i, state in enumerate(states)}
    return [[number[image[s - 1]] for s in states] for image in letters]


def decompose(tool, letters, folder):
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
    text = subprocess.run(
        [tool, "cascade", str(path), "--cascade", "pure", "--json"],
        stdout=subprocess.PIPE,
        check=True,
    ).stdout
    return json.loads(text)


def gap_name(name):
    """Returns our name as StructureDescription writes it; None when it gives only the order."""
    if name == "trivial":
        return "1"
    for pattern, form in (
        (r"Z_(\d+)$", "C{0}"),
        (r"([SA]_\d+)$", None),
        (r"D_(\d+)$", "D"),
        (r"Z_(\d+):Z_(\d+)$", "C{0}:C{1}"),
    ):
        match = re.match(pattern, name)
        if match:
            return (
                name.replace("_", "")
                if form is None
                else f"D{2 * int(match[1])}" if form == "D" else form.format(*match.groups())
            )
    match = re.match(r"Z_(\d+)\^(\d+)$", name)
    return "x".join([f"C{match[1]}"] * int(match[2])) if match else None


def ask_gap(gap, automata, folder):
    """Returns {("group", name, index): (order, structure), ("aperiodic", name): bool}."""
    records = ",\n".join(
        f'rec(name := "{name}", letters := {letters}, sets := {sets}, list :='
        f" {str(len(letters[0]) <= LISTED).lower()})"
        for name, letters, sets in automata
    )
    script = folder / "compare.g"
    script.write_text(f"automata := [{records}];\n" + (HERE / "gap_cascade.g").read_text())
    done = subprocess.run(
        [gap, "-q", "-b", str(script)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=900,
    )
    found = {}
    for line in done.stdout.splitlines():
        words = line.split()
        if words[:1] == ["group"] and len(words) == 5:
            found["group", words[1], int(words[2])] = words[3], words[4]
        elif words[:1] == ["aperiodic"] and len(words) == 3:
            found["aperiodic", words[1]] = words[2] == "true"
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
    passed = failed = named = 0

    def check(good, what):
        nonlocal passed, failed
        passed, failed = passed + good, failed + (not good)
        if not good:
            print("FAILED", what)

    with tempfile.TemporaryDirectory() as temporary:
        folder, automata, reports = Path(temporary), [], {}
        for name, letters in [*families(), *random_automata()]:
            letters = trimmed(letters)
            reports[name] = decompose(args.tool, letters, folder)
            components = [k for level in reports[name]["per_level"] for k in level["per_component"]]
            automata.append(
                (name, letters, [[int(q) for q in k["representative"]] for k in components])
            )
        found = ask_gap(gap, automata, folder)
    for name, letters, _ in automata:
        components = [k for level in reports[name]["per_level"] for k in level["per_component"]]
        for index, component in enumerate(components, 1):
            order, structure = found.get(("group", name, index), (None, "-"))
            check(
                component["order_decimal"] == order,
                f"{name}, component {index}: order {component['order']}, GAP {order}",
            )
            ours = gap_name(component["group"])
            if ours and structure != "-":
                named += 1
                check(
                    ours == structure,
                    f"{name}, component {index}: {component['group']}, GAP {structure}",
                )
        if len(letters[0]) <= LISTED:
            gap_says = found.get(("aperiodic", name))
            check(
                reports[name]["aperiodic"] == gap_says,
                f"{name}: aperiodic {reports[name]['aperiodic']}, GAP {gap_says}",
            )
    print(f"{len(automata)} automata (random ones with seed {SEED}), {named} names compared")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
