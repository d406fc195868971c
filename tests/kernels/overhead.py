"""What a call of fsa2lrnn.kernels costs beside an autograd.Function around an empty operator with
the same arguments, and where the time goes. On the CPU a call of no tokens is timed, in which the
library has nothing to compute; on a GPU a call of one token.

usage: overhead.py [--device cpu] [--rounds 40] [--calls 100] [--json FILE]

Each number is the least of the rounds' mean times of the processor, in microseconds, because other
work on the machine only adds."""

import argparse
import json
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import support
import torch
from support import kernels

from fsa2lrnn.kernels import _library, autograd, ops

MOST = 1.3  # a forward with gradients wanted, by the empty one


def empty_forward(q, k, v, beta, g, initial_state, cu_seqlens, n_h, scale, kind, norm, eps, order,
                  path, final, keep):  # fmt: skip
    out = q.new_empty((*q.shape[:2], *v.shape[2:]))
    return out, q.new_empty(0), q.new_empty(0)


def empty_backward(dout, dfinal, kept, q, k, v, *options):
    none = (q.new_empty(0) for _ in range(3))
    return (q.new_empty(q.shape), q.new_empty(k.shape), q.new_empty(v.shape), *none)


def define_empty():
    """Returns the operators with the schemas of ours that do nothing but make their outputs."""
    library = torch.library.Library("fsa2lrnn_empty", "DEF")
    found = [library]
    for name, function in (("forward", empty_forward), ("backward", empty_backward)):
        schema = str(getattr(ops, f"delta_product_{name}")._schema)
        library.define(name + schema[schema.index("(") :])
        for key in ("CPU", "CUDA"):
            library.impl(name, function, key)
        found.append(getattr(torch.ops.fsa2lrnn_empty, name).default)
    return found


class Empty(torch.autograd.Function):
    @staticmethod
    def forward(ctx, *given):
        out, _, kept = Empty.operators[1](*given, True)
        ctx.save_for_backward(*given[:7], kept)
        ctx.options = given[7:14]
        return out

    @staticmethod
    def backward(ctx, dout):
        *given, kept = ctx.saved_tensors
        d = Empty.operators[2](dout, None, kept, *given, *ctx.options, 7)
        return (*d[:3], *(None,) * 12)


def time_all(parts, rounds, calls, device):
    """Returns the least mean time of a call of each, in microseconds; the rounds go around them, so
    that other work on the machine meets all alike."""
    best = dict.fromkeys(parts, float("inf"))
    for _ in range(rounds):
        for name, function in parts.items():
            began = time.process_time()
            for _ in range(calls):
                function()
            best[name] = min(best[name], time.process_time() - began)
            if device == "cuda":
                torch.cuda.synchronize()
    return {name: round(seconds / calls * 1e6, 2) for name, seconds in best.items()}


def measure(device, rounds, calls):
    """Returns microseconds by what was called."""
    Empty.operators = define_empty()
    shape = (1, 0, 1, 1, 1, 1, 1) if device == "cpu" else (1, 1, 2, 2, 1, 32, 32)
    dtype = torch.float32 if device == "cpu" else torch.bfloat16
    x = support.inputs(shape, dtype, device=device)
    leaves = {n: t if t is None else t.clone().requires_grad_(n in "qkv") for n, t in x.items()}
    options = (1, 0.0, 0, 0, 1e-6, 0, 0)
    given = (*x.values(), None, *options)
    call = (*x.values(), None, None, ops.options_of(*options))
    plan = ops.plan_of(*call)
    out = plan.make(*plan.out)
    to = _library.DELTA_OUT.pack(_library.DELTA_OUT.size, *ops.array(out, 3), 0)
    packed, held = ops.pack_inputs(plan, *x.values())
    kept, work = (None if like is None else plan.make(*like) for like in (plan.kept, plan.work))
    index = x["q"].get_device()
    addresses = ops.pointer(kept), ops.pointer(work)
    got = kernels.delta_rule(**leaves)[0]
    empty = Empty.apply(*leaves.values(), None, *options, False)
    dout = torch.ones_like(got)

    def back(from_):
        return torch.autograd.grad(from_, [leaves[n] for n in "qkv"], dout, retain_graph=True)

    parts = {
        "empty Function, forward": lambda: Empty.apply(*leaves.values(), None, *options, False),
        "delta_rule, forward": lambda: kernels.delta_rule(**leaves),
        "empty Function, backward": lambda: back(empty),
        "delta_rule, backward": lambda: back(got),
        "empty operator": lambda: Empty.operators[1](*given, False, False),
        "operator": lambda: ops.delta_product_forward(*given, False, False),
        "the plan": lambda: ops.plan_of(*call),
        "what is behind it": lambda: ops.run_forward(plan, (*x.values(), None), False, True),
        "of that: structures": lambda: ops.pack_inputs(plan, *x.values()),
        "of that: the library": lambda: ops.launch(
            index, _library.delta_forward, to, *addresses, packed, plan.whole
        ),
        "of that: room for out": lambda: plan.make(*plan.out),
        "Function around it": lambda: autograd._apply_direct(*leaves.values(), None, plan, False),
        "delta_rule without gradients": lambda: kernels.delta_rule(**x),
    }
    found = time_all(parts, rounds, calls, device)
    del held
    return found


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--device", default=support.DEVICES[-1], choices=support.DEVICES)
    parser.add_argument("--rounds", type=int, default=40)
    parser.add_argument("--calls", type=int, default=100)
    parser.add_argument("--json", type=Path, metavar="FILE")
    args = parser.parse_args()
    found = measure(args.device, args.rounds, args.calls)
    for name, time_ in found.items():
        print(f"{time_:8.2f} us  {name}")
    for way in ("forward", "backward"):
        ratio = found[f"delta_rule, {way}"] / found[f"empty Function, {way}"]
        found[f"ratio, {way}"] = round(ratio, 3)
        print(f"{ratio:8.2f}     {way} by the empty one (at most {MOST} is wanted)")
    if args.json:
        about = {"torch": torch.__version__, "device": args.device}
        if args.device == "cuda":
            about["card"] = torch.cuda.get_device_name()
        args.json.write_text(json.dumps({**about, "microseconds": found}, indent=1) + "\n")


if __name__ == "__main__":
    main()
