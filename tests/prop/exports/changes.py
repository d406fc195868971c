"""An export as data, and changes of it: functions (rng, export) that return False where they do
not apply. Sizes and hashes in export.json are made right at the end."""

import copy
import hashlib
import json
import struct

import triple

from exports import replay


class Export:
    """An export as data: every part may be changed in place."""

    def __init__(self, files, fsa):
        self.config = json.loads(files["config.json"])
        self.tensors = {  # [type, shape, numbers of 16 bits]
            name: [kind, list(shape), list(struct.unpack(f"<{len(data) // 2}H", data))]
            for name, (kind, shape, data) in replay.load_tensors(files["model.safetensors"]).items()
        }
        self.prefix = json.loads(files["prefix.json"])
        self.about = json.loads(files["export.json"])
        self.readme = files["README.md"]
        self.automaton = triple.read_automaton(fsa)
        self.more = {}  # other files
        self.patch = {}  # {name: function of its bytes}, before hashes are computed
        self.told = True  # export.json follows the automaton

    def layer(self, n, name):
        return f"model.layers.{n}.{name}"

    def layers(self):
        return self.config["num_hidden_layers"] - self.olmo()

    def olmo(self):
        return self.config["model_type"] == "olmo_hybrid"

    def mixer(self):
        return "linear_attn" if self.olmo() else "attn"

    def rows(self, name):
        """Returns the rows of a tensor, whose last dimension is the columns."""
        _, shape, x = self.tensors[name]
        return [x[i : i + shape[-1]] for i in range(0, len(x), shape[-1])]

    def set_rows(self, name, rows):
        self.tensors[name][2] = [x for row in rows for x in row]

    def safetensors(self):
        header, data = {"__metadata__": {"format": "pt"}}, b""
        for name, (kind, shape, x) in self.tensors.items():
            part = struct.pack(f"<{len(x)}H", *x)
            header[name] = {
                "dtype": kind, "shape": shape, "data_offsets": [len(data), len(data) + len(part)]
            }  # fmt: skip
            data += part
        text = json.dumps(header, separators=(",", ":")).encode()
        return struct.pack("<Q", len(text)) + text + data

    def files(self):
        """Returns ({name: bytes}, text of the automaton)."""
        fsa = self.automaton.text()
        about = copy.deepcopy(self.about)
        if self.told:
            about["automaton"].update(
                sha256=triple.sha256(fsa), states=len(self.automaton.states),
                letters=len(self.automaton.letters),
            )  # fmt: skip
        out = {
            "config.json": (json.dumps(self.config, indent=2) + "\n").encode(),
            "model.safetensors": self.safetensors(),
            "prefix.json": json.dumps(self.prefix).encode(),
            "README.md": self.readme,
            **self.more,
        }
        for name, change in self.patch.items():
            if name in out:
                out[name] = change(out[name])
        for entry in about["files"]:
            data = out[entry["name"]]
            entry.update(bytes=len(data), sha256=hashlib.sha256(data).hexdigest())
        text = json.dumps(about).encode()
        return {**out, "export.json": self.patch.get("export.json", lambda x: x)(text)}, fsa


# --- weights and the header ---


def encoded(kind, x):
    """Returns the 16 bits of a number that the type holds."""
    if kind == "F16":
        return struct.unpack("<H", struct.pack("<e", x))[0]
    return struct.unpack("<I", struct.pack("<f", x))[0] >> 16


def used_tensor(rng, e):
    """Returns the name of a tensor that has numbers other than 0."""
    return rng.choice([name for name, t in e.tensors.items() if any(n & 0x7FFF for n in t[2])])


def number_changed(rng, e):
    kind, _, x = e.tensors[used_tensor(rng, e)]
    used = [i for i, n in enumerate(x) if n & 0x7FFF]
    at = rng.choice(used) if rng.random() < 0.7 else rng.randrange(len(x))
    old = x[at]
    new = rng.choice((0, 0x8000, old ^ 0x8000, old + 1, old - 1, old ^ 1 << rng.randrange(16)))
    if rng.random() < 0.4:
        new = encoded(kind, rng.choice((1, -1, 0.5, 2, -2, 0.25, 4, 64, 128, -128, 256)))
    x[at] = new & 0xFFFF
    return x[at] != old


