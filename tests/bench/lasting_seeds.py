"""Trains a recipe with seeds and asks `horizon --forever` of each network: rows of the list
`recipes` in reports/results/lasting.json.

    python3 tests/bench/lasting_seeds.py --build build/release --automaton flipflop \\
        [--file FSA] [--chose 1-4] [--tries N] --fresh 5-28 [--results reports/results] \\
        -- OPTIONS.. [then OPTIONS.. ..]

The automaton is that of `fsa2lrnn new`, or of --file. --chose has the seeds with which the recipe
was chosen, --fresh others. OPTIONS are those of `fsa2lrnn train` without --seed and -o.
`learned` is whether the headline figure is 1: of random, sink-free and periodic words the kind of
which the fewest are right. After `then` another phase goes on from the weights before it. A phase
with a smaller figure (before others: below a half) is done once more, N times at most, with 1000
more as its seed; where that does not help the phases end. `tried` has the times of each. Each proof
is judged by horizon-check, and, where there is mpmath, by tests/clients/lengths/finite_exact.py. A
recipe with the same automaton and options is replaced."""

import argparse
import datetime
import hashlib
import itertools
import json
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))
from records import git, write_json

JUDGE = ROOT / "tests/clients/lengths/finite_exact.py"
RUN_FILES = "automaton.fsa", "config.json", "weights.safetensors"
SCOPES = "exact", "fp32"


def output(*command, statuses=(0,)):
    run = subprocess.run(list(map(str, command)), capture_output=True, text=True)
    if run.returncode not in statuses:
        sys.exit(f"{' '.join(map(str, command))}: status {run.returncode}: {run.stderr}")
    return run.stdout


def seeds_of(text):
    first, _, last = text.partition("-")
    return range(int(first), int(last or first) + 1)


def headline(build, run):
    """Returns the figure that headlines print, with its kind of words and its length."""
    return json.loads(output(build / "fsa2lrnn", "evaluate", run, "--json"))["headline"]


def forever(build, run, scope):
    """Returns what --forever says in a scope, with the judges' words on its certificate."""
    certificate = run / f"{scope}.cert"
    options = ("--forever", "--format", scope, "--no-report", "-o", certificate, "--json")
    data = json.loads(output(build / "fsa2lrnn", "horizon", run, *options))
    row = {"verdict": data["forever_verdict"]}
    if row["verdict"] != "proved":
        return row | {"limit": data["forever_limit"]}
    row |= {name: data[name] for name in ("joint_states", "followed_heads")}
    files = [run / name for name in RUN_FILES]
    row["horizon_check"] = output(build / "horizon-check", *files, certificate).split(" ")[1]
    judged = output(sys.executable, JUDGE, run, certificate, statuses=(0, 1, 2))
    return row | {"finite_exact": judged.strip().partition(": ")[2] or None}


def phases_of(options):
    """Returns the lists of options between the words `then`."""
    return [list(x) for is_then, x in itertools.groupby(options, "then".__eq__) if not is_then]


def try_phase(args, folder, options, seed, enough):
    """Trains until the figure is enough; returns the run, its figure and the number of tries."""
    for tried in range(1, args.tries + 1):
        run = Path(tempfile.mkdtemp(dir=folder)) / "run"
        own = ("--seed", seed + 1000 * (tried - 1), "-o", run, "--quiet", "--no-report")
        command = (args.build / "fsa2lrnn", "train", folder / "a.fsa", *options, *own)
        output(*command, statuses=(0, 2))
        diverged = not (run / RUN_FILES[2]).exists()
        figure = {"sequence_accuracy": 0} if diverged else headline(args.build, run)
        if figure["sequence_accuracy"] >= enough:
            break
    return run, figure, tried


def measure(args, folder, seed):
    phases, tried, first = phases_of(args.options), [], ()
    for options in phases:
        enough = 0.5 if len(tried) + 1 < len(phases) else 1
        run, figure, times = try_phase(args, folder, [*options, *first], seed, enough)
        first = "--first-weights", run / RUN_FILES[2]
        tried.append(times)
        if figure["sequence_accuracy"] < enough:
            break
    row = {"seed": seed, "headline": figure}
    row["learned"] = figure["sequence_accuracy"] == 1 and len(tried) == len(phases)
    if args.tries > 1 or len(phases) > 1:
        row["tried"] = tried
    if len(tried) == len(phases) and (run / RUN_FILES[2]).exists():
        row["weights.safetensors"] = digest(run)
        row |= {scope: forever(args.build, run, scope) for scope in SCOPES}
    print(json.dumps(row), flush=True)
    return row


def digest(run):
    return hashlib.sha256((run / RUN_FILES[2]).read_bytes()).hexdigest()


def about():
    """Returns the commit, the day and the processor."""
    lines = Path("/proc/cpuinfo").read_text().splitlines()
    cpu = next(x.partition(": ")[2] for x in lines if x.startswith("model name"))
    return {"commit": git("rev-parse", "HEAD"), "date": str(datetime.date.today()), "cpu": cpu}


def write_list(results, name, rows):
    path = results / "lasting.json"
    write_json(path, json.loads(path.read_text()) | {name: rows})


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", type=Path, required=True)
    parser.add_argument("--automaton", required=True, help="of fsa2lrnn new")
    parser.add_argument("--file", type=Path, help="the automaton, where new has it not")
    parser.add_argument("--chose", type=seeds_of, default=())
    parser.add_argument("--tries", type=int, default=1)
    parser.add_argument("--fresh", type=seeds_of, required=True)
    parser.add_argument("--results", type=Path, default=ROOT / "reports/results")
    parser.add_argument("options", nargs="+")
    args = parser.parse_args()
    recipe = {"automaton": args.automaton, "options": shlex.join(args.options)}
    row = recipe | about() | ({"tries": args.tries} if args.tries > 1 else {})
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        if args.file:
            row["automaton_file"] = text = args.file.read_text()
        else:
            text = output(args.build / "fsa2lrnn", "new", *args.automaton.split())
        (folder / "a.fsa").write_text(text)
        row["seeds_that_chose_it"] = [measure(args, folder, s) for s in args.chose]
        row["fresh_seeds"] = [measure(args, folder, s) for s in args.fresh]
    record = json.loads((args.results / "lasting.json").read_text())
    others = [x for x in record.get("recipes", []) if any(x[k] != recipe[k] for k in recipe)]
    write_list(args.results, "recipes", [*others, row])


if __name__ == "__main__":
    main()
