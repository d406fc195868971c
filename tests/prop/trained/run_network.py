"""The network of a run, as other programs load it, and what it answers, with NumPy.

Loading is lenient: of members that come twice the last one counts, as in Python's json and in the
official safetensors, which is used where it is installed. theory/pages/learned.md says what the
network computes."""

import json

import numpy as np
from trained.run_files import MIXER, NotLoaded, shapes, split

try:
    from safetensors.numpy import load as load_safetensors
except ImportError:
    load_safetensors = None

WIDTHS = {"F64": 8, "F32": 4, "F16": 2}


def read_tensors(weights):
    """Returns {name: array}, as the official safetensors reads a file."""
    if load_safetensors:
        try:
            return load_safetensors(weights)
        except Exception as error:  # the library's own class, and NumPy's
            raise NotLoaded(str(error)) from error
    head, data = split(weights)
    header, out, end = json.loads(head), {}, 0
    header.pop("__metadata__", None)
    for name, at in sorted(header.items(), key=lambda item: item[1]["data_offsets"]):
        first, last = at["data_offsets"]
        width = WIDTHS.get(at["dtype"])
        if width is None or first != end or last - first != width * np.prod(at["shape"], dtype=int):
            raise NotLoaded(name)
        array = np.frombuffer(data[first:last], f"<f{width}")
        out[name], end = array.reshape(at["shape"]), last
    if end != len(data):
        raise NotLoaded("numbers without a tensor")
    return out


def load(config, weights):
    """Returns the configuration, and {name: array} with the shapes that it needs."""
    try:
        read = json.loads(config)
        found = read_tensors(weights)
        wanted = shapes(read["model"])
        if {name: list(found[name].shape) for name in wanted} != wanted:
            raise NotLoaded("other shapes")
        fixed = {"layers": 1, "mixer": "delta-product", "convolution": 0, "forget_gate": False}
        fixed.update(normalise_keys=True)
        model = read["model"]
        one = model.get("clamped_betas", False) is model.get("exact_keys", False)
        if any(model[n] != x for n, x in fixed.items()) or model.get("output_gate") or not one:
            raise NotLoaded("another network")
        if model.get("exact_keys") and model.get("key_epsilon"):
            raise NotLoaded("keys with and without epsilon")
        if model.get("ternary_keys") and not model.get("exact_keys"):
            raise NotLoaded("ternary keys with epsilon")
        return read, found
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise NotLoaded(str(error)) from error


# --- the network ---


def silu(x):
    return x / (1 + np.exp(-x))


