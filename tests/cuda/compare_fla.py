"""Compares the schedules chunk64 and recurrent with the kernels that they describe,
flash-linear-attention's, on a GPU.

    make all build/release/tests/cuda/kernel_dump
    python3 tests/cuda/compare_fla.py dump --build build/release --dir build/kernels
    python3 tests/cuda/compare_fla.py compare --src SRC --dir build/kernels --out OUT.json

dump (no GPU) compiles the networks of CASES and writes the results of the schedules on one word
each (kernel_dump.c). compare (PyTorch with CUDA and Triton; SRC is a folder that holds the package
`fla`, SRC/COMMIT its commit if known) gives the kernels the same keys, betas, values and H_0 with
the queries e_1 .. e_n and the scale 1, and compares number by number: the kernel's outputs, the
schedule's, and the exact states. Labels are the nearest codes'. Keys and values are padded with
zeros to --pad numbers, 64, the size of the kernels' tiles, which changes no exact result; the
recurrent kernel also gets them without padding. The library tunes its chunked kernels when they are
first used, and its choice of tiles is part of the order of operations: --config first takes the
first configuration of each instead. OUT.json gets one more run. With --check-only only the dumps
are read: their labels are computed again, which needs no GPU.

The exit status is 1 when labels computed here differ from the library's, when a kernel gives two
results for the same numbers, or when one errs on keys for which nothing is rounded in any order
(theory/pages/keys.md, R3). Other differences are the measurement."""

import argparse
import datetime
import importlib
import json
import platform
import re
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

SWAPS = (
    "points 5\ntrack elements\npermute a (1 2)\npermute b (2 3)\npermute c (3 4)\npermute d (4 5)\n"
)
AUTOMATA = {
    "elements": None,
    "swaps": SWAPS,
}  # None: fsa2lrnn new symmetric 5, all 120 elements as letters
NO_LABEL = 2**32 - 1

# automaton, keys, format, schedule, word, letters
CHUNKED = [
    (a, keys, f, "chunk64", word, 4096)
    for a in ("elements", "swaps")
    for keys, f, word in (
        ("naive", "bf16", "random:1000"),
        ("naive", "bf16", "random:1001"),
        ("naive", "fp16", "random:1000"),
        ("dyadic", "bf16", "random:1000"),
        ("dyadic", "fp16", "random:1000"),
    )
]
CASES = [
    ("swaps", "naive", "bf16", "recurrent", f"random:{seed}", 65536) for seed in (1000, 1001, 1002)
]
CASES += [
    ("swaps", "naive", "fp16", "recurrent", "random:1000", 65536),
    ("swaps", "naive", "bf16", "recurrent", "greedy", 4096),
    ("swaps", "dyadic", "bf16", "recurrent", "random:1000", 65536),
    ("elements", "naive", "bf16", "recurrent", "random:1000", 20480),
    ("elements", "naive", "bf16", "recurrent", "random:1001", 20480),
    ("elements", "dyadic", "bf16", "recurrent", "random:1000", 20480),
] + CHUNKED


def case_name(case):
    return "-".join(str(x).replace(":", "") for x in case)


# --- dumps ---


def output(*command, **options):
    return subprocess.run(
        [str(c) for c in command], check=True, stdout=subprocess.PIPE, **options
    ).stdout


