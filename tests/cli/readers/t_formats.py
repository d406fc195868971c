"""The syntaxes of other programs that have a line for each transition, JSON, charts and GAP's
sessions, by the commands; and files of formats that are not read."""

import itertools
from random import Random

NOT_B = "(a(a|b)*)?"

# The words over a and b that do not begin with b.
FILES = {
    "x.mata": "@NFA-explicit\n%Alphabet-auto\n%Initial s\n%Final s t\ns a t\nt a t\nt b t\n",
    "x.ba": "s\na,s->t\na,t->t\nb,t->t\n",
    "formal.json": '{"states":["s","t"],"alphabet":["a","b"],"transitions":{"s":{"a":"t"},'
    '"t":{"a":"t","b":"t"}},"start_state":"s","accept_states":["s","t"]}',
    "simple.json": '{"alphabet":["a","b"],'
    '"states":["s","t"],"initial_state":"s","accepting_states":'
    '["s","t"],"transitions":[["s","a","t"],["t","a","t"],["t","b","t"]]}',
    "keys.json": '{"Q":["s","t"],"sigma":["a","b"],"delta":{"s,a":"t","t,a":"t","t,b":"t"},'
    '"q0":"s","F":["s","t"]}',
}


def test_one_language_in_each_syntax(t):
    for name, text in FILES.items():
        t.write(name, text)
        t.tool("fsa", "equivalent", name, "--regex", NOT_B, "--alphabet", "ab", "--sink")
        out = name.rsplit(".", 1)[0] + ".lrnn"
        t.tool(name, "--sink", "--label", "accept", "--out", out, "--force", "--quiet")
        t.check(out)


def test_warnings_are_errors_where_asked(t):
    t.write("tau.aut", 'des (0, 2, 1)\n(0, "tau", 0)\n(0, "a", 0)\n')
    t.tool("fsa", "info", "tau.aut", err=r"tau.aut:2:5: warning: `tau` was taken for a letter")
    t.tool("fsa", "info", "tau.aut", "--strict", rc=65, err="tau.aut:2:5: error")
    said = t.tool("fsa", "info", "tau.aut", "--strict", "--read-as", "epsilon=tau")
    assert "letters        a\n" in said, said
    t.write("greek.aut", 'des (0, 1, 2)\n(0, "\u03c4", 1)\n')
    t.tool("fsa", "info", "greek.aut", err="epsilon=\u03c4: the empty word")
    t.tool("fsa", "info", "tau.aut", "--read-as", "labels=sets", rc=69, err="says nothing about")
    t.write(
        "chart.scxml",
        '<scxml><state id="a"><transition event="e" target="b"/></state><final id="b"/></scxml>',
    )
    t.tool("chart.scxml", "--label", "accept", "--quiet")
    t.tool("fsa", "info", "chart.scxml", "--strict", rc=65, err="is final")


def test_a_machine_of_circuits_runs(t):
    """The network of a .kiss2 file answers as its rows say, whichever input is matched."""
    rows = ["1-0 s0 s1 10", "0-0 s0 s0 00", "--1 s0 s2 01", "-11 s1 s0 11", "-01 s1 s1 10"]
    rows += ["--0 s1 s2 00", "0-- s2 s0 01", "11- s2 s1 11", "10- s2 s2 10"]
    t.write("m.kiss2", ".i 3\n.o 2\n.p 9\n.s 3\n.r s0\n" + "\n".join(rows) + "\n.e\n")
    t.tool("m.kiss2", "--label", "edges", "--quiet")
    t.check("m.lrnn")
    letters = t.read("m.lrnn/automaton.fsa").decode().splitlines()[1].split()[1:]

    def matches(cube, bits):
        return all(c in ("-", b) for c, b in zip(cube, bits))

    rng, word, want, state = Random(1), [], [], "s0"
    for bits in itertools.product("01", repeat=3):
        assert sum(matches(letter, bits) for letter in letters) == 1, bits
    for _ in range(60):
        bits = "".join(rng.choice("01") for _ in range(3))
        word.append(next(x for x in letters if matches(x, bits)))
        row = next(r.split() for r in rows if matches(r.split()[0], bits) and r.split()[1] == state)
        state = row[2]
        want.append(row[3])
    said = t.tool("run", "m.lrnn", stdin=" ".join(word) + "\n").split()
    assert said == want, (said, want)


def test_sessions_of_gap(t):
    t.write(
        "s.g",
        "gap> S := Semigroup( [ Transformation( [ 2, 1, 3 ] ),\n"
        ">  Transformation( [ 1, 3, 3 ] ) ] );;\ngap> Size(S);\n39\n",
    )
    t.write("plain.g", "[ Transformation([2,1,3]), Transformation([1,3,3]) ]\n")
    assert t.tool("fsa", "convert", "s.g", "--strict") == t.tool("fsa", "convert", "plain.g")


def test_formats_that_are_not_read_are_named(t):
    for name, text in {
        "Grail": "(START) |- 0\n0 a 1\n1 b 0\n1 -| (FINAL)\n",
        "FAdo": "@DFA 1 * 0\n0 a 1\n1 b 0\n",
        "Abbadingo": "4 2\n1 3 0 1 0\n0 2 1 1\n",
        "GOAL": '<?xml version="1.0"?>\n<Structure label-on="Transition"/>',
        "libfsm": 'start: 0;\n0 -> 1 "a";\nend: 1;\n',
        "Mermaid": "graph TD\n  p --> q\n",
    }.items():
        t.write("x", text)
        t.tool("./x", rc=65, err=f"this looks like .*{name}.*, which is not read: ")
        assert not (t.folder / "x.lrnn").exists(), name


def test_reasons_are_true(t):
    t.write("x.kiss2", ".i 1\n.o 2\n0 a b 0-\n1 b a 11\n.e\n")
    t.tool("fsa", "info", "x.kiss2", rc=65, err="x.kiss2:3:7: error: `0-` leaves an output open")
    t.write("x.mata", "@NFA-explicit\n%Alphabet-auto\n%Initial q\n%Final true\nq a q\n")
    t.tool("fsa", "info", "x.mata", rc=65, err="x.mata:4:8: error: `true`")
    t.write("x.g", "G := Group((1,2,3));\nH := Group((1,2));\n")
    t.tool("fsa", "info", "x.g", err="`Group` is a second group or semigroup")
