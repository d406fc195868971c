"""The fault campaign: 12 short runs and 60 automata on machines that fail in every way that is
listed below, then random schedules of kills. Afterwards table and weights must be those of an
undisturbed machine.

usage: faults.py --build build/release [--seed N] [--seconds S] [--schedules N] [--runs-every N]
                 [--only FAULT]

A line for each fault; `skipped:` with the reason where this machine cannot have it. Schedules that
do not fit into the time are counted as not tried. Exit status 1 when anything is not the same."""

import argparse
import concurrent.futures
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import workers

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tests"))

from corpora import languages  # noqa: E402

OPTIONS = "--label accept --sink --effort 2 --formats bf16 --no-report".split()
# Of schedules, whose work is short anyway: half of the time is the search for a smaller network.
SCHEDULE_OPTIONS = [*OPTIONS, "--cascade", "capped"]
RUNS = "parity --model delta-signed --scale 0.02 --checkpoint-seconds 0".split()
SCHEDULE_RUNS = "parity --model delta-signed --scale 0.004 --checkpoint-seconds 0".split()


class Skip(Exception):
    """Raised where this machine cannot have the fault; the text says why."""


class Campaign:
    def __init__(self, args, folder):
        self.args, self.folder, self.dice = args, folder, random.Random(args.seed)
        self.tool = args.build / "fsa2lrnn"
        languages.write(folder / "automata")
        self.still = workers.Field(self.tool, folder / "still", folder / "automata")
        self.lines = self.plan(self.still)
        self.field = workers.Field(self.tool, folder / "field", folder / "automata")
        self.preload = folder / "preload.so"
        self.shares = self.share()

    def plan(self, field):
        lines = field.plan("--out", "network", "--", "automata", *OPTIONS)
        return lines + field.plan("--", "reproduce", *RUNS, "--seeds", 12)

    def share(self):
        """Returns the lines of every fault: some automata and a run, or more, of their own."""
        automata = [line for line in self.lines if line["job"] == "main"]
        runs = [line for line in self.lines if line["job"] == "reproduce"]
        self.dice.shuffle(automata)
        names = [name for name, _ in FAULTS]
        return {
            name: automata[k :: len(names)] + runs[k :: len(names)] for k, name in enumerate(names)
        }

    def compare(self, lines):
        """Finishes the lines in the field; table, networks and weights must be the still ones."""
        self.field.finish(lines)
        tables = [field.table(lines) for field in (self.still, self.field)]
        assert tables[0] == tables[1], "another table"
        hashes = [field.hashes(lines) for field in (self.still, self.field)]
        assert hashes[0] == hashes[1] and hashes[0], f"other files: {differing(*hashes)}"

    def env_of_fault(self, **variables):
        """Returns the environment of a process with a fault of the machine."""
        if not self.preload.exists():
            source = ROOT / "tests/cluster/preload.c"
            compiler = shutil.which("cc") or shutil.which("gcc")
            if not compiler:
                raise Skip("no C compiler for the library that makes the fault")
            argv = [compiler, "-shared", "-fPIC", "-O1", source, "-o", self.preload, "-ldl"]
            subprocess.run(list(map(str, argv)), check=True)
        return {"LD_PRELOAD": str(self.preload), **variables}

    def rounds(self, lines, number=signal.SIGKILL, times=8):
        """Starts a worker again and again, each time in another order, and stops it at a random
        time. Returns how often it had not ended by itself."""
        stopped = 0
        for k in range(times):
            self.dice.shuffle(lines)
            process = self.field.worker(lines, f"round{k}")
            time.sleep(self.dice.uniform(0.02, 0.6))
            stopped += process.poll() is None
            workers.kill(process, number)
        return stopped


def differing(still, other):
    """Returns {file: what is wrong} of two results of hashes, the first of the still machine."""
    wrong = {name: "missing" for name in still if name not in other}
    wrong.update({name: "too many" for name in other if name not in still})
    return wrong | {n: "other bytes" for n in still if n in other and still[n] != other[n]}


def begun_run(c, lines):
    """Starts the run among the lines, and waits until it has a checkpoint."""
    run = next(line for line in lines if line["job"] == "reproduce")
    process = c.field.start(run["argv"])
    folder = c.field.folder / run["folder"]
    workers.wait_for(lambda: list(folder.rglob("checkpoint")) or process.poll() is not None)
    return run, process


# --- the faults: each does its harm to its lines, and returns what happened in words ---


def workers_killed(c, lines):
    return f"{c.rounds(lines)} of 8 workers were killed at work"