def numbers_scaled(rng, e):
    """Multiplies a row, or all, by a power of two."""
    name = used_tensor(rng, e)
    kind, _, x = e.tensors[name]
    rows = e.rows(name)
    step = rng.choice((-2, -1, 1, 2)) << (7 if kind == "BF16" else 10)
    these = range(len(rows)) if rng.random() < 0.5 else [rng.randrange(len(rows))]
    for r in these:
        rows[r] = [(n + step) & 0xFFFF if n & 0x7FFF else n for n in rows[r]]
    e.set_rows(name, rows)


def exchanged(rng, items):
    if len(items) < 2:
        return False
    i, j = rng.sample(range(len(items)), 2)
    if items[i] == items[j]:
        return False
    items[i], items[j] = items[j], items[i]
    return True


def rows_exchanged(rng, e):
    name = used_tensor(rng, e)
    rows = e.rows(name)
    done = exchanged(rng, rows)
    e.set_rows(name, rows)
    return done


def columns_exchanged(rng, e):
    name = used_tensor(rng, e)
    columns = [list(c) for c in zip(*e.rows(name))]
    done = exchanged(rng, columns)
    e.set_rows(name, zip(*columns))
    return done


def tensors_exchanged(rng, e):
    """Exchanges the numbers of two tensors of one shape."""
    pairs = [
        (a, b)
        for a in e.tensors
        for b in e.tensors
        if a < b and e.tensors[a][1] == e.tensors[b][1] and e.tensors[a][2] != e.tensors[b][2]
    ]
    if not pairs:
        return False
    a, b = rng.choice(pairs)
    e.tensors[a][2], e.tensors[b][2] = e.tensors[b][2], e.tensors[a][2]


def tensor_renamed(rng, e):
    name = rng.choice(list(e.tensors))
    other = rng.choice((
        name.replace("attn", "mixer"), name + "s", name.removeprefix("model."), "x",
        name.replace("layers.0", "layers.1"), name.replace("weight", "bias"),
    ))  # fmt: skip
    if other in e.tensors:
        return False
    e.tensors[other] = e.tensors.pop(name)


def tensors_reordered(rng, e):
    names = list(e.tensors)
    rng.shuffle(names)
    e.tensors = {name: e.tensors[name] for name in names}


def tensor_added(rng, e):
    name = rng.choice((
        "lm_head.bias", "model.layers.0.attn.q_conv1d.weight", "model.layers.0.attn.D", "x",
        f"model.layers.{e.layers() + 1}.attn_norm.weight", "model.layers.0.attn.g_proj.weight",
    ))  # fmt: skip
    e.tensors.setdefault(name, [next(iter(e.tensors.values()))[0], [1], [rng.randrange(0x4000)]])


def tensor_removed(rng, e):
    e.tensors.pop(rng.choice(list(e.tensors)))


def tensor_retyped(rng, e):
    t = e.tensors[rng.choice(list(e.tensors))]
    t[0] = "F16" if t[0] == "BF16" else "BF16"


def all_retyped(rng, e):
    """Says the other type everywhere, of the same numbers where it holds them."""
    kind = next(iter(e.tensors.values()))[0]
    other = "F16" if kind == "BF16" else "BF16"
    for t in e.tensors.values():
        x = replay.numbers_of(kind, struct.pack(f"<{len(t[2])}H", *t[2]))
        try:
            t[0], t[2] = other, [encoded(other, n) for n in x]
        except OverflowError:
            return False
    dtype = replay.CODES[other]
    e.config["dtype"] = dtype
    for claim in e.about["claims"]:
        claim["computes_in"] = dtype


def tensor_reshaped(rng, e):
    shape = e.tensors[rng.choice(list(e.tensors))][1]
    if len(shape) > 1:
        shape[:] = rng.choice((shape[::-1], [shape[0] * shape[-1]], [1, *shape], [*shape, 1]))
    else:
        shape[:] = rng.choice(([1, *shape], [*shape, 1]))


# --- changes after which the model may be the same ---


def permutation(rng, n):
    """Returns a permutation that exchanges two, or moves all."""
    p = list(range(n))
    if rng.random() < 0.5:
        rng.shuffle(p)
    elif n > 1:
        i, j = rng.sample(range(n), 2)
        p[i], p[j] = p[j], p[i]
    return p


