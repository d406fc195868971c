"""Mealy machines: networks for the outputs of transitions (--label edges), by every construction
that gives them, and what can be done with such networks."""

import hashlib
import random
import re
import sys

from harness import ROOT

sys.path.insert(0, str(ROOT / "tests"))
import mealy_cases as machines  # noqa: E402
import search_cases  # noqa: E402

LITTLE = ("--label", "edges", "--effort", "50", "--memory", "1G", "--no-report", "--force")
RANDOM = 20261129  # the seed of the first random machine


def mealy(r, states, letters, outputs):
    """Returns the transitions {(state, letter): (state, output)} of a random Mealy machine."""
    return {
        (q, a): (r.randrange(states), r.choice(outputs))
        for q in range(states)
        for a in "abcd"[:letters]
    }


def check_mealy(t, name, machine, r, words=40):
    """Runs the network on random words and compares with the machine."""
    letters = list(dict.fromkeys(a for _, a in machine))
    words = [[r.choice(letters) for _ in range(1 + i % 30)] for i in range(words)]
    text = "".join(" ".join(w) + "\n" for w in words)
    for options in ((), ("--format", "bf16")):
        shown = t.tool("run", f"{name}.lrnn", *options, stdin=text).split("\n")
        for word, line in zip(words, shown):
            assert line.split() == machines.outputs_of(machine, word), (name, word, line)


def test_protocol(t):
    """A protocol machine has a network after little effort, which can be run, rounded, proved
    anew and exported."""
    machine = machines.protocol()
    t.write("p.fsa", machines.text(machine))
    assert len(machine) == 57 * 13
    t.tool("p.fsa", *LITTLE, out="exact +VERIFIED .*Z.6")
    assert re.match("s VERIFIED zeiger label edges letters 13 states 57 ", t.check("p.lrnn"))
    check_mealy(t, "p", machine, random.Random(1), words=5)
    t.tool("check", "p.lrnn", out="s VERIFIED zeiger label edges")
    t.tool("run", "p.lrnn", "--random", "5", out="500 labels right, 0 wrong")
    t.tool("round", "p.lrnn", "--formats", "e4m3", "--schedules", "every", out="e4m3 .*VERIFIED")
    t.tool("certify", "p.lrnn/automaton.fsa", "p.lrnn/network.lrnn", "-o", "again")
    assert t.read("again/certificate.cert") == t.read("p.lrnn/certificate.cert")
    if t.short:
        return
    for target in ("npz", "pytorch", "onnx"):
        t.tool("export", "p.lrnn", "--to", target, "-o", target, out="exact")
    t.tool("export", "p.lrnn", "--to", "fla-deltanet", "-o", "no", rc=69, err="--to onnx")
    t.tool("export", "p.lrnn", "--to", "coq", "-o", "no", rc=69, err="--to onnx")


def test_every_machine_has_a_network(t):
    """Random machines of 5 to 60 states; 100 of them with F2L_TEST_WHOLE."""
    count = 100 if t.whole else 1 if t.short else 10
    for seed in range(RANDOM, RANDOM + count):
        machine = machines.random_machine(seed)
        t.write("r.fsa", machines.text(machine))
        t.tool("r.fsa", *LITTLE, "--quiet")
        assert " label edges " in t.check("r.lrnn"), seed
        check_mealy(t, "r", machine, random.Random(seed), words=8)


def test_without_a_moore_machine(t):
    """750 letters whose outputs all differ: the Moore machine has 6,000 states and 4.5 million
    transitions, which no network needs."""
    if t.short:
        return
    letters = range(750)
    machine = {
        (q, f"a{a}"): ((q + 1) % 8 if a == 0 else (3 * q + a) % (1 + a % 8), f"o{q}.{a}")
        for q in range(8)
        for a in letters
    }
    t.write("m.fsa", machines.text(machine))
    t.tool("m.fsa", *LITTLE[:2], "--effort", "500", out="Moore machine has more than 4194304")
    assert " label edges letters 750 states 8 " in t.check("m.lrnn")
    check_mealy(t, "m", machine, random.Random(5), words=5)


def test_forms(t):
    """The rule form and blocks, on machines of one to six states with two letters that act
    alike."""
    r = random.Random(8)
    claims = []
    for number, states in enumerate((2, 3, 4) if t.short else (1, 2, 3, 3, 4, 4, 5, 6)):
        machine = mealy(r, states, 3, "xyz"[: 1 + states % 3])
        machine |= {(q, "d"): machine[q, "a"] for q in range(states)}
        t.write("m.fsa", machines.text(machine))
        for options in (("--cascade", "zeiger", "--max-sets", "1"), ("--target", "one-reflection")):
            out = f"m{number}{options[0]}"
            t.tool("m.fsa", "--label", "edges", *options, "-o", f"{out}.lrnn", rc=(0, 69))
            if not (t.folder / f"{out}.lrnn").exists():
                continue
            claims.append(t.check(f"{out}.lrnn").split(" ")[2])
            check_mealy(t, out, machine, r, words=10)
            rounded = ("--formats", "bf16", "--schedules", "every")
            t.tool("round", f"{out}.lrnn", *rounded, out="bf16 +every +nearest +VERIFIED")
            files = (f"{out}.lrnn/{name}" for name in ("automaton.fsa", "network.lrnn"))
            t.tool("certify", *files, "-o", "again", "--force")
            assert t.read("again/certificate.cert") == t.read(f"{out}.lrnn/certificate.cert")
    assert {"zeiger", "blocks"} <= set(claims), claims


