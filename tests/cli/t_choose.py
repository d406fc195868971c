"""`choose`: the network is the main job's, every step cheaper is decided or UNKNOWN, config.json is
what `export` writes, the table has no blank, limits, and wrong usage."""

import json

from harness import ROOT

REAL = ROOT / "tests/data/real"
STEPS = ["layers", "eigenvalues", "householders"]


def chosen(t, *args, rc=0):
    return json.loads(t.tool("choose", *args, "--json", rc=rc))


def steps(report):
    assert [s["cheaper_step"] for s in report["cheaper"]] == STEPS
    return {s["cheaper_step"]: s for s in report["cheaper"]}


def test_parity(t):
    report = chosen(t, str(ROOT / "examples/parity.fsa"))
    take, cheaper = report["take"], steps(report)
    assert take["layer_type"] == "DeltaNet"
    assert take["allow_neg_eigval"] and take["most_beta"] == 2
    assert take["exact"]["verdict"] == "VERIFIED" and take["figures"]["layers"] == 1
    assert (take["state_format"], take["state_bytes"]) == ("bf16", 2)
    assert cheaper["layers"]["cheaper_answer"] == "nothing to save"
    beta = cheaper["eigenvalues"]
    assert beta["cheaper_answer"] == "cannot" and "L.7" in beta["statement"]
    assert beta["shown_by"] == "cycle_word" and report["cycle_word"]["word"] == ["1"]
    assert beta["scope"].startswith("exact arithmetic")
    assert cheaper["householders"]["cheaper_answer"] == "can"  # diagonal [-1,1], by L.9


def test_no_reflection(t):
    """A set and a reset need no eigenvalue below 0, and released layers with beta <= 1 can."""
    report = chosen(t, str(REAL / "bits4.fsa"))
    take, cheaper = report["take"], steps(report)
    assert not take["allow_neg_eigval"] and take["most_beta"] == 1
    assert cheaper["eigenvalues"]["cheaper_answer"] == "nothing to save"
    rows = {(r["name"], r["released_setting"]): r for r in report["released"]}
    [qwen] = [r for (name, _), r in rows.items() if name == "Qwen3-Next"]
    assert qwen["released_answer"] == "can"


def test_fewer_layers(t):
    report = chosen(t, str(REAL / "flipflop_language.fsa"))
    layers = steps(report)["layers"]
    assert report["take"]["figures"]["layers"] == 3
    assert (layers["cheaper_answer"], layers["statement"]) == ("cannot", "FK.8")
    assert report["layers_needed"]["layers_at_least"] == 3
    fewer = steps(report)["householders"]
    assert fewer["cheaper_answer"] == "can" and fewer["figures"]["householders"] < 3
    text = t.tool("choose", str(REAL / "flipflop_language.fsa"))
    assert "cannot (FK.8): 3 layers are the fewest" in text
    letters = zip("ab", ("0130", "1202"))
    edges = "".join(f"{q} {x} {to}\n" for x, row in letters for q, to in enumerate(row))
    t.write("open.fsa", "start 0\n" + edges)
    open_ = steps(chosen(t, "open.fsa"))["layers"]
    assert open_["cheaper_answer"] == "UNKNOWN" and "at least 2" in open_["because"]


def test_two_layers_of_slots(t):
    """Two layers that are exact in bf16 are taken, where a cascade has three and contractions that
    round have two."""
    edges = "0 a 0\n0 b 2\n1 a 4\n1 b 2\n2 a 0\n2 b 1\n4 a 4\n4 b 4\n"
    t.write("g.fsa", "start 0\naccept 0 1 2\n" + edges)
    report = chosen(t, "g.fsa", "--label", "accept")
    take = report["take"]
    assert (take["figures"]["layers"], take["theorem"]) == (2, "LL.2"), take
    assert report["layers_needed"]["most_layers"] == 2, "both rows say the same"


def test_is_the_main_job(t):
    """Figures and construction are those of the network that the main job writes."""
    for name in ("s3.fsa", "tomita4.fsa", "lexer.fsa", "shuffle.fsa"):
        path = str(ROOT / "examples" / name)
        take = chosen(t, path)["take"]
        main = json.loads(t.tool(path, "--out", f"{name}.lrnn", "--no-report", "--json"))
        made = main["construction"]
        assert (take["theorem"], take["variant"]) == (made["theorem"], made["variant"]), name
        for fact, value in take["figures"].items():
            assert made.get(fact, value) == value, (name, fact)


