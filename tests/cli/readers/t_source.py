"""Missing transitions: which syntaxes reject by them, the added state in automaton.fsa, and
`check --source`, which reads the source anew and compares."""

import hashlib
import json
import re

ABS = "0 1 a\n1 0 b\n0\n"
JFLAP = (
    "<structure><type>fa</type><automaton>"
    '<state id="0" name="p"><initial/></state><state id="1" name="q"><final/></state>'
    "<transition><from>0</from><to>1</to><read>a</read></transition>"
    "<transition><from>1</from><to>1</to><read>b</read></transition>"
    "</automaton></structure>"
)
HOA = 'HOA: v1 Start: 0 AP: 1 "a" Acceptance: 0 t --BODY--\nState: 0 [!0] 0 --END--\n'
DFA = {
    "states": ["p", "q"],
    "input_symbols": ["a", "b"],
    "transitions": {"p": {"a": "q"}, "q": {"b": "q"}},
    "initial_state": "p",
    "final_states": ["q"],
}
DOT = (
    "digraph g { __start0 [shape=none]; __start0 -> p; p; q [shape=doublecircle]; "
    'p -> q [label="a"]; q -> q [label="b"]; }'
)
PARTIAL = {
    "abs.att": ABS,
    "fa.jff": JFLAP,
    "safe.hoa": HOA,
    "partial.json": json.dumps(DFA | {"allow_partial": True}),
    "nfa.json": json.dumps(DFA | {"transitions": {"p": {"a": ["q"]}, "q": {"b": ["q"]}}}),
}
TOTAL = {
    "dfa.json": json.dumps(DFA),
    "g.dot": DOT,
    "p.fsa": "start p\naccept q\np a q\nq b q\n",
}


def sha256(text):
    return hashlib.sha256(text.encode()).hexdigest()


def test_syntaxes_that_reject(t):
    for name, text in PARTIAL.items():
        t.write(name, text)
        t.tool(name, rc=69, err="--sink adds a rejecting sink")
        said = r"missing transitions?, which reject in \S+; automaton.fsa names it"
        warning = f"warning: a sink state .* [1-3] {said}"
        t.tool(name, "--label", "accept", "-o", "out", "--force", err=warning)
        assert f"\nfsa added sink source {sha256(text)}\n" in t.read("out/automaton.fsa").decode()
        out = t.tool("check", "out", "--source", name)
        assert f" added sink absorbing rejecting source {sha256(text)} fsa " in out, out
        assert out.count("\n") == 3 and ": the same label after every word" in out, out


def test_syntaxes_that_do_not(t):
    for name, text in TOTAL.items():
        t.write(name, text)
        t.tool(name, "--label", "accept", rc=69, err="--sink adds a rejecting sink")
        t.tool(name, "--label", "accept", "--sink", "-o", "out", "--force", err="warning: .*added")
        assert f" source {sha256(text)}\n" in t.read("out/automaton.fsa").decode()
        t.tool("check", "out", "--source", name, out="as automaton.fsa names it\n")


def test_bytes_without_an_added_state(t):
    """The line is there only where a state was added."""
    t.write("p.fsa", "start p\naccept p\np a p\n")
    t.tool("p.fsa", "--sink", "-o", "out")
    text = "fsa 1\nletters a\nstates p\nstart p\naccept p\np a p\n"
    assert t.read("out/automaton.fsa").decode() == text
    assert " added " not in t.tool("check", "out", "--source", "p.fsa").split("\n")[0]
    t.tool("check", "out", "--source", "p.fsa", out="which automaton.fsa does not name\n")


