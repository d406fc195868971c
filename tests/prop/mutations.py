"""Random changes of bytes and of meaning to an automaton, network and certificate."""

import random
from fractions import Fraction

import triple

NUMBERS = [
    Fraction(x) for x in ("0", "1", "-1", "2", "1/2", "-1/2", "3/2", "3", "1/3", "5/2", "-2", "7/5")
]


def change_bytes(rng, data):
    """Returns the data after a flip, deletion, insertion, truncation, extension or swap; it may
    have the same bytes."""
    kind = rng.choice(("flip", "delete", "insert", "truncate", "extend", "swap", "digit"))
    at = rng.randrange(len(data))
    if kind == "flip":
        return kind, data[:at] + bytes([data[at] ^ 1 << rng.randrange(8)]) + data[at + 1 :]
    if kind == "delete":
        return kind, data[:at] + data[at + rng.choice((1, 1, 2, 9)) :]
    if kind == "insert":
        return (
            kind,
            data[:at] + bytes(rng.choice((rng.randbytes(1), b" ", b"\n", b"0", b"\0"))) + data[at:],
        )
    if kind == "truncate":
        return kind, data[:at]
    if kind == "extend":
        return kind, data + rng.choice(
            (b"\n", b" ", b"\0", b"end\n", rng.randbytes(9), data[at:], data)
        )
    if kind == "digit":
        digits = [i for i, c in enumerate(data) if c in b"0123456789abcdef"]
        at = rng.choice(digits)
        return kind, data[:at] + rng.choice((b"0", b"1", b"2", b"9", b"12")) + data[at + 1 :]
    other = rng.randrange(len(data))
    swapped = bytearray(data)
    swapped[at], swapped[other] = data[other], data[at]
    return kind, bytes(swapped)


def other(rng, n, i):
    """Returns an index below n, different from i if there is one."""
    return i if n < 2 else (i + 1 + rng.randrange(n - 1)) % n


def reaches_all(a):
    """Returns whether words lead from the start of an automaton to all its states."""
    seen = [a.start]
    for q in seen:
        seen += [r for r in dict.fromkeys(a.next[q]) if r not in seen]
    return len(seen) == len(a.states)


def new_value(rng, vector, key):
    """Sets, changes or removes an entry of a sparse vector."""
    old = vector.pop(key, Fraction(0))
    new = rng.choice((*NUMBERS, old + 1, -old, 2 * old, old / 2, old + Fraction(1, 1024)))
    if new:
        vector[key] = new


def pick_factors(rng, net):
    """Returns a (head, letter, index of a factor), or None."""
    places = [
        (h, x, i)
        for y in net.layer
        for h in y.head
        for x in range(y.letters)
        for i in range(len(h.factors[x]))
    ]
    return rng.choice(places) if places else None


# Each takes (rng, automaton, network) and changes the network in place; False when it does not
# apply.


def weight_u(rng, a, net):
    place = pick_factors(rng, net)
    if place:
        h, x, i = place
        new_value(rng, h.factors[x][i][1], rng.randrange(h.n))
        return True


def weight_c(rng, a, net):
    place = pick_factors(rng, net)
    if place:
        h, x, i = place
        new_value(rng, h.factors[x][i][2], rng.randrange(h.d))
        return True


def factor_scaled(rng, a, net):
    """Scales a factor to (z u, z c), which is the same factor: right, when the certificate is made
    for it."""
    place = pick_factors(rng, net)
    if place:
        h, x, i = place
        beta, u, c = h.factors[x][i]
        z = rng.choice([n for n in NUMBERS if n])
        h.factors[x][i] = beta, {k: z * v for k, v in u.items()}, {k: z * v for k, v in c.items()}
        return True


def weight_beta(rng, a, net):
    place = pick_factors(rng, net)
    if place:
        h, x, i = place
        h.factors[x][i] = (rng.choice(NUMBERS), *h.factors[x][i][1:])
        return True


def factor_order(rng, a, net):
    place = pick_factors(rng, net)
    if place:
        h, x, i = place
        f = h.factors[x]
        j = other(rng, len(f), i)
        f[i], f[j] = f[j], f[i]
        return True


def factor_lost(rng, a, net):
    place = pick_factors(rng, net)
    if place:
        h, x, i = place
        del h.factors[x][i]
        return True


