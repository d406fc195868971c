"""The added state of an automaton: lrnn-check names it and its source, and refuses a state that is
no rejecting state which every letter leads to itself; rep-check and the checkers of bounds."""

import re
import subprocess
from pathlib import Path

from checkers import triples

SOURCE = triples.sha256("the source")
LINE = f"fsa added sink source {SOURCE}\n"
STATES = "fsa 1\nletters a b\nstates p sink\nstart p\n"
EDGES = "p a p\np b sink\nsink a sink\nsink b sink\n"
ROWS = "letters 2 states 2 rows 2\nrow 1 state 1 codes 1 next 1 2\nrow 2 state 2 codes 2 next 2 2\n"
SIZE = "layers 1 heads 1 householders 0 key 1 value 1"


def check(t, fsa, label="accept", labels=('"accept"', "reject")):
    """Returns status, output and messages of lrnn-check for the automaton with the network that is
    right for a*: letter b forgets the number."""
    decode = "step" if label == "edges" else "state"
    codes = [f"code {i} {'*' if label == 'edges' else i}{v}\n" for i, v in ((1, " 1.1:1"), (2, ""))]
    network = (
        f"field Q\nlabel {label}\nletters 2\nletter a\nletter b\nlabels 2\n"
        + "".join(f"symbol {y}\n" for y in labels)
        + f"start {'-' if label == 'edges' else 1}\nlayers 1\nlayer 1 "
        + triples.layer(
            2,
            2,
            "head 1 key 1 value 1\ninitial 1.1:1\n",
            ["gate 1 factors 0", "gate 0 factors 0"],
            codes,
            decode,
        )
        + ("yield 1 1 1\nyield 1 2 2\nyield 2 2 2\n" if label == "edges" else "")
        + "end\n"
    )
    certificate = f"claim exact\nsize {SIZE}\n{ROWS}end 2\n"
    files = triples.write(t, "n", fsa, network, certificate)
    return ended(t, t.checker, *files)


def ended(t, program, *files):
    done = subprocess.run(
        [Path(t.checker).parent / program, *files],
        cwd=t.folder,
        env=t.env,
        capture_output=True,
        text=True,
    )
    return done.returncode, done.stdout, done.stderr


def accepted(t, fsa, words, *network):
    status, out, err = check(t, fsa, *network)
    assert status == 0 and words in out, (out, err)


def refused(t, fsa, reason, *network):
    status, out, err = check(t, fsa, *network)
    assert (status, out) == (1, "s NOT VERIFIED\n") and reason in err, (out, err)


def test_both_facts_are_printed(t):
    accepted(t, f"{STATES}accept p\n{EDGES}", f"{SIZE} rows 2 fsa ")
    said = f"rows 2 added sink absorbing rejecting source {SOURCE} fsa "
    accepted(t, f"{STATES}{LINE}accept p\n{EDGES}", said)
    name = f'fsa added "a state" source {SOURCE}\n'
    text = f"{STATES}{name}accept p\n{EDGES}".replace("sink", '"a state"')
    accepted(t, text, ' added "a state" absorbing rejecting source ')


def test_other_labels(t):
    """Nothing is said of accepting where nothing accepts; the state's outputs are its own."""
    said = f" added sink absorbing source {SOURCE} fsa "
    accepted(t, f"{STATES}{LINE}{EDGES}", said, "states", ("p", "sink"))
    outputs = "output p 1\noutput sink none\n"
    accepted(t, f"{STATES}{LINE}{outputs}{EDGES}", said, "outputs", ("1", "none"))
    twice = outputs.replace("none", "1")
    refused(t, f"{STATES}{LINE}{twice}{EDGES}", "fsa:5: state 1 has the output", "outputs")
    edges = "p a p 1\np b sink none\nsink a sink none\nsink b sink none\n"
    accepted(t, f"{STATES}{LINE}{edges}", said, "edges", ("1", "none"))
    reason = "fsa:5: the output of transition "
    for old, new in (("p b sink none", "p b sink 1"), ("p a p 1", "p a p none")):
        refused(t, f"{STATES}{LINE}{edges.replace(old, new)}", reason, "edges")
    other = edges.replace("sink b sink none", "sink b sink more")
    refused(t, f"{STATES}{LINE}{other}", f"{reason}4 ", "edges")


