"""What lrnn-check must refuse among networks by blocks, by point wires and side by side (claims
blocks, points and product; theory/pages/blocks.md, d1.md, D1.12, and product.md, X.4): changed
bytes, and changed meaning with all hashes computed again.

No judge knows these forms. So a changed triple may be refused for any reason, but one that
lrnn-check verifies must be right by the replay of wired.py in fractions: on all joint states, where
they are few, else on random words so long that every head turns many blocks. Beside changes of
network, automaton and certificate there are triples spliced from several: the compiler's output for
automata that differ in a transition or a label, each consistent in itself, is mixed file by file
and line by line.

usage: forms_mutate.py --checker build/release/lrnn-check --tool build/release/fsa2lrnn [--claim
blocks|points|product] [--count N] [--seed S] [--jobs J]
--count is the number of changes of each kind; networks by points come from
tests/clients/points_network beside the tool."""

import collections
import copy
import random
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import d1_mutate
import handmade
import mutant_run
import mutations
import triple
import wired

VARIANTS = 4  # automata beside each base that differ from it
JOINT = 1500  # joint states, beyond which words are tried
WORDS, LETTERS = 8, 300


# --- the automata: (claim, function to one, label, options of `compile` or factors by points) ---


def machine(*columns, accept=None):
    """Returns the automaton in which letter i leads state q to columns[i][q]."""
    letters, states = "abcdefgh"[: len(columns)], [str(q) for q in range(len(columns[0]))]
    return handmade.edges(list(letters), states, lambda q, x: columns[x][q], accept=accept)


def mealy(*columns):
    """Returns the machine whose outputs tell its states apart by the second letter alone."""
    a = machine(*columns)
    a.edge_outputs = [
        ["xyz"[q] if x == 1 else "xy"[q == 2] for x in range(len(columns))]
        for q in range(len(columns[0]))
    ]
    return a


def side_by_side(*factors):
    """Returns the product of automata, each of which has letters of its own that do nothing in the
    others."""
    letters = [(i, column) for i, columns in enumerate(factors) for column in columns]
    sizes = [len(columns[0]) for columns in factors]
    states = [()]
    for n in sizes:
        states = [(*q, r) for q in states for r in range(n)]

    def step(q, x):
        i, column = letters[x]
        return states.index((*states[q][:i], column[states[q][i]], *states[q][i + 1 :]))

    names = ["x".join(map(str, q)) for q in states]
    accept = {i for i, q in enumerate(states) if all(r == 1 for r in q)}
    return handmade.edges(list("abcdefgh"[: len(letters)]), names, step, accept=accept)


THREE = ((1, 2, 0), (1, 0, 2), (0, 0, 2))
BLOCKS, SETS = ["--householders", "2"], ["--max-sets", "1"]
BASES = [
    ("blocks", lambda: machine((1, 0, 2), (1, 2, 0), (0, 1, 0)), "states", BLOCKS),
    ("blocks", lambda: machine((1, 0, 2), (1, 2, 0), (0, 0, 2), accept={1}), "accept", BLOCKS),
    ("blocks", lambda: machine((1, 2, 3, 0), (1, 0, 2, 3), (0, 1, 2, 0)), "states", BLOCKS),
    ("blocks", lambda: mealy((1, 0, 2), (1, 2, 0), (0, 0, 2)), "edges", BLOCKS),
    ("points", lambda: machine((1, 2, 0), (1, 0, 2)), "states", 1),
    ("points", lambda: machine((1, 2, 0), (1, 0, 2)), "states", 2),
    ("points", lambda: machine((1, 2, 3, 0), (1, 0, 3, 2), accept={0, 1}), "accept", 1),
    ("points", lambda: machine((1, 2, 3, 0), (1, 0, 2, 3)), "states", 2),
    ("points", lambda: side_by_side(((1, 2, 0),), ((1, 0),)), "states", 1),
    ("product", lambda: side_by_side(THREE, ((1, 1), (0, 0), (1, 0))), "states", SETS),
    ("product", lambda: side_by_side(THREE, ((1, 1), (0, 0), (1, 0))), "accept", SETS),
    ("product", lambda: side_by_side(THREE[1:], THREE[:1] + THREE[2:]), "states", SETS),
    ("product", lambda: side_by_side(THREE, ((1, 0),), ((1, 1), (0, 0))), "states", SETS),
]


