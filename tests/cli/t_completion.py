"""Completion: every command, option and value is offered in bash, zsh and fish, which are run here
where they are installed."""

import os
import pty
import re
import select
import shutil
import subprocess
import time

from harness import Skip

SHELLS = ("bash", "zsh", "fish")
CHOICE = re.compile(r"(?:is one of|is a list, separated by commas, of): (.*); not ''")
# Lines typed before the completion key, and the whole line after it; the same in each shell.
LINES = {
    "fsa2lrnn clas": "fsa2lrnn classify ",
    "fsa2lrnn one.fsa --require fp1": "fsa2lrnn one.fsa --require fp16 ",
    "fsa2lrnn one.fsa --formats bf16,fp3": "fsa2lrnn one.fsa --formats bf16,fp32",
    "fsa2lrnn one.fsa --formats=bf16,fp3": "fsa2lrnn one.fsa --formats=bf16,fp32",
    "fsa2lrnn one.fsa --label=ou": "fsa2lrnn one.fsa --label=outputs ",
    "fsa2lrnn run --fr": "fsa2lrnn run --from-start ",
    "fsa2lrnn run tw": "fsa2lrnn run two.lrnn ",
    "fsa2lrnn run o": "fsa2lrnn run o",
    "fsa2lrnn run --fsa=o": "fsa2lrnn run --fsa=one.fsa ",
    "fsa2lrnn classify a\\ f": "fsa2lrnn classify a\\ file.fsa ",
    "fsa2lrnn train --resume fo": "fsa2lrnn train --resume folder/",
    "fsa2lrnn help ne": "fsa2lrnn help new ",
    "fsa2lrnn --quiet compile --exact-in=bf16,tf": "fsa2lrnn --quiet compile --exact-in=bf16,tf32",
}


def candidates(t, *words):
    """Returns the candidates for the last word, and what the shells do with files."""
    lines = t.tool("completion", "words", "--", *words).splitlines()
    return [line.split("\t")[0] for line in lines if not line.startswith(":")], [
        line for line in lines if line.startswith(":")
    ]


def named(t, command):
    """Returns the options that the help text of a command names: [(name, has an argument)]."""
    text = t.tool("help", *command).split("\nOptions", 1)[1].split("\nExamples:", 1)[0]
    option = re.compile(r"^  (?:-\w, )?(--[a-z0-9-]+)( [A-Z]+)?", re.M)
    return [(m[1], bool(m[2])) for m in option.finditer(text)]


def commands(t):
    listed = t.tool("help").split("Other commands", 1)[1].split("\n\n", 1)[0]
    return [[]] + [[name] for name in re.findall(r"^  ([a-z-]+) ", listed, re.M)]


def test_every_command(t):
    names = [c[0] for c in commands(t)[1:]]
    assert {"compile", "train", "completion"} <= set(names), names
    assert candidates(t, "")[0] == names
    assert candidates(t, "help", "")[0] == names
    assert candidates(t, "--jobs", "2", "cl")[0] == ["classify"]
    assert candidates(t, "g.fsa", "")[0] != names


def test_every_option(t):
    """Of every command exactly the options of its help text are offered."""
    for command in commands(t):
        options = [name for name, _ in named(t, command)]
        assert len(options) >= 7, (command, options)
        assert candidates(t, *command, "--")[0] == options, command
        for name in options[:: 1 if t.whole else 4]:
            assert name in candidates(t, *command, name[:-1])[0], (command, name)
    assert candidates(t, "classify", "--", "--")[0] == []
    assert "--label" not in candidates(t, "cascade", "--")[0]


def test_every_value(t):
    """The values that the program accepts, as its message lists them, are offered, after a blank,
    after `=`, and in lists after a comma."""
    lists = seen = 0
    for command in commands(t):
        for name, argument in named(t, command)[:: 1 if t.whole else 4]:
            if not argument:
                continue
            t.tool(*command, f"{name}=", "--no-such-option", rc=64)
            found = CHOICE.search(t.errors)
            if not found:
                continue
            seen += 1
            values = found[1].split(", ")
            assert candidates(t, *command, name, "")[0] == values, (command, name)
            assert candidates(t, *command, f"{name}=")[0] == [f"{name}={v}" for v in values]
            if "a list" not in found[0]:
                continue
            lists += 1
            for front in ("", f"{name}="):
                words = [] if front else [name]
                offered, more = candidates(t, *command, *words, f"{front}{values[1]},")
                rest = [v for v in values if v != values[1]]
                assert offered == [f"{front}{values[1]},{v}" for v in rest], (command, name)
                assert more == [":more"], more
    assert (seen > 20 and lists > 5) if t.whole else (seen > 4 and lists > 1), (seen, lists)


def test_offered_texts(t):
    """Options that take more than a list of names offer the names."""
    formats = candidates(t, "round", "n", "--formats", "")[0]
    assert candidates(t, "round", "n", "--format", "")[0] == formats
    assert "chunk64" in candidates(t, "obstruct", "n", "--schedule", "ch")[0]
    assert candidates(t, "reproduce", "s3", "--model", "nh1,nh2-v")[0] == ["nh1,nh2-values"]
    assert "cycles:" in candidates(t, "train", "g", "--weights", "")[0]
    assert candidates(t, "g.fsa", "--limit", "") == ([], [])
    assert candidates(t, "g.fsa", "-o", "") == ([], [":file\t/"])
    assert candidates(t, "new", "quat")[0] == ["quaternion"]
    assert candidates(t, "completion", "")[0] == [*SHELLS, "words"]


