"""What lrnn-check must refuse among D1 networks: changed bytes, and changed meaning with all hashes
computed again.

As in wired_mutate.py, for `claim d1` (theory/pages/d1.md, D1.8). lrnn-check must say VERIFIED
exactly when the check of D1.8 in fractions does (handmade_d1.py). Whatever passes must also be
right for the automaton on every word, by a replay in fractions that knows nothing of D1: otherwise
it is a failure, whatever lrnn-check says. Networks that are right but do not have the form are
refused, and counted separately.

usage: d1_mutate.py --checker build/release/lrnn-check [--tool build/release/fsa2lrnn] [--count N]
[--seed S] [--jobs J]
--count is the number of changes of each kind; with --tool the compiler's own output is changed,
too."""

import copy
import subprocess
import sys
import tempfile
from fractions import Fraction
from pathlib import Path

import handmade
import handmade_d1
import handmade_wired
import mutant_run
import mutations
import triple
import wired
import wired_changes
from handmade_d1 import look_up
from mutations import NUMBERS, other
from wired import Head

COMPILED = [
    (["symmetric", "4", "--generators"], 1),
    (["cyclic", "5", "--generators"], 1),
    (["dihedral", "5", "--generators"], 2),
]


class Part:
    """One stage of a network in the form of a network, for changes that pick a place."""

    def __init__(self, net, stage):
        self.tables, self.blocks = net.tables, [net.blocks[net.stages[stage][0]]]
        self.stages = [[0, net.stages[stage][1]]]

    def used(self):
        return self.blocks


# --- changes of the network: (rng, automaton, network), False when they do not apply ---


def change_table(net, gate, rng):
    """Changes the table of one gate only, or of all gates that share it."""
    if rng.random() < 0.5:
        net.tables.append(copy.deepcopy(net.tables[gate[0]]))
        gate[0] = len(net.tables) - 1
    _, values, results = net.tables[gate[0]]
    i = rng.randrange(len(results))
    results[i] = other(rng, values, results[i])
    return True


def of_ring(first, last):
    """Returns the change of a gate among the ring's post gates first .. last, counted in rows and
    then in gates."""

    def change(rng, a, net):
        post, rows = net.blocks[-2].post, len(net.blocks[-2].readouts)
        if len(post) != 3 * rows + 2:
            return False
        gate = post[rng.randrange(first(rows), last(rows))]
        return change_table(net, gate, rng)

    return change


old = of_ring(lambda rows: 0, lambda rows: rows)
chain = of_ring(lambda rows: rows, lambda rows: 2 * rows)
present = of_ring(lambda rows: 2 * rows, lambda rows: 3 * rows)
portion = of_ring(lambda rows: 3 * rows, lambda rows: 3 * rows + 1)
rest = of_ring(lambda rows: 3 * rows + 1, lambda rows: 3 * rows + 2)
for function, name in (
    (old, "old"),
    (chain, "chain"),
    (present, "present"),
    (portion, "portion"),
    (rest, "rest"),
):
    function.__name__ = name


def meaning(rng, a, net):
    return change_table(net, net.blocks[-1].post[0], rng)


def after_letter(rng, a, net):
    return change_table(net, rng.choice(net.blocks[-1].post[1:]), rng)


def count(rng, a, net):
    gates = [b.post[0] for b in net.blocks[:-2]]
    return change_table(net, rng.choice(gates), rng)


def product_everywhere(rng, a, net):
    """Replaces the element that a letter leads to by another one in the whole chain: right if no
    label distinguishes them."""
    ring = net.blocks[-2]
    rows, letters = len(ring.readouts), len(net.letters)
    sizes, values, results = net.tables[ring.post[rows + 1][0]]
    i, x = rng.randrange(values), rng.randrange(letters + 1)
    results[i * (letters + 1) + x] = rng.randrange(values)
    first = copy.deepcopy(net.tables[ring.post[rows][0]])
    first[2] = results[: letters + 1]
    net.tables.append(first)
    ring.post[rows][0] = len(net.tables) - 1
    return True


