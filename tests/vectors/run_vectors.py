"""Runs vector files on every implementation that is installed: PyTorch's on a GPU where there is
one, else on the CPU. With --accuracy also random inputs, against float64.

usage: run_vectors.py --dir DIR [--json FILE] [--library FILE] [--tool FILE] [--accuracy]

DIR holds folders of `fsa2lrnn vectors`; with --tool fsa2lrnn they are written where they are
missing. --library names the library of our kernels, such as
build/release/libfsa2lrnn-kernels.so.0. The exit status is 1 where our kernels are not exact.
"""

import argparse
import importlib.metadata
import json
import os
import subprocess
import sys
from pathlib import Path

import torch

sys.path.insert(0, str(Path(__file__).resolve().parent))
from accuracy import measure_accuracy, show_accuracy
from chunked import difference
from implementations import (
    IMPLEMENTATIONS,
    Unfit,
    error_text,
    inputs_of,
    run_implementation,
)
from vector_file import VectorFile, find_files

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


def is_wrong(row):
    """Returns whether something ran, and is not exact; of what is not installed, a text is here."""
    if not isinstance(row, dict):
        return False
    return "error" in row or ("differences" in row and (largest(row) > 0 or "note" in row))


def tell(name, row):
    """Returns the line about one implementation and file."""
    if "differences" not in row:
        return next(f"{kind}: {text}" for kind, text in row.items())
    off = {what: f"{by:.3g}" for what, by in row["differences"].items() if by}
    shown = ", ".join(f"{what} {by}" for what, by in off.items())
    shown = shown or f"0 in {len(row['differences'])} results"
    return shown + (f" ({row['note']})" if "note" in row else "")


def run_files(paths, names, device):
    """Returns {implementation: {file: row}}, and prints each row but those of what is not there."""
    results, missing = {name: {} for name in names}, {}
    for path in paths:
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


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--dir", required=True, type=Path)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--only", default="", help="files whose OPERATOR/NAME has this text")
    parser.add_argument("--implementation", default="", help="those whose name has this text")
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    parser.add_argument("--accuracy", action="store_true", help="also errors on random inputs")
    parser.add_argument("--tool", help="fsa2lrnn, which writes what is missing in DIR")
    parser.add_argument("--library", type=Path, help="of our kernels (default: what is installed)")
    args = parser.parse_args()
    if args.library:
        os.environ["FSA2LRNN_KERNELS_LIB"] = str(args.library.resolve())
    if args.tool:
        args.dir.mkdir(parents=True, exist_ok=True)
        write_missing(args.tool, args.dir)
    files = find_files(args.dir)
    paths = [path for path in files if args.only in f"{VectorFile(path).op}/{path.stem}"]
    names = [name for name in IMPLEMENTATIONS if args.implementation in name]
    if not paths:
        parser.error(f"no vector files in {args.dir}")
    record = about(args.device)
    results = run_files(paths, names, args.device)
    record["vectors"] = {name: summarize(rows) for name, rows in results.items()}
    show_summary(record["vectors"])
    if args.accuracy:
        record["accuracy"] = measure_accuracy(names, args.device)
        show_accuracy(record["accuracy"])
    if args.json:
        args.json.write_text(json.dumps(record, indent=1) + "\n")
    mine = [rows for name, rows in results.items() if name.startswith("fsa2lrnn")]
    return 1 if any(is_wrong(row) for rows in mine for row in rows.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
