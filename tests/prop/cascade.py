"""Certificates of cascades (claim cascade) as Python data: reader, writer, an independent check,
and tables by closing.

The check follows theory/pages/t4.md, T4.10, on frozen sets and fractions. Indices count from 0
here, levels from 1."""

import re

import triple
import triple_judge
from triple import integer, need, sha256


class Certificate:
    """Data: sizes, letters, states, sets [[level, members, cover]], tables [[contexts, pairs]] of
    the levels, layers [number of each level's], start, and the counts as listed.

    A context is [letter, from, to], a pair [set, codes of the level's layers, next pairs]. reads
    [None, or the letter that each context of the level reads]: None where it is the context's
    number. told
    [None, or {(set, *codes): child}] are the children that the pairs of a level list
    (theory/pages/diagonal.md, G.7)."""

    def recount(self):
        self.count = self.end = len(self.sets)
        self.levels = len(self.tables)
        self.counts = [[len(contexts), len(pairs)] for contexts, pairs in self.tables]

    def text(self, fsa_text, net_text):
        out = [
            "lrnn-certificate 2",
            f"fsa {sha256(fsa_text)}",
            f"network {sha256(net_text)}",
            "claim cascade",
            "size layers {} heads {} householders {} key {} value {}".format(*self.sizes),
            f"letters {self.letters} states {self.states} sets {self.count} levels {self.levels}",
        ]
        for i, (level, members, cover) in enumerate(self.sets):
            out.append(
                f"set {i + 1} level {level}"
                f" members{numbers(members)}{' cover' if cover else ''}{numbers(cover)}"
            )
        for v, ((contexts, pairs), (n, m), layers, told, reads) in enumerate(
            zip(self.tables, self.counts, self.layers, self.told, self.reads)
        ):
            out.append(f"level {v + 1} layers {layers} contexts {n} pairs {m}")
            out += [
                f"context {x + 1} letter {w + 1} from {i + 1} to {j + 1}"
                f"{'' if reads is None else f' reads {reads[x] + 1}'}"
                for x, (w, i, j) in enumerate(contexts)
            ]
            out += [
                f"pair {p + 1} set {z + 1} codes{numbers(s)}{told_text(told, z, s)}"
                f" next{numbers(following)}"
                for p, (z, s, following) in enumerate(pairs)
            ]
        body = "\n".join([*out, f"start{numbers(self.start)}", f"end {self.end}"]) + "\n"
        return body + f"sha256 {sha256(body)}\n"


def certificate_of(net, a, sets, tables, layers, start, reads=None):
    c = Certificate()
    c.reads = reads or [None] * len(tables)
    c.sizes, c.letters, c.states = list(net.sizes()), net.kinds(), len(a.states)
    c.sets, c.tables, c.layers, c.start, c.told = (
        sets,
        tables,
        list(layers),
        start,
        [None] * len(tables),
    )
    c.recount()
    return c


def told_text(told, z, s):
    """Returns the child's text; a changed pair may have no child, which is written as set 1."""
    return "" if told is None else f" child {told.get((z, *s), 0) + 1}"


def numbers(indices):
    return "".join(f" {i + 1}" for i in indices)


def indices(text):
    return [integer(i, 1) - 1 for i in text.split()]


