"""`train`: options, the run and its folder, and everything that must be refused. Interruptions are
in t_train_resume.py."""

import hashlib
import json
import os
import pty
import re
import resource
import shutil

from harness import LEARNS, RUN_FILES, TINY, Skip


def plan(t, *args):
    return json.loads(t.tool("train", *args, "--dry-run", "--json"))


def log(t, run):
    return [json.loads(line) for line in t.read(f"{run}/log.jsonl").decode().splitlines()]


def files(t, run):
    return sorted(p.name for p in (t.folder / run).iterdir())


def test_help(t):
    text = t.tool("train", "--help")
    for option in (
        "--resume DIR",
        "--dry-run",
        "--seeds K",
        "--mixer NAME",
        "--eigenvalues RANGE",
        "--weights WEIGHTS",
        "--layout NAME",
        "--backend NAME",
        "--task NAME",
    ):
        assert option in text, option
    assert "default: 2000" in text and "128,256,512" in text, text
    for command in ("train", "evaluate"):
        assert command in t.tool("--help") and f"fsa2lrnn {command}" in t.tool("help", "--man")


def test_defaults_are_the_matching_class(t):
    t.new("s3.fsa", "symmetric", "3")
    p = plan(t, "s3.fsa")
    model, run = p["config"]["model"], p["config"]["train"]
    assert (
        p["constructed"]["theorem"] == "T3" and p["constructed"]["exact"]["verdict"] == "VERIFIED"
    ), p["constructed"]
    assert (
        model["householders"] == p["constructed"]["householders"] == 2 and model["layers"] == 1
    ), model
    assert (
        model["negative"]
        and not model["additive"]
        and model["learned_start"]
        and model["slope"] == 4
    ), model
    assert (model["heads"], model["key_dim"], model["value_dim"], model["width"], model["mlp"]) == (
        4,
        32,
        32,
        128,
        512,
    )
    assert (
        run["steps"] == 2000 and run["lengths"] == [64, 128, 256, 512] and run["sequences"] == 512
    ), run
    assert p["config"]["curriculum"]["start"] == 4 and p["config"]["curriculum"]["limit"] == 64
    assert (
        p["config"]["batch"] == 256
        and p["config"]["seed"] == 1
        and p["parameters"] > 0
        and p["bytes"] > 4 * p["parameters"]
    )
    t.nothing_left("s3.fsa")
    text = t.tool("train", "s3.fsa", "--dry-run")
    assert json.loads(text[text.index("{") :]) == p["config"] and "memory       3" in text, text


def test_search_for_the_constructed_network(t):
    """Where the time ended the search, a dry run prints its result and says that a run would not
    begin; and a run does not begin."""
    t.new("r.fsa", "random", "28", "4", "1")
    limited = ("train", "r.fsa", "--effort", "0", "--time-limit", "1")
    p = json.loads(t.tool(*limited, "--dry-run", "--json", rc=2, err="a run would not begin"))
    assert p["config"]["model"]["layers"] >= 1, p["config"]
    t.tool(*limited, rc=2, err="r.fsa: error: ")
    t.nothing_left("r.fsa")
    t.new("s3.fsa", "symmetric", "3")
    assert plan(t, "s3.fsa", "--effort", "5") == plan(t, "s3.fsa"), "the same network is found"


def test_classes_of_other_constructions(t):
    """Each automaton's class is at least the class that its network needs."""
    for kind in (
        ["flipflop"],
        ["cyclic", "5"],
        ["symmetric", "4"],
        ["definite", "3"],
        ["counter", "3"],
        ["modarith", "3"],
    ):
        t.new("g.fsa", *kind)
        p = plan(t, "g.fsa")
        for member in ("layers", "householders"):
            assert p["config"]["model"][member] >= p["constructed"][member], (kind, p)
        assert p["constructed"]["exact"]["verdict"] == "VERIFIED", kind


def test_no_network(t):
    t.new("s4.fsa", "symmetric", "4")
    p = plan(t, "s4.fsa", "--no-network", "--layers", "2")
    assert p["constructed"] == {"theorem": None, "reason": "--no-network"}, p["constructed"]
    assert p["config"]["model"]["householders"] == 1 and p["config"]["model"]["layers"] == 2, p[
        "config"
    ]["model"]
    t.tool(
        "train",
        "s4.fsa",
        "--no-network",
        *TINY,
        "--steps",
        "2",
        out=r"constructed  none: --no-network.*\n +8 +- +0\.000",
    )
    t.tool("train", "--resume", "s4.train", "--no-network", out="none: --no-network")
    t.tool("train", "--resume", "s4.train", out="constructed  T3")
    t.new("slow.fsa", "random", "40", "3", "7")
    t.tool("train", "slow.fsa", "--time-limit", "0.2", rc=2, err=r"slow\.fsa: error: .*time limit")
    t.nothing_left("s4.fsa", "s4.train", "slow.fsa")


