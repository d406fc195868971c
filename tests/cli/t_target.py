"""--target: what is built for a class of matrices, what is refused, and that lists show it."""

import json
import random
import re


def built(t, target, *options, source="g.fsa"):
    report = json.loads(
        t.tool(source, "--target", target, "--json", "--force", "--out", "o.lrnn", *options)
    )
    assert report["exact"]["verdict"] == "VERIFIED", report["exact"]
    t.check("o.lrnn")
    return report


def test_real_and_complex(t):
    for family, real, name in (
        (("tomita", "7"), True, "diagonal [-1,1]"),
        (("cyclic", "4"), True, "diagonal [-1,1]"),
        (("dyck", "1", "3"), True, "diagonal [-1,1]"),
        (("symmetric", "3"), False, "complex diagonal"),
        (("modarith", "3"), False, "complex diagonal"),
    ):
        t.new("g.fsa", *family)
        if real:
            report = built(t, "diagonal")
            assert report["construction"]["theorem"] == "G", report["construction"]
            assert report["construction"]["cascade"]["diagonal_class"] == name, report[
                "construction"
            ]["cascade"]
        else:
            t.tool(
                "g.fsa",
                "--target",
                "diagonal",
                "--out",
                "no.lrnn",
                rc=69,
                err=(
                    r"level \d+ has the group \S+, which is no 2-group: it has no such target; see"
                    r" fsa2lrnn classify"
                ),
            )
            assert "no.lrnn" not in t.entries()
        assert built(t, "complex")["construction"]["cascade"]["diagonal_class"] == name
        one = built(t, "one-reflection")["construction"]
        assert one["theorem"] in ("G", "L10", "K.6") and one["householders"] <= 1, one
        if one["theorem"] == "G":
            cascade = one["cascade"]
            assert cascade["diagonal_class"] == "one reflection" and not cascade["gated"], cascade
        assert not re.search(rb"^on .* gate (?!1 )", t.read("o.lrnn/network.lrnn"), re.M)


def test_not_solvable(t):
    t.new("g.fsa", "alternating", "5")
    t.tool(
        "g.fsa",
        "--target",
        "complex",
        "--out",
        "no.lrnn",
        rc=69,
        err=(
            "level 1 has the group A_5, which is not solvable: it has no such target; see fsa2lrnn"
            " classify"
        ),
    )


def test_lists_have_targets_on_request(t):
    t.new("g.fsa", "tomita", "4")
    data = json.loads(t.tool("compile", "g.fsa", "--pareto", "--json"))
    found = {f"{e['theorem']} {e['variant']}": e for e in data["constructions"]}
    for name in ("G diagonal", "G complex", "G one reflection"):
        assert (
            found[name]["outcome"] == "built" and found[name]["exact"]["verdict"] == "VERIFIED"
        ), found[name]
        assert not found[name]["best"], found[name]
    plain = t.tool("g.fsa", "--out", "plain.lrnn")
    assert "construction   LL.2" in plain and "--target" not in plain, plain


def deltanet(t, rc=0):
    """Returns the answers about g.fsa, and the row of DeltaNet [-1,1]."""
    r = json.loads(t.tool("classify", "g.fsa", "--construct", "--formats", "bf16", "--json", rc=rc))
    return r, next(row for row in r["classes"] if row["class"] == "deltanet")


def test_classify_builds_one_reflection(t):
    """One factor a letter is built for every automaton."""
    t.write(
        "g.fsa",
        "start 0\n"
        + "".join(
            f"{q} {a} {to}\n"
            for a, row in (("x", "0302"), ("y", "1203"))
            for q, to in enumerate(row)
        ),
    )
    _, row = deltanet(t)
    built = row["compiled"]
    assert (built["status"], built["theorem"]) == ("built", "L10"), row
    assert built["figures"]["layers"] == 8, row
    r, seen = random.Random(20261122), set()
    for _ in range(60):
        states, letters = r.randint(2, 5), "ab"[: r.randint(1, 2)]
        t.write(
            "g.fsa",
            "start 0\n"
            + "".join(f"{q} {a} {r.randrange(states)}\n" for q in range(states) for a in letters),
        )
        found, row = deltanet(t)
        built = row["compiled"]
        assert row["answer"] == "can" and found["solvable"], found
        assert (
            built["status"] == "built"
            and built["exact"]["verdict"] == "VERIFIED"
            and built["figures"]["householders"] <= 1
        ), row
        seen.add((built["theorem"], built["variant"]))
    assert ("G", "one reflection") in seen and len(seen) > 2, seen
    t.new("g.fsa", "transformations", "5")
    _, row = deltanet(t)
    built = row["compiled"]
    assert (built["status"], built["theorem"]) == ("built", "L10"), row
    assert built["exact"]["verdict"] == "VERIFIED" and built["figures"]["householders"] == 1, row


def test_not_solvable_by_blocks(t):
    """Every automaton is in the class of one reflection (L.10), the group A_5 too."""
    t.new("g.fsa", "alternating", "5", "--generators")
    one = built(t, "one-reflection")["construction"]
    assert one["theorem"] in ("D1", "L10") and one["householders"] == 1, one


def test_usage(t):
    t.new("g.fsa", "parity")
    t.tool("g.fsa", "--target", "diagonal", "--cascade", "capped", rc=64)
    t.tool("g.fsa", "--target", "diagonal", "--keys", "naive", rc=64)
    t.tool("g.fsa", "--target", "real", rc=64)
