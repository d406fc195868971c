"""`compile`: bounds kept and not kept, and lists of constructions as text, as data and as files."""

import hashlib
import json
import re
import signal
import time

FIGURES = [
    "layers",
    "heads",
    "householders",
    "key_dim",
    "value_dim",
    "state_numbers",
    "factors_per_token",
    "table_entries",
    "parameters",
]
COMPARED = [
    "layers",
    "householders",
    "key_dim",
    "factors_per_token",
    "state_numbers",
    "table_entries",
]


def listed(t, *args, rc=0):
    """Returns {name: entry} of the list, after the schema has been checked."""
    data = json.loads(t.tool("compile", *args, "--pareto", "--json", rc=rc))
    assert list(data) == [
        "schema",
        "report",
        "tool",
        "automaton",
        "bounds",
        "dominance",
        "search",
        "constructions",
        "most_layers",
        "most_by",
        "fewer_by",
        "unmet",
        "out",
        "timing",
    ], list(data)
    assert data["schema"] == 2 and data["dominance"] == [
        *COMPARED,
        "gated",
        "formats",
        "exact_in_bf16",
    ], data
    assert len(data["timing"]["constructions_seconds"]) == len(data["constructions"]), data[
        "timing"
    ]
    for e in data["constructions"]:
        built = e["outcome"] == "built"
        assert e["outcome"] in ("built", "unasked", "inapplicable", "unknown"), e
        assert built == ("figures" in e) == ("exact" in e) and built != (e["reason"] is not None), e
        if built:
            assert list(e["figures"]) == FIGURES, e
            known = e["exact"]["verdict"] == "VERIFIED"
            infinite = e["theorem"] in ("R8", "M.2")
            assert e["exact_states"] == (
                "unknown" if not known else "infinite" if infinite else "finite"
            ), e
            assert not e["exact_in_bf16"] or "bf16" in formats(e), e
            assert e["exact"]["verdict"] in ("VERIFIED", "REFUTED", "UNKNOWN"), e
            for f in e["formats"]:
                assert list(f) == [
                    "format",
                    "schedule",
                    "decoder",
                    "verdict",
                    "how",
                    "joint_states",
                    "pairs",
                    "statement",
                    "witness",
                    "wrong_after",
                    "reason",
                    "horizon",
                ], f
                assert (f["reason"] is not None) == (f["verdict"] == "UNKNOWN"), f
                assert (f["wrong_after"] is not None) == (f["verdict"] == "REFUTED"), f
    return data, {f"{e['theorem']} {e['variant']}": e for e in data["constructions"]}


def formats(e):
    return {f["format"] for f in e["formats"] if f["verdict"] == "VERIFIED"}


def dominates(a, b):
    x, y = (
        [e["figures"][f] for f in COMPARED] + [e["gated"], not e["exact_in_bf16"]] for e in (a, b)
    )
    return (
        all(i <= j for i, j in zip(x, y))
        and formats(a) >= formats(b)
        and (x != y or formats(a) != formats(b))
    )


def marked(text, mark):
    """Returns the names on the line of the text that begins with the mark."""
    return (
        next(x for x in text.splitlines() if x.startswith(mark + ": "))[len(mark) + 2 :]
        .split(": ")[0]
        .split("; ")
    )


def check_marks(entries):
    proved = [
        e
        for e in entries.values()
        if e["outcome"] == "built" and e["exact"]["verdict"] == "VERIFIED"
    ]
    for e in proved:
        beaten = any(dominates(other, e) for other in proved if other is not e)
        assert e["undominated"] == (not beaten and e["equal_to"] is None), e
    assert any(e["undominated"] for e in proved)