class Network:
    """Evaluates many words at once, letter by letter; `kind` is a NumPy type."""

    def __init__(self, model, tensors, kind):
        self.model, self.kind = model, kind
        self.w = {name: np.asarray(x).astype(kind) for name, x in tensors.items()}
        self.epsilon = kind(model["epsilon"])
        self.letters = [self.letter(e) for e in self.w["embedding.weight"]]

    def norm(self, x, weights):
        square = (x * x).mean(-1, keepdims=True)
        return x / np.sqrt(square + self.epsilon) * weights

    def heads(self, name, x, parts, size, active):
        """Returns [parts][heads][size], after SiLU where it is active."""
        y = self.w[MIXER + name] @ x
        return (silu(y) if active else y).reshape(parts, self.model["heads"], size)

    def unit(self, y):
        added = self.kind(self.model.get("key_epsilon") or self.epsilon)
        if self.model.get("exact_keys"):
            size = np.sqrt((y * y).sum(-1, keepdims=True))
            return np.where(size > 0, y / np.where(size > 0, size, 1), y)
        return y / np.sqrt((y * y).sum(-1, keepdims=True) + added)

    def letter(self, e):
        m, x = self.model, self.norm(e, self.w["layers.0.mixer_norm.weight"])
        n, keys, values = m["householders"], m["key_dim"], m["value_dim"]
        q = self.unit(self.heads("q_proj.weight", x, 1, keys, m["silu_keys"]))[0]
        k = self.heads("k_proj.weight", x, n, keys, m["silu_keys"])
        if m.get("ternary_keys"):  # what is below half of the largest entry is 0
            most = abs(k).max(-1, keepdims=True)
            k = np.where(2 * abs(k) >= most, np.sign(k), 0).astype(self.kind)
        k = self.unit(k)
        slope = self.kind(m["slope"]) * self.heads("b_proj.weight", x, n, 1, False)
        if m.get("clamped_betas"):
            part = np.clip(self.kind(0.5) + slope / 4, 0, 1).astype(self.kind)
        else:
            part = 1 / (1 + np.exp(-slope))
        beta = (2 if m["negative"] else 1) * part
        v = self.heads("v_proj.weight", x, n, values, True) if m["additive"] else None
        return q, k, beta, v

    def start(self):
        m = self.model
        if m["learned_start"]:
            return self.w[MIXER + "initial_state"][None]
        return np.zeros((1, m["heads"], m["key_dim"], m["value_dim"]), self.kind)

    def step(self, states, letter):
        """Returns the states [words][heads][key][value] after a letter."""
        _, k, beta, v = self.letters[letter]
        for i in range(self.model["householders"]):
            off = np.einsum("hk,whkv->whv", k[i], states)
            if v is not None:
                off = off - v[i]
            states = states - k[i][None, :, :, None] * (beta[i] * off)[:, :, None, :]
        return states

    def matrix(self, letter):
        """Returns the matrices [heads][key][key] of the letter, without what it adds."""
        _, k, beta, _ = self.letters[letter]
        out = np.eye(self.model["key_dim"])
        for i in range(self.model["householders"]):
            out = out - beta[i][:, :, None] * k[i][:, :, None] * (k[i][:, None, :] @ out)
        return out

    def residual(self, states, letter):
        """Returns what the last norm reads [words][width], after the letter that led to the
        states."""
        return self.residual_of(self.heads_read(states, letter), letter)

    def heads_read(self, states, letter):
        q = self.letters[letter][0]
        return np.einsum("hk,whkv->whv", q, states) / np.sqrt(self.kind(self.model["key_dim"]))

    def residual_of(self, o, letter):
        """Returns the same for what the heads read [words][heads][value]."""
        w = self.w
        n = self.norm(o, w[MIXER + "o_norm.weight"]).reshape(len(o), -1)
        x = w["embedding.weight"][letter] + n @ w[MIXER + "o_proj.weight"].T
        y = self.norm(x, w["layers.0.mlp_norm.weight"])
        gate = silu(y @ w["layers.0.mlp.gate_proj.weight"].T)
        up = y @ w["layers.0.mlp.up_proj.weight"].T
        return x + (gate * up) @ w["layers.0.mlp.down_proj.weight"].T

    def answers(self, states, letter):
        """Returns the logits [words][labels]."""
        x = self.residual(states, letter)
        return self.norm(x, self.w["norm.weight"]) @ self.w["head.weight"].T

    def products(self, o, letter):
        """Returns the labels' products [words][labels] with what the last norm reads."""
        x = self.residual_of(o, letter)
        return x @ (self.w["head.weight"] * self.w["norm.weight"]).T

    def margins(self, states, letter, right):
        """Returns by how much the right labels' products with what the last norm reads are larger
        than the greatest other ones."""
        found = self.products(self.heads_read(states, letter), letter)
        all_of_them = np.arange(len(found))
        own = found[all_of_them, right]
        found[all_of_them, right] = -np.inf
        return own - found.max(-1)


def right_up_to(network, automaton, begin, most, letters=None, words=2000):
    """Returns the length up to which the only largest logit is the state's after every letter of
    the words of at most `most` of these letters (None: all): of all of them while there are at
    most `words`, then of a part, as many of every kind of beginning."""
    states, places = network.start(), np.array([automaton.start])
    if begin:
        states = network.step(states, len(automaton.letters))
    letters = range(len(automaton.letters)) if letters is None else letters
    for length in range(most):
        if len(places) * len(letters) > words:
            kept = np.arange(0, len(places), len(places) * len(letters) / words)
            states, places = states[kept.astype(int)], places[kept.astype(int)]
        next_states, next_places = [], []
        for x in letters:
            after = network.step(states, x)
            to = np.array([row[x] for row in automaton.next])[places]
            logits = network.answers(after, x)
            own = logits[np.arange(len(to)), to]
            if not (np.isfinite(own).all() and (logits >= own[:, None]).sum() == len(to)):
                return length
            next_states.append(after)
            next_places.append(to)
        states, places = np.concatenate(next_states), np.concatenate(next_places)
    return most
