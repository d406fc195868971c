"""The recipe for a number format: toyfmt, 5 bits of significand and the exponents of fp16."""

import json
import sys

from recipe import main

ROUND = ("round", "build/toyfmt.lrnn", "--formats", "toyfmt", "--schedules", "every", "--json")


def before(copy):
    text = copy.tool("examples/s3.fsa", "--formats", "toyfmt", rc=64)
    assert "toyfmt" in text, text


def after(copy, printed):
    assert "Failing: 0 | Crashing: 0" in printed, printed
    assert "toyfmt" in printed, printed
    (entry,) = json.loads(copy.tool(*ROUND))["formats"]
    named = entry["format_data"]
    assert entry["verdict"] == "VERIFIED", entry
    assert (entry["format"], named["precision"]) == ("toyfmt", 5), named
    assert (named["emin"], named["emax"]) == (-14, 15), named
    # The same parameters without the name give the same verdict.
    text = copy.tool("round", "build/toyfmt.lrnn", "--format", "p=5,emin=-14,emax=15", "--json")
    assert json.loads(text)["formats"][0]["verdict"] == "VERIFIED", text
    text = copy.tool("round", "build/toyfmt.lrnn", "--format", "toyfmu", rc=64)
    assert "e5m2, toyfmt, or p=P" in text, text
    offered = copy.tool("completion", "words", "--", "compile", "--formats", "bf16,to")
    assert offered.startswith("bf16,toyfmt\t"), offered


if __name__ == "__main__":
    sys.exit(main("Add a number format", before, after))
