"""Runs the tests of one build and ends with a line `N passed, M failed`.

Parts: unit (Criterion binaries), prop (property programs), replay (fuzz corpora, CUDA kernels on
emulated warps), cli (commands, bad input, console sessions of README and docs), mutate (byte and
semantic mutations against lrnn-check), clients (NumPy replay of the weights, exports), recipes (the
recipes of CONTRIBUTING.md on a toy; release only), python (the Python package; release only), pages
(report.html in a browser; release only), coq (the checker that is proved in Coq, against
lrnn-check; release only)."""

import argparse
import concurrent.futures
import importlib.util
import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path += [str(ROOT / "tests/cli"), str(ROOT / "tests/prop")]
import campaign  # the kinds of certificates and the programs that change them
import readme  # the list of files with console sessions

SEED = "F2L_CAMPAIGN_SEED"  # the variable that repeats a run of another day
CRITERION = re.compile(r"Tested: (\d+) \| Passing: (\d+) \| Failing: (\d+) \| Crashing: (\d+)")
PLAIN = re.compile(r"^(\d+) passed, (\d+) failed", re.M)
TIMEOUT = 1800
# Not run under the sanitizers: it evaluates two million letters with commands that tests/cli runs
# on fewer.
SLOW_BOOKS = {"docs/training.md"}


def python_jobs(build):
    """Returns the jobs of the Python package: those whose packages are here, with a note about each
    of the others."""
    if not importlib.util.find_spec("cffi"):
        print("note: cffi is not installed: the Python package is not tested")
        return []
    parts = {"t_torch": "torch", "AALpy": "aalpy", "automata-lib": "automata"}
    missing = {part for part, module in parts.items() if not importlib.util.find_spec(module)}
    for part in sorted(missing):
        what = {"t_torch": "PyTorch"}.get(part, part)
        print(f"note: {what} is not installed: the Python package is not tested with it")
    return [
        (
            "python",
            source.stem,
            [sys.executable, "tests/python/run.py", "--build", str(build), "--only", source.stem],
        )
        for source in sorted((ROOT / "tests/python").glob("t_*.py"))
        if source.stem not in missing
    ]


def page_jobs(tool):
    """Returns the job that looks at pages in a browser, where its programs are here."""
    programs = ("chromium", "tidy", "xmllint", "dot", "gnuplot")
    missing = [name for name in programs if not shutil.which(name)]
    if missing:
        print(f"note: not installed: {', '.join(missing)}: pages are not looked at in a browser")
        return []
    return [("pages", "pages", [sys.executable, "tests/html/pages.py", "--tool", str(tool)])]


def coq_jobs(programs):
    """Returns the jobs of the checker that is proved in Coq: the comparison of hashes, and those
    that build it, where OCaml and Zarith are here."""
    record = ("coq", "coq_record", [sys.executable, "tests/coq/coq_record.py"])
    query = ["ocamlfind", "query", "zarith"]
    if not shutil.which(query[0]) or subprocess.run(query, stdout=subprocess.DEVNULL).returncode:
        print("note: OCaml with Zarith is not installed: the checker proved in Coq is not tested")
        return [record]
    command = [sys.executable, "tests/coq/coq_check.py", *programs, "--count", "200"]
    weakened = [sys.executable, "tests/coq/weakened.py"]
    return [record, ("coq", "coq_weakened", weakened), ("coq", "coq_check", command)]


def mutation_jobs(build, few):
    """Returns a job for every kind of the campaign: 200 changes of meaning, judged by a replay,
    from a seed that is another one each day. Under the sanitizers the purpose is only to find
    errors of memory."""
    seed = int(os.environ.get(SEED) or time.strftime("%Y%m%d", time.gmtime()))
    print(f"note: changes of certificates, networks and automata have the seed {seed} ({SEED})")
    changes, changed_bytes = (5, 50) if few else (200, 200)
    return [
        (
            "mutate",
            name.replace(" ", "_"),
            campaign.command(
                name,
                changes,
                seed,
                build,
                changed_bytes=0 if "--part" in kind.options else changed_bytes,
            ),
        )
        for name, kind in campaign.KINDS.items()
    ]