def node_lost(c, lines):
    """Both workers of a node die at once, twice."""
    lost = 0
    for k in range(2):
        pair = [c.field.worker(lines[j::2], f"node{k}{j}") for j in range(2)]
        time.sleep(c.dice.uniform(0.1, 0.8))
        lost += sum(process.poll() is None for process in pair)
        for process in pair:
            workers.kill(process)
    return f"a node with two workers was lost twice, {lost} of 4 at work"


def controller_restarted(c, lines):
    """The engine dies, its jobs live on, and a new engine begins the same lines."""
    if not shutil.which("parallel") or not shutil.which("jq"):
        raise Skip("GNU parallel and jq are not installed")
    plan = c.field.write("controller.jsonl", lines)
    argv = ["sh", str(ROOT / "examples/parallel.sh"), plan]
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    for k in range(2):
        env = c.field.env | {"JOBS": "2"}
        engine = subprocess.Popen(
            argv, cwd=c.field.folder, env=env, start_new_session=True, **quiet
        )
        time.sleep(c.dice.uniform(0.5, 1.2))
        os.kill(engine.pid, signal.SIGKILL)
        engine.wait()
    return "the engine was killed twice while its jobs went on"


def limit_reached(c, lines):
    """SIGTERM, as batch systems send it at the limit of time."""
    _, process = begun_run(c, lines)
    process.send_signal(signal.SIGTERM)
    code, _ = workers.end(process)
    stopped = c.rounds(lines, signal.SIGTERM, 6)
    assert code in (0, 2, 128 + signal.SIGTERM), code
    return f"SIGTERM ended a run with status {code}, and {stopped} of 6 workers"


def disk_full(c, lines):
    """No file may be larger than 2,000 bytes, and then it may."""
    codes = set()
    for line in lines:
        code, errors = workers.end(c.field.start(line["argv"], largest=2000))
        codes.add(code)
        assert code != 0 and c.field.state(line) != "done", (line["folder"], code, errors)
    return f"every unit failed, with status {sorted(codes)}, and nothing counts as done"


def small_disk(c, lines):
    """A file system that is full, and freed again."""
    where = c.field.folder / "network-small"
    where.mkdir()
    argv = ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(where)]
    if os.geteuid() != 0 or subprocess.run(argv, capture_output=True).returncode != 0:
        raise Skip("mounting a small tmpfs needs the rights of root")
    try:
        small = c.field.plan("--out", "network-small", "--", "automata", *OPTIONS)[:8]
        failed = sum(workers.end(c.field.start(line["argv"]))[0] != 0 for line in small)
        assert failed > 0, "the disk was not full"
        subprocess.run(["mount", "-o", "remount,size=64m", str(where)], check=True)
        c.field.finish(small)
        hashes = c.field.hashes(small)
        for line in small:
            for name in workers.KEPT:
                path = f"{line['folder']}/{name}"
                still = c.still.folder / path.replace("network-small", "network")
                assert workers.hashlib.sha256(still.read_bytes()).hexdigest() == hashes[path], path
    finally:
        subprocess.run(["umount", str(where)], check=False)
    return f"{failed} of 8 units failed on a disk of 64 KiB, and none when it was larger"


def folder_copied(c, lines):
    """A folder is copied while its run works; the copy takes the place of the folder."""
    run, process = begun_run(c, lines)
    at = c.field.folder / run["folder"]
    copy = at.with_name(at.name + "-copy")
    for _ in range(20):  # a file that is renamed meanwhile stops a copy
        shutil.rmtree(copy, ignore_errors=True)
        try:
            shutil.copytree(at, copy)
            break
        except (shutil.Error, OSError):
            pass
    was = process.poll() is None
    workers.kill(process)
    shutil.rmtree(at)
    copy.rename(at)
    return f"the folder of a run was copied {'while it worked' if was else 'after it had ended'}"


def two_workers(c, lines):
    """Two processes begin every unit at once; one of them is refused, or finds it done."""
    refused = 0
    for line in lines:
        pair = [c.field.start(line["argv"]) for _ in range(2)]
        ends = [workers.end(process) for process in pair]
        codes = sorted(code for code, _ in ends)
        assert codes in ([0, 0], [0, 69]), ends
        refused += codes[1] == 69
    return f"of {len(lines)} pairs {refused} had a worker that was refused with 69"


def locks_refused(c, lines):
    env = c.env_of_fault(F2L_NO_LOCKS="1")
    for line in lines:
        code, errors = workers.end(c.field.start(line["argv"], env=env))
        assert code not in (0, 1, 2) and "lock" in errors, (line["folder"], code, errors)
        assert c.field.state(line) is None, line["folder"]
    return "every unit was refused, since a file system without locks has no single writer"


