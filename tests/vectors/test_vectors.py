"""Each vector file on each implementation, with pytest: F2L_VECTORS=DIR pytest test_vectors.py.
run_vectors.py does the same without pytest and writes a record."""

import os
import sys
from pathlib import Path

import pytest

torch = pytest.importorskip("torch")
sys.path.insert(0, str(Path(__file__).resolve().parent))
from implementations import IMPLEMENTATIONS
from run_vectors import compare, tell
from vector_file import VectorFile, find_files

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
FILES = find_files(os.environ.get("F2L_VECTORS", "."))


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}/{path.stem}")
@pytest.mark.parametrize("name", IMPLEMENTATIONS)
def test_is_exact(name, path):
    row = compare(IMPLEMENTATIONS[name], VectorFile(path), DEVICE)
    if "skipped" in row:
        pytest.skip(row["skipped"])
    assert "error" not in row, row["error"]
    assert not any(row["differences"].values()), tell(name, row)
