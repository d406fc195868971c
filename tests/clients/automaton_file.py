"""Reads automaton.fsa: deterministic and total, by edges or by permutations."""

import json
import re

TOKEN = re.compile(r'\s*(?:(#.*)|("(?:[^"\\]|\\.)*")|((?:\([^()]*\)[ \t]*)+)|([^\s"()#]+))')


class Mismatch(Exception):
    pass


def require(condition, text):
    if not condition:
        raise Mismatch(text)


def tokens(line):
    """Returns (kind, text) of every token: kind "bare", "quoted" or "cycles"."""
    out, at = [], 0
    while line[at:].strip():
        match = TOKEN.match(line, at)
        require(match, f"cannot read {line!r}")
        at = match.end()
        if match[2]:
            out.append(("quoted", json.loads(match[2])))
        elif match[3]:
            out.append(("cycles", match[3].strip()))
        elif match[4]:
            out.append(("bare", match[4]))
    return out


def permutation(text, points):
    """Returns the images of 0..points-1."""
    image = list(range(points))
    for cycle in re.findall(r"\(([^()]*)\)", text):
        members = [int(p) - 1 for p in cycle.split()]
        for a, b in zip(members, members[1:] + members[:1]):
            image[a] = b
    require(sorted(image) == list(range(points)), f"{text} is no permutation of {points} points")
    return tuple(image)


def cycle_notation(image):
    seen, out = set(), ""
    for start in range(len(image)):
        cycle, p = [], start
        while p not in seen:
            seen.add(p)
            cycle.append(str(p + 1))
            p = image[p]
        if len(cycle) > 1:
            out += f"({' '.join(cycle)})"
    return out or "()"


class Automaton:
    """A deterministic and total automaton; next[state][letter], all counted from 0."""

    def __init__(self, text):
        self.letters, self.states, self.start = [], [], 0
        edges, permutations, names = [], [], {"accept": [], "output": {}}
        points, track = 0, None
        for line in text.split("\n"):
            kinds = tokens(line)
            if not kinds:
                continue
            words = [t for _, t in kinds]
            word = words[0] if kinds[0][0] == "bare" else None
            if words[:2] == ["fsa", "added"] and word:
                names["added"] = words[2]
            elif word == "fsa":
                require(words == ["fsa", "1"], f"unknown version: {line}")
            elif word == "letters":
                self.letters = words[1:]
            elif word == "states":
                self.states = words[1:]
            elif word == "start":
                require(len(words) == 2, "more than one start")
                names["start"] = words[1]
            elif word == "accept":
                names["accept"] = words[1:]
            elif word == "output":
                names["output"][words[1]] = words[2]
            elif word == "points":
                points = int(words[1])
            elif word == "track":
                track = words[1:]
            elif word == "permute":
                self.letters.append(words[1])
                permutations.append(permutation(words[2], points))
            else:
                require(len(words) == 3, f"cannot read {line!r}")
                edges.append(words)
        if track:
            self.from_permutations(permutations, points, track)
        else:
            self.from_edges(edges, names["start"])
        self.accepting = {self.states.index(name) for name in names["accept"]}
        if "added" in names:
            added = self.states.index(names["added"])
            stays = set(self.next[added]) == {added} and added not in self.accepting
            require(stays and added != self.start, f"{names['added']} is no added state")
        self.output = {self.states.index(name): label for name, label in names["output"].items()}

    def from_edges(self, edges, start):
        state = {name: i for i, name in enumerate(self.states)}
        letter = {name: i for i, name in enumerate(self.letters)}
        self.start = state[start]
        self.next = [[None] * len(letter) for _ in state]
        for source, name, target in edges:
            require(
                self.next[state[source]][letter[name]] is None, f"two edges from {source} on {name}"
            )
            self.next[state[source]][letter[name]] = state[target]
        require(all(t is not None for row in self.next for t in row), "an edge is missing")

    def from_permutations(self, permutations, points, track):
        if track[0] == "points":
            self.states = [str(p + 1) for p in range(points)]
            self.start = int(track[1]) - 1
            self.next = [[image[p] for image in permutations] for p in range(points)]
            return
        elements = [tuple(range(points))]
        number = {elements[0]: 0}
        self.next = []
        for element in elements:  # grows during the loop: breadth-first
            row = []
            for image in permutations:
                product = tuple(image[p] for p in element)  # the element, then the letter
                if product not in number:
                    number[product] = len(elements)
                    elements.append(product)
                row.append(number[product])
            self.next.append(row)
        self.states = [cycle_notation(element) for element in elements]

    def label(self, kind, state):
        return {
            "states": lambda: self.states[state],
            "outputs": lambda: self.output[state],
            "accept": lambda: state in self.accepting,
        }[kind]()
