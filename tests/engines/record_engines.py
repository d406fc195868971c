"""Writes reports/results/engines.json: `fsa2lrnn engines` for S3, S4, S5, A5, Z_5, Z_60, T4, T6, a
lexer, brackets of depth 4, and 13 languages of MLRegTest, one of each class, whose folder --att
names. Each cell has its command. The cells are kept in --folder, and the same line goes on
there."""

import argparse
import json
import platform
import subprocess
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
MADE = {
    "S4": ["symmetric", "4", "--generators"],
    "A5": ["alternating", "5", "--generators"],
    "Z_5": ["cyclic", "5", "--generators"],
    "Z_60": ["cyclic", "60", "--generators"],
    "T4": ["transformations", "4"],
    "T6": ["transformations", "6"],
}
EXAMPLES = {
    "S3": "s3.fsa",
    "S5": "s5_generators.fsa",
    "lexer": "lexer.fsa",
    "json_depth4": "json_depth4.fsa",
}
CLASSES = "SL SP TSL LT TLT PLT TPLT LTT TLTT PT SF Zp Reg".split()


def write_automata(tool, folder):
    """Returns the files of the automata whose labels are their states."""
    for name, kind in MADE.items():
        run = subprocess.run([tool, "new", *kind], check=True, stdout=subprocess.PIPE)
        (folder / f"{name}.fsa").write_bytes(run.stdout)
    for name, source in EXAMPLES.items():
        (folder / f"{name}.fsa").write_bytes((ROOT / "examples" / source).read_bytes())
    return [f"{name}.fsa" for name in sorted([*MADE, *EXAMPLES])]


def languages(att):
    """Returns the first language of each class with an alphabet of four letters."""
    out = []
    for name in CLASSES:
        some = sorted(att.glob(f"04.0*.{name}.*.att"))
        if not some:
            raise SystemExit(f"{att} has no language of the class {name}")
        out.append(some[0])
    return out


def tabulate(tool, folder, files, options, cells):
    command = [tool, "engines", *files, *options, "--json", "--jobs", "2", "--out", cells]
    run = subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, check=False)
    if run.returncode not in (0, 2):
        raise SystemExit(f"engines ended with status {run.returncode}")
    return json.loads(run.stdout)


def join(tables):
    """Returns one table of tables with the same engines."""
    out = dict(tables[0])
    for more in tables[1:]:
        for name in ("engine_nets", "engine_cells"):
            out[name] = out[name] + more[name]
        for row, other in zip(out["engine_rows"], more["engine_rows"]):
            for count in ("verified_cells", "refuted_cells", "unknown_cells", "none_cells"):
                row[count] += other[count]
    return out


def lines(value):
    """Returns the record with a line for each network, engine and cell."""
    parts = []
    for name, x in value.items():
        if isinstance(x, list):
            rows = ",\n".join(json.dumps(row) for row in x)
            parts.append(f"{json.dumps(name)}: [\n{rows}\n]")
        else:
            parts.append(f"{json.dumps(name)}: {json.dumps(x)}")
    return "{\n" + ",\n".join(parts) + "\n}\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tool", required=True, type=Path)
    parser.add_argument("--att", required=True, type=Path, help="the folder of MLRegTest's files")
    parser.add_argument("--folder", required=True, type=Path)
    parser.add_argument("--out", required=True, type=Path)
    args = parser.parse_args()
    args.folder.mkdir(parents=True, exist_ok=True)
    tool, folder = args.tool.resolve(), args.folder
    begun = time.monotonic()
    files = write_automata(tool, folder)
    tables = [tabulate(tool, folder, files, [], "states.jsonl")]
    for source in languages(args.att):
        (folder / source.name).write_bytes(source.read_bytes())
    names = [source.name for source in languages(args.att)]
    tables.append(tabulate(tool, folder, names, ["--label", "accept"], "languages.jsonl"))
    asked = [tool, "--version"]
    version = subprocess.run(asked, check=True, stdout=subprocess.PIPE, text=True).stdout
    record = {"program": version.splitlines()[0], "machine": platform.machine(), "cores": 2}
    record["seconds"] = round(time.monotonic() - begun)
    args.out.write_text(lines(record | join(tables)))


if __name__ == "__main__":
    main()
