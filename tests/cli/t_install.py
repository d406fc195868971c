"""`make install` into a folder: the installed files work for C, C++ and CMake, and only the
interface of include/fsa2lrnn.h can be linked; nothing is built again for another user, and `make
uninstall` removes all files."""

import contextlib
import os
import re
import shutil
import subprocess
from pathlib import Path

from harness import ROOT, Skip

SYMBOLS = ROOT / "tests/golden/symbols.txt"
LIBRARY = ROOT / "docs/library.md"


def run(t, script, **more):
    env = dict(t.env, **more)
    done = subprocess.run(
        ["sh", "-c", script],
        cwd=t.folder,
        env=env,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    assert done.returncode == 0, f"{script}\n{done.stdout[-3000:]}"
    return done.stdout


def made_of(build):
    """Returns the flags of a build folder, and when its program was linked, to find out whether a
    make has made it again, which other tests would see."""
    flags = Path(build, "flags.stamp").read_text()
    return flags, Path(build, "fsa2lrnn").stat().st_mtime_ns, Path(build, "fsa2lrnn").stat().st_ino


@contextlib.contextmanager
def same_build(build):
    """Raises AssertionError if the objects of the build are made again with other flags, or its
    program is linked again."""
    before = made_of(build)
    yield
    after = made_of(build)
    assert after == before, f"{build} was\n{before}\nand is now\n{after}"


def installed(t):
    """Installs into a folder of the test. Returns the folder and the flavour's options."""
    build = os.path.dirname(t.program)
    if not os.path.exists(f"{build}/commit.stamp"):
        raise Skip("the program does not lie in a build folder")
    prefix = t.folder / "prefix"
    flavour = os.path.basename(build)
    with same_build(build):
        run(t, f"make -s -C '{ROOT}' install B='{build}' FLAVOUR={flavour} PREFIX='{prefix}'")
    options = {"asan": "-fsanitize=address,undefined", "cover": "--coverage"}.get(flavour, "")
    return prefix, options


def test_files(t):
    prefix, _ = installed(t)
    for path in (
        "bin/fsa2lrnn",
        "bin/lrnn-check",
        "lib/libfsa2lrnn.a",
        "lib/libfsa2lrnn.so",
        "lib/pkgconfig/fsa2lrnn.pc",
        "share/man/man1/fsa2lrnn.1",
        "share/man/man5/lrnn.5",
        "share/doc/fsa2lrnn/LICENSE",
        "share/doc/fsa2lrnn/theory/pages/t4" ".md",
        "share/bash-completion/completions/fsa2lrnn",
        "share/zsh/site-functions/_fsa2lrnn",
        "share/fish/vendor_completions.d/fsa2lrnn.fish",
    ):
        assert (prefix / path).stat().st_size > 0, path
    assert os.listdir(prefix / "include") == ["fsa2lrnn.h"]
    t.program, t.checker = str(prefix / "bin/fsa2lrnn"), str(prefix / "bin/lrnn-check")
    t.new("g.fsa", "parity")
    t.tool("g.fsa")
    t.check("g.lrnn")
    assert (prefix / "share/man/man1/fsa2lrnn.1").read_text() == t.tool("help", "--man")
    # A page that a report cites is installed under the same name with the documents.
    page = re.search(r"theory/pages/\w+\.md", t.tool("help", "round") + t.tool("help", "classify"))
    assert page and (prefix / "share/doc/fsa2lrnn" / page.group()).exists(), page


def exported(t, command):
    return sorted({line.split()[-1] for line in run(t, command).splitlines() if line.strip()})


def test_symbols(t):
    """The shared library exports exactly the functions of the header, and the static one no
    others."""
    prefix, options = installed(t)
    golden = SYMBOLS.read_text().split()
    header = (prefix / "include/fsa2lrnn.h").read_text()
    declared = set(re.findall(r"^[a-z][\w *]*?\b(fsa2lrnn_\w+)\(", header, re.M))
    assert declared == set(golden), declared ^ set(golden)
    assert exported(t, f"nm -D --defined-only {prefix}/lib/libfsa2lrnn.so") == golden
    static = exported(t, f"nm -g --defined-only {prefix}/lib/libfsa2lrnn.a | grep ' [A-Z] '")
    if not options:
        assert static == golden, set(static) ^ set(golden)
        # OpenBLAS, of which one call is enough, would add 25 MB.
        said = re.search(r"The shared library is ([\d.]+) MB", LIBRARY.read_text())[1]
        size = (prefix / "lib/libfsa2lrnn.so").stat().st_size / 1e6
        assert abs(size - float(said)) < 0.2, f"{size} MB, docs/library.md says {said}"
    assert "libfsa2lrnn.so.0.2" in run(t, f"readelf -d {prefix}/lib/libfsa2lrnn.so | grep SONAME")


def test_programs(t):
    """The header's example runs as C and as C++, with the shared and with the static library."""
    prefix, options = installed(t)
    source = (ROOT / "examples/use.c").read_text()
    header = (prefix / "include/fsa2lrnn.h").read_text()
    shown = "".join(f" *     {line}".rstrip() + "\n" for line in source.splitlines())
    assert shown in header, "the header's example is not examples/use.c"
    t.write("use.c", source)
    shutil.copy(t.folder / "use.c", t.folder / "use.cc")
    pkg = {"PKG_CONFIG_PATH": str(prefix / "lib/pkgconfig")}
    library = {"LD_LIBRARY_PATH": str(prefix / "lib"), **pkg}
    compilers = [("cc -std=c17", "use.c")]
    if shutil.which("g++"):
        compilers.append(("g++ -std=c++17", "use.cc"))
    for compiler, name in compilers:
        command = f"{compiler} -Wall -Wextra -Werror {options} {name}"
        shared = f"{command} $(pkg-config --cflags --libs fsa2lrnn) -o shared && ./shared"
        assert run(t, shared, **library) == "bf16: VERIFIED, nothing rounds\nafter 1: odd\n"
        flags = (
            "$(pkg-config --cflags --libs --static fsa2lrnn | sed 's/-lfsa2lrnn/-l:libfsa2lrnn.a/')"
        )
        static = f"{command} {flags} -o static && ./static"
        assert run(t, static, **pkg) == "bf16: VERIFIED, nothing rounds\nafter 1: odd\n"
        assert "libfsa2lrnn" not in run(t, "ldd static")
    version = run(t, "pkg-config --modversion fsa2lrnn", **pkg).strip()
    assert f'#define FSA2LRNN_VERSION "{version}"' in header


CHECK = """
#include <fsa2lrnn.h>
#include <stdio.h>
int main(int argc, char **argv)
{
    char line[FSA2LRNN_LINE];
    (void)argc;
    int verdict = fsa2lrnn_check(line, NULL, argv[1], argv[2], argv[3], NULL);
    puts(line);
    return verdict;
}
"""


def test_check_finds_the_installed_checker(t):
    """fsa2lrnn_check looks for the checker beside the library, and refuses a triple that was
    changed."""
    prefix, options = installed(t)
    if options:
        raise Skip("one flavour suffices")
    t.write("check.c", CHECK)
    t.new("g.fsa", "parity")
    t.tool("g.fsa")
    env = {"LD_LIBRARY_PATH": str(prefix / "lib")}
    run(t, f"cc -I{prefix}/include check.c -L{prefix}/lib -lfsa2lrnn -o check")
    files = "g.lrnn/automaton.fsa g.lrnn/network.lrnn g.lrnn/certificate.cert"
    assert run(t, f"./check {files}", **env).startswith("s VERIFIED exact label states")
    text = (t.folder / "g.lrnn/network.lrnn").read_text()
    t.write("changed.lrnn", text.replace("factor 2 u 1:1", "factor 1 u 1:1"))
    changed = files.replace("g.lrnn/network.lrnn", "changed.lrnn")
    assert run(t, f"./check {changed}; test $? = 1", **env) == "s NOT VERIFIED\n"
    os.rename(prefix / "bin/lrnn-check", prefix / "bin/elsewhere")
    assert run(t, f"./check {files}; test $? = 2", PATH="/bin:/usr/bin", **env) == "s UNKNOWN\n"


def test_cmake(t):
    if not shutil.which("cmake"):
        raise Skip("no cmake")
    prefix, options = installed(t)
    t.write(
        "CMakeLists.txt",
        "cmake_minimum_required(VERSION 3.13)\nproject(use C)\n"
        "find_package(fsa2lrnn 0.2 REQUIRED)\nadd_executable(use use.c)\n"
        "target_link_libraries(use fsa2lrnn::fsa2lrnn)\n",
    )
    shutil.copy(ROOT / "examples/use.c", t.folder / "use.c")
    flags = f"-DCMAKE_PREFIX_PATH='{prefix}' -DCMAKE_C_FLAGS='{options}'"
    run(t, f"cmake -S . -B made {flags} && cmake --build made")
    assert "bf16: VERIFIED" in run(t, "made/use")
    t.write(
        "CMakeLists.txt",
        "cmake_minimum_required(VERSION 3.13)\nproject(use C)\n"
        "find_package(fsa2lrnn 0.3 QUIET)\nif(fsa2lrnn_FOUND)\n"
        'message(FATAL_ERROR "0.2 is no 0.3")\nendif()\n',
    )
    run(t, f"rm -r made && cmake -S . -B made {flags}")


def make(t, target, path=None):
    """Runs `make target` for the build of the program into the folder dest; returns that folder."""
    build = os.path.dirname(t.program)
    if not os.path.exists(f"{build}/commit.stamp"):
        raise Skip("the program does not lie in a build folder")
    dest = t.folder / "dest"
    arguments = [f"B={build}", f"FLAVOUR={os.path.basename(build)}", f"DESTDIR={dest}"]
    with same_build(build):
        done = subprocess.run(
            ["make", "-s", target, "PREFIX=/opt/f2l", *arguments],
            cwd=ROOT,
            env=dict(os.environ, PATH=f"{path}:{os.environ['PATH']}") if path else None,
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


def test_makes_side_by_side(t):
    """Several makes in one build folder, as a queue of tests has them, make nothing again."""
    stamp = t.folder / "members.stamp"
    once = f"make -s -C '{ROOT}' NVCC= B='{t.folder}' '{stamp}'"
    run(t, once)
    before = stamp.stat().st_mtime_ns
    loop = f"for i in 1 2 3 4 5 6 7 8; do {once} || exit; done"
    makes = [subprocess.Popen(["sh", "-c", loop], cwd=t.folder, env=t.env) for _ in range(6)]
    assert [make.wait() for make in makes] == [0] * len(makes)
    assert stamp.stat().st_mtime_ns == before, "a make read the list that another was writing"
    assert sorted(p.name for p in t.folder.iterdir()) == ["flags.stamp", "members.stamp"]
