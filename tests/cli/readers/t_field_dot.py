"""Graphviz files as people bring them, each with what the person who has it means.

A row of LANGUAGES is (name, text, regular expression, alphabet, pattern of the warnings or ""); a
row of MACHINES is (name, text, lines of `fsa convert`, pattern of the warnings or ""); a row of
REFUSED is (name, text, place and pattern of the message).
"""

import re

DOT = "digraph { i [shape=point]; i -> p; %s q [shape=doublecircle]; }"
LEARNLIB = 'digraph g { %s\n__start0 [label="" shape="none"]; __start0 -> s0;\n}\n'
MANY = "was read as several letters"
NONE = "was read as the empty word"


def dot(*edges):
    """Returns a graph with edges "p LABEL q", which starts at p and accepts at q."""
    row = '%s -> %s [label="%s"];'
    return DOT % " ".join(row % (e[0], e[-1], e[2:-2]) for e in edges)


LANGUAGES = [
    ("eps", dot("p eps q", "q a p"), "a*", "a", NONE),
    ("epsilon", dot("p epsilon q", "q a p"), "a*", "a", NONE),
    ("pointed", dot("p <eps> q", "q a p"), "a*", "a", NONE),
    ("foma", dot("p @0@ q", "q a p"), "a*", "a", NONE),
    ("greek", dot("p λ q", "q a p"), "a*", "a", NONE),
    ("entity", dot("p &epsilon; q", "q a p"), "a*", "a", NONE),
    ("range", dot("p a-c q", "q 0-9 p"), "[a-c]([0-9][a-c])*", "abc0123456789", MANY),
    ("lines", dot(r"p a\nb q", r"q a\nb p"), "[ab]([ab][ab])*", "ab", MANY),
    ("commas", dot("p 0 q", "p 1,2 p", "q 0,1,2 q"), "[12]*0[012]*", "012", MANY),
    ("course", dot("p 0, 1 p", "p 1 q"), "[01]*1", "01", MANY),
    ("bars", dot("p a|b q", "q a | b p"), "[ab]([ab][ab])*", "ab", MANY),
    ("brackets", dot("p [a-c] q", "q d p"), "[a-c](d[a-c])*", "abcd", MANY),
    (
        "invisible",
        'digraph { fake [style=invisible]; s0 [root=true, shape=doublecircle]; fake -> s0; s0 -> s1'
        ' [label="x"]; s1 -> s0 [label="x"]; }',
        "(xx)*",
        "x",
        "",
    ),
    (
        "fstdraw",
        'digraph FST {\n0 [label = "0", shape = circle, style = bold, fontsize = 14]\n'
        '\t0 -> 1 [label = "a", fontsize = 14];\n1 [label = "1", shape = doublecircle, style = '
        'solid]\n\t1 -> 0 [label = "b", fontsize = 14];\n}\n',
        "a(ba)*",
        "ab",
        "",
    ),
    (
        "cluster",
        'digraph g {\nsubgraph cluster_0 { label="phase"; s0; s1; }\ns1 [shape=doublecircle];\n'
        's0 -> s1 -> s0 [label="a"];\n{rank=same; s0; s1}\ni [shape=point]; i -> s0;\n}\n',
        "a(aa)*",
        "a",
        "",
    ),
    (
        "ports",
        'digraph { start -> p; p:n -> p:e:s [label="a"]; p -> q, r [label="b"]; q:s -> p [label='
        '"b"]; q -> q [label="a"]; q [shape=doublecircle]; }',
        "a*b(a|ba*b)*",
        "ab",
        "",
    ),
    (
        "libfsm",
        "digraph G {\n\tnode [ shape = circle ];\n\troot = start;\n\tstart [ shape = none, label = "
        '"" ];\n\tstart -> S0;\n\tS1 [ shape = doublecircle, label = <1> ];\n\tS0 -> S1 [ label = '
        "<a> ];\n\tS1 -> S0 [ label = <[a-c]> ];\n}\n",
        "a([abc]a)*",
        "abc",
        MANY,
    ),
    (
        "defaults",
        "digraph { node [shape=none]; start; node [shape=doublecircle]; q; node [shape=circle];\n"
        "start -> p; edge [label=a]; p -> q; q -> p; }",
        "a(aa)*",
        "a",
        "",
    ),
    (
        "chain",
        "digraph { start [shape=none]; start -> p -> q [label=x]; q -> p [label=x]; "
        "q [shape=doublecircle]; }",
        "x(xx)*",
        "x",
        "warning: `x` is at an arrow to the start",
    ),
    (
        "default label",
        "digraph { i [shape=point]; q [shape=doublecircle]; edge [label=x]; i -> p; p -> q -> p; }",
        "x(xx)*",
        "x",
        "warning: `x` is at an arrow to the start",
    ),
]

