"""`reproduce`: presets as data, short runs that are interrupted and resumed, outcomes, and the
table beside published numbers."""

import fcntl
import hashlib
import importlib.util
import json
import os
import pty
import re
import select
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import harness

PRESETS = (
    "parity",
    "modarith",
    "modarith-brackets",
    "s3",
    "s4",
    "a5",
    "s5",
    "s5-swaps",
    "s5-cycles",
    "s5-tokens",
    "z60",
    "even-pairs",
    "cycle-navigation",
)
# A few steps of the smallest model; the evaluation at the end takes most of the time.
SHORT = ("--model", "delta-signed", "--scale", "0.01")


def row(t, folder, model="delta-signed", name="parity-best"):
    return json.loads(t.read(f"{folder}/outcome-{name}-{model}.json"))


def weights(t, folder, model="delta-signed", seed=1):
    return t.read(f"{folder}/{model}/seed-{seed}/weights.safetensors")


LANGUAGE = "0\t1\ta\ta\n0\t0\tb\tb\n1\t0\tb\tb\n1\n0\n"  # no two a's beside each other


def test_words_of_a_language(t):
    """mlregtest trains on a language, tests on four sets, and names the constructed network."""
    t.write("l.att", LANGUAGE)
    short = ("--model", "delta-positive", "--scale", "0.001", "--quiet", "--no-report")
    t.tool("reproduce", "mlregtest", "l.att", *short, "-o", "m")
    name = "mlregtest-best"
    one = row(t, "m", "delta-positive", name)
    assert one["constructed"].endswith("VERIFIED for all words: right on all words of all sets")
    sets = one["seeds"][0]["word_sets"]
    assert [s["name"] for s in sets] == [
        "short-random",
        "short-adversarial",
        "long-random",
        "long-adversarial",
    ]
    assert all(s["words"] == 1000 and 0 <= s["accuracy"] <= 1 for s in sets), sets
    out = t.tool("reproduce", "--table", "mlregtest", "m")
    assert "test words right" not in out and "constructed  " in out, out
    # --resume and --data take the same words; the plan's command names them by a whole path
    out = t.tool("reproduce", "--resume", "m", "--no-report", "--quiet")
    assert "test words right, short-random: " in out and "constructed  " in out, out
    plan = json.loads(t.tool("reproduce", "mlregtest", "l.att", *short[:4], "--plan"))
    assert f"--data mlregtest:{t.folder}/l.att" in plan["command"], plan
    assert plan["folder"] == "mlregtest-best-l.reproduce/delta-positive-seed-1", plan
    t.write("all/a.att", LANGUAGE)
    t.write("all/b.fsa", "no automaton")
    t.write("all/c.att", LANGUAGE.translate(str.maketrans("ab", "ba")))
    t.tool("reproduce", "mlregtest", "all", *short[:4], "-o", "n", rc=65, err="1 of 3 languages")
    assert {p.name for p in (t.folder / "n").iterdir()} == {"a", "c"}
    plans = t.tool("reproduce", "mlregtest", "all", *short[:4], "--plan", rc=65).splitlines()
    assert ["/c.att" in json.loads(plan)["command"] for plan in plans] == [False, True]
    size = ("--data", "mlregtest-mid:l.att")
    assert t.tool("reproduce", "mlregtest", *size, "--model", "nh2", "--dry-run")
    t.tool("reproduce", "mlregtest", rc=64, err="mlregtest takes a language")
    t.tool("reproduce", "mlregtest", "l.att", "l.att", rc=64, err="takes one language")
    t.tool("reproduce", "mlregtest", "l.att", *size, rc=64, err="takes a language")
    t.tool("reproduce", "parity", "l.att", rc=64, err="parity takes no other operand")


def test_recall(t):
    """The cells of recall, stopped and resumed."""
    text = t.tool("reproduce", "recall-16", "--dry-run", "--model", "nh3-32-positive")
    assert "n_h = 3, eigenvalues in [0, 1], 4 heads of 32 x 32" in text, text
    assert "words of 256 letters" in text, text
    run = ("reproduce", "recall-4", "--model", "nh1-16", "--scale", "0.0005", "--search", "0")
    t.tool(*run, "--no-report", "-o", "recall")
    t.tool("reproduce", "--resume", "recall", out="recall")
    table = t.tool("reproduce", "--table", "recall-4", "recall/outcome-recall-4-best-nh1-16.json")
    assert "nh1-16" in table, table


def test_plans(t):
    seen = 0
    for preset in PRESETS:
        for setting in ("paper", "released", "best"):
            out = t.tool(
                "reproduce", preset, "--setting", setting, "--dry-run", "--json", rc=(0, 69)
            )
            if not out:
                assert "it has" in t.errors, t.errors
                continue
            plan = json.loads(out)
            assert (
                plan["preset"] == preset and plan["setting"] == setting and len(plan["plans"]) >= 2
            ), plan
            for m in plan["plans"]:
                assert m["steps"] == m["full_steps"] == m["config"]["train"]["steps"] > 0, m
                assert m["rate"] == m["config"]["train"]["rate"] > 0, m
                assert m["config"]["data"].get("tokens", 1) == (
                    4 if preset == "s5-tokens" else 1
                ), m
                assert 0 < m["bytes"] < 1 << 30 and m["config"]["schema"] == 1, m
                # as in the papers' figures
                lengths = m["config"]["train"]["lengths"]
                if setting != "best" and m["config"]["data"]["when"] == "every":
                    step = 4 if preset == "s5-tokens" else 1
                    more = [1024] if setting == "paper" else []
                    assert lengths == [*range(step, 513, step), *more], m
                else:
                    assert len(lengths) <= 10, m
                seen += 1
    assert seen >= 130, seen
    plan = json.loads(
        t.tool("reproduce", "s5", "--setting", "paper", "--scale", "0.01", "--dry-run", "--json")
    )
    assert all(m["steps"] == round(m["full_steps"] / 100) for m in plan["plans"]), plan
    assert all(m["config"]["batch"] == 2048 for m in plan["plans"]), plan
    t.tool(
        "reproduce",
        "s5",
        "--setting",
        "paper",
        "--scale",
        "0.01",
        "--dry-run",
        out="nh4: .* parameters, .* of memory",
    )
    plan = json.loads(
        t.tool(
            "reproduce",
            "modarith",
            "--setting",
            "paper",
            "--model",
            "delta-signed,delta-positive",
            "--rate",
            "1e-2,1e-3,5e-4,1e-4",
            "--dry-run",
            "--json",
        )
    )
    assert [(m["model"], m["rate"]) for m in plan["plans"]] == [
        (m, r) for m in ("delta-signed", "delta-positive") for r in (1e-2, 1e-3, 5e-4, 1e-4)
    ], plan
    t.tool(
        "reproduce",
        "parity",
        "--rate",
        "1e-2,1e-3",
        "--seeds",
        "3",
        "--dry-run",
        out="72 runs: 12 models, 2 rates, 3 seeds",
    )
    t.nothing_left()


# What the table has of a row before its failing word: the figures.
FIGURES = re.compile(r"(?m)^    here [\s\S]*?(?=^ +shortest failing word)")


