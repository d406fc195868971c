"""Measures trained networks: the rows of compare.json, horizon.json, settle.json and snap.json in
reports/results.

    python3 tests/bench/learned_runs.py --build build/release [--only horizon,snap] \\
        [--results reports/results] RUN..

A RUN is a folder with weights.safetensors, config.json and automaton.fsa, and its name is the row's
name: a row of that name is replaced, all others stay. Each file is written after every network, so
that a run that is interrupted loses at most the network at hand. Nothing is written into RUN.
compare looks at the network of the main job and, for the maps of states, also at the network of one
layer and the fewest factors (`compile --layers 1 --householders N`). Weights are named by their
SHA-256. Seconds are those of one thread."""

import argparse
import hashlib
import json
import os
import subprocess
import tempfile
import time
from pathlib import Path

EXTRACTION = (
    "extracted_is seen_in sample_states sample_length state_clusters clusters_are gap_directions"
    " gap_within gap_between other_states other_answers extracted_states given_states wrong_word"
).split()
HORIZON = (
    "certified_length prefix_length first_failure limited_state limited_letter"
    " logit_difference logit_spread verdict tool_seconds checker_seconds"
).split()
SETTLED_MODEL = "letters labels heads householders key_dim additive negative".split()
SETTLE = (
    "settle_verdict settle_prefix settle_period settle_suffix settle_answer cycle_states"
    " wrong_states settle_after settle_within found_letters found_prefix found_period found_suffix"
    " settle_prefixes settle_periods settle_suffixes settle_all settle_group"
    " dependent_periods wrong_limits tied_limits"
).split()
PART = (
    "in_head character dimension field_degree defect next_defect leads_out start_share value_drift"
    " largest_distance farthest_letter"
).split()
EXACT = (
    "heads householders codes least_householders least_total_dimension total_dimension"
).split()
PUT_BACK = (
    "beta_logit beta_distance largest_distance value_drift same_answers read_out_refitted"
    " weight_change"
).split()
LENGTHS = "64,256,512,1024,2048,4096,10000"
IRREPS = (
    "order learned_dimension learned_factors common_kernel least_total_dimension least_factors"
    " is_least"
).split()


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


class Refused(Exception):
    """What a command says of a network that it does not apply to."""


def run(*argv):
    """Returns the output of a command and its seconds."""
    start = time.perf_counter()
    done = subprocess.run([str(x) for x in argv], capture_output=True, text=True)
    if done.returncode == 69:
        raise Refused(done.stderr.strip().split(": error: ")[-1])
    if done.returncode not in (0, 1, 2):
        raise SystemExit(f"exit status {done.returncode}: {' '.join(map(str, argv))}")
    return done.stdout, round(time.perf_counter() - start, 1)


def report(tool, command, folder, *options):
    """Returns the JSON of a report about a network, and the seconds that it took."""
    text, seconds = run(tool, command, folder, "--json", "--quiet", "--jobs", "1", *options)
    return json.loads(text), seconds


def verdict_of(checker, *files):
    """Returns the verdict word of a checker, and the seconds that it took."""
    text, seconds = run(checker, *files)
    return text.split()[1], seconds


# --- compare ---


def compared(tool, folder, out, *options):
    run(tool, "compare", folder, "-o", out, "--quiet", "--jobs", "1", *options)
    return json.loads(out.read_text())


def least_maps(tool, folder, temporary, factors):
    """Returns the maps to the network of one layer that has the fewest factors (R1)."""
    net = temporary / "least.lrnn"
    argv = [tool, "compile", folder / "automaton.fsa", "--layers", "1", "--householders"]
    argv += [str(factors), "--out", net, "--quiet"]
    try:
        run(*argv)
    except Refused:
        return None
    few = ("--with", net, "--lengths", "8", "--sequences", "1")
    return maps_of(compared(tool, folder, temporary / "least.json", *few))


