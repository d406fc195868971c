"""Which tests need not run under the sanitizers, because others there run the same code?

Measures, on a build whose programs count what they execute (`make FLAVOUR=cover check-programs`),
what each test of tests/check_jobs.py covers. Unit tests and replays always run; to them it adds
those tests that cover most new code for their time, until little is gained. Changed certificates
need not run, since fuzzers change the same files under the sanitizers. The tests that are left go
to tests/sanitizer_left_out.tsv, so that a new test runs under the sanitizers until it is left out;
the record in reports/results/sanitizer-cover.json has the lines that all cover, and each line that
only tests cover that are left out. `make nightly` runs all.

usage: sanitizer_cover.py --build build/cover [--jobs N] [--least REGIONS]
--least: a test that covers fewer new regions of code for each second is left out (default 8).
What was measured is kept in the build, so that an interrupted run goes on."""

import argparse
import bisect
import concurrent.futures
import os
import pickle
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests"))
import check
import check_jobs
from records import git, write_json

RECORD = ROOT / "reports/results/sanitizer-cover.json"
ALWAYS = ("unit", "replay")
PRODUCT = re.compile(r"(numeric|automata|models|theory|reports|library|cli|cuda)/")
BLOCKS = re.compile(r"Block counts: \[(.*)\]")


def one_by_one(job):
    """Yields a job as the smallest tests that can be left out: those of a file of tests/cli."""
    tests = check_jobs.cli_tests(job.part, job.name)
    for test in tests:
        yield job._replace(name=test, argv=check_jobs.only_tests(job.argv, [test]))
    if not tests:
        yield job


