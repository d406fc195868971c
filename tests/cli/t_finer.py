"""The finer classes of `classify`: members, words that show why not, limits and bad input."""

import json

ALL = (
    "definite reverse-definite generalised-definite locally-testable locally-threshold-testable"
    " dot-depth-one"
    " tier-definite tier-reverse-definite tier-generalised-definite tier-locally-testable"
    " tier-locally-threshold-testable tier-dot-depth-one j-trivial r-trivial l-trivial da star-free"
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
    local = "locally-testable locally-threshold-testable dot-depth-one"
    counted = "locally-threshold-testable dot-depth-one j-trivial r-trivial l-trivial"
    for regex, expected in (
        ("(a|b)*ab", f"definite generalised-definite {local} l-trivial da star-free"),
        ("a(a|b)*", f"reverse-definite generalised-definite {local} r-trivial da star-free"),
        ("a(a|b)*a", f"generalised-definite {local} da star-free"),
        ("(a|b)*aa(a|b)*", f"{local} star-free"),
        ("b*ab*ab*(ab*)*", f"{counted} da star-free"),
        ("b*ab*ab*", f"{counted} da star-free"),
        ("(a|b|c)*aa(a|b|c)*bb(a|b|c)*", "dot-depth-one star-free"),
        ("(a(ab)*b)*", "star-free"),
        ("c*a(a|b|c)*ac*", "da star-free"),
        ("(aa)*", ""),
    ):
        told = classify(t, "--regex", regex, "--label", "accept")
        plain = [name for name in members(told) if not name.startswith("tier-")]
        assert plain == expected.split(), (regex, plain)
    told = classify(t, "--regex", "(c*ac*b)*c*", "--label", "accept")
    assert told["neutral_letters"] == 1
    expected = "tier-locally-testable tier-locally-threshold-testable tier-dot-depth-one star-free"
    assert members(told) == expected.split(), members(told)


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
        "word_t": [],
        "first_leads_to": by_name["star-free"]["first_leads_to"],
        "second_leads_to": by_name["star-free"]["second_leads_to"],
    }
    options = ("--regex", "(aa)*", "--label", "accept", "--finer")
    text = t.tool("classify", *options, out=r"w = a a; x = a")
    text = text.decode() if isinstance(text, bytes) else text
    assert max(map(len, text.splitlines())) <= 100


def test_dot_depth_two(t):
    """Brackets nested two deep are of no dot-depth one: the words have a power of a power."""
    options = ("--regex", "(a(ab)*b)*", "--label", "accept")
    by_name = {one["finer_class"]: one for one in classify(t, *options)["finer_classes"]}
    told = by_name["dot-depth-one"]["told_apart"]
    assert told["first_words"] == "u (w^n x v^n y)^n w^n x v^n t (w^n z v^n t)^n", told
    assert told["second_words"] == "u (w^n x v^n y)^n (w^n z v^n t)^n", told
    assert told["first_leads_to"] != told["second_leads_to"] and told["word_w"] and told["word_v"]
    assert by_name["locally-threshold-testable"]["told_apart"] == told
    t.tool("classify", *options, "--finer", out=r"of dot-depth one .*: no, by FC\.16")


def test_limits_and_usage(t):
    """What the effort does not reach is unknown, with the reason, and costs no exit status."""
    t.write("r.fsa", t.tool("new", "random", 300, 3, 1))
    told = classify(t, "r.fsa", "--effort", 1, rc=2)
    assert told["finer_reason"], told["finer_reason"]
    assert any(one["is_member"] is None for one in told["finer_classes"])
    for options in (["--csv"], ["--construct"]):
        t.tool("classify", "r.fsa", "--finer", *options, rc=64, err="--finer excludes")
    # A chain in which dot-depth one takes long: what that used up is not missed by engines.
    lines = ["letters a b c", "start 0x"]
    for i in range(41):
        for x in "xbc":
            lines += [f"{i}{x} a {min(40, i + 1)}x", f"{i}{x} b {i}b", f"{i}{x} c {i}c"]
    t.write("chain.fsa", "\n".join(lines) + "\n")
    little, enough = (classify(t, "chain.fsa", "--effort", e) for e in (5, 20))
    assert little["finer_reason"] and not enough["finer_reason"]
    assert little["engines_exact"] and little["engines_exact"] == enough["engines_exact"]
    t.tool("classify", "--models", "--finer", rc=64)
