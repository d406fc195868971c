"""`report` and the pages that the main job, `train` and `reproduce` draw: what is on them, that a
failure to draw changes nothing, and what is refused."""

import json
import os
import re
import shutil
import subprocess
import sys

from harness import ROOT

TINY = ("--task", "parity", "--width", "8", "--mlp", "8", "--heads", "1", "--head-dim", "8")
TINY += ("--batch", "8", "--sequences", "8", "--lengths", "4,8", "--to", "8", "--steps", "20")


PART = {"in_head": 3, "dimension": 2, "defect": 0.01, "largest_distance": 0.25}


def page(t, folder):
    return t.read(f"{folder}/report.html").decode()


def without(t, *programs):
    """Makes PATH a folder with everything but these programs."""
    folder = t.folder / "path"
    folder.mkdir(exist_ok=True)
    for name in ("sh", "env", "dot", "gnuplot"):
        found = shutil.which(name)
        if found and name not in programs and not (folder / name).exists():
            os.symlink(found, folder / name)
    t.env["PATH"] = str(folder)


def test_main_job(t):
    t.tool(ROOT / "examples/s3.fsa")
    text = page(t, "s3.lrnn")
    for part in (
        "VERIFIED for all words",
        ">The automaton</h2>",
        ">The network</h2>",
        ">What each letter does</h2>",
        ">In number formats</h2>",
        ">Error against length</h2>",
        ">Check it yourself</h2>",
        ">Versions and hashes</h2>",
        "lrnn-check automaton.fsa network.lrnn certificate.cert",
        "prefers-color-scheme:dark",
        "@media print",
    ):
        assert part in text, part
    hashes = [f["sha256"] for f in json.loads(t.read("s3.lrnn/report.json"))["files"]]
    assert all(h in text for h in hashes) and len(hashes) == 4
    # A letter of each pair of equal ones is drawn once, and the matrices are exact.
    assert len(re.findall('class="heat"', text)) == 6
    assert "matrix of a, 4 x 4: -1 0 0 0; 0 1 0 0; 0 0 1 0; 0 0 0 1" in text
    assert "matrix of b, 4 x 4: 1/2 1/2 1/2 1/2;" in text
    assert "eigenvalues of r: 1 (2 times), -0.5 \u00b1 0.866i" in text
    assert "://" not in text.replace("http://www.w3.org/2000/svg", "")
    assert "http" not in t.read("s3.lrnn/report.md").decode()


def test_what_is_proved_is_said(t):
    """Beside the verdict, for each kind of label; and Markdown has the facts of the drawings."""
    t.write("a.fsa", "start a\naccept b\noutput a 0\noutput b 1\na x b\nb x a\n")
    t.write("m.fsa", "start a\na x b 0\nb x a 1\n")
    said = {
        "accept": "the network, in exact rational arithmetic, says accept or reject as the "
        "automaton does.",
        "states": "names the state that the automaton is in.",
        "outputs": "gives the output of the state that the automaton is in.",
        "edges": "gives the output of the transition that the automaton takes.",
    }
    for label, sentence in said.items():
        t.tool("m.fsa" if label == "edges" else "a.fsa", "--label", label, "--out", label)
        shown = re.sub(r"</?a\b[^>]*>", "", page(t, label))
        for text in (shown, t.read(f"{label}/report.md").decode()):
            assert f"{sentence} This is proved" in text, (label, text[:1000])
            assert text.count("This is proved") == 1
    markdown = t.read("accept/report.md").decode()
    assert "- x: A = `-1`, eigenvalues -1\n" in markdown, markdown
    assert "Figure" not in markdown and "drawn" not in markdown


def test_the_page_is_the_first_file(t):
    text = t.tool(ROOT / "examples/parity.fsa")
    assert "files          parity.lrnn/report.html            for a browser\n" in text
    text = t.tool(ROOT / "examples/parity.fsa", "--force", "--no-report")
    assert "report.html" not in text and "files          parity.lrnn/automaton.fsa" in text


def test_first_picture(t):
    """README's first picture is what its script makes now."""
    script = [sys.executable, ROOT / "docs/figures/first_picture.py", "--tool", t.program]
    subprocess.run([*script, "--out", t.folder / "first.svg"], env=t.env, check=True)
    assert t.read("first.svg") == (ROOT / "docs/gallery/first.svg").read_bytes(), "make gallery"
    assert 'src="docs/gallery/first.svg"' in (ROOT / "README.md").read_text()


def test_equal_folders_give_equal_pages(t):
    for out in ("a", "b"):
        t.tool(ROOT / "examples/parity.fsa", "--out", out)
    for name in ("report.html", "report.md"):
        assert t.read(f"a/{name}").replace(b"<title>a<", b"<title>b<") == t.read(f"b/{name}")
    kept = t.read("a/report.html")
    t.tool("report", "a")
    assert t.read("a/report.html") == kept


