"""`round` with the certificate of the network: it verifies at least as much as the main job did,
and trusts no line."""

import hashlib
import json

from harness import sealed


def built(t, name, *options, source=None):
    """Returns the rows of the main job's report: {(format, schedule): verdict}."""
    t.tool(
        *(("compile",) if "--householders" in options else ()),
        source or f"{name}.fsa",
        "-o",
        name,
        "--quiet",
        *options,
        rc=(0, 2),
    )
    report = t.report(name)
    assert report["exact"]["verdict"] == "VERIFIED", report["exact"]
    return {(f["format"], f["schedule"]): f["verdict"] for f in report["formats"]}


def rounds(t, name, *args, rc=(0, 1, 2), err=None):
    data = json.loads(t.tool("round", name, *args, "--json", "--letters", "2000", rc=rc, err=err))
    return data, {(f["format"], f["schedule"]): f for f in data["formats"]}


def compare(t, name, claim, *options, source=None):
    """Checks that every row that the main job verified is verified by `round`, and that every
    certificate passes. Returns the document of `round`."""
    main = built(t, name, *options, source=source)
    formats = ",".join(dict.fromkeys(f for f, _ in main))
    schedules = ",".join(dict.fromkeys(s for _, s in main))
    data, entry = rounds(
        t, name, "--formats", formats, "--schedules", schedules, "--certificates", f"{name}.proofs"
    )
    assert data["certificate"] == claim and data["exact"]["verdict"] == "VERIFIED", (
        name,
        data["exact"],
    )
    assert "VERIFIED" in main.values(), main
    for row, verdict in main.items():
        assert verdict != "VERIFIED" or entry[row]["verdict"] == "VERIFIED", (name, row, entry[row])
    # lrnn-check has no claim about chunk64 in wired networks
    uncertified = {"chunk64"} if claim in ("zeiger", "d1", "blocks", "points") else set()
    exactly = [
        f"{f}.{s}.cert"
        for (f, s), e in entry.items()
        if e["how"] == "nothing rounds" and s not in uncertified
    ]
    assert sorted(exactly) == sorted(
        p.name for p in (t.folder / f"{name}.proofs").iterdir()
    ), exactly
    for certificate in exactly:
        verdict = t.check_certificate(name, f"{name}.proofs/{certificate}")
        assert (
            verdict.startswith(f"s VERIFIED {claim} ")
            and f"\ns VERIFIED unrounded {claim} " in verdict
        ), verdict
    return data, exactly


def test_never_less_than_the_main_job(t):
    for name, claim, family, options in (
        ("t4", "cascade", ("transformations", "4"), ()),
        ("gated", "cascade", ("transformations", "4"), ("--gated",)),
        ("capped", "cascade", ("transformations", "4"), ("--cascade", "capped")),
        ("complex", "cascade", ("transformations", "3"), ("--target", "complex")),
        ("one", "cascade", ("transformations", "3"), ("--target", "one-reflection")),
        ("real", "cascade", ("dihedral", "4"), ("--target", "diagonal")),
        ("rule", "zeiger", ("transformations", "5"), ("--max-sets", "5")),
        ("parity", "exact", ("parity",), ()),
        (
            "s4",
            "d1",
            ("symmetric", "4", "--generators"),
            ("--householders", "2", "--exact-in", "bf16"),
        ),
    ):
        t.new(f"{name}.fsa", *family)
        _, exactly = compare(t, name, claim, *options)
        assert exactly, name


def test_a_deep_cascade(t):
    """Eleven levels have too many joint states to be closed, but few pairs."""
    data, exactly = compare(t, "json", "cascade", source=t.examples() / "json_depth4.fsa")
    assert len(data["formats"]) == 17 + 3 and len(exactly) == 17, (len(data["formats"]), exactly)
    assert data["exact"]["how"] == "local closure" and data["exact"]["joint_states"] is None, data[
        "exact"
    ]
    assert data["exact"]["pairs"] == t.report("json")["exact"]["pairs"] > 1000, data["exact"]