def test_files(t):
    def ends(*words):
        lines = candidates(t, *words)[1]
        assert lines[-1:] == [":file\t/"], lines
        return {line.removeprefix(":file\t") for line in lines[:-1]}

    grammars = ends("classify", "")
    assert {".fsa", ".jff", ".dot", ".g"} <= grammars, grammars
    assert ends("") == ends("train", "") == ends("new", "product", "") == grammars
    assert ends("evaluate", "run", "--grammar", "") == grammars
    assert ends("round", "") == ends("obstruct", "") == {".lrnn"}
    assert ends("run", "n.lrnn", "") == ends("g.fsa", "--symbols", "") == {""}
    assert ends("round", "--fsa=") == {".fsa"} and ends("round", "--certificate", "") == {".cert"}
    assert ends("evaluate", "") == {".safetensors"}
    assert [ends("check", *"ab"[:i], "") for i in range(3)] == [{".fsa"}, {".lrnn"}, {".cert"}]
    assert candidates(t, "parity", "")[1] == []


def test_usage(t):
    t.tool("completion", rc=64, err="one shell is expected: bash, zsh or fish")
    t.tool("completion", "tcsh", rc=64, err="one shell is expected")
    t.tool("completion", "bash", "zsh", rc=64, err="one shell is expected")
    t.tool("completion", "words", out="compile\t")


def prepared(t, shell):
    """Returns the script of a shell, in a folder with files to complete."""
    if not shutil.which(shell):
        raise Skip(f"{shell} is not installed")
    for name in ("one.fsa", "two.lrnn", "a file.fsa", "other.txt", "folder/inside"):
        t.write(name, "")
    folder = os.path.dirname(t.program)
    t.env.update(PATH=f"{folder}{os.pathsep}{t.env['PATH']}", HOME=str(t.folder), TERM="dumb")
    script = t.write("script", t.tool("completion", shell))
    done = subprocess.run([shell, "-n", script], cwd=t.folder, capture_output=True)
    assert done.returncode == 0 and not done.stderr, done.stderr
    return script


def wait_for(master, lines, file, count):
    """Reads what the shell writes until the file has `count` lines."""
    end = time.monotonic() + 30
    while time.monotonic() < end:
        if select.select([master], [], [], 0.02)[0]:
            lines.append(os.read(master, 65536))
        if file.exists() and file.read_text().count("\n") >= count:
            return
    raise AssertionError(b"".join(lines)[-2000:])


def typed(t, argv, setup):
    """Types each line and the completion key into an interactive shell, and then ^T, which `setup`
    binds to moving the line that is there to the file `typed`; returns these lines."""
    master, slave = pty.openpty()
    shell = subprocess.Popen(
        argv,
        cwd=t.folder,
        env=t.env,
        stdin=slave,
        stdout=slave,
        stderr=slave,
        start_new_session=True,
    )
    os.close(slave)
    log, file = [], t.folder / "typed"
    try:
        os.write(master, f"{setup}; echo ready >> typed\n".encode())
        wait_for(master, log, file, 1)
        for i, line in enumerate(LINES):
            os.write(master, line.encode() + b"\t\x14")
            wait_for(master, log, file, i + 2)
    finally:
        shell.kill()
        shell.wait()
        os.close(master)
    return file.read_text().splitlines()[1:]


def check_typed(got):
    assert len(got) == len(LINES), got
    for line, whole in zip(LINES, got):
        assert whole == LINES[line], f"{line!r} became {whole!r}, not {LINES[line]!r}"


def test_bash(t):
    script = prepared(t, "bash")
    take = 'printf "%s\\n" "$READLINE_LINE" >> typed; READLINE_LINE= READLINE_POINT=0'
    write = f"bind -x '\"\\C-t\": {take}'"
    check_typed(typed(t, ["bash", "--norc", "--noprofile", "-i"], f"source ./{script}; {write}"))


def test_zsh(t):
    script = prepared(t, "zsh")
    write = 'd() { print -r -- "$BUFFER" >> typed; BUFFER= }; zle -N d; bindkey "^T" d'
    setup = f"autoload -Uz compinit; compinit -u -D; source ./{script}; {write}"
    check_typed(typed(t, ["zsh", "-f", "-i"], setup))


def test_fish(t):
    """Fish says what it would offer; one candidate is what it would insert."""
    script = prepared(t, "fish")
    for line, whole in LINES.items():
        asked = f"source ./{script}; complete -C {fish_quoted(line)}"
        done = subprocess.run(
            ["fish", "--no-config", "-c", asked], cwd=t.folder, env=t.env, capture_output=True
        )
        offered = [x.split("\t")[0] for x in done.stdout.decode().splitlines()]
        front = line.rpartition(" ")[0].replace("a\\", "").rstrip()
        expected = whole.removeprefix(front).strip().replace("\\", "")
        wanted = [] if whole == line else [expected]
        assert offered == wanted and not done.stderr, (line, offered, wanted, done.stderr)


def fish_quoted(text):
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
