"""Foreign syntaxes, from file to verified certificate, and the automata that `new` writes."""

import json
import re
import shutil
from itertools import product
from random import Random

from harness import parse_fsa

PARITY = {
    "openfst.txt": "0 1 a a\n0 0 b b\n1 0 a a\n1 1 b b\n1\n",
    "acceptor.txt": "0 1 a\n0 0 b\n1 0 a\n1 1 b\n1\n",
    "parity.jff": (
        """<?xml version="1.0" encoding="UTF-8" standalone="no"?>
<structure><type>fa</type><automaton>
<state id="0" name="q0"><x>1</x><y>1</y><initial/></state>
<state id="1" name="q1"><x>2</x><y>1</y><final/></state>
<transition><from>0</from><to>1</to><read>a</read></transition>
<transition><from>0</from><to>0</to><read>b</read></transition>
<transition><from>1</from><to>0</to><read>a</read></transition>
<transition><from>1</from><to>1</to><read>b</read></transition>
</automaton></structure>
"""
    ),
    "aalpy.dot": (
        """digraph learned_dfa {
s0 [label="s0"];
s1 [label="s1", shape=doublecircle];
s0 -> s1 [label="a"];
s0 -> s0 [label="b"];
s1 -> s0 [label="a"];
s1 -> s1 [label="b"];
__start0 [label="", shape=none];
__start0 -> s0 [label=""];
}
"""
    ),
    "mona.dot": (
        """digraph MONA_DFA {
 rankdir = LR;
 center = true;
 size = "7.5,10.5";
 edge [fontname = Courier];
 node [height = .5, width = .5];
 node [shape = doublecircle]; 1;
 node [shape = circle]; 0;
 init [shape = plaintext, label = ""];
 init -> 0;
 0 -> 1 [label="1"];
 0 -> 0 [label="0"];
 1 -> 0 [label="1"];
 1 -> 1 [label="0"];
}
"""
    ),
}


def accepts(t, out, word):
    """Returns the automaton's answer by its own file."""
    _, _, at, following, accepting = parse_fsa(t.read(f"{out}/automaton.fsa").decode())
    for letter in word:
        at = following[at][letter]
    return at in accepting


def test_foreign_files(t):
    for name, text in PARITY.items():
        t.write(name, text)
        t.tool(name, "--label", "accept")
        out = name.rsplit(".", 1)[0] + ".lrnn"
        t.check(out)
        one, other = ("1", "0") if name == "mona.dot" else ("a", "b")
        for word in ([], [one], [one, one], [one, other, one, one, other]):
            assert accepts(t, out, word) == (word.count(one) % 2 == 1), (name, word)
        t.tool("run", out, "--random", "20", out="0 wrong")


def test_sets_of_letters(t):
    t.write("digits.fsa", "start p\naccept q\np [0-9] q\nq [0-9] q\nq + p\np + p\n")
    t.tool(
        "digits.fsa",
        err=r"digits.fsa:\d+:\d+: warning: `\[0-9\]` was read as several letters .the first of 2",
    )
    t.check("digits.lrnn")
    assert (
        t.read("digits.lrnn/automaton.fsa").decode().splitlines()[1]
        == "letters 0 1 2 3 4 5 6 7 8 9 +"
    )
    t.tool("run", "digits.lrnn", stdin="12+3\n", out="q q p q")
    t.write("over.fsa", "start p\np [a-c] p\np b q\n")
    t.tool(
        "over.fsa", rc=65, err="over.fsa:2:3: error: sets of letters overlap: `b` leads state `p`"
    )


SAFETY = """HOA: v1
name: "G(a -> X b)"
States: 2
Start: 0
AP: 2 "a" "b"
acc-name: all
Acceptance: 0 t
properties: trans-labels explicit-labels state-acc deterministic
--BODY--
State: 0
[!0] 0
[0] 1
State: 1
[!0&1] 0
[0&1] 1
--END--
"""
FINITE = """HOA: v1
States: 3
Start: 2
Start: 0
AP: 2 "a" "b"
acc-name: Buchi
Acceptance: 1 Inf(0)
--BODY--
State: 0
0 0 1 0
State: 1 {0}
[f] 1
State: 2
[t] 2
[1] 1
--END--
"""


def words(letters, longest):
    return (w for n in range(longest + 1) for w in product(letters, repeat=n))


