"""Runs of `train` that are stopped, killed and resumed: the result equals an undisturbed run's."""

import hashlib
import json
import mmap
import random
import shutil
import signal
import time

import harness

TINY = (*harness.TINY, "--log-every", "50")
STEPS = 6000


def events(text):
    """Returns the lines of a log without times and without the notes of interruptions."""
    lines = [json.loads(line) for line in text.decode().splitlines()]
    for line in lines:
        line.pop("timing", None)
    return [x for x in lines if x["event"] not in ("resume", "interrupted")]


def whole_checkpoint(t, run):
    """Returns the step of the checkpoint, which must end with the digest of everything before it;
    None: there is none yet."""
    path = t.folder / run / "checkpoint"
    if not path.exists():
        return None
    data = path.read_bytes()
    assert (
        data[:8] == b"f2ltrn1\n" and hashlib.sha256(data[:-64]).hexdigest().encode() == data[-64:]
    ), len(data)
    return data


def consistent_log(t, run):
    """Returns the steps in the log of a killed run. The kernel ends a killed process's write where
    a page ends, so that the last line may be cut there; whoever resumes the run removes it."""
    text = t.read(f"{run}/log.jsonl")
    end = text.rfind(b"\n") + 1
    assert end == len(text) or len(text) % mmap.PAGESIZE == 0, text[-100:]
    steps = [x["step"] for x in events(text[:end]) if x["event"] == "step"]
    return steps


def same_as(t, run, reference):
    assert t.read(f"{run}/weights.safetensors") == t.read(
        f"{reference}/weights.safetensors"
    ), "other weights"
    assert t.read(f"{run}/config.json") == t.read(f"{reference}/config.json")
    assert events(t.read(f"{run}/log.jsonl")) == events(
        t.read(f"{reference}/log.jsonl")
    ), "another log"


def kill_at_random(t, rng, args, run):
    """Starts or resumes the run, and kills it; returns whether it had ended before."""
    there = (t.folder / run).exists()
    what = ("--resume", run) if there else (*args, "-o", run)
    process = t.start("train", *what, "--checkpoint-seconds", "0.01")
    deadline = time.monotonic() + rng.uniform(0.005, 0.08)
    while time.monotonic() < deadline and process.poll() is None:
        time.sleep(0.001)
    over = process.poll() is not None
    process.kill()
    errors = process.communicate()[1]
    assert not over or process.returncode == 0, (process.returncode, errors)
    if (t.folder / run).exists():
        whole_checkpoint(t, run)
        steps = consistent_log(t, run)
        assert steps == sorted(set(steps)), steps
        assert {"config.json", "automaton.fsa", "provenance.json"} <= {
            p.name for p in (t.folder / run).iterdir()
        }
    return over


def test_killed_at_twenty_random_moments(t):
    seed = random.randrange(1 << 32)
    print(f"seed {seed}")
    rng = random.Random(seed)
    args = ("--task", "parity", *TINY, "--steps", STEPS)
    t.tool("train", *args, "-o", "calm")
    kills, runs = 0, ["run0"]
    while kills < 20:
        if kill_at_random(t, rng, args, runs[-1]):
            runs.append(f"run{len(runs)}")
        else:
            kills += 1
    for run in runs:
        if not (t.folder / run).exists():
            continue
        t.tool("train", "--resume", run)
        same_as(t, run, "calm")
        assert sorted(p.name for p in (t.folder / run).iterdir()) == harness.RUN_FILES


def test_stopped_by_signals(t):
    args = ("--task", "parity", *TINY, "--steps", STEPS)
    t.tool("train", *args, "-o", "calm")
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        process = t.start("train", *args, "-o", "run")
        deadline = time.monotonic() + 60
        while not (t.folder / "run/log.jsonl").exists() and time.monotonic() < deadline:
            time.sleep(0.002)
        time.sleep(0.03)
        process.send_signal(number)
        produced, errors = process.communicate(timeout=120)
        if process.returncode != 0:
            assert process.returncode == 128 + number and produced == b"", (
                process.returncode,
                produced,
            )
            text = errors.decode()
            assert (
                "interrupted: by SIG" in text and "go on with: fsa2lrnn train --resume run" in text
            ), text
            assert whole_checkpoint(t, "run") is not None or "no checkpoint yet" in text, text
        t.tool("train", "--resume", "run")
        same_as(t, "run", "calm")
        shutil.rmtree(t.folder / "run")


def test_time_limit(t):
    args = ("--task", "parity", *TINY, "--steps", 1000000)
    t.tool(
        "train",
        *args,
        "--time-limit",
        "0.3",
        "-o",
        "run",
        rc=2,
        err=(
            r"time limit reached.*run/checkpoint holds step \d+; go on with: fsa2lrnn train"
            r" --resume run"
        ),
    )
    t.tool("train", "--resume", "run", "--time-limit", "0.3", rc=2, err="time limit reached")
    t.tool("evaluate", "run", rc=69, err="has not ended: go on with it by train --resume")


