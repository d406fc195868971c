"""What lrnn-check must say of closures in number formats: changed bytes, and changed meaning with
all hashes right.

As in mutate.py, for certificates of the claim float (handmade_float.py). Changed are also numbers
by one unit in the last place, rows, format fields, schedules and key normalisations. lrnn-check
must say VERIFIED exactly when a replay in fractions does. Random networks in tiny formats, where
nearly every operation rounds, overflows or underflows, are closed and must be verified; in them all
words have one label, so that every finite closure is right.

usage: float_mutate.py --checker build/release/lrnn-check [--tool ..] [--count N] [--seed S] [--jobs
J]
--count is the number of changes of each kind; there are a quarter as many random networks."""

import collections
import copy
import random
import sys
import tempfile
from fractions import Fraction

import handmade
import handmade_field
import handmade_float
import handmade_wired
import mutant_run
import mutations
import triple
import triple_judge
from handmade_float import FORMATS, ORDERS, ROUNDINGS, Format, Schedule, close, power

ROWS = 60
EPS = Fraction(1e-6)
OVERFLOWS = ("infinity", "nan", "saturate")
EXPECTED = {
    ("semidefinite", "bf16", "every"): 2,
    ("semidefinite", "fp16", "every"): None,
    ("semidefinite", "fp32", "every"): None,
    ("shrinking", "fp16", "every"): 57,
    ("shrinking", "bf16", "every"): None,
    ("swaps-3", "fp32", "every"): 35,
    ("parity", "e4m3", "recurrent"): 2,
    ("mod4", "bf16", "fma"): 4,
    ("s3", "e4m3", "acc32"): 6,
}


def variants():
    yield from FORMATS.items()
    for rounding in ROUNDINGS[1:]:
        yield f"fp16 {rounding}", FORMATS["fp16"].but(rounding=rounding)
    yield "fp32 zero", FORMATS["fp32"].but(rounding="zero")
    yield "fp16 without subnormals", FORMATS["fp16"].but(subnormals=False)
    yield "e4m3 saturate", FORMATS["e4m3"].but(overflow="saturate")


def closures():
    """Returns {name: texts} of all networks that close, and the results that differ from
    EXPECTED."""
    out, strange = {}, []
    for name, make in handmade_float.NETWORKS.items():
        a, net = make()
        for kind, data in variants():
            for order in ORDERS:
                for normal in ((None, None), (EPS, Fraction(16)), (EPS, Fraction(1, 2))):
                    if normal[0] and (
                        order == "cast"
                        or kind not in ("bf16", "fp32")
                        or any(h.raw for h in net.layer[0].head)
                    ):
                        continue
                    schedule = Schedule(order, *normal)
                    rows = closed(a, net, data, schedule)
                    if EXPECTED.get((name, kind, order), 0) != 0 and normal[0] is None:
                        expected = EXPECTED[name, kind, order]
                        if (rows and len(rows)) != expected:
                            strange.append(
                                f"{name}, {kind}, {order}: {rows and len(rows)} rows, not"
                                f" {expected}"
                            )
                    if rows:
                        key = (
                            f"{name}, {kind},"
                            f" {order}{', eps, raw ' + str(normal[1]) if normal[0] else ''}"
                        )
                        out[key] = handmade_float.texts(a, net, data, schedule, rows)
    return out, strange


def closed(a, net, data, schedule, limit=ROWS):
    if not handmade_float.plain(net):
        return None
    try:
        return close(a, net, data, schedule, limit)
    except triple.Malformed:
        return None


# --- changes of the certificate: (rng, certificate) ---


def unit(rng, c):
    """Changes a number of a row by one unit in the last place."""
    numbers = rng.choice(c.rows)[1]
    i = rng.randrange(len(numbers))
    x, f = numbers[i], c.format if c.schedule.order != "recurrent" else handmade_float.FP32
    size = (
        power(max(handmade_float.exponent(abs(x)), f.emin) - f.p + 1)
        if x
        else power(f.emin - f.p + 1)
    )
    numbers[i] = x + rng.choice((-1, 1)) * size * rng.choice((1, 1, 1, Fraction(1, 2)))


