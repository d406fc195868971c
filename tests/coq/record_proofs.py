"""Runs all proofs of theory/coq and, with --record, keeps their time and theorems in the record.

usage: record_proofs.py --folder build/coq [--record reports/results/proofs.json]
Without what the proofs need the exit status is 77, as that of theory/coq/proofs.sh."""

import argparse
import datetime
import json
import os
import re
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
SCRIPT = ROOT / "theory/coq/proofs.sh"
THEOREM = re.compile(r"^\s*(?:Theorem|Lemma|Corollary|Proposition|Fact)\s+(\w+)", re.MULTILINE)


def theorems():
    """Returns the number of theorems of each file of theorems."""
    files = sorted((ROOT / "theory/coq/theorems").glob("*.v"))
    return {f.stem: len(THEOREM.findall(f.read_text(encoding="utf-8"))) for f in files}


def prove(folder):
    """Returns (exit status, seconds, seconds of the processor)."""
    start, before = time.monotonic(), os.times()
    status = subprocess.run(["sh", SCRIPT, "prove", folder], stdin=subprocess.DEVNULL).returncode
    after = os.times()
    spent = after.children_user + after.children_system
    spent -= before.children_user + before.children_system
    return status, round(time.monotonic() - start, 1), round(spent, 1)


def spell(value):
    """Returns JSON, with a line for each object of a list."""
    if isinstance(value, list) and value and isinstance(value[0], dict):
        return "[\n" + ",\n".join(f"  {json.dumps(v)}" for v in value) + "\n ]"
    return json.dumps(value, ensure_ascii=False)


def write_record(path, wall, processor, load):
    record = json.loads(path.read_text(encoding="utf-8"))
    sources = subprocess.run(["sh", SCRIPT, "hash"], capture_output=True, text=True, check=True)
    record["date"] = datetime.date.today().isoformat()
    record["sources_sha256"] = sources.stdout.strip()
    record["load"] = load
    record["proofs"] = {"wall_s": wall, "cpu_s": processor}
    record["theorems"] = theorems()
    lines = [f" {json.dumps(k)}: {spell(v)}" for k, v in record.items()]
    path.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--folder", type=Path, required=True)
    parser.add_argument("--record", type=Path)
    args = parser.parse_args()
    load = round(os.getloadavg()[0], 1)
    status, wall, processor = prove(args.folder)
    if status == 0:
        print(f"proofs: {wall} s, {processor} s of the processor")
        if args.record:
            write_record(args.record, wall, processor, load)
    return status


if __name__ == "__main__":
    sys.exit(main())
