"""A network that tracks a finite automaton: DeltaNet or DeltaProduct layers with decoders between
them, in PyTorch alone (1.13 or later), from the weights.safetensors and export.json beside this
file.

    from model import load
    net = load("DIR")                            # dtype=torch.float64, device="cuda"
    labels, state = net(net.encode(words))       # words: lists of letters of one length
    labels, state = net(more_letters, state)     # goes on where the words ended

`letters` [B, T] and `labels` [B, T] are numbers of net.letters and net.labels; -1 is a label where
the network gives none. A state is a list, by stage, of lists, by head, of tensors [B, n, d].
net.form is "recurrent", a step for each letter in the order of operations that export.json makes
its claim about, or "scan", which multiplies the matrices of 64 letters by doubling and rounds in
another order.

The parameters are the weights themselves. Between two layers a decoder takes the code nearest to
the state, and through it no gradient passes: net.trace(letters) returns what each stage read and
the states of its heads, which are differentiable in that stage's weights, and in no other's."""
import json
import os
import sys

import torch
from torch import nn

TYPES = {"BF16": torch.bfloat16, "F16": torch.float16, "F32": torch.float32,
         "F64": torch.float64, "I32": torch.int32}
CHUNK = 64  # letters that the scan multiplies at once


class Tensors:
    """The tensors of a safetensors file: numbers in the type `dtype`, integers as int64."""

    def __init__(self, path, dtype):
        with open(path, "rb") as file:
            raw = bytearray(file.read())
        start = 8 + int.from_bytes(raw[:8], "little")
        header = json.loads(raw[8:start].decode())
        self.about, self.tensors, self.dtype = header.pop("__metadata__"), {}, dtype
        for name, info in header.items():
            kind, (begin, end) = TYPES[info["dtype"]], info["data_offsets"]
            flat = torch.empty(0, dtype=kind)
            if end > begin:
                flat = torch.frombuffer(raw[start + begin : start + end], dtype=kind)
            to = torch.int64 if kind == torch.int32 else dtype
            self.tensors[name] = flat.reshape(info["shape"]).to(to)

    def __contains__(self, name):
        return name in self.tensors

    def __getitem__(self, name):
        return self.tensors[name]

    def dense(self, name, *shape):
        """Returns a tensor, or None. One that is stored by indices, -1 as padding, gets this shape
        for each row."""
        if name in self.tensors or name + "_index" not in self.tensors:
            return self.tensors.get(name)
        index, value = self.tensors[name + "_index"], self.tensors[name + "_value"]
        size = torch.Size(shape).numel()
        full = torch.zeros(*index.shape[:-1], size + 1, dtype=self.dtype)
        full.scatter_(-1, index.where(index >= 0, torch.tensor(size)), value.to(self.dtype))
        return full[..., :-1].reshape(*index.shape[:-1], *shape)

    def count(self, prefix):
        """Returns how many numbers follow the prefix in names."""
        names = (name[len(prefix) :] for name in self.tensors if name.startswith(prefix))
        return len({name.split(".")[0] for name in names})


def is_compiling():
    """Returns whether torch.export or torch.compile records what is done."""
    compiler = getattr(torch, "compiler", None)
    return hasattr(compiler, "is_compiling") and compiler.is_compiling()


def parameter(tensor):
    return None if tensor is None else nn.Parameter(tensor)


def sum_by_halves(x):
    """Returns the sum over dimension 1: the second half is added to the first, until one is
    left."""
    size = 1 << (x.shape[1] - 1).bit_length()
    if size > x.shape[1]:
        x = torch.cat([x, x.new_zeros(x.shape[0], size - x.shape[1], *x.shape[2:])], 1)
    while size > 1:
        size //= 2
        x = x[:, :size] + x[:, size:]
    return x[:, 0]


