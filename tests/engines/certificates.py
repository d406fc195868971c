"""Certificates of the VERIFIED cells of reports/results/engines.json: each cell's command writes
one, and lrnn-check verifies it; its line must name the row as the certificate has it, and the
network. Such a cell gets `certificate`, the claim; one without gets `no_certificate`, the reason
that `round` prints. What is refused fails.

    python3 tests/engines/certificates.py --tool TOOL --checker LRNN-CHECK --folder FOLDER
        [--record FILE] [--cells N] [--update]

The networks are made in the folder; cells of MLRegTest's languages are looked at where their files
are in it. --cells looks at N random cells; --update writes claims to the record and its page."""

import argparse
import json
import os
import random
import shlex
import subprocess
import sys
import tempfile
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import record_engines

WITHOUT = "warning: VERIFIED rows without a certificate: 1, such as "


def make_network(tool, folder, net):
    """Makes the network, unless it is there; returns its name, or None where its automaton is not
    there."""
    words = shlex.split(net["made_by"])
    name = words[words.index("--out") + 1]
    if not (folder / net["automaton_file"]).exists():
        return None
    if not (folder / name / "network.lrnn").exists():
        command = [tool, *words[1:], "--quiet", "--no-report"]
        subprocess.run(command, cwd=folder, check=True, stderr=subprocess.DEVNULL)
    return name


def line_fault(lines, certificate, sha256):
    """Returns what is wrong with the verdict's lines, or None."""
    text = certificate.read_text()
    row = next(x for x in text.splitlines() if "schedule " in x)
    row = row.removeprefix("unrounded ")
    last = lines[-1] if lines else ""
    if f" {row} decoder " not in last:
        return "its line does not name the row"
    return None if f" network {sha256}\n" in f"{last}\n" else "its line is of another network"


def certificate_of(args, cell, name, sha256):
    """Returns the fields that the cell gets."""
    with tempfile.TemporaryDirectory() as out:
        command = [args.tool, *shlex.split(cell["command"])[1:], "--certificates", out]
        run = subprocess.run(command, cwd=args.folder, capture_output=True, text=True, check=False)
        if run.returncode != 0:
            raise SystemExit(f"{cell['command']}: no longer VERIFIED: {run.stderr}")
        written = list(Path(out).glob("*.cert"))
        if not written:
            return {"no_certificate": run.stderr.split(WITHOUT)[1].split(": ", 1)[1].strip()}
        files = [args.folder / name / f for f in ("automaton.fsa", "network.lrnn")]
        check = subprocess.run(
            [args.checker, *files, written[0]], capture_output=True, text=True, check=False
        )
        lines = check.stdout.splitlines()
        fault = line_fault(lines, written[0], sha256) if check.returncode == 0 else check.stderr
        if fault:
            raise SystemExit(f"{cell['command']}: the certificate is refused: {fault}")
        return {"certificate": lines[-1].split(" label ")[0].removeprefix("s VERIFIED ")}


def add_certificates(args, record, cells):
    """Looks at the cells; returns how many had each claim, or reason."""
    name_of, sha_of = {}, {}
    for net in record["engine_nets"]:
        if "network_sha256" in net:
            key = net["automaton_file"], net["keys"]
            name_of[key] = make_network(args.tool, args.folder, net)
            sha_of[key] = net["network_sha256"]

    def look(cell):
        key = cell["automaton_file"], cell["keys"]
        return certificate_of(args, cell, name_of[key], sha_of[key]) if name_of[key] else None

    counts = Counter()
    with ThreadPoolExecutor(args.jobs) as pool:
        for cell, found in zip(cells, pool.map(look, cells)):
            if found is None:
                counts["not looked at: the automaton's file is missing"] += 1
                continue
            cell.pop("certificate", None)
            cell.pop("no_certificate", None)
            cell |= found
            (what,) = found.values()
            counts[what] += 1
    return counts


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tool", required=True, type=Path)
    parser.add_argument("--checker", required=True, type=Path)
    parser.add_argument("--folder", required=True, type=Path)
    parser.add_argument("--record", type=Path, default="reports/results/engines.json")
    parser.add_argument("--cells", type=int)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--update", action="store_true")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    args = parser.parse_args()
    args.tool, args.checker, args.folder = (
        x.resolve() for x in (args.tool, args.checker, args.folder)
    )
    args.folder.mkdir(parents=True, exist_ok=True)
    record_engines.write_automata(args.tool, args.folder)
    record = json.loads(args.record.read_text())
    cells = [c for c in record["engine_cells"] if c["cell_verdict"] == "VERIFIED"]
    if args.cells:
        cells = random.Random(args.seed).sample(cells, args.cells)
    counts = add_certificates(args, record, cells)
    if args.update:
        record_engines.write(args.record, record)
    for what, count in counts.most_common():
        print(f"{count} cells: {what}")
    print(f"{len(cells)} passed, 0 failed")
    return 0


if __name__ == "__main__":
    sys.exit(main())
