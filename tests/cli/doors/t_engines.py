"""`engines`: networks in serving engines as a table; `round --engine` of a file; refusals."""

import csv
import hashlib
import io
import json
import re
import sys

import harness

LIMITS = ("--effort", "30", "--letters", "2000", "--limit", "2000")
SHORT = (
    "engine 1\nname short\nsource local\nrow recurrent\nstate fp32 bf16 fp16\nnorm quotient\n"
    "eps 1e-6\nraw 1\nread unstored\n"
)
SMALL = "engine 1\nname mine\nsource local\nrow recurrent\nstate e4m3 int8\nscale pow2\n"


def table(t, *args, rc=0):
    return json.loads(t.tool("engines", *args, *LIMITS, "--json", rc=rc))


def write(t, text, name="mine.engine"):
    t.write(name, text)
    return name


def test_cells_are_the_verdicts_of_round_on_the_network_that_is_named(t):
    grammar = t.examples() / "s3.fsa"
    found = table(t, grammar, "--engine", "vllm-packed", rc=0)
    assert [net["keys"] for net in found["engine_nets"]] == ["dyadic", "textbook"]
    for net in found["engine_nets"]:
        t.tool(*net["made_by"].split()[1:], "--quiet")
    assert len(found["engine_cells"]) == 6
    for cell in found["engine_cells"]:
        argv = cell["command"].split()
        assert argv[:2] == ["fsa2lrnn", "round"], argv
        (row,) = json.loads(
            t.tool(*argv[1:], "--json", rc={"VERIFIED": 0, "UNKNOWN": 2}[cell["cell_verdict"]])
        )["formats"]
        for name in ("how", "wrong_after", "reason"):
            assert row[name] == cell[name], (name, row[name], cell)
        assert row["verdict"] == cell["cell_verdict"], cell


def test_the_same_table_for_any_number_of_jobs_and_after_an_end(t):
    grammar = t.examples() / "s3.fsa"
    args = (grammar, *LIMITS, "--engine", write(t, SHORT, "short.engine"))
    whole = t.tool("engines", *args, rc=2)
    assert t.tool("engines", *args, "--jobs", "2", rc=2) == whole
    assert t.tool("engines", *args, "--out", "cells.jsonl", rc=2) == whole
    lines = (t.folder / "cells.jsonl").read_text().splitlines(keepends=True)
    assert len(lines) == 7, lines
    t.write("cells.jsonl", "".join(lines[:3]) + lines[3][:20])
    assert t.tool("engines", *args, "--out", "cells.jsonl", rc=2) == whole
    t.write("cells.jsonl", "".join(lines[:2]) + '{"network":"x"}\n')
    t.tool("engines", *args, "--out", "cells.jsonl", rc=65, err="cells.jsonl:3:1: error: a cell")
    t.write("cells.jsonl", lines[0])
    args = (grammar, "--effort", "31", "--out", "cells.jsonl")
    t.tool("engines", *args, rc=65, err="cells.jsonl:1:1: error: the cells are of another")
    args = (grammar, *LIMITS, "--engine", "vllm-packed", "--out", "work", "--continue")
    t.tool("engines", *args)
    assert json.loads((t.folder / "work" / "result.json").read_text())["engine_rows"]
    assert (t.folder / "work" / "cells.jsonl").exists()
    t.tool("engines", *args, out="work: done in")


def test_no_cell_is_blank(t):
    """T4 has no textbook keys."""
    t.write("t4.fsa", t.tool("new", "transformations", "4"))
    text = t.tool("engines", "t4.fsa", *LIMITS, "--engine", write(t, SMALL), "--csv")
    rows = list(csv.DictReader(io.StringIO(text)))
    assert {(r["keys"], r["verdict"]) for r in rows} == {
        ("dyadic", "VERIFIED"),
        ("textbook", "none"),
    }, rows
    assert all(r["verdict"] for r in rows)
    assert "mine.engine/int8" in {r["engine"] for r in rows}
    text = t.tool("engines", "t4.fsa", *LIMITS, "--engine", "mine.engine/int8", "--markdown")
    assert "| mine.engine/int8 | VERIFIED, nothing rounds | none: no such keys |" in text, text