def check_table(t, shown, folder, seeds):
    """The table of the folder is what training showed, but without the figures of fewer than three
    seeds, and then the runs that were not made."""
    table = t.tool("reproduce", "--table", folder)
    missing = f"no average: {3 - seeds} of 3 seeds missing"
    for values in FIGURES.findall(shown):
        assert re.search(r"here +-?[01]\.\d{3}", values), values
        assert (missing in " ".join(values.split())) == (seeds < 3), values
    if seeds < 3:
        nothing = {f"    here         {missing}\n"}
        assert set(FIGURES.findall(table)) == nothing, table
        shown, table = FIGURES.sub("", shown), FIGURES.sub("", table)
    assert table.startswith(shown), table
    head, *rest = table[len(shown) :].strip("\n").split("\n")
    assert re.fullmatch(
        r"\d+ of \d+ models in their settings have no outcome here, by recorded rates of H100s and"
        r" H200s about [0-9.]+ (s|min|h) a seed in all:",
        head,
    ), head
    line = (
        r"  not run: fsa2lrnn reproduce .* --backend cuda  # about [0-9.]+ (s|min|h) a seed"
        r"(; \d+ outcomes? of another recipe)?"
    )
    assert rest and all(re.fullmatch(line, x) for x in rest), rest


def test_not_run(t):
    """The command of a run that was not made can be planned, and makes that row."""
    data = json.loads(t.tool("reproduce", "--table", "--json"))
    assert len(data["not_run"]) == data["wanted_runs"] >= 352, data["wanted_runs"]
    every = {}
    for r in data["not_run"]:
        where = r["preset"], r["setting"]
        every.setdefault(where, []).append(r["model"])
        expected = "fsa2lrnn reproduce {} --setting {} --model {} --backend cuda"
        assert r["command"] == expected.format(*where, r["model"]), r
    for (preset, setting), models in every.items():
        plan = json.loads(t.tool("reproduce", preset, "--setting", setting, "--dry-run", "--json"))
        assert [p["model"] for p in plan["plans"]] == models, (preset, setting)
    assert {s for p, s in every if p == "s5"} == {"paper", "released", "best"}, every
    assert {s for p, s in every if p == "even-pairs"} == {"paper", "best"}, every
    for r in (r for r in data["not_run"] if r["preset"] == "s5"):
        plan = json.loads(t.tool(*r["command"].split()[1:-2], "--dry-run", "--json"))
        assert [plan["preset"], plan["setting"]] == [r["preset"], r["setting"]], plan
        assert [p["model"] for p in plan["plans"]] == [r["model"]], plan


def figure_script(name):
    """Returns a script of docs/figures as a module."""
    folder = harness.ROOT / "docs" / "figures"
    sys.path.insert(0, str(folder))
    try:
        spec = importlib.util.spec_from_file_location(name, folder / f"{name}.py")
        script = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(script)
    finally:
        sys.path.remove(str(folder))
    return script


def test_published_table(t):
    """reports/results/published-table.md is what the records give."""
    script = figure_script("published_table")
    table = json.loads(t.tool("reproduce", "--table", script.RECORDS, "--json"))
    every = json.loads(t.tool("reproduce", "--table", "--json"))
    page = script.page_of(table, every)
    assert script.PAGE.read_text() == page, "run docs/figures/published_table.py"
    lines = [line.strip("| ").split(" | ") for line in page.split("\n")]
    rows = [c for c in lines if c[0] in script.SETTINGS]
    missing = [c for c in rows if c[3].startswith("not run: about ")]
    runs = table["wanted_runs"], len(table["not_run"])
    # A model that has left its setting is shown, but not wanted; a run of another recipe, too.
    assert len(rows) >= runs[0] and len(missing) <= runs[1], (len(rows), len(missing), runs)
    for r in table["not_run"]:
        assert any(c[:2] == [r["setting"], r["model"]] for c in rows), r
    for _setting, _model, _published, here, failing, seeds in rows:
        has_figure = not here.startswith("not run: about ")
        known = re.match(r"(none|\d)[^|]* in [\d,]+ words( and a search|, not searched)", failing)
        assert bool(known) == has_figure and (int(re.match(r"\d+", seeds)[0]) >= 3) == has_figure, (
            here,
            failing,
            seeds,
        )


def test_first_cells(t):
    """The cells of reports/results/first-cells.json are in the table, and docs/published.md says
    how many have three seeds of the present recipe, and how many are not run."""
    first = json.loads((harness.ROOT / "reports/results/first-cells.json").read_text())["cells"]
    cells = {(c["preset"], c["setting"], c["model"]) for c in first}
    assert len(cells) == len(first) == 182, (len(cells), len(first))

    def not_run(table):
        return {(r["preset"], r["setting"], r["model"]) for r in table["not_run"]}

    gone = cells - not_run(json.loads(t.tool("reproduce", "--table", "--json")))
    assert not gone, gone
    records = harness.ROOT / "reports/results/training"
    table = json.loads(t.tool("reproduce", "--table", records, "--json"))
    have = {
        (p["preset"], o["row"]["setting"], m["model"])
        for p in table["presets"]
        for m in p["models"]
        for o in m["outcomes"]
        if o["present_recipe"] and len(o["row"]["seeds"]) >= 3
    }
    counted = len(cells & have), len(cells & not_run(table))
    page = " ".join((harness.ROOT / "docs/published.md").read_text().split())
    said = re.search(
        r"Of the 182 cells .*? (\d+) have three seeds of the present recipe, and (\d+) are not run",
        page,
    )
    assert said and tuple(map(int, said.groups())) == counted, (said, counted)


def test_constructed(t):
    """Networks that the table calls constructed are what the command constructs and verifies."""
    data = json.loads(t.tool("reproduce", "--table", "--json"))
    found = {
        p["preset"]: m["constructed_network"]
        for p in data["presets"]
        for m in p["models"]
        if m["constructed_network"]
    }
    assert set(found) == {"s3", "s4", "a5", "s5"}, found
    for preset in found if t.whole else ("s3", "s4"):
        c = found[preset]
        new, make = (words.split() for words in c["command"].split(" && "))
        assert new[:2] == ["fsa2lrnn", "new"] and new[-2:] == [">", f"{preset}.fsa"], new
        t.new(f"{preset}.fsa", *new[2:-2])
        report = json.loads(t.tool(*make[1:], "--json"))
        built = report["construction"]
        for fact in ("theorem", "layers", "householders"):
            assert built[fact] == c[fact], (preset, fact, built[fact], c)
        assert report["exact"]["verdict"] == "VERIFIED", report["exact"]
        every = {f["format"]: f["verdict"] for f in report["formats"] if f["schedule"] == "every"}
        named = c["verified"].replace(" and", ",").split(", ")
        assert [every[f] for f in named] == ["VERIFIED"] * 4, (every, named)
        t.check(f"{preset}.lrnn")


def test_outcome(t):
    first = t.tool("reproduce", "parity", *SHORT, "-o", "p")
    w = row(t, "p")
    assert (w["preset"], w["setting"], w["model"], w["scale"]) == (
        "parity",
        "best",
        "delta-signed",
        0.01,
    ), w
    assert w["steps"] == round(w["full_steps"] * 0.01) and w["backend"] == "cpu" and w["device"], w
    (seed,) = w["seeds"]
    assert seed["end"] == "completed" and seed["steps"] == w["steps"] and seed["tokens"] > 0, seed
    failing = seed["failing_word"]
    assert failing["letters_read"] > 0 and failing["no_search_reason"] is None, failing
    if failing["wrong_letters"]:
        assert failing["wrong_letters"] == len(failing["word"].split())
    path = t.folder / "p" / "delta-signed" / "seed-1" / "weights.safetensors"
    assert seed["weights"] == hashlib.sha256(path.read_bytes()).hexdigest(), seed
    for needle in (
        "published +1.000 best of 3",
        "here +-?[01]",
        "best setting, shortened to 0.01",
        "1\\s+seed",
        "cpu",
    ):
        assert re.search(needle, first), (needle, first)
    check_table(t, first, "p", seeds=1)
    # a run that has its outcome is not trained again
    assert t.tool("reproduce", "--resume", "p") == first
    t.tool("reproduce", "parity", *SHORT, "-o", "p", rc=73, err="p exists already.*--resume p")
    # a folder and a file, of different settings
    mixed = dict(w, setting="paper", scale=1, steps=w["full_steps"])
    t.write(
        "mixed.json",
        json.dumps({"what": "recorded", "rows": [mixed, dict(mixed, model="delta-positive")]}),
    )
    data = json.loads(t.tool("reproduce", "--table", "p", "mixed.json", "--json"))
    (parity,) = data["presets"]
    assert [len(m["outcomes"]) for m in parity["models"]] == [2, 1], parity
    assert {r["setting"] for r in parity["remarks"]} == {"paper", "best"}, parity
    every = json.loads(t.tool("reproduce", "--table", "--json"))["presets"]
    assert len(every) == len(PRESETS) + len(("recall-4", "-8", "-16", "-64", "mlregtest"))
    (only,) = json.loads(t.tool("reproduce", "--table", "s5", "p", "--json"))["presets"]
    assert only["preset"] == "s5" and len(only["models"]) == 12, only
    t.tool("reproduce", "--table", "p", "mixed.json", out=r"paper setting, all [0-9]+\s+steps")


