"""A stock language model that `export` wrote, loaded from its bytes as the libraries load it, and
run one token after the other: the judge of export_mutate.py. Nothing here knows what check-export
refuses; where the libraries would fail, or fill in random weights, the model is Undefined.

Numbers are doubles, rounded where the library stores them: into the model's type, states and keys
kept in fp32 into fp32. Python is without packages here, so that all machines can run it."""

import functools
import json
import math
import struct

BITS = {"bfloat16": (8, -133, 3.3895313892515355e38), "float16": (11, -24, 65504.0)}
CODES = {"BF16": "bfloat16", "F16": "float16"}
FORMATS = {"bfloat16": "bf16", "float16": "fp16"}
TARGETS = {
    "delta_net": "fla-deltanet",
    "gated_deltaproduct": "fla-gated-deltaproduct",
    "olmo_hybrid": "olmo-hybrid",
}
ARCHITECTURES = {
    "delta_net": "DeltaNetForCausalLM",
    "gated_deltaproduct": "GatedDeltaProductForCausalLM",
    "olmo_hybrid": "OlmoHybridForCausalLM",
}
# What the libraries take for members that are not there, as far as the model depends on them.
DEFAULTS = {
    "delta_net": {
        "hidden_size": 2048, "num_hidden_layers": 24, "vocab_size": 32000, "num_heads": 16,
        "expand_k": 1, "expand_v": 1, "qk_activation": "silu", "qk_norm": "l2", "use_beta": True,
        "use_gate": False, "use_short_conv": True, "allow_neg_eigval": False,
        "hidden_act": "swish", "norm_eps": 1e-6,
    },
    "gated_deltaproduct": {
        "hidden_size": 2048, "num_hidden_layers": 21, "vocab_size": 32000, "num_heads": 6,
        "head_dim": 256, "expand_v": 2, "num_householder": 2, "use_forget_gate": False,
        "use_output_gate": True, "use_short_conv": True, "allow_neg_eigval": False,
        "hidden_act": "swish", "norm_eps": 1e-6,
    },
    "olmo_hybrid": {
        "hidden_size": 3840, "num_hidden_layers": 32, "vocab_size": 100352,
        "linear_num_key_heads": 30, "linear_num_value_heads": 30, "linear_key_head_dim": 96,
        "linear_value_head_dim": 192, "linear_conv_kernel_dim": 4,
        "linear_allow_neg_eigval": True, "hidden_act": "silu", "rms_norm_eps": 1e-6,
    },
}  # fmt: skip
# Members that make a loader do something else.
OBEYED = (
    "auto_map", "quantization_config", "attn", "configuration_files", "adapter", "torch_dtype",
    "conv_size", "num_v_heads",
)  # fmt: skip
FILES = "config.json", "model.safetensors", "prefix.json", "README.md", "export.json"
ENTRY = "dtype", "shape", "data_offsets"  # of the header
KEY_EPSILON, OLMO_HEAD_EPSILON, MOST_STATES = 1e-6, 1e-5, 300


class Undefined(Exception):
    """Raised where the libraries load nothing, or the files do not say what they load."""


def need(condition, why):
    if not condition:
        raise Undefined(why)


# --- rounding ---


def rounder(name):
    """Returns the rounding to nearest even of the type."""
    if name == "float32":
        return single
    bits, least, largest = BITS[name]

    def into(x):
        if x == 0 or not math.isfinite(x):
            return x
        scale = max(math.frexp(x)[1] - bits, least)
        y = math.ldexp(round(math.ldexp(x, -scale)), scale)
        return y if abs(y) <= largest else math.copysign(math.inf, y)

    return into


def single(x):
    try:
        return struct.unpack("<f", struct.pack("<f", x))[0]
    except OverflowError:
        return math.copysign(math.inf, x)


def sigmoid(x):
    return 1 / (1 + math.exp(-x)) if x > -700 else 0.0


def silu(x):
    return x * sigmoid(x)


ACTIVATIONS = {"swish": silu, "silu": silu, "relu": lambda x: max(x, 0.0), "sigmoid": sigmoid}


# --- files ---


def once(pairs):
    names = [name for name, _ in pairs]
    need(len(set(names)) == len(names), "a field twice")
    return dict(pairs)


