"""Makes a release: looks whether all files that name the version agree, runs everything (.ci/run),
makes the source archive and every package twice, in two clones of the commit at different places,
compares them byte by byte, and writes them with their SHA256SUMS to dist/release-VERSION.

usage: release.py VERSION              the release
       release.py VERSION --check      only whether the files agree
       release.py VERSION --skip-tests  a dry run: into dist/dry-run-VERSION, without SHA256SUMS
       release.py --compare A B        whether two packages, or folders of them, are the same bytes,
                                       and which part of them differs where they are not
--only PART,.. makes some of: source, sdist, wheel, deb. Nothing is published: docs/releasing.md."""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import same_bytes

ROOT = Path(__file__).resolve().parent.parent
VERSION = re.compile(r"(?:0|[1-9]\d*)(?:\.(?:0|[1-9]\d*)){2}")
# Files that name the version, and the first line of theirs that does.
NAMED = {
    "include/fsa2lrnn.h": r'#define FSA2LRNN_VERSION "(.*)"$',
    "CHANGELOG.md": r"## (.*)$",
    "CITATION.cff": r"version: (.*)$",
    "debian/changelog": r"fsa2lrnn \((.*?)\)",
    ".ci/conda/recipe.yaml": r'  version: "(.*)"$',
}
CHECKS = ["tests/style.py", "tests/facts.py --check"]  # more about versions, and the schema
# The parts, and where `make PART` puts its files.
PARTS = {
    "source": "dist/*.tar.gz",
    "sdist": "dist/*.tar.gz",
    "wheel": "dist/*.whl",
    "deb": "build/deb/*.deb",
}
MISSING = "kernels         not made: `make kernels-manylinux` packs them where nvcc is"


# --- what must agree ---


def named_versions(root, version):
    """Yields a fault for every file that names another version, or none."""
    for file, pattern in NAMED.items():
        lines = (root / file).read_text(encoding="utf-8").splitlines()
        found = [(i, m[1]) for i, line in enumerate(lines, 1) if (m := re.match(pattern, line))]
        if not found:
            yield f"{file}: no version is named"
        elif found[0][1] != version:
            yield f"{file}:{found[0][0]}: the version is {found[0][1]}, not {version}"


def changes(root, version):
    """Yields a fault where CHANGELOG.md says nothing about the version."""
    text = (root / "CHANGELOG.md").read_text(encoding="utf-8")
    section = re.search(rf"^## {re.escape(version)}\n(.*?)(?=^## |\Z)", text, re.M | re.S)
    if section and not section[1].strip():
        yield f"CHANGELOG.md: the section {version} is empty"


def soname(root, version):
    """Yields a fault where the Debian package of the library has another name than the library."""
    name = "libfsa2lrnn" + version.rpartition(".")[0]
    if f"\nPackage: {name}\n" not in (root / "debian/control").read_text(encoding="utf-8"):
        yield f"debian/control: no package {name}, after the library's soname"
    if not (root / f"debian/{name}.install").exists():
        yield f"debian/{name}.install is missing"


def manual_pages(root, version):
    """Yields a fault for every checker without a manual page, and every page with another version
    or name."""
    programs = ["lrnn-check*.c", "bound/*-check.c", "learned/*-check.c", "rep-check.c"]
    names = {source.stem for glob in programs for source in (root / "theory/check").glob(glob)}
    for name in sorted(names):
        if not (root / f"docs/man/{name}.1").exists():
            yield f"docs/man/{name}.1 is missing: the program has no manual page"
    for page in sorted((root / "docs/man").glob("*.[15]")):
        title = re.search(r'^\.TH (\S+) (\d) "[^"]*" "(.*?)"', page.read_text("utf-8"), re.M)
        if not title or (title[1].lower(), title[2]) != (page.stem, page.suffix[1:]):
            yield f"docs/man/{page.name}: its title is not {page.stem.upper()} {page.suffix[1:]}"
        elif (other := VERSION.search(title[3])) and other[0] != version:
            yield f"docs/man/{page.name}: the version is {other[0]}, not {version}"


def worktree(root, version):
    """Yields a fault where the commit is not what is there, or another one has the tag."""
    git = ["git", "-c", "safe.directory=*", "-C", str(root)]
    ask = lambda *args: subprocess.run([*git, *args], capture_output=True, text=True)  # noqa: E731
    if changed := ask("status", "--porcelain").stdout.splitlines():
        yield f"{changed[0][3:]} is not committed; a release is made from a commit"
    tag = ask("rev-parse", "-q", "--verify", f"v{version}^{{commit}}").stdout.strip()
    if tag and tag != ask("rev-parse", "HEAD").stdout.strip():
        yield f"the tag v{version} is at {tag[:12]}, which is another commit"


def own_checks(root):
    """Yields what the project's own checks of versions, citation and schema find."""
    for check in CHECKS:
        command = [sys.executable, *check.split()]
        done = subprocess.run(command, cwd=root, capture_output=True, text=True)
        if done.returncode:
            yield from (done.stdout + done.stderr).splitlines() or [f"{check} failed"]


def disagreements(root, version):
    """Yields everything that must be changed before this version can be released."""
    for check in (named_versions, changes, soname, manual_pages, worktree):
        yield from check(root, version)
    yield from own_checks(root)


# --- building ---


