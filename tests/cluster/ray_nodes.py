"""Runs a plan by examples/ray_runs.py on two nodes that Ray emulates on this machine. One node
fails while it works; its run goes on on the other, and the table is the table of one `reproduce`.

usage: $(sh .ci/python-env ray) ray_nodes.py --build build/release"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import rows

ROOT = Path(__file__).resolve().parent.parent.parent


def prepare(folder, tool):
    """Makes the program known by its name, and keeps Ray's files in the folder."""
    (folder / "bin").mkdir()
    (folder / "bin/fsa2lrnn").symlink_to(tool)
    os.environ.update(
        PATH=f"{folder}/bin:{os.environ['PATH']}",
        HOME=str(folder),
        RAY_TMPDIR=str(folder),
        RAY_USAGE_STATS_ENABLED="0",
        LC_ALL="C.UTF-8",
    )
    os.chdir(folder)


def ask(*argv):
    done = subprocess.run(argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert done.returncode == 0, f"{argv}: {done.returncode}\n{done.stderr}"
    return done.stdout


def wait(condition, process, seconds):
    for _ in range(seconds * 20):
        found = condition()
        if found:
            return found
        assert process.poll() is None, process.communicate()
        time.sleep(0.05)
    raise AssertionError(f"nothing in {seconds} s")


def below(process):
    """Returns the processes that a process started, and those that these started."""
    text = Path(f"/proc/{process}/task/{process}/children").read_text()
    return [n for child in map(int, text.split()) for n in [child, *below(child)]]


def run_automata(folder, cluster):
    """Compiles automata on both nodes. Returns what was seen, in words."""
    rows.plan_automata(ask, folder)
    began = time.monotonic()
    script = [sys.executable, str(ROOT / "examples/ray_runs.py"), "network.jsonl"]
    out = ask(*script, "--address", cluster.address)
    assert f"{rows.AUTOMATA} of {rows.AUTOMATA} runs ended" in out, out
    seconds = time.monotonic() - began
    return f"{rows.compare_automata(ask, folder)} in {seconds:.0f} s on two nodes"


def run(folder):
    from ray.cluster_utils import Cluster

    cluster = Cluster()
    cluster.add_node(num_cpus=0)  # the one that does not fail
    second = [cluster.add_node(num_cpus=1) for _ in range(2)][1]
    print(run_automata(folder, cluster), flush=True)
    runs = rows.make_plan(ask, folder)
    began = time.monotonic()
    script = [sys.executable, str(ROOT / "examples/ray_runs.py"), "plan.jsonl"]
    process = subprocess.Popen(
        [*script, "--address", cluster.address],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    raylet = second.all_processes["raylet"][0].process.pid

    def on_second():
        for number in below(raylet):
            words = Path(f"/proc/{number}/cmdline").read_bytes().split(b"\0")
            if words[0].endswith(b"fsa2lrnn"):
                seed = int(words[words.index(b"--seed") + 1])
                if (rows.run_folder(runs, seed) / "checkpoint").exists():
                    return seed
        return None

    try:
        seed = wait(on_second, process, 120)
        cluster.remove_node(second, allow_graceful=False)
        out, errors = process.communicate(timeout=900)
    finally:
        process.kill()
        cluster.shutdown()
    seconds = time.monotonic() - began
    assert process.returncode == 0 and "4 of 4 runs ended" in out, (out, errors)
    step = rows.compare(ask, folder, runs, seed)
    return (
        f"4 runs in {seconds:.0f} s on two nodes; one failed in seed {seed}, which went on at step"
        f" {step} on the other; table and weights are those of one reproduce"
    )


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--build", required=True, type=lambda p: Path(p).resolve())
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="f2l-ray-") as temporary:
        prepare(Path(temporary), args.build / "fsa2lrnn")
        print(run(Path(temporary)))
        os.chdir("/")
    print("2 passed, 0 failed")
    return 0


if __name__ == "__main__":
    sys.exit(main())
