"""Megatron-LM's layer GatedDeltaProductMixer (n_h 3, keys of 128, values of 64, 8 groups) with our
operators, forward and backward, beside the same layer with the recurrence in float64.

usage: megatron_layer.py --megatron DIR [--device cuda] [--tokens 512] [--json FILE]

DIR is a checkout of Megatron-LM, from which megatron.core is imported; it needs einops. Its
kernel is fla's chunk_gated_delta_product where fla is installed, with accelerate_fla() before
Megatron takes the name; else the same function of ours. What else the layer takes from mamba_ssm
and causal_conv1d, and they are not here, is in this file: a norm in PyTorch, our convolution.
On a GPU the times of the layer are printed, and with fla's own kernels."""

import argparse
import functools
import importlib
import importlib.util
import json
import sys
import time
import types
import warnings
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import support
import torch
from support import F32, kernels

from fsa2lrnn.kernels import fla as ours

N_H, KEY, VALUE, GROUPS = 3, 128, 64, 8


class RMSNorm(torch.nn.Module):
    """mamba_ssm's norm with a gate, as Megatron calls it: norm(x silu(z)) over groups."""

    def __init__(self, width, eps, group_size, norm_before_gate, device=None, dtype=None):
        super().__init__()
        assert not norm_before_gate
        self.eps, self.group_size = eps, group_size
        self.weight = torch.nn.Parameter(torch.ones(width, device=device, dtype=dtype))

    def forward(self, x, z):
        y = x.float() * torch.nn.functional.silu(z.float())
        parts = y.unflatten(-1, (-1, self.group_size))
        parts = parts * (parts.square().mean(-1, keepdim=True) + self.eps).rsqrt()
        return (parts.flatten(-2) * self.weight.float()).to(x.dtype)


def causal_conv1d_fn(x, weight, bias=None, seq_idx=None, activation=None):
    """causal_conv1d's function, for sequences that are not packed."""
    assert seq_idx is None
    y, _ = kernels.causal_conv1d(x.transpose(1, 2), weight, bias, activation)
    return y.transpose(1, 2)


def l2_norm(x, eps=1e-6):
    return (x.float() * (x.float().square().sum(-1, keepdim=True) + eps).rsqrt()).to(x.dtype)


def our_product(q, k, v, g, beta, num_householder, **others):
    """Has the arguments of fla's function."""
    call = ours._gated_delta_product(q, k, v, g, beta, num_householder, **others)
    if isinstance(call, str):  # fla refuses float32
        assert q.dtype == F32, call
        dtype = torch.bfloat16
        given = (x.to(dtype) for x in (q, k, v))
        call = ours._gated_delta_product(*given, g, beta, num_householder, **others)
        call.update(q=q, k=k, v=v)
    return kernels.delta_product(**call)


def put_module(name, **names):
    """Puts a module where an import finds it, with the packages that it is in."""
    parts = name.split(".")
    for i in range(1, len(parts) + 1):
        module = types.ModuleType(".".join(parts[:i]))
        module.__path__ = []
        sys.modules.setdefault(module.__name__, module)
    vars(sys.modules[name]).update(names)


def fill_in():
    """Puts what is not installed, and what Megatron takes of it, into sys.modules; returns what is
    whose."""
    found = {}
    for name, module, names in (
        ("mamba_ssm", "mamba_ssm.ops.triton.layernorm_gated", {"RMSNorm": RMSNorm}),
        ("causal_conv1d", "causal_conv1d", {"causal_conv1d_fn": causal_conv1d_fn}),
    ):
        found[name] = "its own"
        if importlib.util.find_spec(name) is None:
            found[name] = "here"
            put_module(module, **names)
            sys.modules[name].__version__ = "1.6.0"
    if importlib.util.find_spec("fla") and torch.cuda.is_available():
        found["fla"] = importlib.import_module("fla").__version__
        kernels.accelerate_fla()
    else:
        found["fla"] = "ours alone"
        put_module("fla.modules.l2norm", l2_norm=l2_norm)
        put_module("fla.ops.gated_delta_product", chunk_gated_delta_product=our_product)
    return found


class Linear(torch.nn.Linear):
    """A projection with Megatron's arguments, on one device."""

    def __init__(self, size, to, *, config, bias, device, **others):
        super().__init__(size, to, bias=bias, dtype=config.params_dtype, device=device)

    def forward(self, x):
        return super().forward(x), None


class OneProcess:
    """A group of one process, which communicates with nobody."""

    @staticmethod
    def size():
        return 1

    @staticmethod
    def rank():
        return 0


def no_tracker():
    """Returns a tracker of random numbers that leaves them alone."""
    tracker = types.SimpleNamespace()
    tracker.fork = lambda: torch.autograd.profiler.record_function("fork")
    return tracker


