"""Automata from practice (tests/data/real): each is what its README says, and has a certified
network at little effort."""

import collections
import itertools
import json
import os
import random
import re
import subprocess
import sys

from harness import ROOT, parse_fsa

sys.path.insert(0, str(ROOT / "tests"))
import search_cases as cases  # noqa: E402

MEMORY = 500 * 1000 * 1000 / 1024  # in KiB, as ru_maxrss counts


def read(name):
    """Returns (start, next[state][letter], accepting states, letters) of a .fsa file."""
    letters, _, start, following, accepting = parse_fsa((cases.REAL / name).read_text())
    return start, following, accepting, letters


def accepts(automaton, word):
    at, following, accepting, _ = automaton
    for letter in word:
        at = following[at][letter]
    return at in accepting


def agree(automaton, words, meaning):
    """Checks that both answers occur, and equal the answers of `meaning`."""
    seen = collections.Counter()
    for word in words:
        expected = meaning(word)
        assert accepts(automaton, word) == expected, (word, expected)
        seen[expected] += 1
    assert len(seen) == 2, seen


def short_words(letters, longest):
    return (word for n in range(longest + 1) for word in itertools.product(letters, repeat=n))


def test_every_file_is_listed(_):
    names = {path.name for path in cases.REAL.iterdir()} - {"README.md", "random30.syms"}
    assert names == {case[0] for case in cases.READ + cases.REFUSED}, names
    text = (cases.REAL / "README.md").read_text()
    assert all(f"`{name}`" in text for name in names | {"random30.syms"}), names


def test_bits_and_counters(_):
    for bits in (4, 6, 8):
        start, following, _, letters = read(f"bits{bits}.fsa")
        assert start == "b" + "0" * bits and len(following) == 1 << bits
        assert letters == [f"{word}{i}" for word in ("set", "clr") for i in range(bits)], letters
        for state, row in following.items():
            for i in range(bits):
                one, zero = (state[: i + 1] + bit + state[i + 2 :] for bit in "10")
                assert (row[f"set{i}"], row[f"clr{i}"]) == (one, zero), state
    start, following, _, _ = read("parity_x_bit.fsa")
    assert start == "e0" and len(following) == 4
    for (parity, bit), row in following.items():
        assert row == {
            "a": {"e": "o", "o": "e"}[parity] + bit,
            "set": parity + "1",
            "clr": parity + "0",
        }, row
    start, following, accepting, _ = read("counter5x5.fsa")
    assert start == "(0,0)" and accepting == {"(0,0)"} and len(following) == 36
    for state, row in following.items():
        x, y = map(int, state[1:-1].split(","))
        assert row == {
            "up": f"({min(x + 1, 5)},{y})",
            "down": f"({max(x - 1, 0)},{y})",
            "X": f"({x},{min(y + 1, 5)})",
            "Y": f"({x},{max(y - 1, 0)})",
        }, (state, row)


def remembers(word):
    """Returns whether a word is in the flip-flop language: whole pairs, and every read gives the
    last written value."""
    memory = None
    for instruction, bit in itertools.zip_longest(word[::2], word[1::2]):
        if instruction not in ("w", "r", "i") or bit not in ("0", "1"):
            return False
        if instruction == "r" and bit != memory:
            return False
        memory = bit if instruction == "w" else memory
    return True


def test_flipflop_language(_):
    agree(read("flipflop_language.fsa"), short_words("wri01", 6), remembers)


def is_json(word):
    depth = deepest = 0
    for token in word:
        depth += (token in "{[") - (token in "}]")
        deepest = max(deepest, depth)
    try:
        json.loads(" ".join({"STRING": '"s"', "NUMBER": "1"}.get(token, token) for token in word))
    except ValueError:
        return False
    return deepest <= 4


def json_value(r, depth):
    if depth == 0 or r.random() < 0.2:
        return [r.choice(["STRING", "NUMBER", "true", "false", "null"])]
    key, (left, right) = r.choice([([], "[]"), (["STRING", ":"], "{}")])
    members = [key + json_value(r, depth - 1) for _ in range(r.randrange(3))]
    return [left, *sum(([","] * (i > 0) + member for i, member in enumerate(members)), []), right]


def test_json(_):
    automaton, r = read("json_depth4.fsa"), random.Random(1)
    agree(automaton, short_words(automaton[3], 4), is_json)
    words = [json_value(r, r.choice((3, 4, 5, 6))) for _ in range(3000)]
    for word in words[::2]:
        word[r.randrange(len(word))] = r.choice(automaton[3])
    agree(automaton, words, is_json)


def is_utf8(word):
    try:
        bytes.fromhex("".join(word)).decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def test_utf8(_):
    automaton = read("utf8_validator.fsa")
    agree(automaton, short_words(automaton[3], 2), is_utf8)
    edges = [
        f"{byte:02X}" for byte in bytes.fromhex("007f808f909fa0bfc1c2dfe0e1ecedeeeff0f1f3f4f5")
    ]
    agree(
        automaton,
        itertools.chain(
            itertools.product(edges, repeat=3),
            (
                (*lead, *rest)
                for lead in itertools.product(edges, repeat=2)
                for rest in (("80", "BF"), ("BF", "80"), ("BF", "C2"))
            ),
        ),
        is_utf8,
    )


def is_zero_modulo_five(word):
    text = "".join(word)
    return re.fullmatch(r"[0-4]([-+*][0-4])*", text) is not None and eval(text) % 5 == 0


