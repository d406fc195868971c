"""Times of fla's operators and of a training step of its layers, with fla's kernels and with ours
(accelerate_fla), in one run on one GPU.

usage: beside_fla.py [--json FILE] [--rounds 15] [--only step|operator|inside|qla]
                     [--factors N_H] [--gated] [--bench FILE] [--profile]

A time is the median of the rounds in milliseconds, by CUDA events. With --only inside, ours alone:
of a call on a GPU that waits for it, of a call behind other work, as in a step, whose kernels hide
the processor's time, and with --profile of the kernels of one call, and of our kernels within a
step; --bench names the lines of bench_kernels of the same session, for the ratio to them. With
--only qla, FlashQLA and ours with gates and 16 and 8 key heads, behind other work. The step is an
embedding of 120 letters, one layer of fla as it is (GatedDeltaProduct without convolution and
output gate; n_h 1: DeltaNet), a linear read-out, cross entropy and AdamW, bf16."""

import argparse
import json
import sys
from pathlib import Path

import torch

sys.path.insert(0, str(Path(__file__).resolve().parent))
from support import kernels

STATE, LANGUAGE, MEGATRON = (2048, 128, 12, 32, 32), (8, 4096, 16, 128, 128), (8, 4096, 16, 128, 64)
OPERATORS = [(STATE, n, False) for n in (1, 2, 4)] + [(STATE, 2, True)]
OPERATORS += [(LANGUAGE, 1, False), (LANGUAGE, 4, False), (MEGATRON, 3, False), (LANGUAGE, 1, True)]


BUSY = 4_000_000  # cycles that the GPU waits before a call that is behind other work: 2 ms
OURS = ("delta_forward", "delta_back", "finish_betas", "prepare_rows", "finish_rows")


def median(run, rounds, busy=0):
    for _ in range(3):
        run()
    times = []
    for _ in range(rounds):
        begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        if busy:
            torch.cuda._sleep(busy)
        begin.record()
        run()
        end.record()
        end.synchronize()
        times.append(begin.elapsed_time(end))
    return sorted(times)[rounds // 2]


def operator_call(shape, n, gated):
    """Returns a function that calls fla's operator forward and backward."""
    import fla.ops.gated_delta_product as product
    import fla.ops.delta_rule as rule

    batch, tokens, heads, key, value = shape
    numbers = torch.Generator("cuda").manual_seed(1)

    def make(*size):
        x = torch.randn(size, device="cuda", generator=numbers, dtype=torch.float32)
        return torch.nn.functional.normalize(x, dim=-1).to(torch.bfloat16).requires_grad_()

    q, k = make(batch, tokens, heads, key), make(batch, tokens * n, heads, key)
    v = make(batch, tokens * n, heads, value)
    beta = torch.rand(batch, tokens * n, heads, device="cuda").mul_(2).to(torch.bfloat16)
    beta.requires_grad_()
    g = -torch.rand(batch, tokens, heads, device="cuda") if gated else None
    dout = torch.randn(batch, tokens, heads, value, device="cuda").to(torch.bfloat16)
    inputs = [q, k, v, beta]

    def run():
        if n == 1 and not gated:
            out, _ = rule.chunk_delta_rule(q, k, v, beta)
        else:
            out, _ = product.chunk_gated_delta_product(q, k, v, g, beta, n)
        torch.autograd.grad(out, inputs, dout)

    return run


def step_call(n, gated):
    """Returns a function that makes a step of training."""
    import fla.layers as layers

    torch.manual_seed(1)
    if n == 1 and not gated:
        mixer = layers.DeltaNet(hidden_size=384, num_heads=12, allow_neg_eigval=True,
                                use_gate=False, use_short_conv=False)  # fmt: skip
    else:
        mixer = layers.GatedDeltaProduct(hidden_size=384, expand_v=1, head_dim=32, num_heads=12,
                                         use_forget_gate=gated, num_householder=n,
                                         use_short_conv=False, use_output_gate=False)  # fmt: skip
    embedding, head = torch.nn.Embedding(120, 384), torch.nn.Linear(384, 120)
    model = torch.nn.ModuleList([embedding, mixer, head]).cuda().to(torch.bfloat16)
    optimizer = torch.optim.AdamW(model.parameters(), fused=True)
    x = torch.randint(120, (2048, 128), device="cuda")
    y = torch.randint(120, (2048, 128), device="cuda")

    def run():
        optimizer.zero_grad(set_to_none=True)
        logits = head(mixer(embedding(x))[0])
        torch.nn.functional.cross_entropy(logits.flatten(0, 1), y.flatten()).backward()
        optimizer.step()

    return run


def kernels_of(run):
    """Returns {name: [launches, milliseconds]} of the kernels of a call."""
    run()
    torch.cuda.synchronize()
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CUDA]) as profile:
        run()
        torch.cuda.synchronize()
    found = {}
    for event in profile.events():
        if event.device_type == torch.autograd.DeviceType.CUDA:
            row = found.setdefault(event.name[:100], [0, 0.0])
            row[0] += 1
            row[1] = round(row[1] + event.time_range.elapsed_us() / 1e3, 4)
    return found


