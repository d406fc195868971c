"""Files as people bring them: what a reader takes in one of several ways is refused or said, and
--read-as decides.

A row of FILES is (name, text, options, right). `right` is the regular expression of the language,
its alphabet, and perhaps a pattern of the warnings; or the pattern of the error with which the
file is refused.
"""

import io
import json
import random
import struct
import zipfile

JFF = (
    "<structure><type>fa</type><automaton>\n"
    '<state id="0" name="q0"><initial/></state>\n'
    '<state id="1" name="q1"><final/></state>\n%s\n</automaton></structure>\n'
)
HOA = 'HOA: v1\nStart: 0\nAP: 1 "a"\n%s\n--BODY--\n%s\n--END--\n'
JSON = (
    '{"states": ["p", "q"], "input_symbols": %s, "transitions": %s,'
    ' "initial_state": "p", "final_states": ["q"]}'
)


def jff(*edges):
    """Returns a JFLAP file with edges (from, label, to)."""
    row = "<transition><from>%d</from><to>%d</to><read>%s</read></transition>"
    return JFF % "\n".join(row % (p, q, label) for p, label, q in edges)


def nfa(letters, **rows):
    return JSON % (json.dumps(letters), json.dumps({**{"p": {}, "q": {}}, **rows}))


def said(how):
    return ("--read-as", how)