def varied(rng, claim, a):
    """Returns an automaton that differs in a transition, a label or two letters; for points letters
    still permute the states."""
    a = copy.deepcopy(a)
    if a.accept is not None and rng.random() < 0.3:
        a.accept = {q for q in range(len(a.states)) if rng.random() < 0.5}
    if a.edge_outputs and rng.random() < 0.4:
        mutations.edge_output(rng, a, None)
        return a
    if claim == "blocks" and rng.random() < 0.3:
        d1_mutate.letters_exchanged(rng, a, None)
        return a
    q, x = rng.randrange(len(a.states)), rng.randrange(len(a.letters))
    r = mutations.other(rng, len(a.states), q)
    row, others = a.next[q], a.next[r]
    if claim == "product":  # exchanges two letters in all states, or in the states of one factor
        y = mutations.other(rng, len(a.letters), x)
        part = a.states[q].split("x")[0] if rng.random() < 0.5 else None
        for name, row in zip(a.states, a.next):
            if part in (None, name.split("x")[0]):
                row[x], row[y] = row[y], row[x]
    elif claim == "points":
        row[x], others[x] = others[x], row[x]
    else:
        row[x] = r
    return a


# --- changes of the network: (rng, automaton, network), False when they do not apply ---


def some_gate(rng, net):
    b = rng.choice(net.blocks)
    gates = [*b.pre, *b.post]
    return rng.choice(gates) if gates else None


def some_stage(rng, net):
    """Returns a stage with heads."""
    return rng.choice([l for l, (b, _) in enumerate(net.stages) if net.blocks[b].heads])


def entry(rng, a, net):
    """Changes an entry of the table of one gate, or of all gates that share it."""
    gate = some_gate(rng, net)
    return gate and net.tables[gate[0]][1] > 1 and d1_mutate.change_table(net, gate, rng)


def two_entries(rng, a, net):
    return entry(rng, a, net) and entry(rng, a, net)


def results_exchanged(rng, a, net):
    """Exchanges two values of one gate everywhere."""
    gate = some_gate(rng, net)
    sizes, values, results = net.tables[gate[0]] if gate else ([], 0, [])
    if values < 2:
        return False
    i = rng.randrange(values)
    j = mutations.other(rng, values, i)
    net.tables.append([sizes, values, [{i: j, j: i}.get(v, v) for v in results]])
    gate[0] = len(net.tables) - 1
    return True


def start_elsewhere(rng, a, net):
    """Starts a head with another one of its codes."""
    i, states = rng.choice(net.stages)
    if not net.blocks[i].readouts:
        return False
    readout = rng.choice(net.blocks[i].readouts)
    states[readout[0]] = copy.deepcopy(rng.choice(readout[3]))
    return True


def factors_exchanged(rng, a, net):
    """Exchanges what a head does for two values."""
    heads = [h for b in net.blocks for h in b.heads]
    on = rng.choice(rng.choice(heads).slots)[1]
    if len(on) < 2:
        return False
    i = rng.randrange(len(on))
    j = mutations.other(rng, len(on), i)
    on[i], on[j] = on[j], on[i]
    return True


def join_entry(rng, a, net):
    """Changes an entry of the last block."""
    gates = [*net.blocks[-1].pre, *net.blocks[-1].post]
    return d1_mutate.change_table(net, rng.choice(gates), rng) if gates else False


def factor_more(rng, a, net):
    """Adds a factor that does nothing to some head."""
    return d1_mutate.factor_more(rng, a, d1_mutate.Part(net, some_stage(rng, net)))


def idle_acts(rng, a, net):
    """Lets a head do for a value for which it does nothing what it does for another."""
    b = net.blocks[net.stages[some_stage(rng, net)][0]]
    on = rng.choice(rng.choice(b.heads).slots)[1]
    idle, acting = ([one for one in on if bool(one[1]) == acts] for acts in (False, True))
    if not idle or not acting:
        return False
    rng.choice(idle)[1] = copy.deepcopy(rng.choice(acting)[1])
    return True


OWN = [
    entry,
    entry,
    entry,
    two_entries,
    results_exchanged,
    start_elsewhere,
    factors_exchanged,
    join_entry,
    idle_acts,
    factor_more,
]
NETWORK = {"form": OWN, **{where: d1_mutate.CHANGES[where] for where in ("part", "network")}}


