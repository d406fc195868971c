"""`run`: labels on words, in every mode, against a simulation of automaton.fsa."""

import hashlib
import json
import os
import random
import signal
import subprocess

from harness import parse_fsa


def network(t, *family, options=()):
    t.new("g.fsa", *family)
    t.tool("g.fsa", *options, "--force", "--quiet")
    return parse_fsa(t.read("g.lrnn/automaton.fsa").decode())


def spell(name):
    """Returns a name as it is written in a word: quoted when it would not be one bare token."""
    return json.dumps(name, ensure_ascii=False) if not name or set(name) & set(' \t#"()') else name


def states(automaton, word):
    _, _, at, following, _ = automaton
    result = []
    for letter in word:
        at = following[at][letter]
        result.append(at)
    return result


def words_of(automaton, count, longest, seed):
    rng = random.Random(seed)
    return [[rng.choice(automaton[0]) for _ in range(rng.randrange(longest))] for _ in range(count)]


def test_files_in_the_wrong_place(t):
    """What the file is that was given in place of a network, or of an automaton."""
    network(t, "parity")
    t.write("empty", "")
    t.write("short", "lrn")
    expected = "a network is expected, which begins with `lrnn`: .* `fsa2lrnn FILE` makes of an"
    for file, why in (
        ("g.fsa", f"g.fsa:1:1: error: this is no network; {expected} automaton"),
        ("short", "this is no network; a network is expected"),
        ("empty", "the file is empty; a network is expected"),
        ("g.lrnn/report.json", "this is no network; a network is expected"),
        ("g.lrnn/certificate.cert", "this is a certificate; its network is expected, network"),
        ("g.lrnn/weights.safetensors", "this is a file of weights; its network is expected"),
    ):
        for command in (("run",), ("round",), ("export", "--to", "npz", "-o", "out")):
            t.tool(*command, file, rc=65, err=why)
    t.tool("g.lrnn", rc=74, err="this is the folder of a network; an automaton is expected")
    for file, what in (
        ("network.lrnn", "a network"),
        ("certificate.cert", "a certificate"),
        ("weights.safetensors", "a file of weights"),
    ):
        for command in ((), ("classify",), ("fsa", "info")):
            why = f"this is {what}; an automaton is expected, such as automaton.fsa beside it"
            t.tool(*command, f"g.lrnn/{file}", rc=65, err=why)


def test_words_against_the_automaton(t):
    for family in (
        ["parity"],
        ["cyclic", "5"],
        ["symmetric", "3"],
        ["quaternion"],
        ["dihedral", "4", "--generators"],
    ):
        automaton = network(t, *family)
        words = words_of(automaton, 20, 30, 5)
        text = "".join(" ".join(map(spell, w)) + "\n" for w in words)
        expected = "".join(" ".join(map(spell, states(automaton, w))) + "\n" for w in words)
        for arithmetic in ([], ["--format", "bf16"], ["--format", "fp64", "--schedule", "every"]):
            printed = t.tool("run", "g.lrnn", *arithmetic, stdin=text)
            assert printed == expected, f"{family} {arithmetic}\n{text}\n{printed}\n{expected}"
        start = spell(automaton[2])
        printed = t.tool("run", "g.lrnn", "--from-start", stdin=text)
        assert printed.splitlines() == [
            " ".join(filter(None, [start, x])) for x in expected.split("\n")[:-1]
        ]


def test_ways_to_write_words(t):
    network(t, "parity")
    expected = t.tool("run", "g.lrnn", stdin="0 1 1 0\n")
    for text in (
        "0110\n",
        "0110",
        "01 10\n",
        "  0\t1 1   0  \n",
        '"0" 1 "1" 0\n',
        "0110\r\n",
        '"\\u0030" 110\n',
    ):
        assert t.tool("run", "g.lrnn", stdin=text) == expected, text
    assert t.tool("run", "g.lrnn/network.lrnn", stdin="0110\n") == expected
    assert t.tool("run", "g.lrnn/", stdin="0110\n") == expected
    t.write("words", "0110\n")
    assert t.tool("run", "g.lrnn", "words") == expected
    assert t.tool("run", "g.lrnn", "-", stdin="0110\n") == expected


def test_empty_words(t):
    automaton = network(t, "parity")
    assert t.tool("run", "g.lrnn", stdin="") == ""
    assert t.tool("run", "g.lrnn", stdin="\n") == "\n"
    assert t.tool("run", "g.lrnn", stdin="\n1\n\n") == f"\n{states(automaton, ['1'])[0]}\n\n"
    assert t.tool("run", "g.lrnn", "--from-start", stdin="\n") == automaton[2] + "\n"


