"""Structure that the main job finds: letters that act alike, which it reads as one and whose
classes its files list once; the points on which a group acts; and parts of a product side by side,
in a wired network."""

import hashlib
import itertools
import json
import random
import re
import sys

from harness import ROOT

sys.path.insert(0, str(ROOT / "tests"))
import search_cases as cases  # noqa: E402

TCP = str(cases.REAL / "tcp_endpoint.fsa")

# Three states beside two, all of whose parts are cascades by rule with --max-sets 1.
THREE = [(1, 2, 0), (1, 0, 2), (0, 0, 2)]
TWO = [(1, 1), (0, 0), (1, 0)]


def edges(columns, states, outputs=None):
    """Returns a grammar: columns maps each letter to the list of its targets."""
    lines = ["start q0", "accept q1"]
    for q in range(states):
        for letter, column in columns.items():
            output = f" {outputs[letter]}" if outputs else ""
            lines.append(f"q{q} {letter} q{column[q]}{output}")
    return "\n".join(lines) + "\n"


def with_copies(r, kinds, states):
    """Returns columns of 12 letters, each a copy of one of the kinds, and the number of kinds that
    occur."""
    columns = {f"x{i}": kinds[i if i < len(kinds) else r.randrange(len(kinds))] for i in range(12)}
    shuffled = list(columns.items())
    r.shuffle(shuffled)
    return dict(shuffled), len({tuple(c) for c in columns.values()})


def kinds_of(r, name, states):
    if name == "permutations":
        return [[(q + 1) % states for q in range(states)], r.sample(range(states), states)]
    if name == "definite":
        return [[i % states] * states for i in range(3)]
    around = [(q + 1) % states for q in range(states)]  # so that all states are reached
    return [around] + [[r.randrange(states) for _ in range(states)] for _ in range(2)]


def test_files_have_classes(t):
    r = random.Random(20261124)
    for name, options in (
        ("permutations", ()),
        ("permutations", ("--keys", "naive")),
        ("definite", ()),
        ("maps", ()),
        ("maps", ("--label", "accept")),
        ("maps", ("--cascade", "zeiger")),
        ("maps", ("--max-sets", "1")),
        ("maps", ("--gated",)),
    ):
        columns, classes = with_copies(r, kinds_of(r, name, 5), 5)
        t.write("x.fsa", edges(columns, 5))
        t.tool("x.fsa", *options, "--force", out=f"; {classes} act differently\n")
        report = t.report("x.lrnn")
        assert report["construction"]["letter_classes"] == classes, (name, options, report)
        assert report["automaton"]["letters"] == 12, report["automaton"]
        network = t.read("x.lrnn/network.lrnn").decode()
        assert f"\nletter-classes {classes} " in network and network.count("\nletter ") == 12
        assert " letter-classes " in t.check("x.lrnn")
        t.tool("run", "x.lrnn", "--random", "20", out="2000 labels right, 0 wrong")
        t.tool("round", "x.lrnn", "--formats", "bf16", rc=(0, 1, 2), out="bf16")


def test_a_wrong_word_names_letters(t):
    columns = {"stay": [0, 1, 2, 3, 4], "a": [1, 2, 3, 4, 0], "b": [1, 2, 3, 4, 0]}
    columns["c"] = [1, 0, 2, 3, 4]
    t.write("x.fsa", edges(columns, 5))
    t.tool("x.fsa", "--keys", "naive", "--formats", "e4m3", "--force", rc=(0, 1))
    closed = [f for f in t.closed(t.report("x.lrnn")) if f["verdict"] == "REFUTED"]
    assert len(closed) == 1, closed
    word = closed[0]["witness"]["word"]
    assert set(word) <= {"stay", "a", "c"} and "c" in word, word
    t.write("word.txt", " ".join(word) + "\n")
    shown = json.loads(t.tool("run", "x.lrnn", "--format", "e4m3", "word.txt", "--json", rc=(0, 1)))
    assert shown["labels"][-1] != closed[0]["witness"]["expected"], (shown, closed)


def test_what_is_not_merged(t):
    same = {"a": [1, 2, 0], "b": [1, 2, 0], "c": [0, 0, 0]}
    t.write("mealy.fsa", edges(same, 3, {"a": "x", "b": "y", "c": "x"}))
    t.tool("mealy.fsa")
    assert t.report("mealy.lrnn")["construction"]["letter_classes"] is None
    t.write(
        "group.fsa",
        "points 3\ntrack elements\npermute a (1 2 3)\npermute b (1 2 3)\npermute c (1 2)\n",
    )
    t.tool("group.fsa")
    assert t.report("group.lrnn")["construction"]["letter_classes"] is None
    t.check("group.lrnn")