def write_dumps(args):
    args.dir.mkdir(parents=True, exist_ok=True)
    tool, dumper = args.build / "fsa2lrnn", args.build / "tests/cuda/kernel_dump"
    for name, text in AUTOMATA.items():
        source = args.dir / f"{name}.fsa"
        source.write_bytes(text.encode() if text else output(tool, "new", "symmetric", "5"))
        for keys in ("naive", "dyadic"):
            output(
                tool,
                source,
                "--keys",
                keys,
                "--formats",
                "bf16",
                "--limit",
                "1000",
                "--quiet",
                "--force",
                "-o",
                args.dir / f"{name}-{keys}.lrnn",
            )
    for case in CASES:
        net = args.dir / f"{case[0]}-{case[1]}.lrnn"
        data = output(dumper, net / "network.lrnn", net / "automaton.fsa", *case[2:])
        (args.dir / f"{case_name(case)}.dump").write_bytes(data)
    changed = (
        output("git", "status", "--porcelain", "--", "numeric", "automata", "models")
        .decode()
        .splitlines()
    )
    made = {
        "commit": output("git", "rev-parse", "HEAD").decode().strip(),
        "uncommitted": sorted(line[3:] for line in changed),
        "tool": output(tool, "--version").decode().splitlines()[0],
        "command": command_line({args.build: "BUILD"}),
        "date": now(),
    }
    (args.dir / "manifest.json").write_text(json.dumps(made, indent=1) + "\n")
    print(f"{len(CASES)} dumps in {args.dir}")


class Dump:
    """The arrays of kernel_dump.c, by name."""

    def __init__(self, path):
        line, _, data = path.read_bytes().partition(b"\n")
        self.head, at = json.loads(line), 0
        for name, kind, shape in self.head["arrays"]:
            kind = np.dtype({"u32": "<u4", "f32": "<f4", "f64": "<f8"}[kind])
            size = int(np.prod(shape)) * kind.itemsize
            setattr(self, name, np.frombuffer(data[at : at + size], kind).reshape(shape))
            at += size
        if at != len(data):
            raise ValueError(f"{path}: {len(data)} bytes of numbers, {at} announced")
        self.exact = self.code[self.path]  # [T][H][n][d]
        self.factors = self.key.shape[1]

    def rows(self, weights):
        """Returns the factors of the word from the factors of a letter, one after the other."""
        w = weights[self.word]
        return w.reshape(w.shape[0] * w.shape[1], *w.shape[2:])


def decode(dump, reading):
    """Returns the labels of the nearest codes; none where two are nearest or a number is not
    finite. Distances are in binary64."""
    codes = dump.code.reshape(len(dump.code), -1)
    flat = reading.reshape(len(reading), -1).astype(np.float64)
    label = np.full(len(flat), NO_LABEL, np.uint32)
    for at in range(0, len(flat), 1024):
        block = flat[at : at + 1024]
        with np.errstate(invalid="ignore", over="ignore"):
            distance = ((block[:, None, :] - codes[None]) ** 2).sum(axis=2)
        order = np.argsort(distance, axis=1)[:, :2]
        least = np.take_along_axis(distance, order, axis=1)
        good = np.isfinite(block).all(axis=1) & ((len(codes) == 1) | (least[:, 0] < least[:, -1]))
        label[at : at + 1024][good] = dump.symbol[order[good, 0]]
    return label


def rounded(x, form):
    """Returns fp32 numbers rounded to nearest even in bf16 or fp16, as fp32."""
    if form == "fp16":
        return x.astype(np.float16).astype(np.float32)
    bits = np.ascontiguousarray(x, np.float32).view(np.uint32)
    bits = (bits + 0x7FFF + ((bits >> 16) & 1)) & np.uint32(0xFFFF0000)
    return bits.view(np.float32)


# --- the kernels ---


def padded(x, axes, size):
    """Appends zeros to the last `axes` axes, up to `size`."""
    keep = x.ndim - axes
    return np.pad(x, [(0, 0)] * keep + [(0, max(0, size - m)) for m in x.shape[keep:]])


