"""Names from outside that could garble a terminal, a page or Markdown: every command shows them,
and no text that a person reads has them raw."""

import re
import unicodedata

ESC, RLO, CSI = "\x1b", "\u202e", "\x9b"
NAMES = (
    f"{ESC}[2Jq",
    f"a{RLO}b",
    "x\nINJECTED s VERIFIED exact",
    "`tick`",
    "<img src=x onerror=alert(1)>",
    f'c{CSI}0m say "hi" \\',
)


def spelled(name):
    """Returns the name as files spell it, in quotes; C1 and format characters have no escape."""
    text = "".join(f"\\u{ord(c):04x}" if c < " " and c != "\n" else c for c in name)
    return '"' + re.sub(r'(["\\](?!u0))', r"\\\1", text).replace("\n", "\\n") + '"'


def bare(name):
    return name if not re.search(r'[\s"#()\x00-\x20]', name) else spelled(name)


def automaton(rows, outputs):
    """Returns the text of an automaton with hostile names: rows of the next states."""
    state, letter = [bare(name) for name in NAMES], [bare(name) for name in NAMES[::-1]]
    lines = ["fsa 1", f"start {state[0]}"]
    lines += [f"output {state[q]} {letter[q]}" for q in range(len(rows)) if outputs]
    for q, row in enumerate(rows):
        lines += [f"{state[q]} {letter[x]} {state[to]}" for x, to in enumerate(row)]
    return "\n".join(lines) + "\n"


def raw(text, kept="\n\t"):
    """Returns the characters that no shown text may have."""
    hidden = (c for c in text if unicodedata.category(c) in ("Cc", "Cf", "Zl", "Zp"))
    return sorted({f"U+{ord(c):04X}" for c in hidden if c not in kept})


def look(text, what, kind="terminal"):
    assert not raw(text), f"{what}: {raw(text)}"
    lines = [line for line in text.splitlines() if line.lstrip().startswith("INJECTED")]
    assert not lines, f"{what}: {lines}"
    if kind == "html":
        assert "<img src=x" not in text, what
    if kind == "markdown":
        # A code block shows names as they are; outside of one, they are escaped.
        prose = re.sub(r"(?ms)^(```+)sh\n.*?^\1\n", "", text)
        for part in ("<img", "`tick"):
            assert not re.search(rf"(?<!\\){re.escape(part)}", prose), f"{what}: {part}"


def show(t, *args, rc=0, stdin=b""):
    """Runs a command as it is and with --json, and looks at what it prints."""
    text = t.tool(*args, rc=rc, stdin=stdin)
    look(text + "\n" + t.errors, args)
    assert "\ufffd" not in text, args
    data = t.tool(*args, "--json", rc=rc, stdin=stdin)
    look(data + "\n" + t.errors, args)


def look_at_folder(t, name):
    for path in sorted((t.folder / name).rglob("*")):
        kind = {".html": "html", ".svg": "html", ".md": "markdown"}
        if path.suffix in kind and path.is_file():
            look(path.read_text(), path.name, kind[path.suffix])
        elif path.name == "report.json":
            look(path.read_text(), path.name)


def test_automata(t):
    names = f"g{RLO}{ESC}[2J.fsa", "aperiodic.fsa"
    t.write(names[0], automaton([(1, 1), (2, 0), (0, 2)], True))
    t.write(names[1], automaton([(1, 0), (2, 0), (3, 1), (3, 3)], True))
    for name in names:
        show(t, "fsa", "info", name)
        show(t, "classify", name, rc=(0, 2))
        show(t, "classify", name, "--label", "outputs", rc=(0, 2))
        show(t, "cascade", name)
        look(t.tool("fsa", "equivalent", names[0], name, rc=(0, 1, 65, 69)) + t.errors, name)
    show(t, "group", names[0])
    show(t, "obstruct", names[0], rc=(0, 1, 2, 65, 69))
    show(t, "compile", names[0], "--pareto", rc=(0, 2))


def test_networks(t):
    for number, rows in enumerate(([(1, 1), (2, 0), (0, 2)], [(1, 0), (2, 0), (3, 1), (3, 3)])):
        name, out = f"{number}{RLO}{ESC}[2J.fsa", f"{number}{RLO}{ESC}.lrnn"
        t.write(name, automaton(rows, True))
        look(t.tool(name, "--label", "outputs", "-o", out) + t.errors, name)
        look(t.tool(name, "--force", "--json", "-o", out) + t.errors, name)
        show(t, "check", out)
        show(t, "round", out, "--letters", "100", rc=(0, 1, 2))
        show(t, "obstruct", out, rc=(0, 1, 2))
        show(t, "run", out, "--random", "5", "--length", "20")
        show(t, "run", out, stdin=" ".join(spelled(x) for x in NAMES[::-1][:2]) + "\n")
        show(t, "run", out, stdin=f"a{RLO}{ESC}[2J\n", rc=65)
        for form in ("coq", "npz", "onnx", "pytorch", "fla-deltanet"):
            args = ("export", out, "--to", form, "-o", form, "--force")
            look(t.tool(*args, rc=(0, 69)) + t.errors, args)
            look_at_folder(t, form)
        show(t, "report", out)
        look(t.tool("report", out, "--markdown"), "report.md", "markdown")
        look_at_folder(t, out)


def test_training(t):
    name = f"p{RLO}{ESC}[2J.fsa"
    t.write(name, automaton([(1, 1), (2, 0), (0, 2)], True))
    small = ("--steps", "3", "--batch", "4", "--width", "8", "--mlp", "8", "--to", "8", "--heads")
    words = ("--sequences", "4", "--lengths", "8")
    run = f"r{RLO}.train"
    look(t.tool("train", name, *small, "1", *words, "-o", run) + t.errors, "train")
    show(t, "evaluate", run, *words)
    show(t, "inspect", run, rc=(0, 69))
    show(t, "compare", run, *words)
    show(t, "horizon", run, "--most", "2", rc=(0, 1, 2))
    show(t, "snap", run, rc=(0, 1, 2))
    show(t, "obstruct", f"{run}/weights.safetensors", rc=(0, 1, 2, 64, 65, 69))
    look_at_folder(t, run)