def half_exchanged(rng, a, net):
    """Makes F or R differ between the halves of the ring."""
    gate = rng.choice(net.blocks[-2].post[-2:])
    net.tables.append(copy.deepcopy(net.tables[gate[0]]))
    gate[0] = len(net.tables) - 1
    (_, rows), values, results = net.tables[-1]
    i, z = rng.randrange(len(results) // rows), rng.randrange(rows // 2)
    results[i * rows + z], results[i * rows + z + rows // 2] = (
        other(rng, values, results[i * rows + z]),
        results[i * rows + z],
    )
    return True


def clock_elsewhere(rng, a, net):
    """Starts one layer of the clock in another code."""
    l = rng.randrange(len(net.stages) - 2)
    b, states = net.blocks[l], net.stages[l][1]
    i = rng.randrange(len(states))
    states[i] = copy.deepcopy(rng.choice(b.readouts[i][3]))
    return True


def ring_full(rng, a, net):
    net.stages[-2][1][0] = {
        (rng.randrange(len(net.blocks[-2].readouts)), rng.randrange(len(net.letters))): Fraction(1)
    }
    return True


def ring_scaled(rng, a, net):
    """Scales all keys with their values, which changes nothing, or the keys only."""
    z, both = rng.choice([x for x in NUMBERS if x]), rng.random() < 0.7
    for _, factors in net.blocks[-2].heads[0].slots[0][1]:
        for f, (beta, u, c) in enumerate(factors):
            factors[f] = (
                beta,
                {i: z * v for i, v in u.items()},
                {i: (z if both else 1) * v for i, v in c.items()},
            )
    return True


def start_elsewhere(rng, a, net):
    """Starts the applying head with another code."""
    net.stages[-1][1][0] = copy.deepcopy(rng.choice(net.blocks[-1].readouts[0][3]))
    return True


def codes_renamed(rng, a, net):
    """Exchanges two codes of the applying head and their rows of M, which changes nothing."""
    b = net.blocks[-1]
    codes, (sizes, _, results) = b.readouts[0][3], net.tables[b.post[0][0]]
    i = rng.randrange(len(codes))
    j = other(rng, len(codes), i)
    codes[i], codes[j] = codes[j], codes[i]
    if rng.random() < 0.8:
        w = sizes[1]
        results[i * w : i * w + w], results[j * w : j * w + w] = (
            results[j * w : j * w + w],
            results[i * w : i * w + w],
        )
    return True


def portion_renamed(rng, a, net):
    """Exchanges two values of F, in the head as well."""
    b, gate = net.blocks[-1], net.blocks[-2].post[-2]
    on = b.heads[0].slots[0][1]
    i = rng.randrange(len(on))
    j = other(rng, len(on), i)
    if rng.random() < 0.8:
        on[i], on[j] = on[j], on[i]
    results = net.tables[gate[0]][2]
    results[:] = [{i: j, j: i}.get(v, v) for v in results]
    return True


def factor_more(rng, a, net):
    """Adds a factor that does nothing: one with beta 0, or a reflection twice."""
    b = rng.choice(net.blocks)
    h = rng.choice(b.heads)
    factors = rng.choice(rng.choice(h.slots)[1])[1]
    u = {rng.randrange(h.n): Fraction(1)}
    factors += rng.choice(([(Fraction(0), u, {})], [(Fraction(2), u, {})] * 2))
    return True


def applying_code(rng, a, net):
    code = rng.choice(net.blocks[-1].readouts[0][3])
    mutations.new_value(
        rng, code, rng.choice([*code, (rng.randrange(net.blocks[-1].heads[0].n), 0)])
    )
    return True


def ring_beta(rng, a, net):
    """Changes a beta: the written value is then right exactly where the row was zero."""
    _, factors = rng.choice(net.blocks[-2].heads[0].slots[0][1])
    ((_, u, c),) = factors
    beta = rng.choice((Fraction(2), Fraction(1, 2)))
    factors[0] = beta, u, {column: v / beta for column, v in c.items()}
    return True


def head_added(rng, a, net):
    """Adds a head that does nothing and that no gate reads: right, but not the form."""
    b = rng.choice(net.blocks)
    stage = net.stages[net.blocks.index(b)]
    at = len(b.inputs) + len(b.pre) + len(b.readouts)
    n = rng.choice((1, 2))
    b.heads.append(
        Head(n, 1, [[b.heads[0].slots[0][0], [[Fraction(1), []] for _ in b.heads[0].slots[0][1]]]])
    )
    stage[1].append({})
    b.readouts.append([len(b.heads) - 1, 0, n, [{}]])
    for gate in b.post:
        gate[1] = [w + (w >= at) for w in gate[1]]
    b.outputs = [w + (w >= at) for w in b.outputs]
    return True


def meaning_wider(rng, a, net):
    """Lets M have one value more than there are states, which it never gives: right, but not the
    form."""
    b = net.blocks[-1]
    for gate in b.post[:2]:
        net.tables.append(copy.deepcopy(net.tables[gate[0]]))
        gate[0] = len(net.tables) - 1
    net.tables[-2][1] += 1
    sizes, _, results = net.tables[-1]
    sizes[0] += 1
    results += results[: sizes[1]]
    return True


D1 = [
    applying_code,
    ring_beta,
    head_added,
    meaning_wider,
    old,
    chain,
    present,
    portion,
    portion,
    rest,
    rest,
    meaning,
    meaning,
    after_letter,
    count,
    product_everywhere,
    product_everywhere,
    half_exchanged,
    clock_elsewhere,
    ring_full,
    ring_scaled,
    start_elsewhere,
    codes_renamed,
    portion_renamed,
    factor_more,
]


# --- changes of the certificate (rng, certificate) ---


def number(rng, c):
    name = rng.choice(("clock", "block", "elements", "count", "end", "letters", "states"))
    setattr(c, name, max(0, getattr(c, name) + rng.choice((-1, 1))))


CERTIFICATE = [*wired_changes.FORM[:-2], number, number, number]


# --- the runs ---


def letters_exchanged(rng, a, net):
    """Exchanges letters of the automaton."""
    i = rng.randrange(len(a.letters))
    j = other(rng, len(a.letters), i)
    if a.points is None:
        for row in a.next:
            row[i], row[j] = row[j], row[i]
        return True
    a.image[i], a.image[j] = a.image[j], a.image[i]
    a.close_group()
    return True


CHANGES = {
    "form": D1,
    "network": wired_changes.NETWORK,
    "automaton": [*mutations.AUTOMATON, letters_exchanged],
    "part": [
        change for change in wired_changes.NETWORK if change.__module__ == wired_changes.__name__
    ],
}


def told_again(a, net, c):
    """Lists the counts of the changed network, and the classes of the changed automaton."""
    rows, post = len(net.blocks[-2].readouts), net.blocks[-2].post
    c.clock, c.block = len(net.stages) - 2, rows // 2
    if rows + 1 < len(post):
        c.elements = net.tables[post[rows + 1][0]][1]
    if a.edge_outputs if net.label == "edges" else a.labels(net.label):
        c.classes = handmade_wired.classes_of(a, net.label)
        c.count = c.end = max(c.classes)


def mutant(rng, texts, parsed):
    """Returns (kind, three texts) with one change of meaning and all hashes right, or None when
    nothing was changed."""
    a, net, cert = copy.deepcopy(parsed)
    where = rng.choices(
        ("form", "part", "network", "automaton", "certificate", *mutant_run.TEXT_CHANGES),
        (40, 20, 15, 8, 8, 6, 3, 6),
    )[0]
    if where in mutant_run.TEXT_CHANGES:
        return mutant_run.changed_text(rng, where, texts, rng.choice((0, 1, 1, 2)))
    if where == "certificate":
        change = rng.choice(CERTIFICATE)
        change(rng, cert)
        if rng.random() < 0.5:
            cert.derive(net, a)
    else:
        change = rng.choice(CHANGES[where])
        if not change(
            rng, a, Part(net, rng.randrange(len(net.stages))) if where == "part" else net
        ):
            return None
        cert.measure(net, a)
        if len(net.stages) > 2 and len(net.blocks) > 2 and rng.random() < 0.3:
            told_again(a, net, cert)
        if rng.random() < 0.8:
            cert.derive(net, a)
    files = handmade_d1.texts(a, net, cert)
    return (f"{where}: {change.__name__}", files) if tuple(files) != tuple(texts) else None


def should_verify(fsa_text, net_text, cert_text):
    """Returns (network right for the automaton, certificate right), each from the texts alone."""
    try:
        a = triple.read_automaton(fsa_text)
        net, named = wired.read_network(net_text)
        triple.need(named == triple.sha256(fsa_text) and wired.class_error(net, a) is None)
        right = wired.close(net, a) is not None
    except triple.Malformed:
        return False, False
    try:
        return right, handmade_d1.read_certificate(cert_text, fsa_text, net_text).holds(net, a)
    except triple.Malformed:
        return right, False


def parse(texts):
    net, _ = wired.read_network(texts[1])
    return (
        triple.read_automaton(texts[0]),
        net,
        handmade_d1.read_certificate(texts[2], texts[0], texts[1]),
    )


def d1_chunk(checker, texts, seed, runs):
    parsed, refused = parse(texts), "network right, not the form or another certificate: refused"
    return mutant_run.meaning_runs(
        checker,
        seed,
        runs,
        lambda rng: mutant(rng, texts, parsed),
        lambda *files: mutant_run.of_network(*should_verify(*files), refused),
    )


def compiled(tool, folder):
    out = {}
    for family, factors in COMPILED:
        grammar, result = folder / "g.fsa", folder / "g.lrnn"
        grammar.write_bytes(
            subprocess.run([tool, "new", *family], stdout=subprocess.PIPE, check=True).stdout
        )
        subprocess.run(
            [
                tool,
                "compile",
                str(grammar),
                "--force",
                "--formats",
                "bf16",
                "--out",
                str(result),
                "--householders",
                str(factors),
            ],
            check=True,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
        )
        texts = tuple((result / name).read_text(encoding="utf-8") for name in mutant_run.NAMES)
        if "\nclaim d1\n" in texts[2]:
            out[f"compiled {' '.join(family)}, {factors} factors"] = texts
    return out


# --- networks that are wrong for one reason ---


def forgets(a, net, c):
    """Keeps the applying head in its first code; R is the element, and M takes it from the start:
    right for two blocks."""
    q, ring, last = c.quotient(net, a), *net.blocks[-2:]
    product, (_, rows) = ring.post[2 * c.block + 1], net.tables[ring.post[-1][0]][0]
    act, todo = {0: list(range(c.count))}, [0]
    for i in todo:
        for w in range(len(a.letters)):
            e = look_up(net, product, (i, w + 1))
            todo += [e] if e not in act else []
            act.setdefault(e, [q.next[s][w] for s in act[i]])
    for gate, values, entry in (
        (ring.post[-2], 1, lambda i: 0),
        (ring.post[-1], c.elements, lambda i: i),
    ):
        net.tables.append(
            [[c.elements, rows], values, [entry(i) for i in range(c.elements) for _ in range(rows)]]
        )
        gate[0] = len(net.tables) - 1
    last.inputs[:2] = 1, c.elements
    last.heads[0].slots[0][1] = [[Fraction(1), []]]
    last.readouts[0][3] = [net.stages[-1][1][0]]
    net.tables.append(
        [[1, c.elements], c.count, [act[i][q.start] if i in act else 0 for i in range(c.elements)]]
    )
    last.post[0][0] = len(net.tables) - 1


def goes_on(a, net, c):
    """Makes the clock count to 2B only once: its head adds 1 at every letter, by two reflections,
    and has codes for 0 .. 2B."""
    b, rows, one = net.blocks[0], 2 * c.block, {0: Fraction(1)}
    add = [(Fraction(2), one, {}), (Fraction(2), one, {0: Fraction(1, 2)})]
    constant, period = net.tables[b.pre[0][0]], net.tables[b.post[0][0]][1]
    b.heads = [Head(1, 1, [[1, [[Fraction(1), add] for _ in range(constant[1])]]])]
    b.readouts = [[0, 0, 1, [{(0, 0): Fraction(t)} if t else {} for t in range(rows + 1)]]]
    net.tables.append([[rows + 1], period, [(t - 1) % period for t in range(rows + 1)]])
    b.post, b.outputs, net.stages[0][1] = [[len(net.tables) - 1, [2]]], [0, 3], [{}]


def other_order(a, net, c):
    """Adds three layers that permute the count, which in the order of the blocks gives the old
    count, and exchanges two stages."""
    rows, k = 2 * c.block, len(a.letters)
    turn, swap = [(t + 1) % rows for t in range(rows)], [1, 0, *range(2, rows)]
    both = [turn[swap[t]] for t in range(rows)]
    for image in (swap, turn, [both.index(t) for t in range(rows)]):
        net.tables.append([[rows, 1], rows, image])
        net.blocks.insert(
            -2,
            wired.Block(
                [k, rows],
                [],
                [Head(1, 1, [[1, [[Fraction(1), []] for _ in range(rows)]]])],
                [[0, 0, 1, [{}]]],
                [[len(net.tables) - 1, [1, 2]]],
                [0, 3],
            ),
        )
        net.stages.insert(-2, [0, [{}]])
    c.clock += 3
    for l, stage in enumerate(net.stages):
        stage[0] = l


def kept(c):
    """Keeps the certificate's lists as they are."""
    c.derive = lambda net, a: None


def other_class(a, net, c):
    kept(c)
    c.classes[0] = 2


def acts_more(a, net, c):
    """Adds an action of an element that no word gives."""
    c.derive(net, a)
    kept(c)
    other = min({*range(c.elements)} - {i for i, _ in c.acts})
    c.acts = sorted([*c.acts, (other, list(range(c.count)))])


def another_start(a, net, c):
    """Lets codes mean the states of the same words from another start, in the network and in the
    certificate."""
    q = c.quotient(net, a)
    image, todo = {q.start: (q.start + 1) % c.count}, [q.start]
    for s in todo:
        for w in range(len(a.letters)):
            todo += [q.next[s][w]] if q.next[s][w] not in image else []
            image.setdefault(q.next[s][w], q.next[image[s]][w])
    c.derive(net, a)
    kept(c)
    c.means = [(h, image[s]) for h, s in c.means]
    results = net.tables[net.blocks[-1].post[0][0]][2]
    results[:] = [image[s] for s in results]


def steps_more(a, net, c):
    """Adds a step of the head that no block needs."""
    c.derive(net, a)
    kept(c)
    last, taken = net.blocks[-1], {(h, v) for h, v, _ in c.steps}
    codes, on = last.readouts[0][3], last.heads[0].slots[0][1]
    more = [
        (h, v, codes.index(wired.apply(codes[h], *on[v])))
        for h in range(len(codes))
        for v in range(len(on))
        if (h, v) not in taken and wired.apply(codes[h], *on[v]) in codes
    ]
    c.steps = sorted([*c.steps, more[0]])


def stages_exchanged(a, net, c):
    other_order(a, net, c)
    c.derive(net, a)
    kept(c)
    net.stages[-4][0], net.stages[-5][0] = net.stages[-5][0], net.stages[-4][0]


# (base, right, words of the reason or None without a reason, change of the parsed triple)
CLASS, CLOCK = (
    "at the end of element 2 from code 1, means another class",
    "the clock does not come back to its first codes",
)
SINGLE = [
    ("s3, 1 factor", False, CLASS, forgets),
    ("s3, 2 factors", False, CLASS, forgets),
    ("s3, 2 factors", False, CLOCK, goes_on),
    ("a point of s4", False, CLOCK, goes_on),
    ("s3, 1 factor", True, None, other_order),
    ("s3, 1 factor", False, "stage 3: not as in the form", stages_exchanged),
    ("a point of s3", True, None, lambda a, net, c: net.tables.append([[], 1, [0]])),
    ("s3, 1 factor", True, "7 elements act, and words name 6", acts_more),
    ("s3, 1 factor", False, "does not mean the start", another_start),
    ("lost", True, "no walk takes this step", steps_more),
    ("lost", True, "the others of its class", other_class),
]


def single(checker, folder):
    """Yields whether each of SINGLE gets its verdict, for its reason."""
    for number, (name, right, reason, change) in enumerate(SINGLE):
        a, net, c = handmade_d1.ALL[name]()
        change(a, net, c)
        c.measure(net, a)
        c.derive(net, a)
        files = handmade_d1.texts(a, net, c)
        seen = mutant_run.verdict(checker, folder, [t.encode() for t in files])
        good = mutant_run.accepted(seen) is (reason is None) and (reason or "").encode() in seen[2]
        yield f"{number}, {name}: {seen}", good and should_verify(*files) == (right, reason is None)


def other_claims(checker, folder):
    """Yields whether claims about other networks are refused."""
    numbers = "clock 1 block 1 elements 1"
    blocks, layers = handmade_d1.texts(*handmade_d1.ALL["nothing"]()), handmade.texts("s3")
    rules = handmade_wired.texts(*handmade_wired.ALL["form of 2"]())
    for text, claim, counts in (
        (blocks, "zeiger", "classes 1"),
        (blocks, "exact", "rows 1"),
        (rules, "d1", f"classes 2 {numbers}"),
        (layers, "d1", f"classes 6 {numbers}"),
    ):
        lines = text[2].split("\n")
        lines[3] = f"claim {claim}"
        lines[5] = " ".join([*lines[5].split(" ")[:4], counts])
        seen = mutant_run.verdict(
            checker,
            folder,
            [t.encode() for t in mutations.rehash(text[0], text[1], "\n".join(lines))],
        )
        yield f"{claim} of something else: {seen}", seen[:2] == (1, b"s NOT VERIFIED\n")


def main():
    args, facts = mutant_run.arguments(__doc__, 1000), []
    with tempfile.TemporaryDirectory() as folder:
        small = {name: handmade_d1.texts(*make()) for name, make in handmade_d1.ALL.items()}
        bases = {
            **small,
            **{name: handmade_d1.texts(*make()) for name, make in handmade_d1.LARGE.items()},
        }
        if args.tool:
            bases.update(compiled(args.tool, Path(folder)))
            facts.append(
                (
                    "the compiler's D1 networks",
                    len(bases) == len(small) + len(handmade_d1.LARGE) + len(COMPILED),
                )
            )
        facts += mutant_run.listed_alike(
            {name: texts for name, texts in bases.items() if name.startswith("compiled")},
            parse,
            handmade_d1.texts,
        )
        for name, texts in bases.items():
            seen = mutant_run.verdict(args.checker, folder, [t.encode() for t in texts])
            facts.append(
                (
                    f"{name}: verified, and right by the replay: {seen}",
                    mutant_run.accepted(seen) and should_verify(*texts) == (True, True),
                )
            )
            if args.tool:
                facts.append(
                    (
                        f"{name}: fsa2lrnn run agrees",
                        mutant_run.compiler_agrees(args.tool, folder, texts),
                    )
                )
        facts += [*single(args.checker, folder), *other_claims(args.checker, folder)]
    failed = mutant_run.print_facts(facts)
    tally, wrong = mutant_run.run(args, list(bases.values()), (mutant_run.byte_chunk, d1_chunk))
    return mutant_run.close(
        f"{len(bases)} unchanged triples, seed {args.seed}, {mutant_run.spent(args.begin)}",
        len(facts) + sum(tally.values()),
        failed + wrong,
    )


if __name__ == "__main__":
    sys.exit(main())
