"""What lrnn-check must say of formats and schedules in which nothing rounds: `unrounded` blocks of
exact certificates.

As in mutate.py. Blocks are made for hand-made networks, several in one certificate, and then
formats, schedules, vectors, bounds and the network are changed, with all hashes right. lrnn-check
must say VERIFIED exactly when unrounded.py does. Wired networks, which unrounded.py does not know,
are tried with formats that hold all their numbers and with some that do not.

usage: unrounded_mutate.py --checker build/release/lrnn-check [--tool ..] [--count N] [--seed S]
[--jobs J]"""

import collections
import copy
import random
import sys
import tempfile
from fractions import Fraction

import float_mutate
import handmade
import handmade_d1
import handmade_float
import handmade_wired
import mutant_run
import mutations
import triple
import triple_judge
import unrounded
import wired
from handmade_float import FORMATS, ORDERS, Format, Schedule

SCHEDULES = [
    *map(Schedule, (*ORDERS, "chunk64")),
    Schedule("recurrent", Fraction(1e-6), Fraction(16)),
    Schedule("every", Fraction(1e-6), Fraction(1, 2)),
    Schedule("chunk64", Fraction(1e-6), Fraction(16)),
]
TINY = Format(3, -2, 3)
WORD = 60  # letters of a word that wired networks step exactly


def written(column=2):
    """Two keys write a value of two columns; the first letter uses them one after the other."""
    a = handmade.edges(["set", "clear", "hold"], ["none", "set"], lambda q, w: (1, 0, q)[w])
    u, v = handmade.vector(1, 1, 1, 1), handmade.vector(1, -1, 1, -1)
    clear = [
        (1, u, {}),
        (1, v, {}),
        (1, handmade.vector(1, 1, -1, -1), {}),
        (1, handmade.vector(1, -1, -1, 1), {}),
    ]
    h = handmade.head(
        4,
        column,
        {},
        (1, *clear, (1, u, handmade.vector(2, -4)), (1, v, handmade.vector(0, 3))),
        (1, *clear),
        (1,),
    )
    return handmade.follow(
        a, handmade.network(a, "states", handmade.layer(3, [h], lambda x, s: 0, 2))
    )


NETWORKS = {
    **handmade.ALL,
    "written": written,
    "squares": handmade_float.squares,
    "swaps-3": handmade_float.swaps,
}


def bases():
    """Returns {name: texts}: for each network and format all schedules together."""
    out = {}
    for name, make in NETWORKS.items():
        a, net = make()
        rows = triple_judge.close(net, a)
        fsa = a.text()
        lrnn = net.text(triple.sha256(fsa))
        cert = triple_judge.certificate_of(net, a, rows).text(fsa, lrnn)
        for kind, data in (
            *FORMATS.items(),
            ("tiny", TINY),
            ("fp16 up", FORMATS["fp16"].but(rounding="up", subnormals=False)),
            ("stochastic", FORMATS["bf16"].but(rounding="stochastic")),
        ):
            blocks = [b for b in (unrounded.block_of(net, data, s) for s in SCHEDULES) if b]
            if blocks:
                out[f"{name}, {kind}: {len(blocks)}"] = fsa, lrnn, unrounded.insert(cert, blocks)
    return out


def parts(texts):
    a = triple.read_automaton(texts[0])
    net, _ = triple.read_network(texts[1])
    head, claim, rest = texts[2].partition(unrounded.CLAIM)
    lines, blocks = rest.split("\n"), []
    while lines[0].startswith("unrounded "):
        ahead = iter(lines)
        blocks.append(unrounded.read_block(ahead, net))
        lines = list(ahead)
    bare = head + claim + "\n".join(lines)
    return a, net, bare, blocks


# --- changes of a block: (rng, block), False when they do not apply ---


def of_format(rng, b):
    rng.choice(
        [c for c in float_mutate.WHERE if c not in (float_mutate.order, float_mutate.normal)]
    )(rng, b)


