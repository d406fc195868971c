"""Random changes of cascade networks and of their certificates, for cascade_mutate.py."""

import mutations
from mutations import other

# --- changes of part decoders: (rng, automaton, network), False when it does not apply ---


def pick_part(rng, net):
    return rng.choice(net.layer)


def part_value(rng, a, net):
    y = pick_part(rng, net)
    i, p = rng.randrange(len(y.code)), rng.randrange(len(y.values))
    values = list(y.symbol[i])
    values[p] = max(0, values[p] + rng.choice((-1, 1)))
    y.symbol[i] = tuple(values)
    return True


def part_symbol(rng, a, net):
    row = rng.choice(pick_part(rng, net).table)[1]
    v = rng.randrange(len(row))
    row[v] = rng.choice((None, 0, 1, 2, (row[v] or 0) + 1))
    return True


def part_read(rng, a, net):
    y = pick_part(rng, net)
    entry, p = rng.choice(y.table), rng.randrange(len(y.values))
    if p != entry[0]:
        entry[:] = p, (entry[1] + [None] * y.values[p])[: y.values[p]]
        return True


def part_symbols_exchanged(rng, a, net):
    y = pick_part(rng, net)
    x = rng.randrange(y.letters)
    z = other(rng, y.letters, x)
    y.table[x], y.table[z] = y.table[z], y.table[x]
    return True


def part_values(rng, a, net):
    """Adds a value that no code has to a part, or adds a part: right, when done everywhere."""
    y = pick_part(rng, net)
    if rng.random() < 0.5:
        p = rng.randrange(len(y.values))
        y.values[p] += 1
        for entry in y.table:
            if entry[0] == p:
                entry[1].append(rng.choice((None, 0)))
    else:
        y.values.append(1)
        y.symbol = [(*values, 0) for values in y.symbol]
    return True


def parts_exchanged(rng, a, net):
    """Exchanges the saved and the current coordinate: the network is the same, and cur is another
    part."""
    y = pick_part(rng, net)
    if len(y.values) > 1:
        y.values[:2] = reversed(y.values[:2])
        y.symbol = [(values[1], values[0], *values[2:]) for values in y.symbol]
        for entry in y.table:
            entry[0] = (1, 0, *range(2, len(y.values)))[entry[0]]
        return True


PARTS = [
    part_value,
    part_value,
    part_symbol,
    part_symbol,
    part_read,
    part_symbols_exchanged,
    part_values,
    parts_exchanged,
]
NETWORK = [*(m for m in mutations.NETWORK if m is not mutations.symbol), *PARTS]


# --- changes of the certificate: (rng, certificate) ---


def members(rng, c):
    entry = rng.choice(c.sets)
    entry[1] = sorted(set(entry[1]) ^ {rng.randrange(c.states)})


def members_order(rng, c):
    entry = rng.choice(c.sets)
    entry[1].insert(0, rng.choice(entry[1]))


def set_level(rng, c):
    entry = rng.choice(c.sets)
    entry[0] = max(0, entry[0] + rng.choice((-1, 1)))


def cover_member(rng, c):
    cover = rng.choice([entry[2] for entry in c.sets if entry[2]])
    cover[rng.randrange(len(cover))] = rng.randrange(len(c.sets) + 1)


def cover_order(rng, c):
    rng.shuffle(rng.choice([entry[2] for entry in c.sets if entry[2]]))


def cover_size(rng, c):
    cover = rng.choice(c.sets)[2]
    cover.append(rng.randrange(len(c.sets))) if rng.random() < 0.5 or not cover else cover.pop()


def set_added(rng, c):
    """Adds a set that nothing names: right where it is a proper set."""
    level, members, _ = rng.choice(c.sets)
    c.sets.append([rng.choice((1, level)), list(members), []])
    c.recount()


def set_twin(rng, c):
    """Copies a set, and lets some mentions of the set name the copy: refused wherever numbers do
    not fit."""
    i = rng.randrange(len(c.sets))
    c.sets.append([c.sets[i][0], list(c.sets[i][1]), list(c.sets[i][2])])
    contexts, pairs = rng.choice(c.tables)
    for entry, k in [(x, k) for x in contexts for k in (1, 2)] + [(p, 0) for p in pairs]:
        if entry[k] == i and rng.random() < 0.5:
            entry[k] = len(c.sets) - 1
    c.recount()