def factor_twice(rng, a, net):
    place = pick_factors(rng, net)
    if place:
        h, x, i = place
        h.factors[x].insert(rng.randrange(len(h.factors[x]) + 1), h.factors[x][i])
        return True


def pick_head(rng, net):
    y = rng.choice(net.layer)
    return y, rng.randrange(len(y.head))


def letters_exchanged(rng, a, net):
    y, k = pick_head(rng, net)
    h, x = y.head[k], rng.randrange(y.letters)
    z = other(rng, y.letters, x)
    h.gate[x], h.gate[z], h.factors[x], h.factors[z] = (
        h.gate[z],
        h.gate[x],
        h.factors[z],
        h.factors[x],
    )
    return True


def gate(rng, a, net):
    y, k = pick_head(rng, net)
    y.head[k].gate[rng.randrange(y.letters)] = rng.choice(NUMBERS)
    return True


def initial(rng, a, net):
    y, k = pick_head(rng, net)
    h = y.head[k]
    new_value(rng, h.initial, (rng.randrange(h.n), rng.randrange(h.d)))
    return True


def initial_code(rng, a, net):
    """Starts a layer in the state of a random code."""
    y = rng.choice(net.layer)
    for h, s in zip(y.head, rng.choice(y.code)):
        h.initial = dict(s)
    return True


def dimension(rng, a, net):
    """Adds a row or column that is always zero: right, when the certificate is made for it."""
    y, k = pick_head(rng, net)
    name = rng.choice("nd")
    setattr(y.head[k], name, getattr(y.head[k], name) + 1)
    return True


def code(rng, a, net):
    y, k = pick_head(rng, net)
    h, states = y.head[k], rng.choice(y.code)
    new_value(rng, states[k], (rng.randrange(h.n), rng.randrange(h.d)))
    return True


def codes_exchanged(rng, a, net):
    """Exchanges two codes and their symbols, which is the same decoder: right, when the certificate
    is made for it."""
    y = rng.choice(net.layer)
    i = rng.randrange(len(y.code))
    j = other(rng, len(y.code), i)
    y.code[i], y.code[j] = y.code[j], y.code[i]
    if not y.by_letter and rng.random() < 0.5:
        y.symbol[i], y.symbol[j] = y.symbol[j], y.symbol[i]
    return True


def code_lost(rng, a, net):
    y = rng.choice(net.layer)
    if len(y.code) > 1 and not y.by_letter:
        i = rng.randrange(len(y.code))
        del y.code[i], y.symbol[i]
        return True


def code_twice(rng, a, net):
    y = rng.choice(net.layer)
    y.code.append([dict(s) for s in rng.choice(y.code)])
    if rng.random() < 0.3:
        new_value(rng, y.code[-1][0], (0, 0))
    y.symbol.append(rng.choice(y.symbol))
    return True


def symbol(rng, a, net):
    y = rng.choice(net.layer)
    new = rng.choice((None, *range(y.symbols)))
    if not y.by_letter:
        y.symbol[rng.randrange(len(y.symbol))] = new
    else:
        key = rng.choice(list(y.yields))
        y.yields.pop(key) if new is None else y.yields.update({key: new})
    return True


def labels_exchanged(rng, a, net):
    i = rng.randrange(len(net.labels))
    j = other(rng, len(net.labels), i)
    net.labels[i], net.labels[j] = net.labels[j], net.labels[i]
    return True


def label_renamed(rng, a, net):
    net.labels[rng.randrange(len(net.labels))] = rng.choice(("accept", "reject", "x y", *a.states))
    return True


def start_label(rng, a, net):
    net.start = rng.randrange(len(net.labels))
    return True


def label_kind(rng, a, net):
    net.label = rng.choice(("states", "outputs", "accept", "edges"))
    return True


def letter_names(rng, a, net):
    i = rng.randrange(len(net.letters))
    j = other(rng, len(net.letters), i)
    net.letters[i], net.letters[j] = net.letters[j], net.letters[i]
    return True


def letter_class(rng, a, net):
    """Moves a letter to another class, or adds classes where there were none."""
    classes = list(net.classes or range(len(net.letters)))
    classes[rng.randrange(len(classes))] = rng.randrange(max(classes) + 1)
    net.classes = classes
    return True


