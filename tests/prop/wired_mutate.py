"""What lrnn-check must refuse among wired networks: changed bytes, and changed meaning with all hashes computed again.

As in mutate.py, for networks of stages and circuits (wired.py), with certificates that list joint states (claim exact) or
name a quotient whose rule form the network is said to be (claim zeiger). lrnn-check must say VERIFIED exactly when the
certificate passes the check of wired.py: for claim zeiger, when the network is the form by meaning. Whatever passes must
besides be right for the automaton on every word, by a replay in fractions that knows nothing of forms: if it is not, that is
a failure whatever lrnn-check says. Right networks that are not the form are refused, and counted on their own.

usage: wired_mutate.py --checker build/release/lrnn-check [--tool build/release/fsa2lrnn] [--count N] [--seed S] [--jobs J]
--count is the number of changes of each kind; with --tool the compiler's own output is among what is changed.
"""
import argparse
import collections
import copy
import random
import subprocess
import sys
import tempfile
import time
from fractions import Fraction
from pathlib import Path

import handmade_cascades
import handmade_wired
import mutate
import mutations
import triple
import wired
from mutations import NUMBERS, new_value, other

COMPILED = [("3: 231 213 113", "states"), ("4: 2344 1123", "accept"), ("4: 2341 2134", "states"), ("2: 21 11", "states")]


# --- changes of the network: (rng, automaton, network), False when they do not apply ---------------------------------

def pick_block(rng, net):
    return rng.choice(net.used())


def pick_gate(rng, net):
    gates = [(b, part, i) for b in net.blocks for part in (b.pre, b.post) for i in range(len(part))]
    return rng.choice(gates) if gates else (None, None, None)


def table_entry(rng, a, net):
    _, values, results = rng.choice(net.tables)
    i = rng.randrange(len(results))
    results[i] = other(rng, values, results[i])
    return True


def gate_own_table(rng, a, net):
    """One gate gets a copy of its table with a changed entry, or without a change, which is harmless."""
    _, part, i = pick_gate(rng, net)
    if part:
        table = copy.deepcopy(net.tables[part[i][0]])
        if rng.random() < 0.8:
            e = rng.randrange(len(table[2]))
            table[2][e] = other(rng, table[1], table[2][e])
        net.tables.append(table)
        part[i][0] = len(net.tables) - 1
        return True


def gate_table(rng, a, net):
    """Another table, of the same inputs where there is one."""
    _, part, i = pick_gate(rng, net)
    if part:
        alike = [t for t, x in enumerate(net.tables) if x[:2] == net.tables[part[i][0]][:2] and t != part[i][0]]
        part[i][0] = rng.choice(alike) if alike else rng.randrange(len(net.tables) + 1)
        return True


def gate_wire(rng, a, net):
    """Another wire, of the same size where there is one."""
    b, part, i = pick_gate(rng, net)
    if not part or not part[i][1]:
        return False
    j, sizes = rng.randrange(len(part[i][1])), wired.wire_sizes(net, b)
    before = len(b.inputs) + i + (0 if part is b.pre else len(b.pre) + len(b.readouts))
    alike = [w for w in range(before) if sizes[w] == sizes[part[i][1][j]] and w != part[i][1][j]]
    part[i][1][j] = rng.choice(alike) if alike and rng.random() < 0.9 else rng.randrange(len(sizes) + 1)
    return True


def gate_wires_exchanged(rng, a, net):
    _, part, i = pick_gate(rng, net)
    if part and len(part[i][1]) > 1:
        j = rng.randrange(len(part[i][1]))
        k = other(rng, len(part[i][1]), j)
        wires = part[i][1]
        wires[j], wires[k] = wires[k], wires[j]
        return True


def gates_exchanged(rng, a, net):
    _, part, i = pick_gate(rng, net)
    if part:
        j = other(rng, len(part), i)
        part[i], part[j] = part[j], part[i]
        return True


