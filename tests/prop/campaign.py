"""The mutation campaign: at least 5,000 changes of meaning for every kind of claim, with the seeds
recorded.

Hashes are right in all of them, and certificates are made again for many of the changed networks,
so that only the conditions of the claim can tell a lie from the truth. The verdicts are compared
with replays that share no code with the checkers (see the *_mutate.py in this folder). The record
holds for every kind the seed, the number of changes, how many were right and accepted, and how many
verdicts were wrong, which must be none.

usage: campaign.py --build build/release --out FILE [--count N] [--seed S] [--jobs J] [--only
KIND,..]"""

import argparse
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
# For each kind the program, and the number of its changes for each one that is more than a change
# of a token, line or spelling.
KINDS = {
    "exact": ("mutate.py", 1.5, []),
    "swaps": ("swaps_mutate.py", 1.5, []),
    "cascade": ("cascade_mutate.py", 1.3, []),
    "zeiger": ("wired_mutate.py", 1.4, ["--claim", "zeiger"]),
    "d1": ("d1_mutate.py", 1.3, []),
    "float": ("float_mutate.py", 1, []),
    "refuted": ("refute_mutate.py", 1, []),
    "unrounded": ("unrounded_mutate.py", 1.35, []),
    "rep-check": ("rep_mutate.py", 1.45, []),
    "cascade with boxes": ("decay_mutate.py", 1.1, []),
    "exact over fields": ("field_mutate.py", 1.5, []),
}
CHECKERS = (
    "lrnn-check",
    *(f"lrnn-check-{kind}" for kind in ("field", "wired", "swaps", "float", "unrounded")),
    "rep-check",
)
CERTIFICATES = 38  # --count of rep_mutate.py is for each of these


def command(kind, count, seed, build, jobs, checker=None):
    """Returns the command of a run with `count` changes of meaning, or a few more; `checker`
    replaces the build's checker."""
    program, share, more = KINDS[kind]
    if kind == "rep-check":
        tool, own, wanted = (
            build / "tests/prop/p_rep",
            build / "rep-check",
            -int(-count * share // CERTIFICATES),
        )
    else:
        tool, own, wanted = build / "fsa2lrnn", build / "lrnn-check", int(count * share)
        more = [
            *more,
            *([] if program == "decay_mutate.py" else ["--bytes", "0"]),
            "--jobs",
            str(jobs),
        ]
    return [
        sys.executable,
        str(HERE / program),
        "--tool",
        str(tool),
        "--checker",
        str(checker or own),
        "--count",
        str(wanted),
        "--seed",
        str(seed),
        *more,
    ]


def version(checker):
    return subprocess.run(
        [str(checker), "--version"], stdout=subprocess.PIPE, text=True, check=True
    ).stdout.split()


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--build", required=True, type=lambda p: Path(p).resolve())
    parser.add_argument("--out", required=True, type=Path)
    parser.add_argument("--count", type=int, default=5000)
    parser.add_argument("--seed", type=int, default=20260601)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument(
        "--only", default="", help="kinds, separated by commas; the others are not recorded"
    )
    args = parser.parse_args()
    found, failed = [], 0
    for kind in (args.only.split(",") if args.only else KINDS):
        with tempfile.TemporaryDirectory() as folder:
            record = Path(folder) / "record"
            done = subprocess.run(
                [
                    *command(kind, args.count, args.seed, args.build, args.jobs),
                    "--record",
                    str(record),
                ],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
            )
            counts = (
                json.loads(record.read_text(encoding="utf-8"))
                if record.exists()
                else {"mutants": 0, "wrong": 0}
            )
        found.append({"claim": kind, "program": KINDS[kind][0], **counts})
        good = done.returncode == 0 and counts["wrong"] == 0 and counts["mutants"] >= args.count
        failed += not good
        print(
            f"{kind}: {counts}"
            + ("" if good else f"\nFAILED {kind}, status {done.returncode}\n{done.stdout[-5000:]}"),
            flush=True,
        )
    checkers = {name: " ".join(version(args.build / name)) for name in CHECKERS}
    record = {
        "command": "make campaign",
        "date": time.strftime("%Y-%m-%d", time.gmtime()),
        "checkers": checkers,
        "campaign": found,
    }
    args.out.write_text(json.dumps(record, indent=2) + "\n", encoding="utf-8")
    print(f"{len(found) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
