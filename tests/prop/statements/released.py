"""Statements of theory/pages/released.md in exact arithmetic of its own: which eigenvalues letters
and words can have (RL.5, RL.10, RL.15), each also just outside its condition, where it must fail;
and the layers of fixed points (RL.15) and of attention (RL.12) that follow random automata."""

import argparse
import random
from fractions import Fraction
from functools import lru_cache
from itertools import product

from rational_rank import rank

ONE = Fraction(1)


# --- matrices and polynomials ---


def unit(n):
    return [[Fraction(i == j) for j in range(n)] for i in range(n)]


def times(a, b):
    return [[sum(x * y for x, y in zip(row, col)) for col in zip(*b)] for row in a]


def solve(a, b):
    """Returns the solution of a x = b, a matrix; None where a is singular."""
    n = len(a)
    rows = [list(map(Fraction, a[i] + b[i])) for i in range(n)]
    for i in range(n):
        pivot = next((r for r in range(i, n) if rows[r][i]), None)
        if pivot is None:
            return None
        rows[i], rows[pivot] = rows[pivot], rows[i]
        rows[i] = [x / rows[i][i] for x in rows[i]]
        for r in range(n):
            if r != i and rows[r][i]:
                rows[r] = [x - rows[r][i] * y for x, y in zip(rows[r], rows[i])]
    return [row[n:] for row in rows]


def polynomial(a):
    """Returns the characteristic polynomial, the coefficient of the highest power first."""
    n, c, m = len(a), [ONE], [[Fraction(0)] * len(a) for _ in a]
    for k in range(1, n + 1):
        m = times(a, m)
        for i in range(n):
            m[i][i] += c[-1]
        c.append(-sum(x * m[j][i] for i, row in enumerate(a) for j, x in enumerate(row)) / k)
    return c


def without(p, root):
    """Returns how often the root is one of p, and what is left of p."""
    many = 0
    while len(p) > 1:
        q = [p[0]]
        for x in p[1:]:
            q.append(x + root * q[-1])
        if q[-1]:
            break
        p, many = q[:-1], many + 1
    return many, p


def all_inside(p):
    """Decides whether all roots have a modulus below 1 (Schur and Cohn)."""
    while len(p) > 1:
        if abs(p[-1]) >= abs(p[0]):
            return False
        p = [p[0] * x - p[-1] * y for x, y in zip(p, p[::-1])][:-1]
    return True


def keeps(a, roots):
    """Decides whether the eigenvalues of modulus 1 or more are among the roots, and semisimple."""
    p = polynomial(a)
    for root in roots:
        many, p = without(p, root)
        shifted = [[x - root * (i == j) for j, x in enumerate(row)] for i, row in enumerate(a)]
        if len(a) - rank(shifted) != many:
            return False
    return all_inside(p)


def factor(k, beta):
    """Returns I - beta k k^T / |k|^2."""
    s = sum(x * x for x in k)
    return [[(i == j) - Fraction(beta) * x * y / s for j, y in enumerate(k)]
            for i, x in enumerate(k)]


def key(rng, n):
    return [rng.choice((-2, -1, 0, 1, 2)) for _ in range(n - 1)] + [rng.choice((1, 3))]


def gates(rng, n, choice):
    return [[Fraction(rng.choice(choice)) if i == j else Fraction(0) for j in range(n)]
            for i in range(n)]


# --- RL.15, RL.5, RL.10: eigenvalues ---

SIGNED = (-1, Fraction(-1, 2), 0, Fraction(1, 2), 1)


def fixed_point_matrix(d, r):
    """Returns (I - (I - D) R)^{-1} D; None where the fixed point is not one."""
    n = range(len(d))
    left = [[(i == j) - (1 - d[i][i]) * r[i][j] for j in n] for i in n]
    return solve(left, d)