def test_regex(t):
    """--regex labels accept; its dead state is named, and the expression is its source."""
    for options, words in (([], "label accept"), (["--label", "states"], "label states")):
        t.tool("--regex", "a*b", "-o", "out", "--force", *options)
        assert f" {words} " in t.tool("check", "out"), words
        assert f"fsa added dead source {sha256('a*b')}\n" in t.read("out/automaton.fsa").decode()
        t.tool("check", "out", "--regex", "a*b", out="the same label after every word")
    t.tool("--regex", "a*b", "-o", "out", "--force")
    t.tool("check", "out", "--regex", "aa*b", rc=1, out=": DIFFERENT after b: reject and accept\n")
    t.tool("check", "out", "--regex", "a*b|c", rc=69, err="different letters")
    t.tool("--regex", "(a|b)*", "-o", "out", "--force")
    assert "added" not in t.read("out/automaton.fsa").decode()
    t.new("c.fsa", "cyclic", "3")
    t.tool("c.fsa", "--regex", "a*", "--product", "-o", "both")
    assert " label states " in t.tool("check", "both")


def test_other_labels(t):
    """Names of states, outputs of states and of transitions; a source without a run gives none."""
    moore = "letters a b\nstart p\noutput p 1\noutput q 2\np a q\nq b p\n"
    mealy = "letters a b\nstart p\np a q x\nq b p y\n"
    for text, label, change, word in (
        (moore, "states", ("start p", "start q"), "the empty word: q and p"),
        (moore, "outputs", ("q b p", "q b q"), "a b: 2 and 1"),
        (moore, "outputs", ("q b p", "q b p\np b p"), "b: 1 and sink"),
        (moore, "outputs", ("p a q", "p b q"), "a: no label and 2"),
        (mealy, "edges", ("q b p y", "q b p x"), "a b: x and y"),
        (mealy, "edges", ("q b p y", "q a p y"), "a a: y and sink"),
    ):
        t.write("m.fsa", text)
        t.tool("m.fsa", "--sink", "--label", label, "-o", "out", "--force", err="warning: .*added")
        t.tool("check", "out", "--source", "m.fsa", out=rf"\(label: {label}[);]")
        t.write("other.fsa", text.replace(*change))
        out = t.tool("check", "out", "--source", "other.fsa", rc=1)
        assert out.endswith(f": DIFFERENT after {word}\n"), out


def test_choices(t):
    """A source with choices, made deterministic, and states that no word reaches."""
    t.write("n.att", "0 1 a\n0 0 a\n0 0 b\n1\n2 2 a\n")
    outside = "is outside the certificate: compare with `fsa2lrnn check OUT --source FILE`"
    t.tool("n.att", "--label", "accept", "-o", "out", err=re.escape(outside))
    t.tool("check", "out", "--source", "n.att", out="the same label after every word")
    t.write("other.att", "0 1 a\n0 0 a\n0 0 b\n1\n1 1 b\n")
    said = "DIFFERENT after a b: accept and reject"
    t.tool("check", "out", "--source", "other.att", rc=1, out=said)
    t.tool("n.att", "--sink", "-o", "states", err="warning: ")
    t.tool("check", "states", "--source", "n.att", out=r"\(label: states; a state")


def test_permutations(t):
    """The word has the source's letters, whatever their order is in automaton.fsa."""
    points, a, b = "points 3\ntrack points 1\n", "permute a (1 2)\n", "permute b (1 3 2)\n"
    t.write("g.fsa", points + a + b)
    t.tool("g.fsa", "-o", "out")
    t.write("same.fsa", points + b + a)
    t.tool("check", "out", "--source", "same.fsa", out="the same label after every word")
    t.write("other.fsa", points + "permute b (1 2 3)\n" + a)
    t.tool("check", "out", "--source", "other.fsa", rc=1, out="DIFFERENT after b: 2 and 3\n")


