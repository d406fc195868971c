"""What lower bounds say of an automaton, decided without a certificate: forks and arcs by searching
tuples of states, idempotents with efe != fe by listing all maps, that lrnn-check verifies no
network with fewer layers, and none of one layer with one code for each state where there cannot
be one.

It takes the states that the start reaches, merged where no word tells them apart, from the
automaton alone, and shares no code with the checkers."""

import itertools
import re
import subprocess
from fractions import Fraction
from pathlib import Path

NAMES = "automaton.fsa", "network.lrnn", "certificate.cert"


def minimal(a, kind):
    """Returns the transitions [state][letter] of the least automaton with these labels, and
    {reached state of a: its state}."""
    reached = [a.start]
    for q in reached:
        reached += [t for t in dict.fromkeys(a.next[q]) if t not in reached]
    shown = a.edge_outputs if kind == "edges" else a.labels(kind)
    block = {q: str(shown[q]) for q in reached}
    while True:
        finer = {q: (block[q], *(block[t] for t in a.next[q])) for q in reached}
        names = list(dict.fromkeys(finer.values()))
        if len(names) == len(set(block.values())):
            break
        block = {q: names.index(finer[q]) for q in reached}
    place = {b: i for i, b in enumerate(dict.fromkeys(block[q] for q in reached))}
    first = {place[block[q]]: q for q in reversed(reached)}
    following = [[place[block[t]] for t in a.next[first[i]]] for i in range(len(place))]
    return following, {q: place[block[q]] for q in reached}


def led_to(following, states):
    """Returns all tuples to which words that are not empty lead the tuple."""
    letters = range(len(following[0]))

    def after(t):
        return [tuple(following[q][x] for q in t) for x in letters]

    out = list(dict.fromkeys(after(tuple(states))))
    seen = set(out)
    for t in out:
        for u in after(t):
            if u not in seen:
                seen.add(u)
                out.append(u)
    return seen


def has_fork(following, windows):
    """Returns whether words lead s to p and to q, both of which keep p and q (FK.4), and for
    windows whether a word keeps all three."""
    for s, p, q in itertools.permutations(range(len(following)), 3):
        found = led_to(following, (s, p, q))
        if {(p, p, q), (q, p, q)} <= found and (not windows or (s, p, q) in found):
            return True
    return False


def has_band(following):
    """Returns whether efe != fe for some idempotents of the maps that words make."""
    letters = range(len(following[0]))
    maps = list(dict.fromkeys(tuple(row[x] for row in following) for x in letters))
    known = set(maps)
    for f in maps:
        for x in letters:
            g = tuple(following[q][x] for q in f)
            if g not in known:
                known.add(g)
                maps.append(g)
    idempotent = [f for f in maps if all(f[f[q]] == f[q] for q in range(len(f)))]
    return any(
        e[f[e[q]]] != e[f[q]] for e in idempotent for f in idempotent for q in range(len(e))
    )


def has_arcs(following, n, windows):
    """Returns whether n states are connected by arcs both ways (FK.10)."""
    for states in itertools.combinations(range(len(following)), n):
        found = led_to(following, states)

        def arc(i, j):
            return (*states[:i], states[j], *states[i + 1 :]) in found

        joined = [0]
        for j in joined:
            joined += [i for i in range(n) if i not in joined and arc(i, j) and arc(j, i)]
        if len(joined) == n and (not windows or states in found):
            return True
    return False


def needs_a_layer(following, kind):
    """Returns whether the last letter alone does not tell the label."""
    if kind == "edges":
        return len(following) > 1
    return any(len(set(column)) > 1 for column in zip(*following))


