"""An independent judge of automata: what a file's language is, computed from the file alone, by
other algorithms than the program's, with the standard library.

    judge(path)          {"minimal", "monoid", "aperiodic", "j_trivial"}
    differ(path, fsa)    a shortest word that only one of the two accepts, or None
"""

from collections import deque
from operator import itemgetter

LARGEST_MONOID = 20000


def read_att(text):
    """Returns (start, {state: {letter: state}}, accepting) of AT&T text."""
    edges, accepting, start = {}, set(), None
    for line in text.splitlines():
        fields = line.split("\t") if "\t" in line else line.split()
        fields = [f for f in fields if f]
        if not fields:
            continue
        start = fields[0] if start is None else start
        row = edges.setdefault(fields[0], {})
        if len(fields) < 3:
            accepting.add(fields[0])
        elif row.setdefault(fields[2], fields[1]) != fields[1]:
            raise ValueError(f"two edges: {line}")
        else:
            edges.setdefault(fields[1], {})
    return start, edges, accepting


def read_fsa(text):
    """Returns the same of an .fsa file whose names need no quotes."""
    edges, accepting, start = {}, set(), None
    for line in text.splitlines():
        words = line.split()
        if words[:1] == ["states"]:
            edges = {state: {} for state in words[1:]}
        elif words[:1] == ["start"] and len(words) == 2:
            start = words[1]
        elif words[:1] == ["accept"]:
            accepting = set(words[1:])
        elif len(words) == 3 and words[0] in edges:
            edges[words[0]][words[1]] = words[2]
    return start, edges, accepting


def read(path):
    text = path.read_text(encoding="utf-8")
    return read_fsa(text) if text.startswith("fsa ") else read_att(text)


def letters_of(automaton):
    return sorted({letter for row in automaton[1].values() for letter in row})


def step(automaton, state, letter):
    """Returns the next state; None is the rejecting sink."""
    return None if state is None else automaton[1][state].get(letter)


def differ(one, other):
    """Returns a shortest word on which two automata answer differently, or None."""
    letters = sorted({*letters_of(one), *letters_of(other)})
    first = (one[0], other[0])
    before, todo = {first: None}, deque([first])
    while todo:
        pair = todo.popleft()
        if (pair[0] in one[2]) != (pair[1] in other[2]):
            word = []
            while before[pair]:
                pair, letter = before[pair]
                word.append(letter)
            return word[::-1]
        for letter in letters:
            after = (step(one, pair[0], letter), step(other, pair[1], letter))
            if after not in before:
                before[after] = (pair, letter)
                todo.append(after)
    return None


def minimal(automaton):
    """Returns [next state for each letter] of the states of the minimal automaton."""
    letters = letters_of(automaton)
    found, todo = {automaton[0]}, [automaton[0]]
    for state in todo:
        for letter in letters:
            after = step(automaton, state, letter)
            if after not in found:
                found.add(after)
                todo.append(after)
    # Hopcroft's is not needed for some hundred states: Moore's rounds.
    part = {state: int(state in automaton[2]) for state in todo}
    while True:
        look = {s: (part[s], *(part[step(automaton, s, a)] for a in letters)) for s in todo}
        number = {key: k for k, key in enumerate(dict.fromkeys(look.values()))}
        finer = {s: number[look[s]] for s in todo}
        if len(number) == len(set(part.values())):
            break
        part = finer
    rows = {}
    for state in todo:
        rows.setdefault(finer[state], [finer[step(automaton, state, a)] for a in letters])
    return [rows[k] for k in range(len(rows))]


def after(x):
    """Returns a function from a map to the map of both, x first. Of one state there is one map."""
    return itemgetter(*x) if len(x) > 1 else lambda a: a


def monoid(rows):
    """Returns the maps of all words, a map being a tuple of the states that a word leads to, and
    for each of them the numbers of the maps after each letter; None above the bound."""
    letters = sorted(set(zip(*rows)))
    maps, graph = [tuple(range(len(rows)))], []
    number = {maps[0]: 0}
    for x in maps:
        graph.append([])
        for y in map(after(x), letters):
            k = number.setdefault(y, len(maps))
            if k == LARGEST_MONOID:
                return None
            if k == len(maps):
                maps.append(y)
            graph[-1].append(k)
    return maps, graph


def is_aperiodic(maps):
    """Returns whether no power of a map runs in a cycle of two or more."""
    for x in maps:
        seen, power = set(), x
        while power not in seen:
            seen.add(power)
            last, power = power, after(power)(x)
        if power != last:
            return False
    return True


def has_cycles(graph):
    """Returns whether two different nodes reach each other."""
    graph = [set(reached) - {x} for x, reached in enumerate(graph)]
    degree = [0] * len(graph)
    for reached in graph:
        for y in reached:
            degree[y] += 1
    todo = [x for x, d in enumerate(degree) if d == 0]
    left = len(graph)
    while todo:
        left -= 1
        for y in graph[todo.pop()]:
            degree[y] -= 1
            if degree[y] == 0:
                todo.append(y)
    return left > 0


def is_j_trivial(maps, graph, rows):
    """Returns whether the monoid is J-trivial: neither multiplication has cycles (Simon)."""
    if has_cycles(graph):
        return False
    number = {x: k for k, x in enumerate(maps)}
    before = [after(a) for a in sorted(set(zip(*rows)))]
    return not has_cycles([[number[then(x)] for then in before] for x in maps])


def judge(automaton):
    """Returns the facts; those of a monoid above the bound are None."""
    rows = minimal(automaton)
    maps, graph = monoid(rows) or (None, None)
    return {
        "minimal": len(rows),
        "monoid": len(maps) if maps else None,
        "aperiodic": is_aperiodic(maps) if maps else None,
        "j_trivial": is_j_trivial(maps, graph, rows) if maps else None,
    }