def gate_added(rng, a, net):
    """One that nobody reads, at the end: right, and not the form."""
    b = rng.choice(net.blocks)
    part = rng.choice((b.pre, b.post))
    if part is b.post or not b.readouts and not b.post:
        part.append([rng.choice([t for t, x in enumerate(net.tables) if not x[0]] or [0]), []])
        return True


def gate_lost(rng, a, net):
    _, part, i = pick_gate(rng, net)
    if part:
        del part[rng.choice((i, -1))]
        return True


def pick_head(rng, net):
    heads = [(b, h) for b in net.used() for h in b.heads]
    return rng.choice(heads) if heads else (None, None)


def slot_wire(rng, a, net):
    b, h = pick_head(rng, net)
    if h:
        slot, sizes = rng.choice(h.slots), wired.wire_sizes(net, b)
        alike = [w for w in range(len(b.inputs) + len(b.pre)) if sizes[w] == sizes[slot[0]] and w != slot[0]]
        slot[0] = rng.choice(alike) if alike and rng.random() < 0.9 else rng.randrange(len(sizes) + 1)
        return True


def slots_exchanged(rng, a, net):
    _, h = pick_head(rng, net)
    if h:
        i = rng.randrange(len(h.slots))
        j = other(rng, len(h.slots), i)
        h.slots[i], h.slots[j] = h.slots[j], h.slots[i]
        return True


def slot_lost(rng, a, net):
    _, h = pick_head(rng, net)
    if h:
        del h.slots[rng.randrange(len(h.slots))]
        return True


def slot_twice(rng, a, net):
    """Right where what the slot does is done already."""
    _, h = pick_head(rng, net)
    if h:
        i = rng.randrange(len(h.slots))
        h.slots.insert(i, copy.deepcopy(h.slots[i]))
        return True


def values_exchanged(rng, a, net):
    _, h = pick_head(rng, net)
    if h:
        on = rng.choice(h.slots)[1]
        i = rng.randrange(len(on))
        j = other(rng, len(on), i)
        on[i], on[j] = on[j], on[i]
        return True


def pick_factors(rng, net):
    places = [(h, on[x][1], i) for b in net.used() for h in b.heads for _, on in h.slots for x in range(len(on))
              for i in range(len(on[x][1]))]
    return rng.choice(places) if places else (None, None, None)


def factor_u(rng, a, net):
    h, factors, i = pick_factors(rng, net)
    if h:
        new_value(rng, factors[i][1], rng.choice([*factors[i][1], rng.randrange(h.n)]))
        return True


def factor_row(rng, a, net):
    """The same number in another row."""
    h, factors, i = pick_factors(rng, net)
    if h:
        u = factors[i][1]
        row = rng.choice(list(u))
        to = rng.choice((row ^ 1, rng.randrange(h.n)))
        u[to], u[row] = u[row], u.get(to, Fraction(0))
        for r in [r for r in u if not u[r] or r >= h.n]:
            del u[r]
        return True


def factor_c(rng, a, net):
    h, factors, i = pick_factors(rng, net)
    if h:
        new_value(rng, factors[i][2], rng.randrange(h.d))
        return True


def factor_beta(rng, a, net):
    _, factors, i = pick_factors(rng, net)
    if factors:
        factors[i] = rng.choice(NUMBERS), *factors[i][1:]
        return True


def factor_scaled(rng, a, net):
    """(z u, z c) is the same factor."""
    _, factors, i = pick_factors(rng, net)
    if factors:
        z = rng.choice([n for n in NUMBERS if n])
        beta, u, c = factors[i]
        factors[i] = beta, {k: z * v for k, v in u.items()}, {k: z * v for k, v in c.items()}
        return True


def factor_lost(rng, a, net):
    _, factors, i = pick_factors(rng, net)
    if factors:
        del factors[i]
        return True


