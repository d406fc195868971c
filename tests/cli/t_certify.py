"""`certify`: networks that somebody else wrote, their verdicts, folders and certificates."""

import hashlib
import json
import random
import signal
import time
from fractions import Fraction

# The parity of b's, as one sign; the letters are in another order than in AUTOMATON below, and the
# network names no automaton that there is.
PARITY = """lrnn 2
fsa 0000000000000000000000000000000000000000000000000000000000000000
field Q
label accept
letters 2
letter b
letter a
labels 2
symbol reject
symbol "accept"
start 1
layers 1
layer 1 letters 2 heads 1 codes 2 symbols 2 decode state
head 1 key 1 value 1
initial 1.1:3
on 1 gate 1 factors 1
factor 2 u 1:1
on 2 gate 1 factors 0
code 1 1 1.1:3
code 2 2 1.1:-3
end
"""

# Not minimal: e and g act alike; g is listed before f.
AUTOMATON = """start e
accept f
e a g
g a e
e b f
g b f
f a f
f b e
"""

FILES = ["automaton.fsa", "certificate.cert", "network.lrnn", "report.json"]


def given(t, network=PARITY, automaton=AUTOMATON):
    t.write("a.fsa", automaton)
    t.write("n.lrnn", network)
    return "a.fsa", "n.lrnn"


def certified(t, *args, rc=0, out="out", claim="exact", **expected):
    """Certifies into a new folder, which lrnn-check must accept; returns text and report."""
    text = t.tool("certify", *args, "-o", out, rc=rc, **expected)
    assert sorted(p.name for p in (t.folder / out).iterdir()) == FILES
    line = t.check(out)
    assert f"s VERIFIED {claim} " in line, line
    report = t.report(out)
    for file in report["files"]:
        content = t.read(f"{out}/{file['name']}")
        assert file["sha256"] == hashlib.sha256(content).hexdigest(), file
    return text, report


def test_a_network_written_by_hand(t):
    text, report = certified(t, *given(t))
    assert "exact          VERIFIED for all words (closure of 3 joint states)\n" in text, text
    assert "network.lrnn differs from the given one in the line fsa" in text, text
    assert "check it       lrnn-check out/automaton.fsa out/network.lrnn" in text, text
    assert report["report"] == "certify" and report["renamed"] is True, report
    assert report["automaton"]["label_kind"] == "accept", report["automaton"]
    assert report["exact"]["verdict"] == "VERIFIED", report["exact"]
    assert report["certificate_claim"] == {"claim": "exact", "format": None, "schedule": None}
    # The letters are in the network's order, and only its second line changed.
    automaton = t.read("out/automaton.fsa")
    assert automaton.startswith(b"fsa 1\nletters b a\nstates e f g\n"), automaton
    new = PARITY.replace("0" * 64, hashlib.sha256(automaton).hexdigest())
    assert t.read("out/network.lrnn").decode() == new
    t.tool("check", "out", out="VERIFIED")
    t.tool("run", "out", "--random", "20")
    t.tool("round", "out", "--formats", "bf16", "--certificates", "rows")
    assert "s VERIFIED unrounded exact " in t.check_certificate("out", "rows/bf16.every.cert")
    # Once more, from what was written.
    text, report = certified(t, "out/automaton.fsa", "out", out="again")
    assert report["renamed"] is False and "differs" not in text, text
    for name in FILES[:3]:
        assert t.read(f"again/{name}") == t.read(f"out/{name}"), name


def test_without_a_folder(t):
    files = given(t)
    assert t.tool("certify", *files) == (
        "exact          VERIFIED for all words (closure of 3 joint states)\n"
    )
    assert t.tool("certify", *files, "--quiet") == ""
    report = json.loads(t.tool("certify", *files, "--json"))
    assert report["exact"]["joint_states"] == 3 and report["formats"] == [], report
    t.tool("certify", "--regex", "a*(ba*ba*)*ba*", "n.lrnn", out="VERIFIED for all words")
    assert t.entries() == ["a.fsa", "n.lrnn"]


