"""Small wired networks written by hand, each as (automaton, network, certificate), and rule forms
of small automata.

The rule forms come from wired_certificate.rule_form, which was written from theory/pages/zeiger.md
alone; quotients and labels are found here by brute force. The other networks together use every
part of the file format."""

from fractions import Fraction

import handmade
import triple
import wired
import wired_certificate
from handmade import HALF, edges, group, name, spread, vector
from handmade_cascades import elevator, t3, twins
from wired import Block, Head

FLIP = [Fraction(1), [(Fraction(2), {0: Fraction(1)}, {})]]
STAY = [Fraction(1), []]
SIGNS = [{(0, 0): Fraction(1)}, {(0, 0): Fraction(-1)}]


def write(row, value, gate=1, key=1):
    """Returns a transition that sets the row to the vector, whatever it was."""
    return [
        Fraction(gate),
        [(Fraction(1), {row: Fraction(key)}, {j: key * v for j, v in value.items()})],
    ]


def network(a, label, tables, blocks, stages):
    net = wired.Wired()
    net.label, net.letters = label, list(a.letters)
    name(net, a)
    net.tables, net.blocks, net.stages = tables, blocks, stages
    return net


def exact(a, net):
    return a, net, wired_certificate.exact_of(net, a, wired.close(net, a, ignore_labels=True))


def counter():
    """A counter of three bits in stages that share a block: a carry, and a number that gets one
    more bit in each."""
    a = edges(["0", "1"], list("01234567"), lambda q, w: (q + w) % 8, accept={0, 7})
    tables = [
        [[], 1, [0]],  # nothing
        [[2, 2], 2, [0, 0, 1, 0]],  # carry, if the new bit is 0
        [[8, 2], 8, [v * 2 % 8 + bit for v in range(8) for bit in range(2)]],
        [[8], 8, [int(f"{v:03b}"[::-1], 2) for v in range(8)]],
        [[], 8, [0]],
    ]
    enter = Block([2], pre=[[4, []]], outputs=[0, 1])
    bit = Block(
        [2, 8],
        heads=[Head(1, 1, [[0, [STAY, FLIP]]])],
        readouts=[[0, 0, 1, SIGNS]],
        post=[[1, [0, 2]], [2, [1, 2]]],
        outputs=[3, 4],
    )
    leave = Block([2, 8], pre=[[0, []], [3, [1]]], outputs=[3])
    return exact(
        a,
        network(
            a,
            "states",
            tables,
            [enter, bit, leave],
            [[0, []], *([1, [SIGNS[0]]] for _ in range(3)), [2, []]],
        ),
    )


def last_two():
    """Two heads, one of them with two columns, two readouts and two slots; gates, writes, and a
    wire that no table reads."""
    names = ["--", *(f"-{x}" for x in "abc"), *(x + y for x in "abc" for y in "abc")]
    a = edges(
        list("abc"),
        names,
        lambda q, w: names.index(names[q][1] + "abc"[w]),
        outputs=[n.strip("-") + "." for n in names],
    )
    old = [
        {},
        {(0, 0): Fraction(1)},
        {(0, 1): Fraction(-2)},
        {(0, 0): Fraction(5, 3), (0, 1): HALF},
    ]
    moved = [[Fraction(2), {0: Fraction(1), 1: Fraction(-1)}, {}]]
    values = [{c: v for (_, c), v in code.items()} for code in old[1:]]
    memory = Head(
        2, 2, [[0, [[Fraction(1), moved]] * 3], [0, [write(0, v, 1, HALF) for v in values]]]
    )
    clock = Head(
        1,
        1,
        [
            [
                2,
                [
                    write(0, vector(7), 0),
                    [HALF, [(Fraction(1), {0: Fraction(2)}, {0: Fraction(2)})]],
                ],
            ]
        ],
    )
    tables = [
        [[3], 2, [0, 1, 1]],
        [[4, 4], 13, [names.index(x + y) if x + y in names else 0 for x in "-abc" for y in "-abc"]],
        [[3, 2], 2, [1, 0, 0, 1, 0, 1]],
    ]
    b = Block(
        [3],
        pre=[[0, [0]], [2, [0, 1]]],
        heads=[memory, clock],
        readouts=[
            [0, 0, 1, old],
            [0, 1, 1, old],
            [1, 0, 1, [{(0, 0): Fraction(7)}, {(0, 0): Fraction(1)}]],
        ],
        post=[[1, [4, 3]]],
        outputs=[6],
    )
    return exact(a, network(a, "outputs", tables, [b], [[0, [{}, {(0, 0): Fraction(1)}]]]))