def of_network(rng, versions, parsed):
    a, net = copy.deepcopy(parsed)
    where = rng.choices(("form", "part", "network"), (60, 25, 15))[0]
    change = rng.choice(NETWORK[where])
    of = d1_mutate.Part(net, some_stage(rng, net)) if where == "part" else net
    if not change(rng, a, of):
        return None
    fsa, _, cert = versions[0]
    return change.__name__, (fsa, net.text(triple.sha256(fsa)), cert)


def of_automaton(rng, versions, parsed):
    a, net = copy.deepcopy(parsed)
    change = rng.choice(mutations.AUTOMATON)
    return (change.__name__, (a.text(), *versions[0][1:])) if change(rng, a, net) else None


def gate_inserted(rng, versions, parsed):
    """Lets a part of a product change the value of one of its inputs in some block, in its own
    stages or in another's; the certificate counts the gate as the part's."""
    fsa, _, cert = versions[0]
    net, lines = copy.deepcopy(parsed[1]), cert.split("\n")
    places = [i for i, line in enumerate(lines) if line.startswith("divide ")]
    if not places:
        return None
    at = rng.choice(places)
    _, number, *shares = lines[at].split(" ")
    shares = [[int(n) for n in share.split(".")] for share in shares]
    b, i = net.blocks[int(number) - 1], rng.randrange(len(shares))
    wire = sum(s[0] for s in shares[:i]) + rng.randrange(shares[i][0])
    place = sum(s[1] for s in shares[: i + 1])
    new, size = len(b.inputs) + place, b.inputs[wire]
    results = list(range(size))
    if rng.random() < 0.7:
        results[rng.randrange(size)] = rng.randrange(size)

    def moved(w):
        return w + (w >= new)

    for gate in (*b.pre, *b.post):
        gate[1] = [moved(w) for w in gate[1]]
    for slot in (slot for h in b.heads for slot in h.slots):
        slot[0] = moved(slot[0])
    b.outputs = [new if w == wire else moved(w) for w in b.outputs]
    net.tables.append([[size], size, results])
    b.pre.insert(place, [len(net.tables) - 1, [wire]])
    shares[i][1] += 1
    lines[at] = " ".join(["divide", number, *(".".join(map(str, s)) for s in shares)])
    return "gate_inserted", (fsa, net.text(triple.sha256(fsa)), "\n".join(lines))


def letter_merges(rng, versions, parsed):
    """Makes a letter lead two states of an automaton of points, with one mark, to one state, and
    changes circuits and rows alike, so that the letter is no permutation."""
    (a, net), lines = copy.deepcopy(parsed), versions[0][2].split("\n")
    one_mark = re.compile(r"row \d+ state \d+ points \d+ next ")
    rows = [i for i, line in enumerate(lines) if one_mark.match(line)]
    if not rows:
        return None
    (i, one), (_, two) = ((i, lines[i].split(" ")) for i in rng.sample(rows, 2))
    x, k = rng.randrange(len(a.letters)), len(a.letters) + 1
    a.next[int(one[3]) - 1][x] = a.next[int(two[3]) - 1][x]
    one[7 + x] = two[7 + x]
    lines[i] = " ".join(one)
    p, q = (k * (int(words[5]) - 1) for words in (one, two))
    ring = net.blocks[-2]
    moves = net.tables[ring.post[len(ring.readouts) + 1][0]][2][:]
    old, image = moves[p : p + k], moves[q + x + 1]
    for _, _, results in net.tables:
        if results == moves:
            results[p + x + 1] = image
        if results == old:
            results[x + 1] = image
    fsa = a.text()
    return "letter_merges", (fsa, net.text(triple.sha256(fsa)), "\n".join(lines))


# --- changes of the certificate: (rng, its lines, the places that may change) ---


def pick_number(rng, line):
    found = [m for m in re.finditer(r"\d+", line)]
    return rng.choice(found) if found else None


def number(rng, lines, places):
    for _ in range(rng.choice((1, 1, 2))):
        i = rng.choice(places)
        m = pick_number(rng, lines[i])
        if m:
            new = max(0, int(m[0]) + rng.choice((-1, 1, 1, 2)))
            lines[i] = f"{lines[i][:m.start()]}{new}{lines[i][m.end():]}"


