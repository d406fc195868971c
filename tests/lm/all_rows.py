"""All rows on the GPUs of a machine, the dearest first.

    python3 all_rows.py --tokens TOKENS --to RUNS --until 1080 [--count 40e6] [--seed 1]
        [--later 0=FILE:400]

At first the rate is chosen: DeltaNet in [-1, 1] is trained with seed 0, which does not count, for
--rate-steps steps with each of RATES; the least mean of the last 20 losses wins. Then every row is
trained on --count tokens and evaluated. Without --count they are as many as fit UNTIL seconds after
the start, by COSTS, but not more than the text has. No row begins that would not end by then.

For each GPU that CUDA_VISIBLE_DEVICES names (0 without it) there is one process, which takes what
no other has taken: beginning takes as long as a hundred steps. With --later GPU=FILE:SECONDS that
of a GPU begins when FILE is there, or so many seconds after the start. A row that takes three times
as long as it should ends its process, and another goes on without this row. Each result.json is a
line of RUNS/results.jsonl as soon as it is there; RUNS/ROW-SEED-RATE/model has the weights."""

import argparse
import faulthandler
import gc
import json
import os
import signal
import subprocess
import sys
import time
import traceback
from pathlib import Path

HERE = Path(__file__).resolve().parent
RATES = (1e-3, 2e-3, 4e-3)
RATED = "delta-11"
STEP = 131072  # tokens
# Seconds a step on one H200, and seconds of an evaluation of 105 pieces.
COSTS = {
    "gated-product3-11": (0.271, 18),
    "mamba-11": (0.245, 29),
    "mamba-01": (0.245, 29),
    "product3-11": (0.228, 15),
    "product3-01": (0.228, 15),
    "transformer": (0.235, 6),
    "product2-11": (0.195, 10),
    "gated-delta-11": (0.185, 7),
    "delta-11": (0.174, 6),
    "delta-01": (0.174, 6),
    "delta-11-wide": (0.175, 7),
}
AROUND = 4.0  # seconds of a row beside its steps and evaluation
BEGIN = 45.0  # seconds until the first step
SPARE = 0.93  # of the time that is left is planned
LAST = 20  # losses whose mean chooses the rate


def cost(name, steps):
    """Returns the seconds that a row takes."""
    step, evaluation = COSTS[name]
    return steps * step + evaluation + AROUND


def last_end(begins, steps):
    """Returns when the last row ends if each GPU, from when it begins on, takes the dearest row
    that is left."""
    free = sorted(begins)
    for name in sorted(COSTS, key=lambda name: -cost(name, steps)):
        free = sorted([free[0] + cost(name, steps) / SPARE, *free[1:]])
    return free[-1]


def steps_that_fit(args):
    """Returns how many steps every row can make, at most as many as the text has."""
    rates = 0.0 if args.rate else len(RATES) * cost(RATED, args.rate_steps) / args.gpus
    text = json.loads((args.tokens / "train.json").read_text(encoding="utf-8"))["domains"]
    most = sum(domain["tokens"] for domain in text.values()) // STEP
    begins = [args.late.get(gpu, (None, 0.0))[1] + BEGIN + rates for gpu in args.visible]
    fitting = (n for n in range(most, 1, -1) if last_end(begins, n) <= args.until)
    return next(fitting, 1)