def moved(e, p, tensors, block=1):
    """Moves rows (True) or columns (False) of tensors by the permutation of blocks."""
    order = [b * block + i for b in p for i in range(block)]
    for name, of_rows in tensors:
        rows = e.rows(name)
        n = len(order)
        if of_rows:
            rows = [rows[m * n + i] for m in range(len(rows) // n) for i in order]
        else:
            rows = [[row[m * n + i] for m in range(len(row) // n) for i in order] for row in rows]
        e.set_rows(name, rows)


def without_some(rng, tensors):
    """Returns all of them, or all but one: then the model is nearly the same."""
    tensors = [t for t in tensors if t]
    if rng.random() < 0.4:
        tensors.pop(rng.randrange(len(tensors)))
    return tensors


def channels_renumbered(rng, e):
    """Renumbers the channels of the stream."""
    out, mixer = [], e.mixer()
    for name, (_, shape, _) in e.tensors.items():
        last = name.split(".")[-2] if name.endswith(".weight") else ""
        if "self_attn" in name or last in ("conv1d", "o_norm"):
            continue
        if last in ("o_proj", "down_proj"):
            out.append((name, True))
        elif shape[-1] == e.config["hidden_size"]:
            out.append((name, False))
    assert mixer
    moved(e, permutation(rng, e.config["hidden_size"]), without_some(rng, out))


def units_renumbered(rng, e):
    at = e.layer(rng.randrange(e.layers()), "mlp.")
    parts = [("gate_proj", True), ("up_proj", True), ("down_proj", False)]
    tensors = [(f"{at}{name}.weight", rows) for name, rows in parts]
    moved(e, permutation(rng, e.config["intermediate_size"]), without_some(rng, tensors))


def heads_renumbered(rng, e):
    at = e.layer(rng.randrange(e.layers()), e.mixer() + ".")
    olmo = e.olmo()
    heads = e.config["linear_num_key_heads" if olmo else "num_heads"]
    if heads < 2:
        return False
    parts = [("q_proj", True), ("k_proj", True), ("v_proj", True), ("b_proj", True),
             ("o_proj", False), ("g_proj", True) if olmo else None]  # fmt: skip
    p = permutation(rng, heads)
    key = len(e.rows(f"{at}q_proj.weight")) // heads
    value = len(e.rows(f"{at}o_proj.weight")[0]) // heads
    for name, rows in without_some(rng, parts):
        block = {"q_proj": key, "k_proj": key, "b_proj": 1}.get(name, value)
        moved(e, p, [(f"{at}{name}.weight", rows)], block)


def keys_renumbered(rng, e):
    """Renumbers the key coordinates of all heads of a layer."""
    at = e.layer(rng.randrange(e.layers()), e.mixer() + ".")
    heads = e.config["linear_num_key_heads" if e.olmo() else "num_heads"]
    key = len(e.rows(f"{at}q_proj.weight")) // heads
    tensors = [(f"{at}q_proj.weight", True), (f"{at}k_proj.weight", True)]
    moved(e, permutation(rng, key), without_some(rng, tensors))


def tokens_renumbered(rng, e):
    """Renumbers the letters' tokens in the embedding, and in export.json."""
    p = permutation(rng, len(e.about["fsa_letters"]))
    name = "model.embed_tokens.weight" if e.olmo() else "model.embeddings.weight"
    rows = e.rows(name)
    e.set_rows(name, [rows[i] for i in p] + rows[len(p) :])
    if rng.random() < 0.6:
        e.about["fsa_letters"] = [e.about["fsa_letters"][i] for i in p]


def labels_renumbered(rng, e):
    p = permutation(rng, len(e.about["label_names"]))
    rows = e.rows("lm_head.weight")
    e.set_rows("lm_head.weight", [rows[i] for i in p] + rows[len(p) :])
    if rng.random() < 0.6:
        e.about["label_names"] = [e.about["label_names"][i] for i in p]


def signs_of_keys(rng, e):
    """Negates a coordinate of keys and queries, or of one of them."""
    at = e.layer(rng.randrange(e.layers()), e.mixer() + ".")
    size = len(e.rows(f"{at}q_proj.weight"))
    r = rng.randrange(size)
    for name in rng.choice((("q_proj", "k_proj"), ("q_proj",), ("k_proj",))):
        rows = e.rows(f"{at}{name}.weight")
        for row in rows[r::size]:
            row[:] = [n ^ 0x8000 for n in row]
        e.set_rows(f"{at}{name}.weight", rows)


# --- prefix, config, header, export.json, automaton ---


def prefix_changed(rng, e):
    p, kind = e.prefix, rng.randrange(7)
    if kind == 0:
        p[rng.randrange(len(p))] = rng.randrange(e.config["vocab_size"])
    elif kind == 1:
        e.prefix = p[:1] * 64 + p
    elif kind == 2:
        e.prefix = p[-64:] + p
    elif kind == 3:
        return exchanged(rng, p)
    elif kind == 4:
        e.prefix = p[1:] + p[:1]
    elif kind == 5:
        e.prefix = rng.choice((p[:-1], p[:-64], p + p[:1], p + [1], [*p[:-1], float(p[-1])]))
    else:
        e.prefix = p[:-1] + p[-1:] * 65


LIBRARY = {  # members that the stock model does not have
    "auto_map": {"AutoModelForCausalLM": "modeling.Model"}, "quantization_config": {"bits": 4},
    "torch_dtype": "float16", "attn": {"layers": [0]}, "conv_size": 4, "num_v_heads": 1,
    "fuse_norm": False, "fuse_swiglu": False, "use_l2warp": True, "key_epsilon": 1000000,
    "use_cache": False, "initializer_range": 0.02, "use_output_norm": False, "max_position": 5,
    "configuration_files": ["config.4.0.0.json"], "transformers_version": "4.0.0",
    "linear_use_gate": False, "hidden_ratio": 2, "is_decoder": True, "pruned_heads": {"0": [0]},
    "_attn_implementation": "eager", "num_nextn_predict_layers": 1, "tie_encoder_decoder": True,
}  # fmt: skip
TEXTS = "identity", "silu", "swish", "relu", "chunk", "fused_recurrent", "l2", "sum", "gelu"


def other_value(rng, value):
    if isinstance(value, bool):
        return rng.choice((not value, int(value), None))
    if value is None:
        return rng.choice((0, 1, {}, {"rope_type": "default"}, False))
    if isinstance(value, (int, float)):
        return rng.choice((
            value + 1, value - 1, value * 2, value / 2, value // 2, float(value), str(value),
            value * (1 + 2**-20), -value, 0, 1e-5, 1e-12, 1e300, True, [value],
        ))  # fmt: skip
    if isinstance(value, list):
        return rng.choice((value[:-1], value * 2, value[::-1], [], value[0], value + ["x"]))
    return rng.choice((*TEXTS, value + "x", value.upper(), *DTYPES, *replay.TARGETS))


DTYPES = "bfloat16", "float16", "float32", "auto"


def config_changed(rng, e):
    name = rng.choice(list(e.config))
    if rng.random() < 0.1:
        e.config.pop(name)
        return True
    old, e.config[name] = e.config[name], other_value(rng, e.config[name])
    return json.dumps(old) != json.dumps(e.config[name])


def config_harmless(rng, e):
    """Changes the order and the spelling, and the eps of norms by little."""
    names = list(e.config)
    rng.shuffle(names)
    e.config = {name: e.config[name] for name in names}
    eps = "rms_norm_eps" if e.olmo() else "norm_eps"
    e.config[eps] = rng.choice((1e-6, 1.0000001e-6, 2e-6, 1e-7, 1e-5, 1e-3, 1e-12, 0.01))
    if rng.random() < 0.5:
        e.patch["config.json"] = lambda data: data.replace(b"\n", rng.choice((b"", b"\n\t", b" ")))


def config_added(rng, e):
    name = rng.choice(list(LIBRARY))
    e.config[name] = LIBRARY[name]


def doubled_member(rng, text, value):
    """Returns the JSON object with a member named a second time, with another value, first or
    last, maybe spelled with an escape."""
    name = rng.choice(list(value))
    spelled = json.dumps(name)
    if rng.random() < 0.3:
        spelled = f'"\\u{ord(name[0]):04x}{name[1:]}"'
    new = other_value(rng, value[name]) if not isinstance(value[name], dict) else {}
    member = f"{spelled}: {json.dumps(new)}".encode()
    text = text.rstrip()
    first = rng.random() < 0.5
    return text[:1] + member + b", " + text[1:] if first else text[:-1] + b", " + member + b"}"


def config_doubled(rng, e):
    e.patch["config.json"] = lambda data: doubled_member(rng, data, json.loads(data))


def export_doubled(rng, e):
    e.patch["export.json"] = lambda data: doubled_member(rng, data, json.loads(data))


def header_changed(rng, e):
    """Rewrites the header's bytes, and the data's."""

    def change(data):
        size = struct.unpack("<Q", data[:8])[0]
        text, rest = data[8 : 8 + size], data[8 + size :]
        header = json.loads(text)
        names = [name for name in header if name != "__metadata__"]
        a, b = rng.choice(names), rng.choice(names)
        kind = rng.randrange(11)
        if kind == 0:  # a tensor once more, with another's place
            entry = {**header[a], "data_offsets": header[b]["data_offsets"]}
            text = text[:-1] + f",{json.dumps(a)}:{json.dumps(entry)}}}".encode()
        elif kind == 1:
            text = doubled_member(rng, text, header)
        elif kind == 2:
            header[a]["data_offsets"], header[b]["data_offsets"] = (
                header[b]["data_offsets"], header[a]["data_offsets"]
            )  # fmt: skip
            text = json.dumps(header).encode()
        elif kind == 3:
            header[a]["data_offsets"][rng.randrange(2)] += rng.choice((-2, 2, 1, len(rest)))
            text = json.dumps(header).encode()
        elif kind == 4:
            header[a][rng.choice(("key_epsilon", "requires_grad", "offset"))] = 1
            text = json.dumps(header).encode()
        elif kind == 5:
            header["__metadata__"] = rng.choice(
                ({"format": "tf"}, {"format": "pt", "x": "y"}, {}, {"format": 1}, None)
            )
            text = json.dumps(header).encode()
        elif kind == 6:
            rest += rng.choice((b"\0\0", rest, b"\0"))
        elif kind == 7:
            text += rng.choice((b" " * 8, b"\n", b"{}", b"\0", b" x"))
        elif kind == 8:
            text = rng.choice((b" ", b"\n", b"[", b"\xef\xbb\xbf")) + text
        elif kind == 9:
            header["x"] = {"dtype": "BF16", "shape": [0], "data_offsets": [0, 0]}
            text = json.dumps(header).encode()
        else:
            text = text.replace(
                json.dumps(header[a]["shape"], separators=(",", ":")).encode(), b"[1,2]", 1
            )
        return struct.pack("<Q", len(text) + (0 if rng.random() < 0.95 else 1)) + text + rest

    e.patch["model.safetensors"] = change


def names_changed(rng, e):
    """Changes names and their order in export.json."""
    names = e.about[rng.choice(("label_names", "fsa_letters"))]
    kind = rng.randrange(4)
    if kind == 0:
        return exchanged(rng, names)
    if kind == 1:
        names[rng.randrange(len(names))] += "x"
    elif kind == 2:
        names.append(rng.choice((names[0], "new")))
    else:
        names.pop()


def about_changed(rng, e):
    a, kind = e.about, rng.randrange(7)
    if kind == 0:
        a["label_kind"] = rng.choice(("states", "accept", "outputs", "edges", "x"))
    elif kind == 1:
        a["start_label"] = rng.choice((*a["label_names"], None, "x"))
    elif kind == 2:
        claim = rng.choice(a["claims"])
        name = rng.choice(list(claim))
        claim[name] = other_value(rng, claim[name])
    elif kind == 3:
        rng.choice((lambda: a["claims"].reverse(), lambda: a["claims"].append(a["claims"][0]),
                    lambda: a["claims"].pop()))()  # fmt: skip
    elif kind == 4:
        a[rng.choice(list(a))] = rng.choice((None, {}, [], "x", 1))
        if not isinstance(a["automaton"], dict) or not isinstance(a["files"], list):
            return False
    elif kind == 5:
        e.told = False
        a["automaton"][rng.choice(("sha256", "states", "letters"))] = rng.choice((0, "0" * 64, 2))
    else:
        a[rng.choice(("key_epsilon", "adapter", "x"))] = 1


def file_added(rng, e):
    name = rng.choice((
        "adapter_config.json", "adapter_model.safetensors", "pytorch_model.bin", "modeling.py",
        "model.safetensors.index.json", "generation_config.json", "tokenizer_config.json",
        "model-00001-of-00002.safetensors", "config.4.0.0.json", ".x",
    ))  # fmt: skip
    e.more[name] = rng.choice((b"{}", b"", e.safetensors()))


def kind_retold(rng, e):
    """The weights of one kind of labels, told to be of another: right where the labels agree."""
    kinds = [k for k in ("states", "accept", "outputs") if e.automaton.has_labels(k)]
    kind = rng.choice(kinds)
    if kind == e.about["label_kind"] or e.about["label_kind"] == "edges":
        return False
    before = e.automaton.labels(e.about["label_kind"])
    after = dict(zip(before, e.automaton.labels(kind)))
    e.about["label_kind"] = kind
    e.about["label_names"] = [after.get(name, name) for name in e.about["label_names"]]
    if rng.random() < 0.3:
        exchanged(rng, e.about["label_names"])
    retell_start(rng, e)


def retell_start(rng, e):
    """Lets start_label be the automaton's, mostly."""
    kind, a = e.about["label_kind"], e.automaton
    if rng.random() < 0.9 and kind != "edges" and a.has_labels(kind):
        e.about["start_label"] = a.labels(kind)[a.start]


def automaton_changed(rng, e):
    a, kind = e.automaton, rng.randrange(6)
    if kind == 0 and a.points is None:
        a.next[rng.randrange(len(a.states))][rng.randrange(len(a.letters))] = rng.randrange(
            len(a.states)
        )
    elif kind == 0:
        exchanged(rng, a.image[rng.randrange(len(a.image))])
        a.close_group()
    elif kind == 1 and a.accept is not None:
        a.accept ^= {rng.randrange(len(a.states))}
    elif kind == 2 and a.outputs is not None:
        a.outputs[rng.randrange(len(a.outputs))] = rng.choice([*a.outputs, "new"])
    elif kind == 3 and a.edge_outputs:
        row = rng.choice(a.edge_outputs)
        row[rng.randrange(len(row))] = rng.choice(sum(a.edge_outputs, []))
    elif kind == 4 and a.points is None:
        a.start = rng.randrange(len(a.states))
    elif kind == 5 and a.points is None:  # other names of states, told in export.json or not
        names = dict(zip(a.states, rng.sample(a.states, len(a.states))))
        if rng.random() < 0.5:
            names = {name: f"{name}'" for name in a.states}
        a.states = [names[name] for name in a.states]
        if e.about["label_kind"] == "states" and rng.random() < 0.7:
            e.about["label_names"] = [names[name] for name in e.about["label_names"]]
    else:
        return False
    retell_start(rng, e)


def letters_renamed(rng, e):
    """Exchanges the actions of two letters, or their names in both files."""
    a = e.automaton
    if a.points is None:
        old = list(a.letters)
        if not exchanged(rng, a.letters):
            return False
        names = dict(zip(old, a.letters))
        if rng.random() < 0.5:
            e.about["fsa_letters"] = [names[name] for name in e.about["fsa_letters"]]
        return True
    done = exchanged(rng, a.image)
    a.close_group()
    return done


WEIGHTS = [
    number_changed, number_changed, number_changed, numbers_scaled, rows_exchanged,
    columns_exchanged, tensors_exchanged, signs_of_keys,
]  # fmt: skip
SAME = [
    channels_renumbered, units_renumbered, heads_renumbered, keys_renumbered, tokens_renumbered,
    labels_renumbered, tensors_reordered, all_retyped, config_harmless,
]  # fmt: skip
HEADER = [
    header_changed, header_changed, tensor_renamed, tensor_added, tensor_removed, tensor_retyped,
    tensor_reshaped,
]  # fmt: skip
CONFIG = [config_changed, config_changed, config_added, config_doubled]
ABOUT = [names_changed, names_changed, about_changed, export_doubled, kind_retold, file_added]
AUTOMATON = [automaton_changed, automaton_changed, letters_renamed]
PARTS = {
    "weights": (WEIGHTS, 32), "same": (SAME, 22), "header": (HEADER, 10), "config": (CONFIG, 12),
    "prefix": ([prefix_changed], 6), "export": (ABOUT, 8), "automaton": (AUTOMATON, 10),
}  # fmt: skip


def mutant(rng, parsed):
    """Returns (kind, files, automaton) with one change, or two, or None when nothing changed."""
    e = copy.deepcopy(parsed)
    kinds = []
    for _ in range(1 + (rng.random() < 0.25)):
        part = rng.choices(list(PARTS), [weight for _, weight in PARTS.values()])[0]
        change = rng.choice(PARTS[part][0])
        try:
            if change(rng, e) is False:
                return None
        except (KeyError, IndexError, TypeError, ValueError):
            if not kinds:
                raise
            return None  # the first change left nothing to the second
        kinds.append(f"{part}: {change.__name__}")
    try:
        return kinds[0], *e.files()
    except (KeyError, TypeError, struct.error, ValueError):
        if len(kinds) == 1:
            raise
        return None
