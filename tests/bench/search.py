"""make bench-search: the first and the best network of the main job, how soon they are there, and what they take.

Every automaton of tests/data/real and 50 random ones (seeds in real.py) is compiled with a small effort and with the default;
every certificate is checked by lrnn-check. Prints a line for each automaton, and writes all figures as JSON (--out). A network
that is not VERIFIED ends it with status 1; targets are ratios (below 1 meets them).
"""
import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import real

SMALL = 50
TARGET = {"small": {"seconds": 3.0, "mib": 500.0}, "default": {"seconds": 15.0}}
FILES = ("automaton.fsa", "network.lrnn", "certificate.cert")


def measured(argv):
    """Exit status, wall seconds, seconds of the processor, and peak memory in MiB of a process."""
    start = time.perf_counter()
    process = subprocess.Popen(argv, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return {"status": process.returncode, "seconds": round(time.perf_counter() - start, 3),
            "processor_seconds": round(used.ru_utime + used.ru_stime, 3), "mib": round(used.ru_maxrss / 1024, 1)}


def network(theorem, figures, **more):
    keys = ("layers", "householders", "factors_per_token", "states")
    return {"theorem": theorem, **{k: figures[k] for k in keys if k in figures}, **more}


def lower_bound(report):
    """The fewest layers that a construction which was not built would have had; None where all were built."""
    least = [e["at_least"]["layers"] for e in report["others"]
             if e["outcome"] == "unknown" and e.get("at_least") and "layers" in e["at_least"]]
    return min(least, default=None)


def job(tool, checker, arguments, effort, folder):
    """One run of the main job, with what its report says."""
    out = folder / "out"
    options = ["--effort", str(effort)] if effort else []
    run = measured([tool, *arguments, *options, "--out", str(out), "--force", "--quiet"])
    if run["status"] not in (0, 2) or not (out / "report.json").exists():
        return {**run, "verified": False}
    report = json.loads((out / "report.json").read_text())
    checked = measured([checker, *(str(out / f) for f in FILES)])
    search, built = report["search"], report["construction"]
    return {**run, "verified": report["exact"]["verdict"] == "VERIFIED" and checked["status"] == 0,
            "states": report["fsa"]["states"], "minimised": built["minimised_states"], "letters": report["fsa"]["letters"],
            "ended": search["ended"], "steps": search["steps"], "first": search["first"],
            "first_seconds": report["timing"]["first_seconds"],
            "best": network(f"{built['theorem']} {built['variant']}", built),
            "formats": sorted({f["format"] for f in report["formats"]
                               if f["schedule"] == "every" and f["verdict"] == "VERIFIED"}),
            "open_at_least_layers": lower_bound(report), "check_seconds": checked["seconds"],
            "bytes": sum(p.stat().st_size for p in out.iterdir())}


def line(name, small, default):
    if not (small["verified"] and default["verified"]):
        return f"{name:24} NOT VERIFIED: status {small['status']} and {default['status']}"
    first, best, open_at = default["first"], default["best"], default["open_at_least_layers"]
    size = f"{default['minimised'] or default['states']} x {default['letters']}"
    return (f"{name:24} {size:>9}  first {first['theorem']:3} {first['layers']:4} layers {default['first_seconds']:6.2f} s"
            f"  best {best['theorem']:20} {best['layers']:4}{'' if open_at is None else f' (or {open_at})'}"
            f"  small {small['seconds']:5.1f} s {small['mib']:5.0f} MiB"
            f"  default {default['seconds']:5.1f} s {default['mib']:5.0f} MiB  {default['ended']}")


def ratios(rows):
    """The worst run of each kind against its target."""
    return {kind: {key: round(max(r[kind][key] for r in rows) / target, 3) for key, target in targets.items()}
            for kind, targets in TARGET.items()}


def automata(tool, seeds, folder):
    yield from real.inputs()
    for seed in seeds:
        path = folder / f"random-{seed}.fsa"
        text = subprocess.run([tool, "new", *real.family(seed)], stdout=subprocess.PIPE, check=True).stdout
        path.write_bytes(text)
        yield " ".join(real.family(seed)), [str(path)]


def run(tool, checker, seeds):
    rows = []
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        for name, arguments in automata(tool, seeds, folder):
            small, default = (job(tool, checker, arguments, effort, folder) for effort in (SMALL, None))
            rows.append({"name": name, "small": small, "default": default})
            print(line(name, small, default), flush=True)
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", required=True, type=Path)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--seeds", type=int, default=len(real.SEEDS), help="how many of the random automata")
    args = parser.parse_args()
    tool, checker = str(args.build / "fsa2lrnn"), str(args.build / "lrnn-check")
    rows = run(tool, checker, real.SEEDS[:args.seeds])
    unverified = [r["name"] for r in rows if not (r["small"]["verified"] and r["default"]["verified"])]
    ratio = ratios(rows)
    print(f"worst against the targets (3 s, 500 MiB with --effort {SMALL}; 15 s): {ratio}")
    if args.out:
        version = subprocess.run([tool, "--version"], stdout=subprocess.PIPE, check=True, text=True).stdout.splitlines()[0]
        args.out.write_text(json.dumps({
            "command": "make bench-search", "date": time.strftime("%Y-%m-%d"), "tool": version,
            "device": f"{platform.machine()}, {os.cpu_count()} cores", "effort_small": SMALL, "targets": TARGET,
            "ratios": ratio, "rows": rows}, indent=1) + "\n")
    print("NOT VERIFIED: " + "; ".join(unverified) if unverified else f"all {len(rows)} automata have a VERIFIED network")
    return 1 if unverified else 0


if __name__ == "__main__":
    sys.exit(main())
