"""What lrnn-check-swaps must refuse: changed bytes, and changed meaning with all hashes computed
again.

As in mutate.py, for `claim swaps` (theory/pages/swaps.md, SW.3), whose certificates have the rows
of claim exact. lrnn-check must say VERIFIED exactly when the replay in fractions, which applies all
factors, finds network and certificate right, and the network has the form SW.1, which has_form
looks at by itself. The bases are networks of permutations of states or of sets of states, with
points of one, two and three rows and several columns.

usage: swaps_mutate.py --checker build/release/lrnn-check [--tool ..] [--count N] [--seed S]
[--jobs J]
--count is the number of changes of each kind."""

import copy
import random
import sys
import tempfile
from fractions import Fraction

import handmade
import mutant_run
import mutations
import triple
import triple_judge

CLAIM = "swaps"


# --- the form ---


def points_of(net):
    """Returns the points of all factors, as sets of rows, or None where a factor is of another
    form."""
    points = set()
    for factors in net.layer[0].head[0].factors:
        for beta, u, c in factors:
            sides = [frozenset(i for i, v in u.items() if v == t) for t in set(u.values())]
            if beta != 2 or c or len(sides) != 2 or sum(set(u.values())) != 0:
                return None
            if len(sides[0]) != len(sides[1]):
                return None
            points.update(sides)
    return points


def agree(state, points):
    return all(len({state.get((i, j)) for i in p}) == 1 for p in points for _, j in state)


def has_form(net):
    if len(net.layer) != 1 or len(net.layer[0].head) != 1:
        return False
    y, h = net.layer[0], net.layer[0].head[0]
    if h.raw or h.field or h.form is not None or (h.bias and any(h.bias)) or set(h.gate) != {1}:
        return False
    points = points_of(net)
    if points is None or any(p & q for p in points for q in points if p != q):
        return False
    return all(agree(state, points) for state in (h.initial, *(code[0] for code in y.code)))


# --- bases ---


def factors_of(image, w):
    """Returns the exchanges that make the permutation of points of w rows each; row r of point p is
    p + r * points."""
    n, seen, out = len(image), set(), []
    for p in range(n):
        seen.add(p)
        x = image[p]
        while x != p and x not in seen:
            seen.add(x)
            u = {q + r * n: Fraction(v) for r in range(w) for q, v in ((p, 1), (x, -1))}
            out.append((Fraction(2), u, {}))
            x = image[x]
    return out


def base(seed, states, letters, w, size=1, d=1, label="states"):
    """Returns automaton and network: letters permute points at random, states are the sets of
    points with these numbers that the first one leads to."""
    rng = random.Random(f"swaps {seed}")
    images = [rng.sample(range(states), states) for _ in range(letters)]
    sets, index = [tuple(range(size))], {}
    for s in sets:
        index[s] = len(index)
        for image in images:
            t = tuple(sorted(image[p] for p in s))
            if t not in sets:
                sets.append(t)
    names = ["s" + ".".join(map(str, s)) for s in sets]
    a = handmade.edges(
        [chr(ord("a") + i) for i in range(letters)],
        names,
        lambda q, x: index[tuple(sorted(images[x][p] for p in sets[q]))],
        accept={q for q in range(len(sets)) if q % 3 == 0},
    )
    initial = {(p + r * states, j): 1 + j for p in sets[0] for r in range(w) for j in range(d)}
    h = handmade.head(
        states * w, d, initial, *((1, *factors_of(image, w)) for image in images)
    )
    y = handmade.layer(letters, [h], lambda x, s: None, len(a.all_labels(label)))
    return handmade.follow(a, handmade.network(a, label, y))


BASES = {
    "two states": lambda: base(21, 2, 1, 2),
    "five states": lambda: base(2, 5, 2, 2),
    "seven states, one row a point": lambda: base(3, 7, 2, 1),
    "four states, three rows a point": lambda: base(4, 4, 2, 3),
    "pairs of five points": lambda: base(5, 5, 2, 2, size=2),
    "pairs of four points, two columns": lambda: base(6, 4, 3, 2, size=2, d=2),
    "six states, acceptance": lambda: base(7, 6, 2, 2, label="accept"),
}


def certificate_of(net, a, rows):
    c = triple_judge.certificate_of(net, a, rows)
    c.claim = CLAIM
    return c


def texts_of(a, net):
    fsa = a.text()
    lrnn = net.text(triple.sha256(fsa))
    return fsa, lrnn, certificate_of(net, a, triple_judge.close(net, a)).text(fsa, lrnn)