NETWORK = [
    weight_u,
    weight_u,
    weight_c,
    factor_scaled,
    weight_beta,
    factor_order,
    factor_lost,
    factor_twice,
    letters_exchanged,
    gate,
    initial,
    initial_code,
    dimension,
    code,
    codes_exchanged,
    code_lost,
    code_twice,
    symbol,
    labels_exchanged,
    label_renamed,
    start_label,
    label_kind,
    letter_names,
    letter_class,
]


# Changes of the automaton.


def edge(rng, a, net):
    if a.points is None:
        q, w = rng.randrange(len(a.states)), rng.randrange(len(a.letters))
        a.next[q][w] = other(rng, len(a.states), a.next[q][w])
    else:
        image = rng.choice(a.image)
        i = rng.randrange(a.points)
        j = other(rng, a.points, i)
        image[i], image[j] = image[j], image[i]
        a.close_group()
        # The group may be smaller or larger now.
        if a.accept is not None:
            a.accept = {q for q in a.accept if q < len(a.states)}
        if a.outputs:
            a.outputs = [a.outputs[q % len(a.outputs)] for q in range(len(a.states))]
    return True


def start_state(rng, a, net):
    if a.points is None:
        a.start = other(rng, len(a.states), a.start)
    elif a.track is not None:
        a.start = a.track = other(rng, a.points, a.track)
    return True


def accepting(rng, a, net):
    if a.accept is None:
        a.accept = {rng.randrange(len(a.states))}
    elif rng.random() < 0.1:
        a.accept = None
    else:
        a.accept ^= {rng.randrange(len(a.states))}
    return True


def output(rng, a, net):
    if a.outputs:
        a.outputs[rng.randrange(len(a.outputs))] = rng.choice((*a.outputs, "new"))
        return True


def state_renamed(rng, a, net):
    if a.points is None:
        q = rng.randrange(len(a.states))
        r = other(rng, len(a.states), q)
        a.states[q], a.states[r] = rng.choice(((a.states[r], a.states[q]), ("new", a.states[r])))
        return True


def edge_output(rng, a, net):
    """Changes the output of one edge, or of a letter's edges in all states."""
    if a.edge_outputs is None:
        return False
    w, names = rng.randrange(len(a.letters)), [*sum(a.edge_outputs, []), "new"]
    for row in rng.choice((a.edge_outputs, [rng.choice(a.edge_outputs)])):
        row[w] = rng.choice(names)
    return True


def added_state(rng, a, net):
    """Names another added state, another source, or none; of most automata none is one."""
    if a.points is not None:
        return False
    if a.added is None or rng.random() < 0.6:
        a.added = rng.randrange(len(a.states)), rng.choice(("0", "a")) * 64
    else:
        a.added = rng.choice((None, (a.added[0], rng.choice(("b" * 64, "b" * 63, "B" * 64)))))
    return True


def letters_of_automaton(rng, a, net):
    i = rng.randrange(len(a.letters))
    j = other(rng, len(a.letters), i)
    a.letters[i], a.letters[j] = a.letters[j], a.letters[i]
    return True


AUTOMATON = [
    edge,
    edge,
    edge,
    start_state,
    accepting,
    output,
    output,
    state_renamed,
    edge_output,
    edge_output,
    letters_of_automaton,
    added_state,
]


# Changes of the certificate's table: (rng, certificate).


def next_row(rng, c):
    following = rng.choice(c.rows)[2]
    w = rng.randrange(len(following))
    following[w] = other(rng, len(c.rows), following[w])


def row_state(rng, c):
    row = rng.choice(c.rows)
    row[0] = other(rng, c.states, row[0])


def row_code(rng, c):
    codes = rng.choice(c.rows)[1]
    l = rng.randrange(len(codes))
    codes[l] = max(0, codes[l] + rng.choice((-1, 1)))


def rows_exchanged(rng, c):
    i = rng.randrange(len(c.rows))
    j = other(rng, len(c.rows), i)
    c.rows[i], c.rows[j] = c.rows[j], c.rows[i]


def rows_renumbered(rng, c):
    """Lists the same table in another order; only by luck do earlier rows still lead to all
    rows."""
    order = list(range(1, len(c.rows)))
    rng.shuffle(order)
    order = [0, *order]
    place = {old: new for new, old in enumerate(order)}
    c.rows = [[c.rows[i][0], c.rows[i][1], [place[r] for r in c.rows[i][2]]] for i in order]