def test_grid(t):
    """Models x rates x seeds: each run equals the run alone; the table names the best rate; an
    interrupted grid is resumed."""
    models = ("delta-signed", "delta-positive") if t.whole else ("delta-signed",)
    args = (
        "parity",
        "--model",
        ",".join(models),
        "--scale",
        "0.01",
        "--seeds",
        "2",
        "--rate",
        "1e-3,3e-3",
    )
    cells = [f"{m}-rate-{r}" for m in models for r in ("0.001", "0.003")]
    table = t.tool("reproduce", *args, "-o", "g", "--jobs", "2")
    assert sorted(p.name for p in (t.folder / "g").iterdir()) == sorted(
        cells
        + [f"outcome-parity-best-{c}.json" for c in cells]
        + ["report.html", "report.md", "reproduce.json"]
    )
    assert json.loads(t.read("g/reproduce.json"))["rate"] == [0.001, 0.003]
    flat = " ".join(table.split())
    assert (
        flat.count("(the best of 2 by the median of 2 seeds)") == len(models)
        and flat.count("(of 2 with 2 seeds each the best is 0.00") == len(models)
    ), table
    assert re.search(rf"In all: {4 * len(models)} runs, [0-9.]+ CPU seconds", flat), table
    check_table(t, table, "g", seeds=2)
    assert t.tool("reproduce", "--resume", "g") == table
    data = json.loads(t.tool("reproduce", "--table", "g", "--json"))
    for m in data["presets"][0]["models"]:
        assert [o["row"]["rate"] for o in m["outcomes"]] == [0.001, 0.003] and {
            o["rates"] for o in m["outcomes"]
        } == {2}
        best = max(m["outcomes"], key=lambda o: sum(o["values"]))["row"]["rate"]
        assert {o["best_rate"] for o in m["outcomes"]} == {best}, m
    rows = [o["row"] for m in data["presets"][0]["models"] for o in m["outcomes"]]
    # processor seconds: two runs at a time do not take more than two processors' time
    shares = [s["timing"]["share"] for r in rows for s in r["seeds"]]
    assert all(0 < share < 1.1 for share in shares), shares
    total = sum(s["timing"]["seconds"] * s["timing"]["share"] for r in rows for s in r["seeds"])
    (time_row,) = data["time"]
    assert (
        time_row["unit"] == "CPU"
        and time_row["run_count"] == 4 * len(models)
        and abs(time_row["device_seconds"] - total) < 1e-6 * total
    )
    assert all(
        abs(r["timing"]["seconds"] - sum(s["timing"]["seconds"] for s in r["seeds"])) < 1e-6
        for r in rows
    )
    assert len({r["recipe"] for r in rows}) == len(cells), rows
    assert all(r["devices"] == 1 for r in rows), rows
    # a run alone, by the rate alone: the present names
    t.tool("reproduce", "parity", *SHORT, "--rate", "3e-3", "--seed", "2", "-o", "one")
    assert weights(t, "one", seed=2) == weights(t, "g", model="delta-signed-rate-0.003", seed=2)
    assert (
        row(t, "one")["seeds"][0]["lengths"] == row(t, "g", model=cells[1])["seeds"][1]["lengths"]
    )
    # killed and resumed
    process = started(t, *args, "-o", "k", "--checkpoint-seconds", "0", "--jobs", "2")
    wait_for_end(t.folder / "k" / f"outcome-parity-best-{cells[0]}.json", 2, process)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=300)
    assert process.returncode == 130 and b"go on with: fsa2lrnn reproduce --resume k" in errors, (
        process.returncode,
        errors,
    )
    if t.whole:
        assert not (t.folder / "k" / f"outcome-parity-best-{cells[3]}.json").exists()
    t.tool("reproduce", "--resume", "k")
    for cell in cells:
        for seed in (1, 2):
            assert weights(t, "k", model=cell, seed=seed) == weights(
                t, "g", model=cell, seed=seed
            ), (cell, seed)


# A hash of 2026-11-27, whose row has no configuration (even-pairs, nh2).
WITHOUT_CONFIG = "bc6f10fbf6914e076203ab9d63058d509787e8c3c90751b6188ef1a7fede0f2d"


def test_further_seeds(t):
    """Files of further seeds become one row; files that differ in more than the seeds do not."""
    t.tool("reproduce", "parity", *SHORT, "-o", "a")
    t.tool("reproduce", "parity", *SHORT, "--seed", "2", "--seeds", "2", "-o", "b")
    a, b = row(t, "a"), row(t, "b")
    assert a["recipe"] == b["recipe"], (a, b)

    def outcomes(*files):
        data = json.loads(t.tool("reproduce", "--table", *files, "--json"))
        return [o for m in data["presets"][0]["models"] for o in m["outcomes"]], data["time"]

    (merged,), taken = outcomes("b", "a")
    assert [s["seed"] for s in merged["row"]["seeds"]] == [1, 2, 3] and taken[0][
        "run_count"
    ] == 3, merged
    assert merged["row"]["seeds"] == a["seeds"] + b["seeds"], merged
    accuracies = sorted(s["lengths"][0]["scaled_accuracy"] for s in merged["row"]["seeds"])
    first = merged["by_length"][0]["measured"]
    assert [first["least"], first["median"], first["greatest"]] == accuracies, (first, accuracies)
    t.tool("reproduce", "--table", "b", "a", out=r"3\s+seeds\s+\(1,\s+2,\s+3\):\s+median")
    assert merged["seeds_missing"] == 0 and merged["mean"]["count"] == 3, merged
    t.tool("reproduce", "--table", "b", out="here +no average: 1 of 3 seeds missing")
    # the same seed twice, and files with any other difference
    assert len(outcomes("a", "a")[0]) == 2
    for change in (
        {"rate": 0.002},
        {"steps": 7},
        {"batch": 65},
        {"scale": 0.011},
        {"backend": "cuda"},
        {"device": "x"},
        {"setting": "paper"},
    ):
        t.write("changed.json", json.dumps({**b, **change}))
        assert len(outcomes("a", "changed.json")[0]) == 2, change
    # recipes: what an earlier version had is another one, and what none had is refused
    t.write("changed.json", json.dumps({**b, "recipe": WITHOUT_CONFIG, "config": None}))
    t.tool("reproduce", "--table", "changed.json", rc=65, err='"config"')
    other = {k: v for k, v in b.items() if k != "config"}
    t.write("changed.json", json.dumps({**other, "recipe": WITHOUT_CONFIG}))
    assert len(outcomes("a", "changed.json")[0]) == 2
    t.write("changed.json", json.dumps({"rows": [a, {**b, "recipe": "0" * 64}]}, indent=1))
    line = t.read("changed.json").decode().split("\n").index(f'   "recipe": "{"0" * 64}",') + 1
    refused = rf'changed\.json:{line}:15: .*"recipe" is not the hash of its "config"'
    for more in ((), ("a",), ("parity",)):
        t.tool("reproduce", "--table", *more, "changed.json", rc=65, err=refused)
    t.write("changed.json", json.dumps({**b, "config": {**b["config"], "batch": 65}}))
    t.tool("reproduce", "--table", "changed.json", rc=65, err="is not the hash of its")
    t.write("changed.json", json.dumps(other))
    t.tool("reproduce", "--table", "changed.json", rc=65, err="no version is known to have written")
    t.write("changed.json", json.dumps({**b, "timing": {"date": "2026-11-21", "seconds": 1e9}}))
    t.tool("reproduce", "--table", "changed.json", rc=65, err="sum over the seeds")


