"""Our trainer beside one that is written with PyTorch: from the same first weights and on the same
words both give the same losses step by step, and the same gradients parameter by parameter.

    make all build/release/tests/clients/trainer/trainer_trace
    python3 tests/clients/trainer/trainer.py --build build/release [--all] [--out OUT.json]

trainer_trace.c makes the steps of our trainer, model.py and steps.py the others. For every
configuration (ours.py):

cpu-double  for 1,000 steps, beside PyTorch in double: losses agree to 1e-6, and to 1e-9, up to the
            step at which two PyTorch runs that differ only in the order of their sums are a tenth
            of it apart.
cpu         in float, for 50 steps and for 10 from a common checkpoint (parameters, moments of
            AdamW, step) at steps 200, 500 and 1,000, beside PyTorch in float and in double: 1e-4,
            and 1e-5 where trainers that are wrong on purpose are tried.
host        the same by the device's step with the host's operators in place of a device's; with
            --backend cuda-float also by a GPU, beside PyTorch on this GPU.

Gradients at steps 0, 200, 500 and 1,000 are compared tensor by tensor, relative to the tensor's
largest entry. Labels are computed again from the automaton, and `fsa2lrnn train --resume` must go
on from the last checkpoint with the same losses. The wrong trainers must be refused (changes.py).
On a machine with a GPU, DIR of --build is the unpacked bundle of `make gpu-bundle`. Without PyTorch
only our own parts are compared with each other. Without --all, --out, --backend and
F2L_TEST_WHOLE=1 there are 330 steps, with checkpoints at 100, 200 and 330."""

import argparse
import concurrent.futures
import datetime
import importlib.util
import json
import multiprocessing
import os
import platform
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from ours import CONFIGURATIONS, FEW, NOT_ON_DEVICES, START, STEPS, WINDOW, Ours


class Verdicts(list):
    """What was compared: (ok, text)."""

    def add(self, ok, text):
        self.append((bool(ok), text))


def same_words(one, other):
    return all(
        np.array_equal(x, y)
        for step in set(one) & set(other)
        for x, y in zip(one[step], other[step])
    )


# --- one configuration ---


def only_ours(ours, double, narrow, there, verdicts):
    """Checks what needs no PyTorch."""
    words = {step: w for trace, _ in narrow for step, w in trace.words.items()}
    wide = {step: w for trace, _ in double for step, w in trace.words.items()}
    verdicts.add(len(words) == STEPS + WINDOW and same_words(words, wide), "words of all steps")
    wrong = ours.labels_wrong({step: words[step] for step in range(START)})
    if wrong is not None:
        verdicts.add(wrong == 0, f"labels: {wrong} are not the automaton's")
    start, rounded = narrow[0][0].parameter, double[0][0].parameter.astype("f4")
    verdicts.add(np.array_equal(start, rounded), "first weights in float and in double")
    for backend, parts in there.items():
        equal = all(
            np.array_equal(a.parameter, b.parameter) and same_words(a.words, b.words)
            for (a, _), (b, _) in zip(parts, narrow)
        )
        verdicts.add(equal, f"{backend} begins its windows with the weights and words of cpu")
    for backend in ["cpu", *(b for b in there if b != "host")]:
        verdicts.add(ours.resumes(backend), f"train --resume on {backend} gives the traced losses")


def devices(ours, backends, verdicts):
    """Returns {backend: its windows}; backends that refuse the model must say why."""
    found, why = {}, NOT_ON_DEVICES.get(ours.name)
    for backend in backends:
        try:
            found[backend] = ours.windows(backend)
        except RuntimeError as error:
            verdicts.add(why and why in str(error), f"{backend} refuses: {error}")
        else:
            verdicts.add(why is None, f"{backend} takes the model")
    return found


