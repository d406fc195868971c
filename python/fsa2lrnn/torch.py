"""Networks as modules of PyTorch (1.13 or later)."""

from __future__ import annotations

from typing import List, NamedTuple, Optional, Tuple, cast

import numpy as np
from numpy.typing import NDArray

from . import network, weights
from .errors import ArgumentError

try:
    import torch
    from torch import Tensor, nn
except ImportError as error:
    raise ImportError("fsa2lrnn.torch needs PyTorch 1.13 or later: pip install torch") from error

OLDEST = (1, 13)
if tuple(int(n) for n in torch.__version__.split(".")[:2]) < OLDEST:
    raise ImportError(
        f"fsa2lrnn.torch needs PyTorch 1.13 or later, and this is {torch.__version__}"
    )

FORMS = ("scan", "recurrent")
#: For each layer, for each head, a tensor [B, n, d].
State = Tuple[Tuple[Tensor, ...], ...]


class Output(NamedTuple):
    """What `Network.forward` gives for B words of T letters."""

    labels: Tensor  #: [B, T] int64, numbers of labels; -1 where a state decodes to nothing
    #: [B, T, labels] minus the squared distance of the last layer's state to the nearest of the
    #: codes that give the label after this letter, -inf where there is none; in float32 or wider
    scores: Tensor
    hidden: State  #: states after every letter: for each layer, for each head, [B, T, n, d]
    state: State  #: states after the last letter, for the `state` of the next call


# Without it torch.export.save does not write a program that gives an Output.
_register = getattr(getattr(torch.utils, "_pytree", None), "_register_namedtuple", None)
if _register is not None:
    _register(Output, serialized_type_name="fsa2lrnn.torch.Output")


class Head(nn.Module):
    """A head: its parameters are the arrays of `fsa2lrnn.Head` with the same names and shapes;
    `gate` and `bias` are there only where the network has them."""

    beta: nn.Parameter
    key: nn.Parameter
    value: nn.Parameter
    initial: nn.Parameter
    gate: Optional[nn.Parameter]
    bias: Optional[nn.Parameter]

    def __init__(self, head: weights.Head, dtype: torch.dtype) -> None:
        super().__init__()
        for name in ("beta", "key", "value", "initial", "gate", "bias"):
            array = getattr(head, name)
            tensor = None if array is None else nn.Parameter(torch.tensor(array, dtype=dtype))
            self.register_parameter(name, tensor)

    def maps(self) -> tuple[Tensor, Tensor]:
        """Returns what every letter does to a state: S becomes A S + b, with A [letters, n, n] and
        b [letters, n, d]."""
        letters, n = self.beta.shape[0], self.initial.shape[0]
        one = torch.eye(n, device=self.beta.device).to(self.beta.dtype)
        both = torch.cat([one, torch.zeros_like(self.initial)], 1).expand(letters, -1, -1)
        if self.gate is not None:
            both = both * self.gate[:, None, None]
        target = torch.cat([torch.zeros_like(self.key), self.value], 2)
        for i in range(self.beta.shape[1]):
            both = self._factor(both, self.beta[:, i], self.key[:, i], target[:, i])
        a, b = both[..., :n], both[..., n:]
        return a, b if self.bias is None else b + self.bias

    def extra_repr(self) -> str:
        (letters, factors), (n, d) = self.beta.shape, self.initial.shape
        return f"letters {letters}, n_h {factors}, n {n}, d {d}"

    @staticmethod
    def _factor(s: Tensor, beta: Tensor, key: Tensor, value: Tensor) -> Tensor:
        """Returns S - beta k (k^T S - v^T) for a batch of states."""
        read = (key[..., None] * s).sum(-2) - value
        return s - (beta[..., None] * key)[..., None] * read[..., None, :]

    def step(self, s: Tensor, x: Tensor) -> Tensor:
        """Returns the states [B, n, d] after the letters x [B]."""
        if self.gate is not None:
            s = s * self.gate[x, None, None]
        for i in range(self.beta.shape[1]):
            s = self._factor(s, self.beta[x, i], self.key[x, i], self.value[x, i])
        return s if self.bias is None else s + self.bias[x]

    def recurrent(self, s: Tensor, x: Tensor) -> Tensor:
        """Returns the states [B, T, n, d] after every letter of x [B, T], from s [B, n, d]."""
        states = []
        for letter in x.unbind(1):
            s = self.step(s, letter)
            states.append(s)
        return torch.stack(states, 1)

    def scan(self, s: Tensor, x: Tensor) -> Tensor:
        """Returns the same by a doubling scan: in round r every place has the map of its last 2^r
        letters. T letters take log2 T rounds of products of n x n matrices."""
        a, b = (maps[x] for maps in self.maps())
        b = torch.cat([_product(a[:, :1], s[:, None]) + b[:, :1], b[:, 1:]], 1)
        width, count = 1, x.shape[1]
        while width < count:
            later = a[:, width:]
            b = torch.cat([b[:, :width], _product(later, b[:, :-width]) + b[:, width:]], 1)
            a = torch.cat([a[:, :width], _product(later, a[:, :-width])], 1)
            width *= 2
        return b


