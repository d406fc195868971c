"""The plan of a delta product: its shapes and types, checked once for each combination that comes,
and the library's structure of it."""

from __future__ import annotations

import struct
from typing import Any, Callable, NamedTuple, Optional, Tuple

import torch
from torch import Tensor

from . import _library as library
from ._tensors import TYPES, expect, maker, same_device, shown, strides

MOST_PLANS = 4096
SOMEWHERE = 256  # cu_seqlens for the sizes on a GPU, which only ask whether there is one
WIDE = torch.float64


class Options(tuple):
    """n_h, scale, beta_kind, l2norm, l2norm_eps, state_order, path. Equal ones are one object, so
    that a plan is found by its address."""

    __slots__ = ()
    __hash__ = object.__hash__
    __eq__ = object.__eq__


_options: dict[Tuple[Any, ...], Options] = {}


def options_of(*values: Any) -> Options:
    """Returns the object of these options."""
    found = _options.get(values)
    if found is None:
        if len(_options) >= MOST_PLANS:
            _options.clear()
        found = _options[values] = Options(values)
    return found


class Like(NamedTuple):
    """What a new array is made of."""

    shape: Tuple[int, ...]
    strides: Tuple[int, ...]
    type: torch.dtype


def _like(shape: Any, dtype: torch.dtype) -> Like:
    sizes = tuple(map(int, shape))
    steps = [1]
    for size in reversed(sizes[1:]):
        steps.append(steps[-1] * max(size, 1))
    return Like(sizes, tuple(reversed(steps)), dtype)


class Plan(NamedTuple):
    """A shape with its options, checked."""

    before: bytes  # fsa2lrnn_delta_product as far as cu_seqlens,
    between: bytes  # to state_indices,
    after: bytes  # and to its end
    index: int  # of the GPU; -1: the CPU
    make: Callable[..., Tensor]  # of a Like, on the current device
    out: Like
    state: Like
    like: Tuple[Optional[Like], ...]  # gradients of the inputs
    gate_rank: int  # strides of g
    rows: Tuple[bytes, ...]  # strides of contiguous q, k, v, beta, g, out
    kept: Optional[Like]
    work: Optional[Like]
    back_work: Optional[Like]
    whole: bytes  # fsa2lrnn_delta_product without pointers
    options: Tuple[Any, ...]

    def structure(self, cu_seqlens: int, indices: int) -> bytes:
        """Returns fsa2lrnn_delta_product."""
        pointers = _POINTER(cu_seqlens), _POINTER(indices)
        return self.before + pointers[0] + self.between + pointers[1] + self.after


_POINTER = struct.Struct("@P").pack


class Call(NamedTuple):
    """The tensors and options that a plan is for."""

    q: Tensor
    k: Tensor
    v: Optional[Tensor]
    beta: Tensor
    g: Optional[Tensor]
    state: Optional[Tensor]
    cu_seqlens: Optional[Tensor]
    indices: Optional[Tensor]
    n_h: int
    scale: float
    beta_kind: int
    l2norm: int
    l2norm_eps: float
    state_order: int
    path: int


def _check_ranks(c: Call) -> None:
    for name, x, least, most in (
        ("q", c.q, 4, 4),
        ("k", c.k, 4, 4),
        ("v", c.v, 4, 4),
        ("beta", c.beta, 3, 3),
        ("g", c.g, 3, 4),
        ("initial_state", c.state, 4, 4),
        ("cu_seqlens", c.cu_seqlens, 1, 1),
        ("state_indices", c.indices, 1, 1),
    ):
        ranks = f"{least}" if least == most else f"{least} or {most}"
        expect(
            x is None or least <= x.dim() <= most,
            f"{shown(name, x)} does not have {ranks} dimensions",
        )


