"""The main job where a cascade needs more subsets than its limit: the rule form, a wired
network."""

import random


def random_automaton(states, letters, seed):
    r = random.Random(seed)
    lines = [f"q{q} {a} q{r.randrange(states)}" for q in range(states) for a in letters]
    return "start q0\naccept q1 q2\n" + "\n".join(lines) + "\n"


def test_beyond_the_limit(t):
    t.write("r.fsa", random_automaton(60, "ab", 3))
    t.tool(
        "r.fsa",
        "--max-sets",
        "100",
        "--require",
        "bf16",
        out=(
            r"Z \(cascade by rule, one layer per level\): .*no cascade with tables: .*limit of 100"
            r" subsets"
        ),
    )
    r = t.report("r.lrnn")
    c = r["construction"]
    states = c["level_rule"]["states"]
    assert c["theorem"] == "Z" and c["layers"] == states - 1 == len(c["per_layer"]), c
    assert c["householders"] == 4 * states and c["key_dim"] == 4 * states, c
    assert [p["householders"] for p in c["per_layer"]] == [
        4 * states - level for level in range(states - 1)
    ], c["per_layer"]
    assert f" householders {4 * states} " in t.read("r.lrnn/certificate.cert").decode()
    assert r["exact"]["verdict"] == "VERIFIED" and r["exact"]["how"] == "form", r["exact"]
    assert r["exact"]["statement"] == "theory/pages/zeiger.md, Z.6", r["exact"]
    assert r["exact"]["joint_states"] is None is r["exact"]["pairs"], r["exact"]
    assert [f["verdict"] for f in t.closed(r)] == ["VERIFIED"] * 4, r["formats"]
    assert "claim zeiger" in t.read("r.lrnn/certificate.cert").decode()
    assert r["weights"]["rounded"] is False and r["weights"]["dtype"] == "BF16", r["weights"]
    t.check("r.lrnn")
    for options in ((), ("--format", "bf16"), ("--format", "fp64")):
        t.tool(
            "run",
            "r.lrnn",
            "--random",
            "5",
            "--length",
            "200",
            *options,
            out="1000 labels right, 0 wrong",
        )


def test_labels_and_classes(t):
    t.write(
        "r.fsa",
        random_automaton(30, "abc", 4)
        + "q1 d q2\n"
        + "".join(f"q{q} d q{q}\n" for q in range(30) if q != 1),
    )
    t.tool(
        "r.fsa", "--max-sets", "10", "--label", "accept", "--out", "accept", out="Z .*minimised to"
    )
    t.check("accept")
    t.tool("run", "accept", "--random", "10", out="0 wrong")
    t.write("m.fsa", "start p\naccept q\np a q\nq a q\nr a q\np b r\nq b p\nr b r\n")
    t.tool(
        "m.fsa", "--label", "accept", "--cascade", "capped", "--max-sets", "1", out="Z .*: 1 layer,"
    )
    assert "letters 2 states 3 classes 2" in t.read("m.lrnn/certificate.cert").decode()
    t.check("m.lrnn")


def test_every_kind_falls_back(t):
    t.write("t5.fsa", t.tool("new", "transformations", "5"))
    for kind in ("holonomy", "capped", "zeiger"):
        t.tool(
            "t5.fsa",
            "--cascade",
            kind,
            "--max-sets",
            "3",
            "--out",
            kind,
            out=rf"Z .*4 layers.*{kind} cascade passed",
        )
        t.check(kind)
    assert t.read("holonomy/network.lrnn") == t.read("zeiger/network.lrnn")


def test_streaming_and_damage(t):
    t.write("t4.fsa", t.tool("new", "transformations", "4"))
    t.tool("t4.fsa", "--max-sets", "2")
    network = t.read("t4.lrnn/network.lrnn").decode()
    word = t.tool("run", "t4.lrnn", "--from-start", stdin="\n")
    t.write("cut.lrnn", network[: len(network) // 2])
    t.tool("run", "cut.lrnn", rc=65, err="cut.lrnn:")
    t.write("other.lrnn", network.replace("lrnn-wired 2", "lrnn-wired 1", 1))
    t.tool("run", "other.lrnn", rc=65, err="other.lrnn:1:")
    assert word.strip(), word
