"""Copies the shared libraries that the programs of a folder need into the folder, with their
licences and the licences of archives. What every Linux has is left out: the C library, and the
runtime of GCC and C++, which other packages of a Python process load as well.

usage: bundle.py FOLDER [ARCHIVE ..]     archives that the programs were linked with"""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

SYSTEM = re.compile(r"(lib(c|m|dl|rt|pthread|gcc_s|stdc\+\+)|ld-linux.*)\.so")
COMMON = Path("/usr/share/common-licenses")
TEXTS = ["LGPL-2.1", "LGPL-3", "GPL-2", "GPL-3"]  # which copyright files refer to


def needed(program):
    """Returns the paths of the shared libraries that a program needs, by their names."""
    text = subprocess.run(["ldd", program], stdout=subprocess.PIPE, text=True, check=True).stdout
    found = dict(re.findall(r"^\s*(\S+) => (\S+)", text, re.M))
    lost = [name for name, path in found.items() if not path.startswith("/")]
    if lost:
        sys.exit(f"{program}: not found: {' '.join(lost)}")
    return {name: path for name, path in found.items() if not SYSTEM.match(name)}


def owner(path):
    """Returns the Debian package of a file."""
    real = os.path.realpath(path)
    for name in (real, path, real.removeprefix("/usr"), "/usr" + real):
        done = subprocess.run(["dpkg-query", "-S", name], capture_output=True, text=True)
        if done.returncode == 0:
            return done.stdout.split(":")[0]
    return sys.exit(f"{path} belongs to no Debian package, so that its licence is not known")


def main():
    folder = Path(sys.argv[1])
    licences = folder / "licences"
    licences.mkdir()
    programs = [p for p in folder.iterdir() if p.is_file() and os.access(p, os.X_OK)]
    libraries = {}
    for program in programs:
        libraries.update(needed(program))
    for name, path in libraries.items():
        shutil.copy(path, folder / name)
    for package in {owner(path) for path in [*libraries.values(), *sys.argv[2:]]}:
        shutil.copy(f"/usr/share/doc/{package}/copyright", licences / f"{package}.txt")
    for text in TEXTS:
        shutil.copy(COMMON / text, licences / f"{text}.txt")
    shutil.copy(Path(__file__).resolve().parent.parent / "LICENSE", licences / "fsa2lrnn.txt")
    print("bundled:", *sorted(libraries))


if __name__ == "__main__":
    main()