def examine(name, args):
    """Returns the verdicts and the record of a configuration."""
    verdicts, began = Verdicts(), time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        ours = Ours(args.build, Path(folder) / "runs", name)
        double, narrow = ours.course("cpu-double"), ours.course("cpu")
        there = devices(ours, ["host", *args.backend], verdicts)
        only_ours(ours, double, narrow, there, verdicts)
        record = {"name": name, "task": ours.task, "arguments": " ".join(ours.arguments)}
        record["config"] = ours.config
        if args.torch:
            from beside import compare

            compare(record, ours, double, {"cpu": narrow, **there}, verdicts)
    record["seconds"] = round(time.monotonic() - began, 1)
    record["failed"] = [text for ok, text in verdicts if not ok]
    return verdicts, record


# --- the whole ---


def processor():
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.machine()


def command():
    """Returns the command without the paths of this machine."""
    words = ["tests/clients/trainer/trainer.py"]
    for word in sys.argv[1:]:
        words.append({"--build": "BUILD", "--out": "OUT"}.get(words[-1], word))
    return " ".join(words)


def about(args):
    """Returns what a configuration's record says of its run."""
    tool = [str(args.build / "fsa2lrnn"), "--version"]
    version = subprocess.run(tool, stdout=subprocess.PIPE, text=True, check=True).stdout
    record = {
        "program": version.splitlines()[0],
        "command": command(),
        "date": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
        "processor": processor(),
        "python": platform.python_version(),
    }
    if args.torch:
        import torch

        record["torch"] = torch.__version__
        if args.backend:
            record["device"] = torch.cuda.get_device_name()
    return record


def tell(name, verdicts, record):
    print(f"{name} ({record['seconds']:.0f} s)")
    for ok, text in verdicts:
        print(f"  {'ok    ' if ok else 'FAILED'} {text}", flush=True)


def write(record, out):
    """Puts the record of a configuration into the file, in the place of an older one."""
    if out.exists():
        result = json.loads(out.read_text())
    else:
        result = {"schema": 1, "configurations": {}}
    result["configurations"][record.pop("name")] = record
    new = out.with_name(f"{out.name}.new")
    new.write_text(json.dumps(result, indent=1) + "\n")
    new.replace(out)


def arguments():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--build", required=True, type=lambda p: Path(p).resolve())
    parser.add_argument("--all", action="store_true", help="all configurations, not the first few")
    parser.add_argument("--only", help="configurations, separated by commas")
    parser.add_argument("--backend", action="append", default=[], choices=["cuda-float"])
    parser.add_argument("--ours", action="store_true", help="compare only our own parts")
    parser.add_argument("--jobs", type=int, default=1, help="configurations at once")
    parser.add_argument("--out", type=Path, help="the JSON file that takes the records")
    args = parser.parse_args()
    args.torch = not args.ours and importlib.util.find_spec("torch") is not None
    if not args.torch and not args.ours:
        print("skipped: torch is not installed (python3-torch); only our own parts are compared")
    args.names = args.only.split(",") if args.only else list(CONFIGURATIONS)
    args.names = args.names if args.all or args.only else args.names[:FEW]
    if not set(args.names) <= set(CONFIGURATIONS):
        parser.error(f"--only takes some of {','.join(CONFIGURATIONS)}")
    if args.torch and args.backend:
        import torch

        if not torch.cuda.is_available():
            parser.error("there is no GPU that PyTorch can use")
    return args


def main():
    args = arguments()
    os.environ["OMP_NUM_THREADS"] = "1"
    here, passed, failed = about(args), 0, 0
    with concurrent.futures.ProcessPoolExecutor(
        args.jobs, multiprocessing.get_context("spawn")
    ) as pool:
        for name, run in [(name, pool.submit(examine, name, args)) for name in args.names]:
            try:
                verdicts, record = run.result()
            except Exception as error:  # the others go on
                print(f"{name}\n  FAILED {type(error).__name__}: {error}", flush=True)
                failed += 1
                continue
            tell(name, verdicts, record)
            if args.out and args.torch:
                write({**here, **record}, args.out)
            passed += sum(ok for ok, _ in verdicts)
            failed += sum(not ok for ok, _ in verdicts)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
