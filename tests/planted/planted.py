"""Do the tests that a change has to pass see faults? Each fault of planted.tsv is planted alone,
and a test must fail.

A line of the table has a file, a piece of it that is found there once, what the fault makes of the
piece, and jobs of tests/check.py, separated by commas, the likeliest first; without jobs, those are
the unit tests of the mirrored folder. Where two unit tests have one name, their folders are before
it; `cli/` is before a test of commands that has the name of a unit test. In place of jobs,
`equivalent: REASON` says that no test can see the change, and then the tests of the mirrored folder
must pass.

Faults are planted in a copy of the tree, build/planted, so that one that is interrupted never stays
in the sources. All jobs run there without a fault first, because a test that fails anyhow catches
nothing. Then each fault is built, and its jobs run until one fails or does not end. A fault that
does not compile is a fault of the table. At the end weakened.py of tests/prop/weak does the same
with conditions of the checkers.

usage: planted.py --build build/release [--only WORD] [--only-planted] [--jobs J]
       planted.py --check                 only whether each piece is found once, and tests are there
       planted.py --suggest N [--seed S]  prints lines for the table, to be looked at"""

import argparse
import concurrent.futures
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]
sys.path += [str(ROOT / "tests/recipes"), str(ROOT / "tests/planted")]
import suggest
from recipe import Copy  # which files a copy has, and its environment

UNIT = ROOT / "tests/unit"
TABLE = Path(__file__).with_name("planted.tsv")
COLUMNS = ["file", "was", "becomes", "tests"]
EQUIVALENT = "equivalent: "
COMMANDS = "cli/"
TOTALS = re.compile(r"^(\d+) passed, (\d+) failed", re.M)
SOURCE = re.compile(r"t_|p_|fuzz_|emulate_")  # jobs whose source has their name
BUILD = "build/release"
# Folders of tests whose programs have another place in the build.
PROGRAMS = {"tests/fuzz/": "tests/replay/", "/programs/": "/", "cuda/check/": "tests/emulate/"}
MEMORY = 8 << 30  # of a test, in bytes


class Fault(NamedTuple):
    file: str
    was: str
    becomes: str
    tests: str

    def unseen(self):
        return self.tests.startswith(EQUIVALENT)

    def jobs(self):
        """Returns the names of the jobs that may catch it."""
        if self.tests and not self.unseen():
            return self.tests.split(",")
        folder = UNIT / Path(self.file).parent
        return sorted(str(t.relative_to(UNIT).with_suffix("")) for t in folder.glob("t_*.c"))

    def __str__(self):
        return f"{self.file}: {self.was} -> {self.becomes or 'nothing'}"


def table():
    """Returns the faults, and a line for everything that is wrong with them."""
    lines = TABLE.read_text().splitlines()
    names = {path.stem for path in [*ROOT.glob("tests/**/*.*"), *ROOT.glob("cuda/check/*.cc")]}
    faults, wrong = [], []
    if lines[0].split("\t") != COLUMNS:
        wrong.append(f"{TABLE.name}: the columns are not {', '.join(COLUMNS)}")
    for number, line in enumerate(lines[1:], 2):
        row = line.split("\t")
        if len(row) != len(COLUMNS):
            wrong.append(f"{TABLE.name}:{number}: {len(row)} columns in place of {len(COLUMNS)}")
            continue
        fault = Fault(*row)
        path = ROOT / fault.file
        count = path.read_text().count(fault.was) if path.is_file() and fault.was else 0
        if count != 1 or fault.was == fault.becomes:
            wrong.append(f"{TABLE.name}:{number}: `{fault.was}` is found {count} times in {path}")
        if not fault.jobs():
            wrong.append(f"{TABLE.name}:{number}: no folder of unit tests mirrors {fault.file}")
        for name in (job.removeprefix(COMMANDS) for job in fault.jobs()):
            if SOURCE.match(Path(name).name) and Path(name).name not in names:
                wrong.append(f"{TABLE.name}:{number}: there is no test {name}")
            if len(list(UNIT.rglob(f"{name}.c"))) > 1:
                wrong.append(f"{TABLE.name}:{number}: several tests are called {name}")
        faults.append(fault)
    return faults, wrong


