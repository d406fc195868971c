"""Installs the wheel of fsa2lrnn.kernels into an environment that sees this Python's PyTorch,
where its example runs with the library of the wheel; removing it leaves nothing.

usage: wheel.py dist/fsa2lrnn_kernels-*.whl"""

import os
import re
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

MOST = 16 << 20  # bytes of the wheel
PACKAGE = "fsa2lrnn/kernels/"
PROGRAM = """
import re, sys, torch
import fsa2lrnn.kernels as ops
assert "site-packages" in ops.__file__, ops.__file__
assert getattr(sys.modules["fsa2lrnn"], "__file__", None) is None  # a namespace
text = open(sys.argv[1]).read()
exec(re.search(r"```python\\n(.*?)```", text, re.S)[1])
assert out.shape == (2, 64, 4, 32) and state.shape == (2, 4, 32, 32) and q.grad is not None
print("fsa2lrnn-kernels", ops.__version__, "with torch", torch.__version__)
"""


def packages_of_this_python():
    """Returns the folders where this Python has PyTorch."""
    return os.pathsep.join(p for p in sys.path if p.endswith("-packages"))


def main():
    wheel = Path(sys.argv[1]).resolve()
    names = zipfile.ZipFile(wheel).namelist()
    ours = [n for n in names if not re.match(r"fsa2lrnn_kernels-.*\.dist-info/", n)]
    assert all(n.startswith(PACKAGE) for n in ours), ours
    assert f"{PACKAGE}lib/libfsa2lrnn-kernels.so.0" in ours, ours
    assert wheel.stat().st_size < MOST, wheel.stat().st_size
    assert "torch" not in wheel.name and "-py3-none-" in wheel.name, wheel.name
    page = Path(__file__).resolve().parent.parent.parent / "python/kernels.md"
    with tempfile.TemporaryDirectory(prefix="f2l-wheel-") as folder:
        make = [sys.executable, "-m", "venv", folder]
        if subprocess.run(make).returncode != 0:
            sys.exit("no virtual environment can be made (Debian: python3-venv)")
        python = Path(folder, "bin/python")
        pip = [python, "-m", "pip", "install", "-q", "--no-index", wheel]
        subprocess.run(pip, check=True)
        site = next(Path(folder).glob("lib/python3*/site-packages"))
        Path(site, "this.pth").write_text(packages_of_this_python().replace(os.pathsep, "\n"))
        environment = {"PATH": "/usr/bin:/bin"}
        run = [python, "-c", PROGRAM, page]
        assert subprocess.run(run, cwd=folder, env=environment).returncode == 0
        remove = [python, "-m", "pip", "uninstall", "-q", "-y", "fsa2lrnn-kernels"]
        subprocess.run(remove, check=True)
        left = [p for p in Path(site, "fsa2lrnn").rglob("*") if p.is_file()]
        assert not left, left
    print(f"{wheel.stat().st_size / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
