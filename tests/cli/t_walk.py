"""A newcomer's questions about where things are, answered from docs/architecture.md alone.

Step one is a row of a table of this page, step two the command that the row gives (or the file and
the function that it names). The newcomer knows nothing else; the file and the program decide
whether the file is the right one."""

import json
import re
import subprocess
import sys

import harness

sys.path.insert(0, str(harness.ROOT / "tests"))
import citations  # the list of statements

PAGE = (harness.ROOT / "docs/architecture.md").read_text()
ROW = re.compile(r"^\| (.+) \|$", re.M)


def rows(page, columns):
    """Returns the rows of the table whose first columns have these names, as lists of cells."""
    head = "| " + " | ".join(columns)
    assert head in page, f"docs/architecture.md has no table {head}"
    table = page[page.index(head) :].split("\n\n", 1)[0]
    return [m[1].split(" | ") for m in ROW.finditer(table)][1:]


def walk(kind, name, page=PAGE):
    """Returns the files that the page leads to."""
    found = [r for r in rows(page, ["kind", "for example", "folder"]) if r[0] == kind]
    assert len(found) == 1, f"docs/architecture.md has {len(found)} rows for `{kind}`"
    _, _, folder, command = found[0]
    command = command.strip("`").replace("NAME", name)
    done = subprocess.run(
        ["bash", "-c", command], cwd=harness.ROOT, capture_output=True, text=True, timeout=60
    )
    files = done.stdout.split()
    assert all(f.startswith(f"{folder}/") for f in files), f"{files} are not in {folder}"
    return files


def only(kind, name, page=PAGE):
    files = walk(kind, name, page)
    assert len(files) == 1, f"{kind} {name}: {files}"
    return files[0], (harness.ROOT / files[0]).read_text()


def test_which_page_proves_u9(test):
    file, text = only("statement", "U9")
    assert file == "theory/pages/unrounded.md" and "**U9 (bounds).**" in text, file


def test_which_page_has_the_proof_of_local_closures(test):
    file, text = only("statement", "T4.10")
    assert "**T4.10 (compositional certificate).**" in text, file


def test_where_is_round(test):
    file, text = only("command", "round")
    help_text = test.tool("help", "round").splitlines()[0].removeprefix("Usage: fsa2lrnn round ")
    joined = re.sub(r'"\s*"', "", text)  # string literals over several lines
    assert help_text in joined, f"{file} has not the usage of round: {help_text}"


def test_where_is_e4m3(test):
    file, text = only("number format", "e4m3")
    assert re.search(r'\{"e4m3", 4, -6, 8, 448,', text), file


def test_where_is_chunk64(test):
    file, text = only("schedule", "chunk64")
    assert "64 letters at a time" in text, file


def test_where_is_the_counter(test):
    file, text = only("kind of `new`", "counter")
    described = test.tool("help", "new")
    assert "counts up and down" in described and "counts up and down" in text, file


def test_where_is_preset_z60(test):
    file, text = only("preset", "z60")
    assert "z60" in test.tool("help", "reproduce") and "60" in text, file


def test_where_is_claim_d1_checked(test):
    found = {r[0]: r for r in rows(PAGE, ["claim", "the checker's function"])}
    _, function, file, writer = found["d1"]
    text = (harness.ROOT / file).read_text()
    assert f"void {function.strip('`')}(problem" in text and "D1.8" in text, file
    assert '"d1"' in (harness.ROOT / writer).read_text(), writer


def test_where_is_t4_built(test):
    file, text = only("construction", "T4")
    assert "f2l_t4_build(" in text, file
    readme = (harness.ROOT / file).parent / "README.md"
    page = re.search(r"Statements: T4 .*\((.*)\)", readme.read_text())[1]
    title = (readme.parent / page).read_text().splitlines()[0]
    assert title.startswith("# T4"), page


def test_what_is_a_stage(test):
    file, text = only("word", "stage")
    assert re.search(r"\| \*\*stage\*\* \| .*set of states", text), file


