"""Decides whether automaton, network and certificate are right: the class of networks, replay in
fractions, closure, and the certificates that list joint states.

Right means right after every letter of every word, found by closing the pairs (state of the
network, state of the automaton) under all letters."""

import re

import field
from triple import (
    Malformed,
    edges_hold,
    integer,
    need,
    reachable,
    read_automaton,
    read_network,
    sha256,
)


def positive(over, x):
    """Returns whether x > 0; a number of a field that was removed is not."""
    return over.sign(x) > 0 if over else not isinstance(x, field.Number) and x > 0


def head_error(h):
    """Returns why the form is not positive definite or a key has no positive square with an
    inverse, or None."""
    rows = {(i, j): v for (i, j), v in (h.form or {}).items()}
    try:
        for k in range(h.n if h.form is not None else 0):  # rows above the diagonal
            if not positive(h.field, rows.get((k, k), 0)):
                return "form"
            for i in range(k + 1, h.n):
                for j in range(i, h.n):
                    rows[i, j] = (
                        rows.get((i, j), 0) - rows.get((k, i), 0) * rows.get((k, j), 0) / rows[k, k]
                    )
        for beta, u, c in (f for factors in h.factors for f in factors):
            if not positive(h.field, h.square(u)) or not 1 / h.square(u):  # the inverse must exist
                return "u"
    except ZeroDivisionError:
        return "no inverse"
    return None


def same_state(p, q):
    """Returns whether two states are equal as real numbers."""
    return all(field.is_zero(p.get(k, 0) - q.get(k, 0)) for k in p.keys() | q.keys())


def class_error(net, a):
    """Returns why the network is not in the declared class over the automaton's letters, or
    None."""
    letters = net.kinds()
    if net.face_error(a):
        return net.face_error(a)
    for y in net.layer:
        if y.letters != letters or not y.code:
            return "letters of a layer"
        for h in y.head:
            if any(not 0 <= g <= 1 for g in h.gate):
                return "gate"
            for beta, u, c in (f for factors in h.factors for f in factors):
                if not u or not 0 <= (beta * h.square(u) if h.raw else beta) <= 2:
                    return "beta or u"
            if (h.raw or h.bias) and (h.field or h.form is not None):
                return "a raw head or a bias over a field or with a form"
            if h.field or h.form is not None:
                if h.field and h.field.error() or head_error(h):
                    return "field or form"
        if any(all(map(same_state, p, q)) for k, p in enumerate(y.code) for q in y.code[:k]):
            return "equal codes"
        if any(x >= y.letters or i >= len(y.code) for x, i in y.yields):
            return "yield"
        if y.values and (
            len(y.table) != y.letters
            or any(
                part >= len(y.values) or len(symbols) != y.values[part] for part, symbols in y.table
            )
        ):
            return "yield"
        if y.values and any(
            len(v) != len(y.values) or any(p >= n for p, n in zip(v, y.values)) for v in y.symbol
        ):
            return "parts"
        symbols = (
            [s for _, row in y.table for s in row] if y.values else [*y.symbol, *y.yields.values()]
        )
        if any(s is not None and s >= y.symbols for s in symbols):
            return "symbol"
        letters = y.symbols
    return None if letters == len(net.labels) else "labels"


class Run:
    """Steps a network in exact arithmetic; each step is computed once."""

    def __init__(self, net):
        self.net, self.known = net, {}

    def step_layer(self, l, letter, code):
        """Returns the code after the letter, or None."""
        key = l, letter, code
        if key not in self.known:
            y = self.net.layer[l]
            state = [h.step(letter, s) for h, s in zip(y.head, y.code[code])]
            self.known[key] = y.code.index(state) if state in y.code else None
        return self.known[key]

    def step(self, joint, letter):
        """Returns (codes after the letter, label), with None from the layer on that has no code or
        symbol."""
        out = []
        for l, code in enumerate(joint):
            code = None if letter is None else self.step_layer(l, letter, code)
            out.append(code)
            letter = None if code is None else self.net.layer[l].symbol_of(letter, code)
        return tuple(out), letter

    def start(self):
        codes = []
        for y in self.net.layer:
            state = [h.initial for h in y.head]
            codes.append(y.code.index(state) if state in y.code else None)
        return tuple(codes)


