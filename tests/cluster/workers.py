"""Workers that do the lines of plans, and what a fault campaign does to them."""

import hashlib
import json
import os
import resource
import shutil
import signal
import subprocess
import time
from pathlib import Path

# What must be the same as on an undisturbed machine, byte for byte.
KEPT = ("automaton.fsa", "network.lrnn", "certificate.cert", "weights.safetensors")


class Field:
    """A folder in which a plan is worked on. `automata` is a folder that is copied into it."""

    def __init__(self, tool, folder, automata):
        self.tool, self.folder = str(tool), Path(folder)
        self.folder.mkdir(parents=True)
        shutil.copytree(automata, self.folder / "automata")
        (self.folder / "bin").mkdir()
        (self.folder / "bin/fsa2lrnn").symlink_to(tool)
        self.env = dict(os.environ, LC_ALL="C.UTF-8")
        self.env["PATH"] = f"{self.folder}/bin:{self.env['PATH']}"

    def ask(self, *argv, rc=0, env=None):
        """Runs the program and returns what it printed."""
        done = subprocess.run(
            [self.tool, *map(str, argv)],
            cwd=self.folder,
            env=self.env | (env or {}),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        allowed = rc if isinstance(rc, tuple) else (rc,)
        assert done.returncode in allowed, (argv, done.returncode, done.stderr)
        return done.stdout

    def plan(self, *argv, rc=0):
        """Returns the lines of a plan."""
        text = self.ask("plan", "--max-lines", 100000, "--quiet", *argv, rc=rc)
        return [json.loads(line) for line in text.splitlines()]

    def write(self, name, lines):
        text = "".join(json.dumps(line) + "\n" for line in lines)
        (self.folder / name).write_text(text)
        return name

    def start(self, argv, tool=None, env=None, largest=None):
        """Starts a command of a plan in a session of its own, which a kill ends as a whole.
        `largest`: bytes of the largest file that it may write."""

        def limit():
            if largest is not None:
                signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
                resource.setrlimit(resource.RLIMIT_FSIZE, (largest, largest))

        return subprocess.Popen(
            [str(tool or self.tool), *argv[1:]],
            cwd=self.folder,
            env=self.env | (env or {}),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            start_new_session=True,
            preexec_fn=limit,
        )

    def worker(self, lines, name):
        """Starts a process that does the lines one after the other."""
        plan = self.write(f"{name}.jsonl", lines)
        return self.start(["fsa2lrnn", "plan", "--run", plan, "--quiet"])

    def finish(self, lines, workers=2, seconds=600):
        """Does what is left of the lines, again where a process that an engine left behind still
        works in a folder."""
        for _ in range(120):
            running = [self.worker(lines[k::workers], f"finish{k}") for k in range(workers)]
            ends = [end(process, seconds) for process in running]
            if not any(code for code, _ in ends):
                return
            if any(code and "another process works on" not in errors for code, errors in ends):
                break
            time.sleep(1)
        raise AssertionError(ends)

    def table(self, lines):
        plan = self.write("table.jsonl", lines)
        return self.ask("table", plan, "--untimed", "--json")

    def hashes(self, lines):
        """Returns {file: SHA-256} of what was made."""
        found = {}
        for line in lines:
            for path in sorted((self.folder / line["folder"]).rglob("*")):
                if path.name in KEPT:
                    name = str(path.relative_to(self.folder))
                    found[name] = hashlib.sha256(path.read_bytes()).hexdigest()
        return found

    def record(self, line):
        """Returns the work.json of a line, or None."""
        path = self.folder / line["folder"] / "work.json"
        try:
            return json.loads(path.read_text())
        except (OSError, ValueError):
            return None

    def state(self, line):
        record = self.record(line)
        return record["state"] if record else None


def end(process, seconds=300):
    """Waits for a process, and returns its exit status with its messages."""
    try:
        _, errors = process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        kill(process)
        raise
    return process.returncode, errors.decode(errors="replace")


def kill(process, number=signal.SIGKILL):
    """Sends a signal to all processes that the command started, and waits for it."""
    try:
        os.killpg(process.pid, number)
    except ProcessLookupError:
        pass
    process.communicate(timeout=120)
    return process.returncode


def wait_for(condition, seconds=60):
    for _ in range(seconds * 100):
        found = condition()
        if found:
            return found
        time.sleep(0.01)
    raise AssertionError(f"nothing in {seconds} s")
