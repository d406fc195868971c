"""`make install` into a folder: what it puts there works."""

import os
import subprocess

from harness import ROOT, Skip


def test_install(t):
    build = os.path.dirname(t.program)
    if not os.path.exists(f"{build}/libfsa2lrnn.a"):
        raise Skip("the program does not lie in a build folder")
    prefix = t.folder / "prefix"
    done = subprocess.run(
        [
            "make",
            "-s",
            "install",
            f"B={build}",
            f"FLAVOUR={os.path.basename(build)}",
            f"PREFIX={prefix}",
        ],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    assert done.returncode == 0, done.stdout[-3000:]
    for path in (
        "bin/fsa2lrnn",
        "bin/lrnn-check",
        "lib/libfsa2lrnn.a",
        "lib/pkgconfig/fsa2lrnn.pc",
        "include/fsa2lrnn/f2l_fsa.h",
        "share/man/man1/fsa2lrnn.1",
        "share/man/man1/lrnn-check.1",
        "share/man/man1/rep-check.1",
        "share/man/man5/fsa.5",
        "share/man/man5/lrnn.5",
        "share/man/man5/lrnn-cert.5",
        "share/bash-completion/completions/fsa2lrnn",
    ):
        assert (prefix / path).stat().st_size > 0, path
    t.program, t.checker = str(prefix / "bin/fsa2lrnn"), str(prefix / "bin/lrnn-check")
    t.new("g.fsa", "parity")
    t.tool("g.fsa")
    t.check("g.lrnn")
    assert (prefix / "share/man/man1/fsa2lrnn.1").read_text() == t.tool("help", "--man")
    t.write(
        "use.c",
        "#include <f2l_fsa.h>\nint main(void)\n{\n    f2l_fsa f;\n    f2l_fsa_init(&f);\n   "
        " f2l_fsa_clear(&f);\n    return 0;\n}\n",
    )
    env = dict(t.env, PKG_CONFIG_PATH=str(prefix / "lib/pkgconfig"))
    script = "cc -std=c17 use.c $(pkg-config --cflags --libs --static fsa2lrnn) -o use && ./use"
    if "asan" in build:
        script = script.replace("cc ", "cc -fsanitize=address,undefined ")
    if "cover" in build:
        script = script.replace("cc ", "cc --coverage ")
    done = subprocess.run(
        ["sh", "-c", script],
        cwd=t.folder,
        env=env,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    assert done.returncode == 0, done.stdout[-3000:]