def test_gates_for_each_key(t):
    """gla and rwkv7: what they are called, equal runs with equal bits, and what has no answer."""
    t.new("s3.fsa", "symmetric", "3")
    for mixer, sign, text in (
        ("gla", "positive", r"gla, .*a gate for each key: eigenvalues in \[0, 1\], rank 1"),
        ("gla", "signed", r"eigenvalues in \[-1, 1\], rank 1"),
        ("rwkv7", "positive", r"rwkv7, .*rates up to 1: eigenvalues in \(-0\.46, 1\), rank 1"),
        ("rwkv7", "signed", r"rates up to 1 \+ gate: eigenvalues in \[-1, 1\], rank 1"),
    ):
        run, again = f"{mixer}-{sign}", f"{mixer}-{sign}-again"
        options = ("s3.fsa", "--mixer", mixer, "--eigenvalues", sign, "--no-network", *TINY)
        t.tool("train", *options, "--steps", "4", "-o", run, out=text)
        t.tool("train", *options, "--steps", "4", "-o", again)
        assert t.read(f"{run}/weights.safetensors") == t.read(f"{again}/weights.safetensors")
        t.tool("train", "--resume", run, out=text)
        t.tool("evaluate", run, "--lengths", "5", out=r"\n +5 ")
        t.tool("inspect", run, rc=69, err=f"nothing to inspect in the mixer {mixer}")
    t.tool("train", *options, "--layout", "fla", "--dry-run", rc=69, err="has no such mixer")


def test_attention_and_mlstm(t):
    """What they are called, equal runs with equal bits, words beyond the window, refusals."""
    t.new("s3.fsa", "symmetric", "3")
    for mixer, option, text in (
        ("attention", ("--window", "6"), r"attention, .*rotary positions, the last 6 letters"),
        ("attention", (), r"the last 512 letters"),
        ("mlstm", ("--convolution", "3"), r"mlstm, 1 layer of width 16, 2 heads of 8 x 8"),
        ("mlstm", (), r"mlstm, .*2 heads of 8 x 8"),
    ):
        run = f"{mixer}{''.join(option)}"
        options = ("s3.fsa", "--mixer", mixer, "--no-network", *TINY)
        options += ("--heads", "2", "--head-dim", "8", "--width", "16", *option)
        t.tool("train", *options, "--steps", "4", "-o", run, out=text)
        t.tool("train", *options, "--steps", "4", "-o", run + "again")
        assert t.read(f"{run}/weights.safetensors") == t.read(f"{run}again/weights.safetensors")
        t.tool("train", "--resume", run, out=text)
        t.tool("evaluate", run, "--lengths", "5,40", out=r"\n +5 .*\n +40 ")
        t.tool("inspect", run, rc=69, err=f"nothing to inspect in the mixer {mixer}")
        model = json.loads(t.read(f"{run}/config.json"))["model"]
        assert ("window" in model) == ("--window" in option), model
    refused = ("train", "s3.fsa", "--mixer", "attention", "--no-network", "--dry-run")
    t.tool(*refused, "--head-dim", "5", rc=69, err=r"\(key_dim\) must be even")
    t.tool(*refused, "--convolution", "4", rc=69, err="attention has no convolution")
    t.tool(*refused, "--layout", "fla", rc=69, err="has no such mixer")