def test_large_automaton(t):
    t.tool(ROOT / "examples/json_depth4.fsa")
    text = page(t, "json_depth4.lrnn")
    assert 'class="map"' in text and "More than 60 states are not drawn one by one" in text
    assert 'class="ramp"' in text and "It has 7 strongly connected components" in text
    markdown = t.read("json_depth4.lrnn/report.md").decode()
    assert "It has 7 strongly connected components" in markdown and "drawn" not in markdown
    assert ">The cascade</h2>" in text and text.count("<b>Level ") == 11


def test_without_the_programs_that_draw(t):
    shutil.copytree(ROOT / "tests/data/learned-s3", t.folder / "run")
    without(t, "dot", "gnuplot")
    t.tool(ROOT / "examples/parity.fsa")
    text = page(t, "parity.lrnn")
    assert "The graph is not drawn: dot is not installed." in text
    assert 'class="graph"' not in text and 'class="map"' not in text
    assert "<details open><summary>Transition table</summary>" in text
    t.tool("report", "run")
    text = page(t, "run")
    assert "The curves are not drawn: gnuplot is not installed." in text
    assert "<details open><summary>Numbers</summary>" in text


def test_slow_programs_are_ended(t):
    without(t, "dot")
    t.write("path/dot", "#!/bin/sh\nexec /bin/sleep 60\n")
    (t.folder / "path/dot").chmod(0o755)
    t.tool(ROOT / "examples/parity.fsa")
    assert "The graph is not drawn: dot took more than 5 s." in page(t, "parity.lrnn")
    t.write("path/dot", "#!/bin/sh\nexit 3\n")
    t.tool("report", "parity.lrnn")
    assert "The graph is not drawn: dot failed." in page(t, "parity.lrnn")
    t.write("path/dot", "#!/bin/sh\necho no drawing\n")
    t.tool("report", "parity.lrnn")
    assert "The graph is not drawn: the drawing is no SVG." in page(t, "parity.lrnn")


def test_no_report(t):
    t.tool(ROOT / "examples/parity.fsa", "--no-report")
    assert not (t.folder / "parity.lrnn/report.html").exists()
    t.tool("train", *TINY, "--no-network", "--no-report", "-o", "run")
    assert not (t.folder / "run/report.html").exists()
    t.tool(ROOT / "examples/parity.fsa", "--force")
    t.tool(ROOT / "examples/parity.fsa", "--force", "--no-report")
    assert not (t.folder / "parity.lrnn/report.html").exists()


def test_a_failure_to_draw_changes_nothing(t):
    t.tool("train", *TINY, "--no-network", "-o", "run")
    kept = t.read("run/weights.safetensors")
    (t.folder / "run/report.html").unlink()
    t.write("run/report.html", "mine")
    t.tool("train", "--resume", "run", err="report.html is not drawn: ")
    assert t.read("run/report.html") == b"mine" and t.read("run/weights.safetensors") == kept
    t.write("run/log.jsonl", t.read("run/log.jsonl") + b"}\n")
    t.tool("report", "run", rc=65, err="log.jsonl: a line is no JSON object")


def test_train(t):
    t.tool("train", *TINY, "--no-network", "--seeds", "2", "-o", "runs")
    text = page(t, "runs")
    assert text.count(">trained network</p>") == 2 and "seed-1" in text
    shutil.copytree(ROOT / "tests/data/learned-s3", t.folder / "run")
    t.tool("report", "run")
    text = page(t, "run")
    assert "measured: all test words right up to 512 letters" in text
    assert "proves nothing about other words" in text
    assert len(re.findall('class="heat"', text)) == 24
    markdown = t.read("run/report.md").decode()
    assert "| 512 | 1 | 1 | " in markdown and "# run: trained network" in markdown