def test_lists(t):
    cases = {
        ("symmetric", "3"): {
            "T3 dyadic keys",
            "T3 naive keys",
            "D2 one reflection",
            "D1 n_h = 1",
            "T4 holonomy",
        },
        ("symmetric", "4"): {
            "T3 dyadic keys",
            "R1 irreducible",
            "D1 n_h = 1",
            "D1 n_h = 2",
            "Z cascade by rule",
        },
        ("parity",): {"T3 dyadic keys", "T5 one reflection", "Z cascade by rule"},
        ("tomita", "7"): {
            "T4 holonomy",
            "T4 capped cover",
            "T4 capped cover, gated",
            "Z cascade by rule",
        },
        ("transformations", "4"): {"T4 holonomy", "T4 holonomy, gated", "Z cascade by rule"},
        ("definite", "3"): {"K register", "T4 holonomy", "Z cascade by rule"},
    }
    for family, expected in cases.items():
        t.new("g.fsa", *family)
        data, entries = listed(t, "g.fsa", "--limit", "2000")
        built = {n for n, e in entries.items() if e["outcome"] == "built"}
        assert expected <= built, (family, built)
        assert all(
            e["exact"]["verdict"] == "VERIFIED" for e in entries.values() if e["outcome"] == "built"
        ), (family, entries)
        check_marks(entries)
        assert data["out"] is None and data["unmet"] is None
        assert [e["undominated"] for e in entries.values() if e.get("best")] == [True]
        # The text says the same.
        text = t.tool("compile", "g.fsa", "--pareto", "--limit", "2000")
        assert data["search"]["ended"] == "complete" and "\nended: " not in text, text
        assert marked(text, "best") == [n for n, e in entries.items() if e.get("best")], text
        assert marked(text, "undominated") == [
            n for n, e in entries.items() if e.get("undominated")
        ], text
        for name, e in entries.items():
            line = next((x for x in text.splitlines() if x[2:].startswith(name + " ")), None)
            assert (line is not None) == (e["outcome"] == "built"), (name, text)
            if line:
                rest = line[2 + len(name) :].split()
                shown = [int(x) for x in rest[: len(FIGURES)]]
                assert shown == [e["figures"][f] for f in FIGURES], line
                assert formats(e) == set(
                    re.match(r"(none|[\w ]+)", " ".join(rest[len(FIGURES) + 1 :]))
                    .group(1)
                    .replace("none", "")
                    .split()
                ), line
    t.nothing_left("g.fsa")


def test_list_writes_what_the_main_job_writes(t):
    for family in (("symmetric", "3"), ("quaternion",), ("tomita", "7")):
        t.new("g.fsa", *family)
        t.tool(
            "compile",
            "g.fsa",
            "--pareto",
            "--limit",
            "500",
            "--out",
            "listed",
            "--force",
            out=r"\nbest: ",
        )
        t.tool("compile", "g.fsa", "--out", "compiled", "--force")
        t.tool("g.fsa", "--out", "main", "--force")
        for name in ("automaton.fsa", "network.lrnn", "certificate.cert", "weights.safetensors"):
            assert (
                t.read(f"listed/{name}") == t.read(f"main/{name}") == t.read(f"compiled/{name}")
            ), (family, name)
        a, b = t.report("listed"), t.report("main")
        for report in (a, b):  # a list makes the tables of both cascades
            for name in ("other", "other_kind", "other_reason"):
                report["construction"].get("cascade", {}).pop(name, None)
        for key in ("automaton", "construction", "exact", "weights", "files"):
            assert a[key] == b[key], (family, key)
        t.check("listed")


def test_others_of_the_report(t):
    t.new("g.fsa", "symmetric", "3")
    summary = t.tool("g.fsa", "--force")
    others = t.report("g.lrnn")["others"]
    names = [f"{e['theorem']} {e['variant']}" for e in others]
    assert "T3 dyadic keys" not in names and "D1 n_h = 1" in names, names
    d1 = others[names.index("D1 n_h = 1")]
    assert (
        d1["outcome"] == "beaten"
        and d1["at_least"]["layers"] == 4
        and d1["reason"] == "at least 4 layers"
    ), d1
    assert "D1 n_h = 1: at least 4 layers\n" in summary and "\nothers " in summary, summary
    assert others[names.index("K register")]["outcome"] == "inapplicable"
    assert others[names.index("T3 naive keys")]["reason"] == "only on request (--keys naive)"
    t.new("g.fsa", "tomita", "7")
    summary = t.tool("g.fsa", "--force")
    assert (
        "T4 holonomy: at least 5 layers\n" in summary
        and "PT subwords: 4 layers, n_h = 1, " in summary
    ), summary