def test_a_wrong_network(t):
    """The word is a shortest one; the certificate says that fp64 is wrong, too."""
    a, n = given(
        t, PARITY.replace("on 2 gate 1 factors 0", "on 2 gate 1 factors 1\nfactor 2 u 1:1")
    )
    text, report = certified(t, a, n, rc=1, claim="refuted")
    assert "exact          REFUTED after a (expected reject, got accept)\n" in text, text
    assert report["exact"]["witness"] == {"word": ["a"], "expected": "reject", "got": "accept"}
    assert report["certificate_claim"] == {
        "claim": "refuted",
        "format": "fp64",
        "schedule": "every",
    }
    # In a format.
    text, report = certified(t, a, n, "--format", "bf16", rc=1, out="bf16", claim="refuted")
    assert "bf16 every     REFUTED by the nearest code after a (" in text, text
    (row,) = report["formats"]
    assert (row["format"], row["verdict"], row["wrong_after"]) == ("bf16", "REFUTED", 1), row
    assert report["certificate_claim"]["format"] == "bf16", report
    # The nearest code is right for ever, but no boxes prove it: they would reach the middle.
    t.write("between.lrnn", PARITY.replace("on 2 gate 1 factors 0", "on 2 gate 3/4 factors 0"))
    t.tool("certify", a, "between.lrnn", rc=2, out="UNKNOWN: states equal no codes, and no boxes")
    # The nearest code is wrong after a word that no code equals.
    flips = "on 2 gate 3/4 factors 1\nfactor 2 u 1:1"
    t.write("flips.lrnn", PARITY.replace("on 2 gate 1 factors 0", flips))
    t.tool("certify", a, "flips.lrnn", rc=1, out="expected reject, got accept; by the nearest code")
    # Wrong after the empty word: no certificate is about it, and nothing is written.
    t.write("start.lrnn", PARITY.replace("start 1", "start 2"))
    t.tool(
        *("certify", a, "start.lrnn", "-o", "none"),
        rc=1,
        out="REFUTED after the empty word .*no certificate",
    )
    assert not (t.folder / "none").exists()


def test_formats(t):
    """Where nothing rounds the exact claim says so; a closure in a format is a claim of its own."""
    files = given(t)
    text, report = certified(t, *files, "--format", "bf16", claim="unrounded exact")
    line = "bf16 every     VERIFIED for all words by the nearest code (nothing rounds)\n"
    assert text.startswith(line), text
    assert report["certificate_claim"] == {"claim": "exact", "format": "bf16", "schedule": "every"}
    assert [r["verdict"] for r in report["formats"]] == ["VERIFIED"], report
    args = ("--format", "fp16", "--schedule", "chunk64")
    certified(t, *files, *args, out="chunk", claim="unrounded exact")
    # A network that is wrong exactly (lrnn(5)), and right in bf16 because it rounds there.
    head, tail = PARITY.split("head 1 key 1 value 1\n")[0], (
        "head 1 key 2 value 1\nraw\ninitial 1.1:-207/64 2.1:-55/128\n"
        "on 1 gate 1 factors 1 bias 1.1:-65/256 2.1:-55/64\nfactor 11/16 u 1:141/512 2:123/128\n"
        "on 2 gate 1 factors 0\n"
        "code 1 1 1.1:-207/64 2.1:-55/128\ncode 2 2 1.1:-207/64 2.1:-109/256\nend\n"
    )
    t.write("raw.lrnn", head + tail)
    args = ("a.fsa", "raw.lrnn", "--format", "bf16")
    _, report = certified(t, *args, out="float", claim="float")
    assert report["exact"]["verdict"] == "REFUTED", report["exact"]
    assert report["certificate_claim"]["claim"] == "float", report


