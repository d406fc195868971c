"""The delta product as functions: the operators of ops.py with gradients, by autograd.Function,
which costs a call half of what `torch.library.register_autograd` does."""

from __future__ import annotations

from typing import Any, Optional, Sequence, Tuple

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable

from . import ops
from ._errors import ArgumentError
from ._tensors import expect, plain, shown

BETAS = {"number": 0, "sigmoid": 1, "two_sigmoid": 2}
NORMS = {None: 0, "add": 1, "max": 2}
ORDERS = {"kv": 0, "vk": 1}
WIDE = torch.float64
PATHS = {"auto": 0, "tensor": 1, "recurrent": 2, "tensor_states": 3}


class DeltaProduct(torch.autograd.Function):
    """forward(q, k, v, beta, g, initial_state, cu_seqlens, *options) with the operator's options as
    far as `final`; returns out, and the final states where they are wanted."""

    @staticmethod
    def forward(ctx: Any, *given: Any) -> Any:
        tensors, options, final = given[:7], given[7:14], given[14]
        out, last, kept = ops.delta_product_forward(*given, True)
        ctx.save_for_backward(*tensors, kept)
        ctx.options = options
        ctx.set_materialize_grads(False)
        return (out, last) if final else out

    @staticmethod
    def backward(ctx: Any, dout: Optional[Tensor], dfinal: Optional[Tensor] = None) -> Any:
        run = _backward_once if torch.is_grad_enabled() else _backward  # once costs every call
        return (*run(ctx, dout, dfinal, ctx.options, None), *(None,) * 9)


class Direct(torch.autograd.Function):
    """The same for an eager call by plain tensors, without the dispatcher: forward(q, k, v, beta,
    g, initial_state, cu_seqlens, plan, final)."""

    @staticmethod
    def forward(ctx: Any, *given: Any) -> Any:
        inputs, plan, final = given[:7], given[7], given[8]
        out, last, kept = ops.run_forward(plan, inputs, final, True)
        ctx.save_for_backward(*inputs, kept)
        ctx.plan = plan
        ctx.set_materialize_grads(False)
        return (out, last) if final else out

    @staticmethod
    def backward(ctx: Any, dout: Optional[Tensor], dfinal: Optional[Tensor] = None) -> Any:
        run = _backward_once if torch.is_grad_enabled() else _backward
        return (*run(ctx, dout, dfinal, ctx.plan.options, ctx.plan), None, None, None)


# Function.apply without what it does for transforms of torch.func, of which there are none then.
_apply_direct = super(torch.autograd.Function, Direct).apply


def _backward(
    ctx: Any,
    dout: Optional[Tensor],
    dfinal: Optional[Tensor],
    options: Tuple[Any, ...],
    plan: Optional[ops.Plan],
) -> Tuple[Optional[Tensor], ...]:
    """Returns the gradients of q, k, v, beta, g and initial_state."""
    *tensors, kept = ctx.saved_tensors
    if dout is None:
        dout = _zeros(*tensors[:6], options[5])
    needs = ctx.needs_input_grad
    wanted = 0
    for i in range(6):
        wanted += needs[i] << i
    if plan is not None and plain((dout, dfinal, *tensors)):
        return tuple(ops.run_backward(plan, dout, dfinal, kept, tensors, wanted))
    if kept is None:
        kept = dout.new_empty(0, dtype=torch.uint8)
    d = ops.delta_product_backward(dout, dfinal, kept, *tensors, *options, wanted)
    return tuple(d[i] if needs[i] else None for i in range(6))


_backward_once = once_differentiable(_backward)


def _zeros(
    q: Tensor, k: Tensor, v: Optional[Tensor], beta: Tensor, g: Any, state: Any, order: int
) -> Tensor:
    """Returns the gradient of out where there is none."""
    value = state.shape[2 if order else 3] if v is None else v.shape[3]
    return q.new_zeros((q.shape[0], q.shape[1], beta.shape[2], value))


def _number(table: dict[Any, int], name: str, value: Any) -> int:
    """Returns the number of an option's name."""
    try:
        return table[value]
    except (KeyError, TypeError):
        names = ", ".join(repr(known) for known in table)
        raise ArgumentError(f"{name} is {value!r}, and can be {names}") from None


def _tensors(**given: Any) -> None:
    for name, x in given.items():
        if not isinstance(x, Tensor):
            raise ArgumentError(f"{name} is {type(x).__name__}, and has to be a tensor")


def _cast(x: Optional[Tensor], dtype: torch.dtype) -> Optional[Tensor]:
    """Returns the tensor in the type of autocast, which leaves float64 as it is."""
    return x if x is None or x.dtype == torch.float64 else x.to(dtype)


def _ends_on_device(ends: Tensor, tokens: int, device: torch.device) -> Tensor:
    """Returns cu_seqlens of the host, checked, where the other tensors are."""
    if not torch.compiler.is_compiling():
        check_ends(ends, tokens)
    return ends.to(device, non_blocking=True)


