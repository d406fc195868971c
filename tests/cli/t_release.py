"""Releases, the build's lines, and the workflows of .github: what must agree, and archives that are
the same when they are made twice. The packages are made twice by `make release` itself."""

import io
import os
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile

from harness import ROOT, Skip

sys.path.insert(0, str(ROOT / ".ci"))
import release
import same_bytes

VERSION = release.VERSION.search((ROOT / "include/fsa2lrnn.h").read_text().split("VERSION ")[1])[0]
COPIED = [*release.NAMED, "debian/control", "docs/man", "theory/check"]


def copy(t):
    """Returns a copy of the files that are compared."""
    at = t.folder / "copy"
    shutil.rmtree(at, ignore_errors=True)
    for name in [*COPIED, *(f"debian/{p.name}" for p in (ROOT / "debian").glob("*.install"))]:
        (at / name).parent.mkdir(parents=True, exist_ok=True)
        one = shutil.copytree if (ROOT / name).is_dir() else shutil.copy
        one(ROOT / name, at / name)
    return at


def faults(at, version=VERSION):
    checks = (release.named_versions, release.changes, release.soname, release.manual_pages)
    return [fault for check in checks for fault in check(at, version)]


def test_files_agree(t):
    assert faults(ROOT) == []
    wrong = faults(ROOT, "9.8.7")
    assert len(wrong) == len(release.NAMED) + 2, wrong
    for file, old, new, why in (
        ("include/fsa2lrnn.h", VERSION, "0.0.1", rf"fsa2lrnn.h:\d+: .* 0.0.1, not {VERSION}"),
        ("include/fsa2lrnn.h", "FSA2LRNN_VERSION ", "X ", "include/fsa2lrnn.h: no version"),
        ("CHANGELOG.md", f"## {VERSION}", "## Next", f"is Next, not {VERSION}"),
        ("CHANGELOG.md", f"## {VERSION}\n", f"## {VERSION}\n\n## 0.0.1\n", "is empty"),
        ("CITATION.cff", f"version: {VERSION}", "version: 0.0.1", "CITATION.cff:.* 0.0.1, not"),
        ("debian/changelog", f"({VERSION})", "(0.0.1)", "debian/changelog:1: "),
        ("debian/control", "Package: libfsa2lrnn", "Package: lib", "debian/control: no package "),
        (".ci/conda/recipe.yaml", VERSION, "0.0.1", "recipe.yaml:5: "),
        ("docs/man/lrnn-check.1", '"fsa2lrnn"', '"fsa2lrnn 0.0.1"', "lrnn-check.1: .* is 0.0.1"),
        ("docs/man/lrnn.5", ".TH LRNN", ".TH LRNM", "docs/man/lrnn.5: its title is not LRNN 5"),
    ):
        at = copy(t)
        text = (at / file).read_text()
        assert old in text, (file, old)
        (at / file).write_text(text.replace(old, new, 1))
        found = faults(at)
        assert found and all(re.search(why, fault) for fault in found), (why, found)
    at = copy(t)
    (at / "docs/man/fork-check.1").unlink()
    assert faults(at) == ["docs/man/fork-check.1 is missing: the program has no manual page"]


def test_a_tag_at_another_commit(t):
    git = ["git", "-C", str(t.folder), "-c", "user.name=a", "-c", "user.email=a@example.org"]
    for command in ("init -q", "commit -q --allow-empty -m a", "tag v1.2.3"):
        subprocess.run([*git, *command.split()], check=True)
    assert list(release.worktree(t.folder, "1.2.3")) == []
    subprocess.run([*git, *"commit -q --allow-empty -m b".split()], check=True)
    assert "which is another commit" in list(release.worktree(t.folder, "1.2.3"))[0]
    t.write("more", "text")
    assert list(release.worktree(t.folder, "1.2.4"))[0].startswith("more is not committed")


def run(*argv, folder=ROOT, **more):
    done = subprocess.run(
        argv, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **more
    )
    return done.returncode, done.stdout