def test_wrong_classes_are_refused(t):
    t.write("x.fsa", edges({"a": [1, 0], "b": [0, 1], "c": [0, 1], "d": [1, 0]}, 2))
    t.tool("x.fsa")
    network = t.read("x.lrnn/network.lrnn").decode()
    right = "letter-classes 2 1 2 2 1"
    assert right in network
    certificate = t.read("x.lrnn/certificate.cert").decode()
    for wrong in ("2 1 2 1 1", "2 1 2 1 2", "2 1 2 2 2", "2 2 1 1 2", "3 1 2 3 1", "1 1 1 1 1"):
        text = network.replace(right, f"letter-classes {wrong}")
        digest = hashlib.sha256(text.encode()).hexdigest()
        t.write("x.lrnn/network.lrnn", text)
        t.write(
            "x.lrnn/certificate.cert",
            re.sub(r"(?m)^network .*$", f"network {digest}", certificate),
        )
        assert "s NOT VERIFIED" in t.check("x.lrnn", rc=1)


def test_utf8(t):
    t.tool(cases.REAL / "utf8_validator.fsa", "--out", "out")
    report = t.report("out")
    levels = report["construction"]["cascade"]
    assert report["construction"]["letter_classes"] == 12, report["construction"]
    assert levels["active_contexts"] <= 191, levels
    t.check("out")


def test_commands_name_all_letters(t):
    t.write("x.fsa", edges({"a": [1, 0], "b": [0, 1], "c": [0, 1], "d": [1, 0]}, 2))
    t.tool("x.fsa")
    assert json.loads(t.tool("round", "x.lrnn", "--json"))["automaton"]["letters"] == 4
    seen = json.loads(t.tool("obstruct", "x.lrnn", "--word", "d c", "--json"))
    assert seen["automaton"]["letters"] == 4 and seen["periodic_word"]["word"] == ["a", "b"], seen
    t.tool("obstruct", "x.lrnn", "--word", "e", rc=65, err="`e`|'e'|\"e\"")


def subsets(points, size):
    """Returns the automaton of the subsets of a size, moved by swaps of neighbouring points."""
    lines = ["start " + "".join(map(str, range(size)))]
    for subset in itertools.combinations(range(points), size):
        for a in range(points - 1):
            to = sorted({a: a + 1, a + 1: a}.get(p, p) for p in subset)
            lines.append(f"{''.join(map(str, subset))} swap{a} {''.join(map(str, to))}")
    return "\n".join(lines) + "\n"


def test_subsets_need_as_many_points_as_there_are(t):
    for points, size, states in ((7, 2, 21), (8, 2, 28), (7, 3, 35)):
        t.write("x.fsa", subsets(points, size))
        t.tool("x.fsa", "--force", out=rf"on {points} points \({points} sets of states\)")
        report = t.report("x.lrnn")
        construction = report["construction"]
        assert report["automaton"]["states"] == states, report["automaton"]
        assert (construction["layers"], construction["householders"]) == (1, 1), construction
        assert construction["key_dim"] == 7, construction
        verdict = t.check("x.lrnn")
        assert f" states {states} layers 1 heads 1 householders 1 key 7 " in verdict, verdict
        t.tool("run", "x.lrnn", "--random", "20", out="2000 labels right, 0 wrong")


def sides():
    lines = ["start 0x0", "accept 1x1"]
    for p in range(3):
        for q in range(2):
            lines += [f"{p}x{q} a{i} {column[p]}x{q}" for i, column in enumerate(THREE)]
            lines += [f"{p}x{q} b{i} {p}x{column[q]}" for i, column in enumerate(TWO)]
    return "\n".join(lines) + "\n"


def pair(t, copies=2):
    t.write("pair.fsa", t.tool("new", "product", *[TCP] * copies, "--apart"))
    t.tool("pair.fsa", "--out", "pair.lrnn", "--force")
    return t.report("pair.lrnn")


def exact_everywhere(t, report, parts):
    assert report["exact"]["verdict"] == "VERIFIED" and report["exact"]["how"] == "form"
    assert report["exact"]["statement"] == "theory/pages/product.md, X.4", report["exact"]
    assert {f["format"]: f["verdict"] for f in t.closed(report)} == dict.fromkeys(
        ("bf16", "fp16", "fp32", "fp64"), "VERIFIED"
    )
    line = t.check("pair.lrnn" if (t.folder / "pair.lrnn").exists() else "x.lrnn")
    assert f" parts {parts} with wired" in line and "s VERIFIED product " in line, line


def test_two_connections_are_as_deep_as_one(t):
    report = pair(t)
    made = report["construction"]
    assert (made["theorem"], made["layers"], made["heads"]) == ("X", 10, 2), made
    assert made["householders"] == made["key_dim"] == 44, made
    assert made["state_numbers"] == 880 and made["factors_per_token"] == 790, made
    assert all(layer["householders"] == 44 - l for l, layer in enumerate(made["per_layer"]))
    assert [p["layers"] for p in made["parts"]] == [10, 10], made["parts"]
    exact_everywhere(t, report, 2)
    t.tool("run", "pair.lrnn", "--random", "200")
    t.tool("run", "pair.lrnn", "--random", "50", "--format", "bf16")
    t.tool("check", "pair.lrnn", out="VERIFIED product ")
    t.tool(
        *("round", "pair.lrnn", "--formats", "bf16,e4m3", "--schedules", "acc32"),
        *("--certificates", "certs"),
        out="VERIFIED",
    )
    for name in ("bf16", "e4m3"):
        line = t.check_certificate("pair.lrnn", f"certs/{name}.acc32.cert")
        assert "s VERIFIED unrounded product " in line, line


