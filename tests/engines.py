#!/usr/bin/env python3
"""Makes models/network/engines/presets.inc from the files beside it: --update, or --check."""

import pathlib
import sys

FOLDER = pathlib.Path(__file__).resolve().parent.parent / "models" / "network" / "engines"
HEAD = "/* Made from the files of this folder by tests/engines.py --update. */\n"


def literal(line):
    """Returns the line, with its end, as strings of C of at most 80 characters."""
    parts = [line[i : i + 80] for i in range(0, len(line), 80)] or [""]
    parts = [part.replace("\\", "\\\\").replace('"', '\\"') for part in parts]
    parts[-1] += "\\n"
    return "".join(f'    "{part}"\n' for part in parts)


def presets():
    parts = []
    for path in sorted(FOLDER.glob("*.engine")):
        lines = path.read_text(encoding="ascii").splitlines()
        if f"name {path.stem}" not in lines:
            raise SystemExit(f"{path}: its name is not the file's")
        parts.append("".join(literal(line) for line in lines).rstrip("\n") + ",\n")
    return HEAD + "".join(parts)


def main():
    path = FOLDER / "presets.inc"
    if sys.argv[1:] == ["--update"]:
        path.write_text(presets(), encoding="ascii")
        return 0
    if path.read_text(encoding="ascii") == presets():
        print("engines: ok")
        return 0
    print("engines: presets.inc is not made of the files; run tests/engines.py --update")
    return 1


if __name__ == "__main__":
    sys.exit(main())
