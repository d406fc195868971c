"""Docstrings of the Python package for Sphinx: their texts are plain, with names between single
backquotes, and examples as doctests."""

import re


def mark_code(app, what, name, obj, options, lines):
    """Makes code of what is between backquotes, and a line of each argument."""
    for i, line in enumerate(lines):
        if not line.lstrip().startswith((">>>", "...")):
            lines[i] = re.sub(r"(?<!`)`([^`]+)`(?!`)", r"``\1``", line).replace("*", r"\*")


def setup(app):
    app.connect("autodoc-process-docstring", mark_code)
    return {"parallel_read_safe": True}