def test_states_that_are_none(t):
    whole = f"{STATES}{LINE}accept p\n{EDGES}"
    for old, new, reason in (
        ("added sink", "added p", "the added state is the start"),
        ("start p", "start sink", "the added state is the start"),
        ("accept p", "accept p sink", "the added state accepts"),
        ("accept p", "accept sink", "the added state accepts"),
        ("sink a sink", "sink a p", "letter 1 leads out of the added state"),
        ("sink b sink", "sink b p", "letter 2 leads out of the added state"),
        ("added sink", "added none", "an unknown name"),
        ("added sink", 'added "sink"', "one spelling"),
        ("added sink", "added", "an unknown name"),
        ("fsa added", "fsa missing", "expected `fsa added `"),
        (" source", " from", "expected ` source "),
        (SOURCE, SOURCE[:-1], "expected the SHA-256 of the source"),
        (SOURCE, SOURCE + "0", "expected the SHA-256 of the source"),
        (SOURCE, SOURCE.upper(), "expected the SHA-256 of the source"),
        (LINE, LINE + LINE, "one spelling"),
        (LINE, LINE[:-1] + " \n", "expected the end of the line"),
        (LINE + "accept p\n", "accept p\n" + LINE, "one spelling"),
        ("start p\n" + LINE, LINE + "start p\n", "expected `start `"),
    ):
        assert old in whole
        refused(t, whole.replace(old, new, 1), reason)


def test_a_group_has_none(t):
    group = f"fsa 1\npoints 2\ntrack points 1\n{LINE}accept 1\npermute a ()\npermute b (1 2)\n"
    refused(t, group, "expected `permute`")


def test_bounds_say_it_too(t):
    """Which letter was the first? c is missing."""
    nexts = {"s": "p q", "p": "p p", "q": "q q", "sink": "sink sink"}
    fsa = f"fsa 1\nletters a b c\nstates s p q sink\nstart s\n{LINE}" + "".join(
        f"{q} {a} {r}\n" for q in nexts for a, r in zip("abc", f"{nexts[q]} sink".split())
    )
    fork = "label states\nclasses 1 2 3 4\nfork 1 2 3\nreach\nu 1\nv 2\napart\nend\n"
    for text, wanted in ((fsa, 0), (fsa.replace("sink c sink", "sink c p"), 1)):
        certificate = f"lrnn-fork 1\nfsa {triples.sha256(text)}\n{fork}"
        files = t.write("a.fsa", text), t.write("f.cert", certificate)
        status, out, err = ended(t, "fork-check", *files)
        assert status == wanted, (out, err)
        if wanted == 0:
            assert f" added sink absorbing source {SOURCE} fsa {triples.sha256(text)}\n" in out, out
        else:
            assert "a.fsa:5: letter 3 leads out of the added state" in err, err


def test_rep_check_has_no_such_letters(t):
    sample = Path(__file__).parents[2] / "fuzz/corpus/rep_check/z5-edges"
    fsa, certificate = re.split("(?=householders )", sample.read_text(), maxsplit=1)
    fsa = fsa.replace("start q3\n", f"start q3\n{LINE.replace('sink', 'q1')}")
    certificate = re.sub("fsa [0-9a-f]{64}", f"fsa {triples.sha256(fsa)}", certificate)
    files = t.write("a.fsa", fsa), t.write("g.cert", certificate)
    status, out, err = ended(t, "rep-check", *files)
    assert (status, out) == (1, "s NOT VERIFIED\n"), out
    assert "an added state do not permute" in err, err
