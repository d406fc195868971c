"""Runs what .ci/run leaves out, part by part, and keeps the results in
reports/results/nightly.json: for each part the result, seconds, commit and date.

usage: nightly.py [--only PART,..]  runs the parts that have no good result for this commit; a run
                                    that was interrupted goes on after the last part that ended
       nightly.py --check           prints the results and their ages; exit status 1 when one is a
                                    failure
       nightly.py --changed PART    prints why the part has to run before the next night, or exits
                                    with status 1 and says since when nothing changed that it needs
"""

import argparse
import datetime
import json
import os
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from records import git, write_json

ROOT = Path(__file__).resolve().parent.parent
RECORD = ROOT / "reports/results/nightly.json"
MAKE = ["make", "--no-print-directory"]
JOBS = ["-j", str(os.cpu_count() or 1)]
PARTS = {
    "debian13": ["sh", ".ci/debian-root", "trixie", "make", "demo"],
    "cuda": [*MAKE, *JOBS, "B=build/nightly/cuda", "check-programs"],
    "whole": ["env", "F2L_TEST_WHOLE=1", *MAKE, *JOBS, "check"],
    "sanitizers": [*MAKE, *JOBS, "FLAVOUR=asan", "check-run", "CHECK_ONLY=--everything"],
    "analyser": [*MAKE, "lint-all"],
    "book": ["python3", "tests/html/book.py"],
    "fuzz": [*MAKE, *JOBS, "fuzz", "FUZZ_SECONDS=60"],
    "campaign": [*MAKE, *JOBS, "campaign"],
    "planted": [*MAKE, *JOBS, "planted"],
}
SKIPPED = 77  # the status of a part that this machine cannot do
# On what the parts depend that .ci/run leaves out while that is as it was: these, and the build on
# another system on every header of another library.
NEEDS = {
    "debian13": ["Makefile", "mk", ".ci", "debian", "numeric/exact"],
    "cuda": ["cuda", "kernels", "mk/gpu.mk", "models/learn/*.h", "numeric/base/*.h"],
}
HEADER = r"^[[:space:]]*#[[:space:]]*include[[:space:]]*<"


def read_record():
    return json.loads(RECORD.read_text(encoding="utf-8")) if RECORD.exists() else {}


def run(name):
    """Runs a part, with its output in build/nightly/NAME.log, and returns its row."""
    log = ROOT / f"build/nightly/{name}.log"
    log.parent.mkdir(parents=True, exist_ok=True)
    start = time.monotonic()
    with log.open("wb") as out:
        code = subprocess.run(
            PARTS[name], cwd=ROOT, stdout=out, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL
        ).returncode
    lines = log.read_text(errors="replace").splitlines() or [""]
    return {
        "result": {0: "passed", SKIPPED: "skipped"}.get(code, "failed"),
        "last_line": lines[-1][:200],
        "seconds": round(time.monotonic() - start),
        "commit": git("rev-parse", "--short=12", "HEAD"),
        "date": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d"),
    }


def run_all(only):
    """Runs the parts that have no good result for this commit, or those of `only`."""
    record, head = read_record(), git("rev-parse", "--short=12", "HEAD")
    if git("status", "--porcelain", "--", ".", ":!reports/results"):
        sys.exit("nightly: files differ from the commit, whose name the record would have")
    waiting = [
        name
        for name in PARTS
        if (name in only)
        or not only
        and (record.get(name, {}).get("commit"), record.get(name, {}).get("result"))
        != (head, "passed")
    ]
    for number, name in enumerate(waiting, 1):
        before = record.get(name, {}).get("seconds")
        about = f", {before} s the last time" if before else ""
        print(f"{number}/{len(waiting)} {name}: {' '.join(PARTS[name])}{about}", flush=True)
        record[name] = run(name)
        write_json(RECORD, {name: record[name] for name in PARTS if name in record})
        print(f"    {record[name]['result']} in {record[name]['seconds']} s", flush=True)
        if record[name]["result"] == "failed":
            print(f"    build/nightly/{name}.log: {record[name]['last_line']}", flush=True)
    return check()


def check():
    record, today, wrong = read_record(), datetime.date.today(), 0
    for name in PARTS:
        row = record.get(name)
        if not row:
            print(f"{name}: no record; make nightly makes one")
        else:
            days = (today - datetime.date.fromisoformat(row["date"])).days
            age = "today" if days <= 0 else f"{days} days ago" if days > 1 else "yesterday"
            print(f"{name}: {row['result']} at {row['commit']}, {age}")
        wrong += bool(row) and row["result"] == "failed"
    print(f"{sum(name in record for name in PARTS) - wrong} good, {wrong} failed")
    return 1 if wrong else 0


def changed(name):
    """Prints why a part has to run, or since when nothing changed that it needs."""
    row = read_record().get(name)
    if not row or row["result"] == "failed":
        print("no good record of it")
        return 0
    commit = row["commit"]
    paths = git("diff", "--name-only", commit, "--", *NEEDS[name])
    headers = ""
    if name == "debian13":
        headers = git("diff", "--name-only", f"-G{HEADER}", commit, "--", "*.c", "*.h")
    if paths is None or headers is None:
        print(f"the record's commit {commit} is not in this repository")
    elif paths or headers:
        print(f"{(paths + chr(10) + headers).split()[0]} changed after {commit}")
    else:
        print(f"it passed at {commit}, and nothing changed that it needs")
        return 1
    return 0


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", default="")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--changed", choices=list(NEEDS))
    args = parser.parse_args()
    only = set(filter(None, args.only.split(",")))
    if only - PARTS.keys():
        parser.error(f"no part {sorted(only - PARTS.keys())[0]}: {', '.join(PARTS)}")
    if args.changed:
        return changed(args.changed)
    return check() if args.check else run_all(only)


if __name__ == "__main__":
    sys.exit(main())