def clock_set_back(c, lines):
    """The clock is ten years behind when a run goes on and when units begin."""
    _, process = begun_run(c, lines)
    workers.kill(process)
    env = c.env_of_fault(F2L_CLOCK_BACK=str(10 * 365 * 86400))
    for line in lines:
        code, errors = workers.end(c.field.start(line["argv"], env=env))
        assert code == 0, (line["folder"], code, errors)
    years = {c.field.record(line)["began"][:4] for line in lines}
    return f"units and a continued run ended in the years {', '.join(sorted(years))}"


def other_commit(c, lines):
    """A node has the program of another commit: its work is refused, or is marked."""
    other = c.folder / "other-fsa2lrnn"
    commit, program = lines[0]["commit"].encode(), c.tool.read_bytes()
    if len(commit) != 12 or program.count(commit) == 0:
        raise Skip("the commit is not in the program")
    other.write_bytes(program.replace(commit, b"f" * 12))
    other.chmod(0o755)
    for name in c.args.build.glob("lrnn-check*"):
        if not (c.folder / name.name).exists():
            (c.folder / name.name).symlink_to(name)
    automata = [line for line in lines if line["job"] == "main"]
    code, errors = workers.end(c.field.start(automata[0]["argv"]))
    assert code == 0, errors
    code, errors = workers.end(c.field.start(automata[0]["argv"], tool=other))
    assert code == 69 and "commit" in errors, (code, errors)
    code, errors = workers.end(c.field.start(automata[1]["argv"], tool=other))
    assert code == 0, errors
    table = workers.json.loads(c.field.table(automata))
    mixed = [one["reason"] for one in table["left_work"] if "ffffffffffff" in one["reason"]]
    assert len(mixed) == 1, table["left_work"]
    code, errors = workers.end(c.field.start(automata[1]["argv"]))
    assert code == 69, (code, errors)
    shutil.rmtree(c.field.folder / automata[1]["folder"])
    return "its folder is marked in the table and refused, and so is ours on its node"


def poison(c, lines):
    """An automaton on which every worker fails does not keep the others from their work."""
    bad = c.field.folder / "poison"
    bad.mkdir()
    (bad / "broken.att").write_text("0\t1\ta\n1\t0\n\x00\n")
    bad_lines = c.field.plan("--out", "poisoned", "--", "poison", *OPTIONS, rc=65)
    assert not bad_lines, bad_lines
    dice = random.Random(c.args.seed)
    states = 4000  # which no processor is done with in the time
    edges = [f"{p}\t{dice.randrange(states)}\t{a}\n" for p in range(states) for a in "abcd"]
    (bad / "large.att").write_text("".join(edges) + "0\n")
    (bad / "broken.att").unlink()
    hard = c.field.plan("--out", "poisoned", "--", "poison", *OPTIONS, "--effort", 0)
    hard[0]["argv"][1:1] = ["--time-limit", "0.1"]
    order = [lines[0], hard[0], *lines[1:]]
    code, errors = workers.end(c.field.worker(order, "poison"))
    assert code != 0, "the poison automaton was done"
    assert all(c.field.state(line) == "done" for line in lines), errors
    table = workers.json.loads(c.field.table(hard))
    assert table["counts"]["left_count"] == 1, table
    why = table["left_work"][0]["reason"]
    return f"a file that is no automaton was left out of the plan, and one is left: {why}"


def half_written(c, lines):
    """Records, results and checkpoints are cut off at random."""
    c.field.finish(lines)
    for line in lines:
        folder = c.field.folder / line["folder"]
        names = ["work.json", *(["report.json"] if line["job"] == "main" else [])]
        path = folder / c.dice.choice(names)
        path.write_bytes(path.read_bytes()[: c.dice.randrange(path.stat().st_size - 1)])
    table = workers.json.loads(c.field.table(lines))
    assert table["counts"]["work_count"] == 0, table["counts"]
    assert table["counts"]["left_count"] == len(lines), table["counts"]
    return f"{len(lines)} files were cut off, and as many units are left"


def plan_cut_off(c, lines):
    text = "".join(workers.json.dumps(line) + "\n" for line in lines)
    cut = text[: c.dice.randrange(text.rindex("\n", 0, -1) + 2, len(text) - 2)]
    (c.field.folder / "cut.jsonl").write_text(cut)
    code, errors = workers.end(c.field.start(["fsa2lrnn", "plan", "--run", "cut.jsonl"]))
    assert code != 0 and str(len(lines)) in errors, (code, errors)
    done = sum(c.field.state(line) == "done" for line in lines)
    table = workers.json.loads(c.field.ask("table", "cut.jsonl", "--json", "--quiet", rc=65))
    assert table["counts"]["unread_count"] == 1, table["counts"]
    assert done in (0, len(lines) - 1), done
    return f"line {len(lines)} was named and left out, {done} units were done"