def test_options_reach_the_configuration(t):
    t.new("s3.fsa", "symmetric", "3")
    p = plan(
        t,
        "s3.fsa",
        *"--mixer diagonal --eigenvalues positive --layers 2 --width 64 --mlp 100 --convolution 4"
        " --channels 96 --states 8 --steps 500 --batch 32 --positions 2048 --rate 0.5 --warmup 7"
        " --decay cosine --decay-from 9 --last-rate 1e-6 --weight-decay 0.1 --clip 2.5 --from 3"
        " --to 40 --threshold 0.75 --patience 3 --shorter-too --lengths 40,80 --sequences 99"
        " --evaluate-every 50 --target 0.9 --log-every 5 --seed 77 --label states --answers last"
        " --tokens 3".replace("40,80", "39,81").split(),
    )
    c = p["config"]
    assert {
        k: c["model"][k]
        for k in (
            "mixer",
            "negative",
            "layers",
            "width",
            "mlp",
            "convolution",
            "channels",
            "states",
        )
    } == {
        "mixer": c["model"]["mixer"],
        "negative": False,
        "layers": 2,
        "width": 64,
        "mlp": 100,
        "convolution": 4,
        "channels": 96,
        "states": 8,
    } and c[
        "model"
    ][
        "mixer"
    ].startswith(
        "diagonal"
    ), c[
        "model"
    ]
    assert {
        k: c["train"][k]
        for k in (
            "steps",
            "rate",
            "warmup",
            "decay",
            "decay_from",
            "last_rate",
            "weight_decay",
            "clip",
            "lengths",
            "sequences",
            "evaluate_every",
            "target",
            "log_every",
        )
    } == {
        "steps": 500,
        "rate": 0.5,
        "warmup": 7,
        "decay": "cosine",
        "decay_from": 9,
        "last_rate": 1e-6,
        "weight_decay": 0.1,
        "clip": 2.5,
        "lengths": [39, 81],
        "sequences": 99,
        "evaluate_every": 50,
        "target": 0.9,
        "log_every": 5,
    }, c[
        "train"
    ]
    assert (
        c["curriculum"]["threshold"] == 0.75
        and c["curriculum"]["patience"] == 3
        and c["curriculum"]["shorter_too"]
    )
    assert c["batch"] == 32 and c["positions"] == 2048 and c["seed"] == 77
    assert (
        c["data"]["when"] == "last" and c["data"]["tokens"] == 3 and c["model"]["letters"] == 7
    ), c["data"]
    q = plan(
        t,
        "s3.fsa",
        *"--heads 2 --head-dim 16 --householders 3 --slope 1.5 --additive --no-learned-start"
        " --forget-gate --silu".split(),
    )["config"]["model"]
    assert (q["heads"], q["key_dim"], q["value_dim"], q["width"], q["mlp"], q["householders"]) == (
        2,
        16,
        16,
        32,
        128,
        3,
    ), q
    assert (
        q["slope"] == 1.5
        and q["additive"]
        and not q["learned_start"]
        and q["forget_gate"]
        and q["silu_keys"]
    ), q


def test_run(t):
    t.new("parity.fsa", "parity")
    text = t.tool(
        "train",
        "parity.fsa",
        *TINY,
        "--steps",
        "20",
        "--log-every",
        "10",
        out=(
            r"constructed  T3.*run +seed 1: 20 steps; .* on cpu.*files +parity\.train.*\n +8"
            r" +1\.000 +[01]\.\d+.*"
            r"right for all words of all lengths in exact arithmetic \(VERIFIED\);"
            r" bf16 every, nearest code:"
            r" VERIFIED"
        ),
    )
    assert files(t, "parity.train") == RUN_FILES, files(t, "parity.train")
    assert "trained: seen on 8 random sequences for each length, not proved\n" in text
    lines = log(t, "parity.train")
    assert [x["event"] for x in lines] == [
        "start",
        "step",
        "step",
        "evaluation",
        "completed",
    ], lines
    provenance = json.loads(t.read("parity.train/provenance.json"))
    assert provenance["command"] == [
        "fsa2lrnn",
        "train",
        "parity.fsa",
        *TINY,
        "--steps",
        "20",
        "--log-every",
        "10",
    ], provenance
    assert (
        provenance["grammar_sha256"]
        == hashlib.sha256(t.read("parity.train/automaton.fsa")).hexdigest()
    )
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", provenance["date"]), provenance
    data = json.loads(t.tool("train", "--resume", "parity.train", "--json"))
    assert (
        data["runs"][0]["scores"][0]["sequence_accuracy"]
        == lines[3]["lengths"][0]["sequence_accuracy"]
    )


def test_json(t):
    t.new("parity.fsa", "parity")
    args = ("train", "parity.fsa", *TINY, "--steps", "5", "--json")
    data = json.loads(t.tool(*args, "-o", "a"))
    assert list(data) == [
        "schema",
        "report",
        "source",
        "backend",
        "parameters",
        "config",
        "model_text",
        "word_list",
        "data_text",
        "constructed",
        "folder",
        "fla",
        "sequences",
        "runs",
        "runs_ended",
        "spreads",
        "timing",
    ], list(data)
    assert (
        data["schema"] == 2
        and data["source"] == "parity.fsa"
        and data["backend"] == "cpu"
        and data["folder"] == "a"
    )
    assert data["config"] == json.loads(t.read("a/config.json"))
    first = data["constructed"]["formats"][0]
    assert [first[name] for name in ("format", "schedule", "verdict", "how")] == [
        "bf16",
        "every",
        "VERIFIED",
        "closure",
    ], first
    (run,) = data["runs"]
    assert (
        run["seed"] == 1
        and run["end"] == "completed"
        and run["steps"] == 5
        and run["reason"] is None
    ), run
    for row, score in zip(data["spreads"], run["scores"]):
        assert row["constructed_accuracy"] == 1 and row["length"] == score["length"], row
        assert score["sequence_accuracy"] == score["right_sequences"] / score["sequences"], score
        assert (
            row["sequence_accuracies"]["median"]
            == row["sequence_accuracies"]["greatest"]
            == score["sequence_accuracy"]
        ), row
    again = json.loads(t.tool(*args, "-o", "b"))
    for x in (data, again):
        del x["timing"], x["folder"]
    assert data == again and t.read("a/weights.safetensors") == t.read("b/weights.safetensors")