def factor_twice(rng, a, net):
    """A write twice is one write, an exchange twice none."""
    _, factors, i = pick_factors(rng, net)
    if factors:
        factors.insert(i, copy.deepcopy(factors[i]))
        return True


def factors_order(rng, a, net):
    _, factors, i = pick_factors(rng, net)
    if factors:
        rng.shuffle(factors)
        return True


def gate_of_state(rng, a, net):
    _, h = pick_head(rng, net)
    if h:
        rng.choice(rng.choice(h.slots)[1])[0] = rng.choice(NUMBERS)
        return True


def dimension(rng, a, net):
    """A column more, always zero; or a row more, which no readout reads."""
    _, h = pick_head(rng, net)
    if h:
        name = rng.choice("nd")
        setattr(h, name, getattr(h, name) + 1)
        return True


def pick_readout(rng, net):
    readouts = [r for b in net.used() for r in b.readouts]
    return rng.choice(readouts) if readouts else None


def code(rng, a, net):
    r = pick_readout(rng, net)
    if r:
        new_value(rng, rng.choice(r[3]), (rng.randrange(r[2]), 0))
        return True


def codes_exchanged(rng, a, net):
    r = pick_readout(rng, net)
    if r:
        i = rng.randrange(len(r[3]))
        j = other(rng, len(r[3]), i)
        r[3][i], r[3][j] = r[3][j], r[3][i]
        return True


def code_added(rng, a, net):
    r = pick_readout(rng, net)
    if r:
        r[3].append({(0, 0): rng.choice(NUMBERS[1:])})
        return True


def readout_rows(rng, a, net):
    b = pick_block(rng, net)
    if b.readouts:
        r = rng.choice(b.readouts)
        r[1] = max(0, r[1] + rng.choice((-1, 0, 1)))
        r[2] = max(1, r[2] + rng.choice((-1, 0, 1)))
        return True


def readouts_exchanged(rng, a, net):
    """What two readouts of as many rows decode."""
    b = pick_block(rng, net)
    if len(b.readouts) > 1:
        i = rng.randrange(len(b.readouts))
        j = other(rng, len(b.readouts), i)
        b.readouts[i][3], b.readouts[j][3] = b.readouts[j][3], b.readouts[i][3]
        return True


def initial(rng, a, net):
    stages = [(b, states) for b, states in net.stages if states]
    if stages:
        b, states = rng.choice(stages)
        k = rng.randrange(len(states))
        h = net.blocks[b].heads[k]
        new_value(rng, states[k], rng.choice([*states[k], (rng.randrange(h.n), rng.randrange(h.d))]))
        return True


def initial_exchanged(rng, a, net):
    """Of two stages of a block."""
    stages = [s for s in net.stages if s[1]]
    if len(stages) > 1:
        one, two = rng.sample(stages, 2)
        if one[0] == two[0]:
            one[1], two[1] = two[1], one[1]
            return True


def initial_moved(rng, a, net):
    """Both numbers of a copy, to another copy."""
    stages = [s for s in net.stages if s[1]]
    if stages:
        b, states = rng.choice(stages)
        h, shift = net.blocks[b].heads[0], 2 * rng.randrange(1, 4)
        states[0] = {((r + shift) % h.n, c): v for (r, c), v in states[0].items()}
        return True


def output(rng, a, net):
    b = rng.choice(net.blocks)
    sizes = wired.wire_sizes(net, b)
    i = rng.randrange(len(b.outputs))
    b.outputs[i] = rng.choice([w for w, n in enumerate(sizes) if n == sizes[b.outputs[i]]] + [len(sizes)])
    return True


def outputs_exchanged(rng, a, net):
    b = rng.choice(net.blocks)
    i = rng.randrange(len(b.outputs))
    j = other(rng, len(b.outputs), i)
    b.outputs[i], b.outputs[j] = b.outputs[j], b.outputs[i]
    return True


