"""Programs that run make in a build folder that tests are using."""

import os
from pathlib import Path


def keep_nvcc(build):
    """Lets every make that this program runs do without nvcc where the objects of the build folder
    were made without it: else it would make all of them again, kernels too, while tests read
    them."""
    stamp = Path(build, "flags.stamp")
    if stamp.is_file() and not stamp.read_text().endswith(" nvcc\n"):
        os.environ["NVCC"] = ""
