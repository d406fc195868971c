"""Looks at cells of `fsa2lrnn engines` again, with a model in Python that shares nothing with the
program but the network's file: it closes joint states breadth-first, and runs random, periodic and
greedy words. It says of each cell whether its verdict was found again, or was only not contradicted
(UNKNOWN claims nothing), or that the model lacks the row. A contradiction fails.

    python3 tests/engines/check_engines.py --tool build/release/fsa2lrnn [--record FILE]

Without --record the automaton is S5 and all cells are looked at; with it, all cells of S5 and 20
random cells of each engine of the record, half of them REFUTED where there are as many, or all
cells (--all). --keep FILE keeps what was found, cell by cell, and the same line goes on there;
--out FILE makes a record of it."""

import argparse
import ast
import hashlib
import json
import os
import random
import subprocess
import sys
import tempfile
from collections import Counter
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path

from chunk import Chunked
from judge import judge
from machine import Machine
from network import Exact, Network, Unsupported
from record_engines import languages, lines, write_automata
from row import Row, read_engine

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
PRESETS = ROOT / "models" / "network" / "engines"
MODEL = ("arith", "network", "row", "machine", "chunk", "judge")  # what decides what is found
FAMILIAR = ("found again", "not contradicted", "nothing claimed", "none", "not modelled")


NETWORKS = {}  # of this process, by the line that made them


def make_network(args, folder, net, cache):
    """Returns the network and its exact steps, or why there are none to compare with."""
    made_by = net.get("made_by")
    if made_by not in cache:
        out = folder / f"{os.getpid()}.{len(cache)}"
        words = [w.strip("'") for w in made_by.split()]
        words[words.index("--out") + 1] = str(out)
        source = args.automata / words[1]
        words[1] = str(source)
        try:
            if not source.exists():
                raise Unsupported(f"{source.name} is not in the folder of automata")
            subprocess.run([args.tool, *words[1:], "--quiet"], check=True)
            made = hashlib.sha256((out / "network.lrnn").read_bytes()).hexdigest()
            if made != net["network_sha256"]:
                raise Unsupported("the network is another one now")
            network = Network(out / "network.lrnn")
            cache[made_by] = (network, Exact(network))
        except Unsupported as why:
            cache[made_by] = why
    return cache[made_by]


def look_at(args, folder, cell, nets, cache):
    net = nets[cell["automaton_file"], cell["keys"]]
    if cell["cell_verdict"] == "none":
        return "none"
    if cell["cell_verdict"] == "UNKNOWN" and not cell.get("right_up_to"):
        return "nothing claimed"
    made = make_network(args, folder, net, cache)
    if isinstance(made, Unsupported):
        return f"not modelled: {made}"
    network, exact = made
    engine, state = cell["engine"].rsplit("/", 1)
    try:
        row = Row(read_engine(PRESETS / f"{engine}.engine"), state, "bf16")
        machine = Chunked if row.row == "chunk64" else Machine
        return judge(machine(network, row), exact, cell, args.most)
    except Unsupported as why:
        return f"not modelled: {why}"


def choose(cells, everything):
    """Returns the cells to look at: 20 of each engine, half of them REFUTED, and all of S5."""
    out, of_engine = [], {}
    for cell in cells:
        if everything or cell["automaton_file"].startswith("S5"):
            out.append(cell)
        else:
            of_engine.setdefault(cell["engine"], []).append(cell)
    for some in of_engine.values():
        random.shuffle(some)
        refuted = [c for c in some if c["cell_verdict"] == "REFUTED"][:10]
        others = [c for c in some if c["cell_verdict"] in ("VERIFIED", "UNKNOWN")]
        out += refuted + others[: 20 - len(refuted)]
    return out


def look_at_one(args, folder, cell, nets):
    """Returns what is found of a cell, which is the same in every process, and in every order."""
    random.seed(f"{args.seed} {cell['automaton_file']} {cell['keys']} {cell['engine']}")
    return look_at(args, folder, cell, nets, NETWORKS)


def looked_at(args, folder, cells, nets):
    """Yields cells, as they are ready, and what is found of them."""
    if args.jobs == 1:
        for cell in cells:
            yield cell, look_at_one(args, folder, cell, nets)
        return
    with ProcessPoolExecutor(args.jobs) as pool:
        asked = {pool.submit(look_at_one, args, folder, cell, nets): cell for cell in cells}
        for done in as_completed(asked):
            yield asked[done], done.result()


# --- what is kept ---


def known_of(cell, nets):
    """Returns what is kept of a cell, beside what was found."""
    names = ("automaton_file", "keys", "engine", "cell_verdict", "how", "wrong_after", "wrong_on",
             "joint_states", "right_up_to")
    out = {k: cell[k] for k in names if cell.get(k) is not None}
    net = nets[cell["automaton_file"], cell["keys"]].get("network_sha256")
    return out | ({"network_sha256": net} if net else {})


