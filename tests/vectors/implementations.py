"""Implementations of the delta rule and product in PyTorch, each behind one function: what is
installed, what it takes, and how it is called. All tensors are flash-linear-attention's."""

import functools
import importlib
import inspect
import math
import os
import sys
import types
from pathlib import Path

import torch

DTYPES = {"bf16": torch.bfloat16, "fp16": torch.float16, "fp32": torch.float32}


class Unfit(Exception):
    """An implementation does not take these inputs; the text says why."""


def inputs_of(file, device):
    """Returns the inputs of a file as tensors: states and gates in fp32, the rest in its format."""
    wide = {"initial_state", "d_final_state", "g", "gate", "cu_seqlens"}
    tensors = {}
    for name in ("q", "k", "v", "beta", "beta_logit", "do", *sorted(wide)):
        if file[name] is not None:
            x = torch.from_numpy(file[name].copy()).to(device)
            tensors[name] = x if name in wide else x.to(DTYPES[file.format])
    return {**tensors, "scale": file.scale, "n_h": file.factors}


def gates(x):
    """Returns the logarithms of gates, zeros where there are none."""
    if "g" in x:
        return x["g"]
    batch, tokens = x["q"].shape[:2]
    return torch.zeros(batch, tokens, x["v"].shape[2], device=x["q"].device)


def only(fits, why):
    if not fits:
        raise Unfit(why)


def on_a_gpu(x):
    only(x["q"].is_cuda, "it runs on a GPU")


def one_factor(x):
    only(x["n_h"] == 1, "it has one factor for each token")


def same_heads(x):
    only(x["k"].shape[2] == x["v"].shape[2], "it has as many heads of keys as of values")


def common(x):
    """Returns the arguments that all of flash-linear-attention's functions take."""
    places = x["cu_seqlens"].long() if "cu_seqlens" in x else None
    return {
        "scale": x["scale"],
        "initial_state": x.get("initial_state"),
        "output_final_state": True,
        "cu_seqlens": places,
    }


@functools.cache
def our_kernels():
    """Returns fsa2lrnn.kernels: this tree's where the environment names its library, which needs
    no other library of fsa2lrnn; else the one that is installed."""
    if "FSA2LRNN_KERNELS_LIB" in os.environ and "fsa2lrnn" not in sys.modules:
        alone = types.ModuleType("fsa2lrnn")
        alone.__path__ = [str(Path(__file__).resolve().parents[2] / "python/fsa2lrnn")]
        sys.modules["fsa2lrnn"] = alone
    return importlib.import_module("fsa2lrnn.kernels")


def ours(beta, kind):
    """Returns the caller of our operator, with beta or with what it is computed from."""

    def call(x):
        kernels = our_kernels()
        only(beta in x, "beta is no 2 sigmoid of a number here")
        b = x[beta].float() if "g" in x else x[beta]  # one type for beta and g
        return kernels.delta_product(
            x["q"], x["k"], x["v"], b, x.get("g"), n_h=x["n_h"], beta_kind=kind, **common(x)
        )

    return call


def fla(module, name, gated, grouped=True):
    """Returns the caller of a function of fla.ops that has one factor for each token."""

    def call(x):
        function = getattr(importlib.import_module(f"fla.ops.{module}"), name)
        on_a_gpu(x)
        one_factor(x)
        only(gated or "g" not in x, "it has no gates")
        if not grouped:
            same_heads(x)
        arguments = {"q": x["q"], "k": x["k"], "v": x["v"], "beta": x["beta"]}
        if gated:
            arguments["g"] = gates(x)
        return function(**arguments, **common(x))

    return call


def fla_sigmoid(x):
    function = importlib.import_module("fla.ops.gated_delta_rule").chunk_gated_delta_rule
    on_a_gpu(x)
    one_factor(x)
    only("beta_logit" in x, "beta is no 2 sigmoid of a number here")
    kinds = {"use_beta_sigmoid_in_kernel": True, "allow_neg_eigval": True}
    return function(x["q"], x["k"], x["v"], gates(x), x["beta_logit"], **kinds, **common(x))


def fla_kda(x):
    function = importlib.import_module("fla.ops.kda").chunk_kda
    on_a_gpu(x)
    one_factor(x)
    same_heads(x)
    g = gates(x)[..., None].expand(*x["q"].shape).contiguous()
    return function(q=x["q"], k=x["k"], v=x["v"], g=g, beta=x["beta"], **common(x))


def fla_product(x):
    function = importlib.import_module("fla.ops.gated_delta_product").chunk_gated_delta_product
    on_a_gpu(x)
    same_heads(x)
    return function(
        x["q"], x["k"], x["v"], x.get("g"), x["beta"], num_householder=x["n_h"], **common(x)
    )


def transformers(name):
    """Returns the caller of a function of transformers' Qwen3-Next, which fixes the scale. What is
    called is PyTorch's code, without the wrapper that takes fla's kernels where they are."""

    def call(x):
        module = "transformers.models.qwen3_next.modeling_qwen3_next"
        function = inspect.unwrap(getattr(importlib.import_module(module), name))
        one_factor(x)
        only("cu_seqlens" not in x, "it has no cu_seqlens")
        factor = x["scale"] * math.sqrt(x["q"].shape[-1])
        factor = 1 if math.isclose(factor, 1) else factor
        only(math.frexp(factor)[0] == 0.5, "its scale is the root of 1/K, which is not dyadic here")
        return function(
            x["q"] * factor,
            x["k"],
            x["v"],
            g=gates(x),
            beta=x["beta"],
            initial_state=x.get("initial_state"),
            output_final_state=True,
        )

    return call