def test_names_of_several_characters(t):
    t.write(
        "g.fsa",
        'start "at rest"\n"at rest" push moving\n"at rest" "#1" "at rest"\nmoving push "at'
        ' rest"\nmoving "#1" moving\n"at rest" é moving\nmoving é "at rest"\n',
    )
    t.tool("g.fsa", "--quiet")
    assert t.tool("run", "g.lrnn", stdin='push "#1" é\n') == 'moving moving "at rest"\n'
    assert t.tool("run", "g.lrnn", stdin='"\\u00e9" push\n') == 'moving "at rest"\n'
    t.tool(
        "run",
        "g.lrnn",
        stdin="pushpush\n",
        rc=65,
        err=r"stdin:1:1: error: unknown letter 'pushpush'",
    )


def test_unknown_letters(t):
    network(t, "parity")
    printed = t.tool(
        "run",
        "g.lrnn",
        stdin="01\n0 1 x 1\n11\n",
        rc=65,
        err="stdin:2:5: error: unknown letter 'x'",
    )
    assert printed.count("\n") == 1, printed
    t.write("words", "0102\n")
    t.tool("run", "g.lrnn", "words", rc=65, err="words:1:4: error: unknown letter '2'")
    for text, place in (
        ('"0\n', "1:1"),
        ('"0"1\n', "1:4"),
        ('0 "\\x"\n', "1:"),
        ("\x00\n", "1:1"),
        ("0 \xff\n".encode("latin-1"), "1:3"),
        ('"' + "0" * 100000, "1:1"),
        ("é\n", "1:1"),
    ):
        t.tool("run", "g.lrnn", stdin=text, rc=65, err=f"stdin:{place}")
    t.tool("run", "g.lrnn", "absent", rc=74, err="absent")


def test_bad_network(t):
    network(t, "parity")
    good = t.read("g.lrnn/network.lrnn")
    t.tool("run", "absent.lrnn", rc=74, err="error: .*absent")
    t.write("old.lrnn", good.replace(b"lrnn 2", b"lrnn 1"))
    t.tool(
        "run",
        "old.lrnn",
        rc=65,
        err=(
            r"old\.lrnn:1:6: error: format version 1 is no longer read: this program reads lrnn 2"
            r" \(compile again\)"
        ),
    )
    for bad in (
        b"",
        good[:-1],
        good[:-4],
        good + b"x\n",
        b"\n" + good,
        good.replace(b"lrnn 2", b"lrnn 1"),
    ):
        t.write("bad.lrnn", bad)
        t.tool("run", "bad.lrnn", stdin="0\n", rc=(65, 69), err=r"bad\.lrnn.*error: ")


def test_undecodable(t):
    """A network with a changed weight reaches states without a code: it prints `?`, with exit
    status 1."""
    network(t, "cyclic", "5")
    text = t.read("g.lrnn/network.lrnn").decode()
    changed = text.replace("factor 2 ", "factor 1 ", 1)
    assert changed != text
    t.write("bad.lrnn", changed)
    letters = parse_fsa(t.read("g.lrnn/automaton.fsa").decode())[0]
    text = "".join(f"{a} {b}\n" for a in map(spell, letters) for b in map(spell, letters))
    printed = t.tool("run", "bad.lrnn", stdin=text, rc=1)
    assert "?" in printed.split(), printed
    lines = t.tool("run", "bad.lrnn", "--json", stdin=text, rc=1).splitlines()
    assert any(None in json.loads(x)["labels"] for x in lines)


def test_json_lines(t):
    automaton = network(t, "quaternion")
    words = words_of(automaton, 5, 6, 1)
    text = "".join(" ".join(map(spell, w)) + "\n" for w in words)
    lines = [json.loads(x) for x in t.tool("run", "g.lrnn", "--json", stdin=text).splitlines()]
    assert lines == [
        {"number": i + 1, "labels": states(automaton, w)} for i, w in enumerate(words)
    ], lines
    lines = t.tool(
        "run", "g.lrnn", "--json", "--stream", stdin=" ".join(map(spell, words[1]))
    ).splitlines()
    assert [json.loads(x)["label"] for x in lines] == states(automaton, words[1])


