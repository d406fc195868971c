"""Installs the wheel into a bare virtual environment, as a user would, and there compiles, verifies
and checks a network; prints the seconds from nothing to the end.

usage: wheel.py dist/fsa2lrnn-*.whl

pip may take cffi and NumPy from its index; where that fails, those of the system are used."""

import subprocess
import sys
import tempfile
import time
import zipfile
from pathlib import Path

MOST = 30 << 20  # bytes of the wheel
PROGRAM = """
import fsa2lrnn as f, os, re
net = f.compile(f.regex("(aa)*b"), label="accept")
for verdict in (net.verify(), net.verify("bf16"), net.check()):
    print(verdict)
    assert verdict.verified
assert net.run("aab") == ["reject", "reject", "accept"]
assert "Traceback" not in net._repr_html_()
lib = os.path.join(os.path.dirname(f.__file__), "lib")
ours = {name for name in os.listdir(lib) if ".so" in name}
loaded = set(re.findall(r"(/\\S+\\.so\\S*)", open("/proc/self/maps").read()))
assert all(os.path.join(lib, name) in loaded for name in ours), ours
stems = {name.split(".so")[0] for name in ours}
others = [p for p in loaded if os.path.basename(p).split(".so")[0] in stems]
assert all(p.startswith(lib) for p in others), others
print(len(ours), "libraries, all of the package")
try:
    f.parse("<?xml version='1.0'?><structure><type>fa</type></structure>")
except f.Error as error:
    print(error)
else:
    raise AssertionError("JFLAP is not in the wheel")
"""


def install(wheel, folder):
    """Makes a virtual environment with the wheel; returns its Python."""
    for site, index in (([], []), (["--system-site-packages"], ["--no-index"])):
        make = [sys.executable, "-m", "venv", "--clear", *site, str(folder)]
        if subprocess.run(make).returncode != 0:
            sys.exit("no virtual environment can be made (Debian: python3-venv)")
        pip = [folder / "bin/python", "-m", "pip", "install", "-q", *index, wheel]
        if subprocess.run(pip).returncode == 0:
            return folder / "bin/python"
        print("pip could not install it with its index; cffi and NumPy of the system are used")
    return sys.exit("the wheel cannot be installed")


def main():
    wheel = Path(sys.argv[1]).resolve()
    names = zipfile.ZipFile(wheel).namelist()
    assert not any("cuda" in n or "openblas" in n or "test" in n for n in names), names
    assert any("licences/libgmp" in n for n in names), names
    assert wheel.stat().st_size < MOST, wheel.stat().st_size
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="f2l-wheel-") as folder:
        python = install(wheel, Path(folder, "venv"))
        run = subprocess.run([python, "-c", PROGRAM], cwd=folder, env={"PATH": "/usr/bin:/bin"})
        assert run.returncode == 0
    print(f"{time.monotonic() - began:.1f} s from no environment to a VERIFIED network")


if __name__ == "__main__":
    main()
