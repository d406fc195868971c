"""Automata and networks as Python data: an independent reader and writer. triple_judge.py decides
whether they are right.

The code is simple and slow: numbers are fractions, states are dictionaries {(row, column): value}
without zeros. Heads over a number field have numbers of field.py. Indices count from 0 here and
from 1 in the files."""

import copy
import hashlib
import json
import re
from fractions import Fraction

import field

WORDS = {
    "eps",
    "fsa",
    "letters",
    "states",
    "start",
    "accept",
    "output",
    "points",
    "track",
    "permute",
}
MAX_STATES = 5000


class Malformed(Exception):
    """Raised when the text is not in the form that the compiler writes."""


def need(condition, why="malformed"):
    if not condition:
        raise Malformed(why)


def sha256(text):
    return hashlib.sha256(text.encode()).hexdigest()


def spell(name):
    if name and name not in WORDS and not re.search(r'[\x00-\x20\x7f#"()]', name):
        return name
    return json.dumps(name, ensure_ascii=False).replace("\x7f", "\\u007f")


def names_of(text, count=None):
    """Returns the names of a line, any of them quoted; there must be `count` of them."""
    out = []
    for quoted, bare in re.findall(r'("(?:[^"\\]|\\.)*")|([^\s"]+)', text):
        try:
            out.append(json.loads(quoted) if quoted else bare)
        except ValueError:
            raise Malformed("a quoted name") from None
    need(
        " ".join(map(spell, out)) == text and len(out) == (count or len(out)),
        "the spelling of names",
    )
    return out


def name_of(text):
    return names_of(text, 1)[0]


def integer(text, least=0):
    need(re.fullmatch(r"0|[1-9][0-9]{0,8}", text) and int(text) >= least, "a number")
    return int(text)


def rational(text):
    try:
        value = Fraction(text)
    except (ValueError, ZeroDivisionError):
        raise Malformed("a rational") from None
    need(str(value) == text, "the spelling of a rational")
    return value


def cycles_of(image):
    done, out = set(), ""
    for p in range(len(image)):
        cycle = []
        while p not in done and image[p] != p:
            done.add(p)
            cycle.append(str(p + 1))
            p = image[p]
        out += f"({' '.join(cycle)})" if cycle else ""
    return out or "()"


def image_of(cycles, points):
    image = list(range(points))
    for cycle in re.findall(r"\(([^()]*)\)", cycles):
        cycle = [integer(p, 1) - 1 for p in cycle.split()]
        need(all(p < points for p in cycle) and len(set(cycle)) == len(cycle), "a cycle")
        for p, q in zip(cycle, cycle[1:] + cycle[:1]):
            need(image[p] == p, "a point twice")
            image[p] = q
    need(cycles_of(image) == cycles, "the spelling of a permutation")
    return image


