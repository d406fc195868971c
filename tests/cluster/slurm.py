"""Runs a plan as a Slurm array on this machine: munged, slurmctld, and two nodes, each a slurmd in
name spaces of its own (host name, processes); files are in a temporary folder. One node fails while
it works; its run goes on on the other, and the table is the table of a single `reproduce`.

usage: slurm.py --build build/release
Where the daemons are missing or may not run: `skipped: slurm (REASON)`, exit status 77."""

import argparse
import getpass
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import rows

ROOT = Path(__file__).resolve().parent.parent.parent
PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch", "scontrol", "squeue", "jq", "unshare")
NODES = ("one", "two")

CONFIGURATION = """ClusterName=test
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={ports[0]}
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
CredType=cred/munge
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool-%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd-%n.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SlurmdParameters=config_overrides
MpiDefault=none
ReturnToService=1
AccountingStorageType=accounting_storage/none
JobCompType=jobcomp/none
SchedulerParameters=sched_interval=2
NodeName=one NodeAddr=127.0.0.1 Port={ports[1]} CPUs=1
NodeName=two NodeAddr=127.0.0.1 Port={ports[2]} CPUs=1
PartitionName=all Nodes=one,two Default=YES MaxTime=INFINITE State=UP
"""


class Skip(Exception):
    """Raised when this machine cannot run the daemons; the text says why."""


def free_ports(count):
    sockets = [socket.socket() for _ in range(count)]
    for s in sockets:
        s.bind(("127.0.0.1", 0))
    ports = [s.getsockname()[1] for s in sockets]
    for s in sockets:
        s.close()
    return ports


def last_line(path):
    lines = path.read_text(errors="replace").splitlines() if path.exists() else []
    return lines[-1] if lines else "no output"


