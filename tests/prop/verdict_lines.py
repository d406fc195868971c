"""A verdict in a number format names all of it: two different FORMAT lines never give one verdict
line.

The cases are networks that are right in one machine and wrong in its neighbour (one flushes, one
saturates, one has nan), and lines of claims float, refuted and `unrounded` over a product of all
seven fields and the schedules, which must be different lines, each with the words of the
certificate. The plain checkers must agree, as in all programs here.

usage: verdict_lines.py --checker build/release/lrnn-check [--tool ..]
"""

import argparse
import itertools
import sys
import tempfile
import time
from fractions import Fraction

import handmade
import handmade_float
import mutant_run
import mutations
import refute_mutate
import triple
import triple_judge
import unrounded
from handmade_float import FORMATS, ORDERS, ROUNDINGS, Format, Schedule, close, power

BF16, E4M3 = FORMATS["bf16"], FORMATS["e4m3"]
EVERY = Schedule("every")


def all_formats():
    """Yields every combination of values of the seven fields."""
    for p, emin, emax, full, subnormals, overflow, rounding in itertools.product(
        (4, 8),
        (-126, -14),
        (15, 127),
        (True, False),
        (True, False),
        ("infinity", "nan", "saturate"),
        ROUNDINGS,
    ):
        yield Format(p, emin, emax, None if full else power(emax), subnormals, overflow, rounding)


def schedules():
    for order in ORDERS:
        yield Schedule(order)
        if order != "cast":
            yield from (
                Schedule(order, eps, raw)
                for eps in (Fraction(0), power(-20))
                for raw in (Fraction(16), Fraction(32))
            )


def adding(start, bias, gate, codes):
    """A network of one number: letter a multiplies by the gate and adds the bias, letter b returns
    to the start; labels are codes[0], codes[1]."""
    a = handmade.edges(["a", "b"], ["before", "after"], lambda q, w: 1 - w)
    h = handmade.head(1, 1, {(0, 0): start} if start else {}, (gate,), (0,))
    h.bias = [{(0, 0): Fraction(bias)} if bias else {}, {(0, 0): Fraction(start)} if start else {}]
    h.bias = h.bias if any(h.bias) else None
    y = triple.Layer()
    y.letters, y.head, y.symbols, y.by_letter = 2, [h], 2, False
    y.code = [[{(0, 0): Fraction(x)} if x else {}] for x in codes]
    y.symbol = [0, 1]
    return a, handmade.network(a, "states", y)


FLUSHED = adding(power(-126), 0, Fraction(1, 2), (power(-126), 0))
LARGE = adding(0, power(127), 1, (0, power(127)))
E4M3_LARGE = adding(0, 448, 1, (0, 448))
# (what, network, format, rows where it is right, or the letters after which it is wrong; None: it
# is not finite then)
MACHINES = (
    ("flushed", FLUSHED, BF16.but(subnormals=False), 2),
    ("flushed", FLUSHED, BF16, "a"),
    ("saturated", LARGE, BF16.but(overflow="saturate"), 3),
    ("infinite", LARGE, BF16, None),
    ("saturated at a power", LARGE, BF16.but(overflow="saturate", largest=power(127)), 2),
    ("e4m3 saturated", E4M3_LARGE, E4M3.but(overflow="saturate"), 2),
    ("e4m3 of OCP", E4M3_LARGE, E4M3, None),
)


def machines(seen):
    """Yields (what, whether it is so)."""
    for what, (a, net), data, expected in MACHINES:
        rows = close(a, net, data, EVERY)
        if isinstance(expected, int):
            files = handmade_float.texts(a, net, data, EVERY, rows)
            yield f"{what}: {expected} rows", len(rows) == expected and mutant_run.accepted(
                seen(files), files
            )
            continue
        yield f"{what}: does not close", rows is None
        # the other machine's certificate with this machine's format
        (other,) = (
            m
            for m in MACHINES
            if m[1] == (a, net) and isinstance(m[3], int) and m[2].largest == data.largest
        )
        files = handmade_float.texts(a, net, data, EVERY, close(a, net, other[2], EVERY))
        yield f"{what}: refused with the rows of {other[0]}", mutant_run.accepted(
            seen(files)
        ) is False
        if expected:
            yield f"{what}: refuted after {expected}", b" refuted " in seen(
                refuted(a, net, data, EVERY)
            )[1]


