"""The statements of theory/pages/engines.md on small formats and on random numbers, in exact
arithmetic of its own; and the closure modulo powers of two of one network, computed again. Each
statement is also tried just outside its condition, where it must fail."""

import argparse
import json
import math
import random
import subprocess
import tempfile
from fractions import Fraction
from itertools import permutations
from pathlib import Path

from rational_rank import rank

ROOT = Path(__file__).resolve().parents[3]
NEAREST, UP, DOWN = "nearest", "up", "down"


def log2_floor(x):
    """Returns the largest e with 2^e <= x, for x > 0."""
    e = x.numerator.bit_length() - x.denominator.bit_length()
    return e if Fraction(2) ** e <= x else e - 1


def in_units(x, unit, how):
    """Returns x rounded to a multiple of unit."""
    n = x / unit
    if how == NEAREST:
        return round(n) * unit
    return (math.ceil(n) if how == UP else math.floor(n)) * unit


def rounded(x, p, how=NEAREST, least=None, most=None):
    """Returns x in precision p, with 2^least the least number, saturating at most."""
    x = Fraction(x)
    if x == 0:
        return x
    place = log2_floor(abs(x)) - p + 1
    y = in_units(x, Fraction(2) ** (place if least is None else max(place, least)), how)
    return y if most is None else max(-most, min(y, Fraction(most)))


def fp32(x):
    return rounded(x, 24, least=-149)


STORES = {"int4": (3, 0, 7), "int8": (7, 0, 127), "int16": (15, 0, 32767), "e4m3": (4, -9, 448)}
STORES["e5m2"] = (3, -16, 57344)


def into(name, x, how=NEAREST):
    p, least, most = STORES[name]
    return rounded(x, p, how, least, most)


def check_random_bits():
    for s in range(1, 7):
        for f in range(1 << s):
            for b in range(s + 1):
                top = {(f + (r << (s - b))) >> s for r in range(1 << b)}
                bottom = {(f + r) >> s for r in range(1 << b)}
                assert 0 in top and 0 in bottom and top | bottom <= {0, 1}
                assert (1 in top) == (f > 0 and f >= 1 << (s - b)), (s, f, b)
                assert (1 in bottom) == (f > (1 << s) - (1 << b)), (s, f, b)


def check_floor_of_sum():
    """EN.2 with precision 8 in the place of 24."""
    p = 8
    for m in range(1, 6):
        for b in range(1, 12):
            moved = set()
            for x in range(1 - (1 << m), 1 << m):
                for k in range(1 << b):
                    if math.floor(rounded(x + Fraction(k, 1 << b), p)) != x:
                        moved.add(x)
            if m + b <= p:
                assert not moved, (m, b)
            if b >= p + 1 - m:
                assert set(range(1 << (m - 1), 1 << m)) <= moved, (m, b)
    assert math.floor(fp32(1 + Fraction((1 << 24) - 1, 1 << 24))) == 2
    assert math.floor(fp32(100 + 1 - Fraction(1, 1 << 18))) == 101
    assert math.floor(fp32(127 + 1 - Fraction(1, 1 << 17))) == 127
    us = [Fraction(k, 1 << 6) for k in range(1 << 6)]
    for q in (3, 7, 31):
        for least in (-q, -q - 1):
            def clamped(x):
                return {min(q, max(least, math.floor(rounded(x + u, p)))) for u in us}

            high = [Fraction(n, 4) for n in range(4 * q, 12 * q)]
            assert all(clamped(rounded(x, p)) == {q} for x in high), (q, least)
            assert q < 31 or clamped(Fraction(-q)) == {-q, -q + 1}, (q, least)


def check_power_of_two_scale():
    inside = 0
    for name in ("int4", "int8", "e4m3", "e5m2"):
        for n in range(-300, 301):
            for k in range(-3, 6):
                x, scale = Fraction(n, 8), Fraction(2) ** k
                back = {into(name, x * scale, how) / scale for how in (NEAREST, UP, DOWN)}
                value = into(name, x * scale) == x * scale
                assert (back == {x}) == value, (name, x, k)
                inside += abs(x * scale) <= STORES[name][2] and not value
    assert inside > 0  # |x 2^k| <= Q alone is not enough


def amax_factors(q, a, two):
    e = fp32(Fraction(q) / a)
    return e, fp32(a / q) if two else fp32(1 / e)


