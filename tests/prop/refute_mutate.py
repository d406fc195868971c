"""What lrnn-check must say of runs that show a network wrong for ever: changed bytes, and changed
meaning with all hashes right.

Random networks of two or three states in tiny formats run a random word in fractions
(handmade_float.py) until a pair recurs; the certificate of this run must be verified exactly if one
label is wrong, with the length, period and number of wrong lengths that the replay counts. Then
everything in it is changed, and lrnn-check must say VERIFIED exactly when a replay does.

usage: refute_mutate.py --checker build/release/lrnn-check [--tool ..] [--count N] [--seed S]
[--jobs J]"""

import collections
import copy
import random
import sys
import tempfile

import float_mutate
import handmade
import handmade_float
import mutant_run
import mutations
import triple
import triple_judge
from handmade_float import ORDERS, Rounded, Schedule, binary, read_binary
from triple import need

ROWS = 80


class Run(handmade_float.Certificate):
    """Data as in a closure's certificate, but rows are [state, numbers], and there are prefix, word
    and back."""

    def text(self, fsa_text, net_text):
        out = [
            "lrnn-certificate 2",
            f"fsa {triple.sha256(fsa_text)}",
            f"network {triple.sha256(net_text)}",
            "claim refuted",
            self.format.text(),
            self.schedule.text(),
            "size layers {} heads {} householders {} key {} value {}".format(*self.sizes),
            f"letters {self.letters} states {self.states} numbers {self.numbers} rows {self.count}",
        ]
        out += [" ".join(["prefix", *(str(x + 1) for x in self.prefix)])] if self.prefix else []
        out += [" ".join(["word", *(str(x + 1) for x in self.word)])]
        out += [
            f"row {i + 1} state {q + 1} numbers {' '.join(map(binary, numbers))}"
            for i, (q, numbers) in enumerate(self.rows)
        ]
        body = "\n".join([*out, f"back {self.back + 1}", f"end {self.end}"]) + "\n"
        return body + f"sha256 {triple.sha256(body)}\n"


def read_run(text, fsa_text, net_text):
    lines = text.split("\n")
    need(len(lines) > 12 and lines[3] == "claim refuted")
    c, f, s = Run(), lines[4].split(" "), lines[5].split(" ")
    need(len(f) == 15 and len(s) in (2, 6) and s[1] in ORDERS)
    try:
        c.format = handmade_float.Format(
            int(f[2]), int(f[4]), int(f[6]), read_binary(f[8]), f[10] == "yes", f[12], f[14]
        )
        c.sizes = [int(x) for x in lines[6].split()[2::2]]
        c.letters, c.states, c.numbers, c.count = (int(x) for x in lines[7].split()[1::2])
        at = 9 if lines[8].startswith("prefix") else 8
        c.prefix = [int(x) - 1 for x in lines[8].split()[1:]] if at == 9 else []
        c.word = [int(x) - 1 for x in lines[at].split()[1:]]
        c.back = int(lines[-4].removeprefix("back ")) - 1
    except ValueError:
        raise triple.Malformed("a number") from None
    need(
        len(c.sizes) == 5
        and f[14] in handmade_float.ROUNDINGS
        and f[12] in ("infinity", "nan", "saturate")
    )
    need(abs(c.format.emin) < 2000 and abs(c.format.emax) < 2000 and c.format.p > 0)
    c.schedule, c.rows = Schedule(s[1], *map(read_binary, s[3::2])), []
    for line in lines[at + 1 : -4]:
        words = line.split(" ")
        need(len(words) == 5 + c.numbers)
        c.rows.append([triple.integer(words[3], 1) - 1, [read_binary(x) for x in words[5:]]])
    c.end = triple.integer(lines[-3].removeprefix("end "))
    need(c.text(fsa_text, net_text) == text, "not in canonical form")
    return c


def step(run, joint, letter):
    """Returns (joint state, symbol or None); None when a number is not finite. Layers above one
    that gives no symbol keep their states."""
    out, at = [], 0
    for y in run.net.layer:
        local = []
        for h in y.head:
            s = [list(joint[at + i * h.d : at + (i + 1) * h.d]) for i in range(h.n)]
            at += h.n * h.d
            if letter is not None:
                run.step_head(h, letter, s)
            local.append(s)
        if any(v is None for s in local for row in s for v in row):
            return None
        out += [v for s in local for row in s for v in row]
        letter = run.decode(y, letter, local) if letter is not None else None
    return tuple(out), letter


def letter_at(c, i):
    return c.prefix[i] if i < len(c.prefix) else c.word[(i - len(c.prefix)) % len(c.word)]


