"""The mutation campaign: at least 5,000 changes of meaning for every kind of claim, with the seeds
recorded.

Hashes are right in all of them, and certificates are made again for many of the changed networks,
so that only the conditions of the claim can tell a lie from the truth. The verdicts are compared
with replays that share no code with the checkers (see the *_mutate.py in this folder). The record
holds for every kind the seed, the number of changes, how many were right and accepted, how many
verdicts were wrong, which must be none, and the hash of the code of each checker that was run
(tests/checker_code.py). A kind is old when one of these is not the hash of the present sources.

usage: campaign.py --record FILE --check             exit status 1 when the record has an old kind
       campaign.py --self-test                       tests this program
       campaign.py --record FILE --build build/release [--all | --only KIND,..] [--count N]
                   [--seed S] [--jobs J]             runs the old kinds, all or some, and puts
                                                     their rows into the record"""

import argparse
import concurrent.futures
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
import checker_code

COUNT, SEED = 5000, 20260601


class Kind(NamedTuple):
    program: str
    # number of its changes for each one that is more than a change of a token, line or spelling
    share: float
    checkers: str  # whose verdicts are judged
    options: tuple = ()
    tool: str = "fsa2lrnn"  # beside the checkers in the build folder
    checker: str = "lrnn-check"  # the one that is called, in whose folder the others are
    certificates: int = 1  # --count is for each of these
    spawns: bool = True  # it has options --bytes and --jobs


def bound(claim):
    checker = f"{claim}-check"
    return Kind("bound_mutate.py", 1, checker, ("--claim", claim), "tests/prop/p_bound", checker)


WIRED = "lrnn-check lrnn-check-wired"
FACES, JOINED = ("--part", "faces"), ("--part", "joined")
KINDS = {
    "exact": Kind("mutate.py", 1.5, "lrnn-check"),
    "edges and classes": Kind("mutate.py", 1.6, "lrnn-check", FACES),
    "swaps": Kind("swaps_mutate.py", 1.5, "lrnn-check lrnn-check-swaps"),
    "cascade": Kind("cascade_mutate.py", 1.3, "lrnn-check"),
    "joined cascades": Kind("cascade_mutate.py", 1.3, "lrnn-check", JOINED),
    "cascades of edges and classes": Kind("cascade_mutate.py", 1.3, "lrnn-check", FACES),
    "zeiger": Kind("wired_mutate.py", 1.4, WIRED, ("--claim", "zeiger")),
    "wired edges and classes": Kind("wired_mutate.py", 1.5, WIRED, FACES),
    "d1": Kind("d1_mutate.py", 1.3, WIRED),
    "blocks": Kind("forms_mutate.py", 1.3, WIRED, ("--claim", "blocks")),
    "points": Kind("forms_mutate.py", 1.3, WIRED, ("--claim", "points")),
    "product": Kind("forms_mutate.py", 1.3, WIRED, ("--claim", "product")),
    "float": Kind("float_mutate.py", 1, "lrnn-check lrnn-check-float"),
    "refuted": Kind("refute_mutate.py", 1, "lrnn-check lrnn-check-float"),
    "unrounded": Kind("unrounded_mutate.py", 1.35, "lrnn-check lrnn-check-unrounded"),
    "cascade with boxes": Kind(
        "decay_mutate.py", 1.1, "lrnn-check lrnn-check-field", spawns=False
    ),
    "exact with boxes": Kind(
        "boxes/boxes_mutate.py", 1.1, "lrnn-check lrnn-check-field", spawns=False
    ),
    "exact over fields": Kind("field_mutate.py", 1.5, "lrnn-check lrnn-check-field"),
    **{claim: bound(claim) for claim in ("fork", "band", "arcs", "depth", "separation", "stack")},
    "horizon": Kind("horizon_mutate.py", 1.2, "horizon-check"),
    "check-export": Kind("exports/export_mutate.py", 1, "check-export"),
    "rep-check": Kind(
        "rep_mutate.py",
        1.45,
        "rep-check",
        tool="tests/prop/p_rep",
        checker="rep-check",
        certificates=38,
        spawns=False,
    ),
}