def test_own_networks_without_certificates(t):
    """The forms of wired networks are found; what needs more takes the old certificate."""
    t.new("t5.fsa", "transformations", "5")
    t.new("s4.fsa", "symmetric", "4", "--generators")
    t.write("two.fsa", t.tool("new", "product", "t5.fsa", "t5.fsa", "--apart"))
    t.new("c5.fsa", "cyclic", "5")
    one = ("--householders", "1")
    for number, (source, options, claim, alone) in enumerate(
        (
            ("s4.fsa", (), "exact", "exact"),
            ("t5.fsa", ("--cascade", "holonomy"), "cascade", "exact"),
            ("t5.fsa", ("--max-sets", "5"), "zeiger", "zeiger"),
            ("two.fsa", ("--max-sets", "5"), "product", None),
            ("s4.fsa", one, "d1", "d1"),
            ("t5.fsa", one, "blocks", "blocks"),
            ("c5.fsa", ("--target", "complex"), "cascade", "exact"),  # over a field
        )
    ):
        command = ("compile",) if options == one else ()
        t.tool(*command, source, "-o", "net", "--force", "--quiet", "--no-report", *options)
        certified(t, source, "net", out=f"with{number}", claim=claim)
        assert t.read(f"with{number}/certificate.cert") == t.read("net/certificate.cert"), claim
        t.write("alone.lrnn", t.read("net/network.lrnn"))
        if alone:
            certified(t, source, "alone.lrnn", out=f"alone{number}", claim=alone)


def test_exchanges(t):
    """Thousands of states on which the letters' factors exchange points."""
    draw, lines = random.Random(5), ["start q0"]
    for a in "ab":
        image = draw.sample(range(3000), 3000)
        lines += [f"q{q} {a} q{p}" for q, p in enumerate(image)]
    t.write("p.fsa", "\n".join(lines) + "\n")
    t.tool("p.fsa", "-o", "net", "--quiet", "--no-report", "--formats", "bf16")
    t.write("n.lrnn", t.read("net/network.lrnn"))
    certified(t, "p.fsa", "n.lrnn", claim="swaps")
    # In a format the form proves it, too; its certificate lists the states.
    options = ("--format", "bf16")
    certified(t, "p.fsa", "n.lrnn", *options, out="rounded", claim="float")


def test_boxes(t):
    t.new("counter.fsa", "counter", "4")
    t.tool("counter.fsa", "--target", "diagonal-positive", "-o", "boxes", "--quiet")
    assert b"\nbox " in t.read("boxes/network.lrnn")
    certified(t, "counter.fsa", "boxes", claim="cascade")


def test_certificates_that_mislead(t):
    """A certificate of something else is left out with a warning, and refused where it was named;
    one with wrong content helps nothing."""
    t.tool(t.examples() / "tomita4.fsa", "--cascade", "holonomy", "-o", "net", "--quiet")
    t.tool(t.examples() / "parity.fsa", "-o", "other", "--quiet")
    t.write("net/certificate.cert", t.read("other/certificate.cert"))
    source = t.examples() / "tomita4.fsa"
    certified(t, source, "net", err="certificate.cert.*; it is not used")
    t.tool(
        *("certify", source, "net", "--certificate", "other/certificate.cert"),
        rc=65,
        err=r"other/certificate\.cert:\d+:\d+: error: ",
    )


def test_letters_and_labels(t):
    """Letters that only one of the two has, and labels that the automaton lacks."""
    a, n = given(t)
    t.write("c.fsa", AUTOMATON + "e c e\nf c f\ng c g\n")
    t.tool(
        "certify", "c.fsa", n, rc=69, err=r"n\.lrnn: error: only the automaton has the letter `c`"
    )
    t.write("b.fsa", "start e\naccept f\ne b f\nf b e\n")
    t.tool("certify", "b.fsa", n, rc=69, err="the automaton has no letter `a`")
    t.write("plain.fsa", AUTOMATON.replace("accept f\n", ""))
    t.tool("certify", "plain.fsa", n, rc=69, err="no `accept` line|accept")
    t.tool("certify", a, n, "--label", "accept", rc=64, err="a network says which labels it gives")
    # Missing transitions lead to a rejecting state, where the network is wrong.
    t.write("partial.fsa", "start e\naccept f\ne a e\ne b f\nf a f\n")
    t.tool("certify", "partial.fsa", n, rc=(65, 69), err="partial.fsa")
    t.tool("certify", "partial.fsa", n, "--sink", rc=1, out="REFUTED after b b b ")


