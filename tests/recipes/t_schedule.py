"""The recipe for a schedule: sums by halves in fp32, each letter stored in the format."""

import json
import sys

from recipe import main

ROUND = ("round", "build/toyschedule.lrnn", "--formats", "bf16", "--json")


def before(copy):
    copy.tool("examples/s3.fsa", "--schedule", "toyschedule", rc=64)


def after(copy, printed):
    assert "Failing: 0 | Crashing: 0" in printed, printed
    assert "toyschedule" in printed, printed
    (entry,) = json.loads(copy.tool(*ROUND, "--schedules", "toyschedule"))["formats"]
    assert entry["verdict"] in ("VERIFIED", "REFUTED"), entry
    # The same fields without the name give the same verdict, from the same number of states.
    (same,) = json.loads(copy.tool(*ROUND, "--schedule", "acc32,sum=halves"))["formats"]
    for fact in ("verdict", "joint_states"):
        assert same[fact] == entry[fact], (fact, same, entry)
    offered = copy.tool("completion", "words", "--", "round", "--schedules", "every,toy")
    assert "toyschedule" in offered, offered


if __name__ == "__main__":
    sys.exit(main("Add a schedule", before, after))
