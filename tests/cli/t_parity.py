"""`parity`: searches for positive networks that compute parity by rounding."""

import json


def test_search(t):
    data = json.loads(
        t.tool(
            "parity",
            "--formats",
            "e4m3,bf16",
            "--schedules",
            "every,cast",
            "--network",
            "p.lrnn",
            "--json",
        )
    )
    found = {(s["format"], s["schedule"]): s for s in data["searches"]}
    assert (
        found["e4m3", "every"]["verdict"] == "found" and found["e4m3", "every"]["exhaustive"]
    ), found
    assert (
        found["e4m3", "cast"]["verdict"] == found["bf16", "cast"]["verdict"] == "none exists"
    ), found
    w = found["e4m3", "every"]["fewest"]
    assert 0 < w["beta"] * w["u"][0] ** 2 <= 1 and w["bits"] == 3, w
    t.new("parity.fsa", "parity")
    t.tool("parity.fsa", "-o", "parity", "--quiet")
    t.tool(
        "round",
        "p.lrnn",
        "--fsa",
        "parity/automaton.fsa",
        "--formats",
        "e4m3",
        "--schedules",
        "every",
        out="e4m3 +every +VERIFIED",
    )
    t.tool("parity", "--formats", "e4m3", "--schedules", "cast", out="none exists")


def test_refused(t):
    t.tool("parity", "file", rc=64, err="no operand is expected")
    t.tool("parity", "--formats", "fp64", rc=69, err="fsa2lrnn: ")
    t.tool("parity", "--schedules", "chunk64", rc=64)
