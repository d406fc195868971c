"""Runs a plan on a Ray cluster, whose nodes see the folders that the plan names.

    fsa2lrnn reproduce s3 --seeds 3 --plan > plan.jsonl
    python3 examples/ray_runs.py plan.jsonl --address auto

A run whose node or process is lost is begun again elsewhere and continues from its last checkpoint.
The second line, given again, continues what failed and leaves what has ended."""

import argparse
import json
import os
import shutil
import subprocess
import sys

import ray


def run(argv, folder):
    """Makes one run in the folder of the driver. The program ends with the worker that started it,
    since it keeps its run locked."""
    with_worker = ["setpriv", "--pdeathsig", "KILL"] if shutil.which("setpriv") else []
    quiet = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL}
    argv = [*with_worker, *argv]
    done = subprocess.run(argv, cwd=folder, stderr=subprocess.PIPE, text=True, **quiet)
    if done.returncode != 0:
        raise RuntimeError(f"exit status {done.returncode}: {done.stderr.strip()}")


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("plan", help="lines of fsa2lrnn reproduce --plan")
    parser.add_argument("--address", help="of the cluster; without it Ray starts on this machine")
    parser.add_argument("--cpus", type=float, default=1, help="processors of a run (default: 1)")
    parser.add_argument("--gpus", type=float, default=0, help="GPUs of a run (default: 0)")
    parser.add_argument("--retries", type=int, default=3, help="of a run that fails (default: 3)")
    args = parser.parse_args()
    with open(args.plan, encoding="utf-8") as plan:
        runs = [json.loads(line) for line in plan]
    ray.init(address=args.address, log_to_driver=False, include_dashboard=False)
    options = {"num_cpus": args.cpus, "num_gpus": args.gpus, "max_retries": args.retries}
    task = ray.remote(retry_exceptions=True, **options)(run)
    of = {task.remote(r["argv"], os.getcwd()): r["folder"] or "a chunk" for r in runs}
    left, failed = list(of), 0
    while left:
        (done,), left = ray.wait(left)
        try:
            ray.get(done)
            print(f"{of[done]}: ended", flush=True)
        except ray.exceptions.RayError as error:
            failed += 1
            print(f"{of[done]}: failed: {str(error).splitlines()[-1]}", flush=True)
    print(f"{len(runs) - failed} of {len(runs)} runs ended")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