def verified(tool, folder, fsa_text, kind, layers, finite=False):
    """Returns the certificate of a network of so many layers or fewer that lrnn-check verifies, or
    None where the compiler has none. finite: a network with boxes has infinitely many states, which
    a bound about finitely many does not speak of."""
    source, out = Path(folder) / "bounded.fsa", Path(folder) / "bounded"
    source.write_text(fsa_text, encoding="utf-8")
    options = ["--label", kind, "--layers", str(layers), "--formats", "bf16", "--force"]
    done = subprocess.run(
        [tool, "compile", source, *options, "--out", out],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    if done.returncode or not (out / NAMES[2]).exists():
        return None
    if finite and "\nbox " in (out / NAMES[1]).read_text(encoding="utf-8"):
        return None
    seen = subprocess.run(
        [Path(tool).parent / "lrnn-check", *(out / name for name in NAMES)],
        stdin=subprocess.DEVNULL,
        capture_output=True,
    )
    return None if seen.returncode else (out / NAMES[2]).read_text(encoding="utf-8")


def has_one_code(certificate, class_of):
    """Returns whether the joint states that a certificate lists have one code for each class."""
    rows = re.findall(r"^row \d+ state (\d+) codes (\d+) ", certificate, re.M)
    codes = {(class_of[int(state) - 1], code) for state, code in rows}
    return bool(rows) and len(codes) == len({c for c, _ in codes})


def is_semidefinite(matrix):
    """Returns whether x^T M x >= 0 for all x, M a symmetric matrix of fractions."""
    rows = [list(row) for row in matrix]
    while rows:
        first = rows[0]
        if first[0] < 0 or (first[0] == 0 and any(first)):
            return False
        rows = [
            [x - row[0] * y / first[0] if first[0] else x for x, y in zip(row[1:], first[1:])]
            for row in rows[1:]
        ]
    return True


def has_form(following):
    """Returns whether weights 1, 2 or 4 of the classes give a form that grows under no letter; it
    then separates all classes, so that one code for each is feasible (SP.1)."""
    n = len(following)
    differences = [(i, n - 1) for i in range(n - 1)]

    def grows(weight, w):
        def value(x, y):
            return sum(s * t * weight[i] for i, s in x.items() for j, t in y.items() if i == j)

        def led(d):
            out = {}
            for c, s in ((d[0], 1), (d[1], -1)):
                out[following[c][w]] = out.get(following[c][w], 0) + s
            return out

        vectors = [{a: 1, b: -1} for a, b in differences]
        after = [led(d) for d in differences]
        return not is_semidefinite(
            [
                [Fraction(value(x, y) - value(u, v)) for y, v in zip(vectors, after)]
                for x, u in zip(vectors, after)
            ]
        )

    letters = range(len(following[0]))
    return any(
        not any(grows(weight, w) for w in letters)
        for weight in itertools.product((1, 2, 4), repeat=n)
    )


class Statements:
    """Decides each statement about each automaton once."""

    def __init__(self, tool, folder):
        self.tool, self.folder, self.known = tool, folder, {}

    def hold(self, kind, line, a, fsa_text):
        """Returns whether the line of a verdict is true."""
        words = line.split(" ")
        label = words[words.index("label") + 1]
        bound = 0 if kind == "separation" else int(words[5])
        key = kind, bound, label, "windows" in words, "finite" in words, fsa_text
        if key not in self.known:
            self.known[key] = self.decide(*key, *minimal(a, label))
        return self.known[key]

    def decide(self, kind, bound, label, windows, finite, fsa_text, following, class_of):
        if kind == "separation":
            # in boxes a state of the automaton has many exact states, not one code
            found = verified(self.tool, self.folder, fsa_text, label, 1, finite=True)
            one_code = found is not None and has_one_code(found, class_of)
            return not one_code and not has_form(following)
        if kind == "stack":  # no bound that is known here contradicts it
            return finite and not has_arcs(following, bound + 2, False)
        if kind == "fork":
            found = bound == 2 and has_fork(following, windows)
        elif kind == "band":
            found = bound == 2 and finite and has_band(following)
        elif kind == "arcs":
            found = has_arcs(following, bound + 1, windows)
        elif bound == 1:
            found = needs_a_layer(following, label)
        else:
            found = has_band(following) if finite else has_fork(following, False)
        return found and (
            bound == 1
            or not verified(self.tool, self.folder, fsa_text, label, bound - 1, finite)
        )