def set_lost(rng, c):
    del c.sets[rng.randrange(len(c.sets))]
    c.recount()


def sets_renumbered(rng, c):
    """Renumbers the sets: the same certificate, if all states stay in front."""
    order = list(range(len(c.sets)))
    tail = order[1:] if rng.random() < 0.8 else order[:]
    rng.shuffle(tail)
    order = order[: len(order) - len(tail)] + tail
    place = {old: new for new, old in enumerate(order)}
    c.sets = [[c.sets[i][0], c.sets[i][1], [place[t] for t in c.sets[i][2]]] for i in order]
    c.told = [
        told and {(place[z], *s): place[child] for (z, *s), child in told.items()}
        for told in c.told
    ]
    for contexts, pairs in c.tables:
        contexts[:] = [[w, place[i], place[j]] for w, i, j in contexts]
        pairs[:] = [[place[z], s, following] for z, s, following in pairs]


def pick_context(rng, c):
    return rng.choice(rng.choice(c.tables)[0])


def context_letter(rng, c):
    x = pick_context(rng, c)
    x[0] = other(rng, c.letters, x[0])


def context_set(rng, c):
    x, k = pick_context(rng, c), rng.choice((1, 2))
    x[k] = rng.randrange(len(c.sets))


def contexts_exchanged(rng, c):
    contexts = rng.choice(c.tables)[0]
    i = rng.randrange(len(contexts))
    j = other(rng, len(contexts), i)
    contexts[i], contexts[j] = contexts[j], contexts[i]


def context_lost(rng, c):
    l = rng.randrange(len(c.tables))
    c.tables[l][0].pop()
    if c.reads[l] is not None:
        c.reads[l].pop()
    c.recount()


def context_reads(rng, c):
    """Lets a context read another letter."""
    reads = rng.choice(c.reads)
    if reads:
        x = rng.randrange(len(reads))
        reads[x] = rng.choice((rng.choice(reads), max(reads) + 1))


def reads_told(rng, c):
    """Names the letters of a level where they are the numbers of its contexts, and leaves them out
    where they are named: right where the contexts are as many as the letters, but on level 1."""
    l = rng.randrange(len(c.tables))
    c.reads[l] = list(range(len(c.tables[l][0]))) if c.reads[l] is None else None


def pick_pair(rng, c):
    return rng.choice(rng.choice(c.tables)[1])


def pair_set(rng, c):
    pick_pair(rng, c)[0] = rng.randrange(len(c.sets))


def pair_code(rng, c):
    codes = pick_pair(rng, c)[1]
    l = rng.randrange(len(codes))
    codes[l] = max(0, codes[l] + rng.choice((-1, 1)))


def pair_codes(rng, c):
    """Adds or removes a code, or exchanges two."""
    codes = pick_pair(rng, c)[1]
    what = rng.randrange(3)
    codes.reverse() if what == 0 else codes.append(rng.randrange(2)) if what == 1 else codes.pop()


def level_layers(rng, c):
    """Moves a layer to the level before or after, or leaves it over; its codes move too, where
    possible."""
    v = rng.randrange(len(c.layers))
    w = rng.choice([u for u in (v - 1, v + 1) if 0 <= u < len(c.layers)] or [v])
    c.layers[v] = max(0, c.layers[v] - 1)
    if rng.random() < 0.7:
        c.layers[w] += 1
        for _, s, _ in c.tables[w][1]:
            s.append(0)
    for _, s, _ in c.tables[v][1]:
        del s[: len(s) - c.layers[v]]


def level_lost(rng, c):
    """Removes a level; its layers move to the level before."""
    v = rng.randrange(len(c.tables))
    if v > 0:
        c.layers[v - 1] += c.layers[v]
    for table in (c.tables, c.layers, c.start, c.told, c.reads):
        del table[v]
    c.recount()


def pair_next(rng, c):
    pairs = rng.choice(c.tables)[1]
    following = rng.choice(pairs)[2]
    if following:
        following[rng.randrange(len(following))] = rng.randrange(len(pairs))


