"""`--effort`: counted steps end the search at the same place for every --jobs, and more steps never
give a worse network."""

import re
import sys

from harness import ROOT

sys.path.insert(0, str(ROOT / "tests"))
import search_cases as cases  # noqa: E402

FILES = ["automaton.fsa", "network.lrnn", "certificate.cert", "weights.safetensors"]
ENDS = ("complete", "effort", "time limit", "memory limit", "interrupted")
OUTCOMES = ("built", "beaten", "outside", "unasked", "inapplicable", "unknown")
RANDOM_30 = [str(cases.REAL / "random30.att"), *cases.SYMBOLS]


def searched(t, out, grammar, effort, *options):
    """Returns the report, without its times, of a run whose network is VERIFIED and whose
    certificate is accepted."""
    summary = t.tool(*grammar, "--effort", effort, *options, "--out", out, "--force")
    report = t.report(out)
    assert report["exact"]["verdict"] == "VERIFIED", report["exact"]
    assert re.search(r"^search  ", summary, re.M), summary
    t.check(out)
    check_search(report, effort)
    del report["timing"]
    return report


def check_search(report, effort):
    """Checks that the report describes the search, and for every candidate the outcome and its
    reason."""
    search = report["search"]
    assert (
        list(search)[:4] == ["ended", "effort", "steps", "first"] and search["ended"] in ENDS
    ), search
    assert search["effort"] == (effort * 1_000_000 or None), search
    first = search["first"]
    assert list(first) == ["theorem", "variant", "layers", "steps", "best"], first
    assert first["layers"] > 0 and 0 <= first["steps"] <= search["steps"], search
    best = report["construction"]["theorem"], report["construction"]["variant"]
    built = [(e["theorem"], e["variant"]) for e in report["others"] if e["outcome"] == "built"]
    assert (first["theorem"], first["variant"]) in [best, *built], (first, best, built)
    for entry in report["others"]:
        assert entry["outcome"] in OUTCOMES and entry["steps"] >= 0, entry
        assert entry["outcome"] == "built" or entry["reason"], entry


def stopped(report):
    """Returns the candidates without an outcome because their steps were spent."""
    return [e for e in report["others"] if e["outcome"] == "unknown" and "effort" in e["reason"]]


def automata(t):
    """Returns grammars that need cascades: random ones of several sizes, protocols, and one that is
    searched to the end."""
    t.new("r11.fsa", "random", "11", "3", "5")
    t.new("r14.fsa", "random", "14", "3", "5")
    t.new("t4.fsa", "transformations", "4")
    return {
        "random 11": ["r11.fsa"],
        "random 14": ["r14.fsa"],
        "maps of 4": ["t4.fsa"],
        "tcp": [str(cases.REAL / "tcp_endpoint.fsa")],
        "session": [str(cases.REAL / "mqtt_session.fsa"), "--label", "accept"],
        "random 30": RANDOM_30,
    }


def test_same_for_every_jobs(t):
    for name, grammar in automata(t).items():
        runs = [
            (
                searched(t, out, grammar, 20, "--jobs", jobs),
                [t.read(f"{out}/{file}") for file in FILES],
            )
            for out, jobs in (("one", 1), ("two", 2), ("again", 2))
        ]
        assert runs[0] == runs[1] == runs[2], (name, [report["search"] for report, _ in runs])


def test_more_is_never_worse(t):
    better = 0
    for name, grammar in automata(t).items():
        seen = [
            cases.figures(searched(t, "out", grammar, effort)["construction"])
            for effort in (4, 10, 30, 100)
        ]
        assert seen == sorted(seen, reverse=True), (name, seen)
        better += seen[-1] < seen[0]
    assert better, "no automaton had a better network after more steps, so that nothing was tested"


def test_stopped_by_effort(t):
    report = searched(t, "out", RANDOM_30, 4)
    assert report["search"]["ended"] == "effort" and stopped(report), report["search"]
    assert "effort" in t.tool(
        *RANDOM_30, "--effort", "4", "--out", "out", "--force"
    ), "the summary names what ended it"
    for entry in stopped(report):
        assert re.search(r"steps|not tried", entry["reason"]), entry


def test_searched_to_the_end(t):
    t.new("t4.fsa", "transformations", "4")
    for effort in (0, 1000):
        report = searched(t, "out", ["t4.fsa"], effort)
        assert report["search"]["ended"] == "complete" and not stopped(report), (
            effort,
            report["search"],
        )
        assert not [e for e in report["others"] if e["outcome"] == "unknown"], report["others"]


def test_the_default(t):
    t.new("t3.fsa", "transformations", "3")
    t.tool("t3.fsa", "--out", "default")
    t.tool("t3.fsa", "--out", "said", "--effort", "1250")
    said, default = t.report("said"), t.report("default")
    assert said["search"] == default["search"] and said["search"]["effort"] == 1_250_000_000, said[
        "search"
    ]
    assert t.read("said/network.lrnn") == t.read("default/network.lrnn")


def test_values(t):
    for bad in ("-1", "x", "1.5", "", "99999999999999999999"):
        t.tool("g.fsa", f"--effort={bad}", rc=64, err="--effort takes")
        assert "Try 'fsa2lrnn help" in t.errors, t.errors
