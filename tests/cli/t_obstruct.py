"""`obstruct`: eigenvalues, theorems, runs that recur, and certificates that lrnn-check accepts and
refuses."""

import hashlib
import json
import math
import re
import struct
from pathlib import Path

from harness import sealed

EXAMPLES = Path(__file__).resolve().parent.parent.parent / "examples"
KEYS = [
    "schema",
    "report",
    "network",
    "layers",
    "heads",
    "automaton",
    "spectra",
    "theorems",
    "periodic_word",
    "word_runs",
    "reason",
    "timing",
]


def obstruct(t, *args, rc=0):
    data = json.loads(t.tool("obstruct", *args, "--json", rc=rc))
    assert list(data) == KEYS, list(data)
    for head in data["spectra"]:
        for m in head["matrices"]:
            total = sum(v["multiplicity"] for v in m["eigenvalues"])
            assert total == head["n"], head
            negative = any(v["re"][1] < 0 and v["im"] == [0, 0] for v in m["eigenvalues"])
            strange = any(v["im"] != [0, 0] for v in m["eigenvalues"])
            assert m["spectrum"] == (
                "not real" if strange else "real" if negative else "non-negative"
            ), m
    for r in data["word_runs"]:
        assert (r["recurrence"] is None) == (r["reason"] is not None), r
        assert r["result"] != "RIGHT" or (r["first_wrong"] is None and r["recurrence"]), r
    return data, {r["format"]: r for r in data["word_runs"]}


def folder(t, name, fsa, layers, labels):
    """Makes a folder with automaton.fsa (canonical text) and a network of these layers."""
    sha = hashlib.sha256(fsa.encode()).hexdigest()
    letters = fsa.splitlines()[1].split()[1:]
    text = [
        f"lrnn 2\nfsa {sha}\nfield Q\nlabel states\nletters {len(letters)}",
        *(f"letter {a}" for a in letters),
        f"labels {len(labels)}",
        *(f"symbol {s}" for s in labels),
        "start 1",
        f"layers {layers.count('heads')}",
        layers,
        "end",
        "",
    ]
    t.write(f"{name}/automaton.fsa", fsa)
    t.write(f"{name}/network.lrnn", "\n".join(text))
    return name


PARITY = (
    "fsa 1\nletters 0 1\nstates even odd\nstart even\neven 0 even\neven 1 odd\nodd 0 odd\nodd 1"
    " even\n"
)
THREE = "fsa 1\nletters a\nstates 0 1 2\nstart 0\n0 a 1\n1 a 2\n2 a 0\n"


def deltanet(t, beta="3/4"):
    """Makes DeltaNet[0,1] on parity: letter 1 moves the state towards -1."""
    return folder(
        t,
        "dn",
        PARITY,
        "layer 1 letters 2 heads 1 codes 2 symbols 2 decode state\nhead 1 key 1 value 1\n"
        f"initial 1.1:1\non 1 gate 1 factors 0\non 2 gate 1 factors 1\nfactor {beta} u 1:1 c 1:-1\n"
        "code 1 1 1.1:1\ncode 2 2 1.1:-1",
        ["even", "odd"],
    )


def diagonal(t):
    """Makes a real diagonal network on the cyclic group of three: two coordinates, one of which
    changes its sign."""
    return folder(
        t,
        "z3",
        THREE,
        "layer 1 letters 1 heads 1 codes 3 symbols 3 decode state\nhead 1 key 2 value 1\n"
        "initial 1.1:1 2.1:1\non 1 gate 1 factors 2\nfactor 2 u 1:1\nfactor 1/2 u 2:1 c 1:-1\n"
        "code 1 1 1.1:1 2.1:1\ncode 2 2 1.1:-1\ncode 3 3 1.1:1 2.1:-1",
        ["0", "1", "2"],
    )


def test_deltanet_on_parity(t):
    net = deltanet(t)
    data, run = obstruct(t, net, rc=1)
    assert data["theorems"]["t1"]["applies"] is data["theorems"]["t2"]["applies"] is True, data[
        "theorems"
    ]
    assert (
        data["periodic_word"]["word"] == ["1"]
        and data["periodic_word"]["period"] == 2
        and data["periodic_word"]["forbidden"]
    ), data["periodic_word"]
    assert data["periodic_word"]["exact_period_divides"] == 1
    for name in ("bf16", "fp16", "fp32"):
        r = run[name]
        assert r["result"] == "REFUTED" and r["first_wrong"] == 2 and r["recurrence"]["constant"], r
        assert (
            r["recurrence"]["residues"] == [0]
            and r["recurrence"]["pattern"] == 2
            and r["recurrence"]["wrong"] == 1
        ), r
    assert run[None]["result"] == "REFUTED" and run[None]["recurrence"] is None, run[None]
    t.tool("obstruct", net, rc=1, out=r"wrong for ever, at 1 of 2 lengths, those that are 0 mod 2")
    _, run = obstruct(t, deltanet(t, "1"), rc=1)
    assert run[None]["recurrence"]["preperiod"] == 1 and run[None]["first_wrong"] == 2, run[None]


