"""What horizon-check must refuse: changed bytes, members, tensors, numbers and lines of
config.json, of the header and the weights of weights.safetensors, and of the certificate, all
hashes right.

The judge (trained/run_network.py) loads what Python's json and safetensors load, and evaluates the
network in float64, and in the format of the scope, on all words up to the certified length, or
2,000 of a length where there are more. A VERIFIED is wrong where an answer is wrong, where no
network is found, where a file is not byte for byte what the trainer writes for the network that is
loaded, where a number of the certificate cannot be right (trained/run_certificate.py; for the claim
`settles` trained/run_settle.py, for `forever` trained/run_forever.py, for `finite`
trained/run_finite.py, for `roots` trained/run_roots.py), or where the line of the
verdict does not agree with the files. A configuration of which only the training is another one
must be accepted. Half of the changed networks get a new certificate from fsa2lrnn, so
that the conditions of the certificate hold where they can.

usage: horizon_mutate.py --tool build/release/fsa2lrnn --checker build/release/lrnn-check
[--count N] [--seed S] [--jobs J] [--record FILE]
--checker names the folder of horizon-check."""

import collections
import hashlib
import random
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import mutant_run
import numpy as np
import triple
from trained import (
    run_certificate,
    run_files,
    run_finite,
    run_forever,
    run_network,
    run_roots,
    run_settle,
)
from trained.run_changes import AREAS
from trained.run_files import Files, rehashed
from verdict import added_words

ROOT = Path(__file__).resolve().parent.parent.parent
NAMES = "automaton.fsa", "config.json", "weights.safetensors", "certificate"
KINDS = {"exact": (np.float64,), "fp32 any-order": (np.float64, np.float32)}


# --- one change and its judgement ---


def certified(tool, folder, files):
    """Returns the files with a certificate that fsa2lrnn makes of them, of the same scope and at
    most the same length; the old one where it makes none."""
    claim = re.search(rb"\nscope (\S+).*\nhorizon (\d{1,3})\n", files.certificate)
    settles = re.search(rb"\nclaim (settles|roots)\n", files.certificate)
    forever = re.search(rb"\nscope (\S+).*\nclaim (forever|finite)\n", files.certificate)
    if not claim and not settles and not forever:
        return files
    for name, data in zip(NAMES, files):
        Path(folder, name).write_bytes(data)
    made = Path(folder, "made")
    made.unlink(missing_ok=True)
    options = ["--no-report", "-o", str(made)]
    if settles:
        options += ["--settle", "--words", "2"]
    elif forever:
        options += ["--forever", "--prefix-time", "5", "--format", forever[1]]
    else:
        options += ["--most", claim[2], "--format", claim[1], "--prefix", "3", "--search", "0"]
    silent = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL}
    silent["stderr"] = subprocess.DEVNULL
    subprocess.run([tool, "horizon", str(folder), *options], **silent, timeout=300)
    return files._replace(certificate=made.read_bytes()) if made.exists() else files


def mutant(rng, files, tool, folder):
    """Returns (kind, changed files, whether they must be accepted), or None where nothing was
    changed."""
    name = rng.choices(list(AREAS), [area.weight for area in AREAS.values()])[0]
    area = AREAS[name]
    change = rng.choice(area.changes)
    new = rehashed(area.apply(rng, files, change))
    if new == files:
        return None
    if area.again and rng.random() < 0.5:
        new = certified(tool, folder, new)
    return f"{name}: {change.__name__}", new, area.must


def line_of(files, a, read, claim, scope, more):
    """Returns the line of the verdict that is right for the files."""
    hashes = [hashlib.sha256(x).hexdigest() for x in files[:3]]
    line = (
        f"s VERIFIED {claim} scope {scope} label states letters"
        f" {len(a.letters)} states {len(a.states)} layers 1 heads"
        f" {read['model']['heads']}{more}{added_words(files.fsa.decode())}"
        f" fsa {hashes[0]} config {hashes[1]} weights {hashes[2]}\n"
    )
    return line.encode()


def judge_horizon(files, a, read, tensors, begin):
    """Returns the verdict's line, or why the claim of a horizon is not true."""
    claim = re.match(
        rb"horizon-cert 2\nfsa .*\nconfig .*\nweights .*\nscope (.*)\nhorizon (\d+)\n"
        rb"prefix \d+\nletters (\d+(?: \d+)*)\n",
        files.certificate,
    )
    if not claim:
        raise run_files.NotLoaded("no claim")
    length, scope, model = int(claim[2]), claim[1].decode(), read["model"]
    group = [int(x) - 1 for x in claim[3].split()]
    over = "" if len(group) == len(a.letters) else f" over {claim[3].decode().replace(' ', ',')}"
    if length > 64:
        return "a length of which no certificate here is"
    if not all(0 <= x < len(a.letters) for x in group):
        return "letters that are not there"
    with np.errstate(all="ignore"):
        for kind in KINDS.get(scope, (np.float64,)):
            network = run_network.Network(model, tensors, kind)
            right = run_network.right_up_to(network, a, begin, length, group)
            if right < length:
                return f"wrong after {right + 1} letters"
        network = run_network.Network(model, tensors, np.float64)
        run_certificate.check(files.certificate, network, a, begin)
    return line_of(files, a, read, f"horizon {length}", scope, over)


