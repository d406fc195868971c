"""Compiles, classifies and checks all automata of folders through the plan, and judges the table by
another program that shares no code.

usage: driver.py --build build/release --out FOLDER [--jobs N] [--complements CLASSES]
                  [--options "OPTIONS"] [--seconds S] [--record FILE] FOLDERS

What is done stays done: the same command again goes on after a kill, or after --seconds. The table
is in FOLDER as JSON, CSV and Markdown. Exit status 0 when everything is VERIFIED, accepted by
lrnn-check, and as the judge and the names of the files have it; 1 when something is not; 2 when
something is left, and what was done is right."""

import argparse
import concurrent.futures
import json
import os
import platform
import re
import resource
import shlex
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from corpora import judge  # noqa: E402
from corpora.languages import INSIDE, J_TRIVIAL, OUTSIDE, STAR_FREE  # noqa: E402

# A name of MLRegTest, LETTERS.TIER.CLASS.K.T.NUMBER, or one that languages.py or complement gives.
NAME = re.compile(r"^\d+[.-](?:\d+[.-])?(?P<kind>[A-Za-z]+)[.-]")
KNOWN = STAR_FREE | {"Zp", "Reg"}
JOBS = 3  # units of a language: its network, its classes, and the check of the network
COLUMNS = (
    "file class states letters verdict checked theorem layers householders heads key_dim"
    " layers_at_least least_by scope aperiodic schedules reason seconds cpu_seconds memory_mib"
    " kilobytes"
).split()