def test_studies_of_a_run(t):
    """Records of other commands are shown where they are."""
    shutil.copytree(ROOT / "tests/data/learned-s3", t.folder / "run")
    t.write("run/horizon.json", json.dumps({"certified_length": 48, "horizon_scope": "exact"}))
    t.write("run/forever.json", json.dumps({"forever_verdict": "PROVED"}))
    t.write("run/roots.json", json.dumps({"roots_verdict": "MISSING"}))
    t.write("run/snap.json", json.dumps({"snapped": "SNAPPED", "learned_parts": [PART]}))
    curve = [{"step": s, "sequence_accuracy": s / 9, "start_distance": 9 - s} for s in (1, 9)]
    run = {"start": "exact", "logit": 16, "seed": 1, "curve": curve, "steps_to_99": 9}
    starts = {"starts": [run | {"stability": "stays"}]}
    t.write("run/starts.json", json.dumps({"runs": [{"report": starts}]}))
    t.tool("report", "run")
    text = page(t, "run")
    for part in (
        "Certified horizon",
        ">48<",
        "The nearest proved network",
        "exact, logit 16",
        ">SNAPPED<",
        "Right for ever",
        ">PROVED<",
        "Roots of unity",
        ">MISSING<",
        ">0.25<",
    ):
        assert part in text, part
    assert ">stays<" in text and "Learned beside constructed" not in text
    (t.folder / "alone").mkdir()
    t.write("alone/starts.json", json.dumps({"starts": [run | {"stability": "leaves"}]}))
    t.tool("report", "alone")
    assert ">leaves<" in page(t, "alone") and "study of trained networks" in page(t, "alone")
    t.write("run/horizon.json", "{")
    t.tool("report", "run", rc=65, err="horizon.json:1:")


def test_compare(t):
    """The comparison draws the page of the run anew, with what it found."""
    shutil.copytree(ROOT / "tests/data/learned-s3", t.folder / "run")
    t.tool("compare", "run", "--no-report")
    assert not (t.folder / "run/report.html").exists()
    t.tool("compare", "run")
    text = page(t, "run")
    assert "It has 6 states and is equivalent to the given automaton" in text
    assert "Both networks on the same words, by length" in text and ">chi3<" in text
    found = json.loads(t.read("run/compare.json"))
    changed = dict(found["extraction"], extracted_is="unknown", clusters_are="quotient")
    changed |= {"with_start": ["one", "two"], "wrong_word": ["a", "b"]}
    t.write("run/compare.json", json.dumps(found | {"extraction": changed}))
    t.tool("report", "run")
    text = page(t, "run")
    assert "with the start they merge one two" in text and "answers wrongly: a b." in text


def test_reproduce(t):
    t.tool("reproduce", "parity", "--model", "delta-signed", "--scale", "0.01", "-o", "runs")
    text = page(t, "runs")
    assert 'id="p0-parity"' in text and "best-delta-signed" in text
    assert "Published numbers" in text and "Grazzi et al. 2025" in text
    assert "1; no figure: 2 of 3 missing" in text and "256 letters" not in text


def test_several_folders(t):
    t.tool(ROOT / "examples/s3.fsa")
    shutil.copytree(ROOT / "tests/data/learned-s3", t.folder / "run")
    told = t.tool("report", "s3.lrnn", "run", "-o", "both.html").split()
    assert told == ["both" + ending for ending in (".html", ".md")], told
    text = t.read("both.html").decode()
    assert 'href="#part1"' in text and "p1-automaton" in text and "p2-automaton" in text
    ids = re.findall(r'\bid="([^"]*)"', text)
    assert len(ids) == len(set(ids))
    facts = json.loads(t.tool("report", "s3.lrnn", "--json"))
    assert facts["page_html"] == "s3.lrnn/report.html" and facts["markdown"].startswith("<!--")
    assert t.tool("report", "s3.lrnn", "--markdown") == t.read("s3.lrnn/report.md").decode()


def test_names_are_escaped(t):
    t.write("x.fsa", 'start "<b>|"\n"<b>|" "&\\"a" "x`"\n"x`" "&\\"a" "<b>|"\n')
    t.tool("x.fsa")
    text = page(t, "x.lrnn")
    assert "<b>|" not in text and "&lt;b&gt;|" in text and "&amp;&quot;a" in text
    assert "\\<b\\>\\|" in t.read("x.lrnn/report.md").decode()


def test_refused(t):
    t.tool("report", rc=64, err="an output folder is expected")
    t.tool("report", "nothing", rc=69, err="nothing has neither report.json of the main job")
    (t.folder / "empty").mkdir()
    t.tool("report", "empty", rc=69, err="nor an outcome of reproduce")
    t.tool(ROOT / "examples/parity.fsa", "--no-report")
    t.write("mine.html", "mine")
    t.tool("report", "parity.lrnn", "-o", "mine.html", rc=73, err="is no report of this program")
    assert t.read("mine.html") == b"mine"
    t.tool("report", "parity.lrnn", "-o", "mine.html", "--force")
    t.tool("report", "parity.lrnn", "-o", "mine.html")
    t.tool("report", "parity.lrnn", "-o", "x" + ".md", rc=64, err="--out ends in .md")
    t.tool("report", "parity.lrnn", "--markdown", "-o", "y", rc=64, err="--markdown writes no file")
    t.write("parity.lrnn/report.json", "{")
    t.tool("report", "parity.lrnn", rc=65, err="report.json:1:")
