"""What the tests of clusters compare: the runs of a plan against one `reproduce` of everything."""

import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from corpora import languages  # noqa: E402

AUTOMATA = 16
OPTIONS = "--label accept --sink --effort 2 --no-report".split()
RUNS = ("parity", "--model", "delta-signed", "--scale", "0.05", "--seeds", "4")
SEEDS = (1, 2, 3, 4)


def untimed(table):
    """Returns the JSON of a table without what measures time, and without the list of the presets
    that have no outcome at all, which a table of a plan leaves out."""
    left_out = ("timing", "device_seconds", "not_run", "wanted_runs")

    def drop(value):
        if isinstance(value, dict):
            return {k: drop(v) for k, v in value.items() if k not in left_out}
        return [drop(v) for v in value] if isinstance(value, list) else value

    return drop(json.loads(table))


def run_folder(runs, seed):
    return runs / f"delta-signed-seed-{seed}/delta-signed/seed-{seed}"


def events(runs, seed):
    """Returns the beginnings of a run, each with its step."""
    log = run_folder(runs, seed) / "log.jsonl"
    lines = [json.loads(line) for line in log.read_text().splitlines()] if log.exists() else []
    return [(e["event"], e["step"]) for e in lines if e["event"] in ("start", "resume")]


def make_plan(ask, folder):
    """Writes plan.jsonl, whose runs write a checkpoint after every step, and returns the folder of
    the runs. `ask` runs a command in `folder` and returns what it prints."""
    plan = ask("fsa2lrnn", "reproduce", *RUNS, "--checkpoint-seconds", "0", "--plan")
    (folder / "plan.jsonl").write_text(plan)
    return folder / "parity-best.reproduce"


def compare(ask, folder, runs, seed):
    """Checks that the table of plan.jsonl and all weights are those of one reproduce, and that the
    run of the seed was taken up once. Returns the step at which it was taken up."""
    merged = ask("fsa2lrnn", "reproduce", "--table", "plan.jsonl", "--json")
    ask("fsa2lrnn", "reproduce", *RUNS, "--jobs", "2", "--out", "whole")
    whole = ask("fsa2lrnn", "reproduce", "--table", "whole", "--json")
    assert untimed(merged) == untimed(whole), (merged, whole)
    for one in SEEDS:
        there, here = (
            (at / "weights.safetensors").read_bytes()
            for at in (run_folder(runs, one), folder / f"whole/delta-signed/seed-{one}")
        )
        assert there == here, f"seed {one}: other weights"
    began = events(runs, seed)
    assert [event for event, _ in began] == ["start", "resume"] and began[1][1] > 0, began
    return began[1][1]


def plan_automata(ask, folder):
    """Writes automata and network.jsonl, their plan."""
    languages.write(folder / "automata", AUTOMATA)
    plan = ask("fsa2lrnn", "plan", "--out", "network", "--", "automata", *OPTIONS)
    (folder / "network.jsonl").write_text(plan)


def compare_automata(ask, folder):
    """Checks that the table of network.jsonl is the table of one process, byte for byte. Returns
    what was seen, in words."""
    bare = ask("fsa2lrnn", "table", "network.jsonl", "--untimed", "--json")
    timed = json.loads(ask("fsa2lrnn", "table", "network.jsonl", "--json"))
    work = sum(w["cost"]["cpu_seconds"] for row in timed["rows"] for w in row["works"])
    (folder / "network").rename(folder / "network-before")
    ask("fsa2lrnn", "plan", "--run", "network.jsonl", "--quiet")
    assert ask("fsa2lrnn", "table", "network.jsonl", "--untimed", "--json") == bare, bare
    assert json.loads(bare)["counts"]["verified_works"] == AUTOMATA, bare
    return f"{AUTOMATA} automata ({work:.1f} s of CPU), the same table byte for byte,"
