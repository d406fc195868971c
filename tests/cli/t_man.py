"""The man pages of docs/man: the formatter finds no fault in them, and the programs accept the
files and commands that they show."""

import hashlib
import itertools
import re
import shutil
import subprocess
from fractions import Fraction
from pathlib import Path

import harness

PAGES = harness.ROOT / "docs/man"
EXAMPLE = re.compile(r"^\.\\\" example (\S+)\n\.EX\n(.*?)^\.EE$", re.M | re.S)
SESSION = re.compile(r"^\.\\\" session\n\.EX\n(.*?)^\.EE$", re.M | re.S)
ESCAPES = {"\\-": "-", "\\&": "", "\\e": "\\", "\\(aq": "'", "\\(ha": "^", "\\(ti": "~"}


def plain(roff):
    """Returns the text that an example shows."""
    return re.sub(r"\\(?:\(..|.)", lambda m: ESCAPES[m.group()], roff)


def examples(page):
    """Returns {file name: text} of the examples of a man page."""
    return {m[1]: plain(m[2]) for m in EXAMPLE.finditer((PAGES / page).read_text())}


def unpack(test, *pages):
    """Writes the examples of the pages into the test's folder; returns their names."""
    names = []
    for page in pages:
        for name, text in examples(page).items():
            test.write(name, text)
            names.append(name)
    return names


def formatters():
    """Returns commands that read a man page and print its faults."""
    found = []
    if shutil.which("mandoc"):
        found.append(["mandoc", "-Tlint", "-Wwarning"])
    if shutil.which("groff"):
        found.append(["groff", "-ww", "-z", "-man", "-Tutf8", "-rLL=100n"])
    return found


def test_pages_have_no_faults(test):
    if not formatters():
        raise harness.Skip("neither mandoc nor groff is installed: man pages are not formatted")
    pages = sorted(PAGES.iterdir())
    checkers = sorted((harness.ROOT / "theory/check").rglob("*-check*.c"))
    names = ["fsa.5", "lrnn-cert.5", "lrnn.5", *(f"{c.stem}.1" for c in checkers)]
    assert [p.name for p in pages] == sorted(names), pages
    for command in formatters():
        for page in pages:
            done = subprocess.run([*command, str(page)], capture_output=True, text=True)
            said = done.stdout + done.stderr
            assert done.returncode == 0 and not said, f"{command[0]} {page.name}: {said}"
    # The formatter finds a fault: a macro that does not exist.
    test.write("bad.1", (PAGES / "fsa.5").read_text() + ".NOSUCH macro\n")
    for command in formatters():
        done = subprocess.run([*command, str(test.folder / "bad.1")], capture_output=True)
        assert done.stdout + done.stderr, f"{command[0]} accepts a macro that does not exist"


def test_automata_compile(test):
    names = [n for n in unpack(test, "fsa.5") if n.endswith(".fsa")]
    assert names == ["free.fsa", "automaton.fsa", "added.fsa", "group.fsa", "points.fsa"], names
    for name in names:
        test.tool(name, "--out", f"{name}.out", "--quiet")
        canonical = test.read(f"{name}.out/automaton.fsa")
        example = "automaton.fsa" if name == "free.fsa" else name
        assert canonical == test.read(example), f"{name}: {canonical.decode()}"
    test.tool("points.fsa", "--label", "outputs", "--out", "outputs", "--quiet")


def test_other_syntaxes_compile(test):
    """The examples of other syntaxes compile, with the states and letters that they show."""
    sizes = {
        "vending.aut": ("aut", 2, 2),
        "arbiter.kiss2": ("KISS2", 2, 4),
        "word.mata": ("mata", 2, 2),
        "word.timbuk": ("Timbuk", 2, 2),
        "safe.ba": ("BA", 2, 2),
        "even.json": ("JSON", 2, 2),
        "lamp.scxml": ("SCXML", 3, 2),
        "light.json": ("XState", 2, 1),
        "session.g": ("GAP", 3, 2),
    }
    names = [n for n in unpack(test, "fsa.5") if not n.endswith(".fsa")]
    assert sorted(names) == sorted(sizes), names
    for name, (syntax, states, letters) in sizes.items():
        said = f"{name}: {syntax}, {states} states, {letters} letter{'s' * (letters > 1)}\n"
        assert said in test.tool("fsa", "info", name), name
        test.tool(name, "--out", f"{name}.lrnn", "--quiet")
        test.check(f"{name}.lrnn")