def close(net, a, ignore_labels=False, checked=True):
    """Returns the rows [(state, codes, next rows)] in breadth-first order, or None when the network
    is wrong for the automaton."""
    if checked and class_error(net, a):
        return None
    return reachable(Run(net), a, net, ignore_labels)


class Certificate:
    """Data: sizes (layers, heads, householders, key, value), letters, states, count (of rows), rows
    [state, codes, next], end; and the claim, which may be swaps (swaps_mutate.py)."""

    claim = "exact"

    def text(self, fsa_text, net_text):
        out = [
            "lrnn-certificate 2",
            f"fsa {sha256(fsa_text)}",
            f"network {sha256(net_text)}",
            f"claim {self.claim}",
            "size layers {} heads {} householders {} key {} value {}".format(*self.sizes),
            f"letters {self.letters} states {self.states} rows {self.count}",
        ]
        for i, (state, codes, following) in enumerate(self.rows):
            out.append(
                f"row {i + 1} state {state + 1} codes {' '.join(str(c + 1) for c in codes)} "
                f"next {' '.join(str(r + 1) for r in following)}"
            )
        body = "\n".join([*out, f"end {self.end}"]) + "\n"
        return body + f"sha256 {sha256(body)}\n"


def certificate_of(net, a, rows):
    c = Certificate()
    c.sizes, c.letters, c.states = list(net.sizes()), net.kinds(), len(a.states)
    c.rows, c.count, c.end = rows, len(rows), len(rows)
    return c


def read_certificate(text, fsa_text, net_text, claim="exact"):
    c = Certificate()
    c.claim = claim
    lines = text.split("\n")
    need(len(lines) > 9 and len(lines[4].split()) == 11 and len(lines[5].split()) == 6)
    c.sizes = [integer(x) for x in lines[4].split()[2::2]]
    c.letters, c.states, c.count = (integer(x) for x in lines[5].split()[1::2])
    c.rows = []
    for line in lines[6:-3]:
        found = re.fullmatch(r"row \d+ state (\d+) codes ([\d ]+) next ([\d ]+)", line)
        need(found)
        state, codes, following = found.groups()
        c.rows.append(
            [
                integer(state, 1) - 1,
                [integer(x, 1) - 1 for x in codes.split()],
                [integer(x, 1) - 1 for x in following.split()],
            ]
        )
    c.end = integer(lines[-3].removeprefix("end "))
    need(c.text(fsa_text, net_text) == text, "not in canonical form")
    return c


def certificate_holds(c, net, a):
    """Returns whether the certificate is a table of the reachable pairs with every edge right, for
    a network of the class."""
    rows, run, a = c.rows, Run(net), net.over(a)
    if (
        a is None
        or tuple(c.sizes) != net.sizes()
        or c.letters != len(a.letters)
        or c.states != len(a.states)
        or not rows
        or c.count != len(rows)
        or c.end != len(rows)
        or not net.starts_right(a)
    ):
        return False
    for q, codes, following in rows:
        if (
            q >= len(a.states)
            or len(codes) != len(net.layer)
            or len(following) != len(a.letters)
            or any(i >= len(y.code) for i, y in zip(codes, net.layer))
            or any(r >= len(rows) for r in following)
        ):
            return False
    return edges_hold(rows, run, a, net)


def should_verify(fsa_text, net_text, cert_text, claim="exact", form=lambda net: True):
    """Returns (network right for the automaton, certificate right too), from the three texts
    alone. The certificate has this claim, about networks of this form."""
    try:
        a = read_automaton(fsa_text)
        net, named = read_network(net_text)
        need(named == sha256(fsa_text), "another automaton")
        need(class_error(net, a) is None, "not of the class")
        right = close(net, a) is not None
    except Malformed:
        return False, False
    try:
        c = read_certificate(cert_text, fsa_text, net_text, claim)
        return right, right and form(net) and certificate_holds(c, net, a)
    except Malformed:
        return right, False