class Automaton:
    """Data: letters, and either states, start, next[state][letter], or points, track (None:
    elements), image[letter]."""

    points = track = None
    image = next = None
    accept = outputs = None  # a set of states; a list of labels
    edge_outputs = None  # [state][letter]; not with points
    added = None  # the added state, and the SHA-256 of the source; not with points

    def close_group(self):
        if self.track is not None:
            self.states, self.start = [str(p + 1) for p in range(self.points)], self.track
            self.next = [[image[p] for image in self.image] for p in range(self.points)]
            return
        elements = [tuple(range(self.points))]
        number, self.next, self.start = {elements[0]: 0}, [], 0
        for g in elements:
            row = []
            for image in self.image:
                h = tuple(image[p] for p in g)
                if h not in number:
                    number[h] = len(elements)
                    elements.append(h)
                    need(len(elements) <= MAX_STATES, "too many elements")
                row.append(number[h])
            self.next.append(row)
        self.states = [cycles_of(g) for g in elements]

    def has_labels(self, kind):
        return (self.edge_outputs if kind == "edges" else self.labels(kind)) is not None

    def label_after(self, kind, state, letter):
        """Returns the right label after a word that leads to `state` and one more letter."""
        return (
            self.edge_outputs[state][letter]
            if kind == "edges"
            else self.labels(kind)[self.next[state][letter]]
        )

    def all_labels(self, kind):
        """Returns every label that some word has, and perhaps others, each once."""
        return list(
            dict.fromkeys(sum(self.edge_outputs, []) if kind == "edges" else self.labels(kind))
        )

    def merged(self, classes):
        """Returns the automaton whose letters are classes of its letters, or None where letters of
        one class do not act alike."""
        first = [classes.index(c) for c in range(max(classes) + 1)]
        acts = list(zip(*self.next, *(self.edge_outputs or [])))
        if any(acts[w] != acts[first[c]] for w, c in enumerate(classes)):
            return None
        out = copy.copy(self)
        out.points = out.image = None
        out.letters, out.next = [self.letters[w] for w in first], [
            [row[w] for w in first] for row in self.next
        ]
        out.edge_outputs = self.edge_outputs and [
            [row[w] for w in first] for row in self.edge_outputs
        ]
        return out

    def labels(self, kind):
        """Returns the label of every state, or None when the automaton has no such labels."""
        if kind == "states":
            return self.states
        if kind == "outputs":
            return self.outputs
        return (
            None
            if self.accept is None
            else [("accept" if s in self.accept else "reject") for s in range(len(self.states))]
        )

    def check_added(self):
        """Refuses an added state that is not what one has to be."""
        if self.added is None:
            return
        s, source = self.added
        need(re.fullmatch("[0-9a-f]{64}", source), "a SHA-256")
        need(s != self.start and s not in (self.accept or ()), "it starts or accepts")
        need(set(self.next[s]) == {s}, "it is left")
        if self.outputs is not None:
            need(self.outputs.count(self.outputs[s]) == 1, "its output is not its own")
        if self.edge_outputs is not None:
            edges = zip(sum(self.next, []), sum(self.edge_outputs, []))
            into = {(q == s, o) for q, o in edges}
            its = {o for to, o in into if to}
            need(len(its) == 1 and not its & {o for to, o in into if not to}, "its edges' output")

    def text(self):
        lines = ["fsa 1"]
        if self.points is None:
            lines += [
                f"letters {' '.join(map(spell, self.letters))}",
                f"states {' '.join(map(spell, self.states))}",
                f"start {spell(self.states[self.start])}",
            ]
            if self.added is not None:
                name = spell(self.states[self.added[0]])
                lines.append(f"fsa added {name} source {self.added[1]}")
        else:
            lines += [
                f"points {self.points}",
                "track elements" if self.track is None else f"track points {self.track + 1}",
            ]
        if self.accept is not None:
            lines.append(
                " ".join(["accept", *(spell(self.states[s]) for s in sorted(self.accept))])
            )
        if self.outputs is not None:
            lines += [f"output {spell(s)} {spell(o)}" for s, o in zip(self.states, self.outputs)]
        if self.points is None:
            lines += [
                " ".join(
                    map(
                        spell,
                        (
                            self.states[s],
                            self.letters[w],
                            self.states[q],
                            *([self.edge_outputs[s][w]] if self.edge_outputs else []),
                        ),
                    )
                )
                for s, row in enumerate(self.next)
                for w, q in enumerate(row)
            ]
        else:
            lines += [
                f"permute {spell(w)} {cycles_of(image)}"
                for w, image in zip(self.letters, self.image)
            ]
        return "\n".join(lines) + "\n"


def distinct(names):
    need(names and len(set(names)) == len(names), "a name twice")
    return names