def stage_block(rng, a, net):
    s = rng.choice(net.stages)
    s[0] = rng.randrange(len(net.blocks))
    s[1] = (s[1] * 2 + [{}] * 3)[:len(net.blocks[s[0]].heads)]
    return True


def stage_lost(rng, a, net):
    del net.stages[rng.randrange(len(net.stages))]
    return bool(net.stages)


def stage_twice(rng, a, net):
    i = rng.randrange(len(net.stages))
    net.stages.insert(i, copy.deepcopy(net.stages[i]))
    return True


def blocks_renumbered(rng, a, net):
    """Right, and not the form."""
    order = list(range(len(net.blocks)))
    rng.shuffle(order)
    net.blocks = [net.blocks[i] for i in order]
    net.stages = [[order.index(b), s] for b, s in net.stages]
    return True


def block_twice(rng, a, net):
    """A copy that some stages use, or none: right, and not the form."""
    i = rng.randrange(len(net.blocks))
    net.blocks.append(copy.deepcopy(net.blocks[i]))
    for s in net.stages:
        s[0] = len(net.blocks) - 1 if s[0] == i and rng.random() < 0.3 else s[0]
    return True


def tables_renumbered(rng, a, net):
    """The same network."""
    order = list(range(len(net.tables)))
    rng.shuffle(order)
    net.tables = [net.tables[i] for i in order]
    for b in net.blocks:
        for part in (b.pre, b.post):
            for g in part:
                g[0] = order.index(g[0])
    return True


def table_values(rng, a, net):
    """One value more that it never gives: the wires that it gives become larger."""
    table = rng.choice(net.tables)
    table[1] = max(1, table[1] + rng.choice((-1, 1)))
    return True


def table_size(rng, a, net):
    table = rng.choice(net.tables)
    if table[0]:
        i = rng.randrange(len(table[0]))
        table[0][i] = max(1, table[0][i] + rng.choice((-1, 1)))
        table[2] = (table[2] * 2)[:wired.product(table[0])]
        return True


def input_size(rng, a, net):
    b = rng.choice(net.blocks)
    i = rng.randrange(len(b.inputs))
    b.inputs[i] = max(1, b.inputs[i] + rng.choice((-1, 1)))
    return True


NETWORK = [table_entry, table_entry, gate_own_table, gate_own_table, gate_table, gate_wire, gate_wire, gate_wires_exchanged,
           gates_exchanged, gate_added, gate_lost, slot_wire, slots_exchanged, slot_lost, slot_twice, values_exchanged,
           factor_u, factor_u, factor_row, factor_c, factor_beta, factor_scaled, factor_lost, factor_twice, factors_order,
           gate_of_state, dimension, code, codes_exchanged, code_added, readout_rows, readouts_exchanged, initial,
           initial_exchanged, initial_moved, output, outputs_exchanged, stage_block, stage_lost, stage_twice,
           blocks_renumbered, block_twice, tables_renumbered, table_values, table_size, input_size,
           mutations.labels_exchanged, mutations.label_renamed, mutations.start_label, mutations.label_kind,
           mutations.letter_names]


# --- changes of the certificate (rng, certificate) --------------------------------------------------------------------

def class_changed(rng, c):
    q = rng.randrange(len(c.classes))
    c.classes[q] = rng.randrange(c.count + 2)


def classes_exchanged(rng, c):
    """The quotient with other numbers: the network is then the form of it only by symmetry."""
    i = 1 + rng.randrange(c.count)
    j = 1 + other(rng, c.count, i - 1)
    c.classes = [{i: j, j: i}.get(x, x) for x in c.classes]


def classes_merged(rng, c):
    i = 1 + rng.randrange(c.count)
    j = 1 + other(rng, c.count, i - 1)
    c.classes = [min(i, j) if x == max(i, j) else x - (x > max(i, j)) for x in c.classes]
    c.count = c.end = max(c.count - 1, 1)


def class_split(rng, c):
    q = rng.randrange(len(c.classes))
    c.count = c.end = c.count + 1
    c.classes[q] = c.count


