"""Writes states that FlashInfer's decode kernel with a bf16 state gives, for compare_kernels.py:
about a minute on a GPU of compute capability 9.0, most of it compiling.

    python3 tests/engines/flashinfer_states.py --out states.json       (PyTorch, FlashInfer, a GPU)
    python3 tests/engines/compare_kernels.py --engines states.json \\
        --out reports/results/engines-kernels.json

Exact inputs are dyadic keys of raw length 8 with beta 1 and gate 1, where our row rounds nothing;
random ones have other betas and, in one case, gates. The kernel makes beta of a logit and the gate
of A_log; what is compared with it takes the values that PyTorch gives in fp32. With --dry the step
is PyTorch's on a CPU in the place of the kernel: it tries the files, and is no measurement."""

import argparse
import base64
import ctypes
import functools
import json
import re
from pathlib import Path

import torch

K = V = 128
COLUMNS = 4  # of the values whose states are written: each has its own sums
LETTERS = 256
TILE = 16  # values of a block of threads, as FlashInfer chooses for one head


def text(x):
    return base64.b64encode(x.detach().float().contiguous().cpu().numpy().tobytes()).decode()


def exact_keys(generator):
    """Returns keys with four coordinates +-4: their length is 8."""
    k = torch.zeros(LETTERS, K)
    for t in range(LETTERS):
        at = torch.randperm(K, generator=generator)[:4]
        k[t, at] = 8 * torch.randint(0, 2, (4,), generator=generator).float() - 4
    return k


def case(kind, generator):
    """Returns keys, values, logits of beta, and `a`, of which the gate is made."""
    exact = kind == "exact"
    k = exact_keys(generator) if exact else torch.randn(LETTERS, K, generator=generator)
    v = torch.randint(-2, 3, (LETTERS, V), generator=generator).float()
    if not exact:
        v = torch.randn(LETTERS, V, generator=generator)
    b = torch.full((LETTERS,), 40.0) if exact else torch.randn(LETTERS, generator=generator)
    a = torch.randn(LETTERS, generator=generator)
    return [x.bfloat16() for x in (k, v, b, a)]


def gates(a, log_rate):
    rate = torch.exp(torch.tensor(log_rate))
    return torch.exp(-rate * torch.nn.functional.softplus(a.float()))


def on_gpu():
    from flashinfer.gdn_decode import gated_delta_rule_decode_pretranspose as decode

    def step(state, k, v, b, a, log_rate):
        one = {"device": "cuda"}
        decode(
            q=k.cuda().view(1, 1, 1, K),
            k=k.cuda().view(1, 1, 1, K),
            v=v.cuda().view(1, 1, 1, V),
            state=state,
            A_log=torch.tensor([log_rate], **one),
            a=a.cuda().view(1, 1, 1),
            dt_bias=torch.zeros(1, **one),
            b=b.cuda().view(1, 1, 1),
            use_qk_l2norm=True,
        )

    return step, torch.zeros(1, 1, V, K, dtype=torch.bfloat16, device="cuda")


def launcher(file):
    """Returns a function that starts the kernel of a cubin of flashinfer_compile.py."""
    name = re.search(rb"kernel_cutlass_gdn_decode_bf16state_\w+_0(?=\0)", file.read_bytes())[0]
    driver, module, kernel = ctypes.CDLL("libcuda.so.1"), ctypes.c_void_p(), ctypes.c_void_p()

    def need(status):
        if status:
            raise SystemExit(f"{file}: the driver says {status}")

    torch.zeros(1, device="cuda")  # makes a context
    need(driver.cuModuleLoad(ctypes.byref(module), str(file).encode()))
    need(driver.cuModuleGetFunction(ctypes.byref(kernel), module, name))

    def start(*tensors):
        at = [ctypes.c_uint64(x.data_ptr()) for x in tensors]
        params = (ctypes.c_void_p * len(at))(*(ctypes.addressof(p) for p in at))
        blocks, threads, shared = (V // TILE, 1, 1), (128, 1, 1), 128
        torch.cuda.synchronize()
        need(driver.cuLaunchKernel(kernel, *blocks, *threads, shared, None, params, None))
        torch.cuda.synchronize()

    return start


def on_cubin(file):
    start, one = launcher(file), {"device": "cuda"}
    index, nothing = torch.zeros(1, dtype=torch.int32, **one), torch.zeros(1, **one).bfloat16()
    output, bias = torch.zeros(V, **one).bfloat16(), torch.zeros(1, **one)

    def step(state, k, v, b, a, log_rate):
        rate = torch.tensor([log_rate], **one)
        key, value, b, a = (x.reshape(-1).contiguous().cuda() for x in (k, v, b, a))
        start(state, nothing, rate, a, bias, key, key, value, b, output, index, index)

    return step, torch.zeros(1, 1, V, K, dtype=torch.bfloat16, **one)


def on_cpu():
    def step(state, k, v, b, a, log_rate):
        key = k.float() * torch.rsqrt((k.float() ** 2).sum() + 1e-6)
        s = state[0, 0].float() * gates(a, log_rate)
        r = (v.float() - s @ key) * torch.sigmoid(b.float())
        state[0, 0] = (s + r[:, None] * key[None, :]).bfloat16()

    return step, torch.zeros(1, 1, V, K, dtype=torch.bfloat16)


def run(make, kind, log_rate):
    k, v, b, a = case(kind, torch.Generator().manual_seed(48))
    step, state = make()
    states = []
    for t in range(LETTERS):
        step(state, k[t], v[t], b[t], a[t], log_rate)
        states.append(state[0, 0, :COLUMNS].T.float().cpu())
    return {
        "state": "bf16",
        "K": K,
        "V": COLUMNS,
        "T": LETTERS,
        "k": text(k),
        "v": text(v[:, :COLUMNS]),
        "beta": text(torch.sigmoid(b.float())),
        "alpha": text(gates(a, log_rate)),
        "states": text(torch.stack(states)),
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", required=True, type=Path)
    parser.add_argument("--dry", action="store_true")
    parser.add_argument("--cubin", type=Path, help="the kernel, of flashinfer_compile.py")
    args = parser.parse_args()
    make = on_cpu if args.dry else on_gpu
    if args.cubin:
        make = functools.partial(on_cubin, args.cubin)
    prefix = "dry " if args.dry else ""
    none = -200.0  # exp(-200) is 0 in fp32, so that every gate is 1
    cases = {"exact": none, "random": none, "random, gates": -1.0}
    parts = {}
    for name, log_rate in cases.items():
        parts[f"{prefix}flashinfer-bf16 {name}"] = run(make, name.split(",")[0], log_rate)
    args.out.write_text(json.dumps({"torch": torch.__version__, "parts": parts}))


if __name__ == "__main__":
    main()
