"""The notebooks of examples/: they have no outputs, and they run: by Jupyter where nbclient and
ipykernel are installed, else cell by cell in this process."""

import contextlib
import importlib.util
import io
import json
import os
import tempfile
import unittest

import samples

NOTEBOOKS = sorted((samples.ROOT / "examples").glob("*.ipynb"))
JUPYTER = all(importlib.util.find_spec(name) for name in ("nbclient", "ipykernel"))


def faults(book):
    """Returns what a committed notebook must not have."""
    found = []
    for number, cell in enumerate(book["cells"]):
        if cell["cell_type"] == "code" and (cell["outputs"] or cell["execution_count"] is not None):
            found.append(f"cell {number} has outputs: jupyter nbconvert --clear-output --inplace")
        if cell["metadata"] or cell["source"] != "".join(cell["source"]).splitlines(True):
            found.append(f"cell {number} has metadata, or its lines are not split as Jupyter does")
    if set(book["metadata"]) != {"kernelspec", "language_info"}:
        found.append(f"metadata has {sorted(book['metadata'])}")
    return found


class Notebooks(unittest.TestCase):
    def test_they_are_stripped(self):
        self.assertEqual(len(NOTEBOOKS), 2)
        for path in NOTEBOOKS:
            text = path.read_text(encoding="utf-8")
            book = json.loads(text)
            self.assertEqual(faults(book), [], path.name)
            same = json.dumps(book, indent=1, sort_keys=True, ensure_ascii=False) + "\n"
            self.assertEqual(text, same)
            book["cells"][1]["outputs"] = ["x"]
            self.assertEqual(len(faults(book)), 1)

    def test_they_run(self):
        for path in NOTEBOOKS:
            with self.subTest(path.name):
                (self.by_jupyter if JUPYTER else self.in_this_process)(path)

    def in_this_process(self, path):
        names, shown = {"__name__": "notebook"}, io.StringIO()
        with contextlib.redirect_stdout(shown):
            for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
                if cell["cell_type"] == "code":
                    exec(compile("".join(cell["source"]), path.name, "exec"), names)
        self.assertIn("lrnn-check: VERIFIED", shown.getvalue())

    def by_jupyter(self, path):
        import nbclient
        import nbformat

        book = nbformat.read(path, as_version=4)
        nbformat.validate(book)
        with tempfile.TemporaryDirectory() as folder:
            os.environ["IPYTHONDIR"] = folder
            nbclient.NotebookClient(book, timeout=120, kernel_name="python3").execute(cwd=folder)
        shown = [o for cell in book.cells if cell.cell_type == "code" for o in cell.outputs]
        kinds = {kind for o in shown for kind in o.get("data", {})}
        self.assertIn("image/svg+xml", kinds)
        self.assertIn("text/html", kinds)
        self.assertIn("lrnn-check: VERIFIED", "".join(o.get("text", "") for o in shown))