def read_automaton(text):
    """Reads what Automaton.text writes, and nothing else."""
    a = Automaton()
    lines = text.split("\n")
    need(len(lines) > 3 and lines.pop() == "" and lines.pop(0) == "fsa 1")
    if lines[0].startswith("points "):
        a.points = integer(lines.pop(0)[7:], 1)
        track = lines.pop(0)
        need(track.startswith("track "))
        a.track = (
            None
            if track == "track elements"
            else integer(track.removeprefix("track points "), 1) - 1
        )
        permutations = [line for line in lines if line.startswith("permute ")]
        split = [
            re.fullmatch(r'permute ("(?:[^"\\]|\\.)*"|[^ "]+) (.*)', line) for line in permutations
        ]
        need(split and all(split))
        a.letters = distinct([name_of(m[1]) for m in split])
        need(a.points <= 100 and (a.track is None or a.track < a.points))
        a.image = [image_of(m[2], a.points) for m in split]
        a.close_group()
    else:
        need(
            len(lines) > 3
            and lines[0].startswith("letters ")
            and lines[1].startswith("states ")
            and lines[2].startswith("start ")
        )
        a.letters, a.states = (distinct(names_of(lines.pop(0).split(" ", 1)[1])) for _ in range(2))
        a.start = index(a.states, name_of(lines.pop(0)[6:]))
        line = re.fullmatch("fsa added (.*) source ([0-9a-f]*)", lines[0])
        if line:
            a.added = index(a.states, name_of(line[1])), line[2]
            lines.pop(0)
    if lines and re.match(r"accept( |$)", lines[0]):
        a.accept = {index(a.states, s) for s in names_of(lines.pop(0)[7:])}
    if lines and lines[0].startswith("output "):
        a.outputs = [names_of(line[7:], 2)[1] for line in lines if line.startswith("output ")]
        need(len(a.outputs) == len(a.states))
        del lines[: len(a.outputs)]
    if a.points is not None:
        need(lines == permutations)
    else:
        need(len(lines) == len(a.states) * len(a.letters))
        edges = [names_of(line) for line in lines]
        width = len(edges[0]) if edges else 3
        need(width in (3, 4) and all(len(edge) == width for edge in edges))
        rows = [edges[len(a.letters) * q : len(a.letters) * (q + 1)] for q in range(len(a.states))]
        a.next = [[index(a.states, edge[2]) for edge in row] for row in rows]
        a.edge_outputs = [[edge[3] for edge in row] for row in rows] if width == 4 else None
    need(a.text() == text, "not in canonical form")
    a.check_added()
    return a


def index(names, name):
    need(name in names, "an unknown name")
    return names.index(name)


def entries(vector):
    return "".join(f" {i + 1}:{v}" for i, v in sorted(vector.items()))


def state_text(state):
    return "".join(f" {r + 1}.{c + 1}:{v}" for (r, c), v in sorted(state.items()))


class Head:
    """Data: n, d, initial, gate[letter], factors[letter] = [(beta, u, c)], u and c as {index:
    value}.

    field: a field.Field, or None for Q. form: its entries {(row, column): value} with row <=
    column, or None. raw: whether keys are used without division by their length. bias: None, or for
    every letter {(row, column): value}, which is added last."""

    field = form = bias = None
    raw = False

    def dual(self, u):
        """Returns G u."""
        if self.form is None:
            return u
        w = {}
        for (i, j), g in self.form.items():
            for a, b in {(i, j), (j, i)}:
                if b in u:
                    w[a] = w.get(a, 0) + g * u[b]
        return w

    def square(self, u):
        w = self.dual(u)
        return sum(x * w.get(i, 0) for i, x in u.items())

    def step(self, letter, state):
        s = {k: v * self.gate[letter] for k, v in state.items()}
        for beta, u, c in self.factors[letter]:
            ratio, w = beta if self.raw else beta / self.square(u), self.dual(u)
            for j in {j for _, j in s} | set(c):
                r = ratio * (sum(x * s.get((i, j), 0) for i, x in w.items()) - c.get(j, 0))
                if r:
                    for i, x in u.items():
                        s[i, j] = s.get((i, j), Fraction(0)) - r * x
        for k, v in (self.bias[letter] if self.bias else {}).items():
            s[k] = s.get(k, Fraction(0)) + v
        return {k: v for k, v in s.items() if v}


class Layer:
    """Data: letters, symbols, head[], code[i] = one state per head, symbol[i], or by_letter:
    yields[letter, i]; symbols may be missing.

    decode part: values[p] is the number of values of part p, symbol[i] the tuple of a code's
    values, and table[letter] = [p, symbols by value] says which part is read."""

    by_letter = False
    values = ()

    def __init__(self):
        self.head, self.code, self.symbol, self.yields, self.table = [], [], [], {}, []

    def symbol_of(self, letter, code):
        if self.values:
            part, symbols = self.table[letter]
            return symbols[self.symbol[code][part]]
        return self.yields.get((letter, code)) if self.by_letter else self.symbol[code]