def check_ends(ends: Tensor, tokens: int) -> None:
    """Raises ArgumentError unless cu_seqlens rises from 0 to the number of tokens; this waits for
    the device."""
    expect(ends.dim() == 1, f"{shown('cu_seqlens', ends)} does not have 1 dimensions")
    numbers = ends.tolist()
    falls = [i for i in range(1, len(numbers)) if numbers[i] < numbers[i - 1]]
    if falls:
        i = falls[0]
        raise ArgumentError(
            f"cu_seqlens falls: cu_seqlens[{i}] is {numbers[i]} after {numbers[i - 1]}"
        )
    if not numbers or numbers[0] != 0 or numbers[-1] != tokens:
        raise ArgumentError(
            f"cu_seqlens is {numbers[:1]} .. {numbers[-1:]}: it goes from 0 to the tokens, {tokens}"
        )


def check_values(
    given: dict[str, Optional[Tensor]], beta_kind: str, ends: Optional[Tensor]
) -> None:
    """Raises ArgumentError where a number is not finite, beta is negative, g is NaN or positive or
    infinite, or cu_seqlens is wrong. It waits for the device, so a graph cannot contain it."""
    if torch.compiler.is_compiling():
        raise ArgumentError("check is True, which torch.compile cannot record: leave it out there")
    q, beta = given["q"], given["beta"]
    assert q is not None and beta is not None
    if q.is_cuda and torch.cuda.is_current_stream_capturing():
        raise ArgumentError("check is True while a graph is captured: a check waits for the device")
    for name, x in given.items():
        good = x is None or bool(torch.isfinite(x).all() if name != "g" else (x <= 0).all())
        what = "a number that is not finite" if name != "g" else "NaN, or a number above 0"
        expect(good, f"{shown(name, x)} has {what}")
    if beta_kind == "number":
        expect((beta >= 0).all(), f"{shown('beta', beta)} has a negative number")
    if ends is not None:
        check_ends(ends, q.shape[1])


def delta_product(
    q: Tensor,
    k: Tensor,
    v: Optional[Tensor],
    beta: Tensor,
    g: Optional[Tensor] = None,
    n_h: int = 1,
    scale: Optional[float] = None,
    initial_state: Optional[Tensor] = None,
    output_final_state: bool = False,
    cu_seqlens: Optional[Tensor] = None,
    beta_kind: str = "number",
    l2norm: Optional[str] = None,
    l2norm_eps: float = 1e-6,
    state_order: str = "kv",
    check: bool = False,
    path: str = "auto",
) -> Tuple[Tensor, Optional[Tensor]]:
    """Reads sequences with products of n_h generalized Householder factors per token. At token t

        S <- Diag(exp(g_t)) S;  n_h times: S <- S + beta k (v - S^T k)^T;  out_t = scale S^T q_t

    and returns out [B, T, H, V] with the states after the last tokens [B, H, K, V], None unless
    output_final_state.

    q [B, T, Hk, K]; k [B, T n_h, Hk, K], v [B, T n_h, H, V], beta [B, T n_h, H]: the factors of a
    token follow each other in dimension 1. Hk divides H: head h reads key head h / (H / Hk). v is
    None for no additive part. g: logarithms, [B, T, H], or [B, T, H, K] for each key. scale: None
    for K^-1/2. initial_state [sequences, H, K, V], float32 or bfloat16, a state per sequence.
    cu_seqlens: with B = 1, sequence i has tokens cu_seqlens[i] .. cu_seqlens[i + 1] - 1; int32 or
    int64; one on the CPU is checked and copied to the GPU.
    beta_kind: "number"; "sigmoid", "two_sigmoid": beta is computed from it. l2norm: "add": q and k
    are divided by sqrt(sum of squares + l2norm_eps), "max": by max(their length, l2norm_eps).
    state_order: "kv", or "vk" for states [.., V, K]. check: also look at values, which waits for
    the device. path: "tensor" (cores), "recurrent", "auto", or "tensor_states": tensor cores that
    keep states, so that gradients of a sequence in two pieces are those of the whole.

    Types: float32, bfloat16, float16, on the CPU also float64, one for q, k, v and out, one for
    beta and g (two different ones are taken as float32). Under autocast q, k and v are cast.

    >>> import torch
    >>> k = torch.tensor([[[[1.0, 0.0]], [[1.0, 0.0]]]])
    >>> v = torch.tensor([[[[3.0]], [[5.0]]]])
    >>> delta_product(k, k, v, torch.tensor([[[1.0], [2.0]]]), scale=1.0)[0].flatten().tolist()
    [3.0, 7.0]
    """
    direct = plain((q, k, v, beta, g, initial_state, cu_seqlens))
    if not direct or k is None or beta is None:
        _tensors(q=q, k=k, beta=beta)
    if g is not None and g.dtype != beta.dtype and WIDE not in (g.dtype, beta.dtype):
        beta, g = beta.float(), g.float()  # as fla's users have them: beta narrow, g in fp32
    device = "cuda" if q.is_cuda else "cpu"
    if torch.is_autocast_enabled(device):
        dtype = torch.get_autocast_dtype(device)
        q, k, v = _cast(q, dtype), _cast(k, dtype), _cast(v, dtype)  # type: ignore[assignment]
    if cu_seqlens is not None and q.is_cuda and not cu_seqlens.is_cuda:
        cu_seqlens = _ends_on_device(cu_seqlens, q.shape[1], q.device)
    if check:
        given = {"q": q, "k": k, "v": v, "beta": beta, "g": g, "initial_state": initial_state}
        check_values(given, beta_kind, cu_seqlens)
    tensors = (q, k, v, beta, g, initial_state, cu_seqlens)
    named = (n_h, scale, beta_kind, l2norm, l2norm_eps, state_order, path)
    if direct:
        return _call_directly(tensors, named, output_final_state)
    options = _options(*named)
    if torch.is_grad_enabled() and _wants_gradient(tensors):
        got = DeltaProduct.apply(*tensors, *options, output_final_state)
        return got if output_final_state else (got, None)
    out, last, _ = ops.delta_product_forward(*tensors, *options, output_final_state, False)
    return out, last if output_final_state else None


