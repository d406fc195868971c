"""`python -m fsa2lrnn ..` is the program fsa2lrnn."""

import os
import sys

from .errors import Error
from .programs import program

if __name__ == "__main__":
    try:
        path = str(program())
        os.execv(path, [path, *sys.argv[1:]])
    except (Error, OSError) as error:
        sys.exit(f"fsa2lrnn: error: {error}")