SUBWORD = """fsa 1
letters a b c
states 0 1 2
start 0
accept 0 1
0 a 1
0 b 0
0 c 0
1 a 1
1 b 2
1 c 1
2 a 2
2 b 2
2 c 2
"""


def test_rows_are_of_layers_also_where_compile_builds_none(t):
    """`compile` makes a wired network of a subword, for which there are no rows of engines."""
    t.write("sub.fsa", SUBWORD)
    t.tool("sub.fsa", "--label", "accept", "-o", "wired", "--quiet")
    assert (t.folder / "wired" / "network.lrnn").read_text().startswith("lrnn-wired")
    found = table(t, "sub.fsa", "--label", "accept", "--engine", write(t, SMALL))
    net = found["engine_nets"][0]
    assert "--label accept --cascade holonomy --out sub.dyadic" in net["made_by"], net
    assert net["layers"] > 0, net
    for cell in found["engine_cells"][:2]:
        assert (cell["cell_verdict"], cell["how"]) == ("VERIFIED", "nothing rounds"), cell
    t.tool(*net["made_by"].split()[1:], "--quiet")
    made = (t.folder / "sub.dyadic" / "network.lrnn").read_bytes()
    assert hashlib.sha256(made).hexdigest() == net["network_sha256"], net


def test_an_engine_without_the_factor_two_has_no_cycle(t):
    name = write(t, SMALL + "beta-most 1\n")
    t.tool(t.examples() / "s3.fsa", "-o", "s3.lrnn", "--quiet")
    t.tool("round", "s3.lrnn", "--engine", f"./{name}/e4m3", rc=69, err="no cycle: its beta is at")
    text = t.tool("engines", "s3.lrnn", "--engine", f"./{name}", *LIMITS, "--json")
    for cell in json.loads(text)["engine_cells"]:
        assert cell["cell_verdict"] == "none" and "L.7" in cell["reason"], cell
        # Under rounding it is false: P8 of theory/pages/parity.md has cycles without reflections.
        assert "in exact arithmetic with finitely many states" in cell["reason"], cell
    # Without reflections nothing is in the way: an automaton without a cycle.
    t.write("last.fsa", "letters a b\nstart p\np a p\np b q\nq a p\nq b q\n")
    t.tool("last.fsa", "-o", "last.lrnn", "--quiet")
    t.tool("round", "last.lrnn", "--engine", f"./{name}/e4m3", out="nothing rounds")
    write(t, SMALL + "beta-most 0\n")
    for cell in json.loads(t.tool("engines", "last.lrnn", "--engine", f"./{name}", *LIMITS,
                                  "--json"))["engine_cells"]:
        # A scale joins numbers, and random bits are no function: L.3 is not about these stores.
        assert cell["reason"].startswith("no factors: ") and "L.3" in cell["reason"], cell
        assert "in exact arithmetic with finitely many states" in cell["reason"], cell


def test_wrong_usage_and_wrong_files(t):
    grammar = t.examples() / "s3.fsa"
    t.tool("engines", rc=64, err="an automaton or a network is expected")
    t.tool("engines", grammar, "--engine", "vllm", rc=64, err="there is no engine of this name")
    t.tool("engines", grammar, "--csv", "--markdown", rc=64, err="exclude each other")
    t.tool("engines", "no.fsa", rc=74)
    for text, err in (
        (SMALL + "colour red\n", "mine.engine:7:1: error: there is no field `colour`"),
        (SMALL + "scale amax\n", "mine.engine:7:1: error: the field `scale` is given twice"),
        (SMALL + "beta-most 3\n", "mine.engine:7:1: error: `beta-most`: expected 0, 1 or 2"),
        (SMALL.replace("\nstate ", "\nstate fp16 fp16 "), "`state`: fp16 is given twice"),
    ):
        t.tool("engines", grammar, "--engine", write(t, text), rc=65, err=err)


def test_help_lists_presets_with_their_sources(t):
    text = t.tool("round", "--engine", "help")
    for word in ("vllm-packed", "vllm-replay64", "@03c20345"):
        assert word in text, word