def test_config_is_the_export(t):
    """--config writes what `export` writes, and claims what it claims."""
    path = str(ROOT / "examples/s3.fsa")
    report = chosen(t, path, "--config", "config")
    held = [h for h in report["holders"] if h["holds"]]
    assert [h["target"] for h in held] == ["fla-deltanet", "fla-gated-deltaproduct"]
    for holder in held:
        target = holder["target"]
        text = t.read(f"config/{target}/config.json").decode()
        assert text == holder["config_text"]
        options = holder["compile_options"].split()
        t.tool("compile", path, *options, "--out", f"{target}.lrnn", "--quiet")
        t.tool("export", f"{target}.lrnn", "--to", target, "-o", target, "--quiet")
        assert t.read(f"{target}/config.json").decode() == text
        assert json.loads(t.read(f"{target}/export.json"))["claims"] == holder["claims"]
        config = json.loads(text)
        numbers = config["num_hidden_layers"] * holder["heads"] * holder["key_dim"]
        assert holder["state_numbers"] == numbers * holder["value_dim"]
        assert holder["state_bytes"] == 4 * holder["state_numbers"]
    t.tool("choose", path, "--config", "config", rc=73, err="exists already")
    t.tool("choose", path, "--config", "config", "--force")
    (t.folder / "config/fla-deltanet/config.json").unlink()
    t.tool("choose", path, "--config", "config", rc=73, err="fla-gated-deltaproduct/config.json ex")
    assert not (t.folder / "config/fla-deltanet/config.json").exists(), "all files or none"


def test_table_has_no_blank(t):
    for grammar in ("parity.fsa", "s5_generators.fsa", "tomita4.fsa"):
        rows = chosen(t, str(ROOT / "examples" / grammar))["released"]
        assert all(r["released_answer"] for r in rows)
        decided = [r for r in rows if r["released_answer"] in ("can", "cannot")]
        assert all(r["statement"] and r["scope"] for r in decided)
        assert {"Olmo Hybrid", "Qwen3-Next"} <= {r["name"] for r in rows}
        assert any(r["released_answer"] == "not yet decided" for r in rows)


def test_agrees_with_classify(t):
    """Layers on a rung have its verdict."""
    path = str(ROOT / "examples/s5_generators.fsa")
    classes = json.loads(t.tool("classify", path, "--json"))["classes"]
    answer = {c["class"]: c["answer"] for c in classes}
    rows = {r["name"]: r["released_answer"] for r in chosen(t, path)["released"]}
    assert rows["Qwen3-Next"] == answer["deltanet-positive"] == "cannot"
    assert rows["Olmo Hybrid"] == answer["deltanet"] == "can"
    assert rows["Mamba-3"] == answer["complex"] == "cannot"


def test_bounds_are_those_of_classify(t):
    """Both have one bound, and no construction that it excludes may have fewer layers."""
    t.write("six.fsa", t.tool("new", "random", "6", "2", "10"))
    mine = chosen(t, "six.fsa")["layers_needed"]
    other = json.loads(t.tool("classify", "six.fsa", "--json"))["layers_needed"]
    assert (mine["layers_at_least"], mine["least_by"]) == (3, "FK.10")
    assert (other["layers_at_least"], other["least_by"]) == (3, "FK.10")
    assert mine["fewer_by"] == "R4.8", "not R4, OL and LL.2, which have one layer or two"


def test_inputs(t):
    report = chosen(t, "--regex", "(ab|ba)*")
    assert report["label_kind"] == "accept" and report["take"]["figures"]["layers"] == 1
    both = chosen(t, str(ROOT / "examples/parity.fsa"), str(ROOT / "examples/parity.fsa"),
                  "--apart", "--product")  # fmt: skip
    assert both["automaton"]["states"] == 4
    t.write("one.fsa", "start p\np a p\n")
    one = chosen(t, "one.fsa")
    assert {s["cheaper_answer"] for s in one["cheaper"]} == {"nothing to save"}


def test_limits(t):
    path = str(REAL / "mqtt_session.fsa")
    report = chosen(t, path, "--effort", "1", rc=2)
    assert report["take"] is None and report["reason"] and report["holders"] == []
    assert {s["cheaper_answer"] for s in report["cheaper"]} == {"UNKNOWN"}
    assert "take this       UNKNOWN: " in t.tool("choose", path, "--effort", "1", rc=2)
    accept = chosen(t, path, "--label", "accept", "--effort", "1", rc=2)
    assert all(
        r["released_answer"] in ("UNKNOWN", "not yet decided") or r["statement"]
        for r in accept["released"]
    )
    assert chosen(t, path)["take"]["exact"]["verdict"] == "VERIFIED"


def test_usage(t):
    parity = str(ROOT / "examples/parity.fsa")
    t.tool("choose", rc=64, err="")
    t.tool("choose", parity, "--force", rc=64, err="--force belongs to --config")
    t.tool("choose", parity, "--config", "", rc=64, err="--config is empty")
    t.tool("choose", parity, "--effort", "0", rc=64, err="--effort")
    t.tool("choose", parity, "--label", "outputs", rc=69, err="has no outputs")
    t.write("file", "")
    t.tool("choose", parity, "--config", "file", rc=73, err="file")
    t.tool("choose", parity, "--config", "none/dir", rc=73, err="none/dir cannot be created")
    assert t.read("file") == b""
    t.tool("choose", "none.fsa", rc=74, err="none.fsa")
