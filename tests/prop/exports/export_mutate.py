"""What `check-export` must refuse, or tell the truth about: changed bytes, and changed meaning with
all sizes and hashes in export.json computed again.

The bases are exports of all targets, types and kinds of labels, of cascades among them. Changes are
of config.json, of the header, of weights, of the prefix, of export.json, of the automaton, or of
several of them, so that the model stays right (channels, units, heads, tokens are renumbered) or
nearly does (one tensor is left out). replay.py loads the changed files as the libraries do and runs
the model: where a path is VERIFIED, on all joint states, which must be as many as told, and where
that is `chunk`, now and then on a word of many letters in chunks, too; where it is REFUTED, on the
word that was told. Every line must name the files that were read.

usage: exports/export_mutate.py --tool build/release/fsa2lrnn --checker build/release/lrnn-check
[--count N] [--seed S] [--jobs J] [--record FILE]
--checker is not used, since the command that is tested is a part of the tool."""

import collections
import hashlib
import json
import random
import re
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
import mutant_run
import mutations
import triple

from exports import changes, replay

PARITY = "start even\naccept odd\neven 0 even\neven 1 odd\nodd 0 odd\nodd 1 even\n"
EDGES = "start a\na x b one\nb x a two\na y a two\nb y b one\n"
RESET = "start p\noutput p x\noutput q y\np a q\nq a q\np b p\nq b p\np c p\nq c q\n"
# The parity of the number of odd parities: a group of eight elements in two layers.
NESTED = (
    "start ep\naccept oq eq\nep 0 ep\nep 1 op\nop 0 oq\nop 1 eq\n"
    "oq 0 op\noq 1 ep\neq 0 eq\neq 1 oq\n"
)
ONE = ["--householders", "1"]
BASES = {
    "parity": (PARITY, "states", [], "fla-deltanet", "bfloat16"),
    "parity, acceptance": (PARITY, "accept", [], "fla-deltanet", "float16"),
    "transitions": (EDGES, "edges", [], "fla-deltanet", "bfloat16"),
    "resets": (RESET, "outputs", [], "fla-deltanet", "bfloat16"),
    "parity, OLMo": (PARITY, "states", [], "olmo-hybrid", "bfloat16"),
    "resets, OLMo": (RESET, "outputs", [], "olmo-hybrid", "float16"),
    "parity, factors": (PARITY, "accept", [], "fla-gated-deltaproduct", "bfloat16"),
    "S3": ("symmetric 3", "states", [], "fla-gated-deltaproduct", "bfloat16"),
    "C5": ("cyclic 5", "states", [], "fla-gated-deltaproduct", "float16"),
    "cascade": (
        "tomita 4", "accept", ["--cascade", "capped"], "fla-gated-deltaproduct", "bfloat16",
    ),
    "two layers": (NESTED, "accept", ONE, "fla-deltanet", "float16"),
    "two layers, OLMo": (NESTED, "accept", ONE, "olmo-hybrid", "bfloat16"),
    "cascade of one factor": ("tomita 4", "accept", ONE, "fla-deltanet", "bfloat16"),
    "cascade, OLMo": ("tomita 4", "accept", ONE, "olmo-hybrid", "bfloat16"),
    "S3 of one factor": ("symmetric 3", "states", ONE, "fla-deltanet", "bfloat16"),
}  # fmt: skip
EFFORT = "300"  # millions of steps; what takes longer is UNKNOWN
CHUNK_PART = 0.15  # of the changes that are VERIFIED for chunk: read in chunks, too
CHUNK_LETTERS = 70
REFUSED = 65, 69
STATUS = {"VERIFIED": 0, "REFUTED": 1, "UNKNOWN": 2}


def made(tool, folder, text, label, options, target, dtype):
    """Returns ({name: bytes}, text of the automaton) of an export."""
    run = lambda *args: subprocess.run(  # noqa: E731
        [tool, *args], cwd=folder, check=True, stdout=subprocess.PIPE, text=True
    )
    if "\n" not in text:
        text = run("new", *text.split()).stdout
    (folder / "a.fsa").write_text(text)
    run("compile", "a.fsa", "-o", "net", "--quiet", "--force", "--label", label, *options)
    run("export", "net", "--to", target, "--dtype", dtype, "-o", "m", "--force", "--quiet")
    files = {path.name: path.read_bytes() for path in (folder / "m").iterdir()}
    return files, (folder / "net/automaton.fsa").read_text()