def check_fixed_points(rng):
    """RL.15: 1 alone, and semisimple, for |I - Q| <= 1; beyond that -1 is one, and it may grow."""
    singular = ones = 0
    for _ in range(700):
        n = rng.randint(1, 4)
        d = gates(rng, n, (0, 0, Fraction(1, 4), Fraction(7, 8), 1, 1))
        r = times(times(factor(key(rng, n), 2), gates(rng, n, SIGNED)), factor(key(rng, n), 2))
        a = fixed_point_matrix(d, r)
        singular += a is None
        assert a is None or keeps(a, [1]), (d, r)
        ones += a is not None and not all_inside(polynomial(a))
    assert singular > 9 and ones > 100, (singular, ones)
    for d in (Fraction(1, 100), Fraction(1, 2)):
        a = fixed_point_matrix([[d]], [[(1 + d) / (1 - d)]])
        assert a == [[-1]] and not keeps(a, [1])


def check_signed_gates(rng):
    """RL.5 with real gates: words have 1 and -1 alone; not with beta = 2, which turns."""
    minus = 0
    for _ in range(500):
        n = rng.randint(1, 4)
        word = unit(n)
        for _ in range(rng.randint(1, 4)):
            word = times(gates(rng, n, SIGNED + (-1, 1)), word)
            if rng.random() < 0.7:
                word = times(factor(key(rng, n), rng.choice((0, Fraction(1, 2), 1, "3/2"))), word)
        assert keeps(word, [1, -1]), word
        minus += without(polynomial(word), -1)[0] > 0
    assert minus > 50, minus
    assert not keeps(times(factor([1, 2], 2), [[-ONE, 0 * ONE], [0 * ONE, ONE]]), [1, -1])


def check_momentum():
    """RL.10: with p = alpha k no root of unity but 1; with p = k a reflection, at c = 1 already
    where negative eigenvalues are allowed."""
    parts = [Fraction(i, 8) for i in range(9)]
    for eta, c, s in product((0, Fraction(1, 2), 1, 2), (Fraction(1, 2), 1, 4), (1, 2)):
        cos2 = 1 / (1 + Fraction(c * eta) ** 2)
        for a, b, mu in product(parts, parts, parts):
            alpha, beta = a * cos2, b * s * (1 - cos2)
            trace, det = alpha + mu - alpha * beta * eta, alpha * mu
            assert 1 + trace + det > 0
            assert trace * trace >= 4 * det or det < 1
    for eta, c in ((1, 1), (2, 1), (2, Fraction(1, 2))):
        assert 2 * (1 - 1 / (1 + Fraction(c * eta) ** 2)) >= 1
    assert polynomial([[-2 * ONE, -ONE], [2 * ONE, ONE]]) == [1, 1, 0]  # alpha = 0, beta = mu = 1


# --- RL.15: layers of fixed points ---


@lru_cache(maxsize=None)
def copied(h, to, sources, sign):
    """Returns the fixed point of the letter that copies the sum of the sources to a coordinate."""
    n, k = len(h), len(sources)
    u = [sign * k if i == to else int(i in sources) for i in range(n)]
    r = [[Fraction(x * y, k * k + k) for y in u] for x in u]
    left = [[(i == j) - r[i][j] * (i == to) for j in range(n)] for i in range(n)]
    return tuple(x for x, in solve(left, [[0 if i == to else x] for i, x in enumerate(h)]))


def taken(h, to, number):
    """Returns the state after a letter that takes in a number: D is 0 there, and Q = I."""
    return tuple(number if i == to else x for i, x in enumerate(h))


TURN = [(-1, 1), (1, 1), (1, -1), (-1, -1)]  # what a clock runs through


def tick(clocks, enters):
    """Lets a clock of several layers, each a pair, see one change, and returns the number."""
    for at, (a, b) in enumerate(clocks):
        clocks[at] = copied((a, b), 0, (1,), 1) if enters else copied((a, b), 1, (0,), -1)
        if enters:
            break
        assert clocks[at][1] != b
        enters = clocks[at][1] == -1


