"""Lets GAP compute classes, series, composition factors and names of permutation groups, and
compares ours with it.

The groups are every transitive group of degree up to 9, and every group of order up to 63 in its
regular representation. For each name that the library gives, GAP builds a group from the name and
says whether it is isomorphic to the named group. Without `gap`, or its libraries of groups, a line
says which comparisons are skipped.

usage: gap_groups.py --driver build/release/tests/clients/group_dump [--degree 9] [--order 63]
"""

import argparse
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
LISTS = ("classes", "powers", "factors", "quotient")  # lists in any order
NAMED = {
    "SL(2,3)": "Matrices(SL(2,3))",
    "GL(2,3)": "Matrices(GL(2,3))",
    "SL(2,5)": "Matrices(SL(2,5))",
    "AGammaL(1,8)": "OneDimensional(8,7,true)",
    "AGammaL(1,9)": "OneDimensional(9,8,true)",
    "AGL(3,2)": "Affine(2,3,GeneratorsOfGroup(GL(3,2)))",
    "ASL(2,3)": "Affine(3,2,GeneratorsOfGroup(SL(2,3)))",
    "AGL(2,3)": "Affine(3,2,GeneratorsOfGroup(GL(2,3)))",
    "PGammaL(2,8)": "Automorphisms(PSL(2,8))",
    "PGammaL(2,9)": "Automorphisms(AlternatingGroup(6))",
    "trivial": "Group(())",
}
PATTERNS = [
    (r"Z_(\d+):Z_(\d+)", "OneDimensional({0},{1},false)"),
    (r"Z_(\d+)", "CyclicGroup(IsPermGroup,{0})"),
    (r"S_(\d+)", "SymmetricGroup({0})"),
    (r"A_(\d+)", "AlternatingGroup({0})"),
    (r"D_(\d+)", "DihedralGroup(IsPermGroup,2*{0})"),
    (r"Q_(\d+)", "QuaternionGroup(IsPermGroup,{0})"),
    (r"Dic_(\d+)", "DicyclicGroup(IsPermGroup,4*{0})"),
    (r"SD_(\d+)", "Semidihedral({0})"),
    (r"M_(\d+)", "MathieuGroup({0})"),
    (r"(PSL|PGL|PSU)\((\d),(\d+)\)", "{0}({1},{2})"),
    (r"AGL\(1,(\d+)\)", "OneDimensional({0},{0}-1,false)"),
]
SIMPLE = [
    (r"PSL\((.*)\)", "L({0})"),
    (r"PSU\((.*)\)", "U({0})"),
    (r"PSp\((.*)\)", "S({0})"),
    (r"(Sz\(8\))", "{0}"),
    (r"([AMJ])_(\d+)", "{0}({1})"),
]


def formed(patterns, text):
    """Returns the first pattern that matches all of text, filled in; None when there is none."""
    for pattern, form in patterns:
        match = re.fullmatch(pattern, text)
        if match:
            return form.format(*match.groups())
    return None


def expression(name):
    """Returns a GAP expression for the group with this name; None for "order N" and names without a
    pattern."""
    parts = []
    for factor in name.split("x"):
        base, _, power = factor.removeprefix("(").partition("^")
        base = base.removesuffix(")") if factor.startswith("(") else base
        one = NAMED.get(base) or formed(PATTERNS, base)
        if not one:
            return None
        parts += [one] * int(power or 1)
    return parts[0] if len(parts) == 1 else f"DirectProduct({', '.join(parts)})"


def same_simple(ours, gap):
    """Returns whether both name the same simple group as ORDER:NAME; GAP lists all names, like
    A(5)~A(1,4)=L(2,4)~..."""
    if ours == gap:
        return True
    order, _, name = ours.partition(":")
    gap_order, _, names = gap.partition(":")
    return order == gap_order and formed(SIMPLE, name) in re.split("[~=]", names)


def fields(words):
    return dict(word.split("=", 1) for word in words)


def truth(value):
    return {"true": "1", "false": "0"}.get(value, value)


def equal(key, ours, gap):
    if key not in LISTS:
        return ours == truth(gap)
    a, b = (
        (sorted(re.split("[,;]", v)) for v in (ours, gap))
        if key != "factors"
        else (ours.split(";"), gap.split(";"))
    )
    if key != "factors":
        return a == b
    left = list(b)  # match factors one to one
    for one in a:
        found = next((g for g in left if same_simple(one, g)), None)
        if found is None:
            return False
        left.remove(found)
    return not left