def test_hoa(t):
    """Accepted are the words that the property of a and b allows, each letter a pair of truths."""
    letters = {"!a&!b": (0, 0), "a&!b": (1, 0), "!a&b": (0, 1), "a&b": (1, 1)}
    t.write("safety.hoa", SAFETY)
    t.tool("safety.hoa", rc=69, err="--sink")
    t.tool("safety.hoa", "--sink", "--label", "accept")
    t.check("safety.lrnn")
    for word in words(letters, 4):
        good = all(letters[y][1] for x, y in zip(word, word[1:]) if letters[x][0])
        assert accepts(t, "safety.lrnn", word) == good, word
    t.write("finite.hoa", FINITE)
    t.tool("finite.hoa", rc=65, err="finite.hoa:7:15: error: Buchi .* --finite-words")
    t.tool("finite.hoa", "--finite-words", "--sink", "--label", "accept", err="deterministic")
    t.check("finite.lrnn")
    for word in words(letters, 4):
        # From state 0: !a&b comes once, at the end. From state 2: a letter with b comes last.
        one = word[-1:] == ("!a&b",) and "!a&b" not in word[:-1]
        two = len(word) > 0 and letters[word[-1]][1]
        assert accepts(t, "finite.lrnn", word) == (one or two), word
    t.tool(
        *("fsa", "union", "finite.hoa", "--finite-words", "-o", "u.fsa"),
        *("--regex", "!a&b .", "--tokens", "--alphabet", "!a&!b a&!b !a&b a&b"),
    )
    t.tool("fsa", "equivalent", "u.fsa", "finite.hoa", "--finite-words", rc=1, out="after !a&b")
    t.tool("finite.hoa", "--regex", "a", "--finite-words", rc=64)
    t.tool("--regex", "a", "--finite-words", rc=64, err="belongs to HOA files")


def test_att_numbers(t):
    t.write("numbers.txt", "0 1 1 1\n1 0 1 1\n0\n")
    t.tool("numbers.txt", rc=(65, 69), err=r"error: .*(--symbols|--numeric|symbol)")
    t.tool("numbers.txt", "--numeric")
    t.check("numbers.lrnn")
    t.write("symbols.txt", "<eps> 0\ntick 1\n")
    t.tool("numbers.txt", "--symbols", "symbols.txt", "--force")
    assert parse_fsa(t.read("numbers.lrnn/automaton.fsa").decode())[0] == ["tick"]
    t.write("transducer.txt", "0 1 a b\n1 0 a a\n0\n")
    t.tool("transducer.txt", rc=(65, 69), err="error: .*(transducer|output)")


def test_gap(t):
    t.write("s3.g", "[ Transformation( [ 2, 1, 3 ] ), Transformation( [ 2, 3, 1 ] ) ]\n")
    t.tool("s3.g")
    t.check("s3.lrnn")
    letters, states, *_ = parse_fsa(t.read("s3.lrnn/automaton.fsa").decode())
    assert len(letters) == 2, letters


def test_regex(t):
    t.tool("--regex", "(11)*", "--label", "accept", "--out", "even")
    t.check("even")
    for n in range(6):
        assert accepts(t, "even", "1" * n) == (n % 2 == 0), n
    t.tool("--regex", "(aa)*", "--alphabet", "ab", "--label", "accept", "--out", "sink", out="T4")
    for word, good in (
        ("", True),
        ("a", False),
        ("aa", True),
        ("aab", False),
        ("aabaa", False),
        ("aaaa", True),
    ):
        assert accepts(t, "sink", word) == good, word
    t.tool("--regex", "(11", rc=(65, 69), err="regex.*error: ")


def draw(random, letters, join, depth):
    """Returns a random expression in our syntax and in that of `re`, where a letter is one
    character."""
    kind = random.randrange(9) if depth else random.randrange(3)
    if kind < 2:
        letter = random.randrange(len(letters))
        return letters[letter], "abc"[letter]
    if kind == 2:
        some = random.sample(range(len(letters)), random.randint(1, 2))
        negated = "^" * random.randrange(2)
        ours = "[" + negated + join.join(letters[i] for i in some) + "]"
        return random.choice(
            [(ours, "[" + negated + "".join("abc"[i] for i in some) + "]"), (".", ".")]
        )
    parts = [draw(random, letters, join, depth - 1) for _ in range(1 + (kind < 7))]
    if kind < 7:
        mark = ("|", "|") if kind < 5 else (join, "")
        return tuple("(" + m.join(p[i] for p in parts) + ")" for i, m in enumerate(mark))
    mark = random.choice(["*", "+", "?", "{2}", "{1,3}", "{0}", "{2,}"])
    return tuple(f"({text}){mark}" for text in parts[0])


def outputs(text):
    return dict(line.split()[1:] for line in text.splitlines() if line.startswith("output "))


