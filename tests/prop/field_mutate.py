"""What lrnn-check must refuse among networks over number fields: changed bytes, and changed meaning
with right hashes.

As in mutate.py, for the networks of handmade_field.py. Changed are also a coefficient of a key, a
write, a state or a code, the form, the polynomial and the interval. The judge computes exactly in
the field (field.py), finds signs and roots in other ways than lrnn-check, and compares codes as
real numbers.

usage: field_mutate.py --checker build/release/lrnn-check [--tool build/release/fsa2lrnn] [--count
N] [--seed S] [--jobs J]
--count is the number of changes of each kind; with --tool the compiler must find the unchanged
networks right, too."""

import sys
import tempfile
import time
from fractions import Fraction

import handmade_field
import mutant_run
import mutate
import mutations
import triple_judge
from field import Number
from mutations import NUMBERS


def pick_head(rng, net):
    return rng.choice([h for y in net.layer for h in y.head if h.field or h.form is not None])


def difference(rng, h):
    """Returns a number that is not zero and has one coefficient."""
    power = rng.randrange(h.field.degree) if h.field else 0
    new = rng.choice([x for x in NUMBERS if x])
    return Number(h.field, [0] * power + [new]) if power else new


def change(rng, h, vector, key):
    new = vector.pop(key, 0) + difference(rng, h)
    if new:
        vector[key] = new
    return True


# --- changes of the network: (rng, automaton, network), False when they do not apply ---


def coefficient_of_factor(rng, a, net):
    h = pick_head(rng, net)
    factors = [f for fs in h.factors for f in fs]
    if factors:
        _, u, c = rng.choice(factors)
        return (
            change(rng, h, u, rng.randrange(h.n))
            if rng.random() < 0.8
            else change(rng, h, c, rng.randrange(h.d))
        )


def coefficient_of_initial(rng, a, net):
    h = pick_head(rng, net)
    return change(rng, h, h.initial, (rng.randrange(h.n), rng.randrange(h.d)))


def coefficient_of_code(rng, a, net):
    y = rng.choice(net.layer)
    k = rng.randrange(len(y.head))
    return change(
        rng,
        y.head[k],
        rng.choice(y.code)[k],
        (rng.randrange(y.head[k].n), rng.randrange(y.head[k].d)),
    )


def coefficient_of_form(rng, a, net):
    h = pick_head(rng, net)
    if h.form is None:
        h.form = {(i, i): Fraction(1) for i in range(h.n)}
    i, j = rng.randrange(h.n), rng.randrange(h.n)
    return change(
        rng, h, h.form, (min(i, j), max(i, j)) if rng.random() < 0.95 else (max(i, j), min(i, j))
    )


def form_scaled(rng, a, net):
    """Scales a form: right where nothing is written, if the number is positive and the certificate
    is made for it."""
    h = pick_head(rng, net)
    z = difference(rng, h)
    h.form = {k: v * z for k, v in (h.form or {(i, i): Fraction(1) for i in range(h.n)}).items()}
    return True


def form_lost(rng, a, net):
    h = pick_head(rng, net)
    h.form = None if h.form is not None else {(i, i): Fraction(1) for i in range(h.n)}
    return True


def factor_scaled(rng, a, net):
    """Scales a factor to (z u, z c), which is the same factor: right, when the certificate is made
    for it."""
    h = pick_head(rng, net)
    factors = [f for fs in h.factors for f in fs]
    if factors:
        _, u, c = rng.choice(factors)
        z = difference(rng, h) + rng.choice((0, 0, 1, 2))
        for v in (u, c):
            v.update({k: x * z for k, x in v.items()})
            for k in [k for k, x in v.items() if not x]:
                del v[k]
        return True


def polynomial(rng, a, net):
    p = pick_field(rng, net).polynomial
    i = rng.randrange(len(p))
    p[i] = p[i] + rng.choice((-1, 1)) if i < len(p) - 1 else rng.choice((2, -1))
    return True