# --- what the command says, and whether it is true ---


def say(tool, folder, files, fsa):
    """Returns (exit status, JSON or None, standard error)."""
    place = Path(folder) / "m"
    place.mkdir(exist_ok=True)
    for path in place.iterdir():
        if path.name not in files:
            path.unlink()
    for name, data in files.items():
        (place / name).write_bytes(data)
    (Path(folder) / "a.fsa").write_text(fsa)
    done = subprocess.run(
        [tool, "check-export", str(place), "--fsa", f"{folder}/a.fsa", "--json",
         "--effort", EFFORT],
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=300,
    )  # fmt: skip
    report = json.loads(done.stdout) if done.returncode in STATUS.values() else None
    return done.returncode, report, done.stderr


def line_of(files, fsa, automaton, path):
    """Returns the line that a path must have."""
    sha = lambda name: hashlib.sha256(files[name]).hexdigest()  # noqa: E731
    config, about = json.loads(files["config.json"]), json.loads(files["export.json"])
    return (
        f"s {path['verdict']} export {replay.TARGETS[config['model_type']]} path "
        f"{re.match('[a-z]+', path['path'])[0]} format {replay.FORMATS[config['dtype']]} "
        f"label {about['label_kind']} letters {len(about['fsa_letters'])} labels "
        f"{len(about['label_names'])} states {len(automaton.states)} fsa {triple.sha256(fsa)} "
        f"config {sha('config.json')} model {sha('model.safetensors')} "
        f"prefix {sha('prefix.json')} export {sha('export.json')}"
    )


def wide_keys(kind, path):
    """Whether keys stay in fp32 on this path."""
    return kind == "olmo_hybrid" or (kind == "gated_deltaproduct" and path.startswith("recurrent"))


def word_after(model, about, automaton, word):
    """Returns the model's and the automaton's label after the word."""
    states, answer = model.begin()
    q, right = automaton.start, None
    if about.kind != "edges":
        right = automaton.labels(about.kind)[q]
    for letter in word:
        states, answer = model.step(states, about.letters.index(automaton.letters[letter]))
        right = automaton.label_after(about.kind, q, letter)
        q = automaton.next[q][letter]
    return about.name(answer), right


def fault_on_path(files, automaton, report, path, rng):
    """Returns why the verdict on a path is not true, or None."""
    about, verdict = replay.About(files), path["verdict"]
    model = replay.Model(files, wide_keys(report["model_type"], path["path"]))
    if verdict == "REFUTED":
        told = report["witness"]
        word = [automaton.letters.index(name) for name in told["word"]]
        got, right = word_after(model, about, automaton, word)
        fine = told["expected"] == right != got and got in (told["got"], None)
        return None if fine else f"REFUTED, but {got!r} where {right!r} is right after {word}"
    fault, states = replay.fault_of(model, about, automaton)
    if states != min(report["joint_states"], replay.MOST_STATES) and not fault:
        return f"VERIFIED, but {states} joint states or more, not {report['joint_states']}"
    if not fault and path["path"].startswith("chunk") and rng.random() < CHUNK_PART:
        word = [rng.randrange(len(automaton.letters)) for _ in range(CHUNK_LETTERS)]
        fault = replay.chunk_fault(model, about, automaton, word)
    return fault and "VERIFIED, but {1!r} where {2!r} is right after {0}".format(*fault)