def circuit():
    """A network without heads: the label is a function of the last letter, and no joint state is
    listed."""
    a = edges(["#", "b b"], ["accept", "1", "2"], lambda q, w: 1 + w)
    tables = [[[2], 3, [1, 2]], [[3], 3, [0, 1, 2]]]
    blocks = [Block([2], pre=[[0, [0]]], outputs=[1]), Block([3], post=[[1, [0]]], outputs=[1])]
    return exact(a, network(a, "states", tables, blocks, [[0, []], [1, []]]))


def turns():
    """A group whose factors in one step are chosen by two wires."""
    a = group(4, 0, r="(1 2 3 4)", s="(1 4 3 2)", e="()")
    a.outputs = ["x", "y", "x", "y"]
    one, two = (Fraction(2), vector(1), {}), (Fraction(2), vector(1, -1), {})
    tables = [[[3], 2, [0, 1, 0]], [[3], 2, [1, 1, 0]], [[4], 2, [0, 1, 0, 1]], [[3], 2, [1, 0, 0]]]
    h = Head(
        2,
        1,
        [
            [1, [STAY, [Fraction(1), [two]]]],
            [2, [STAY, [Fraction(1), [one]]]],
            [3, [STAY, [Fraction(1), [two]]]],
        ],
    )
    states = [{(0, 0): Fraction(1)}]
    for s in states:
        for w in range(3):
            t = dict(s)
            for (wire, on), x in zip(h.slots, ((0, 1, 0)[w], (1, 1, 0)[w], (1, 0, 0)[w])):
                t = wired.apply(t, *on[x])
            states += [t] if t not in states else []
    b = Block(
        [3],
        pre=[[0, [0]], [1, [0]], [3, [0]]],
        heads=[h],
        readouts=[[0, 0, 2, states]],
        post=[[2, [4]]],
        outputs=[5],
    )
    tables[2] = [[len(states)], 2, [int((1, 0) in s or (1, 0) in s) for s in states]]
    return exact(a, network(a, "outputs", tables, [b], [[0, [states[0]]]]))


def classes_of(a, label):
    """Returns the classes, from 1, of reachable states that no word distinguishes; 0 for
    unreachable states."""
    reached = [a.start]
    for q in reached:
        reached += [t for t in dict.fromkeys(a.next[q]) if t not in reached]
    shown = list(map(tuple, a.edge_outputs)) if label == "edges" else a.labels(label)
    kind = {q: shown[q] for q in reached}
    while True:
        finer = {q: (kind[q], *(kind[t] for t in a.next[q])) for q in reached}
        if len(set(finer.values())) == len(set(kind.values())):
            break
        kind = finer
    order = list(dict.fromkeys(kind[q] for q in sorted(reached)))
    return [order.index(kind[q]) + 1 if q in kind else 0 for q in range(len(a.states))]


def form(a, label, key=1, joint=False):
    """Returns (automaton, its rule form, the certificate that claims the form or lists joint
    states)."""
    quotient, classes = wired_certificate.Form(), classes_of(a, label)
    quotient.classes, quotient.count = classes, max(classes)
    net = wired_certificate.rule_form(quotient.quotient(network(a, label, [], [], []), a), key)
    net.label = label
    return exact(a, net) if joint else (a, net, wired_certificate.form_of(net, a, classes))


