"""Runs every libFuzzer target of a build from its corpus in tests/fuzz/corpus, for a time, a
number of runs, or until the first of both is over.

New inputs go to <build>/corpus, never into the tree; a crash is left in <build>/crashes and makes
the run fail."""

import argparse
import concurrent.futures
import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent


def fuzz(binary, args):
    """Runs one target; returns (its line, whether it passed, its output)."""
    name = binary.name.removeprefix("fuzz_")
    work, crashes = args.build / "corpus" / name, args.build / "crashes"
    work.mkdir(parents=True, exist_ok=True)
    crashes.mkdir(exist_ok=True)
    seconds = args.seconds or (0 if args.runs else 10)
    bound = ([f"-runs={args.runs}"] if args.runs else []) + [f"-max_total_time={seconds}"]
    done = subprocess.run(
        [
            str(binary),
            *bound,
            "-timeout=60",
            "-rss_limit_mb=3000",
            "-max_len=65536",
            f"-artifact_prefix={crashes}/{name}-",
            str(work),
            str(ROOT / "tests/fuzz/corpus" / name),
        ],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    text = done.stdout.decode("utf-8", "replace")
    runs = re.findall(r"^#(\d+)", text, re.M)
    good = done.returncode == 0
    return f"{name:12} {'ok' if good else 'FAILED'}  {runs[-1] if runs else 0} runs", good, text


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--build", required=True, type=Path)
    parser.add_argument("--seconds", type=int, help="default: 10, or no limit with --runs")
    parser.add_argument("--runs", type=int)
    parser.add_argument("--only", default="")
    parser.add_argument(
        "--jobs",
        type=int,
        default=os.cpu_count() or 1,
        help="targets at a time (default: the processors)",
    )
    args = parser.parse_args()
    targets = [
        b
        for b in sorted((args.build / "tests/fuzz").glob("fuzz_*"))
        if not b.suffix and (not args.only or b.name in args.only.split(","))
    ]
    passed = failed = 0
    with concurrent.futures.ThreadPoolExecutor(max(1, args.jobs)) as pool:
        for line, good, text in pool.map(lambda b: fuzz(b, args), targets):
            print(line, flush=True)
            passed, failed = passed + good, failed + (not good)
            if not good:
                print(text[-6000:])
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