def judge(seen, files, fsa, rng):
    """Returns (outcome, None), or ("WRONG", why)."""
    status, report, err = seen
    if b"Sanitizer" in err or b"runtime error" in err:
        return "WRONG", "a crash"
    if report is None:
        return ("refused", None) if status in REFUSED and err else ("WRONG", f"status {status}")
    automaton, kept = triple.read_automaton(fsa), None
    for path in report["paths"]:
        if path["line"] != line_of(files, fsa, automaton, path):
            return "WRONG", f"the line is not {line_of(files, fsa, automaton, path)}"
        if path["verdict"] == "UNKNOWN":
            continue
        try:
            kept = fault_on_path(files, automaton, report, path, rng)
        except replay.Undefined as why:
            kept = f"{path['verdict']}, but the libraries load no model: {why}"
        if kept:
            return "WRONG", f"{path['path']}: {kept}"
    claimed = [path["verdict"] for path in report["paths"] if path["claimed_exact"]]
    worst = next((v for v in ("REFUTED", "UNKNOWN") if v in claimed), "VERIFIED")
    if not claimed or report["verdict"] != worst or status != STATUS[worst]:
        return "WRONG", f"status {status}, {report['verdict']}, {claimed}"
    names = {"VERIFIED": "right and accepted", "REFUTED": "wrong and refuted", "UNKNOWN": "unknown"}
    return names[worst], None


def meaning_chunk(tool, base, seed, runs):
    rng, tally, bad = random.Random(seed), collections.Counter(), []
    parsed = changes.Export(*base)
    plain = parsed.files()
    with tempfile.TemporaryDirectory() as folder:
        while runs:
            new = changes.mutant(rng, parsed)
            if not new or new[1:] == plain:
                continue
            runs -= 1
            kind, files, fsa = new
            seen = say(tool, folder, files, fsa)
            outcome, why = judge(seen, files, fsa, rng)
            tally["meaning", kind, outcome] += 1
            if why:
                bad.append((f"{kind}; {why}", seen, {**files, "a.fsa": fsa.encode()}))
    return tally, bad


def byte_chunk(tool, base, seed, runs):
    """Changes bytes and repairs nothing: every file but export.json must be refused, which may say
    the same in other bytes."""
    rng, tally, bad = random.Random(seed), collections.Counter(), []
    whole, fsa = base
    with tempfile.TemporaryDirectory() as folder:
        while runs:
            name = rng.choice(list(whole))
            kind, data = mutations.change_bytes(rng, whole[name])
            if data == whole[name]:
                continue
            runs -= 1
            files = {**whole, name: data}
            seen = say(tool, folder, files, fsa)
            outcome, why = judge(seen, files, fsa, rng)
            if name != "export.json" and outcome != "refused":
                outcome, why = "WRONG", "other bytes are not refused"
            tally["bytes", f"{kind} in {name}", outcome] += 1
            if why:
                bad.append((f"{kind} in {name}; {why}", seen, {**files, "a.fsa": fsa.encode()}))
    return tally, bad


def judge_tells_apart(files, fsa):
    """Returns whether the judge finds an answer wrong once two labels' rows are exchanged."""
    e = changes.Export(files, fsa)
    rows = e.rows("lm_head.weight")
    rows[0], rows[1] = rows[1], rows[0]
    e.set_rows("lm_head.weight", rows)
    changed, _ = e.files()
    model, about = replay.Model(changed, True), replay.About(changed)
    return replay.fault_of(model, about, e.automaton)[0] is not None


def main():
    args, facts, bases = mutant_run.arguments(__doc__, 1000), [], {}
    args.checker = args.tool
    rng = random.Random(args.seed)
    with tempfile.TemporaryDirectory() as folder:
        for name, recipe in BASES.items():
            bases[name] = made(args.tool, Path(folder), *recipe)
            again = changes.Export(*bases[name]).files()
            for files, fsa in (bases[name], again):
                seen = say(args.tool, folder, files, fsa)
                outcome = judge(seen, files, fsa, rng)
                fine = outcome == ("right and accepted", None)
                facts.append((f"{name}: unchanged, VERIFIED and right, {outcome}", fine))
            facts.append((f"{name}: the judge finds a fault", judge_tells_apart(*bases[name])))
    failed = mutant_run.print_facts(facts)
    tally, wrong = mutant_run.run(args, list(bases.values()), (byte_chunk, meaning_chunk))
    accepted = sum(n for (part, *_, o), n in tally.items() if part == "meaning" and "accepted" in o)
    facts.append(("some changes of meaning are accepted", accepted > 0 or args.count < 100))
    failed += mutant_run.print_facts(facts[-1:])
    return mutant_run.close(
        f"{len(bases)} unchanged exports, seed {args.seed}, {mutant_run.spent(args.begin)}",
        len(facts) + sum(tally.values()),
        failed + wrong,
    )


if __name__ == "__main__":
    sys.exit(main())
