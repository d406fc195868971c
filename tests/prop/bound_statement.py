"""What lower bounds say of an automaton, decided without a certificate: forks and arcs by searching
tuples of states, and that lrnn-check verifies no network with fewer layers.

It takes the states that the start reaches, merged where no word tells them apart, from the
automaton alone, and shares no code with the checkers."""

import itertools
import subprocess
from pathlib import Path

NAMES = "automaton.fsa", "network.lrnn", "certificate.cert"


def minimal(a, kind):
    """Returns the transitions [state][letter] of the least automaton with these labels."""
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
    return [[place[block[t]] for t in a.next[first[i]]] for i in range(len(place))]


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


def verified_below(tool, folder, fsa_text, kind, bound):
    """Returns whether the compiler has a network of fewer layers that lrnn-check verifies."""
    source, out = Path(folder) / "bounded.fsa", Path(folder) / "bounded"
    source.write_text(fsa_text, encoding="utf-8")
    options = ["--label", kind, "--layers", str(bound - 1), "--formats", "bf16", "--force"]
    done = subprocess.run(
        [tool, "compile", source, *options, "--out", out],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    if done.returncode or not (out / NAMES[2]).exists():
        return False
    seen = subprocess.run(
        [Path(tool).parent / "lrnn-check", *(out / name for name in NAMES)],
        stdin=subprocess.DEVNULL,
        capture_output=True,
    )
    return seen.returncode == 0


class Statements:
    """Decides each statement about each automaton once."""

    def __init__(self, tool, folder):
        self.tool, self.folder, self.known = tool, folder, {}

    def hold(self, kind, line, a, fsa_text):
        """Returns whether the line of a verdict of fork-check, arcs-check or depth-check is
        true."""
        words = line.split(" ")
        bound, label = int(words[words.index("least") + 1]), words[words.index("label") + 1]
        windows = "windows" in words
        key = kind, bound, label, windows, fsa_text
        if key not in self.known:
            self.known[key] = self.decide(*key, minimal(a, label))
        return self.known[key]

    def decide(self, kind, bound, label, windows, fsa_text, following):
        found = {
            "fork": lambda: bound == 2 and has_fork(following, windows),
            "arcs": lambda: has_arcs(following, bound + 1, windows),
            "depth": lambda: (
                needs_a_layer(following, label) if bound == 1 else has_fork(following, False)
            ),
        }[kind]()
        return found and not (
            bound > 1 and verified_below(self.tool, self.folder, fsa_text, label, bound)
        )