def number(rng, c):
    numbers = rng.choice(c.rows)[1]
    i = rng.randrange(len(numbers))
    numbers[i] = rng.choice(
        (-numbers[i], Fraction(0), 2 * numbers[i], Fraction(1), rng.choice(rng.choice(c.rows)[1]))
    )


def precision(rng, c):
    c.format.p += rng.choice((-1, 1))
    if rng.random() < 0.8:
        c.format.largest = (2 - power(1 - c.format.p)) * power(c.format.emax)


def least(rng, c):
    c.format.emin += rng.choice((-1, 1, 5, 60, -60))


def greatest(rng, c):
    c.format.emax += rng.choice((-1, 1, -5, 5))
    if rng.random() < 0.8:
        c.format.largest = (2 - power(1 - c.format.p)) * power(c.format.emax)


def largest(rng, c):
    f = c.format
    f.largest += (
        rng.choice((-1, 1, -2)) * power(f.emax - f.p + 1) * rng.choice((1, 1, Fraction(1, 2)))
    )


def subnormals(rng, c):
    c.format.subnormals = not c.format.subnormals


def overflow(rng, c):
    c.format.overflow = rng.choice(OVERFLOWS)


def rounding(rng, c):
    c.format.rounding = rng.choice(ROUNDINGS)


def order(rng, c):
    c.schedule.order = rng.choice(ORDERS)


def normal(rng, c):
    c.schedule.eps, c.schedule.raw = rng.choice(
        (
            (None, None),
            (EPS, Fraction(1)),
            (Fraction(0), Fraction(16)),
            (power(-20), Fraction(3, 2)),
            (EPS, Fraction(16)),
            (-EPS, Fraction(1)),
            (EPS, Fraction(-1)),
        )
    )


def counted(rng, c):
    name = rng.choice(("letters", "states", "count", "end", "numbers"))
    setattr(c, name, max(0, getattr(c, name) + rng.choice((-1, 1))))


WHERE = [precision, least, greatest, largest, subnormals, overflow, rounding, order, order, normal]
CERTIFICATE = [
    unit,
    unit,
    unit,
    number,
    mutations.next_row,
    mutations.next_row,
    mutations.row_state,
    mutations.rows_exchanged,
    mutations.rows_renumbered,
    mutations.row_lost,
    mutations.row_twice,
    mutations.claim,
    counted,
    *WHERE,
]


def mutant(rng, texts, parsed):
    """Returns (kind, three texts), or None where nothing was changed."""
    a, net, cert = copy.deepcopy(parsed)
    where = rng.choices(
        ("network", "automaton", "certificate", *mutant_run.TEXT_CHANGES), (30, 5, 50, 7, 3, 5)
    )[0]
    if where in mutant_run.TEXT_CHANGES:
        return mutant_run.changed_text(rng, where, texts, rng.choice((1, 2, 2)))
    if where == "certificate":
        change = rng.choice(CERTIFICATE)
        change(rng, cert)
    else:
        change = rng.choice(mutations.NETWORK if where == "network" else mutations.AUTOMATON)
        if not change(rng, a, net):
            return None
        cert.sizes, cert.states, cert.numbers = (
            list(net.sizes()),
            len(a.states),
            sum(h.n * h.d for y in net.layer for h in y.head),
        )
    if (
        (where != "certificate" or change in WHERE)
        and rng.random() < 0.5
        and cert.format.valid()
        and triple_judge.class_error(net, a) is None
        and (cert.schedule.eps is None or cert.schedule.eps >= 0 < cert.schedule.raw)
    ):
        rows = closed(a, net, cert.format, cert.schedule)
        if rows:
            cert = handmade_float.certificate_of(a, net, cert.format, cert.schedule, rows)
    fsa = a.text()
    lrnn = net.text(triple.sha256(fsa))
    files = fsa, lrnn, cert.text(fsa, lrnn)
    return (f"{where}: {change.__name__}", files) if files != texts else None


def tie():
    """The state after letter 2 has two nearest codes, and the first one has the right symbol."""
    a, net = handmade_float.tied()
    rows = close(a, net, FORMATS["bf16"], Schedule("every"))
    net.layer[0].symbol[2] = 0
    return handmade_float.texts(a, net, FORMATS["bf16"], Schedule("every"), rows)


