"""Whether right algorithms are at 0 on the vectors, and every fault shows: NumPy on files that the
program writes. `--all` takes every file.

usage: check_faults.py --tool build/release/fsa2lrnn [--all]
"""

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from chunked import differences, run
from faults import FAULTS
from vector_file import VectorFile, find_files

OPERATORS = ("delta-rule", "gated-delta-rule", "delta-product", "gated-delta-product")
# Beside the files of the faults: the other families and formats.
SOME = {
    "delta-rule": ["t17"],
    "gated-delta-rule": ["t33", "t65", "t65-read-out", "t129-fine"],
    "delta-product": ["t33-n6"],
    "gated-delta-product": ["t65-n8"],
}


def names_of(op):
    """Returns the files of an operator that a short run needs."""
    places = {place for _, on in FAULTS.values() for place in on}
    wanted = {place.split("/")[1] for place in places if place.split("/")[0] == op}
    return sorted(wanted | set(SOME[op]))


def write_vectors(tool, folder, everything):
    for op in OPERATORS:
        only = [] if everything else ["--only", ",".join(names_of(op))]
        out = Path(folder) / op
        subprocess.run([tool, "vectors", op, *only, "-o", str(out), "--quiet"], check=True)


def check_right(files, everything):
    """Returns what is not 0 where nothing is wrong; row by row, few files suffice."""
    wrong = []
    for place, file in files.items():
        for rows in (0, 16, 32, 64):
            if rows == 0 and not everything and file["k"].shape[1] > 128:
                continue
            apart = {name: by for name, by in differences(run(file, rows), file).items() if by}
            if apart:
                wrong.append(f"{place}, {rows or 'no'} rows: {apart}")
    return wrong


def check_fault(name, files):
    """Returns the files on which the fault does not show in some chunk size, and prints by how much
    it is off."""
    fault, on = FAULTS[name]
    assert len(on) >= 2, name
    hidden, most = [], []
    for place in on:
        for rows in fault.rows:
            by = max(differences(run(files[place], rows, fault), files[place]).values())
            most.append(f"{place.split('/')[1]}/{rows} {by:.3g}")
            hidden += [] if by else [f"{name}: {place}, {rows} rows: 0"]
    print(f"{name}: off by {', '.join(most)}")
    return hidden


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tool", required=True)
    parser.add_argument("--all", action="store_true", help="every file, in minutes")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="f2l-vectors-") as folder:
        write_vectors(args.tool, folder, args.all)
        files = {f"{path.parent.name}/{path.stem}": VectorFile(path) for path in find_files(folder)}
        wrong = check_right(files, args.all)
        for name in FAULTS:
            wrong += check_fault(name, files)
    print(*wrong, sep="\n")
    print(f"{len(files)} files, {len(FAULTS)} faults")
    print(f"{len(files) + len(FAULTS) - len(wrong)} passed, {len(wrong)} failed")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
