"""Packs the Python package with the libraries and programs that `make wheel` put into fsa2lrnn/lib.
It compiles nothing, and one wheel serves every Python from 3.9 on. WHEEL_TAG is the wheel's
platform, HOMEPAGE an address that its page links to."""

import os
import re
import sys
from pathlib import Path

from binary_wheel import Binary, Install, Wheel
from setuptools import setup

LIB = Path(__file__).resolve().parent / "fsa2lrnn" / "lib"
if not (LIB / "libfsa2lrnn.so").exists():
    sys.exit(
        "fsa2lrnn/lib has no library: `make wheel` in the root of the repository builds the wheel"
    )
VERSION = re.search(r'#define FSA2LRNN_VERSION "(.*)"', (LIB / "fsa2lrnn.h").read_text())[1]
PROGRAMS = sorted(p.name for p in LIB.iterdir() if p.is_file() and "." not in p.name)

setup(
    name="fsa2lrnn",
    version=VERSION,
    description="Finite automata to exact linear recurrent networks, with proofs",
    long_description=Path("README.md").read_text(),
    long_description_content_type="text/markdown",
    url=os.environ.get("HOMEPAGE", ""),
    license="MIT, and the licences of the bundled libraries in fsa2lrnn/lib/licences",
    packages=["fsa2lrnn"],
    py_modules=["fsa2lrnn_programs"],
    package_data={"fsa2lrnn": ["py.typed", "lib/*", "lib/licences/*"]},
    entry_points={
        "console_scripts": [f"{p} = fsa2lrnn_programs:{p.replace('-', '_')}" for p in PROGRAMS]
    },
    python_requires=">=3.9",
    install_requires=["cffi>=1.15", "numpy>=1.21"],
    extras_require={"torch": ["torch>=1.13"]},
    distclass=Binary,
    cmdclass={"bdist_wheel": Wheel, "install": Install},
    zip_safe=False,
)
