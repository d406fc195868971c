"""Runs clang-tidy on C sources. Its static analyser, which takes most of the time, runs on the
sources that can have changed since the last recorded `make lint-all`; the other checks run on all.

A source can have changed if git sees a difference in it, in a project file that it includes
(directly or not), or in .clang-tidy. Without a record, or when the record's commit is not in this
repository or another clang-tidy made it, the analyser runs on everything.

usage: tidy.py [--all] [--jobs N] [--record FILE] SOURCE.. -- COMPILER_OPTION..
       tidy.py --self-test
"""

import argparse
import concurrent.futures
import functools
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from includes import QUOTED, reached
from records import git, write_json

ROOT = Path(__file__).resolve().parent.parent
RECORD = ROOT / "reports/results/lint-all.json"
SETTINGS = ".clang-tidy"


def version():
    """Returns the line in which clang-tidy names its version."""
    text = subprocess.run(["clang-tidy", "--version"], stdout=subprocess.PIPE, text=True).stdout
    return next((line.strip() for line in text.splitlines() if "version" in line), "")


def affected(sources, changed, text_of):
    """Returns the sources that are in `changed` or reach a file there through their includes, which
    name files from the root; text_of(path) returns a file's text, or None where it is not there."""
    includes_of = functools.cache(lambda path: QUOTED.findall(text_of(path) or ""))
    return [s for s in sources if not changed.isdisjoint(reached([s], includes_of))]


def read(path):
    try:
        return (ROOT / path).read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None


def changed_since(record):
    """Returns (the set of files that differ from the record's commit, or None for all; why)."""
    try:
        found = json.loads(record.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None, f"{record.name} is not there"
    if found.get("clang_tidy") != version():
        return None, f"{record.name} is of another clang-tidy"
    if found.get("result") != "passed":
        return None, f"{record.name} did not pass"
    commit = str(found.get("commit"))
    known = re.fullmatch("[0-9a-f]{40}", commit)
    names = git("diff", "--name-only", "--no-renames", commit, "--") if known else None
    untracked = git("ls-files", "--others", "--exclude-standard")
    if names is None or untracked is None:
        return None, f"{record.name} names a commit that is not here"
    changed = set(names.split("\n") + untracked.split("\n")) - {""}
    if SETTINGS in changed:
        return None, f"{SETTINGS} has changed"
    return changed, f"since {commit[:12]} of {found.get('date')}"


def tidy(sources, options, jobs, more=()):
    """Runs clang-tidy on every source and returns the number of those with findings."""

    def one(source):
        done = subprocess.run(
            ["clang-tidy", "--quiet", *more, source, "--", *options],
            cwd=ROOT,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        lines = [s for s in done.stdout.splitlines() if not re.match(r"\d+ warnings? ", s)]
        return done.returncode, "\n".join(lines)

    bad = 0
    with concurrent.futures.ThreadPoolExecutor(max(1, jobs)) as pool:
        for code, text in pool.map(one, sources):
            if text:
                print(text, flush=True)
            bad += code != 0
    return bad


def write_record(path, passed, seconds, sources):
    """Writes the record of a run on all sources of the present commit, by renaming; returns whether
    it could, which a tree with changes forbids."""
    if git("status", "--porcelain"):
        print("tidy: the tree has changes, so nothing is recorded", file=sys.stderr)
        return False
    record = {
        "command": "make lint-all",
        "date": time.strftime("%Y-%m-%d", time.gmtime()),
        "commit": git("rev-parse", "HEAD") or "",
        "clang_tidy": version(),
        "sources": len(sources),
        "seconds": round(seconds, 1),
        "result": "passed" if passed else "failed",
    }
    write_json(path, record, indent=2)
    return True


def self_test():
    """Checks which sources a change reaches, and that a record that cannot be used is not used."""
    text = {"a.c": '#include "x/a.h"\n', "b.c": " # include \"b.h\"\n", "x/a.h": '#include "b.h"\n'}
    for changed, want in (
        ({"b.h"}, ["a.c", "b.c"]),
        ({"x/a.h"}, ["a.c"]),
        ({"b.c"}, ["b.c"]),
        ({"c.h"}, []),
    ):
        assert affected(["a.c", "b.c"], changed, text.get) == want, (changed, want)
    with tempfile.TemporaryDirectory() as folder:
        record = Path(folder) / "lint-all.json"
        assert changed_since(record)[0] is None
        whole = {"commit": "0" * 40, "clang_tidy": version(), "result": "passed"}
        for lie in ({}, {"clang_tidy": "none"}, {"result": "failed"}, {"commit": "HEAD"}):
            record.write_text(json.dumps({**whole, **lie}), encoding="utf-8")
            assert changed_since(record)[0] is None, lie
    print("self-test passed")
    return 0


def arguments():
    given = sys.argv[1:]
    options = given[given.index("--") + 1 :] if "--" in given else []
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--all", action="store_true", help="analyse all sources, and record it")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--record", type=Path, default=RECORD)
    parser.add_argument("--self-test", action="store_true")
    parser.add_argument("sources", nargs="*")
    return parser.parse_args(given[: given.index("--")] if "--" in given else given), options


def main():
    args, options = arguments()
    if args.self_test:
        return self_test()
    began = time.monotonic()
    changed, why = (None, "all, as asked") if args.all else changed_since(args.record)
    whole = args.sources if changed is None else affected(args.sources, changed, read)
    quick = sorted(set(args.sources) - set(whole))
    print(f"tidy: the analyser runs on {len(whole)} of {len(args.sources)} sources ({why})")
    bad = tidy(whole, options, args.jobs)
    bad += tidy(quick, options, args.jobs, ("--checks=-clang-analyzer-*",))
    if args.all:
        write_record(args.record, bad == 0, time.monotonic() - began, args.sources)
    print(f"tidy: {bad} sources have findings" if bad else "tidy: no findings")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
