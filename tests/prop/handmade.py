"""Small automata with networks written by hand, which together use every part of the three file
formats.

Each function returns (automaton, network); the codes of a layer are found by closing its states,
the certificate by triple_judge.close. The networks with several layers, heads, gates, writes and
per-step decoders are needed because no construction of the compiler makes such networks, but
lrnn-check must judge them."""

import copy
from fractions import Fraction

import triple
import triple_judge

HALF = Fraction(1, 2)


def vector(*values):
    return {i: Fraction(v) for i, v in enumerate(values) if v}


def edges(letters, states, step, start=0, accept=None, outputs=None, output=None):
    """Returns the automaton; step(state index, letter index) is the next state's index, and output
    of the same arguments the edge's output."""
    a = triple.Automaton()
    a.letters, a.states, a.start, a.accept, a.outputs = letters, states, start, accept, outputs
    a.next = [[step(q, w) for w in range(len(letters))] for q in range(len(states))]
    if output:
        a.edge_outputs = [[output(q, w) for w in range(len(letters))] for q in range(len(states))]
    return a


def group(points, track, **images):
    a = triple.Automaton()
    a.points, a.track, a.letters = points, track, list(images)
    a.image = [triple.image_of(cycles, points) for cycles in images.values()]
    a.close_group()
    return a


def head(n, d, initial, *letters):
    """Returns a head; initial is {(row, column): value}, and a letter is (gate, factor ..) with
    factors (beta, u, c)."""
    h = triple.Head()
    h.n, h.d, h.initial = n, d, {k: Fraction(v) for k, v in initial.items()}
    h.gate = [Fraction(gate) for gate, *_ in letters]
    h.factors = [[(Fraction(beta), u, c) for beta, u, c in factors] for _, *factors in letters]
    return h


def layer(letters, heads, symbol, symbols, by_letter=False):
    """Returns a layer with all its reachable codes; symbol(letter or None, state) is the symbol's
    index or None."""
    y = triple.Layer()
    y.letters, y.head, y.symbols, y.by_letter = letters, heads, symbols, by_letter
    y.code = [[h.initial for h in heads]]
    for code in y.code:
        for x in range(letters):
            state = [h.step(x, s) for h, s in zip(heads, code)]
            if state not in y.code:
                y.code.append(state)
    y.symbol = [None if by_letter else symbol(None, code) for code in y.code]
    if by_letter:
        for x in range(letters):
            for i, code in enumerate(y.code):
                if symbol(x, code) is not None:
                    y.yields[x, i] = symbol(x, code)
    return y


def network(a, label, *layers):
    net = triple.Network()
    net.label, net.letters, net.layer = label, list(a.letters), list(layers)
    name(net, a)
    return net


def name(net, a):
    """Sets the labels, and the label of the empty word."""
    net.labels = a.all_labels(net.label)
    net.start = None if net.label == "edges" else net.labels.index(a.labels(net.label)[a.start])


def follow(a, net):
    """Fills in the symbols of the only layer from the automaton: the label of the state that is
    reached with a code."""
    y, run = net.layer[0], triple_judge.Run(net)
    labels, todo, seen = a.labels(net.label), [(a.start, 0)], set()
    while todo:
        q, code = pair = todo.pop()
        if pair not in seen:
            seen.add(pair)
            y.symbol[code] = net.labels.index(labels[q])
            todo += [(a.next[q][w], run.step_layer(0, w, code)) for w in range(len(a.letters))]
    return a, net


def spread(a, net, letters, classes, *certificate):
    """Returns network and automaton with more letters: letter i acts as the old letter
    classes[i]."""
    whole = copy.copy(a)
    whole.letters, net.letters, net.classes = letters, letters, classes
    whole.image = a.image and [list(a.image[c]) for c in classes]
    whole.next = [[row[c] for c in classes] for row in a.next]
    whole.edge_outputs = a.edge_outputs and [[row[c] for c in classes] for row in a.edge_outputs]
    return whole, net, *certificate


def parity(label="states"):
    a = edges(
        ["0", "1"], ["even", "odd"], lambda q, w: q ^ w, accept={1}, outputs=["accept", "a b"]
    )
    h = head(1, 1, {(0, 0): 1}, (1,), (1, (2, vector(1), {})))
    return follow(a, network(a, label, layer(2, [h], lambda x, s: 0, 2)))


def s3():
    """S3 by its elements, with keys that have every coordinate twice."""
    a = group(3, None, a="(1 2)", b="(1 2 3)")
    a.accept, a.outputs = {0, 4}, ["id", "odd", "even", "odd", "odd", "even"]

    def swap(i, j):
        return 2, {i: HALF, j: -HALF, i + 3: HALF, j + 3: -HALF}, {}

    h = head(
        6, 1, {(i, 0): i % 3 + 1 for i in range(6)}, (1, swap(0, 1)), (1, swap(0, 1), swap(0, 2))
    )
    return follow(a, network(a, "states", layer(2, [h], lambda x, s: 0, 6)))


