"""Man pages as Markdown: the macros of man(7) that docs/man uses."""

import re

ESCAPES = {r"\-": "-", r"\(ha": "^", r"\(dq": '"', r"\(aq": "'", r"\(bu": "-", r"\e": "\\"}
ESCAPE = re.compile(r"\\(?:\(\w\w|.)")
WORD = re.compile(r'"([^"]*)"|(\S+)')
FONTS = {"B": "code", "I": "em", "R": ""}


def plain(text):
    """Returns the text without roff's escapes."""
    return ESCAPE.sub(lambda match: ESCAPES.get(match[0], ""), text)


def marked(text, font):
    """Returns the text in a font, with nothing that Markdown would take for a sign."""
    text = re.sub(r"([&<>])", lambda match: f"&#{ord(match[1])};", plain(text))
    text = re.sub(r"([\\`*_\[\]|#{}$~])", r"\\\1", text)
    tag = FONTS[font]
    return f"<{tag}>{text}</{tag}>" if tag else text


def inline(line):
    """Returns a line of text, or of a macro for fonts, as Markdown."""
    macro = re.match(r"\.([BIR]{1,2})\s+(.*)", line)
    if not macro:
        return marked(line, "R")
    if len(macro[1]) == 1:
        return marked(" ".join(a or b for a, b in WORD.findall(macro[2])), macro[1])
    words = [a or b for a, b in WORD.findall(macro[2])]
    return "".join(marked(word, macro[1][i % 2]) for i, word in enumerate(words))


def title(line):
    """Returns a heading's words, in small letters but for the first."""
    return marked(line.split(None, 1)[1].strip('"').capitalize(), "R")


def markdown(roff):
    """Returns a man page as Markdown."""
    out, code, term = [], False, False
    for line in roff.splitlines():
        name = line.split(None, 1)[0] if line else ""
        if code:
            code = name != ".EE"
            out.append(plain(line) if code else "```\n")
        elif name == ".EX":
            code = True
            out.append("\n```text")
        elif name == ".TH":
            words = line.split()
            out.append(f"# {words[1].lower()}({words[2]})")
        elif name in (".SH", ".SS"):
            out.append(f"\n{'##' if name == '.SH' else '###'} {title(line)}\n")
        elif name in (".PP", ".IP"):
            out.append("\n- " if name == ".IP" and "bu" in line else "\n")
        elif name == ".br":
            out.append("<br>")
        elif name == ".TP":
            term = True
        elif line and not line.startswith(r".\""):
            out.append(f"\n{inline(line)}\n: " if term else inline(line))
            term = False
    text = "\n".join(out)
    return re.sub(r"(^|\n)(- |: )\n", r"\1\2", text) + "\n"