def ask(gap, script, folder):
    path = folder / "script.g"
    path.write_text(script)
    done = subprocess.run(
        [gap, "-q", "-b", str(path)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=1500,
    )
    return [line.split() for line in done.stdout.replace("\\\n", "").splitlines() if line.strip()]


class Tally:
    passed = failed = 0

    def check(self, good, what):
        self.passed, self.failed = self.passed + good, self.failed + (not good)
        if not good:
            print("FAILED", what)


def compare_simple(tally, driver, lines):
    ours = [
        line.replace(" ", ":")
        for line in subprocess.run(
            [driver, "simple"], stdout=subprocess.PIPE, text=True, check=True
        ).stdout.splitlines()
    ]
    theirs = [line[1] for line in lines if line[0] == "simple"]
    tally.check(len(ours) == len(theirs) == 56, f"simple groups: {len(ours)}, GAP {len(theirs)}")
    for one in ours:
        tally.check(any(same_simple(one, other) for other in theirs), f"simple group {one}")


def compare_names(tally, gap, named, folder):
    """Compares the names; named is {label: (name, constructor)}."""
    cases, covered = [], 0
    for label, (name, group) in named.items():
        built = expression(name)
        covered += built is not None
        tally.check(
            built is not None or name.startswith("order "),
            f"{label}: no reading of the name {name}",
        )
        if built:
            cases.append(
                f'rec(label := "{label}", name := "{name}", group := "{group}", named := "{built}")'
            )
    lines = ask(
        gap, "cases := [" + ",\n".join(cases) + "];\n" + (HERE / "gap_names.g").read_text(), folder
    )
    verdict = {words[1]: words[3] for words in lines if words[0] == "name" and len(words) == 4}
    for words in lines:
        if words[0] != "name":
            print("gap:", " ".join(words))
    for label, (name, _) in named.items():
        if expression(name):
            tally.check(
                verdict.get(label) == "true", f"{label} is not {name} ({verdict.get(label)})"
            )
    return covered


def constructor(label):
    kind, degree, number = re.fullmatch(r"(.)(\d+)n(\d+)", label).groups()
    return (
        f"TransitiveGroup({degree},{number})" if kind == "t" else f"SmallGroup({degree},{number})"
    )


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--driver", required=True)
    parser.add_argument("--degree", type=int, default=9)
    parser.add_argument("--order", type=int, default=63)
    args = parser.parse_args()
    gap, tally, named = shutil.which("gap"), Tally(), {}
    if not gap:
        print("skipped: GAP is not installed (apt-get install gap-core gap-transgrp gap-smallgrp)")
        print("0 passed, 0 failed")
        return 0
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        wanted = [f'["transitive",{n}]' for n in range(1, args.degree + 1)]
        wanted += [f'["small",{n}]' for n in range(1, args.order + 1)] + ['["simple"]']
        lines = ask(
            gap,
            f'wanted := [{",".join(wanted)}];\ninput := "{folder}/groups";\n'
            + (HERE / "gap_groups.g").read_text(),
            folder,
        )
        start = time.monotonic()
        with open(folder / "groups") as groups:
            done = subprocess.run([args.driver], stdin=groups, stdout=subprocess.PIPE, text=True)
        elapsed = time.monotonic() - start
        ours = done.stdout.splitlines()
        theirs = [words for words in lines if words[0] == "group"]
        for package in sorted({words[1] for words in lines if words[0] == "missing"}):
            print(f"skipped: GAP's package {package} is missing (apt-get install gap-{package})")
        for words in lines:
            if words[0] not in ("group", "missing", "simple"):
                print("gap:", " ".join(words))
        tally.check(len(ours) == len(theirs), f"{len(ours)} groups, GAP {len(theirs)}")
        for line, words in zip(ours, theirs):
            text, _, name = line.partition(" name=")
            text, _, unlisted = text.partition(" unlisted=")
            mine, gaps = fields(text.split()), fields(words[2:])
            named[words[1]] = name, constructor(words[1])
            for key, value in gaps.items():
                tally.check(
                    equal(key, mine[key], value), f"{words[1]}: {key} {mine[key]}, GAP {value}"
                )
            tally.check(name == unlisted, f"{words[1]}: {name} when listed, {unlisted} otherwise")
        compare_simple(tally, args.driver, lines)
        covered = compare_names(tally, gap, named, folder)
    print(f"{len(named)} groups in {elapsed:.2f} s, {covered} names compared")
    print(f"{tally.passed} passed, {tally.failed} failed")
    return 1 if tally.failed else 0


if __name__ == "__main__":
    sys.exit(main())
