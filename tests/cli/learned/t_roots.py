"""`horizon --settle` of networks with clamped betas and exact keys, and the claim `roots` of
horizon-check: cycles that no root of unity turns with, and those that one may turn with."""

import json
import random
import re
import sys

import numpy as np
from harness import ROOT
from t_horizon import check

sys.path.insert(0, str(ROOT / "tests/prop"))

from trained import hand_networks as hand  # noqa: E402
from trained import run_files  # noqa: E402

NAMES = "automaton.fsa", "config.json", "weights.safetensors"
FILES = [f"run/{name}" for name in NAMES]
# A letter's factors, of each head: (beta before it is clamped, y)
TURN = [(9, (1, 0)), (9, (2, 1))]  # by the angle of 3 + 4 i over 5, or its conjugate
OPPOSITE = [(9, (1, 0)), (9, (-1, 2))]  # the same and half a turn
THIRD = [(9, (1, -1, 0)), (9, (0, 1, -1))]
FLIP = [(9, (1, 0))]


def make(t, size, *heads, additive=False, ternary=False, negative=True, change=None):
    """Writes the run of a network of these heads that a letter turns, beside a cycle of the
    letter."""
    keys, factors = len(heads[0][0][1]), max(map(len, heads))
    shape = hand.Shape(
        1, False, len(heads), factors, keys, 1, 1, negative, additive, True, ternary, 1.0
    )
    rng, acts = random.Random(1), hand.acts_exact(random.Random(1), shape, 0)
    acts.beta[:] = -9
    for h, one in enumerate(heads):
        for i, (beta, y) in enumerate(one):
            acts.beta[0, i, h], acts.key[0, i, h] = beta, y
    codes = np.array([[rng.gauss(0, 1)] * len(heads) for _ in range(size)])
    tensors = hand.tensors_of(shape, acts, codes, np.random.default_rng(1))
    machine = hand.Machine(0, [[(q + 1) % size] for q in range(size)])
    files = hand.files_of(shape, machine, tensors, size)
    if change:
        files = change(files)
    for name, data in zip(NAMES, files):
        t.write(f"run/{name}", data)


def roots(t, *options, rc=0, **expected):
    out = t.tool("horizon", "run", "--settle", "-o", "claim", "--json", *options, rc=rc, **expected)
    data = json.loads(out)
    if data["roots_verdict"] == "refuted":
        status, line = check(t, *FILES, "claim")
        order, prime = data["root_order"], data["root_prime"]
        assert status == 0 and line.startswith(f"s VERIFIED roots order {order} prime {prime} ")
        return data["cycle_states"], order
    assert data["settle_all"] and "root_order" not in data
    return None


NONE = {"err": "no root of unity is shown to be missing"}


def test_roots(t):
    """Which cycles the eigenvalues can follow, and which they cannot."""
    for size, heads, missing in (
        (2, [[(9, (1,))]], None),  # -1
        (3, [[(9, (1,))]], 3),
        (4, [[(9, (1,))]], 4),  # -1, but not i
        (2, [[(0, (1,))]], 2),  # beta is 1
        (2, [[(1.9, (1,))]], 2),  # beta is 1.95: nearly -1
        (2, [[(-9, (1,))]], 2),  # the identity
        (2, [TURN], 2),
        (3, [TURN], 3),
        (5, [TURN], 5),
        (6, [TURN, FLIP], 3),
        (2, [TURN, FLIP], None),
        (2, [TURN, OPPOSITE], None),  # no eigenvalue, but a quotient of two, is -1
        (3, [TURN, OPPOSITE], 3),
        (3, [THIRD], None),
        (9, [THIRD], 9),
        (2, [THIRD], 2),
        (2, [[(9, (1, 0)), (0, (1, 0))]], 2),  # what is reflected is shortened, too
        (2, [[(9, (1, 0)), (0, (0, 1))]], None),
        (2, [[(9, (1, 0)), (0, (1, 1)), (9, (3, 1))]], 2),  # turned into what is shortened
    ):
        make(t, size, *heads)
        found = roots(t, "--words", "1", **({} if missing else NONE))
        assert found == (missing and (size, missing)), (size, heads, found)


