"""The sequence models of models/learn/seq/seq.h as modules of PyTorch, written from the formulas of
that header: autograd computes their gradients. Names and shapes of parameters are the names and
shapes in our weights.safetensors.

`Linear.flipped` and `Model.flipped` change the order of sums and nothing else: products are summed
from the last number to the first, and the state is multiplied elementwise instead of by matrix
products. Two runs in both orders show how far rounding alone leads apart."""

import math

import torch
from torch import nn
from torch.nn import functional as F


class Linear(nn.Linear):
    """y = W x, without a bias unless asked for."""

    flipped = False

    def __init__(self, inputs, outputs, bias=False):
        super().__init__(inputs, outputs, bias=bias)

    def forward(self, x):
        if not self.flipped:
            return super().forward(x)
        return F.linear(x.flip(-1), self.weight.flip(-1), self.bias)


class RmsNorm(nn.Module):
    def __init__(self, width, epsilon):
        super().__init__()
        self.weight, self.epsilon = nn.Parameter(torch.ones(width)), epsilon

    def forward(self, x):
        return self.weight * x / (x.square().mean(-1, keepdim=True) + self.epsilon).sqrt()


class ShortConvolution(nn.Conv1d):
    """Causal and by channel; the last tap is for the current letter."""

    def __init__(self, channels, taps, bias=False):
        super().__init__(channels, channels, taps, groups=channels, padding=taps - 1, bias=bias)

    def forward(self, x):
        return super().forward(x.transpose(1, 2))[..., : x.shape[1]].transpose(1, 2)