def test_learns_parity_and_cannot_with_positive_eigenvalues(t):
    signed = json.loads(
        t.tool("train", "--task", "parity", *LEARNS, "--lengths", "32,128", "--json")
    )
    assert signed["spreads"][1]["sequence_accuracies"]["median"] == 1.0, signed["spreads"]
    assert signed["folder"] == "parity.train" and signed["source"] == "parity"
    positive = json.loads(
        t.tool(
            "train",
            "--task",
            "parity",
            *LEARNS,
            "--lengths",
            "32,128",
            "--json",
            "--eigenvalues",
            "positive",
            "-o",
            "positive",
        )
    )
    assert positive["spreads"][1]["sequence_accuracies"]["median"] < 0.1, positive["spreads"]
    target = json.loads(
        t.tool(
            "train",
            "--task",
            "parity",
            *LEARNS,
            "--lengths",
            "32",
            "--json",
            "--evaluate-every",
            "50",
            "--target",
            "1",
            "-o",
            "target",
        )
    )
    assert target["runs"][0]["end"] == "reached" and target["runs"][0]["steps"] < 300, target[
        "runs"
    ]


def test_tasks(t):
    data = json.loads(
        t.tool(
            "train",
            "--task",
            "brackets",
            "--modulus",
            "3",
            "--times",
            "--equals",
            *TINY,
            "--steps",
            "3",
            "--json",
        )
    )
    assert (
        data["source"] == "brackets modulo 3 with * with ="
        and data["constructed"]["theorem"] is None
    ), data
    assert (
        data["config"]["data"]["modulus"] == 3 and data["config"]["data"]["when"] == "last"
    ), data["config"]["data"]
    assert data["spreads"][0]["constructed_accuracy"] is None
    p = plan(t, "--task", "arithmetic")
    assert (
        p["config"]["train"]["lengths"] == [63, 127, 255, 511]
        and p["config"]["model"]["labels"] == 5
    ), p["config"]
    t.tool(
        "train",
        "--task",
        "arithmetic",
        "--lengths",
        "64",
        rc=64,
        err="no sequence of this task has 64 letters: .*1, 3, 5",
    )


def test_tasks_of_automata(t):
    """Tasks that are automata are the families of `new`, with the labels that the tasks want."""
    t.new("even-pairs.fsa", "even-pairs")
    t.new("cycle.fsa", "cycle-navigation", "4")
    for task, grammar, label, source in (
        (("even-pairs",), "even-pairs.fsa", "accept", "even-pairs"),
        (("even-pairs", "--label", "states"), "even-pairs.fsa", "states", "even-pairs"),
        (
            ("cycle-navigation", "--modulus", "4"),
            "cycle.fsa",
            "states",
            "cycle-navigation modulo 4",
        ),
    ):
        a = plan(t, "--task", *task, "--answers", "last")
        b = plan(t, grammar, "--label", label, "--answers", "last")
        assert a["source"] == source and a["config"] == b["config"], (task, a, b)
        assert a["config"]["data"]["label"] == label, a["config"]["data"]
    assert plan(t, "--task", "cycle-navigation")["config"]["model"]["labels"] == 5
    args = (*TINY, "--steps", "3", "--answers", "last")
    t.tool("train", "--task", "even-pairs", *args, "-o", "task")
    t.tool("train", "even-pairs.fsa", "--label", "accept", *args, "-o", "grammar")
    assert t.read("task/weights.safetensors") == t.read("grammar/weights.safetensors")