def test_networks_run(test):
    unpack(test, "fsa.5")
    names = unpack(test, "lrnn.5")
    assert names == ["network.lrnn", "wired.lrnn", "psd.lrnn"], names
    for name in names:
        exact = name != "psd.lrnn"
        out = test.tool(
            *("round", name, "--fsa", "automaton.fsa", "--formats", "bf16"),
            *("--schedules", "every"),
        )
        verdict = "exact      " + ("VERIFIED" if exact else "REFUTED")
        assert verdict in out and "bf16      every     nearest  VERIFIED" in out, f"{name}: {out}"


def test_certificates_are_verified(test):
    unpack(test, "fsa.5", "lrnn.5")
    names = unpack(test, "lrnn-cert.5")
    assert len(names) == 6, names
    triples = [
        ("automaton.fsa", "network.lrnn", "exact.cert", "s VERIFIED exact label states"),
        ("automaton.fsa", "psd.lrnn", "float.cert", "s VERIFIED float label states"),
        ("automaton.fsa", "network.lrnn", "unrounded.cert", "schedule chunk64 decoder nearest fsa"),
        ("flipflop.fsa", "flipflop.lrnn", "cascade.cert", "s VERIFIED cascade label states"),
    ]
    for automaton, network, certificate, verdict in triples:
        out = check(test, automaton, network, certificate)
        assert out.returncode == 0 and verdict in out.stdout, f"{certificate}: {out}"
    # Without its network's lines a certificate is refused, so that the verdicts above are no
    # accident.
    out = check(test, "automaton.fsa", "wired.lrnn", "exact.cert")
    assert out.returncode == 1 and out.stdout == "s NOT VERIFIED\n", out


def test_a_certificate_by_hand(test):
    """A reader who follows lrnn-cert(5) writes the certificate of the wired example."""
    unpack(test, "fsa.5", "lrnn.5", "lrnn-cert.5")
    lines = test.read("exact.cert").decode().splitlines()[:-1]
    lines[2] = "network " + hashlib.sha256(test.read("wired.lrnn")).hexdigest()
    body = "\n".join(lines) + "\n"
    test.write("wired.cert", body + f"sha256 {hashlib.sha256(body.encode()).hexdigest()}\n")
    out = check(test, "automaton.fsa", "wired.lrnn", "wired.cert")
    assert out.returncode == 0 and "rows 2 with wired fsa" in out.stdout, out


def test_rep_check_example(test):
    names = unpack(test, "rep-check.1")
    assert names == ["s3.fsa", "s3.rep"], names
    checker = str(Path(test.checker).parent / "rep-check")
    done = subprocess.run([checker, *names], cwd=test.folder, capture_output=True, text=True)
    assert done.returncode == 0 and done.stdout.startswith("s VERIFIED householders 2 "), done



def bound(test, page):
    """Runs the checker of a lower bound on the files of its page; returns the files and what it
    printed."""
    names = unpack(test, f"{page}.1")
    checker = str(Path(test.checker).parent / page)
    done = subprocess.run([checker, *names], cwd=test.folder, capture_output=True, text=True)
    return names, done


