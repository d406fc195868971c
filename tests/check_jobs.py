"""The jobs of tests/check.py: which programs test which build.

Parts of a build: unit (Criterion binaries), prop (property programs), replay (fuzz corpora, CUDA
kernels on emulated warps), cli (commands, bad input, console sessions of README and docs), mutate
(byte and semantic mutations against the checkers), clients (NumPy replay of the weights, exports),
and for a release also recipes (those of docs/recipes.md on a toy), python (the Python package),
pages (report.html in a browser) and coq (the checker that is proved in Coq, against lrnn-check).
Beside them: fuzz (every fuzzer), lint (every part of `make lint`) and python tests in another
Python."""

import importlib.metadata
import importlib.util
import os
import re
import shutil
import subprocess
import sys
import time
import zlib
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
sys.path += [str(ROOT / "tests"), str(ROOT / "tests/cli"), str(ROOT / "tests/prop")]
import campaign  # the kinds of certificates and the programs that change them
import readme  # the list of files with console sessions
from records import git

SEED = "F2L_CAMPAIGN_SEED"  # the variable that repeats a run of another day
# What the sanitizers leave to the release; tests/sanitizer_cover.py chose it.
LEFT_OUT = ROOT / "tests/sanitizer_left_out.tsv"
# All inputs of tests of which CI takes some; tests/README.md has the list.
WHOLE = "F2L_TEST_WHOLE" in os.environ
TEST = re.compile(r"^def (test_\w+)", re.M)
# A run of CI takes every N-th job of these builds and parts, on another day others.
TURNS = {"asan": 5, "mutate": 3, "clients": 3, "python": 2}


class Job(NamedTuple):
    build: str  # release, asan, fuzz, lint or python
    part: str
    name: str
    argv: list
    short: bool = False  # with F2L_TEST_SHORT: the same paths, fewer repetitions

    def key(self):
        return f"{self.build} {self.part} {self.name}"


def python(*argv):
    return [sys.executable, *map(str, argv)]


def in_turn(jobs, day):
    """Returns the jobs whose turn it is on a day, a number, and those that have none: of builds and
    parts that are not in TURNS, and those whose source was added in the last six hours."""
    log = ["log", "--since=6.hours", "--diff-filter=A", "--name-only", "--format="]
    added = {Path(path).stem for path in (git(*log, "--", "tests") or "").splitlines()}
    return [
        job
        for job in jobs
        for every in [TURNS.get(job.build, TURNS.get(job.part, 1))]
        if job.name in added or zlib.crc32(job.key().encode()) % every == day % every
    ]


def left_out():
    """Returns {(part, name)} of what the sanitizers leave out; the name of a command test is
    FILE.FUNCTION."""
    rows = [line.split("\t") for line in LEFT_OUT.read_text(encoding="utf-8").splitlines()]
    return {(row[0], row[1]) for row in rows if row and not row[0].startswith("#")}


def cli_tests(part, name):
    """Returns the names of the tests in a file of tests/cli, and none for any other job."""
    source = next((ROOT / "tests/cli").rglob(f"{name}.py"), None) if part == "cli" else None
    return [f"{name}.{test}" for test in TEST.findall(source.read_text())] if source else []


def only_tests(argv, tests):
    """Returns the command of a file of tests/cli with some of its tests."""
    return [*argv[:-2], "--tests", ",".join(tests)]


def cli_jobs(programs):
    """Yields the tests of commands, a job a file, and the console sessions of the documentation."""
    for source in sorted((ROOT / "tests/cli").rglob("t_*.py")):
        only = ["--only", f"{source.stem}."]
        yield "cli", source.stem, python("tests/cli/run.py", *programs, *only)
    for book in readme.books():
        yield "cli", book, python("tests/cli/readme.py", *programs, "--only", book)


def prop_jobs(build, programs, few):
    tool = programs[:2]
    bounds = ["--bounds", build / "tests/prop/p_bound", "--count", 8 if few else 40]
    meet = python("tests/prop/bounds_meet_networks.py", *programs, *bounds)
    yield "prop", "figures", python("tests/figures.py", *tool)
    yield "prop", "diagonal", python("tests/prop/diagonal.py", *programs)
    yield "prop", "bounds_meet_networks", meet
    yield "prop", "engines", python("tests/prop/statements/engines.py", *tool)
    yield "prop", "released", python("tests/prop/statements/released.py")
    for name in ("sglang-fused/bf16", "hipfire-q8-feedback", "fla-chunk"):
        model = python("tests/engines/check_engines.py", *tool, "--engine", name)
        yield "prop", f"engines_{name.partition('/')[0]}", model
    yield "prop", "verdict_lines", python("tests/prop/verdict_lines.py", *programs)
    words = ["--check", "reports/results/gdn2-words.json"]
    yield "prop", "gdn2_words", python("tests/bench/gdn2_words.py", *words)
    words = ["--check", "reports/results/ladder-2026.json"]
    yield "prop", "ladder_table", python("tests/bench/ladder_table.py", *words)
    for source in sorted((ROOT / "tests/prop/programs").glob("p_*.c")):
        yield "prop", source.stem, [str(build / "tests/prop" / source.stem)]


