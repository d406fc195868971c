"""The delta product as operators of PyTorch: `torch.ops.fsa2lrnn.delta_product_forward`,
`_backward` and `_step`, on the CPU and on GPUs, with the shapes of their outputs for tracing.

They have no gradients: fsa2lrnn.kernels.delta_product is the differentiable function around them.
Shapes are checked once for each combination that comes; its plan is kept after that."""

from __future__ import annotations

import struct
from typing import Any, List, NamedTuple, Optional, Tuple

import torch
from torch import Tensor

from . import _library as library
from ._errors import ArgumentError
from ._tensors import (
    TYPES,
    array,
    expect,
    launch,
    pointer,
    rows,
    same_device,
    shown,
    strides,
    workspace,
)

OPTIONS = (
    "int n_h, float scale, int beta_kind, int l2norm, float l2norm_eps, int state_order, int path"
)
INPUTS = "Tensor q, Tensor k, Tensor? v, Tensor beta, Tensor? g"
MOST_PLANS = 4096
SOMEWHERE = 256  # cu_seqlens for the sizes on a GPU, which only ask whether there is one
WIDE = torch.float64


class Plan(NamedTuple):
    """A shape with its options, checked."""

    before: bytes  # fsa2lrnn_delta_product as far as cu_seqlens,
    between: bytes  # to state_indices,
    after: bytes  # and to its end
    out: Tuple[int, ...]
    state: Tuple[int, ...]
    state_type: torch.dtype
    gate_rank: int  # strides of g
    rows: Tuple[bytes, ...]  # strides of contiguous q, k, v, beta, g, out
    kept: int
    work: int
    back_work: int

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
    heads, value, sequences = _check_shapes(c)
    batch, tokens, key_heads, key = map(int, c.q.shape)
    state_type = state_type_of(c.q, c.state)
    index = c.cu_seqlens if c.cu_seqlens is not None else c.indices
    packed = library.DELTA.pack(
        library.DELTA.size,
        library.CUDA if c.q.is_cuda else library.CPU,
        TYPES[c.q.dtype],
        TYPES[c.beta.dtype],
        c.path,
        *(batch, tokens, int(heads), key_heads, c.n_h, key, int(value)),
        c.beta_kind,
        0 if c.g is None else c.g.dim() - 2,
        c.l2norm,
        c.l2norm_eps,
        c.scale,
        SOMEWHERE if c.q.is_cuda and c.cu_seqlens is not None else 0,
        64 if index is not None and index.dtype == torch.int64 else 32,
        int(sequences),
        TYPES[state_type],
        c.state_order,
        0,
        0 if c.indices is None or c.state is None else int(c.state.shape[0]),
    )
    kept, work, back_work = library.delta_bytes(packed)
    return Plan(
        *(packed[:104], packed[112:136], packed[144:]),
        out=(batch, tokens, int(heads), int(value)),
        state=(
            int(sequences),
            int(heads),
            *((int(value), key) if c.state_order else (key, int(value))),
        ),
        state_type=state_type,
        gate_rank=2 if c.g is None else c.g.dim() - 1,
        rows=tuple(
            strides(tuple(map(int, shape)))
            for shape in (
                c.q.shape,
                c.k.shape,
                (batch, tokens * c.n_h, heads, value),
                c.beta.shape,
                c.beta.shape if c.g is None else c.g.shape,
                (batch, tokens, heads, value),
            )
        ),
        kept=kept,
        work=work,
        back_work=back_work,
    )


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
    *options: Any,
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


def pack_inputs(
    plan: Plan,
    q: Tensor,
    k: Tensor,
    v: Optional[Tensor],
    beta: Tensor,
    g: Optional[Tensor],
    state: Optional[Tensor],
) -> Tuple[bytes, Any]:
    """Returns fsa2lrnn_delta_product_in, and the copies that it points to."""
    held = None
    if state is not None and not state.is_contiguous():
        held = state = state.contiguous()
    if (
        q.is_contiguous()
        and k.is_contiguous()
        and beta.is_contiguous()
        and (v is None or v.is_contiguous())
        and (g is None or g.is_contiguous())
    ):
        rows_ = plan.rows
        packed = library.DELTA_IN_ROWS.pack(
            library.DELTA_IN_ROWS.size,
            q.data_ptr(),
            rows_[0],
            k.data_ptr(),
            rows_[1],
            0 if v is None else v.data_ptr(),
            rows_[2],
            beta.data_ptr(),
            rows_[3],
            0 if g is None else g.data_ptr(),
            rows_[4],
            0 if state is None else state.data_ptr(),
        )
        return packed, held
    q, k, beta = rows(q, "q"), rows(k, "k"), rows(beta, "beta")
    v = None if v is None else rows(v, "v")
    g = None if g is None else rows(g, "g")
    packed = library.DELTA_IN.pack(
        library.DELTA_IN.size,
        *array(q, 3),
        *array(k, 3),
        *array(v, 3),
        *array(beta, 2),
        *array(g, plan.gate_rank),
        pointer(state),
    )
    return packed, (q, k, v, beta, g, held)


