"""The examples of docs/kernels.md and of the functions' texts."""

import doctest
import unittest

import support

from fsa2lrnn.kernels import autograd


class Docs(unittest.TestCase):
    def test_page(self):
        text = (support.ROOT / "docs/kernels.md").read_text(encoding="utf-8")
        page = doctest.DocTestParser().get_doctest(text, {}, "docs/kernels.md", None, 0)
        self.assertGreater(len(page.examples), 8)
        self.assertEqual(doctest.DocTestRunner().run(page).failed, 0)

    def test_functions(self):
        self.assertEqual(doctest.testmod(autograd).failed, 0)