def _product(a: Tensor, b: Tensor) -> Tensor:
    """Returns a @ b. Not every PyTorch multiplies float16 on a CPU, so there it is done in
    float32."""
    if a.dtype == torch.float16 and a.device.type == "cpu":
        return (a.float() @ b.float()).half()
    return a @ b


class Layer(nn.Module):
    """Heads side by side, and the decoder: codes [codes, N], the numbers of all heads one after
    the other, and symbols [letters, codes] as in `fsa2lrnn.Layer`."""

    codes: Tensor
    symbols: Tensor

    def __init__(self, layer: weights.Layer, dtype: torch.dtype) -> None:
        super().__init__()
        self.heads = nn.ModuleList(Head(head, dtype) for head in layer.heads)
        flat = [head.codes.reshape(layer.codes, -1) for head in layer.heads]
        wide = torch.promote_types(dtype, torch.float32)
        self.register_buffer("codes", torch.tensor(np.concatenate(flat, 1), dtype=wide))
        self.register_buffer("symbols", torch.tensor(layer.symbols))

    def hidden(self, s: tuple[Tensor, ...], x: Tensor, form: str) -> tuple[Tensor, ...]:
        """Returns each head's states [B, T, n, d] after every letter of x [B, T]."""
        return tuple(getattr(head, form)(start, x) for head, start in zip(self.heads, s))

    def distances(self, hidden: tuple[Tensor, ...]) -> Tensor:
        """Returns the squared distances [B, T, codes] to the codes, in float32 or wider."""
        state = torch.cat([s.flatten(2) for s in hidden], 2).to(self.codes.dtype)
        finite = torch.isfinite(state).all()
        text = "a state is not finite: there are NaN or infinite weights"
        if _is_traced():
            _record_check(finite, text)
        elif not finite:
            raise ArgumentError(text)
        exact = "donot_use_mm_for_euclid_dist"
        flat = torch.cdist(state.flatten(0, 1), self.codes, compute_mode=exact)
        return (flat * flat).reshape(*state.shape[:2], -1)

    def read(self, hidden: tuple[Tensor, ...], x: Tensor) -> Tensor:
        """Returns the symbols [B, T] of the nearest codes: a look-up without gradient."""
        with torch.no_grad():
            codes = self.distances(hidden).argmin(-1)
            return self.symbols[x, codes]

    def scores(self, hidden: tuple[Tensor, ...], x: Tensor, count: int) -> Tensor:
        """Returns `Output.scores` for `count` symbols."""
        far = -self.distances(hidden)
        symbols = self.symbols[x]
        shape = (*x.shape, count + 1)  # the last place is for codes that give nothing
        none = far.new_full(shape, -torch.inf)
        index = torch.where(symbols < 0, count, symbols)
        return none.scatter_reduce(2, index, far, "amax")[..., :count]


