"""make gpu-check: the check programs of cuda/check on the GPU of this machine, our trainer beside
PyTorch's, and flash-linear-attention beside our replays and as a reader of our weights.

    python3 tests/cuda/gpu_check.py --programs build/release/gpu --build build/release
        [--src SRC] [--sanitizer]

Without a GPU only the dumps of the replays are checked, and a line says so. --sanitizer runs the
check programs a second time under compute-sanitizer's memcheck and racecheck (slow; a line says so
where it cannot run). The exit status is 1 when anything failed."""

import argparse
import importlib.util
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent


def has_gpu():
    try:
        return subprocess.run(
            ["nvidia-smi", "-L"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        ).stdout.startswith(b"GPU")
    except OSError:
        return False


def run(name, command, limit):
    start = time.monotonic()
    try:
        done = subprocess.run(
            [str(c) for c in command],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=limit,
        )
        code, text = done.returncode, done.stdout.decode("utf-8", "replace")
    except subprocess.TimeoutExpired as error:
        code, text = 124, (error.stdout or b"").decode("utf-8", "replace")
    seconds = time.monotonic() - start
    lines = text.splitlines()
    for line in lines if code else [l for l in lines if not l.startswith("ok ")][-3:]:
        print("    " + line)
    print(
        f"{'ok  ' if code == 0 else 'FAIL'} {name}, {sum(l.startswith('ok ') for l in lines)}"
        f" lines, {seconds:.1f} s",
        flush=True,
    )
    return code == 0


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--programs", type=Path, required=True)
    parser.add_argument("--build", type=Path, required=True)
    parser.add_argument("--src", type=Path)
    parser.add_argument("--sanitizer", action="store_true")
    parser.add_argument("--limit", type=float, default=300, help="seconds for one program")
    args = parser.parse_args()
    compare = [sys.executable, HERE / "compare_fla.py", "compare", "--dir", args.build / "kernels"]
    if not has_gpu():
        if (args.build / "kernels").is_dir():
            subprocess.run([str(c) for c in compare] + ["--check-only"], check=True)
        print(
            "no NVIDIA GPU here: no kernel was run. On a machine that has one: make gpu-check"
            " SRC=DIR, DIR a folder that holds the package fla; or make gpu-bundle here, and this"
            " program there"
        )
        return 0
    good = True
    programs = sorted(
        p for p in args.programs.glob("check_*") if p.suffix == "" and os.access(p, os.X_OK)
    )
    for program in programs:
        good &= run(program.name, [program], args.limit)
    if not programs:
        print("FAIL no check programs: built without nvcc")
        good = False
    if args.sanitizer and not shutil.which("compute-sanitizer"):
        print("compute-sanitizer: not run, not installed")
    elif args.sanitizer:
        for tool in ("memcheck", "racecheck"):
            for program in programs:
                good &= run(
                    f"{program.name} under {tool}",
                    ["compute-sanitizer", "--tool", tool, "--error-exitcode", "3", program],
                    args.limit,
                )
    if importlib.util.find_spec("torch"):
        trainer = HERE.parent / "clients/trainer/trainer.py"
        beside = [sys.executable, trainer, "--build", args.build, "--backend", "cuda-float"]
        good &= run("trainer", beside, args.limit)
    else:
        print("trainer: not run, PyTorch is not installed")
    if args.src:
        if (args.build / "kernels").is_dir():
            good &= run(
                "compare_fla",
                compare + ["--src", args.src, "--out", args.build / "kernels.json"],
                args.limit,
            )
        good &= run(
            "fla_roundtrip",
            [
                sys.executable,
                HERE.parent / "clients/fla_roundtrip.py",
                "--build",
                args.build,
                "--src",
                args.src,
            ],
            args.limit,
        )
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