def class_lost(rng, c):
    c.classes.pop() if rng.random() < 0.5 else c.classes.append(1)


def class_forgotten(rng, c):
    """The class of all its states becomes 0."""
    i = 1 + rng.randrange(c.count)
    c.classes = [0 if x == i else x for x in c.classes]


def row_code(rng, c):
    codes = rng.choice(c.rows)[1]
    if codes:
        i = rng.randrange(len(codes))
        codes[i] = max(0, codes[i] + rng.choice((-1, 1)))


EXACT = [*(m for m in mutations.CERTIFICATE if m is not mutations.row_code), row_code]
FORM = [class_changed, class_changed, classes_exchanged, classes_merged, class_split, class_lost, class_forgotten,
        mutations.claim, mutations.count]


# --- the runs --------------------------------------------------------------------------------------------------------

def other_automaton(rng, a, net, cert):
    """The rule form of an automaton with one edge changed, with the classes of the one that it is said to be of."""
    changed = copy.deepcopy(a)
    if not mutations.edge(rng, changed, net):
        return None
    classes = wired.Form()
    classes.classes, classes.count = cert.classes, cert.count
    q = classes.quotient(net, changed)
    if q is None:
        return None
    form = wired.rule_form(q)
    form.label = net.label
    return form


def mutant(rng, texts, parsed):
    """(kind, three texts) with one change of meaning and all hashes right, or None when nothing was changed."""
    a, net, cert = copy.deepcopy(parsed)
    of_form = isinstance(cert, wired.Form)
    where = rng.choices(("network", "automaton", "certificate", "other form", *mutate.TEXT_CHANGES),
                        (55, 10, 12, 8 if of_form else 0, 10, 5, 10))[0]
    if where in mutate.TEXT_CHANGES:
        files, which = list(texts), rng.choice((0, 1, 1, 2))
        files[which] = mutate.TEXT_CHANGES[where](rng, files[which])
        kind = f"{where} of the {mutate.NAMES[which].split('.')[0]}"
        return (kind, mutations.rehash(*files)) if files[which] != texts[which] else None
    name = where
    if where == "certificate":
        change = rng.choice(FORM if of_form else EXACT)
        change(rng, cert)
        name = f"{where}: {change.__name__}"
    elif where == "other form":
        net = other_automaton(rng, a, net, cert)
        if net is None:
            return None
    else:
        change = rng.choice(NETWORK if where == "network" else mutations.AUTOMATON)
        name = f"{where}: {change.__name__}"
        if not change(rng, a, net):
            return None
        cert.sizes, cert.states = list(net.sizes()), len(a.states)
        if not of_form and rng.random() < 0.7:
            rows = wired.close(net, a, ignore_labels=True)
            cert = wired.exact_of(net, a, rows) if rows else cert
    files = handmade_wired.texts(a, net, cert)
    return (name, files) if tuple(files) != tuple(texts) else None


def parse(texts):
    net, _ = wired.read_network(texts[1])
    return triple.read_automaton(texts[0]), net, wired.read_certificate(texts[2], texts[0], texts[1])


def wired_chunk(checker, texts, seed, runs):
    rng, tally, bad = random.Random(seed), collections.Counter(), []
    parsed = parse(texts)
    form = isinstance(parsed[2], wired.Form)
    with tempfile.TemporaryDirectory() as folder:
        while runs:
            made = mutant(rng, texts, parsed)
            if not made:
                continue
            runs -= 1
            kind, files = made
            right, proved = wired.should_verify(*files)
            data = [t.encode() for t in files]
            seen = mutate.verdict(checker, folder, data)
            fine = mutate.accepted(seen) is proved and (right or not proved)
            outcome = "right and accepted" if proved else \
                ("network right, not the form or another quotient: refused" if form else
                 "network right, certificate wrong: refused") if right else "wrong and refused"
            tally["meaning", kind, outcome if fine else "WRONG"] += 1
            if not fine:
                bad.append((f"{kind}; replay says network right {right}, certificate right {proved}", seen, data))
    return tally, bad