def check_amax_scale(rng):
    kept, drawn = 0, 0
    numbers = [Fraction(a) for a in range(1, 130)]
    numbers += [Fraction(rng.randrange(1, 1 << 24), 1 << rng.randrange(30)) for _ in range(100)]
    for name, (_, _, q) in STORES.items():
        for two in (False, True):
            for a in numbers:
                e, c = amax_factors(q, a, two)
                back = {how: fp32(into(name, fp32(a * e), how) * c) for how in (NEAREST, UP, DOWN)}
                nearest = fp32(q * c) == a
                assert (back[NEAREST] == a) == nearest, (name, a)
                always = all(y == a for y in back.values())
                assert always == (nearest and fp32(a * e) >= q), (name, a)
                kept += nearest
                drawn += nearest and not always
    assert kept > drawn > 0, (kept, drawn)


def sums_in_orders(terms, p):
    """Returns the sums of the terms in all orders, from left to right and by pairs."""
    found = set()
    for order in permutations(terms):
        left = Fraction(0)
        for t in order:
            left = rounded(left + t, p)
        half = len(order) // 2
        halves = [Fraction(0), Fraction(0)]
        for i, t in enumerate(order):
            halves[i >= half] = rounded(halves[i >= half] + t, p)
        found |= {left, rounded(halves[0] + halves[1], p)}
    return found


def check_orders(rng):
    p, same, differ = 5, 0, 0
    for _ in range(300):
        n = rng.randrange(2, 5)
        terms = [Fraction(rng.randrange(-30, 31)) for _ in range(n)]
        found = sums_in_orders(terms, p)
        if sum(map(abs, terms)) <= 1 << p:
            assert found == {sum(terms)}, terms
            same += 1
        differ += len(found) > 1
    assert same > 10 and differ > 10  # without the condition orders differ


def check_ring(rng):
    """EN.6 with precision 9: a state rebuilt from a ring is the state that was stepped, and values
    of the ring's format alone do not suffice."""
    p, wrong = 9, 0
    for _ in range(300):
        state = [Fraction(rng.randrange(-8, 9)) for _ in range(4)]
        start, ring = list(state), []
        sizes = [abs(x) for x in state]
        for _ in range(rng.randrange(1, 12)):
            k = rng.choice([(0, 1, 0, 0), (1, 1, 1, 1), (1, -1, 1, -1), (0, 0, 2, 0)])
            k = [Fraction(x, 2) for x in k]
            d = -2 * sum(x * y for x, y in zip(k, state, strict=True))
            ring.append((k, d))
            state = [x + y * d for x, y in zip(state, k, strict=True)]
            sizes = [x + abs(y * d) for x, y in zip(sizes, k, strict=True)]
        units = Fraction(1, 4)
        for i in range(4):
            built = start[i]
            for k, d in reversed(ring):
                built = rounded(built + k[i] * d, p)
            exact = all((k[i] * d) % units == 0 for k, d in ring)
            if exact and sizes[i] <= units * (1 << p):
                assert built == state[i], (start, ring)
            wrong += built != state[i]
    assert wrong > 0


def check_inverse():
    for p in range(2, 12):
        for h in range(p + 2):
            fits = all(
                rounded(Fraction(m, 1 << h), p, least=-24) == Fraction(m, 1 << h)
                for m in range((1 << (h + 1)) + 1)
            )
            assert fits == (h <= p - 1), (p, h)


