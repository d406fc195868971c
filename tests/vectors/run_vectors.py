"""Runs vector files on every implementation that is installed: PyTorch's on a GPU where there is
one, else on the CPU. With --accuracy also random inputs, against float64.

usage: run_vectors.py --dir DIR [--json FILE] [--library FILE] [--tool FILE] [--accuracy]

DIR holds folders of `fsa2lrnn vectors`; with --tool fsa2lrnn they are written where they are
missing. --library names the library of our kernels, such as
build/release/libfsa2lrnn-kernels.so.0. With --emulated it is that of `make emulated-kernels`, which
runs our CUDA kernels on the CPU. The exit status is 1 where our kernels are not exact.
"""

import argparse
import importlib.metadata
import json
import os
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import torch

sys.path.insert(0, str(Path(__file__).resolve().parent))
from accuracy import SHAPES, measure_accuracy, measure_exact, show_accuracy
from chunked import difference
from emulated import emulate
from implementations import (
    IMPLEMENTATIONS,
    Unfit,
    error_text,
    inputs_of,
    run_implementation,
    take_first_configuration,
)
from vector_file import VectorFile, find_files

PARTS = len(SHAPES)  # of the work of one implementation, where several processes run
OPERATORS = ("delta-rule", "gated-delta-rule", "delta-product", "gated-delta-product")
PACKAGES = ("torch", "triton", "fla-core", "transformers", "flashinfer-python", "flash-qla")


def compare(call, file, device):
    """Returns what came of one implementation and file: differences, or why there are none."""
    try:
        found, note = run_implementation(call, inputs_of(file, device))
    except Unfit as why:
        return {"skipped": str(why)}
    except ImportError as why:
        return {"skipped": f"not installed: {error_text(why)}"}
    except Exception as error:
        return {"error": error_text(error)}
    row = {"differences": {}}
    for name, value in found.items():
        wanted = file[name]
        if tuple(value.shape) != wanted.shape:
            return {"error": f"{name} is {list(value.shape)}, not {list(wanted.shape)}"}
        row["differences"][name] = difference(value.float().cpu().numpy(), wanted)
    return {**row, "note": note} if note else row


def largest(row):
    return max(row["differences"].values())


def tell(name, row):
    """Returns the line about one implementation and file."""
    if "differences" not in row:
        return next(f"{kind}: {text}" for kind, text in row.items())
    off = {what: f"{by:.3g}" for what, by in row["differences"].items() if by}
    shown = ", ".join(f"{what} {by}" for what, by in off.items())
    shown = shown or f"0 in {len(row['differences'])} results"
    return shown + (f" ({row['note']})" if "note" in row else "")


def run_files(paths, names, device, late):
    """Returns {implementation: {file: row}}, and prints each row but those of what is not there."""
    results, missing = {name: {} for name in names}, {}
    for path in paths:
        if late():
            break
        file = VectorFile(path)
        place = f"{file.op}/{file.name}"
        for name in names:
            if name in missing:
                continue
            row = compare(IMPLEMENTATIONS[name], file, device)
            if row.get("skipped", "").startswith("not installed"):
                missing[name] = results[name] = {"skipped": row["skipped"]}
                print(f"{name}: {row['skipped']}", flush=True)
                continue
            results[name][place] = row
            if "skipped" not in row:
                print(f"{place}: {name}: {tell(name, row)}", flush=True)
    return results


def summarize(rows):
    """Returns what came of an implementation: numbers, what is off, errors, and what it does not
    take, with the files; a reason where it is not there."""
    if "skipped" in rows:
        return rows
    ran = {place: row for place, row in rows.items() if "differences" in row}
    found = {
        "files": len(ran),
        "exact": sum(largest(row) == 0 for row in ran.values()),
        "largest": max(map(largest, ran.values()), default=None),
        "off": {place: row["differences"] for place, row in ran.items() if largest(row)},
    }
    for kind in ("note", "error", "skipped"):
        texts = {}
        for place, row in rows.items():
            if kind in row:
                texts.setdefault(row[kind], []).append(place)
        found[f"{kind}s" if kind != "skipped" else kind] = texts
    return found


def show_summary(summaries):
    print(f"\n{'implementation':40}files  exact  largest difference")
    for name, found in summaries.items():
        if "files" not in found:
            print(f"{name:40}{'-':>5}")
            continue
        errors = sum(map(len, found["errors"].values()))
        most = "-" if found["largest"] is None else f"{found['largest']:.3g}"
        failed = f", {errors} errors" if errors else ""
        print(f"{name:40}{found['files']:5}{found['exact']:7}  {most}{failed}")