def build_layer(gdp, heads, hidden, dtype, device):
    """Returns Megatron's layer in one process, without its groups and its random number states."""
    from megatron.core.transformer import TransformerConfig

    config = TransformerConfig(
        num_layers=1, hidden_size=hidden, num_attention_heads=heads, mamba_num_heads=heads,
        mamba_head_dim=VALUE, mamba_num_groups=GROUPS, mamba_state_dim=KEY, params_dtype=dtype,
        bf16=dtype == torch.bfloat16, gdp_num_householder=N_H,
    )  # fmt: skip
    gdp.get_cuda_rng_tracker = no_tracker
    if device == "cpu":
        torch.cuda.current_device = lambda: "cpu"
    linear = functools.partial(Linear, device=device)
    parts = gdp.GatedDeltaProductMixerSubmodules(in_proj=linear, out_proj=linear)
    group = types.SimpleNamespace(tp=OneProcess, cp=OneProcess)
    gdp.build_module = lambda part, *sizes, **more: part(*sizes, **more)
    torch.manual_seed(1)
    return gdp.GatedDeltaProductMixer(config, parts, hidden, layer_number=1, pg_collection=group)


def in_float64(q, k, v, g, beta, num_householder, **others):
    """Returns what the kernel does, token by token in float64."""
    x = {"q": q, "k": k, "v": v, "g": g, "beta": beta}
    x = {n: t.cpu().double() for n, t in x.items()}
    out, final = support.reference(**x, n_h=num_householder)
    return out.to(q), final.to(q)


def run_layer(layer, hidden, weights):
    leaves = [hidden.detach().clone().requires_grad_(), *layer.parameters()]
    out, _ = layer(leaves[0])
    return [out.detach(), *torch.autograd.grad((out * weights).float().sum(), leaves)]


def compare(layer, hidden, weights):
    """Returns the errors of the layer with our kernel by what they are of."""
    got = run_layer(layer, hidden, weights)
    kernel, layer.gdp_kernel = layer.gdp_kernel, in_float64
    want = run_layer(layer, hidden, weights)
    layer.gdp_kernel = kernel
    names = ("out", "hidden", *(name for name, _ in layer.named_parameters()))
    return {n: float(f"{support.error_of(a, b):.2g}") for n, a, b in zip(names, got, want)}


def median_ms(layer, hidden, weights, rounds=11):
    times = []
    for i in range(rounds + 3):
        torch.cuda.synchronize()
        began = time.perf_counter()
        run_layer(layer, hidden, weights)
        torch.cuda.synchronize()
        times.append((time.perf_counter() - began) * 1e3)
    return round(sorted(times[3:])[rounds // 2], 2)


def measure_times(gdp, layer, dtype):
    """Returns milliseconds of a forward and backward of the layer, by whose kernel it has."""
    hidden = torch.randn(4096, 8, layer.d_model, dtype=dtype, device="cuda")
    weights = torch.randn_like(hidden)
    found = {"shape": [8, 4096, layer.nheads, KEY, VALUE]}
    theirs = getattr(layer.gdp_kernel, "__wrapped__", None)
    for name, kernel in (("ours", layer.gdp_kernel), ("fla", theirs)):
        if kernel is None:
            continue
        layer.gdp_kernel = kernel
        try:
            found[name] = median_ms(layer, hidden, weights)
            print(f"{name}: forward and backward {found[name]} ms", flush=True)
        except Exception as error:  # noqa: BLE001, what fla refuses is a result
            found[name] = f"{type(error).__name__}: {error}"[:160]
    return found


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--megatron", required=True, type=Path, metavar="DIR")
    parser.add_argument("--device", default=support.DEVICES[-1], choices=support.DEVICES)
    parser.add_argument("--tokens", type=int, default=70)
    parser.add_argument("--json", type=Path, metavar="FILE")
    args = parser.parse_args()
    warnings.simplefilter("ignore")
    sys.path.insert(0, str(args.megatron))
    record = {"megatron": str(args.megatron.name), "torch": torch.__version__}
    record.update(device=args.device, parts=fill_in())
    try:
        gdp = importlib.import_module("megatron.core.ssm.gated_delta_product")
    except ImportError as error:
        print(f"skipped: megatron.core cannot be imported: {error}")
        return 0
    dtype, most = (torch.bfloat16, 0.03) if args.device == "cuda" else (F32, 1e-4)
    layer = build_layer(gdp, 16, 256, dtype, args.device)
    numbers = torch.Generator().manual_seed(2)
    size = (args.tokens, 2, 256)
    hidden, weights = (
        torch.randn(size, generator=numbers).to(args.device, dtype) for _ in range(2)
    )
    record["errors"] = compare(layer, hidden, weights)
    for name, error in record["errors"].items():
        print(f"{name:18} error {error:.1e}, by the length of what float64 gives")
    if args.json:
        args.json.write_text(json.dumps(record, indent=1) + "\n")
    if args.device == "cuda":
        record["ms"] = measure_times(gdp, layer, dtype)
    if args.json:
        args.json.write_text(json.dumps(record, indent=1) + "\n")
    good = max(record["errors"].values()) <= most
    print(f"{'1 passed, 0' if good else '0 passed, 1'} failed, parts: {record['parts']}")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
