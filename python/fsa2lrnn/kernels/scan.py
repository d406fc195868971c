"""The selective scan and the causal convolution as operators of PyTorch, with gradients."""

from __future__ import annotations

import struct
from typing import Any, Optional, Tuple

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable

from . import _library as library
from ._errors import ArgumentError
from ._tensors import TYPES, expect, launch, plain, pointer, rows, same_device, shown, workspace
from .ops import register

SCAN = struct.Struct("@N2i6qf4x")  # fsa2lrnn_selective_scan
SCAN_IN = struct.Struct("@N8P")
SCAN_GRAD = struct.Struct("@N9P")
CONV = struct.Struct("@N2i6q")  # fsa2lrnn_causal_conv1d
CONV_IN = struct.Struct("@N4P")
CONV_GRAD = struct.Struct("@N4P")
WIDE = torch.float64

_scan_bytes = library.function("selective_scan_bytes", 4)
_scan_forward = library.function("selective_scan_forward", 6)
_scan_backward = library.function("selective_scan_backward", 7)
_conv_bytes = library.function("causal_conv1d_bytes", 3)
_conv_forward = library.function("causal_conv1d_forward", 6)
_conv_backward = library.function("causal_conv1d_backward", 6)


def _device_of(x: Tensor) -> int:
    return library.CUDA if x.is_cuda else library.CPU


def _parameter_type(x: Tensor) -> torch.dtype:
    """Returns the type that parameters have beside a tensor."""
    return WIDE if x.dtype == WIDE else torch.float32


def _fits(name: str, x: Optional[Tensor], shape: Tuple[Any, ...], dtype: torch.dtype) -> None:
    expect(
        x is None or (tuple(x.shape) == shape and x.dtype == dtype),
        f"{shown(name, x)}: it is {list(shape)} {str(dtype)[6:]}",
    )


SCAN_NAMES = ("u", "step", "gate", "write", "read", "bias", "state_log", "skip")


def _check_scan(x: Tuple[Tensor, ...]) -> None:
    """Raises ArgumentError unless the inputs of a scan fit each other."""
    u, write = x[0], x[3]
    expect(u.dim() == 3, f"{shown('u', u)} does not have 3 dimensions")
    expect(write.dim() == 3, f"{shown('B', write)} does not have 3 dimensions")
    expect(u.dtype in TYPES, f"{shown('u', u)}: its type can be float32, bfloat16, ..")
    batch, tokens, channels = u.shape
    states, wide = write.shape[2], _parameter_type(u)
    like, parts = (batch, tokens, channels), (batch, tokens, states)
    shapes = (like, like, like, parts, parts, (channels,), (channels, states), (channels,))
    for i, (name, t) in enumerate(zip(SCAN_NAMES, x)):
        _fits({"write": "B", "read": "C"}.get(name, name), t, shapes[i], u.dtype if i < 5 else wide)
    same_device("u", dict(zip(SCAN_NAMES, x)))


def _pack_scan(x: Tuple[Tensor, ...], low: float) -> bytes:
    u, write = x[0], x[3]
    sizes = (*u.shape, write.shape[2], 0, 0)
    return SCAN.pack(SCAN.size, _device_of(u), TYPES[u.dtype], *map(int, sizes), low)


def _bytes_of_scan(p: bytes) -> Tuple[int, ...]:
    """Returns the bytes that forward keeps, and those of backward's workspace."""
    return library.sizes(_scan_bytes, 2, p)


def _scan_inputs(x: Tuple[Tensor, ...]) -> Tuple[bytes, Tuple[Tensor, ...]]:
    held = tuple(t.contiguous() for t in x)
    return SCAN_IN.pack(SCAN_IN.size, *(t.data_ptr() for t in held)), held


def scan_forward(*given: Any) -> Tuple[Tensor, Tensor]:
    x, low, keep = given[:8], given[8], given[9]
    _check_scan(x)
    u, p = x[0], _pack_scan(x, low)
    count, _ = _bytes_of_scan(p)
    out = u.new_empty(u.shape)
    kept = u.new_empty(count if keep else 0, dtype=torch.uint8)
    packed, held = _scan_inputs(x)
    keeps = kept.data_ptr() if keep and count else 0
    launch(u.get_device(), _scan_forward, out.data_ptr(), keeps, packed, p)
    del held
    return out, kept


