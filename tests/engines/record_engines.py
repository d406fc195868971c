"""Writes reports/results/engines.json: `fsa2lrnn engines` for S3, S4, S5, A5, Z_5, Z_60, T4, T6, a
lexer, brackets of depth 4, and 13 languages of MLRegTest, one of each class, whose folder --att
names. Each cell has its command. The cells are kept in --folder, and the same line goes on
there."""

import argparse
import json
import os
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


def tabulate(args, folder, files, options, cells):
    tool = args.tool.resolve()
    command = [tool, "engines", *files, *options, "--json", "--jobs", str(args.jobs)]
    command += ["--out", cells]
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
    """Returns the record with a line for each network, engine and cell, without what is null."""
    parts = []
    for name, x in value.items():
        if isinstance(x, list):
            some = [{k: v for k, v in row.items() if v is not None} for row in x]
            rows = ",\n".join(json.dumps(row) for row in some)
            parts.append(f"{json.dumps(name)}: [\n{rows}\n]")
        else:
            parts.append(f"{json.dumps(name)}: {json.dumps(x)}")
    return "{\n" + ",\n".join(parts) + "\n}\n"


def short(cell):
    verdict, how = cell["cell_verdict"], cell.get("how")
    if verdict == "VERIFIED":
        return "all" if how == "nothing rounds" else f"all ({cell.get('joint_states', how)})"
    if verdict == "REFUTED":
        return f"{cell['wrong_after']:,}" + ("" if how in ("observed", "growth") else "*")
    if verdict == "none":
        return "none"
    return "open" if cell.get("right_up_to") is None else f"open > {cell['right_up_to']:,}"


def page(record):
    """Returns the page: the groups in full, and the number of cells of the rest."""
    cells = {(c["automaton_file"], c["keys"], c["engine"]): c for c in record["engine_cells"]}
    shown = ["S3.fsa", "S4.fsa", "S5.fsa", "A5.fsa", "Z_5.fsa", "Z_60.fsa"]
    out = [HEAD.format(**record)]
    for keys, what in (("dyadic", "Our keys"), ("textbook", "Textbook keys")):
        out.append(f"## {what}\n")
        out.append("| engine/state | " + " | ".join(n[:-4] for n in shown) + " |")
        out.append("|---|" + "---|" * len(shown))
        for row in record["engine_rows"]:
            words = [short(cells[n, keys, row["engine"]]) for n in shown]
            out.append(f"| {row['engine']} | " + " | ".join(words) + " |")
        out.append("")
    out.append("## Cells of all networks\n")
    out.append("| engine/state | VERIFIED | REFUTED | UNKNOWN | none | the same row |")
    out.append("|---|---|---|---|---|---|")
    for row in record["engine_rows"]:
        counts = [row[k + "_cells"] for k in ("verified", "refuted", "unknown", "none")]
        words = [row["engine"], *map(str, counts), row.get("same_row") or ""]
        out.append("| " + " | ".join(words) + " |")
    return "\n".join(out) + "\n"


HEAD = """# Engines, the table

<!-- Made by `make engines` from reports/results/engines.json: do not edit. -->

What [engines.md](../../docs/engines.md) says how to read: `all`: right for all words, since
nothing rounds, or (n) since n joint states close; a number: wrong after a known word of that many
letters, with * a shortest one; `open`: neither within {cell_effort} million counted steps,
{cell_limit} joint states and words of {cell_letters} letters, with > N where a bound proves all
words of at most N letters right; `none`: no such network. The
networks are also of T4, T6, a lexer, brackets of depth 4, and a language of each class of
MLRegTest; the record has each cell's command. It took {seconds} s on {cores} cores.
"""


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tool", required=True, type=Path)
    parser.add_argument("--att", required=True, type=Path, help="the folder of MLRegTest's files")
    parser.add_argument("--folder", required=True, type=Path)
    parser.add_argument("--out", required=True, type=Path)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    args = parser.parse_args()
    args.folder.mkdir(parents=True, exist_ok=True)
    tool, folder = args.tool.resolve(), args.folder
    begun = time.monotonic()
    files = write_automata(tool, folder)
    tables = [tabulate(args, folder, files, [], "states.jsonl")]
    for source in languages(args.att):
        (folder / source.name).write_bytes(source.read_bytes())
    names = [source.name for source in languages(args.att)]
    tables.append(tabulate(args, folder, names, ["--label", "accept"], "languages.jsonl"))
    asked = [tool, "--version"]
    version = subprocess.run(asked, check=True, stdout=subprocess.PIPE, text=True).stdout
    record = {"program": version.splitlines()[0], "machine": platform.machine()}
    record["cores"] = args.jobs
    record["seconds"] = round(time.monotonic() - begun)
    record |= join(tables)
    args.out.write_text(lines(record))
    args.out.with_stem(args.out.stem + "-table").with_suffix(".md").write_text(page(record))


if __name__ == "__main__":
    main()