class Delta(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.c = c
        self.heads, self.n = c["heads"], c["householders"]
        self.key, self.value = c["key_dim"], c["value_dim"]
        keys, values, width = self.heads * self.key, self.heads * self.value, c["width"]
        self.q_proj, self.k_proj = Linear(width, keys), Linear(width, self.n * keys)
        self.b_proj = Linear(width, self.n * self.heads)
        if c["additive"]:
            self.v_proj = Linear(width, self.n * values)
        if c["forget_gate"]:
            self.a_proj = Linear(width, self.heads)
            self.A_log = nn.Parameter(torch.zeros(self.heads))
            self.dt_bias = nn.Parameter(torch.zeros(self.heads))
        if c["convolution"]:
            self.q_conv1d = ShortConvolution(keys, c["convolution"])
            self.k_conv1d = ShortConvolution(self.n * keys, c["convolution"])
            if c["additive"]:
                self.v_conv1d = ShortConvolution(self.n * values, c["convolution"])
        if c["learned_start"]:
            self.initial_state = nn.Parameter(torch.zeros(self.heads, self.key, self.value))
        self.o_norm = RmsNorm(self.value, c["epsilon"])
        if c.get("output_gate"):
            self.g_proj = Linear(width, values)
        self.o_proj = Linear(values, width)

    def stream(self, name, x, silu):
        x = getattr(self, f"{name}_proj")(x)
        if self.c["convolution"]:
            x = getattr(self, f"{name}_conv1d")(x)
        return F.silu(x) if silu else x

    def unit(self, x, ternary=False):
        """Returns keys or queries [.., heads, key] with length 1."""
        x = x.unflatten(-1, (-1, self.heads, self.key))
        if not self.c["normalise_keys"]:
            return x
        epsilon = self.c.get("key_epsilon") or self.c["epsilon"]
        if self.c.get("exact_keys"):
            epsilon = 0
        y = x / (x.square().sum(-1, keepdim=True) + epsilon).sqrt()
        if ternary:  # the gradient is that of the direction before it is rounded
            t = x.sign() * (x.abs() >= x.abs().amax(-1, keepdim=True) / 2)
            y = y + (t / t.square().sum(-1, keepdim=True).sqrt() - y).detach()
        return y

    def gates(self, x):
        """Returns the factor of the state [batch, letters, heads], or None."""
        if not self.c["forget_gate"]:
            return None
        return torch.exp(-self.A_log.exp() * F.softplus(self.a_proj(x) + self.dt_bias))

    def start(self, x):
        if self.c["learned_start"]:
            return self.initial_state.expand(x.shape[0], -1, -1, -1)
        return x.new_zeros(x.shape[0], self.heads, self.key, self.value)

    def forward(self, x):
        c, silu = self.c, self.c["silu_keys"]
        q = self.unit(self.stream("q", x, silu)).squeeze(2)
        k = self.unit(self.stream("k", x, silu), c.get("ternary_keys", False))
        v = None
        if c["additive"]:
            v = self.stream("v", x, True).unflatten(-1, (self.n, self.heads, self.value))
        z = c["slope"] * self.b_proj(x)
        beta = torch.sigmoid(z)
        if c.get("clamped_betas"):  # the gradient is that of 1/2 + z/4, also beyond 0 and 1
            line = 0.5 + z / 4
            beta = line + (line.clamp(0, 1) - line).detach()
        beta = beta * (2 if c["negative"] else 1)
        beta = beta.unflatten(-1, (self.n, self.heads))
        o = self.recurrence(q, k, v, beta, self.gates(x), self.start(x))
        o = self.o_norm(o / math.sqrt(self.key)).flatten(-2)
        if c.get("output_gate"):
            o = o * F.silu(self.g_proj(x))
        return self.o_proj(o)

    def recurrence(self, q, k, v, beta, gate, state):
        read = read_by_sums if Linear.flipped else read_by_products
        out = []
        for t in range(q.shape[1]):
            if gate is not None:
                state = gate[:, t, :, None, None] * state
            for n in range(self.n):
                error = read(k[:, t, n], state)
                if v is not None:
                    error = error - v[:, t, n]
                write = beta[:, t, n, :, None] * k[:, t, n]
                state = state - write[..., None] * error[..., None, :]
            out.append(read(q[:, t], state))
        return torch.stack(out, 1)


def read_by_products(key, state):
    """Returns S^T k: key [.., key], state [.., key, value]."""
    return torch.matmul(key[..., None, :], state).squeeze(-2)


def read_by_sums(key, state):
    return (key[..., None] * state).sum(-2)


class Diagonal(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.c = c
        channels, states, rank = c["channels"], c["states"], c["step_rank"]
        self.in_proj = Linear(c["width"], 2 * channels)
        if c["convolution"]:
            bias = bool(c.get("convolution_bias"))
            self.conv1d = ShortConvolution(channels, c["convolution"], bias)
        self.x_proj = Linear(channels, rank + 2 * states)
        self.dt_proj = Linear(rank, channels, bias=True)
        self.A_log = nn.Parameter(torch.zeros(channels, states))
        self.D = nn.Parameter(torch.ones(channels))
        self.out_proj = Linear(channels, c["width"])

    def forward(self, x):
        c = self.c
        u, z = self.in_proj(x).chunk(2, -1)
        u = F.silu(self.conv1d(u) if c["convolution"] else u)
        sizes = (c["step_rank"], c["states"], c["states"])
        r, write, read = self.x_proj(u).split(sizes, -1)
        dt = F.softplus(self.dt_proj(r))
        a = torch.exp(-dt[..., None] * self.A_log.exp())
        if c["negative"]:
            a = 2 * a - 1
        into = (dt * u)[..., None] * write[..., None, :]
        state, out = torch.zeros_like(into[:, 0]), []
        for t in range(x.shape[1]):
            state = a[:, t] * state + into[:, t]
            out.append((state * read[:, t, None]).sum(-1))
        return self.out_proj((torch.stack(out, 1) + self.D * u) * F.silu(z))


class Mlp(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.gate_proj, self.up_proj = Linear(c["width"], c["mlp"]), Linear(c["width"], c["mlp"])
        self.down_proj = Linear(c["mlp"], c["width"])

    def forward(self, x):
        return self.down_proj(F.silu(self.gate_proj(x)) * self.up_proj(x))


MIXERS = {"delta-product": Delta, "diagonal": Diagonal}


class Layer(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.mixer_norm, self.mixer = RmsNorm(c["width"], c["epsilon"]), MIXERS[c["mixer"]](c)
        if c["mlp"]:
            self.mlp_norm, self.mlp = RmsNorm(c["width"], c["epsilon"]), Mlp(c)

    def forward(self, x):
        x = x + self.mixer(self.mixer_norm(x))
        return x + self.mlp(self.mlp_norm(x)) if hasattr(self, "mlp") else x


class Model(nn.Module):
    """The model of the member "model" of a run's config.json."""

    def __init__(self, c):
        super().__init__()
        self.embedding = nn.Embedding(c["letters"], c["width"])
        self.layers = nn.ModuleList(Layer(c) for _ in range(c["layers"]))
        self.norm = RmsNorm(c["width"], c["epsilon"])
        self.head = Linear(c["width"], c["labels"])

    def forward(self, letters):
        """Returns the logits [batch, letters, labels]."""
        x = self.embedding(letters)
        for layer in self.layers:
            x = layer(x)
        return self.head(self.norm(x))


def decays(name):
    """Returns whether weight decay applies to the parameter: to matrices and taps, but not to the
    embedding, norms, biases, A_log, D and H_0."""
    return name.endswith(("_proj.weight", "conv1d.weight")) or name == "head.weight"