def scan_backward(*given: Any) -> Tuple[Tensor, ...]:
    dout, kept, x, low = given[0], given[1], given[2:10], given[10]
    _check_scan(x)
    u, p = x[0], _pack_scan(x, low)
    _fits("the gradient of out", dout, tuple(u.shape), u.dtype)
    count, work_count = _bytes_of_scan(p)
    expect(kept.numel() == count, f"{shown('kept', kept)} is not what forward kept")
    packed, held = _scan_inputs(x)
    dout = dout.contiguous()
    d = (
        *(t.new_empty(t.shape) for t in x[:5]),
        *(t.new_zeros(t.shape) for t in x[5:]),  # they are added to
    )
    work = workspace(work_count, u)
    grad = SCAN_GRAD.pack(SCAN_GRAD.size, dout.data_ptr(), *(t.data_ptr() for t in d))
    keeps = kept.data_ptr() if count else 0
    launch(u.get_device(), _scan_backward, grad, keeps, pointer(work), packed, p)
    del held
    return d


def scan_forward_shapes(*given: Any) -> Tuple[Tensor, Tensor]:
    _check_scan(given[:8])
    count, _ = _bytes_of_scan(_pack_scan(given[:8], given[8]))
    u = given[0]
    return u.new_empty(u.shape), u.new_empty(count if given[9] else 0, dtype=torch.uint8)


def scan_backward_shapes(*given: Any) -> Tuple[Tensor, ...]:
    _check_scan(given[2:10])
    return tuple(t.new_empty(t.shape) for t in given[2:10])


_SCAN = ", ".join(f"Tensor {name}" for name in SCAN_NAMES)
selective_scan_forward = register(
    "selective_scan_forward",
    f"{_SCAN}, float low, bool keep) -> (Tensor, Tensor)",
    scan_forward,
    scan_forward_shapes,
)
selective_scan_backward = register(
    "selective_scan_backward",
    f"Tensor dout, Tensor kept, {_SCAN}, float low) -> ({', '.join(['Tensor'] * 8)})",
    scan_backward,
    scan_backward_shapes,
)


class SelectiveScan(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, *given: Any) -> Tensor:
        x, low = given[:8], given[8]
        run = scan_forward if plain(x) else selective_scan_forward
        out, kept = run(*x, low, True)
        ctx.save_for_backward(*x, kept)
        ctx.low = low
        return out

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, dout: Tensor) -> Any:
        *x, kept = ctx.saved_tensors
        run = scan_backward if plain((*x, dout)) else selective_scan_backward
        return (*run(dout, kept, *x, ctx.low), None)


def selective_scan(
    u: Tensor,
    step: Tensor,
    state_log: Tensor,
    B: Tensor,
    C: Tensor,
    skip: Optional[Tensor] = None,
    gate: Optional[Tensor] = None,
    bias: Optional[Tensor] = None,
    low: float = 0.0,
) -> Tensor:
    """Reads sequences by the selective scan of Mamba. From h = 0, at every token and channel

        dt = softplus(step + bias);  a_n = low + (1 - low) exp(-dt exp(state_log_n))
        h_n <- a_n h_n + dt B_n u;  out = (sum over n of C_n h_n + skip u) silu(gate)

    u, step, gate [B, T, channels]; B, C [B, T, states]; state_log [channels, states] (Mamba's A is
    -exp(state_log)), skip and bias [channels], which are float32 (float64 with float64). None: no
    skip, no gate, no bias. low -1: a in [-1, 1], so that a layer can count modulo 2.

    On a GPU float32 and bfloat16."""
    for name, x in (("u", u), ("step", step), ("state_log", state_log), ("B", B), ("C", C)):
        if not isinstance(x, Tensor):
            raise ArgumentError(f"{name} is {type(x).__name__}, and has to be a tensor")
    if low not in (0, -1):
        raise ArgumentError(f"low is {low!r}, and can be 0 or -1")
    device = "cuda" if u.is_cuda else "cpu"
    if torch.is_autocast_enabled(device) and u.dtype != WIDE:
        dtype = torch.get_autocast_dtype(device)
        u, step, B, C = (x.to(dtype) for x in (u, step, B, C))
        gate = None if gate is None else gate.to(dtype)
    wide, channels = _parameter_type(u), u.shape[-1:]
    if skip is None:
        skip = u.new_zeros(channels, dtype=wide)
    if bias is None:
        bias = u.new_zeros(channels, dtype=wide)
    # silu(x) is 1 where x is this.
    given_gate = torch.full_like(u, 1.2784645427610738) if gate is None else gate
    x = (u, step, given_gate, B, C, bias.to(wide), state_log.to(wide), skip.to(wide))
    if torch.is_grad_enabled() and any(t.requires_grad for t in x):
        return SelectiveScan.apply(*x, float(low))
    return (scan_forward if plain(x) else selective_scan_forward)(*x, float(low), False)[0]


