"""Automata with networks written by hand whose heads work over number fields, or with a form.

Rotations are products of two reflections. Their matrices are exact over Q(2 cos 2 pi / m) in a
basis whose form is not the identity, or over Q(sqrt 5) for the rotations of an icosahedron, which
are the alternating group on five points."""

import itertools
from fractions import Fraction

import handmade
import triple
import triple_judge
from field import Field, Number
from handmade import HALF, edges, follow, group, layer, network

# 2 cos 2 pi / m
COSINE = {
    5: Field([-1, 1, 1], 0, 1),
    7: Field([-1, -2, 1, 1], 1, 2),
    8: Field([-2, 0, 1], 1, 2),
    12: Field([-3, 0, 1], Fraction(3, 2), 2),
    60: Field([1, 0, -8, 0, 14, 0, -7, 0, 1], Fraction(19, 10), 2),
}
GOLDEN = Field([-1, -1, 1], Fraction(8, 5), Fraction(13, 8))
REDUCIBLE = Field([6, 0, -5, 0, 1], 1, Fraction(3, 2))  # (x^2 - 2) (x^2 - 3)


def vector(*values):
    return {i: v for i, v in enumerate(values) if v}


def head(field, form, n, d, initial, *letters):
    """Returns a head as handmade.head does, with numbers of the field unchanged."""
    h = triple.Head()
    h.n, h.d, h.field, h.form, h.initial = (
        n,
        d,
        field,
        form,
        {k: v for k, v in initial.items() if v},
    )
    h.gate = [Fraction(gate) for gate, *_ in letters]
    h.factors = [[(Fraction(beta), u, c) for beta, u, c in factors] for _, *factors in letters]
    return h


# --- matrices as tuples of rows ---


def times(a, b):
    return tuple(
        tuple(sum((x * b[k][j] for k, x in enumerate(row)), Fraction(0)) for j in range(len(b[0])))
        for row in a
    )


def identity(n):
    return tuple(tuple(Fraction(i == j) for j in range(n)) for i in range(n))


def reflection(u, form):
    """Returns x -> x - 2 u (u^T G x) / u^T G u; the form is {(row, column): value} or None."""
    n, h, u = len(u), triple.Head(), [x if isinstance(x, Number) else Fraction(x) for x in u]
    h.form = form
    w, square = h.dual(vector(*u)), h.square(vector(*u))
    return tuple(
        tuple((i == j) - 2 * u[i] * w.get(j, 0) / square for j in range(n)) for i in range(n)
    )


def mirrors(matrix, form):
    """Returns vectors whose reflections, the first one first, have this product; one for each basis
    vector that moves."""
    n, out = len(matrix), []
    for j in range(n):
        u = tuple(matrix[i][j] - (i == j) for i in range(n))
        if any(u):
            matrix = times(reflection(u, form), matrix)
            out.insert(0, (2, vector(*u), {}))
    assert matrix == identity(n)
    return out


def turn(m, k=1):
    """Returns (form, the mirrors of k turns by 2 pi / m) in a basis of two vectors of length 2, one
    turn apart."""
    c = COSINE[m].alpha
    form, matrix = {(0, 0): Fraction(2), (0, 1): c, (1, 1): Fraction(2)}, identity(2)
    for _ in range(k % m):
        matrix = times(((0, -1), (1, c)), matrix)
    return form, mirrors(matrix, form)


def rotation(m, letters=(1, -1)):
    """Z_m, whose letters are numbers of turns."""
    a = edges(
        [f"{k:+}" for k in letters],
        [str(q) for q in range(m)],
        lambda q, w: (q + letters[w]) % m,
        accept={0, 3},
    )
    h = head(COSINE[m], turn(m)[0], 2, 1, {(0, 0): HALF}, *((1, *turn(m, k)[1]) for k in letters))
    return follow(a, network(a, "states", layer(len(letters), [h], lambda x, s: 0, m)))


def product(x, y):
    return tuple(y[p] for p in x)


