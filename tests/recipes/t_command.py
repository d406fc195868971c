"""The recipe for a command: `toy`, which counts the letters of a word."""

import sys

from recipe import main


def before(copy):
    assert "toy" not in copy.tool("--help")
    copy.tool("help", "toy", rc=64)


def after(copy, printed):
    assert "2 passed, 0 failed" in printed and "layers: ok" in printed, printed
    assert copy.tool("toy", "abba") == "4\n"
    assert "\n  toy   " in copy.tool("--help"), copy.tool("--help")
    assert "did you mean 'toy'" in copy.tool("help", "tyo", rc=64)
    recorded = copy.root / "tests/golden"
    assert "counts the letters of a word" in (recorded / "help.txt").read_text()
    assert "Prints the number of letters of WORD." in (recorded / "fsa2lrnn.1").read_text()


if __name__ == "__main__":
    sys.exit(main("Add a command", before, after))
