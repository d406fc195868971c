"""The main job's search: first and best network, layers, time and memory, for real automata and
random ones.

Every automaton is compiled twice, with little effort (--effort 50) and with the default, and
lrnn-check judges the certificate. Two large random automata, of 1,000 and of 10,000 states, are
compiled with the default. A line for each run has: states (after minimising, if done) x letters;
the first verified network, and its millions of steps; the best network and its factors per token;
the fewest layers that a stopped candidate could have; what ended the search; wall time, its ratio
to the target (below 1 meets it), and its ratio to a reference, which is the main job for the
elements of S_7 by two generators, timed at the beginning; peak memory (or this program's own, if
larger); the size of OUT.

Without --all a sample is run, with the large automata, as in `make bench`; `make bench-search` runs
everything. The exit
status is 1 where a network is not VERIFIED, exactly and by lrnn-check; missed targets are listed.

usage: search.py --build build/release [--all] [--only PART] [--out search.json]
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tests"))
import mealy_cases  # noqa: E402
import search_cases  # noqa: E402

MEMORY = 500e6 / 2**20  # MiB, with little effort
# name, options, seconds, MiB
LITTLE = ("effort 50", ("--effort", "50"), 3.0, MEMORY)
DEFAULT = ("default", (), 10.0, None)
# With the default, too; states, letters, seed, seconds, MiB. The second target is our own.
LARGE = (
    (1000, 2, 7, ("large", (), 5.0, 250e6 / 2**20)),
    (10000, 2, 7, ("large", (), 30.0, 1024.0)),
)
MEALY = 20261130  # seed of a random Mealy machine
REFERENCE = ("new", "symmetric", "7", "--generators")
PATIENCE = 120  # seconds; after them a process is killed
FILES = ("automaton.fsa", "network.lrnn", "certificate.cert")
# The sample: every fifth random automaton with little effort, and these with the default.
LONG = (
    "mqtt_session.fsa --label accept",
    "random30.att",
    "utf8_validator.fsa",
    "random 26 x 2, seed 101",
    "random 41 x 3, seed 100",
)


def measured(argv, folder):
    """Returns status, standard output, standard error, seconds of wall and CPU time, and the peak
    memory in MiB of a process."""
    start = time.perf_counter()
    with open(folder / "stderr", "w+b") as errors:
        process = subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=errors)
        alarm = threading.Timer(PATIENCE, process.kill)
        alarm.start()
        text = process.stdout.read()
        _, status, used = os.wait4(process.pid, 0)
        alarm.cancel()
        seconds = time.perf_counter() - start
        process.stdout.close()
        process.returncode = os.waitstatus_to_exitcode(status)
        errors.seek(0)
        said = errors.read().decode(errors="replace")
    return (
        process.returncode,
        text.decode(errors="replace"),
        said,
        {
            "wall_s": round(seconds, 3),
            "cpu_s": round(used.ru_utime + used.ru_stime, 3),
            "peak_mib": round(used.ru_maxrss / 1024, 1),
        },
    )


def real_cases():
    for name, options, _, _ in search_cases.READ:
        shown = "" if options == search_cases.SYMBOLS else "".join(f" {o}" for o in options)
        yield name + shown, [str(search_cases.REAL / name), *options]


def mealy_cases_of(folder):
    """Yields a protocol and a random machine, for the outputs of their transitions."""
    made = ("protocol 57 x 13", mealy_cases.protocol()), (
        "random Mealy machine",
        mealy_cases.random_machine(MEALY),
    )
    for name, machine in made:
        path = folder / f"{name}.fsa"
        path.write_text(mealy_cases.text(machine), encoding="utf-8")
        yield f"{name} --label edges", [str(path), "--label", "edges"]


def new(tool, path, *family):
    with open(path, "wb") as out:
        subprocess.run([tool, "new", *family], stdout=out, check=True)
    return str(path)


def random_case(tool, folder, states, letters, seed):
    path = folder / f"random-{states}-{letters}-{seed}.fsa"
    family = ("random", str(states), str(letters), str(seed))
    return f"random {states} x {letters}, seed {seed}", [new(tool, path, *family)]


def random_cases(tool, folder):
    for states, letters, seed, _ in search_cases.RANDOM:
        yield random_case(tool, folder, states, letters, seed)


def large_cases(tool, folder):
    for states, letters, seed, mode in LARGE:
        yield random_case(tool, folder, states, letters, seed), mode


def reference_seconds(tool, folder):
    """Returns the median of three runs of the reference."""
    grammar = new(tool, folder / "reference.fsa", *REFERENCE[1:])
    argv = [tool, grammar, "--out", str(folder / "reference.lrnn"), "--force", "--quiet"]
    return statistics.median(measured(argv, folder)[3]["wall_s"] for _ in range(3))


def network(construction):
    layers, factors, states = search_cases.figures(construction)
    return {
        "theorem": construction["theorem"],
        "variant": construction["variant"],
        "layers": layers,
        "householders": construction["householders"],
        "factors_per_token": factors,
        "state_numbers": states,
    }


def fewest_layers(report):
    """Returns the fewest layers that a better network may have, as far as the search knows; None
    where it knows no bound."""
    open_ = [
        (e["at_least"] or {}).get("layers") for e in report["others"] if e["outcome"] == "unknown"
    ]
    return None if None in open_ else min([report["construction"]["layers"], *open_])


def described(report):
    """Returns a row's figures from a report; a report without "search" (of a tool without --effort)
    leaves its fields empty."""
    search = report.get("search") or {}
    return {
        "states": report["automaton"]["states"],
        "letters": report["automaton"]["letters"],
        "fsa_sha256": report["automaton"]["sha256"],
        "minimised_states": report["construction"]["minimised_states"],
        "first": search.get("first"),
        "first_s": report["timing"].get("first_seconds"),
        "best": network(report["construction"]),
        "layers_at_least": fewest_layers(report),
        "ended": search.get("ended"),
        "effort": search.get("effort"),
        "steps": search.get("steps"),
        "exact": report["exact"]["verdict"],
        "formats": {
            f["format"]: f["verdict"] for f in report["formats"] if f["schedule"] == "every"
        },
        "not_built": {
            f"{e['theorem']} {e['variant']}": e["reason"]
            for e in report["others"]
            if e["outcome"] == "unknown"
        },
    }


def checked(build, out, folder):
    status, text, said, used = measured(
        [str(build / "lrnn-check"), *(str(out / name) for name in FILES)], folder
    )
    return {
        "verdict": text.split(" label ")[0].strip() or said.strip(),
        "verified": status == 0,
        **used,
    }


def one(build, folder, case, mode):
    """Returns the row of a run."""
    (name, grammar), (kind, options, seconds, memory) = case, mode
    out = folder / "out"
    argv = [str(build / "fsa2lrnn"), *grammar, *options, "--out", str(out), "--force", "--quiet"]
    status, _, said, used = measured(argv, folder)
    row = {
        "name": name,
        "mode": kind,
        "exit": status,
        **used,
        "target_s": seconds,
        "ratio": round(used["wall_s"] / seconds, 3),
        "target_mib": memory and round(memory, 1),
    }
    if not (out / "report.json").exists():
        return {**row, "error": said.strip() or "no report"}
    row.update(described(json.loads((out / "report.json").read_text())))
    row["out_bytes"] = sum(path.stat().st_size for path in out.iterdir())
    row["lrnn_check"] = checked(build, out, folder)
    for path in out.iterdir():  # no run must find the files of another one
        path.unlink()
    return row


def is_verified(row):
    return row["exit"] == 0 and row.get("exact") == "VERIFIED" and row["lrnn_check"]["verified"]


def in_time(row):
    return row["ratio"] <= 1 and (row["target_mib"] is None or row["peak_mib"] <= row["target_mib"])


def printed(row):
    if "error" in row:
        return f"{row['name']:40} {row['mode']:9} exit {row['exit']}: {row['error']}"
    first, best = row["first"], row["best"]
    after = f" after {first['steps'] / 1e6:8.2f} M" if first else ""
    first_layers = f"{first['theorem']:3} {first['layers']:4}{after}" if first else ""
    limit = f" of {row['target_mib']:.0f}" if row["target_mib"] else ""
    least, size = row["layers_at_least"], row["minimised_states"] or row["states"]
    verdicts = f"  NOT VERIFIED: {row['exact']}; {row['lrnn_check']['verdict']}"
    unverified = "" if is_verified(row) else verdicts
    return (
        f"{row['name']:40} {row['mode']:9} {size:4} x {row['letters']:<4} {first_layers:22}"
        f"  {best['theorem']:3} {best['layers']:4} layers, {best['factors_per_token']:7} factors"
        f"  >= {'?' if least is None else least:>3}  {row['ended'] or '':10}"
        f" {row['wall_s']:7.2f} s  ratio {row['ratio']:6.3f}  {row['to_reference']:6.2f} ref"
        f"  {row['peak_mib']:7.1f}{limit} MiB  {row['out_bytes'] / 1e3:9.0f} kB  check"
        f" {row['lrnn_check']['wall_s']:6.2f} s{unverified}"
    )


def sample(random_list, real_list):
    """Yields the (case, mode) of `make bench`."""
    little = real_list + random_list[::5]
    yield from ((case, LITTLE) for case in little)
    yield from (
        (case, DEFAULT)
        for case in real_list + random_list
        if case[0].split(" --symbols")[0] in LONG
    )


def run(build, everything=False, only=""):
    """Prints a line for each run and returns the rows."""
    rows = []
    with tempfile.TemporaryDirectory() as temporary:
        folder, tool = Path(temporary), str(build / "fsa2lrnn")
        real = [*real_cases(), *mealy_cases_of(folder)]
        drawn = list(random_cases(tool, folder))
        whole = [(case, mode) for case in real + drawn for mode in (LITTLE, DEFAULT)]
        chosen = [*(whole if everything else sample(drawn, real)), *large_cases(tool, folder)]
        reference = reference_seconds(tool, folder)
        for case, mode in chosen:
            if only not in f"{case[0]} {mode[0]}":
                continue
            row = one(build, folder, case, mode)
            row["to_reference"] = round(row["wall_s"] / reference, 3)
            rows.append(row)
            print(printed(rows[-1]), flush=True)
    print_totals(rows)
    return rows


def named(rows):
    return [f"{row['name']}, {row['mode']}" for row in rows]


def late(rows):
    """Returns the names of the runs that missed a target."""
    return named(row for row in rows if not in_time(row))


def unproved(rows):
    """Returns the names of the runs without a network that is VERIFIED."""
    return named(row for row in rows if not is_verified(row))


def print_totals(rows):
    for kind, _, seconds, memory in (LITTLE, DEFAULT):
        of_kind = [row for row in rows if row["mode"] == kind]
        if not of_kind:
            continue
        slowest, largest = (
            max(of_kind, key=lambda row, key=key: row[key]) for key in ("wall_s", "peak_mib")
        )
        limit = f" of {memory:.0f}" if memory else ""
        print(
            f"{kind}: {len(of_kind) - len(unproved(of_kind))} of {len(of_kind)} verified;"
            f" the slowest {slowest['wall_s']:.2f} s of {seconds:.0f} s ({slowest['name']}),"
            f" the largest {largest['peak_mib']:.0f}{limit} MiB ({largest['name']})"
        )


def device():
    """Returns the processor's name and the number of processors."""
    text = Path("/proc/cpuinfo").read_text() if Path("/proc/cpuinfo").exists() else ""
    names = [
        line.split(":", 1)[1].strip() for line in text.splitlines() if line.startswith("model name")
    ]
    return f"{names[0] if names else 'unknown'}, {os.cpu_count()} cores"