def icosahedron(orthonormal=False, everything=False):
    """A5 with two letters of orders 2 and 3, or with all 60 elements."""
    phi = GOLDEN.alpha
    if orthonormal:
        form, roots = None, [(1, 0, 0), (-phi / 2, (phi - 1) / 2, HALF), (0, 0, -1)]
        start = (1, phi, 3)
    else:
        form = {
            (0, 0): Fraction(2),
            (0, 1): -phi,
            (1, 1): Fraction(2),
            (1, 2): Fraction(-1),
            (2, 2): Fraction(2),
        }
        roots, start = identity(3), (2, 3 - phi, HALF)
    s = [reflection(u, form) for u in roots]
    matrix = {(1, 0, 3, 2, 4): times(s[0], s[2])}
    matrix[
        next(
            b
            for b in itertools.permutations(range(5))
            if order(b) == 3 and order(product((1, 0, 3, 2, 4), b)) == 5
        )
    ] = times(s[1], s[2])
    letters = list(matrix)
    elements, known = [tuple(range(5))], {tuple(range(5)): identity(3)}
    for x in elements:
        for y in letters:
            found = times(matrix[y], known[x])
            if known.setdefault(product(x, y), found) is found:
                elements.append(product(x, y))
            assert known[product(x, y)] == found
    letters = elements if everything else letters
    a = triple.Automaton()
    a.points, a.letters, a.image = (
        5,
        [triple.cycles_of(x) for x in letters],
        [list(x) for x in letters],
    )
    a.close_group()
    h = head(
        GOLDEN,
        form,
        3,
        1,
        {(i, 0): v for i, v in enumerate(start)},
        *((1, *mirrors(known[x], form)) for x in letters),
    )
    return follow(a, network(a, "states", layer(len(letters), [h], lambda x, s: 0, 60)))


def order(x):
    y, n = x, 1
    while y != tuple(range(len(x))):
        y, n = product(y, x), n + 1
    return n


def pentagon():
    """D_5 by two reflections, with one factor each."""
    a = group(5, None, s="(2 5)(3 4)", t="(1 2)(3 5)")
    a.accept = {0, 3, 7}
    form = {(0, 0): Fraction(2), (0, 1): -GOLDEN.alpha, (1, 1): Fraction(2)}
    h = head(
        GOLDEN, form, 2, 1, {(0, 0): 1, (1, 0): 3}, *((1, (2, vector(*u), {})) for u in identity(2))
    )
    return follow(a, network(a, "accept", layer(2, [h], lambda x, s: 0, 2)))


def hexagon():
    """A head with a form over Q, and two columns."""
    a = edges(["+", "0"], list("012345"), lambda q, w: (q + 1 - w) % 6, outputs=list("aabbab"))
    form = {(0, 0): Fraction(2), (0, 1): Fraction(1), (1, 1): Fraction(2)}
    h = head(
        None,
        form,
        2,
        2,
        {(0, 0): Fraction(1), (1, 1): Fraction(-1, 3)},
        (1, *mirrors(((0, -1), (1, 1)), form)),
        (1,),
    )
    return follow(a, network(a, "outputs", layer(2, [h], lambda x, s: 0, 2)))


def ten():
    """A network whose codes have a part over Q and parts over two fields."""
    a = edges(
        ["+", "5", "4"],
        [str(q) for q in range(10)],
        lambda q, w: (q + (1, 5, 4)[w]) % 10,
        accept={1, 2, 4, 8},
    )
    half = head(
        None,
        None,
        1,
        1,
        {(0, 0): Fraction(1)},
        (1, (2, vector(1), {})),
        (1, (2, vector(5), {})),
        (1,),
    )
    fifth = head(
        COSINE[5],
        turn(5)[0],
        2,
        1,
        {(1, 0): COSINE[5].alpha},
        (1, *turn(5)[1]),
        (1,),
        (1, *turn(5, 4)[1]),
    )
    root = head(COSINE[8], None, 1, 1, {(0, 0): COSINE[8].alpha}, *[(1,)] * 3)
    return follow(a, network(a, "states", layer(3, [half, fifth, root], lambda x, s: 0, 10)))