def read_certificate(text, fsa_text, net_text):
    c, lines = Certificate(), iter(text.split("\n")[4:])

    def line(pattern):
        found = re.fullmatch(pattern, next(lines, ""))
        need(found, pattern)
        return found.groups()

    c.sizes = [
        integer(x)
        for x in line(r"size layers (\d+) heads (\d+) householders (\d+) key (\d+) value (\d+)")
    ]
    c.letters, c.states, c.count, c.levels = (
        integer(x) for x in line(r"letters (\d+) states (\d+) sets (\d+) levels (\d+)")
    )
    c.sets, c.tables, c.layers, c.counts, c.told, c.reads = [], [], [], [], [], []
    for _ in range(c.count):
        level, members, cover = line(r"set \d+ level (\d+) members([ \d]*)(?: cover([ \d]+))?")
        c.sets.append([integer(level), indices(members), indices(cover or "")])
    for _ in range(c.levels):
        layers, n, m = (
            integer(x) for x in line(r"level \d+ layers (\d+) contexts (\d+) pairs (\d+)")
        )
        found = [
            line(r"context \d+ letter (\d+) from (\d+) to (\d+)(?: reads (\d+))?")
            for _ in range(n)
        ]
        contexts = [indices(" ".join(listed)) for *listed, _ in found]
        reads = [m and indices(m)[0] for *_, m in found]
        need(
            None not in reads or not any(m is not None for m in reads),
            "a letter with all contexts of a level, or none",
        )
        c.reads.append(None if None in reads else reads)
        found = [
            line(r"pair \d+ set (\d+) codes([ \d]*)(?: child (\d+))? next([ \d]*)")
            for _ in range(m)
        ]
        pairs = [[*indices(z), indices(s), indices(following)] for z, s, _, following in found]
        children = [child and indices(child)[0] for _, _, child, _ in found]
        need(
            None not in children or not any(x is not None for x in children),
            "a child with all pairs of a level, or none",
        )
        told = {(z, *s): child for (z, s, _), child in zip(pairs, children)}
        c.told.append(None if None in children else told)
        c.tables.append([contexts, pairs])
        c.layers.append(layers)
        c.counts.append([n, m])
    c.start = indices(line("start([ 0-9]*)")[0])
    c.end = integer(line("end (.*)")[0])
    need(c.text(fsa_text, net_text) == text, "not in canonical form")
    return c


# --- is it right? ---


def parts_of(c, net):
    """Returns the layers of every level."""
    out, first = [], 0
    for n in c.layers:
        out.append(net.layer[first : first + n])
        first += n
    return out


def found_in_order(pairs, start):
    """Returns whether the pairs are distinct and each is the start or a next pair of an earlier
    one, so that words lead to all of them."""
    found = {start}
    for p, (_, _, following) in enumerate(pairs):
        if p not in found:
            return False
        found.update(following)
    return len({(z, *s) for z, s, _ in pairs}) == len(pairs)


def read_letters(contexts, reads, letters):
    """Returns whether the contexts of a level read letters of its first layer: each the one with
    its number, or each a letter of its own choice and no context twice."""
    if reads is None:
        return len(contexts) == letters
    return max(reads) < letters and len({tuple(x) for x in contexts}) == len(contexts)


def letter_read(c, l, x):
    return x if c.reads[l] is None else c.reads[l][x]


def proper(c, net, a):
    """Returns whether numbers are in range, and the network has the right shape."""
    levels, sets = len(c.tables), len(c.sets)
    if (
        tuple(c.sizes) != net.sizes()
        or c.letters != len(a.letters)
        or c.states != len(a.states)
        or not sets
        or c.count != sets
        or c.end != sets
        or not levels
        or c.levels != levels
        or len(c.start) != levels
        or c.counts != [[len(contexts), len(pairs)] for contexts, pairs in c.tables]
        or len(c.layers) != levels
        or min(c.layers) < 1
        or sum(c.layers) != len(net.layer)
    ):
        return False
    for level, members, cover in c.sets:
        if (
            not 1 <= level <= levels + 1
            or not members
            or members != sorted(set(members))
            or members[-1] >= c.states
            or any(i >= sets for i in cover)
            or cover
            and (level > levels or len(members) == 1)
        ):
            return False
    if c.reads[0] is not None:
        return False
    for layers, (contexts, pairs), first, reads in zip(
        parts_of(c, net), c.tables, c.start, c.reads
    ):
        if not all(y.values for y in layers) or first >= len(pairs):
            return False
        if not read_letters(contexts, reads, layers[0].letters):
            return False
        if any(w >= c.letters or i >= sets or j >= sets for w, i, j in contexts):
            return False
        for z, s, following in pairs:
            if (
                z >= sets
                or len(s) != len(layers)
                or any(i >= len(y.code) for i, y in zip(s, layers))
                or any(p >= len(pairs) for p in following)
                or len(following) != sum(i == z for _, i, _ in contexts)
            ):
                return False
        if not found_in_order(pairs, first):
            return False
    if any(child >= sets for told in c.told for child in (told or {}).values()):
        return False
    return c.sets[0][1] == list(range(c.states)) and c.tables[0][0] == [
        [w, 0, 0] for w in range(c.letters)
    ]