_CONSTANTS = (int, float, str)
_named: dict[Tuple[Any, ...], Tuple[Any, ...]] = {}  # options as delta_product has them


def _call_directly(
    tensors: Tuple[Any, ...], named: Tuple[Any, ...], final: bool
) -> Tuple[Tensor, Optional[Tensor]]:
    """Returns what delta_product does for plain tensors in an eager call."""
    try:
        options = _named.get(named)
    except TypeError:  # a name that is a list, which `_options` refuses
        options = None
    if options is None:
        options = ops.options_of(*_options(*named))
        if len(_named) >= ops.MOST_PLANS:
            _named.clear()
        if all(x is None or isinstance(x, _CONSTANTS) for x in named):  # a tensor may change
            _named[named] = options
    if tensors[6] is not None:
        tensors = (*tensors[:6], tensors[6].contiguous())
    plan = ops.plan_of(*tensors, None, options)
    if torch.is_grad_enabled() and _wants_gradient(tensors):
        got = _apply_direct(*tensors, plan, final)
        return got if final else (got, None)
    out, last, _ = ops.run_forward(plan, tensors, final, False)
    return out, last


def _options(
    n_h: int,
    scale: Optional[float],
    beta_kind: str,
    l2norm: Optional[str],
    l2norm_eps: float,
    state_order: str,
    path: str,
) -> Tuple[Any, ...]:
    """Returns the operators' options; ArgumentError."""
    return (
        n_h,
        0.0 if scale is None else _scale(scale),
        _number(BETAS, "beta_kind", beta_kind),
        _number(NORMS, "l2norm", l2norm),
        float(l2norm_eps),
        _number(ORDERS, "state_order", state_order),
        _number(PATHS, "path", path),
    )


def _wants_gradient(tensors: Sequence[Optional[Tensor]]) -> bool:
    for x in tensors:
        if x is not None and x.requires_grad:
            return True
    return False


def _scale(scale: float) -> float:
    if scale == 0:
        raise ArgumentError("scale is 0: every output would be")
    return float(scale)


def delta_rule(
    q: Tensor,
    k: Tensor,
    v: Optional[Tensor],
    beta: Tensor,
    g: Optional[Tensor] = None,
    **options: Any,
) -> Tuple[Tensor, Optional[Tensor]]:
    """Returns `delta_product` with one factor per token: DeltaNet, and with g Gated DeltaNet."""
    if options.get("n_h", 1) != 1:
        raise ArgumentError(
            f"n_h is {options['n_h']}: delta_rule has one factor; see delta_product"
        )
    return delta_product(q, k, v, beta, g, **options)


def delta_product_step(
    q: Tensor,
    k: Tensor,
    v: Optional[Tensor],
    beta: Tensor,
    g: Optional[Tensor] = None,
    *,
    state: Tensor,
    state_indices: Optional[Tensor] = None,
    n_h: int = 1,
    scale: Optional[float] = None,
    beta_kind: str = "number",
    l2norm: Optional[str] = None,
    l2norm_eps: float = 1e-6,
    state_order: str = "kv",
    path: str = "auto",
) -> Tensor:
    """Reads one token of each of B sequences, for decoding; returns out [B, 1, H, V] and changes
    `state` in place, without gradients. Arguments are those of delta_product with T = 1. state is
    [B, H, K, V], or a pool [states, H, K, V] of which sequence i has number state_indices[i]; -1:
    padding, whose output is 0 and which has no state."""
    _tensors(q=q, k=k, beta=beta, state=state)
    options = _options(n_h, scale, beta_kind, l2norm, l2norm_eps, state_order, path)
    with torch.no_grad():
        return ops.delta_product_step(q, k, v, beta, g, state, state_indices, *options)