def memory():
    """Letters that write irrational numbers, in three steps that are not orthogonal, and a gate."""
    a = edges(["1", "2", "clear"], ["none", "one", "two"], lambda q, w: (1, 2, 0)[w])
    r = COSINE[8].alpha
    form = {(0, 0): Fraction(3), (0, 1): r, (1, 1): Fraction(1)}
    writes = [
        [(1, vector(1, 0), {}), (1, vector(0, 1), {}), (1, vector(1, -r), vector(0, v))]
        for v in (1 + r, Fraction(2))
    ]
    clean = [(1, vector(1, 0), {}), (1, vector(r, -3), {})]  # orthogonal: clears the state
    h = head(COSINE[8], form, 2, 2, {}, (1, *clean, *writes[0]), (1, *clean, *writes[1]), (0,))
    return follow(a, network(a, "states", layer(3, [h], lambda x, s: 0, 3)))


def carry():
    """Two layers over fields with decoders by step: the lower one counts to 5 and says when it
    starts again."""
    a = edges(
        ["+", "-"], [str(q) for q in range(10)], lambda q, w: (q + 1 - 2 * w) % 10, accept={0}
    )
    low = head(
        COSINE[5], turn(5)[0], 2, 1, {(0, 0): Fraction(1)}, (1, *turn(5)[1]), (1, *turn(5, 4)[1])
    )
    place = [low.initial]
    for _ in range(4):
        place.append(low.step(0, place[-1]))

    def lower(x, state):
        q = place.index(state[0])
        return 2 * q + (q == (0, 4)[x])

    flip, r = (1, (2, vector(GOLDEN.alpha), {})), GOLDEN.alpha - 7
    high = head(GOLDEN, None, 1, 1, {(0, 0): r}, *[(1,), flip] * 5)
    upper = layer(10, [high], lambda x, s: x // 2 + 5 * (s[0][0, 0] != r), 10, True)
    return a, network(a, "states", layer(2, [low], lower, 10, True), upper)


def reducible():
    """The polynomial has factors, but everything is right."""
    a = edges(["0", "1"], ["even", "odd"], lambda q, w: q ^ w)
    r = REDUCIBLE.alpha
    h = head(REDUCIBLE, None, 1, 1, {(0, 0): r}, (1,), (1, (2, vector(r * r + r), {})))
    return follow(a, network(a, "states", layer(2, [h], lambda x, s: 0, 2)))


# Wrong networks, as (automaton, network, rows): they compute modulo a polynomial that has more
# roots than alpha, the square root of 2.


def merged():
    """A network whose two codes are 2 and alpha^2."""
    a = edges(["0", "1"], ["even", "odd"], lambda q, w: q ^ w)
    r = REDUCIBLE.alpha
    h = head(
        REDUCIBLE,
        None,
        1,
        1,
        {(0, 0): Fraction(2)},
        (1,),
        (1, (2, vector(1), vector((r * r + 2) / 2))),
    )
    a, net = follow(a, network(a, "states", layer(2, [h], lambda x, s: 0, 2)))
    return a, net, triple_judge.close(net, a, checked=False)


def key(constant):
    """The key is alpha^2 plus a constant such that it is 0 or has no inverse."""
    a, net = reducible()
    rows = triple_judge.close(net, a)
    net.layer[0].head[0].factors[1] = [
        (Fraction(2), vector(REDUCIBLE.alpha * REDUCIBLE.alpha + constant), {})
    ]
    return a, net, rows


ALL = {
    "turn-5": lambda: rotation(5),
    "turn-7": lambda: rotation(7),
    "turn-8": lambda: rotation(8),
    "turn-12": lambda: rotation(12, (1, 5, 0)),
    "icosahedron": icosahedron,
    "icosahedron-orthonormal": lambda: icosahedron(True),
    "pentagon": pentagon,
    "hexagon": hexagon,
    "ten": ten,
    "memory": memory,
    "carry": carry,
    "reducible": reducible,
}
WRONG = {"merged": merged, "zero-key": lambda: key(-2), "no-inverse": lambda: key(-3)}
LARGE = {
    "turn-60": lambda: rotation(60, range(60)),
    "icosahedron-60": lambda: icosahedron(everything=True),
    "icosahedron-orthonormal-60": lambda: icosahedron(True, True),
}


def texts(a, net, rows=None):
    """Returns (automaton, network, certificate) as file contents."""
    rows = rows or triple_judge.close(net, a)
    assert rows, "the hand-made network is wrong"
    fsa = a.text()
    lrnn = net.text(triple.sha256(fsa))
    return fsa, lrnn, triple_judge.certificate_of(net, a, rows).text(fsa, lrnn)
