"""The bytes that are written, by kind of automaton: a proof is not longer than its claim needs."""

import languages


def sizes(t, text, theorem, claim):
    """Returns the bytes of the certificate and of the whole folder, after lrnn-check."""
    t.write("l.fsa", text)
    t.tool("l.fsa", "--label", "accept", "--out", "o.lrnn", "--force")
    report = t.report("o.lrnn")
    assert report["exact"]["verdict"] == "VERIFIED", report["exact"]
    assert {x["verdict"] for x in report["formats"]} == {"VERIFIED"}, report["formats"]
    found = report["construction"]
    assert found["theorem"] == theorem, found
    certificate = t.read("o.lrnn/certificate.cert")
    assert f"\nclaim {claim}\n".encode() in certificate, certificate[:300]
    t.check("o.lrnn")
    whole = sum(x.stat().st_size for x in (t.folder / "o.lrnn").iterdir())
    return found, len(certificate), whole


def test_subwords(t):
    """A state for each of 125 ways to have met the words, a head for each of 12 words, and a proof
    that lists no contexts. The cascade has twice the layers and ten times the bytes."""
    text = languages.without_subwords("abcd", "abca", "bdcb", "ccad")
    found, certificate, whole = sizes(t, text, "PT", "exact")
    assert found["layers"] == 4 and found["subwords"]["subword_count"] <= 12, found
    assert certificate < 10_000 and whole < 150_000, (certificate, whole)
    t.tool("l.fsa", "--label", "accept", "--cascade", "capped", "--out", "c.lrnn")
    assert len(t.read("c.lrnn/certificate.cert")) > 2 * certificate


def test_products(t):
    """Parts are proved one by one: their joint states would be the product of their numbers."""
    text = languages.with_factors("abcd", "abcabca", "cbbcab", "aabbc", "dadbd")
    _, certificate, whole = sizes(t, text, "X", "product")
    assert certificate < 50_000 and whole < 350_000, (certificate, whole)
