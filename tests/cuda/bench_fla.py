"""Times flash-linear-attention's kernels and our own in one run on one GPU, and writes both with
their ratios.

    python3 tests/cuda/bench_fla.py --src SRC --ours "PROGRAM [ARGUMENTS]" ... --out OUT.json

SRC is a folder that holds the package `fla` (SRC/COMMIT its commit if known). Every PROGRAM
(cuda/check/bench_*) prints JSON lines; the lines of bench_delta and bench_step are paired with the
library's with the same op .. mode, the others are kept.

op "delta"  the operator alone on unit keys that exist already, no gate; mode "fwd" or "fwdbwd"
op "step"   a whole training step in bf16 with AdamW: one layer, width H D, vocabulary 120, no
            convolution, no gate

The library tunes its kernels when they are first used: --tune short (the default) shortens the
trials, not the timings. Kernels are first compiled in several processes. Times are medians of --rep
milliseconds of launches after --warmup, in ms; peak memory is the allocator's."""

import argparse
import datetime
import importlib
import json
import os
import platform
import shlex
import subprocess
import sys
import time
import warnings
from pathlib import Path

SHAPES = {
    "tracking": (2048, 128, 12, 32),
    "d64": (256, 256, 4, 64),
    "t512": (32, 512, 12, 32),
    "language": (8, 4096, 16, 128),
}
FACTORS = (1, 2, 4)
CASES = [
    ("delta", *shape, n, mode)
    for shape in SHAPES.values()
    for n in FACTORS
    for mode in ("fwd", "fwdbwd")
]
CASES += [("step", 2048, 128, 12, 32, n, "train") for n in FACTORS]
KEYS = ("op", "B", "T", "H", "D", "n", "mode")
VOCABULARY = 120


def tune(mode):
    """Shortens the trials, or skips them where kernels are only to be compiled."""
    triton = importlib.import_module("triton")
    do_bench = importlib.import_module("triton.testing").do_bench

    def trial(call, quantiles=None, **_):
        if mode == "compile":
            call()
            return [0.0] * len(quantiles) if quantiles is not None else 0.0
        return do_bench(call, warmup=4, rep=16, quantiles=quantiles)

    if mode != "full":
        triton.runtime.driver.active.get_benchmarker = lambda: trial


# --- cases ---


def delta_case(torch, B, T, H, D, n, mode):
    """Returns DeltaNet's kernel for one factor per token, DeltaProduct's otherwise, on unit keys,
    with beta in [0, 2]."""
    unit = torch.nn.functional.normalize
    torch.manual_seed(0)
    new = {"device": "cuda", "dtype": torch.bfloat16}
    q = unit(torch.randn(B, T, H, D, **new), dim=-1)
    k = unit(torch.randn(B, T * n, H, D, **new), dim=-1)
    v = torch.randn(B, T * n, H, D, **new)
    beta = 2 * torch.rand(B, T * n, H, **new)
    if n == 1:
        operator = importlib.import_module("fla.ops.delta_rule").chunk_delta_rule
        call = lambda: operator(q, k, v, beta)[0]
    else:
        operator = importlib.import_module("fla.ops.gated_delta_product").chunk_gated_delta_product
        call = lambda: operator(q, k, v, None, beta, num_householder=n)[0]
    if mode == "fwd":
        return torch.no_grad()(call), []
    inputs = [x.requires_grad_(True) for x in (q, k, v, beta)]
    gradient = torch.randn(B, T, H, D, **new)
    return (lambda: call().backward(gradient)), inputs