def _check_types(c: Call) -> None:
    for name, x in (("q", c.q), ("beta", c.beta), ("initial_state", c.state)):
        expect(
            x is None or x.dtype in TYPES,
            f"{shown(name, x)}: it can be float32, bfloat16, float16 or float64",
        )
    for name, x, like, other in (
        ("k", c.k, "q", c.q),
        ("v", c.v, "q", c.q),
        ("g", c.g, "beta", c.beta),
    ):
        expect(
            x is None or x.dtype == other.dtype,
            f"{shown(name, x)} has another type than {shown(like, other)}",
        )
    for name, x in (("cu_seqlens", c.cu_seqlens), ("state_indices", c.indices)):
        expect(
            x is None or x.dtype in (torch.int32, torch.int64),
            f"{shown(name, x)}: its type can be int32 or int64",
        )
    both = c.cu_seqlens, c.indices
    expect(
        None in both or both[0].dtype == both[1].dtype,  # type: ignore[union-attr]
        "cu_seqlens and state_indices have different types",
    )
    wide = [x is None or x.dtype == WIDE for x in (c.q, c.beta, c.state)]
    expect(
        all(wide) if c.q.dtype == WIDE else c.beta.dtype != WIDE,
        f"{shown('q', c.q)}, {shown('beta', c.beta)}: float64 goes with float64 only",
    )
    expect(
        c.q.dtype != WIDE or not c.q.is_cuda,
        f"{shown('q', c.q)}: float64 is for the CPU",
    )


def _check_shapes(c: Call) -> Tuple[int, int, int]:
    """Returns heads, value and the number of sequences."""
    expect(1 <= c.n_h <= 8, f"n_h is {c.n_h}, and can be 1 to 8")
    batch, tokens, key_heads, key = c.q.shape
    heads = c.beta.shape[2]
    for name, x in (("k", c.k), ("v", c.v), ("beta", c.beta)):
        want = f"it begins with [{batch}, {tokens} x n_h {c.n_h} = {tokens * c.n_h}, ..]"
        expect(
            x is None or (x.shape[0] == batch and x.shape[1] == tokens * c.n_h),
            f"{shown(name, x)} does not fit {shown('q', c.q)}: {want}",
        )
    expect(
        c.k.shape[2] == key_heads and c.k.shape[3] == key,
        f"{shown('k', c.k)} has other heads or keys than {shown('q', c.q)}",
    )
    expect(
        key_heads > 0 and heads % key_heads == 0,
        f"{shown('q', c.q)}: its {key_heads} heads do not divide the {heads} heads of beta",
    )
    expect(
        c.v is None or c.v.shape[2] == heads,
        f"{shown('v', c.v)} has other heads than {shown('beta', c.beta)}",
    )
    expect(
        c.g is None or (tuple(c.g.shape) in ((batch, tokens, heads), (batch, tokens, heads, key))),
        (
            f"{shown('g', c.g)}: it is [{batch}, {tokens}, {heads}], a number per head, or "
            f"[{batch}, {tokens}, {heads}, {key}], per key"
        ),
    )
    expect(
        c.v is not None or c.state is not None,
        "v is None, which needs an initial_state",
    )
    expect(
        c.cu_seqlens is None or batch == 1,
        f"{shown('q', c.q)}: with cu_seqlens all sequences follow each other in batch 1",
    )
    expect(
        c.cu_seqlens is None or c.cu_seqlens.shape[0] > 0,
        f"{shown('cu_seqlens', c.cu_seqlens)} is empty: it begins with 0",
    )
    sequences = batch if c.cu_seqlens is None else c.cu_seqlens.shape[0] - 1
    expect(
        c.indices is None or c.indices.shape[0] == sequences,
        f"{shown('state_indices', c.indices)}: there are {sequences} sequences",
    )
    if c.v is not None:
        value = c.v.shape[3]
    else:
        assert c.state is not None
        value = c.state.shape[2 if c.state_order else 3]
    inner = (value, key) if c.state_order else (key, value)
    count = sequences if c.indices is None or c.state is None else c.state.shape[0]
    expect(
        c.state is None or tuple(c.state.shape) == (count, heads, *inner),
        (
            f"{shown('initial_state', c.state)}: it is {[count, heads, *inner]} with "
            f"state_order {'vk' if c.state_order else 'kv'!r}"
        ),
    )
    return heads, value, sequences