def degree(rng, a, net):
    """Changes the polynomial's degree: it has more roots, or one root less."""
    over = pick_field(rng, net)
    p, (c, *d) = over.polynomial, rng.choice(
        ((-2, 1), (3, 1), (1, 1), (-3, 0, 1), (-2, 0, 1), (1, 1, 1), (0, 1))
    )
    if rng.random() < 0.2:
        over.polynomial = [*p[: rng.randrange(2, len(p))], 1]
    else:
        over.polynomial = [
            sum(x * p[i - j] for j, x in enumerate((c, *d)) if 0 <= i - j < len(p))
            for i in range(len(p) + len(d))
        ]
    return True


def interval(rng, a, net):
    """Changes the interval, perhaps to one of another root, of two roots or of none."""
    over = pick_field(rng, net)
    step = rng.choice((1, 2, 4, 32))
    ends = Fraction(rng.randrange(-3 * step, 3 * step), step), Fraction(
        rng.randrange(-3 * step, 3 * step), step
    )
    over.low, over.high = rng.choice(
        ((over.low, ends[1]), (ends[0], over.high), ends, tuple(sorted(ends)))
    )
    return True


def interval_halved(rng, a, net):
    over = pick_field(rng, net)
    middle = (over.low + over.high) / 2
    over.low, over.high = rng.choice(((over.low, middle), (middle, over.high)))
    return True


def field_lost(rng, a, net):
    pick_field(rng, net)
    next(h for y in net.layer for h in y.head if h.field).field = None
    return True


def pick_field(rng, net):
    """Returns the field of a random head, which all heads may share."""
    heads = [h for y in net.layer for h in y.head if h.field]
    if not heads:
        raise LookupError
    return rng.choice(heads).field


def needs_field(change_it):
    def changed(rng, a, net):
        try:
            return change_it(rng, a, net)
        except LookupError:
            return False

    changed.__name__ = change_it.__name__
    return changed


NETWORK = [
    coefficient_of_factor,
    coefficient_of_factor,
    coefficient_of_initial,
    coefficient_of_code,
    coefficient_of_form,
    form_scaled,
    form_lost,
    factor_scaled,
    *map(needs_field, (polynomial, degree, interval, interval, interval_halved, field_lost)),
]


def meaning_chunk(checker, texts, seed, runs):
    return mutate.meaning_chunk(checker, texts, seed, runs, 2 * NETWORK + mutations.NETWORK)


def facts(checker, folder):
    """Yields (what, whether it is so) for networks that are wrong although all edges are right as
    polynomials, and for large ones."""
    for name, make in handmade_field.WRONG.items():
        texts = handmade_field.texts(*make())
        seen = mutant_run.verdict(checker, folder, [t.encode() for t in texts])
        yield (
            f"{name}: refused: {seen}",
            mutant_run.accepted(seen) is False
            and triple_judge.should_verify(*texts) == (False, False),
        )
    for name, make in handmade_field.LARGE.items():
        texts = [t.encode() for t in handmade_field.texts(*make())]
        begin = time.monotonic()
        seen = mutant_run.verdict(checker, folder, texts)
        seconds = time.monotonic() - begin
        yield f"{name}: {seconds:.2f} s {seen[1].decode().strip()}", mutant_run.accepted(seen)


def main():
    args = mutant_run.arguments(__doc__, 2000)
    bases = {name: handmade_field.texts(*make()) for name, make in handmade_field.ALL.items()}
    with tempfile.TemporaryDirectory() as folder:
        found = list(facts(args.checker, folder))
        for name, texts in bases.items():
            seen = mutant_run.verdict(args.checker, folder, [t.encode() for t in texts])
            found.append(
                (
                    f"{name}: verified: {seen}",
                    mutant_run.accepted(seen) and triple_judge.should_verify(*texts)[1],
                )
            )
            if args.tool and name != "reducible":  # the compiler does not read this one
                found.append(
                    (f"{name}: fsa2lrnn run", mutant_run.compiler_agrees(args.tool, folder, texts))
                )
    failed = mutant_run.print_facts(found, lambda what: what.split(":")[0] in handmade_field.LARGE)
    tally, wrong = mutant_run.run(
        args, list(bases.values()), (mutant_run.byte_chunk, meaning_chunk)
    )
    return mutant_run.close(
        f"{len(bases)} unchanged triples, seed {args.seed}, {mutant_run.spent(args.begin)}",
        len(found) + sum(tally.values()),
        failed + wrong,
    )


if __name__ == "__main__":
    sys.exit(main())