def test_lexers_agree_with_re(t):
    """Random rules over characters, and over names, against Python's matcher on all words of up to
    5 letters."""
    random = Random(3)
    for i in range(24):
        letters, join = (["open", "x", "re.d"], " ") if i % 2 else (["a", "b", "c"], "")
        spelled = [x.replace(".", "\\.") for x in letters]
        rules = [draw(random, spelled, join, 3) for _ in range(random.randint(1, 4))]
        names = [random.choice("pqrs") for _ in rules]
        lines = [f"{name} = {rule[0]}" for name, rule in zip(names, rules)]
        head = ["rules", *["tokens"] * (i % 2), "alphabet " + join.join(spelled)]
        t.write("l.rules", "\n".join(head + lines) + "\n")
        text = t.tool("fsa", "convert", "l.rules")
        read, _, start, following, accept = parse_fsa(text)
        assert read == letters
        output = outputs(text)
        for word in words(range(3), 5):
            at = start
            for letter in word:
                at = following[at][letters[letter]]
            text = "".join("abc"[letter] for letter in word)
            fits = [n for n, rule in zip(names, rules) if re.fullmatch(rule[1], text)]
            assert output[at] == (fits + ["none"])[0], (lines, word, output[at])
            assert (at in accept) == bool(fits), (lines, word)
        for line, name in zip(lines[:1], names):
            regex = ["--regex", line[4:], "--alphabet", join.join(letters)]
            regex += ["--tokens"] * (i % 2)
            t.write("one.rules", "\n".join([*head, line]) + "\n")
            t.tool("fsa", "equivalent", "one.rules", *regex, out="are equivalent")


def test_lexer(t):
    t.write("l.rules", "rules\nword = [ab]+\n")
    t.tool("l.rules", "--label", "outputs")
    t.check("l.lrnn")
    t.tool("run", "l.lrnn", stdin="a b\n", out="word word")
    t.write("l.rules", "rules\nword = [ab]+\n bad = (c\n")
    t.tool("l.rules", "-o", "bad", rc=65, err=r"l.rules:3:8: error: .*: \( without its \)")
    t.tool("l.rules", "--tokens", rc=64, err="--tokens belongs to --regex")


def test_determinised_language(t):
    """Subset construction keeps the language: words of even length, by an automaton with needless
    nondeterminism."""
    t.write(
        "nfa.fsa",
        "start a a2\naccept a a2\na x b\na2 x b2\nb x a\nb2 x a2\nb eps b2\nb2 eps b\na eps a2\na2"
        " eps a\n",
    )
    t.tool("nfa.fsa", "--label", "accept", err="made deterministic")
    t.check("nfa.lrnn")
    for n in range(6):
        assert accepts(t, "nfa.lrnn", "x" * n) == (n % 2 == 0), n


def test_group_form(t):
    t.write("s5.fsa", "points 5\ntrack elements\npermute a (1 2)\npermute b (1 2 3 4 5)\n")
    t.tool("s5.fsa")
    assert "s VERIFIED exact" in t.check("s5.lrnn")
    assert t.report("s5.lrnn")["automaton"]["states"] == 120
    t.tool("run", "s5.lrnn", "--random", "20", out="0 wrong")
    t.write(
        "p.fsa", "points 7\ntrack points 3\npermute a (1 2 3)(4 5)\npermute b (1 2 3 4 5 6 7)\n"
    )
    t.tool("p.fsa")
    t.check("p.lrnn")
    assert t.tool("run", "p.lrnn", "--from-start", stdin="a b\n") == "3 1 2\n"


def test_every_kind_is_canonical(t):
    """The text that `new` writes is read back as the same text (a random one where every state is
    reachable)."""
    kinds = (
        ["parity"],
        ["cyclic", "4"],
        ["symmetric", "3"],
        ["alternating", "4"],
        ["dihedral", "4"],
        ["quaternion"],
        ["flipflop"],
        ["counter", "3"],
        ["definite", "2"],
        ["dyck", "2", "2"],
        ["modarith", "3"],
        ["tomita", "4"],
        ["random", "6", "2", "2"],
        ["transformations", "3"],
        ["symmetric", "4", "--generators"],
        ["direct", "S3", "Z2"],
        ["direct", "Z4", "Q8", "S3", "--generators"],
    )
    for kind in kinds:
        text = t.tool("new", *kind)
        assert text.startswith("fsa 1\n"), text
        t.write("g.fsa", text)
        t.tool("g.fsa", "--quiet", "--formats", "bf16")
        t.check("g.lrnn")
        assert t.read("g.lrnn/automaton.fsa").decode() == text, kind
        shutil.rmtree(t.folder / "g.lrnn")