def compute(
    q: Tensor,
    k: Tensor,
    v: Optional[Tensor],
    beta: Tensor,
    g: Optional[Tensor],
    initial_state: Optional[Tensor],
    cu_seqlens: Optional[Tensor],
    n_h: int,
    scale: float,
    beta_kind: int,
    l2norm: int,
    l2norm_eps: float,
    state_order: int,
    path: int,
    final: bool,
    keep: bool,
) -> Tuple[Tensor, Optional[Tensor], Optional[Tensor]]:
    """Returns out, the final states and what backward needs, None where there is none."""
    if cu_seqlens is not None:
        cu_seqlens = cu_seqlens.contiguous()
    options = n_h, scale, beta_kind, l2norm, l2norm_eps, state_order, path
    plan = plan_of(q, k, v, beta, g, initial_state, cu_seqlens, None, *options)
    out = q.new_empty(plan.out)
    last = q.new_empty(plan.state, dtype=plan.state_type) if final else None
    kept = q.new_empty(plan.kept, dtype=torch.uint8) if keep and plan.kept else None
    packed, held = pack_inputs(plan, q, k, v, beta, g, initial_state)
    work = workspace(plan.work, q) if plan.work else None
    to = library.DELTA_OUT_ROWS.pack(
        library.DELTA_OUT_ROWS.size, out.data_ptr(), plan.rows[5], pointer(last)
    )
    p = plan.structure(0 if cu_seqlens is None else cu_seqlens.data_ptr(), 0)
    launch(q.get_device(), library.delta_forward, to, pointer(kept), pointer(work), packed, p)
    del held
    return out, last, kept


def forward(*arguments: Any) -> Tuple[Tensor, Tensor, Tensor]:
    """Returns what `compute` does, with empty tensors for None."""
    q = arguments[0]
    out, last, kept = compute(*arguments)
    if last is None:
        last = q.new_empty(0, dtype=state_type_of(q, arguments[5]))
    return out, last, q.new_empty(0, dtype=torch.uint8) if kept is None else kept


def compute_gradients(
    dout: Tensor,
    dfinal: Optional[Tensor],
    kept: Optional[Tensor],
    q: Tensor,
    k: Tensor,
    v: Optional[Tensor],
    beta: Tensor,
    g: Optional[Tensor],
    initial_state: Optional[Tensor],
    cu_seqlens: Optional[Tensor],
    n_h: int,
    scale: float,
    beta_kind: int,
    l2norm: int,
    l2norm_eps: float,
    state_order: int,
    path: int,
    wanted: int,
) -> List[Optional[Tensor]]:
    """Returns the gradients of q, k, v, beta, g and initial_state, None where bit i of `wanted` is
    not set. kept is forward's."""
    if cu_seqlens is not None:
        cu_seqlens = cu_seqlens.contiguous()
    options = n_h, scale, beta_kind, l2norm, l2norm_eps, state_order, path
    plan = plan_of(q, k, v, beta, g, initial_state, cu_seqlens, None, *options)
    check_gradient(plan, q, dout, dfinal, kept)
    packed, held = pack_inputs(plan, q, k, v, beta, g, initial_state)
    if dout.stride(-1) != 1:  # as of a sum
        dout = dout.contiguous()
    if dfinal is not None:
        dfinal = dfinal.to(WIDE if q.dtype == WIDE else torch.float32).contiguous()
    inputs = (q, k, v, beta, g, initial_state)
    d = [
        q.new_empty(x.shape, dtype=x.dtype) if x is not None and wanted >> i & 1 else None
        for i, x in enumerate(inputs)
    ]
    work = workspace(plan.back_work, q) if plan.back_work else None
    grad = library.DELTA_GRAD_ROWS.pack(
        library.DELTA_GRAD_ROWS.size,
        dout.data_ptr(),
        plan.rows[5] if dout.is_contiguous() else library.STRIDES.pack(*dout.stride()[:3]),
        pointer(dfinal),
        pointer(d[0]),
        plan.rows[0],
        pointer(d[1]),
        plan.rows[1],
        pointer(d[2]),
        plan.rows[2],
        pointer(d[3]),
        plan.rows[3],
        pointer(d[4]),
        plan.rows[4],
        pointer(d[5]),
    )
    p = plan.structure(0 if cu_seqlens is None else cu_seqlens.data_ptr(), 0)
    keeps = pointer(kept) if plan.kept else None
    launch(q.get_device(), library.delta_backward, grad, keeps, pointer(work), packed, p)
    del held
    return d


def backward(*arguments: Any) -> Tuple[Tensor, ...]:
    """Returns what `compute_gradients` does, with empty tensors for None."""
    q = arguments[3]
    return tuple(q.new_empty(0) if d is None else d for d in compute_gradients(*arguments))


