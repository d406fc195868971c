"""Builds the package as pip asks for it (PEP 517): the wheel by `make wheel`, and the source
archive from the last commit.

usage: build_backend.py FOLDER     writes the source archive into the folder"""

import gzip
import io
import os
import re
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def version():
    text = (ROOT / "include/fsa2lrnn.h").read_text(encoding="utf-8")
    return re.search(r'#define FSA2LRNN_VERSION "(.*)"', text)[1]


def get_requires_for_build_wheel(config_settings=None):
    return ["setuptools", "wheel"]


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    """Builds the wheel for this machine; returns its name."""
    only_name = {**os.environ, "NO_INSTALL": "1"}
    if subprocess.run(["sh", ".ci/install-deps", "core"], cwd=ROOT, env=only_name).returncode == 69:
        sys.exit("fsa2lrnn: these packages must be installed before the wheel can be built")
    jobs = f"-j{os.cpu_count() or 1}"
    make = ["make", "-s", jobs, "NVCC=", f"WHEEL_PYTHON={sys.executable}", "wheel"]
    # Standard output belongs to the caller.
    subprocess.run(make, cwd=ROOT, check=True, stdout=sys.stderr)
    wheel = ROOT / "dist" / f"fsa2lrnn-{version()}-py3-none-linux_x86_64.whl"
    if wheel.parent.resolve() != Path(wheel_directory).resolve():
        shutil.copy(wheel, wheel_directory)
    return wheel.name


def about():
    """Returns the text of PKG-INFO, with what setup.py says."""
    said = dict(re.findall(r'^    (\w+)="(.*)",$', (ROOT / "python/setup.py").read_text(), re.M))
    return (
        f"Metadata-Version: 2.1\nName: {said['name']}\nVersion: {version()}\n"
        f"Summary: {said['description']}\nLicense: MIT\n"
        f"Requires-Python: {said['python_requires']}\n"
        "Description-Content-Type: text/markdown\n\n"
    ) + (ROOT / "python/package.md").read_text(encoding="utf-8")


def git(*argv):
    command = ["git", "-c", "safe.directory=*", *argv]
    return subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE).stdout


def build_sdist(sdist_directory, config_settings=None):
    """Writes the files of the last commit, PKG-INFO, and the stamp by which the Makefile knows the
    commit where there is no repository; equal commits give equal bytes."""
    top = f"fsa2lrnn-{version()}"
    commit, when = git("log", "-1", "--abbrev=12", "--format=%h %ct").decode().split()
    packed = io.BytesIO(git("archive", "--format=tar", f"--prefix={top}/", "HEAD"))
    with tarfile.open(fileobj=packed, mode="a") as archive:
        stamp = f"{version()} {commit}\n"
        for name, text in (("PKG-INFO", about()), ("build/release/commit.stamp", stamp)):
            member = tarfile.TarInfo(f"{top}/{name}")
            raw = text.encode("utf-8")
            member.size, member.mtime, member.mode = len(raw), int(when), 0o644
            archive.addfile(member, io.BytesIO(raw))
    out = Path(sdist_directory, f"{top}.tar.gz")
    with open(out, "wb") as file:
        with gzip.GzipFile("", "wb", 9, file, mtime=int(when)) as zipped:
            zipped.write(packed.getvalue())
    return out.name


if __name__ == "__main__":
    print(build_sdist(sys.argv[1]))