def test_seeds(t):
    args = ("--task", "parity", *TINY, "--steps", "40")
    data = json.loads(
        t.tool("train", *args, "--seeds", "4", "--seed", "7", "--jobs", "4", "-o", "many", "--json")
    )
    assert [r["seed"] for r in data["runs"]] == [7, 8, 9, 10], data["runs"]
    for i, row in enumerate(data["spreads"]):
        for name in ("sequence_accuracy", "accuracy", "scaled_accuracy"):
            values = sorted(r["scores"][i][name] for r in data["runs"])
            spread = row[name.replace("accuracy", "accuracies")]
            assert spread["least"] == values[0] and spread["greatest"] == values[3], (row, values)
            assert abs(spread["median"] - (values[1] + values[2]) / 2) < 1e-12, (row, values)
    t.tool(
        "train",
        *args,
        "--seeds",
        "4",
        "--seed",
        "7",
        "--jobs",
        "1",
        "-o",
        "one",
        out=r"run +seed 10: 40 steps.*median +least +greatest.*4 of 4 runs ended",
    )
    t.tool("train", *args, "--seed", "9", "-o", "single")
    for k in (7, 8, 9, 10):
        assert t.read(f"many/seed-{k}/weights.safetensors") == t.read(
            f"one/seed-{k}/weights.safetensors"
        ), k
    assert t.read("many/seed-9/weights.safetensors") == t.read("single/weights.safetensors")
    t.tool("train", *args, "--seeds", "4", "--seed", "7", "-o", "many", rc=73, err="many")
    t.tool("train", *args, "--seeds", "5", "--seed", "7", "-o", "many", rc=73, err="many")


def test_seeds_interrupted(t):
    args = ("--task", "parity", *TINY, "--steps", STEPS, "--seeds", "3", "--jobs", "2")
    t.tool("train", *args, "-o", "calm")
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGKILL):
        process = t.start("train", *args, "--checkpoint-seconds", "0.02", "-o", "runs")
        deadline = time.monotonic() + 60
        while not (t.folder / "runs/seed-2").exists() and time.monotonic() < deadline:
            time.sleep(0.002)
        time.sleep(0.05)
        process.send_signal(number)
        errors = process.communicate(timeout=120)[1].decode()
        if number == signal.SIGKILL:
            time.sleep(0.5)  # its children end with it
        else:
            assert process.returncode == 128 + number, (process.returncode, errors)
            assert "go on with: fsa2lrnn train --resume runs" in errors, errors
        data = json.loads(t.tool("train", "--resume", "runs", "--json"))
        assert [r["end"] for r in data["runs"]] == ["completed"] * 3, data["runs"]
        for k in (1, 2, 3):
            same_as(t, f"runs/seed-{k}", f"calm/seed-{k}")
        shutil.rmtree(t.folder / "runs")


def test_what_cannot_be_resumed(t):
    args = ("--task", "parity", *TINY, "--steps", "30")
    t.tool("train", *args, "-o", "a")
    t.tool("train", *args, "--seed", "2", "-o", "b")
    t.tool("train", "--resume", "nowhere", rc=74, err="nowhere")
    t.tool("train", "--resume", "", rc=64, err="--resume is empty")
    t.tool(
        "train",
        "g.fsa",
        "--resume",
        "a",
        rc=64,
        err="--resume takes the place of the grammar 'g.fsa'",
    )
    for option in (
        ("--steps", "40"),
        ("--rate", "0.1"),
        ("--silu",),
        ("--mixer", "delta"),
        ("--lengths", "8"),
        ("-o", "c"),
        ("--seeds", "2"),
        ("--task", "parity"),
    ):
        t.tool(
            "train",
            "--resume",
            "a",
            *option,
            rc=64,
            err="cannot be changed: --resume takes it from the folder",
        )
    shutil.copy(t.folder / "b/checkpoint", t.folder / "a/checkpoint")
    t.tool("train", "--resume", "a", rc=69, err="a: error: .*checkpoint")
    data = t.read("b/checkpoint")
    t.write("b/checkpoint", data[:200] + bytes([data[200] ^ 1]) + data[201:])
    t.tool("train", "--resume", "b", rc=65, err="checkpoint")
    t.write("b/checkpoint", data[:-10])
    t.tool("train", "--resume", "b", rc=65, err="checkpoint")
    config = t.read("b/config.json")
    t.write("b/checkpoint", data)
    t.write("b/config.json", config.replace(b'"steps":30', b'"steps":31'))
    t.tool("train", "--resume", "b", rc=69, err="error: ")
    t.write("b/config.json", config.replace(b'"steps"', b'"stepz"'))
    t.tool("train", "--resume", "b", rc=65, err="config.json.*stepz|stepz|steps")
    t.write("b/config.json", config[:-20])
    t.tool("train", "--resume", "b", rc=65, err="config.json")
    t.write("b/config.json", config)
    t.write("b/automaton.fsa", t.read("b/automaton.fsa").replace(b"odd 1 even", b"odd 1 odd"))
    t.tool("train", "--resume", "b", rc=(65, 69), err="error: ")


def test_two_commands_on_one_run(t):
    """A run of reproduce, whose log the same process reads after each evaluation, is not taken up
    by another command while it works."""
    run = t.folder / "r/delta-signed/seed-1"
    words = "parity --model delta-signed --seed 1 --checkpoint-seconds 0 --out r --continue"
    process = t.start("reproduce", *words.split(), "--time-limit", "20")
    deadline = time.monotonic() + 60
    outcome = t.folder / "r/outcome-parity-best-delta-signed.json"
    while not (outcome.exists() and (run / "checkpoint").exists()) and time.monotonic() < deadline:
        time.sleep(0.01)
    t.tool("train", "--resume", "r/delta-signed/seed-1", rc=69, err="another process works on")
    process.send_signal(signal.SIGTERM)
    process.communicate()
    assert process.returncode == 2, process.returncode


def test_two_processes_on_one_run(t):
    args = ("--task", "parity", *TINY, "--steps", "1000000000")
    process = t.start("train", *args, "--time-limit", "20", "-o", "run")
    deadline = time.monotonic() + 60
    while not (t.folder / "run/log.jsonl").exists() and time.monotonic() < deadline:
        time.sleep(0.01)
    time.sleep(0.2)
    t.tool("train", "--resume", "run", rc=69, err="another process works on run")
    process.send_signal(signal.SIGINT)
    process.communicate()
    assert process.returncode == 130
