"""Runs `fsa2lrnn compare` on the folders of runs in DIR and writes the figures that matter as one
file, for reports/results/compare.json.

    python3 tests/bench/compare_runs.py --build build/release --runs DIR --out FILE

Every folder in DIR with a weights.safetensors is compared with the network of the main job, and its
states also with the network of one layer and the fewest factors (`compile --layers 1 --householders
N`). Nothing is written into the folder. The weights are named by their SHA-256."""

import argparse
import hashlib
import json
import re
import subprocess
import tempfile
import time
from pathlib import Path

EXTRACTION = (
    "extracted_is seen_in sample_states sample_length state_clusters clusters_are gap_directions"
    " gap_within gap_between other_states other_answers extracted_states given_states wrong_word"
).split()
IRREPS = (
    "order learned_dimension learned_factors common_kernel least_total_dimension least_factors"
    " is_least"
).split()


def processor():
    text = Path("/proc/cpuinfo").read_text()
    found = re.search(r"^model name\s*:\s*(.*)$", text, re.M)
    return found[1] if found else "unknown"


def rounded(value):
    if isinstance(value, float):
        return float(f"{value:.4g}") if abs(value) > 1e-9 else 0.0
    if isinstance(value, list):
        return [rounded(x) for x in value]
    if isinstance(value, dict):
        return {name: rounded(x) for name, x in value.items()}
    return value


def irreps_of(data):
    """Returns the choice, and of each representation that was learned its dimension, the head that
    it explains most of, and that share."""
    found = data["learned_irreps"]
    if found["reason"]:
        return {"reason": found["reason"]}
    learned = []
    for irrep in found["irrep_shares"]:
        share = irrep["state_shares"][:-1]
        best = max(range(len(share)), key=share.__getitem__)
        if irrep["learned"]:
            learned.append(
                {
                    "dimension": irrep["dimension"],
                    "most_factors": irrep["most_factors"],
                    "least_choice": irrep["least_choice"],
                    "head": best + 1,
                    "share": share[best],
                    "share_of_all": irrep["state_shares"][-1],
                    "constructed_share": irrep["constructed_share"],
                }
            )
    return {**{name: found[name] for name in IRREPS}, "learned": learned}


def maps_of(data):
    """Returns the errors between all heads of both networks, and of the best single head."""
    found = data["state_maps"]
    if found["reason"]:
        return {"reason": found["reason"]}
    maps = [m for m in found["linear_maps"] if m["constructed_layer"] in (None, 1)]
    heads = [m for m in maps if m["learned_layer"] is not None]
    best = min(heads, key=lambda m: m["to_constructed"])
    every = next(m for m in maps if m["learned_layer"] is None)
    return {
        "held_out_states": found["held_out_states"],
        "to_constructed": every["to_constructed"],
        "to_learned": every["to_learned"],
        "best_head": best["learned_head"],
        "best_head_to_constructed": best["to_constructed"],
        "best_head_to_learned": best["to_learned"],
    }


def scores_of(data, name):
    return {str(s["length"]): s["sequence_accuracy"] for s in data[name]}


def run_compare(tool, folder, out, *options):
    argv = [tool, "compare", folder, "-o", out, "--quiet", *options]
    subprocess.run(argv, check=True, stdout=subprocess.DEVNULL)
    return json.loads(out.read_text())


def least_maps(tool, folder, temporary, factors):
    """Returns the maps to the network of one layer that has the fewest factors (R1)."""
    net = temporary / "least.lrnn"
    argv = [tool, "compile", folder / "automaton.fsa", "--layers", "1", "--householders"]
    argv += [str(factors), "--out", net, "--quiet"]
    if subprocess.run(argv, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode > 2:
        return None
    few = ("--with", net, "--lengths", "8", "--sequences", "1")
    return maps_of(run_compare(tool, folder, temporary / "least.json", *few))


def compare(tool, folder):
    with tempfile.TemporaryDirectory() as name:
        temporary = Path(name)
        start = time.perf_counter()
        data = run_compare(tool, folder, temporary / "compare.json")
        seconds = time.perf_counter() - start
        factors = data["learned_irreps"].get("least_factors")
        least = least_maps(tool, folder, temporary, factors) if factors else None
    extraction = data["extraction"]
    return rounded(
        {
            "run": folder.name,
            "weights_sha256": hashlib.sha256(
                (folder / "weights.safetensors").read_bytes()
            ).hexdigest(),
            "model": data["model_text"],
            "seconds": seconds,
            "constructed": data["compared_network"]["theorem"],
            "sequences": data["sequences"],
            "sequence_accuracy": scores_of(data, "scores"),
            "constructed_sequence_accuracy": scores_of(data, "constructed_scores"),
            "first_wrong": data["first_wrong"],
            "extraction": {
                **{name: extraction.get(name) for name in EXTRACTION},
                "states_with_start": len(extraction.get("with_start", [])),
            },
            "irreps": irreps_of(data),
            "maps": maps_of(data),
            "maps_to_least": least,
        }
    )


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--build", required=True, type=Path)
    parser.add_argument("--runs", required=True, type=Path)
    parser.add_argument("--out", required=True, type=Path)
    args = parser.parse_args()
    tool = args.build / "fsa2lrnn"
    version = subprocess.run([tool, "--version"], stdout=subprocess.PIPE, text=True, check=True)
    runs = sorted(p.parent for p in args.runs.glob("*/weights.safetensors"))
    found = []
    for folder in runs:
        found.append(compare(tool, folder))
        print(f"{folder.name}: {found[-1]['extraction']['extracted_is']}", flush=True)
    head = {
        "schema": 1,
        "command": "fsa2lrnn compare RUN",
        "tool": version.stdout.splitlines()[0],
        "date": time.strftime("%Y-%m-%d"),
        "processor": processor(),
    }
    lines = ",\n".join(json.dumps(x) for x in found)
    args.out.write_text(json.dumps(head)[:-1] + f', "runs": [\n{lines}\n]}}\n')


if __name__ == "__main__":
    main()