def run_kernel(torch, kernel, dump, start, pad, query_type=None):
    """Returns the kernel's readings [T][H][n][d], its final state [H][n][d], and whether the runs
    of all queries had one final state."""
    kind = {"bf16": torch.bfloat16, "fp16": torch.float16}[dump.head["format"]]
    heads, n = dump.key.shape[2:]
    d = start.shape[2]

    def tensor(x, kind=kind):
        t = torch.from_numpy(np.array(x, np.float32)).cuda()
        if not torch.equal(t.to(kind).float(), t):
            raise ValueError("a weight is not a number of the format")
        return t.to(kind).expand(n, *x.shape).contiguous()

    step = dump.factors if kernel == "fused_recurrent_delta_rule" else 1  # a row is a step there
    length = len(dump.word) * step
    q = torch.eye(max(n, pad), device="cuda", dtype=query_type or kind)[:n, None, None, :]
    q = q.expand(n, length, heads, max(n, pad)).contiguous()
    value = dump.value if d == dump.value.shape[3] else np.zeros((*dump.value.shape[:3], d))
    k, v, beta = (
        tensor(dump.rows(x)) for x in (padded(dump.key, 1, pad), padded(value, 1, pad), dump.beta)
    )
    options = {
        "scale": 1.0,
        "initial_state": tensor(padded(start, 2, pad), torch.float32),
        "output_final_state": True,
    }
    if kernel == "chunk_gated_delta_product":
        operators = importlib.import_module("fla.ops.gated_delta_product")
        o, last = operators.chunk_gated_delta_product(
            q, k, v, None, beta, num_householder=dump.factors, **options
        )
    else:
        operators = importlib.import_module("fla.ops.delta_rule")
        o, last = getattr(operators, kernel)(q, k, v, beta, **options)
    one = all(torch.equal(last[0], x) for x in last)
    o = o[:, step - 1 :: step, :, :d].permute(1, 2, 0, 3)  # [query][T][H][d] -> [T][H][query][d]
    return o.float().cpu().numpy(), last[0, :, :n, :d].float().cpu().numpy(), one


def largest(a, b):
    """Returns the largest difference of a and b; None where a number is not finite."""
    most = float(np.abs(a.astype(np.float64) - b).max())
    return most if np.isfinite(most) else None


def first(bad):
    """Returns the 1-based place of the first true value; None where there is none."""
    return int(bad.argmax()) + 1 if bad.any() else None


def compare_readings(dump, kernel, replay):
    differ = kernel != replay
    letters = differ.reshape(len(differ), -1).any(axis=1)
    wrong, replay_wrong = decode(dump, kernel) != dump.label, decode(dump, replay) != dump.label
    return {
        "kernel_from_exact": largest(kernel, dump.exact),
        "replay_from_exact": largest(replay, dump.exact),
        "kernel_from_replay": largest(kernel, replay),
        "first_different_letter": first(letters),
        "equal_letters": int((~letters).sum()),
        "readings": differ.size,
        "equal_readings": int((~differ).sum()),
        "kernel_first_wrong": first(wrong),
        "kernel_wrong": int(wrong.sum()),
        "replay_first_wrong": first(replay_wrong),
        "replay_wrong": int(replay_wrong.sum()),
    }


def kernels_of(dump):
    if dump.head["schedule"] == "recurrent":
        return ["fused_recurrent_delta_rule"]
    return ["chunk_gated_delta_product"] + (["chunk_delta_rule"] if dump.factors == 1 else [])


def compare_case(torch, dump, case, pad_to):
    """Yields one entry for each kernel and way to read it. A recurrent kernel writes outputs in the
    type of the queries: fp32 queries show its state without rounding."""
    recurrent = dump.head["schedule"] == "recurrent"
    for kernel, pad in [
        (kernel, pad)
        for kernel in kernels_of(dump)
        for pad in ((0, pad_to) if recurrent else (pad_to,))
    ]:
        for read in ("rounded", "unrounded") if recurrent else ("rounded",):
            kind = torch.float32 if read == "unrounded" else None
            begin = time.time()
            (o, last, one), (o2, last2, one2) = (
                run_kernel(torch, kernel, dump, dump.start, pad, kind) for _ in range(2)
            )
            replay = (
                rounded(dump.reading, dump.head["format"])
                if recurrent and read == "rounded"
                else dump.reading
            )
            yield {
                **dict(zip(("automaton", "keys", "format", "schedule", "word", "letters"), case)),
                "kernel": kernel,
                "n_h": dump.factors,
                "key_dim": dump.key.shape[3],
                "padded_to": pad,
                "readings_are": read,
                **compare_readings(dump, o, replay),
                "final_state_from_exact": largest(last, dump.exact[-1]),
                "final_state_label_right": bool(decode(dump, last[None])[0] == dump.label[-1]),
                "same_again": bool(one and one2 and (o == o2).all() and (last == last2).all()),
                "seconds": round(time.time() - begin, 1),
            }