TWO = "letters !a&!b a&!b !a&b a&b\n"
MACHINES = [
    ("colon", dot("p connect:80 q", "q close:80 p"), "letters connect:80 close:80\n", ""),
    (
        "slash",
        LEARNLIB % 's0 -> s1 [label="get/text/html"]; s1 -> s0 [label="get/text/plain"];',
        "s0 get s1 text/html\ns1 get s0 text/plain\n",
        "`get/text/html` was split into input and output at its first slash (the first of 2)",
    ),
    ("empty", LEARNLIB % 's0 -> s0 [label="put/"]; s0 -> s0 [label="b/x"];', 's0 put s0 ""\n', ""),
    (
        "moore",
        LEARNLIB % 's0 [label="0 / off"]; s1 [label="1 / on"]; s0 -> s1 [label=a]; s1 -> s0 '
        "[label=a];",
        "output s0 off\noutput s1 on\n",
        "",
    ),
    (
        "transducer",
        LEARNLIB % 's0 [label="0 / z"]; s0 -> s0 [label="a / x y"];',
        's0 a s0 "x y"\n',
        "beside the outputs of transitions",
    ),
    (
        "procedures",
        'digraph g { __start0 -> s0; __start1 -> s1; s0 -> s0 [label="a"]; s1 -> s1 [label="b"] }',
        "start s0 s1\n",
        "`s0` is one of several start states",
    ),
    (
        "spot",
        'digraph "" {\n  node [shape="circle"]\n  I [label="", style=invis, width=0]\n  I -> 0\n'
        '  0 -> 0 [label="!a"]\n  0 -> 1 [label="a"]\n  1 [label="1", peripheries=2]\n'
        '  1 -> 1 [label="1"]\n}\n',
        "letters !a a\nstates 0 1\nstart 0\naccept 1\n0 !a 0\n0 a 1\n1 !a 1\n1 a 1\n",
        "`!a` was read as a formula",
    ),
    (
        "ltlf",
        "digraph MONA_DFA {\n node [shape = doublecircle]; 2;\n node [shape = circle]; 1; 3;\n"
        ' init [shape = plaintext, label = ""];\n init -> 1;\n 1 -> 1 [label="~a"];\n'
        ' 1 -> 2 [label="a & b"];\n 1 -> 3 [label="a & ~b"];\n 2 -> 2 [label="true"];\n'
        ' 3 -> 3 [label="true"];\n}\n',
        TWO + "states 2 1 3\nstart 1\naccept 2\n2 !a&!b 2\n2 a&!b 2\n2 !a&b 2\n2 a&b 2\n"
        "1 !a&!b 1\n1 a&!b 3\n1 !a&b 1\n1 a&b 2\n3 !a&!b 3\n",
        "",
    ),
]

REFUSED = [
    ("modal", LEARNLIB % 's0 -> s0 [modality="MAY" label="a"];', r"1:23: error: a may-edge"),
    ("mdp", LEARNLIB % 's0 [label="x"]; s0 -> s0 [label="a : 1.0"];', r"1:32: .* stochastic"),
    ("smm", LEARNLIB % 's0 -> s0 [label="a/x:0.5"];', r"1:16: error: label .* stochastic"),
    ("chain", LEARNLIB % 's0 -> s0 [label="1.0"];', r"1:16: error: label .* stochastic"),
    ("counts", dot("p a: 12 q", "q b: 7 p"), r"1:38: error: label `a: 12` carries a number"),
    ("cubes", dot("p 01 q", "q 1- p"), r"1:.*: error: label `1-` is bits of which some"),
    ("dots", dot("p a,b,...,z q", "q 0 p"), r"1:.*: error: label `a,b,...,z` stands for letters"),
    ("half", dot("p a:0 q", "q <eps>:x p"), r"1:.*: error: label `<eps>:x` has the empty word"),
    ("class", dot("p [a-c] q", r"q \\d p"), r"1:.*: error: label .* stands for letters"),
    ("constant", dot("p a q", "p ~a p", "q T q"), r"1:.*: error: label `T` is a constant or"),
    ("nameless", "digraph { a -> b -> a }", r"1:13: error: no edge of the graph has a label"),
    ("startless", "digraph { a -> b [label=x]; b -> a [label=y] }", r"error: no start state; exp"),
    ("undirected", "graph { a -- b }", r"1:1: error: expected digraph; an undirected graph"),
    ("chain", "digraph { start -> p -> p [label=x] }", "1:11: .*`start` may be the start state"),
    ("shared", "digraph { edge [label=x]; init -> p; p -> p }", "1:27: .*write initial=1 at"),
    ("own", "digraph { i [shape=point]; i -> p [label=x]; p -> p [label=x] }", ".*no start state"),
    ("omega", 'digraph { label="[co-Büchi]"; i -> p; p -> p [label="a"] }', r".*infinite words"),
]