def commands(build, flavour, only):
    """Returns (part, name, argv) of every program to run."""
    tool, checker = build / "fsa2lrnn", build / "lrnn-check"
    programs = ["--tool", str(tool), "--checker", str(checker)]
    rep = ["--tool", str(build / "tests/prop/p_rep")]
    few = flavour == "asan"
    # The libraries run the same files whichever build wrote them.
    write = ["--tool", str(tool), *(["--write-only"] if few else [])]
    jobs = [
        (
            "cli",
            source.stem,
            [sys.executable, "tests/cli/run.py", *programs, "--only", f"{source.stem}."],
        )
        for source in sorted((ROOT / "tests/cli").rglob("t_*.py"))
    ]
    jobs += [
        (
            "cli",
            book,
            [sys.executable, "tests/cli/readme.py", *programs, "--only", book],
        )
        for book in readme.books()
        if not (few and book in SLOW_BOOKS)
    ]
    jobs += [
        ("prop", "figures", [sys.executable, "tests/figures.py", "--tool", str(tool)]),
        ("prop", "diagonal", [sys.executable, "tests/prop/diagonal.py", *programs]),
        (
            "prop",
            "bounds_meet_networks",
            [
                sys.executable,
                "tests/prop/bounds_meet_networks.py",
                *programs,
                "--bounds",
                str(build / "tests/prop/p_bound"),
                "--count",
                "8" if few else "100",
            ],
        ),
        ("prop", "verdict_lines", [sys.executable, "tests/prop/verdict_lines.py", *programs]),
        *mutation_jobs(build, few),
        (
            "mutate",
            "differential",
            [
                sys.executable,
                "tests/prop/differential.py",
                *programs,
                "--client",
                str(build / "tests/clients/fsa_text"),
                "--count",
                "10" if few else "100",
            ],
        ),
        (
            "clients",
            "fla",
            [sys.executable, "tests/clients/fla_roundtrip.py", "--build", str(build)],
        ),
        (
            "clients",
            "checkpoints",
            [sys.executable, "tests/clients/checkpoints.py", "--build", str(build)],
        ),
        ("clients", "export", [sys.executable, "tests/clients/export.py", *write]),
        ("clients", "stock", [sys.executable, "tests/clients/stock.py", *write]),
        (
            "clients",
            "stock_check",
            [sys.executable, "tests/clients/stock_check.py", "--tool", str(tool)],
        ),
        (
            "clients",
            "trainer",
            [sys.executable, "tests/clients/trainer/trainer.py", "--build", str(build)]
            + (["--ours", "--only", "delta-1"] if few else []),
        ),
        ("clients", "inject", [sys.executable, "tests/clients/inject.py", "--tool", str(tool)]),
        ("clients", "numpy", [sys.executable, "tests/clients/run.py", "--tool", str(tool)]),
        (
            "clients",
            "quotients",
            [sys.executable, "tests/clients/quotients.py", "--tool", str(tool)],
        ),
        (
            "clients",
            "reader",
            [sys.executable, "tests/clients/reader.py", "--tool", str(tool)]
            + (["--few", "--letters", "100"] if few else []),
        ),
    ]
    if flavour == "release":
        jobs += [
            (
                "recipes",
                source.stem.removeprefix("t_"),
                [sys.executable, str(source.relative_to(ROOT)), "--build", str(build)],
            )
            for source in sorted((ROOT / "tests/recipes").glob("t_*.py"))
        ]
        jobs += python_jobs(build)
        jobs += page_jobs(tool)
        jobs += coq_jobs(programs)
    if shutil.which("gap"):
        driver = ["--driver", str(build / "tests/clients/group_dump")]
        jobs.append(
            (
                "clients",
                "gap",
                [sys.executable, "tests/clients/gap_cascade.py", "--tool", str(tool)],
            )
        )
        jobs.append(
            (
                "clients",
                "gap_classify",
                [sys.executable, "tests/clients/gap_classify.py", "--tool", str(tool)],
            )
        )
        jobs.append(
            ("clients", "gap_characters", [sys.executable, "tests/clients/gap_characters.py", *rep])
        )
        jobs.append(
            ("clients", "gap_groups", [sys.executable, "tests/clients/gap_groups.py", *driver])
        )
    else:
        print("note: gap is not installed: groups and cascades are not compared with it")
    for source in sorted((ROOT / "tests/unit").rglob("t_*.c"), key=lambda source: source.stem):
        jobs.append(("unit", source.stem, [str(build / source.relative_to(ROOT).with_suffix(""))]))
    for source in sorted((ROOT / "tests/prop/programs").glob("p_*.c")):
        jobs.append(("prop", source.stem, [str(build / "tests/prop" / source.stem)]))
    for source in sorted((ROOT / "tests/fuzz").glob("fuzz_*.c")):
        corpus = ROOT / "tests/fuzz/corpus" / source.stem.removeprefix("fuzz_")
        jobs.append(
            ("replay", source.stem, [str(build / "tests/replay" / source.stem), str(corpus)])
        )
    emulated = [
        build / "tests/emulate" / s.stem for s in sorted((ROOT / "cuda/check").glob("emulate_*.cc"))
    ]
    if not shutil.which("g++"):
        print("note: g++ is not installed: the CUDA kernels are not run on emulated warps")
    elif emulated:
        jobs += [("replay", p.name, [str(p)]) for p in emulated]
    return [j for j in jobs if not only or j[0] in only or j[1] in only]


