"""Says whether a wheel keeps what its tag manylinux_2_N promises: no program or library in it needs
a symbol of a glibc after 2.N, and auditwheel, where pip's index has it, gives it that tag or one
for older systems.

usage: manylinux.py dist/fsa2lrnn-*-manylinux_2_31_x86_64.whl"""

import re
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path


def newest_glibc(file):
    """Returns the last number of the newest GLIBC_2.N that an ELF file needs."""
    shown = subprocess.run(["readelf", "-V", file], stdout=subprocess.PIPE, text=True, check=True)
    return max((int(n) for n in re.findall(r"GLIBC_2\.(\d+)", shown.stdout)), default=0)


def audited(wheel, folder):
    """Returns what auditwheel shows; None where it cannot be installed."""
    python = Path(folder, "venv/bin/python")
    make = [sys.executable, "-m", "venv", str(python.parent.parent)]
    if subprocess.run(make).returncode != 0:
        return None
    pip = [python, "-m", "pip", "install", "-q", "--disable-pip-version-check", "auditwheel"]
    if subprocess.run(pip).returncode != 0:
        return None
    show = [python, "-m", "auditwheel", "show", wheel]
    shown = subprocess.run(show, stdout=subprocess.PIPE, text=True, check=True).stdout
    return " ".join(shown.split())


def main():
    wheel = Path(sys.argv[1]).resolve()
    most = int(re.search(r"manylinux_2_(\d+)_", wheel.name)[1])
    with tempfile.TemporaryDirectory(prefix="f2l-wheel-") as folder:
        zipfile.ZipFile(wheel).extractall(folder)
        files = [p for p in Path(folder).rglob("lib/*") if p.is_file()]
        newest = {p.name: newest_glibc(p) for p in files if p.read_bytes()[:4] == b"\x7fELF"}
        late = {name: n for name, n in newest.items() if n > most}
        assert newest and not late, late
        last = max(newest.values())
        print(f"{len(newest)} programs and libraries, none needs more than glibc 2.{last}")
        shown = audited(wheel, folder)
    if shown is None:
        sys.exit("auditwheel could not be installed: the tag is not checked by it")
    tag = re.search(r'consistent with the following platform tag: "manylinux_2_(\d+)_', shown)
    assert tag and int(tag[1]) <= most, shown
    print(f"auditwheel: manylinux_2_{tag[1]}")


if __name__ == "__main__":
    main()
