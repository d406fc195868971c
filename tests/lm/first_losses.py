"""The first losses of a row with our operators and with fla's.

    python3 first_losses.py --tokens TOKENS --to DIR [--row delta-11] [--steps 50] [--count 131e6]

Each run begins the training of --count tokens with the same weights and the same windows, and is
cut after --steps steps. The operators are those of the mixer and of the short convolution; norms,
SwiGLU and the loss are PyTorch's in all runs. What two orders of sums differ by is measured too:
each of the two sorts of operators runs with windows 8 and 4 at a time, so that gradients are added
in another order. The last run has our operators in float32 throughout, and shows on which side the
other two lie.

DIR/first-ROW.json has the losses of the runs that have ended, and how far they are apart."""

import argparse
import contextlib
import gc
import importlib
import json
import sys
import time
import traceback
from pathlib import Path

import networks
import torch
import train
from corpus import Refused

# Name, operators, windows at a time, and whether in bf16.
RUNS = (
    ("ours", networks.OURS, 8, True),
    ("ours, another order", networks.OURS, 4, True),
    ("fla", networks.THEIRS, 8, True),
    ("fla, another order", networks.THEIRS, 4, True),
    ("ours, float32", networks.OURS, 4, False),
)
MOST = 2.0  # times what two orders of sums differ by, that ours and fla's may


def apart(one, other):
    """Returns the largest and the mean distance of two lists of losses."""
    found = [abs(a - b) for a, b in zip(one, other, strict=True)]
    return {"largest": round(max(found), 5), "mean": round(sum(found) / len(found), 6)}


def compare(runs):
    """Returns the distances of the runs {name: losses} that there are, and whether ours and fla's
    are at most MOST times as far apart as two orders of sums; None where a run is not there."""
    pairs = {
        "ours, two orders": ("ours", "ours, another order"),
        "fla, two orders": ("fla", "fla, another order"),
        "ours and fla": ("ours", "fla"),
        "ours and float32": ("ours", "ours, float32"),
        "fla and float32": ("fla", "ours, float32"),
    }
    found = {
        name: apart(*(runs[one] for one in pair))
        for name, pair in pairs.items()
        if all(one in runs for one in pair)
    }
    needed = list(pairs)[:3]
    agree = None
    if all(name in found for name in needed):
        orders = max(found[name]["largest"] for name in needed[:2])
        agree = found["ours and fla"]["largest"] <= MOST * orders
    return {"apart": found, "agree": agree}


@contextlib.contextmanager
def wide():
    """Lets our operators take float32 inside fla, whose own refuse it."""
    adapters = importlib.import_module("fsa2lrnn.kernels.fla")
    before = dict(adapters.TARGETS)

    def widened(adapt):
        def adapted(**named):
            three = {name: named[name] for name in ("q", "k", "v")}
            found = adapt(**{**named, **{name: x.bfloat16() for name, x in three.items()}})
            return found if isinstance(found, str) else {**found, **three}

        return adapted

    adapters.restore_fla()
    adapters.TARGETS.update({n: (home, widened(adapt)) for n, (home, adapt) in before.items()})
    try:
        yield
    finally:
        adapters.restore_fla()
        adapters.TARGETS.update(before)


def one_run(args, which, micro, narrow):
    """Returns the losses of a run, which keeps nothing else."""
    argv = ["--config", str(Path(__file__).parent / f"configs/{args.row}.json"), "--keep-nothing"]
    argv += ["--tokens", str(args.tokens), "--to", str(args.to / "run"), "--stop", str(args.steps)]
    argv += ["--count", str(args.count), "--micro", str(micro), "--operators", which]
    argv += ["--window", str(args.window), "--step-tokens", str(args.step_tokens)]
    with contextlib.nullcontext() if narrow else wide():
        losses = train.run(train.parse(argv), bf16=narrow)["losses"]
    gc.collect()
    torch.cuda.empty_cache()
    return losses


def measure(args):
    """Runs all, and writes after each that has ended; returns what is in the file."""
    args.to.mkdir(parents=True, exist_ok=True)
    runs, seconds, about = {}, {}, {"apart": {}}
    for name, which, micro, narrow in RUNS:
        began = time.monotonic()
        try:
            runs[name] = one_run(args, which, micro, narrow)
        except Refused:
            raise
        except Exception:  # of one kernel; other runs may do better
            print(f"{args.row} {name}: {traceback.format_exc()}", flush=True)
            continue
        seconds[name] = round(time.monotonic() - began, 2)
        about = {"row": args.row, "count": args.count, "steps": args.steps, "seconds": seconds}
        about |= {"most": MOST, **compare(runs), "losses": runs}
        train.write(args.to / f"first-{args.row}.json", about)
        print(args.row, name, seconds[name], about["apart"], flush=True)
    return about


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n\n")[0])
    parser.add_argument("--tokens", type=Path, required=True)
    parser.add_argument("--to", type=Path, required=True)
    parser.add_argument("--row", default="delta-11")
    parser.add_argument("--steps", type=int, default=50)
    parser.add_argument("--count", type=float, default=131e6)
    parser.add_argument("--window", type=int, default=train.WINDOW)
    parser.add_argument("--step-tokens", type=int, default=train.TOKENS_A_STEP)
    try:
        print(json.dumps(measure(parser.parse_args())["apart"]))
    except Refused as error:
        print(f"first_losses.py: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