def compiled(tool, folder):
    """Rule forms that the compiler writes, for automata given as images of 1..n by each letter."""
    out = {}
    for images, label in COMPILED:
        n, letters = int(images.split(":")[0]), images.split()[1:]
        grammar, result = folder / "g.fsa", folder / "g.lrnn"
        lines = ["fsa 1", f"states {' '.join(str(q + 1) for q in range(n))}", "start 1", "accept 1"]
        lines += [f"{q + 1} {'abcd'[w]} {image[q]}" for q in range(n) for w, image in enumerate(letters)]
        grammar.write_text("\n".join(lines) + "\n")
        subprocess.run([tool, str(grammar), "--force", "--formats", "bf16", "--out", str(result), "--label", label,
                        "--cascade", "zeiger", "--max-sets", "1"], check=True, stdout=subprocess.DEVNULL,
                       stderr=subprocess.PIPE)
        out[f"compiled {images}, {label}"] = tuple((result / name).read_text(encoding="utf-8") for name in mutate.NAMES)
    return out


# One wrong thing each, which the reason must name: (base, words, change).

def wire_of_gate(a, net, c):
    net.blocks[1].pre[0][1][1] = 2


def state_not_entered(a, net, c):
    """One of the states is not in the first old set."""
    net.tables.append([[], 2, [0]])
    net.blocks[0].pre[1][0] = len(net.tables) - 1


def slot_wire_other(a, net, c):
    """Slot 2 reads the letter instead of the reset bit."""
    slot = net.blocks[1].heads[0].slots[1]
    slot[0] = 0
    slot[1].append(slot[1][1])


def larger_action(a, net, c):
    """An action more, which no entry gives: the network is as right as before."""
    b = net.blocks[1]
    for j in range(3, 6):
        slot = b.heads[0].slots[j]
        net.tables[b.pre[slot[0] - len(b.inputs)][0]][1] = 7
        slot[1].append([Fraction(1), []])


def other_row(a, net, c):
    """A slot of copies 1 and 4 that clears copy 2 as well."""
    net.blocks[1].heads[0].slots[3][1][5][1].append(wired.becomes(3, 0))


NAMED = [("form of t3", "block 2, gate of wire 8:", wire_of_gate),
         ("form of t3", "block 1, gate of wire 3:", state_not_entered),
         ("form of t3", "block 2, gate of wire 20:", larger_action), ("form of t3", "block 2, slot 4:", other_row),
         ("form of t3", "block 2, slot 2:", slot_wire_other),
         ("form of t3", "block 2, slot 5:", lambda a, net, c: net.blocks[1].heads[0].slots[4][1][2][1].clear()),
         ("form of t3", "block 2, readout 4:", lambda a, net, c: net.blocks[1].readouts[3][3].reverse()),
         ("form of t3", "block 2, initial state of stage 3:", lambda a, net, c: net.stages[2].__setitem__(1, net.stages[1][1])),
         ("form of t3", "block 2, outputs", lambda a, net, c: net.blocks[1].outputs.__setitem__(2, net.blocks[1].outputs[1])),
         ("form of t3", "block 3, output 1:", lambda a, net, c: net.blocks[2].outputs.__setitem__(0, 8)),
         ("form of t3", "stages, of which there are 3:", lambda a, net, c: net.stages.pop(1)),
         ("form of lost", "the others of its class", lambda a, net, c: c.classes.__setitem__(0, 2)),
         ("form of t3", "expected `turn`", lambda a, net, c: net.letters.reverse())]


