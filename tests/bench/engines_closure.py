"""Writes reports/results/engines-closure.json: whether closure modulo powers of two ends for scaled
states, by group, keys, state and format of the scale (theory/pages/engines.md, EN.11)."""

import argparse
import json
import platform
import subprocess
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
AUTOMATA = {
    "S3": ROOT / "examples/s3.fsa",
    "Z_5": ["cyclic", "5", "--generators"],
    "S5": ROOT / "examples/s5_generators.fsa",
    "A5": ["alternating", "5", "--generators"],
}
KEYS = {"dyadic": [], "textbook": ["--keys", "naive"]}
STATES = ("int8", "e4m3", "e5m2")
SCALES = ("amax", "amax:bf16", "pow2")
LIMIT = 1000000


def make_network(tool, folder, automaton, keys):
    source = AUTOMATA[automaton]
    if isinstance(source, list):
        text = subprocess.run([tool, "new", *source], check=True, stdout=subprocess.PIPE).stdout
        source = folder / "a.fsa"
        source.write_bytes(text)
    net = folder / f"{automaton}.{keys}.lrnn"
    subprocess.run([tool, source, *KEYS[keys], "--out", net, "--quiet"], check=True)
    return net


def close(tool, net, state, scale):
    schedule = f"serving,state={state},scale={scale}"
    options = ["--formats", "bf16", "--schedule", schedule, "--limit", str(LIMIT), "--effort", "0"]
    run = subprocess.run(
        [tool, "round", net, *options, "--letters", "0", "--no-horizon", "--json"],
        stdout=subprocess.PIPE,
        check=False,
    )
    (row,) = json.loads(run.stdout)["formats"]
    found = {"verdict": row["verdict"], "how": row["how"]}
    found["joint_states"] = row["joint_states"]
    if row["verdict"] == "UNKNOWN":
        found["reason"] = row["reason"]
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tool", required=True)
    parser.add_argument("--out", required=True)
    args = parser.parse_args()
    asked = [args.tool, "--version"]
    version = subprocess.run(asked, check=True, stdout=subprocess.PIPE, text=True)
    rows = []
    with tempfile.TemporaryDirectory() as name:
        for automaton in AUTOMATA:
            for keys in KEYS:
                net = make_network(args.tool, Path(name), automaton, keys)
                for state in STATES:
                    for scale in SCALES:
                        row = {"automaton": automaton, "keys": keys, "state": state, "scale": scale}
                        rows.append(row | close(args.tool, net, state, scale))
    record = {
        "program": version.stdout.splitlines()[0],
        "machine": platform.machine(),
        "format": "bf16",
        "schedule": "serving",
        "limit": LIMIT,
        "rows": rows,
    }
    Path(args.out).write_text(json.dumps(record, indent=1) + "\n")


if __name__ == "__main__":
    main()