DEEP = "Fin(0) & (" * 150 + "t" + ")" * 150
SAFE = "(" * 150 + "t" + ")" * 150
LAMBDA = jff((0, "λ", 1), (1, "a", 1))
K2 = "0 1 3 0\n1 1 4 0\n1 2 -1 0\n2\n"
PYFOMA = "0\t1\ta\n1\t0\t\n0\t2\tb\n2\n"
FILES = [
    # AT&T: an empty column, infinite weights, numbers, names of the empty word, blanks.
    ("e.att", PYFOMA, (), r"e.att:2:5: error: an empty label"),
    ("e.att", PYFOMA, said("epsilon="), ("a*b", "ab")),
    ("e.att", "0\t1\ta\ta\t0\n1\t0\t\t\t0\n0\t2\tb\tb\n2\t0\n", (), ("a*b", "ab")),
    ("e.att", "0\t1\t\ta\n1\n", (), r":1:6: error: `a` is an output that differs"),
    ("e.att", "0\t1\ta\t\t0\n1\n", (), r":1:7: error: .*transducers are refused"),
    ("i.att", "0 Infinity\n0 1 a\n1 0 b\n1\n", (), ("a(ba)*", "ab")),
    ("i.att", "0 1 a\n0 inf\n1 0 b 0.0\n1 1 c +inf\n1 0.0\n", (), ("a(ba)*", "abc", "left out")),
    ("i.att", "0 1 a\n1 -inf\n", (), r":2:3: error: `-inf` is a weight other than 0"),
    ("k.att", K2, ("--numeric",), r":3:5: error: `-1` is no letter"),
    ("k.att", K2, ("--numeric", *said("epsilon=-1")), ("34*", "34")),
    ("z.att", "0 1 1\n1 1 0\n1\n", ("--numeric",), ("10*", "01", "OpenFst's empty word")),
    ("z.att", "0 1 1\n1 0 0\n1\n", ("--numeric", *said("epsilon=0")), ("11*", "1")),
    ("n.att", "0\t0\ta\n0\t1\t@0@\n1\t0\t<eps>\n1\n", (), ("a*", "a")),
    ("n.att", "0\t1\teps\n1\t1\ta\n1\n", (), r":1:5: error: `eps` may be a letter"),
    ("n.att", "0\t1\tε\n1\t1\ta\n1\n", said("epsilon=ε"), ("a*", "a")),
    ("b.att", "0\t1\t \n1\n", (), ("[ ]", " ")),
    ("b.att", "0\t1\ta \n1\n", (), r":1:5: error: `a ` has a blank at an end"),
    ("b.att", "0\t1 \ta\n1\n", (), r":1:3: error: `1 ` has a blank at an end"),
    ("s.att", "0\t1\t[a-c]\n1\n", said("labels=sets"), ("[abc]", "abc", "several letters")),
    ("c.att", "# a comment\n0 1 a\n1\n", (), r":1:1: error: `#` is no state; AT&T text has no"),
    ("s.att", "0\t1\t-2\n1\n", (), r":1:5: error: `-2` is a mark of a program"),
    # JFLAP: ranges, blanks, words.
    ("r.jff", jff((0, "[0-9]", 1), (1, "[0-9]", 1)), (), ("[0-9][0-9]*", "0123456789", "several")),
    ("r.jff", jff((0, "[a-c]", 1), (1, "b", 0)), (), ("[abc](b[abc])*", "abc", "several")),
    ("r.jff", jff((0, "[abc]", 1)), (), r"r.jff:4: error: <read>: JFLAP reads \["),
    ("r.jff", jff((0, "a[0-9]", 1)), (), r"error: <read>: JFLAP reads \["),
    ("r.jff", jff((0, "[abx-z]", 1)), said("labels=sets"), ("[abxyz]", "abxyz", "several")),
    ("r.jff", jff((0, "[", 1), (1, "]", 0)), (), (r"\[(\]\[)*", "[]")),
    ("w.jff", jff((0, " ", 1), (1, "a", 1)), (), ("[ ]a*", " a")),
    ("w.jff", jff((0, "a b", 1)), (), ("a b", "ab ", "word of several")),
    ("w.jff", jff((0, "a ", 1)), (), r"error: <read>: a blank at an end"),
    ("w.jff", jff((0, "\n  a\n", 1), (1, "", 0)), (), ("aa*", "a", "left out")),
    ("w.jff", jff((0, "a,b", 1)), (), ("a,b", "ab,", "word of several letters")),
    ("w.jff", jff((0, "a,b", 1)), said("labels=sets"), ("a|b", "ab", "several letters")),
    ("w.jff", jff((0, "0-9", 1)), (), ("0-9", "09-", "word of several letters")),
    ("w.jff", jff((0, "!", 1), (1, "~", 1)), (), ("!~*", "!~")),
    ("l.jff", LAMBDA, (), r"`λ` may be a letter or the empty word"),
    ("l.jff", LAMBDA, said("epsilon=λ"), ("a*", "a")),
    ("l.jff", jff((0, "λ", 1), (1, "", 1)), said("epsilon="), ("λ", "λ")),
    # JSON of automata-lib: the empty text is the empty word.
    ("a.json", nfa(["a"], p={"": ["q"]}, q={"a": ["q"]}), (), ("a*", "a")),
    # HOA: a word after which no infinite run is left is rejected; reasons are true.
    ("d.hoa", HOA % ("Acceptance: 0 t", "State: 0\n[!0] 0\n[0] 1\nState: 1"), (), "tokens (!a)*"),
    (
        "p.hoa",
        HOA % ("acc-name: parity max odd 9\nAcceptance: 9 " + DEEP, "State: 0"),
        (),
        r"p.hoa:5:15: error: parity acceptance speaks of infinite words only",
    ),
    ("p.hoa", HOA % ("Acceptance: 0 f", "State: 0"), (), "acceptance f: no word is accepted"),
    ("p.hoa", HOA % ("Acceptance: 1 Fin(0)", "State: 0"), (), "this acceptance speaks of infinite"),
    ("t.hoa", HOA % ("Acceptance: 0 " + SAFE, "State: 0\n[t] 0"), (), "tokens (a|!a)*"),
    # .fsa: its own rule is in fsa(5), and what could be meant otherwise is said.
    ("x.fsa", "start p\naccept q\np epsilon q\n", (), ("tokens", "epsilon", "`eps` is the empty")),
    ("x.fsa", "start p\naccept q\np a,b q\n", (), ("tokens", "a,b", "after a line `letters`")),
    ("x.fsa", 'start p\naccept q\np "a,b" q\n', (), ("tokens", "a,b")),
    ("x.fsa", "letters a b\nstart p\naccept q\np a,b q\n", (), ("a|b", "ab", "several letters")),
    ("x.fsa", "start p\naccept q\np a q\n", said("labels=letters"), "says nothing about .fsa"),
]


