"""`cascade`: decompositions as text, JSON and drawing; limits and refusals."""

import json

MIXED = """start 1
1 a 4
2 a 4
3 a 4
4 a 4
1 b 2
2 b 1
3 b 3
4 b 4
1 c 2
2 c 3
3 c 1
4 c 4
"""


def decompose(t, name, *options):
    return json.loads(t.tool("cascade", name, "--json", *options))


def full(t, n):
    lines = ["start 1"]
    for q in range(1, n + 1):
        lines += [
            f"{q} cycle {q % n + 1}",
            f"{q} swap {3 - q if q < 3 else q}",
            f"{q} merge {1 if q < 3 else q}",
        ]
    return t.write(f"t{n}.fsa", "\n".join(lines) + "\n")


def test_kinds(t):
    name = full(t, 5)
    for kind, levels in ((None, 4), ("holonomy", 4), ("pure", 4), ("capped", 4), ("zeiger", 4)):
        report = decompose(t, name, *(["--cascade", kind] if kind else []))
        assert report["cascade"]["levels"] == levels and report["verdict"] == "VERIFIED", report
        assert [level["states"] for level in report["per_level"]] == [5, 4, 3, 2], report
        assert [level["per_component"][0]["group"] for level in report["per_level"]] == [
            "S_5",
            "S_4",
            "S_3",
            "Z_2",
        ], report
        assert (report["other"] is None) == (kind is not None), report
        assert report["aperiodic"] is (None if kind in ("capped", "zeiger") else False), report


def test_text_and_drawing(t):
    t.write("mixed.fsa", MIXED)
    text = t.tool("cascade", "mixed.fsa")
    assert "level 1:" in text and "homomorphism" in text and "S_3" in text, text
    assert text == t.tool("cascade", "mixed.fsa"), "equal input, equal output"
    drawing = t.tool("cascade", "mixed.fsa", "--dot")
    assert drawing.startswith("digraph cascade {") and drawing.endswith("}\n"), drawing
    assert json.loads(t.tool("cascade", "mixed.fsa", "--dot", "--json"))["dot"] == drawing


def test_aperiodic_automata(t):
    t.write("flipflop.fsa", "start off\noff set on\noff reset off\non set on\non reset off\n")
    report = decompose(t, "flipflop.fsa")
    assert report["aperiodic"] is True and report["cascade"]["levels"] == 1, report


def test_one_state(t):
    t.write("one.fsa", "start a\na x a\n")
    report = decompose(t, "one.fsa")
    assert report["cascade"]["levels"] == 0 and report["homomorphism"] == [
        {"state": "a", "coordinates": [], "chains": 1}
    ], report
    assert "0 levels" in t.tool("cascade", "one.fsa")
    t.tool("cascade", "one.fsa", "--dot")


def test_unreachable_states_are_dropped_and_named(t):
    t.write("extra.fsa", "start a\na x a\nb x a\n")
    t.tool("cascade", "extra.fsa", err="1 state that no word reaches was dropped")


def test_limits_and_refusals(t):
    name = full(t, 8)
    t.tool(
        "cascade",
        name,
        "--cascade",
        "zeiger",
        "--limit",
        "20",
        rc=2,
        err="zeiger cascade passed its limit of 20 subsets",
    )
    t.tool("cascade", name, "--limit", "20", rc=2, err="passed its limit of 20 subsets")
    t.tool(
        "cascade",
        full(t, 13),
        "--cascade",
        "pure",
        "--memory",
        "1024K",
        rc=2,
        err="memory limit reached",
    )
    t.tool(
        "cascade",
        name,
        "--cascade",
        "capped",
        "--time-limit",
        "0.0000001",
        rc=2,
        err="time limit reached",
    )
    t.tool("cascade", rc=64, err="one grammar file is expected")
    t.tool("cascade", name, name, rc=64, err="one grammar at a time")
    t.tool("cascade", name, "--cascade", "no", rc=64)
    t.tool("cascade", "absent.fsa", rc=74)
    t.write("partial.fsa", "start a\nletters x y\na x a\n")
    t.tool("cascade", "partial.fsa", rc=69, err="--sink")
    assert (
        json.loads(t.tool("cascade", "partial.fsa", "--sink", "--json"))["automaton"]["states"] == 2
    )


def test_groups_that_no_word_has(t):
    """T4.8: covers that forget a state give this aperiodic automaton the group Z_2; holonomy does
    not."""
    name = t.write(
        "half.fsa", "start 1\n1 a 2\n2 a 3\n3 a 3\n1 b 3\n2 b 2\n3 b 3\n1 c 1\n2 c 2\n3 c 2\n"
    )
    for kind, groups, aperiodic in (
        ("capped", {"trivial", "Z_2"}, None),
        ("zeiger", {"trivial", "Z_2"}, None),
        ("pure", {"trivial"}, True),
    ):
        report = decompose(t, name, "--cascade", kind)
        found = {
            component["group"]
            for level in report["per_level"]
            for component in level["per_component"]
        }
        assert found == groups and report["aperiodic"] is aperiodic, (
            kind,
            found,
            report["aperiodic"],
        )
