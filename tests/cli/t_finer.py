"""The finer classes of `classify`: members, words that show why not, limits and bad input."""

import json

ALL = (
    "definite reverse-definite generalised-definite locally-testable locally-threshold-testable"
    " tier-definite tier-reverse-definite tier-generalised-definite tier-locally-testable"
    " tier-locally-threshold-testable j-trivial r-trivial l-trivial da star-free"
).split()


def classify(t, *options, rc=0):
    told = json.loads(t.tool("classify", *options, "--json", rc=rc))
    assert [one["finer_class"] for one in told["finer_classes"]] == ALL
    return told


def members(told):
    """Returns the classes that the automaton is in; every answer is known."""
    assert all(one["is_member"] is not None for one in told["finer_classes"])
    return [one["finer_class"] for one in told["finer_classes"] if one["is_member"]]


def test_languages(t):
    """Languages of known classes; those of a tier have c as a neutral letter."""
    for regex, expected in (
        ("(a|b)*ab", "definite generalised-definite locally-testable locally-threshold-testable"
            " l-trivial da star-free"),
        (
            "a(a|b)*",
            "reverse-definite generalised-definite locally-testable locally-threshold-testable"
            " r-trivial da star-free",
        ),
        ("a(a|b)*a", "generalised-definite locally-testable locally-threshold-testable da"
            " star-free"),
        ("(a|b)*aa(a|b)*", "locally-testable locally-threshold-testable star-free"),
        ("b*ab*ab*(ab*)*", "locally-threshold-testable j-trivial r-trivial l-trivial da star-free"),
        ("b*ab*ab*", "locally-threshold-testable j-trivial r-trivial l-trivial da star-free"),
        ("c*a(a|b|c)*ac*", "da star-free"),
        ("(aa)*", ""),
    ):
        told = classify(t, "--regex", regex, "--label", "accept")
        plain = [name for name in members(told) if not name.startswith("tier-")]
        assert plain == expected.split(), (regex, plain)
    told = classify(t, "--regex", "(c*ac*b)*c*", "--label", "accept")
    assert told["neutral_letters"] == 1
    expected = ["tier-locally-testable", "tier-locally-threshold-testable", "star-free"]
    assert members(told) == expected, members(told)


def test_words(t):
    """The text has the words of JSON, and `lines` are no longer than others."""
    told = classify(t, "--regex", "(aa)*", "--label", "accept")
    by_name = {one["finer_class"]: one["told_apart"] for one in told["finer_classes"]}
    assert by_name["star-free"] == {
        "first_words": "u w^n",
        "second_words": "u w^n x",
        "word_u": [],
        "word_w": ["a", "a"],
        "word_x": ["a"],
        "word_y": [],
        "word_v": [],
        "word_z": [],
        "first_leads_to": by_name["star-free"]["first_leads_to"],
        "second_leads_to": by_name["star-free"]["second_leads_to"],
    }
    options = ("--regex", "(aa)*", "--label", "accept", "--finer")
    text = t.tool("classify", *options, out=r"w = a a; x = a")
    text = text.decode() if isinstance(text, bytes) else text
    assert max(map(len, text.splitlines())) <= 100


def test_limits_and_usage(t):
    """What the effort does not reach is unknown, with the reason, and costs no exit status."""
    t.write("r.fsa", t.tool("new", "random", 300, 3, 1))
    told = classify(t, "r.fsa", "--effort", 1, rc=2)
    assert told["finer_reason"], told["finer_reason"]
    assert any(one["is_member"] is None for one in told["finer_classes"])
    for options in (["--csv"], ["--construct"]):
        t.tool("classify", "r.fsa", "--finer", *options, rc=64, err="--finer excludes")
    t.tool("classify", "--models", "--finer", rc=64)
