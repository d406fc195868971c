"""lrnn-check and its companions: to which program a triple is passed, and where this program is
found."""

import os
import shutil
import subprocess
from pathlib import Path

import triples

FIELD = "field -2 0 1 interval 1 2\n"
BOXES = "box 1 1.1:1/2,1\nbox 2 1.1:-1,-1/2\n"
WRONG = triples.ROWS.replace("codes 2 next 1 2", "codes 2 next 2 2")


def run(t, program, *args, path=None):
    env = dict(t.env, PATH=path) if path else t.env
    done = subprocess.run(
        [str(program), *args],
        cwd=t.folder,
        env=env,
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
