"""Certificates `roots` beside an evaluation of the network with 50 digits (mpmath): the period has
a cycle whose size the order divides, and no product of up to three eigenvalues of modulus 1 of its
matrices, each to a power of -2 .. 2, is a root of unity of a multiple of that order, up to 64.

Nothing is computed modulo a prime, and no factor is left out: the matrices are the network's.

usage: roots_exact.py RUN CERTIFICATE ..   pairs; prints one line for each, exit status 1 where a
claim is not true. Without mpmath it says so, with exit status 2."""

import itertools
import math
import re
import sys
from pathlib import Path

from settle_exact import Network, judge, mp, triple, word_maps

TURNS, POWERS, AT_ONCE, NEAR = 64, (-2, -1, 1, 2), 3, mp.mpf(10) ** -20


def eigenvalues(matrix):
    """Returns them all. mpmath's iteration can stand still, where another basis lets it go on."""
    if matrix.rows == 1:
        return list(matrix)
    basis = mp.randmatrix(matrix.rows)
    try:
        return mp.eig(matrix, left=False, right=False)
    except RuntimeError:
        return mp.eig(basis**-1 * matrix * basis, left=False, right=False)


def angles(network, period):
    """Returns the parts of a whole turn, in 0 .. 1/2, of all eigenvalues of modulus 1."""
    found = []
    for matrix, _ in word_maps(network, period):
        for value in eigenvalues(matrix):
            if abs(abs(value) - 1) > NEAR:
                continue
            turn = abs(mp.arg(value)) / (2 * mp.pi)
            if all(abs(turn - other) > NEAR for other in found):
                found.append(turn)
    return found


def order_of(turn):
    """Returns the order of a root of unity, of at most TURNS, or None."""
    for n in range(1, TURNS + 1):
        if abs(n * turn - mp.nint(n * turn)) < NEAR * n:
            return n
    return None


def products(turns):
    for many in range(1, AT_ONCE + 1):
        for some in itertools.combinations(turns, many):
            for powers in itertools.product(POWERS, repeat=many):
                yield sum(p * turn for p, turn in zip(powers, some))


def reached(automaton):
    met = [automaton.start]
    for q in met:
        met += [to for to in dict.fromkeys(automaton.next[q]) if to not in met]
    return met


def cycles(automaton, period):
    """Returns the sizes of the cycles of the states that words lead to."""
    sizes = set()
    for first in reached(automaton):
        q = first
        for size in range(1, len(automaton.next) + 1):
            for w in period:
                q = automaton.next[q][w]
            if q == first:
                sizes.add(size)
                break
    return sizes


def roots_of(turns):
    """Returns the number of roots of unity that all eigenvalues generate, or None where some are
    of none that is known."""
    orders = [order_of(turn) for turn in turns]
    return None if None in orders else math.lcm(*orders)


def is_power_of_prime(n):
    base = next((p for p in range(2, n + 1) if n % p == 0), None)
    while base and n % base == 0:
        n //= base
    return base is not None and n == 1


def check(folder, certificate):
    """Returns whether the claim is true as far as this tells, and what was found."""
    text = Path(certificate).read_text(encoding="ascii")
    claim = re.search(
        r"^scope exact\nclaim roots\nperiod ([\d ]+)\norder (\d+)\nprime \d+\nend\n\Z", text, re.M
    )
    automaton = triple.read_automaton(Path(folder, "automaton.fsa").read_text(encoding="utf-8"))
    period, order = [int(x) - 1 for x in claim[1].split()], int(claim[2])
    if not is_power_of_prime(order):
        return False, "no power of a prime"
    if not any(size % order == 0 for size in cycles(automaton, period)):
        return False, "no such cycle"
    turns = angles(Network(folder), period)
    for turn in products(turns):
        found = order_of(turn)
        if found and found % order == 0:
            return False, f"a product of eigenvalues has the order {found}"
    return True, f"{len(turns)} angles"


if __name__ == "__main__":
    sys.exit(judge(check, str))
