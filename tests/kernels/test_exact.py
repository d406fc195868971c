"""Some vectors of zero tolerance (docs/vectors.md) on our operators: the program beside the library
writes them. tests/vectors/run_vectors.py runs all of them, on other implementations, too."""

import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import support

sys.path.insert(0, str(support.ROOT / "tests/vectors"))
from implementations import IMPLEMENTATIONS
from run_vectors import compare, tell
from vector_file import VectorFile, find_files

TOOL = Path(os.environ["FSA2LRNN_KERNELS_LIB"]).resolve().parent / "fsa2lrnn"
FILES = {
    "gated-delta-rule": "t17,t33,t65,t65-read-out,t129-fine",
    "gated-delta-product": "t17-n4,t65-n8,t65-n2-read-out",
}


class Exact(unittest.TestCase):
    def test_vectors(self):
        if not TOOL.exists():
            self.skipTest(f"{TOOL.name} is not beside the library")
        ours = [name for name in IMPLEMENTATIONS if name.startswith("fsa2lrnn")]
        with tempfile.TemporaryDirectory(prefix="f2l-exact-") as folder:
            for op, names in FILES.items():
                out = Path(folder) / op
                argv = [TOOL, "vectors", op, "--only", names, "-o", out, "--quiet"]
                subprocess.run(argv, check=True)
            for path in find_files(folder):
                self.check_file(VectorFile(path), ours)

    def check_file(self, file, names):
        for name in names:
            for device in support.DEVICES:
                with self.subTest(file=f"{file.op}/{file.name}", name=name, device=device):
                    row = compare(IMPLEMENTATIONS[name], file, device)
                    off = row.get("differences", {"": 1})
                    self.assertFalse(any(off.values()), tell(name, row))
                    self.assertNotIn("note", row)


if __name__ == "__main__":
    unittest.main()
