"""All rows on the GPUs of a machine, the dearest first.

    python3 all_rows.py --tokens TOKENS --to RUNS --count 100e6 --until 1080 [--seed 1] [--each 2]

The GPUs are those that CUDA_VISIBLE_DEVICES names (0 without it); on each there are EACH rows at a
time, so that one computes while another begins or is evaluated.

At first the rate is chosen: DeltaNet in [-1, 1] with seed 0, which does not count, with each of
RATES; the least mean of the last 20 losses wins (--rate leaves this out). Then every row is trained
and evaluated. Each result.json is a line of RUNS/results.jsonl as soon as it is there. No row
begins that would not end UNTIL seconds after the start, by the cost in COSTS.

COSTS are seconds a step of 131,072 tokens, measured on one H200."""

import argparse
import json
import os
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
RATES = (1e-3, 2e-3, 4e-3)
TRIED = "delta-11"
AROUND = 45.0  # seconds of a row beside its steps: start, compilation, evaluation
STEP = 131072
COSTS = {
    "product3-11": 0.35,
    "product3-01": 0.35,
    "gated-product3-11": 0.4,
    "product2-11": 0.28,
    "gated-delta-11": 0.25,
    "delta-11-wide": 0.23,
    "delta-11": 0.2,
    "delta-01": 0.2,
    "mamba-11": 0.4,
    "mamba-01": 0.4,
    "transformer": 0.2,
}


class Queue:
    """Runs that wait for a GPU, and those that have one."""

    def __init__(self, args):
        self.args, self.began = args, time.monotonic()
        self.running, self.results = {}, []
        gpus = os.environ.get("CUDA_VISIBLE_DEVICES", "0").split(",")
        self.slots = [f"{gpu}:{n}" for n in range(args.each) for gpu in gpus]

    def seconds(self):
        return time.monotonic() - self.began

    def start(self, gpu, name, count, seed, rate):
        to = self.args.to / f"{name}-{seed}-{rate}"
        to.mkdir(parents=True, exist_ok=True)
        argv = [sys.executable, str(HERE / "train.py"), "--tokens", str(self.args.tokens)]
        argv += ["--config", str(HERE / f"configs/{name}.json"), "--to", str(to)]
        argv += ["--count", str(count), "--seed", str(seed), "--rate", str(rate)]
        argv += ["--keep-nothing", *(["--evaluate"] if seed else [])]
        environment = {**os.environ, "CUDA_VISIBLE_DEVICES": gpu.partition(":")[0]}
        with open(to / "log", "w", encoding="utf-8") as log:
            process = subprocess.Popen(argv, env=environment, stdout=log, stderr=log)
        self.running[gpu] = process, to
        print(f"{self.seconds():7.1f} s: GPU {gpu} begins {to.name}", flush=True)

    def end(self, gpu):
        process, to = self.running.pop(gpu)
        path = to / "result.json"
        if process.returncode == 0 and path.exists():
            line = path.read_text(encoding="utf-8").strip()
            self.results.append(json.loads(line))
            with open(self.args.to / "results.jsonl", "a", encoding="utf-8") as out:
                out.write(line + "\n")
            print(f"{self.seconds():7.1f} s: {to.name} ended", flush=True)
        else:
            tail = (to / "log").read_text(encoding="utf-8", errors="replace")[-1500:]
            print(f"{self.seconds():7.1f} s: {to.name} failed: {tail}", flush=True)

    def work(self, jobs, late):
        """Makes the jobs (name, count, seed, rate) in their order; `late` says which not to
        begin any more."""
        waiting = list(jobs)
        while waiting or self.running:
            for gpu in [g for g, (p, _) in self.running.items() if p.poll() is not None]:
                self.end(gpu)
            for gpu in sorted(set(self.slots) - set(self.running)):
                fits = [job for job in waiting if not late(job)]
                if fits:
                    waiting.remove(fits[0])
                    self.start(gpu, *fits[0])
            if waiting and not self.running:
                print("not begun:", *(job[0] for job in waiting), flush=True)
                return
            time.sleep(0.3)


def choose_rate(queue, count):
    """Returns the rate with the least loss."""
    queue.work([(TRIED, count, 0, rate) for rate in RATES], lambda job: False)
    ended = {r["rate"]: sum(r["losses"][-20:]) / 20 for r in queue.results if r["seed"] == 0}
    for rate, loss in ended.items():
        print(f"rate {rate}: {loss:.4f}", flush=True)
    return min(ended, key=ended.get)


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n\n")[0])
    parser.add_argument("--tokens", type=Path, required=True)
    parser.add_argument("--to", type=Path, required=True)
    parser.add_argument("--each", type=int, default=2, help="rows at a time on a GPU")
    parser.add_argument("--count", type=float, default=100e6)
    parser.add_argument("--tried", type=float, default=20e6, help="tokens for each rate")
    parser.add_argument("--rate", type=float)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--until", type=float, default=1080.0, help="seconds")
    args = parser.parse_args()
    args.to.mkdir(parents=True, exist_ok=True)
    queue = Queue(args)
    rate = args.rate or choose_rate(queue, args.tried)
    order = sorted(COSTS, key=lambda name: -COSTS[name])

    def late(job):
        cost = AROUND + args.each * COSTS[job[0]] * job[1] / STEP
        return queue.seconds() + cost > args.until

    queue.work([(name, args.count, args.seed, rate) for name in order], late)
    return 0


if __name__ == "__main__":
    sys.exit(main())