def follow(c, a, net):
    """Sets rows and back from prefix, word, format and schedule; returns False when no pair recurs
    soon enough."""
    run, rows = Rounded(net, c.format, c.schedule), []
    pair = a.start, run.start()
    if None in pair[1]:
        return False
    while len(rows) < ROWS:
        i = len(rows)
        if i >= len(c.prefix) and (i - len(c.prefix)) % len(c.word) == 0:
            for back in range(len(c.prefix), i, len(c.word)):
                if rows[back] == [pair[0], list(pair[1])]:
                    c.rows, c.back, c.count, c.end = rows, back, i, i
                    return True
        rows.append([pair[0], list(pair[1])])
        after = step(run, pair[1], letter_at(c, i))
        if after is None:
            return False
        pair = a.next[pair[0]][letter_at(c, i)], after[0]
    return False


def holds(c, a, net):
    """Returns (first wrong length, period, number of wrong lengths in it), or None."""
    rows, a = c.rows, net.over(a)
    if (
        a is None
        or tuple(c.sizes) != net.sizes()
        or c.letters != len(a.letters)
        or c.states != len(a.states)
        or not rows
        or not c.word
        or c.count != len(rows)
        or c.end != len(rows)
        or not net.starts_right(a)
        or not c.format.valid()
        or not handmade_float.plain(net)
    ):
        return None
    if c.schedule.eps is not None and (
        c.schedule.order == "cast" or any(h.raw for y in net.layer for h in y.head)
    ):
        return None
    if (
        any(not 0 <= x < len(a.letters) for x in c.prefix + c.word)
        or not len(c.prefix) <= c.back < len(rows)
        or (len(rows) - c.back) % len(c.word)
    ):
        return None
    run = Rounded(net, c.format, c.schedule)
    if rows[0][0] != a.start or tuple(rows[0][1]) != run.start():
        return None
    if any(
        q >= len(a.states) or any(run.state.round(x) != x for x in numbers) for q, numbers in rows
    ):
        return None
    wrong = []
    for i, (q, numbers) in enumerate(rows):
        w, (to, there) = letter_at(c, i), rows[i + 1] if i + 1 < len(rows) else rows[c.back]
        after = step(run, tuple(numbers), w)
        if after is None or after[0] != tuple(there) or a.next[q][w] != to:
            return None
        if after[1] is None or net.labels[after[1]] != a.label_after(net.label, q, w):
            wrong.append(i + 1)
    return (wrong[0], len(rows) - c.back, sum(x > c.back for x in wrong)) if wrong else None


def should_verify(fsa_text, net_text, cert_text):
    try:
        a = triple.read_automaton(fsa_text)
        net, named = triple.read_network(net_text)
        need(named == triple.sha256(fsa_text) and triple_judge.class_error(net, a) is None)
        return holds(read_run(cert_text, fsa_text, net_text), a, net)
    except triple.Malformed:
        return None


# --- random networks and words ---


def random_network(rng):
    states = rng.randrange(2, 4)
    table = [[rng.randrange(states) for _ in range(2)] for _ in range(states)]
    a = handmade.edges(["0", "1"], [f"q{i}" for i in range(states)], lambda q, w: table[q][w])
    layers, reads = [], 2
    for last in (rng.random() < 0.5, True):
        y = triple.Layer()
        y.letters, y.symbols = reads, states if last else 2
        y.head = [float_mutate.random_head(rng, reads) for _ in range(rng.choice((1, 1, 2)))]
        while len(y.code) < 3:
            code = [
                {(p, q): x for q in range(h.d) for p, x in float_mutate.some(rng, h.n).items()}
                for h in y.head
            ]
            if code not in y.code:
                y.code.append(code)
                y.symbol.append(rng.randrange(y.symbols))
        layers.append(y)
        reads = 2
        if last:
            break
    return a, handmade.network(a, "states", *layers)


def random_run(rng):
    """Returns (automaton, network, run)."""
    while True:
        a, net = random_network(rng)
        if triple_judge.class_error(net, a) is not None:
            continue
        c = Run()
        c.format, c.schedule = float_mutate.random_format(rng), Schedule(rng.choice(ORDERS))
        c.sizes, c.letters, c.states = list(net.sizes()), 2, len(a.states)
        c.numbers = sum(h.n * h.d for y in net.layer for h in y.head)
        c.prefix = [rng.randrange(2) for _ in range(rng.randrange(3))]
        c.word = [rng.randrange(2) for _ in range(rng.randrange(1, 4))]
        if follow(c, a, net):
            return a, net, c


def texts(a, net, c):
    fsa = a.text()
    lrnn = net.text(triple.sha256(fsa))
    return fsa, lrnn, c.text(fsa, lrnn)


# --- changes of the certificate ---


def letter(rng, c):
    word = rng.choice([w for w in (c.prefix, c.word) if w])
    word[rng.randrange(len(word))] = rng.choice((0, 1, 1, 2))