def step_case(torch, B, T, H, D, n, _):
    models = importlib.import_module("fla.models")
    config = models.GatedDeltaProductConfig(
        hidden_size=H * D,
        num_heads=H,
        head_dim=D,
        expand_v=1.0,
        num_hidden_layers=1,
        vocab_size=VOCABULARY,
        num_householder=n,
        allow_neg_eigval=True,
        use_forget_gate=False,
        use_short_conv=False,
        use_output_gate=False,
        tie_word_embeddings=False,
        bos_token_id=0,
        eos_token_id=0,
        use_cache=False,
    )
    torch.manual_seed(0)
    model = models.GatedDeltaProductForCausalLM(config).cuda().train()
    optimiser = torch.optim.AdamW(model.parameters(), lr=1e-3, fused=True)
    letters, labels = (torch.randint(0, VOCABULARY, (B, T), device="cuda") for _ in range(2))

    def step():
        with torch.autocast("cuda", dtype=torch.bfloat16):
            loss = model(input_ids=letters, labels=labels).loss
        loss.backward()
        optimiser.step()
        optimiser.zero_grad(set_to_none=True)

    return step, []


def measure(torch, case, args, compile_only):
    do_bench = importlib.import_module("triton.testing").do_bench
    call, inputs = (delta_case if case[0] == "delta" else step_case)(torch, *case[1:])
    call()
    torch.cuda.synchronize()
    if compile_only:
        return None
    for x in inputs:
        x.grad = None
    torch.cuda.reset_peak_memory_stats()
    call()
    torch.cuda.synchronize()
    peak = torch.cuda.max_memory_allocated()
    ms = do_bench(
        call, warmup=args.warmup, rep=args.rep, grad_to_none=inputs or None, return_mode="median"
    )
    return {"ms": round(float(ms), 4), "peak_bytes": peak}


# --- the two sides ---


def compile_ahead(args, cases):
    """Fills the compiler's cache, in one process per kind of kernel. These processes time nothing,
    so their choice of the best configuration must not be kept: the library would read it again."""
    environment = dict(os.environ, FLA_CACHE_RESULTS="0")
    todo = [json.dumps([c]) for c in dict.fromkeys(c for c in cases if c[6] != "fwd")]
    todo.sort(key=lambda c: json.loads(c)[0][0] == "delta")  # whole steps take longest
    live, end = [], time.monotonic() + args.compile_limit
    while (todo or live) and time.monotonic() < end:
        while todo and len(live) < args.workers:
            command = [sys.executable, __file__, "--src", str(args.src), "--compile", todo.pop(0)]
            live.append(
                subprocess.Popen(
                    command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment
                )
            )
        time.sleep(0.5)
        live = [p for p in live if p.poll() is None]
    for process in live:
        process.kill()


def library_rows(torch, args, cases, save):
    """Saves the results after every case: a limit on time loses one case at most."""
    rows = {}
    save(rows)
    for case in cases:
        start = time.monotonic()
        try:
            rows[case] = measure(torch, case, args, False)
        except Exception as error:  # an unsupported case is a result too
            rows[case] = {
                "failed": (
                    f"{type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''}"
                )
            }
        torch.cuda.empty_cache()
        print(*case, rows[case], f"{time.monotonic() - start:.1f} s", flush=True)
        save(rows)
    return rows


def case_of(row):
    """Returns the case of a line of bench_delta or bench_step: the usual path of the delta rule
    with values, by position. Other mixers have steps of the same shape."""
    if row.get("op") == "delta" and row.get("path") == "positions":
        mode = {"forward": "fwd", "both": "fwdbwd"}.get(row["pass"])
        return ("delta", *row["shape"], row["n"], mode) if mode else None
    if (
        row.get("bench") == "step"
        and row["mixer"] == "delta-product"
        and row["values"]
        and row["layers"] == 1
        and "convolution" not in row["shape"]
    ):
        return ("step", row["batch"], row["length"], row["heads"], row["dim"], row["n"], "train")
    return None


def our_rows(commands):
    rows, other = {}, []
    for command in commands:
        done = subprocess.run(shlex.split(command), stdout=subprocess.PIPE, check=True, text=True)
        for line in done.stdout.splitlines():
            row = json.loads(line) if line.startswith("{") else None
            case = row and case_of(row)
            if case in CASES:
                rows[case] = row
            elif row:
                other.append(row)
    return rows, other