def row_lost(rng, c):
    if len(c.rows) > 1:
        del c.rows[rng.randrange(len(c.rows))]
        c.count = c.end = len(c.rows)


def row_twice(rng, c):
    state, codes, following = rng.choice(c.rows)
    c.rows.append([state, list(codes), list(following)])
    if rng.random() < 0.5:
        rng.choice(c.rows)[2][0] = len(c.rows) - 1
    c.count = c.end = len(c.rows)


def claim(rng, c):
    i = rng.randrange(len(c.sizes))
    c.sizes[i] = max(0, c.sizes[i] + rng.choice((-1, 1)))


def count(rng, c):
    name = rng.choice(("letters", "states", "count", "end"))
    setattr(c, name, max(0, getattr(c, name) + rng.choice((-1, 1))))


CERTIFICATE = [
    next_row,
    next_row,
    next_row,
    row_state,
    row_state,
    row_code,
    rows_exchanged,
    rows_renumbered,
    row_lost,
    row_twice,
    claim,
    count,
]


def rehash(fsa, net, cert):
    """Returns the three texts with all hashes computed again, where their lines still exist."""
    for begin in ("lrnn 2\nfsa ", "lrnn-wired 2\nfsa "):
        if net.startswith(begin):
            rest = net[len(begin) :].partition("\n")[2]
            net = begin + triple.sha256(fsa) + "\n" + rest
    lines = cert.split("\n")
    for number, word, text in ((1, "fsa", fsa), (2, "network", net)):
        if len(lines) > 4 and lines[number].startswith(word + " "):
            lines[number] = f"{word} {triple.sha256(text)}"
    if len(lines) > 4 and lines[-2].startswith("sha256 "):
        lines[-2] = "sha256 " + triple.sha256("\n".join(lines[:-2]) + "\n")
    return fsa, net, "\n".join(lines)


def change_token(rng, text):
    """Replaces, removes, repeats or extends one token of a text."""
    tokens = [i for i, c in enumerate(text) if c in " \n.:/"]
    begin = rng.choice([-1, *tokens[:-1]]) + 1
    end = min(i for i in (*tokens, len(text)) if i >= begin)
    token = text[begin:end]
    number = (
        [str(int(token) + d) for d in (-1, 1, 2)] + ["-" + token, "0" + token]
        if token.isdecimal()
        else ["x"]
    )
    elsewhere = rng.choice(text.split())
    new = rng.choice(
        (
            *number,
            *number,
            elsewhere,
            "",
            token + " " + token,
            "1" + token,
            "99999999",
            "0",
            "-",
            "*",
            "1/2",
        )
    )
    return text[:begin] + new + text[end:]


def respell(rng, text):
    """Spells the same content in another way, where the formats allow only one."""
    lines = text.split("\n")
    at = rng.randrange(len(lines))
    tokens = lines[at].split(" ")
    i = rng.randrange(len(tokens))
    index, colon, value = tokens[i].partition(":")
    kind = rng.randrange(8)
    if kind == 0:
        tokens[i] = ("0" if colon else "") + index + colon + ("0" if not colon else "") + value
    elif kind == 1:
        tokens[i] += "/1"
    elif kind == 2:
        tokens[i] = f'"{tokens[i]}"'
    elif kind == 3:
        tokens[i] += rng.choice((" ", "\r", "\t", " #", "\n"))
    elif kind == 4 and len(tokens) > 1:
        j = other(rng, len(tokens), i)
        tokens[i], tokens[j] = tokens[j], tokens[i]
    elif kind == 7:
        tokens[i] = rng.choice(
            (tokens[i] + ",0", tokens[i].replace(",", ",-0,", 1), tokens[i].replace(",", ", "))
        )
    elif colon:
        row, dot, column = index.partition(".")
        zero = f"{int(row) + rng.choice((-1, 1))}{dot}{column}:0" if kind == 5 else tokens[i]
        tokens.insert(i + rng.randrange(2), zero)
    lines[at] = " ".join(tokens)
    return "\n".join(lines)


def change_lines(rng, text):
    """Removes, repeats or exchanges lines."""
    lines = text.split("\n")
    i, j = (rng.randrange(len(lines)) for _ in range(2))
    kind = rng.randrange(3)
    if kind == 0:
        del lines[i]
    elif kind == 1:
        lines.insert(j, lines[i])
    else:
        lines[i], lines[j] = lines[j], lines[i]
    return "\n".join(lines)