def test_bound_checker_examples(test):
    """The certificates in the pages are accepted. A fork is refused when any of its numbers or
    lines is changed, left out or doubled."""
    for page, verdict in (
        ("fork-check", "layers at least 2 label states letters 2 states 3 classes 3 fsa "),
        ("band-check", "layers at least 2 finite label states letters 3 states 4 classes 4 fsa "),
        ("stack-check", "layers at most 2 finite label states letters 2 states 4 classes 4 fsa "),
        ("arcs-check", "layers at least 2 label states letters 4 states 3 classes 3 arcs 3 fsa "),
        ("depth-check", "layers at least 2 label states letters 4 states 3 classes 3 sets 3 fsa "),
        ("separation-check", "one-layer-one-code infeasible pair 3 2 steps 2 label states "),
    ):
        _, done = bound(test, page)
        assert done.returncode == 0, done
        assert done.stdout.startswith("s VERIFIED " + verdict), done
    checker = str(Path(test.checker).parent / "fork-check")
    (automaton, certificate), _ = bound(test, "fork-check")
    # A third letter that does nothing makes the fork one for layers with windows.
    still = test.read(automaton).decode().replace("letters u v", "letters u v t").splitlines()
    at = [i for i, line in enumerate(still) if " v " in line and line[0] in "spq"]
    for i in reversed(at):
        still.insert(i + 1, "{0} t {0}".format(still[i][0]))
    text = "\n".join(still) + "\n"
    test.write("still.fsa", text)
    old = test.read(certificate).decode()
    fsa = hashlib.sha256(text.encode()).hexdigest()
    new = re.sub("fsa .*", "fsa " + fsa, old).replace("apart\n", "apart\nstill 3\n")
    for files, windows in (((automaton, old), False), (("still.fsa", new), True)):
        path, good = files
        mutants = {good}

        def judge(text, path=path):
            test.write("mutant.cert", text)
            return subprocess.run(
                [checker, path, "mutant.cert"], cwd=test.folder, capture_output=True, text=True
            )

        done = judge(good)
        assert done.returncode == 0 and (" windows " in done.stdout) == windows, done
        lines = good.splitlines(keepends=True)
        for i, line in enumerate(lines):
            mutants.add("".join(lines[:i] + lines[i + 1 :]))
            mutants.add("".join(lines[:i] + [line] + lines[i:]))
            for m in re.finditer(r"(?<= )[0-9]+(?=[ \n])", line):
                for number in (int(m[0]) - 1, int(m[0]) + 1):
                    other = f"{line[: m.start()]}{number}{line[m.end() :]}"
                    mutants.add("".join(lines[:i] + [other] + lines[i + 1 :]))
            mutants.add("".join(lines[:i] + [line.upper()] + lines[i + 1 :]))
        mutants |= {good + "end\n", good[:-1], good.replace("still 3", "still")}
        if windows:
            mutants.remove(good.replace("still 3\n", ""))  # a fork, without windows
        for mutant in mutants - {good}:
            done = judge(mutant)
            assert done.returncode == 1 and done.stdout == "s NOT VERIFIED\n", (mutant, done)


def test_sessions(test):
    """The commands in the pages of the checkers verify their files."""
    unpack(test, "fsa.5", "lrnn.5", "lrnn-cert.5")
    count = 0
    for page in sorted(PAGES.glob("lrnn-check*.1")):
        for session in SESSION.finditer(page.read_text()):
            for command in plain(session[1]).splitlines():
                program, *files = command.split()
                assert program == page.stem, command
                out = check(test, *files, program=program)
                assert out.returncode == 0 and out.stdout.startswith("s VERIFIED "), out
                count += 1
    assert count == 4, count


def test_options_are_described(test):
    """Every option of lrnn-check --help is in its man page, and no other is."""
    told = subprocess.run([test.checker, "--help"], capture_output=True, text=True).stdout
    page = (PAGES / "lrnn-check.1").read_text().replace("\\-", "-")
    options = set(re.findall(r"--[a-z-]+", told)) | {"--help", "--version"}
    assert options == set(re.findall(r"--[a-z-]+", page)), (options, page)