def of_schedule(rng, b):
    b.schedule.order = rng.choice(ORDERS)


def of_keys(rng, b):
    float_mutate.normal(rng, b)


def vector(rng, b):
    if b.heads:
        vectors = rng.choice(b.heads)[3]
        i = rng.randrange(len(vectors))
        v = list(vectors[i][1])
        v[rng.randrange(len(v))] += rng.choice((-1, 1, Fraction(1, 2), Fraction(1, 3)))
        vectors[i] = vectors[i][0], tuple(v)
        return True
    return False


def vector_lost(rng, b):
    if b.heads:
        vectors = rng.choice(b.heads)[3]
        del vectors[rng.randrange(len(vectors))]
        return True
    return False


def vector_more(rng, b):
    """Adds a vector: sets need not be the least ones; their bounds are made again."""
    if b.heads:
        vectors = rng.choice(b.heads)[3]
        i = rng.randrange(len(vectors))
        kind, v = vectors[i]
        vectors.insert(i, (kind, tuple(x * rng.choice((1, -1, 2)) for x in v)))
        return True
    return False


def vector_kind(rng, b):
    if b.heads:
        vectors = rng.choice(b.heads)[3]
        i, j = (rng.randrange(len(vectors)) for _ in range(2))
        vectors[i], vectors[j] = vectors[j], vectors[i]
        return True
    return False


def bound(rng, b):
    if b.heads:
        bounds = rng.choice(b.heads)[4]
        i = rng.randrange(len(bounds))
        what, s, most = bounds[i]
        bounds[i] = (
            what,
            s + rng.choice((-1, 0, 1)),
            rng.choice((most, most * 2, most + 1, most / 2)),
        )
        return True
    return False


BLOCK = [
    of_format,
    of_format,
    of_schedule,
    of_keys,
    vector,
    vector_lost,
    vector_more,
    vector_more,
    vector_kind,
    bound,
]


def mutant(rng, texts):
    a, net, bare, blocks = parts(texts)
    where = rng.choices(("network", "block", *mutant_run.TEXT_CHANGES), (35, 50, 7, 3, 5))[0]
    if where in mutant_run.TEXT_CHANGES:
        return mutant_run.changed_text(rng, where, texts, rng.choice((1, 2, 2, 2)))
    blocks = [rng.choice(blocks)]
    if where == "block":
        change = rng.choice(BLOCK)
        if change(rng, blocks[0]) is False:
            return None
        if change is vector_more and rng.random() < 0.8:
            again(net, blocks[0])
    else:
        change = rng.choice(mutations.NETWORK)
        if not change(rng, a, net) or triple_judge.class_error(net, a):
            return None
        rows = triple_judge.close(net, a, ignore_labels=True)
        if not rows:
            return None
        if rng.random() < 0.5:
            blocks = [unrounded.block_of(net, blocks[0].format, blocks[0].schedule) or blocks[0]]
    fsa = a.text()
    lrnn = net.text(triple.sha256(fsa))
    if where == "network":
        bare = triple_judge.certificate_of(net, a, rows).text(fsa, lrnn)
    return f"{where}: {change.__name__}", (fsa, lrnn, unrounded.insert(bare, blocks))


def again(net, b):
    heads = iter(b.heads)
    for y in net.layer:
        for k, h in enumerate(y.head):
            one = next(heads)
            try:
                c = unrounded.Chunks(net, y, k, b.format, b.schedule)
                sets = {kind: [v for of, v in one[3] if of == kind] for kind in range(h.d + 2)}
                if c.closed(sets):
                    one[4] = c.bounds(sets)
            except unrounded.Inexact:
                return


def meaning_chunk(checker, texts, seed, runs):
    def make(rng):
        made = mutant(rng, texts)
        return made if made and made[1] != texts else None

    return mutant_run.meaning_runs(
        checker,
        seed,
        runs,
        make,
        lambda *files: mutant_run.of_replay(unrounded.should_verify(*files)),
    )