def test_classes_of_letters(t):
    """Letters of a class are read as one, and have to act alike."""
    t.write("x.fsa", "start p\np a q\np b p\np c q\nq a p\nq b q\nq c p\n")
    t.tool("x.fsa", "-o", "net", "--quiet")
    assert b"\nletter-classes " in t.read("net/network.lrnn"), t.read("net/network.lrnn")
    t.write("y.fsa", "start p\np c q\np b p\np a q\nq a p\nq b q\nq c p\n")
    certified(t, "y.fsa", "net/network.lrnn")
    t.write("z.fsa", "start p\np a q\np b p\np c q\nq a p\nq b q\nq c q\n")
    t.tool("certify", "z.fsa", "net/network.lrnn", rc=69, err="act in different ways")


def test_folders(t):
    """An existing OUT is replaced as by the main job."""
    a, n = given(t)
    certified(t, a, n)
    t.tool("certify", a, n, "-o", "out", rc=73, err="error: .out. exists already")
    certified(t, a, n, "--force")
    t.write("out/mine.txt", "mine")
    t.tool("certify", a, n, "-o", "out", "--force", rc=73, err="error: ")
    t.tool("certify", a, n, "-o", "no/out", rc=73)
    t.tool("certify", a, n, "--force", rc=64, err="--force belongs to --out")
    t.tool("certify", a, n, "--schedule", "fma", rc=64, err="--schedule belongs to --format")
    t.tool("certify", a, rc=64, err="an automaton and a network are expected")
    t.tool("certify", a, n, "--format", "bf17", rc=64, err="format 'bf17'")
    t.tool("certify", a, "nothing.lrnn", rc=74, err="cannot open nothing.lrnn")
    t.tool("certify", a, a, rc=65, err=r"a\.fsa:1:1: error")
    assert t.entries() == ["a.fsa", "n.lrnn", "out"], t.entries()


FAR = ("--limit", "100000000")


def large(t):
    """A network of more than ten million joint states."""
    t.write("maps.fsa", t.tool("new", "transformations", "7"))
    t.tool("maps.fsa", "-o", "net", "--quiet", "--no-report")
    return "net/automaton.fsa", t.write("n.lrnn", t.read("net/network.lrnn"))


def test_limits(t):
    files = large(t)
    t.tool("certify", *files, "-o", "out", "--limit", "100", rc=2, out="UNKNOWN: .*\nhint  ")
    t.tool("certify", *files, "-o", "out", "--effort", "1", rc=2, out="UNKNOWN: .*effort")
    t.tool("certify", *files, "-o", "out", "--time-limit", "0.3", *FAR, rc=2)
    process = t.start("certify", *files, "-o", "out", *FAR)
    time.sleep(0.5)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 128 + signal.SIGINT and b"nothing was written" in errors, errors
    assert not [name for name in t.entries() if name.startswith("out")], t.entries()


# M.3 with the group of order 2 (theory/pages/one-layer.md, M.5): a bit that two letters set and one
# exchanges, and a copy of it. At each of two places are a chain of two slots and a slot that keeps
# the place of the last copy; `turn` exchanges the places.
MOVED = {
    "copy": "factor 1 u 1:1 2:-2\nfactor 1 u 4:1 5:-2\nfactor 1 u 3:1\nfactor 1 u 6:1 c 1:1",
    "zero": "factor 1 u 1:1\nfactor 1 u 4:1 c 1:1",
    "one": "factor 1 u 1:1 c 1:1\nfactor 1 u 4:1",
    "turn": "factor 2 u 1:1 4:-1\nfactor 2 u 2:1 5:-1\nfactor 2 u 3:1 6:-1\nfactor 2 u 7:1",
}