def facts(checker, folder):
    """Yields (what, whether it is so) for certificates that are refused for one named reason."""

    def seen(files):
        return mutant_run.verdict(checker, folder, [t.encode() for t in mutations.rehash(*files)])

    base = handmade_float.NETWORKS["semidefinite"]()
    rows = close(*base, FORMATS["bf16"], Schedule("every"))
    good = handmade_float.texts(*base, FORMATS["bf16"], Schedule("every"), rows)
    line = (
        "s VERIFIED float label states letters 2 states 2 layers 1 heads 1 householders 1 key 2"
        " value 1 rows 2 with raw bias format precision 8 emin -126 emax 127 largest 255p120"
        " subnormals yes overflow infinity round nearest schedule every decoder nearest fsa"
        f" {triple.sha256(good[0])} network {triple.sha256(good[1])}\n"
    )
    yield "the line of the verdict", seen(good)[1] == line.encode()
    for kind in ("fp16", "fp32", "fp64", "tf32"):
        status, _, why = seen(
            (*good[:2], good[2].replace(FORMATS["bf16"].text(), FORMATS[kind].text()))
        )
        yield f"semidefinite in {kind}", status == 1 and b"goes to another state" in why
    status, _, why = seen(tie())
    yield "two nearest codes with different symbols", status == 1 and b"gives no symbol" in why
    field = handmade_field.texts(*handmade_field.ALL["pentagon"]())
    status, _, why = seen((*field[:2], good[2]))
    yield "a head over a field", status == 2 and b"are lrnn-check-field's" in why
    wired = handmade_wired.texts(*handmade_wired.ALL["counter"]())
    status, _, why = seen((*wired[:2], good[2]))
    yield "a wired network", status == 2 and b"are lrnn-check-wired's" in why
    for order, word in (
        ("chunk64", b"not for stochastic rounding, random bits, prompts and chunk64"),
        ("other", b"expected `chunk64`"),
    ):
        status, _, why = seen((*good[:2], good[2].replace("schedule every", f"schedule {order}")))
        yield f"schedule {order}", status == 1 and word in why
    status, _, why = seen((*good[:2], good[2].replace("round nearest", "round stochastic")))
    yield "stochastic rounding", status == 1 and b"stochastic" in why
    status, _, why = seen(
        (*good[:2], good[2].replace("schedule every", "schedule every eps 0 raw 1"))
    )
    yield "normalised keys of a raw head", status == 2 and b"raw heads" in why


def judge(*texts):
    return mutant_run.of_replay(handmade_float.should_verify(*texts))


def meaning_chunk(checker, texts, seed, runs):
    parsed = (
        triple.read_automaton(texts[0]),
        triple.read_network(texts[1])[0],
        handmade_float.read_certificate(texts[2], texts[0], texts[1]),
    )
    return mutant_run.meaning_runs(
        checker, seed, runs, lambda rng: mutant(rng, texts, parsed), judge
    )


# --- random networks ---


def value(rng):
    return Fraction(rng.randrange(-12, 13), rng.choice((1, 1, 2, 3, 4, 8, 24)))


def some(rng, n):
    v = {i: value(rng) for i in range(n) if rng.random() < 0.7}
    return {i: x for i, x in v.items() if x}


def random_head(rng, letters):
    n, d, h = rng.randrange(1, 6), rng.randrange(1, 3), triple.Head()
    h.n, h.d, h.raw = n, d, rng.random() < 0.3
    h.initial = {(i, j): x for j in range(d) for i, x in some(rng, n).items()}
    h.gate = [
        rng.choice((Fraction(1), Fraction(1), Fraction(2, 3), Fraction(0))) for _ in range(letters)
    ]
    h.factors = [[] for _ in range(letters)]
    for factors in h.factors:
        for _ in range(rng.randrange(3)):
            u = some(rng, n) or {0: Fraction(1)}
            beta = Fraction(rng.randrange(13), 6) / (h.square(u) if h.raw else 1)
            factors.append((beta, dict(sorted(u.items())), some(rng, d)))
    if rng.random() < 0.5:
        h.bias = [
            {(i, j): x for j in range(d) for i, x in some(rng, n).items()} for _ in range(letters)
        ]
        h.bias = h.bias if any(h.bias) else None
    return h