def test_real_diagonal_on_cyclic_3(t):
    data, run = obstruct(t, diagonal(t), rc=1)
    assert data["theorems"]["t1"]["applies"] is False and data["theorems"]["t2"]["applies"] is True
    assert (
        data["spectra"][0]["diagonal"]
        and data["periodic_word"]["period"] == 3
        and data["periodic_word"]["exact_period_divides"] == 2
    )
    assert data["periodic_word"]["forbidden"]
    for r in run.values():
        assert r["result"] == "REFUTED" and r["first_wrong"], r
        assert (
            r["recurrence"] is None or 0 < r["recurrence"]["wrong"] <= r["recurrence"]["pattern"]
        ), r


def test_rounding_that_counts(t):
    """P10 of theory/pages/parity.md: all eigenvalues are positive, but bf16 computes parity all the
    same; the report says why."""
    t.new("parity.fsa", "cyclic", "2")
    t.write("parity.fsa", (EXAMPLES / "parity.fsa").read_text())
    t.tool("parity.fsa", "-o", "psd", "--quiet")
    t.write("psd/network.lrnn", (EXAMPLES / "parity-psd.lrnn").read_text())
    data, run = obstruct(t, "psd", "--format", "bf16")
    assert data["theorems"]["t1"]["applies"] is True and data["periodic_word"]["forbidden"]
    assert run["bf16"]["result"] == "RIGHT" and run["bf16"]["recurrence"]["period"] == 2
    t.tool(
        "obstruct",
        "psd",
        "--format",
        "bf16",
        out=r"(?s)round inside the step.*\(theory/pages/parity.md, P10\)",
    )
    _, run = obstruct(t, "psd", "--formats", "fp16", rc=1)
    assert run["fp16"]["result"] == "REFUTED" and run["fp16"]["first_wrong"] == 1, run
    _, run = obstruct(t, "psd", "--limit", "20000", rc=1)
    assert run[None]["result"] == "REFUTED"
    t.tool(
        "obstruct",
        "psd",
        "--format",
        "bf16",
        "--certificate",
        "none.cert",
        err="no certificate was written",
    )
    assert "none.cert" not in t.entries()


def test_nothing_forbids_what_is_right(t):
    for name, family in (
        ("s3", ["symmetric", "3"]),
        ("z2", ["cyclic", "2"]),
        ("s5", ["symmetric", "5"]),
    ):
        t.new(f"{name}.fsa", *family)
        t.tool(f"{name}.fsa", "-o", name, "--quiet")
        data, run = obstruct(t, name, "--products", "1")
        assert data["theorems"]["t1"]["applies"] is False and not data["periodic_word"]["forbidden"]
        assert len(run) == 4 and all(r["result"] == "RIGHT" for r in run.values()), run
    t.tool("obstruct", "s3", out=r"non-real: ")


def test_heads_over_a_field(t):
    t.new("z5.fsa", "cyclic", "5")
    t.tool("compile", "z5.fsa", "-o", "z5", "--quiet", "--layers", "1", "--householders", "2")
    assert b"\nfield -5 0 1 interval 2 3\n" in t.read("z5/network.lrnn")
    data, run = obstruct(t, "z5", "--limit", "100000", rc=(0, 1))
    values = [v for m in data["spectra"][0]["matrices"] for v in m["eigenvalues"]]
    turns = sorted({round(v["re"][0], 12) for v in values})
    assert turns == [
        round(math.cos(4 * math.pi / 5), 12),
        round(math.cos(2 * math.pi / 5), 12),
        1.0,
    ], turns
    assert all(v["re"][1] - v["re"][0] < 1e-15 for v in values) and run[None]["result"] == "RIGHT"
    t.tool(
        "obstruct",
        "z5",
        "--format",
        "bf16",
        "--certificate",
        "c.cert",
        rc=(0, 1),
        err="no certificate was written",
    )


