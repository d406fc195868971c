"""The file libfsa2lrnn-kernels.so.0: its symbols, what it needs, and the structures' layout."""

import os
import re
import shutil
import subprocess
import unittest
from pathlib import Path

import support

from fsa2lrnn.kernels import _library

HEADER = (support.ROOT / "include/fsa2lrnn_kernels.h").read_text(encoding="utf-8")
FILE = Path(os.environ["FSA2LRNN_KERNELS_LIB"])
# What every Linux with glibc has; CUDA's runtime is inside.
SYSTEM = re.compile(r"lib(c|m|dl|rt|pthread|gcc_s|stdc\+\+)\.so\.\d|ld-linux-x86-64\.so\.2")


def shown(*command):
    return subprocess.run([*command, FILE], capture_output=True, text=True, check=True).stdout


class Library(unittest.TestCase):
    @unittest.skipUnless(shutil.which("nm"), "nm is not installed")
    def test_symbols(self):
        """It exports the functions of the header and no others, all of one version."""
        declared = set(re.findall(r"^[a-z][\w *]*?\b(fsa2lrnn_\w+)\(", HEADER, re.M))
        lines = [line.split() for line in shown("nm", "-D", "--defined-only").splitlines()]
        exported = {line[2] for line in lines if line[1] != "A"}
        self.assertEqual(exported, {f"{name}@@FSA2LRNN_KERNELS_0" for name in declared})

    @unittest.skipUnless(shutil.which("readelf"), "readelf is not installed")
    def test_needs_the_system_alone(self):
        text = shown("readelf", "-d")
        self.assertIn("[libfsa2lrnn-kernels.so.0]", text)
        for name in re.findall(r"\(NEEDED\).*\[(.*)\]", text):
            self.assertRegex(name, SYSTEM)

    @unittest.skipUnless(shutil.which("cc"), "there is no C compiler")
    def test_layout(self):
        """The structures are as large as the header's, and a few fields are where they are."""
        names = ("", "_in", "_out", "_grad")
        sizes = ", ".join(f"sizeof(fsa2lrnn_delta_product{name})" for name in names)
        fields = ", ".join(
            f"offsetof(fsa2lrnn_delta_product, {name})" for name in ("cu_seqlens", "state_indices")
        )
        source = (
            '#include "fsa2lrnn_kernels.h"\n#include <stdio.h>\nint main(void) {\n'
            f'    printf("%zu %zu %zu %zu %zu %zu\\n", {sizes}, {fields});\n}}\n'
        )
        with support.folder() as folder:
            program = folder / "layout"
            command = [
                "cc",
                "-std=c17",
                "-x",
                "c",
                "-",
                "-I",
                support.ROOT / "include",
                "-o",
                program,
            ]
            subprocess.run(command, input=source, text=True, check=True)
            done = subprocess.run([program], capture_output=True, text=True, check=True)
        packed = (_library.DELTA, _library.DELTA_IN, _library.DELTA_OUT, _library.DELTA_GRAD)
        self.assertEqual([*map(int, done.stdout.split())], [*(s.size for s in packed), 104, 136])
        rows = (_library.DELTA_IN_ROWS, _library.DELTA_OUT_ROWS, _library.DELTA_GRAD_ROWS)
        self.assertEqual([s.size for s in rows], [s.size for s in packed[1:]])