FAULTS = [
    ("workers killed", workers_killed),
    ("node lost twice", node_lost),
    ("controller restarted", controller_restarted),
    ("SIGTERM at the limit", limit_reached),
    ("disk full and freed", disk_full),
    ("small disk", small_disk),
    ("folder copied", folder_copied),
    ("two workers on one folder", two_workers),
    ("locks refused", locks_refused),
    ("clock set back", clock_set_back),
    ("another commit", other_commit),
    ("poison automaton", poison),
    ("half-written file", half_written),
    ("plan cut off", plan_cut_off),
]


def run_faults(c):
    failed = 0
    for name, fault in FAULTS:
        lines = c.shares[name]
        if c.args.only and c.args.only not in name:
            continue
        try:
            seen = fault(c, lines)
            c.compare(lines)
            print(f"{name}: {seen}; then table and weights are the same", flush=True)
        except Skip as reason:
            print(f"skipped: {name} ({reason})", flush=True)
        except AssertionError as error:
            failed += 1
            print(f"FAILED {name}: {error}", flush=True)
    if not c.args.only:
        c.compare(c.lines)
        print(f"all: {len(c.lines)} units, table and weights are the same", flush=True)
    return failed


# --- random schedules ---


def folder_of(line):
    return line["folder"]


def run_schedule(c, number, plans, tables, still):
    """Kills two workers, which do the same lines in two orders, at random times. Returns how many
    were at work."""
    dice, with_runs = random.Random(f"{c.args.seed} {number}"), number % c.args.runs_every == 0
    lines = list(plans[with_runs])
    field = workers.Field(c.tool, c.folder / f"schedule{number}", c.folder / "small")
    killed = 0
    for k in range(dice.randrange(1, 4)):
        pair = []
        for j in range(2):
            dice.shuffle(lines)
            pair.append(field.worker(lines, f"worker{k}{j}"))
        for process in pair:
            time.sleep(dice.uniform(0, 0.5))
            killed += process.poll() is None
            workers.kill(process)
    field.finish(lines, workers=1)
    lines.sort(key=folder_of)
    assert field.table(lines) == tables[with_runs], f"schedule {number}: another table"
    hashes = [one.hashes(lines) for one in (still, field)]
    assert hashes[0] == hashes[1], f"schedule {number}: other files: {differing(*hashes)}"
    shutil.rmtree(field.folder)
    return killed


def run_schedules(c, end):
    """Returns how many schedules failed."""
    (c.folder / "small").mkdir()
    texts = [text for name, text in languages.languages() if name.startswith("04")]
    for k, text in enumerate(sorted(texts, key=len)[:20]):
        (c.folder / f"small/{k}.att").write_text(text)
    still = workers.Field(c.tool, c.folder / "schedules", c.folder / "small")
    automata = still.plan("--out", "network", "--", "automata", *SCHEDULE_OPTIONS)
    runs = still.plan("--", "reproduce", *SCHEDULE_RUNS, "--seeds", 2)
    plans = [automata, automata + runs]
    still.finish(plans[1])
    tables = [still.table(sorted(lines, key=folder_of)) for lines in plans]

    def attempt(number):
        """Returns how many workers were killed; None: there was no time; or what was wrong."""
        if time.monotonic() > end:
            return None
        try:
            return run_schedule(c, number, plans, tables, still)
        except AssertionError as error:
            return f"FAILED schedule {number} of seed {c.args.seed}: {error}"

    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        found = [one for one in pool.map(attempt, range(c.args.schedules)) if one is not None]
    failed = [one for one in found if isinstance(one, str)]
    killed = sum(one for one in found if isinstance(one, int))
    print("\n".join(failed), end="\n" if failed else "")
    print(
        f"schedules: {len(found)} of {c.args.schedules} in the time, {killed} workers killed at"
        f" work, {len(failed)} failed"
    )
    return len(failed)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--build", required=True, type=lambda p: Path(p).resolve())
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=300)
    parser.add_argument("--schedules", type=int, default=200)
    parser.add_argument(
        "--runs-every", type=int, default=10, help="schedules: each of these has two runs, too"
    )
    parser.add_argument("--only", default="", help="faults with these words; or: schedules")
    args = parser.parse_args()
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="f2l-faults-") as temporary:
        campaign = Campaign(args, Path(temporary))
        failed = 0
        if args.only != "schedules":
            campaign.still.finish(campaign.lines)
            seconds = time.monotonic() - began
            print(f"undisturbed: {len(campaign.lines)} units in {seconds:.0f} s", flush=True)
            failed += run_faults(campaign)
        if args.only in ("", "schedules"):
            failed += run_schedules(campaign, began + args.seconds)
    print(f"{time.monotonic() - began:.0f} s, seed {args.seed}")
    print(f"{'0 passed, ' if failed else '1 passed, '}{failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