def look_inside(shape, n, gated, args, bench):
    """Returns the times of a call of ours as fla makes it, and of its kernels within a step."""
    kernels.accelerate_fla()
    try:
        run = operator_call(shape, n, gated)
        found = {"alone": round(median(run, args.rounds), 4)}
        found["behind"] = round(median(run, args.rounds, BUSY), 4)
        if args.profile:
            found["kernels"] = kernels_of(run)
        if args.profile and shape == STATE:
            step = kernels_of(step_call(n, gated))
            ours = {name: t for name, t in step.items() if any(part in name for part in OURS)}
            found["in_a_step"] = round(sum(t for _, t in ours.values()), 4)
            found["step_kernels"] = ours
    finally:
        kernels.restore_fla()
    for line in bench:
        same = line["shape"] == list(shape) and line["n"] == n and line["gate"] == gated
        if same and (line["pass"], line["path"], line["norm"]) == ("both", "tensor", 0):
            found["bench_kernels"] = line["ms"]
            times = ("alone", "behind", "in_a_step")
            found["ratios"] = {t: round(found[t] / line["ms"], 3) for t in times if t in found}
    torch.cuda.empty_cache()
    return found


def beside_qla(key_heads, rounds):
    """Returns the times of FlashQLA and ours, forward alone and with backward, and how far outputs
    and gradients are apart."""
    import flash_qla

    batch, tokens, heads, key, value = LANGUAGE

    def draw(*size):
        return torch.randn(size, device="cuda", dtype=torch.float32)

    q, k = (torch.nn.functional.normalize(draw(batch, tokens, key_heads, key), dim=-1)
            for _ in range(2))  # fmt: skip
    given = [x.to(torch.bfloat16) for x in (q, k, draw(batch, tokens, heads, value))]
    given += [-torch.rand(batch, tokens, heads, device="cuda") for _ in range(2)]
    given[4] += 1  # beta in [0, 1], as theirs
    leaves = [x.requires_grad_() for x in given]
    dout = draw(batch, tokens, heads, value).to(torch.bfloat16)
    calls = {
        "FlashQLA": lambda: flash_qla.chunk_gated_delta_rule(*leaves)[0],
        "ours": lambda: kernels.delta_rule(*leaves[:3], leaves[4], leaves[3])[0],
    }
    found, results = {}, {}
    for who, call in calls.items():
        with torch.no_grad():
            ahead = median(call, rounds, BUSY)
        both = median(lambda c=call: torch.autograd.grad(c(), leaves, dout), rounds, BUSY)
        found[who] = {"forward": round(ahead, 4), "both": round(both, 4)}
        out = call()
        results[who] = [out, *torch.autograd.grad(out, leaves, dout)]
    names = ("out", "dq", "dk", "dv", "dg", "dbeta")
    pairs = zip(results["ours"], results["FlashQLA"])
    apart = [float((x.float() - y.float()).abs().max() / x.float().abs().max()) for x, y in pairs]
    return {**found, "apart": {name: round(x, 5) for name, x in zip(names, apart)}}


def compare(make, rounds):
    """Returns both times, or what was raised in the place of one."""
    found = {}
    for who in ("fla", "ours"):
        if who == "ours":
            kernels.accelerate_fla()
        try:
            found[who] = round(median(make(), rounds), 4)
        except Exception as error:  # noqa: BLE001, what fla refuses is a result
            found[who] = f"{type(error).__name__}: {error}"[:160]
        finally:
            kernels.restore_fla()
        torch.cuda.empty_cache()
    if all(isinstance(t, float) for t in found.values()):
        found["ratio"] = round(found["fla"] / found["ours"], 2)
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--only", choices=("step", "operator", "inside", "qla"))
    parser.add_argument("--factors", type=int, help="only rows with this n_h")
    parser.add_argument("--gated", action="store_true", help="only rows with gates")
    parser.add_argument("--profile", action="store_true", help="with --only inside, kernels too")
    parser.add_argument("--bench", type=Path, help="the lines of bench_kernels")
    args = parser.parse_args()
    import fla

    record = {"card": torch.cuda.get_device_name(), "torch": torch.__version__,
              "fla": fla.__version__, "library": kernels.__version__, "rows": []}  # fmt: skip
    chosen = ((1, False), (2, False), (4, False), (2, True))
    steps = [("step", STATE, n, gated) for n, gated in chosen]
    bench = args.bench.read_text(encoding="utf-8").splitlines() if args.bench else []
    bench = [json.loads(line) for line in bench if line.startswith("{")]
    one = args.only if args.only == "inside" else "operator"
    work = steps if args.only == "step" else [(one, *shape) for shape in OPERATORS]
    if args.only == "qla":
        work = [("qla", LANGUAGE, 1, True, key_heads) for key_heads in (16, 8)]
    for what, shape, n, gated, *key_heads in work if args.only else steps + work:
        if args.factors not in (None, n) or gated < args.gated:
            continue
        if what == "qla":
            found = {"key_heads": key_heads[0], **beside_qla(key_heads[0], args.rounds)}
        elif what == "inside":
            found = look_inside(shape, n, gated, args, bench)
        elif what == "step":
            found = compare(lambda m=n, h=gated: step_call(m, h), args.rounds)
        else:
            found = compare(lambda s=shape, m=n, h=gated: operator_call(s, m, h), args.rounds)
        row = {"what": what, "shape": shape, "n_h": n, "gated": gated, **found}
        record["rows"].append(row)
        print(json.dumps(row), flush=True)
        if args.json:
            args.json.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
