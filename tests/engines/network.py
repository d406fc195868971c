"""Networks in layers over the rationals, read from their file."""

from fractions import Fraction


class Head:
    def __init__(self, n, d):
        self.n, self.d = n, d
        self.initial = {}
        self.letters = []  # (gate, [(beta, u, c)], bias)


class Layer:
    def __init__(self):
        self.heads, self.codes, self.symbols, self.yields = [], [], [], {}
        self.decode = "state"

    def symbol(self, x, code):
        """Returns what the layer gives after letter x where its state has this code."""
        if self.decode == "state":
            return self.symbols[code]
        if self.decode == "step":
            return self.yields.get((x, code))
        part, symbols = self.yields[x]
        return symbols[self.symbols[code][part] - 1]


class Unsupported(Exception):
    pass


def entries(words):
    return {w.split(":")[0]: Fraction(w.split(":")[1]) for w in words}


def cells(words):
    out = {}
    for name, value in entries(words).items():
        r, c = name.split(".")
        out[int(r) - 1, int(c) - 1] = value
    return out


def vector(words):
    return {int(i) - 1: v for i, v in entries(words).items()}


def factor(words):
    """words: BETA u I:V .. [c J:V ..]"""
    at = words.index("c") if "c" in words else len(words)
    return Fraction(words[0]), vector(words[2:at]), vector(words[at + 1 :])


class Network:
    """letters: names; start and labels: numbers from 0, and their names; layers."""

    def __init__(self, path):
        self.letters, self.labels, self.layers, self.start = [], [], [], 0
        self.classes, self.label = None, None
        with open(path, encoding="utf-8") as file:
            for line in file:
                self.take(line.split())
        if not self.layers:
            raise Unsupported("no layers")
        if self.classes:  # the first letters of the classes are the letters that are read
            first = [self.classes.index(c) for c in range(max(self.classes) + 1)]
            self.letters = [self.letters[i] for i in first]

    def take(self, words):
        if not words:
            return
        kind, rest = words[0], words[1:]
        if kind in ("lrnn-wired", "raw", "form", "stages", "wire", "box", "class") or (
            kind == "field" and rest != ["Q"]
        ):
            raise Unsupported(kind)
        if kind == "letter-classes":
            self.classes = [int(c) - 1 for c in rest[1:]]
        if kind == "label":
            self.label = rest[0]
        if kind == "letter":
            self.letters.append(" ".join(rest).strip('"'))
        elif kind == "symbol":
            self.labels.append(" ".join(rest))
        elif kind == "start":
            self.start = int(rest[0]) - 1 if rest[0] != "-" else None
        elif kind == "layer":
            self.layers.append(Layer())
            self.layers[-1].decode = rest[-1]
        elif kind == "head":
            self.layers[-1].heads.append(Head(int(rest[2]), int(rest[4])))
        elif kind in ("initial", "on", "factor", "code", "yield"):
            getattr(self, "take_" + kind)(rest)

    def take_initial(self, words):
        self.layers[-1].heads[-1].initial = cells(words)

    def take_on(self, words):
        bias = cells(words[words.index("bias") + 1 :]) if "bias" in words else {}
        self.layers[-1].heads[-1].letters.append((Fraction(words[2]), [], bias))

    def take_factor(self, words):
        self.layers[-1].heads[-1].letters[-1][1].append(factor(words))

    def take_code(self, words):
        layer = self.layers[-1]
        if int(words[0]) != len(layer.codes) + 1:
            raise Unsupported("codes out of order")
        groups, group = [], []
        for w in words[2:]:
            if w == ";":
                groups.append(cells(group))
                group = []
            else:
                group.append(w)
        symbol = int(words[1]) - 1 if words[1].isdigit() else None
        if layer.decode == "part":
            symbol = tuple(int(v) for v in words[1].split(","))
        layer.codes.append(groups + [cells(group)])
        layer.symbols.append(symbol)

    def take_yield(self, words):
        if self.layers[-1].decode == "part":
            symbols = [int(v) - 1 if v != "-" else None for v in words[2:]]
            self.layers[-1].yields[int(words[0]) - 1] = (int(words[1]) - 1, symbols)
            return
        x, i = int(words[0]) - 1, int(words[1]) - 1
        self.layers[-1].yields[x, i] = int(words[2]) - 1 if words[2] != "-" else None


def zero(head):
    return [[Fraction(0)] * head.d for _ in range(head.n)]


def filled(head, some):
    state = zero(head)
    for (i, j), v in some.items():
        state[i][j] = v
    return state


def step_exactly(head, state, x):
    gate, factors, bias = head.letters[x]
    state = [[gate * v for v in row] for row in state]
    for beta, u, c in factors:
        square = sum(v * v for v in u.values())
        for j in range(head.d):
            r = sum(v * state[i][j] for i, v in u.items()) - c.get(j, 0)
            for i, v in u.items():
                state[i][j] -= beta / square * v * r
    for (i, j), v in bias.items():
        state[i][j] += v
    return state


class Exact:
    """The network in exact arithmetic: a joint state is a tuple with a code for each layer, or None
    before the first letter."""

    def __init__(self, network):
        self.network = network
        self.index = []
        for layer in network.layers:
            of = {}
            for i, groups in enumerate(layer.codes):
                states = [filled(h, g) for h, g in zip(layer.heads, groups)]
                of[repr(states)] = i
            self.index.append(of)
        self.known, self.steps = {}, {}

    def begin(self):
        """Returns the joint state of the empty word: codes where the initial states are some, with
        the label of the start."""
        out = []
        for place, layer in enumerate(self.network.layers):
            states = [filled(h, h.initial) for h in layer.heads]
            out.append(self.index[place].get(repr(states)))
        last = self.network.layers[-1]
        if None in out or (last.decode == "state" and last.symbols[out[-1]] != self.network.start):
            return None
        return tuple(out)

    def step(self, joint, letter):
        """Returns the next joint state, and its label."""
        at = (joint, letter)
        if at not in self.known:
            self.known[at] = self.find(joint, letter)
        return self.known[at]

    def find(self, joint, letter):
        out, x = [], letter
        for place in range(len(self.network.layers)):
            i, x = self.find_in(place, joint[place] if joint else None, x)
            out.append(i)
        return tuple(out), x

    def find_in(self, place, code, x):
        """Returns the layer's next code, and what it gives; code None: its initial state."""
        at = place, code, x
        if at in self.steps:
            return self.steps[at]
        layer = self.network.layers[place]
        if code is None:
            states = [filled(h, h.initial) for h in layer.heads]
        else:
            states = [filled(h, g) for h, g in zip(layer.heads, layer.codes[code])]
        states = [step_exactly(h, s, x) for h, s in zip(layer.heads, states)]
        i = self.index[place].get(repr(states))
        if i is None:
            raise Unsupported("a state that is no code")
        self.steps[at] = i, layer.symbol(x, i)
        return self.steps[at]