def number_of_the_line(rng, lines, places):
    """Replaces a number by another one of its line."""
    i = rng.choice(places)
    m, other = pick_number(rng, lines[i]), pick_number(rng, lines[i])
    if m:
        lines[i] = lines[i][: m.start()] + other[0] + lines[i][m.end() :]


def lines_exchanged(rng, lines, places):
    """Exchanges what two lines of one kind say."""
    i = rng.choice(places)
    word = lines[i].split(" ")[0]
    j = rng.choice([p for p in places if lines[p].split(" ")[0] == word])
    lines[i], lines[j] = lines[j], lines[i]


def line_lost(rng, lines, places):
    del lines[rng.choice(places)]


def line_twice(rng, lines, places):
    i = rng.choice(places)
    lines.insert(i, lines[i])


CERTIFICATE = [number, number, number, number_of_the_line, lines_exchanged, line_lost, line_twice]


def of_certificate(rng, versions, parsed):
    fsa, net, cert = versions[0]
    lines = cert.split("\n")
    change = rng.choice(CERTIFICATE)
    change(rng, lines, range(4, len(lines) - 2))
    return change.__name__, (fsa, net, "\n".join(lines))


def of_meanings(rng, versions, parsed):
    """Exchanges two letters in all that the letters of levels mean (claim blocks), perhaps for the
    automaton in which they are exchanged."""
    _, net, cert = rng.choice(versions)
    letters = len(parsed[0].letters)
    x, y = rng.sample(range(1, letters + 1), 2)
    to = {str(x): str(y), str(y): str(x)}
    changed = re.sub(r" reads (\d+)", lambda m: f" reads {to.get(m[1], m[1])}", cert)
    return ("exchanged", (rng.choice(versions)[0], net, changed)) if changed != cert else None


def of_files(rng, versions, parsed):
    """Mixes whole files of several triples."""
    return "files", tuple(rng.choice(versions)[i] for i in range(3))


def of_lines(rng, versions, parsed):
    """Puts some lines of another triple into the network, the certificate or both."""
    files, other = list(rng.choice(versions)), rng.choice(versions)
    if rng.random() < 0.5:
        files[0] = other[0]
    for which in rng.choice(((1,), (2,), (2,), (1, 2))):
        mine, theirs = files[which].split("\n"), other[which].split("\n")
        differ = [i for i, (x, y) in enumerate(zip(mine, theirs)) if x != y and i > 2]
        if len(mine) == len(theirs) and differ:
            for i in rng.sample(differ, min(len(differ), rng.choice((1, 1, 2, 3, 8)))):
                mine[i] = theirs[i]
            files[which] = "\n".join(mine)
    return "lines", tuple(files)


MEANING = {
    of_network: 40,
    of_automaton: 8,
    of_certificate: 18,
    of_files: 8,
    of_meanings: 4,
    of_lines: 14,
    gate_inserted: 6,
    letter_merges: 3,
}


def mutant(rng, versions, parsed):
    """Returns (kind, three texts) with a change and all hashes right, or None when nothing was
    changed."""
    make = rng.choices([*MEANING, *mutant_run.TEXT_CHANGES], [*MEANING.values(), 7, 3, 7])[0]
    if make in mutant_run.TEXT_CHANGES:
        return mutant_run.changed_text(rng, make, versions[0], rng.choice((0, 1, 2, 2)))
    made = make(rng, versions, parsed)
    if not made:
        return None
    what, files = made
    files = mutations.rehash(*files)
    return (f"{make.__name__}: {what}", files) if files not in versions else None


# --- the judge ---


def closed(run, a, net):
    """Returns whether all joint states give the automaton's labels, or None where they are more
    than JOINT."""
    pairs = [(a.start, run.start())]
    seen = set(pairs)
    for q, joint in pairs:
        for x in range(len(a.letters)):
            after, symbol = run.step(joint, x)
            if symbol is None or net.labels[symbol] != a.label_after(net.label, q, x):
                return False
            pair = a.next[q][x], after
            if pair not in seen:
                seen.add(pair)
                pairs.append(pair)
        if len(pairs) > JOINT:
            return None
    return True