def classes_text(classes):
    return (
        []
        if classes is None
        else [f"letter-classes {max(classes) + 1} {' '.join(str(c + 1) for c in classes)}"]
    )


def start_text(start):
    return "start -" if start is None else f"start {start + 1}"


def read_start(text):
    return None if text == "-" else integer(text, 1) - 1


def read_classes(text, letters):
    """Returns the classes of a line `letter-classes`."""
    count, *classes = (integer(x, 1) - 1 for x in text.split(" "))
    need(proper_classes(classes, letters) and max(classes) == count)
    return classes


def proper_classes(classes, letters):
    """Returns whether classes are numbered by their first letters and are fewer than the
    letters."""
    return (
        len(classes) == letters
        and list(dict.fromkeys(classes)) == list(range(len(set(classes))))
        and len(set(classes)) < letters
    )


class OfLetters:
    """Letters and labels, as networks of both kinds have them: label, letters (names), classes [of
    every letter] or None, labels (names), start (None if edges have the labels)."""

    classes = None

    def kinds(self):
        """Returns the number of letters of the first layer."""
        return len(self.letters) if self.classes is None else max(self.classes) + 1

    def over(self, a):
        """Returns the automaton over the first layer's letters, or None where letters of one class
        do not act alike."""
        return a if self.classes is None else a.merged(self.classes)

    def face_error(self, a):
        """Returns why letters, label kind or start differ from the automaton's, or None."""
        if self.letters != a.letters or not a.has_labels(self.label):
            return "letters or label kind"
        if self.classes is not None and not proper_classes(self.classes, len(self.letters)):
            return "classes of letters"
        edges = self.label == "edges"
        return (
            None
            if (self.start is None) == edges and (edges or 0 <= self.start < len(self.labels))
            else "start"
        )

    def starts_right(self, a):
        return self.label == "edges" or self.labels[self.start] == a.labels(self.label)[a.start]


class Network(OfLetters):
    """As OfLetters, and layer[]."""

    def __init__(self):
        self.layer = []

    def sizes(self):
        heads = [h for y in self.layer for h in y.head]
        return (
            len(self.layer),
            max(len(y.head) for y in self.layer),
            max(len(f) for h in heads for f in h.factors),
            max(h.n for h in heads),
            max(h.d for h in heads),
        )

    def text(self, fsa_hash):
        out = [
            "lrnn 2",
            f"fsa {fsa_hash}",
            "field Q",
            f"label {self.label}",
            f"letters {len(self.letters)}",
        ]
        out += [f"letter {spell(x)}" for x in self.letters]
        out += classes_text(self.classes)
        out += [f"labels {len(self.labels)}", *(f"symbol {spell(x)}" for x in self.labels)]
        out += [start_text(self.start), f"layers {len(self.layer)}"]
        for number, y in enumerate(self.layer):
            out.append(
                f"layer {number + 1} letters {y.letters} heads {len(y.head)} codes {len(y.code)}"
                f" symbols {y.symbols} decode"
                f" {'step' if y.by_letter else 'part' if y.values else 'state'}"
            )
            if y.values:
                out.append(f"parts {' '.join(map(str, y.values))}")
            for k, h in enumerate(y.head):
                out.append(f"head {k + 1} key {h.n} value {h.d}")
                out += ["raw"] if h.raw else []
                out += [f"field {h.field.text()}"] if h.field else []
                out += [f"form{state_text(h.form)}"] if h.form is not None else []
                out.append(f"initial{state_text(h.initial)}")
                for x in range(y.letters):
                    bias = state_text(h.bias[x]) if h.bias else ""
                    out.append(
                        f"on {x + 1} gate {h.gate[x]} factors"
                        f" {len(h.factors[x])}{bias and ' bias'}{bias}"
                    )
                    out += [
                        f"factor {beta} u{entries(u)}{' c' if c else ''}{entries(c)}"
                        for beta, u, c in h.factors[x]
                    ]
            for i, code in enumerate(y.code):
                symbol = (
                    "*"
                    if y.by_letter
                    else (
                        "-"
                        if y.symbol[i] is None
                        else (
                            ",".join(str(v + 1) for v in y.symbol[i])
                            if y.values
                            else y.symbol[i] + 1
                        )
                    )
                )
                out.append(f"code {i + 1} {symbol}{' ;'.join(map(state_text, code))}")
            if y.by_letter:
                out += [f"yield {x + 1} {i + 1} {s + 1}" for (x, i), s in sorted(y.yields.items())]
            for x, (part, symbols) in enumerate(y.table):
                out.append(
                    " ".join(
                        [
                            f"yield {x + 1} {part + 1}",
                            *("-" if s is None else str(s + 1) for s in symbols),
                        ]
                    )
                )
        return "\n".join([*out, "end"]) + "\n"