def check(test, *files, program="lrnn-check"):
    checker = str(Path(test.checker).with_name(program))
    return subprocess.run(
        [checker, *files], cwd=test.folder, capture_output=True, text=True, env=test.env
    )


def reduced(rows, z):
    """Returns z less multiples of the rows (pivot, row) of an echelon form."""
    for pivot, row in rows:
        z = [a - z[pivot] * b for a, b in zip(z, row)]
    return z


def learn(rows, z):
    z = reduced(rows, z)
    pivot = next((i for i, a in enumerate(z) if a), None)
    if pivot is not None:
        rows.append((pivot, [a / z[pivot] for a in z]))


def chain_is_right(lines, maps):
    """Replays a chain, from its line `pair` on, by the definition in SP.3; maps[letter][state]. The
    chain's grammar must be right."""
    n = len(maps[0])
    known = [[] for _ in range(len(maps) + 1)]

    def vector(words):
        z = [Fraction(0)] * n
        for word in words:
            z[int(word.split(":")[0]) - 1] = Fraction(word.split(":")[1])
        return z

    def push(z, w):
        image = [Fraction(0)] * n
        for state, a in enumerate(z):
            image[maps[w][state]] += a
        return image

    def value(scale, z, y, w):
        pairs = [(scale, z, y)] if w < 0 else [(scale, z, y), (-scale, push(z, w), push(y, w))]
        return [
            sum(c * (z[i] * y[j] + z[j] * y[i]) for c, z, y in pairs)
            for i in range(n)
            for j in range(n)
        ]

    total, found, right = [0] * n**2, [], True
    for at, line in enumerate(lines[2:], 2):
        words = line.split()
        if words[0] in ("step", "end"):
            right = right and not any(total)
            for which, z in found:
                learn(known[which], z)
            for _, z in known[0]:  # grows in the loop
                for w in range(len(maps)):
                    learn(known[1 + w], z)
                    learn(known[0], push(z, w))
            total, found = [0] * n**2, []
            continue
        if words[0] == "with":
            continue
        w = int(words.pop(1)) - 1 if words[0] in ("letter", "slack") else -1
        square = words[0] in ("form", "letter")
        scale = Fraction(words.pop(1)) if square else Fraction(1)
        z = vector(words[1:])
        y = z if square else vector(lines[at + 1].split()[1:])
        right = right and scale > 0 and sum(z) == 0 and sum(y) == 0
        right = right and (square or not any(reduced(known[w + 1], z)))
        if square:
            found.append((w + 1, z))
        total = [a + b for a, b in zip(total, value(scale, z, y, w))]
    p, q = (int(word) - 1 for word in lines[0].split()[1:])
    apart = [Fraction((i == p) - (i == q)) for i in range(n)]
    return right and p != q and not any(reduced(known[0], apart))


# q0 and q2 have equal futures, and a leads to q0 only, b to q2 only.
LETTERS_TELL = """fsa 1
letters a b
states q0 q1 q2
start q0
q0 a q1
q0 b q1
q1 a q0
q1 b q2
q2 a q1
q2 b q1
"""
# One layer with one code for each state.
ONE_LAYER = """lrnn 2
fsa {fsa}
field Q
label states
letters 2
letter a
letter b
labels 3
symbol q0
symbol q1
symbol q2
start 1
layers 1
layer 1 letters 2 heads 1 codes 2 symbols 3 decode step
head 1 key 1 value 1
initial 1.1:1
on 1 gate 1 factors 1
factor 2 u 1:1
on 2 gate 1 factors 1
factor 2 u 1:1
code 1 * 1.1:1
code 2 * 1.1:-1
yield 1 1 1
yield 1 2 2
yield 2 1 3
yield 2 2 2
end
"""
ONE_LAYER_CERTIFICATE = """lrnn-certificate 2
fsa {fsa}
network {network}
claim exact
size layers 1 heads 1 householders 1 key 1 value 1
letters 2 states 3 rows 3
row 1 state 1 codes 1 next 2 2
row 2 state 2 codes 2 next 1 3
row 3 state 3 codes 1 next 2 2
end 3
"""
# The steps are right: no form separates q0 and q2.
NO_FORM_SEPARATES = """lrnn-separation 1
fsa {fsa}
label states
classes 1 2 3
pair 3 1
{apart}
step
form 1/16 1:1 3:-1
letter 1 5/8 1:-2/5 2:1 3:-3/5
letter 1 3/20 1:1 3:-1
letter 2 1 1:-3/8 2:1 3:-5/8
letter 2 11/64 1:1 3:-1
end
"""


