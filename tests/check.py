"""Runs tests and ends with a line `N passed, M failed`: those of a build (--release, --asan), the
fuzzers (--fuzz), the parts of `make lint` (--lint), or all of these in one queue.

Jobs that took most processor time in the last run begin first; their seconds are kept in the file
--seconds, as [passed, of processors]. With --quick SECONDS the shortest begin first, none begins
when most of that time is over, and what was left out is said. With --in-turn jobs that are many are
taken on some days only, all of them by `make nightly`. tests/check_jobs.py names the jobs."""

import argparse
import collections
import concurrent.futures
import contextlib
import json
import os
import re
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests"))
import check_jobs
from records import write_json
from same_build import keep_nvcc

CRITERION = re.compile(r"Tested: (\d+) \| Passing: (\d+) \| Failing: (\d+) \| Crashing: (\d+)")
PLAIN = re.compile(r"^(\d+) passed, (\d+) failed", re.M)
TIMEOUT = 1800
QUICK_SHARE = 0.8  # of the time of --quick: then no job begins any more


def blas_kernels():
    """Returns the kernels that OpenBLAS has to take, where it would take ones of 2004 since it is
    older than the processor: there sums of floats have other roundings, and all is slower."""
    try:
        flags = re.search(r"^flags.*", Path("/proc/cpuinfo").read_text(), re.M)
    except OSError:
        return {}
    new = flags and {"avx2", "fma"} <= set(flags.group().split())
    return {"OPENBLAS_CORETYPE": "Haswell"} if new else {}


def environment(job):
    # Criterion counts a leaking test as passed unless the sanitizer aborts.
    env = dict(
        blas_kernels() | os.environ,
        ASAN_OPTIONS="abort_on_error=1:detect_leaks=1:allocator_may_return_null=1",
        UBSAN_OPTIONS="print_stacktrace=1",
        LC_ALL="C.UTF-8",
    )
    return env | ({"F2L_TEST_SHORT": "1"} if job.short else {})


def execute(job):
    """Returns a job's exit status, its output, and the processor seconds of it and of the programs
    that it ran."""
    with tempfile.TemporaryFile() as out:
        try:
            process = subprocess.Popen(
                job.argv,
                cwd=ROOT,
                env=environment(job),
                stdout=out,
                stderr=subprocess.STDOUT,
                stdin=subprocess.DEVNULL,
            )
        except OSError as error:
            return -1, str(error), 0.0
        limit, start = threading.Timer(TIMEOUT, process.kill), time.monotonic()
        limit.start()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        limit.cancel()
        out.seek(0)
        text = out.read().decode("utf-8", "replace")
        if time.monotonic() - start >= TIMEOUT:
            text += f"\ntimed out after {TIMEOUT} s\n"
        return process.returncode, text, usage.ru_utime + usage.ru_stime


def counted(part, code, text):
    """Returns how many tests of a job passed and failed. A job that counted nothing, or exits
    non-zero without a counted failure, counts as one failure."""
    passed = failed = 0
    if part == "unit":
        if found := CRITERION.search(text):
            passed, failed = int(found[2]), int(found[3]) + int(found[4])
    elif part == "lint":
        passed = int(code == 0)
    elif found := PLAIN.findall(text):
        passed, failed = map(int, found[-1])
    if (code != 0 and failed == 0) or passed + failed == 0:
        failed += 1
    return passed, failed


