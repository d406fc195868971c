"""The claim `finite` of horizon-check, followed again with rational numbers: which letters act
exactly, all states that are reached, answers in float64 from each of them, with other heads
anywhere, and answers after random words in the format of the scope (theory/pages/all-lengths.md,
AL.12, AL.13). It shares nothing with horizon-check or the product."""

from collections import deque
from fractions import Fraction

import numpy as np
from trained import run_network
from trained.run_certificate import Lines, Wrong
from trained.run_files import MIXER
from trained.run_forever import SCOPES, Letters, check_words, margins_of

MOST, ANYWHERE = 2000, 32


class Heads:
    """Some heads with rational states: of each a matrix of coefficients of the rows of its start
    and of the values of factors over the lengths of t."""

    def __init__(self, network, heads, scope):
        self.network, self.heads, self.model = network, heads, network.model
        self.keys, self.factors = self.model["key_dim"], self.model["householders"]
        letters = range(self.model["letters"])
        self.rows = self.keys + len(letters) * self.factors
        self.acts = {(w, h): self.act(w, h, scope) for w in letters for h in heads}
        self.parts = {h: self.parts_of(h) for h in heads}

    def act(self, w, h, scope):
        """Returns [(t, beta, row of the value)] of the factors that are not the identity."""
        m, out = self.model, []
        x = self.network.norm(self.network.w["embedding.weight"][w],
                              self.network.w["layers.0.mixer_norm.weight"])
        key = self.network.heads("k_proj.weight", x, self.factors, self.keys, m["silu_keys"])
        slope = m["slope"] * self.network.heads("b_proj.weight", x, self.factors, 1, False)
        for n in range(self.factors):
            y, z = key[n][h], float(slope[n][h][0])
            if not (np.isfinite(y).all() and np.isfinite(z)):
                raise Wrong("numbers that are not finite")
            most = abs(y).max()
            if most == 0 or z <= -2:
                continue
            if z < 2:
                raise Wrong("a beta inside its range")
            t = [0 if abs(v) * 2 < most else 1 if v > 0 else -1 for v in y]
            beta = 2 if m["negative"] else 1
            if scope != b"exact" and (sum(map(abs, t)) > 1 or (m["additive"] and beta == 2)):
                raise Wrong("a state that is rounded")
            out.append((t, beta, self.keys + w * self.factors + n))
        return out

    def parts_of(self, h):
        m = self.model
        parts = np.zeros((self.rows, m["value_dim"]))
        if m["learned_start"]:
            parts[: self.keys] = self.network.w[MIXER + "initial_state"][h]
        for (w, g), acts in self.acts.items():
            for t, _, row in acts if g == h and m["additive"] else []:
                value = self.network.letters[w][3][row - self.keys - w * self.factors][h]
                parts[row] = value / np.sqrt(sum(map(abs, t)))
        return parts

    def first(self):
        one = tuple(
            tuple(Fraction(int(i == j and self.model["learned_start"])) for j in range(self.rows))
            for i in range(self.keys)
        )
        return {h: one for h in self.heads}

    def step(self, states, w):
        out = {}
        for h, state in states.items():
            for t, beta, row in self.acts[w, h]:
                along = [sum(a * b for a, b in zip(t, column)) for column in zip(*state)]
                along = [x / sum(map(abs, t)) for x in along]
                if self.model["additive"]:
                    along[row] -= 1
                state = tuple(
                    tuple(x - beta * a * y for x, y in zip(line, along))
                    for a, line in zip(t, state)
                )
            out[h] = state
        return out

    def read(self, states):
        """Returns the states [heads][key][value] of all heads, of others 0."""
        m = self.model
        out = np.zeros((m["heads"], self.keys, m["value_dim"]))
        for h, state in states.items():
            out[h] = np.array([[float(x) for x in row] for row in state]) @ self.parts[h]
        return out


def check_answer(heads, states, w, place, rng):
    """Checks the answer, with the other heads' o of any size and direction."""
    m = heads.model
    o = np.repeat(heads.network.heads_read(heads.read(states)[None], w), ANYWHERE, axis=0)
    others = [h for h in range(m["heads"]) if h not in heads.heads]
    sizes = 10.0 ** rng.uniform(-4, 2, (ANYWHERE, len(others), 1))
    o[:, others] = sizes * rng.standard_normal((ANYWHERE, len(others), m["value_dim"]))
    if not (margins_of(heads.network, o, w, place) > 0).all():
        raise Wrong("the answer in a state")


def follow(heads, automaton, begin, rng):
    """Returns how many states are reached."""
    states = heads.first()
    if begin:
        states = heads.step(states, len(automaton.letters))
    first = automaton.start, tuple(states.values())
    seen, queue = {first}, deque([first])
    while queue:
        place, states = queue.popleft()
        for w in range(len(automaton.letters)):
            after, to = heads.step(dict(zip(heads.heads, states)), w), automaton.next[place][w]
            check_answer(heads, after, w, to, rng)
            key = to, tuple(after.values())
            if key not in seen:
                seen.add(key)
                queue.append(key)
            if len(seen) > MOST:
                raise Wrong("states without end")
    return len(seen)


def check(text, model, tensors, automaton, begin):
    """Returns what the verdict says of the claim, and its scope; raises Wrong where it is not true.
    The numbers that are not rational here are right up to float64."""
    lines, rng = Lines(text), np.random.default_rng(7)
    lines.line(b"learned-cert 1")
    for word in (b"fsa ", b"config ", b"weights "):
        lines.line(word)
    scope = lines.line(b"scope ")
    if scope not in SCOPES or lines.line(b"claim ") != b"finite":
        raise Wrong("another claim")
    if not model.get("exact_keys") or (model["key_dim"] > 1 and not model.get("ternary_keys")):
        raise Wrong("another network")
    count = lines.rest[-1].count(b" ") if lines.rest else 0
    listed = [int(x) - 1 for x in lines.numbers(b"heads", count, 1)]
    if not listed or listed != sorted({*listed} & {*range(model["heads"])}):
        raise Wrong("the heads")
    if scope != b"exact" and len(listed) < model["heads"]:
        raise Wrong("heads that are not followed")
    denominator = int(lines.numbers(b"denominator", 1, 1)[0])
    joint = int(lines.numbers(b"joint", 1, 1)[0])
    lines.end()
    if not 0 < denominator <= 2**30:
        raise Wrong("the denominator")
    network, automaton = run_network.Network(model, tensors, np.float64), Letters(automaton)
    heads = Heads(network, listed, scope)
    if follow(heads, automaton, begin, rng) != joint:
        raise Wrong("another number of states")
    check_words(run_network.Network(model, tensors, SCOPES[scope]), automaton, begin, rng, words=4)
    return joint, scope.decode()
