"""The recipe for a fact: the number of conjugacy classes in the report of `group`."""

import json
import sys

from recipe import main

VALIDATE = ("python3", "tests/facts.py", "build/toy.json")


def before(copy):
    assert "toy_classes" not in copy.tool("group", "examples/s3.fsa", "--json")


def after(copy, printed):
    assert not printed, printed
    report = json.loads((copy.root / "build/toy.json").read_text())
    assert report["structure"]["toy_classes"] == 3, report["structure"]
    for made in ("reports/schema.json", "docs/json.md"):
        assert "Number of conjugacy classes." in (copy.root / made).read_text(), made
    # Without its line the fact is refused, and so is a report that lacks it.
    del report["structure"]["toy_classes"]
    (copy.root / "build/toy.json").write_text(json.dumps(report))
    assert "structure: toy_classes is missing" in copy.run(VALIDATE, rc=1)
    table = copy.root / "reports/facts.txt"
    table.write_text(
        "".join(x for x in table.read_text().splitlines(True) if not x.startswith("toy_classes"))
    )
    copy.run(["make", "-s", "schema"])
    assert copy.run(VALIDATE) == ""
    (copy.root / "build/toy.json").write_text(copy.tool("group", "build/toy.fsa", "--json"))
    assert "toy_classes is not in the table of facts" in copy.run(VALIDATE, rc=1)


if __name__ == "__main__":
    sys.exit(main("Add a fact to a report", before, after))