def z4():
    """Z4 on points: a quarter turn is two reflections, and some numbers are not dyadic."""
    a = group(4, 0, r="(1 2 3 4)", s="(1 4 3 2)")
    a.outputs = ["x", "y", "x", "y"]
    turn = (2, vector(1), {}), (2, vector(3, -3), {})
    h = head(2, 1, {(0, 0): Fraction(5, 3)}, (1, *turn), (1, *reversed(turn)))
    return follow(a, network(a, "outputs", layer(2, [h], lambda x, s: 0, 2)))


def flipflop():
    """A flip-flop by gates: 0 forgets, then a write stores; the value has two columns, and names
    need quotes."""
    a = edges(
        ["set 0", 'set"1"', "hold"],
        ["start", "#1", "\u00e9\t\u0001"],
        lambda q, w: (1, 2, q)[w],
        accept=set(),
    )
    write = 1, vector(2), vector(2, -1)
    h = head(1, 2, {(0, 1): 7}, (0,), (0, write), (1,))
    return follow(a, network(a, "states", layer(3, [h], lambda x, s: 0, 3)))


def mod4():
    """Two layers, for the lower bit and, by the carry, the upper bit; both decode by step, and the
    letter carries the lower bit."""
    a = edges(["+", "0", "-"], ["0", "1", "2", "3"], lambda q, w: (q + 1 - w) % 4, accept={0, 3})
    flip, keep = (1, (2, vector(1), {})), (1,)

    def lower(x, state):
        bit = int(state[0][0, 0] < 0)
        return bit + 2 * (x != 1 and bit == x // 2)  # the carry of +, the borrow of -

    first = layer(3, [head(1, 1, {(0, 0): 1}, flip, keep, flip)], lower, 4, True)
    second = layer(
        4,
        [head(1, 1, {(0, 0): 1}, keep, keep, flip, flip)],
        lambda x, s: x % 2 + 2 * int(s[0][0, 0] < 0),
        4,
        True,
    )
    return a, network(a, "states", first, second)


def clock():
    """Two layers, the lower of which decodes by state: the upper one turns only at even times."""
    a = edges(
        ["tick"], list("abcdef"), lambda q, w: (q + 1) % 6, outputs=["t", "f", "t", "f", "f", "f"]
    )
    first = layer(
        1, [head(1, 1, {(0, 0): 1}, (1, (2, vector(1), {})))], lambda x, s: int(s[0][0, 0] > 0), 2
    )
    turn = (2, vector(1, -1), {}), (2, vector(0, 1, -1), {})
    upper = head(3, 1, {(0, 0): HALF}, (1,), (1, *turn))
    third = layer(2, [upper], lambda x, s: 3 * x + min(s[0])[0], 6, True)
    net = network(a, "outputs", first, third)
    net.labels = ["f", "t"]
    net.start, third.symbols = 1, 2
    # (even time, third of the turn) gives the state's name: 0 a, 1 b, 2 c, ...
    names = {}
    run, joint, q = triple_judge.Run(net), (0, 0), 0
    for _ in range(6):
        codes, symbol = run.step(joint, 0)
        q, joint = (q + 1) % 6, codes
        names[symbol] = net.labels.index(a.outputs[q])
    third.yields = {k: names[v] for k, v in third.yields.items() if v in names}
    return a, net


def klein():
    """Two heads, one of them with a write at beta = 2, and projections that do nothing."""
    a = edges(["p", "q"], ["00", "01", "10", "11"], lambda s, w: s ^ (2, 1)[w], accept={3})
    one = head(1, 1, {}, (1, (2, vector(1), vector(HALF))), (1, (0, vector(1), vector(5))))
    two = head(
        2,
        2,
        {(0, 1): -1},
        (1, (1, vector(0, 3), {})),
        (1, (2, vector(-1), {}), (Fraction(4, 3), vector(0, 1), {})),
    )
    return follow(a, network(a, "accept", layer(2, [one, two], lambda x, s: 0, 2)))


def trivial():
    """One state, one letter, no factors."""
    a = edges(["eps"], ["accept"], lambda q, w: 0)
    return follow(
        a, network(a, "states", layer(1, [head(1, 1, {(0, 0): 1}, (1,))], lambda x, s: 0, 1))
    )


def counter():
    """A raw head with biases: a count modulo 4 turns by two reflections whose keys are not unit
    vectors, and by shifts."""
    a = edges(["+", "0"], list("0123"), lambda q, w: (q + 1 - w) % 4, accept={2})
    turn = (HALF, vector(2), {}), (Fraction(1, 9), vector(3, -3), vector(3))
    h = head(2, 1, {(0, 0): Fraction(5, 3)}, (1, *turn), (1,))
    h.raw, h.bias = True, [{(0, 0): Fraction(-1, 4), (1, 0): Fraction(2)}, {}]
    return follow(a, network(a, "states", layer(2, [h], lambda x, s: 0, 4)))


def shifted():
    """A head that is not raw, with a bias after a gate."""
    a = edges(["set", "flip"], ["0", "1"], lambda q, w: 1 - q * w, accept={0})
    h = head(1, 2, {(0, 1): 3}, (0,), (1, (2, vector(3), {})))
    h.bias = [{(0, 0): Fraction(1, 3)}, {(0, 0): Fraction(1, 3), (0, 1): Fraction(3)}]
    return follow(a, network(a, "accept", layer(2, [h], lambda x, s: 0, 2)))


def carry():
    """A Mealy machine: the output of a counter modulo 2 is its carry. The letter and the new bit
    determine the old one."""
    a = edges(
        ["0", "1"],
        ["even", "odd"],
        lambda q, w: q ^ w,
        outputs=["u", "v"],
        output=lambda q, w: "carry out" if q and w else "",
    )
    y = layer(
        2,
        [head(1, 1, {(0, 0): 1}, (1,), (1, (2, vector(1), {})))],
        lambda x, s: int(x == 1 and s[0][0, 0] > 0),
        2,
        True,
    )
    net = network(a, "edges", y)
    net.labels = ["", "carry out"]
    return a, net


def changes():
    """A Mealy machine whose output says how the letter differs from the one before. The state holds
    both, and determines the label."""
    a = edges(
        ["0", "1"],
        ["was 0", "was 1"],
        lambda q, w: w,
        start=1,
        accept={0},
        output=lambda q, w: ("same", "rise", "fall")[w - q],
    )
    swap = 2, vector(1, -1), {}
    h = head(2, 1, {(0, 0): 1}, (1, swap, (1, vector(1), {})), (1, swap, (1, vector(2), vector(2))))
    y = layer(2, [h], lambda x, s: 0, 3)
    net = network(a, "edges", y)
    y.symbol = [
        net.labels.index(("same", "rise", "fall")[int(s.get((0, 0), 0) - s.get((1, 0), 0))])
        for s, in y.code
    ]
    return a, net


def named():
    """Five letters in two classes."""
    return spread(*parity(), ["0", "1", "no", "yes", "\x1f"], [0, 1, 0, 1, 1])


def late():
    """Letters a and b do the same; c differs from them, in its last factor only."""
    a = group(
        10, None, a="(1 2)(3 4)(5 6)(7 8)", b="(1 2)(3 4)(5 6)(7 8)", c="(1 2)(3 4)(5 6)(9 10)"
    )

    def swap(i):
        return 2, {i: Fraction(1), i + 1: Fraction(-1)}, {}

    common = [swap(0), swap(2), swap(4)]
    h = head(
        10, 1, {(i, 0): i + 1 for i in range(10)}, *((1, *common, swap(last)) for last in (6, 6, 8))
    )
    return follow(a, network(a, "states", layer(3, [h], lambda x, s: 0, 4)))


def partial(label="accept"):
    """c exchanges two states, a leaves them; b, which the source lacks, leads to an added state."""
    edge = label == "edges"
    a = edges(
        ["a", "b", "c"],
        ["p", "q", "sink"],
        lambda q, w: 2 if q == 2 or w == 1 else q if w == 0 else 1 - q,
        accept=None if edge else {0},
        outputs=["0", "1", "sink"] if label == "outputs" else None,
        output=(lambda q, w: "sink" if q == 2 or w == 1 else "a c"[w]) if edge else None,
    )
    a.added = 2, triple.sha256("a source")
    h = head(1, 1, {(0, 0): 1}, (1,), (0,), (1, (2, vector(1), {})))
    symbol = (lambda x, s: (0, None, 2)[x] if s[0] else 1) if edge else lambda x, s: 0
    net = network(a, label, layer(3, [h], symbol, len(a.all_labels(label)), edge))
    return (a, net) if edge else follow(a, net)


ALL = {
    "parity": parity,
    "parity-accept": lambda: parity("accept"),
    "parity-outputs": lambda: parity("outputs"),
    "s3": s3,
    "z4": z4,
    "flipflop": flipflop,
    "mod4": mod4,
    "clock": clock,
    "klein": klein,
    "trivial": trivial,
    "counter": counter,
    "shifted": shifted,
    "late": late,
    "partial": partial,
    "partial-states": lambda: partial("states"),
    "partial-outputs": lambda: partial("outputs"),
    "partial-edges": lambda: partial("edges"),
    "carry": carry,
    "changes": changes,
    "classes": named,
    "classes of s3": lambda: spread(*s3(), ["a", "b", "a'", "b'"], [0, 1, 0, 1]),
    "classes of carry": lambda: spread(*carry(), ["a", "b", "c"], [0, 0, 1]),
    "classes, one": lambda: spread(*trivial(), ["x", "y"], [0, 0]),
}


def texts(name):
    """Returns (automaton, network, certificate) as file contents."""
    a, net = ALL[name]()
    rows = triple_judge.close(net, a)
    assert rows, f"{name}: the hand-made network is wrong"
    fsa = a.text()
    lrnn = net.text(triple.sha256(fsa))
    return fsa, lrnn, triple_judge.certificate_of(net, a, rows).text(fsa, lrnn)
