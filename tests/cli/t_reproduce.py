"""`reproduce`: presets as data, short runs that are interrupted and go on, outcomes, and the table beside published numbers."""
import json
import re
import shutil
import signal
import subprocess
import time
from pathlib import Path

PRESETS = ("parity", "modarith", "modarith-brackets", "s3", "s4", "a5", "s5", "s5-swaps", "z60")
# A few steps of the smallest model; nearly all of the time goes into the evaluation at the end.
SHORT = ("--model", "delta-signed", "--scale", "0.01")


def row(t, folder, model="delta-signed", name="parity-best"):
    return json.loads(t.read(f"{folder}/outcome-{name}-{model}.json"))


def weights(t, folder, model="delta-signed", seed=1):
    return t.read(f"{folder}/{model}/seed-{seed}/weights.safetensors")


def test_plans(t):
    seen = 0
    for preset in PRESETS:
        for setting in ("paper", "released", "best"):
            out = t.tool("reproduce", preset, "--setting", setting, "--dry-run", "--json", rc=(0, 69))
            if not out:
                assert "it has" in t.errors, t.errors
                continue
            plan = json.loads(out)
            assert plan["preset"] == preset and plan["setting"] == setting and len(plan["models"]) >= 2, plan
            for m in plan["models"]:
                assert m["steps"] == m["full_steps"] == m["config"]["train"]["steps"] > 0, m
                assert 0 < m["bytes"] < 1 << 30 and m["config"]["schema"] == 1, m
                seen += 1
    assert seen >= 60, seen
    plan = json.loads(t.tool("reproduce", "s5", "--setting", "paper", "--scale", "0.01", "--dry-run", "--json"))
    assert all(m["steps"] == round(m["full_steps"] / 100) for m in plan["models"]), plan
    assert all(m["config"]["batch"] == 2048 for m in plan["models"]), plan
    t.tool("reproduce", "s5", "--setting", "paper", "--scale", "0.01", "--dry-run", out="nh4: .* parameters, .* of memory")
    t.nothing_left()


def test_outcome(t):
    first = t.tool("reproduce", "parity", *SHORT, "-o", "p")
    w = row(t, "p")
    assert (w["preset"], w["setting"], w["model"], w["scale"]) == ("parity", "best", "delta-signed", 0.01), w
    assert w["steps"] == round(w["full_steps"] * 0.01) and w["backend"] == "cpu" and w["device"], w
    (seed,) = w["seeds"]
    assert seed["end"] == "completed" and seed["steps"] == w["steps"] and seed["tokens"] > 0, seed
    for needle in ("published +1.000 best of 3", "here +-?[01]", "best setting, shortened to 0.01", "1\\s+seed", "cpu"):
        assert re.search(needle, first), (needle, first)
    assert t.tool("reproduce", "--table", "p") == first
    # what has its outcome is not trained again
    assert t.tool("reproduce", "--resume", "p") == first
    t.tool("reproduce", "parity", *SHORT, "-o", "p", rc=73, err="p exists already.*--resume p")
    # a mixture of files
    mixed = dict(w, setting="paper", scale=1, steps=w["full_steps"])
    t.write("mixed.json", json.dumps({"what": "recorded", "rows": [mixed, dict(mixed, model="delta-positive")]}))
    data = json.loads(t.tool("reproduce", "--table", "p", "mixed.json", "--json"))
    (parity,) = data["presets"]
    assert [len(m["outcomes"]) for m in parity["models"]] == [2, 1], parity
    assert {r["setting"] for r in parity["remarks"]} == {"paper", "best"}, parity
    assert len(json.loads(t.tool("reproduce", "--table", "--json"))["presets"]) == len(PRESETS)
    (only,) = json.loads(t.tool("reproduce", "--table", "s5", "p", "--json"))["presets"]
    assert only["preset"] == "s5" and len(only["models"]) == 4, only
    t.tool("reproduce", "--table", "p", "mixed.json", out=r"paper setting, all [0-9]+\s+steps")


def started(t, *args):
    return t.start("reproduce", *args, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)


def wait_for(path, process, seconds=120):
    for _ in range(seconds * 50):
        if path.exists() or process.poll() is not None:
            return
        time.sleep(0.02)
    raise AssertionError(f"{path} did not appear")