class Cluster:
    """The daemons, each a child of this process; all of them end with it."""

    def __init__(self, folder, tool):
        self.folder, self.daemon, self.ready = folder, {}, False
        programs = folder / "bin"
        programs.mkdir(exist_ok=True)
        if not (programs / "fsa2lrnn").exists():
            (programs / "fsa2lrnn").symlink_to(tool)
        self.env = dict(
            os.environ,
            PATH=f"{programs}:{os.environ['PATH']}:/usr/sbin:/sbin",
            SLURM_CONF=str(folder / "slurm.conf"),
            LC_ALL="C.UTF-8",
        )
        if os.geteuid() != 0:
            raise Skip("name spaces for the nodes need the rights of root")
        for name in PROGRAMS:
            if not shutil.which(name, path=self.env["PATH"]):
                raise Skip(f"{name} is not installed: packages munge, slurm-wlm and jq")

    def start(self, name, *argv):
        log = self.folder / f"{name}.log"
        with log.open("ab") as out:
            process = subprocess.Popen(
                argv, env=self.env, stdout=out, stderr=out, stdin=subprocess.DEVNULL
            )
        self.daemon[name] = process
        return process

    def begin(self):
        """Starts all daemons and waits until both nodes are there."""
        key, munge = self.folder / "munge.key", self.folder / "munge.socket"
        subprocess.run(["mungekey", "--create", f"--keyfile={key}"], env=self.env, check=True)
        self.start(
            "munged",
            *("munged", "--foreground", "--force", f"--key-file={key}", f"--socket={munge}"),
            *(f"--pid-file={self.folder}/munged.pid", f"--seed-file={self.folder}/munged.seed"),
        )
        self.wait(munge.exists, "munged made no socket", 20)
        (self.folder / "state").mkdir()
        (self.folder / "slurm.conf").write_text(
            CONFIGURATION.format(
                host=socket.gethostname().split(".")[0],
                ports=free_ports(3),
                user=getpass.getuser(),
                folder=self.folder,
            )
        )
        self.start("slurmctld", "slurmctld", "-D", "-c")
        for node in NODES:
            (self.folder / f"spool-{node}").mkdir()
            spaces = ("--uts", "--pid", "--mount", "--mount-proc", "--fork", "--kill-child")
            inside = f"hostname {node} && exec slurmd -D"
            self.start(node, "unshare", *spaces, "sh", "-c", inside)
        self.wait(lambda: self.nodes() == {n: "idle" for n in NODES}, "the nodes did not come", 60)
        self.ready = True

    def wait(self, condition, what, seconds):
        """Waits for the condition. What fails before the nodes are there is a reason to skip."""
        wrong = AssertionError if self.ready else Skip
        for _ in range(seconds * 5):
            for name, process in self.daemon.items():
                if process.poll() is not None:
                    line = last_line(self.folder / f"{name}.log")
                    raise wrong(f"{name} ended with status {process.returncode}: {line}")
            if condition():
                return
            time.sleep(0.2)
        raise wrong(f"{what} in {seconds} s: {last_line(self.folder / 'slurmctld.log')}")

    def ask(self, *argv):
        """Runs a program and returns what it printed."""
        done = subprocess.run(
            argv, env=self.env, cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        if done.returncode != 0:
            raise AssertionError(f"{argv}: {done.returncode}\n{done.stderr.decode()}")
        return done.stdout.decode()

    def nodes(self):
        done = subprocess.run(
            ["scontrol", "--oneliner", "show", "nodes"],
            env=self.env,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        found = [
            dict(word.split("=", 1) for word in line.split() if "=" in word)
            for line in done.stdout.splitlines()
        ]
        return {n["NodeName"]: n["State"].lower() for n in found if "NodeName" in n}

    def fail(self, node):
        """Kills a node with everything that runs on it, as when its power fails."""
        process = self.daemon.pop(node)
        process.kill()
        process.wait()
        self.ask("scontrol", "update", f"nodename={node}", "state=down", "reason=test")

    def end(self):
        for name, process in reversed(self.daemon.items()):
            if name in NODES:
                process.kill()
            else:
                process.terminate()
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()

    def jobs(self):
        """Returns {task: (state, node)} of the tasks that have not ended."""
        found = {}
        for line in self.ask("squeue", "--noheader", "--array", "--format=%K %T %N").splitlines():
            task, state, *node = line.split()
            found[int(task)] = (state, node[0] if node else "")
        return found


def run_automata(cluster):
    """Compiles automata as an array on two nodes; the table is the table of one process. Returns
    what was seen, in words."""
    script = shutil.copy(ROOT / "examples/slurm.sh", cluster.folder)
    rows.plan_automata(cluster.ask, cluster.folder)
    began, nodes = time.monotonic(), set()
    cluster.ask("sbatch", f"--array=1-{rows.AUTOMATA}", "--mem=0", script, "network.jsonl")

    def over():
        jobs = cluster.jobs()
        nodes.update(node for state, node in jobs.values() if state == "RUNNING")
        return not jobs

    cluster.wait(over, "the array did not end", 300)
    seconds = time.monotonic() - began
    seen = rows.compare_automata(cluster.ask, cluster.folder)
    return f"{seen} in {seconds:.0f} s on {' and '.join(sorted(filter(None, nodes)))}"


def run(cluster):
    """Returns what was seen, in words; AssertionError where it is wrong."""
    folder = cluster.folder
    script = shutil.copy(ROOT / "examples/slurm.sh", folder)
    runs = rows.make_plan(cluster.ask, folder)
    began = time.monotonic()
    array = f"--array=1-{len(rows.SEEDS)}"
    job = cluster.ask("sbatch", "--parsable", array, "--mem=0", script, "plan.jsonl").strip()

    def on_two():
        return [k for k, at in cluster.jobs().items() if at == ("RUNNING", "two")]

    def begun():
        at = on_two()
        return at and (rows.run_folder(runs, at[0]) / "checkpoint").exists()

    cluster.wait(begun, "no run of node two wrote a checkpoint", 120)
    (task,) = on_two()
    cluster.fail("two")
    assert [event for event, _ in rows.events(runs, task)] == ["start"], rows.events(runs, task)
    cluster.wait(lambda: task in cluster.jobs(), "the task is not queued again", 60)
    # Slurm waits two minutes with a task that it queues again.
    cluster.ask("scontrol", "update", f"jobid={job}_{task}", "starttime=now")
    cluster.wait(lambda: not cluster.jobs(), "the array did not end", 300)
    seconds = time.monotonic() - began
    step = rows.compare(cluster.ask, folder, runs, task)
    return (
        f"{len(rows.SEEDS)} runs in {seconds:.0f} s on two nodes; node two failed in task {task},"
        f" which went on at step {step} on node one; table and weights are those of one reproduce"
    )


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--build", required=True, type=lambda p: Path(p).resolve())
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="f2l-slurm-") as temporary:
        os.chmod(temporary, 0o755)
        try:
            cluster = Cluster(Path(temporary), args.build / "fsa2lrnn")
        except Skip as reason:
            print(f"skipped: slurm ({reason})")
            return 77
        try:
            cluster.begin()
            print(run_automata(cluster), flush=True)
            print(run(cluster))
        except Skip as reason:
            print(f"skipped: slurm ({reason})")
            return 77
        finally:
            cluster.end()
    print("2 passed, 0 failed")
    return 0


if __name__ == "__main__":
    sys.exit(main())