def root(x, p=24):
    """Returns sqrt(x) in precision p, or its reciprocal where x is the reciprocal: correct since a
    root that is no number is far from the middles at 200 bits."""
    scale = 1 << 200
    whole = math.isqrt(x.numerator * scale * scale // x.denominator)
    y = Fraction(whole, scale)
    return rounded(y if y * y == x else y + Fraction(1, 2 * scale), p)


EPS = fp32(Fraction(1, 10**6))
NORMS = {
    "sqrt, then quotient": (2, lambda x, s: fp32(x / root(fp32(s + EPS)))),
    "sqrt, then 1/, then product": (2, lambda x, s: fp32(x * fp32(1 / root(fp32(s + EPS))))),
    "rsqrt, then product": (3, lambda x, s: fp32(x * root(1 / fp32(s + EPS)))),
    "sqrt, plus eps": (5, lambda x, s: fp32(x / fp32(root(s) + EPS))),
}


def check_norms():
    for name, (first, norm) in NORMS.items():
        for j in range(8):
            right = norm(Fraction(1), Fraction(4) ** j) == Fraction(1, 2**j)
            assert right == (j >= first), (name, j)


# --- the closure modulo powers of two of a network of one head and one column, in floats ---


def read_network(path):
    """Returns the start, and for every letter its unit keys."""
    start, letters = {}, []
    for line in path.read_text().splitlines():
        words = line.split()
        if words[0] == "initial":
            start = {int(w.split(".")[0]): Fraction(w.split(":")[1]) for w in words[1:]}
        elif words[0] == "on":
            letters.append([])
        elif words[0] == "factor":
            assert words[1] == "2"
            key = {int(w.split(":")[0]): Fraction(w.split(":")[1]) for w in words[3:]}
            assert sum(x * x for x in key.values()) == 1
            letters[-1].append(key)
    return start, letters


def store(state, name):
    a = max(abs(x) for x in state.values())
    c = rounded(fp32(a / STORES[name][2]), 8)
    e = fp32(1 / c)
    return {i: fp32(into(name, fp32(x * e)) * c) for i, x in state.items()}


def step(state, keys, name):
    """One letter as `serving` does it: sums by halves over n coordinates, fused updates."""
    state = dict(state)
    n = 1 << (max(state) - 1).bit_length()
    for key in keys:
        part = [fp32(key.get(i + 1, 0) * state.get(i + 1, 0)) for i in range(n)]
        while len(part) > 1:
            half = len(part) // 2
            part = [fp32(part[i] + part[i + half]) for i in range(half)]
        r = fp32(2 * part[0])
        for i, k in key.items():
            state[i] = fp32(state.get(i, 0) - k * r)
    return store(state, name)


def scaled(state):
    e = log2_floor(max(abs(x) for x in state.values()))
    return tuple(sorted((i, x / Fraction(2) ** e) for i, x in state.items() if x)), e


def close_scaled(path, name):
    """Returns the number of rows, and the least and largest gain of an edge."""
    start, letters = read_network(path)
    size = max(max(key) for keys in letters for key in keys)
    row, _ = scaled(store(start, name))
    seen, todo, gains = {row}, [row], []
    while todo:
        at = dict(todo.pop())
        full = {i: at.get(i, Fraction(0)) for i in range(1, size + 1)}
        for keys in letters:
            row, gain = scaled(step(full, keys, name))
            gains.append(gain)
            if row not in seen:
                seen.add(row)
                todo.append(row)
    return len(seen), min(gains), max(gains)


def check_closure(tool):
    with tempfile.TemporaryDirectory() as folder:
        net = Path(folder) / "z5.lrnn"
        subprocess.run(
            [tool, ROOT / "examples/cyclic5.fsa", "--out", net, "--quiet"], check=True
        )
        schedule = "serving,state=e5m2,scale=amax:bf16"
        options = ["--formats", "bf16", "--schedule", schedule, "--limit", "1000", "--letters", "0"]
        text = subprocess.run(
            [tool, "round", net, *options, "--json"], stdout=subprocess.PIPE, check=False
        ).stdout
        (row,) = json.loads(text)["formats"]
        rows, least, most = close_scaled(net / "network.lrnn", "e5m2")
        assert (rows, row["verdict"], row["how"]) == (325, "REFUTED", "growth"), (rows, row)
        assert least < 0 < most


def reflected(k, x):
    """Returns x mirrored by the unit vector k."""
    r = 2 * sum(a * b for a, b in zip(k, x))
    return tuple(b - r * a for a, b in zip(k, x))


def check_keys_of_one_sign():
    """EN.13: with two coordinates for each point the keys of a bipartite graph exchange contents,
    held with a sign for each part; around an odd circuit products of 1/2 make keys independent."""
    half = Fraction(1, 2)
    for n, swaps in ((5, [(i, i + 1) for i in range(4)]), (6, [(0, i) for i in range(1, 6)])):
        part = [i % 2 if swaps[1][0] else int(i > 0) for i in range(n)]
        contents = [Fraction(3 * i + 1) for i in range(n)]

        def held(x):
            return tuple(x[i] * (-1) ** part[i] for i in range(n) for _ in range(2))

        for i, j in swaps:
            key = tuple(half if p // 2 in (i, j) else Fraction(0) for p in range(2 * n))
            assert sum(v * v for v in key) == 1 and part[i] != part[j]
            after = list(contents)
            after[i], after[j] = after[j], after[i]
            assert reflected(key, held(contents)) == held(after), (i, j)
            contents = after
    for m in range(3, 12):
        gram = [[Fraction(0)] * m for _ in range(m)]
        for i in range(m):
            gram[i][i] = Fraction(1)
            gram[i][(i + 1) % m] = gram[(i + 1) % m][i] = half
        assert rank(gram) == (m if m % 2 else m - 1), m


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tool", required=True)
    parser.add_argument("--checker", help="not used")
    args = parser.parse_args()
    rng = random.Random(48)
    check_random_bits()
    check_floor_of_sum()
    check_power_of_two_scale()
    check_amax_scale(rng)
    check_orders(rng)
    check_ring(rng)
    check_inverse()
    check_norms()
    check_keys_of_one_sign()
    check_closure(args.tool)
    print("engines: EN.1 - EN.8 and EN.13 hold on small formats, and a closure was computed again")
    print("1 passed, 0 failed")


if __name__ == "__main__":
    main()
