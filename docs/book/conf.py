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
extensions = ["myst_parser", "sphinx.ext.autodoc"]
extensions += ["docstrings", "formulas", "pictures", "statements"]  # beside this file
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


class Anything(type):
    """Makes classes that take every argument and have every attribute and item: more of such
    classes."""

    def __getattr__(cls, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return new_class(name, cls.__module__)

    def __getitem__(cls, item):
        return cls


def new_class(name, module):
    about = {
        "__module__": module,
        "__init__": lambda self, *args, **named: None,
        "__call__": lambda self, *args: args[0] if args else self,  # as a decorator
    }
    return Anything(name, (), about)


class Stand(types.ModuleType):
    """Stands for a module that is not here: each of its names is a class."""

    __version__ = "9.9"

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        setattr(self, name, new_class(name, self.__name__))
        return getattr(self, name)


# The Python package is read without its library and without what it imports.
for missing in ("cffi", "numpy", "numpy.typing", "torch", "torch.nn", "fsa2lrnn._native"):
    sys.modules[missing] = Stand(missing)
sys.modules["torch"].nn = sys.modules["torch.nn"]