def test_bounds_kept(t):
    t.new("s3.fsa", "symmetric", "3")
    t.new("s4.fsa", "symmetric", "4")
    t.new("s5.fsa", "symmetric", "5")
    t.new("t7.fsa", "tomita", "7")
    for args, theorem, layers, householders in (
        (("s3.fsa", "--householders", "1"), "D2", 2, 1),
        (("s4.fsa", "--householders", "1", "--exact-in", "bf16"), "D1", 4, 1),
        (("s4.fsa", "--householders=2", "--exact-in=bf16,fp32"), "D1", 3, 2),
        (("s4.fsa", "--layers", "1"), "T3", 1, 3),
        (("s5.fsa", "--householders", "1", "--layers", "4"), "D1", 4, 1),
        (("t7.fsa", "--layers", "3"), "LL.2", 2, 3),
    ):
        t.tool(
            "compile",
            *args,
            "--limit",
            "2000",
            "--out",
            "out",
            "--force",
            out=rf"\nconstruction +{theorem} \(",
        )
        c = t.report("out")["construction"]
        assert (c["theorem"], c["layers"], c["householders"]) == (theorem, layers, householders), (
            args,
            c,
        )
        t.check("out")
        t.tool("run", "out", "--random", "20", "--length", "300", out="6000 labels right, 0 wrong")
    # A format of the bounds is reported though --formats does not name it.
    t.tool(
        "compile", "s3.fsa", "--exact-in", "fp32", "--formats", "bf16", "--out", "out", "--force"
    )
    assert [(f["format"], f["verdict"]) for f in t.closed(t.report("out"))] == [
        ("bf16", "VERIFIED"),
        ("fp32", "VERIFIED"),
    ]


def test_bounds_not_kept(t):
    t.new("s3.fsa", "symmetric", "3")
    t.new("c5.fsa", "cyclic", "5")
    t.new("t4.fsa", "transformations", "4")
    t.tool(
        "compile",
        "s3.fsa",
        "--layers",
        "1",
        "--householders",
        "1",
        rc=69,
        err=(
            "s3.fsa: error: no network that is built here keeps the bounds; the nearest: T3 dyadic"
            " keys with --householders 2; D2 one reflection with --layers 2\n"
        ),
    )
    t.tool("compile", "t4.fsa", "--layers", "2", rc=69, err="T4 holonomy with --layers 3")
    t.tool(
        "compile",
        "t4.fsa",
        "--layers",
        "3",
        "--householders",
        "2",
        rc=69,
        err="T4 holonomy with --householders 8",
    )
    # L.10 has 2 + 2 l layers; the clock that is built may need more.
    t.new("t7.fsa", "transformations", "7")
    t.tool(
        "compile",
        "t7.fsa",
        "--householders",
        "1",
        "--layers",
        "14",
        rc=69,
        err=(
            r"no network that is built here keeps the bounds \(one that is not built here does,"
            r" with n_h = 1: L\.10 of theory/pages/ladder\.md\); the nearest: "
        ),
    )
    t.tool("compile", "s3.fsa", "--key-dim", "1", rc=69, err="R1 irreducible with --key-dim 2")
    t.tool(
        "compile",
        "c5.fsa",
        "--layers",
        "1",
        "--householders",
        "2",
        "--exact-in",
        "bf16",
        "--limit",
        "500",
        rc=2,
        err=(
            "not known: R1 irreducible in bf16 is UNKNOWN: limit of 500 joint states reached; the"
            " nearest: .*D1 n_h = 2 with --layers 3"
        ),
    )
    # As lists: the rows, then the message.
    data, entries = listed(
        t, "s3.fsa", "--limit", "500", "--layers", "1", "--householders", "1", rc=69
    )
    assert data["bounds"] == {
        "layers": 1,
        "householders": 1,
        "key_dim": None,
        "exact_in": [],
    }, data["bounds"]
    assert "T3 dyadic keys with --householders 2" in data["unmet"], data["unmet"]
    assert not any(e.get("best") or e.get("within_bounds") for e in entries.values())
    t.tool(
        "compile",
        "s3.fsa",
        "--pareto",
        "--limit",
        "500",
        "--key-dim",
        "1",
        "--out",
        "none",
        rc=69,
        err="no network that is built here keeps the bounds",
        out=r"\n- T3 naive keys .*\n-  not within the bounds\n",
    )
    t.nothing_left("s3.fsa", "c5.fsa", "t4.fsa", "t7.fsa")


