"""An independent judge of automata: what a file's language is, computed from the file alone, by
other algorithms than the program's, with the standard library.

    judge(path)          {"minimal", "monoid", "aperiodic", "j_trivial"}
    differ(path, fsa)    a shortest word that only one of the two accepts, or None
"""

from collections import deque

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


def monoid(rows):
    """Returns the maps of all words as a graph, {map: [map after each letter]}, or None above the
    bound. A map is a tuple of the states that a word leads to."""
    letters = sorted(set(zip(*rows)))
    one = tuple(range(len(rows)))
    graph, todo = {}, [one]
    while todo:
        x = todo.pop()
        if x in graph:
            continue
        if len(graph) == LARGEST_MONOID:
            return None
        graph[x] = [tuple(a[q] for q in x) for a in letters]
        todo += graph[x]
    return graph


def is_aperiodic(graph):
    """Returns whether no power of a map runs in a cycle of two or more."""
    for x in graph:
        seen, power = set(), x
        while power not in seen:
            seen.add(power)
            last, power = power, tuple(x[q] for q in power)
        if power != last:
            return False
    return True


def has_cycles(graph):
    """Returns whether two different nodes reach each other."""
    degree = dict.fromkeys(graph, 0)
    for x, after in graph.items():
        for y in {y for y in after if y != x}:
            degree[y] += 1
    todo = [x for x, d in degree.items() if d == 0]
    left = len(graph)
    while todo:
        x = todo.pop()
        left -= 1
        for y in {y for y in graph[x] if y != x}:
            degree[y] -= 1
            if degree[y] == 0:
                todo.append(y)
    return left > 0


def is_j_trivial(graph, rows):
    """Returns whether the monoid is J-trivial: neither multiplication has cycles (Simon)."""
    letters = sorted(set(zip(*rows)))
    other = {x: [tuple(x[q] for q in a) for a in letters] for x in graph}
    return not has_cycles(graph) and not has_cycles(other)


def judge(automaton):
    """Returns the facts; those of a monoid above the bound are None."""
    rows = minimal(automaton)
    graph = monoid(rows)
    return {
        "minimal": len(rows),
        "monoid": len(graph) if graph else None,
        "aperiodic": is_aperiodic(graph) if graph else None,
        "j_trivial": is_j_trivial(graph, rows) if graph else None,
    }