def test_arithmetic(_):
    following, accepting = collections.defaultdict(dict), set()
    for line in (cases.REAL / "modarith5_simple.att").read_text().splitlines():
        fields = line.split("\t")
        if len(fields) == 1:
            accepting.add(fields[0])
        else:
            following[fields[0]][fields[2]] = fields[1]
    automaton, r = ("0", following, accepting, "01234+-*"), random.Random(1)
    agree(automaton, short_words("01234+-*", 5), is_zero_modulo_five)
    agree(
        automaton,
        (
            "".join(r.choice("01234") + r.choice("+-**") for _ in range(9)) + r.choice("01234")
            for _ in range(2000)
        ),
        is_zero_modulo_five,
    )


def test_protocols(_):
    start, following, accepting, letters = read("mqtt_session.fsa")
    offline = {s for s, row in following.items() if s not in accepting and row["CONNECT"] != start}
    assert len(following) == 264 and len(accepting) == 256 and len(offline) == 4, offline
    assert all(following[s]["DISCONNECT"] == start for s in following)
    automaton = start, following, accepting, letters
    assert not accepts(automaton, ["CONNECT"]) and accepts(
        automaton, ["CONNECT", "CONNACK", "SUB2", "PUB1"]
    )
    automaton = read("tcp_endpoint.fsa")
    assert accepts(
        automaton, ["passive_open", "rcv_syn", "rcv_ack", "send"]
    ), "the server's three-way handshake"
    assert accepts(automaton, ["active_open", "rcv_synack"]) and not accepts(
        automaton, ["active_open", "rcv_ack"]
    )
    closing = ["active_open", "rcv_synack", "close", "rcv_finack", "timeout"]
    assert (
        automaton[0] == "s0"
        and not accepts(automaton, closing)
        and accepts(automaton, closing + closing[:2])
    )


def test_refused(t):
    for name, options, status, message in cases.REFUSED:
        t.tool(cases.REAL / name, *options, rc=status, err=re.escape(message))
    t.nothing_left()


def compiled(t, path, options):
    """Returns the report of a run at little effort, whose peak memory is limited in release
    builds."""
    arguments = [str(path), *options, "--effort", "50", "--out", "out", "--force", "--quiet"]
    with t.start(*arguments, stdout=subprocess.DEVNULL) as process:
        errors = process.stderr.read().decode()
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    seen = (
        f"fsa2lrnn {' '.join(arguments)}: exit {process.returncode}, {used.ru_maxrss} KiB\n{errors}"
    )
    assert process.returncode == 0, seen
    assert "/release/" not in t.program or used.ru_maxrss <= MEMORY, seen
    return t.report("out")


def test_certified(t):
    for name, options, states, letters in cases.READ:
        report = compiled(t, cases.REAL / name, options)
        assert (report["automaton"]["states"], report["automaton"]["letters"]) == (
            states,
            letters,
        ), (
            name,
            report["automaton"],
        )
        assert report["exact"]["verdict"] == "VERIFIED", (name, options, report["exact"])
        verdicts = {f["format"]: f["verdict"] for f in t.closed(report)}
        assert verdicts["bf16"] == "VERIFIED" and "REFUTED" not in verdicts.values(), (
            name,
            options,
            verdicts,
        )
        first = report["search"]["first"]
        assert (
            first["layers"] >= report["construction"]["layers"]
            and first["steps"] <= report["search"]["steps"]
        ), first
        t.check("out")


def test_products(t):
    """Independent parts are heads of one layer, or slots of one head where that is as good."""
    for name, theorem, layers, heads, householders, states in (
        ("bits4.fsa", "K.6", 1, 1, 1, 4),
        ("bits6.fsa", "X", 1, 6, 1, 6),
        ("bits8.fsa", "X", 1, 8, 1, 8),
        ("parity_x_bit.fsa", "K.6", 1, 1, 1, 2),
        ("counter5x5.fsa", "X", 1, 2, 6, 20),
    ):
        t.tool(cases.REAL / name, "--out", "out", "--force", "--quiet")
        report = t.report("out")
        c = report["construction"]
        got = tuple(c[x] for x in ("layers", "heads", "householders", "state_numbers"))
        assert c["theorem"] == theorem and got == (layers, heads, householders, states), c
        if theorem == "X":
            assert len(c["parts"]) == heads and all(p["states"] > 1 for p in c["parts"]), c
        assert report["exact"]["verdict"] == "VERIFIED", report["exact"]


def test_unmerged_states_may_fit_better(t):
    """With labels `accept` 10 states are left of 13, and take a layer more than the 13."""
    figures = []
    for label in ("states", "accept"):
        options = ("--label", label, "--out", "out", "--force", "--quiet")
        t.tool(cases.REAL / "flipflop_language.fsa", *options)
        c = t.report("out")["construction"]
        figures.append((c["theorem"], c["layers"], c["state_numbers"], c["minimised_states"]))
        t.check("out")
    assert figures == [("T4", 3, 29, None)] * 2, figures


def test_random_automata_are_as_recorded(t):
    reached = set()
    for states, letters, seed, expected in cases.RANDOM:
        _, _, start, following, _ = parse_fsa(t.tool("new", "random", states, letters, seed))
        found = [start]
        for state in found:
            found += [s for s in dict.fromkeys(following[state].values()) if s not in found]
        assert len(found) == expected, (states, letters, seed, len(found))
        reached.add((expected, letters))
    assert (
        len(cases.RANDOM) == 50
        and {n for n, _ in reached} == set(range(20, 41))
        and {k for _, k in reached} == {2, 3, 4}
    )
