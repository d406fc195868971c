"""lrnn-check and its companions: to which program a triple is passed, and where this program is
found; and what lrnn-check-swaps checks: certificates of permutation automata of thousands of
states, whose networks are closed by moving codes."""

import hashlib
import json
import os
import random
import shutil
import subprocess
from pathlib import Path

import triples

FIELD = "field -2 0 1 interval 1 2\n"
BOXES = "box 1 1.1:1/2,1\nbox 2 1.1:-1,-1/2\n"
WRONG = triples.ROWS.replace("codes 2 next 1 2", "codes 2 next 2 2")
STATES = 4000
FORM = "theory/pages/swaps.md, SW.4"


def run(t, program, *args, path=None, stdin=b""):
    env = dict(t.env, PATH=path) if path else t.env
    done = subprocess.run(
        [str(program), *args],
        cwd=t.folder,
        env=env,
        input=stdin,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        timeout=120,
    )
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def kinds(t, rows=triples.ROWS):
    return {
        "field": triples.parity(t, "field", lines=FIELD, one="0,1", rows=rows),
        "form": triples.parity(t, "form", lines="form 1.1:2\n", rows=rows),
        "boxes": triples.parity(t, "boxes", boxes=BOXES, rows=rows),
    }


def test_handed_over(t):
    """Output and status are the companion's own."""
    companion = Path(t.checker).parent / "lrnn-check-field"
    for rows, options, status, begin in (
        (triples.ROWS, [], 0, "s VERIFIED exact label states letters 2 states 2 layers 1 "),
        (WRONG, [], 1, "s NOT VERIFIED\n"),
        (triples.ROWS, ["--memory", "1K"], 2, "s UNKNOWN\n"),
    ):
        for word, files in kinds(t, rows).items():
            seen = run(t, t.checker, *options, *files)
            assert seen == run(t, companion, *options, *files), (word, seen)
            assert seen[0] == status and seen[1].startswith(begin), (word, seen)
            assert status or f" rows 2 with {word} fsa " in seen[1], seen


def test_a_triple_of_its_own_is_not_handed_over(t):
    files = triples.parity(t, "plain")
    seen = run(t, t.checker, *files)
    assert seen[0] == 0 and " rows 2 fsa " in seen[1], seen
    assert run(t, Path(t.checker).parent / "lrnn-check-field", *files) == seen


def alone(t):
    """Copies lrnn-check into a folder without companions."""
    (t.folder / "alone").mkdir()
    return shutil.copy(t.checker, t.folder / "alone" / "lrnn-check")


def test_companion_missing(t):
    program = alone(t)
    for files in kinds(t).values():
        status, out, err = run(t, program, *files)
        assert (status, out) == (2, "s UNKNOWN\n") and "alone/lrnn-check-field" in err, (
            status,
            out,
            err,
        )
    status, out, _ = run(t, program, *triples.parity(t, "plain"))
    assert status == 0 and out.startswith("s VERIFIED exact "), out


def test_companions_of_other_claims_missing(t):
    program = alone(t)
    for claim, name in (
        ("claim float", "float"),
        ("claim refuted", "float"),
        ("claim swaps", "swaps"),
        ("claim exact\nunrounded format bf16", "unrounded"),
    ):
        files = triples.write(t, "other", triples.PARITY, "", claim + "\n")
        status, out, err = run(t, program, *files)
        assert (status, out) == (2, "s UNKNOWN\n") and f"alone/lrnn-check-{name}: " in err, (
            status,
            out,
            err,
        )
    files = triples.write(t, "other", triples.PARITY, "", "claim d1\n")
    t.write(files[1], t.read(files[1]).replace(b"lrnn 2", b"lrnn-wired 2"))
    status, out, err = run(t, program, *files)
    assert (status, out) == (2, "s UNKNOWN\n") and "alone/lrnn-check-wired: " in err, (
        status,
        out,
        err,
    )


def test_companion_missing_for_long_files(t):
    """No process is left that waits to write more than a pipe holds: it would keep the standard
    output open, on which the caller waits."""
    program = alone(t)
    long = "claim d1\n" + "x" * 2**20 + "\n"
    files = triples.write(t, "long", triples.PARITY, "", long)
    status, out, err = run(t, program, *files)
    assert (status, out) == (2, "s UNKNOWN\n") and "alone/lrnn-check-wired: " in err, (
        status,
        out,
        err,
    )


def fake(t, folder):
    name = t.write(f"{folder}/lrnn-check-field", "#!/bin/sh\necho s VERIFIED by a stranger\n")
    os.chmod(t.folder / name, 0o755)
    return str(t.folder / folder)