def next_count(rng, c):
    following = pick_pair(rng, c)[2]
    following.append(0) if rng.random() < 0.5 or not following else following.pop()


def pairs_exchanged(rng, c):
    pairs = rng.choice(c.tables)[1]
    i = rng.randrange(len(pairs))
    j = other(rng, len(pairs), i)
    pairs[i], pairs[j] = pairs[j], pairs[i]


def pairs_renumbered(rng, c):
    """Lists the same table in another order, with the matching start: right if no pair comes before
    all pairs that lead to it."""
    l = rng.randrange(len(c.tables))
    pairs = c.tables[l][1]
    order = list(range(len(pairs)))
    rng.shuffle(order)
    place = {old: new for new, old in enumerate(order)}
    c.tables[l][1] = [[pairs[i][0], pairs[i][1], [place[p] for p in pairs[i][2]]] for i in order]
    c.start[l] = place[c.start[l]]


def pair_lost(rng, c):
    rng.choice(c.tables)[1].pop()
    c.recount()


def pair_twin(rng, c):
    """Copies a pair, and leads to the copy or not: refused, since the pair would be counted
    twice."""
    pairs = rng.choice(c.tables)[1]
    z, s, following = rng.choice(pairs)
    pairs.append([z, list(s), list(following)])
    if rng.random() < 0.5:
        old, new = pairs.index([z, s, following]), len(pairs) - 1
        for pair in pairs:
            pair[2] = [new if p == old else p for p in pair[2]]
    c.recount()


def pair_of_no_word(rng, c):
    """Adds a pair that nothing leads to, with its next pairs: refused, whatever it says."""
    pairs = rng.choice(c.tables)[1]
    z, s, following = rng.choice(pairs)
    s = list(s)
    s[rng.randrange(len(s))] += rng.choice((-1, 1))
    pairs.append([z, [max(0, i) for i in s], list(following)])
    c.recount()


def child_number(rng, c):
    told = rng.choice(c.told)
    if told:
        told[rng.choice(list(told))] = rng.randrange(len(c.sets))


def child_lost(rng, c):
    """Removes a child: part 1 of the first layer's code must then name it, and the certificate is
    right where it does."""
    c.told[rng.randrange(len(c.told))] = None


def child_told(rng, c):
    """Lists children for a level: the sets there in the order of their codes, others unchanged.
    Right where the codes are coordinates."""
    l = rng.randrange(len(c.tables))
    if c.told[l] is None:
        c.told[l] = {(z, *s): child_by_code(c, l, z, s) for z, s, _ in c.tables[l][1]}


def child_by_code(c, l, z, s):
    level, _, cover = c.sets[z]
    return z if level != l + 1 or not cover else cover[s[0] % len(cover)]


def start(rng, c):
    l = rng.randrange(len(c.start))
    c.start[l] = rng.randrange(len(c.tables[l][1]))


def sizes(rng, c):
    i = rng.randrange(len(c.sizes))
    c.sizes[i] = max(0, c.sizes[i] + rng.choice((-1, 1)))


def counts(rng, c):
    if rng.random() < 0.5:
        name = rng.choice(("letters", "states", "count", "levels", "end"))
        setattr(c, name, max(0, getattr(c, name) + rng.choice((-1, 1))))
    else:
        entry, k = rng.choice(c.counts), rng.randrange(2)
        entry[k] = max(0, entry[k] + rng.choice((-1, 1)))


CERTIFICATE = [
    members,
    members,
    members_order,
    set_level,
    cover_member,
    cover_order,
    cover_size,
    set_added,
    set_twin,
    set_lost,
    sets_renumbered,
    context_letter,
    context_set,
    context_set,
    contexts_exchanged,
    context_lost,
    context_reads,
    context_reads,
    reads_told,
    pair_set,
    pair_code,
    pair_codes,
    level_layers,
    level_layers,
    level_lost,
    pair_of_no_word,
    pair_next,
    pair_next,
    next_count,
    pairs_exchanged,
    pairs_renumbered,
    pair_lost,
    pair_twin,
    child_number,
    child_number,
    child_lost,
    child_told,
    start,
    sizes,
    counts,
]