def compare_identity(torch, dump, case, pad):
    """Runs chunk64's kernel from H_0 = I in the place of (1, .. n): the exact state is the
    permutation matrix P with P (1, .. n) = the code."""
    exact = (dump.exact == np.arange(1, dump.key.shape[3] + 1)).astype(np.float64)
    kernel = kernels_of(dump)[0]
    o, _, _ = run_kernel(
        torch, kernel, dump, np.eye(dump.key.shape[3], dtype=np.float32)[None], pad
    )
    return {
        **dict(zip(("automaton", "keys", "format", "schedule", "word", "letters"), case)),
        "kernel": kernel,
        "n_h": dump.factors,
        "kernel_from_exact": largest(o, exact),
    }


def taken():
    """Returns the configurations that Triton's autotuner chose, by kernel, where it reports
    them."""
    found = {}
    for name, module in list(sys.modules.items()):
        for key, thing in (
            list(vars(module).items()) if name.startswith("fla.ops") and module else []
        ):
            while (
                thing is not None
                and not hasattr(thing, "best_config")
                and "triton" in type(thing).__module__
            ):
                thing = getattr(thing, "fn", None)
            cache = getattr(thing, "cache", None)
            if isinstance(cache, dict) and cache and hasattr(thing, "best_config"):
                found[key] = sorted({str(config) for config in cache.values()})
    return found


# --- printing and writing ---


def now():
    return datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d %H:%M UTC")


def command_line(called):
    """Returns the command line as it was given, but with paths in `called` replaced by something
    shorter."""
    return " ".join(
        ["python3"]
        + [{str(path): name for path, name in called.items()}.get(a, a) for a in sys.argv]
    )


def short(x):
    return "-" if x is None else f"{x:.4g}" if isinstance(x, float) else str(x)


COLUMNS = (
    ("automaton", "automaton"),
    ("keys", "keys"),
    ("format", "format"),
    ("word", "word"),
    ("letters", "letters"),
    ("kernel", "kernel"),
    ("n_h", "n_h"),
    ("padded_to", "padded"),
    ("readings_are", "read"),
    ("kernel_from_exact", "kernel-exact"),
    ("replay_from_exact", "replay-exact"),
    ("kernel_from_replay", "kernel-replay"),
    ("first_different_letter", "differs at"),
    ("equal_letters", "equal letters"),
    ("kernel_first_wrong", "kernel wrong at"),
    ("replay_first_wrong", "replay wrong at"),
)


def print_table(results):
    table = [[title for _, title in COLUMNS]] + [
        [short(r[key]) for key, _ in COLUMNS] for r in results
    ]
    width = [max(len(row[i]) for row in table) for i in range(len(COLUMNS))]
    for row in table:
        print("  ".join(cell.ljust(w) for cell, w in zip(row, width)).rstrip())


def read_dumps(directory, only=""):
    """Returns pairs of a case and its dump; labels computed here must equal the library's."""
    dumps = [
        (case, Dump(directory / f"{case_name(case)}.dump"))
        for case in CASES
        if only in case_name(case)
    ]
    for case, dump in dumps:
        if (decode(dump, dump.reading) != dump.decoded).any() or (
            decode(dump, dump.exact) != dump.label
        ).any():
            sys.exit(f"{case_name(case)}: labels differ from the library's")
    return dumps


