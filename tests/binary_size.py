"""Prints the program's bytes of code and constants by library, from a linker map.

usage: binary_size.py [--build build/release]"""

import argparse
import collections
import re
import subprocess
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
KEPT = re.compile(r"\.(text|rodata|lrodata|eh_frame|gcc_except_table|nv_fatbin|data\.rel\.ro)")
PIECE = re.compile(r"^ (\S+)?\s+0x([0-9a-f]+)\s+0x([0-9a-f]+) (\S.*)$")


def pieces(text):
    """Yields (section, bytes, file) of every input section that has a place in the program."""
    pending = None
    for line in text.split("Linker script and memory map", 1)[1].splitlines():
        if found := re.match(r"^ (\.\S+)$", line):
            pending = found[1]
            continue
        if found := PIECE.match(line):
            section = found[1] or pending
            if section and int(found[2], 16):
                yield section, int(found[3], 16), found[4]
        pending = None


def part(section, file):
    """Returns the library of a piece; the kernels for CUDA are a part of their own."""
    if "nv_fatbin" in section:
        return "CUDA kernels"
    archive = re.match(r"(.*)\(.*\)$", file)
    if archive:
        return Path(archive[1]).name
    return "the commands (cli)" if "/cli/" in file else "C start-up files and other objects"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", default="build/release")
    build = parser.parse_args().build
    with tempfile.TemporaryDirectory() as folder:
        target, path = f"{build}/fsa2lrnn", Path(folder, "map")
        command = ["make", "-s", f"B={build}", f"LDFLAGS=-Wl,-Map={path}", target]
        # Only the program is linked again, with a map.
        Path(ROOT, target).unlink(missing_ok=True)
        subprocess.run(command, cwd=ROOT, check=True)
        text = path.read_text(errors="replace")
    total = collections.Counter()
    for section, size, file in pieces(text):
        if KEPT.match(section):
            total[part(section, file)] += size
    for name, size in total.most_common():
        print(f"{size:12,} {name}")
    print(f"{sum(total.values()):12,} together")


if __name__ == "__main__":
    main()
