"""Runs examples/quotients.py on networks that `train` makes, with and without values and a begin
letter: its answers are the program's, the normal subgroups are those of the group, and a network
whose answers are permuted within a coset on purpose is right modulo that subgroup alone.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "examples"))
import quotients  # noqa: E402

SEQUENCES, LENGTH = 200, 6
CASES = {
    "S3": ("symmetric 3", "--householders 2 --no-additive --learned-start --steps 60", [1, 3, 6]),
    "S4": (
        "symmetric 4",
        "--householders 2 --additive --no-learned-start --silu --begin --init fla --steps 40",
        [1, 4, 12, 24],
    ),
}


class Bench:
    def __init__(self, tool):
        self.tool, self.passed, self.failed = tool, 0, 0

    def run(self, *argv):
        argv = [self.tool, *argv]
        return subprocess.run(argv, stdout=subprocess.PIPE, text=True, check=True).stdout

    def check(self, good, text):
        self.passed += good
        self.failed += not good
        if not good:
            print(f"FAILED {text}")


def accuracy(bench, folder):
    """Returns the program's accuracy on its own words of the length, and its standard deviation."""
    text = bench.run(
        *("evaluate", folder, "--lengths", str(LENGTH), "--sequences", "2000", "--json")
    )
    value = json.loads(text)["scores"][0]["accuracy"]
    return value, np.sqrt(value * (1 - value) * (1 / 2000 + 1 / SEQUENCES))


def printed(folder):
    argv = [sys.executable, ROOT / "examples/quotients.py", folder]
    argv += ["--length", str(LENGTH), "--sequences", str(SEQUENCES)]
    text = subprocess.run(argv, stdout=subprocess.PIPE, text=True, check=True).stdout
    rows = [line.split() for line in text.splitlines()[1:]]
    return [(int(row[0]), float(row[-2])) for row in rows]


def permute_in_coset(folder, size):
    """Exchanges rows of the read-out so that every answer becomes another one of its coset."""
    names, product = quotients.read_group(folder / "automaton.fsa")
    groups, _ = quotients.normal_subgroups(product)
    group = next(g for g in groups if len(g) == size)
    element = next(e for e in group if names[e] != "()")
    path = folder / "weights.safetensors"
    data = bytearray(path.read_bytes())
    head_size = int.from_bytes(data[:8], "little")
    entry = json.loads(data[8 : 8 + head_size])["head.weight"]
    first, end = (8 + head_size + x for x in entry["data_offsets"])
    rows = np.frombuffer(bytes(data[first:end]), np.float32).reshape(entry["shape"]).copy()
    rows[: len(names)] = rows[product[element, np.arange(len(names))]]
    data[first:end] = rows.tobytes()
    path.write_bytes(bytes(data))


def examine(bench, name, folder):
    family, options, orders = CASES[name]
    grammar, run = folder / f"{name}.fsa", folder / name
    grammar.write_text(bench.run("new", *family.split()))
    sizes = "--no-network --heads 2 --head-dim 8 --width 32 --mlp 32 --slope 1 --batch 64"
    lengths = f"--rate 5e-3 --from {LENGTH} --to {LENGTH} --lengths {LENGTH} --sequences 8"
    bench.run("train", grammar, "-o", run, *f"{sizes} {lengths} {options}".split())
    rows = printed(run)
    bench.check([order for order, _ in rows] == orders, f"{name}: normal subgroups {rows}")
    expected, deviation = accuracy(bench, run)
    bench.check(abs(rows[0][1] - expected) <= 5 * deviation, f"{name}: {rows} beside {expected}")
    bench.check(rows[-1][1] >= 1 - 1e-9 or "--begin" in options, f"{name}: modulo itself {rows}")
    permute_in_coset(run, orders[1])
    changed = printed(run)
    bench.check(changed[0][1] < rows[0][1] - 0.05, f"{name}: permuted answers {changed}")
    bench.check(changed[1:] == rows[1:], f"{name}: modulo the coset {changed} beside {rows}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tool", required=True, type=lambda p: Path(p).resolve())
    bench = Bench(parser.parse_args().tool)
    with tempfile.TemporaryDirectory() as folder:
        for name in CASES:
            examine(bench, name, Path(folder))
    print(f"{bench.passed} passed, {bench.failed} failed")
    return 1 if bench.failed else 0


if __name__ == "__main__":
    sys.exit(main())