def number_of(over):
    """Returns the reader of values in a field; rationals are fractions."""

    def read(text):
        a = [rational(x) for x in text.split(",")]
        need(len(a) <= (over.degree if over else 1) and (a[-1] or len(a) == 1))
        return a[0] if len(a) == 1 else field.Number(over, a)

    return read


def read_vector(text, rows, value=rational):
    pairs = [item.split(":") for item in text.split()]
    need(all(len(p) == 2 for p in pairs))
    out = {integer(i, 1) - 1: value(v) for i, v in pairs}
    need(all(i < rows for i in out) and 0 not in out.values())
    return out


def read_state(text, head, value=rational):
    pairs = [re.split("[.:]", item) for item in text.split()]
    need(all(len(p) == 3 for p in pairs))
    out = {(integer(r, 1) - 1, integer(c, 1) - 1): value(v) for r, c, v in pairs}
    need(all(r < head.n and c < head.d for r, c in out) and 0 not in out.values())
    return out


def read_network(text):
    """Returns (network, the hash in it). The comparison with what Network.text writes is the check
    of form and order."""
    net, lines = Network(), iter(text.split("\n"))

    def line(pattern):
        found = re.fullmatch(pattern, next(lines, ""))
        need(found, pattern)
        return found.groups()

    line("lrnn 2")
    (fsa_hash,) = line("fsa ([0-9a-f]{64})")
    line("field Q")
    read_face(net, line)
    for _ in range(integer(line("layers (.*)")[0], 1)):
        y = Layer()
        *numbers, decode = line(
            r"layer \d+ letters (\d+) heads (\d+) codes (\d+) symbols (\d+) decode"
            r" (state|step|part)"
        )
        y.letters, heads, codes, y.symbols = (integer(x, 1) for x in numbers)
        y.by_letter = decode == "step"
        if decode == "part":
            y.values = [integer(n, 1) for n in line("parts (.+)")[0].split(" ")]
        for _ in range(heads):
            y.head.append(read_head(line, y.letters))
        for _ in range(codes):
            symbol, states = line(r"code \d+ ([\d,]+|-|\*)(.*)")
            need((symbol == "*") == y.by_letter)
            y.symbol.append(
                tuple(integer(v, 1) - 1 for v in symbol.split(","))
                if y.values
                else None if symbol in "-*" else integer(symbol, 1) - 1
            )
            states = states.split(" ;")
            need(len(states) == heads)
            y.code.append([read_state(s, h, number_of(h.field)) for s, h in zip(states, y.head)])
        for _ in range(y.letters if y.values else 0):
            part, symbols = line(r"yield \d+ (\d+) (.+)")
            y.table.append(
                [
                    integer(part, 1) - 1,
                    [None if s == "-" else integer(s, 1) - 1 for s in symbols.split(" ")],
                ]
            )
        if y.by_letter:
            lines = read_yields(lines, y)
        net.layer.append(y)
    need(net.text(fsa_hash) == text, "not in canonical form")
    return net, fsa_hash


def read_face(net, line):
    """Reads the lines that networks of both kinds share."""
    (net.label,) = line("label (states|outputs|accept|edges)")
    net.letters = [
        name_of(line("letter (.*)")[0]) for _ in range(integer(line("letters (.*)")[0], 1))
    ]
    word, rest = line("(letter-classes|labels) (.*)")
    if word == "letter-classes":
        net.classes = read_classes(rest, len(net.letters))
        (rest,) = line("labels (.*)")
    net.labels = distinct([name_of(line("symbol (.*)")[0]) for _ in range(integer(rest, 1))])
    net.start = read_start(line("start (.*)")[0])