def test_interrupted(t):
    """Killed, or stopped by a signal: what comes out is what an uninterrupted run gives."""
    args = ("parity", "--model", "delta-signed", "--scale", "0.05", "--seeds", "2", "--jobs", "1")
    t.tool("reproduce", *args, "-o", "whole")
    for number in (signal.SIGKILL, signal.SIGTERM):
        folder = f"stopped-{number}"
        process = started(t, *args, "-o", folder, "--checkpoint-seconds", "0")
        wait_for(t.folder / folder / "delta-signed" / "seed-1" / "checkpoint", process)
        time.sleep(0.05)
        process.send_signal(number)
        _, errors = process.communicate(timeout=300)
        if number == signal.SIGTERM:
            assert process.returncode == 128 + number, (process.returncode, errors)
            assert f"go on with: fsa2lrnn reproduce --resume {folder}".encode() in errors, errors
        else:
            assert process.returncode == -number, process.returncode
        assert not list((t.folder / folder).glob("outcome-*")), "an outcome before the end"
        t.tool("reproduce", "--table", folder, rc=69, err="have none")
        t.tool("reproduce", "--resume", folder)
        for seed in (1, 2):
            assert weights(t, folder, seed=seed) == weights(t, "whole", seed=seed), (number, seed)
        a, b = row(t, folder), row(t, "whole")
        for s in a["seeds"] + b["seeds"]:
            del s["timing"]
        a.pop("timing"), b.pop("timing")
        assert a == b, (a, b)


def test_diverged(t):
    """A run that diverges is an outcome; it has no accuracies."""
    t.tool("reproduce", "parity", "--model", "delta-signed", "--scale", "0.15", "--rate", "10", "-o", "d", err="diverg",
           out="here +diverged")
    (seed,) = row(t, "d")["seeds"]
    assert seed["end"] == "diverged" and seed["lengths"] == [], seed
    t.tool("reproduce", "--table", "d", out=r"1\s+diverged")


def test_refused(t):
    def usage(*args, err):
        t.tool("reproduce", *args, rc=64, err=err)
    usage("s6", err="there is no preset 's6'; there are parity, ")
    usage(err="one preset is expected")
    usage("s3", "s4", err="one preset is expected")
    usage("s5", "--model", "nh9", err="has no model 'nh9', but nh4, nh3")
    usage("s5", "--setting", "paper", "--model", "nh4-values", err="has no model 'nh4-values'")
    usage("s5", "--model", "nh4,nh4", err="twice")
    usage("s5", "--model", "", err="has no model ''")
    usage("s3", "--scale", "0", err="above 0")
    usage("s3", "--scale", "-1", err="--scale")
    usage("s3", "--scale", "much", err="--scale")
    usage("s3", "--rate", "0", err="above 0")
    usage("s3", "--seeds", "0", err="--seeds")
    usage("s3", "--setting", "worst", err="paper")
    usage("s3", "--resume", "x", err="no operand")
    usage("--resume", "x", "--scale", "0.1", err="takes up what is in the folder")
    usage("--table", "s3", "s4", err="one preset or for all")
    usage("--table", "--dry-run", err="trains nothing")
    t.tool("reproduce", "s4", "--setting", "released", rc=69, err="it has paper, best")
    if not shutil.which("nvidia-smi"):
        t.tool("reproduce", "s3", "--backend", "cuda", "-o", "o", rc=69, err="(?i)cuda")
    t.tool("reproduce", "s3", "--memory", "1M", "-o", "o", rc=2, err="needs .* of memory|training needs")
    t.tool("reproduce", "--resume", "nowhere", rc=69, err="nowhere is no folder of reproduce")
    t.nothing_left()


def test_bad_files(t):
    t.write("f/reproduce.json", '{"schema":1,\n "kind":')
    t.tool("reproduce", "--resume", "f", rc=65, err="f:2:")
    good = {"schema": 1, "kind": "reproduce-request", "preset": "s3", "setting": "best", "models": ["nh2"], "scale": 1,
            "rate": 0, "seed": 1, "seeds": 1, "backend": "cpu"}
    for change in ({"schema": 2}, {"preset": "s6"}, {"setting": "x"}, {"models": []}, {"models": ["nh4"]}, {"scale": 0},
                   {"rate": -1}, {"seed": -1}, {"seeds": 0}, {"backend": "tpu"}, {"more": 1}, {"kind": "x"}):
        t.write("f/reproduce.json", json.dumps({**good, **change}))
        t.tool("reproduce", "--resume", "f", rc=65, err="no request for a preset")
    t.write("x.json", "{}")
    t.tool("reproduce", "--table", "x.json", rc=65, err='x.json.*"schema" is missing')
    t.write("x.json", "not json")
    t.tool("reproduce", "--table", "x.json", rc=65, err="x.json.*1.*no JSON")
    other = Path(__file__).resolve().parent.parent.parent / "reports" / "results" / "psd-parity.json"
    t.tool("reproduce", "--table", other, rc=65, err="psd-parity.json")
    t.tool("reproduce", "--table", "missing.json", rc=74, err="missing.json")
    t.write("empty/x", "")
    t.tool("reproduce", "--table", "empty", rc=69, err="no file outcome-")
