"""Runs the unit tests and the main job under valgrind.

Criterion forks every test and ignores the exit code that valgrind gives a child, so each process
writes a log of its own and the logs are read."""

import argparse
import concurrent.futures
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CLEAN = re.compile(r"ERROR SUMMARY: 0 errors")
LOST = re.compile(r"(definitely|indirectly) lost: ([1-9][\d,]*) bytes")


# lrnn-check ends where it finds a fault, without freeing its tables; only its accesses are checked.
INSIDE = re.compile(r'#include ".*(check_support\.h|lrnn-check\.c)"')
ENDS_EARLY = {p.stem for p in (ROOT / "tests/unit").rglob("t_*.c") if INSIDE.search(p.read_text())}


def run(job, folder):
    name, argv = job
    log = folder / f"{name}.%p.log"
    leaks = "no" if name in ENDS_EARLY else "full"
    done = subprocess.run(
        [
            "valgrind",
            "--quiet",
            f"--leak-check={leaks}",
            "--show-leak-kinds=definite,indirect",
            "--errors-for-leak-kinds=definite,indirect",
            "--trace-children=yes",
            "--child-silent-after-fork=no",
            f"--log-file={log}",
            *argv,
        ],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        env=dict(os.environ, F2L_TEST_SHORT="1"),
    )
    reports = [p for p in folder.glob(f"{name}.*.log") if p.stat().st_size]
    text = "".join(p.read_text(errors="replace") for p in reports)
    if done.returncode != 0:
        text += done.stdout.decode("utf-8", "replace")[-4000:]
    return name, done.returncode == 0 and not reports, text


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--build", required=True, type=lambda p: Path(p).resolve())
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--only", default="")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        tool, checker = str(args.build / "fsa2lrnn"), str(args.build / "lrnn-check")
        grammar, out = folder / "s3.fsa", folder / "s3.lrnn"
        grammar.write_bytes(
            subprocess.run(
                [tool, "new", "symmetric", "3"], stdout=subprocess.PIPE, check=True
            ).stdout
        )
        subprocess.run(
            [tool, str(grammar), "--out", str(out)], stdout=subprocess.DEVNULL, check=True
        )
        jobs = [
            (b.name, [str(b), "-j1"])
            for b in sorted((args.build / "tests/unit").rglob("t_*"))
            if not b.suffix
        ]
        jobs += [
            ("main-job", [tool, str(grammar), "--out", str(folder / "again.lrnn")]),
            (
                "naive",
                [
                    tool,
                    str(grammar),
                    "--keys",
                    "naive",
                    "--formats",
                    "fp32",
                    "--out",
                    str(folder / "n.lrnn"),
                ],
            ),
            ("run", [tool, "run", str(out), "--random", "20", "--length", "50", "--seed", "1"]),
            (
                "check",
                [
                    checker,
                    *(str(out / f) for f in ("automaton.fsa", "network.lrnn", "certificate.cert")),
                ],
            ),
        ]
        if args.only:
            jobs = [j for j in jobs if j[0] in args.only.split(",")]
        passed = failed = 0
        with concurrent.futures.ThreadPoolExecutor(max(1, args.jobs)) as pool:
            for name, ok, text in pool.map(lambda j: run(j, folder), jobs):
                passed, failed = passed + ok, failed + (not ok)
                print(f"{name:20} {'clean' if ok else 'FAILED'}", flush=True)
                if not ok:
                    print(text[-8000:], flush=True)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