def test_weights(t):
    t.new("s3.fsa", "symmetric", "3")
    t.tool(
        "train",
        "s3.fsa",
        "--weights",
        "swaps",
        "--dry-run",
        err=r"letters never come in training.*\"\(1 2 3\)\"",
        out="3 of the letters never come",
    )
    assert '"(1 2)"' not in t.errors
    weight = plan(t, "s3.fsa", "--weights", "cycles:3+identity")["config"]["data"]["weights"]
    assert weight is None or len(set(weight)) == 1, weight
    named = plan(t, "s3.fsa", "--weights", '"(1 2)" 3 "(1 2 3)" 0.5')["config"]["data"]["weights"]
    assert sorted(named) == [0, 0, 0, 0, 0.5, 3], named
    t.write("weights.txt", '# pairs\n"(1 2)" 3\n"(1 2 3)" 0.5\n')
    assert plan(t, "s3.fsa", "--weights", "file:weights.txt")["config"]["data"]["weights"] == named
    for text, error in (
        ("nobody 1", "'nobody' is not a letter"),
        ('"(1 2)"', "a weight is missing"),
        ('"(1 2)" x', "'x' is not a weight"),
        ('"(1 2)" 1e999', "not a weight"),
        ('"(1 2)" nan', "not a weight"),
    ):
        t.tool("train", "s3.fsa", "--weights", text, "--dry-run", rc=64, err=error)
    t.tool("train", "s3.fsa", "--weights", "cycles:1", "--dry-run", rc=69, err="error: ")
    t.tool("train", "s3.fsa", "--weights", '"(1 2)" 0', "--dry-run", rc=69, err="error: ")
    t.write("bad.txt", '"(1 2)" 3\nnobody 1\n')
    t.tool(
        "train",
        "s3.fsa",
        "--weights",
        "file:bad.txt",
        "--dry-run",
        rc=65,
        err=r"bad\.txt:2:1: error: 'nobody'",
    )
    t.tool("train", "s3.fsa", "--weights", "file:none.txt", "--dry-run", rc=74, err=r"none\.txt")
    t.new("flip.fsa", "flipflop")
    t.tool("train", "flip.fsa", "--weights", "swaps", "--dry-run", rc=69, err="error: ")


def test_first_weights(t):
    """A run goes on from given weights; files that do not fit are refused."""
    t.new("g.fsa", "parity")
    t.new("s3.fsa", "symmetric", "3")
    t.tool("train", "g.fsa", "--no-network", *LEARNS, "-o", "taught")
    weights = t.read("taught/weights.safetensors")
    options = ("--steps", "4", "--log-every", "1", "--lengths", "32", "--sequences", "64")
    start = ("--no-network", "--first-weights", "taught/weights.safetensors", *options)
    t.tool("train", "g.fsa", *start, "--from", "32", "--to", "32", "-o", "on")
    first = next(x for x in log(t, "on") if x["event"] == "step")
    assert first["sequence_accuracy"] == 1 and first["loss"] < 0.01, first
    assert t.read("on/first.safetensors") == weights
    digest = hashlib.sha256(weights).hexdigest()
    config = json.loads(t.read("on/config.json"))
    assert config["first_weights"] == digest
    assert config["model"] == json.loads(t.read("taught/config.json"))["model"]
    assert json.loads(t.read("on/provenance.json"))["weights_sha256"] == digest
    t.tool("evaluate", "on", "--lengths", "32", "--sequences", "8")
    # A run that is stopped before its first checkpoint has its start in its folder only.
    whole = t.read("on/weights.safetensors")
    (t.folder / "on/checkpoint").unlink()
    (t.folder / "taught/weights.safetensors").rename(t.folder / "moved")
    t.tool("train", "--resume", "on", "--no-network")
    assert t.read("on/weights.safetensors") == whole
    t.tool("train", "g.fsa", "--first-weights", "moved", "--seeds", "2", *options, "-o", "two")
    pages = ["report.html", "report.md"]  # of all seeds together, in the folder above
    own = [name for name in RUN_FILES if name not in pages]
    assert files(t, "two/seed-2") == sorted([*own, "first.safetensors"])
    t.write("damaged", weights[:-1])
    for grammar, args, rc, error in (
        ("g.fsa", ("absent",), 74, "absent"),
        ("g.fsa", ("damaged",), 65, "damaged: error: "),
        ("s3.fsa", ("moved",), 69, "2 letters and 2 labels; the data have 6 and 6"),
        ("g.fsa", ("moved", "--width", "24"), 69, "embedding.weight is 2 x 16 in the given .*24"),
        ("g.fsa", ("moved", "--init", "fla"), 64, "--init and --first-weights exclude"),
        ("g.fsa", ("",), 64, "--first-weights is empty"),
    ):
        t.tool(
            "train", grammar, "--no-network", "--first-weights", *args, "-o", "no", rc=rc, err=error
        )
        assert not (t.folder / "no").exists()


