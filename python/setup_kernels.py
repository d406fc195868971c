"""Packs fsa2lrnn.kernels with the library that `make kernels-wheel` put into fsa2lrnn/kernels/lib,
as a distribution of its own, fsa2lrnn-kernels. It has no fsa2lrnn/__init__.py: where fsa2lrnn is
installed, kernels is a folder of that package, and where it is not, of a namespace. WHEEL_TAG is
the wheel's platform, HOMEPAGE an address that its page links to."""

import os
import re
import sys
from pathlib import Path

from binary_wheel import Binary, Install, Wheel
from setuptools import setup

HERE = Path(__file__).resolve().parent
LIB = HERE / "fsa2lrnn/kernels/lib"
if not (LIB / "libfsa2lrnn-kernels.so.0").exists():
    sys.exit("fsa2lrnn/kernels/lib has no library: `make kernels-wheel` builds the wheel")
HEADER = (LIB / "fsa2lrnn_kernels.h").read_text()

setup(
    name="fsa2lrnn-kernels",
    version=re.search(r'#define FSA2LRNN_KERNELS_VERSION "(.*)"', HEADER)[1],
    description="Delta products, selective scans and convolutions as PyTorch operators",
    long_description=(HERE / "README.md").read_text(),
    long_description_content_type="text/markdown",
    url=os.environ.get("HOMEPAGE", ""),
    license="MIT; the library contains NVIDIA's CUDA runtime, under its EULA",
    packages=["fsa2lrnn.kernels"],
    package_data={"fsa2lrnn.kernels": ["py.typed", "lib/*"]},
    python_requires=">=3.9",
    # No requirement: any PyTorch from 2.4 on does, and pip would replace one for another CUDA.
    extras_require={"torch": ["torch>=2.4"]},
    distclass=Binary,
    cmdclass={"bdist_wheel": Wheel, "install": Install},
    zip_safe=False,
)
