"""The claim `settles` of horizon-check, computed again in float64: the states after z u^t w by
powers of the period's matrix, the answers at several t from T on and at the limit, and the
automaton's states (theory/pages/all-lengths.md, AL.5). It shares nothing with horizon-check or the
product."""

import re
from typing import NamedTuple

import numpy as np
from trained.run_certificate import Wrong

CLAIM = re.compile(
    rb"learned-cert 1\nfsa [0-9a-f]{64}\nconfig [0-9a-f]{64}\nweights [0-9a-f]{64}\n"
    rb"scope exact\nclaim settles\nprefix((?: [1-9][0-9]*)*)\nperiod((?: [1-9][0-9]*)+)\n"
    rb"(?:suffix((?: [1-9][0-9]*)+)\n)?"
    rb"answer ([1-9][0-9]*)\nafter ([1-9][0-9]*)\nend\n"
)
MOST = 1 << 32
LIMIT = 44  # squarings after which the state is the limit, for rates up to 1 - 1e-11


class Claim(NamedTuple):
    prefix: list
    period: list
    suffix: list
    answer: int
    after: int


def read_claim(text, letters, labels):
    found = CLAIM.fullmatch(text)
    if not found:
        raise Wrong("another certificate")
    prefix, period = ([int(x) - 1 for x in found[i].split()] for i in (1, 2))
    suffix = [int(x) - 1 for x in (found[3] or b"").split()]
    claim = Claim(prefix, period, suffix, int(found[4]) - 1, int(found[5]))
    if max(prefix + period + suffix) >= letters or claim.answer >= labels or claim.after >= MOST:
        raise Wrong("a number that is too large")
    return claim


def power(matrix, shift, t):
    """Returns the t-th power of the map S -> matrix S + shift, as such a pair."""
    out, more = np.broadcast_to(np.eye(matrix.shape[-1]), matrix.shape), np.zeros_like(shift)
    while t:
        if t & 1:
            out, more = matrix @ out, matrix @ more + shift
        matrix, shift, t = matrix @ matrix, matrix @ shift + shift, t >> 1
    return out, more


def period_map(network, period):
    """Returns the matrices [heads][key][key] of the period, and what it makes of the state 0."""
    shape = network.start().shape
    shift, matrix = np.zeros(shape), np.eye(shape[2])
    for w in period:
        shift, matrix = network.step(shift, w), network.matrix(w) @ matrix
    return matrix, shift[0]


def state_after(automaton, state, word):
    for w in word:
        state = automaton.next[state][w]
    return state


def cycle_after(automaton, claim):
    """Returns the states of the cycle that T periods have reached."""
    seen = []

    def after(q, word):
        return state_after(automaton, q, word)

    state = after(automaton.start, claim.prefix)
    for _ in range(min(claim.after, len(automaton.states))):
        state = after(state, claim.period)
    while state not in seen:
        seen.append(state)
        state = after(state, claim.period)
    if state != seen[0]:
        raise Wrong("the states are not in their cycle yet")
    return seen


def check(text, network, automaton, begin):
    """Returns the words of the verdict that are the claim's; raises Wrong where it is not true."""
    letters, labels = len(automaton.letters), network.model["labels"]
    claim = read_claim(text, letters, labels)
    cycle = cycle_after(automaton, claim)
    ends = [state_after(automaton, q, claim.suffix) for q in cycle]
    wrong = sum(q != claim.answer for q in ends)
    if wrong == 0:
        raise Wrong("the limit's answer is right")
    state = network.start()
    for w in ([letters] if begin else []) + claim.prefix:
        state = network.step(state, w)
    one = period_map(network, claim.period)
    for t in (*range(claim.after, claim.after + 4), 2 * claim.after, 1 << LIMIT):
        matrix, shift = power(*one, t)
        here = (matrix @ state[0] + shift)[None]
        for w in claim.suffix:
            here = network.step(here, w)
        last = [*claim.period, *claim.suffix][-1]
        if not network.margins(here, last, claim.answer)[0] > 0:
            raise Wrong(f"the answer after {t} periods")
    within = len(claim.prefix) + len(claim.suffix)
    within += (claim.after + len(cycle) - wrong) * len(claim.period)
    words = "".join(
        f" {name} {','.join(str(x + 1) for x in getattr(claim, name))}"
        for name in ("prefix", "period", "suffix")
        if getattr(claim, name)
    )
    return (
        f"{words} answer {claim.answer + 1} cycle {len(cycle)} wrong {wrong}"
        f" after {claim.after} within {within}"
    )