def test_what_nobody_asked_for(t):
    """Targets count within bounds, and gates and naive keys where nothing else keeps them; the list
    chooses the same."""
    t.new("t3.fsa", "transformations", "3")
    for args, name, layers, householders in (
        (("--householders", "1"), "G one reflection", 6, 1),
        (("--householders", "2", "--layers", "3"), "T4 holonomy, gated", 3, 2),
        (("--key-dim", "4", "--layers", "5"), "G complex", 4, 2),
    ):
        t.tool("compile", "t3.fsa", *args, "--out", "out", "--force")
        c = t.report("out")["construction"]
        assert (f"{c['theorem']} {c['variant']}", c["layers"], c["householders"]) == (
            name,
            layers,
            householders,
        ), (args, c)
        t.check("out")
        _, entries = listed(t, "t3.fsa", *args)
        assert [n for n, e in entries.items() if e.get("best")] == [name] and entries[name][
            "within_bounds"
        ], (args, entries)


def sealed(text):
    return text + f"sha256 {hashlib.sha256(text.encode()).hexdigest()}\n"


def test_products_point_by_point(t):
    """Products of blocks of 32 points are too many to list, so that circuits hold them point by
    point (D1.12). The checker refuses a certificate with one line changed."""
    t.write(
        "p32.fsa",
        f"points 32\ntrack points 1\npermute a ({' '.join(map(str, range(1, 33)))})\npermute b (1"
        " 2)\n",
    )
    t.tool("compile", "p32.fsa", "--householders", "1", "--out", "p32.lrnn")
    triple = ["p32.lrnn/automaton.fsa", "p32.lrnn/network.lrnn"]
    out = t.check_files(*triple, "p32.lrnn/certificate.cert")
    assert " points label states letters 2 states 32 layers 5 heads 2 householders 1 " in out, out
    assert " block 36 points 32 rows 32 " in out, out
    good = t.read("p32.lrnn/certificate.cert").decode().rsplit("sha256 ", 1)[0]
    for was, now in (
        ("step 1 1 2 to 2\n", "step 1 1 2 to 3\n"),
        ("row 2 state 2 ", "row 2 state 3 "),
        ("row 1 state 1 points 1 ", "row 1 state 1 points 2 "),
        ("count 1 codes 2 ", "count 1 codes 1 "),
        ("orbits 1 1 ", "orbits 1 2 "),
        (" block 36 ", " block 35 "),
        (" points 32 marks 1", " points 31 marks 1"),
    ):
        assert was in good, was
        t.write("changed.cert", sealed(good.replace(was, now, 1)))
        t.check_files(*triple, "changed.cert", rc=1)


def test_a_limit_is_no_refusal(t):
    """A limit says nothing about existence."""
    t.new("t5.fsa", "transformations", "5")
    t.tool(
        "compile",
        "t5.fsa",
        "--householders",
        "1",
        "--max-sets",
        "3",
        rc=2,
        err="T4 holonomy is UNKNOWN: the holonomy cascade passed its limit of 3 subsets",
    )


def test_requests(t):
    t.new("s3.fsa", "symmetric", "3")
    t.new("t4.fsa", "transformations", "4")
    _, entries = listed(t, "s3.fsa", "--keys", "naive", "--limit", "500")
    assert [n for n, e in entries.items() if e["outcome"] == "built"] == ["T3 naive keys"], entries
    _, entries = listed(t, "t4.fsa", "--cascade", "zeiger")
    built = [n for n, e in entries.items() if e["outcome"] == "built"]
    assert built == ["T4 Zeiger cover", "T4 Zeiger cover, gated", "Z cascade by rule"], built
    _, entries = listed(t, "t4.fsa", "--gated")
    assert entries["T4 holonomy"]["reason"] == "gates were asked for", entries
    assert [n for n, e in entries.items() if e.get("best")] == ["T4 capped cover, gated"], entries
    _, entries = listed(t, "t4.fsa", "--max-sets", "5")
    assert (
        entries["T4 holonomy"]["outcome"] == "unknown"
        and "limit of 5 subsets" in entries["T4 holonomy"]["reason"]
    ), entries
    assert entries["Z cascade by rule"]["best"], entries