def _check_conv(x: Tensor, weight: Tensor, bias: Optional[Tensor], past: Optional[Tensor]) -> None:
    """Raises ArgumentError unless the inputs of a convolution fit each other."""
    expect(x.dim() == 3, f"{shown('x', x)} does not have 3 dimensions")
    expect(weight.dim() == 2, f"{shown('weight', weight)}: it is [width, taps]")
    expect(x.dtype in TYPES, f"{shown('x', x)}: its type can be float32, bfloat16, ..")
    batch, _, width = x.shape
    taps, wide = weight.shape[1], _parameter_type(x)
    _fits("weight", weight, (width, taps), wide)
    _fits("bias", bias, (width,), wide)
    _fits("past", past, (batch, taps - 1, width), x.dtype)
    same_device("x", {"x": x, "weight": weight, "bias": bias, "past": past})


def _conv_rows(x: Tensor) -> Tuple[Tensor, int]:
    """Returns the tensor [B, T, width], copied unless its rows are at one distance, with it."""
    row = x.stride(1) if x.shape[1] > 1 else x.shape[2]
    one = x.shape[0] == 1 or x.stride(0) == row * x.shape[1]
    if x.numel() and one and row >= x.shape[2] and (x.stride(2) == 1 or x.shape[2] == 1):
        return x, row
    x = rows(x, "x") if x.dim() else x
    return x.contiguous(), x.shape[2]


def _pack_conv(x: Tensor, weight: Tensor, row: int) -> bytes:
    sizes = (*x.shape, weight.shape[1], row, 0)
    return CONV.pack(CONV.size, _device_of(x), TYPES[x.dtype], *map(int, sizes))


def conv_forward(
    x: Tensor, weight: Tensor, bias: Optional[Tensor], past: Optional[Tensor], keep_past: bool
) -> Tuple[Tensor, Tensor]:
    """Returns y and the past after it, which is empty where it is not wanted."""
    _check_conv(x, weight, bias, past)
    x, row = _conv_rows(x)
    weight = weight.contiguous()
    bias = None if bias is None else bias.contiguous()
    count = (x.shape[0], weight.shape[1] - 1, x.shape[2])
    if keep_past or past is not None:
        past = x.new_zeros(count) if past is None else past.contiguous()
        after = x.new_empty(count)
    else:
        after = x.new_empty(0)
    y = x.new_empty(x.shape)
    packed = CONV_IN.pack(
        CONV_IN.size, x.data_ptr(), weight.data_ptr(), pointer(bias), pointer(past)
    )
    to = 0 if past is None else after.data_ptr()
    p = _pack_conv(x, weight, row)
    launch(x.get_device(), _conv_forward, y.data_ptr(), to, packed, p)
    return y, after if keep_past else x.new_empty(0)


def conv_backward(
    dy: Tensor, x: Tensor, weight: Tensor, bias: Optional[Tensor], wanted: int
) -> Tuple[Tensor, Tensor, Tensor]:
    """Returns the gradients of x, weight and bias, empty where bit i of `wanted` is not set."""
    _check_conv(x, weight, bias, None)
    _fits("the gradient of y", dy, tuple(x.shape), x.dtype)
    x, row = x.contiguous(), x.shape[2]
    weight, dy = weight.contiguous(), dy.contiguous()
    bias = None if bias is None else bias.contiguous()
    dx = x.new_empty(x.shape if wanted & 1 else 0)
    dweight = weight.new_zeros(weight.shape if wanted & 2 else 0)
    dbias = weight.new_zeros(x.shape[2] if wanted & 4 else 0)
    p = _pack_conv(x, weight, row)
    (count,) = library.sizes(_conv_bytes, 1, p)
    work = workspace(count, x)
    packed = CONV_IN.pack(CONV_IN.size, x.data_ptr(), weight.data_ptr(), pointer(bias), 0)
    to = (t.data_ptr() if t.numel() else 0 for t in (dx, dweight, dbias))
    grad = CONV_GRAD.pack(CONV_GRAD.size, dy.data_ptr(), *to)
    launch(x.get_device(), _conv_backward, grad, pointer(work), packed, p)
    return dx, dweight, dbias