def version(build):
    text = subprocess.run(
        [str(build / "fsa2lrnn"), "--version"], stdout=subprocess.PIPE, text=True, check=True
    ).stdout
    return text.splitlines()[0]


def record(build, rows, load):
    return {
        "schema": 1,
        "what": (
            "main job of every automaton of tests/search_cases.py with --effort 50 and with the"
            " default, and of two large random ones: first and best network, time, memory; times"
            " also as ratios to the main job for the elements of S_7 by two generators"
        ),
        "command": "make bench-search",
        "date": time.strftime("%Y-%m-%d"),
        "tool": version(build),
        "device": device(),
        "load_before_and_after": [round(load, 2), round(os.getloadavg()[0], 2)],
        "rows": rows,
    }


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--build", required=True, type=Path)
    parser.add_argument("--all", action="store_true", help="every automaton with both efforts")
    parser.add_argument("--only", default="", help="only runs whose name and mode contain this")
    parser.add_argument("--out", type=Path)
    args = parser.parse_args()
    load = os.getloadavg()[0]
    rows = run(args.build, args.all, args.only)
    if args.out:
        args.out.write_text(json.dumps(record(args.build, rows, load), indent=1) + "\n")
    for title, names in (("targets missed", late(rows)), ("not VERIFIED", unproved(rows))):
        print(f"{title}: {'; '.join(names) or 'none'}")
    return 0 if rows and not unproved(rows) else 1


if __name__ == "__main__":
    sys.exit(main())