class Queue:
    def __init__(self, args):
        self.args, self.began = args, time.monotonic()
        self.seconds = {}  # [passed, of processors] of each job, by its key, in its last run
        if args.seconds and args.seconds.exists():
            self.seconds = json.loads(args.seconds.read_text())
        self.passed = self.failed = 0
        self.spent = collections.Counter()  # processor seconds by build and part
        self.failures, self.unbegun = [], []

    def ordered(self, jobs):
        """Returns the jobs in the order in which they begin; those that are new first, or with
        --quick last."""
        sign = 1 if self.args.quick else -1
        return sorted(jobs, key=lambda job: sign * self.expected(job))

    def expected(self, job):
        """Returns the processor seconds of a job's last run; an older file has the passed ones."""
        kept = self.seconds.get(job.key(), TIMEOUT)
        return kept[1] if isinstance(kept, list) else kept

    def run(self, job):
        """Runs a job, and returns it with (exit status, output, processor seconds, seconds), or
        with None where it is too late to begin."""
        quick, start = self.args.quick, time.monotonic()
        if quick and start - self.began > QUICK_SHARE * quick:
            return job, None
        return job, (*execute(job), time.monotonic() - start)

    def report(self, job, code, text, spent, seconds):
        passed, failed = counted(job.part, code, text)
        self.passed, self.failed = self.passed + passed, self.failed + failed
        self.spent[f"{job.build} {job.part}"] += spent
        self.seconds[job.key()] = [round(seconds, 1), round(spent, 1)]
        self.keep_seconds()
        head = f"{job.build:8}" if self.args.several else ""
        line = f"{head}{job.part:8} {job.name:24} {passed:6} passed, {failed} failed"
        print(f"{line}  ({seconds:.1f} s, {spent:.1f} s of processors)", flush=True)
        if failed:
            self.failures.append(f"{line}\n{text[-4000:]}")
            print(text[-20000:], flush=True)
        elif job.part == "mutate":
            print("".join(f"         {line}\n" for line in text.splitlines()[-12:]), end="")

    def keep_seconds(self):
        path = self.args.seconds
        if path and not self.args.quick:
            write_json(path, dict(sorted(self.seconds.items())), indent=0)

    def summary(self):
        if self.failures and self.args.several:
            print("\n=== what failed\n" + "\n".join(self.failures))
        if self.unbegun:
            print(f"\nleft out after {self.args.quick:.0f} s, {len(self.unbegun)} jobs:")
            parts = sorted({job.part for job in self.unbegun})
            for part in parts:
                names = [job.name for job in self.unbegun if job.part == part]
                print(f"  {part}: {', '.join(names)}")
            print("make check runs everything")
        parts = ", ".join(f"{part} {spent:.0f}" for part, spent in self.spent.most_common())
        print(f"{sum(self.spent.values()):.0f} s of processor time: {parts}")
        print(f"{self.passed} passed, {self.failed} failed")

    def all(self, jobs):
        with concurrent.futures.ThreadPoolExecutor(max(1, self.args.jobs)) as pool:
            running = [pool.submit(self.run, job) for job in self.ordered(jobs)]
            for future in concurrent.futures.as_completed(running):
                job, result = future.result()
                if result:
                    self.report(job, *result)
                else:
                    self.unbegun.append(job)
        self.summary()
        return 1 if self.failed or not self.passed else 0


def jobs_of(args):
    jobs = []
    if args.release:
        jobs += check_jobs.release(args.release)
    if args.asan:
        jobs += check_jobs.sanitized(args.asan, args.everything)
    if args.fuzz:
        jobs += check_jobs.fuzz(args.fuzz, args.fuzz_bound.split())
    if args.lint:
        jobs += check_jobs.lint()
    if args.other_python:
        jobs += check_jobs.other_python(args.release, args.other_python)
    only = set(filter(None, args.only.split(",")))
    jobs = [job for job in jobs if not only or only & {job.part, job.name, job.build}]
    return check_jobs.in_turn(jobs, int(time.time()) // 86400) if args.in_turn else jobs


def unit_programs(jobs):
    """Returns the programs of unit tests that jobs run, as make names them."""
    return [str(Path(job.argv[0]).relative_to(ROOT)) for job in jobs if job.part == "unit"]


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add, folder = parser.add_argument, lambda name: Path(name).resolve()
    add("--release", type=folder, metavar="BUILD", help="tests of this build")
    add("--asan", type=folder, metavar="BUILD", help="its tests with sanitizers")
    add("--everything", action="store_true", help="all that --asan leaves out too")
    add("--fuzz", type=folder, metavar="BUILD", help="its fuzzers")
    add("--fuzz-bound", default="--runs 10000", help="options of tests/fuzz/fuzz.py")
    add("--lint", action="store_true", help="the parts of make lint")
    add("--in-turn", action="store_true", help="some of the jobs of which there are many")
    add("--unit-programs", action="store_true", help="print which have to be built")
    add("--other-python", metavar="PYTHON", help="Python tests of --release there")
    add("--jobs", type=int, default=1)
    add("--only", default="", help="builds, parts or names, separated by commas")
    add("--quick", type=float, metavar="SECONDS", help="only what fits in this time")
    add("--seconds", type=Path, metavar="FILE", help="how long jobs took")
    args = parser.parse_args()
    args.several = sum(map(bool, (args.release, args.asan, args.fuzz, args.lint))) > 1
    if args.unit_programs:
        with contextlib.redirect_stdout(sys.stderr):  # what is not installed is noted
            jobs = jobs_of(args)
        print(" ".join(unit_programs(jobs)))
        return 0
    seed = os.environ.get(check_jobs.SEED) or time.strftime("%Y%m%d", time.gmtime())
    print(f"note: changes of certificates have the seed {seed} ({check_jobs.SEED})")
    for build in filter(None, (args.release, args.asan)):
        keep_nvcc(build)
    return Queue(args).all(jobs_of(args))


if __name__ == "__main__":
    sys.exit(main())
