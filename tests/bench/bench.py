"""make bench: times the jobs that have a target and prints medians, the target, and the ratio
(below 1 meets it).

It writes the same figures as JSON (--out). Timings are of whole processes on this machine; memory
is the peak resident set."""

import argparse
import hashlib
import json
import os
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import cascade_bench
import closure_bench
import search
import languages
from corpora.languages import write as write_languages
from search_cases import READ, REAL


MOST_PAGE = 3_000_000  # bytes of report.html of S5


def timed(argv, repeat, ok=(0,)):
    """Returns median wall seconds and the largest peak memory in MiB of `repeat` runs."""
    seconds, peak = [], 0
    for _ in range(repeat):
        start = time.perf_counter()
        process = subprocess.Popen(argv, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        errors = process.stderr.read()
        _, status, usage = os.wait4(process.pid, 0)
        seconds.append(time.perf_counter() - start)
        peak = max(peak, usage.ru_maxrss / 1024)
        code = os.waitstatus_to_exitcode(status)
        if code not in ok:
            sys.exit(f"{' '.join(argv)}: exit {code}\n{errors.decode(errors='replace')}")
    return statistics.median(seconds), peak


def horizon(build, s5, folder, row):
    """Adds the rows of the horizon of a network of S5, which is trained from the construction at a
    rate of nearly 0, so that all lengths up to the one asked for are certified."""
    tool, runs = str(build / "fsa2lrnn"), folder / "s5.starts"
    sizes = "--heads 8 --head-dim 32 --width 160 --mlp 512 --householders 4 --noise 1 --logit 16"
    short = "--rate 1e-9 --steps 1 --batch 1 --from 2 --to 2 --sequences 1"
    subprocess.run(
        [tool, "starts", s5, "-o", str(runs), *sizes.split(), *short.split()],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        check=True,
    )
    run, proof = runs / "exact-logit-16-seed-1" / "seed-1", str(folder / "s5.horizon")
    most = ["horizon", str(run), "--most", "4", "--no-report", "-o", proof]
    row("horizon of 4 letters, S5, 8 heads of 32", [tool, *most], 60.0, 1)
    names = ("../automaton.fsa", "config.json", "weights.safetensors")
    files = [str(run / name) for name in names]
    row("horizon-check of it", [str(build / "horizon-check"), *files, proof], 60.0, 1)


def settled(build, new, folder, row):
    """Times the search for wrong limits over all words of at most 4 letters: S3 in the sizes of the
    recipe `best`, whose limits are shared between periods, and the same with values, where only
    prefixes share them; beside the time of OpenBLAS for the products of bench_products, in which a
    processor of its own takes 10 s for either."""
    tool, program = str(build / "fsa2lrnn"), str(build / "tests/bench/bench_products")
    sizes = "--no-network --layers 1 --width 128 --mlp 512 --heads 8 --head-dim 32 --householders 2"
    model = f"{sizes} --eigenvalues signed --learned-start --slope 1 --init 0.02"
    short = "--rate 2e-3 --batch 32 --steps 400 --from 4 --to 12 --lengths 16 --sequences 64"
    s3 = new("settled.fsa", "symmetric", "3")
    for name, values, times in (("B = 0", "--no-additive", 5), ("values", "--additive", 6)):
        run = str(folder / f"settled{values}")
        words = f"{model} {short} {values} --no-report --quiet".split()
        subprocess.run([tool, "train", s3, *words, "-o", run], check=True)
        blas, _ = timed([program, "openblas"], 3)
        what = f"horizon --settle, S3, 8 heads of 32 x 32, {name}"
        ask = ["--settle", "--no-report", "--prefix-time", "600"]
        row(what, [tool, "horizon", run, *ask], round(times * blas, 4), 1)


def trained(build, folder, row):
    """Times a seed of parity, with its evaluations and the search for a wrong word, and the
    products of its steps beside those of OpenBLAS, with the kernels that it takes here."""
    out = ["-o", str(folder / "parity")]
    parity = "reproduce parity --setting best --model delta-signed --seeds 1"
    row("a seed of parity on a CPU", [str(build / "fsa2lrnn"), *parity.split(), *out], 10.0, 1)
    program = str(build / "tests/bench/bench_products")
    blas, _ = timed([program, "openblas"], 5)
    row("products of a step beside OpenBLAS's", [program, "ours"], round(1.3 * blas, 4), 5)


def random_points(points, letters, seed):
    rng = random.Random(seed)
    lines = [f"points {points}", "track points 1"]
    for letter in range(letters):
        image = list(range(1, points + 1))
        rng.shuffle(image)
        seen, cycles = set(), ""
        for start in range(1, points + 1):
            cycle, at = [], start
            while at not in seen:
                seen.add(at)
                cycle.append(str(at))
                at = image[at - 1]
            if len(cycle) > 1:
                cycles += "(" + " ".join(cycle) + ")"
        lines.append(f"permute {'abcdefgh'[letter]} {cycles or '()'}")
    return "\n".join(lines) + "\n"


def random_edges(states, letters, seed):
    """Returns states * letters transitions; every letter is a permutation, so that no state is
    dropped."""
    rng = random.Random(seed)
    lines = ["start q0"]
    for letter in range(letters):
        image = list(range(states))
        rng.shuffle(image)
        lines += [f"q{q} {letter} q{image[q]}" for q in range(states)]
    return "\n".join(lines) + "\n"


def parsed(build, folder, row):
    """Times reading 10^6 transitions in other syntaxes beside AT&T text, of whose time each may
    take 1.8."""
    rng, states, letters = random.Random(3), 100_000, 10
    edges = [(q, x, rng.randrange(states)) for q in range(states) for x in range(letters)]
    texts = {
        "att": "".join(f"{q}\t{to}\tx{x}\n" for q, x, to in edges) + "1\n",
        "aut": f"des (0, {len(edges)}, {states})\n"
        + "".join(f'({q}, "x{x}", {to})\n' for q, x, to in edges),
        "kiss2": ".i 4\n.o 2\n"
        + "".join(f"{x:04b} s{q} s{to} {to % 4:02b}\n" for q, x, to in edges),
        "mata": "@NFA-explicit\n%Initial q0\n%Final q1\n"
        + "".join(f"q{q} x{x} q{to}\n" for q, x, to in edges),
        "ba": "".join(f"x{x},{q}->{to}\n" for q, x, to in edges),
    }
    program = str(build / "tests/bench/bench_parse")
    for name, text in texts.items():
        (folder / f"million.{name}").write_text(text)
    att, _ = timed([program, str(folder / "million.att")], 5)
    for name in ("aut", "kiss2", "mata", "ba"):
        row(
            f".{name} of 10^6 transitions beside AT&T text",
            [program, str(folder / f"million.{name}")],
            round(1.8 * att, 4),
            5,
        )


def dihedral(points):
    turn = " ".join(map(str, range(1, points + 1)))
    flip = "".join(f"({i} {points + 1 - i})" for i in range(1, points // 2 + 1))
    return f"points {points}\ntrack elements\npermute r ({turn})\npermute s {flip}\n"


def searched(build):
    """Returns the rows of search.py, run in a separate process: the memory of this process would
    count as the memory of the programs that it starts."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "search.json"
        subprocess.run(
            [sys.executable, search.__file__, "--build", str(build), "--out", str(out)], check=False
        )
        return json.loads(out.read_text())["rows"]


# 04.04.PLT.4.2.4 of MLRegTest (heinz-jeffrey/subregular-learning): state, letter, state. The
# states 6 and 7 do not accept.
PLT = (
    "0b0 0c0 0d0 0a2 1a1 1b1 1c1 1d1 2d0 2c1 2a2 2b3 3c3 3d3 3a4 3b8 4c1 4d3 4a4 4b8 5c1 5d3 5a4"
    " 5b9 6b6 6c6 6d6 6a7 7c1 7b6 7d6 7a7 8c3 8d3 8a5 8b8 9c3 9d3 9a7 9b8"
)


def classified(tool, row, grammar, folder):
    """Compares `classify --construct` with the list that it shows, of which it may take 1.5 times
    the time, and times `classify` on an automaton whose layers are hard to bound."""
    lines = "\n".join(" ".join(f"q{c}" if c.isdigit() else c for c in edge) for edge in PLT.split())
    accepting = " ".join(f"q{q}" for q in range(10) if q not in (6, 7))
    plt = grammar("plt.fsa", f"fsa 1\nstart q0\naccept {accepting}\n{lines}\n")
    row("classify, an MLRegTest language of 10 states", [tool, "classify", plt], 0.3)
    # All of MLRegTest is to take 4 minutes of one core, 0.16 s a language; these are of its
    # classes, written from the definitions.
    write_languages(folder / "classified")
    row(
        "classify beside 0.16 s a language, 60 languages of MLRegTest's classes",
        ["sh", "-c", f"for f in {folder}/classified/*; do {tool} classify $f --label accept --sink"
         " --quiet --jobs 1 >/dev/null 2>&1 || exit 1; done"],
        60 * 0.16,
        1,
    )
    for name in ("tests/data/real/json_depth4.fsa", "examples/tomita4.fsa", "examples/s3.fsa"):
        listed, _ = timed([tool, "compile", "--pareto", name, "--quiet"], 5)
        row(
            f"classify --construct beside the list, {Path(name).stem}",
            [tool, "classify", "--construct", name],
            round(1.5 * listed, 4),
            5,
        )


def compiled_languages(tool, row, grammar, folder):
    """Times the main job on languages that need no search, and on a product proved by its parts;
    names those whose folders are larger than they may be."""
    large = []
    for name, text, target, most in (
        (
            "words without three subwords of 6 letters",
            languages.without_subwords("abcd", "abcadb", "bdcbaa", "ccadbd"),
            0.25,
            400_000,
        ),
        (
            "words with three factors of 5 to 7 letters",
            languages.with_factors("abc", "abcabca", "cbbcab", "aabbc"),
            1.0,
            350_000,
        ),
    ):
        out = folder / "language.lrnn"
        path = grammar("language.fsa", text)
        row(name, [tool, path, "--label", "accept", "--out", str(out), "--force"], target)
        size = sum(x.stat().st_size for x in out.iterdir())
        print(f"{f'bytes of the folder, {name}':52} {size:10}  ratio {size / most:6.3f}")
        large += [f"bytes of {name}"] if size > most else []
    return large


def chosen(tool, row):
    """Times `choose` on every automaton of tests/data/real: at most a second."""
    for name, options, *_ in READ:
        if "edges" in options:
            continue
        what = f"choose {name} {' '.join(o for o in options if '/' not in o)}".rstrip()
        row(what, [tool, "choose", str(REAL / name), *options], 1.0, 3)


# Automaton, options, and for its export as a language model: seconds, MiB of memory, bytes.
EXPORTS = (
    ("tests/data/real/utf8_validator.fsa", (), 0.05, 20, 110_000),
    ("examples/keywords.rules", ("--label", "outputs"), 0.1, 25, 2_000_000),
    ("tests/data/real/tcp_endpoint.fsa", (), 3.0, 300, 170_000_000),
)


def exported(tool, row, folder):
    """Times exports as a GatedDeltaProduct; returns the names of models that are too large."""
    large = []
    for file, options, seconds, memory, most in EXPORTS:
        name, out = Path(file).stem, str(folder / Path(file).stem)
        subprocess.run([tool, file, *options, "--out", out, "--quiet", "--force"], check=True)
        to = ["--to", "fla-gated-deltaproduct", "-o", f"{out}-fla", "--force"]
        row(f"export as a language model, {name}", [tool, "export", out, *to], seconds, 3, memory)
        size = (folder / f"{name}-fla/model.safetensors").stat().st_size
        print(f"{f'bytes of the language model, {name}':52} {size:10}  ratio {size / most:6.3f}")
        large += [f"bytes of the language model, {name}"] if size > most else []
    return large


def copy_work(at, to, inputs):
    """Makes a copy of the work in a folder, by links, whose record names other inputs."""
    shutil.copytree(at, to, copy_function=os.link)
    record = json.loads((at / "work.json").read_text()) | {"inputs": inputs}
    text = json.dumps({k: v for k, v in record.items() if k != "sha256"})
    own = hashlib.sha256(text.encode()).hexdigest()
    (to / "work.json").unlink()
    (to / "work.json").write_text(f'{text[:-1]},"sha256":"{own}"}}\n')


def tabled(tool, row, folder, s5):
    """Times the table of 1,800 automata, each with its network and classes, which are copies of one
    work with other inputs."""
    plan = folder / "table.jsonl"
    with plan.open("w") as lines:
        for name, words in (("classes", ["classify", s5]), ("networks", [s5, "--no-report"])):
            at = folder / "table" / name
            argv = [*words, "--continue", "--out"]
            subprocess.run([tool, *argv, str(at)], stdout=subprocess.DEVNULL, check=True)
            record = json.loads((at / "work.json").read_text())
            for k in range(1800):
                inputs = [{"path": f"{k}.fsa", "sha256": f"{k:064}"}]
                copy_work(at, Path(f"{at}-{k}"), inputs)
                unit = {key: record[key] for key in ("job", "version", "commit", "command")}
                unit |= {"schema": "fsa2lrnn-plan/1", "options": record["settings"]}
                unit |= {"inputs": inputs, "folder": f"{at}-{k}"}
                argv = ["fsa2lrnn", *words, "--out", f"{at}-{k}", "--continue"]
                print(json.dumps(unit | {"argv": argv}), file=lines)
    argv = [tool, "table", str(plan), "--json"]
    found = json.loads(subprocess.run(argv, stdout=subprocess.PIPE, check=True).stdout)["counts"]
    assert (found["row_count"], found["work_count"], found["left_count"]) == (1800, 3600, 0), found
    row("table of 1,800 automata", argv, 2.0, 3, 100)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--build", required=True, type=Path)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--repeat", type=int, default=7)
    args = parser.parse_args()
    tool, checker = str(args.build / "fsa2lrnn"), str(args.build / "lrnn-check")
    rows = []

    def row(name, argv, target, repeat=None, memory=None):
        seconds, peak = timed(argv, repeat or args.repeat)
        rows.append(
            {
                "name": name,
                "median_s": round(seconds, 4),
                "target_s": target,
                "ratio": round(seconds / target, 3),
                "peak_mib": round(peak, 1),
                "target_mib": memory,
                "runs": repeat or args.repeat,
            }
        )
        limit = f"  {peak:8.1f} of {memory} MiB" if memory else f"  {peak:8.1f} MiB"
        print(
            f"{name:52} {seconds:8.3f} s  target {target:6.2f} s  ratio"
            f" {seconds / target:6.3f}{limit}",
            flush=True,
        )

    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)

        def grammar(name, text):
            path = folder / name
            path.write_text(text)
            return str(path)

        def new(name, *family):
            text = subprocess.run(
                [tool, "new", *family], stdout=subprocess.PIPE, check=True, text=True
            ).stdout
            return grammar(name, text)

        def check(out):
            return [
                checker,
                *(f"{out}/{f}" for f in ("automaton.fsa", "network.lrnn", "certificate.cert")),
            ]

        large = compiled_languages(tool, row, grammar, folder)
        classified(tool, row, grammar, folder)
        chosen(tool, row)
        large += exported(tool, row, folder)
        s5, out = new("s5.fsa", "symmetric", "5"), str(folder / "s5.lrnn")
        row(
            "S5 word problem, main job (120 states x 120 letters)",
            [tool, s5, "--out", out, "--force"],
            1.0,
        )
        row("S5 word problem, lrnn-check", check(out), 0.1)
        row("S5 word problem, report.html", [tool, "report", out], 2.0)
        page = Path(out, "report.html").stat().st_size
        print(f"{'S5 word problem, bytes of report.html':52} {page:8}    target {MOST_PAGE}")
        s7, out = new("s7.fsa", "symmetric", "7", "--generators"), str(folder / "s7.lrnn")
        row(
            "S7 tracking 5,040 elements, 2 letters, main job",
            [tool, s7, "--out", out, "--force"],
            5.0,
        )
        points = grammar("points.fsa", random_points(2000, 4, 1))
        out = str(folder / "points.lrnn")
        row(
            "2,000 points, 4 random letters, main job",
            [tool, points, "--out", out, "--force"],
            20.0,
            3,
            1024,
        )
        row("2,000 points, 4 random letters, lrnn-check", check(out), 20.0, 3)
        for states, target, memory in ((10_000, 5.0, 128), (100_000, 60.0, 512)):
            edges = grammar("large.fsa", random_edges(states, 2, 3))
            out = str(folder / "large.lrnn")
            row(
                f"{states:,} states, 2 permutations, main job",
                [tool, edges, "--out", out, "--force"],
                target,
                3,
                memory,
            )
            row(f"{states:,} states, 2 permutations, lrnn-check", check(out), target, 3, memory)
        for name, family, target in (
            ("T6, 46,656 maps of 6 states, main job", ("transformations", "6"), 5.0),
            ("arithmetic mod 5 with precedence, main job", ("modarith-prec", "5"), 2.0),
        ):
            out = str(folder / "cascade.lrnn")
            row(name, [tool, new("cascade.fsa", *family), "--out", out, "--force"], target)
            row(name.replace("main job", "lrnn-check"), check(out), target)
        row("S7 (5,040), classes, characters, fewest factors", [tool, "group", s7], 60.0)
        row(
            "Z_1000, the same for all elements",
            [tool, "group", "--elements", new("z.fsa", "cyclic", "1000")],
            5.0,
        )
        row(
            "D_500 (1,000), the same for all elements",
            [tool, "group", "--elements", grammar("d.fsa", dihedral(500))],
            5.0,
        )
        fewest = [
            "--layers",
            "1",
            "--householders",
            "2",
            "--formats",
            "fp64",
            "--limit",
            "1",
            "--force",
            "--out",
        ]
        a5, out = new("a5.fsa", "alternating", "5"), str(folder / "a5.lrnn")
        row(
            "A5, 60 letters in Q(sqrt 5), n_h = 2, compile",
            [tool, "compile", a5, *fewest, out],
            5.0,
        )
        row("A5, 60 letters in Q(sqrt 5), lrnn-check", check(out), 1.0)
        rotations = [
            f"{tool} compile {new(f'z{m}.fsa', 'cyclic', str(m))} {' '.join(fewest)}"
            f" {folder}/z{m}.lrnn"
            for m in range(3, 61)
        ]
        row(
            "rotations m = 3..60, compiled and verified exactly",
            ["sh", "-c", " && ".join(rotations)],
            5.0,
            3,
        )
        for name, family in (
            ("T12", ("transformations", "12")),
            ("elevator 32", ("elevator", "32")),
            ("dyck 1 24", ("dyck", "1", "24")),
            ("mod 5 with precedence", ("modarith-prec", "5")),
        ):
            row(f"classify {name}", [tool, "classify", new("c.fsa", *family)], 1.0)
        hundred = new("hundred.fsa", "random", "100", "2", "1")
        # How few layers: forks for 40 states and 4 letters, whether one is found (random) or not;
        # one layer with one code for each state for 10 states and 4 letters, feasible or not.
        for name, family in (
            ("random 40 x 4, seed 1", ("random", "40", "4", "1")),
            ("order-preserving maps of 40", ("order-preserving", "40")),
            ("elevator 40", ("elevator", "40")),
        ):
            row(f"forks: classify {name}", [tool, "classify", new("f.fsa", *family)], 5.0)
        for letters in "24":
            thousand = new("t.fsa", "random", "1000", letters, "1")
            row(f"forks: classify random 1000 x {letters}", [tool, "classify", thousand], 3.0, 1)
        ten = "start 0\n" + "".join(
            f"{q} up {min(9, q + 1)}\n{q} down {max(0, q - 1)}\n{q} low 0\n{q} high 9\n"
            for q in range(10)
        )
        one = [tool, "compile", "--pareto", "--formats", "bf16", grammar("ten.fsa", ten)]
        row("R4 for 10 states x 4 letters, every construction", one, 5.0)
        random = new("r.fsa", "random", "10", "4", "1")
        row(
            "R4 for random 10 x 4: no form, with proof",
            ["sh", "-c", f"{tool} compile {random} --layers 1 || test $? = 2"],
            5.0,
        )
        row(
            "classify with a witness word, 100 states",
            ["sh", "-c", f"{tool} classify {hundred} || test $? = 2"],
            5.0,
        )
        # A network of the size that learns S5: the search does not depend on what it has learned.
        s5_run = str(folder / "s5.train")
        sizes = "--heads 8 --head-dim 32 --width 128 --mlp 512 --householders 4 --steps 1 --batch 1"
        short = "--from 2 --to 2 --lengths 2 --sequences 1 --no-network"
        subprocess.run(
            [tool, "train", s5, "-o", s5_run, *sizes.split(), *short.split()],
            stdout=subprocess.DEVNULL,
            check=True,
        )
        row("snap, S5, 8 heads of 32", ["sh", "-c", f"{tool} snap {s5_run} || test $? = 1"], 10.0)
        horizon(args.build, s5, folder, row)
        settled(args.build, new, folder, row)
        million = grammar("million.fsa", random_edges(250_000, 4, 2))
        row(
            ".fsa of 10^6 transitions, parsed",
            [str(args.build / "tests/bench/bench_parse"), million],
            1.0,
        )
        parsed(args.build, folder, row)
        # Weights that have learned nothing: all gaps are tried, and words that are answered wrongly
        # are sought, so that it takes no less time than trained weights.
        sizes = "--no-network --householders 4 --heads 12 --head-dim 32 --additive"
        steps = "--no-learned-start --begin --steps 1 --batch 4 --to 8 --lengths 8 --sequences 4"
        run = str(folder / "s5.train")
        subprocess.run(
            [tool, "train", s5, *sizes.split(), *steps.split(), "-o", run, "--quiet"],
            stdout=subprocess.DEVNULL,
            check=True,
        )
        row("compare, S5, a layer of 12 heads of 32 x 32", [tool, "compare", run], 30.0, 3)
        tabled(tool, row, folder, s5)
        trained(args.build, folder, row)
    closure_bench.run(args.build, rows)
    found = searched(args.build)
    if args.out:
        args.out.write_text(
            json.dumps(
                {
                    "schema": 1,
                    "date": time.strftime("%Y-%m-%d"),
                    "cores": os.cpu_count(),
                    "rows": rows,
                    "search": found,
                },
                indent=1,
            )
            + "\n"
        )
    missed = [
        r["name"]
        for r in rows
        if r["ratio"] > 1 or (r["target_mib"] and r["peak_mib"] > r["target_mib"])
    ]
    missed += (["bytes of report.html"] if page > MOST_PAGE else []) + large
    missed += search.late(found) + cascade_bench.run(args.build)
    print("all targets met" if not missed else "targets missed: " + "; ".join(missed))
    if search.unproved(found):
        sys.exit("not VERIFIED: " + "; ".join(search.unproved(found)))


if __name__ == "__main__":
    main()