def two():
    return edges(["0", "1", "hold"], ["off", "on"], lambda q, w: (0, 1, q)[w], accept={1})


def ring(n):
    return edges(
        ["tick"], [f"t{q}" for q in range(n)], lambda q, w: (q + 1) % n, start=n - 1, accept={0}
    )


def lost():
    """The start is not state 1, one state is unreachable, two are equivalent, and a letter
    resets."""
    a = edges(
        ["a", "b"],
        list("pqrs"),
        lambda q, w: ((1, 0), (2, 2), (3, 0), (2, 0))[q][w],
        start=2,
        outputs=list("xyzz"),
    )
    a.next[1] = [2, 1]
    return a


def vending():
    """A Mealy machine with an unreachable state and two states that no output tells apart: coins
    of one and two, and a button that needs three."""
    names = ["0", "1", "2", "3", "3 again", "lost"]
    after = [(1, 2, 0), (2, 3, 1), (3, 4, 2), (4, 4, 0), (3, 4, 0), (1, 1, 1)]

    def output(q, w):
        if w == 2:
            return "coffee" if q in (3, 4) else "-"
        return "back" if q in (3, 4) or q == 2 and w == 1 else "-"

    return edges(["one", "two", "push"], names, lambda q, w: after[q][w], start=1, output=output)


def carry():
    """The Mealy machine of handmade.carry: its label is a table of the letter and the new bit."""
    a = handmade.carry()[0]
    b = Block(
        [2],
        [],
        [Head(1, 1, [[0, [[1, []], [1, [(Fraction(2), {0: Fraction(1)}, {})]]]]])],
        [[0, 0, 1, [{(0, 0): Fraction(1)}, {(0, 0): Fraction(-1)}]]],
        [[0, [0, 1]]],
        [2],
    )
    net = network(a, "edges", [[[2, 2], 2, [0, 0, 1, 0]]], [b], [[0, [{(0, 0): Fraction(1)}]]])
    return exact(a, net)


def classes_of_form(a, label):
    """Returns a rule form over the classes of letters."""
    a, net, certificate = form(a, label)
    return spread(
        a,
        net,
        [*a.letters, *(f"{x}'" for x in a.letters)],
        [*range(len(a.letters))] * 2,
        certificate,
    )


ALL = {
    "counter": counter,
    "last two": last_two,
    "circuit": circuit,
    "turns": turns,
    "form of 2": lambda: form(two(), "states"),
    "form of 2, keys": lambda: form(two(), "accept", Fraction(-3, 2)),
    "form of 2, joint": lambda: form(two(), "states", joint=True),
    "form of t3": lambda: form(t3()[0], "states"),
    "form of t3, joint": lambda: form(t3()[0], "outputs", joint=True),
    "form of a ring": lambda: form(ring(3), "states"),
    "form of twins": lambda: form(twins()[0], "accept"),
    "form of lost": lambda: form(lost(), "outputs"),
    "form of the elevator": lambda: form(elevator()[0], "outputs"),
    "form of outputs": lambda: form(vending(), "edges"),
    "form of a carry": lambda: form(handmade.carry()[0], "edges", Fraction(2)),
    "form of outputs, joint": lambda: form(vending(), "edges", joint=True),
    "carry": carry,
    "classes of carry": lambda: spread(*carry()[:2], ["a", "b", "c"], [0, 0, 1], carry()[2]),
    "classes of a form": lambda: classes_of_form(two(), "states"),
    "classes of a form of outputs": lambda: classes_of_form(vending(), "edges"),
}


def texts(a, net, certificate):
    fsa = a.text()
    lrnn = net.text(triple.sha256(fsa))
    return fsa, lrnn, certificate.text(fsa, lrnn)
