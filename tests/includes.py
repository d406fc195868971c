"""What a file of C includes, directly or not. Includes name files from the root."""

import re

QUOTED = re.compile(r'^[ \t]*#[ \t]*include[ \t]*"([^"\n]+)"', re.M)


def reached(files, includes_of):
    """Returns the files and what they include, each once, in the order in which it is found;
    includes_of(file) returns what a file includes itself."""
    found = dict.fromkeys(files)
    order = list(found)
    for file in order:
        for name in includes_of(file):
            if name not in found:
                found[name] = None
                order.append(name)
    return order
