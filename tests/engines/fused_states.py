"""Writes states that vLLM's fused recurrent kernel gives, for compare_kernels.py, from the file of
vLLM that models/network/engines/vllm-fused.engine names, which is not copied here.

    TRITON_INTERPRET=1 python3 tests/engines/fused_states.py \\
        --source fused_sigmoid_gating.py --out states.json          (PyTorch, Triton; 2 minutes)
    python3 tests/engines/compare_kernels.py --engines states.json \\
        --out reports/results/engines-kernels.json

With TRITON_INTERPRET=1 Triton's interpreter runs the source on a CPU: sums, roots and exponentials
are NumPy's, and no compiler chooses an order or fuses anything. Its cast from fp32 to bf16 cuts
bits off; it is replaced by rounding to nearest, as a GPU's cast has it. Without the variable the
kernel is compiled for a GPU, which was not tried yet.

Unrounded inputs are keys of an orthonormal set with beta 1 and gate 1: every number is a multiple
of 1/2, at most 4. Exact ones have other dyadic keys, so that more bits are needed letter by letter,
and from some letter on fp32 rounds; random ones have other betas and, in one case, gates. The
kernel makes beta and the gate of logits; what is compared with it takes the values that the same
functions of Triton give."""

import argparse
import base64
import importlib.util
import json
import os
import sys
import types
from pathlib import Path

import torch
import triton
import triton.language as tl

INTERPRETED = os.environ.get("TRITON_INTERPRET") == "1"
DEVICE = "cpu" if INTERPRETED else "cuda"
STATES = {"fp32": torch.float32, "bf16": torch.bfloat16, "fp16": torch.float16}
LETTERS, V = 48, 16
HADAMARD = torch.tensor([[1, 1, 1, 1], [1, -1, 1, -1], [1, 1, -1, -1], [1, -1, -1, 1]]).float()


@triton.jit
def functions(logits, rates, beta, alpha, n, BLOCK: tl.constexpr):
    """Writes the betas and the gates (A_log and dt_bias 0) as the kernel makes them."""
    i = tl.arange(0, BLOCK)
    x = tl.load(rates + i, mask=i < n, other=0).to(tl.float32)
    softplus = tl.where(x <= 20.0, tl.log(1 + tl.exp(x)), x)
    tl.store(alpha + i, tl.exp(-softplus), mask=i < n)
    b = tl.load(logits + i, mask=i < n, other=0).to(tl.float32)
    tl.store(beta + i, tl.sigmoid(b), mask=i < n)


def text(x):
    return base64.b64encode(x.detach().float().contiguous().cpu().numpy().tobytes()).decode()


def load(file):
    """Returns the function of vLLM's file; of vLLM it needs two names alone."""
    utils = types.ModuleType("vllm.triton_utils")
    utils.tl, utils.triton = tl, triton
    sys.modules |= {"vllm": types.ModuleType("vllm"), "vllm.triton_utils": utils}
    spec = importlib.util.spec_from_file_location("fused", file)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.fused_sigmoid_gating_delta_rule_update


def round_casts():
    """Makes the interpreter's cast from fp32 to bf16 round to nearest, ties to even."""
    from triton.runtime import interpreter

    own = interpreter._convert_float

    def convert(data, given, wanted, rounding):
        if given != tl.float32 or wanted != tl.bfloat16:
            return own(data, given, wanted, rounding)
        rounded = torch.from_numpy(data.copy()).to(torch.bfloat16)
        return rounded.view(torch.int16).numpy().view("uint16").reshape(data.shape)

    interpreter._convert_float = convert


def keys_of(kind, n, generator):
    if kind == "random":
        return torch.randn(LETTERS, n, generator=generator)
    k = torch.zeros(LETTERS, n)
    for t in range(LETTERS):
        if kind == "unrounded":
            block, row = (int(torch.randint(m, (1,), generator=generator)) for m in (n // 4, 4))
            k[t, 4 * block : 4 * block + 4] = 4 * HADAMARD[row]
        else:
            at = torch.randperm(n, generator=generator)[:4]
            k[t, at] = 8 * torch.randint(0, 2, (4,), generator=generator).float() - 4
    return k


def case(kind, n):
    """Returns keys, values, logits of beta, rates of the gate, all bf16."""
    generator = torch.Generator().manual_seed(48 * n)
    k = keys_of(kind.split()[0], n, generator)
    v = torch.randint(-2, 3, (LETTERS, V), generator=generator).float()
    b = torch.full((LETTERS,), 40.0)
    if kind.startswith("random"):
        v = torch.randn(LETTERS, V, generator=generator)
        b = torch.randn(LETTERS, generator=generator)
    a = torch.full((LETTERS,), -1e4)  # every gate is 1
    if kind.endswith("gated"):
        a = torch.randn(LETTERS, generator=generator)
    return [x.bfloat16().to(DEVICE) for x in (k, v, b, a)]


def run(step, kind, n, state):
    k, v, b, a = case(kind, n)
    beta, alpha = (torch.empty(LETTERS, device=DEVICE) for _ in range(2))
    functions[(1,)](b, a, beta, alpha, LETTERS, triton.next_power_of_2(LETTERS))
    stored = torch.zeros(2, 1, V, n, device=DEVICE, dtype=STATES[state])
    index = torch.ones(1, dtype=torch.int32, device=DEVICE)  # block 0 is vLLM's for no state
    zero, states = torch.zeros(1, device=DEVICE), []
    for t in range(LETTERS):
        key = k[t].view(1, 1, 1, n)
        gates = {"A_log": zero, "a": a[t].view(1, 1, 1), "b": b[t].view(1, 1, 1), "dt_bias": zero}
        step(
            **gates,
            q=key,
            k=key,
            v=v[t].view(1, 1, 1, V),
            initial_state=stored,
            ssm_state_indices=index,
            use_qk_l2norm_in_kernel=True,
        )
        states.append(stored[1, 0].T.float().cpu().clone())
    given = {"k": k, "v": v, "beta": beta, "alpha": alpha, "states": torch.stack(states)}
    out = {"state": state, "K": n, "V": V, "T": LETTERS}
    return out | {name: text(x) for name, x in given.items()}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--source", required=True, type=Path, help="vLLM's file")
    parser.add_argument("--out", required=True, type=Path)
    args = parser.parse_args()
    step = load(args.source)
    if INTERPRETED:
        round_casts()
    record = {"torch": torch.__version__, "triton": triton.__version__, "parts": {}}
    if INTERPRETED:
        import numpy

        record |= {"interpreter": True, "numpy": numpy.__version__}
    for n in (16, 128):
        for kind in ("unrounded", "exact", "random", "random gated"):
            for state in STATES:
                record["parts"][f"vllm-fused {kind} {n} {state}"] = run(step, kind, n, state)
                print(kind, n, state, flush=True)
    args.out.write_text(json.dumps(record))


if __name__ == "__main__":
    main()