def words_exact(rng, net, data, order, letters):
    """Steps a wired network on a random word in the format; returns False where something is
    rounded."""
    run, of = wired.Run(net), unrounded.StrictRounded(triple.Network(), data, Schedule(order))
    joint, heads = run.start(), {}
    states = [[dict(state) for state in initial] for _, initial in net.stages]
    try:
        for _ in range(letters):
            inputs, after, at = (rng.randrange(net.kinds()),), [], 0
            for (i, _), held in zip(net.stages, states):
                b, wires = net.blocks[i], list(inputs)
                run.gates(b.pre, wires)
                for k, h in enumerate(b.heads):
                    for j, (wire, on) in enumerate(h.slots):
                        if (i, k, j) not in heads:
                            heads[i, k, j] = one = triple.Head()
                            one.n, one.d, one.gate, one.factors = (
                                h.n,
                                h.d,
                                [g for g, _ in on],
                                [f for _, f in on],
                            )
                        dense = [
                            [of.state.round(held[k].get((r, c), Fraction(0))) for c in range(h.d)]
                            for r in range(h.n)
                        ]
                        of.step_head(heads[i, k, j], wires[wire], dense)
                        held[k] = {
                            (r, c): v for r, row in enumerate(dense) for c, v in enumerate(row) if v
                        }
                codes = run.codes_of(b, held)
                inputs = run.step_block(i, inputs, joint[at : at + len(codes)])[1]
                after, at = [*after, *codes], at + len(codes)
            joint = tuple(after)
        return True
    except unrounded.Inexact:
        return False


