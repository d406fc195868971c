"""Installs the wheel into a bare virtual environment, as a user would, and there compiles, verifies
and checks a network, by functions and by commands; prints the seconds from nothing to the end.

usage: wheel.py dist/fsa2lrnn-*.whl

pip may take cffi and NumPy from its index; where that fails, those of the system are used."""

import subprocess
import sys
import tempfile
import time
import zipfile
from pathlib import Path

MOST = 30 << 20  # bytes of the wheel
LIB = "fsa2lrnn/lib/"
PROGRAM = """
import doctest, fsa2lrnn as f, os, re, sys
net = f.compile(f.regex("(aa)*b"), label="accept")
for verdict in (net.verify(), net.verify("bf16"), net.check()):
    print(verdict)
    assert verdict.verified
assert net.run("aab") == ["reject", "reject", "accept"]
assert "Traceback" not in net._repr_html_()
for function in (f.group, f.obstruct, f.export, f.report):
    where = function.__globals__
    for test in doctest.DocTestFinder().find(function, globs=where):
        assert doctest.DocTestRunner().run(test).failed == 0, function
lib = os.path.join(os.path.dirname(f.__file__), "lib")
ours = {name for name in os.listdir(lib) if ".so" in name}
loaded = set(re.findall(r"(/\\S+\\.so\\S*)", open("/proc/self/maps").read()))
stems = {name.split(".so")[0] for name in ours}
others = [p for p in loaded if os.path.basename(p).split(".so")[0] in stems]
assert "libfsa2lrnn" in {os.path.basename(p).split(".so")[0] for p in others}
assert all(p.startswith(lib) for p in others), others
print(len(ours), "libraries, all of the package")
try:
    f.parse("<?xml version='1.0'?><structure><type>fa</type></structure>")
except f.Error as error:
    print(error)
else:
    raise AssertionError("JFLAP is not in the wheel")
page = doctest.DocTestParser().get_doctest(open(sys.argv[1]).read(), {}, "page", None, 0)
assert len(page.examples) > 7 and doctest.DocTestRunner().run(page).failed == 0
"""
PAGE = Path(__file__).resolve().parent.parent.parent / "python/package.md"


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


def run_commands(names, folder):
    """Runs every program of the wheel by its name."""
    commands = {Path(folder, "venv/bin", name): name for name in names}
    for path in commands:
        shown = subprocess.run([path, "--version"], stdout=subprocess.PIPE, text=True, check=True)
        assert shown.stdout.strip(), path
    tool, out = folder / "venv/bin/fsa2lrnn", folder / "even"
    argv = [tool, "--regex", "(aa)*", "--label", "accept", "-o", out, "--quiet"]
    subprocess.run(argv, check=True, stdout=subprocess.DEVNULL)
    files = [out / name for name in ("automaton.fsa", "network.lrnn", "certificate.cert")]
    for argv in ([folder / "venv/bin/lrnn-check", *files], [tool, "check", out]):
        shown = subprocess.run(argv, stdout=subprocess.PIPE, text=True, check=True).stdout
        assert shown.startswith("s VERIFIED exact "), shown
    argv = [folder / "venv/bin/python", "-m", "fsa2lrnn", "run", out, "-"]
    shown = subprocess.run(argv, input="aaa\n", stdout=subprocess.PIPE, text=True, check=True)
    assert shown.stdout == "reject accept reject\n", shown.stdout
    argv = [tool, "train", files[0], "-o", folder / "run", "--steps", "2", "--quiet"]
    subprocess.run(argv, check=True, stdout=subprocess.DEVNULL)
    print(len(commands), "commands:", *sorted(commands.values()))


def main():
    wheel = Path(sys.argv[1]).resolve()
    names = zipfile.ZipFile(wheel).namelist()
    libraries = [n[len(LIB) :] for n in names if n.startswith(LIB) and n.count("/") == 2]
    assert not any("cuda" in n or "xml" in n or "test" in n for n in libraries), libraries
    for package in ("libgmp", "libopenblas", "libgfortran"):
        assert any(f"licences/{package}" in n for n in names), names
    assert wheel.stat().st_size < MOST, wheel.stat().st_size
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="f2l-wheel-") as folder:
        python = install(wheel, Path(folder, "venv"))
        environment = {"PATH": "/usr/bin:/bin"}
        run = subprocess.run([python, "-c", PROGRAM, PAGE], cwd=folder, env=environment)
        assert run.returncode == 0
        run_commands([n for n in libraries if "." not in n], Path(folder))
    print(f"{time.monotonic() - began:.1f} s from no environment to a VERIFIED network")


if __name__ == "__main__":
    main()
