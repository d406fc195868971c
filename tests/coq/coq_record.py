"""The committed checker is the one that Coq extracted from these sources: the hashes are those that
`make proofs` recorded after extracting anew. Needs neither Coq nor OCaml. In copies of the folder
where one thing is changed, the comparison must fail, and name what was changed.

usage: coq_record.py"""

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

SOURCE = Path(__file__).resolve().parent.parent.parent / "theory/coq"
CHANGES = [
    ("checker/core.ml", "if leads d x i j\n", "if true\n"),
    ("checker/core.mli", "val negb : bool -> bool\n", "val negb : bool -> bool \n"),
    ("Check.v", "(* ", "(*  "),
    ("Extract.v", "Big_int_Z.eq_big_int", "Big_int_Z.le_big_int"),
]
NAMED = {"Check.v": "sources", "Extract.v": "sources"}


def compare(folder):
    """Returns the exit status and what is said."""
    done = subprocess.run(
        ["sh", folder / "proofs.sh", "compare"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )
    return done.returncode, done.stdout.decode()


def main():
    facts = [("the hashes are the recorded ones", compare(SOURCE) == (0, ""), compare(SOURCE))]
    for file, was, now in CHANGES:
        with tempfile.TemporaryDirectory() as name:
            copy = Path(shutil.copytree(SOURCE, Path(name) / "coq"))
            text = (copy / file).read_text(encoding="utf-8")
            (copy / file).write_text(text.replace(was, now, 1), encoding="utf-8")
            seen = compare(copy)
            word = NAMED.get(file, Path(file).name)
            seen_it = seen[0] == 1 and f"\n+{word} " in seen[1] and seen[1].count("\n+") == 2
            facts.append((f"{file} is changed", was in text and seen_it, seen))
    for what, holds, seen in facts:
        if not holds:
            print(f"FAILED {what}: {seen}")
    failed = sum(not holds for _, holds, _ in facts)
    print(f"{len(facts) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