def judge(files):
    """Returns the verdict's line if the claim of the files is true, else why it is not."""
    try:
        a = triple.read_automaton(files.fsa.decode())
        read, tensors = run_network.load(files.config, files.weights)
        begin, model = read["data"].get("begin") is True, read["model"]
        if not run_files.is_spelled(files.config, files.weights):
            return "not what the trainer writes"
        sizes = len(a.letters) + begin, len(a.states) + begin
        if (model["letters"], model["labels"]) != sizes:
            return "other letters or labels"
        if b"\nclaim finite\n" in files.certificate:
            with np.errstate(all="ignore"):
                joint, scope = run_finite.check(files.certificate, model, tensors, a, begin)
            return line_of(files, a, read, f"forever joint {joint}", scope, "")
        if b"\nclaim roots\n" in files.certificate and model.get("exact_keys"):
            with np.errstate(all="ignore"):
                network = run_network.Network(model, tensors, np.float64)
                claim, more = run_roots.check(files.certificate, network, a)
            return line_of(files, a, read, claim, "exact", more)
        if model.get("exact_keys"):
            return "a claim about other networks"
        if not files.certificate.startswith(b"learned-cert"):
            return judge_horizon(files, a, read, tensors, begin)
        with np.errstate(all="ignore"):
            if b"\nclaim forever\n" in files.certificate:
                leaves, scope = run_forever.check(files.certificate, model, tensors, a, begin)
                return line_of(files, a, read, f"forever leaves {leaves}", scope, "")
            network = run_network.Network(model, tensors, np.float64)
            more = run_settle.check(files.certificate, network, a, begin)
        return line_of(files, a, read, "settles", "exact", more)
    except (run_files.NotLoaded, triple.Malformed, UnicodeDecodeError) as error:
        return f"not loaded: {error}"
    except (run_certificate.Wrong, np.linalg.LinAlgError) as error:
        return f"the certificate: {error}"


def verdict(checker, folder, files):
    paths = [str(Path(folder, name)) for name in NAMES]
    for path, data in zip(paths, files):
        Path(path).write_bytes(data)
    return mutant_run.say(str(Path(checker).parent / "horizon-check"), paths)


def outcome_of(seen, found, must):
    """Returns under which name a verdict is counted, from what the judge found."""
    said, right = mutant_run.accepted(seen), isinstance(found, bytes)
    fine = said is not None and (not said or right and seen[1] == found) and (said or not must)
    if not fine:
        return "WRONG"
    return f"{'right' if right else 'wrong'} and {'accepted' if said else 'refused'}"


def meaning_chunk(checker, base, seed, runs):
    files, tool = base
    rng, tally, bad = random.Random(seed), collections.Counter(), []
    with tempfile.TemporaryDirectory() as folder:
        while runs:
            made = mutant(rng, files, tool, folder)
            if made is None:
                continue
            runs -= 1
            kind, changed, must = made
            found, seen = judge(changed), verdict(checker, folder, changed)
            outcome = outcome_of(seen, found, must)
            tally["meaning", kind, outcome] += 1
            if outcome == "WRONG":
                bad.append((f"{kind}; the judge says {found!r}", seen, changed))
    return tally, bad


# --- the networks that are changed ---


def of_corpus(path):
    """Returns the files of an input of tests/fuzz/fuzz_horizon.c."""
    fsa, config, certificate, weights = path.read_bytes().split(b"%%\n", 3)
    return rehashed(Files(fsa, config, weights, certificate))


def networks(tool, folder):
    """Returns {name: files}."""
    corpus = sorted((ROOT / "tests/fuzz/corpus/horizon").iterdir())
    scopes = "-exact", "-fp32", "-fp64"  # the others are refused
    out = {path.name: of_corpus(path) for path in corpus if path.name.endswith(scopes)}
    data = ROOT / "tests/data/learned-s3"
    s3 = [(data / name).read_bytes() for name in NAMES[:3]]
    for scope in ("exact", "fp32"):
        claim = f"horizon-cert 2\nscope {scope}\nhorizon 3\n".encode()
        out[f"S3, {scope}"] = certified(tool, folder, Files(*s3, claim))
    settles = b"learned-cert 1\nclaim settles\n"
    suffix = ROOT / "tests/fuzz/corpus/horizon/settles-suffix"
    out["suffix, settles"] = certified(tool, folder, of_corpus(suffix))
    for name in ("parity-exact", "prefix-fp32", "S3, exact"):
        out[f"{name}, settles"] = certified(tool, folder, out[name]._replace(certificate=settles))
    return out


def facts(checker, folder, files):
    """Yields what must hold of each unchanged network."""
    for name, one in files.items():
        seen, found = verdict(checker, folder, one), judge(one)
        yield f"{name}: verified, and right by the judge", outcome_of(seen, found, True) == (
            "right and accepted"
        )
        for i, part in enumerate(NAMES[:3]):
            other_hash = Files(*(x + b"\n" if i == j else x for j, x in enumerate(one)))
            yield f"{name}: another {part}", verdict(checker, folder, other_hash)[0] == 1


def main():
    args = mutant_run.arguments(__doc__, 200)
    with tempfile.TemporaryDirectory() as folder:
        files = networks(args.tool, folder)
        failed = mutant_run.print_facts(list(facts(args.checker, folder, files)))
    bases = [(one, args.tool) for one in files.values()]
    tally, wrong = mutant_run.run(args, bases, (meaning_chunk,))
    return mutant_run.close(
        f"{len(files)} networks, seed {args.seed}, {mutant_run.spent(args.begin)}",
        sum(tally.values()) + 4 * len(files),
        failed + wrong,
    )


if __name__ == "__main__":
    sys.exit(main())