def program_of(path):
    """Returns what a file of the model does, without its texts on functions and comments."""
    tree = ast.parse(path.read_text())
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        texts = (ast.Module, ast.ClassDef, ast.FunctionDef)
        if isinstance(node, texts) and ast.get_docstring(node) is not None:
            body.pop(0)
    return ast.dump(tree)


def header(args):
    """Returns what has to be the same where what was found of a cell is taken as it was."""
    parts = [program_of(HERE / f"{name}.py") for name in MODEL]
    parts += [path.read_text() for path in sorted(PRESETS.glob("*.engine"))]
    model = hashlib.sha256("".join(parts).encode()).hexdigest()
    return {"model_sha256": model, "closes": args.most, "seed": args.seed}


def read_kept(path, head):
    """Returns what was found of cells, by what is known of them, where the head is the same."""
    rows = [json.loads(line) for line in path.read_text().splitlines() if line.endswith("}")]
    if not rows or rows[0] != head:
        return {}
    return {json.dumps(row["cell"]): row["found"] for row in rows[1:]}


def go_on(args, folder, cells, nets):
    """Yields cells and what was found of them, before or now; keeps each in --keep."""
    if not args.keep:
        yield from looked_at(args, folder, cells, nets)
        return
    head = header(args)
    kept = read_kept(args.keep, head) if args.keep.exists() else {}
    left = []
    with args.keep.open("a" if kept else "w") as file:
        if not kept:
            file.write(json.dumps(head) + "\n")
        for cell in cells:
            found = kept.get(json.dumps(known_of(cell, nets)))
            if found is None:
                left.append(cell)
            else:
                yield cell, found
        for cell, found in looked_at(args, folder, left, nets):
            file.write(json.dumps({"cell": known_of(cell, nets), "found": found}) + "\n")
            file.flush()
            yield cell, found


def write_record(args, table, found, counts):
    """Writes what was found, in the order of the table."""
    nets = {(n["automaton_file"], n["keys"]): n for n in table["engine_nets"]}
    record = {"program": table.get("program"), **header(args), "counts": dict(counts)}
    record["looked_at"] = [
        known_of(cell, nets) | {"found": found[id(cell)]}
        for cell in table["engine_cells"]
        if id(cell) in found
    ]
    args.out.write_text(lines(record))


def options():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tool", required=True)
    parser.add_argument("--record", type=Path, help="a record of tests/engines/record_engines.py")
    parser.add_argument("--automaton", type=Path, default=ROOT / "examples" / "s5_generators.fsa")
    parser.add_argument("--automata", type=Path, help="the folder of the record's automata, where "
                        "those are made that are no files of MLRegTest")
    parser.add_argument("--att", type=Path, help="the folder of MLRegTest's files")
    parser.add_argument("--most", type=int, default=3000, help="joint states that it closes")
    parser.add_argument("--all", action="store_true", help="look at all cells of the record")
    parser.add_argument("--engine", help="only this one")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=1, help="processes that look at cells")
    parser.add_argument("--keep", type=Path, help="a file for what is found, which goes on")
    parser.add_argument("--out", type=Path, help="writes a record of what was found")
    parser.add_argument("--verbose", action="store_true")
    return parser.parse_args()


def read_table(args):
    if not args.record:
        command = [args.tool, "engines", args.automaton, "--json", "--jobs", "2"]
        command += ["--engine", args.engine] if args.engine else []
        run = subprocess.run(command, stdout=subprocess.PIPE, check=False)
        return json.loads(run.stdout)
    args.automata.mkdir(parents=True, exist_ok=True)
    write_automata(args.tool, args.automata)
    for source in languages(args.att) if args.att else ():
        (args.automata / source.name).write_bytes(source.read_bytes())
    return json.loads(args.record.read_text())


def main():
    args = options()
    random.seed(args.seed)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        args.automata = args.automata or folder
        table = read_table(args)
        nets = {(n["automaton_file"], n["keys"]): n for n in table["engine_nets"]}
        counts, found = Counter(), {}
        cells = choose(table["engine_cells"], args.all or not args.record)
        for cell, said in go_on(args, folder, cells, nets):
            kind = said.split(":")[0]
            fault = kind not in FAMILIAR
            counts["contradicted" if fault else kind] += 1
            found[id(cell)] = said
            if fault or args.verbose:
                known = [v for k, v in known_of(cell, nets).items() if k != "network_sha256"]
                print(*known, "--", said, flush=True)
    if args.out:
        write_record(args, table, found, counts)
    faults = counts["contradicted"]
    print("engines:", ", ".join(f"{n} {kind}" for kind, n in counts.items()))
    print(f"{sum(counts.values()) - faults} passed, {faults} failed")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