def test_usage(t):
    script = str(ROOT / ".ci/release.py")
    assert "'1.2' " not in run(sys.executable, script, "--help")[1]
    for args, why in (
        (["1.2"], "X.Y.Z is expected, not '1.2'"),
        (["01.2.3"], "X.Y.Z is expected, not '01.2.3'"),
        ([], "X.Y.Z is expected"),
        ([VERSION, "--only", "rpm"], "--only takes source, sdist, wheel, deb; not 'rpm'"),
    ):
        code, text = run(sys.executable, script, *args)
        assert code == 2 and why in text, text
    code, text = run("make", "-s", "release")
    assert code and "make release VERSION=X.Y.Z: the version is missing" in text, text
    for part in ("source", "wheel", "deb"):
        assert release.has_target(ROOT, part), part
    assert not release.has_target(ROOT, "rpm")


def test_source_archive_twice(t):
    """The archive is the same with other permissions and in another time zone, and names its
    commit."""
    code, head = run("git", "-c", "safe.directory=*", "rev-parse", "HEAD")
    if code:
        raise Skip("this tree is no repository")
    made = []
    for name, umask, zone in (("a", 0o022, "UTC"), ("b", 0o077, "Asia/Tokyo")):
        made.append(t.folder / name / "x.tar.gz")
        made[-1].parent.mkdir()
        make = ("make", "-s", "NVCC=", "source", f"SOURCE={made[-1]}")
        code, text = run(*make, umask=umask, env=dict(os.environ, TZ=zone))
        assert code == 0, text
    assert list(same_bytes.compare_paths(*made)) == []
    with tarfile.open(made[0]) as archive:
        lines = archive.extractfile(f"fsa2lrnn-{VERSION}/mk/commit.txt").read().decode().split()
        assert lines[0] == head.strip() and lines[1].isdigit(), lines
        assert {member.mode & 0o022 for member in archive} == {0}


def packed(kind, files, mtime=0):
    """Returns an archive of {name: bytes}."""
    out = io.BytesIO()
    if kind == "zip":
        with zipfile.ZipFile(out, "w") as archive:
            for name, data in files.items():
                archive.writestr(zipfile.ZipInfo(name, (1980 + mtime, 1, 1, 0, 0, 0)), data)
    elif kind == "ar":
        out.write(b"!<arch>\n")
        for name, data in files.items():
            out.write(f"{name:16}{mtime:<12}{0:<6}{0:<6}{100644:<8}{len(data):<10}`\n".encode())
            out.write(data + b"\n" * (len(data) % 2))
    else:
        with tarfile.open(fileobj=out, mode=f"w:{kind}") as archive:
            for name, data in files.items():
                member = tarfile.TarInfo(name)
                member.size, member.mtime = len(data), mtime
                archive.addfile(member, io.BytesIO(data))
    return out.getvalue()


def first_difference(name, a, b):
    return next(same_bytes.differences(name, a, b), None)


def test_differences_are_found(t):
    """The part of an archive that differs is named, and how."""
    for kind in ("zip", "ar", "", "xz"):
        a, b = packed(kind, {"x": b"one", "y": b"two"}), packed(kind, {"x": b"one", "y": b"tWo"})
        assert first_difference("f", a, a) is None
        found = first_difference("f", a, b)
        assert re.fullmatch(r"f(/xz)?/y: from byte 1 on: 77 6f \| 57 6f .*", found), found
        found = first_difference("f", a, packed(kind, {"x": b"one", "y": b"two"}, 1))
        assert re.match(r"f(/xz)?/x: ", found) and " | " in found, found
        found = first_difference("f", a, packed(kind, {"x": b"one"}))
        assert found.endswith("only one has ['y']"), found
        found = first_difference("f", a, packed(kind, {"y": b"two", "x": b"one"}))
        assert "the order of the members differs" in found, found
    empty = packed("zip", {})
    assert "packed in different ways" in first_difference("f", empty, empty[:-2] + b"\1\0x")
    many = [packed("", {str(i): data for i in range(9)}) for data in (b"1", b"2")]
    assert len(list(same_bytes.differences("f", *many))) == 9
    t.write("one.tar", many[0])
    t.write("two.tar", many[1])
    found = list(same_bytes.compare_paths(t.folder / "one.tar", t.folder / "two.tar"))
    assert len(found) == 6 and found[-1] == "one.tar: and 4 more parts", found
    inner = [packed("xz", {"x": data}) for data in (b"1", b"2")]
    found = first_difference("p.deb", *(packed("ar", {"data.tar.xz": one}) for one in inner))
    assert found.startswith("p.deb/data.tar.xz/xz/x: from byte 0 on: 31 | 32"), found
    t.write("a/f", "1")
    t.write("b/g", "1")
    found = list(same_bytes.compare_paths(t.folder / "a", t.folder / "b"))
    assert found == ["f: made only the first time", "g: made only the second time"], found


