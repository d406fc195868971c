"""The lines that lrnn-check must print about three texts that it finds right, derived from the
texts alone.

A verdict names what was proved: the claim, the kind of labels, the automaton's letters and states,
the network's figures, the figures of the claim, the network's parts beyond plain layers over Q,
format and schedule with every field, and the hashes of both inputs."""

import hashlib
import re

COUNTS = {
    "exact": r"rows \d+",
    "swaps": r"rows \d+",
    "cascade": r"pairs \d+",
    "zeiger": r"classes \d+",
    "float": r"rows \d+",
    "d1": r"block \d+ elements \d+ classes \d+",
    "blocks": r"block \d+ levels \d+ classes \d+",
    "points": r"block \d+ points \d+ rows \d+",
    "product": r"parts \d+",
    "refuted": r"length \d+ period \d+ wrong \d+ rows \d+",
}
ADDED = re.compile(r'^fsa added ("(?:[^"\\]|\\.)*"|[^ "]+) source ([0-9a-f]{64})$', re.M)
FLAGS = ("wired", "field", "form", "raw", "bias", "boxes", "letter-classes")


def flags(lrnn):
    """Returns the parts of a network that are flagged, in order."""
    lines = lrnn.split("\n")
    begins = {
        "wired": "lrnn-wired ",
        "form": "form ",
        "raw": "raw",
        "boxes": "box ",
        "letter-classes": "letter-classes ",
    }
    has = {flag: any(line.startswith(word) for line in lines) for flag, word in begins.items()}
    has["field"] = any(re.match(r"field -?\d", line) for line in lines)
    has["bias"] = any(re.match(r"on \d+ gate .* bias ", line) for line in lines)
    return [flag for flag in FLAGS if has[flag]]


def decoder_words(terms):
    """Returns what a verdict says of the decoder of a format and schedule, with a blank before."""
    return f" decoder {'linear' if ',decode=linear,' in terms else 'nearest'}"


def added_words(fsa):
    """Returns what a verdict says of the added state, with a blank before, or nothing."""
    line = ADDED.search(fsa)
    rejecting = " rejecting" if re.search(r"^accept( |$)", fsa, re.M) else ""
    return f" added {line[1]} absorbing{rejecting} source {line[2]}" if line else ""


def patterns(texts):
    """Returns a regular expression for every line, the claim's own first; the first lines of the
    texts must be right."""
    fsa, lrnn, cert = texts
    lines = cert.split("\n")
    claim, at = lines[3].removeprefix("claim "), 4
    terms = ""
    if claim in ("float", "refuted"):
        terms, at = f" {lines[4]} {lines[5]}", 6
        terms += decoder_words(terms)
    unrounded = [line.removeprefix("unrounded") for line in lines if line.startswith("unrounded ")]
    size = next(line for line in lines[at:] if line.startswith("size "))
    states = re.search(r"^letters \d+ states (\d+) ", cert, re.M)[1]
    label, letters = (re.search(rf"^{word} (\S+)$", lrnn, re.M)[1] for word in ("label", "letters"))
    beyond = flags(lrnn)
    about = (
        re.escape(
            f"{claim} label {label} letters {letters} states {states} {size.removeprefix('size ')} "
        )
        + COUNTS[claim]
        + re.escape((" with " + " ".join(beyond)) if beyond else "")
    )
    of = (
        f"{added_words(fsa)} fsa {hashlib.sha256(fsa.encode()).hexdigest()} network"
        f" {hashlib.sha256(lrnn.encode()).hexdigest()}"
    )
    return [
        f"s VERIFIED {about}{re.escape(terms + of)}",
        *(
            f"s VERIFIED unrounded {about}{re.escape(one + decoder_words(one) + of)}"
            for one in unrounded
        ),
    ]


def fits(out, texts):
    """Returns whether these are all lines of a right verdict, and nothing else."""
    lines = out.split("\n")
    try:
        wanted = patterns(texts)
    except (StopIteration, IndexError, TypeError, KeyError):
        return False
    return (
        lines[-1] == ""
        and len(lines) == len(wanted) + 1
        and all(re.fullmatch(p, x) for p, x in zip(wanted, lines))
    )
