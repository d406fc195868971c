"""Writes reports/results/engines.json: `fsa2lrnn engines` for S3, S4, S5, A5, Z_5, Z_60, T4, T6, a
lexer, brackets of depth 4, and 13 languages of MLRegTest, one of each class, whose folder --att
names. Each cell has its command; certificates.py adds the claims of their certificates. The cells
are kept in --folder, and the same line goes on there."""

import argparse
import json
import os
import platform
import subprocess
import time
from collections import Counter
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


GROUPS = ("S3.fsa", "S4.fsa", "S5.fsa", "A5.fsa", "Z_5.fsa", "Z_60.fsa")


def title(name):
    """Returns a short name of an automaton: that of its class for a language of MLRegTest."""
    return name[:-4] if name.endswith(".fsa") else name.split(".")[2]


def verdicts(record, columns):
    """Returns the lines of a table with these columns: title, automaton and keys."""
    cells = {(c["automaton_file"], c["keys"], c["engine"]): c for c in record["engine_cells"]}
    out = ["| " + " | ".join(["engine/state", *(c[0] for c in columns)]) + " |"]
    out.append("|---" * (len(columns) + 1) + "|")
    for row in record["engine_rows"]:
        words = [short(cells[name, keys, row["engine"]]) for _, name, keys in columns]
        out.append("| " + " | ".join([row["engine"], *words]) + " |")
    return [*out, ""]


def counts(record):
    """Returns the lines of the table of how many cells of an engine have which verdict."""
    certified = Counter(c["engine"] for c in record["engine_cells"] if "certificate" in c)
    heads = ["engine/state", "VERIFIED", "certificates", "REFUTED", "UNKNOWN", "none"]
    out = ["| " + " | ".join(heads) + " |", "|---" * len(heads) + "|"]
    for row in record["engine_rows"]:
        verified, *rest = (row[k + "_cells"] for k in ("verified", "refuted", "unknown", "none"))
        words = [row["engine"], *map(str, [verified, certified[row["engine"]], *rest])]
        out.append("| " + " | ".join(words) + " |")
    return out


def equal_rows(record):
    """Returns a sentence that lists the rows that are equal to earlier ones."""
    pairs = [(r["engine"], r["same_row"]) for r in record["engine_rows"] if r.get("same_row")]
    if not pairs:
        return "No two of these rows are equal."
    return "Equal rows: " + ", ".join(f"{a} is {b}" for a, b in pairs) + "."


def page(record):
    """Returns the page: all cells, but those of networks that do not exist for any engine."""
    nets = [n for n in record["engine_nets"] if "no_network" not in n]
    others = [(n["automaton_file"], n["keys"]) for n in nets if n["automaton_file"] not in GROUPS]
    columns = [(title(n) + ", textbook" * (k != "dyadic"), n, k) for n, k in others]
    out = [HEAD.format(**record)]
    for keys, what in (("dyadic", "Our keys"), ("textbook", "Textbook keys")):
        out += [f"## {what}", "", *verdicts(record, [(title(n), n, keys) for n in GROUPS])]
    out += ["## Other automata", "", REST, *verdicts(record, columns)]
    out += ["## Cells of all networks", "", equal_rows(record), "", *counts(record)]
    return "\n".join(out) + "\n"


def write(path, record):
    """Writes the record and its page."""
    path.write_text(lines(record))
    path.with_stem(path.stem + "-table").with_suffix(".md").write_text(page(record))


HEAD = """# Engines, the table

<!-- Made by `make engines` from reports/results/engines.json: do not edit. -->

What [engines.md](../../docs/engines.md) says how to read: `all`: right for all words, since
nothing rounds, or (n) since n joint states close; a number: wrong after a known word of that many
letters, with * a shortest one; `open`: neither within {cell_effort} million counted steps,
{cell_limit} joint states and words of {cell_letters} letters, with > N where a bound proves all
words of at most N letters right; `none`: no such network, since there are no textbook keys, the
engine's step has no factors or a beta of at most 1, or its norm leaves no exact keys of this
dimension (the record has each cell's reason and command). It took {seconds} s on {cores} cores.
Certificates are counted that `lrnn-check` verified; the record names each one's claim, or why
there is none.
"""

REST = """Transformations, a lexer, brackets of depth 4, and the first language of each class of
MLRegTest. All but one are cascades, which have our keys only: with textbook keys every cell is
`none`.
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
    write(args.out, record)


if __name__ == "__main__":
    main()