def test_never_from_path(t):
    program, path = alone(t), f"{fake(t, 'path')}:{os.environ['PATH']}"
    for files in kinds(t).values():
        status, out, _ = run(t, program, *files, path=path)
        assert (status, out) == (2, "s UNKNOWN\n"), out
        status, out, _ = run(t, t.checker, *files, path=path)
        assert status == 0 and out.startswith("s VERIFIED exact "), out


def test_called_through_a_link(t):
    """The companion in the program's own folder is used, not one beside a link to it, nor one in
    the working folder."""
    folder = Path(fake(t, "links"))
    (folder / "lrnn-check").symlink_to(t.checker)
    fake(t, ".")
    for files in kinds(t).values():
        status, out, _ = run(t, folder / "lrnn-check", *files)
        assert status == 0 and out.startswith("s VERIFIED exact "), out


def test_found_by_path_itself(t):
    """lrnn-check finds itself when it is called by its bare name."""
    folder = Path(t.checker).parent
    for files in kinds(t).values():
        done = subprocess.run(
            ["lrnn-check", *files],
            cwd=t.folder,
            env=dict(t.env, PATH=f"{folder}:{os.environ['PATH']}"),
            stdout=subprocess.PIPE,
            check=True,
        )
        assert done.stdout.startswith(b"s VERIFIED exact "), done


def permutations(states, letters, seed):
    """Returns an automaton whose letters permute its states at random."""
    draw, lines = random.Random(seed), ["start q0"]
    for a in "abcd"[:letters]:
        image = draw.sample(range(states), states)
        lines += [f"q{q} {a} q{p}" for q, p in enumerate(image)]
    return "\n".join(lines) + "\n"


def compiled(t, states=STATES, *options):
    t.write("p.fsa", permutations(states, 2, 11))
    return t.tool("p.fsa", "-o", "p", "--force", *options)


def sealed(text):
    """Returns the certificate with its last line made right."""
    body = text[: text.rindex(b"sha256 ")]
    return body + b"sha256 " + hashlib.sha256(body).hexdigest().encode() + b"\n"


def test_compile_and_check(t):
    text = compiled(t)
    report, states = t.report("p"), t.report("p")["automaton"]["states"]
    assert states > STATES / 10 and f"closure of {states} joint states" in text, text
    assert t.read("p/certificate.cert").split(b"\n")[3] == b"claim swaps"
    assert report["exact"]["statement"] == "theory/pages/swaps.md, SW.3", report["exact"]
    for f in report["formats"]:
        by_form = f["schedule"] != "chunk64"
        assert (f["verdict"] == "VERIFIED") == by_form, f
        assert f["statement"] == (FORM if by_form else None) and f["joint_states"] is None, f
    line = "acc32          VERIFIED for all words by the nearest code in bf16, fp16, fp32, e4m3"
    assert line in text, text
    seen = t.check("p")
    assert seen.startswith("s VERIFIED swaps label states letters 2 "), seen
    assert f" rows {states} fsa " in seen, seen
    assert t.tool("check", "p") == seen
    right = "200 labels right, 0 wrong"
    assert right in t.tool("run", "p", "--random", "4", "--length", "50")
    assert right in t.tool("run", "p", "--random", "4", "--length", "50", "--format", "bf16")


def test_round(t):
    compiled(t)
    args = "round", "p", "--formats", "bf16,e4m3", "--schedules", "every,recurrent", "--json"
    data = json.loads(t.tool(*args))
    assert data["certificate"] == "swaps" and data["exact"]["how"] == "closure", data
    for f in data["formats"]:
        assert (f["verdict"], f["how"], f["statement"]) == ("VERIFIED", "form", FORM), f


def test_small_automata_keep_claim_exact(t):
    """The bound is 2^23 codes times factors: about 2,000 states of two letters."""
    compiled(t, 1500, "--formats", "bf16")
    assert t.read("p/certificate.cert").split(b"\n")[3] == b"claim exact"
    seen = t.check("p")
    assert seen.startswith("s VERIFIED exact "), seen


def test_changed_certificates(t):
    compiled(t, STATES, "--formats", "bf16")
    good = t.read("p/certificate.cert")
    rows = [line for line in good.split(b"\n") if line.startswith(b"row ")]
    one, other = rows[5].split(), rows[9].split()
    for was, now in (
        (rows[5], rows[5].replace(b"codes " + one[5], b"codes " + other[5])),
        (rows[5], rows[5].replace(b"state " + one[3], b"state " + other[3])),
        (rows[5], b" ".join([*one[:7], *reversed(one[7:])])),
        (rows[5] + b"\n", b""),
        (b"value 1\n", b"value 2\n"),
        (b"claim swaps", b"claim cascade"),
    ):
        assert good.count(was) == 1, was
        t.write("changed.cert", sealed(good.replace(was, now)))
        t.check_certificate("p", "changed.cert", rc=1)
    t.write("changed.cert", good.replace(rows[5], rows[6]))
    t.check_certificate("p", "changed.cert", rc=1)
    network = t.read("p/network.lrnn")
    factor = next(line for line in network.split(b"\n") if line.startswith(b"factor 2 "))
    t.write("changed.lrnn", network.replace(factor, factor.replace(b"factor 2", b"factor 1"), 1))
    named = good.replace(
        hashlib.sha256(network).hexdigest().encode(),
        hashlib.sha256(t.read("changed.lrnn")).hexdigest().encode(),
    )
    t.write("changed.cert", sealed(named))
    t.check_files("p/automaton.fsa", "changed.lrnn", "changed.cert", rc=1)