def versions(torch, src):
    commit = src / "COMMIT"
    return {
        "device": torch.cuda.get_device_name(0),
        "fla_commit": commit.read_text().strip() if commit.is_file() else None,
        "fla": importlib.import_module("fla").__version__,
        "torch": torch.__version__,
        "triton": importlib.import_module("triton").__version__,
        "cuda": torch.version.cuda,
        "python": platform.python_version(),
    }


def add_run(path, run):
    """Appends this run to the record; it is written after every case, so that a run that is cut off
    leaves its results."""
    record = (
        json.loads(path.read_text())
        if path.is_file()
        else {
            "what": (
                "The kernels of flash-linear-attention beside the schedules chunk64 and recurrent"
                " (theory/pages/chunk.md)"
            ),
            "program": "tests/cuda/compare_fla.py, and tests/cuda/kernel_dump.c for the dumps",
            "runs": [],
        }
    )
    runs = record["runs"]
    if runs and runs[-1]["started"] == run["started"] and runs[-1]["command"] == run["command"]:
        runs.pop()
    runs.append(run)
    text = json.dumps(record, indent=1)
    text = re.sub(
        r"\{[^{}]*\}|\[[^][{}]*\]", lambda flat: " ".join(flat.group().split()), text
    )  # one result a line
    path.write_text(text + "\n")


def use_first_configuration():
    tuner = importlib.import_module("triton.runtime.autotuner").Autotuner
    tuner.prune_configs = lambda self, _: self.configs[:1]


def compare(args):
    dumps = read_dumps(args.dir, args.only)
    if args.check_only:
        print(f"{len(dumps)} dumps, labels as the library's")
        return
    sys.path.insert(0, str(args.src))
    torch = importlib.import_module("torch")
    if args.config == "first":
        use_first_configuration()
    results, identity, failed = [], [], []
    run = {
        "command": command_line({args.out: "OUT.json"}),
        "started": now(),
        **versions(torch, args.src),
        "dumps": json.loads((args.dir / "manifest.json").read_text()),
        "configuration": args.config,
        "only": args.only,
        "results": results,
        "from_identity": identity,
    }
    for case, dump in dumps:
        for result in compare_case(torch, dump, case, args.pad):
            results.append(result)
            print(json.dumps(result), file=sys.stderr, flush=True)
            if not result["same_again"] or (
                case[1] == "dyadic" and result["kernel_from_exact"] != 0
            ):
                failed.append(f"{case_name(case)}, {result['kernel']}")
        if case[:2] == ("elements", "naive") and case[3] == "chunk64":
            identity.append(compare_identity(torch, dump, case, args.pad))
        run["taken"] = taken()
        add_run(args.out, run)
    print(run["device"])
    print_table(results)
    for r in identity:
        print(
            f"H_0 = I: {r['automaton']} {r['keys']} {r['format']} {r['word']}: kernel-exact"
            f" {short(r['kernel_from_exact'])}"
        )
    if failed:
        sys.exit("errs where nothing rounds, or has two results: " + "; ".join(failed))


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(required=True)
    one = commands.add_parser("dump", help="write the dumps")
    one.add_argument("--build", type=Path, default=Path("build/release"))
    one.set_defaults(run=write_dumps)
    two = commands.add_parser("compare", help="run the kernels")
    two.add_argument("--src", type=Path, help="a folder that holds the package fla")
    two.add_argument("--out", type=Path, help="the record, JSON")
    two.add_argument("--config", choices=("first", "tuned"), default="tuned")
    two.add_argument("--pad", type=int, default=64)
    two.add_argument("--only", default="", help="cases whose name holds this text")
    two.add_argument("--check-only", action="store_true", help="only read the dumps")
    two.set_defaults(run=compare)
    for sub in (one, two):
        sub.add_argument("--dir", type=Path, default=Path("build/kernels"))
    args = parser.parse_args()
    if args.run is compare and not args.check_only and not (args.src and args.out):
        parser.error("compare needs --src and --out, or --check-only")
    args.run(args)


if __name__ == "__main__":
    main()