class Head(nn.Module):
    """S <- gate S; S <- S - beta k (k^T S - v^T) for every factor; S <- S + bias."""

    def __init__(self, tensors, prefix, n, d):
        super().__init__()
        self.n, self.d = n, d
        self.beta = parameter(tensors[prefix + "beta"])
        self.key = parameter(tensors.dense(prefix + "key", n))
        self.value = parameter(tensors.dense(prefix + "value", d))
        self.gate = parameter(tensors.dense(prefix + "gate"))
        self.bias = parameter(tensors.dense(prefix + "bias", n, d))

    def step(self, S, x):
        """Returns the states [B, n, d] after the letters x [B]."""
        if self.gate is not None:
            S = S * self.gate[x, None, None]
        for i in range(self.beta.shape[1]):
            key = self.key[x, i, :, None]
            rest = sum_by_halves(key * S) - self.value[x, i]
            S = S - key * (self.beta[x, i, None] * rest)[:, None]
        return S if self.bias is None else S + self.bias[x]

    def matrices(self):
        """Returns A [letters, n, n] and B [letters, n, d] with S <- A S + B."""
        letters, n = len(self.beta), self.n
        unit = torch.eye(n, n + self.d, dtype=self.beta.dtype, device=self.beta.device)
        both = unit.expand(letters, -1, -1)
        if self.gate is not None:
            both = both * self.gate[:, None, None]
        for i in range(self.beta.shape[1]):
            key = self.key[:, i, :, None]
            write = torch.cat([unit.new_zeros(letters, n), self.value[:, i]], 1)
            rest = (key * both).sum(1) - write
            both = both - key * (self.beta[:, i, None] * rest)[:, None]
        A, B = both.split([n, self.d], 2)
        return A, B if self.bias is None else B + self.bias

    def recur(self, S, letters):
        """Returns the states [B, T, n, d]; letters: for every slot [B, T]."""
        states = []
        for t in range(letters[0].shape[1]):
            for x in letters:
                S = self.step(S, x[:, t])
            states.append(S)
        return torch.stack(states, 1) if states else S[:, None][:, :0]

    def scan(self, S, letters):
        """Returns the same by products of matrices."""
        matrices = self.matrices()
        out = [S[:, None][:, :0]]
        for t in range(0, letters[0].shape[1], CHUNK):
            A, B = (m[letters[0][:, t : t + CHUNK]] for m in matrices)
            for x in letters[1:]:
                C, D = (m[x[:, t : t + CHUNK]] for m in matrices)
                A, B = C @ A, C @ B + D
            step = 1
            while step < A.shape[1]:
                first, last = A[:, :-step], A[:, step:]
                B = torch.cat([B[:, :step], last @ B[:, :-step] + B[:, step:]], 1)
                A = torch.cat([A[:, :step], last @ first], 1)
                step *= 2
            out.append(A @ S[:, None] + B)
            S = out[-1][:, -1]
        return torch.cat(out, 1)