def header_of(data):
    """Returns (header, data) as the format's own reader does: of tensors of one name the last, and
    no doubled field in one."""
    need(len(data) >= 8, "too short")
    size = struct.unpack("<Q", data[:8])[0]
    need(size <= 100000000 and 8 + size <= len(data), "the header's length")
    text = data[8 : 8 + size]
    try:
        pairs = json.loads(text.decode(), object_pairs_hook=lambda p: p)
    except (ValueError, RecursionError):
        raise Undefined("the header's JSON") from None
    header = {}
    for name, fields in pairs:
        need(isinstance(fields, list) and all(isinstance(f, tuple) for f in fields), "a tensor")
        if name == "__metadata__":
            need(name not in header, "metadata twice")
        header[name] = once(fields)
        need(name == "__metadata__" or set(ENTRY) <= set(header[name]), "a tensor without a field")
    return header, data[8 + size :]


def load_tensors(data):
    """Returns {name: (type, shape, bytes)}."""
    header, data = header_of(data)
    metadata = header.pop("__metadata__", None)
    need(metadata is not None and metadata.get("format") == "pt", "no metadata of PyTorch")
    places, out = [], {}
    for name, entry in header.items():
        kind, shape, offsets = (entry[k] for k in ENTRY)
        need(kind in CODES, "another type")
        for numbers in (shape, offsets):
            need(
                isinstance(numbers, list) and all(type(n) is int and n >= 0 for n in numbers),
                "numbers of the header",
            )
        need(len(offsets) == 2 and offsets[0] <= offsets[1], "offsets")
        need(math.prod(shape) * 2 == offsets[1] - offsets[0], "the size of a tensor")
        places.append(tuple(offsets))
        out[name] = kind, tuple(shape), data[offsets[0] : offsets[1]]
    at = 0
    for begin, end in sorted(places):
        need(begin == at, "a gap or an overlap")
        at = end
    need(at == len(data), "the end of the data")
    return out


@functools.lru_cache(maxsize=4096)
def numbers_of(kind, data):
    if kind == "F16":
        return struct.unpack(f"<{len(data) // 2}e", data)
    wide = b"".join(b"\0\0" + data[i : i + 2] for i in range(0, len(data), 2))
    return struct.unpack(f"<{len(data) // 2}f", wide)


@functools.lru_cache(maxsize=4096)
def rows_of(kind, data, columns):
    """Returns for each row its (column, number) that are not 0."""
    x = numbers_of(kind, data)
    return [
        [(i - first, x[i]) for i in range(first, first + columns) if x[i] != 0]
        for first in range(0, len(x), columns)
    ]


def whole(value):
    need(type(value) is int and value >= 1, "a size")
    return value