def test_aperiodic_and_wired(t):
    t.new("flip.fsa", "flipflop")
    t.tool("flip.fsa", "-o", "flip", "--quiet")
    data, run = obstruct(t, "flip")
    assert data["periodic_word"] is None and not run and data["reason"] is None
    t.tool("obstruct", "flip", out="no word turns labels in a cycle")
    t.new("s4.fsa", "symmetric", "4")
    t.tool("compile", "s4.fsa", "-o", "wired", "--quiet", "--householders", "1")
    assert t.read("wired/network.lrnn").startswith(b"lrnn-wired 2\n")
    data, run = obstruct(t, "wired")
    assert data["theorems"]["t2"] == {"applies": False, "layer": 2, "head": 1, "length": 2}, data[
        "theorems"
    ]
    assert len(data["spectra"]) == 4 and all(r["result"] == "RIGHT" for r in run.values())
    t.tool(
        "obstruct",
        "wired",
        "--format",
        "bf16",
        "--certificate",
        "c.cert",
        err="wired networks have no certificate",
    )
    t.tool("obstruct", "wired/weights.safetensors", rc=69, err="wired")


def test_words(t):
    net = deltanet(t)
    data, run = obstruct(t, net, "--word", "011", "--prefix", "1 1", "--formats", "fp16", rc=1)
    assert (
        data["periodic_word"]["word"] == ["0", "1", "1"]
        and data["periodic_word"]["prefix"] == ["1", "1"]
        and data["periodic_word"]["period"] == 3
    )
    assert (
        data["periodic_word"]["exact_period_divides"] == 3
        and not data["periodic_word"]["forbidden"]
    )
    assert run["fp16"]["first_wrong"] == 2
    t.tool("obstruct", net, "--word", "012", rc=65, err="2")
    t.tool("obstruct", net, "--word", "", rc=65, err="no letters")
    t.tool("obstruct", net, "--prefix", "0", rc=64, err="--prefix is for --word")
    # the network is right on the letter 0 alone
    _, run = obstruct(t, net, "--word", "0", "--formats", "fp16")
    assert run["fp16"]["result"] == "RIGHT"


def test_certificates(t):
    net = deltanet(t)
    sizes = set()
    for spec, schedule in (
        ("bf16", "every"),
        ("fp16", "fma"),
        ("e4m3", "acc32"),
        ("fp32", "recurrent"),
        ("bf16", "cast"),
        ("p=6,emin=-9,emax=9,round=down", "every"),
    ):
        t.tool(
            "obstruct",
            net,
            "--format",
            spec,
            "--schedule",
            schedule,
            "--certificate",
            "wrong.cert",
            rc=1,
        )
        verdict = t.check_certificate(net, "wrong.cert")
        assert verdict.startswith("s VERIFIED refuted ") and " length 2 period " in verdict, verdict
        sizes.add(len(t.read("wrong.cert")))
    assert len(sizes) > 3
    t.tool(
        "obstruct",
        net,
        "--format",
        "bf16",
        "--word",
        "10",
        "--prefix",
        "0",
        "--certificate",
        "wrong.cert",
        rc=1,
    )
    assert " length 4 " in t.check_certificate(net, "wrong.cert")
    good = t.read("wrong.cert").decode()
    assert "\nprefix 1\nword 2 1\n" in good, good
    rows = re.findall(r"^row .*$", good, re.M)
    changes = [
        ("back " + re.search(r"back (\d+)", good)[1], "back 1"),
        ("claim refuted", "claim float"),
        ("prefix 1\n", ""),
        ("prefix 1", "prefix 2"),
        ("word 2 1", "word 2"),
        ("word 2 1", "word 1 2"),
        ("word 2 1", "word 2 3"),
        ("state 2", "state 1"),
        ("schedule every", "schedule fma raw 1"),
        ("round nearest", "round stochastic"),
        ("schedule every", "schedule chunk64"),
        (rows[-1] + "\n", ""),
        (rows[1], rows[2]),
        ("numbers 1\n", "numbers -1\n"),
        ("precision 8", "precision 9"),
        (f"rows {len(rows)}", f"rows {len(rows) - 1}"),
        (f"end {len(rows)}", f"end {len(rows) + 1}"),
        ("-1p-1", "-3p-1"),
    ]
    for old, new in changes:
        assert old in good, (old, good)
        t.write("bad.cert", sealed(good.replace(old, new, 1)))
        t.check_certificate(net, "bad.cert", rc=1)
    t.write("bad.cert", good.replace("row 2", "row 3", 1))
    t.check_certificate(net, "bad.cert", rc=1)
    # in a network that is right on the word, every label is right
    right = sealed(good.replace("word 2 1", "word 1").replace("prefix 1\n", ""))
    right = re.sub(
        r"rows \d+\n(word 1\n)(.|\n)*", r"rows 1\n\1row 1 state 1 numbers 1\nback 1\nend 1\n", right
    )
    t.write("bad.cert", sealed(right + "sha256 \n"))
    t.check_certificate(net, "bad.cert", rc=1)