class Worker:
    """The process of one GPU."""

    def __init__(self, args):
        self.args = args
        self.results = args.to / "results.jsonl"

    def take(self, job):
        """Returns whether this process is the first to take a job."""
        try:
            os.close(os.open(self.args.to / f"{job}.taken", os.O_CREAT | os.O_EXCL))
        except FileExistsError:
            return False
        return True

    def say(self, text):
        print(f"{time.time() - self.args.began:7.1f} s: {text}", flush=True)

    def make(self, name, steps, seed, rate):
        """Trains and evaluates a row, and writes its line."""
        import torch
        import train

        to = self.args.to / f"{name}-{seed}-{rate}"
        argv = ["--config", str(HERE / f"configs/{name}.json"), "--tokens", str(self.args.tokens)]
        argv += ["--to", str(to), "--count", str(steps * STEP), "--seed", str(seed)]
        argv += ["--rate", str(rate), "--evaluate" if seed else "--keep-nothing"]
        self.say(f"{to.name} begins")
        faulthandler.dump_traceback_later(3 * cost(name, steps) + 2 * BEGIN, exit=True)
        if torch.cuda.is_available():
            torch.cuda.reset_peak_memory_stats()
        try:
            about = train.run(train.parse(argv))
            with open(self.results, "a", encoding="utf-8") as out:
                out.write(json.dumps(about) + "\n")
            domains = about.get("evaluation", {}).get("domains", {})
            losses = {domain: numbers["nats_a_token"] for domain, numbers in domains.items()}
            said = f"{about['step_seconds']} s a step, {about['losses'][-1]}, {losses}"
            self.say(f"{to.name}: {said}")
        except Exception:  # another row may do better
            self.say(f"{to.name} failed: {traceback.format_exc()}")
        faulthandler.cancel_dump_traceback_later()
        gc.collect()
        torch.cuda.empty_cache()

    def tried(self):
        """Returns {rate: mean of the last losses} of the trials that have ended."""
        lines = self.results.read_text(encoding="utf-8") if self.results.exists() else ""
        runs = [json.loads(line) for line in lines.splitlines()]
        return {r["rate"]: sum(r["losses"][-LAST:]) / LAST for r in runs if r["seed"] == 0}

    def choose_rate(self):
        """Returns the rate with the least loss; waits for the trials of other processes."""
        for rate in RATES:
            if self.take(f"rate-{rate}"):
                self.make(RATED, self.args.rate_steps, 0, rate)
        patience = time.time() + 2 * BEGIN
        while len(self.tried()) < len(RATES) and time.time() < patience and self.args.gpus > 1:
            time.sleep(0.5)
        found = self.tried()
        self.say(f"losses by rate: {found}")
        return min(found, key=found.get) if found else RATES[1]

    def work(self):
        args = self.args
        rate = args.rate or self.choose_rate()
        for name in sorted(COSTS, key=lambda name: -cost(name, args.steps)):
            late = time.time() - args.began + cost(name, args.steps) > args.until
            if late:
                self.say(f"{name} would not end in time")
            elif self.take(name):
                self.make(name, args.steps, args.seed, rate)


def parse(argv=None):
    parser = argparse.ArgumentParser(description=__doc__.partition("\n\n")[0])
    parser.add_argument("--tokens", type=Path, required=True)
    parser.add_argument("--to", type=Path, required=True)
    parser.add_argument("--count", type=float, help="tokens (default: as many as fit)")
    parser.add_argument("--rate-steps", type=int, default=60)
    parser.add_argument("--rate", type=float, help="(default: it is chosen)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--until", type=float, default=1080.0, help="seconds")
    parser.add_argument("--later", action="append", default=[], metavar="GPU=FILE:SECONDS")
    parser.add_argument("--began", type=float, default=time.time(), help=argparse.SUPPRESS)
    parser.add_argument("--worker", type=int, default=0, help=argparse.SUPPRESS)  # of so many
    args = parser.parse_args(argv)
    args.visible = os.environ.get("CUDA_VISIBLE_DEVICES", "0").split(",")
    args.gpus = args.worker or len(args.visible)
    args.late = dict(map(later, args.later))
    args.steps = round(args.count / STEP) if args.count else steps_that_fit(args)
    return args


def later(words):
    """Returns (GPU, (file, seconds)) of GPU=FILE:SECONDS."""
    gpu, _, rest = words.partition("=")
    path, _, seconds = rest.rpartition(":")
    return gpu, (Path(path), float(seconds))


def waits(args, gpu):
    """Returns whether a GPU is not to begin yet."""
    path, seconds = args.late.get(gpu, (None, 0.0))
    return path is not None and not path.exists() and time.time() - args.began < seconds


def start(args, gpu):
    argv = [sys.executable, str(Path(__file__).resolve()), "--worker", str(args.gpus)]
    argv += ["--tokens", str(args.tokens), "--to", str(args.to), "--seed", str(args.seed)]
    argv += ["--count", str(args.steps * STEP), "--until", str(args.until)]
    argv += ["--rate-steps", str(args.rate_steps)]
    argv += ["--began", str(args.began), *(["--rate", str(args.rate)] if args.rate else [])]
    return subprocess.Popen(argv, env={**os.environ, "CUDA_VISIBLE_DEVICES": gpu})


def look_after(args, running):
    """Starts the processes that are to run now; running: {GPU: process, or None before}."""
    for gpu, process in list(running.items()):
        if waits(args, gpu) or (process and process.poll() is None):
            continue
        late = time.time() - args.began + BEGIN > args.until
        if late or (process and process.returncode == 0):
            del running[gpu]
        else:
            running[gpu] = start(args, gpu)


def main():
    args = parse()
    if args.worker:
        Worker(args).work()
        return 0
    args.to.mkdir(parents=True, exist_ok=True)
    print(f"{args.steps} steps of {STEP} tokens a row, {args.gpus} GPUs", flush=True)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    running = dict.fromkeys(args.visible)
    try:
        while running:
            look_after(args, running)
            time.sleep(0.5)
    finally:
        for process in filter(None, running.values()):
            process.terminate()
    return 0


if __name__ == "__main__":
    sys.exit(main())