def command(name, count, seed, build, jobs=1, checker=None, changed_bytes=0):
    """Returns the command of a run with `count` changes of meaning, or a few more; `checker`
    replaces the build's checker."""
    kind = KINDS[name]
    wanted = -int(-count * kind.share // kind.certificates)
    return [
        sys.executable,
        str(HERE / kind.program),
        *("--tool", str(build / kind.tool)),
        *("--checker", str(checker or build / kind.checker)),
        *("--count", str(wanted)),
        *("--seed", str(seed)),
        *kind.options,
        *(["--bytes", str(changed_bytes), "--jobs", str(jobs)] if kind.spawns else []),
    ]


# --- the record ---


def hashes(name):
    return {checker: checker_code.code_hash(checker) for checker in KINDS[name].checkers.split()}


def rows_of(path):
    """Returns {kind: row} of the record."""
    if not path.exists():
        return {}
    return {row["claim"]: row for row in json.loads(path.read_text(encoding="utf-8"))["campaign"]}


def old_kinds(rows):
    """Returns {kind: why it must be run}."""
    out = {}
    for name in KINDS:
        row = rows.get(name)
        if row is None:
            out[name] = "is not in the record"
        elif row["wrong"] or row["mutants"] < COUNT:
            out[name] = f"has {row['wrong']} wrong verdicts of {row['mutants']}"
        else:
            changed = [c for c, h in hashes(name).items() if row.get("checkers", {}).get(c) != h]
            if changed:
                out[name] = f"ran another {' and '.join(changed)} than the present code"
    return out


def save(path, rows):
    record = {"command": "make campaign", "campaign": [rows[n] for n in KINDS if n in rows]}
    path.write_text(json.dumps(record, indent=2) + "\n", encoding="utf-8")


def self_test():
    """Returns 0 where the hash is of the code only, and each fault of a row makes its kind old."""
    code = 'int f(void) { return "/*"[0]; }'
    same = checker_code.code_lines_hash([("f.c", f"/* a\n * b */\n\n{code} // c\n")])
    facts = [
        same == checker_code.code_lines_hash([("f.c", code)]),
        same != checker_code.code_lines_hash([("f.c", code.replace("0", "1"))]),
        same != checker_code.code_lines_hash([("f.c", code.replace("/*", "*/"))]),
    ]
    good = {n: {"claim": n, "mutants": COUNT, "wrong": 0, "checkers": hashes(n)} for n in KINDS}
    facts.append(not old_kinds(good))
    for name, row in good.items():
        other = {checker: "0" * 64 for checker in row["checkers"]}
        faults = {"mutants": COUNT - 1}, {"wrong": 1}, {"checkers": other}, {"checkers": {}}
        facts += [[*old_kinds(good | {name: row | fault})] == [name] for fault in faults]
        facts.append([*old_kinds({n: r for n, r in good.items() if n != name})] == [name])
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "record"
        save(path, good | {"no kind": {"claim": "no kind"}})
        facts.append(rows_of(path) == good)
    if not all(facts):
        print(f"campaign.py: facts {[i for i, f in enumerate(facts) if not f]}", file=sys.stderr)
    return 0 if all(facts) else 1


def check(path):
    old = old_kinds(rows_of(path))
    for name, why in old.items():
        print(f"{path}: {name} {why}", file=sys.stderr)
    if old:
        print("`make campaign` runs these kinds again and records them", file=sys.stderr)
    return 1 if old else 0


# --- runs ---


def run(name, args):
    """Returns (row, whether it is good, output)."""
    before = hashes(name)
    with tempfile.TemporaryDirectory() as folder:
        record = Path(folder) / "record"
        done = subprocess.run(
            [*command(name, args.count, args.seed, args.build), "--record", str(record)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        counts = {"mutants": 0, "wrong": 0}
        if record.exists():
            counts = json.loads(record.read_text(encoding="utf-8"))
    row = {"claim": name, "program": KINDS[name].program, **counts}
    row |= {"date": time.strftime("%Y-%m-%d", time.gmtime()), "checkers": before}
    good = done.returncode == 0 and counts["wrong"] == 0 and counts["mutants"] >= args.count
    return row, good, f"status {done.returncode}\n{done.stdout[-5000:]}"


def chosen(args, rows):
    """Returns the kinds to run, those that took longest first."""
    names = [*KINDS] if args.all else args.only.split(",") if args.only else [*old_kinds(rows)]
    return sorted(names, key=lambda name: -expected_of(rows, name))


def expected_of(rows, name):
    """Returns the processor time that the kind took last time, or a guess."""
    return rows.get(name, {}).get("processor_seconds", 100)


def campaign(args):
    rows, failed, begin = rows_of(args.record), 0, time.monotonic()
    names = chosen(args, rows)
    expected = {name: expected_of(rows, name) for name in names}
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        runs = {pool.submit(run, name, args): name for name in names}
        for number, done in enumerate(concurrent.futures.as_completed(runs), 1):
            name, (row, good, output) = runs[done], done.result()
            failed += not good
            rows[name] = row
            save(args.record, rows)
            del expected[name]
            left = sum(expected.values()) / args.jobs
            print(
                f"{name}: {row['mutants']} changes, {row.get('accepted', 0)} right and accepted,"
                f" {row['wrong']} wrong, {row.get('processor_seconds', 0)} s of processor time "
                f" ({number} of {len(names)},"
                f" {time.monotonic() - begin:.0f} s, about {left:.0f} s to go)"
                + ("" if good else f"\nFAILED {name}, {output}"),
                flush=True,
            )
    print(f"{len(names) - failed} passed, {failed} failed")
    return 1 if failed else 0


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--record", type=Path)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--self-test", action="store_true")
    parser.add_argument("--build", type=lambda p: Path(p).resolve())
    parser.add_argument("--all", action="store_true", help="run all kinds, not only the old ones")
    parser.add_argument("--only", default="", help="run these kinds, separated by commas")
    parser.add_argument("--count", type=int, default=COUNT)
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--jobs", type=int, default=2)
    args = parser.parse_args()
    unknown = set(filter(None, args.only.split(","))) - set(KINDS)
    if args.self_test:
        return self_test()
    if unknown:
        parser.error(f"no such kind: {', '.join(unknown)}")
    if not args.record or not (args.check or args.build):
        parser.error("--record and --build are needed")
    return check(args.record) if args.check else campaign(args)


if __name__ == "__main__":
    sys.exit(main())