def is_right(rng, fsa, lrnn, words=WORDS):
    """Returns whether the network gives the automaton's labels, as far as this is tried."""
    a, (net, named) = triple.read_automaton(fsa), wired.read_network(lrnn)
    a = None if wired.class_error(net, a) or named != triple.sha256(fsa) else net.over(a)
    run = wired.Run(net)
    if a is None or None in run.start() or not net.starts_right(a):
        return False
    known = closed(run, a, net)
    if known is not None:
        return known
    letters = range(len(a.letters))
    for _ in range(words):
        joint, state = run.start(), a.start
        weights = [rng.random() + 0.01 for _ in letters]
        for x in rng.choices(letters, weights, k=LETTERS):
            joint, symbol = run.step(joint, x)
            if symbol is None or net.labels[symbol] != a.label_after(net.label, state, x):
                return False
            state = a.next[state][x]
    return True


def byte_chunk(checker, versions, seed, runs):
    return mutant_run.byte_chunk(checker, versions[0], seed, runs)


def forms_chunk(checker, versions, seed, runs):
    rng, tally, bad = random.Random(seed), collections.Counter(), []
    fsa, lrnn, _ = versions[0]
    parsed = triple.read_automaton(fsa), wired.read_network(lrnn)[0]
    with tempfile.TemporaryDirectory() as folder:
        while runs:
            made = mutant(rng, versions, parsed)
            if not made:
                continue
            runs -= 1
            kind, files = made
            data = [t.encode() for t in files]
            seen = mutant_run.verdict(checker, folder, data)
            said = mutant_run.accepted(seen, files)
            outcome = "refused" if said is False else "WRONG"
            if said and is_right(rng, *files[:2]):
                outcome = "right and accepted"
            tally["meaning", kind, outcome] += 1
            if outcome == "WRONG":
                bad.append((kind, seen, data))
    return tally, bad


# --- the runs ---


def compiled(tool, folder, a, label, options):
    """Returns the three texts, or None where there is no network of this kind."""
    grammar, out = folder / "in.fsa", folder / "out"
    grammar.write_text(a.text(), encoding="utf-8")
    if isinstance(options, int):
        program = Path(tool).parent / "tests/clients/points_network"
        out.mkdir(exist_ok=True)
        paths = [out / name for name in mutant_run.NAMES]
        paths[0].write_text(a.text(), encoding="utf-8")
        command = [program, str(options), label, *paths[1:]]
    else:
        command = [tool, "compile", grammar, "--force", "--formats", "bf16", "--label", label]
        command += ["--out", out, *options]
    done = subprocess.run(
        [*map(str, command)],
        stdin=grammar.open(),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )
    if done.returncode:
        return None
    return tuple((out / name).read_text(encoding="utf-8") for name in mutant_run.NAMES)


def versions_of(rng, tool, folder, base, most):
    """Returns the base's three texts, then those of automata like it that get the same claim."""
    claim, make, label, options = base
    a = make()
    out = [compiled(tool, folder, a, label, options)]
    for _ in range(most):
        b = varied(rng, claim, a)
        other = compiled(tool, folder, b, label, options) if mutations.reaches_all(b) else None
        if other and f"\nclaim {claim}\n" in other[2] and other not in out:
            out.append(other)
    return out


def main():
    args, facts, bases = mutant_run.arguments(__doc__, 300), [], []
    rng, chosen = random.Random(args.seed), [b for b in BASES if args.claim in (None, b[0])]
    args.claim = None
    with tempfile.TemporaryDirectory() as folder:
        for number, base in enumerate(chosen):
            most = min(VARIANTS, args.count // 5)
            versions = versions_of(rng, args.tool, Path(folder), base, most)
            claimed = f"\nclaim {base[0]}\n" in versions[0][2]
            facts.append((f"base {number}: another claim than {base[0]}", claimed))
            for texts in versions:
                seen = mutant_run.verdict(args.checker, folder, [t.encode() for t in texts])
                right = mutant_run.accepted(seen, texts) and is_right(rng, *texts[:2], words=1)
                facts.append((f"base {number}, unchanged: {seen}", right))
            bases.append(versions)
    failed = mutant_run.print_facts(facts)
    tally, wrong = mutant_run.run(args, bases, (byte_chunk, forms_chunk))
    return mutant_run.close(
        f"{len(facts)} facts, seed {args.seed}, {mutant_run.spent(args.begin)}",
        len(facts) + sum(tally.values()),
        failed + wrong,
    )


if __name__ == "__main__":
    sys.exit(main())