def test_a_seed_alone(t):
    """A seed among others has the outcome that it has alone, its search of short words, too."""
    longer = ("reproduce", "parity", "--model", "delta-signed", "--scale", "0.05")
    t.tool(*longer, "--seed", "3", "-o", "a")
    t.tool(*longer, "--seed", "2", "--seeds", "2", "-o", "b")
    (alone,), among = row(t, "a")["seeds"], row(t, "b")["seeds"][1]
    assert {**alone, "timing": None} == {**among, "timing": None}, (alone, among)


def test_recorded(t):
    """The recorded files can be shown together."""
    results = harness.ROOT / "reports" / "results" / "training"
    files = sorted(results.glob("outcome-*.json"))
    seeds = 0
    for f in files:
        data = json.loads(f.read_text())
        rows = data if isinstance(data, list) else data.get("rows", [data])
        seeds += sum(len(r["seeds"]) for r in rows)
    data = json.loads(t.tool("reproduce", "--table", *files, "--json"))
    outcomes = [o for p in data["presets"] for m in p["models"] for o in m["outcomes"]]
    for o in outcomes:
        few = len(o["row"]["seeds"]) < 3
        spreads = [o["mean"], *(at["measured"] for at in o["by_length"] + o["by_set"])]
        assert (o["seeds_missing"] > 0) == few and not (few and any(spreads)), o
    assert any(o["seeds_missing"] for o in outcomes) and any(o["mean"] for o in outcomes)
    shown = [o["row"] for p in data["presets"] for m in p["models"] for o in m["outcomes"]]
    assert (
        sum(len(r["seeds"]) for r in shown) == seeds == sum(d["run_count"] for d in data["time"])
    ), (
        seeds,
        data["time"],
    )
    t.tool("reproduce", "--table", *files, out="In all: .* GPU seconds")
    # a run that was stopped is beside the two seeds that ended, and in the median
    t.tool(
        "reproduce",
        "--table",
        "modarith",
        *files,
        out=r"0\.300 \(0\.991, 0\.245, 0\.300\)[\s\S]*constant\s+answer\s+was\s+not\s+recorded"
        r"[\s\S]*3\s+seeds\s+\(1,\s+2,\s+3\)[\s\S]*seed\s+2\s+stopped\s+at\s+step\s+39000",
    )


# The rows of the tables in docs/published.md: first cell, preset, model, what the outcomes have,
# and the end of the description of their training.
DOCUMENTED = (
    ("S3, one layer", "s3", "nh2", {"batch": 512, "backend": "cuda"}, ""),
    ("S4, one layer", "s4", "nh2", {"backend": "cuda"}, ""),
    ("A5, one layer", "a5", "nh2", {"rate": 2e-3, "backend": "cuda", "batch": 512}, ""),
    ("A5, the same", "a5", "nh2", {"rate": 4e-3}, ""),
    ("S5, one layer", "s5", "nh4", {"rate": 2e-3, "steps": 20000}, ""),
    ("S5, swaps", "s5-swaps", "delta-signed", {}, ""),
    ("S5, four letters", "s5-tokens", "delta-signed", {"rate": 6e-3, "steps": 20000}, ""),
    ("Z60, one layer", "z60", "nh2", {}, "4 to 128 letters"),
    ("DeltaNet in [-1, 1], 5 layers", "modarith", "delta-signed-5",
     {"rate": 2e-3, "steps": 6000, "backend": "cuda"}, ""),
    ("the same with twice", "modarith", "delta-signed-5", {"steps": 12000}, ""),
    ("DeltaNet in [-1, 1], 3 layers", "modarith", "delta-signed", {"steps": 6000}, ""),
    ("DeltaNet in [-1, 1], 3 layers, 100,000", "modarith", "delta-signed", {"steps": 100000}, ""),
    ("DeltaProduct, n_h = 2", "modarith", "nh2", {}, ""),
)  # fmt: skip