class Network(nn.Module):
    """A network in layers as a module, from a `fsa2lrnn.Network`.

    dtype: of the parameters. form: "scan", in parallel over the letters, or "recurrent", letter by
    letter, which forward can choose again. Parameters are each layer's real weights, under the
    names that weights.safetensors has for them (`layers.0.heads.0.key`, ..).

    Gradients are those of each layer's real weights, from losses on its own states. Between two
    layers there is a decoder, which looks up the nearest code: no gradient passes through it, so a
    loss on the last layer's scores has no gradient for the layers before; a loss on their `hidden`
    has. Change codes by hand after training if they should follow.

    Verdicts of `fsa2lrnn.Network.verify` are about the orders of operations that they name, not
    about this module, whose sums PyTorch orders; give dtype=torch.float64 where that matters. Made
    for a dtype, the codes are kept in float32 or wider; `.to(dtype)` rounds them as well.

    >>> import torch, fsa2lrnn
    >>> net = Network(fsa2lrnn.compile(fsa2lrnn.regex("(aa)*"), label="accept"))
    >>> out = net(torch.tensor([[0, 0, 0]]))
    >>> [net.labels[i] for i in out.labels[0].tolist()]
    ['reject', 'accept', 'reject']
    >>> net.labels[net(torch.tensor([[0]]), out.state).labels[0, 0]]
    'accept'
    """

    classes: Tensor

    def __init__(
        self,
        net: network.Network,
        *,
        dtype: torch.dtype = torch.float32,
        form: str = "scan",
    ) -> None:
        super().__init__()
        if not isinstance(net, network.Network):
            raise ArgumentError(f"a fsa2lrnn.Network is needed, not {type(net).__name__}")
        if not dtype.is_floating_point:
            raise ArgumentError(f"dtype is {dtype}: weights are real numbers")
        self.form = _form(form)
        #: names of letters and labels, by number
        self.letters, self.labels = net.letters, net.labels
        self.layers = nn.ModuleList(Layer(layer, dtype) for layer in net.layers)
        classes: NDArray[np.int64] = net.letter_classes
        self.register_buffer("classes", torch.tensor(classes))

    def initial_state(self, batch: int) -> State:
        """Returns the states before the first letter of `batch` words."""
        return tuple(
            tuple(head.initial.expand(batch, -1, -1) for head in cast(List[Head], layer.heads))
            for layer in self.layers
        )

    def forward(
        self, letters: Tensor, state: State | None = None, *, form: str | None = None
    ) -> Output:
        """Reads B words of T letters: [B, T] integers, numbers of letters (T >= 1).

        state: what `Output.state` was for the letters before; None: the start. form: None as
        constructed. Returns `Output`: labels [B, T], scores [B, T, labels], hidden and state.
        """
        form = self.form if form is None else _form(form)
        x = self.classes[self._letters(letters)]
        starts = self._state(state, x.shape[0])
        hidden: list[tuple[Tensor, ...]] = []
        lost = torch.zeros_like(x, dtype=torch.bool)
        scores = None
        layers = cast(List[Layer], list(self.layers))
        for layer, start in zip(layers, starts):
            states = layer.hidden(start, x, form)
            hidden.append(states)
            if layer is layers[-1]:
                scores = layer.scores(states, x, len(self.labels))
            x = layer.read(states, x)
            lost = lost | (x < 0)
            x = x.clamp(min=0)
        assert scores is not None
        last = tuple(tuple(s[:, -1] for s in states) for states in hidden)
        return Output(x.masked_fill(lost, -1), scores, tuple(hidden), last)

    def _letters(self, letters: Tensor) -> Tensor:
        if not isinstance(letters, Tensor) or letters.dim() != 2 or letters.shape[1] == 0:
            shape = list(letters.shape) if isinstance(letters, Tensor) else type(letters).__name__
            raise ArgumentError(f"letters is a tensor [B, T] with T >= 1, not {shape}")
        if letters.is_floating_point() or letters.is_complex() or letters.dtype == torch.bool:
            raise ArgumentError(f"letters are integers, not {letters.dtype}")
        count = len(self.letters)
        known = (letters >= 0) & (letters < count)
        if _is_traced():
            _record_check(known.all(), f"letters are numbers from 0 to {count - 1}")
        elif not known.all():
            wrong = int(letters[~known][0])
            raise ArgumentError(f"there is no letter {wrong}: there are {count} letters")
        return letters.long()

    def _state(self, state: State | None, batch: int) -> State:
        first = self.initial_state(batch)
        if state is None:
            return first
        want, have = _shapes(first), _shapes(state)
        if have != want:
            raise ArgumentError(f"state has {have}, and {want} is needed")
        return state


def _is_compiled() -> bool:
    """Returns whether torch.export or torch.compile records what is done."""
    compiling = getattr(getattr(torch, "compiler", None), "is_compiling", None)
    return bool(compiling and compiling())


def _is_traced() -> bool:
    """Returns whether operations are recorded, so that a check must be one of them."""
    tracing = getattr(torch.jit, "is_tracing", None)
    return _is_compiled() or bool(tracing and tracing())


def _record_check(good: Tensor, text: str) -> None:
    """Records that a run of the recorded operations fails unless `good` is true. PyTorch 1 has no
    text for it."""
    if _is_compiled():
        torch._assert_async(good, text)
    else:
        torch._assert_async(good)


def _shapes(state: State) -> str:
    """Returns the types and shapes of a state as text."""
    heads = [[f"{s.dtype} {list(s.shape)}" for s in layer] for layer in state]
    return "; ".join(", ".join(layer) for layer in heads)


def _form(form: str) -> str:
    if form not in FORMS:
        raise ArgumentError(f"form is {form!r}, and can be 'scan' or 'recurrent'")
    return form
