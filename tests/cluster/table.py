"""The table of 60 automata from every engine, on two slots of this machine: GNU parallel with one
job and with two, an array of Slurm on two nodes, Ray, and Snakemake. The tables must be the same
byte for byte, but for times; what each engine costs is printed, and recorded with --record.

usage: table.py --build build/release [--automata FOLDER] [--count N] [--options "OPTIONS"]
                [--chunk SECONDS] [--only ENGINES] [--record FILE]

An engine that is missing is named in a line `skipped:`, with the reason. Exit status 1 when two
tables differ or an engine leaves work."""

import argparse
import hashlib
import json
import os
import platform
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import slurm

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tests"))

import records  # noqa: E402
from corpora import driver, languages  # noqa: E402

# The plans, each of which may need the work of those before it: folder, command.
PLANS = (
    ("work/network", "automata {options} --no-report"),
    ("work/classes", "classify automata {options}"),
    ("work/check", "check work/network"),
    ("work/export", "export work/network --to npz"),
)
SLOTS = 2


class Place:
    """A folder with the automata, in which one engine works."""

    def __init__(self, folder, args, automata):
        self.folder, self.chunk, self.options = folder, args.chunk, args.options
        tool = args.build / "fsa2lrnn"
        (folder / "automata").mkdir(parents=True)
        for path in automata:
            shutil.copy(path, folder / "automata")
        (folder / "bin").mkdir(exist_ok=True)
        if not (folder / "bin/fsa2lrnn").exists():
            (folder / "bin/fsa2lrnn").symlink_to(tool)
        self.env = dict(os.environ, LC_ALL="C.UTF-8", HOME=str(folder))
        self.env["XDG_CACHE_HOME"] = str(folder / "cache")
        self.env["PATH"] = f"{folder}/bin:{self.env['PATH']}"

    def ask(self, *argv, **variables):
        """Runs a program in the folder and returns what it printed."""
        done = subprocess.run(
            [str(word) for word in argv],
            cwd=self.folder,
            env=self.env | variables,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert done.returncode == 0, f"{argv}: {done.returncode}\n{done.stdout}{done.stderr}"
        return done.stdout

    def plans(self):
        """Yields the files of the plans, each when the one before it is done."""
        joined = ["--chunk", self.chunk] if self.chunk else []
        for at, words in PLANS:
            argv = ["plan", "--quiet", "--max-lines", 100000, *joined, "--out", at, "--"]
            path = self.folder / f"{Path(at).name}.jsonl"
            command = words.format(options=self.options).split()
            path.write_text(self.ask("fsa2lrnn", *argv, *command))
            yield path


def environment(name):
    """Returns the Python of an environment; Skip with the reason where it is not here."""
    argv = ["sh", str(ROOT / ".ci/python-env"), name]
    done = subprocess.run(argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode != 0:
        raise slurm.Skip(done.stderr.strip().splitlines()[-1])
    return done.stdout.strip()


# --- the engines: each does all the work in a place, and returns the seconds that it took ---


def by_parallel(place, jobs):
    if not shutil.which("parallel") or not shutil.which("jq"):
        raise slurm.Skip("GNU parallel and jq are not installed")
    began = time.monotonic()
    for plan in place.plans():
        place.ask("sh", ROOT / "examples/parallel.sh", plan, JOBS=str(jobs))
    return time.monotonic() - began


def by_slurm(place):
    cluster = slurm.Cluster(place.folder, place.folder / "bin/fsa2lrnn")
    try:
        cluster.begin()
        script = shutil.copy(ROOT / "examples/slurm.sh", place.folder)
        began = time.monotonic()
        for plan in place.plans():
            array = f"--array=1-{len(plan.read_text().splitlines())}"
            cluster.ask("sbatch", array, "--mem=0", script, plan.name)
            cluster.wait(lambda: not cluster.jobs(), "the array did not end", 1800)
        return time.monotonic() - began
    finally:
        cluster.end()


def by_ray(place):
    python = environment("ray")
    began = time.monotonic()
    quiet = {"RAY_TMPDIR": str(place.folder), "RAY_USAGE_STATS_ENABLED": "0"}
    for plan in place.plans():
        slots = ["--cpus", os.cpu_count() / SLOTS]
        place.ask(python, ROOT / "examples/ray_runs.py", plan, *slots, **quiet)
    return time.monotonic() - began


def by_snakemake(place):
    python = environment("snakemake")
    argv = [python, "-m", "snakemake", "--snakefile", ROOT / "examples/Snakefile"]
    began = time.monotonic()
    place.ask(*argv, "--cores", SLOTS, "--config", f"options={place.options}")
    seconds = time.monotonic() - began
    list(place.plans())  # which the table needs
    return seconds


ENGINES = {
    "parallel-1": lambda place: by_parallel(place, 1),
    "parallel": lambda place: by_parallel(place, SLOTS),
    "slurm": by_slurm,
    "ray": by_ray,
    "snakemake": by_snakemake,
}


def run_engine(name, place):
    """Does all the work by one engine. Returns its table and what it cost."""
    load = os.getloadavg()[0]
    seconds = ENGINES[name](place)
    plans = [f"{Path(at).name}.jsonl" for at, _ in PLANS]
    timed = json.loads(place.ask("fsa2lrnn", "table", *plans, "--json"))
    assert timed["counts"]["left_count"] == 0, (name, timed["left_work"][:3])
    works = [work for row in timed["rows"] for work in row["works"]]
    unchecked = [w for w in works if w["job"] == "check" and w["checked"] != "VERIFIED"]
    assert not unchecked, (name, unchecked[0])
    costs = [work["cost"] for work in works]
    slots = 1 if name == "parallel-1" else SLOTS
    return place.ask("fsa2lrnn", "table", *plans, "--untimed", "--json"), {
        "engine": name,
        "slots": slots,
        "units": len(costs),
        "lines": sum(len((place.folder / plan).read_text().splitlines()) for plan in plans),
        "seconds": round(seconds, 1),
        "unit_seconds": round(sum(cost["seconds"] for cost in costs), 1),
        "cpu_seconds": round(sum(cost["cpu_seconds"] for cost in costs), 1),
        "busy": round(sum(cost["seconds"] for cost in costs) / slots / seconds, 3),
        "load": [round(load, 1), round(os.getloadavg()[0], 1)],
    }


def choose(args, folder):
    """Returns the automata: those of the tests, or some of a folder, spread evenly."""
    if not args.automata:
        languages.write(folder)
    files = sorted(p for p in (args.automata or folder).iterdir() if p.suffix in (".att", ".fsa"))
    count = min(args.count, len(files))
    return [files[k * len(files) // count] for k in range(count)]


def run_all(args, folder):
    """Returns the costs of all engines that are here, and whether their tables are the same."""
    automata, tables, costs = choose(args, folder / "automata"), {}, []
    for name in ENGINES:
        if args.only and name not in args.only.split(","):
            continue
        at = folder / name
        try:
            place = Place(at, args, automata)
            tables[name], cost = run_engine(name, place)
        except slurm.Skip as reason:
            print(f"skipped: {name} ({reason})", flush=True)
            continue
        finally:
            shutil.rmtree(at, ignore_errors=True)
        costs.append(cost)
        print(
            f"{name}: {cost['units']} units in {cost['lines']} lines took {cost['seconds']} s;"
            f" {cost['slots']} slots were at work {100 * cost['busy']:.0f} % of the time;"
            f" load {cost['load'][0]} to {cost['load'][1]}",
            flush=True,
        )
    return automata, costs, tables


def add_run(args, automata, costs, table):
    """Adds this run to the record, whose other runs, on other machines or days, must be of the same
    work and must have the same table. Returns whether they are."""
    work = {
        "automata": [path.name for path in automata],
        "options": args.options,
        "chunk_seconds": args.chunk,
        "version": json.loads(table)["rows"][0]["works"][0]["version"],
        "commit": json.loads(table)["rows"][0]["works"][0]["commit"],
    }
    run = {
        "table_sha256": hashlib.sha256(table.encode()).hexdigest(),
        "c_library": " ".join(platform.libc_ver()),
        "device": driver.processor(),
        "date": time.strftime("%Y-%m-%d", time.gmtime()),
        "command": shlex.join(["python3", *sys.argv]),
        "engines": costs,
    }
    before = json.loads(args.record.read_text()) if args.record.exists() else work | {"runs": []}
    other = [name for name in work if before[name] != work[name]]
    if other:
        print(f"FAILED: {args.record} has another run, with another {', '.join(other)}")
        return False
    if any(one["table_sha256"] != run["table_sha256"] for one in before["runs"]):
        print(f"FAILED: {args.record} has a run whose table is another one")
        return False
    records.write_json(args.record, before | {"runs": [*before["runs"], run]})
    return True


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--build", required=True, type=lambda p: Path(p).resolve())
    parser.add_argument("--automata", type=Path, help="a folder (default: those of the tests)")
    parser.add_argument("--count", type=int, default=60, help="how many automata (default: 60)")
    parser.add_argument("--options", default="--label accept --sink --effort 2")
    parser.add_argument("--chunk", type=float, help="seconds of a line of the plans")
    parser.add_argument("--only", help="engines, with commas between them")
    parser.add_argument("--record", type=Path)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="f2l-table-") as temporary:
        os.chmod(temporary, 0o755)
        automata, costs, tables = run_all(args, Path(temporary))
    same = len(set(tables.values())) <= 1
    print("the tables are the same byte for byte" if same else "FAILED: the tables differ")
    if args.record and same and tables:
        same = add_run(args, automata, costs, next(iter(tables.values())))
    return 0 if same else 1


if __name__ == "__main__":
    sys.exit(main())
