"""Every condition of the checker that is extracted from Coq refuses something: who weakens core.ml
by hand is seen without Coq, whatever hash is recorded.

weak_cases.py has conditions of theory/coq/checker/core.ml, each with a wrong triple of files that
only this condition refuses. The committed checker must refuse all these triples. One program is
built with all conditions patched to `Weak.is N || condition`: it refuses triple N as it is, and
accepts it when condition N is left out, so that the triple really is refused by this condition.
Some triples are refused by the parser, too, which nobody has to trust; there the patched program is
asked with a parser that is lax. Four conditions compare the parser's guess with the bytes: without
them the lies of lies.ml are believed.

usage: weakened.py"""

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tests/prop"))
import mutant_run
from coq_check import written
from weak_cases import CASES, COMPARED, LAX, base_texts, wrong_texts

SOURCES = ROOT / "theory/coq/checker"
MODULES = "weak core sha256 text version visits levels guess".split()
REFUSED = b"the network or its certificate is wrong, or a spelling"
WEAK = """let chosen = Sys.getenv "WEAKENED"
let is n = chosen = n
let lax = Sys.getenv "LAX" = "1"
"""


def span_of(text, place):
    """Returns where in the text the condition is that the place has between « and »; blanks and
    line ends are alike."""
    before, condition, after = (
        r"\s+".join(map(re.escape, part.split())) for part in re.split("[«»]", place)
    )
    found = list(re.finditer(rf"{before}\s*({condition})\s*{after}", text))
    if len(found) != 1:
        raise SystemExit(f"FAILED `{place}` is found {len(found)} times")
    return found[0].span(1)


def patched(text, places):
    """Returns the text with a test before every condition; places: (place, test)."""
    added = []
    for place, test in places:
        first, end = span_of(text, place)
        added += [(first, f"({test} ("), (end, "))")]
    for at, words in sorted(added, key=lambda x: x[0], reverse=True):
        text = text[:at] + words + text[at:]
    return text


def compiled(folder, name, last="main"):
    """Compiles the sources in the folder, without a hash in them; returns the program's path."""
    (folder / "weak.ml").write_text(WEAK, encoding="utf-8")
    (folder / "version.ml").write_text('let sources = "not compared"\n', encoding="utf-8")
    subprocess.run(
        ["ocamlfind", "ocamlc", "-w", "-a", "-package", "zarith", "-linkpkg"]
        + [*(f"{module}.ml" for module in [*MODULES, last]), "-o", name],
        cwd=folder,
        check=True,
    )
    return folder / name


def build(folder):
    """Builds the committed checker, and the checker and lies.ml with conditions that can be left
    out."""
    for source in SOURCES.glob("*.ml"):
        (folder / source.name).write_bytes(source.read_bytes())
    checker = compiled(folder, "committed")
    conditions = [case.place for case in CASES] + [place for place, _ in COMPARED]
    places = {"core.ml": [(p, f'Weak.is "{i}" ||') for i, p in enumerate(conditions)]}
    for file, place in LAX:
        places.setdefault(file, []).append((place, "not Weak.lax &&"))
    for file, of_file in places.items():
        text = (folder / file).read_text(encoding="utf-8")
        (folder / file).write_text(patched(text, of_file), encoding="utf-8")
    (folder / "lies.ml").write_bytes((ROOT / "tests/coq/lies.ml").read_bytes())
    return checker, compiled(folder, "weakened"), compiled(folder, "lies", "lies")


def verdict(files, program, weakened="", lax=False):
    """Returns VERIFIED, REFUSED by core.ml, UNREADABLE for the parser, or what else is said."""
    env = dict(os.environ, WEAKENED=str(weakened), LAX=str(int(lax)))
    done = subprocess.run(
        [program, *files], env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60
    )
    if done.returncode == 0 and done.stdout.startswith(b"s VERIFIED ") and not done.stderr:
        return "VERIFIED"
    if done.returncode == 2 and b"does not know boxes" in done.stderr:
        return "REFUSED"
    if done.returncode != 1 or done.stdout != b"s NOT VERIFIED\n":
        return str(done)
    return "REFUSED" if REFUSED in done.stderr else f"UNREADABLE: {done.stderr.decode()}"


def look(case, number, checker, program, folder):
    """Yields (what is claimed of the case, whether it is so)."""
    right, wrong = base_texts(case.base), wrong_texts(case)
    asked = [
        ("the triple before its change", right, (checker,), "VERIFIED"),
        ("the committed checker", wrong, (checker,), "UNREADABLE" if case.lax else "REFUSED"),
        ("nothing left out", wrong, (program, "", case.lax), "REFUSED"),
        ("the condition left out", wrong, (program, number, case.lax), "VERIFIED"),
    ]
    for what, texts, how, expected in asked:
        found = verdict(written(folder, texts), *how)
        yield f"{case.name}: {what}: {found}", found.startswith(expected)


def believed(lies, number, base, folder):
    """Returns how many lies are believed without the comparison."""
    env = dict(os.environ, WEAKENED=str(number), LAX="0")
    files = written(folder, base_texts(base))
    done = subprocess.run([lies, *files], env=env, stdout=subprocess.PIPE, timeout=60)
    return int(re.search(rb"(\d+) believed\n$", done.stdout)[1])


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        checker, program, lies = build(folder)
        facts = [
            fact
            for number, case in enumerate(CASES)
            for fact in look(case, number, checker, program, folder)
        ]
        for number, (place, base) in enumerate(COMPARED, len(CASES)):
            facts.append((f"{place}: lies are refused", believed(lies, "", base, folder) == 0))
            facts.append((f"{place}: left out", believed(lies, number, base, folder) > 0))
    failed = mutant_run.print_facts(facts)
    print(f"{len(CASES) + len(COMPARED)} conditions of core.ml, each left out")
    print(f"{len(facts) - failed} passed, {failed} failed")
    return 1 if failed or not CASES else 0


if __name__ == "__main__":
    sys.exit(main())
