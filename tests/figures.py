"""The figures "at most" of `classify`, of `compile --pareto` and of the main job are the same.

For every automaton, with the same limits:
- the fewest layers of `classify` and of the list are those of the least VERIFIED row of the list,
  or `classify` says that fewer are enough by LL.2 and that no network is built;
- each class of models of `classify` has the figures of the least VERIFIED row in the class, and
  `classify --construct` shows a network with them (every tenth automaton);
- the main job gives as many layers, or names the construction that has fewer;
- `compile --layers N` writes a network with the fewest N, and none with N - 1 (every fifth);
- no lower bound is above any of these.

usage: figures.py --tool build/release/fsa2lrnn [--count N] [--states N] [--seed S]
[--folder DIR]
Without --folder it makes automata of at most N states (5): families, random ones, permutations and
mixed ones. The files of a folder may have any syntax; those that are no automata are left out."""

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
from pathlib import Path

FAMILIES = (
    "parity",
    "cyclic 3",
    "cyclic 6",
    "symmetric 3",
    "dihedral 4",
    "quaternion",
    "swaps 3",
    "direct Z2 Z3",
    "flipflop",
    "counter 3",
    "elevator 4",
    "definite 2",
    "definite 3",
    "dyck 1 3",
    "modarith 3",
    "even-pairs",
    "tomita 3",
    "tomita 4",
    "tomita 7",
    "transformations 3",
    "order-preserving 4",
)
SYNTAX = {".fsa", ".dot", ".att"}
SLOW = {"R4", "R4.8", "OL", "EF", "LL.2"}  # they count only where they save layers
CLASSES = {
    "diagonal-positive",
    "diagonal",
    "complex",
    "deltanet-positive",
    "deltanet",
    "deltaproduct",
    "gated",
}


def run(tool, *args):
    done = subprocess.run(
        [tool, *args], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=600
    )
    return done.returncode, done.stdout, done.stderr


def facts(tool, *args):
    status, out, err = run(tool, *args, "--json")
    assert status in (0, 2), (args, status, err)
    return json.loads(out)


# --- automata ---


def table(rng, rows, states):
    accepted = [q for q in range(states) if rng.random() < 0.5] or [0]
    lines = ["fsa 1", "start q0", "accept " + " ".join(f"q{q}" for q in accepted)]
    lines += [f"q{q} {'abcd'[a]} q{row[q]}" for q in range(states) for a, row in enumerate(rows)]
    return "\n".join(lines) + "\n"


def mixed_row(rng, states):
    kind = rng.randrange(4)
    if kind == 0:
        return rng.sample(range(states), states)
    if kind == 1:
        return [rng.randrange(states)] * states
    if kind == 2:
        return sorted(rng.randrange(states) for _ in range(states))
    row = list(range(states))
    row[rng.randrange(states)] = rng.randrange(states)
    return row


def make(rng, most):
    states, letters = rng.randint(2, most), rng.randint(2, 3)
    rows = (
        lambda: rng.sample(range(states), states),
        lambda: [rng.randrange(states) for _ in range(states)],
        lambda: mixed_row(rng, states),
    )[rng.randrange(3)]
    return table(rng, [rows() for _ in range(letters)], states)


def made(tool, folder, count, states, seed):
    rng = random.Random(seed)
    for i in range(count):
        path = os.path.join(folder, f"{i}.fsa")
        if i < len(FAMILIES):
            status, text, err = run(tool, "new", *FAMILIES[i].split())
            assert status == 0, err
        else:
            text = make(rng, states)
        Path(path).write_text(text)
        yield path


# --- the list ---


def in_class(row, name):
    """Returns whether the network of the row of the list is one of the class of models."""
    theorem, variant = row["theorem"], row["variant"]
    positive, gated = theorem == "R8", row["gated"]
    if name == "diagonal-positive":
        return positive
    if name == "deltanet-positive":
        return positive and not gated
    if name in ("diagonal", "complex"):
        return theorem == "G" and variant in ("diagonal", name)
    if name == "deltanet":
        one = row["figures"]["householders"] <= 1
        return one and not positive and not gated and theorem not in SLOW - {"LL.2"}
    return not positive and (name == "gated" or not gated)


def order(row):
    f = row["figures"]
    return f["layers"], row["theorem"] in SLOW, f["householders"], f["key_dim"]