def test_languages(t):
    for name, text, regex, alphabet, said in LANGUAGES:
        t.write(f"{name}.dot", text)
        language = ("--regex", regex, "--alphabet", alphabet)
        t.tool("fsa", "equivalent", f"{name}.dot", *language, out="are equivalent")
        assert said in t.errors and bool(said) == ("warning: `" in t.errors), (name, t.errors)
        t.tool("fsa", "info", f"{name}.dot", "--strict", rc=65 if said else 0)


def test_machines(t):
    for name, text, lines, said in MACHINES:
        printed = t.tool("fsa", "convert", t.write(f"{name}.dot", text))
        assert lines in printed, (name, printed)
        assert said in t.errors and bool(said) == ("warning" in t.errors), (name, t.errors)


def test_refused(t):
    for name, text, message in REFUSED:
        file = t.write(f"{name}.dot", text)
        t.tool("fsa", "convert", file, rc=65, err=f"{file}:? ?{message}")


def test_labels_as_asked(t):
    t.write("x.dot", dot("p [ab] q", "q a&b p", "q eps p"))
    t.tool("fsa", "convert", "x.dot", "--read-as", "labels=letters,epsilon=", out=r"letters \[ab\]")
    t.tool("fsa", "convert", "x.dot", "--read-as", "labels=sets", out="letters a b a&b\n")
    t.write("x.dot", dot("p a q", "q b p"))
    t.tool("fsa", "convert", "x.dot", "--read-as", "labels=guards", out=TWO)


def test_written_and_read_back(t):
    """Names that the reader would ask about are written with the word that they are letters."""
    odd = 'start p\naccept q\np "a,b" q\nq "[a-c]" p\nq eps p\np "!a" q\np "\\\\d" q\n'
    t.write("odd.fsa", odd)
    t.tool("fsa", "convert", "odd.fsa", "-o", "odd.dot")
    t.tool("fsa", "equivalent", "odd.fsa", "odd.dot", "--strict", out="are equivalent")
    t.write("both.fsa", "start p\naccept q\np a q 0.5\nq a p x\n")
    t.tool("fsa", "convert", "both.fsa", "-o", "both.dot")
    assert t.tool("fsa", "convert", "both.dot") == t.tool("fsa", "convert", "both.fsa")


def test_letters_that_look_like_something_else(t):
    for label in ("a;b", "a+b", "a^b", "NULL", "tau", "x >= 1"):
        t.write("x.dot", dot(f"p {label} q", "q c p"))
        t.tool("fsa", "info", "x.dot", err=rf"`{re.escape(label)}` was read as (a|one) letter, not")
        t.tool("fsa", "info", "x.dot", "--strict", rc=65, err="was read as")
    for label in ("a,b", "a-z", "!a", "a&b", "a/0", "1-"):
        t.write("x.att", f"0\t1\t{label}\n1\n")
        t.tool("fsa", "info", "x.att", err=rf"x.att:1:5: warning: `{re.escape(label)}` was read as")
        t.tool("fsa", "info", "x.att", "--strict", "--read-as", "labels=letters")
    for true in ("tt", "⊤", "TRUE"):
        t.write("x.dot", dot("p a q", "p ~a p", f"q {true} q"))
        t.tool("fsa", "convert", "x.dot", out="letters !a a\n")