def equivalent(t, name, options, right):
    """Checks the language of a file. After "tokens" letters are names."""
    kind, alphabet = right[0], right[1]
    if kind == "tokens":
        other = ["--regex", alphabet, "--tokens", "--alphabet", alphabet]
    else:
        other = ["--regex", kind, "--alphabet", alphabet]
    warning = right[2] if len(right) > 2 else None
    t.tool("fsa", "equivalent", name, *options, *other, out="are equivalent", err=warning)
    if warning is None:
        assert "was read" not in t.errors, t.errors


def test_files(t):
    for name, text, options, right in FILES:
        t.write(name, text)
        if isinstance(right, tuple):
            equivalent(t, name, options, right)
        elif right.startswith("tokens "):
            other = ["--regex", right[7:], "--tokens", "--alphabet", "!a a"]
            t.tool("fsa", "equivalent", name, *other, out="are equivalent")
        else:
            t.tool("fsa", "convert", name, *options, rc=(65, 69), err=right)


MEALY_JFF = JFF.replace("fa<", "mealy<").replace("<final/>", "") % "\n".join(
    f"<transition><from>{p}</from><to>{q}</to><read>{a}</read><transout>{x}</transout></transition>"
    for p, a, q, x in ((0, "a", 1, "x"), (0, "b", 0, ""), (1, "[a-b]", 0, "y"))
)
MEALY = {("q0", "a"): "x", ("q0", "b"): '""', ("q1", "a"): "y", ("q1", "b"): "y"}


def edge_outputs(text):
    lines = [line.split() for line in text.splitlines()]
    return {(line[0], line[1]): line[3] for line in lines if len(line) == 4 and line[0] in "q0q1"}


def test_mealy_machines(t):
    """Machines of JFLAP, and AT&T's transducers on demand, have outputs of transitions."""
    t.write("m.jff", MEALY_JFF)
    assert edge_outputs(t.tool("fsa", "convert", "m.jff")) == MEALY
    t.write("m.att", "q0\tq1\ta\tx\nq0\tq0\tb\t@0@\nq1\tq0\ta\ty\nq1\tq0\tb\ty\t0\n")
    t.tool("fsa", "convert", "m.att", rc=65, err="transducers are refused; --read-as labels=pairs")
    assert edge_outputs(t.tool("fsa", "convert", "m.att", *said("labels=pairs"))) == MEALY
    t.tool("m.jff", "--label", "edges")
    t.check("m.lrnn")
    t.write("m.jff", MEALY_JFF.replace(">b<", "><"))
    t.tool("fsa", "convert", "m.jff", rc=65, err="reads no letter")
    t.write("m.att", "0\t1\t@0@\tx\n")
    t.tool("fsa", "convert", "m.att", *said("labels=pairs"), rc=65, err="`@0@` is the empty word")
    t.write("m.att", "0\t1\ta\n")
    t.tool("fsa", "convert", "m.att", *said("labels=pairs"), rc=65, err=":1:5: .*expected an out")


def test_dead_ends_are_said(t):
    t.write("d.hoa", HOA % ("Acceptance: 0 t", "State: 0\n[!0] 0\n[0] 1\nState: 1"))
    where = r"d.hoa:9:8: warning: `1` is a state without an infinite run"
    t.tool("fsa", "info", "d.hoa", err=where)
    t.tool("fsa", "info", "d.hoa", "--finite-words", out="2 states")
    assert "infinite run" not in t.errors