def longer(rng, c):
    word = rng.choice((c.prefix, c.word))
    word.insert(rng.randrange(len(word) + 1), rng.randrange(2))


def shorter(rng, c):
    word = rng.choice([w for w in (c.prefix, c.word) if w])
    if len(word) > 1 or word is c.prefix:
        word.pop(rng.randrange(len(word)))


def moved(rng, c):
    """Moves a letter from the word to the prefix: the letters stay the same if the word is
    rotated."""
    c.prefix.append(c.word[0])
    c.word = c.word[1:] + c.word[:1]


def twice(rng, c):
    c.word *= 2


def back(rng, c):
    c.back = max(0, c.back + rng.choice((-1, 1, len(c.word), -len(c.word))))


def unrolled(rng, c):
    """Repeats the word once more: the same claim."""
    c.rows += copy.deepcopy(c.rows[c.back :])
    c.count = c.end = len(c.rows)


def later(rng, c):
    """Lets the cycle begin a word later: the same claim."""
    for _ in c.word:
        c.rows.append(copy.deepcopy(c.rows[c.back]))
        c.back += 1
    c.count = c.end = len(c.rows)


def lost(rng, c):
    c.rows.pop(rng.randrange(len(c.rows)))
    c.count = c.end = len(c.rows)


def state(rng, c):
    row = rng.choice(c.rows)
    row[0] = rng.randrange(c.states + 1)


def exchanged(rng, c):
    i, j = rng.randrange(len(c.rows)), rng.randrange(len(c.rows))
    c.rows[i], c.rows[j] = c.rows[j], c.rows[i]


CHANGES = [
    letter,
    longer,
    shorter,
    moved,
    twice,
    back,
    unrolled,
    later,
    lost,
    state,
    exchanged,
    float_mutate.counted,
    float_mutate.unit,
    float_mutate.unit,
    float_mutate.number,
    *float_mutate.WHERE,
]


def judge(*texts):
    right = should_verify(*texts)  # length, period and wrong lengths, or None
    found = mutant_run.of_replay(right)._replace(must=right is not None)
    return found._replace(said=b" length %d period %d wrong %d rows " % right) if right else found


def changed(rng, a, net, c):
    """Returns (kind, three texts)."""
    where = rng.choices(("certificate", "network", "automaton"), (70, 25, 5))[0]
    if where == "certificate":
        change = rng.choice(CHANGES)
        change(rng, c)
    else:
        change = rng.choice(mutations.NETWORK if where == "network" else mutations.AUTOMATON)
        change(rng, a, net)
        c.sizes, c.states, c.numbers = (
            list(net.sizes()),
            len(a.states),
            sum(h.n * h.d for y in net.layer for h in y.head),
        )
    valid = (
        c.format.valid()
        and c.word
        and all(x < len(a.letters) for x in c.prefix + c.word)
        and triple_judge.class_error(net, a) is None
        and c.schedule.eps is None
        and c.states == len(a.states)
    )
    if (where != "certificate" or change in float_mutate.WHERE) and valid and rng.random() < 0.6:
        try:
            follow(c, a, net)
        except triple.Malformed:
            pass
    return f"{where}: {change.__name__}", texts(a, net, c)


def meaning_chunk(checker, _, seed, runs):
    rng, tally, bad = random.Random(seed), collections.Counter(), []
    with tempfile.TemporaryDirectory() as folder:
        while runs > 0:
            run = random_run(rng)
            mutant_run.judged(
                checker,
                folder,
                f"random network: {run[2].schedule.order}",
                texts(*run),
                judge,
                tally,
                bad,
            )
            runs -= 1
            for _ in range(4):
                made = changed(rng, *copy.deepcopy(run))
                mutant_run.judged(checker, folder, *made, judge, tally, bad)
                runs -= 1
    return tally, bad


def main():
    args = mutant_run.arguments(__doc__, 1000, seed=2026, tool=False)
    rng, bases = random.Random(args.seed), []
    while len(bases) < 12:
        files = texts(*random_run(rng))
        if should_verify(*files):
            bases.append(files)
    tally, wrong = mutant_run.run(args, bases, (mutant_run.byte_chunk, meaning_chunk))
    few = [
        o
        for o in ("right and accepted", "wrong and refused")
        if sum(n for (_, _, x), n in tally.items() if x == o) < args.count // 20
    ]
    for outcome in few:
        print(f"FAILED hardly any {outcome}")
    return mutant_run.close(
        f"seed {args.seed}, {mutant_run.spent(args.begin)}",
        sum(tally.values()) + len(few),
        wrong + len(few),
    )


if __name__ == "__main__":
    sys.exit(main())