def test_what_only_doubled_keys_give(t):
    """Words of one 0, two 1s and six 2s, whose places two letters permute: e5m2 rounds the roots,
    R1 cannot list the group, and a cascade takes n_h = 74."""
    word = (0, 1, 1, 2, 2, 2, 2, 2, 2)
    moves = {"turn": lambda w: w[1:] + w[:1], "swap": lambda w: (w[1], w[0], *w[2:])}
    name = "w{}{}{}{}{}{}{}{}{}".format
    words, lines = [word], [f"start {name(*word)}"]
    for w in words:
        for letter, move in moves.items():
            lines.append(f"{name(*w)} {letter} {name(*move(w))}")
            if move(w) not in words:
                words.append(move(w))
    assert len(words) == 252, len(words)
    t.write("words.fsa", "\n".join(lines) + "\n")
    t.tool("compile", "words.fsa", "--exact-in", "e5m2", out="two coordinates a point")
    r = t.report("words.lrnn")["construction"]
    assert (r["theorem"], r["variant"]) == ("T3", "doubled keys"), r
    assert (r["householders"], r["key_dim"]) == (8, 18), r


def test_what_only_the_zeiger_cover_gives(t):
    """A key dimension of 10, where all other constructions need 12."""
    rows = {"a": "00112455", "b": "04234567", "c": "13670254"}
    lines = [f"q{q} {a} q{to}" for a, row in rows.items() for q, to in enumerate(row)]
    t.write("m.fsa", "start q0\n" + "\n".join(lines) + "\n")
    key_dim = ("compile", "m.fsa", "--gated", "--key-dim")
    t.tool(*key_dim, "11", rc=69, err="T4 holonomy, gated with --key-dim 12")
    t.tool(*key_dim, "10", "--cascade", "zeiger", out="key dimension 10")
    t.check("m.lrnn")


def test_limits_are_for_each(t):
    t.new("s4.fsa", "symmetric", "4")
    data, entries = listed(t, "s4.fsa", "--time-limit", "1", "--limit", "4000000000")
    assert entries["T3 dyadic keys"]["best"] and formats(entries["T3 dyadic keys"]) == {
        "bf16",
        "fp16",
        "fp32",
        "fp64",
    }
    assert any("time" in (f["reason"] or "") for f in entries["T3 naive keys"]["formats"]), entries[
        "T3 naive keys"
    ]
    # A construction after one that used up its time has time of its own.
    assert entries["D1 n_h = 2"]["outcome"] == "built" and "bf16" in formats(
        entries["D1 n_h = 2"]
    ), entries["D1 n_h = 2"]


def test_errors(t):
    t.new("s3.fsa", "symmetric", "3")
    for args, err in (
        (("--pareto",), "grammar file"),
        (("s3.fsa", "--layers", "0"), "--layers takes a number from 1 to"),
        (("s3.fsa", "--exact-in", "bf17"), "not 'bf17'"),
        (("s3.fsa", "--exact-in", "bf16,bf16"), "twice"),
        (("s3.fsa", "--householder", "2"), "did you mean '--householders'"),
        (("s3.fsa", "t.fsa"), "one grammar at a time"),
        (("s3.fsa", "--pareto", "--force"), "--force belongs to --out"),
    ):
        t.tool("compile", *args, rc=64, err=err)
        assert "Try 'fsa2lrnn help compile'" in t.errors, t.errors
    t.tool("s3.fsa", "--pareto", rc=64, err="no option '--pareto'; compile has")
    t.tool("compile", "none.fsa", rc=74)
    t.tool("compile", "s3.fsa", "--quiet", "--pareto", "--limit", "500")
    assert t.tool("compile", "s3.fsa", "--quiet", "--pareto", "--limit", "500") == ""
    t.tool("compile", "s3.fsa", "--out", "taken")
    t.tool("compile", "s3.fsa", "--pareto", "--out", "taken", rc=73, err="exists already")
    t.nothing_left("s3.fsa", "taken")


def test_same_list_twice(t):
    t.new("g.fsa", "symmetric", "3")
    one, two = (
        json.loads(t.tool("compile", "g.fsa", "--pareto", "--limit", "500", "--json"))
        for _ in range(2)
    )
    assert one.pop("timing") and two.pop("timing")
    assert one == two


# Naive keys take long, so that there is something to interrupt.
ENDLESS = ("compile", "s5.fsa", "--pareto", "--limit", "4000000000")