def mutate_jobs(build, programs, few):
    """Yields a job for every kind of the campaign: 200 changes of meaning, judged by a replay, from
    a seed that is another one each day, and of the unchanged files a third, all with
    F2L_TEST_WHOLE. Under the sanitizers the purpose is only to find errors of memory."""
    seed = int(os.environ.get(SEED) or time.strftime("%Y%m%d", time.gmtime()))
    changes, changed_bytes = (5, 50) if few else (200, 200)
    sample = ["--sample", 9 if few else 1 if WHOLE else 3]
    for name, kind in campaign.KINDS.items():
        some = 0 if "--part" in kind.options else changed_bytes
        # A change of a network over a number field takes four times as long as another.
        less = 1 if few or WHOLE or kind.program != "field_mutate.py" else 2
        argv = campaign.command(name, changes // less, seed, build, changed_bytes=some)
        yield "mutate", name.replace(" ", "_"), [*argv, *map(str, sample)]
    options = ["--seed", seed, "--count", 3 if few else 60 if WHOLE else 6]
    yield "mutate", "hand_made", python("tests/prop/trained/hand_made.py", *programs, *options)
    options = [*sample, "--seed", seed, "--count", 4 if few else 100 if WHOLE else 40]
    client = ["--client", build / "tests/clients/fsa_text", *options]
    yield "mutate", "differential", python("tests/prop/differential.py", *programs, *client)


def client_jobs(build, programs, few):
    tool, built = programs[:2], ["--build", build]
    # The libraries run the same files whichever build wrote them.
    write = [*tool, *(["--write-only"] if few else [])]
    trainer = ["--ours", "--only", "delta-1"] if few else []
    reader = ["--few", "--letters", "100"] if few else [] if WHOLE else ["--letters", "400"]
    few_changes = [] if WHOLE else ["--count", "5"]
    for name, options in {
        "fla": ["tests/clients/fla_roundtrip.py", *built],
        "checkpoints": ["tests/clients/checkpoints.py", *built],
        "export": ["tests/clients/export.py", *write],
        "choose": ["tests/clients/choose.py", *tool],
        "stock": ["tests/clients/stock.py", *write],
        "stock_check": ["tests/clients/stock_check.py", *tool, *few_changes],
        "trainer": ["tests/clients/trainer/trainer.py", *built, *trainer],
        "inject": ["tests/clients/inject.py", *tool],
        "numpy": ["tests/clients/run.py", *tool],
        "quotients": ["tests/clients/quotients.py", *tool],
        "reader": ["tests/clients/reader.py", *tool, *reader],
        "tokens": ["tests/clients/tokens.py", *tool],
        "vectors": ["tests/vectors/check_faults.py", *tool],
    }.items():
        yield "clients", name, python(*options)
    if not shutil.which("gap"):
        print("note: gap is not installed: groups and cascades are not compared with it")
        return
    for name, options in {
        "gap_cascade": tool,
        "gap_classify": tool,
        "gap_characters": ["--tool", build / "tests/prop/p_rep"],
        "gap_groups": ["--driver", build / "tests/clients/group_dump"],
    }.items():
        yield "clients", name, python(f"tests/clients/{name}.py", *options)


def unit_jobs(build):
    for source in sorted((ROOT / "tests/unit").rglob("t_*.c"), key=lambda source: source.stem):
        yield "unit", source.stem, [str(build / source.relative_to(ROOT).with_suffix(""))]
    for source in sorted((ROOT / "tests/fuzz").glob("fuzz_*.c")):
        corpus = ROOT / "tests/fuzz/corpus" / source.stem.removeprefix("fuzz_")
        yield "replay", source.stem, [str(build / "tests/replay" / source.stem), str(corpus)]


def emulate_jobs(build):
    """Yields the programs that run kernels on emulated warps, which have no sanitizers."""
    if not shutil.which("g++"):
        print("note: g++ is not installed: the CUDA kernels are not run on emulated warps")
        return
    for source in sorted((ROOT / "cuda/check").glob("emulate_*.cc")):
        yield "replay", source.stem, [str(build / "tests/emulate" / source.stem)]


def recipe_jobs(build):
    for source in sorted((ROOT / "tests/recipes").glob("t_*.py")):
        name = source.stem.removeprefix("t_")
        yield "recipes", name, python(source.relative_to(ROOT), "--build", build)


def python_jobs(build):
    """Yields the tests of the Python package whose packages are here, with a note about each of the
    others."""
    if not importlib.util.find_spec("cffi"):
        print("note: cffi is not installed: the Python package is not tested")
        return
    parts = {"t_torch": "torch", "AALpy": "aalpy", "automata-lib": "automata"}
    parts["Jupyter"] = "nbclient"
    missing = {part for part, module in parts.items() if not importlib.util.find_spec(module)}
    for part in sorted(missing):
        what = {"t_torch": "PyTorch"}.get(part, part)
        print(f"note: {what} is not installed: the Python package is not tested with it")
    for source in sorted((ROOT / "tests/python").glob("t_*.py")):
        if source.stem not in missing:
            only = ["--build", build, "--only", source.stem]
            yield "python", source.stem, python("tests/python/run.py", *only)


def kernel_jobs(build):
    """Yields the tests of fsa2lrnn.kernels, where PyTorch 2.4 or later is."""
    try:
        found = importlib.metadata.version("torch")
    except importlib.metadata.PackageNotFoundError:
        found = ""
    if re.match(r"2\.([4-9]|\d\d)|[3-9]\.", found):
        library = build / "libfsa2lrnn-kernels.so.0"
        yield "python", "kernels", python("tests/kernels/run.py", "--library", library)
    else:
        print(f"note: PyTorch is {found or 'not installed'}: fsa2lrnn.kernels is not tested")


def language_jobs(build):
    """Yields the tests of the language models; what needs PyTorch is left out where it is not."""
    yield "python", "lm", python("tests/lm/run.py", "--build", build)


def page_jobs(tool):
    """Yields the job that looks at pages in a browser, where its programs are here."""
    programs = ("chromium", "tidy", "xmllint", "dot", "gnuplot")
    missing = [name for name in programs if not shutil.which(name)]
    if missing:
        print(f"note: not installed: {', '.join(missing)}: pages are not looked at in a browser")
        return
    yield "pages", "pages", python("tests/html/pages.py", *tool)


def coq_jobs(programs):
    """Yields the jobs of the checker that is proved in Coq: the comparison of hashes, and those
    that build it, where OCaml and Zarith are here."""
    yield "coq", "coq_record", python("tests/coq/coq_record.py")
    query = ["ocamlfind", "query", "zarith"]
    if not shutil.which(query[0]) or subprocess.run(query, stdout=subprocess.DEVNULL).returncode:
        print("note: OCaml with Zarith is not installed: the checker proved in Coq is not tested")
        return
    yield "coq", "coq_weakened", python("tests/coq/weakened.py")
    yield "coq", "coq_check", python("tests/coq/coq_check.py", *programs, "--count", "200")


def tests_of(build, few):
    """Yields (part, name, argv) of the tests of a build; `few` where they are slow."""
    programs = ["--tool", build / "fsa2lrnn", "--checker", build / "lrnn-check"]
    yield from cli_jobs(programs)
    yield from prop_jobs(build, programs, few)
    yield from mutate_jobs(build, programs, few)
    yield from client_jobs(build, programs, few)
    yield from unit_jobs(build)


def release(build):
    """Returns the jobs of a build without sanitizers."""
    programs = ["--tool", build / "fsa2lrnn", "--checker", build / "lrnn-check"]
    found = [*tests_of(build, False), *emulate_jobs(build)]
    found += [*recipe_jobs(build), *python_jobs(build), *kernel_jobs(build)]
    found += language_jobs(build)
    found += [*page_jobs(programs[:2]), *coq_jobs(programs)]
    return [Job("release", *job) for job in found]


def sanitized(build, everything):
    """Returns the jobs under the sanitizers: without `everything` only those that are not left to
    the release."""
    without = set() if everything else left_out()
    found = []
    for part, name, argv in tests_of(build, True):
        tests = cli_tests(part, name)
        kept = [test for test in tests or [name] if (part, test) not in without]
        if tests and kept != tests:
            argv = only_tests(argv, kept)
        if kept:
            found.append(Job("asan", part, name, argv, short=True))
    return found


def fuzz(build, bound):
    """Returns a job for each fuzzer; `bound` are fuzz.py's options that end it."""
    argv = ["tests/fuzz/fuzz.py", "--build", build, "--jobs", "1", *bound, "--only"]
    sources = sorted((ROOT / "tests/fuzz").glob("fuzz_*.c"))
    return [Job("fuzz", "fuzz", source.stem, python(*argv, source.stem)) for source in sources]


def lint():
    """Returns a job for each part of `make lint`."""
    make = ["make", "-s", "--no-print-directory"]
    names = subprocess.run([*make, "lint-parts"], cwd=ROOT, stdout=subprocess.PIPE, text=True)
    return [
        Job("lint", "lint", name, [*make, "JOBS=1", f"lint-{name}"])
        for name in names.stdout.split()
    ]


def other_python(build, program):
    """Returns the job that runs the tests of the Python package and of exports in another
    Python."""
    only = ["--only", "python,export,stock,choose"]
    argv = [str(program), "tests/check.py", "--release", str(build), *only]
    return [Job("python", "python", "registry", argv)]