def test_boxes_close_by_levels(t):
    """In a cascade that decays numbers are rounded, but the levels close."""
    t.new("counter.fsa", "counter", "4")
    data, exactly = compare(t, "counter", "cascade", "--target", "diagonal-positive")
    rows = [f for f in data["formats"] if f["verdict"] == "VERIFIED"]
    assert rows and not exactly, (rows, exactly)
    for f in rows:
        assert (
            f["how"] == "local closure"
            and f["pairs"] > 50
            and f["joint_states"] is None
            and f["statement"] is None
        ), f
    t.tool(
        "round",
        "counter",
        "--formats",
        "bf16",
        "--schedules",
        "every",
        out=r"VERIFIED +all +- +local closure of \d+ pairs\n",
    )


def test_classes(t):
    """A quotient by the labels, in a cascade and in a form."""
    t.write("m.fsa", "start p\naccept q\np a q\nq a q\nr a q\np b r\nq b p\nr b r\n")
    compare(t, "plain", "exact", "--label", "accept", source="m.fsa")
    t.new("t5.fsa", "transformations", "5")
    text = t.read("t5.fsa").decode().splitlines()
    text = [line for line in text if not line.startswith("accept")]
    text.insert(4, "accept 1 3")
    t.write("a5.fsa", "\n".join(text) + "\n")
    compare(t, "a5", "cascade", "--label", "accept")
    compare(t, "a5rule", "zeiger", "--label", "accept", "--max-sets", "3", source="a5.fsa")