def about(device):
    """Returns the machine and the versions, for the record."""
    versions = {}
    for name in PACKAGES:
        try:
            versions[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            pass
    gpu = torch.cuda.get_device_name() if device == "cuda" else None
    return {"device": gpu or "cpu", "packages": versions}


def write_missing(tool, folder):
    for op in OPERATORS:
        if not (folder / op).exists():
            subprocess.run([tool, "vectors", op, "-o", folder / op, "--quiet"], check=True)


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--dir", required=True, type=Path)
    parser.add_argument("--json", type=Path, help="the record")
    parser.add_argument("--only", default="", help="files whose OPERATOR/NAME has this text")
    parser.add_argument("--implementation", default="", help="one, or those that have this text")
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    parser.add_argument("--accuracy", action="store_true", help="also errors on random inputs")
    parser.add_argument("--jobs", type=int, default=1, help="processes at once")
    parser.add_argument("--part", type=int, help="this part alone, from 0, of what --jobs divides")
    parser.add_argument("--seconds", type=float, default=1e9, help="begin nothing after these")
    parser.add_argument("--tune", action="store_true", help="let Triton tune, for a long time")
    parser.add_argument("--tool", help="fsa2lrnn, which writes what is missing in DIR")
    parser.add_argument("--library", type=Path, help="of our kernels (default: what is installed)")
    parser.add_argument("--emulated", action="store_true", help="the library's warps are emulated")
    args = parser.parse_args()
    args.began = time.time()
    if args.emulated:
        args.device, args.jobs = "cpu", 1
    if args.implementation in IMPLEMENTATIONS:
        args.names = [args.implementation]
    else:
        args.names = [name for name in IMPLEMENTATIONS if args.implementation in name]
    return parser, args


def run_alone(name, part, args, folder):
    """Runs a part of one implementation's work in a process of its own; returns its record."""
    left = args.began + args.seconds - time.time()
    if left <= 0:
        return {"vectors": {name: {"skipped": "no time was left"}}}
    file = folder / f"{name}-{part}.json"
    argv = [sys.executable, __file__, "--dir", args.dir, "--only", args.only, "--json", file]
    argv += ["--implementation", name, "--device", args.device, "--part", str(part)]
    argv += ["--seconds", str(left)]
    argv += ["--accuracy"] * args.accuracy + ["--tune"] * args.tune
    done = subprocess.run(argv, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    print(done.stdout.partition("\nimplementation")[0], flush=True)
    if not file.exists():
        return {"vectors": {name: {"skipped": f"ended with status {done.returncode}"}}}
    return json.loads(file.read_text())


def join_summaries(a, b):
    """Returns what came of an implementation in two parts of the files."""
    if "files" not in a or "files" not in b:
        return a if "files" in a else b
    joined = {"files": a["files"] + b["files"], "exact": a["exact"] + b["exact"]}
    joined["largest"] = max((x["largest"] for x in (a, b) if x["files"]), default=None)
    joined["off"] = {**a["off"], **b["off"]}
    for kind in ("notes", "errors", "skipped"):
        texts = {*a[kind], *b[kind]}
        joined[kind] = {t: a[kind].get(t, []) + b[kind].get(t, []) for t in sorted(texts)}
    return joined


def merge(record, parts):
    """Puts the records of single implementations and parts into one."""
    vectors = record["vectors"] = {}
    cases = {}
    for part in parts:
        for name, found in part["vectors"].items():
            vectors[name] = join_summaries(vectors[name], found) if name in vectors else found
        for name, found in part.get("exact", {}).items():
            row = record.setdefault("exact", {}).setdefault(name, {})
            for key, value in found.items():
                row[key] = row.get(key, type(value)()) + value
        for case in part.get("accuracy", []):
            key = json.dumps({k: v for k, v in case.items() if k != "implementations"})
            row = cases.setdefault(key, {**case, "implementations": {}})
            row["implementations"].update(case["implementations"])
    return {**record, "accuracy": list(cases.values())} if cases else record


def run_apart(args):
    """Returns the record of all implementations, several processes at once."""
    work = [(name, part) for part in range(PARTS) for name in args.names]
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(args.jobs) as pool:
        parts = list(pool.map(lambda item: run_alone(*item, args, Path(folder)), work))
    return merge(about(args.device), parts)


def run_here(args, paths):
    def late():
        return time.time() > args.began + args.seconds

    record = about(args.device)
    part = slice(args.part, None, PARTS if args.part is not None else None)
    results = run_files(paths[part], args.names, args.device, late)
    record["vectors"] = {name: summarize(rows) for name, rows in results.items()}
    if args.accuracy:
        record["accuracy"] = measure_accuracy(args.names, args.device, SHAPES[part], late)
        record["exact"] = measure_exact(args.names, args.device, part, late)
    return record


def is_right(name, found):
    """Returns whether an implementation of ours that ran is exact everywhere."""
    ran = "files" in found and name.startswith("fsa2lrnn")
    return not ran or not (found["off"] or found["errors"] or found["notes"])


def main():
    parser, args = parse_arguments()
    if args.library:
        os.environ["FSA2LRNN_KERNELS_LIB"] = str(args.library.resolve())
    if args.tool:
        args.dir.mkdir(parents=True, exist_ok=True)
        write_missing(args.tool, args.dir)
    files = find_files(args.dir)
    paths = [path for path in files if args.only in f"{VectorFile(path).op}/{path.stem}"]
    if not paths or not args.names:
        parser.error(f"no vector files in {args.dir}, or no implementation of that name")
    if not args.tune:
        take_first_configuration()
    if args.emulated:
        emulate()
    record = run_apart(args) if args.jobs > 1 else run_here(args, paths)
    if args.emulated:
        record["device"] = "warps that a CPU emulates"
    show_summary(record["vectors"])
    if args.accuracy:
        show_accuracy(record["accuracy"], record["exact"])
    if args.json:
        args.json.write_text(json.dumps(record, indent=1) + "\n")
    return 0 if all(is_right(*item) for item in record["vectors"].items()) else 1


if __name__ == "__main__":
    sys.exit(main())