def test_stream(t):
    automaton = network(t, "cyclic", "5")
    letters = [automaton[0][i % len(automaton[0])] for i in range(1000)]
    expected = states(automaton, letters)
    text = "".join(spell(a) + (" " if i % 7 else "\n") for i, a in enumerate(letters))
    for arithmetic in ([], ["--format", "bf16"]):
        assert t.tool("run", "g.lrnn", "--stream", *arithmetic, stdin=text).split("\n")[:-1] == [
            spell(s) for s in expected
        ]
    assert (
        t.tool("run", "g.lrnn", "--stream", "--from-start", stdin="") == spell(automaton[2]) + "\n"
    )
    t.tool("run", "g.lrnn", "--stream", stdin=f"{letters[0]} nonsense", rc=65, err="stdin:1:")


def test_stream_answers_at_once(t):
    """Every label arrives before the next letter is sent, and an interruption ends the run
    cleanly."""
    automaton = network(t, "parity")
    process = t.start(
        "run",
        "g.lrnn",
        "--stream",
        stdin=subprocess.PIPE,
    )
    word = ["1", "1", "0", "1"]
    for letter, state in zip(word, states(automaton, word)):
        process.stdin.write(letter.encode() + b" ")
        process.stdin.flush()
        assert process.stdout.readline() == state.encode() + b"\n"
    process.send_signal(signal.SIGTERM)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 143 and b"interrupted: by SIGTERM" in errors, (
        process.returncode,
        errors,
    )