def test_build_lines(t):
    """A build's lines count what has begun, up to the number of what is compiled."""
    code, text = run(*"make -n B=build/none CUDA_B=build/none NVCC=/bin/true all".split())
    assert code == 0, text[-2000:]
    lines = re.findall(r"^\[(\d+)/(\d+)\] ", text, re.M)
    (total,) = {int(of) for _, of in lines}
    begun = [int(number) for number, _ in lines]
    assert begun == [1, *range(50, total + 1, 50)], begun
    compiled = re.findall(r" -I\. .*-c (\S+\.c) -o", text)
    assert len([source for source in compiled if not source.startswith("build/")]) == total
    lines = re.findall(r"^\[CUDA (\d+)/(\d+)\] ", text, re.M)
    assert lines and lines == [(str(i + 1), str(len(lines))) for i in range(len(lines))], lines


def yaml_files():
    try:
        import yaml
    except ImportError:
        raise Skip("PyYAML is not installed (python3-yaml)") from None
    names = [".github/workflows/ci.yml", ".github/actions/check-network/action.yml"]
    return {name: yaml.safe_load((ROOT / name).read_text()) for name in names}


def test_workflows(t):
    """The steps call scripts, targets and actions that are there."""
    files = yaml_files()
    assert set(files[".github/workflows/ci.yml"]) == {
        "name", True, "permissions", "concurrency", "jobs",
    }  # fmt: skip
    jobs = files[".github/workflows/ci.yml"]["jobs"]
    action = files[".github/actions/check-network/action.yml"]
    assert action["runs"]["using"] == "composite"
    steps = [step for job in jobs.values() for step in job["steps"]] + action["runs"]["steps"]
    for step in steps:
        assert ("uses" in step) != ("run" in step), step
        if "uses" in step and step["uses"].startswith("./"):
            assert (ROOT / step["uses"] / "action.yml").exists(), step
        elif "uses" in step:
            assert re.fullmatch(r"actions/[a-z-]+@v\d+", step["uses"]), step
        # What a caller gives reaches a shell in variables only.
        assert "${{" not in step.get("run", ""), step
        shell = step.get("run", "")
        for script in re.findall(r"(?<![\w/$])(\.ci/[\w-]+)", shell):
            assert os.access(ROOT / script, os.X_OK) or f"sh {script}" in shell, script
        for target in re.findall(r"make -s (\w+)", shell):
            assert target == "all" or release.has_target(ROOT, target), target
        assert run("bash", "-n", "-c", shell)[0] == 0, shell
    here = [step for step in jobs["networks"]["steps"] if step.get("uses", "").startswith("./")]
    assert set(here[0]["with"]) <= set(action["inputs"]), here


def test_check_network(t):
    """The action's script accepts verified networks, and nothing else."""
    t.new("g.fsa", "parity")
    (t.folder / "nets").mkdir()
    t.tool("g.fsa", "-o", "nets/one", "--quiet")
    script = str(ROOT / ".github/actions/check-network/check.sh")
    env = dict(os.environ, CHECKERS=os.path.dirname(t.checker), GITHUB_WORKSPACE=str(t.folder))

    def check(paths):
        return run("sh", script, "check", env=dict(env, PATHS=paths))

    code, text = check("nets\n")
    assert code == 0 and "check-network: 1 checked, 0 not VERIFIED" in text, text
    code, text = check("g.fsa")
    assert code == 1 and "no certificate.cert in: g.fsa" in text, text
    code, text = check("nets\nnone")
    assert code == 1 and "none" in text, text
    t.tool("g.fsa", "-o", "nets/two words", "--quiet")
    network = t.read("nets/two words/network.lrnn").decode()
    t.write("nets/two words/network.lrnn", network.replace("symbol odd", "symbol ode"))
    code, text = check("nets")
    assert code == 1 and "check-network: 2 checked, 1 not VERIFIED" in text, text
    assert run("sh", script)[0] == 64