def step_moved(content, letter):
    """Returns the contents (bit, copy, its place, place) of the block that begins at place 0; the
    other block has the complements."""
    bit, older, kept, place = content
    if letter == "turn":
        return bit, older, kept, 1 - place
    if letter == "copy":
        return bit, bit, place, place
    return (letter == "one") ^ place, older, kept, place


def state_of_moved(content):
    bit, older, kept, place = content
    return f"{bit ^ place}{older ^ kept}"


def moved_rows(content):
    """Returns {row: (code, lower end, upper end)}."""
    *block, place = content
    rows = {7: (1 - 2 * place,) * 3}
    for other in range(2):
        bit, older, kept = (x ^ other for x in block)
        at, far = 3 * (other ^ place), Fraction(1, 5)
        near = far if bit == older else 0
        rows[at + 1] = bit, max(0, bit - near), min(1, bit + near)
        rows[at + 2] = (Fraction(x, 2) for x in (older, max(0, older - far), min(1, older + far)))
        rows[at + 3] = (kept,) * 3
    return {k: tuple(rows[k]) for k in sorted(rows)}


def moved_chains():
    """Returns the text of the automaton and of the network."""
    contents, names = [(0, 0, 0, 0)], ["00", "01", "10", "11"]
    for c in contents:
        contents += [to for a in MOVED if (to := step_moved(c, a)) not in contents]
    rules = {
        f"{state_of_moved(c)} {a} {state_of_moved(step_moved(c, a))}"
        for c in contents
        for a in MOVED
    }
    fsa = ["fsa 1", f"letters {' '.join(MOVED)}", f"states {' '.join(names)}", "start 00"]
    net = ["lrnn 2", f"fsa {64 * '0'}", "field Q", "label states", "letters 4"]
    net += [*(f"letter {a}" for a in MOVED), "labels 4", *(f"symbol {q}" for q in names)]
    net += ["start 1", "layers 1"]
    net += [f"layer 1 letters 4 heads 1 codes {len(contents)} symbols 4 decode state"]
    net += ["head 1 key 7 value 1", "initial 4.1:1 5.1:1/2 6.1:1 7.1:1"]
    for number, text in enumerate(MOVED.values(), 1):
        net += [f"on {number} gate 1 factors {text.count('factor')}", text]
    for number, c in enumerate(contents, 1):
        value = [f" {k}.1:{x}" for k, (x, _, _) in moved_rows(c).items() if x]
        net += [f"code {number} {names.index(state_of_moved(c)) + 1}{''.join(value)}"]
    for number, c in enumerate(contents, 1):
        ends = [f" {k}.1:{low},{high}" for k, (_, low, high) in moved_rows(c).items()]
        net += [f"box {number}{''.join(ends)}"]
    return "\n".join([*fsa, *sorted(rules), ""]), "\n".join([*net, "end", ""])


def test_moved_chains(t):
    """No fork, but efe != fe: one layer needs infinitely many states, which boxes hold."""
    fsa, net = moved_chains()
    t.write("m.fsa", fsa)
    t.write("m.lrnn", net)
    text = t.tool("classify", "m.fsa")
    assert "bands         at least 2 layers (OL.3)" in text, text
    assert "fork          there is none" in text, text
    certified(t, "m.fsa", "m.lrnn")
    t.write("small.lrnn", net.replace("1.1:4/5,1 ", "1.1:9/10,1 "))
    t.tool("certify", "m.fsa", "small.lrnn", rc=1, out="REFUTED")  # letters lead out of the boxes