def conv_forward_shapes(*given: Any) -> Tuple[Tensor, Tensor]:
    x, weight, keep_past = given[0], given[1], given[4]
    _check_conv(*given[:4])
    after = (x.shape[0], weight.shape[1] - 1, x.shape[2]) if keep_past else (0,)
    return x.new_empty(x.shape), x.new_empty(after)


def conv_backward_shapes(*given: Any) -> Tuple[Tensor, Tensor, Tensor]:
    _, x, weight, bias, wanted = given
    _check_conv(x, weight, bias, None)
    return (
        x.new_empty(x.shape if wanted & 1 else 0),
        weight.new_empty(weight.shape if wanted & 2 else 0),
        weight.new_empty(x.shape[2] if wanted & 4 else 0),
    )


causal_conv1d_forward = register(
    "causal_conv1d_forward",
    "Tensor x, Tensor weight, Tensor? bias, Tensor? past, bool keep_past) -> (Tensor, Tensor)",
    conv_forward,
    conv_forward_shapes,
)
causal_conv1d_backward = register(
    "causal_conv1d_backward",
    "Tensor dy, Tensor x, Tensor weight, Tensor? bias, int wanted) -> (Tensor, Tensor, Tensor)",
    conv_backward,
    conv_backward_shapes,
)


class CausalConv1d(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor, weight: Tensor, bias: Optional[Tensor]) -> Tensor:
        ctx.save_for_backward(x, weight, bias)
        run = conv_forward if plain((x, weight, bias)) else causal_conv1d_forward
        return run(x, weight, bias, None, False)[0]

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, dy: Tensor) -> Any:
        x, weight, bias = ctx.saved_tensors
        needs = ctx.needs_input_grad
        wanted = needs[0] + 2 * needs[1] + 4 * (needs[2] and bias is not None)
        run = conv_backward if plain((x, weight, bias, dy)) else causal_conv1d_backward
        d = run(dy, x, weight, bias, wanted)
        return tuple(d[i] if wanted >> i & 1 else None for i in range(3))


def causal_conv1d(
    x: Tensor,
    weight: Tensor,
    bias: Optional[Tensor] = None,
    activation: Optional[str] = None,
    past: Optional[Tensor] = None,
    output_final_state: bool = False,
) -> Tuple[Tensor, Optional[Tensor]]:
    """Returns the depthwise convolution y [B, T, width] of x over its last tokens, and the past
    after them, None unless output_final_state.

        y_t = bias + sum over j of weight_j x_(t - taps + 1 + j)

    weight [width, taps] and bias [width] are float32 (float64 with float64). activation: "silu", or
    None. past [B, taps - 1, width]: the tokens before the first, oldest first; with it there are no
    gradients."""
    for name, t in (("x", x), ("weight", weight)):
        if not isinstance(t, Tensor):
            raise ArgumentError(f"{name} is {type(t).__name__}, and has to be a tensor")
    if activation not in (None, "silu", "swish"):
        raise ArgumentError(f"activation is {activation!r}, and can be None, 'silu', 'swish'")
    device = "cuda" if x.is_cuda else "cpu"
    if torch.is_autocast_enabled(device) and x.dtype != WIDE:
        x = x.to(torch.get_autocast_dtype(device))
    weight = weight.to(_parameter_type(x))
    bias = None if bias is None else bias.to(weight.dtype)
    wanted = any(t is not None and t.requires_grad for t in (x, weight, bias))
    if torch.is_grad_enabled() and wanted and past is None:
        y, after = CausalConv1d.apply(x, weight, bias), None
        if output_final_state:
            with torch.no_grad():
                taps = weight.shape[1]
                after = torch.nn.functional.pad(x, (0, 0, taps - 1, 0))[:, x.shape[1] :]
    else:
        expect(
            not (torch.is_grad_enabled() and wanted),
            "past is given, and a gradient is wanted: there is none of a piece",
        )
        run = conv_forward if plain((x, weight, bias, past)) else causal_conv1d_forward
        y, after = run(x, weight, bias, past, output_final_state)
    y = torch.nn.functional.silu(y) if activation else y
    return y, after if output_final_state else None