def test_outputs(t):
    """With outputs, the quotient by them is tracked."""
    outputs = "".join(f"output q{q} {'even' if q % 2 else 'odd'}\n" for q in range(STATES))
    t.write("o.fsa", permutations(STATES, 2, 12).replace("start q0\n", "start q0\n" + outputs))
    t.tool("o.fsa", "-o", "o", "--label", "outputs", "--formats", "bf16")
    assert t.read("o/certificate.cert").split(b"\n")[3] == b"claim swaps"
    seen = t.check("o")
    assert seen.startswith("s VERIFIED swaps label outputs "), seen


def test_long_numbers_are_counted(t):
    """A code with a long number, which every row of a table compares."""
    states, digits = 20_000, 400_000
    fsa = (
        "fsa 1\nletters x\nstates "
        + " ".join(f"q{q}" for q in range(states))
        + "\nstart q0\naccept\n"
        + "".join(f"q{q} x q{(q + 1) % states}\n" for q in range(states))
    )

    def files(name, number):
        head = (
            f"lrnn 2\nfsa {hashlib.sha256(fsa.encode()).hexdigest()}\nfield Q\nlabel accept\n"
            "letters 1\nletter x\nlabels 1\nsymbol reject\nstart 1\nlayers 1\n"
            "layer 1 letters 1 heads 1 codes 1 symbols 1 decode state\nhead 1 key 1 value 1\n"
        )
        lrnn = (
            f"{head}initial 1.1:{number}\non 1 gate 1 factors 0\ncode 1 1 1.1:{number}\nend\n"
        ).encode()
        cert = (
            f"lrnn-certificate 2\nfsa {hashlib.sha256(fsa.encode()).hexdigest()}\n"
            f"network {hashlib.sha256(lrnn).hexdigest()}\nclaim swaps\n"
            "size layers 1 heads 1 householders 0 key 1 value 1\n"
            f"letters 1 states {states} rows {states}\n"
            + "".join(
                f"row {q} state {q} codes 1 next {q % states + 1}\n" for q in range(1, states + 1)
            )
            + f"end {states}\nsha256 -\n"
        )
        t.write(f"{name}.fsa", fsa)
        t.write(f"{name}.lrnn", lrnn)
        t.write(f"{name}.cert", sealed(cert.encode()))
        return f"{name}.fsa", f"{name}.lrnn", f"{name}.cert"

    seen = t.check_files(*files("short", "7"))
    assert seen.startswith("s VERIFIED swaps label accept "), seen
    t.check_files(*files("long", "7" * digits), rc=2)


def test_the_rows_prove_claim_exact(t):
    """The table is the one that claim exact has: lrnn-check verifies it by applying all factors."""
    compiled(t, 2200, "--formats", "bf16")
    cert = t.read("p/certificate.cert")
    assert b"\nclaim swaps\n" in cert
    t.write("exact.cert", sealed(cert.replace(b"claim swaps", b"claim exact")))
    seen = t.check_certificate("p", "exact.cert")
    assert seen.startswith("s VERIFIED exact "), seen
    assert seen.replace("exact", "swaps", 1) == t.check("p"), seen


def test_outputs_of_transitions(t):
    """A machine whose letters permute its states is a cascade of one level (T4), with such
    factors."""
    draw, lines = random.Random(13), ["start q0"]
    for a in "ab":
        image = draw.sample(range(STATES), STATES)
        lines += [f"q{q} {a} q{p} {(q + ord(a)) % 2}" for q, p in enumerate(image)]
    t.write("m.fsa", "\n".join(lines) + "\n")
    t.tool("m.fsa", "-o", "m", "--label", "edges", "--formats", "bf16")
    report = t.report("m")
    assert report["construction"]["theorem"] == "T4", report["construction"]
    assert report["formats"][0]["statement"] == FORM, report["formats"]
    seen = t.check("m")
    assert seen.startswith("s VERIFIED swaps label edges "), seen
    assert "100 labels right, 0 wrong" in t.tool("run", "m", "--random", "2", "--length", "50")
