"""fla's Mamba layer with our selective scan and convolution, with eigenvalues in [0, 1] as it has
them, or in [-1, 1], with which a layer counts modulo 2."""

from __future__ import annotations

import functools
from typing import Any, Callable, Optional, Tuple

import torch
from torch import Tensor
from torch.nn import functional

from ._errors import ArgumentError, DomainError
from .scan import causal_conv1d, selective_scan

MOST = 64  # states of a channel, taps of the convolution
SILU = ("silu", "swish")
LOWS = (0, -1)
Say = Callable[[str, str], None]
Read = Tuple[Tensor, Optional[Tensor], Optional[Tensor]]


class _Default:
    low = 0  # of layers without an attribute `low`


def set_low(low: int) -> None:
    """Sets the least eigenvalue of layers that do not say theirs."""
    if low not in LOWS:
        raise ArgumentError(f"mamba_low is {low!r}, and can be 0 or -1")
    _Default.low = low


def _low_of(layer: Any) -> int:
    low = getattr(layer, "low", _Default.low)
    if low not in LOWS:
        raise ArgumentError(f"a Mamba layer's low is {low!r}, and can be 0 or -1")
    return int(low)


def _number_type(x: Tensor) -> torch.dtype:
    """Returns the type that the operators will compute in."""
    device = "cuda" if x.is_cuda else "cpu"
    if torch.is_autocast_enabled(device) and x.dtype != torch.float64:
        return torch.get_autocast_dtype(device)
    return x.dtype


def _refuse(layer: Any, x: Tensor) -> str:
    """Returns why our operators do not read a sequence, "" where they do."""
    if x.dim() != 3 or x.shape[1] == 0:
        return f"{list(x.shape)} is no batch of sequences"
    if layer.activation not in SILU:
        return f"hidden_act is {layer.activation}"
    if layer.ssm_state_size > MOST or layer.conv_kernel_size > MOST:
        return f"{layer.ssm_state_size} states, {layer.conv_kernel_size} taps"
    if x.is_cuda and _number_type(x) not in (torch.float32, torch.bfloat16):
        return f"{_number_type(x)} on a GPU"
    return ""


def _hide(x: Tensor, mask: Optional[Tensor]) -> Tensor:
    """Returns the tensor [B, T, width] with zeros where the mask has them."""
    return x if mask is None else x * mask[..., None].to(x.dtype)


def _select(layer: Any, x: Tensor) -> Tuple[Tensor, Tensor, Tensor]:
    """Returns the step before its bias, B and C of every token."""
    sizes = [layer.dt_rank, layer.ssm_state_size, layer.ssm_state_size]
    step, write, read = layer.x_proj(x).split(sizes, -1)
    return functional.linear(step, layer.dt_proj.weight), write, read


def _scan(layer: Any, hidden: Tensor, mask: Optional[Tensor], low: int) -> Read:
    """Reads sequences from their beginning, by our operators."""
    x, gate = layer.in_proj(hidden).chunk(2, -1)
    taps = layer.conv1d.weight[:, 0]
    x = _hide(causal_conv1d(_hide(x, mask), taps, layer.conv1d.bias, "silu")[0], mask)
    step, write, read = _select(layer, x)
    x = selective_scan(
        *(x, step, layer.A_log, write, read, layer.D, gate, layer.dt_proj.bias), low=low
    )
    return layer.out_proj(x), None, None


def _walk(layer: Any, hidden: Tensor, mask: Optional[Tensor], low: int, last: Any) -> Read:
    """Reads sequences token by token from the states of a cache, in operations of PyTorch; returns
    the states after them too, as fla keeps them."""
    x, gate = layer.in_proj(hidden).chunk(2, -1)
    x = _hide(x, mask).transpose(1, 2)
    taps = layer.conv_kernel_size
    past = x.new_zeros(*x.shape[:2], taps - 1) if last is None else last["conv_state"][..., 1:]
    window = torch.cat([past.to(x.dtype), x], -1)
    conv = layer.conv1d
    x = functional.conv1d(window, conv.weight, conv.bias, groups=x.shape[1]).transpose(1, 2)
    x = _hide(functional.silu(x), mask)
    step, write, read = _select(layer, x)
    dt = functional.softplus((step + layer.dt_proj.bias).float())
    rate = layer.A_log.float().exp()
    shape = (*x.shape[::2], layer.ssm_state_size)
    h = x.new_zeros(shape).float() if last is None else last["recurrent_state"].float()
    outs = []
    for t in range(x.shape[1]):
        a = low + (1 - low) * torch.exp(-dt[:, t, :, None] * rate)
        h = a * h + (dt[:, t] * x[:, t])[..., None] * write[:, t, None].float()
        outs.append((h @ read[:, t, :, None].float())[..., 0])
    out = torch.stack(outs, 1) + layer.D * x
    out = (out * functional.silu(gate.float())).to(hidden.dtype)
    return layer.out_proj(out), window[..., -taps:].contiguous(), h


def wrap_mamba(original: Callable[..., Any], utils: Any, say: Say) -> Callable[..., Any]:
    """Returns a forward for fla's Mamba; utils is fla.layers.utils. What our operators do not take
    goes to fla's, and `say` is told why; with eigenvalues in [-1, 1], which fla's has not, states
    of a cache are computed token by token, and everything else is an error."""

    @functools.wraps(original)
    def forward(
        self: Any,
        hidden_states: Tensor,
        attention_mask: Optional[Tensor] = None,
        past_key_values: Any = None,
        use_cache: Optional[bool] = False,
        output_attentions: Optional[bool] = False,
        **others: Any,
    ) -> Any:
        low, cache = _low_of(self), past_key_values
        last = None if cache is None else utils.get_layer_cache(self, cache)
        keeps = bool(use_cache) and cache is not None
        reason = _refuse(self, hidden_states)
        if not reason and not low and (keeps or last is not None):
            reason = "states of a cache are wanted"
        if reason and low:
            raise DomainError(f"a Mamba layer of fla with eigenvalues in [-1, 1]: {reason}")
        if reason:
            say("Mamba", reason)
            options = (past_key_values, use_cache, output_attentions)
            return original(self, hidden_states, attention_mask, *options, **others)
        if keeps or last is not None:
            out, conv, state = _walk(self, hidden_states, attention_mask, low, last)
        else:
            out, conv, state = _scan(self, hidden_states, attention_mask, low)
        if keeps:
            states = {"recurrent_state": state, "conv_state": conv}
            utils.update_layer_cache(self, cache, **states, offset=hidden_states.shape[1])
        return out, None, past_key_values

    forward.fsa2lrnn = True  # type: ignore[attr-defined]
    return forward