def test_mealy_machines(t):
    """Networks for the outputs of transitions are right, and as deep as those for the states."""
    r = random.Random(20261124)
    for states, letters, outputs in ((1, 2, "xy"), (2, 1, "xy"), (5, 2, "xy"), (9, 3, "xyz")):
        machine = mealy(r, states, letters, outputs)
        t.write("m.fsa", machines.text(machine))
        t.tool("m.fsa", "--label", "edges", "--force")
        assert " label edges " in t.check("m.lrnn")
        check_mealy(t, "m", machine, r)
        built = t.report("m.lrnn")["construction"]
        if states > 1:
            t.tool("m.fsa", "--cascade", "capped", "-o", "s.lrnn", "--force")
            assert built["layers"] <= t.report("s.lrnn")["construction"]["layers"], (machine, built)
        t.tool("round", "m.lrnn", "--formats", "bf16", out=r"bf16 +every +nearest +VERIFIED")
        t.tool("run", "m.lrnn", "--random", "20", out="2000 labels right, 0 wrong")


def test_mealy_machines_of_one_layer(t):
    """A letter that permutes tells the old state by the new one; a definite machine is a
    register."""
    r = random.Random(2)
    turn = {(q, a): ((q + 1 + (a == "b")) % 5, "xyz"[q * q % 3]) for q in range(5) for a in "ab"}
    edge = {
        (q, a): ("ab".index(a), "same" if q == "ab".index(a) else "new")
        for q in (0, 1)
        for a in "ab"
    }
    for machine in (turn, edge):
        t.write("m.fsa", machines.text(machine))
        t.tool("m.fsa", "--label", "edges", "--force", "--require", "bf16")
        assert t.report("m.lrnn")["construction"]["layers"] == 1
        t.check("m.lrnn")
        check_mealy(t, "m", machine, r)
    t.tool("compile", "m.fsa", "--label", "edges", "--pareto", out="labels of states, not outputs")
    for target in ("diagonal", "diagonal-positive"):
        t.tool("m.fsa", "--label", "edges", "--target", target, "--force", rc=69, err="not outputs")
    for command in ("classify", "choose", "train", "starts"):
        told = "--label is one of: states, outputs, accept; not 'edges'"
        t.tool(command, "m.fsa", "--label", "edges", rc=64, err=told)
        assert "edges" not in t.tool("help", command).partition("Options for the grammar")[2]
    t.tool("m.fsa", "--label", "outputs", "--force", rc=69, err="has no outputs")
    t.new("p.fsa", "parity")
    t.tool("p.fsa", "--label", "edges", rc=69, err="transitions have no outputs")


def test_mealy_drawings(t):
    """AALpy's and LearnLib's drawings of a machine give the same network as its .fsa file."""
    drawing = (search_cases.REAL / "aalpy_mealy6.dot").read_text()
    spaced = re.sub(r'label="([xy])/(\w+)"', r'label="\1 / \2"', drawing)
    assert spaced != drawing and spaced.count(" / ") == 12
    t.write("aalpy.dot", drawing)
    t.write("learnlib.dot", spaced)
    for name in ("aalpy", "learnlib"):
        t.tool(f"{name}.dot", "--label", "edges")
        t.check(f"{name}.lrnn")
    network = t.read("aalpy.lrnn/network.lrnn")
    assert network == t.read("learnlib.lrnn/network.lrnn")
    t.write("again.dot", t.tool("fsa", "convert", "aalpy.dot", "--to", "dot"))
    t.tool("again.dot", "--label", "edges")
    assert network == t.read("again.lrnn/network.lrnn")
    t.write("mixed.dot", drawing.replace("x/nak", "x", 1))
    t.tool("mixed.dot", rc=65, err="mixed.dot:8:4: error: label `x` has no output, but others have")


def test_wrong_outputs_are_refused(t):
    """The checker finds a network with a wrong output, and one for another machine."""
    r = random.Random(3)
    machine = mealy(r, 6, 2, "xy")
    t.write("m.fsa", machines.text(machine))
    t.tool("m.fsa", "--label", "edges")
    t.check("m.lrnn")
    files = {f: t.read(f"m.lrnn/{f}").decode() for f in ("automaton.fsa", "network.lrnn")}
    certificate = t.read("m.lrnn/certificate.cert").decode()
    first, second = re.findall(r"^symbol ([xy])$", files["network.lrnn"], re.M)
    changes = {
        "network.lrnn": (
            f"symbol {first}\nsymbol {second}\n",
            f"symbol {second}\nsymbol {first}\n",
        ),
        "automaton.fsa": ("x\n", "y\n"),
    }
    for name, (old, new) in changes.items():
        now = dict(files)
        assert old in now[name], (name, old)
        now[name] = now[name].replace(old, new, 1)
        digest = {f: hashlib.sha256(text.encode()).hexdigest() for f, text in now.items()}
        was = hashlib.sha256(files["automaton.fsa"].encode()).hexdigest()
        now["network.lrnn"] = now["network.lrnn"].replace(was, digest["automaton.fsa"])
        text = certificate.replace(was, digest["automaton.fsa"]).replace(
            hashlib.sha256(files["network.lrnn"].encode()).hexdigest(),
            hashlib.sha256(now["network.lrnn"].encode()).hexdigest(),
        )
        body = text[: text.rindex("sha256 ")]
        now["certificate.cert"] = body + f"sha256 {hashlib.sha256(body.encode()).hexdigest()}\n"
        for file, content in now.items():
            t.write(f"m.lrnn/{file}", content)
        assert re.search(r"condition .[25].:", t.check("m.lrnn", rc=1))