def state_type_of(q: Tensor, state: Optional[Tensor]) -> torch.dtype:
    if state is not None:
        return state.dtype
    return WIDE if q.dtype == WIDE else torch.float32


def make_plan(c: Call) -> Plan:
    """Returns the plan of a call; ArgumentError, DomainError."""
    _check_ranks(c)
    _check_types(c)
    names = ("q", "k", "v", "beta", "g", "initial_state", "cu_seqlens", "state_indices")
    same_device("q", dict(zip(names, c[:8])))
    heads, value, sequences = map(int, _check_shapes(c))
    batch, tokens, key_heads, key = map(int, c.q.shape)
    state_type = state_type_of(c.q, c.state)
    index = c.cu_seqlens if c.cu_seqlens is not None else c.indices
    device = library.CUDA if c.q.is_cuda else library.CPU
    packed = library.DELTA.pack(
        library.DELTA.size,
        device,
        TYPES[c.q.dtype],
        TYPES[c.beta.dtype],
        c.path,
        *(batch, tokens, heads, key_heads, c.n_h, key, value),
        c.beta_kind,
        0 if c.g is None else c.g.dim() - 2,
        c.l2norm,
        c.l2norm_eps,
        c.scale,
        SOMEWHERE if device == library.CUDA and c.cu_seqlens is not None else 0,
        64 if index is not None and index.dtype == torch.int64 else 32,
        sequences,
        TYPES[state_type],
        c.state_order,
        0,
        0 if c.indices is None or c.state is None else int(c.state.shape[0]),
    )
    kept, work, back_work = (_bytes(n) for n in library.delta_bytes(packed))
    out = _like((batch, tokens, heads, value), c.q.dtype)
    inner = (value, key) if c.state_order else (key, value)
    rows = (c.q.shape, c.k.shape, (batch, tokens * c.n_h, heads, value), c.beta.shape)
    rows += (c.beta.shape if c.g is None else c.g.shape, out.shape)
    parts = packed[:104], packed[112:136], packed[144:]
    return Plan(
        *parts,
        index=c.q.device.index or 0 if c.q.is_cuda else -1,
        make=maker(c.q.device.type),
        out=out,
        state=_like((sequences, heads, *inner), state_type),
        like=tuple(None if x is None else _like(x.shape, x.dtype) for x in c[:6]),
        gate_rank=2 if c.g is None else c.g.dim() - 1,
        rows=tuple(strides(tuple(map(int, shape))) for shape in rows),
        kept=kept,
        work=work,
        back_work=back_work,
        whole=parts[0] + bytes(8) + parts[1] + bytes(8) + parts[2],
        options=c[8:],
    )


def _bytes(count: int) -> Optional[Like]:
    """Returns so many bytes, None for 0."""
    return _like((count,), torch.uint8) if count else None


_plans: dict[Tuple[Any, ...], Plan] = {}


def plan_of(
    q: Tensor,
    k: Tensor,
    v: Optional[Tensor],
    beta: Tensor,
    g: Optional[Tensor],
    state: Optional[Tensor],
    cu_seqlens: Optional[Tensor],
    indices: Optional[Tensor],
    options: Options,
) -> Plan:
    """Returns the plan of a call, kept from a call like it."""
    key = (
        *(q.shape, q.dtype, q.get_device(), k.shape, k.dtype, k.get_device()),
        *(beta.shape, beta.dtype, beta.get_device(), options),
        None if v is None else (v.shape, v.dtype, v.get_device()),
        None if g is None else (g.shape, g.dtype, g.get_device()),
        None if state is None else (state.shape, state.dtype, state.get_device()),
        None
        if cu_seqlens is None
        else (cu_seqlens.shape, cu_seqlens.dtype, cu_seqlens.get_device()),
        None if indices is None else (indices.shape, indices.dtype, indices.get_device()),
    )
    plan = _plans.get(key)
    if plan is None:
        if len(_plans) >= MOST_PLANS:
            _plans.clear()
        c = Call(q, k, v, beta, g, state, cu_seqlens, indices, *options)
        plan = _plans[key] = make_plan(c)
    return plan