def has_target(root, name):
    """Returns whether the makefiles have a target of this name."""
    rule = re.compile(rf"^(?:[\w-]+ )*{name}(?: [\w-]+)*:(?![=:]| *export)", re.M)
    files = [root / "Makefile", *sorted((root / "mk").glob("*.mk"))]
    return any(rule.search(file.read_text(encoding="utf-8")) for file in files)


def clone_commit(commit, clone):
    git = ["git", "-c", "safe.directory=*"]
    clone.parent.mkdir(parents=True)
    subprocess.run([*git, "clone", "-q", "--no-local", "-n", str(ROOT), str(clone)], check=True)
    subprocess.run([*git, "-C", str(clone), "checkout", "-q", commit], check=True)


def build(parts, commit, clone, umask):
    """Makes the parts in a new clone of the commit. Returns their files."""
    clone_commit(commit, clone)
    # Without kernels, whether nvcc is here or not; dpkg-buildpackage has the flag itself.
    flags = ["NVCC=", f"CFLAGS=-ffile-prefix-map={clone}=."]
    for part in parts:
        print(f"{part:15} {clone}", flush=True)
        own = [] if part == "deb" else flags
        command = ["make", "-s", f"-j{os.cpu_count() or 1}", part, *own]
        done = subprocess.run(
            command, cwd=clone, umask=umask, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
        )
        if done.returncode:
            sys.exit(done.stdout.decode("utf-8", "replace")[-4000:] + f"make {part} failed")
    globs = sorted({PARTS[part] for part in parts})
    return {file.name: file for glob in globs for file in sorted(clone.glob(glob))}


def recipes(version, archive):
    """Returns {name: text} of the recipes: of the image, and for conda with the archive's hash."""
    conda = (ROOT / ".ci/conda/recipe.yaml").read_text(encoding="utf-8")
    if archive:
        source = f"  url: {archive.name}\n  sha256: {same_bytes.sha256(archive)}\n"
        conda = conda.replace("  path: ../..\n", source)
    image = (ROOT / ".ci/image/Containerfile").read_text(encoding="utf-8")
    return {"Containerfile": image, f"conda-fsa2lrnn-{version}.yaml": conda}


def make_twice(parts, version, out):
    """Makes everything twice and writes it to `out`. Returns the differences."""
    git = ["git", "-c", "safe.directory=*", "-C", str(ROOT), "rev-parse", "HEAD"]
    commit = subprocess.run(git, stdout=subprocess.PIPE, text=True, check=True).stdout.strip()
    with tempfile.TemporaryDirectory(prefix="fsa2lrnn-") as folder:
        first = build(parts, commit, Path(folder) / "a/fsa2lrnn", 0o022)
        second = build(parts, commit, Path(folder) / "another/place/source", 0o027)
        found = list(same_bytes.compare_files(first, second))
        shutil.rmtree(out, ignore_errors=True)
        out.mkdir(parents=True)
        for name, file in first.items():
            shutil.copyfile(file, out / name)
    archive = out / f"fsa2lrnn-{version}.tar.gz"
    for name, text in recipes(version, archive if archive.exists() else None).items():
        (out / name).write_text(text, encoding="utf-8")
    return found


def release(version, parts, dry):
    """Makes the release, or the dry run. Returns the exit status."""
    if not dry and subprocess.run([str(ROOT / ".ci/run")]).returncode:
        print("release: .ci/run failed: nothing was made", file=sys.stderr)
        return 1
    out = ROOT / f"dist/{'dry-run' if dry else 'release'}-{version}"
    absent = [part for part in parts if not has_target(ROOT, part)]
    found = make_twice([part for part in parts if part not in absent], version, out)
    for fault in found:
        print(f"differs: {fault}", file=sys.stderr)
    for part in absent:
        print(f"{part:15} not made: there is no `make {part}`")
    print(MISSING)
    names = sorted(file.name for file in out.iterdir())
    for name in names:
        print(f"made            {out.relative_to(ROOT)}/{name}")
    if found:
        print("release: the packages are not the same when they are made twice", file=sys.stderr)
        return 1
    if dry:
        print("This is a dry run: no test was run, and there is no SHA256SUMS.")
        return 0
    sums = "".join(f"{same_bytes.sha256(out / name)}  {name}\n" for name in names)
    (out / "SHA256SUMS").write_text(sums)
    print(f"made            {out.relative_to(ROOT)}/SHA256SUMS")
    print("docs/releasing.md says how a person publishes them.")
    return 0


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("version", nargs="?")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--skip-tests", action="store_true")
    parser.add_argument("--only", default=",".join(PARTS))
    parser.add_argument("--compare", nargs=2, type=Path, metavar=("A", "B"))
    args = parser.parse_args()
    if args.compare:
        found = list(same_bytes.compare_paths(*args.compare))
        print(*(found or ["the same bytes"]), sep="\n")
        return int(bool(found))
    if not args.version or not VERSION.fullmatch(args.version):
        parser.error(f"a version X.Y.Z is expected, not '{args.version or ''}'")
    parts = args.only.split(",")
    if unknown := sorted(set(parts) - set(PARTS)):
        parser.error(f"--only takes {', '.join(PARTS)}; not '{unknown[0]}'")
    faults = list(disagreements(ROOT, args.version))
    for fault in faults:
        print(fault, file=sys.stderr)
    if faults:
        print(f"release: {len(faults)} to change before {args.version}", file=sys.stderr)
        return 1
    print(f"version         {args.version}: all files agree", flush=True)
    return 0 if args.check else release(args.version, parts, args.skip_tests)


if __name__ == "__main__":
    sys.exit(main())