def read_head(line, letters):
    h = Head()
    h.n, h.d = (integer(x, 1) for x in line(r"head \d+ key (\d+) value (\d+)"))
    word, text = line("(raw|field|form|initial)(.*)")
    h.raw = word == "raw"
    if h.raw:
        need(text == "")
        word, text = line("(initial)(.*)")
    if word == "field":
        h.field = read_field(text)
        word, text = line("(form|initial)(.*)")
    value = number_of(h.field)
    if word == "form":
        h.form = read_form(text, h)
        (text,) = line("initial(.*)")
    h.initial = read_state(text, h, value)
    h.gate, h.factors = [], []
    for _ in range(letters):
        gate, factors, bias = line(r"on \d+ gate (\S+) factors (\d+)(?: bias(.*))?")
        h.gate.append(rational(gate))
        if bias is not None:
            need(bias and not h.field and h.form is None)
            h.bias = h.bias or [{} for _ in range(letters)]
            h.bias[len(h.gate) - 1] = read_state(bias, h, value)
        h.factors.append([])
        for _ in range(integer(factors)):
            beta, u, c = line(r"factor (\S+) u([^c]*?)(?: c(.*))?")
            need(c != "")
            h.factors[-1].append(
                (rational(beta), read_vector(u, h.n, value), read_vector(c or "", h.d, value))
            )
    return h


def read_field(text):
    try:
        over = field.read_field(text.removeprefix(" "))
    except (ValueError, ZeroDivisionError):
        raise Malformed("a field") from None
    need(over.error() is None, over.error())
    return over


def read_form(text, head):
    form = read_state(text, type("Square", (), {"n": head.n, "d": head.n}), number_of(head.field))
    need(
        all(i <= j for i, j in form)
        and (len(form) != head.n or any(i != j or v != 1 for (i, j), v in form.items()))
    )
    return form


def read_yields(lines, layer):
    for text in lines:
        found = re.fullmatch(r"yield (\d+) (\d+) (\d+)", text)
        if not found:
            return iter([text, *lines])
        x, i, s = (integer(v, 1) - 1 for v in found.groups())
        layer.yields[x, i] = s
    return iter([])


# --- walks for the judges of both kinds of network ---


def reachable(run, a, net, ignore_labels):
    """Returns rows [state, codes, next rows] in breadth-first order, or None where a code or symbol
    is missing or a label is wrong, or letters of one class do not act alike. `run` steps (codes,
    letter) to (codes, label), where label None means that there is none."""
    a = net.over(a)
    if a is None:
        return None
    first = a.start, run.start()
    if None in first[1] or not (ignore_labels or net.starts_right(a)):
        return None
    pairs, number, rows = [first], {first: 0}, []
    for q, joint in pairs:
        following = []
        for w in range(len(a.letters)):
            codes, symbol = run.step(joint, w)
            pair = a.next[q][w], codes
            if symbol is None or not (
                ignore_labels or net.labels[symbol] == a.label_after(net.label, q, w)
            ):
                return None
            if pair not in number:
                number[pair] = len(pairs)
                pairs.append(pair)
            following.append(number[pair])
        rows.append([q, list(joint), following])
    return rows


def edges_hold(rows, run, a, net):
    """Returns, for an automaton over the letters of the first layer, whether rows (q, codes, next
    rows), all in range, begin at the start, are in the order of a search and step as listed."""
    if (rows[0][0], tuple(rows[0][1])) != (a.start, run.start()):
        return False
    reached, seen = {0}, set()
    for i, (q, codes, following) in enumerate(rows):
        pair = q, tuple(codes)
        if i not in reached or pair in seen:
            return False
        seen.add(pair)
        reached.update(following)
        for w, r in enumerate(following):
            after, symbol = run.step(pair[1], w)
            if symbol is None or (a.next[q][w], after) != (rows[r][0], tuple(rows[r][1])):
                return False
            if net.labels[symbol] != a.label_after(net.label, q, w):
                return False
    return True
