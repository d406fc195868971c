"""Which lrnn-check a check runs, and which of its reasons are of the machine, after which the same
command checks again."""

import json
import re
import shutil
import subprocess
from pathlib import Path

import harness

SOURCES = harness.ROOT / "theory" / "check"
# The texts of give_up() that are about the files: the same files have them on every machine.
OF_FILES = {
    "a head over a field or with a form in a number format",
    "a head with several slots that is not of pairs",
    "a head with several slots whose states are not pairs",
    "a file is too large",
    "a key is zero before it is normalised, and eps is 0",
    "a number is too long",
    "a number that is not dyadic",
    "a ring with gates or biases",
    "a row in a wired network",
    "a slot touches too many pairs of rows",
    "a state is too large",
    "a step draws too many numbers",
    "an initial state is not of pairs",
    "boxes are lrnn-check-field's",
    "chunk64 in a wired network",
    "decode=linear in a layer of several heads, each with its own norm",
    "decode=linear where codes have different lengths, or are 0",
    "eps is no number of fp32, and it matters",
    "formats in which nothing rounds are lrnn-check-unrounded's",
    "heads over fields or with forms are lrnn-check-field's",
    "no key normalisation in raw heads and in cast",
    "numbers are too close to each other or to 0",
    "the budget of memory is spent; --memory SIZE gives another one",
    "the budget of steps is spent; --budget N gives N times as many",
    "the logit of a beta that is not 0, 1 or 2",
    "this claim is another program's",
    "wired networks are lrnn-check-wired's",
}


def texts_of(source):
    """Returns the texts with which a checker's source gives up, with the one of SIGALRM; fails
    where one is no constant."""
    text, begin = r'"(?:[^"\\]|\\.)*"', r"(?<![_\w])(?<!void )give_up\("
    calls = re.findall(rf"{begin}((?:\s*{text})+)\s*\)", source)
    assert len(calls) == len(re.findall(begin, source)), "a reason that is no constant text"
    texts = {"".join(part[1:-1] for part in re.findall(text, call)) for call in calls}
    others = r'": (the limit of time was reached)\\n"|"%s: (a file cannot be read): %s: %s\\n"'
    return texts | {"".join(found) for found in re.findall(others, source)}


def test_every_reason_is_known(t):
    """Each text with which lrnn-check or a companion gives up is either in the library's list of
    reasons of the machine or in the one above, and no list has any other."""
    of_checkers = set()
    for path in SOURCES.glob("*.c"):
        if path.name != "rep-check.c":  # another program, which no check runs
            of_checkers |= texts_of(path.read_text())
    source = (harness.ROOT / "library" / "checker.c").read_text()
    (listed,) = re.findall(r"of_machine\[\] = \{(.*?)\};", source, re.S)
    of_machine = set(re.findall(r'"(.*?)"', listed))
    assert len(of_checkers) > 30 and len(of_machine) > 5, (of_checkers, of_machine)
    assert not of_machine & OF_FILES
    assert of_checkers == of_machine | OF_FILES, of_checkers ^ (of_machine | OF_FILES)
    assert not any(text.startswith(tuple(of_machine)) for text in OF_FILES)
    # a path, which comes before the text on a companion, begins none of them
    assert not any(text.startswith("/") for text in of_checkers)


def state(t, folder):
    record = json.loads(t.read(f"{folder}/work.json"))
    return record["state"], record["exit_status"], record["reason"]