def test_nothing_is_believed(t):
    t.new("t4.fsa", "transformations", "4")
    built(t, "t4")
    good = t.read("t4/certificate.cert").decode()
    t.new("t3.fsa", "transformations", "3")
    built(t, "t3")
    args = ("--formats", "bf16", "--schedules", "every")
    cut = good[: len(good) // 2]
    for text, line, says in (
        (
            t.read("t3/certificate.cert").decode(),
            r"2:5",
            "it is a certificate of another automaton; it is not used",
        ),
        (cut, r"\d+:\d+", "more than the rest of the file can hold; it is not used"),
        (good.replace("next 1", "next 2", 1), r"\d+:1", "the file is damaged; it is not used"),
        (good.replace("lrnn-certificate ", "lrnn-certificate 9", 1), r"1:\d+", "it is not used"),
        ("", "1:1", ""),
    ):
        t.write("t4/certificate.cert", text)
        data, entry = rounds(
            t, "t4", *args, err=rf"t4/certificate\.cert:{line}: warning: .*({says})"
        )
        assert data["certificate"] is None and data["exact"]["how"] == "closure", data
        assert entry["bf16", "every"]["verdict"] == "VERIFIED", entry
    t.tool("round", "t4", *args, "--quiet", "--limit", "5", rc=(0, 2))


def test_a_lie_is_found_out(t):
    """A sealed certificate of these very files that names wrong contexts proves nothing, but the
    joint states still do."""
    t.new("t4.fsa", "transformations", "4")
    built(t, "t4")
    good = t.read("t4/certificate.cert").decode()
    lie = good.replace("context 2 letter 2 ", "context 2 letter 1 ", 1)
    assert lie != good
    t.write("t4/certificate.cert", sealed(lie))
    data, _ = rounds(
        t,
        "t4",
        "--formats",
        "bf16",
        "--schedules",
        "every",
        err=(
            r"certificate\.cert: warning: the network is not proved by it: the contexts of level 1"
            r" are not"
        ),
    )
    assert data["certificate"] == "cascade" and data["exact"]["how"] == "closure", data


def test_elsewhere_and_missing(t):
    main = built(t, "json", source=t.examples() / "json_depth4.fsa")
    assert main["bf16", "every"] == "VERIFIED"
    (t.folder / "json/certificate.cert").rename(t.folder / "moved.cert")
    args = ("--formats", "bf16", "--schedules", "every")
    data, entry = rounds(t, "json", *args, "--certificate", "moved.cert")
    assert (
        data["certificate"] == "cascade" and entry["bf16", "every"]["how"] == "nothing rounds"
    ), entry
    t.tool("round", "json", *args, "--certificate", "none.cert", rc=74, err="none.cert")
    t.new("t7.fsa", "transformations", "7")  # too many joint states for a second
    built(t, "t7")
    (t.folder / "t7/certificate.cert").unlink()
    out = t.tool("round", "t7", *args, "--time-limit", "1", rc=2)
    assert "hint       a certificate beside the network" in out and "--certificate FILE" in out, out


def test_every_claim_has_certificates(t):
    """Every claim about the exact network takes the line that nothing rounds, and lrnn-check
    accepts it; a VERIFIED row that has no certificate is told."""
    t.new("t5.fsa", "transformations", "5")
    t.new("s4.fsa", "symmetric", "4", "--generators")
    t.write(
        "p32.fsa",
        f"points 32\ntrack points 1\npermute a ({' '.join(map(str, range(1, 33)))})\npermute b (1"
        " 2)\n",
    )
    t.write("two.fsa", t.tool("new", "product", "t5.fsa", "t5.fsa", "--apart"))
    for source, claim, options in (
        ("s4.fsa", "exact", ()),
        ("t5.fsa", "cascade", ()),
        ("t5.fsa", "zeiger", ("--max-sets", "5")),
        ("two.fsa", "product", ("--max-sets", "5")),
        ("t5.fsa", "blocks", ("--householders", "1")),
        ("p32.fsa", "points", ("--householders", "1")),
        ("s4.fsa", "d1", ("--householders", "1")),
    ):
        command = ("compile",) if "--householders" in options else ()
        t.tool(*command, source, "-o", "net", "--force", "--quiet", "--no-report", *options)
        assert f"\nclaim {claim}\n" in t.read("net/certificate.cert").decode(), claim
        t.tool(
            *("round", "net", "--formats", "bf16", "--schedules", "every"),
            *("--certificates", f"{claim}.proofs"),
            out="bf16 +every +nearest +VERIFIED",
        )
        line = t.check_certificate("net", f"{claim}.proofs/bf16.every.cert")
        assert f"s VERIFIED unrounded {claim} " in line, line
    # The last one closed, without its certificate: a wired network of claim exact.
    (t.folder / "net/certificate.cert").unlink()
    t.tool(*("round", "net", "--formats", "bf16", "--schedules", "every"), "--certificates", "c")
    assert "s VERIFIED unrounded exact " in t.check_certificate("net", "c/bf16.every.cert")
    # Levels that close although numbers round have no claim.
    t.new("counter.fsa", "counter", "4")
    t.tool("counter.fsa", "--target", "diagonal-positive", "-o", "boxes", "--quiet")
    t.tool(
        *("round", "boxes", "--formats", "bf16", "--schedules", "every", "--certificates", "b"),
        err="warning: VERIFIED rows without a certificate: 1, such as bf16 every: networks with bo",
    )
    assert not list((t.folder / "b").iterdir())


def test_automata_that_lrnn_check_refuses(t):
    """A network may name the hash of any text of its automaton; certificates need the canonical
    one, since they number its states."""
    t.tool(t.examples() / "parity.fsa", "-o", "net", "--quiet")
    automaton = t.read("net/automaton.fsa")
    old = hashlib.sha256(automaton).hexdigest()
    for text in (
        automaton + b"# the end\n",
        automaton.replace(b"states even odd\n", b""),
        automaton.replace(b"even odd\n", b"even odd lost\n") + b"lost 0 odd\nlost 1 odd\n",
    ):
        t.write("net/automaton.fsa", text)
        new = hashlib.sha256(text).hexdigest()
        t.write("net/network.lrnn", t.read("net/network.lrnn").replace(old.encode(), new.encode()))
        (t.folder / "net/certificate.cert").unlink(missing_ok=True)
        old = new
        t.tool("round", "net", "--formats", "bf16", "--schedules", "every", out="VERIFIED")
        t.tool(
            *("round", "net", "--formats", "bf16", "--certificates", "proofs"),
            rc=65,
            err=r"net/automaton\.fsa: error: lrnn-check reads automata in canonical form only",
        )
        assert not (t.folder / "proofs").exists()
