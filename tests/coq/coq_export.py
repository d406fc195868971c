"""What `fsa2lrnn export --to coq` writes is a theorem: coqc accepts it and says that nothing is
assumed. The same file with one changed number in it is refused. And the compiler that is proved in
T3.v writes what `fsa2lrnn --keys naive` writes, byte for byte, where that takes the states as the
points and no letters act alike. The example of docs/coq.md about one layer is accepted, and refused
with other permutations.

usage: coq_export.py --tool build/release/fsa2lrnn --theory build/coq
--theory is the folder in which `make proofs` has compiled theory/coq."""

import argparse
import hashlib
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

PAGE = Path(__file__).resolve().parents[2] / "docs/coq.md"
QUIET = ("-w", "-notation-overridden,-ambiguous-paths")
# Kinds of automata, options of the compiler, and a change of the file that makes it wrong.
CASES = [
    (("parity",), (), ("code 2 2 1.1:-1", "code 2 2 1.1:-2")),
    (("parity",), ("--label", "accept"), ("factor 2 u", "factor 1 u")),
    (("cyclic", "4"), ("--keys", "naive"), ("label states", "label outputs")),
    (("symmetric", "3"), (), ("on 2 gate 1 ", "on 2 gate 1/2 ")),
    (("symmetric", "5", "--generators"), (), ("permute a (", "permute c (")),
    (("symmetric", "5"), (), ("factor 2 u", "factor 1 u")),
    (("edges",), ("--label", "edges"), ("start -", "start 1")),
    (("dyck", "2", "2"), ("--target", "diagonal-positive"), ("1.1:0,1/16", "1.1:0,1/17")),
    (("tomita", "4"), ("--cascade", "holonomy"), ("decode part", "decode step")),
    (("tomita", "4"), (), ("decode step", "decode part")),
    (("tomita", "5"), ("--label", "accept"), ("on 1 gate 1 ", "on 1 gate 1/2 ")),
    (("classes",), (), ("letter-classes 2 1 2 1", "letter-classes 2 1 2 2")),
]
WRITTEN = {
    "edges": "start a\na x b one\nb x a two\na y a two\nb y b one\n",
    "classes": "start even\neven a odd\neven b even\neven c odd\n"
    "odd a even\nodd b odd\nodd c even\n",
}


def coqc(theory, path):
    """Returns (whether coqc accepts the file, what it prints, seconds)."""
    begin = time.monotonic()
    done = subprocess.run(
        ["coqc", *QUIET, "-Q", theory, "Lrnn", path.name],
        cwd=path.parent,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    return done.returncode == 0, done.stdout.decode(), time.monotonic() - begin


def exported(tool, folder, family, options):
    """Returns the path of the Coq file for an automaton."""
    grammar = folder / "g.fsa"
    if family[0] in WRITTEN:
        grammar.write_text(WRITTEN[family[0]], encoding="utf-8")
    else:
        made = subprocess.run([tool, "new", *family], stdout=subprocess.PIPE, check=True)
        grammar.write_bytes(made.stdout)
    network, out = folder / "g.lrnn", folder / "out"
    words = [tool, "compile", grammar, "--out", network, "--force", "--quiet"]
    subprocess.run([*words, *options], check=True)
    subprocess.run(
        [tool, "export", network, "--to", "coq", "-o", out, "--force", "--quiet"], check=True
    )
    return out / "network.v"


def compiled_alike(tool, theory, seed):
    """Returns whether T3.v and the tool write one network for a random automaton whose letters
    permute the states; None where the tool takes other points."""
    rng = random.Random(seed)
    n, letters = rng.randint(2, 7), rng.choice(("a", "ab", "abc"))
    lines = [f"q{q} {x} q{to}" for x in letters for q, to in enumerate(rng.sample(range(n), n))]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "g.fsa").write_text("start q0\n" + "\n".join(lines) + "\n", encoding="utf-8")
        words = [tool, folder / "g.fsa", "--out", folder / "g.lrnn", "--quiet", "--keys", "naive"]
        if subprocess.run(words, stderr=subprocess.DEVNULL).returncode:
            return None
        fsa, network = (
            (folder / "g.lrnn" / file).read_text(encoding="utf-8")
            for file in ("automaton.fsa", "network.lrnn")
        )
        if f"head 1 key {fsa.splitlines()[2].count(' ')} value 1\ninitial 1.1:1\n" not in network:
            return None
        if "\nletter-classes " in network:
            return None
        path = folder / "same.v"
        path.write_text(
            "From Coq Require Import String.\nFrom Lrnn Require Import Ast Print T3.\n"
            f'Definition fsa : bytes := b "{fsa}".\nDefinition lrnn : bytes := b "{network}".\n'
            f'Goal t3_of fsa (b "{hashlib.sha256(fsa.encode()).hexdigest()}") = Some lrnn.\n'
            "Proof. vm_compute. reflexivity. Qed.\n",
            encoding="utf-8",
        )
        return coqc(theory, path)[0]


def page_faults(theory):
    """Returns how often the example of docs/coq.md about one layer is not judged as it should be,
    as it is there and with permutations whose loops are no bands."""
    text = PAGE.read_text(encoding="utf-8").split("BandGroups.v has OL.8")[1].split("```")[1]
    faults, other = 0, text.replace("[:: 0; 1; 3; 2]", "[:: 1; 0; 2; 3]")
    for example, right in ((text, True), (other, False)):
        with tempfile.TemporaryDirectory() as name:
            path = Path(name) / "layer.v"
            path.write_text(example, encoding="utf-8")
            fine, said, _ = coqc(theory, path)
        print(f"one layer: {'accepted' if fine else 'refused'}")
        faults += (fine and "Closed under the global context" in said) != right
    return faults


def main():
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("--tool", required=True, type=lambda p: str(Path(p).resolve()))
    options.add_argument("--theory", required=True, type=lambda p: str(Path(p).resolve()))
    args, failed = options.parse_args(), 0
    for family, flags, (before, after) in CASES:
        with tempfile.TemporaryDirectory() as name:
            path = exported(args.tool, Path(name), family, flags)
            text = path.read_text(encoding="utf-8")
            fine, said, seconds = coqc(args.theory, path)
            closed = fine and "Closed under the global context" in said
            assert before in text, (family, before)
            path.write_text(text.replace(before, after, 1), encoding="utf-8")
            believed, _, _ = coqc(args.theory, path)
            print(
                f"{' '.join([*family, *flags])}: {len(text)} bytes, "
                f"{'accepted' if closed else 'REFUSED ' + said} in {seconds:.1f} s; "
                f"changed: {'BELIEVED' if believed else 'refused'}"
            )
            failed += (not closed) + believed
    alike = [compiled_alike(args.tool, args.theory, seed) for seed in range(40)]
    same = alike.count(True)
    print(f"T3: {same} networks are byte for byte the tool's, {alike.count(False)} are not")
    failed += alike.count(False) + (same < 10)
    failed += page_faults(args.theory)
    print(f"{2 * len(CASES) + same + 3 - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