def synchronize(copy):
    """Makes the copy equal to the tree. Files that are equal keep their times, so that make builds
    only what differs."""
    files = {str(file) for file in Copy.tracked()}
    for path in [p for p in copy.rglob("*") if copy / "build" not in p.parents]:
        if path.is_file() and str(path.relative_to(copy)) not in files:
            path.unlink()
    for file in files:
        target = copy / file
        if target.is_file() and target.read_bytes() == (ROOT / file).read_bytes():
            continue
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / file, target)
        shutil.copymode(ROOT / file, target)


def limit_memory():
    """Keeps a fault that asks for memory without end from the machine's other programs."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


class Bench:
    """The copy, where faults are planted and jobs are built and run."""

    def __init__(self, copy, env, workers):
        self.copy, self.env, self.workers = copy, env, workers
        self.seconds = {}  # of each job without a fault

    def unit(self, job):
        """Returns the source of a job that is a unit test, else None."""
        return next((self.copy / "tests/unit").rglob(f"{job}.c"), None)

    def targets(self, job):
        """Returns what make has to build for a job."""
        name = job.removeprefix(COMMANDS)
        sources = list((self.copy / "cuda/check").glob(f"{name}.cc"))
        for folder in ("unit", "fuzz", "prop/programs"):
            sources += (self.copy / "tests" / folder).rglob(f"{name}.c")
        targets = [] if sources and name == job else ["all"]
        if not sources and not SOURCE.match(Path(name).name):  # a script that may call any program
            for folder in ("clients", "prop/programs"):
                sources += (self.copy / "tests" / folder).rglob("*.c")
        for source in sources:
            path = str(source.relative_to(self.copy).with_suffix(""))
            for folder, program in PROGRAMS.items():
                path = path.replace(folder, program)
            targets.append(f"{BUILD}/{path}")
        return targets

    def build(self, jobs):
        """Returns what make says when it fails, else None."""
        targets = sorted({target for job in jobs for target in self.targets(job)})
        done = subprocess.run(
            ["make", "-s", f"-j{self.workers}", "NVCC=", f"B={BUILD}", *targets],
            cwd=self.copy,
            env=self.env,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            check=False,
        )
        return None if done.returncode == 0 else done.stdout.decode("utf-8", "replace")

    def run(self, job, limit):
        """Returns (what is wrong or None, seconds) of a job, which is ended after `limit` s."""
        begin, name, unit = time.monotonic(), job.removeprefix(COMMANDS), self.unit(job)
        through_check = [sys.executable, "tests/check.py", "--release", BUILD, "--only", name]
        process = subprocess.Popen(
            self.targets(job) if unit else through_check,
            cwd=self.copy,
            env=self.env,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            preexec_fn=limit_memory,
        )
        try:
            text = process.communicate(timeout=limit)[0].decode("utf-8", "replace")
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
            return f"no end after {limit:.0f} s", limit
        seconds = time.monotonic() - begin
        totals = TOTALS.findall(text)
        if not unit and (not totals or totals[-1] == ("0", "0")):
            return f"check.py has no job {name}", seconds
        return (text or "no output" if process.returncode else None), seconds

    def baseline(self, jobs):
        """Runs all jobs without a fault; returns those that fail, with what they say."""
        wrong = self.build(jobs)
        if wrong:
            return {"make": wrong}
        with concurrent.futures.ThreadPoolExecutor(self.workers) as pool:
            ran = dict(zip(jobs, pool.map(lambda job: self.run(job, 1800), jobs)))
        self.seconds = {job: seconds for job, (_, seconds) in ran.items()}
        return {job: text for job, (text, _) in ran.items() if text}

    def catch(self, fault):
        """Returns (verdict, whether it is the right one) of a planted fault."""
        path = self.copy / fault.file
        old = path.read_text()
        jobs = fault.jobs()
        if not fault.tests or fault.unseen():
            jobs = sorted(jobs, key=self.seconds.get)
        path.write_text(old.replace(fault.was, fault.becomes))
        try:
            said = self.build(jobs)
            if said:
                return f"does not compile:\n{said}", False
            for job in jobs:
                text, seconds = self.run(job, 20 * self.seconds[job] + 60)
                if text:
                    how = "" if len(text.splitlines()) > 1 else f" ({text})"
                    return f"caught by {job}{how}", not fault.unseen()
        finally:
            path.write_text(old)
        reason = f" ({fault.tests})" if fault.unseen() else f" {', '.join(jobs)}"
        return f"survived{reason}", fault.unseen()


def left(begin, done, all_of_them):
    """Returns how long the rest takes, in words."""
    seconds = (time.monotonic() - begin) / done * (all_of_them - done)
    return f"{seconds / 60:.0f} min left" if seconds >= 60 else f"{seconds:.0f} s left"


def plant_all(faults, bench):
    """Plants the faults one after the other; returns how many of the verdicts are right."""
    jobs = sorted({job for fault in faults for job in fault.jobs()})
    begin = time.monotonic()
    broken = bench.baseline(jobs)
    for job, text in broken.items():
        print(f"{job} fails without a fault:\n{text[-4000:]}")
    if broken:
        return 0
    print(f"{len(jobs)} jobs pass without a fault ({time.monotonic() - begin:.1f} s)", flush=True)
    right, begin = 0, time.monotonic()
    for number, fault in enumerate(faults, 1):
        start = time.monotonic()
        verdict, good = bench.catch(fault)
        right += good
        print(
            f"[{number}/{len(faults)}, {left(begin, number, len(faults))}] "
            f"{'' if good else 'FAILED '}{fault}: {verdict} ({time.monotonic() - start:.1f} s)",
            flush=True,
        )
    return right


def weaken(build, workers):
    """Runs weakened.py; returns how many checkers it caught, and how many not."""
    argv = [sys.executable, "tests/prop/weak/weakened.py", "--build", str(build)]
    process = subprocess.Popen(
        [*argv, "--jobs", str(workers)], cwd=ROOT, stdout=subprocess.PIPE, text=True
    )
    passed, failed = 0, 0
    for line in process.stdout:
        print(line, end="", flush=True)
        if TOTALS.match(line):
            passed, failed = map(int, TOTALS.match(line).groups())
    return passed, failed if process.wait() == 0 else max(failed, 1)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--build", type=lambda p: Path(p).resolve())
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--only", default="", help="faults whose line has this")
    parser.add_argument("--only-planted", action="store_true", help="without weakened.py")
    parser.add_argument("--suggest", type=int, metavar="N", help="N faults, each in its own folder")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=1)
    args = parser.parse_args()
    faults, wrong = table()
    if args.suggest:
        taken = {str(Path(fault.file).parent) for fault in faults}
        for row in suggest.suggested(ROOT, args.suggest, args.seed, taken):
            print("\t".join(row))
        return 0
    for line in wrong:
        print(line)
    if wrong or args.check:
        return 1 if wrong else 0
    faults = [fault for fault in faults if args.only in "\t".join(fault)]
    copy = ROOT / "build/planted"
    copy.mkdir(parents=True, exist_ok=True)
    synchronize(copy)
    with tempfile.TemporaryDirectory() as folder:
        env = Copy.environment(Path(folder) / "bin")
        right = plant_all(faults, Bench(copy, env, args.jobs))
    passed, failed = right, len(faults) - right
    if not args.only_planted and not args.only:
        more = weaken(args.build, args.jobs)
        passed, failed = passed + more[0], failed + more[1]
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