# --- changes ---


def rows_exchanged(rng, a, net):
    """Exchanges two rows in the keys of one letter."""
    h = net.layer[0].head[0]
    x, i, j = rng.randrange(len(h.factors)), rng.randrange(h.n), rng.randrange(h.n)
    other = {i: j, j: i}
    h.factors[x] = [
        (beta, {other.get(r, r): v for r, v in u.items()}, c) for beta, u, c in h.factors[x]
    ]
    return True


def copies_changed(rng, a, net):
    """Sets one number of one code, or of the initial state."""
    y = net.layer[0]
    state = rng.choice([y.head[0].initial, *(code[0] for code in y.code)])
    mutations.new_value(rng, state, (rng.randrange(y.head[0].n), rng.randrange(y.head[0].d)))
    return True


def identity_added(rng, a, net):
    """Exchanges four rows for one letter twice, which is right and may have points of its own."""
    h = net.layer[0].head[0]
    if h.n < 4:
        return False
    rows = rng.sample(range(h.n), 4)
    u = {r: Fraction(1 if i < 2 else -1) for i, r in enumerate(rows)}
    x = rng.randrange(len(h.factors))
    at = rng.randrange(len(h.factors[x]) + 1)
    h.factors[x][at:at] = [(Fraction(2), u, {}), (Fraction(2), dict(u), {})]
    return True


def bias_added(rng, a, net):
    """Adds a number to one row after one letter."""
    h = net.layer[0].head[0]
    h.bias = [{} for _ in h.gate]
    h.bias[rng.randrange(len(h.bias))][rng.randrange(h.n), 0] = Fraction(1)
    return True


NETWORK = [*mutations.NETWORK, rows_exchanged, copies_changed, identity_added, bias_added]


def mutant(rng, texts, parsed):
    """Returns (kind, three texts) with one change of meaning and all hashes right, or None when
    nothing was changed."""
    a, net, cert = copy.deepcopy(parsed)
    where = rng.choices(
        ("network", "automaton", "certificate", *mutant_run.TEXT_CHANGES), (55, 15, 15, 10, 5, 10)
    )[0]
    if where in mutant_run.TEXT_CHANGES:
        return mutant_run.changed_text(rng, where, texts, rng.randrange(3))
    if where == "certificate":
        change = rng.choice(mutations.CERTIFICATE)
        change(rng, cert)
    else:
        change = rng.choice(NETWORK if where == "network" else mutations.AUTOMATON)
        if not change(rng, a, net):
            return None
        cert.sizes, cert.states = list(net.sizes()), len(a.states)
        rows = triple_judge.close(net, a, ignore_labels=True) if rng.random() < 0.6 else None
        if rows:
            cert = certificate_of(net, a, rows)
    fsa = a.text()
    lrnn = net.text(triple.sha256(fsa))
    files = fsa, lrnn, cert.text(fsa, lrnn)
    return (f"{where}: {change.__name__}", files) if files != texts else None


def judge(*texts):
    right, all_right = triple_judge.should_verify(*texts, claim=CLAIM, form=has_form)
    return mutant_run.of_network(right, all_right)


def meaning_chunk(checker, texts, seed, runs):
    a = triple.read_automaton(texts[0])
    net, _ = triple.read_network(texts[1])
    parsed = a, net, triple_judge.read_certificate(texts[2], texts[0], texts[1], CLAIM)
    return mutant_run.meaning_runs(
        checker, seed, runs, lambda rng: mutant(rng, texts, parsed), judge
    )


def main():
    args, facts = mutant_run.arguments(__doc__, 2000, tool=False), []
    bases = {name: texts_of(*make()) for name, make in BASES.items()}
    with tempfile.TemporaryDirectory() as folder:
        for name, texts in bases.items():
            seen = mutant_run.verdict(args.checker, folder, [t.encode() for t in texts])
            facts.append(
                (
                    f"{name}: unchanged, verified by lrnn-check and the replay",
                    mutant_run.accepted(seen, texts) is True and judge(*texts).must,
                )
            )
    failed = mutant_run.print_facts(facts)
    tally, wrong = mutant_run.run(
        args, list(bases.values()), (mutant_run.byte_chunk, meaning_chunk)
    )
    return mutant_run.close(
        f"{len(bases)} unchanged triples, seed {args.seed}, {mutant_run.spent(args.begin)}",
        len(facts) + sum(tally.values()),
        failed + wrong,
    )


if __name__ == "__main__":
    sys.exit(main())
