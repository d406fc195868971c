"""Trains small networks, lets `horizon` write certificates about all lengths, and judges these with
horizon-check and with 50 digits (tests/clients/lengths): the list `in_50_digits` of
reports/results/lasting.json.

    python3 tests/bench/fifty_digits.py --build build/release [--results reports/results]

It needs mpmath. A network without a certificate has a row without a claim. Rows that are there
stay; the record is written after each network. The exit status is 1 where a claim is not true."""

import argparse
import json
import sys
import tempfile
from pathlib import Path

from lasting_seeds import ROOT, RUN_FILES, about, digest, output, write_list

JUDGES = {name: f"{name}_exact.py" for name in ("settle", "forever", "finite", "roots")}
KEY = "automaton", "train", "horizon"
CLAIMS = {"settles": "settle"}
SMALL = "--no-network --layers 1 --width 16 --mlp 16 --no-report --jobs 1"
LASTS = "--additive --learned-start --eigenvalues positive --steps 1000 --rate 3e-3 --batch 64"
LIMIT = "--learned-start --additive --heads 2 --head-dim 4 --steps 1500 --rate 3e-3 --batch 64"
ENDS = "--clamped-betas --no-additive --learned-start --eigenvalues signed --rate 1e-2 --batch 32"
BIT = (
    "--lasting --heads 4 --head-dim 1 --householders 1 --slope 32 --batch 32 --rate 1e-2"
    " --steps 500 --to 16 --sequences 64 --eigenvalues positive"
)
# Automaton, options, question, seeds.
RECIPES = (
    ("definite 1", f"{LASTS} --heads 8 --head-dim 1 --householders 1", "forever", 3),
    ("definite 2", f"{LASTS} --heads 8 --head-dim 1 --householders 1", "forever", 3),
    ("definite 1", f"{LASTS} --heads 4 --head-dim 2 --householders 2", "forever", 3),
    ("definite 2", f"{LASTS} --heads 4 --head-dim 2 --householders 2", "forever", 3),
    ("flipflop", f"{LIMIT} --householders 1 --eigenvalues positive", "settle", 2),
    ("counter 2", f"{LIMIT} --householders 2 --eigenvalues positive", "settle", 2),
    ("parity", f"{LIMIT} --householders 1 --eigenvalues signed", "settle", 2),
    (
        "parity",
        f"{ENDS} --exact-keys --heads 1 --head-dim 1 --steps 300 --to 16 --periodic 0.25",
        "forever",
        3,
    ),
    ("flipflop", BIT, "forever", 1),
    (
        "parity",
        "--heads 1 --head-dim 1 --batch 32 --steps 100 --to 16 --eigenvalues positive"
        " --clamped-betas --exact-keys",
        "settle",
        2,
    ),
)


def keys_of(recipe):
    """Yields what names the rows of a recipe, one for each seed."""
    automaton, options, question, seeds = recipe
    for seed in range(1, seeds + 1):
        train = f"{SMALL} {options} --seed {seed}"
        yield dict(zip(KEY, (automaton, train, f"--{question}")))


def judged(folder, certificate):
    """Returns the claim, its scope, what horizon-check says and what 50 digits say."""
    lines = certificate.read_text(encoding="ascii").split("\n")
    scope, claim = (x.split(" ")[1] for x in lines[4:6])
    judge = ROOT / "tests/clients/lengths" / JUDGES[CLAIMS.get(claim, claim)]
    said = output(sys.executable, judge, folder, certificate, statuses=(0, 1))
    return {"claim": claim, "scope": scope, "in_50_digits": said.strip().partition(": ")[2]}


def measure(build, folder, key):
    """Returns the row of a network: what was asked of it, and what the judges say."""
    automaton, question = key["automaton"], key["horizon"]
    run = folder / str(len(list(folder.glob("*.fsa"))))
    fsa, certificate = run.with_suffix(".fsa"), run.with_suffix(".cert")
    fsa.write_text(output(build / "fsa2lrnn", "new", *automaton.split()))
    options = key["train"]
    output(build / "fsa2lrnn", "train", fsa, *options.split(), "-o", run, "--quiet")
    ask = ("horizon", run, question, "--no-report", "--prefix-time", 10, "-o", certificate)
    output(build / "fsa2lrnn", *ask)
    row = key | about()
    row["weights.safetensors"] = digest(run)
    if not certificate.exists():
        return row | {"claim": None}
    files = [run / name for name in RUN_FILES]
    row |= judged(run, certificate)
    verdict = output(build / "horizon-check", *files, certificate, statuses=(0, 1, 2))
    return row | {"horizon_check": verdict.split(" ")[1]}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", type=Path, required=True)
    parser.add_argument("--results", type=Path, default=ROOT / "reports/results")
    args = parser.parse_args()
    rows = json.loads((args.results / "lasting.json").read_text()).get("in_50_digits", [])
    known = [{name: x[name] for name in KEY} for x in rows]
    keys = [key for recipe in RECIPES for key in keys_of(recipe) if key not in known]
    with tempfile.TemporaryDirectory() as folder:
        for key in keys:
            rows.append(measure(args.build, Path(folder), key))
            print(rows[-1], flush=True)
            write_list(args.results, "in_50_digits", rows)
    return any(x["claim"] and not x["in_50_digits"].startswith("true") for x in rows)


if __name__ == "__main__":
    sys.exit(main())
