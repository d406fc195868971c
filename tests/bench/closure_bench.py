"""Closures in formats: joint steps (a row and a letter) per second, and the peak memory, of
bench_closure.

usage: closure_bench.py --build build/release
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

RATE = 1_000_000  # joint steps a second and thread
MEMORY = 1228.8  # MiB: 1.2 GiB

# S_n by the swaps of neighbours; and, on 16 points, S_4 x S_4 x (S_2)^4. The keys are the textbook
# ones, which formats round.
SWAPS = {
    "S5": (5, [(i, i + 1) for i in range(1, 5)]),
    "S8": (8, [(i, i + 1) for i in range(1, 8)]),
    "G16": (
        16,
        [(1, 2), (2, 3), (3, 4), (5, 6), (6, 7), (7, 8), (9, 10), (11, 12), (13, 14), (15, 16)],
    ),
}

# automaton, format, most rows, threads, runs, memory in MiB
ROWS = [
    ("S5", "bf16", 1_000_000, 1, 5, None),
    ("S5", "fp32", 2_000_000, 1, 3, None),
    ("S5", "fp32", 2_000_000, 2, 3, None),
    ("G16", "bf16", 1_000_000, 1, 3, None),
    ("G16", "fp16", 1_000_000, 1, 5, None),
    ("G16", "fp32", 1_000_000, 1, 3, None),
    ("S8", "fp32", 20_000_000, 2, 1, MEMORY),
]


def network(tool, folder, name):
    points, swaps = SWAPS[name]
    text = f"points {points}\ntrack elements\n" + "".join(
        f"permute s{i} ({a} {b})\n" for i, (a, b) in enumerate(swaps)
    )
    (folder / f"{name}.fsa").write_text(text)
    out = folder / f"{name}.lrnn"
    subprocess.run(
        [
            tool,
            "compile",
            str(folder / f"{name}.fsa"),
            "--keys",
            "naive",
            "--formats",
            "bf16",
            "--limit",
            "1",
            "--out",
            str(out),
            "--quiet",
        ],
        check=True,
    )
    return [str(out / "automaton.fsa"), str(out / "network.lrnn")]


def measure(binary, files, arguments):
    """Returns bench_closure's figures, and the peak memory in MiB."""
    process = subprocess.Popen(
        [binary, *files, *map(str, arguments)], stdout=subprocess.PIPE, text=True
    )
    text = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    if os.waitstatus_to_exitcode(status):
        sys.exit("bench_closure failed")
    return json.loads(text), usage.ru_maxrss / 1024


def run(build, rows):
    """Prints a line for each closure and appends it to `rows`."""
    tool, binary = str(build / "fsa2lrnn"), str(build / "tests/bench/bench_closure")
    with tempfile.TemporaryDirectory() as temporary:
        files = {name: network(tool, Path(temporary), name) for name in SWAPS}
        for name, format_name, limit, threads, runs, memory in ROWS:
            found = [
                measure(binary, files[name], (format_name, "every", limit, threads))
                for _ in range(runs)
            ]
            rate = statistics.median(f["steps"] / f["seconds"] for f, _ in found)
            busy = statistics.median(f["steps"] / f["cpu_seconds"] for f, _ in found)
            peak = max(p for _, p in found)
            count, target = found[0][0]["rows"], RATE * threads
            title = (
                f"closure, {name} naive, {format_name}, {count:,} rows, {threads}"
                f" thread{'s' * (threads > 1)}"
            )
            rows.append(
                {
                    "name": title,
                    "verdict": found[0][0]["verdict"],
                    "median_steps_per_s": round(rate),
                    "median_steps_per_cpu_s": round(busy),
                    "target_steps_per_s": target,
                    "ratio": round(target / rate, 3),
                    "peak_mib": round(peak, 1),
                    "target_mib": memory,
                    "runs": runs,
                }
            )
            extra = f"  {peak:8.1f} of {memory} MiB" if memory else f"  {peak:8.1f} MiB"
            print(
                f"{title:52} {rate / 1e6:8.3f} M/s  target {target / 1e6:.0f} M/s  ratio"
                f" {target / rate:6.3f}{extra}  ({busy / 1e6:.2f} M per second of CPU)",
                flush=True,
            )


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--build", required=True, type=Path)
    run(parser.parse_args().build, [])


if __name__ == "__main__":
    main()
