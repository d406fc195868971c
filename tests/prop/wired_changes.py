"""Random changes of wired networks and of their certificates, for wired_mutate.py and
d1_mutate.py."""

import copy
from fractions import Fraction

import mutations
import wired
from mutations import NUMBERS, new_value, other

# --- changes of the network: (rng, automaton, network), False when they do not apply ---


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
    """Gives one gate a copy of its table with a changed entry, or without a change, which is
    harmless."""
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
    """Gives a gate another table, of the same inputs where there is one."""
    _, part, i = pick_gate(rng, net)
    if part:
        alike = [
            t
            for t, x in enumerate(net.tables)
            if x[:2] == net.tables[part[i][0]][:2] and t != part[i][0]
        ]
        part[i][0] = rng.choice(alike) if alike else rng.randrange(len(net.tables) + 1)
        return True


def gate_wire(rng, a, net):
    """Gives a gate another wire, of the same size where there is one."""
    b, part, i = pick_gate(rng, net)
    if not part or not part[i][1]:
        return False
    j, sizes = rng.randrange(len(part[i][1])), wired.wire_sizes(net, b)
    before = len(b.inputs) + i + (0 if part is b.pre else len(b.pre) + len(b.readouts))
    alike = [w for w in range(before) if sizes[w] == sizes[part[i][1][j]] and w != part[i][1][j]]
    part[i][1][j] = (
        rng.choice(alike) if alike and rng.random() < 0.9 else rng.randrange(len(sizes) + 1)
    )
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
    """Adds a gate that nothing reads, at the end: right, but not the form."""
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
        alike = [
            w
            for w in range(len(b.inputs) + len(b.pre))
            if sizes[w] == sizes[slot[0]] and w != slot[0]
        ]
        slot[0] = (
            rng.choice(alike) if alike and rng.random() < 0.9 else rng.randrange(len(sizes) + 1)
        )
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
    """Repeats a slot: right where the second time changes nothing."""
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
    places = [
        (h, on[x][1], i)
        for b in net.used()
        for h in b.heads
        for _, on in h.slots
        for x in range(len(on))
        for i in range(len(on[x][1]))
    ]
    return rng.choice(places) if places else (None, None, None)


def factor_u(rng, a, net):
    h, factors, i = pick_factors(rng, net)
    if h:
        new_value(rng, factors[i][1], rng.choice([*factors[i][1], rng.randrange(h.n)]))
        return True


def factor_row(rng, a, net):
    """Moves a number of a factor to another row."""
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
    """Scales a factor to (z u, z c), which is the same factor."""
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
    """Repeats a factor: a write twice is one write, an exchange twice does nothing."""
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
    """Adds a column that is always zero, or a row that no readout reads."""
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
    """Exchanges the codes of two readouts."""
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
        new_value(
            rng, states[k], rng.choice([*states[k], (rng.randrange(h.n), rng.randrange(h.d))])
        )
        return True


def initial_exchanged(rng, a, net):
    """Exchanges the initial states of two stages of a block."""
    stages = [s for s in net.stages if s[1]]
    if len(stages) > 1:
        one, two = rng.sample(stages, 2)
        if one[0] == two[0]:
            one[1], two[1] = two[1], one[1]
            return True


def initial_moved(rng, a, net):
    """Moves both numbers of a copy to another copy."""
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
    b.outputs[i] = rng.choice(
        [w for w, n in enumerate(sizes) if n == sizes[b.outputs[i]]] + [len(sizes)]
    )
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
    s[1] = (s[1] * 2 + [{}] * 3)[: len(net.blocks[s[0]].heads)]
    return True


def stage_lost(rng, a, net):
    del net.stages[rng.randrange(len(net.stages))]
    return bool(net.stages)


def stage_twice(rng, a, net):
    i = rng.randrange(len(net.stages))
    net.stages.insert(i, copy.deepcopy(net.stages[i]))
    return True


def blocks_renumbered(rng, a, net):
    """Renumbers the blocks: right, but not the form."""
    order = list(range(len(net.blocks)))
    rng.shuffle(order)
    net.blocks = [net.blocks[i] for i in order]
    net.stages = [[order.index(b), s] for b, s in net.stages]
    return True


def block_twice(rng, a, net):
    """Adds a copy of a block, which some stages use, or none: right, but not the form."""
    i = rng.randrange(len(net.blocks))
    net.blocks.append(copy.deepcopy(net.blocks[i]))
    for s in net.stages:
        s[0] = len(net.blocks) - 1 if s[0] == i and rng.random() < 0.3 else s[0]
    return True


def tables_renumbered(rng, a, net):
    """Renumbers the tables: the same network."""
    order = list(range(len(net.tables)))
    rng.shuffle(order)
    net.tables = [net.tables[i] for i in order]
    for b in net.blocks:
        for part in (b.pre, b.post):
            for g in part:
                g[0] = order.index(g[0])
    return True


def table_values(rng, a, net):
    """Adds a value that a table never gives: its wires become larger."""
    table = rng.choice(net.tables)
    table[1] = max(1, table[1] + rng.choice((-1, 1)))
    return True


def table_size(rng, a, net):
    table = rng.choice(net.tables)
    if table[0]:
        i = rng.randrange(len(table[0]))
        table[0][i] = max(1, table[0][i] + rng.choice((-1, 1)))
        table[2] = (table[2] * 2)[: wired.product(table[0])]
        return True


def input_size(rng, a, net):
    b = rng.choice(net.blocks)
    i = rng.randrange(len(b.inputs))
    b.inputs[i] = max(1, b.inputs[i] + rng.choice((-1, 1)))
    return True


NETWORK = [
    table_entry,
    table_entry,
    gate_own_table,
    gate_own_table,
    gate_table,
    gate_wire,
    gate_wire,
    gate_wires_exchanged,
    gates_exchanged,
    gate_added,
    gate_lost,
    slot_wire,
    slots_exchanged,
    slot_lost,
    slot_twice,
    values_exchanged,
    factor_u,
    factor_u,
    factor_row,
    factor_c,
    factor_beta,
    factor_scaled,
    factor_lost,
    factor_twice,
    factors_order,
    gate_of_state,
    dimension,
    code,
    codes_exchanged,
    code_added,
    readout_rows,
    readouts_exchanged,
    initial,
    initial_exchanged,
    initial_moved,
    output,
    outputs_exchanged,
    stage_block,
    stage_lost,
    stage_twice,
    blocks_renumbered,
    block_twice,
    tables_renumbered,
    table_values,
    table_size,
    input_size,
    mutations.labels_exchanged,
    mutations.label_renamed,
    mutations.start_label,
    mutations.label_kind,
    mutations.letter_names,
]


# --- changes of the certificate (rng, certificate) ---


def class_changed(rng, c):
    q = rng.randrange(len(c.classes))
    c.classes[q] = rng.randrange(c.count + 2)


def classes_exchanged(rng, c):
    """Renumbers the classes: the network is then the form of the quotient only by symmetry."""
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
    """Sets the class of all states of one class to 0."""
    i = 1 + rng.randrange(c.count)
    c.classes = [0 if x == i else x for x in c.classes]


def row_code(rng, c):
    codes = rng.choice(c.rows)[1]
    if codes:
        i = rng.randrange(len(codes))
        codes[i] = max(0, codes[i] + rng.choice((-1, 1)))


EXACT = [*(m for m in mutations.CERTIFICATE if m is not mutations.row_code), row_code]
FORM = [
    class_changed,
    class_changed,
    classes_exchanged,
    classes_merged,
    class_split,
    class_lost,
    class_forgotten,
    mutations.claim,
    mutations.count,
]