def flashinfer(x):
    function = importlib.import_module("flashinfer.gdn_prefill").chunk_gated_delta_rule
    on_a_gpu(x)
    one_factor(x)
    only(x["q"].dtype != torch.float32, "it takes fp16 and bf16")
    only(x["q"].shape[-1] == x["v"].shape[-1] == 128, "it takes keys and values of 128 numbers")
    only(not x["q"].requires_grad, "it has no gradients")
    batch, tokens, _, _ = x["q"].shape
    heads, wide = x["v"].shape[2], torch.float32
    places = x.get("cu_seqlens")
    if places is None:
        places = torch.arange(batch + 1, device=x["q"].device) * tokens
    start = x.get("initial_state")
    state = torch.empty(len(places) - 1, heads, 128, 128, device=x["q"].device)
    o, state = function(
        *(x[name].flatten(0, 1).contiguous() for name in ("q", "k", "v")),
        g=gates(x).exp().flatten(0, 1),
        beta=x["beta"].to(wide).flatten(0, 1),
        scale=x["scale"],
        initial_state=None if start is None else start.transpose(-1, -2).contiguous(),
        output_final_state=True,
        cu_seqlens=places.long(),
        output_state=state,
    )
    return o.view(batch, tokens, heads, 128), state.transpose(-1, -2)


def flash_qla(x):
    function = importlib.import_module("flash_qla").chunk_gated_delta_rule
    on_a_gpu(x)
    one_factor(x)
    only(x["q"].shape[-1] == x["v"].shape[-1] == 128, "it takes keys and values of 128 numbers")
    return function(x["q"], x["k"], x["v"], gates(x), x["beta"], **common(x))


IMPLEMENTATIONS = {
    "fsa2lrnn": ours("beta", "number"),
    "fsa2lrnn, 2 sigmoid inside": ours("beta_logit", "two_sigmoid"),
    "fla delta rule, chunks": fla("delta_rule", "chunk_delta_rule", False, grouped=False),
    "fla delta rule, recurrent": fla(
        "delta_rule", "fused_recurrent_delta_rule", False, grouped=False
    ),
    "fla gated delta rule, chunks": fla("gated_delta_rule", "chunk_gated_delta_rule", True),
    "fla gated delta rule, recurrent": fla(
        "gated_delta_rule", "fused_recurrent_gated_delta_rule", True
    ),
    "fla gated delta rule, 2 sigmoid inside": fla_sigmoid,
    "fla KDA, chunks": fla_kda,
    "fla gated delta product, chunks": fla_product,
    "transformers Qwen3-Next, chunks": transformers("torch_chunk_gated_delta_rule"),
    "transformers Qwen3-Next, recurrent": transformers("torch_recurrent_gated_delta_rule"),
    "FlashInfer": flashinfer,
    "FlashQLA": flash_qla,
}


def gradients(x, o, state):
    """Returns the gradients of the inputs of a call."""
    loss = (o.double() * x["do"].double()).sum()
    if "d_final_state" in x:
        loss = loss + (state.double() * x["d_final_state"].double()).sum()
    names = {"q": "dq", "k": "dk", "v": "dv", "beta": "dbeta", "g": "dg"}
    names |= {"beta_logit": "d_beta_logit", "initial_state": "d_initial_state"}
    wanted = [name for name in names if name in x]
    found = torch.autograd.grad(loss, [x[name] for name in wanted], allow_unused=True)
    return {names[name]: grad for name, grad in zip(wanted, found) if grad is not None}


def run_once(call, x, with_gradients):
    """Returns the results of one call by name."""
    x = {
        name: value.detach().requires_grad_(with_gradients and value.is_floating_point())
        if torch.is_tensor(value)
        else value
        for name, value in x.items()
    }
    with torch.set_grad_enabled(with_gradients):
        o, state = call(x)
        found = {"o": o, "final_state": state}
        if with_gradients:
            found.update(gradients(x, o, state))
    return {name: value.detach() for name, value in found.items() if value is not None}


def run_implementation(call, x):
    """Returns (results by name, note): forward alone, with the reason, where backward does not
    run. Raises where nothing runs."""
    try:
        return run_once(call, x, True), None
    except ImportError:
        raise
    except Exception as error:
        found = run_once(call, x, False)
        return found, f"no gradients: {error_text(error)}"


def take_first_configuration():
    """Makes Triton's tuner consider one configuration of every kernel: tuning takes minutes, and no
    configuration may change a result here. Does nothing without Triton."""
    try:
        tuner = importlib.import_module("triton.runtime.autotuner").Autotuner
    except ImportError:
        return
    prune = tuner.prune_configs
    tuner.prune_configs = lambda self, kwargs: prune(self, kwargs)[:1]


def error_text(error):
    name = "" if isinstance(error, Unfit) else f"{type(error).__name__}: "
    return (name + " ".join(str(error).split()))[:160]
