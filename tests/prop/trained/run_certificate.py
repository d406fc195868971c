"""A certificate of horizon-check, replayed in float64: what must hold of its numbers, whichever way
the checker bounds the errors of its own (theory/pages/learned.md, LH.3 to LH.6).

The spectral norm of R A R^-1 is computed by a singular value decomposition, radii by their
recursion, and answers at the centre of every ball and at a point of its boundary, where their
margins are small."""

import itertools
import re
from typing import NamedTuple

import numpy as np

NUMBER = re.compile(rb"0|-?[1-9][0-9]*")
UNIT = 2.0**-20
SMALL = 1e-3  # radius of a ball that is as good as its centre
MOST_WORDS = 2000  # of the prefix's length that are replayed
NEAR = 1e-7  # what float64 may be off by, relative to the numbers here


class Wrong(Exception):
    """Raised where a line is not in its form, or not true; the text says what is wrong."""


class Lines:
    """The lines of a certificate, read in their order."""

    def __init__(self, text):
        self.rest = text.split(b"\n")
        self.rest.reverse()

    def line(self, word):
        """Returns what follows the word in the next line."""
        if not self.rest or not self.rest[-1].startswith(word):
            raise Wrong(f"expected {word.decode()}")
        return self.rest.pop()[len(word) :]

    def numbers(self, word, count, unit=UNIT):
        """Returns the numbers of the next line as an array."""
        texts = self.line(word + b" ").split(b" ") if count else self.line(word).split()
        if len(texts) != count or not all(NUMBER.fullmatch(x) for x in texts):
            raise Wrong(f"numbers of {word.decode()}")
        return np.array([int(x) for x in texts], float) * unit

    def end(self):
        if self.rest != [b"", b"end"]:
            raise Wrong("expected the end")


class Bounds(NamedTuple):
    form: np.ndarray  # [heads][key][key] R
    inverse: np.ndarray
    norm: np.ndarray  # [letters][heads] listed for |R A R^-1|


def least(found, listed, what):
    """Raises Wrong where the listed number is below what was found."""
    if not (listed >= found - NEAR * (1 + abs(found))).all():
        raise Wrong(what)


def read_bounds(lines, network, letters):
    model = network.model
    heads, keys = model["heads"], model["key_dim"]
    form = np.zeros((heads, keys, keys))
    for r in form:
        r[np.triu_indices(keys)] = lines.numbers(b"form", keys * (keys + 1) // 2)
        if not (np.diag(r) > 0).all():
            raise Wrong("a diagonal")
    inverse, norm = np.linalg.inv(form), np.zeros((letters, heads))
    for w in range(letters):
        norm[w] = lines.numbers(b"norm %d" % (w + 1), heads)
        true = np.linalg.norm(form @ network.matrix(w) @ inverse, 2, axis=(1, 2))
        least(true, norm[w], f"norm of letter {w + 1}")
    return Bounds(form, inverse, norm)


def along_queries(network, bounds, w):
    """Returns for each head the matrices [heads][value][key][value] of length 1 in the norm of R
    that move what the letter's query reads most, each in one value."""
    seen = np.einsum("hk,hkl->hl", network.letters[w][0], network.matrix(w))
    along = np.einsum("hk,hkl->hl", seen, bounds.inverse)
    along /= np.linalg.norm(along, axis=1, keepdims=True) + 1e-300
    moved = np.einsum("hkl,hl->hk", bounds.inverse, along)
    return moved[:, None, :, None] * np.eye(network.model["value_dim"])[None, :, None, :]


def worst(network, bounds, w, to, centres, radius):
    """Returns for each centre the point at the listed distance in the direction in which its margin
    after the letter falls, to the first order."""
    one, heads, values = along_queries(network, bounds, w), *centres.shape[1:4:2]

    def margins(states):
        return network.margins(network.step(states, w), w, to)

    slope, before = np.zeros((len(centres), heads, values)), margins(centres)
    for h in range(heads):
        for v in range(values):
            near = centres.copy()
            near[:, h] += 1e-6 * one[h, v]
            slope[:, h, v] = margins(near) - before
    slope /= np.linalg.norm(slope, axis=2, keepdims=True) + 1e-300
    return centres - np.einsum("qhv,h,hvkx->qhkx", slope, radius, one)


def step_ball(network, automaton, bounds, ball, group):
    """Checks the answers of a ball, {state: centre} and its radius, and returns the next centres
    and the least radius that they need."""
    centres, radius = ball
    places = sorted(centres)
    here, needed, images = np.array([centres[q] for q in places]), 0, {}
    for w in group:
        to = np.array([automaton.next[q][w] for q in places])
        far = [worst(network, bounds, w, to, here, radius)] if radius.max() > SMALL else []
        for points in (here, *far):
            if not (network.margins(network.step(points, w), w, to) > 0).all():
                raise Wrong(f"an answer after letter {w + 1}")
        for q, image in zip(to, network.step(here, w)):
            images.setdefault(int(q), []).append((w, image))
    after = {q: np.mean([x for _, x in some], axis=0) for q, some in images.items()}
    for q, some in images.items():
        for w, image in some:
            drift = np.linalg.norm(bounds.form @ (image - after[q]), 2, axis=(1, 2))
            needed = np.maximum(needed, bounds.norm[w] * radius + drift)
    return after, needed


def check_word(network, automaton, begin, bounds, word, most, group):
    """Checks the answers to the words that begin with `word`, and are of at most that length."""
    start, place = network.start(), automaton.start
    if begin:
        start = network.step(start, len(automaton.letters))
    for w in word:
        start, place = network.step(start, w), automaton.next[place][w]
    ball = {place: start[0]}, np.zeros(network.model["heads"])
    for _ in range(len(word), most):
        ball = step_ball(network, automaton, bounds, ball, group)


def read_claim(lines, letters):
    """Returns the length, the prefix and the numbers of the letters of the words."""
    most, prefix = (int(lines.numbers(word, 1, 1)[0]) for word in (b"horizon", b"prefix"))
    if not 0 <= prefix < most or prefix > 64:
        raise Wrong("the prefix")
    texts = lines.line(b"letters ").split(b" ")
    if not all(NUMBER.fullmatch(x) for x in texts):
        raise Wrong("the letters")
    group = [int(x) - 1 for x in texts]
    if group != sorted(set(group)) or not 0 <= group[0] <= group[-1] < letters:
        raise Wrong("the letters")
    return most, prefix, group


def check(text, network, automaton, begin):
    """Raises Wrong where the certificate cannot be right."""
    lines = Lines(text)
    for word in (b"horizon-cert 2", b"fsa ", b"config ", b"weights ", b"scope "):
        lines.line(word)
    letters = len(automaton.letters)
    most, prefix, group = read_claim(lines, letters)
    bounds = read_bounds(lines, network, letters)
    lines.end()
    words = itertools.product(group, repeat=prefix)
    for word in itertools.islice(words, MOST_WORDS):
        check_word(network, automaton, begin, bounds, word, most, group)
