"""Cascades: our times, levels and total states beside recorded figures of SgpDec and of our
prototype.

With the prototype's source (--prototype FILE, or the environment variable CASCADE_PROTOTYPE) it is
compiled and run beside ours, row by row; otherwise only its recorded figures are shown. Nothing
outside the tree is needed.

usage: cascade_bench.py --build build/release [--prototype cascade.cpp]
"""

import argparse
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
FAMILIES = HERE.parent / "golden/cascade-families.txt"
RUNS = 20
FULL = [(14, 0.5), (16, 3.0)]  # points, seconds for the holonomy cascade
MEMORY = 2048  # MiB
ROW = re.compile(r"^(\S+)\s+\d+\s+\d+ ([HM])\s.*\|\s+([0-9.]+) ok\d+$", re.M)


def ours(binary, *arguments):
    """Returns {(name, kind): (ms, levels, states, contexts)} and the peak memory in MiB."""
    process = subprocess.Popen([binary, *arguments], stdout=subprocess.PIPE, text=True)
    text = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    if os.waitstatus_to_exitcode(status):
        sys.exit("bench_cascade failed")
    found = {}
    for line in text.splitlines():
        name, kind, ms, *numbers = line.split()
        found[name, kind] = (float(ms), *map(int, numbers))
    return found, usage.ru_maxrss / 1024


def recorded():
    lines = (HERE / "cascade-recorded.txt").read_text().splitlines()
    return {line.split()[0]: line.split()[1:] for line in lines if not line.startswith("#")}


def prototype(source, runs):
    """Returns {(name, kind): median ms} of the prototype, or None."""
    if not source:
        print(
            "prototype: not given (--prototype or CASCADE_PROTOTYPE), so only its recorded times"
            " are shown"
        )
        return None
    compiler = shutil.which("g++") or shutil.which("clang++")
    if not Path(source).is_file() or not compiler:
        print(
            f"prototype: {source} cannot be built"
            f" ({'no such file' if compiler else 'no C++ compiler'}), skipped"
        )
        return None
    with tempfile.TemporaryDirectory() as folder:
        binary = Path(folder) / "prototype"
        if subprocess.run([compiler, "-O2", "-w", "-o", str(binary), source]).returncode:
            print(f"prototype: {source} does not compile, skipped")
            return None
        tables = "".join(
            line for line in FAMILIES.read_text().splitlines(True) if not line.startswith("#")
        )
        times = {}
        for _ in range(runs):
            text = subprocess.run(
                [str(binary), "HM", "400000", "1"],
                input=tables,
                stdout=subprocess.PIPE,
                text=True,
                check=True,
            ).stdout
            for name, kind, seconds in ROW.findall(text):
                times.setdefault((name, {"H": "holonomy", "M": "capped"}[kind]), []).append(
                    1e3 * float(seconds)
                )
    return {key: statistics.median(values) for key, values in times.items()}


def families(binary, source, runs):
    found, peak = ours(binary, "families", str(FAMILIES), str(runs))
    known, beside = recorded(), prototype(source, runs)
    missed, total = [], {"ours": 0.0, "prototype": 0.0}
    print(
        f"{'family':12} {'holonomy ms':>11} {'lev':>4} {'SgpDec lev':>10} {'skeleton':>9}"
        f" {'cascade':>9} {'recorded':>9} | {'capped ms':>10} {'lev':>4} {'states':>6}"
        f" {'contexts':>8} {'known lev':>9} {'recorded':>9}"
        + (" | prototype beside (holonomy, capped)" if beside else "")
    )
    for name, (skeleton, cascade, sgpdec_levels, proto_h, proto_c, known_levels) in known.items():
        h, c = found[name, "holonomy"], found[name, "capped"]
        line = (
            f"{name:12} {h[0]:11.3f} {h[1]:4} {sgpdec_levels:>10} {skeleton:>9} {cascade:>9}"
            f" {proto_h:>9} | {c[0]:10.3f} {c[1]:4} {c[2]:6} {c[3]:8} {known_levels:>9}"
            f" {proto_c:>9}"
        )
        if c[1] > int(known_levels):
            missed.append(f"{name}: {c[1]} levels")
        for kind, (ms, *_) in (("holonomy", h), ("capped", c)):
            other = (beside or {}).get((name, kind))
            if other is None:
                continue
            total["ours"] += ms
            total["prototype"] += other
            line += f" | {other:7.3f}"
            if other > 0.2 and ms > 2 * other:
                missed.append(f"{name} {kind}: {ms / other:.2f} times the prototype")
        print(line)
    if beside:
        ratio = total["ours"] / total["prototype"]
        print(
            f"sum: ours {total['ours']:.3f} ms, prototype {total['prototype']:.3f} ms, ratio"
            f" {ratio:.2f} (at most 2)"
        )
        if ratio > 2:
            missed.append(f"sum: {ratio:.2f} times the prototype")
    print(f"peak memory {peak:.0f} MiB")
    return missed


def run(build, source=None, runs=RUNS):
    """Prints the tables; returns the missed targets."""
    binary = str(Path(build) / "tests/bench/bench_cascade")
    missed = families(binary, source or os.environ.get("CASCADE_PROTOTYPE"), runs)
    for points, target in FULL:
        found, peak = ours(binary, "full", str(points))
        ms = found[f"T{points}", "holonomy"][0]
        print(
            f"T{points}, holonomy: {ms / 1e3:.3f} s  target {target} s  {peak:.0f} of {MEMORY} MiB"
        )
        if ms / 1e3 > target or peak > MEMORY:
            missed.append(f"T{points}")
    return missed


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--build", required=True, type=Path)
    parser.add_argument("--prototype")
    parser.add_argument("--runs", type=int, default=RUNS)
    args = parser.parse_args()
    missed = run(args.build, args.prototype, args.runs)
    print(
        "all targets of the cascades met" if not missed else "targets missed: " + "; ".join(missed)
    )


if __name__ == "__main__":
    main()