def test_stream_takes_constant_memory(t):
    network(t, "parity")
    peaks = []
    for count in (1000, 300000):
        t.write("letters", "10110" * (count // 5))
        process = t.start(
            "run",
            "g.lrnn",
            "letters",
            "--stream",
            stdout=subprocess.DEVNULL,
        )
        _, status, usage = os.wait4(process.pid, 0)
        assert status == 0, status
        peaks.append(usage.ru_maxrss)
    assert peaks[1] < peaks[0] + 4096, peaks


def test_random_words(t):
    network(t, "symmetric", "4", options=["--formats", "bf16"])
    for arithmetic, name in (([], "exact"), (["--format", "bf16"], "bf16")):
        arguments = [
            "run",
            "g.lrnn",
            "--random",
            "50",
            "--length",
            "40",
            "--seed",
            "9",
            *arithmetic,
        ]
        printed = t.tool(*arguments)
        assert (
            printed == f"50 words of 40 letters, seed 9, {name}: 2000 labels right, 0 wrong\n"
        ), printed
        assert json.loads(t.tool(*arguments, "--json"))["mismatches"] == 0
    t.write("elsewhere/a.fsa", t.read("g.lrnn/automaton.fsa"))
    t.write("elsewhere/n.lrnn", t.read("g.lrnn/network.lrnn"))
    t.tool("run", "elsewhere/n.lrnn", "--random", "2", rc=74, err="elsewhere/automaton.fsa")
    t.tool(
        "run",
        "elsewhere/n.lrnn",
        "--random",
        "2",
        "--fsa",
        "elsewhere/a.fsa",
        out="200 labels right, 0 wrong",
    )


def test_random_words_need_the_right_automaton(t):
    network(t, "cyclic", "5")
    t.write("other.fsa", t.read("g.lrnn/automaton.fsa") + b"\n")
    t.tool(
        "run",
        "g.lrnn",
        "--random",
        "2",
        "--fsa",
        "other.fsa",
        rc=65,
        err=r"other\.fsa: error: .*SHA-256",
    )


def test_random_words_find_a_wrong_network(t):
    network(t, "cyclic", "5")
    text = t.read("g.lrnn/network.lrnn").decode()
    lines = text.splitlines()
    symbols = [i for i, x in enumerate(lines) if x.startswith("symbol ")]
    lines[symbols[1]], lines[symbols[2]] = lines[symbols[2]], lines[symbols[1]]
    t.write("g.lrnn/network.lrnn", "\n".join(lines) + "\n")
    printed = t.tool(
        "run",
        "g.lrnn",
        "--random",
        "20",
        "--length",
        "10",
        rc=1,
        out="first wrong label: expected .*, got .*, after the",
    )
    word, expected = printed.splitlines()[-1].split(), printed.split("expected ")[1].split(",")[0]
    automaton = parse_fsa(t.read("g.lrnn/automaton.fsa").decode())
    assert states(automaton, [w.strip('"') for w in word])[-1] == expected.strip('"'), printed
    answer = json.loads(t.tool("run", "g.lrnn", "--random", "20", "--length", "10", "--json", rc=1))
    assert (
        answer["witness"]["word"]
        and answer["mismatches"] > 0
        and answer["witness"]["expected"] != answer["witness"]["got"]
    ), answer


def test_accept_and_output_labels(t):
    t.new("g.fsa", "parity")
    t.tool("g.fsa", "--label", "accept", "--quiet")
    automaton = parse_fsa(t.read("g.lrnn/automaton.fsa").decode())
    word = list("0110100111")
    expected = (
        " ".join("accept" if s in automaton[4] else "reject" for s in states(automaton, word))
        + "\n"
    )
    # A bare `accept` would be a keyword: names are spelled as in .fsa.
    assert t.tool("run", "g.lrnn", stdin="".join(word) + "\n").replace('"', "") == expected
    t.tool("run", "g.lrnn", "--random", "10", out="0 wrong")
    t.write(
        "moore.fsa",
        "start a\noutput a low\noutput b high\noutput c low\noutput d high\na x b\nb x c\nc x d\nd"
        " x a\n",
    )
    t.tool("moore.fsa", "--label", "outputs", "--quiet")
    assert (
        t.tool("run", "moore.lrnn", "--from-start", stdin="xxxxx\n")
        == "low high low high low high\n"
    )
    t.check("moore.lrnn")


MEALY = "fsa 1\nletters 0 1 no\nstates even odd\nstart even\n" + "".join(
    f"{q} {x} {p} {out}\n"
    for q, x, p, out in (
        ("even", "0", "even", '""'),
        ("even", "1", "odd", '""'),
        ("even", "no", "even", '""'),
        ("odd", "0", "odd", '""'),
        ("odd", "1", "even", "carry"),
        ("odd", "no", "odd", '""'),
    )
)
CARRY = """label edges
letters 3
letter 0
letter 1
letter no
letter-classes 2 1 2 1
labels 2
symbol ""
symbol carry
start -
layers 1
layer 1 letters 2 heads 1 codes 2 symbols 2 decode step
head 1 key 1 value 1
initial 1.1:1
on 1 gate 1 factors 0
on 2 gate 1 factors 1
factor 2 u 1:1
code 1 * 1.1:1
code 2 * 1.1:-1
yield 1 1 1
yield 1 2 1
yield 2 1 2
yield 2 2 1
end
"""


def carry(t, folder, fsa=MEALY, text=CARRY):
    sha = hashlib.sha256(fsa.encode()).hexdigest()
    t.write(f"{folder}/automaton.fsa", fsa)
    t.write(f"{folder}/network.lrnn", f"lrnn 2\nfsa {sha}\nfield Q\n{text}")


def test_labels_of_edges_and_classes_of_letters(t):
    carry(t, "carry")
    assert t.tool("run", "carry", stdin="1 no 1 1\n\n") == '"" "" carry ""\n\n'
    assert t.tool("run", "carry", "--from-start", stdin="1 1\n\n") == '"" carry\n\n'
    assert (
        t.tool("run", "carry", "--format", "bf16", stdin="1 1 no 1 1\n") == '"" carry "" "" carry\n'
    )
    t.tool("run", "carry", "--random", "20", "--length", "50", out="1000 labels right, 0 wrong")
    t.tool("round", "carry", "--formats", "bf16", "--schedules", "every", out="exact +VERIFIED")
    t.tool("obstruct", "carry", rc=69, err="not outputs of transitions")
    carry(t, "wrong", MEALY.replace("carry", '""'))
    t.tool(
        "run",
        "wrong",
        "--random",
        "20",
        "--length",
        "50",
        rc=1,
        out='first wrong label: expected "", got carry',
    )
    t.tool(
        "round",
        "wrong",
        "--formats",
        "bf16",
        "--schedules",
        "every",
        rc=1,
        out="exact +REFUTED by a word of 2 letters",
    )
    carry(t, "unlike", MEALY.replace("odd no odd", "odd no even"))
    t.tool(
        "round",
        "unlike",
        "--formats",
        "bf16",
        rc=69,
        err="letters `0` and `no` are of one class and act in different ways on state `odd`",
    )
    t.tool("run", "unlike", "--random", "20", "--length", "50", rc=1, out="first wrong label")
    t.tool("compile", "carry/automaton.fsa", "--label", "edges", "--out", "built.lrnn")
    t.check("built.lrnn")
    assert t.tool("run", "built.lrnn", stdin="1 no 1 1\n\n") == '"" "" carry ""\n\n'
    plain = "".join(
        " ".join(line.split(" ")[:3]) + "\n" if line[:2] in ("ev", "od") else line + "\n"
        for line in MEALY.splitlines()
    )
    carry(t, "plain", plain)
    t.tool("run", "plain", "--random", "1", rc=69, err="transitions have no outputs")