def nearest(states, low, high):
    """Returns the number of the box [codes, w] nearest to each state [B, T, w]; where low is high,
    boxes are codes."""
    if states.dtype in (torch.bfloat16, torch.float16):
        states, low, high = states.float(), low.float(), high.float()
    flat = states.reshape(-1, 1, states.shape[-1])
    size = max(1, (1 << 24) // low.numel())
    found = [(torch.relu(low - s) + torch.relu(s - high)).sum(2).argmin(1)
             for s in ([flat] if is_compiling() else flat.split(size))]
    return torch.cat(found).reshape(states.shape[:-1])


class Layer(nn.Module):
    """Heads that read one letter, and a decoder of all their states."""

    def __init__(self, tensors, prefix):
        super().__init__()
        self.heads, self.initial, codes = nn.ModuleList(), nn.ParameterList(), []
        for h in range(tensors.count(prefix + "heads.")):
            at = f"{prefix}heads.{h}."
            n, d = tensors[at + "initial"].shape
            self.heads.append(Head(tensors, at, n, d))
            self.initial.append(parameter(tensors[at + "initial"]))
            code = tensors.dense(at + "codes", n, d)
            ends = [tensors.dense(at + end, n, d) for end in ("low", "high")]
            codes.append([(code if end is None else end).flatten(1) for end in ends])
        for name, end in zip(("low", "high"), zip(*codes)):
            self.register_buffer(name, torch.cat(end, 1))
        for name in ("part", "reads", "yield_at", "yield"):
            self.register_buffer("of_" + name, tensors[prefix + name])

    def letters(self, wires):
        return [[wires[0].clamp(min=0)] for _ in self.heads]

    def give(self, wires, states):
        x = wires[0].clamp(min=0)
        code = nearest(torch.cat([S.flatten(2) for S in states], 2), self.low, self.high)
        symbol = self.of_yield[self.of_yield_at[x] + self.of_part[code, self.of_reads[x]]]
        return [symbol.where(wires[0] >= 0, wires[0])]


class Block(nn.Module):
    """Heads whose slots read wires, among circuits of table look-ups. Stages may share a block."""

    def __init__(self, tensors, prefix, shapes):
        super().__init__()
        at, self.heads, self.slots = prefix + "heads.", nn.ModuleList(), []
        for h, (n, d) in enumerate(shapes):
            self.heads.append(Head(tensors, f"{at}{h}.", n, d))
            slots = (tensors[f"{at}{h}.slot_{end}"].tolist() for end in ("wire", "at"))
            self.slots.append(list(zip(*slots)))
        self.pre, self.post = (self.gates(tensors, f"{prefix}{when}.") for when in ("pre", "post"))
        self.outputs = tensors[prefix + "outputs"].tolist()
        self.readouts, at = [], prefix + "readouts."
        rows = zip(*(tensors[at + k].tolist() for k in ("head", "row", "rows")))
        ends = tensors[at + "codes_at"].tolist()
        for r, (h, row, count) in enumerate(rows):
            width = max(n * d for n, d in shapes)
            code = tensors.dense(at + "codes", width)[ends[r] : ends[r + 1]]
            self.register_buffer(f"codes_{r}", code[:, : count * shapes[h][1]].clone())
            self.readouts.append((h, row, row + count))

    def gates(self, tensors, at):
        """Returns (wires, strides) of each gate, and keeps its table."""
        ends, gates = tensors[at + "wire_at"].tolist(), []
        for g, t in enumerate(tensors[at + "table"].tolist()):
            table = tensors[f"tables.{t}"].contiguous()
            self.register_buffer(f"{at.split('.')[-2]}_{g}", table.flatten())
            wires = tensors[at + "wire"][ends[g] : ends[g + 1]].tolist()
            gates.append(list(zip(wires, table.stride())))
        return gates

    def look_up(self, when, wires):
        """Appends the wires of the gates."""
        for g, gate in enumerate(getattr(self, when)):
            index = sum((wires[w] * stride for w, stride in gate), torch.zeros_like(wires[0]))
            wires.append(getattr(self, f"{when}_{g}")[index])

    def letters(self, wires):
        self.look_up("pre", wires)
        return [[first + wires[w] for w, first in slots] for slots in self.slots]

    def give(self, wires, states):
        for r, (h, row, end) in enumerate(self.readouts):
            code = getattr(self, f"codes_{r}")
            wires.append(nearest(states[h][:, :, row:end].flatten(2), code, code))
        self.look_up("post", wires)
        return [wires[w] for w in self.outputs]


class Network(nn.Module):
    def __init__(self, tensors, form="recurrent"):
        super().__init__()
        about = tensors.about
        self.letters, self.labels = json.loads(about["letters"]), json.loads(about["labels"])
        self.form = form
        self.start = int(about["start"]) if "start" in about else None
        classes = json.loads(about.get("letter_classes", "null")) or range(len(self.letters))
        self.register_buffer("class_of", torch.tensor(list(classes)))
        if about.get("kind") == "wired":
            self.add_blocks(tensors)
        else:
            count = tensors.count("layers.")
            self.layers = nn.ModuleList(Layer(tensors, f"layers.{i}.") for i in range(count))
            self.stage_of, self.initial = range(count), [layer.initial for layer in self.layers]

    def add_blocks(self, tensors):
        self.stage_of, shapes = tensors["stages"].tolist(), {}
        self.initial = nn.ModuleList()
        for s, b in enumerate(self.stage_of):
            initial = nn.ParameterList()
            for h in range(tensors.count(f"stages.{s}.heads.")):
                at = f"stages.{s}.heads.{h}.initial"
                shape = tensors[at].shape if at in tensors else None
                shape = shape or tensors[f"blocks.{b}.heads.{h}.shape"].tolist()
                initial.append(parameter(tensors.dense(at, *shape)))
            shapes[b] = [tuple(S.shape) for S in initial]
            self.initial.append(initial)
        self.layers = nn.ModuleList(Block(tensors, f"blocks.{b}.", shapes[b])
                                    for b in range(len(shapes)))

    def encode(self, words):
        """Returns the numbers [B, T] of the letters of words of one length."""
        number = {name: i for i, name in enumerate(self.letters)}
        unknown = {a for word in words for a in word} - number.keys()
        if unknown:
            raise ValueError(f"no letters of the network: {sorted(unknown)}")
        return torch.tensor([[number[a] for a in word] for word in words], dtype=torch.int64,
                            device=self.class_of.device)

    def trace(self, letters, state=None):
        """Returns the labels [B, T], and for each stage (wires, states): what it read, a list of
        [B, T], and by head the states after each letter, [B, T, n, d]."""
        known, text = (letters >= 0) & (letters < len(self.letters)), "no letters of the network"
        if is_compiling():  # torch.export and torch.compile take the check as an operation
            torch._assert_async(known.all(), text)
        elif not known.all():
            raise ValueError(f"{text}: they are 0 .. {len(self.letters) - 1}")
        wires, traced = [self.class_of[letters]], []
        for s, stage in enumerate(self.stage_of):
            layer, read = self.layers[stage], list(wires)
            before = state[s] if state else [S.expand(letters.shape[0], -1, -1)
                                             for S in self.initial[s]]
            states = [getattr(head, {"recurrent": "recur", "scan": "scan"}[self.form])(S, x)
                      for head, S, x in zip(layer.heads, before, layer.letters(wires))]
            traced.append((read, states))
            with torch.no_grad():
                wires = layer.give(wires, states)
        return wires[0], traced

    def forward(self, letters, state=None):
        """Returns the labels [B, T] after every letter, and the state after the last."""
        labels, traced = self.trace(letters, state)
        if letters.shape[1]:
            state = [[S[:, -1] for S in states] for _, states in traced]
        return labels, state


def load(folder, dtype=None, device="cpu", form="recurrent"):
    """Returns the network of an exported folder, in the type that its claim is about unless another
    is given."""
    if dtype is None:
        with open(os.path.join(folder, "export.json")) as file:
            dtype = getattr(torch, json.load(file)["claims"][0]["computes_in"])
    return Network(Tensors(os.path.join(folder, "weights.safetensors"), dtype), form).to(device)


if __name__ == "__main__":
    network = load(os.path.dirname(os.path.abspath(__file__)))
    with torch.no_grad():
        labels = network(network.encode([sys.argv[1:]]))[0][0].tolist()
    print(*(network.labels[x] if x >= 0 else "?" for x in labels))