def random_network(rng):
    """Returns a network of one state and one label; the symbols of the first of two layers are
    found by the nearest code."""
    letters = rng.randrange(1, 3)
    a = handmade.edges([str(x) for x in range(letters)], ["q"], lambda q, w: 0)
    layers, reads = [], letters
    for last in (rng.random() < 0.6, True):
        y = triple.Layer()
        y.letters, y.symbols, y.head = (
            reads,
            1 if last else 2,
            [random_head(rng, reads) for _ in range(rng.choice((1, 1, 2)))],
        )
        for i in range(rng.randrange(1, 4) if last else 3):
            code = [
                {(p, q): x for q in range(h.d) for p, x in some(rng, h.n).items()} for h in y.head
            ]
            if code not in y.code:
                y.code.append(code)
                y.symbol.append(0 if last else i % 2)
        layers.append(y)
        reads = 2
        if last:
            break
    net = handmade.network(a, "states", *layers)
    return a, net


def random_format(rng):
    p, emin = rng.randrange(2, 6), rng.randrange(-3, 2)
    f = Format(
        p,
        emin,
        emin + rng.randrange(1, 5),
        None,
        rng.random() < 0.6,
        rng.choice(("saturate", "saturate", "nan")),
        rng.choice(ROUNDINGS),
    )
    if rng.random() < 0.4:
        f.largest = power(f.emax - p + 1) * rng.randrange(2 ** (p - 1), 2**p)
    return f


def random_chunk(checker, texts, seed, runs):
    rng, tally, bad = random.Random(seed), collections.Counter(), []
    with tempfile.TemporaryDirectory() as folder:
        for _ in range((runs + 3) // 4):
            rows = None
            while not rows:
                a, net = random_network(rng)
                data, schedule = random_format(rng), Schedule(rng.choice(ORDERS))
                if (
                    schedule.order != "cast"
                    and not any(h.raw for y in net.layer for h in y.head)
                    and rng.random() < 0.3
                ):
                    schedule = Schedule(
                        schedule.order,
                        rng.choice((Fraction(0), power(-20), EPS)),
                        rng.choice((Fraction(1), Fraction(5, 2))),
                    )
                rows = (
                    closed(a, net, data, schedule, 120)
                    if triple_judge.class_error(net, a) is None
                    else None
                )
            files = handmade_float.texts(a, net, data, schedule, rows)
            mutant_run.judged(
                checker, folder, f"random network: {schedule.order}", files, judge, tally, bad
            )
            cert = handmade_float.read_certificate(files[2], *files[:2])
            rng.choice((unit, rounding, order, overflow, subnormals))(rng, cert)
            mutant_run.judged(
                checker,
                folder,
                "random network, changed",
                (*files[:2], cert.text(*files[:2])),
                judge,
                tally,
                bad,
            )
    return tally, bad


def main():
    args = mutant_run.arguments(__doc__, 2000, tool=False)
    bases, strange = closures()
    with tempfile.TemporaryDirectory() as folder:
        unchanged = mutant_run.sampled(args, bases.items())
        for name, texts in unchanged:
            seen = mutant_run.verdict(args.checker, folder, [t.encode() for t in texts])
            if not mutant_run.accepted(seen) or not handmade_float.should_verify(*texts):
                strange.append(f"{name}: {seen}")
        named = list(facts(args.checker, folder))
        strange += [what for what, holds in named if not holds]
    for what in strange[:20]:
        print(f"FAILED {what}")
    order_of_bases = random.Random(args.seed).sample(list(bases.values()), len(bases))
    tally, wrong = mutant_run.run(
        args, order_of_bases, (mutant_run.byte_chunk, meaning_chunk, random_chunk)
    )
    return mutant_run.close(
        f"{len(unchanged)} of {len(bases)} closures, seed {args.seed},"
        f" {mutant_run.spent(args.begin)}",
        sum(tally.values()) + len(unchanged) + len(EXPECTED) + len(named),
        wrong + len(strange),
    )


if __name__ == "__main__":
    sys.exit(main())