def test_three_connections_are_as_deep_as_one(t):
    report = pair(t, 3)
    assert report["construction"]["layers"] == 10, report["construction"]
    assert report["automaton"]["states"] == 1331, report["automaton"]
    exact_everywhere(t, report, 3)


def test_parts_of_different_depth(t):
    """A cascade by rule, a group and a bit: the network is as deep as the cascade."""
    t.write("x.fsa", t.tool("new", "product", TCP, str(cases.REAL / "parity_x_bit.fsa"), "--apart"))
    t.tool("x.fsa", "--out", "x.lrnn")
    report = t.report("x.lrnn")
    assert report["construction"]["layers"] == 10, report["construction"]
    assert sorted(p["layers"] for p in report["construction"]["parts"]) == [1, 1, 10]
    exact_everywhere(t, report, 3)
    assert b"\nclaim exact\n" in t.read("x.lrnn/certificate.cert")


def test_labels_that_merge_states(t):
    """The parts are parts of the quotient, and the certificate has classes of the file's states."""
    copies = sides() + "".join(
        re.sub(r"^(\S+) (\S+) (\S+)$", r"\1' \2 \3", line) + "\n"
        for line in sides().splitlines()[2:]
    )
    t.write("x.fsa", copies.replace(" a0 1x0\n", " a0 1x0'\n", 1))
    t.tool("x.fsa", "--out", "x.lrnn", "--label", "accept", "--max-sets", "1")
    line = t.check("x.lrnn")
    assert "s VERIFIED product label accept" in line, line
    assert re.search(rb"^class 1 ", t.read("x.lrnn/certificate.cert"), re.M)


def sealed(body):
    return body + b"sha256 " + hashlib.sha256(body).hexdigest().encode() + b"\n"


def with_network(t, network):
    """Returns the certificate for another network, with its hash."""
    body = t.read("x.lrnn/certificate.cert").rpartition(b"sha256 ")[0]
    line = b"network " + hashlib.sha256(network).hexdigest().encode()
    return sealed(re.sub(rb"network [0-9a-f]{64}", line, body, count=1))


def test_changed_files_are_refused(t):
    t.write("x.fsa", sides())
    t.tool("x.fsa", "--out", "x.lrnn", "--max-sets", "1")
    assert "s VERIFIED product " in t.check("x.lrnn")
    network = t.read("x.lrnn/network.lrnn")
    gates = [m for m in re.finditer(rb"^gate \d+ .*$", network, re.M)]
    join = gates[-1]
    changes = [
        (rb"^outputs \d+ \d+", lambda m: m[0].rpartition(b" ")[0] + b" 1"),
        (rb"^factor 2 ", lambda m: b"factor 1 "),
        (rb"^initial \d+\.1:1", lambda m: b"initial 1.1:1"),
    ]
    for pattern, change in changes:
        other = re.sub(pattern, change, network, count=1, flags=re.M)
        assert other != network, pattern
        t.write("other.lrnn", other)
        t.write("other.cert", with_network(t, other))
        t.check_files("x.lrnn/automaton.fsa", "other.lrnn", "other.cert", rc=1)
    wires = join[0].split()
    other = network[: join.start()] + b" ".join([*wires[:2], *wires[:1:-1]]) + network[join.end() :]
    t.write("other.lrnn", other)
    t.write("other.cert", with_network(t, other))
    t.check_files("x.lrnn/automaton.fsa", "other.lrnn", "other.cert", rc=1)
    body = t.read("x.lrnn/certificate.cert").rpartition(b"sha256 ")[0]
    for was, now in (
        (b"class 1", b"class 2"),
        (b"parts 2", b"parts 3"),
        (b"claim zeiger", b"claim exact"),
        (b"claim zeiger", b"claim product"),
        (b"divide 2 1.", b"divide 2 2."),
        (b"part 2 stages", b"part 3 stages"),
        (b"\nend 2\n", b"\nend 3\n"),
    ):
        assert was in body, was
        t.write("other.cert", sealed(body.replace(was, now, 1)))
        t.check_files("x.lrnn/automaton.fsa", "x.lrnn/network.lrnn", "other.cert", rc=1)


def test_schedule_that_is_not_for_a_format(t):
    """The search does not begin: no network could be closed there."""
    t.write("x.fsa", sides())
    t.tool("x.fsa", "--schedule", "acc32", rc=69, err="acc32 works in fp32")
