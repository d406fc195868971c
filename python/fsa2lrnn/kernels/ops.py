"""The delta product as operators of PyTorch: `torch.ops.fsa2lrnn.delta_product_forward`,
`_backward` and `_step`, on the CPU and on GPUs, with the shapes of their outputs for tracing.

They have no gradients: fsa2lrnn.kernels.delta_product is the differentiable function around them.
What is computed is behind `run_forward` and `run_backward`, which an eager call reaches without the
dispatcher."""

from __future__ import annotations

from typing import Any, List, Optional, Tuple

import torch
from torch import Tensor

from . import _library as library
from ._errors import ArgumentError
from ._plan import MOST_PLANS, WIDE, Call, Plan, make_plan, options_of, plan_of
from ._tensors import array, current_device, launch, pointer, rows, shown, stream_of

OPTIONS = (
    "int n_h, float scale, int beta_kind, int l2norm, float l2norm_eps, int state_order, int path"
)
INPUTS = "Tensor q, Tensor k, Tensor? v, Tensor beta, Tensor? g"
_pack_in, _IN_SIZE = library.DELTA_IN_ROWS.pack, library.DELTA_IN_ROWS.size
_pack_out, _OUT_SIZE = library.DELTA_OUT_ROWS.pack, library.DELTA_OUT_ROWS.size
_pack_grad, _GRAD_SIZE = library.DELTA_GRAD_ROWS.pack, library.DELTA_GRAD_ROWS.size
_call = library.call


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
        packed = _pack_in(
            _IN_SIZE,
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


Inputs = Tuple[Any, ...]  # q, k, v, beta, g, initial_state, cu_seqlens


def run_forward(
    plan: Plan, inputs: Inputs, final: bool, keep: bool
) -> Tuple[Tensor, Optional[Tensor], Optional[Tensor]]:
    """Returns out, the final states and what backward needs, None where there is none."""
    index, make, ends = plan.index, plan.make, inputs[6]
    if index >= 0 and current_device() != index:
        with torch.cuda.device(index):
            return run_forward(plan, inputs, final, keep)
    out = make(*plan.out)
    last = make(*plan.state) if final else None
    kept = make(*plan.kept) if keep and plan.kept is not None else None
    work = None if plan.work is None else make(*plan.work)
    packed, held = pack_inputs(plan, *inputs[:6])
    last_at = 0 if last is None else last.data_ptr()
    _call(
        library.delta_forward,
        _pack_out(_OUT_SIZE, out.data_ptr(), plan.rows[5], last_at),
        0 if kept is None else kept.data_ptr(),
        0 if work is None else work.data_ptr(),
        packed,
        plan.whole if ends is None else plan.structure(ends.data_ptr(), 0),
        stream_of(index) if index >= 0 else None,
    )
    del held
    return out, last, kept


def _plan_of(*given: Any) -> Tuple[Plan, Inputs]:
    """Returns the plan for an operator's inputs and options, and the inputs."""
    *tensors, ends = given[:7]
    ends = None if ends is None else ends.contiguous()
    return plan_of(*tensors, ends, None, options_of(*given[7:])), (*tensors, ends)


def forward(*given: Any) -> Tuple[Tensor, Tensor, Tensor]:
    """Returns what `run_forward` does, with empty tensors for None."""
    q, final, keep = given[0], given[-2], given[-1]
    plan, inputs = _plan_of(*given[:-2])
    out, last, kept = run_forward(plan, inputs, final, keep)
    if last is None:
        last = q.new_empty(0, dtype=plan.state.type)
    return out, last, q.new_empty(0, dtype=torch.uint8) if kept is None else kept


def run_backward(
    plan: Plan,
    dout: Tensor,
    dfinal: Optional[Tensor],
    kept: Optional[Tensor],
    inputs: Inputs,
    wanted: int,
) -> List[Optional[Tensor]]:
    """Returns the gradients of q, k, v, beta, g and initial_state, None where bit i of `wanted` is
    not set. kept is forward's."""
    index, make, q, ends = plan.index, plan.make, inputs[0], inputs[6]
    if index >= 0 and current_device() != index:
        with torch.cuda.device(index):
            return run_backward(plan, dout, dfinal, kept, inputs, wanted)
    check_gradient(plan, q, dout, dfinal, kept)
    packed, held = pack_inputs(plan, *inputs[:6])
    if dout.stride(-1) != 1:  # as of a sum
        dout = dout.contiguous()
    if dfinal is not None:
        dfinal = dfinal.to(WIDE if q.dtype == WIDE else torch.float32).contiguous()
    d = [
        make(*like) if like is not None and wanted >> i & 1 else None
        for i, like in enumerate(plan.like)
    ]
    work = None if plan.back_work is None else make(*plan.back_work)
    rows_ = plan.rows
    grad = _pack_grad(
        _GRAD_SIZE,
        dout.data_ptr(),
        rows_[5] if dout.is_contiguous() else library.STRIDES.pack(*dout.stride()[:3]),
        pointer(dfinal),
        *(pointer(d[0]), rows_[0], pointer(d[1]), rows_[1], pointer(d[2]), rows_[2]),
        *(pointer(d[3]), rows_[3], pointer(d[4]), rows_[4], pointer(d[5])),
    )
    _call(
        library.delta_backward,
        grad,
        0 if plan.kept is None else pointer(kept),
        pointer(work),
        packed,
        plan.whole if ends is None else plan.structure(ends.data_ptr(), 0),
        stream_of(index) if index >= 0 else None,
    )
    del held
    return d


def backward(*given: Any) -> Tuple[Tensor, ...]:
    """Returns what `run_backward` does, with empty tensors for None."""
    plan, inputs = _plan_of(*given[3:-1])
    d = run_backward(plan, *given[:3], inputs, given[-1])
    return tuple(inputs[0].new_empty(0) if x is None else x for x in d)


def check_gradient(
    plan: Plan, q: Tensor, dout: Tensor, dfinal: Optional[Tensor], kept: Optional[Tensor]
) -> None:
    """Raises ArgumentError where what arrives does not fit the outputs."""
    where = q.get_device()
    if dout.shape != plan.out.shape or dout.dtype != q.dtype or dout.get_device() != where:
        text = f"{shown('the gradient of out', dout)} is not like out {plan.out.shape}"
        raise ArgumentError(text)
    bytes_ = 0 if plan.kept is None else plan.kept.shape[0]
    if (0 if kept is None else kept.numel()) != bytes_:
        raise ArgumentError(f"{shown('kept', kept)} is not what forward kept, {bytes_} bytes")
    shape = plan.state.shape
    if dfinal is not None and (dfinal.shape != shape or dfinal.get_device() != where):
        text = f"{shown('the gradient of the final state', dfinal)} is not like it, {shape}"
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
    options = options_of(n_h, scale, beta_kind, l2norm, l2norm_eps, state_order, path)
    plan = plan_of(q, k, v, beta, g, state, None, state_indices, options)
    check_step(q, state)
    out = q.new_empty(plan.out.shape)
    packed, held = pack_inputs(plan, q, k, v, beta, g, state)
    to = _pack_out(_OUT_SIZE, out.data_ptr(), plan.rows[5], 0)
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
    kept = (0,) if plan.kept is None or not keep else plan.kept.shape
    return (
        q.new_empty(plan.out.shape),
        q.new_empty(plan.state.shape if final else (0,), dtype=plan.state.type),
        q.new_empty(kept, dtype=torch.uint8),
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
    return c.q.new_empty(plan.out.shape)


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
