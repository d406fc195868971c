"""`make install` builds nothing again for another user, and `make uninstall` removes all files."""

import os
import subprocess

from harness import ROOT, Skip


def make(t, target, path=None):
    """Runs `make target` for the build of the program into the folder dest; returns that folder."""
    build = os.path.dirname(t.program)
    if not os.path.exists(f"{build}/commit.stamp"):
        raise Skip("the program does not lie in a build folder")
    dest = t.folder / "dest"
    arguments = [f"B={build}", f"FLAVOUR={os.path.basename(build)}", f"DESTDIR={dest}"]
    done = subprocess.run(
        ["make", "-s", target, "PREFIX=/opt/f2l", *arguments],
        cwd=ROOT,
        env=dict(os.environ, PATH=f"{path}:{os.environ['PATH']}" if path else os.environ["PATH"]),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    assert done.returncode == 0, done.stdout[-3000:]
    return dest


def files(folder):
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if not path.is_dir())


def test_uninstall(t):
    dest = make(t, "install")
    there = files(dest)
    assert "opt/f2l/bin/fsa2lrnn" in there and len(there) > 10, there
    assert all(name.startswith("opt/f2l/") for name in there), there
    for name in there:
        if "/bin/" in name:
            assert b".debug_info\0" not in (dest / name).read_bytes(), f"{name} is not stripped"
    other = dest / "opt/f2l/share/man/man1/other.1"
    other.write_text("of another program\n")
    make(t, "uninstall")
    assert files(dest) == ["opt/f2l/share/man/man1/other.1"]


def test_without_git(t):
    """Git refuses the folder of another user, and may be missing: the commit stays as it was."""
    git = t.folder / "bin/git"
    git.parent.mkdir()
    git.write_text("#!/bin/sh\necho 'fatal: detected dubious ownership' >&2\nexit 128\n")
    git.chmod(0o755)
    before = os.stat(t.program).st_mtime_ns
    dest = make(t, "install", git.parent)
    assert os.stat(t.program).st_mtime_ns == before
    version = t.tool("--version")
    assert "commit unknown" not in version
    t.program = str(dest / "opt/f2l/bin/fsa2lrnn")
    assert t.tool("--version") == version
