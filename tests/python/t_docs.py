"""The examples in docstrings and in docs/python.md; those of PyTorch where it is installed."""

import doctest
import importlib
import importlib.util
import pkgutil
import unittest

import fsa2lrnn
import samples

#: Sections of the page that need a package.
PARTS = {"torch": "## PyTorch\n", "networkx": "## networkx\n"}
MISSING = [name for name in PARTS if importlib.util.find_spec(name) is None]


class Examples(unittest.TestCase):
    def test_docstrings(self):
        ran = doctest.testmod(fsa2lrnn)
        failed, attempted = ran.failed, ran.attempted
        for module in pkgutil.iter_modules(fsa2lrnn.__path__):
            # kernels has a library and tests of its own
            if module.name in (*MISSING, "kernels"):
                continue
            ran = doctest.testmod(importlib.import_module(f"fsa2lrnn.{module.name}"))
            failed, attempted = failed + ran.failed, attempted + ran.attempted
        self.assertEqual(failed, 0)
        self.assertGreater(attempted, 25)

    def test_page(self):
        text = (samples.ROOT / "docs/python.md").read_text()
        for name in MISSING:
            before, rest = text.split(PARTS[name])
            text = before + rest[rest.index("\n## ") :]
        test = doctest.DocTestParser().get_doctest(text, {}, "docs/python.md", None, 0)
        self.assertGreater(len(test.examples), 15)
        ran = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(test)
        self.assertEqual(ran.failed, 0)
