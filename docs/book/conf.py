"""What Sphinx is told about the book (build.py)."""

import re
import sys
import types
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path[:0] = [str(HERE), str(ROOT / "python")]

project = "fsa2lrnn"
release = re.search(r'FSA2LRNN_VERSION "(.*)"', (ROOT / "include/fsa2lrnn.h").read_text())[1]
html_title = f"fsa2lrnn {release}"
extensions = ["myst_parser", "sphinx.ext.autodoc", "docstrings", "formulas", "pictures", "statements"]
source_suffix = {".md": "markdown"}
root_doc = "README"
suppress_warnings = ["toc.not_included"]  # pages of files are reached by links
html_theme = "furo"
html_static_path = [str(HERE / "book.css")]
html_css_files = ["book.css"]
# Everything is beside the page: no request leaves the folder, and a search works from the disk,
# where a page cannot read another one for a summary.
html_copy_source = html_show_sourcelink = html_show_search_summary = False
smartquotes = False
html_show_copyright = html_show_sphinx = False
myst_enable_extensions = ["deflist", "html_image"]
myst_heading_anchors = 6
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
add_module_names = False


class Stand(types.ModuleType):
    """Stands for a module that is not here: each of its names is an empty class."""

    __version__ = "9.9"

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        about = {"__module__": self.__name__, "__class_getitem__": lambda made, item: made}
        setattr(self, name, type(name, (), about))
        return getattr(self, name)


# The Python package is read without its library and without what it imports.
for missing in ("cffi", "numpy", "numpy.typing", "torch", "torch.nn", "fsa2lrnn._native"):
    sys.modules[missing] = Stand(missing)
sys.modules["torch"].nn = sys.modules["torch.nn"]