def test_recall(t):
    small = "--heads 1 --head-dim 4 --layers 2 --mlp 0 --to 12 --batch 4 --steps 3".split()
    recall = ("train", "--task", "recall", "--pairs", "2", "--keys", "3", *small)
    data = json.loads(t.tool(*recall, "--lengths", "6,20", "--json", "-o", "run"))
    assert data["source"] == "recall of 2 pairs, 3 keys", data
    about = data["config"]["data"]
    assert (about["kind"], about["pairs"], about["keys"]) == ("recall", 2, 3), about
    assert data["config"]["model"]["letters"] == 6 and data["config"]["model"]["labels"] == 3
    data = json.loads(t.tool("evaluate", "run", "--lengths", "6,20", "--sequences", "10", "--json"))
    assert data["source"] == "recall" and [r["answers"] for r in data["scores"]] == [20, 20], data
    t.tool(*recall, "--lengths", "5", rc=64, err="no sequence of this task has 5 letters")
    t.tool(*recall, "--pairs", "4", rc=69, err="the pairs must be 1..3")
    for args in (("--answers", "last"), ("--equals",), ("--tokens", "2")):
        t.tool(*recall, *args, rc=64, err="recall|belong")
    t.tool("train", "--task", "parity", "--pairs", "2", rc=64, err="belong to --task recall")


def test_labels_at_some_letters(t):
    words = ['{"word": [0, 1, 1], "labels": [null, 1, null]}', '{"word": [1, 0], "labels": [1, 1]}']
    t.write("some.jsonl", "\n".join(words) + "\n")
    some = ("train", "--data", "some.jsonl", *TINY[:6], "--batch", "4", "--steps", "2")
    t.tool(*some, "--held-out", "0", "--lengths", "3", "-o", "run")
    data = json.loads(t.tool("evaluate", "run", "--data", "some.jsonl", "--lengths", "3", "--json"))
    assert data["scores"][0]["answers"] == 3, data["scores"]
    for labels, error in (
        ("[null, null]", "some.jsonl:1:1: error: all labels of this word are null"),
        ("[1, true]", "label 2 is neither a text nor a whole number, nor null"),
        ("null", "a list \"labels\""),
    ):
        t.write("some.jsonl", f'{{"word": [0, 1], "labels": {labels}}}\n')
        t.tool(*some, "-o", "no", rc=65, err=error)
    t.write("some.jsonl", '{"word": [0, null], "labels": [1, null]}\n')
    t.tool(*some, "-o", "no", rc=65, err="letter 2")
    assert not (t.folder / "no").exists()


def test_usage(t):
    t.new("g.fsa", "parity")
    for args, error in (
        ((), "a grammar, --regex, --task or --data"),
        (("g.fsa", "h.fsa"), "one grammar at a time"),
        (("g.fsa", "--task", "parity"), "--task takes the place"),
        (("--task", "sorting"), "--task is one of"),
        (("g.fsa", "--modulus", "3"), "--modulus belongs to --task arithmetic"),
        (("g.fsa", "--times"), "--times and --equals belong"),
        (("--task", "even-pairs", "--modulus", "3"), "--modulus belongs to --task arithmetic"),
        (("--task", "cycle-navigation", "--equals"), "--times and --equals belong"),
        (("--task", "arithmetic", "--tokens", "2"), "belong to automata"),
        (("--task", "brackets", "--answers", "every"), "after the last letter only"),
        (("--task", "parity", "--sink"), "--sink belongs to grammars"),
        (("g.fsa", "--additive", "--no-additive"), "exclude each other"),
        (("g.fsa", "--lengths", "8,4"), "--lengths takes"),
        (("g.fsa", "--lengths", ""), "--lengths takes"),
        (("g.fsa", "--lengths", "8,,9"), "--lengths takes"),
        (("g.fsa", "--lengths", "0"), "--lengths takes"),
        (("g.fsa", "--lengths", "4294967295"), "--lengths takes"),
        (("g.fsa", "--lengths", "8;9"), "--lengths"),
        (
            ("g.fsa", "--tokens", "3", "--lengths", "8"),
            "has 8 letters: possible lengths are 3, 6, 9",
        ),
        (("g.fsa", "--slope", "-1"), "--slope takes a number"),
        (("g.fsa", "--rate", "0x1p3"), "--rate takes"),
        (("g.fsa", "--rate", "nan"), "--rate takes"),
        (("g.fsa", "--rate", "1e999"), "--rate takes"),
        (("g.fsa", "--target", "1.5"), "--target takes a number from 0 to 1"),
        (("g.fsa", "--householders", "17"), "--householders takes a number from 1 to 16"),
        (("g.fsa", "--mixer", "mamba"), "--mixer is one of: delta, diagonal"),
        (("g.fsa", "--seeds", "0"), "--seeds takes"),
        (("g.fsa", "-o", ""), "--out is empty"),
        (("g.fsa", "--householder", "2"), "did you mean '--householders'"),
    ):
        t.tool("train", *args, rc=64, err=error)
    t.nothing_left("g.fsa")