def count(clocks):
    total = 0
    for at, pair in enumerate(clocks):
        total += (TURN.index(pair) % (2 if at + 1 < len(clocks) else 4)) << at
    return total


def idle_power(table):
    """Returns the least m >= 1 with x^(m+1) = x^m; None: the letter acts as a cycle."""
    power = list(table)
    for m in range(1, len(table) + 1):
        following = [table[q] for q in power]
        if following == power:
            return m
        power = following
    return None


def image(state, word, tables):
    for x in word:
        state = tables[x][state]
    return state


def follow_by_fixed_points(tables, m, word):
    states, letters = len(tables[0]), len(tables)
    block = 1 << (2 * states - 1).bit_length()  # M
    types = [(x, r) for x in range(letters) for r in range(1, m + 1)]
    layers = (len(types) - 1) + block.bit_length() - 1 - 1
    clocks = [[(-1, 1)] * layers for _ in range(1 << len(types))]
    vector = tuple(int(q == 0) for q in range(states)) + (0,) * states
    kind, busy, state = None, [], 0
    for x in word:
        state = tables[x][state]
        last = kind
        kind = (x, min(m, last[1] + 1) if last and last[0] == x else 1)
        if kind != last:  # a busy letter
            for sets, clock in enumerate(clocks):
                was = last is not None and sets >> types.index(last) & 1
                now = sets >> types.index(kind) & 1
                if was != now:
                    tick(clock, now)
            at = len(busy) % block
            spelled = busy[-at - block : len(busy) - at] if len(busy) >= block else None
            busy.append(x)
            if spelled:
                image_of = [image(p, spelled, tables) for p in range(states)]
                to = at % states
                if at < states:
                    sources = tuple(p for p in range(states) if image_of[p] == to)
                    vector = (copied(vector, states + to, sources, 1) if sources
                              else taken(vector, states + to, 0))
                elif at < 2 * states:
                    vector = copied(vector, to, (states + to,), 1)
        total = sum(map(count, clocks)) % (block << (len(types) - 1))
        assert total % (1 << (len(types) - 1)) == 0
        number = total >> (len(types) - 1)  # of the busy letters modulo M
        assert number == len(busy) % block
        at = (number - 1) % block + 1  # how many of them this block has
        held = busy[-2 * block :]  # what the heads of RL.2 hold
        now, before = held[-at:], held[: len(held) - at][-block:]
        if at <= states or not before:
            p = vector[:states].index(1)
            p = image(p, before, tables) if before else p
        else:
            p = vector[states:].index(1)
        assert image(p, now, tables) == state


def check_layers_of_fixed_points(rng):
    follow_by_fixed_points([[0, 0, 1], [2, 0, 2]], 2, [rng.randrange(2) for _ in range(120)])
    done = 0  # words act as cycles there
    while done < 10:
        states, letters = rng.randint(2, 4), rng.randint(1, 3)
        tables = [[rng.randrange(states) for _ in range(states)] for _ in range(letters)]
        powers = [idle_power(t) for t in tables]
        if None in powers or letters * max(powers) > 5:
            continue
        word = []
        while len(word) < 120:
            word += [rng.randrange(letters)] * rng.choice((1, 1, 1, 2, 5))
        follow_by_fixed_points(tables, max(powers), word)
        done += 1


# --- RL.12: attention with factors between positions ---


def attend(keys, values, query, weight):
    """Returns the output: inner products with keys are 0 or 1, whose weights are 1 and `weight`."""
    weights = [weight if sum(x * y for x, y in zip(k, query)) else 1 for k in keys]
    assert all(sum(x * y for x, y in zip(k, query)) in (0, 1) for k in keys)
    return Fraction(sum(w * v for w, v in zip(weights, values)), sum(weights))