def joined(library, ours):
    out = []
    for case in dict.fromkeys([*library, *ours]):
        row = dict(zip(KEYS, case), library=library.get(case), ours=ours.get(case))
        if row["library"] and row["ours"] and "ms" in row["library"]:
            row["ratio"] = round(row["library"]["ms"] / row["ours"]["ms"], 2)
            if "device_MB" in row["ours"]:
                row["memory_ratio"] = round(
                    row["ours"]["device_MB"] * 1e6 / row["library"]["peak_bytes"], 3
                )
        out.append(row)
    return out


def table(rows):
    number = lambda x, k: f"{x[k]:10.3f}" if x and k in x else f"{'-':>10}"
    lines = [f"{'case':44} {'fla ms':>10} {'ours ms':>10} {'ratio':>7}"]
    for r in rows:
        name = f"{r['op']} ({r['B']}, {r['T']}, {r['H']}, {r['D']}) n={r['n']} {r['mode']}"
        lines.append(
            f"{name:44} {number(r['library'], 'ms')} {number(r['ours'], 'ms')}"
            f" {r.get('ratio', '-'):>7}"
        )
    return "\n".join(lines)


def report_head(torch, args):
    commit = args.src / "COMMIT"
    tool = (
        subprocess.run([args.tool, "--version"], stdout=subprocess.PIPE, text=True).stdout
        if args.tool
        else ""
    )
    return {
        "what": (
            "kernels and whole training steps beside flash-linear-attention, medians in ms, one run"
        ),
        "programs": [Path(shlex.split(c)[0]).name for c in args.ours],
        "options": {"only": args.only, "tune": args.tune, "warmup": args.warmup, "rep": args.rep},
        "tool": tool.partition("\n")[0],
        "device": torch.cuda.get_device_name(),
        "driver_cuda": torch.version.cuda,
        "torch": torch.__version__,
        "triton": importlib.import_module("triton").__version__,
        "python": platform.python_version(),
        "fla_commit": commit.read_text().strip() if commit.exists() else None,
    }


def write(path, text):
    new = path.with_suffix(path.suffix + ".new")
    new.write_text(text)
    new.replace(path)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--src", type=Path, required=True)
    parser.add_argument(
        "--ours",
        action="append",
        default=[],
        help="a program that prints our figures as JSON lines",
    )
    parser.add_argument(
        "--tool", help="fsa2lrnn of the same build, whose version and commit are written down"
    )
    parser.add_argument(
        "--only",
        default="",
        help="cases whose name contains one of these, separated by commas: "
        + ", ".join(SHAPES)
        + ", step",
    )
    parser.add_argument("--out", type=Path)
    parser.add_argument("--tune", choices=["short", "full"], default="short")
    parser.add_argument("--warmup", type=int, default=30)
    parser.add_argument("--rep", type=int, default=150)
    parser.add_argument("--workers", type=int, default=max(1, (os.cpu_count() or 2) - 2))
    parser.add_argument("--compile-limit", type=float, default=300)
    parser.add_argument("--compile", help=argparse.SUPPRESS)
    args = parser.parse_args()
    os.environ.setdefault("FLA_CONV_BACKEND", "triton")
    sys.path.insert(0, str(args.src))
    warnings.simplefilter("ignore")
    torch = importlib.import_module("torch")
    if args.compile:
        tune("compile")
        for case in json.loads(args.compile):
            measure(torch, tuple(case), args, True)
        return
    names = {v: k for k, v in SHAPES.items()}
    wanted = [w for w in args.only.split(",") if w]
    cases = [
        c
        for c in CASES
        if not wanted
        or any(w == ("step" if c[0] == "step" else names[tuple(c[1:5])]) for w in wanted)
    ]
    started = datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d %H:%M UTC")
    ours, other = our_rows(args.ours)  # run while nothing else uses the GPU
    compile_ahead(args, cases)
    tune(args.tune)
    head = report_head(torch, args) | {"started": started}

    def save(library):
        if args.out:
            report = head | {
                "ended": len(library) == len(cases),
                "rows": joined(library, ours),
                "other": other,
            }
            write(args.out, json.dumps(report, indent=1) + "\n")

    print(table(joined(library_rows(torch, args, cases, save), ours)))


if __name__ == "__main__":
    main()