def test_who_writes_the_report(test):
    """Every file on the path of one automaton exists, and the last one prints the summary."""
    path = rows(PAGE, ["step", "file"])
    files = re.findall(r"\]\(\.\./([^)]*)\)", " ".join(" | ".join(r) for r in path))
    assert len(files) >= 15 and all((harness.ROOT / f).is_file() for f in files), files
    summary = [r for r in path if "standard output" in r[0]][0][1]
    name = re.search(r"\(\.\./([^)]*)\)", summary)[1]
    assert '"construction' in (harness.ROOT / name).read_text(), name


def test_every_statement(test):
    """Each statement of the pages is found as citations.py finds it."""
    where = citations.Lint(harness.ROOT).where
    numbers = [n for n in where if re.search(r"\d$", n)]
    assert len(numbers) > 200, len(numbers)
    for number in numbers:
        expected = [f"theory/pages/{page}" for page in where[number]]
        assert walk("statement", number) == expected, (number, expected)


def test_every_command_format_and_schedule(test):
    said = test.tool("help").split("Other commands", 1)[1].split("\nOptions:", 1)[0]
    commands = re.findall(r"^  ([a-z]+) ", said, re.M)
    assert len(commands) >= 14, commands
    for name in commands:
        only("command", name)
    table = (harness.ROOT / "numeric/format/format.c").read_text()
    formats = re.findall(r'^ *\{"(\w+)", \d+, -\d+', table, re.M)
    assert len(formats) >= 7, formats
    for name in formats:
        only("number format", name)
    table = (harness.ROOT / "models/network/schedule/schedule.c").read_text()
    schedules = re.findall(r'^ *\{ROW\("(\w+)"\),', table, re.M)
    assert len(schedules) >= 11, schedules
    for name in schedules:
        only("schedule", name)


def test_every_claim(test):
    """The claims of the table are the checkers' claims, and each function exists."""
    table = rows(PAGE, ["claim", "the checker's function"])
    sources = [p.read_text() for p in (harness.ROOT / "theory/check").glob("*.c")]
    known = {m for text in sources for m in re.findall(r'\{"(\w+)", (?:true|false), ', text)}
    assert {r[0] for r in table} == known, (known, table)
    for claim, function, file, writer in table:
        text = (harness.ROOT / file).read_text()
        assert re.search(rf"^void {function.strip('`')}\(", text, re.M), (claim, file)
        assert re.search(rf'"{claim}"|claim {claim}', (harness.ROOT / writer).read_text()), writer


def test_every_construction(test):
    """The page leads from every name that the program prints to a folder of the table."""
    parity = str(harness.ROOT / "examples/parity.fsa")
    listed = json.loads(test.tool("compile", parity, "--pareto", "--json"))["constructions"]
    known = {c["theorem"] for c in listed} | {"D2", "T5"}  # T5: D2's name for cyclic groups
    assert len(known) >= 11, known
    leads = {only("construction", name)[0].split("/")[2] for name in known}
    table = (harness.ROOT / "theory/compile/constructions.h").read_text()
    assert leads == set(re.findall(r"^    ROW\((\w+)\)", table, re.M)), leads
    folders = {p.name for p in (harness.ROOT / "theory/construct").iterdir() if p.is_dir()}
    assert leads == folders - {"keys"}, folders


def test_a_wrong_map_is_noticed(test):
    """Names that do not exist lead to no file, and neither does a page with a wrong row."""
    for kind, name in [
        ("statement", "U9" + "9"),  # not a citation
        ("statement", "U"),
        ("command", "rounds"),
        ("number format", "e9m9"),
        ("schedule", "chunk65"),
        ("kind of `new`", "abacus"),
        ("preset", "s60"),
        ("word", "flux"),
    ]:
        assert not walk(kind, name), (kind, name)
    wrong = [
        (PAGE.replace("theory/pages/*.md`", "theory/construct/*/*.h`"), "statement", "T4.10"),
        (PAGE.replace("**NAME", "NAME"), "statement", "T1"),
        (PAGE.replace("| command |", "| order |"), "command", "round"),
    ]
    for page, kind, name in wrong:
        assert page != PAGE, name
        try:
            only(kind, name, page)
        except AssertionError:
            continue
        raise AssertionError(f"a wrong page leads to {kind} {name}")
