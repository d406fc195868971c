"""Formulas of theory/pages: the pages spell them for a terminal, `S_{i-1}`, `k_i^T`, `2^-52`,
lambda, <=; the book sets indices, exponents and signs. Code is left as it is."""

import re

from docutils import nodes

GREEK = dict(
    zip(
        "alpha beta gamma delta eps epsilon theta lambda mu nu pi rho sigma tau phi chi psi omega "
        "eta zeta kappa Omega Sigma Delta".split(),
        "αβγδεεθλμνπρστφχψωηζκΩΣΔ",
        strict=True,
    )
)
# What may have an index: a letter, also a Greek one, a sum, and a word before one or two signs.
WORD = r"(?<!/)[A-Za-z]+(?=_[a-z0-9]{1,2}(?!\w))"
NAME = rf"(?<!\w)(?:[A-Za-z]|sum|prod|{'|'.join(GREEK)}|{WORD})"
SCRIPT = re.compile(
    rf"(?P<base>{NAME}|(?<=[)\]|'~]))_"
    r"(?P<index>\{[^{}]*\}|\([^()]*\)|[A-Za-z0-9]{1,5}(?!\w|\.\w))"
    r"|(?<=[A-Za-z0-9)\]}|'~>*])\^"
    r"(?P<exponent>\{[^{}]*\}|-?\([^()]*\)|[-+]?(?:[A-Za-z]+\d?|\d+|\|\w+\|)|[*+](?![\w|(]))"
)
# "delta product" is English.
LETTER = re.compile(rf"(?<![A-Za-z0-9])({'|'.join(GREEK)})(?![A-Za-z]| product)")
SIGNS = [
    (re.compile(r"(?<![<=])<=(?![=>])"), "≤"),
    (re.compile(r">=(?!=)"), "≥"),
    (re.compile(r"!="), "≠"),
    (re.compile(r"(?<![-<])->"), "→"),
    (re.compile(r"<-(?= )"), "←"),
    (re.compile(r"\+-(?=[\w(])"), "±"),
    (re.compile(r"\bsqrt ?(?=[\w(])"), "√"),
    (LETTER, lambda match: GREEK[match[1]]),
]


def with_signs(text):
    """Returns the text with signs in place of their spelling."""
    for pattern, sign in SIGNS:
        text = pattern.sub(sign, text)
    return text


def inside(script):
    """Returns the text of an index or exponent without the brackets that only group it."""
    grouped = script[0] == "{" or script[0] == "(" and re.search(r"[-+*/^]", script)
    return script[1:-1] if grouped else script


def set_formulas(text):
    """Returns the nodes of a text."""
    found, at = [], 0
    for match in SCRIPT.finditer(text):
        base = match["base"] or ""
        before = text[at : match.start()] + {"sum": "Σ", "prod": "Π"}.get(base, base)
        found += [nodes.Text(with_signs(before))] if before else []
        kind = nodes.subscript if match["index"] else nodes.superscript
        script = inside(match["index"] or match["exponent"])
        found.append(kind("", "", *set_formulas(script)))
        at = match.end()
    return found + ([nodes.Text(with_signs(text[at:]))] if at < len(text) else [])


def change(app, doctree):
    """Sets the formulas of a page of theory/pages."""
    if not app.env.docname.startswith("theory/pages/"):
        return
    for node in list(doctree.findall(nodes.Text)):
        if not isinstance(node.parent, (nodes.literal, nodes.literal_block, nodes.raw)):
            node.parent.replace(node, set_formulas(str(node)))
    for block in list(doctree.findall(nodes.literal_block)):
        if block.get("language", "none") in ("none", "default"):
            new = nodes.literal_block("", "", *set_formulas(block.astext()), classes=["formula"])
            block.replace_self(new)


def setup(app):
    app.connect("doctree-read", change)
    return {"parallel_read_safe": True}