def test_values_and_ternary_keys(t):
    """What is added changes nothing; numbers of ternary keys are rounded."""
    make(t, 3, TURN, additive=True)
    assert roots(t) == (3, 3)
    make(t, 3, THIRD, additive=True, ternary=True)
    assert roots(t, **NONE) is None
    make(t, 3, [(9, (1, -0.8, 0.1)), (9, (-0.2, 0.7, -1))], ternary=True)
    assert roots(t, **NONE) is None
    make(t, 3, [(9, (1, -0.8, 0.1)), (9, (-0.2, 0.7, -1))])
    assert roots(t) == (3, 3)
    make(t, 2, FLIP, negative=False)  # betas of at most 1 reflect nothing
    assert roots(t) == (2, 2)
    t.tool("horizon", "run", "--settle", out="for ever: z \\(a0\\)\\^t is wrong for some z")
    assert json.loads(t.read("run/roots.json"))["cycle_states"] == 2


def test_keys_through_silu(t):
    """The direction of such a key is not rational; with one number it has none but its sign."""

    def active(files):
        text, data = run_files.split(files.weights)
        before, after = b'"silu_keys":false', b'"silu_keys":true'
        config = files.config.replace(before, after)
        model = json.loads(config)["model"]
        return run_files.rehashed(
            files._replace(config=config, weights=run_files.weights_of(model, data))
        )

    make(t, 2, [(9, (1,))], change=active)
    assert roots(t, **NONE) is None
    make(t, 3, [(9, (1,))], change=active)
    assert roots(t) == (3, 3)
    make(t, 3, TURN)
    assert roots(t) == (3, 3)
    old = t.read("claim")
    make(t, 3, TURN, change=active)
    assert roots(t, **NONE) is None
    out = t.tool("horizon", "run", "--settle", out="3 left out, of keys that are not known to be")
    assert "not refuted" in out
    files = [t.read(name) for name in FILES]
    t.write("changed", run_files.rehashed(run_files.Files(*files, old)).certificate)
    status, _, message = check(t, *FILES, "changed", messages=True)
    assert status == 1 and "a key of a reflection is not known to be rational" in message


def test_refused(t):
    make(t, 6, TURN, FLIP)
    assert roots(t) == (6, 3)
    text = t.read("claim").decode()
    prime = re.search(r"^prime (\d+)$", text, re.M)[1]
    assert prime not in ("3", "5")
    for old, new, says in (
        (r"^order 3$", "order 2", "may have a root of this order"),
        (r"^order 3$", "order 6", "no power of a prime"),
        (r"^order 3$", "order 1", ""),
        (r"^order 3$", "order 4", "divides no cycle"),
        (r"^order 3$", "order 7", ""),
        (r"^prime .*$", "prime 3", "the order is a power of the prime"),
        (r"^prime .*$", "prime 5", "modulo the prime"),
        (r"^prime .*$", "prime 2", ""),
        (r"^prime .*$", "prime 49", "the prime is none"),
        (r"^prime .*$", "prime 1048583", ""),
        (r"^prime .*$", f"prime 0{prime}", ""),
        (r"^prime .*\n", "", ""),
        (r"^period 1$", "period 1 1 1", "divides no cycle"),
        (r"^period 1$", "period", ""),
        (r"^period 1$", "period 2", ""),
        (r"^scope exact$", "scope fp32 any-order", "in the scope exact"),
        (r"^claim roots$", "claim finite", ""),
        (r"^claim roots$", "claim settles", ""),
        (r"^end\n", "", ""),
        (r"^end$", "end\nend", ""),
    ):
        assert re.search(old, text, re.M), old
        t.write("changed", re.sub(old, new, text, count=1, flags=re.M))
        status, _, message = check(t, *FILES, "changed", messages=True)
        assert status == 1 and says in message, (old, new, status, message)


def test_a_prime_that_tells_nothing(t):
    """Modulo 11 the turn has the order 3, though it is of no order."""
    make(t, 3, TURN)
    roots(t)
    turn = np.array([[3, -4], [4, 3]]) * pow(5, -1, 11) % 11
    assert np.array_equal(turn @ turn @ turn % 11, np.eye(2))
    text = re.sub(r"^prime .*$", "prime 11", t.read("claim").decode(), flags=re.M)
    t.write("changed", text)
    status, _, message = check(t, *FILES, "changed", messages=True)
    assert status == 1 and "modulo the prime head 1 may have a root" in message


def test_limits(t):
    make(t, 2, TURN, OPPOSITE)
    data = json.loads(t.tool("horizon", "run", "--settle", "--json", "--words", "12"))
    assert data["settle_periods"] == data["settle_length"] == 12 and data["settle_ended"] is None
    assert data["cycle_periods"] == 6 and data["irrational_periods"] == 0