def test_round_has_the_limits_of_a_cell(t):
    t.tool(t.examples() / "s3.fsa", "-o", "s3.lrnn", "--quiet")
    (row,) = json.loads(t.tool("round", "s3.lrnn", "--engine", "hipfire-q8", "--json", rc=1))[
        "formats"
    ]
    assert (row["joint_states"], row["wrong_after"]) == (100000, 431), row
    few = ("--limit", "500", "--letters", "100")
    (row,) = json.loads(t.tool("round", "s3.lrnn", "--engine", "hipfire-q8", *few, "--json", rc=2))[
        "formats"
    ]
    assert row["joint_states"] == 500 and row["observed"][0]["letters"] == 100, row


def test_the_page_is_what_the_record_gives(t):
    """reports/results/engines-table.md shows each cell of the record that has a network."""
    sys.path.insert(0, str(harness.ROOT / "tests" / "engines"))
    import record_engines  # noqa: PLC0415

    path = harness.ROOT / "reports/results/engines.json"
    record = json.loads(path.read_text())
    page = (harness.ROOT / "reports/results/engines-table.md").read_text()
    assert page == record_engines.page(record)
    rows = [line.split(" | ") for line in page.split("\n") if line.startswith("| ")]
    with_network = [n for n in record["engine_nets"] if "no_network" not in n]
    shown = [r for r in rows if "/" in r[0] and r[0] != "| engine/state"]
    cells = sum(len(r) - 1 for r in shown) - 5 * len(record["engine_rows"])
    assert cells == len(with_network) * len(record["engine_rows"]), cells
    assert all(word.strip(" |") for r in shown for word in r)


def test_equal_rows_are_said(t):
    """A file with the fields of a preset is said to be its row, in `round` and in a page."""
    preset = harness.ROOT / "models" / "network" / "engines" / "fla.engine"
    t.write("copy.engine", preset.read_text().replace("\nname fla\n", "\nname copy\n"))
    t.tool(t.examples() / "s3.fsa", "-o", "s3.lrnn", "--quiet")
    t.tool("round", "s3.lrnn", "--engine", "./copy.engine", out="the same row: fla/fp32\n")
    text = (t.folder / "copy.engine").read_text()
    t.write("other.engine", text.replace("beta format", "beta fp32"))
    text = t.tool("round", "s3.lrnn", "--engine", "./other.engine")
    assert "the same row" not in text, text


def test_the_letters_of_the_symptoms(t):
    """The table of symptoms in docs/engines.md: where each row fails, or up to where it is right,
    for S5 on two generators."""
    for keys in "dyadic", "naive":
        grammar = t.examples() / "s5_generators.fsa"
        t.tool(grammar, "--keys", keys, "-o", f"{keys}.lrnn", "--quiet")
    text = (harness.ROOT / "docs" / "engines.md").read_text()
    rows = [line.split(" | ") for line in text.split("\n## ")[0].split("\n") if "`" in line[:90]]
    looked_at = 0
    for _, row, said, _ in (r for r in rows if len(r) == 4 and "`" in r[1]):
        spelled = re.search(r"`(?:--engine )?([^`]*)`", row)[1]
        name = ("naive" if "textbook" in row else "dyadic") + ".lrnn"
        wrong, right = (
            int((re.search(rf"{what} letter ([0-9,]+)", said) or [0, "0"])[1].replace(",", ""))
            for what in ("wrong at", "right up to")
        )
        how = ("--engine", spelled) if "--engine" in row else ("--schedule", spelled)
        letters = str(max(9000, wrong + 1)) if wrong else "1000"
        limits = ("--limit", "1000", "--letters", letters, "--json")
        found = t.tool("round", name, *how, "--formats", "bf16", *limits, rc=1 if wrong else 2)
        (entry,) = json.loads(found)["formats"]
        assert (entry["wrong_after"] or 0) == wrong, (row, entry)
        assert not right or entry["right_up_to"] == right, (row, entry)
        looked_at += 1
    assert looked_at == 7, rows
