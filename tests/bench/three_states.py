"""All 729 pairs of maps of three states, as automata with two letters that start in state 0 and
whose labels are their states: which have one layer?

Only states that the start reaches count. Each automaton is classified; `fork-check` and
`separation-check` verify the proofs, and a network of one layer is compiled and verified by
`lrnn-check`. An automaton is counted once, as the first of
    network   one layer was compiled and is VERIFIED
    form      a rational form was found and checked, but no network of one layer was built;
              perhaps for a decoder that reads the letter (SP.9)
    fork      no layer suffices, with any number of codes for a state (VERIFIED)
    chain     no layer with one code for each state suffices, whatever its decoder reads of a step
              (VERIFIED); several codes stay open
    unknown   none of these
`forks_with_chain` of the forks have a chain, too. A fork or a chain beside a network or a form ends
the run.

usage: three_states.py [--build build/release] [--jobs N] [--out FILE]"""

import argparse
import itertools
import json
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

KINDS = ("network", "form", "fork", "chain", "unknown")


def automaton(maps):
    lines = ["start 0"]
    for state in range(3):
        lines += [f"{state} {letter} {to[state]}" for letter, to in zip("ab", maps)]
    return "\n".join(lines) + "\n"


def run(*words):
    return subprocess.run(list(map(str, words)), capture_output=True, text=True, check=False)


def verified(program, *files):
    done = run(program, *files)
    if done.returncode != 0 or not done.stdout.startswith("s VERIFIED "):
        raise SystemExit(f"{program}: {done.stdout}{done.stderr}")


def one_layer(build, source, out):
    """Returns whether one layer is compiled, and VERIFIED."""
    words = ("compile", source, "--layers", 1, "--formats", "fp32", "--out", out)
    done = run(build / "fsa2lrnn", *words)
    names = ("automaton.fsa", "network.lrnn", "certificate.cert")
    if done.returncode != 0 or not (out / names[2]).exists():
        return False
    verified(build / "lrnn-check", *(out / name for name in names))
    return True


def judge(build, maps):
    """Returns the kind of the automaton, and whether it has a fork, and a chain."""
    with tempfile.TemporaryDirectory() as folder:
        source, proofs = Path(folder) / "m.fsa", Path(folder) / "proofs"
        source.write_text(automaton(maps), encoding="utf-8")
        done = run(build / "fsa2lrnn", "classify", source, "--json", "--certificates", proofs)
        if done.returncode != 0:
            raise SystemExit(f"{maps}: {done.stderr}")
        report = json.loads(done.stdout)
        found = report["one_code_layer"]["one_code"]
        fork = report["layers_needed"]["fork"] is not None
        if fork:
            verified(build / "fork-check", proofs / "automaton.fsa", proofs / "fork.cert")
        if found == "infeasible":
            files = (proofs / "automaton.fsa", proofs / "separation.cert")
            verified(build / "separation-check", *files)
        network = not fork and one_layer(build, source, Path(folder) / "m.lrnn")
    if (fork or found == "infeasible") and (found == "feasible"):
        raise SystemExit(f"{maps}: a form beside a proof that there is none")
    kind = (
        "network"
        if network
        else "form"
        if found == "feasible"
        else "fork"
        if fork
        else "chain"
        if found == "infeasible"
        else "unknown"
    )
    return kind, fork, found == "infeasible"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", type=Path, default=Path("build/release"))
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--out", type=Path)
    o = parser.parse_args()
    began = time.monotonic()
    all_maps = list(itertools.product(range(3), repeat=3))
    pairs = list(itertools.product(all_maps, repeat=2))
    with ThreadPoolExecutor(o.jobs) as pool:
        rows = list(pool.map(lambda maps: judge(o.build.resolve(), maps), pairs))
    record = {
        "schema": 1,
        "what": "all pairs of maps of three states, label = state, start 0, reachable states only: "
        "which have one layer; every proof and every network was checked",
        "command": "make bench-three-states",
        "date": time.strftime("%Y-%m-%d", time.gmtime()),
        "tool": run(o.build / "fsa2lrnn", "--version").stdout.splitlines()[0],
        "automata": len(pairs),
        **{kind: sum(row[0] == kind for row in rows) for kind in KINDS},
        "networks_with_chain": sum(row[0] == "network" and row[2] for row in rows),
        "forks": sum(row[1] for row in rows),
        "forks_with_chain": sum(row[1] and row[2] for row in rows),
        "chains": sum(row[2] for row in rows),
        "seconds": round(time.monotonic() - began, 1),
    }
    text = json.dumps(record, indent=1) + "\n"
    if o.out:
        o.out.write_text(text, encoding="utf-8")
    print(text, end="")
    return 0


if __name__ == "__main__":
    sys.exit(main())
