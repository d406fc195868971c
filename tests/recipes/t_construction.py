"""The recipe for a construction: `TY`, a layer that does nothing for automata of one state."""

import json
import sys

from recipe import main

ONE = ("compile", "build/one.fsa", "--pareto", "--json")
TOY, T3 = ("TY", "still"), ("T3", "dyadic keys")


def entries(copy):
    return {(c["theorem"], c["variant"]): c for c in json.loads(copy.tool(*ONE))["constructions"]}


def before(copy):
    (copy.root / "build/one.fsa").write_text("start p\np a p\np b p\n")
    listed = entries(copy)
    assert TOY not in listed and listed[T3]["best"], listed


def after(copy, printed):
    assert "Failing: 0 | Crashing: 0" in printed, printed
    assert "layers: ok" in printed and "citations: ok" in printed, printed
    assert "\nconstruction   TY (one state, one layer): 1 layer, 1 head, n_h = 0, " in printed
    assert "\n               no factors for 1 letter\n" in printed, printed
    assert "\nexact          VERIFIED for all words (closure of 1 joint state)\n" in printed
    listed = entries(copy)
    assert listed[TOY]["best"] and listed[TOY]["exact"]["verdict"] == "VERIFIED", listed
    assert not listed[T3]["best"], listed
    report = json.loads((copy.root / "build/toy.lrnn/report.json").read_text())
    assert report["construction"]["theorem"] == "TY", report
    assert report["construction"]["unmoved_letters"] == 1, report
    assert "unmoved_letters" in (copy.root / "docs/json.md").read_text()
    # Other constructions are still chosen on request.
    text = copy.tool("build/one.fsa", "--cascade", "capped", "--out", "build/other.lrnn")
    assert "construction   T4 " in text, text


if __name__ == "__main__":
    sys.exit(main("Add a construction", before, after))