def check_gradient(
    plan: Plan, q: Tensor, dout: Tensor, dfinal: Optional[Tensor], kept: Optional[Tensor]
) -> None:
    """Raises ArgumentError where what arrives does not fit the outputs."""
    where = q.get_device()
    if dout.shape != plan.out or dout.dtype != q.dtype or dout.get_device() != where:
        raise ArgumentError(f"{shown('the gradient of out', dout)} is not like out {plan.out}")
    if (0 if kept is None else kept.numel()) != plan.kept:
        raise ArgumentError(f"{shown('kept', kept)} is not what forward kept, {plan.kept} bytes")
    if dfinal is not None and (dfinal.shape != plan.state or dfinal.get_device() != where):
        text = f"{shown('the gradient of the final state', dfinal)} is not like it, {plan.state}"
        raise ArgumentError(text)


def step(
    q: Tensor,
    k: Tensor,
    v: Optional[Tensor],
    beta: Tensor,
    g: Optional[Tensor],
    state: Tensor,
    state_indices: Optional[Tensor],
    n_h: int,
    scale: float,
    beta_kind: int,
    l2norm: int,
    l2norm_eps: float,
    state_order: int,
    path: int,
) -> Tensor:
    """Returns out of one token; state is changed in place."""
    if state_indices is not None:
        state_indices = state_indices.contiguous()
    options = n_h, scale, beta_kind, l2norm, l2norm_eps, state_order, path
    plan = plan_of(q, k, v, beta, g, state, None, state_indices, *options)
    check_step(q, state)
    out = q.new_empty(plan.out)
    packed, held = pack_inputs(plan, q, k, v, beta, g, state)
    to = library.DELTA_OUT_ROWS.pack(library.DELTA_OUT_ROWS.size, out.data_ptr(), plan.rows[5], 0)
    p = plan.structure(0, 0 if state_indices is None else state_indices.data_ptr())
    launch(q.get_device(), library.delta_step, to, state.data_ptr(), packed, p)
    del held
    return out


def check_step(q: Tensor, state: Tensor) -> None:
    """Raises ArgumentError unless there is one token, and the state can be changed in place."""
    if q.shape[1] != 1:
        raise ArgumentError(f"{shown('q', q)}: a step takes one token, dimension 1")
    if not state.is_contiguous():
        raise ArgumentError(f"{shown('state', state)} is not contiguous, and changed in place")


def forward_shapes(*arguments: Any) -> Tuple[Tensor, Tensor, Tensor]:
    q, keep, final = arguments[0], arguments[-1], arguments[-2]
    plan = make_plan(Call(*arguments[:7], None, *arguments[7:-2]))
    return (
        q.new_empty(plan.out),
        q.new_empty(plan.state if final else (0,), dtype=plan.state_type),
        q.new_empty(plan.kept if keep else 0, dtype=torch.uint8),
    )


def backward_shapes(*arguments: Any) -> Tuple[Tensor, ...]:
    c = Call(*arguments[3:10], None, *arguments[10:-1])
    check_gradient(make_plan(c), c.q, *arguments[:3])
    return tuple(
        c.q.new_empty(0)
        if x is None or not arguments[-1] >> i & 1
        else c.q.new_empty(x.shape, dtype=x.dtype)
        for i, x in enumerate(c[:6])
    )


def step_shapes(*arguments: Any) -> Tensor:
    c = Call(*arguments[:6], None, *arguments[6:])
    plan = make_plan(c)
    check_step(arguments[0], arguments[5])
    return c.q.new_empty(plan.out)


operators = torch.library.Library("fsa2lrnn", "DEF")


def register(name: str, schema: str, run: Any, shapes: Any) -> Any:
    """Defines an operator with its two implementations and the shapes of its outputs; returns
    it."""
    operators.define(f"{name}({schema}", tags=(torch.Tag.pt2_compliant_tag,))
    operators.impl(name, run, "CPU")
    operators.impl(name, run, "CUDA")
    torch.library.register_fake(f"fsa2lrnn::{name}", shapes, lib=operators)
    return getattr(torch.ops.fsa2lrnn, name).default


delta_product_forward = register(
    "delta_product_forward",
    f"{INPUTS}, Tensor? initial_state, Tensor? cu_seqlens, {OPTIONS}, bool final, bool keep)"
    " -> (Tensor, Tensor, Tensor)",
    forward,
    forward_shapes,
)
delta_product_backward = register(
    "delta_product_backward",
    f"Tensor dout, Tensor? dfinal, Tensor kept, {INPUTS}, Tensor? initial_state,"
    f" Tensor? cu_seqlens, {OPTIONS}, int wanted)"
    " -> (Tensor, Tensor, Tensor, Tensor, Tensor, Tensor)",
    backward,
    backward_shapes,
)
delta_product_step = register(
    "delta_product_step",
    f"{INPUTS}, Tensor(a!) state, Tensor? state_indices, {OPTIONS}) -> Tensor",
    step,
    step_shapes,
)