def bit(output, m):
    assert output >= 1 - Fraction(1, 4 * m + 2) or output <= 1 - Fraction(2, 4 * m + 2), output
    return output >= 1 - Fraction(1, 4 * m + 2)


def reflect(keys, w, beta):
    """Applies I - beta w w^T / |w|^2 to all keys."""
    s = sum(x * x for x in w)
    for k in keys:
        c = beta * sum(x * y for x, y in zip(k, w)) // s
        k[:] = [x - c * y for x, y in zip(k, w)]


def swaps_of(table):
    """Returns swaps whose product, the first one first, is the permutation."""
    now, out = list(range(len(table))), []
    for i in range(len(table)):
        j = now.index(table.index(i))
        if j != i:
            out.append((i, j))
            now[i], now[j] = now[j], now[i]
    return out


def axis(n, i):
    return [int(j == i) for j in range(n)]


def follow_by_attention(tables, start, word):
    """Follows an automaton of one level, whose letters permute or are constant."""
    m, letters = len(tables[0]), len(tables)
    weight = (len(word) + 1) ** 3 * (4 * m + 2)
    ring_keys, ring_letters = [[0] * 2 * m], [None]
    keys, values = [axis(m + 1, start)], [1]
    state, swaps, constant = start, [], None
    for t, x in enumerate(word, 1):
        state = tables[x][state]
        slot, step = t % (2 * m), (t - 1) % m
        reflect(ring_keys, axis(2 * m, slot), 1)
        ring_keys.append(axis(2 * m, slot))
        ring_letters.append(x)
        read = []
        for back in range(min(t, 2 * m)):
            query = axis(2 * m, (t - back) % (2 * m))
            code = [bit(attend(ring_keys, [int(y == a) for y in ring_letters], query, weight), m)
                    for a in range(letters)]
            assert sum(code) == 1
            read.insert(0, code.index(True))
        for back in range(t, 2 * m):  # slots that are empty
            query = axis(2 * m, (t - back) % (2 * m))
            assert not any(bit(attend(ring_keys, [int(y == a) for y in ring_letters], query,
                                      weight), m) for a in range(letters))
        now, before = read[len(read) - step - 1 :], read[: len(read) - step - 1][-m:]
        if step == 0 and t > 1:
            block = [image(p, before, tables) for p in range(m)]
            constant = block[0] if len(set(block)) == 1 else None
            swaps = [] if constant is not None else swaps_of(block)
        written = axis(m + 1, constant) if constant is not None and step == m - 1 else [0] * (m + 1)
        if constant is not None:
            reflect(keys, axis(m + 1, step), 1)
        elif step < len(swaps):
            i, j = swaps[step]
            reflect(keys, [a - b for a, b in zip(axis(m + 1, i), axis(m + 1, j))], 2)
        keys.append(written)
        values.append(int(any(written)))
        alive = [bit(attend(keys, values, axis(m + 1, i), weight), m) for i in range(m)]
        if constant is not None:
            p = constant
        else:
            assert sum(alive) == 1
            p = alive.index(True)
            for i, j in swaps[step + 1 :]:
                p = j if p == i else i if p == j else p
        assert image(p, now, tables) == state
    return state


def check_attention(rng):
    for m in (2, 3, 4):
        for _ in range(3):
            tables = [rng.sample(range(m), m), rng.sample(range(m), m), [rng.randrange(m)] * m]
            word = [rng.choice((0, 0, 1, 1, 2)) for _ in range(40)]
            follow_by_attention(tables, rng.randrange(m), word)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.parse_args()
    rng = random.Random(49)
    check_fixed_points(rng)
    check_signed_gates(rng)
    check_momentum()
    check_layers_of_fixed_points(rng)
    check_attention(rng)
    print("released: RL.5, RL.10, RL.12 and RL.15 hold in exact arithmetic")
    print("1 passed, 0 failed")


if __name__ == "__main__":
    main()