def test_refused(t):
    t.new("g.fsa", "parity")
    for args, rc, error in (
        (("absent.fsa",), 74, r"absent\.fsa"),
        (("g.fsa", "--label", "outputs"), 69, "output"),
        (("g.fsa", "--no-learned-start"), 69, "error: "),
        (("g.fsa", "--rate", "0"), 69, "rate"),
        (("g.fsa", "--steps", "10", "--warmup", "11"), 69, "warm-up is longer"),
        (("g.fsa", "--from", "9", "--to", "8"), 69, "error: "),
        (("g.fsa", "--threshold", "0"), 69, "error: "),
        (("g.fsa", "--threshold", "1"), 69, "error: "),
        (("g.fsa", "--heads", "60000", "--head-dim", "256"), 69, "error: "),
        (("g.fsa", "--layout", "fla"), 69, r"--layout fla: error: .*\(B = 0\)"),
        (("g.fsa", "--seed", "4294967295", "--seeds", "2", "--steps", "1"), 69, "below 2\\^32"),
    ):
        t.tool("train", *args, rc=rc, err=error)
        t.nothing_left("g.fsa")
    t.write("bad.fsa", "start a\na x b\n")
    t.tool("train", "bad.fsa", rc=69, err=r"bad\.fsa")
    t.tool("train", "bad.fsa", "--sink", "--dry-run", err="sink state")


def test_no_cuda(t):
    t.new("g.fsa", "parity")
    if shutil.which("nvidia-smi"):
        raise Skip("there is a GPU")
    t.tool("train", "g.fsa", "--backend", "cuda", rc=69, err="--backend: error: .*CUDA")
    t.nothing_left("g.fsa")


def test_memory(t):
    t.new("g.fsa", "parity")
    t.tool(
        "train",
        "g.fsa",
        "--memory",
        "5M",
        rc=2,
        err=r"training needs \d\d MiB; --memory allows 5\.0 MiB",
    )
    t.tool("train", "g.fsa", "--seeds", "3", "--memory", "5M", rc=2, err=r"needs \d\d MiB")
    t.tool(
        "train",
        "g.fsa",
        "--positions",
        "16000000",
        "--width",
        "4096",
        "--mlp",
        "16384",
        rc=71,
        err=r"training needs \d+(\.\d)? [GT]iB; free on this machine are \d",
    )
    t.nothing_left("g.fsa")
    t.tool(
        "train",
        "g.fsa",
        "--positions",
        "16000000",
        "--width",
        "4096",
        "--dry-run",
        out=r"memory +\d+",
    )


def test_folder_exists(t):
    t.new("g.fsa", "parity")
    t.tool("train", "g.fsa", *TINY, "--steps", "5")
    before = {name: t.read(f"g.train/{name}") for name in RUN_FILES}
    t.tool(
        "train",
        "g.fsa",
        *TINY,
        "--steps",
        "5",
        rc=73,
        err=(
            r"g\.train holds this experiment already; go on with it: fsa2lrnn train --resume"
            r" g\.train"
        ),
    )
    t.tool(
        "train",
        "g.fsa",
        *TINY,
        "--steps",
        "6",
        rc=73,
        err=r"g\.train holds another run; name another folder by -o",
    )
    assert before == {name: t.read(f"g.train/{name}") for name in RUN_FILES}
    t.write("mine/thesis.tex", "years of work")
    t.tool("train", "g.fsa", *TINY, "-o", "mine", rc=73, err="mine")
    t.tool("train", "g.fsa", *TINY, "-o", "g.fsa", rc=73, err=r"g\.fsa")
    t.tool("train", "g.fsa", *TINY, "-o", "no/where", rc=(73, 74), err="no/where")
    t.nothing_left("g.fsa", "g.train", "mine")
    (t.folder / "empty").mkdir()
    t.tool("train", "g.fsa", *TINY, "--steps", "2", "-o", "empty")
    assert files(t, "empty") == RUN_FILES