class Model:
    """A model of {name: bytes}, on the way of running it with keys kept in fp32, if `wide`."""

    def __init__(self, files, wide):
        need(set(files) <= set(FILES), "another file, which a loader may obey")
        try:
            config = json.loads(files["config.json"].decode())
            self.prefix = json.loads(files["prefix.json"].decode())
        except ValueError:
            raise Undefined("JSON") from None
        need(isinstance(config, dict), "no object")
        need(not any(name in config for name in OBEYED), "a member that changes the loader")
        self.kind = config.get("model_type")
        need(self.kind in TARGETS and isinstance(self.prefix, list), "another model")
        need(config.get("architectures") == [ARCHITECTURES[self.kind]], "another class")
        need(config.get("dtype") in BITS, "another type")
        self.dtype = config["dtype"]
        self.round = rounder(self.dtype)
        self.key_round = single if wide else self.round
        self.tensors = load_tensors(files["model.safetensors"])
        self.config = {**DEFAULTS[self.kind], **config}
        self.sizes()
        self.read()
        self.memo, self.letters = {}, {}

    def sizes(self):
        c, olmo = self.config, self.kind == "olmo_hybrid"
        self.olmo, self.width = olmo, whole(c["hidden_size"])
        self.heads = whole(c["linear_num_key_heads" if olmo else "num_heads"])
        self.layers = whole(c["num_hidden_layers"]) - olmo
        self.factors, self.inner = 1, whole(c.get("intermediate_size"))
        if olmo:
            need(c["linear_num_value_heads"] == self.heads, "groups of heads")
            need(c["linear_conv_kernel_dim"] == 4 and c.get("rope_parameters") is None, "olmo")
            layers = ["linear_attention"] * self.layers + ["full_attention"]
            need(c.get("layer_types") == layers, "the kinds of layers")
            self.k, self.v = whole(c["linear_key_head_dim"]), whole(c["linear_value_head_dim"])
        elif self.kind == "delta_net":
            total = [int(self.width * c[name]) for name in ("expand_k", "expand_v")]
            need(all(n % self.heads == 0 for n in total), "sizes of heads")
            self.k, self.v = (whole(n // self.heads) for n in total)
            need(not c["use_gate"] and c["qk_norm"] == "l2", "a gate, or another norm")
        else:
            self.k, self.factors = whole(c["head_dim"]), whole(c["num_householder"])
            self.v = whole(int(self.k * c["expand_v"]))
            need(not c["use_forget_gate"] and not c["use_output_gate"], "gates")
        need(olmo or not c["use_short_conv"], "convolutions")
        need(c["hidden_act"] in ACTIVATIONS, "another activation")
        self.activation = ACTIVATIONS[c["hidden_act"]]
        self.key_activation = silu
        if self.kind == "delta_net":
            name = c["qk_activation"]
            need(name in ("identity", "silu", "relu"), "another activation of keys")
            self.key_activation = {"identity": lambda x: x, **ACTIVATIONS}[name]
        self.with_beta = c.get("use_beta", True)
        twice = c["linear_allow_neg_eigval" if olmo else "allow_neg_eigval"]
        self.twice = 2 if twice else 1
        self.epsilon = float(c["rms_norm_eps" if olmo else "norm_eps"])
        self.head_epsilon = OLMO_HEAD_EPSILON if olmo else self.epsilon

    def tensor(self, name, *shape):
        need(name in self.tensors, f"{name} is random")
        kind, given, data = self.tensors[name]
        need(given == shape, f"the shape of {name}")
        if CODES[kind] != self.dtype:
            raise Undefined("mixed types")
        need(all(map(math.isfinite, numbers_of(kind, data))), "infinity")
        return rows_of(kind, data, shape[-1]) if len(shape) > 1 else numbers_of(kind, data)

    def read(self):
        """Reads the tensors, by layers."""
        olmo, w = self.olmo, self.width
        self.vocab = whole(self.config["vocab_size"])
        embedding = "model.embed_tokens.weight" if olmo else "model.embeddings.weight"
        self.embedding = self.tensor(embedding, self.vocab, w)
        self.last_norm = self.tensor("model.norm.weight", w)
        tied = self.config.get("tie_word_embeddings", False)
        head = embedding if tied else "lm_head.weight"
        self.labels = self.tensor(head, self.vocab, w)
        keys, values, f = self.heads * self.k, self.heads * self.v, self.factors
        mixer = "linear_attn" if olmo else "attn"
        before = (
            ("input_layernorm", "post_attention_layernorm") if olmo else ("attn_norm", "mlp_norm")
        )
        self.layer = []
        for n in range(self.layers):
            shapes = {
                f"{before[0]}.weight": (w,), f"{before[1]}.weight": (w,),
                f"{mixer}.o_norm.weight": (self.v,), f"{mixer}.q_proj.weight": (keys, w),
                f"{mixer}.k_proj.weight": (f * keys, w), f"{mixer}.v_proj.weight": (f * values, w),
                f"{mixer}.o_proj.weight": (w, values), "mlp.gate_proj.weight": (self.inner, w),
                "mlp.up_proj.weight": (self.inner, w), "mlp.down_proj.weight": (w, self.inner),
            }  # fmt: skip
            if self.with_beta:
                shapes[f"{mixer}.b_proj.weight"] = f * self.heads, w
            if olmo:
                shapes[f"{mixer}.g_proj.weight"] = values, w
                self.check_olmo(n, keys, values)
            self.layer.append(
                {
                    name.removeprefix(f"{mixer}.").removesuffix(".weight"): self.tensor(
                        f"model.layers.{n}.{name}", *shape
                    )
                    for name, shape in shapes.items()
                }
            )
            self.layer[-1]["before"] = tuple(self.layer[-1][name] for name in before)
            self.layer[-1]["used"] = self.used(self.layer[-1])
        if olmo:
            self.check_attention()

    def check_olmo(self, n, keys, values):
        """Looks whether convolutions give their argument and states do not decay; else the states
        are not those of this program."""
        name = f"model.layers.{n}.linear_attn."
        _, shape, data = self.tensors.get(f"{name}conv1d.weight", (None, (), b""))
        need(shape == (2 * keys + values, 1, 4), "the convolution is random")
        kind = next(c for c, d in CODES.items() if d == self.dtype)
        need(rows_of(kind, data, 4) == [[(3, 1.0)]] * (2 * keys + values), "other taps")
        need(not any(self.tensor(f"{name}a_proj.weight", self.heads, self.width)), "a decay")
        self.tensor(f"{name}dt_bias", self.heads)
        decay = self.tensor(f"{name}A_log", self.heads)
        need(all(math.exp(min(x, 99)) * math.log(2) < 2**-30 for x in decay), "a decay")

    def check_attention(self):
        name = f"model.layers.{self.layers}."
        for part in ("self_attn.o_proj", "mlp.down_proj"):
            columns = self.inner if part == "mlp.down_proj" else self.width
            rows = self.tensor(f"{name}{part}.weight", self.width, columns)
            need(not any(rows), "attention adds something")
        heads, groups = (
            whole(self.config.get(n)) for n in ("num_attention_heads", "num_key_value_heads")
        )
        need(self.width % heads == 0 and heads % groups == 0, "heads of attention")
        group = self.width // heads * groups
        for part, shape in (
            ("self_attn.q_proj.weight", (self.width, self.width)),
            ("self_attn.k_proj.weight", (group, self.width)),
            ("self_attn.v_proj.weight", (group, self.width)),
            ("self_attn.q_norm.weight", (self.width,)), ("self_attn.k_norm.weight", (group,)),
            ("post_attention_layernorm.weight", (self.width,)),
            ("post_feedforward_layernorm.weight", (self.width,)),
            ("mlp.gate_proj.weight", (self.inner, self.width)),
            ("mlp.up_proj.weight", (self.inner, self.width)),
        ):  # fmt: skip
            self.tensor(name + part, *shape)

    def used(self, layer):
        """Returns for each head the rows and columns of its state that may be other than 0."""
        out = []
        for h in range(self.heads):
            rows, columns = (
                [
                    i
                    for i in range(size)
                    if any(
                        layer[name][(f * self.heads + h) * size + i] for f in range(self.factors)
                    )
                ]
                for name, size in (("k_proj", self.k), ("v_proj", self.v))
            )
            out.append((rows, columns))
        return out

    # --- one token ---

    def norm(self, x, weight, epsilon, size=None):
        scale = math.sqrt(sum(v * v for v in x) / (size or len(x)) + epsilon)
        return [self.round(v * w / scale) if v else 0.0 for v, w in zip(x, weight)]

    def map(self, rows, x):
        return [self.round(sum(w * x[c] for c, w in row)) if row else 0.0 for row in rows]

    def unit(self, x):
        square = sum(v * v for v in x)
        scale = math.sqrt(single(single(square) + KEY_EPSILON))
        return [self.key_round(v / scale) if v else 0.0 for v in x]

    def letter(self, n, x):
        """Returns for each head of the layer its query, factors (beta, key, value) and gate."""
        if (n, x) in self.letters:
            return self.letters[n, x]
        p = self.layer[n]
        y = self.norm(x, p["before"][0], self.epsilon)
        q, k = (
            [self.round(self.key_activation(v)) if v else v for v in self.map(p[name], y)]
            for name in ("q_proj", "k_proj")
        )
        v = [self.round(silu(a)) if a else a for a in self.map(p["v_proj"], y)]
        if self.with_beta:
            beta = [self.round(sigmoid(a)) * self.twice for a in self.map(p["b_proj"], y)]
        else:
            beta = [1.0 * self.twice] * (self.factors * self.heads)
        gate = self.map(p["g_proj"], y) if self.olmo else None
        out = []
        for h, (rows, columns) in enumerate(p["used"]):
            query = self.unit(q[h * self.k : (h + 1) * self.k])
            factors = []
            for at in (f * self.heads + h for f in range(self.factors)):
                key = self.unit(k[at * self.k : (at + 1) * self.k])
                factors.append(
                    (beta[at], [key[i] for i in rows], [v[at * self.v + j] for j in columns])
                )
            gates = [silu(gate[h * self.v + j]) for j in columns] if gate else None
            out.append(([query[i] for i in rows], factors, gates))
        self.letters[n, x] = out
        return out

    def after_heads(self, n, x, outputs, letter):
        """Returns the stream after the layer, from the heads' sums of query and state."""
        p, flat = self.layer[n], [0.0] * (self.heads * self.v)
        for h, (output, (_, _, gates)) in enumerate(zip(outputs, letter)):
            columns = p["used"][h][1]
            o = [self.round(v / math.sqrt(self.k)) for v in output]
            weight = [p["o_norm"][j] for j in columns]
            o = self.norm(o, weight, self.head_epsilon, self.v)
            if gates:
                o = [self.round(v * g) for v, g in zip(o, gates)]
            for j, v in zip(columns, o):
                flat[h * self.v + j] = v
        x = [self.round(a + b) for a, b in zip(x, self.map(p["o_proj"], flat))]
        y = self.norm(x, p["before"][1], self.epsilon)
        gate, up = self.map(p["mlp.gate_proj"], y), self.map(p["mlp.up_proj"], y)
        inner = [self.round(self.activation(g) * u) for g, u in zip(gate, up)]
        return tuple(self.round(a + b) for a, b in zip(x, self.map(p["mlp.down_proj"], inner)))

    def step_layer(self, n, x, state):
        """Returns the stream after the layer and its next state: for each head its columns."""
        if (n, x, state) in self.memo:
            return self.memo[n, x, state]
        letter, outputs, after = self.letter(n, x), [], []
        for (query, factors, _), head in zip(letter, state):
            columns = []
            for j, column in enumerate(head):
                for beta, key, value in factors:
                    change = beta * (value[j] - sum(k * s for k, s in zip(key, column)))
                    if change:
                        column = [single(s + k * change) for k, s in zip(key, column)]
                columns.append(tuple(column))
            outputs.append([sum(q * s for q, s in zip(query, c)) for c in columns])
            after.append(tuple(columns))
        out = self.after_heads(n, x, outputs, letter), tuple(after)
        self.memo[n, x, state] = out
        return out

    def stream(self, token):
        need(type(token) is int and 0 <= token < self.vocab, "no token")
        x = [0.0] * self.width
        for c, v in self.embedding[token]:
            x[c] = v
        return tuple(x)

    def answer(self, x):
        """Returns the number of the largest logit, None where several are largest."""
        logits = self.map(self.labels, self.norm(x, self.last_norm, self.epsilon))
        largest = max(logits)
        return logits.index(largest) if logits.count(largest) == 1 else None

    def zero(self):
        return tuple(
            tuple(tuple((0.0,) * len(rows) for _ in columns) for rows, columns in p["used"])
            for p in self.layer
        )

    def step(self, states, token):
        """Returns (states, answer) after the token."""
        x, after = self.stream(token), []
        for n, state in enumerate(states):
            x, state = self.step_layer(n, x, state)
            after.append(state)
        return tuple(after), self.answer(x)

    def begin(self):
        states, answer = self.zero(), None
        for token in self.prefix:
            states, answer = self.step(states, token)
        return states, answer

    # --- whole chunks ---

    def chunks(self, tokens):
        """Returns the answers after all tokens, read at once: the WY form of 64 factors at a time,
        every product of matrices and every stored matrix rounded."""
        streams = [self.stream(token) for token in tokens]
        for n in range(self.layers):
            letters = [self.letter(n, x) for x in streams]
            heads = [
                self.chunk_head([letter[h] for letter in letters], len(columns))
                for h, (_, columns) in enumerate(self.layer[n]["used"])
            ]
            streams = [
                self.after_heads(n, x, [head[t] for head in heads], letters[t])
                for t, x in enumerate(streams)
            ]
        return [self.answer(x) for x in streams]

    def chunk_head(self, letters, columns):
        """Returns the sums of query and state after each token."""
        store = single if self.olmo else self.round
        rows = [(t, f) for t, (_, factors, _) in enumerate(letters) for f in factors]
        state = [[0.0] * len(letters[0][0]) for _ in range(columns)]
        last = {t: i for i, (t, _) in enumerate(rows)}
        outputs = [None] * len(letters)
        for first in range(0, len(rows), 64):
            part = [f for _, f in rows[first : first + 64]]
            held = [[store(s) for s in column] for column in state]
            inverse = []
            for i, (beta, key, _) in enumerate(part):
                row = {i: 1.0}
                for j in range(i):
                    a = beta * dot(key, part[j][1])
                    for m, v in inverse[j].items() if a else ():
                        row[m] = row.get(m, 0.0) - a * v
                inverse.append({m: v for m, v in row.items() if v})
            inverse = [{m: store(v) for m, v in row.items()} for row in inverse]
            new = []
            for row in inverse:
                w = [0.0] * len(part[0][1])
                u = [0.0] * columns
                for m, v in row.items():
                    beta, key, value = part[m]
                    w = [a + v * store(beta * b) for a, b in zip(w, key)]
                    u = [a + v * store(beta * b) for a, b in zip(u, value)]
                w, u = [store(a) for a in w], [store(a) for a in u]
                new.append([store(a - dot(w, column)) for a, column in zip(u, held)])
            for t in sorted({t for t, _ in rows[first : first + 64]}):
                if not first <= last[t] < first + 64:
                    continue
                query, seen = letters[t][0], last[t] - first
                out = [dot(query, column) for column in held]
                for i in range(seen + 1):
                    a = store(dot(query, part[i][1]))
                    if a:
                        out = [o + a * v for o, v in zip(out, new[i])]
                outputs[t] = out
            for i, (_, key, _) in enumerate(part):
                for j, column in enumerate(state):
                    if new[i][j]:
                        state[j] = [s + k * new[i][j] for s, k in zip(column, key)]
            state = [[single(s) for s in column] for column in state]
        return outputs


def dot(a, b):
    return sum(x * y for x, y in zip(a, b) if x and y)


# --- judgements ---


class About:
    """What export.json says to somebody who reads answers: names by number."""

    def __init__(self, files):
        try:
            about = json.loads(files["export.json"].decode())
            self.letters, self.labels = about["fsa_letters"], about["label_names"]
            self.kind = about["label_kind"]
        except (ValueError, KeyError, TypeError):
            raise Undefined("export.json") from None

    def name(self, number):
        return self.labels[number] if number is not None and number < len(self.labels) else None


def fault_of(model, about, automaton):
    """Returns (fault, joint states): a word after which the model's label is not the automaton's,
    with both labels, or None. Not more than MOST_STATES are looked at: a model of which something
    rounds in the heads has more and more of them."""
    need(automaton.has_labels(about.kind), "no such labels")
    need(sorted(about.letters) == sorted(automaton.letters), "other letters")
    states, answer = model.begin()
    if about.kind != "edges":
        right = automaton.labels(about.kind)[automaton.start]
        if about.name(answer) != right:
            return ((), about.name(answer), right), 1
    tokens = [about.letters.index(name) for name in automaton.letters]
    nodes, seen = [(states, automaton.start, ())], {(states, automaton.start)}
    for states, q, word in nodes:
        for letter, token in enumerate(tokens):
            after, answer = model.step(states, token)
            right = automaton.label_after(about.kind, q, letter)
            if about.name(answer) != right:
                return ((*word, letter), about.name(answer), right), len(seen)
            node = after, automaton.next[q][letter]
            if node not in seen and len(seen) < MOST_STATES:
                seen.add(node)
                nodes.append((*node, (*word, letter)))
    return None, len(seen)


def chunk_fault(model, about, automaton, word):
    """The same for the prefixes of one word, read with the prefix at once."""
    tokens = [about.letters.index(automaton.letters[a]) for a in word]
    answers = model.chunks([*model.prefix, *tokens])[len(model.prefix) :]
    q = automaton.start
    for i, (letter, answer) in enumerate(zip(word, answers)):
        right = automaton.label_after(about.kind, q, letter)
        if about.name(answer) != right:
            return word[: i + 1], about.name(answer), right
        q = automaton.next[q][letter]
    return None