def test_regex(t):
    same = (("(?:ab)*", "(ab)*"), ("a*?b", "a*b"), ("[\\\\]a", "\\\\a"), ("a??", "a?"))
    for regex, other in same:
        t.write("r.rules", f"rules\nx = {regex}\n")
        t.tool("fsa", "equivalent", "r.rules", "--regex", other, out="are equivalent")
    for regex, error in (
        (r"[\d]", "in brackets is a letter of POSIX"),
        (r"[\]]", "in brackets is a letter of POSIX"),
        ("a+?", "lazy or possessive"),
        ("a{2,3}?", "lazy or possessive"),
        ("a?+", "lazy or possessive"),
        ("a*+a", "lazy or possessive"),
        ("a++", "lazy or possessive"),
        ("(?=a)b", "look around"),
        ("(?<!a)b", "look around"),
        ("(?P<n>a)", "names of groups and flags"),
        ("(?i)a", "names of groups and flags"),
        ("a|ε", r"regex:1:3: error: .*\(\) is the empty word"),
    ):
        t.tool("fsa", "convert", "--regex", regex, rc=65, err=error)
    t.tool("fsa", "convert", "--regex", "a|ε", "--alphabet", "aε", out="letters a ε")
    t.tool("fsa", "convert", "--regex", "a|[ε]", out="letters a ε")
    names = ("fsa", "convert", "--tokens", "--regex")
    t.tool(*names, "a | eps", rc=65, err=r"regex:1:5: error: .*\[eps\] the letter")
    t.tool(*names, "a | [eps]", out='letters a "eps"')


def test_settings(t):
    """Wrong settings are refused before a file is read, and --strict refuses what would be a
    warning; --quiet leaves warnings out and no error."""
    t.write("w.jff", jff((0, "a,b", 1), (1, "c,d", 0)))
    for wrong, column in (
        ("", 1),
        ("letters", 1),
        ("labels=", 8),
        ("labels=set", 8),
        ("labels=default", 8),
        ("labels=sets,", 13),
        ("labels=sets,labels=letters", 13),
        ("epsilon=a,b", 11),
    ):
        t.tool("w.jff", "--read-as", wrong, rc=64, err=f"--read-as, column {column}: expected")
    t.tool("--regex", "a", *said("labels=sets"), rc=64, err="belongs to files, not to --regex")
    t.tool("fsa", "convert", "w.jff", err=r"w.jff:4: warning: `a,b` .*\(the first of 2\)")
    t.tool("fsa", "convert", "w.jff", "--quiet", err="^$")
    strict = "w.jff:4: error: `a,b` was read as a word of several letters.*--strict"
    t.tool("fsa", "convert", "w.jff", "--strict", rc=65, err=strict)
    t.tool("fsa", "convert", "w.jff", "--strict", "--quiet", rc=65, err=strict)
    t.tool("fsa", "convert", "w.jff", "--strict", "--read-as", "labels=letters", err="^$")
    for text, setting in (
        ("[ Transformation( [ 2, 1 ] ) ]\n", "labels=letters"),
        ("[ Transformation( [ 2, 1 ] ) ]\n", "epsilon="),
        (HOA % ("Acceptance: 0 t", "State: 0\n[t] 0"), "labels=sets"),
        (HOA % ("Acceptance: 0 t", "State: 0\n[t] 0"), "epsilon=a"),
        ("rules\nx = a\n", "labels=letters"),
        ("0 1 a\n1\n", "labels=guards"),
    ):
        t.write("any.txt", text)
        t.tool("fsa", "convert", "any.txt", "--read-as", setting, rc=69, err="says nothing about")
    t.write("plain.fsa", "start p\naccept p\np a p\n")
    for option in ("--numeric", "--finite-words"):
        t.tool("fsa", "info", "plain.fsa", option, err=f"plain.fsa: warning: .*{option} sa")
        t.tool("fsa", "info", "plain.fsa", option, "--strict", rc=65, err="says? nothing about")
    t.write("hole.fsa", "start p\naccept p\np a q\nq b p\n")
    t.tool("hole.fsa", "--sink", "--strict", "--quiet")
    t.write("gap.att", "0\t1\ta\n1\t0\tb\n0\n")
    t.tool("gap.att", "--label", "accept", "--strict", rc=65, err="a sink state .*--strict")
    t.write("even.fsa", "start p\naccept p\np a q\nq a p\n")
    t.tool("even.fsa", "--strict", "--label", "accept")