class Corpus:
    def __init__(self, args):
        self.tool = args.build / "fsa2lrnn"
        self.out, self.jobs, self.options = args.out, args.jobs, args.options.split()
        self.folders, self.end = args.folders, time.monotonic() + args.seconds
        self.out.mkdir(parents=True, exist_ok=True)

    def run(self, *argv, ok=(0,)):
        done = subprocess.run(
            [str(self.tool), *map(str, argv)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        if done.returncode not in ok:
            raise SystemExit(f"{argv}: {done.returncode}\n{done.stderr}")
        return done.stdout

    def complement(self, kinds):
        """Writes the complements of the languages of these classes, which are read beside them."""
        folder, todo = self.out / "complements", []
        accept = [o for o in self.options if o == "--sink"]
        for path in [p for f in self.folders for p in sorted(Path(f).iterdir())]:
            kind = kind_of(path.name)
            name = folder / (path.stem.replace(kind, complement_of(kind), 1) + ".fsa")
            if kind in kinds and not name.exists():
                folder.mkdir(exist_ok=True)
                todo.append(("fsa", "complement", path, *accept, "--quiet", "-o", name))
        with concurrent.futures.ThreadPoolExecutor(self.jobs) as pool:
            list(pool.map(lambda words: self.run(*words), todo))
        if folder.is_dir():
            self.folders = [*self.folders, folder]

    def plan(self, name, *argv):
        """Writes the plan and does what is left of it, the longest first, in several processes."""
        path = self.out / f"{name}.jsonl"
        lines = self.run(
            *("plan", "--max-lines", 100000, "--out", self.out / name, "--quiet", "--"), *argv
        )
        path.write_text(lines)
        units = [json.loads(line) for line in lines.splitlines()]
        with concurrent.futures.ThreadPoolExecutor(self.jobs) as pool:
            return sum(pool.map(self.work, [u["argv"] for u in units])), path

    def work(self, argv):
        """Does one unit; returns 1 where it is left."""
        if time.monotonic() > self.end:
            return 1
        words = [str(self.tool), *argv[1:], "--quiet", "--jobs", "1"]
        done = subprocess.run(
            words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
        )
        if done.returncode != 0:
            print(f"{argv[1:]}: {done.returncode}: {done.stderr.decode().strip()}", flush=True)
        return int(done.returncode != 0)

    def compile(self):
        """Does everything; returns how many units are left, and the plans."""
        left, plans = 0, []
        for name, words in (
            ("network", [*self.folders, *self.options, "--no-report"]),
            ("classes", ["classify", *self.folders, *self.options]),
            ("check", ["check", self.out / "network"]),
        ):
            more, path = self.plan(name, *words)
            left += more
            plans.append(path)
        return left, plans

    def table(self, plans):
        text = self.run("table", *plans, "--json", ok=(0, 65))
        (self.out / "table.json").write_text(text)
        for ending, form in (("csv", ["--csv"]), ("md", [])):
            path = self.out / f"table.{ending}"
            path.write_text(self.run("table", self.out / "table.json", *form, ok=(0, 65)))
        return json.loads(text)


def kind_of(name):
    """Returns the class in the name of a file; "" where there is none."""
    found = NAME.match(name)
    return found["kind"] if found and found["kind"] in KNOWN | {"coSL", "TcoSL", "coSP"} else ""


def complement_of(kind):
    return f"Tco{kind[1:]}" if kind.startswith("T") else f"co{kind}"


def of_job(row, job):
    return next((w for w in row["works"] if w["job"] == job), {})


def kilobytes(folder):
    return sum(p.stat().st_size for p in Path(folder).iterdir()) // 1024


def finer_classes(folder):
    """Returns which finer classes the automaton is in: true, false or, not decided, None."""
    told = json.loads((Path(folder) / "result.json").read_text())
    return {one["finer_class"]: one["is_member"] for one in told["finer_classes"]}


def languages_of(table):
    """Yields what is told of every file."""
    for row in table["rows"]:
        main, classes, check = (of_job(row, job) for job in ("main", "classify", "check"))
        costs = [w["cost"] for w in (main, classes, check) if w]
        for source in row["sources"]:
            yield {
                "file": Path(source["path"]).name,
                "class": kind_of(Path(source["path"]).name) or None,
                **{c: main.get(c) for c in COLUMNS if c in main},
                "schedules": " ".join(
                    s["schedule"] for s in main.get("schedules", []) if s["verdict"] != "VERIFIED"
                ),
                "aperiodic": classes.get("aperiodic"),
                "checked": check.get("checked"),
                "seconds": round(sum(c["seconds"] for c in costs), 2),
                "cpu_seconds": round(sum(c["cpu_seconds"] for c in costs), 2),
                "memory_mib": round(max((c["memory_mib"] for c in costs), default=0)),
                "kilobytes": kilobytes(main["folders"][0]) if main else None,
                "works": len(costs),
                "path": source["path"],
                "folder": main["folders"][0] if main else None,
                "finer": finer_classes(classes["folders"][0]) if classes else {},
            }


def faults_of(one):
    """Returns what of a language is not as it must be, by the judge and by the name."""
    if one["verdict"] != "VERIFIED" or one["checked"] != "VERIFIED":
        yield f"verdict {one['verdict']}, lrnn-check {one['checked']}"
    automaton = judge.read(Path(one["path"]))
    facts = judge.judge(automaton)
    kind = one["class"]
    if kind and one["aperiodic"] != (kind in STAR_FREE):
        yield f"classify says aperiodic {one['aperiodic']} of a language of {kind}"
    for finer, wanted in ((INSIDE.get(kind), True), (OUTSIDE.get(kind), False)):
        if finer and one["finer"].get(finer) is not wanted:
            yield f"classify says {finer} {one['finer'].get(finer)} of a language of {kind}"
    for finer in ("j_trivial", "aperiodic"):
        told = one["finer"].get("star-free" if finer == "aperiodic" else "j-trivial")
        if None not in (facts[finer], told) and facts[finer] != told:
            yield f"classify says {finer} {told}, the judge {facts[finer]}"
    if facts["aperiodic"] is not None and facts["aperiodic"] != one["aperiodic"]:
        yield f"classify says aperiodic {one['aperiodic']}, the judge {facts['aperiodic']}"
    if kind in J_TRIVIAL and facts["j_trivial"] is False:
        yield f"a language of {kind} whose monoid is not J-trivial"
    if one["folder"]:
        word = judge.differ(automaton, judge.read(Path(one["folder"]) / "automaton.fsa"))
        if word is not None:
            yield f"the compiled automaton differs after {word}"


def judged(one):
    """Returns the faults of a language, for another process."""
    return [f"{one['path']}: {fault}" for fault in faults_of(one)]


def processor():
    """Returns the name of the processor, and how many of its cores this process may use."""
    text = Path("/proc/cpuinfo").read_text() if Path("/proc/cpuinfo").exists() else ""
    name = re.search(r"^model name\s*: (.*)$", text, re.M)
    cores = len(os.sched_getaffinity(0))
    return f"CPU: {name[1] if name else platform.machine()}, {cores} of {os.cpu_count()} cores"


def write_record(path, found, left, table, faults, spent):
    """Writes a row for every language that was done; `left` says how many were not, `spent` what
    all of it took."""
    tool = next(w for row in table["rows"] for w in row["works"])
    open_schedules = sorted(o["file"] for o in found if o["schedules"])
    record = {
        "version": tool["version"],
        "commit": tool["commit"],
        "device": processor(),
        "date": time.strftime("%Y-%m-%d", time.gmtime()),
        "command": shlex.join(["python3", *sys.argv]),
        **spent,
        "languages": len(found),
        "left": left,
        "verified": sum(o["verdict"] == "VERIFIED" for o in found),
        "checked": sum(o["checked"] == "VERIFIED" for o in found),
        "faults": len(faults),
        "cpu_seconds": round(sum(o["cpu_seconds"] for o in found), 1),
        "largest_cpu_seconds": max(o["cpu_seconds"] for o in found),
        "megabytes": round(sum(o["kilobytes"] for o in found) / 1024),
        "not_verified_in_a_schedule": open_schedules,
        "columns": COLUMNS,
    }
    rows = [json.dumps([o.get(c) for c in COLUMNS]) for o in found]
    text = json.dumps(record, indent=1)[:-2]
    path.write_text(f'{text},\n "rows": [\n' + ",\n".join(rows) + "\n]}\n")


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--build", required=True, type=lambda p: Path(p).resolve())
    parser.add_argument("--out", required=True, type=Path)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--complements", default="", help="classes whose complements are added")
    parser.add_argument("--options", default="--label accept --sink")
    parser.add_argument("--seconds", type=float, default=1e9, help="begin nothing after this time")
    parser.add_argument("--record", type=Path)
    parser.add_argument("folders", nargs="+")
    args = parser.parse_args()
    began, corpus = time.monotonic(), Corpus(args)
    corpus.complement(set(filter(None, args.complements.split(","))))
    left, plans = corpus.compile()
    table = corpus.table(plans)
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    work_seconds = time.monotonic() - began
    print(
        f"{table['counts']['row_count']} automata in {table['counts']['source_count']} files,"
        f" {table['counts']['verified_works']} VERIFIED, {left} units left;"
        f" {work_seconds:.0f} s, {children.ru_utime + children.ru_stime:.0f} s of CPU",
        flush=True,
    )
    found = sorted(languages_of(table), key=lambda one: one["file"])
    whole = [one for one in found if one["works"] == JOBS]
    with concurrent.futures.ProcessPoolExecutor(args.jobs) as pool:
        faults = sum(pool.map(judged, whole, chunksize=8), [])
    if args.record and whole:
        used = [resource.getrusage(w) for w in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
        spent = {
            "seconds": round(time.monotonic() - began, 1),
            "seconds_before_the_judge": round(work_seconds, 1),
            "all_cpu_seconds": round(sum(u.ru_utime + u.ru_stime for u in used), 1),
            "jobs": args.jobs,
        }
        write_record(args.record, whole, len(found) - len(whole), table, faults, spent)
    print("\n".join([*faults, f"{len(whole)} languages, {len(faults)} faults"]))
    return 1 if faults else 2 if left else 0


if __name__ == "__main__":
    sys.exit(main())