def regions(profile):
    """Returns {function: bits}, one bit for each region of code that was executed."""
    shown = subprocess.run(
        ["llvm-profdata", "show", "--all-functions", "--counts", str(profile)],
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    found, name, bits = {}, None, 0
    for line in shown.stdout.splitlines():
        if line.startswith("  ") and line[2] != " " and line.endswith(":"):
            name, bits = line.strip()[:-1], 0
        elif "Function count:" in line:
            bits = int(line.split(":")[1]) > 0
        elif blocks := BLOCKS.search(line):
            counts = blocks[1].split(", ") if blocks[1] else []
            bits |= sum(2 << i for i, count in enumerate(counts) if count != "0")
            if bits:
                found[name] = found.get(name, 0) | bits
    return found


def measure(job, folder):
    """Returns (the seconds of processor time of a test, its regions, its profile)."""
    stem = f"{job.part}-{job.name}".replace("/", "_")
    kept, profile = folder / f"{stem}.pickle", folder / f"{stem}.profdata"
    if kept.exists():
        return (*pickle.loads(kept.read_bytes()), profile)
    with tempfile.TemporaryDirectory(prefix="f2l-cover-") as work:
        env = check.environment(job) | {"LLVM_PROFILE_FILE": f"{work}/%m.profraw"}
        process = subprocess.Popen(
            job.argv, cwd=ROOT, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.STDOUT
        )
        _, status, usage = os.wait4(process.pid, 0)
        if status:
            print(f"{job.part} {job.name}: status {status}", flush=True)
        raw = [str(path) for path in Path(work).glob("*.profraw") if path.stat().st_size]
        merge(raw, profile)
    row = usage.ru_utime + usage.ru_stime, regions(profile) if profile.exists() else {}
    kept.write_bytes(pickle.dumps(row))
    return (*row, profile)


def merge(profiles, to):
    """Writes the sum of the profiles that are there; a test that ran no program has none."""
    profiles = [str(path) for path in profiles if Path(path).exists()]
    if not profiles:
        return
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as names:
        names.write("\n".join(profiles))
        names.flush()
        argv = ["llvm-profdata", "merge", "-sparse", "-failure-mode=all", "-o", str(to)]
        subprocess.run([*argv, "-f", names.name], stderr=subprocess.DEVNULL, check=False)


def measured(jobs, folder, threads):
    """Returns [(job, seconds, regions, profile)], with progress on the terminal."""
    rows, start = [], time.monotonic()
    with concurrent.futures.ThreadPoolExecutor(max(1, threads)) as pool:
        for job, row in zip(jobs, pool.map(lambda job: measure(job, folder), jobs)):
            rows.append((job, *row))
            if sys.stderr.isatty() or len(rows) % 50 == 0:
                left = (time.monotonic() - start) / len(rows) * (len(jobs) - len(rows))
                end = "\r" if sys.stderr.isatty() else "\n"
                text = f"{len(rows)}/{len(jobs)} tests, about {left:.0f} s left"
                print(f"{text:60}", end=end, file=sys.stderr, flush=True)
    return rows


def new_regions(found, have):
    return sum(bin(bits & ~have.get(name, 0)).count("1") for name, bits in found.items())


def add_regions(have, found):
    for name, bits in found.items():
        have[name] = have.get(name, 0) | bits


def choose(rows, least):
    """Returns the rows that run, best first after those that always do, and those left out."""
    have, chosen, rest = {}, [], []
    for row in rows:
        (chosen if row[0].part in ALWAYS else rest).append(row)
    for row in chosen:
        add_regions(have, row[2])
    gain = lambda row: new_regions(row[2], have) / max(row[1], 0.05)  # noqa: E731
    # What a test gains only falls as others are chosen: the first whose new gain is still the
    # largest of all gains, which may be old, is the best.
    waiting = sorted(((gain(row), i) for i, row in enumerate(rest)), reverse=True)
    while waiting and waiting[0][0] >= least:
        best = waiting.pop(0)[1]
        now = gain(rest[best])
        if waiting and now < waiting[0][0]:
            bisect.insort(waiting, (now, best), key=lambda pair: -pair[0])
        elif now >= least:
            add_regions(have, rest[best][2])
            chosen.append(rest[best])
        else:
            waiting.append((now, best))
    return chosen, [rest[i] for _, i in waiting]


def covered(profiles, build):
    """Returns the lines of the product, as {"FILE:LINE"}, that the profiles execute."""
    programs = [p for p in build.iterdir() if p.is_file() and os.access(p, os.X_OK)]
    with tempfile.NamedTemporaryFile(suffix=".profdata") as whole:
        merge(profiles, whole.name)
        objects = [word for program in programs for word in ("-object", str(program))][1:]
        argv = ["llvm-cov", "export", "-format=lcov", f"-instr-profile={whole.name}", *objects]
        text = subprocess.run(argv, stdout=subprocess.PIPE, text=True, check=True).stdout
    found, path = set(), None
    for line in text.splitlines():
        if line.startswith("SF:"):
            name = os.path.relpath(line[3:], ROOT)
            path = name if PRODUCT.match(name) else None
        elif path and line.startswith("DA:"):
            number, count = line[3:].split(",")[:2]
            if count != "0":
                found.add(f"{path}:{number}")
    return found


def write(args, chosen, rest):
    seconds = lambda rows: round(sum(row[1] for row in rows))  # noqa: E731
    lines = sorted(f"{job.part}\t{job.name}\t{spent:.1f}" for job, spent, *_ in rest)
    head = "# What the sanitizers leave to the release: part, test, seconds (sanitizer_cover.py)"
    check_jobs.LEFT_OUT.write_text("\n".join([head, *lines]) + "\n", encoding="utf-8")
    kept = covered([row[3] for row in chosen], args.build)
    lost = covered([row[3] for row in chosen + rest], args.build) - kept
    record = {
        "commit": git("rev-parse", "--short=12", "HEAD"),
        "date": time.strftime("%Y-%m-%d", time.gmtime()),
        "command": " ".join(["python3", *sys.argv]),
        "tests": {"run": len(chosen), "left_out": len(rest)},
        "processor_seconds": {"run": seconds(chosen), "left_out": seconds(rest)},
        "lines": {"run": len(kept), "lost": len(lost)},
        "lost": sorted(lost),
    }
    write_json(RECORD, record)
    share = 100 * len(lost) / max(1, len(kept) + len(lost))
    print(
        f"{len(chosen)} tests of {seconds(chosen)} s run, {len(rest)} of {seconds(rest)} s are left"
        f" out; {len(lost)} of {len(kept) + len(lost)} lines are lost ({share:.2f} %)"
    )


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--build", required=True, type=lambda name: Path(name).resolve())
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--least", type=float, default=8)
    args = parser.parse_args()
    for program in ("llvm-profdata", "llvm-cov"):
        if not shutil.which(program):
            parser.error(f"{program} is not installed (Debian's package llvm)")
    folder = args.build / "tests-covered"
    folder.mkdir(exist_ok=True)
    jobs = [small for job in check_jobs.sanitized(args.build, True) for small in one_by_one(job)]
    write(args, *choose(measured(jobs, folder, args.jobs), args.least))


if __name__ == "__main__":
    main()