def test_summary_says_what_was_read(t):
    t.write("r.jff", jff((0, "[0-3]", 1), (1, "", 0)))
    text = t.tool("r.jff", "--label", "accept")
    read = "read           as JFLAP; 1 label for several letters; 1 transition for the empty word"
    assert read in text, text
    assert "shortest       accepted: 0; rejected: the empty word\n" in text
    facts = t.report("r.lrnn")["automaton"]
    assert (facts["letter_sets"], facts["empty_transitions"]) == (1, 1), facts
    assert (facts["accepted_word"], facts["rejected_word"]) == (["0"], []), facts
    info = t.tool("fsa", "info", "r.jff")
    assert "labels         1 for several letters\n" in info, info
    assert "shortest       accepted: 0;" in info, info
    facts = json.loads(t.tool("fsa", "info", "--regex", "a*", "--json"))["automaton"]
    assert facts["accepted_word"] == [] and facts["rejected_word"] is None, facts
    t.new("p.fsa", "parity")
    assert "shortest" not in t.tool("p.fsa")


def npy(kind, shape, numbers):
    """Returns a .npy file: kind is f4, i8, u1 or b1."""
    code = {"f4": "f", "i8": "q", "u1": "B", "b1": "?"}[kind]
    order = "|" if kind[1] == "1" else "<"
    head = f"{{'descr': '{order}{kind}', 'fortran_order': False, 'shape': {shape}, }}"
    head += " " * (-(len(head) + 11) % 64) + "\n"
    data = struct.pack(f"<{len(numbers)}{code}", *numbers)
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode() + data


def npz(kind, words, labels):
    """Returns an archive with one-hot words, and the one-hot label after each."""
    letters = [int(x == a) for w in words for a in w for x in range(3)]
    answers = [int(x == y) for y in labels for x in range(3)]
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_STORED) as z:
        z.writestr("input.npy", npy(kind, (len(words), len(words[0]), 3), letters))
        z.writestr("output.npy", npy(kind, (len(labels), 3), answers))
    return out.getvalue()


def test_one_hot_words(t):
    draw = random.Random(1)
    words = [[draw.randrange(3) for _ in range(6)] for _ in range(40)]
    sums = [sum(w) % 3 for w in words]
    t.write(
        "z3.fsa",
        "start 0\n" + "".join(f"{s} {a} {(s + a) % 3}\n" for s in range(3) for a in range(3)),
    )
    t.tool("z3.fsa", "--quiet")
    right = "exact: 240 labels right, 0 wrong"
    for kind in ("f4", "i8", "u1", "b1"):
        t.write("z.npz", npz(kind, words, sums))
        t.tool("run", "z3.lrnn", "--data", "npz:z.npz", out=right)
        t.write("few.npz", npz(kind, words[:3], sums[:3]))
        few = ("run", "z3.lrnn", "--data")
        if kind == "f4":
            t.tool(*few, "npz:few.npz", out="18 labels right, 0 wrong")
            continue
        t.tool(*few, "npz:few.npz", rc=65, err="output .3..3. may be one-hot labels .*npz-answers:")
        t.tool(*few, "npz-labels:few.npz", out="18 labels right, 0 wrong")
        t.tool(*few, "npz-answers:few.npz", rc=(65, 69), err="'3' is none of the 3 letters")