def run(job):
    part, name, argv = job
    # Criterion counts a leaking test as passed unless the sanitizer aborts. A checker that refuses
    # a changed certificate ends with what it has read, which a leak detector takes for lost.
    leaks = 0 if part == "mutate" else 1
    env = dict(
        os.environ,
        ASAN_OPTIONS=f"abort_on_error=1:detect_leaks={leaks}:allocator_may_return_null=1",
        UBSAN_OPTIONS="print_stacktrace=1",
        LC_ALL="C.UTF-8",
    )
    start = time.monotonic()
    try:
        done = subprocess.run(
            argv,
            cwd=ROOT,
            env=env,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL,
            timeout=TIMEOUT,
        )
        code, text = done.returncode, done.stdout.decode("utf-8", "replace")
    except subprocess.TimeoutExpired as error:
        code, text = (
            -1,
            (error.stdout or b"").decode("utf-8", "replace") + f"\ntimed out after {TIMEOUT} s\n",
        )
    except OSError as error:
        code, text = -1, str(error)
    passed = failed = 0
    if part in ("unit",):
        found = CRITERION.search(text)
        if found:
            passed, failed = int(found[2]), int(found[3]) + int(found[4])
    else:
        found = PLAIN.findall(text)
        if found:
            passed, failed = map(int, found[-1])
    # A part that counted nothing, or exits non-zero without a counted failure, counts as one
    # failure.
    if (code != 0 and failed == 0) or passed + failed == 0:
        failed += 1
    return part, name, passed, failed, time.monotonic() - start, text


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--build", required=True, type=lambda p: Path(p).resolve())
    parser.add_argument("--flavour", default="release")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--only", default="", help="parts or names, separated by commas")
    args = parser.parse_args()
    if args.flavour == "asan":
        os.environ.setdefault(
            "F2L_TEST_SHORT", "1"
        )  # the same paths, fewer repetitions: sanitizers are slow
    jobs = commands(args.build, args.flavour, set(filter(None, args.only.split(","))))
    totals = [0, 0]
    with concurrent.futures.ThreadPoolExecutor(max(1, args.jobs)) as pool:
        for part, name, passed, failed, seconds, text in pool.map(run, jobs):
            totals[0] += passed
            totals[1] += failed
            print(
                f"{part:8} {name:24} {passed:6} passed, {failed} failed  ({seconds:.1f} s)",
                flush=True,
            )
            if failed:
                print(text[-20000:], flush=True)
            elif part == "mutate":
                print(
                    "".join(f"         {line}\n" for line in text.splitlines()[-12:]),
                    end="",
                    flush=True,
                )
    print(f"{totals[0]} passed, {totals[1]} failed")
    return 1 if totals[1] else 0


if __name__ == "__main__":
    sys.exit(main())