class Stages:
    """Children and images of the sets of a certificate."""

    def __init__(self, c, net, a):
        self.c, self.net, self.a = c, net, a
        self.of = [frozenset(members) for _, members, _ in c.sets]

    def child(self, l, z, codes):
        """Returns the listed child, or the set that the current coordinate, part 1 of the level's
        first layer, names; or None."""
        if self.c.told[l] is not None:
            return self.c.told[l].get((z, *codes))
        level, _, cover = self.c.sets[z]
        first = sum(self.c.layers[:l])
        coordinate = self.net.layer[first].symbol[codes[0]][0]
        return z if level != l + 1 else cover[coordinate] if coordinate < len(cover) else None

    def inside(self, x, letter, y):
        return {self.a.next[q][letter] for q in self.of[x]} <= self.of[y]

    def final(self, z):
        return self.c.sets[z][0] == len(self.c.tables) + 1

    def labelled(self, old, letter, new, symbol):
        """Checks condition (5): the symbol is the label of all states of the new set, or the output
        of all edges by the letter from the old set."""
        if self.net.label == "edges":
            owed = {self.a.edge_outputs[q][letter] for q in self.of[old]}
        else:
            owed = {self.a.labels(self.net.label)[q] for q in self.of[new]}
        return self.final(new) and owed == {self.net.labels[symbol]}


def step_level(net, run, first, layers, letter, codes):
    """Returns (the codes of the layers after the letter, the symbol of the last one), None where a
    code or symbol is missing."""
    after = []
    for l in range(first, first + layers):
        code = run.step_layer(l, letter, codes[l - first])
        if code is None:
            return None, None
        after.append(code)
        letter = net.layer[l].symbol_of(letter, code)
        if letter is None:
            return (after, None) if l + 1 == first + layers else (None, None)
    return after, letter


def steps(c, net, run):
    """Yields (level, number of the context, set, codes, next set, next codes as listed, exact next
    codes, symbol) of every edge."""
    first = 0
    for l, (contexts, pairs) in enumerate(c.tables):
        for z, s, following in pairs:
            here = [x for x, (_, i, _) in enumerate(contexts) if i == z]
            for x, p in zip(here, following):
                after, symbol = step_level(net, run, first, c.layers[l], letter_read(c, l, x), s)
                yield l, x, z, s, pairs[p][0], pairs[p][1], after, symbol
        first += c.layers[l]


def starts(c, net, a, stages, run):
    """Checks condition (0)."""
    z, first, initial = 0, 0, run.start()
    for l, p in enumerate(c.start):
        codes = list(initial[first : first + c.layers[l]])
        first += c.layers[l]
        if None in codes or c.tables[l][1][p][:2] != [z, codes]:
            return False
        z = stages.child(l, z, codes)
        if z is None:
            return False
    return net.starts_right(a) and stages.final(z) and a.start in stages.of[z]


def contexts_of(c, l, symbol):
    """Returns the contexts of level l that read the letter."""
    contexts = c.tables[l][0]
    if c.reads[l] is None:
        return [contexts[symbol]]
    return [context for context, m in zip(contexts, c.reads[l]) if m == symbol]