def start_without_class(checker, folder):
    """The start state is never met again. Its successors are the form's classes, and it has none of its own, as if no word
    began there; the form begins in its last class, and has the right label for the empty word."""
    a = handmade_wired.edges(["a", "b"], ["s", "p", "q"], lambda q, w: (2 - w, 1 + w, 1 + w)[q], accept={1})
    classes, quotient = [0, 1, 2], copy.deepcopy(a)
    quotient.start = 2
    c = wired.Form()
    c.classes, c.count = classes, 2
    net = wired.rule_form(c.quotient(handmade_wired.network(a, "accept", [], [], []), quotient))
    net.label = "accept"
    files = handmade_wired.texts(a, net, wired.form_of(net, a, classes))
    seen = mutate.verdict(checker, folder, [t.encode() for t in files])
    yield f"the start has no class: refused: {seen}", (seen[:2] == (1, b"s NOT VERIFIED\n") and wired.close(net, a) is None
                                                      and wired.class_error(net, a) is None)


def wrong_claims(checker, folder, bases):
    """Yields whether reasons name what is wrong, and whether claims about other networks are refused."""
    for number, (name, word, change) in enumerate(NAMED):
        a, net, c = handmade_wired.ALL[name]()
        change(a, net, c)
        c.sizes = list(net.sizes())
        status, out, err = mutate.verdict(checker, folder, [t.encode() for t in handmade_wired.texts(a, net, c)])
        good = (status, out) == (1, b"s NOT VERIFIED\n") and word.encode() in err
        yield f"wrong {number} ({name}): refused because of {word!r}: {err}", good
    cascades = handmade_cascades.texts(*handmade_cascades.ALL["flipflop"]())
    for text, claims in ((bases["form of 2"], ("cascade", "exact")), (bases["counter"], ("cascade", "zeiger")),
                         (cascades, ("zeiger", "exact"))):
        for claim in claims:
            lines = text[2].split("\n")
            lines[3] = f"claim {claim}"
            files = mutations.rehash(text[0], text[1], "\n".join(lines))
            seen = mutate.verdict(checker, folder, [t.encode() for t in files])
            yield f"{claim} of something else: refused", seen[:2] == (1, b"s NOT VERIFIED\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--checker", required=True, type=lambda p: str(Path(p).resolve()))
    parser.add_argument("--tool", type=lambda p: str(Path(p).resolve()))
    parser.add_argument("--count", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=2024)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--keep", type=Path, help="write what was judged wrongly into this folder")
    args = parser.parse_args()
    begin, facts = time.monotonic(), []
    with tempfile.TemporaryDirectory() as folder:
        bases = {name: handmade_wired.texts(*make()) for name, make in handmade_wired.ALL.items()}
        if args.tool:
            bases.update(compiled(args.tool, Path(folder)))
        for name, texts in bases.items():
            seen = mutate.verdict(args.checker, folder, [t.encode() for t in texts])
            facts.append((f"{name}: verified, and right by the replay",
                          mutate.accepted(seen) and wired.should_verify(*texts) == (True, True)))
            if args.tool:
                facts.append((f"{name}: fsa2lrnn run agrees", mutate.compiler_agrees(args.tool, folder, texts)))
        facts += [*wrong_claims(args.checker, folder, bases), *start_without_class(args.checker, folder)]
    for what, holds in facts:
        if not holds:
            print(f"FAILED {what}")
    tally, bad = mutate.run_chunks(args, list(bases.values()), (mutate.byte_chunk, wired_chunk))
    if args.keep:
        mutate.keep(args.keep, bad)
    for what, seen, _ in bad[:mutate.SHOWN]:
        print(f"WRONG {what}: exit status {seen[0]}, {seen[1]!r}, {seen[2]!r}")
    mutate.report(tally)
    wrong = sum(n for (*_, outcome), n in tally.items() if outcome == "WRONG")
    failed = wrong + sum(not holds for _, holds in facts)
    print(f"{len(bases)} unchanged triples, seed {args.seed}, {time.monotonic() - begin:.1f} s")
    print(f"{len(facts) + sum(tally.values()) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