def test_documented(t):
    """The numbers in docs/published.md are the ones of the recorded rows."""
    root = harness.ROOT
    table = json.loads(
        t.tool("reproduce", "--table", root / "reports" / "results" / "training", "--json")
    )
    lines = (root / "docs/published.md").read_text().splitlines()

    def number(value):
        text = f"{value:.3f}"
        return {"1.000": "1.0", "0.000": "0"}.get(text, text.removeprefix("0"))

    for label, preset, model, has, end in DOCUMENTED:
        outcomes = [
            o
            for p in table["presets"]
            for m in p["models"]
            for o in m["outcomes"]
            if (p["preset"], m["model"]) == (preset, model)
            and all(o["row"][k] == v for k, v in has.items())
            and o["row"].get("trained", "").endswith(end)
            and not re.search(r"4 to 256 letters|first weights", o["row"].get("trained", ""))
            and (o["row"]["setting"] == "best" or has.get("steps") == 100000)
        ]
        start = rf"\| {re.escape(label)}(,| \||[^,|]*[,|])"
        (line,) = [x for x in lines if re.match(start, x) and ("100,0" in x) == ("100,0" in label)]
        cells = [c.strip() for c in line.strip("|").split("|")]
        if preset == "modarith":
            values = sorted(v for o in outcomes for v in o["values"])
            assert cells[1] == str(len(values)), (line, values)
            middle = (values[(len(values) - 1) // 2] + values[len(values) // 2]) / 2
            want = ", ".join(map(number, (values[0], middle, values[-1])))
            assert cells[2].split(";")[0] == want, (line, want)
            continue
        for cell, length in zip(cells[2:6], (128, 256, 512, 1024)):
            values = sorted(
                v
                for o in outcomes
                for at in o["by_length"]
                if at["length"] == length
                for v in at["values"]
            )
            if len(set(values)) == 1:
                values = values[:1]
            assert cell == ", ".join(map(number, values)), (line, length, values)


# The rows of the tables of the released setting and of ten seeds: first cell and file.
RECORDED = (
    ("S3 released", "s3-released-nh2-begin"),
    ("S4 released", "s4-released-nh2-begin"),
    ("S3 until .99", "s3-released-nh2-until99"),
    ("S4 until .99", "s4-released-nh2-until99"),
    ("A5 until .99", "a5-released-nh2-until99"),
    ("S5 until .99", "s5-released-nh4-until99"),
    ("S3, n_h = 2", "s3-best-nh2-64to512"),
    ("S4, n_h = 2", "s4-best-nh2-64to512"),
    ("A5, n_h = 2", "a5-best-nh2-64to512"),
    ("S5, n_h = 4", "s5-best-nh4-64to512"),
    ("S3 at 256 letters", "s3-best-nh2-fix256"),
    ("S4 at 256 letters", "s4-best-nh2-fix256"),
    ("A5 at 256 letters", "a5-best-nh2-fix256"),
    ("S5 at 256 letters", "s5-best-nh4-fix256"),
    ("S5 from 256 to 512 letters", "s5-best-nh4-256to512"),
    ("S3 by the first recipe", "s3-best-nh2-grow256"),
    ("S4 by the first recipe", "s4-best-nh2-grow256"),
    ("A5 by the first recipe", "a5-best-nh2-grow256"),
    ("S5 by the first recipe", "s5-best-nh4-grow256"),
)


def test_documented_groups(t):
    """The accuracies in docs/published.md, or the numbers of seeds that have 1.0 (.99 at 1,024),
    are those of the recorded rows, and the letters of the shortest failing words those known."""
    root, figure = harness.ROOT, figure_script("what_decides")
    lines = (root / "docs/published.md").read_text().splitlines()
    numbers = {4: "four", 7: "seven", 8: "eight", 9: "nine", 10: "ten"}
    for label, name in RECORDED:
        path = root / f"reports/results/training/outcome-{name}.json"
        seeds = json.loads(path.read_text())["seeds"]
        (line,) = [x for x in lines if re.match(rf"\| {re.escape(label)}( \||,)", x)]
        cells = [c.strip() for c in line.strip("|").split("|")]
        known = [s.wrong for s in figure.of_outcomes(name)]
        shown = cells[6].replace(",", "")
        if len(seeds) == 10:
            first = re.match(r"(\d+) (\d+) (\d+) of seeds 1 to 3", shown)
            assert [int(x) for x in (first.groups() if first else ())] == known[: 3 * bool(first)]
            assert all(str(w) in shown for w in known if w), (line, known)
            assert first or not any(0 < w < 1024 for w in known[:3]), (line, known)
            assert ("none in 5120 words" in shown) == (0 in known), (line, known)
        else:
            assert [int(x) for x in shown.split()] == known, (line, known)
        for cell, length in zip(cells[1:5], (128, 330, 512, 1024)):
            values = [
                x["sequence_accuracy"]
                for seed in seeds
                for x in seed["lengths"]
                if x["length"] == length
            ]
            if len(seeds) == 10:
                assert len(values) == 10, (line, length, values)
                right = sum(v >= (0.99 if length == 1024 else 1) for v in values)
                assert cell.split(",")[0] == numbers[right], (line, length, values)
                assert f"`{name}`" == cells[5], line
                for value in re.findall(r"(?<!\d)\.\d+", cell):
                    assert float(value) in [round(v, 3) for v in values], (line, length, values)
                continue
            want = [{"1.000": "1.0", "0.000": "0"}.get(f"{v:.3f}", f"{v:.3f}"[1:]) for v in values]
            want = want[:1] if len(set(want)) == 1 else want or ["-"]
            have = cell.split(", ")
            have = have[:1] if len(set(have)) == 1 else have
            assert have == want, (line, length, values)


def started(t, *args):
    return t.start("reproduce", *args, stdout=subprocess.DEVNULL)


def wait_for_end(path, seeds, process, seconds=120):
    """Waits until the outcome has that many seeds, and all have ended."""
    for _ in range(seconds * 50):
        if process.poll() is not None:
            return
        if path.exists():
            ends = [s["end"] for s in json.loads(path.read_bytes())["seeds"]]
            if len(ends) == seeds and "running" not in ends:
                return
        time.sleep(0.02)
    raise AssertionError(f"{path} has no end")


def wait_for(path, process, seconds=120):
    for _ in range(seconds * 50):
        if path.exists() or process.poll() is not None:
            return
        time.sleep(0.02)
    raise AssertionError(f"{path} did not appear")


def test_expected_time(t):
    """A terminal is told about how long each row takes before anything of it is trained."""
    master, slave = pty.openpty()
    models, text = "delta-signed,nh2", b""
    argv = ("reproduce", "parity", "--model", models, "--seeds", "2", "--jobs", "1", "-o", "r")
    process = t.start(*argv, stdout=subprocess.DEVNULL, stderr=slave)
    os.close(slave)
    try:
        while text.count(b"a seed") < 2:
            assert select.select([master], [], [], 30)[0], text
            text += os.read(master, 65536)
        for model in models.split(","):
            line = rf"{model}: 2 seeds, about [0-9.]+ (s|min|h) a seed"
            assert re.search(line.encode(), text), text
        rows = [json.loads(p.read_bytes()) for p in (t.folder / "r").glob("outcome-*.json")]
        assert not any(seed["evaluations"] for r in rows for seed in r["seeds"]), rows
    finally:
        process.kill()
        process.wait()
        os.close(master)


def test_expected_time_in_a_log(t):
    """So is a log, which is no terminal; --quiet says nothing."""
    argv = ("reproduce", "parity", "--model", "delta-signed", "--scale", "0.002", "--no-report")
    t.tool(*argv, "-o", "a", err=r"fsa2lrnn: delta-signed: 1 seed, about [0-9.]+ (s|min|h) a seed")
    t.tool(*argv, "-o", "b", "--quiet")
    assert t.errors == "", t.errors


def test_interrupted(t):
    """A run that is killed, or stopped by a signal, gives the same as an uninterrupted run."""
    scale = "0.05" if t.whole else "0.02"
    args = ("parity", "--model", "delta-signed", "--scale", scale, "--seeds", "2", "--jobs", "1")
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
        # the run is in the table, as the row that was written when it began or was stopped
        (begun,) = row(t, folder)["seeds"]
        end = "running" if number == signal.SIGKILL else "stopped"
        assert begun["end"] == end and begun["lengths"] == [] and begun["weights"] is None, begun
        t.tool(
            "reproduce",
            "--table",
            folder,
            out=rf"no evaluation yet[\s\S]*1 not at\s+its\s+end\s+\(seed\s+1\s+{end}\s+at\s+step",
        )
        t.tool("reproduce", "--resume", folder)
        for seed in (1, 2):
            assert weights(t, folder, seed=seed) == weights(t, "whole", seed=seed), (number, seed)
        a, b = row(t, folder), row(t, "whole")
        for s in a["seeds"] + b["seeds"]:
            del s["timing"]
            assert s["curve"]["step"] and len(s["evaluations"]) == 1, s
        a.pop("timing"), b.pop("timing")
        assert a == b, (a, b)


def test_interrupted_search(t):
    """A signal in the search for a failing word, after all training, is told, and the search is
    made when the work goes on."""
    argv = ("parity", "--model", "delta-signed", "--scale", "0.01")
    t.tool("reproduce", *argv, "--search", "3000", "-o", "whole")
    process = started(t, *argv, "--search", "1000000000", "-o", "r")
    log = t.folder / "r" / "delta-signed" / "seed-1" / "log.jsonl"
    for _ in range(120 * 50):
        if process.poll() is not None or (log.exists() and '"completed"' in log.read_text()):
            break
        time.sleep(0.02)
    time.sleep(0.3)
    process.send_signal(signal.SIGTERM)
    _, errors = process.communicate(timeout=300)
    assert process.returncode == 128 + signal.SIGTERM, (process.returncode, errors)
    assert b"go on with: fsa2lrnn reproduce --resume r --search 1000000000" in errors, errors
    (cut,) = row(t, "r")["seeds"]
    assert cut["end"] == "completed" and not cut.get("failing_word"), cut
    t.tool("reproduce", "--resume", "r", "--search", "3000")
    (again,), (whole,) = row(t, "r")["seeds"], row(t, "whole")["seeds"]
    assert whole["failing_word"] and {**again, "timing": None} == {**whole, "timing": None}, again
    t.tool("reproduce", *argv, "--search", "0", "-o", "none")
    assert not row(t, "none")["seeds"][0].get("failing_word")
    t.tool("reproduce", "--resume", "none", "--search", "3000")
    (later,) = row(t, "none")["seeds"]
    assert later["failing_word"] == whole["failing_word"], later


def test_killed_after_an_evaluation(t):
    """A run that is killed after an evaluation counts with it, in the table and in the median."""
    args = ("parity", "--model", "delta-signed", "--scale", "0.34", "--jobs", "1")
    process = started(t, *args, "-o", "k", "--checkpoint-seconds", "0")
    path = t.folder / "k" / "outcome-parity-best-delta-signed.json"
    for _ in range(120 * 50):
        if path.exists() and json.loads(path.read_bytes())["seeds"][0]["lengths"]:
            break
        assert process.poll() is None, process.communicate()
        time.sleep(0.02)
    process.kill()
    process.communicate(timeout=300)
    killed = row(t, "k")
    (seed,) = killed["seeds"]
    assert seed["end"] == "running" and seed["evaluations"][0]["step"] == 25, seed
    assert seed["weights"] is None, seed
    assert seed["evaluations"][-1]["scores"]["length"] == [40, 94, 148, 202, 256], seed
    for at, scaled in zip(seed["lengths"], seed["evaluations"][-1]["scores"]["scaled_accuracy"]):
        assert at["scaled_accuracy"] == scaled, seed
        assert 0.5 <= at["constant_accuracy"] < 0.7 and abs(at["scaled_constant"]) < 0.4, at
    config = killed["config"]
    assert config["seed"] == 0 and config["train"]["steps"] == 102, config
    # beside a run of another seed that ended, as one row of two seeds
    t.tool("reproduce", *args, "--seed", "2", "-o", "whole")
    data = json.loads(t.tool("reproduce", "--table", "k", "whole", "--json"))
    (outcome,) = data["presets"][0]["models"][0]["outcomes"]
    assert outcome["runs_running"] == 1 and len(outcome["values"]) == 2, outcome
    assert outcome["mean"] is None and outcome["seeds_missing"] == 1, outcome
    members = {d["member"] for d in outcome["differences"]}
    assert {"curriculum.start", "batch", "train.steps", "model.additive"} <= members, members
    assert members.isdisjoint({"seed", "train.lengths"}), members
    t.tool("reproduce", "--table", "k", "whole", out=r"\(seed\s+1\s+running\s+at\s+step")
    t.tool("reproduce", "--resume", "k")
    (seed,) = row(t, "k")["seeds"]
    assert seed["end"] == "completed" and [e["step"] for e in seed["evaluations"]] == [
        25,
        50,
        75,
        100,
        102,
    ], seed
    assert seed["curve"]["step"][-1] == 102 and len(set(map(len, seed["curve"].values()))) == 1


def test_diverged(t):
    """A run that diverges is an outcome without accuracies."""
    t.tool(
        "reproduce",
        "parity",
        "--model",
        "delta-signed",
        "--scale",
        "0.15",
        "--rate",
        "10",
        "-o",
        "d",
        err="diverg",
        out="here +diverged",
    )
    (seed,) = row(t, "d")["seeds"]
    assert seed["end"] == "diverged" and seed["lengths"] == [], seed
    t.tool("reproduce", "--table", "d", out=r"1\s+diverged")


# A driver that reports which process calls which of its functions; it has no devices.
DRIVER = r"""
#include <stdio.h>
#include <string.h>
#include <unistd.h>
typedef int (*function)(void);
static void say(const char *what)
{
    char line[80];
    int size = snprintf(line, sizeof line, "driver: %s %d\\n", what, (int)getpid());
    if (write(2, line, (size_t)size) < 0) _exit(3);
}
int cuInit(unsigned flags) { say("begun by"); return (int)flags; }
int cuDriverGetVersion(int *version) { *version = 99000; return 0; }
static int none(void) { return 100; }
int cuGetProcAddress_v2(const char *name, function *out, int version, unsigned long long flags,
                        int *found)
{
    *out = strcmp(name, "cuInit") == 0 ? (function)cuInit
         : strcmp(name, "cuDriverGetVersion") == 0 ? (function)cuDriverGetVersion
         : strncmp(name, "cuGetProcAddress", 16) == 0 ? (function)cuGetProcAddress_v2 : none;
    if (found) *found = 0;
    return version < 0 || flags > 1000;
}
int cuGetProcAddress(const char *name, function *out, int version, unsigned long long flags)
{
    return cuGetProcAddress_v2(name, out, version, flags, NULL);
}
int cuGetExportTable(void) { return 100; }
"""


def test_devices_are_begun_by_children(t):
    """The parent of several runs does not initialise the driver before its children, since children
    cannot use what a parent initialised."""
    if not shutil.which("gcc"):
        raise harness.Skip("no gcc")
    t.write("driver.c", DRIVER)
    subprocess.run(
        ["gcc", "-shared", "-fPIC", "-w", "-o", t.folder / "libcuda.so.1", t.folder / "driver.c"],
        check=True,
    )
    t.env["LD_LIBRARY_PATH"] = str(t.folder)
    t.env["ASAN_OPTIONS"] += ":verify_asan_link_order=0"
    grammar = t.new("p.fsa", "parity")
    for args in (
        (
            "reproduce",
            "parity",
            "--model",
            "delta-signed",
            "--seeds",
            "2",
            "--jobs",
            "2",
            "-o",
            "r",
        ),
        (
            "reproduce",
            "parity",
            "--model",
            "delta-signed",
            "--rate",
            "1e-2,1e-3",
            "--gpus",
            "2",
            "-o",
            "g",
        ),
        ("train", grammar, "--steps", "2", "--seeds", "2", "--gpus", "2", "-o", "t"),
    ):
        process = t.start(
            *args, "--backend", "cuda", stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
        )
        _, errors = process.communicate(timeout=300)
        if b"built without CUDA" in errors:
            raise harness.Skip("built without CUDA")
        begun = re.findall(rb"driver: begun by ([0-9]+)", errors)
        assert begun and int(begun[0]) != process.pid, (args, process.pid, errors.decode())


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
    usage("s3", "--rate", "1e-3,0", err="above 0")
    usage("s3", "--rate", "1e-3,,1e-2", err="separated by commas")
    usage("s3", "--rate", "", err="separated by commas")
    usage("s3", "--rate", "1e-3,", err="separated by commas")
    usage("s3", "--rate", "fast", err="separated by commas")
    usage("s3", "--rate", "-1", err="separated by commas")
    usage("s3", "--rate", "11", err="up to 10")
    usage("s3", "--rate", "1e-3,0.001", err="names 0.001 twice")
    usage(
        "s3",
        "--rate",
        ",".join(str(i) for i in range(1, 11)) + "," + ",".join(f"0.{i}" for i in range(1, 9)),
        err="at most 16",
    )
    usage("s3", "--gpus", "2", err="--gpus needs --backend cuda")
    usage("s3", "--gpus", "0", err="--gpus")
    usage("--table", "--rate", "1e-3", err="trains nothing")
    usage("--table", "--gpus", "2", err="trains nothing")
    usage("s3", "--seeds", "0", err="--seeds")
    usage("s3", "--setting", "worst", err="paper")
    usage("s3", "--resume", "x", err="no operand")
    usage("--resume", "x", "--scale", "0.1", err="takes up what is in the folder")
    usage("--resume", "x", "--rate", "0.1", err="takes up what is in the folder")
    usage("--table", "s3", "s4", err="one preset or for all")
    usage("--table", "--dry-run", err="trains nothing")
    t.tool("reproduce", "s5-swaps", "--setting", "released", rc=69, err="it has paper, best")
    if not shutil.which("nvidia-smi"):
        t.tool("reproduce", "s3", "--backend", "cuda", "-o", "o", rc=69, err="(?i)cuda")
    t.tool(
        "reproduce",
        "s3",
        "--memory",
        "1M",
        "-o",
        "o",
        rc=2,
        err="needs .* of memory|training needs",
    )
    t.tool("reproduce", "--resume", "nowhere", rc=69, err="nowhere is no folder of reproduce")
    t.nothing_left()


def test_bad_files(t):
    t.write("f/reproduce.json", '{"schema":1,\n "kind":')
    t.tool("reproduce", "--resume", "f", rc=65, err="f:2:")
    good = {
        "schema": 1,
        "kind": "reproduce-request",
        "preset": "s3",
        "setting": "best",
        "models": ["nh2"],
        "scale": 1,
        "rate": 0,
        "seed": 1,
        "seeds": 1,
        "backend": "cpu",
    }
    for change in (
        {"schema": 2},
        {"preset": "s6"},
        {"setting": "x"},
        {"models": []},
        {"models": ["nh4"]},
        {"scale": 0},
        {"rate": -1},
        {"rate": []},
        {"rate": [0.1]},
        {"rate": [0.1, 0]},
        {"rate": [0.1, 0.1]},
        {"rate": [0.1, "x"]},
        {"rate": "x"},
        {"seed": -1},
        {"seeds": 0},
        {"backend": "tpu"},
        {"more": 1},
        {"kind": "x"},
    ):
        t.write("f/reproduce.json", json.dumps({**good, **change}))
        t.tool("reproduce", "--resume", "f", rc=65, err="no request for a preset")
    t.write("x.json", "{}")
    t.tool("reproduce", "--table", "x.json", rc=65, err='x.json.*"schema" is missing')
    t.write("x.json", "not json")
    t.tool("reproduce", "--table", "x.json", rc=65, err="x.json.*1.*no JSON")
    other = (
        harness.ROOT / "reports" / "results" / "psd-parity.json"
    )
    t.tool("reproduce", "--table", other, rc=65, err="psd-parity.json")
    t.tool("reproduce", "--table", "missing.json", rc=74, err="missing.json")
    t.write("empty/x", "")
    t.tool("reproduce", "--table", "empty", rc=69, err="no file outcome-")


def change(t, folder, edit):
    """Changes the outcome in the folder, as if another process had written it."""
    outcome = row(t, folder)
    edit(outcome)
    t.write(f"{folder}/outcome-parity-best-delta-signed.json", json.dumps(outcome))
    return outcome


def test_what_trained_each_seed(t):
    """A process that goes on records of each seed what it was trained with: shares, device and day
    of seeds that ended before are those of before, and of a seed that both have trained the share
    is the mean over its time."""
    argv = ("parity", "--model", "delta-signed", "--scale", "0.02", "--seeds", "2", "--jobs", "1")

    def elsewhere(outcome):
        for seed, share in zip(outcome["seeds"], (0.125, 3.5)):
            seed["timing"]["share"] = share
            if seed["end"] == "stopped":  # its log may have had no line yet
                seed["timing"]["seconds"] = 0.01
        times = [seed["timing"] for seed in outcome["seeds"]]
        outcome["timing"] = {
            "date": "2026-01-02",
            "seconds": sum(time["seconds"] for time in times),
            "device_seconds": sum(time["seconds"] * time["share"] for time in times),
        }
        outcome["device"] = "a machine elsewhere"

    # seed 2 was half trained there: it is finished here
    process = started(t, *argv, "--search", "0", "-o", "r", "--checkpoint-seconds", "0")
    wait_for(t.folder / "r" / "delta-signed" / "seed-2" / "checkpoint", process)
    process.terminate()
    process.communicate(timeout=300)
    before = change(t, "r", elsewhere)
    assert [s["end"] for s in before["seeds"]] == ["completed", "stopped"], before
    t.tool("reproduce", "--resume", "r", "--search", "0")
    after = row(t, "r")
    assert after["seeds"][0]["timing"] == before["seeds"][0]["timing"], after
    old, new = before["seeds"][1]["timing"], after["seeds"][1]["timing"]
    parts = old["seconds"] / new["seconds"]
    assert 0 < parts < 1 and new["share"] > 3.5 * parts, (old, new)
    assert abs(new["share"] - 3.5 * parts) < 1.1 * (1 - parts) + 1e-9, (old, new)
    assert after["device"].startswith("a machine elsewhere; "), after["device"]
    assert after["timing"]["date"] != "2026-01-02", after["timing"]
    # both had ended there: only the search is made here
    before = change(t, "r", elsewhere)
    t.tool("reproduce", "--resume", "r", "--search", "2000")
    after = row(t, "r")
    assert [s["timing"] for s in after["seeds"]] == [s["timing"] for s in before["seeds"]], after
    assert after["timing"] == before["timing"] and after["device"] == before["device"], after
    assert all(s["failing_word"] for s in after["seeds"]), after
    # a device that a log names is one more, even if its name begins that of another
    log = t.folder / "r/delta-signed/seed-1/log.jsonl"
    first, _, rest = log.read_text().partition("\n")
    there = re.search(r'"parameters":\d+,"bits":32', first)[0]
    log.write_text(first.replace(there, '"device":"L4"'.ljust(len(there))) + "\n" + rest)
    many = "; ".join(["L40S", *(f"a machine number {n} elsewhere" for n in range(10))])

    def unsearched(outcome):
        outcome["device"] = many
        del outcome["seeds"][1]["failing_word"]

    change(t, "r", unsearched)
    t.tool("reproduce", "--resume", "r", "--search", "2000")
    assert row(t, "r")["device"] == f"{many}; L4", row(t, "r")["device"]


def test_search_further(t):
    """A larger --search goes on where a smaller one was, and a smaller one has nothing to do."""
    argv = ("parity", *SHORT, "--search")
    t.tool("reproduce", *argv, "300", "-o", "r")
    short = row(t, "r")["seeds"][0]["failing_word"]
    assert short["letters_allowed"] == 300 and short["letters_read"] <= 700, short
    if short["wrong_letters"] == 0 or short["wrong_letters"] > short["all_words_up_to"] + 1:
        t.tool("reproduce", "--resume", "r", "--search", "20000")
        far = row(t, "r")["seeds"][0]["failing_word"]
        t.tool("reproduce", *argv, "20000", "-o", "whole")
        assert far == row(t, "whole")["seeds"][0]["failing_word"], far
        assert far["letters_allowed"] == 20000 and far["letters_read"] > short["letters_read"], far

    def longer(outcome):  # as if the search had not found the shortest
        word = outcome["seeds"][0]["failing_word"]
        word.update(wrong_letters=200, word="1 0", all_words_up_to=2, letters_allowed=300)

    change(t, "r", longer)
    written = (t.folder / "r/outcome-parity-best-delta-signed.json").stat().st_mtime_ns
    for less in ([], ["--search", "300"], ["--search", "0"]):
        t.tool("reproduce", "--resume", "r", *less)
        assert (t.folder / "r/outcome-parity-best-delta-signed.json").stat().st_mtime_ns == written
    t.tool("reproduce", "--resume", "r", "--search", "301")
    found = row(t, "r")["seeds"][0]["failing_word"]
    assert found["letters_allowed"] == 301, found
    assert found["wrong_letters"] in range(1, 201), found  # what is known is kept


def seconds_of_cut(t):
    """Returns the seconds after which a search was not done, as the message has them."""
    again = "s, and a --time-limit that leaves it no more ends it again"
    said = re.search(f"it was not done after ([0-9.]+) {again}", t.errors)
    assert said, t.errors
    return float(said[1])


def test_search_at_the_limit(t):
    """Time that ends within the search ends the work with 2, with and without --continue; the same
    command goes on."""
    argv = ("reproduce", "parity", *SHORT, "-o", "r")
    go_on = "time limit reached.*go on with: fsa2lrnn reproduce --resume r --search 1000000000"
    far = ("--search", "1000000000", "--time-limit")
    for more in ([], ["--continue"]):
        name = "c" if more else "r"
        for seconds in (1, 3, 10, 60):  # a machine at work may need more until the search begins
            said = go_on.replace(" r ", f" {name} ")
            t.tool(*argv[:-1], name, *more, *far, str(seconds), rc=2, err=said)
            (seed,) = row(t, name)["seeds"]
            if seed["end"] == "completed" and "begins anew" in t.errors:
                break
            shutil.rmtree(t.folder / name)
        assert seed["end"] == "completed" and "failing_word" not in seed, seed
        assert 0 <= seconds_of_cut(t) <= seconds + 1, (seconds, t.errors)
        if more:
            record = json.loads(t.read("c/work.json"))
            assert (record["state"], record["exit_status"]) == ("failed", 2), record
            assert "time limit" in record["reason"], record
    # the same limit again: nothing is gained, and the message says what was not enough
    before = row(t, "c")["seeds"]
    t.tool(*argv[:-1], "c", "--continue", *far, str(seconds), rc=2, err="0 of 1 seeds is kept")
    assert 0 < seconds_of_cut(t) <= seconds + 1 and row(t, "c")["seeds"] == before, t.errors
    process = started(t, "--resume", "c", *far[:2])
    time.sleep(1)
    process.terminate()
    said = process.communicate(timeout=60)[1].decode()
    assert "--time-limit" not in said, said
    t.tool(*argv[:-1], "c", "--continue", "--search", "3000")
    assert json.loads(t.read("c/work.json"))["state"] == "done"
    assert row(t, "c")["seeds"][0]["failing_word"]["letters_allowed"] == 3000


def test_searches_that_time_cuts(t):
    """Time that ends in the search of one seed keeps those of the others: the same command gets to
    the end, which is the one of a process that had the time, and evaluates no run again."""
    t.tool("reproduce", "parity", *SHORT, "--seeds", "3", "--search", "0", "-o", "begun")
    shutil.copytree(t.folder / "begun", t.folder / "whole")
    resume = ("--search", "60000", "--no-report", "--resume")
    from_then = time.monotonic()
    t.tool("reproduce", *resume, "whole")
    limit, partial = (time.monotonic() - from_then) / 2, False
    for _ in range(5):
        shutil.copytree(t.folder / "begun", t.folder / "r")
        kept = 0
        for _ in range(20):
            t.tool("reproduce", *resume, "r", "--time-limit", f"{limit:.3f}", rc=(0, 2), err=None)
            found = sum("failing_word" in s for s in row(t, "r")["seeds"])
            cut = "go on with" in t.errors
            assert found >= kept and (found == 3) == (not cut), (kept, found, t.errors)
            if found == 3:
                break
            assert "go on with: fsa2lrnn reproduce --resume r --search 60000" in t.errors, t.errors
            cut_in_search = f"what was found of {found} of 3 seeds is kept" in t.errors
            assert cut_in_search or found == kept, (found, t.errors)
            partial = partial or (cut_in_search and found > 0)
            limit *= 1.2 if found == kept else 1
            kept = found
        for one, other in zip(row(t, "r")["seeds"], row(t, "whole")["seeds"], strict=True):
            assert {**one, "timing": None} == {**other, "timing": None}, (one, other)
        name = "delta-signed/seeds.json"
        assert t.read(f"r/{name}") == t.read(f"begun/{name}")
        if partial:
            return
        shutil.rmtree(t.folder / "r")
        limit /= 1.5
    raise AssertionError("no search was cut behind one that was not")


def test_unfinished_files(t):
    """Temporary files of processes that are gone are removed when the folder is next opened, and no
    other files: not one that is being written, nor one that somebody named."""
    t.tool("reproduce", "parity", *SHORT, "-o", "r")
    folder = t.folder / "r"
    gone = [
        "outcome-parity-best-delta-signed.json.f2l-tmp-abc123",
        "report.html.f2l-tmp-000000",
        "report.md.f2l-tmp-zzzzzz",
        "delta-signed/seeds.json.f2l-tmp-q1w2e3",
        "delta-signed/seed-1/checkpoint.f2l-tmp-q1w2e3",
        "delta-signed/seed-1/report.html.f2l-tmp-q1w2e3",
        "work.json.f2l-tmp-q1w2e3",
    ]
    kept = [
        "outcome-parity-best-delta-signed.json.f2l-tmp-abc12",
        "outcome.json.f2l-tmp-abc123",
        "notes.txt.f2l-tmp-abc123",
        "report.html.f2l-tmp-ab-123",
        "report.html.tmp-backup",
    ]
    live = "outcome-parity-best-live.json.f2l-tmp-live00"
    for name in [*gone, *kept, live]:
        (folder / name).write_text("half")
    (folder / "report.md.f2l-tmp-folder").mkdir()
    (folder / "report.md.f2l-tmp-links1").symlink_to("outcome.json.f2l-tmp-abc123")
    with open(folder / live, "r+b") as held:
        fcntl.lockf(held, fcntl.LOCK_EX)
        change(t, "r", lambda outcome: outcome["seeds"][0].pop("failing_word"))
        t.tool("reproduce", "parity", *SHORT, "-o", "r", "--continue")
        there = [name for name in [*gone, *kept, live] if (folder / name).exists()]
    assert there == [*kept, live], there
    assert (folder / "report.md.f2l-tmp-folder").is_dir(), "a folder is no file"
    assert (folder / "report.md.f2l-tmp-links1").is_symlink(), "a link is no file"
    t.tool("reproduce", "--resume", "r")
    assert not (folder / live).exists()


def test_second_signal(t):
    """Two signals within milliseconds at any time: nothing that they left is there at the end,
    which is the one of an undisturbed run."""
    argv = ("parity", "--model", "delta-signed", "--scale", "0.02", "--seeds", "2", "--jobs", "2")
    t.tool("reproduce", *argv, "-o", "whole", "--search", "2000")
    pauses = [n * 0.04 for n in range(16 if t.whole else 5)]
    for pause in pauses:
        process = started(t, *argv, "-o", "r", "--search", "2000", "--continue", "--no-report")
        wait_for(t.folder / "r" / "reproduce.json", process)
        time.sleep(pause)
        for wait in (0.002, 0):
            process.terminate()
            time.sleep(wait)
        process.communicate(timeout=60)
    t.tool("reproduce", *argv, "-o", "r", "--search", "2000", "--continue")
    left = [str(p) for p in (t.folder / "r").rglob("*") if ".f2l-tmp-" in p.name]
    assert left == [], left
    for seed in (1, 2):
        assert weights(t, "r", seed=seed) == weights(t, "whole", seed=seed), seed


def test_weights_that_could_not_be_written(t):
    """A run that ended on a full disk, before its weights were written, is not done: the same
    command writes them."""
    argv = ("reproduce", "parity", *SHORT, "--search", "500", "--continue")
    t.tool(*argv, "-o", "r")
    bits, (want,) = weights(t, "r"), row(t, "r")["seeds"]
    (t.folder / "r/delta-signed/seed-1/weights.safetensors").unlink()

    def lost(outcome):  # as record_stopped writes it
        outcome["seeds"][0]["weights"] = None
        del outcome["seeds"][0]["failing_word"]

    change(t, "r", lost)
    t.tool(*argv, "-o", "r")
    (after,) = row(t, "r")["seeds"]
    assert weights(t, "r") == bits
    assert {**after, "timing": None} == {**want, "timing": None}, after
