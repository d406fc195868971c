"""The claim `roots` of horizon-check, computed again in float64: the cycles of the period, and
whether products of few eigenvalues of modulus 1 are roots of unity of the order
(theory/pages/all-lengths.md, AL.15). It shares nothing with horizon-check or the product, and
computes nothing modulo a prime."""

import itertools
import re

import numpy as np
from trained.run_certificate import Wrong
from trained.run_settle import period_map, state_after

CLAIM = re.compile(
    rb"learned-cert 1\nfsa [0-9a-f]{64}\nconfig [0-9a-f]{64}\nweights [0-9a-f]{64}\n"
    rb"scope exact\nclaim roots\nperiod((?: [1-9][0-9]*)+)\norder ([1-9][0-9]*)\n"
    rb"prime ([1-9][0-9]*)\nend\n"
)
TURNS, POWERS, AT_ONCE, NEAR, MOST_PRIME = 24, (-2, -1, 1, 2), 2, 1e-9, 1 << 20


def is_prime(n):
    return n > 1 and all(n % d for d in range(2, int(n**0.5) + 1))


def cycle_of(automaton, period, order):
    """Returns the size of the first cycle that the order divides; states in the order in which
    words lead to them."""
    met = [automaton.start]
    for first in met:
        q = first
        for size in range(1, len(automaton.states) + 1):
            q = state_after(automaton, q, period)
            if q == first and size % order == 0:
                return size
            if q == first:
                break
        met += [q for q in dict.fromkeys(automaton.next[first]) if q not in met]
    raise Wrong("no cycle that the order divides")


def turns_of(network, period):
    """Returns the parts of a whole turn of the eigenvalues of modulus 1 of all heads."""
    values = np.linalg.eigvals(period_map(network, period)[0]).ravel()
    turns = abs(np.angle(values[abs(abs(values) - 1) < NEAR])) / (2 * np.pi)
    return np.unique(turns.round(12))


def check(text, network, automaton):
    """Returns the words of the verdict before and behind the scope; raises Wrong where the claim is
    not true."""
    found = CLAIM.fullmatch(text)
    if not found:
        raise Wrong("another certificate")
    period, order, prime = [int(x) - 1 for x in found[1].split()], int(found[2]), int(found[3])
    if max(period) >= len(automaton.letters) or not is_prime(prime) or not 2 < prime < MOST_PRIME:
        raise Wrong("a number that cannot be")
    bases = [p for p in range(2, order + 1) if order % p == 0 and is_prime(p)]
    if len(bases) != 1 or prime in bases:
        raise Wrong("another order")
    cycle = cycle_of(automaton, period, order)
    turns = turns_of(network, period)
    for many in range(1, AT_ONCE + 1):
        for some in itertools.combinations(turns, many):
            for powers in itertools.product(POWERS, repeat=many):
                turn = float(np.dot(powers, some))
                for n in range(1, TURNS + 1):
                    if abs(n * turn - round(n * turn)) < NEAR * n:
                        if n % order == 0:
                            raise Wrong(f"a product of eigenvalues has the order {n}")
                        break
    words = ",".join(str(w + 1) for w in period)
    return f"roots order {order} prime {prime}", f" period {words} cycle {cycle}"