def test_product(t):
    t.new("p.fsa", "parity")
    t.new("c.fsa", "cyclic", "3")
    t.write("pc.fsa", t.tool("new", "product", "p.fsa", "c.fsa"))
    t.tool("pc.fsa")
    t.check("pc.lrnn")
    assert t.report("pc.lrnn")["automaton"]["states"] == 6
    t.tool("new", "product", "p.fsa", "absent.fsa", rc=74, err="absent")
    t.tool("new", "product", "p.fsa", rc=64, err="--product takes two grammars or more")
    t.tool("new", "parity", "--apart", rc=64, err="--apart is for product")

    t.tool("new", "direct", "S3", "p.fsa", rc=64, err="unknown group `p.fsa`; expected S1..S9")
    t.tool(
        "new",
        "direct",
        "S3",
        "Z2",
        "--sink",
        rc=64,
        err="--sink is for product and cascade: 'direct'",
    )


def test_several_grammars(t):
    """--product gives the automaton of `new product`; each part has heads of its own."""
    t.new("p.fsa", "parity")
    t.new("f.fsa", "transformations", "3")
    t.tool("p.fsa", "f.fsa", "p.fsa", "--product", "--apart")
    t.check("p+f+p.lrnn")
    made = t.read("p+f+p.lrnn/automaton.fsa").decode()
    assert made == t.tool("new", "product", "p.fsa", "f.fsa", "p.fsa", "--apart")
    report = t.report("p+f+p.lrnn")
    letters = "0 1 cycle.2 swap.2 merge.2 0.3 1.3"
    assert made.split("\n")[1] == "letters " + letters, made
    assert report["automaton"]["syntax"] == "product of 3 grammars", report["automaton"]
    built = report["construction"]
    assert (built["layers"], built["heads"]) == (2, 3), built
    r = json.loads(t.tool("classify", "p.fsa", "--regex", "(11)*", "--product", "--json"))
    assert r["automaton"]["letters"] == 2, r["automaton"]
    for args, message in (
        (("p.fsa", "f.fsa"), "one grammar at a time, not 'p.fsa' and 'f.fsa'; --product"),
        (("p.fsa", "--product"), "--product takes two grammars or more"),
        (("p.fsa", "f.fsa", "--apart"), "--apart belongs to --product"),
        (("p.fsa", "f.fsa", "--product", "--cascade-of"), "exclude each other"),
    ):
        t.tool(*args, rc=64, err=message)
    t.write("x.fsa", "start s\ns a s\ns a.2 s\n")
    t.tool("x.fsa", "x.fsa", "--product", "--apart", rc=69, err="`a.2` would not be told from")
    t.tool("p.fsa", "absent.fsa", "--product", rc=74, err="absent")
    t.write("bad.fsa", "start\n")
    t.tool("p.fsa", "bad.fsa", "--product", rc=65, err="bad.fsa:1")


def test_cascade_of(t):
    """A counter of the carries of another one: two digits in base 3, run against arithmetic."""
    t.new("low.fsa", "cyclic", "3", "--generators")
    up = t.read("low.fsa").decode().split("letters ")[1].split()[0]
    t.write(
        "high.fsa",
        'letters "(2,%s)" clear\nstart 0\noutput 0 low\noutput 1 low\noutput 2 high\n' % up
        + "".join('%d "(2,%s)" %d\n%d clear 0\n' % (d, up, (d + 1) % 3, d) for d in range(3)),
    )
    t.tool("low.fsa", "high.fsa", "--cascade-of")
    t.check("low+high.lrnn")
    words = ["%s " % up * n + "clear " * (n % 4 == 1) + "%s " % up * (n % 5) for n in range(12)]
    out = t.tool("run", "low+high.lrnn", stdin="\n".join(words) + "\n").split("\n")
    for word, line in zip(words, out):
        low = high = 0
        want = []
        for letter in word.split():
            if letter == "clear":
                high = 0
            else:
                high = (high + (low == 2)) % 3
                low = (low + 1) % 3
            want.append("(%d,%d)" % (low, high))
        assert line.replace('"', "").split() == want, (word, line)
    made = t.tool("new", "cascade", "low.fsa", "high.fsa")
    assert t.read("low+high.lrnn/automaton.fsa").decode() == made
    t.write("wrong.fsa", 'letters "(9,x)"\nstart s\ns "(9,x)" s\n')
    t.tool("low.fsa", "wrong.fsa", "--cascade-of", rc=69, err=r"wrong.fsa: error: .*`\(9,x\)`")


def test_checker_refuses_another_automaton(t):
    t.new("a.fsa", "cyclic", "3")
    t.new("b.fsa", "cyclic", "4")
    t.tool("a.fsa")
    t.tool("b.fsa")
    assert "s NOT VERIFIED" in t.check("a.lrnn", fsa="b.lrnn/automaton.fsa", rc=1)