def wired_facts(args, folder):
    """Yields (name, format, order, verdict, whether a word can be stepped exactly) for wired
    networks with any claim."""
    rng, modules = random.Random(5), (handmade_wired, handmade_d1)
    networks = [(module, name) for module in modules for name in module.ALL]
    for module, name in mutant_run.sampled(args, networks):
        a, net, certificate = module.ALL[name]()
        made = module.texts(a, net, certificate)
        for kind, data in (
            ("bf16", FORMATS["bf16"]),
            ("fp16", FORMATS["fp16"].but(rounding="down")),
            ("tiny", TINY),
        ):
            for order in (*ORDERS, "chunk64"):
                line = f"unrounded {data.text()} {Schedule(order).text()}\n"
                head, claim, rest = made[2].partition("claim ")
                kind_of, _, rest = rest.partition("\n")
                texts = mutations.rehash(
                    made[0], made[1], f"{head}{claim}{kind_of}\n{line}{rest}"
                )
                seen = mutant_run.verdict(args.checker, folder, [t.encode() for t in texts])
                exact = order != "chunk64" and (
                    not mutant_run.accepted(seen)
                    or words_exact(rng, net, data, order, WORD // args.sample)
                )
                yield name, kind, order, seen, exact


def kept():
    """The second of two factors removes what the first one writes; from 0 the first alone leads to
    another number."""
    a = handmade.edges(["x"], ["q"], lambda q, w: 0)
    h = handmade.head(
        1,
        1,
        {},
        (
            1,
            (1, handmade.vector(1), handmade.vector(4)),
            (2, handmade.vector(1), handmade.vector(2)),
        ),
    )
    return handmade.follow(
        a, handmade.network(a, "states", handmade.layer(1, [h], lambda x, s: 0, 1))
    )


def directed():
    """Yields (what, texts): every vector of a set removed, formats that are too small for bounds,
    and a code that no word needs."""
    for name, make in (
        ("written", lambda: written(1)),
        ("s3", handmade.s3),
        ("parity", handmade.parity),
        ("kept", kept),
    ):
        a, net = make()
        fsa = a.text()
        lrnn = net.text(triple.sha256(fsa))
        cert = triple_judge.certificate_of(net, a, triple_judge.close(net, a)).text(fsa, lrnn)
        whole = unrounded.block_of(net, FORMATS["bf16"], Schedule("chunk64"))
        for i in range(len(whole.heads[0][3])):
            b = copy.deepcopy(whole)
            del b.heads[0][3][i]
            yield f"{name} without vector {i}", (fsa, lrnn, unrounded.insert(cert, [b]))
        for group in range(3):
            b, c = copy.deepcopy(whole), unrounded.Chunks(
                net, net.layer[0], 0, whole.format, whole.schedule
            )
            c.left_out = group
            sets = c.least()
            b.heads[0][3:] = [(kind, v) for kind, vs in sets.items() for v in vs], c.bounds(sets)
            yield f"{name} without runs {group}", (fsa, lrnn, unrounded.insert(cert, [b]))
        for p in range(2, 9):
            for emin, emax in ((-1, 6), (0, 6), (1, 6), (-1, 1), (-1, 2), (-2, 3)):
                b = copy.deepcopy(whole)
                b.format = Format(p, emin, emax, subnormals=p % 2 == 0)
                yield f"{name}, precision {p}, emin {emin}, emax {emax}", (
                    fsa,
                    lrnn,
                    unrounded.insert(cert, [b]),
                )
    a, net = handmade.parity()
    net.layer[0].code.append([{(0, 0): Fraction(1, 3)}])
    net.layer[0].symbol.append(None)
    fsa = a.text()
    lrnn = net.text(triple.sha256(fsa))
    cert = triple_judge.certificate_of(net, a, triple_judge.close(net, a)).text(fsa, lrnn)
    for order in ORDERS:
        b = unrounded.Block()
        b.format, b.schedule, b.heads = FORMATS["fp32"], Schedule(order), []
        yield f"a code that rounds, {order}", (fsa, lrnn, unrounded.insert(cert, [b]))


def main():
    args = mutant_run.arguments(__doc__, 1500, tool=False)
    strange, facts = [], collections.Counter()
    found = bases()
    with tempfile.TemporaryDirectory() as folder:
        unchanged = mutant_run.sampled(args, found.items())
        for name, texts in unchanged:
            seen = mutant_run.verdict(args.checker, folder, [t.encode() for t in texts])
            blocks = int(name.rpartition(" ")[2])
            if (
                not mutant_run.accepted(seen, texts)
                or seen[1].count(b"s VERIFIED unrounded ") != blocks
                or not unrounded.should_verify(*texts)
            ):
                strange.append(f"{name}: {seen}")
        outcomes = collections.Counter()
        for what, files in mutant_run.sampled(args, directed()):
            seen, right = mutant_run.verdict(
                args.checker, folder, [t.encode() for t in files]
            ), unrounded.should_verify(*files)
            outcomes[right] += 1
            if mutant_run.accepted(seen, files) is not right:
                strange.append(f"{what}: {right}, {seen}")
        for name, kind, order, seen, exact in wired_facts(args, folder):
            facts[kind, order, mutant_run.accepted(seen)] += 1
            if mutant_run.accepted(seen) and not exact:
                strange.append(f"{name}, {kind}, {order}: rounds: {seen}")
    for kind, order in {(kind, order) for kind, order, _ in facts}:
        if facts[kind, order, None] or (order == "chunk64") != (facts[kind, order, True] == 0):
            strange.append(f"wired networks, {kind}, {order}: {facts}")
    for what in strange[:20]:
        print(f"FAILED {what}")
    tally, wrong = mutant_run.run(
        args,
        random.Random(args.seed).sample(list(found.values()), len(found)),
        (mutant_run.byte_chunk, meaning_chunk),
    )
    about = (
        f"{len(unchanged)} of {len(found)} certificates, {sum(facts.values())} of wired"
        f" networks, {outcomes[True]} right and {outcomes[False]} wrong ones made on"
        f" purpose, seed {args.seed}, {mutant_run.spent(args.begin)}"
    )
    return mutant_run.close(
        about,
        sum(tally.values()) + len(unchanged) + sum(facts.values()) + sum(outcomes.values()),
        wrong + len(strange),
    )


if __name__ == "__main__":
    sys.exit(main())
