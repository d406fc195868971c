"""Runs clang-tidy on C sources. Its static analyser, which takes most of the time, runs on the
sources that can have changed since the last recorded `make lint-all`; the other checks run on all.

A source can have changed if git sees a difference in it, in a project file that it includes
(directly or not), or in .clang-tidy. Without a record, or when the record's commit is not in this
repository or another clang-tidy made it, the analyser runs on everything.

With --passed FOLDER a source on which nothing was found is not looked at again, until its text, a
project file that it includes (directly or not), .clang-tidy, the options or the version of
clang-tidy is another; findings are never kept. --all looks at everything.

usage: tidy.py [--all] [--jobs N] [--record FILE] [--passed FOLDER] SOURCE.. -- COMPILER_OPTION..
       tidy.py --self-test
"""

import argparse
import concurrent.futures
import contextlib
import functools
import hashlib
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
KEPT_DAYS = 30


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


class Passed:
    """A folder of empty files, named by the hash of all that clang-tidy reads of a source on which
    it found nothing; those that were not asked for in a month are removed."""

    def __init__(self, folder, about, text_of):
        self.folder = folder
        self.about = [*about, text_of(SETTINGS) or ""]
        self.text_of = functools.cache(text_of)
        self.includes_of = functools.cache(lambda path: QUOTED.findall(self.text_of(path) or ""))
        if folder:
            folder.mkdir(parents=True, exist_ok=True)

    def name(self, source, analysed):
        parts = [*self.about]
        for path in reached([source], self.includes_of):
            parts += [path, self.text_of(path) or ""]
        kind = "analysed" if analysed else "checked"
        return self.folder / f"{hashlib.sha256(json.dumps(parts).encode()).hexdigest()}.{kind}"

    def has(self, source, analysed):
        """Returns whether the source passed with the analyser, or, where that is not wanted, with
        or without it."""
        found = [
            path
            for path in (self.name(source, kind) for kind in {True, analysed} if self.folder)
            if path.exists()
        ]
        for path in found:
            path.touch()
        return bool(found)

    def keep(self, source, analysed):
        if self.folder:
            self.name(source, analysed).touch()

    def forget_old(self):
        for path in self.folder.iterdir() if self.folder else ():
            if path.stat().st_mtime < time.time() - KEPT_DAYS * 86400:
                path.unlink(missing_ok=True)


def tidy(sources, options, jobs, passed, more=()):
    """Runs clang-tidy on every source that did not pass before, and returns the number of those
    with findings."""
    analysed = not more
    sources = [source for source in sources if not passed.has(source, analysed)]

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
        for source, (code, text) in zip(sources, pool.map(one, sources)):
            if text:
                print(text, flush=True)
            bad += code != 0
            if code == 0 and not text:
                passed.keep(source, analysed)
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


def self_test_passed(folder, text):
    """Checks that a source that passed runs again when something that it reads has changed, and
    that findings are not kept."""
    about = [version(), "-I."]
    first = Passed(folder, about, text.get)
    assert not first.has("a.c", True)
    first.keep("a.c", False)
    assert first.has("a.c", False) and not first.has("a.c", True)
    first.keep("a.c", True)
    assert first.has("a.c", True) and not first.has("b.c", False)
    assert Passed(folder, about, text.get).has("a.c", True)
    for other in (
        Passed(folder, about, {**text, "a.c": text["a.c"] + "\n"}.get),
        Passed(folder, about, {**text, "x/a.h": text["x/a.h"] + "int a;\n"}.get),
        Passed(folder, about, {**text, "b.h": "int b;\n"}.get),  # which x/a.h includes
        Passed(folder, about, {**text, SETTINGS: "Checks: none\n"}.get),
        Passed(folder, [version(), "-I", "."], text.get),
        Passed(folder, ["another", "-I."], text.get),
    ):
        assert not other.has("a.c", True) and not other.has("a.c", False)
    assert Passed(folder, about, {**text, "c.h": "int c;\n"}.get).has("a.c", True)
    bad = Path(folder).parent / "bad.c"
    bad.write_text("int f(void) { return unknown; }\n", encoding="utf-8")
    count, devnull = len(list(folder.iterdir())), Path(os.devnull).open("w")  # noqa: SIM115
    with devnull, contextlib.redirect_stdout(devnull):
        assert tidy([str(bad)], ["-I."], 1, Passed(folder, about, read)) == 1
    assert len(list(folder.iterdir())) == count
    first.forget_old()
    assert first.has("a.c", True)
    os.utime(first.name("a.c", True), (0, 0))
    first.forget_old()
    assert not first.has("a.c", True)


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
        self_test_passed(Path(folder) / "passed", text)
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
    parser.add_argument("--passed", type=Path, metavar="FOLDER")
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
    passed = Passed(None if args.all else args.passed, [version(), *options], read)
    bad = tidy(whole, options, args.jobs, passed)
    bad += tidy(quick, options, args.jobs, passed, ("--checks=-clang-analyzer-*",))
    passed.forget_old()
    if args.all:
        write_record(args.record, bad == 0, time.monotonic() - began, args.sources)
    print(f"tidy: {bad} sources have findings" if bad else "tidy: no findings")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
