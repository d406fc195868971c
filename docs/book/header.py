"""The C header as a page: each function with the comment above it."""

import re

PIECE = re.compile(
    r"/\* --- (?P<part>.*?) --- \*/"
    r"|/\*(?P<comment>.*?)\*/"
    r"|(?P<type>typedef (?:struct|enum) \w+ \{.*?\} \w+;)"
    r"|typedef struct (?P<handle>\w+) \w+;"
    r"|#define (?P<macro>FSA2LRNN_\w+ [^\n]*)"
    r"|(?P<function>^[a-z][^;{}#]*\));",
    re.S | re.M,
)


def prose(comment):
    """Returns a comment as Markdown: identifiers as code, blocks of code as they are."""
    lines = [re.sub(r"^ \* ?", "", line) for line in comment.strip().splitlines()]
    parts = []
    for paragraph in re.split(r"\n(?: *\n)+(?!    )", "\n".join(lines)):
        if "\n    " in paragraph:
            before, code = paragraph.split("\n    ", 1)
            paragraph = f"{names(before)}\n\n```c\n" + re.sub(r"^ {4}", "", code, flags=re.M)
            parts.append(paragraph + "\n```")
        else:
            parts.append(names(paragraph))
    return "\n\n".join(parts)


def names(text):
    """Returns prose whose identifiers and parameters are code."""
    text = re.sub(r"(?<![`\w*-])(\*?(?:FSA2LRNN_|fsa2lrnn_)\w+|\*\w+|_free\b)(?!`)", r"`\1`", text)
    return re.sub(r"(\w) <", r"\1 &lt;", text)


def directive(kind, text):
    """Returns a declaration that the index and the search know."""
    text = " ".join(text.split()).replace(" ,", ",")
    return f"```{{c:{kind}}} {text}\n```\n"


def markdown(source):
    """Returns the page of the header."""
    source = source.split("#ifdef __cplusplus")
    text = source[0] + "\n".join(part.split("#endif", 1)[1] for part in source[1:])
    out, comment = ["# The C interface", ""], ""
    for piece in PIECE.finditer(text):
        if piece["part"]:
            out.append(f"## {piece['part'].capitalize()}\n")
        elif piece["comment"]:
            comment = prose(piece["comment"])
            if len(out) == 2:
                out.append(comment + "\n")
                comment = ""
        else:
            out += declaration(piece, comment)
            comment = ""
    return "\n".join(out)


def declaration(piece, comment):
    """Returns the lines of a declaration with its comment."""
    if piece["function"]:
        return [directive("function", piece["function"]), comment + "\n"]
    if piece["handle"]:
        return [directive("type", piece["handle"])]
    if piece["macro"]:
        return [comment + "\n", f"`{piece['macro']}`\n"]
    name = re.search(r"(\w+);$", piece["type"])[1]
    return [directive("type", name), comment, f"\n```c\n{piece['type']}\n```\n"]