def refuted(a, net, data, schedule):
    """Returns the texts of a run on a a a .., or None."""
    c = refute_mutate.Run()
    c.format, c.schedule, c.sizes, c.letters, c.states = (
        data,
        schedule,
        list(net.sizes()),
        len(a.letters),
        len(a.states),
    )
    c.numbers, c.prefix, c.word = sum(h.n * h.d for y in net.layer for h in y.head), [], [0]
    if not refute_mutate.follow(c, a, net):
        return None
    return refute_mutate.texts(a, net, c)


def resting():
    """A letter toggles the automaton, and the network does nothing."""
    a = handmade.edges(["x"], ["even", "odd"], lambda q, w: 1 - q)
    h = handmade.head(1, 1, {(0, 0): 1}, (1,))
    y = handmade.layer(1, [h], lambda x, s: 0, 2)
    return a, handmade.network(a, "states", y)


def cases():
    """Returns (claim, function from format and schedule to texts) of two claims."""
    right, wrong = handmade.parity(), resting()

    def of_float(data, schedule):
        rows = close(*right, data, schedule)
        return rows and handmade_float.texts(*right, data, schedule, rows)

    return ("float", of_float), ("refuted", lambda data, schedule: refuted(*wrong, data, schedule))


def different(seen):
    """Yields (what, whether it is so) for the lines of float and refuted."""
    for claim, make in cases():
        lines, tried = set(), 0
        for data, schedule in [
            *((f, EVERY) for f in all_formats()),
            *((BF16, s) for s in list(schedules())[1:]),
        ]:
            files = make(data, schedule)
            if files is None:
                yield f"{claim} in {data.text()} {schedule.text()}: no certificate", False
                continue
            said = seen(files)
            tried += 1
            line = said[1].decode()
            lines.add(line)
            words = f" {data.text()} {schedule.text()} decoder nearest fsa "
            yield f"{claim}: {words}", mutant_run.accepted(said, files) is True and words in line
        yield f"{claim}: {len(lines)} lines of {tried} certificates", len(lines) == tried


def unrounded_lines(seen):
    """Puts all formats and schedules into one certificate: it gives as many lines, all different;
    one of them twice is refused."""
    a, net = handmade.parity()
    fsa = a.text()
    lrnn = net.text(triple.sha256(fsa))
    cert = triple_judge.certificate_of(net, a, triple_judge.close(net, a)).text(fsa, lrnn)
    stochastic = (f.but(rounding="stochastic") for f in all_formats() if f.rounding == "nearest")
    of = [
        *((f, EVERY) for f in (*all_formats(), *stochastic)),
        *((BF16, s) for s in list(schedules())[1:]),
    ]
    blocks = [b for b in (unrounded.block_of(net, data, s) for data, s in of) if b]
    files = fsa, lrnn, unrounded.insert(cert, blocks)
    said = seen(files)
    lines = said[1].decode().splitlines()
    yield f"unrounded: {len(blocks)} blocks", len(blocks) > 400 and mutant_run.accepted(
        said, files
    ) is True
    yield "unrounded: as many different lines", len(set(lines)) == len(lines) == len(blocks) + 1
    named = [" decoder nearest fsa " in line for line in lines]
    yield "unrounded: lines in a format name the decoder", not named[0] and all(named[1:])
    for twice in (blocks[:1] * 2, [*blocks[:3], blocks[1]], [*blocks, blocks[-1]]):
        status, _, why = seen((fsa, lrnn, unrounded.insert(cert, twice)))
        yield f"unrounded: a line twice, {len(twice)}", status == 1 and b"is given twice" in why


def main():
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("--checker", required=True, type=mutant_run.program)
    options.add_argument("--tool", help="not used")
    args, begin = options.parse_args(), time.monotonic()
    with tempfile.TemporaryDirectory() as folder:

        def seen(files):
            return mutant_run.verdict(
                args.checker, folder, [t.encode() for t in mutations.rehash(*files)]
            )

        facts = [*machines(seen), *different(seen), *unrounded_lines(seen)]
    return mutant_run.close(mutant_run.spent(begin), len(facts), mutant_run.print_facts(facts))


if __name__ == "__main__":
    sys.exit(main())