def test_another_file(t):
    """A file with another hash is another one, whatever its automaton is."""
    t.write("abs.att", ABS)
    t.tool("abs.att", "--label", "accept", "-o", "out", err="warning: ")
    t.write("same.att", ABS + "\n")
    out = t.tool("check", "out", "--source", "same.att", rc=1)
    assert "same.att, AT&T: another file: its sha256 is " in out and ": the same label" in out, out
    seen = json.loads(t.tool("check", "out", "--source", "same.att", "--json", rc=1))["source_file"]
    assert seen["sha256"] == sha256(ABS + "\n") and seen["named_source"] == sha256(ABS), seen
    assert seen["equivalent"] and seen["difference"] is None and seen["syntax"] == "AT&T", seen
    t.write("other.att", ABS + "1\n")
    text = t.tool("check", "out", "--source", "other.att", "--json", rc=1)
    seen = json.loads(text)["source_file"]
    assert seen["difference"] == {"word": ["a"], "label_pair": ["accept", "reject"]}, seen
    assert "source_file" not in json.loads(t.tool("check", "out", "--json"))


def test_changed_outputs(t):
    """The source is not read where the checker refuses; a changed automaton is refused first."""
    t.write("abs.att", ABS)
    t.tool("abs.att", "--label", "accept", "-o", "out", err="warning: ")
    fsa = t.read("out/automaton.fsa").decode()
    t.write("out/automaton.fsa", fsa.replace(sha256(ABS), "0" * 64))
    out = t.tool("check", "out", "--source", "abs.att", rc=1, err="error: ")
    assert out == "s NOT VERIFIED\n", out


def test_usage(t):
    t.write("abs.att", ABS)
    t.tool("abs.att", "--label", "accept", "-o", "out", err="warning: ")
    t.tool("check", "out", "--numeric", rc=64, err="--numeric says how --source is read")
    t.tool("check", "out", "--source", "abs.att", "--sink", rc=64, err="--sink is refused")
    t.tool("check", "out", "--source", "abs.att", "--label", "accept", rc=64, err="a network says")
    t.tool("check", "out", "--source", "abs.att", "--regex", "a", rc=64, err="takes the place")
    t.tool("check", "out", "--source", "absent", rc=74, err="absent")


def test_numeric_options_are_given_again(t):
    text = "0 1 1\n1 0 2\n0\n"
    t.write("n.att", text)
    t.tool("n.att", "--numeric", "--label", "accept", "-o", "out", err="warning: ")
    t.tool("check", "out", "--source", "n.att", "--numeric", out="the same label after every word")


def test_certify(t):
    """A network with label accept: the automaton may lack transitions."""
    t.write("abs.att", ABS)
    t.tool("abs.att", "--label", "accept", "-o", "out", err="warning: ")
    t.tool("certify", "abs.att", "out", "-o", "again", err="which reject in AT&T")
    assert t.read("again/automaton.fsa") == t.read("out/automaton.fsa")
    t.tool("check", "again", "--source", "abs.att", out="the same label after every word")


def test_operations(t):
    """convert keeps what a file names, determinise names it, and other automata do not."""
    t.write("abs.att", ABS)
    line = f"fsa added sink source {sha256(ABS)}\n"
    text = t.tool("fsa", "determinise", "abs.att")
    assert line in text
    t.write("d.fsa", text)
    assert t.tool("fsa", "convert", "d.fsa") == text
    assert t.tool("fsa", "determinise", "d.fsa") == text
    for operation in ("minimise", "complement", "reverse"):
        assert "added" not in t.tool("fsa", operation, "abs.att"), operation
    for operation in ("union", "intersection"):
        assert "added" not in t.tool("fsa", operation, "d.fsa", "d.fsa"), operation
    t.write("bad.fsa", text.replace("accept 0", "accept 0 sink"))
    said = "bad.fsa:5:1: error: the added state `sink` is accepting"
    t.tool("fsa", "convert", "bad.fsa", rc=65, err=said)


def test_run_prints_both_labels_alike(t):
    t.write("abs.att", ABS)
    t.tool("abs.att", "--label", "accept", "-o", "out", err="warning: ")
    assert t.tool("run", "out", stdin="a b\n") == "reject accept\n"
    assert b'symbol "accept"\n' in t.read("out/network.lrnn")