def weights(tensors, metadata):
    """Returns a safetensors file of F32 tensors: {name: (shape, numbers)}."""
    header, data = {"__metadata__": metadata}, b""
    for name, (shape, numbers) in tensors.items():
        packed = struct.pack(f"<{len(numbers)}f", *numbers)
        header[name] = {
            "dtype": "F32",
            "shape": shape,
            "data_offsets": [len(data), len(data) + len(packed)],
        }
        data += packed
    text = json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + data


def test_weights(t):
    head = "layers.0.heads.0."
    file = {
        head + "beta": ([2, 2], [0, 0, 2, 2]),
        head + "key": ([2, 2, 2], [0, 0, 0, 0, 1, 0, 0.6, 0.8]),
    }
    t.write("w.safetensors", weights(file, {"letters": json.dumps(["x", "turn"])}))
    data, run = obstruct(t, "w.safetensors", "--products", "3")
    assert not run and "no decoder" in data["reason"] and data["periodic_word"] is None
    assert data["theorems"]["t1"]["applies"] is False
    turn = data["spectra"][0]["matrices"][1]
    assert (
        turn["letter"] == "turn"
        and turn["spectrum"] == "not real"
        and abs(turn["eigenvalues"][0]["re"][0] + 0.28) < 1e-6
    )
    assert [p["not_real"] for p in data["spectra"][0]["products_of"]] == [1, 3, 7], data["spectra"][
        0
    ]["products"]
    # weights that fsa2lrnn wrote
    t.new("s3.fsa", "symmetric", "3")
    t.tool("s3.fsa", "-o", "s3", "--quiet")
    ours, _ = obstruct(t, "s3/weights.safetensors")
    network, _ = obstruct(t, "s3")
    assert ours["spectra"] == network["spectra"]
    t.write("broken.safetensors", weights(file, {"letters": json.dumps(["x"])}))
    t.tool("obstruct", "broken.safetensors", rc=65, err="letters")
    file.pop(head + "key")
    t.write("broken.safetensors", weights(file, {}))
    t.tool("obstruct", "broken.safetensors", rc=65, err="key")


def test_refused(t):
    net = deltanet(t)
    t.tool("obstruct", rc=64, err="one network is expected")
    t.tool("obstruct", net, "--certificate", "c", rc=64, err="for one --format")
    t.tool(
        "obstruct", net, "--format", "bf16", "--formats", "bf16", rc=64, err="exclude each other"
    )
    t.tool("obstruct", net, "--schedule", "no", rc=64, err="--schedule: ")
    t.tool("obstruct", net, "--format", "no", rc=64, err="--format: ")
    t.tool("obstruct", net, "--products", "0", rc=64)
    t.tool("obstruct", "nothing.lrnn", rc=74, err="nothing.lrnn")
    _, run = obstruct(t, net, "--formats", "bf16", "--schedule", "chunk64", rc=2)
    assert run["bf16"]["result"] == "UNKNOWN" and "chunk64" in run["bf16"]["reason"]
    (t.folder / "dn" / "automaton.fsa").unlink()
    data, run = obstruct(t, net)
    assert not run and "--fsa" in data["reason"]
    t.tool("obstruct", net, "--word", "1", rc=74, err="automaton.fsa")
    t.tool("obstruct", "--help", out="eigenvalues")


# --- the command `parity`: searches for positive networks that compute parity by rounding ---


def test_parity_search(t):
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
        found["e4m3", "every"]["search_result"] == "found" and found["e4m3", "every"]["exhaustive"]
    ), found
    assert (
        found["e4m3", "cast"]["search_result"]
        == found["bf16", "cast"]["search_result"]
        == "none exists"
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
        out="e4m3 +every +nearest +VERIFIED",
    )
    t.tool("parity", "--formats", "e4m3", "--schedules", "cast", out="none exists")


def test_parity_refused(t):
    t.tool("parity", "file", rc=64, err="no operand is expected")
    t.tool("parity", "--formats", "fp64", rc=69, err="fsa2lrnn: ")
    t.tool("parity", "--schedules", "chunk64", rc=64)