def test_diverges(t):
    t.new("g.fsa", "symmetric", "3")
    wild = (
        "--rate",
        "900",
        "--weight-decay",
        "0",
        "--steps",
        "500",
        "--warmup",
        "100",
        "--checkpoint-seconds",
        "0",
    )
    t.tool(
        "train",
        "g.fsa",
        *TINY,
        *wild,
        "-o",
        "run",
        rc=2,
        err=(
            r"run: error: diverged: at step \d+ .* is .*; run/checkpoint holds step \d+; a smaller"
            r" --rate"
        ),
    )
    step = int(re.search(r"at step (\d+)", t.errors)[1])
    assert int(re.search(r"holds step (\d+)", t.errors)[1]) == step - 1, t.errors
    last = log(t, "run")[-1]
    assert last["event"] == "diverged" and last["step"] == step - 1, last
    assert "weights.safetensors" not in files(t, "run")
    t.tool("train", "--resume", "run", rc=2, err=f"diverged: at step {step} ")
    text = t.tool(
        "train", "g.fsa", *TINY, *wild, "--seeds", "2", "-o", "runs", rc=2, err="diverged"
    )
    assert text == "" or "diverged" in text, text


def test_disk_full_by_limit(t):
    t.new("g.fsa", "symmetric", "3")
    for limit in (200, 1500, 3000):
        t.tool(
            "train",
            "g.fsa",
            *TINY,
            "--steps",
            "20",
            "-o",
            f"run{limit}",
            rc=74,
            err="error: ",
            prepare=lambda limit=limit: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)),
        )
        there = f"run{limit}" in t.entries()
        assert ("--resume" in t.errors) == there, t.errors
        if there:
            t.tool("train", "--resume", f"run{limit}")
            assert files(t, f"run{limit}") == RUN_FILES


def test_disk_full(t):
    t.new("s5.fsa", "symmetric", "5")
    rc, text = t.on_a_full_disk(
        "300k",  # room for one checkpoint of this run, but not for two
        '"$0" train s5.fsa --heads 1 --mlp 0 --to 4 --batch 4 --lengths 8 --sequences 8'
        " --steps 300 --checkpoint-seconds 0.01 -o small/run; rc=$?; ls small/run;"
        " head -c 8 small/run/checkpoint; echo; exit $rc",
    )
    assert rc == 74 and "No space left" in text and "f2ltrn1" in text, f"exit {rc}\n{text}"
    assert "go on with: fsa2lrnn train --resume small/run" in text and ".f2l-tmp-" not in text, text


def test_layout(t):
    t.new("s3.fsa", "symmetric", "3")
    args = (
        "--additive",
        "--no-learned-start",
        "--silu",
        "--heads",
        "1",
        "--head-dim",
        "16",
        "--to",
        "8",
        "--batch",
        "4",
        "--lengths",
        "8",
        "--sequences",
        "8",
        "--steps",
        "3",
        "--layout",
        "fla",
    )
    t.tool("train", "s3.fsa", *args, out="run, and fla in it", *("-o", "run"))
    config = json.loads(t.read("run/fla/config.json"))
    assert "DeltaProduct" in json.dumps(config), config
    assert len(t.read("run/fla/model.safetensors")) > 1000
    t.tool("train", "s3.fsa", *args, "--seeds", "2", "-o", "runs")
    assert (t.folder / "runs/seed-2/fla/model.safetensors").exists()
    first = t.read("run/fla/model.safetensors")
    shutil.rmtree(t.folder / "run/fla")
    t.tool("train", "--resume", "run", "--layout", "fla")
    assert (
        t.read("run/fla/model.safetensors") == first == t.read("runs/seed-1/fla/model.safetensors")
    )


def test_progress_on_a_terminal(t):
    t.new("g.fsa", "parity")
    terminal, other = pty.openpty()
    process = t.start(
        "train",
        "g.fsa",
        *TINY,
        "--steps",
        "1000000000",
        "--time-limit",
        "3",
        stderr=other,
    )
    os.close(other)
    seen = b""
    while True:
        try:
            part = os.read(terminal, 4096)
        except OSError:
            part = b""
        if not part:
            break
        seen += part
    os.close(terminal)
    process.communicate()
    assert process.returncode == 2, (process.returncode, seen)
    shown = [x for x in seen.decode().split("\r\x1b[K") if x.startswith("step ")]
    assert 2 <= len(shown) <= 4, seen
    assert all(
        re.match(r"step \d+ of 1000000000, \d+ tokens/s, loss .* left$", x) and len(x) <= 79
        for x in shown
    ), shown
    assert "time limit reached" in seen.decode() and "--resume g.train" in seen.decode(), seen


def test_quiet_and_closed_output(t):
    t.new("g.fsa", "parity")
    assert t.tool("train", "g.fsa", *TINY, "--steps", "2", "--quiet") == "" and t.errors == ""
    with open("/dev/full", "wb") as device:
        t.tool(
            "train",
            "g.fsa",
            *TINY,
            "--steps",
            "2",
            "-o",
            "b",
            rc=74,
            err="No space left",
            stdout=device,
        )
    assert files(t, "b") == RUN_FILES