def read_until(process, name):
    """Returns the lines up to the row, which comes while the search continues."""
    lines = []
    while not lines or not lines[-1][2:].startswith(name + " "):
        lines.append(process.stdout.readline().decode())
        assert lines[-1], f"no row {name}: {lines}"
    assert process.poll() is None, lines
    return "".join(lines)


def test_rows_come_as_they_are_proved(t):
    """A row can be read while others are searched for; it stays after SIGKILL, when nothing is
    printed at the end."""
    t.new("s5.fsa", "symmetric", "5")
    process = t.start(*ENDLESS)
    rows = read_until(process, "T3 dyadic keys")
    process.kill()
    rest, _ = process.communicate(timeout=60)
    assert rows.startswith("s5.fsa: 120 states, ") and rows.endswith(
        " VERIFIED bf16 fp16 fp32 fp64\n"
    ), rows
    assert b"best: " not in rest, rest
    t.nothing_left("s5.fsa")


def test_interrupted(t):
    """Printed are the rows, the open questions with reasons, and the status is the signal's; --out
    has the best network where it is verified."""
    t.new("s5.fsa", "symmetric", "5")
    for number, options in ((signal.SIGINT, ()), (signal.SIGTERM, ("--out", "x"))):
        process = t.start(*ENDLESS, *options)
        text = read_until(process, "T3 dyadic keys")
        process.send_signal(number)
        produced, errors = process.communicate(timeout=60)
        text += produced.decode()
        assert process.returncode == 128 + number and b"interrupted: by SIG" in errors, (
            process.returncode,
            errors,
        )
        assert marked(text, "best") == ["T3 dyadic keys"], text
        lines = text.splitlines()
        assert lines[-1].startswith("ended: interrupted; ") and any(
            "interrupted" in x for x in lines[:-1]
        ), text
        assert (b"OUT holds the best" in errors) == bool(options), errors
        t.nothing_left("s5.fsa", *options[1:])
    assert t.report("x")["exact"]["verdict"] == "VERIFIED"
    t.check("x")


def test_interrupted_as_data(t):
    """The output is one document, which says that the search was interrupted and has everything
    that was proved."""
    t.new("s5.fsa", "symmetric", "5")
    process = t.start(*ENDLESS, "--json")
    time.sleep(3)  # T3 dyadic keys takes some hundredths of a second
    process.send_signal(signal.SIGINT)
    produced, errors = process.communicate(timeout=60)
    assert process.returncode == 130 and b"interrupted: by SIGINT" in errors, (
        process.returncode,
        errors,
    )
    data = json.loads(produced)
    entries = {f"{e['theorem']} {e['variant']}": e for e in data["constructions"]}
    assert data["search"]["ended"] == "interrupted" and len(entries) == 36, data["search"]["ended"]
    assert (
        entries["T3 dyadic keys"]["best"]
        and entries["T3 dyadic keys"]["exact"]["verdict"] == "VERIFIED"
    ), entries
    reasons = [x.get("reason") or "" for e in entries.values() for x in (e, *e.get("formats", ()))]
    assert any("interrupted" in x for x in reasons), reasons
    t.nothing_left("s5.fsa")


def test_chains_of_copies(t):
    """One layer is enough where no network with finitely many states has fewer than two; the line
    says in which sense, and lrnn-check verifies the boxes."""
    maps = "0033 0101 2323".split()
    edges = "".join(
        f"{q} {letter} {to}\n" for letter, images in zip("abc", maps) for q, to in enumerate(images)
    )
    t.write("copy.fsa", f"fsa 1\nletters a b c\nstates 0 1 2 3\nstart 0\n{edges}")
    text = t.tool("compile", "copy.fsa", "--layers", "1", "--formats", "fp16", "-o", "out")
    chains = "\nconstruction   M.2 (chains of copies, one layer): 1 layer, 1 head, n_h = 1, key"
    assert chains in text, text
    assert "\none layer      in exact real arithmetic, with infinitely many states" in text, text
    line = t.check_files("out/automaton.fsa", "out/network.lrnn", "out/certificate.cert")
    assert " layers 1 heads 1 householders 1 key 2 value 1 rows 4 with boxes fsa " in line, line
    # Without bounds the network is one that formats do not round.
    assert " T4 (" in t.tool("compile", "copy.fsa", "--formats", "fp16", "-o", "usual")
