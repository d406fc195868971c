"""Statements of theory/pages: each has an anchor, and every citation by number links to it."""

import re
import sys
from pathlib import Path

from docutils import nodes

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tests"))
from citations import ALONE, DEFINED, NUMBER, TITLE

START = re.compile(rf"({NUMBER}|[A-Z](?=\.))")
QUIET = (nodes.literal, nodes.literal_block, nodes.reference, nodes.title, nodes.raw)


def places():
    """Returns {number: (page, anchor)} of all statements; a number of a title has no anchor."""
    found = {}
    for path in (ROOT / "theory/pages").glob("*.md"):
        text, page = path.read_text(encoding="utf-8"), f"theory/pages/{path.stem}"
        title = TITLE.match(text)
        found |= {number: (page, "") for number in (title[1].split(", ") if title else [])}
        found |= {number: (page, f"#{number}") for number in DEFINED.findall(text)}
    return found


def link(text, known, uri):
    """Returns the nodes of a text."""
    found, at = [], 0
    for match in ALONE.finditer(text):
        if match[0] in known:
            page, anchor = known[match[0]]
            found += [nodes.Text(text[at : match.start()])]
            found.append(nodes.reference("", match[0], refuri=uri(page) + anchor, internal=True))
            at = match.end()
    return found + [nodes.Text(text[at:])]


def mark(app, doctree, name):
    """Gives the statements of a page their anchors, and links the citations."""
    known = app.statement_places
    for strong in doctree.findall(nodes.strong):
        start = START.match(strong.astext())
        if start and known.get(start[1]) == (name, f"#{start[1]}"):
            strong["ids"].append(start[1])
    for node in list(doctree.findall(nodes.Text)):
        above = node.parent
        if not isinstance(above, (nodes.strong, *QUIET)) and ALONE.search(node):
            uri = lambda page: app.builder.get_relative_uri(name, page)
            above.replace(node, link(str(node), known, uri))


def setup(app):
    app.statement_places = places()
    app.connect("doctree-resolved", mark)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