def test_reasons_of_the_machine(t):
    """The real checkers: without a companion, without memory and without steps to spend."""
    t.new("s3.fsa", "symmetric", "3")
    t.tool("s3.fsa", "-o", "s3", "--quiet")
    t.new("p.fsa", "parity")
    t.tool("p.fsa", "--formats", "bf16", "-o", "p", "--quiet")
    (t.folder / "alone").mkdir()
    shutil.copy(t.checker, t.folder / "alone" / "lrnn-check")
    t.tool("round", "p", "--certificates", "proofs", "--formats", "bf16", "--quiet")
    (certificate,) = sorted(t.folder.glob("proofs/*.cert"))[:1]
    files = ("p/automaton.fsa", "p/network.lrnn", str(certificate))
    words = ("check", *files, "--continue", "-o", "w", "--checker")
    t.tool(*words, "alone/lrnn-check", rc=74, err="lrnn-check-unrounded: No such file")
    assert state(t, "w")[:2] == ("failed", 74), state(t, "w")
    t.tool(*words, t.checker)
    assert state(t, "w")[:2] == ("done", 0), state(t, "w")
    # a file that the checker could not read was not judged
    for path, reason in (("absent", "No such file"), ("/proc/self/mem", "Input/output error")):
        t.write("blind.sh", f'#!/bin/sh\nexec "{t.checker}" "$1" "$2" {path}\n')
        (t.folder / "blind.sh").chmod(0o755)
        said = f"a file cannot be read: {path}: {reason}"
        t.tool("check", "s3", "--checker", "./blind.sh", rc=2, out="s UNKNOWN\n", err=said)
        t.tool("check", "s3", "--continue", "-o", "b", "--checker", "./blind.sh", rc=74, err=said)
        left = state(t, "b")
        assert left[:2] == ("failed", 74) and said in left[2], left
        assert json.loads(t.tool("table", "b", "--json"))["left_work"], left
    t.tool("check", "s3", "--continue", "-o", "b", "--checker", t.checker)
    assert state(t, "b")[:2] == ("done", 0), state(t, "b")
    t.write("poor.sh", f'#!/bin/sh\nexec "{t.checker}" --memory 1K "$@"\n')
    (t.folder / "poor.sh").chmod(0o755)
    t.tool("check", "s3", "--continue", "-o", "poor", "--checker", "./poor.sh")
    done = state(t, "poor")
    assert done[:2] == ("done", 2) and "the budget of memory is spent" in done[2], done


def called(t, name, *args, path=None):
    """Runs the program by another name in argv[0]."""
    done = subprocess.run(
        [name, *args],
        executable=str(Path(t.program).resolve()),
        cwd=t.folder,
        env=dict(t.env, PATH=path) if path else t.env,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        timeout=60,
    )
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def test_called_by_another_name(t):
    """The checker is the one beside the program itself, whatever it is called, and it is named."""
    t.new("p.fsa", "parity")
    t.tool("p.fsa", "-o", "p", "--quiet")
    for folder in ("evil", "bin", "evil/bin"):
        (t.folder / folder).mkdir()
        t.write(f"{folder}/lrnn-check", "#!/bin/sh\necho s VERIFIED exact evil\n")
        (t.folder / folder / "lrnn-check").chmod(0o755)
    names = ("evil/fsa2lrnn", "./fsa2lrnn", "fsa2lrnn", "nonsense/fsa2lrnn", "evil/x/y", "")
    for name in names:
        status, out, errors = called(t, name, "check", "p", "--json")
        seen = json.loads(out)
        assert status == 0 and "evil" not in out and errors == "", (name, out, errors)
        assert seen["checker"] == str(Path(t.program).resolve().parent / "lrnn-check"), seen
    # a program without a checker beside it takes one of PATH, and says so
    (t.folder / "alone").mkdir()
    shutil.copy(t.program, t.folder / "alone" / "fsa2lrnn")
    alone = str(t.folder / "alone" / "fsa2lrnn")
    t.program, program = alone, t.program
    for path in ("/nowhere", "evil:/nowhere", ":/nowhere"):
        status, out, errors = called(t, "evil/fsa2lrnn", "check", "p", "--json", path=path)
        seen = json.loads(out)
        assert (status, seen["line"], seen["checker"]) == (2, "s UNKNOWN", None), (path, out)
        assert "there is none beside this program, nor in the folders of PATH" in seen["reason"]
    beside = str(Path(program).resolve().parent)
    status, out, errors = called(t, "x", "check", "p", path=f"relative:{beside}:/usr/bin")
    assert status == 0 and out.startswith("s VERIFIED exact label"), (out, errors)
    assert f"{beside}/lrnn-check: warning: this checker is run, which PATH leads to" in errors
    # what others read later is not what PATH leads to: that is a failure of the machine
    kept = ("check", "p", "--continue", "-o", "kept")
    status, out, errors = called(t, "x", *kept, path=f"{beside}:/usr/bin")
    assert (status, out) == (74, "") and "only when --checker names it" in errors, (out, errors)
    named = (*kept, "--checker", f"{beside}/lrnn-check")
    status, out, errors = called(t, "x", *named, path="/usr/bin")
    assert status == 0, errors
    t.program = program
    t.tool("check", "p", "--checker", "", rc=64, err="--checker: a program is expected")
    # no name is cut: one that is too long for the system cannot be run
    long = "/" * 4073 + str(t.folder / "evil/lrnn-check") + "-not-this-one"
    t.tool("check", "p", "--checker", long, rc=2, err="File name too long")