def least(rows, name=None):
    rows = [r for r in rows if name is None or in_class(r, name)]
    return min(map(order, rows)) if rows else None


def verified(listed):
    return [
        r
        for r in listed["constructions"]
        if r["outcome"] == "built"
        and r["exact"]["verdict"] == "VERIFIED"
        and r["variant"] != "naive keys"
        and (r["exact_states"] == "finite" or r["theorem"] == "R8")
    ]


# --- comparisons ---


def named(needed):
    """Returns the constructions that may have fewer layers."""
    return set(filter(None, (needed["fewer_by"] or "").split(", ")))


def compare_classes(classified, rows):
    for one in classified["classes"]:
        if one["class"] not in CLASSES:
            continue
        found = least(rows, one["class"])
        if one["answer"] != "can":
            assert found is None, ("a network of a class that cannot", one, found)
            continue
        if found is None:
            continue
        mine = tuple(one[name] or 0 for name in ("layers", "householders", "dimension"))
        assert mine == (found[0], *found[2:]), (one["class"], mine, found)
        assert (one["layers_at_least"] or 1) <= found[0], (one, found)


def compare_main(tool, path, most, rows, folder):
    out = os.path.join(folder, "out")
    needed = facts(tool, path, "--out", out, "--force", "--no-report")["layers_needed"]
    theorems = {r["theorem"] for r in rows if r["figures"]["layers"] < needed["most_layers"]}
    assert needed["most_layers"] >= most and theorems <= named(needed), (needed, most, theorems)
    assert needed["most_is_built"] and needed["layers_at_least"] <= most, needed


def compare_bounds(tool, path, most, folder):
    out = os.path.join(folder, "out")
    write = ("--out", out, "--force", "--no-report", "--json")
    status, text, err = run(tool, "compile", path, "--layers", str(most), *write)
    assert status == 0 and json.loads(text)["construction"]["layers"] == most, (status, err)
    if most > 1:
        status, _, err = run(tool, "compile", path, "--layers", str(most - 1), *write)
        assert status in (2, 69), (status, err)


def compare_built(tool, path, classified):
    built = facts(tool, "classify", path, "--construct", "--formats", "bf16")
    for mine, other in zip(classified["classes"], built["classes"]):
        for name in ("layers", "householders", "dimension", "answer"):
            assert mine[name] == other[name], (mine, other)
        network = other["compiled"]
        if network and network["status"] == "built":
            assert network["figures"]["layers"] == mine["layers"], other


def compare(tool, path, number, folder):
    classified = facts(tool, "classify", path)
    listed = facts(tool, "compile", path, "--pareto", "--formats", "bf16")
    rows = verified(listed)
    needed, most = classified["layers_needed"], least(rows)[0]
    built = needed["most_layers"]
    if not needed["most_is_built"]:  # LL.2 shows that fewer are enough, and no network is known
        assert needed["most_by"] == "LL.2" and needed["most_layers"] < most, (needed, most)
        built = needed["built_layers"]
    assert (built, listed["most_layers"]) == (most, most), (needed, listed["most_layers"], most)
    shown = named(listed) | ({needed["most_by"]} - {None})
    assert named(needed) <= shown, (needed, listed["fewer_by"])
    assert needed["layers_at_least"] <= most, (needed, most)
    compare_classes(classified, rows)
    compare_main(tool, path, most, rows, folder)
    if number % 5 == 0:
        compare_bounds(tool, path, most, folder)
    if number % 10 == 0:
        compare_built(tool, path, classified)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--tool", required=True)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--states", type=int, default=5)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--folder", type=Path)
    options = parser.parse_args()
    failed = compared = 0
    with tempfile.TemporaryDirectory() as folder:
        paths = (
            [str(p) for p in sorted(options.folder.iterdir()) if p.suffix in SYNTAX]
            if options.folder
            else made(options.tool, folder, options.count, options.states, options.seed)
        )
        for number, path in enumerate(paths):
            compared += 1
            try:
                compare(options.tool, path, number, folder)
            except AssertionError as fault:
                failed += 1
                text = "" if options.folder else Path(path).read_text()
                print(f"FAILED {path}: {fault}\n{text}", flush=True)
    print(f"{compared - failed} passed, {failed} failed")
    return 1 if failed or not compared else 0


if __name__ == "__main__":
    sys.exit(main())