def certificate_holds(c, net, a):
    """Checks conditions (0) to (5) for a network of the class."""
    a = net.over(a)
    if a is None or not proper(c, net, a):
        return False
    stages, run = Stages(c, net, a), triple_judge.Run(net)
    if not starts(c, net, a, stages, run):
        return False
    for l, x, z, s, z_after, listed, after, symbol in steps(c, net, run):
        letter, _, to = c.tables[l][0][x]
        if after is None or (z_after, listed) != (to, after) or symbol is None:
            return False
        old, new = stages.child(l, z, s), stages.child(l, to, after)
        if old is None or new is None or not stages.inside(old, letter, new):
            return False
        if l + 1 < len(c.tables):
            if [letter, old, new] not in contexts_of(c, l + 1, symbol):
                return False
        elif not stages.labelled(old, letter, new, symbol):
            return False
    return True


def enters(c, l, z, handed):
    """Returns whether set `handed` may enter the next level when set z enters level l."""
    return handed in (c.sets[z][2] if c.sets[z][0] == l + 1 else [z])


def layers_close(c, net, a):
    """Checks all conditions except (2): every level fits the sets, whatever old and new set it
    passes on."""
    a = net.over(a)
    if a is None:
        return False
    stages, run = Stages(c, net, a), triple_judge.Run(net)
    for l, x, z, s, z_after, listed, after, symbol in steps(c, net, run):
        letter, _, to = c.tables[l][0][x]
        if after is None or (z_after, listed) != (to, after) or symbol is None:
            return False
        if l + 1 < len(c.tables):
            if not any(
                w == letter
                and stages.inside(i, w, j)
                and enters(c, l, z, i)
                and enters(c, l, to, j)
                for w, i, j in contexts_of(c, l + 1, symbol)
            ):
                return False
        else:
            old, new = stages.child(l, z, s), stages.child(l, to, after)
            if (
                old is None
                or new is None
                or not stages.inside(old, letter, new)
                or not stages.labelled(old, letter, new, symbol)
            ):
                return False
    return True


# --- tables ---


def close(net, a, sets, contexts, layers, reads=None):
    """Returns the certificate with the pairs that words may lead to by these contexts, right or
    not; None where a code is missing."""
    run, tables, z, start, at = triple_judge.Run(net), [], 0, [], 0
    initial = run.start()
    if len(layers) != len(contexts) or min(layers, default=0) < 1 or sum(layers) != len(net.layer):
        return None
    for l, listed in enumerate(contexts):
        part, codes = net.layer[at : at + layers[l]], list(initial[at : at + layers[l]])
        if (
            z is None
            or z >= len(sets)
            or None in codes
            or not all(y.values for y in part)
            or not read_letters(listed, reads and reads[l], part[0].letters)
        ):
            return None
        keys, number, pairs = [(z, *codes)], {(z, *codes): 0}, []
        for stage, *now in keys:
            following = []
            for x, (_, i, j) in enumerate(listed):
                if i != stage:
                    continue
                letter = reads[l][x] if reads and reads[l] else x
                after, _ = step_level(net, run, at, layers[l], letter, now)
                if after is None:
                    return None
                key = j, *after
                if key not in number:
                    number[key] = len(keys)
                    keys.append(key)
                following.append(number[key])
            pairs.append([stage, now, following])
        tables.append([[list(x) for x in listed], pairs])
        start.append(0)
        at += layers[l]
        level, _, cover = sets[z]
        coordinate = part[0].symbol[codes[0]][0]
        z = z if level != l + 1 else cover[coordinate] if coordinate < len(cover) else None
    copied = [[level, list(members), list(cover)] for level, members, cover in sets]
    return certificate_of(net, a, copied, tables, layers, start, reads and list(reads))


def should_verify(fsa_text, net_text, cert_text):
    """Returns (network right for the automaton, certificate right), each from the texts alone."""
    try:
        a = triple.read_automaton(fsa_text)
        net, named = triple.read_network(net_text)
        need(named == sha256(fsa_text), "another automaton")
        need(triple_judge.class_error(net, a) is None, "not of the class")
        right = triple_judge.close(net, a) is not None
    except triple.Malformed:
        return False, False
    try:
        return right, certificate_holds(read_certificate(cert_text, fsa_text, net_text), net, a)
    except triple.Malformed:
        return right, False