def test_states_that_the_letter_tells_apart_are_no_pair(test):
    """lrnn-check verifies one layer with one code for each state, so separation-check refuses the
    chain for two states with equal futures, whatever word it names."""
    digest = lambda text: hashlib.sha256(text.encode()).hexdigest()
    fsa = digest(LETTERS_TELL)
    network = ONE_LAYER.format(fsa=fsa)
    certificate = ONE_LAYER_CERTIFICATE.format(fsa=fsa, network=digest(network))
    test.write("a.fsa", LETTERS_TELL)
    test.write("n.lrnn", network)
    test.write("n.cert", certificate + f"sha256 {digest(certificate)}\n")
    done = subprocess.run(
        [test.checker, "a.fsa", "n.lrnn", "n.cert"], cwd=test.folder, capture_output=True, text=True
    )
    assert done.stdout.startswith("s VERIFIED exact label states letters 2 states 3 layers 1"), done
    checker = str(Path(test.checker).parent / "separation-check")
    words = [" ".join(word) for n in range(5) for word in itertools.product("12", repeat=n)]
    for word in words:
        test.write("c.cert", NO_FORM_SEPARATES.format(fsa=fsa, apart=f"apart {word}".rstrip()))
        done = subprocess.run(
            [checker, "a.fsa", "c.cert"], cwd=test.folder, capture_output=True, text=True
        )
        assert done.returncode == 1 and done.stdout == "s NOT VERIFIED\n", (word, done)
        reason = "the labels of p and q do not differ" if word else "apart needs a letter"
        assert reason in done.stderr, (word, done)


def test_chains_are_judged_as_replays_do(test):
    """Numbers of the chain in the page changed, lines left out, doubled and exchanged."""
    (automaton, certificate), _ = bound(test, "separation-check")
    checker = str(Path(test.checker).parent / "separation-check")
    lines = test.read(certificate).decode().splitlines()
    first = next(i for i, line in enumerate(lines) if line.startswith("pair"))
    head, chain = lines[:first], lines[first:]
    maps = [[1, 1, 2], [2, 1, 2]]
    mutants = [chain]
    for i, line in enumerate(chain):
        for found in re.finditer(r"-?\d+", line):
            for new in ("1", "2", "3", "-1", "1/2", "-2/3", "5"):
                changed = line[: found.start()] + new + line[found.end() :]
                mutants.append([*chain[:i], changed, *chain[i + 1 :]])
        if 2 < i < len(chain) - 1 and line != "step":
            pair = 2 if line.startswith("slack") else 1
            if not line.startswith("with"):
                mutants.append([*chain[:i], *chain[i + pair :]])
                mutants.append([*chain[: i + pair], *chain[i:]])
    seen = {True: 0, False: 0}
    for mutant in mutants:
        test.write("mutant.cert", "\n".join([*head, *mutant]) + "\n")
        done = subprocess.run(
            [checker, automaton, "mutant.cert"], cwd=test.folder, capture_output=True, text=True
        )
        assert done.returncode in (0, 1), (mutant, done)
        try:
            right = chain_is_right(mutant, maps)
        except (ValueError, IndexError, ZeroDivisionError):
            right = False
        if done.returncode == 0:
            assert right, (mutant, done)
        seen[done.returncode == 0] += 1
    assert seen[True] > 3 and seen[False] > 60, seen