def compare(build, folder, temporary):
    tool = build / "fsa2lrnn"
    start = time.perf_counter()
    data = compared(tool, folder, temporary / "compare.json")
    seconds = time.perf_counter() - start
    factors = data["learned_irreps"].get("least_factors")
    least = least_maps(tool, folder, temporary, factors) if factors else None
    extraction = data["extraction"]
    return {
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


# --- horizon ---


def horizon_in(build, folder, certificate, *options):
    """Returns the report of the horizon in a scope, with the verdict on its certificate (none where
    no length is certified) and the seconds of both programs."""
    data, seconds = report(
        build / "fsa2lrnn", "horizon", folder, "--no-report", "-o", certificate, *options
    )
    data.update(verdict=None, tool_seconds=seconds)
    if data["certified_length"] > 0:
        files = [folder / name for name in ("automaton.fsa", "config.json", "weights.safetensors")]
        data["verdict"], data["checker_seconds"] = verdict_of(
            build / "horizon-check", *files, certificate
        )
    return data


def horizon(build, folder, temporary):
    exact = horizon_in(build, folder, temporary / "exact.cert")
    exact["first_failure"] = exact["failing_word"]["wrong_letters"]
    row = {name: exact[name] for name in HORIZON if name in exact}
    try:
        fp32 = horizon_in(build, folder, temporary / "fp32.cert", "--format", "fp32")
        same = ("prefix_length", "verdict", "tool_seconds", "checker_seconds")
        row["fp32"] = {name: fp32[name] for name in same if name in fp32}
        row["fp32"] = {"length": fp32["certified_length"], **row["fp32"]}
    except Refused as refused:
        row["fp32"] = {"length": 0, "verdict": None, "reason": str(refused)}
    return row


# --- settle ---


def settle(build, folder, temporary):
    """Returns what `horizon --settle` says, and the verdict on its certificate."""
    certificate = temporary / "settle.cert"
    options = ("--settle", "--no-report", "-o", certificate)
    data, seconds = report(build / "fsa2lrnn", "horizon", folder, *options)
    model = json.loads((folder / "config.json").read_text())["model"]
    row = {name: model[name] for name in SETTLED_MODEL}
    row.update((name, data["settles"].get(name)) for name in SETTLE)
    row.update(verdict=None, tool_seconds=seconds)
    if certificate.exists():
        files = [folder / name for name in ("automaton.fsa", "config.json", "weights.safetensors")]
        row["verdict"], row["checker_seconds"] = verdict_of(
            build / "horizon-check", *files, certificate
        )
    return row


# --- snap ---


def by_length(tool, folder):
    options = ("--lengths", LENGTHS, "--sequences", "32")
    data = report(tool, "evaluate", folder, *options)[0]
    scores = data["scores"]
    return {
        "lengths": [x["length"] for x in scores],
        "sequences_right": [x["sequence_accuracy"] for x in scores],
        "accuracy": [round(x["accuracy"], 5) for x in scores],
        "first_wrong": data["first_wrong"],
    }


def snap(build, folder, temporary):
    tool, out = build / "fsa2lrnn", temporary / "snap"
    data, seconds = report(tool, "snap", folder, "-o", out)
    net, put = data["exact_network"], data["put_back"]
    trained = out / "trained/weights.safetensors"
    files = [out / name for name in ("automaton.fsa", "network.lrnn", "certificate.cert")]
    config = data["model_config"]
    row = {
        "snapped": data["snapped"],
        "reason": data["reason"],
        "householders": config["householders"],
        "heads": config["heads"],
        "parts": [{name: p[name] for name in PART} for p in data["learned_parts"]],
        "exact": net and {name: net[name] for name in EXACT},
        "lrnn_check": verdict_of(build / "lrnn-check", *files)[0] if net else None,
        "cpu_seconds": seconds,
        "put_back": put and {name: put[name] for name in PUT_BACK},
        "learned_by_length": by_length(tool, folder),
        "put_back_by_length": by_length(tool, out / "trained") if put else None,
    }
    if data["sign_cover"]:
        row["sign_cover"] = data["sign_cover"]
    if put:
        row["put_back_sha256"] = hashlib.sha256(trained.read_bytes()).hexdigest()
    return row


# --- the files ---


def spread(value, indent=0):
    """Returns JSON in which the items of lists of objects have a line each."""
    if isinstance(value, dict):
        inner = [f"{json.dumps(k)}: {spread(v, indent + 1)}" for k, v in value.items()]
        if indent < 2 and any("\n" in x for x in inner):
            return "{\n" + ",\n".join(" " * (indent + 1) + x for x in inner) + "}"
    elif isinstance(value, list) and value and isinstance(value[0], dict) and indent < 3:
        return "[\n" + ",\n".join(json.dumps(x) for x in value) + "]"
    return json.dumps(value)


def merge(path, row):
    """Puts the row into the list `runs` of the file, in the place of the row with its name."""
    data = json.loads(path.read_text())
    rows = [r for r in data["runs"] if r["run"] != row["run"]] + [row]
    data["runs"] = sorted(rows, key=lambda r: r["run"])
    temporary = path.with_suffix(".new")
    temporary.write_text(spread(data) + "\n")
    os.replace(temporary, path)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parts = {"compare": compare, "horizon": horizon, "settle": settle, "snap": snap}
    parser.add_argument("--build", required=True, type=Path)
    parser.add_argument("--results", type=Path, default=Path("reports/results"))
    parser.add_argument("--only", default=",".join(parts))
    parser.add_argument("runs", nargs="+", type=Path, metavar="RUN")
    args = parser.parse_args()
    commit = run(args.build / "fsa2lrnn", "--version")[0].split("commit ")[1].split(")")[0]
    for folder in args.runs:
        weights = hashlib.sha256((folder / "weights.safetensors").read_bytes()).hexdigest()
        for part in args.only.split(","):
            with tempfile.TemporaryDirectory() as name:
                row = rounded(parts[part](args.build, folder, Path(name)))
            head = {"run": folder.name, "weights_sha256": weights}
            end = {"commit": commit, "date": time.strftime("%Y-%m-%d")}
            merge(args.results / f"{part}.json", {**head, **row, **end})
            print(f"{folder.name}: {part} is recorded", flush=True)


if __name__ == "__main__":
    main()
