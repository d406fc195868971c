"""The texts that the language models of this folder read, from packages of Debian 12 whose hashes
are pinned.

    python3 corpus.py fetch --to PACKAGES [--school]
    python3 corpus.py build --packages PACKAGES --to CORPUS [--share code=0.02] [--school N]

fetch   asks apt for the packages below by name and version, and refuses a file of another SHA-256.
build   writes CORPUS/train-DOMAIN.txt and held-DOMAIN.txt, documents in the order of their names
        with a byte 0 after each; CORPUS/documents.tsv, a line for each document (domain, split,
        group, name, licence, bytes, SHA-256); and CORPUS/corpus.json with the packages and the
        hashes of these files.

Domains: code (.c and .h of Linux without drivers/gpu and drivers/net), prose (a dictionary and
documentation: technical English, no web pages) and mathematics (proofs of set.mm). With --school N
mathematics has N documents of school problems besides, made by the generator of mathematics-dataset
(school.py), a wheel of PyPI; the recorded rows were trained without.

A document belongs to a group: a directory of up to three levels of Linux, a file of documentation,
a hundred entries of the dictionary. Groups whose hash says so are held out whole, and with them
fs/xfs, net/sctp and crypto; of set.mm it is the last tenth in one piece, and of school problems
each twentieth document, of the generator's test split. Of the groups for training a share is taken,
by their hashes too: a larger share contains a smaller one. Nothing depends on the
order in which a package has its files.

Without a package's hash nothing is read; after an error nothing is written."""

import argparse
import gzip
import hashlib
import io
import itertools
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path, PurePosixPath
from typing import NamedTuple


class Package(NamedTuple):
    name: str
    version: str
    sha256: str
    licence: str

    def file_name(self):
        if self == SCHOOL:
            return f"{self.name.replace('-', '_')}-{self.version}-py3-none-any.whl"
        return f"{self.name}_{self.version.replace(':', '%3a')}_all.deb"


class Document(NamedTuple):
    domain: str
    group: str
    name: str
    licence: str
    text: bytes


PACKAGES = (
    Package(
        "linux-source-6.1",
        "6.1.192-3",
        "5259c57ca92092da39bd2ea803046da0e3c28f2b6a11ea20f6297468188ceb67",
        "GPL-2",
    ),
    Package(
        "dict-gcide",
        "0.48.5+nmu2",
        "7b0af5cfde3cbdef5e9d6e78f92ec335ced7c2790f37a40f49bebc6f7347ac0f",
        "GPL-3+",
    ),
    Package(
        "python3.11-doc",
        "3.11.2-6+deb12u9",
        "5b3594189d6ef9a6963ce0347fd307a1cc67620ad697e144db366070e2e146be",
        "PSF-2",
    ),
    Package(
        "perl-doc",
        "5.36.0-7+deb12u4",
        "f4269cff4576d6f02a6756df842988e58451c7e945b08517dd235531b24e48f8",
        "Artistic or GPL-1+",
    ),
    Package(
        "git-doc",
        "1:2.39.5-0+deb12u3",
        "3c89668a11053a6bafade3de1f611f4613db31e082af63f43d8c5b69ad8795ec",
        "GPL-2",
    ),
    Package(
        "metamath-databases",
        "0.0.0~20210101.git55fe226-2",
        "c72523c221db6c1039fa909150f9c53fb9175809792f2e80e55e1baa965445a1",
        "CC0-1.0",
    ),
)
SCHOOL = Package(
    "mathematics-dataset",
    "1.0.1",
    "8ebfe083ed65e07a9a555c9a51449c8e7c0ee097a96880a7183d2e8606081de6",
    "Apache-2.0",
)
DOMAINS = ("code", "prose", "mathematics")
SHARES = {"code": 0.36, "prose": 1.0, "mathematics": 1.0}  # 329 MB, 61 MB in xz
HELD_GROUPS = ("linux/fs/xfs/", "linux/net/sctp/", "linux/crypto/", "school/held/")
HELD_SHARE = 1 / 40  # of all other groups
LEFT_OUT = ("drivers/gpu/", "drivers/net/", "crypto/testmgr.h")  # the last has test vectors
ENTRIES = 100  # of the dictionary, in a document
PIECE = 100_000  # bytes of set.mm, about, in a document
END = b"\0"  # after each document in a file


class Refused(Exception):
    """A package or an argument that is not what is pinned."""


def sha256(data):
    return hashlib.sha256(data).hexdigest()


def portion(name, salt):
    """Returns a number in [0, 1) that depends on the name alone."""
    return int(sha256(f"{salt}/{name}".encode())[:13], 16) / 16**13


def check(package, path):
    """Returns the bytes of a package, or raises Refused."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise Refused(f"{path}: {error.strerror}") from error
    if sha256(data) != package.sha256:
        raise Refused(
            f"{path}: SHA-256 is {sha256(data)}, and {package.name} {package.version} has "
            f"{package.sha256}"
        )
    return data


# --- what is in the packages ---


def files_of(package, folder):
    """Yields (name, bytes of an open file's reader) of the files of a package."""
    check(package, folder / package.file_name())
    argv = ["dpkg-deb", "--fsys-tarfile", str(folder / package.file_name())]
    with subprocess.Popen(argv, stdout=subprocess.PIPE) as process:
        with tarfile.open(fileobj=process.stdout, mode="r|") as archive:
            for member in archive:
                if member.isfile():
                    yield member.name.removeprefix("./"), archive.extractfile(member)
    if process.returncode:
        raise Refused(f"{package.file_name()}: dpkg-deb cannot read it")


def of_linux(package, folder):
    """Yields the sources and the documentation of Linux."""
    for name, outer in files_of(package, folder):
        if not name.endswith("linux-source-6.1.tar.xz"):
            continue
        with tarfile.open(fileobj=outer, mode="r|xz") as archive:
            for member in archive:
                path = member.name.partition("/")[2]
                if not member.isfile() or path.startswith(LEFT_OUT):
                    continue
                suffix, parent = PurePosixPath(path).suffix, str(PurePosixPath(path).parent)
                if suffix in (".c", ".h"):
                    group = "linux/" + "/".join(parent.split("/")[:3])
                    domain = "code"
                elif path.startswith("Documentation/") and suffix in (".rst", ".txt"):
                    domain, group = "prose", f"linux/{path}"
                else:
                    continue
                text = archive.extractfile(member).read()
                yield Document(domain, group, f"linux/{path}", package.licence, text)


def number64(text):
    """Returns the number that an index of dictd writes with 64 digits."""
    digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
    value = 0
    for letter in text:
        value = value * 64 + digits.index(letter)
    return value


def of_dictionary(package, folder):
    """Yields the dictionary, a hundred entries a document."""
    index, text = [], b""
    for name, file in files_of(package, folder):
        if name.endswith("/gcide.index"):
            index = file.read().decode("utf-8").splitlines()
        elif name.endswith("/gcide.dict.dz"):
            text = gzip.GzipFile(fileobj=io.BytesIO(file.read())).read()
    starts = sorted({number64(line.split("\t")[1]) for line in index if "\t" in line})
    bounds = [*starts[::ENTRIES], len(text)]
    for number, (begin, end) in enumerate(zip(bounds, bounds[1:])):
        name = f"gcide/{number:05d}"
        yield Document("prose", name, name, package.licence, text[begin:end])


def of_documentation(package, folder, pattern):
    """Yields the files of a package whose names match."""
    for name, file in files_of(package, folder):
        if re.search(pattern, name):
            text = file.read()
            name = f"{package.name}/{name.removeprefix('usr/share/')}"
            yield Document("prose", name, name, package.licence, text)


def of_proofs(package, folder):
    """Yields set.mm in pieces that end where a line is empty; the last tenth is one group."""
    for name, file in files_of(package, folder):
        if not name.endswith("/set.mm"):
            continue
        text, begin, number = file.read(), 0, 0
        while begin < len(text):
            end = text.find(b"\n\n", begin + PIECE)
            end = len(text) if end < 0 else end + 2
            held = begin >= len(text) * 9 // 10
            piece = f"set.mm/{number:04d}"
            group = "set.mm/last-tenth" if held else piece
            yield Document("mathematics", group, piece, package.licence, text[begin:end])
            begin, number = end, number + 1


def of_school(package, folder, count):
    """Yields so many documents of the generator, whose process has a fixed hash of strings."""
    wheel = folder / package.file_name()
    check(package, wheel)
    argv = [sys.executable, str(Path(__file__).with_name("school.py")), str(wheel)]
    done = subprocess.run(
        [*argv, "--documents", str(count)],
        env={**os.environ, "PYTHONHASHSEED": "0"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    if done.returncode:
        raise Refused(done.stderr.strip().rpartition("\n")[2] or "school.py failed")
    for line in done.stdout.splitlines():
        one = json.loads(line)
        group = one["name"].rpartition("/")[0]
        text = one["text"].encode()
        yield Document("mathematics", group, one["name"], package.licence, text)


def documents(folder, packages=PACKAGES):
    """Yields all documents of the packages."""
    readers = {
        "linux-source-6.1": of_linux,
        "dict-gcide": of_dictionary,
        "python3.11-doc": lambda p, f: of_documentation(p, f, r"_sources/.*\.rst\.txt$"),
        "perl-doc": lambda p, f: of_documentation(p, f, r"\.pod$"),
        "git-doc": lambda p, f: of_documentation(p, f, r"\.txt$"),
        "metamath-databases": of_proofs,
    }
    for package in packages:
        yield from readers[package.name](package, folder)


# --- what is taken ---


def split_of(document, shares):
    """Returns "held", "train", or "" for what is not taken."""
    group = document.group
    if group == "set.mm/last-tenth" or f"{group}/".startswith(HELD_GROUPS):
        return "held"
    if group.startswith("school/"):
        return "train"
    if document.domain != "mathematics" and portion(group, "held") < HELD_SHARE:
        return "held"
    return "train" if portion(group, "share") < shares[document.domain] else ""


def taken(found, shares):
    """Returns {(split, domain): documents} without the empty, those with a byte 0 and those that
    are not UTF-8, each text once."""
    kept, seen = {}, set()
    for document in sorted(found, key=lambda d: (d.domain, d.name)):
        split, text = split_of(document, shares), document.text
        if not split or not text.strip() or END in text or sha256(text) in seen:
            continue
        try:
            text.decode("utf-8")
        except UnicodeDecodeError:
            continue
        seen.add(sha256(text))
        kept.setdefault((split, document.domain), []).append(document)
    return kept


def record(kept, shares, packages, hashes):
    """Returns what corpus.json has."""
    parts = {
        f"{split}-{domain}": {
            "documents": len(found),
            "groups": len({d.group for d in found}),
            "bytes": sum(len(d.text) for d in found),
        }
        for (split, domain), found in sorted(kept.items())
    }
    return {
        "packages": [package._asdict() for package in packages],
        "shares": shares,
        "parts": parts,
        "sha256": hashes,
    }


def write(kept, shares, packages, to):
    """Writes the corpus to a folder beside `to`, which then gets this name."""
    to.parent.mkdir(parents=True, exist_ok=True)
    new = Path(tempfile.mkdtemp(prefix=f".{to.name}-", dir=to.parent))
    rows, hashes = [], {}
    try:
        for (split, domain), found in sorted(kept.items()):
            data = b"".join(d.text + END for d in found)
            (new / f"{split}-{domain}.txt").write_bytes(data)
            hashes[f"{split}-{domain}.txt"] = sha256(data)
            rows += [
                (domain, split, d.group, d.name, d.licence, str(len(d.text)), sha256(d.text))
                for d in found
            ]
        table = "".join("\t".join(row) + "\n" for row in rows).encode()
        (new / "documents.tsv").write_bytes(table)
        hashes["documents.tsv"] = sha256(table)
        about = record(kept, shares, packages, hashes)
        (new / "corpus.json").write_text(json.dumps(about, indent=1) + "\n", encoding="utf-8")
        if to.exists():
            shutil.rmtree(to)
        new.chmod(0o755)
        new.rename(to)
    finally:
        shutil.rmtree(new, ignore_errors=True)
    return about


# --- commands ---


def fetch(to, packages):
    to.mkdir(parents=True, exist_ok=True)
    for package in packages:
        path = to / package.file_name()
        if not path.exists():
            argv = ["apt-get", "download", f"{package.name}={package.version}"]
            if package == SCHOOL:
                argv = [sys.executable, "-m", "pip", "download", "--no-deps", "--quiet"]
                argv += [f"{package.name}=={package.version}"]
            done = subprocess.run(argv, cwd=to, stdout=subprocess.DEVNULL)
            if done.returncode or not path.exists():
                raise Refused(
                    f"{argv[0]} has no {package.name} {package.version}: another version can be "
                    "added to this program beside it, with its hash"
                )
        check(package, path)
        print(f"{package.name} {package.version}: {path.stat().st_size} bytes, as pinned")


def shares_of(words):
    """Returns the shares of the domains; each word is DOMAIN=NUMBER."""
    shares = dict(SHARES)
    for word in words:
        domain, _, number = word.partition("=")
        try:
            share = float(number)
        except ValueError:
            share = -1.0
        if domain not in DOMAINS or not 0 < share <= 1:
            raise Refused(f"--share {word}: it is DOMAIN=NUMBER with {', '.join(DOMAINS)}, 0 to 1")
        shares[domain] = share
    return shares


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n\n")[0])
    commands = parser.add_subparsers(dest="command", required=True)
    one = commands.add_parser("fetch")
    one.add_argument("--to", type=Path, required=True)
    one.add_argument("--school", action="store_true")
    two = commands.add_parser("build")
    two.add_argument("--packages", type=Path, required=True)
    two.add_argument("--to", type=Path, required=True)
    two.add_argument("--share", action="append", default=[], metavar="DOMAIN=NUMBER")
    two.add_argument("--school", type=int, default=0, metavar="N")
    args = parser.parse_args()
    try:
        if args.command == "fetch":
            fetch(args.to, (*PACKAGES, SCHOOL) if args.school else PACKAGES)
            return 0
        shares = shares_of(args.share)
        if args.school < 0:
            raise Refused(f"--school {args.school}: a number of documents is expected")
        found, packages = documents(args.packages), PACKAGES
        if args.school:
            found = itertools.chain(of_school(SCHOOL, args.packages, args.school), found)
            packages = (*PACKAGES, SCHOOL)
        kept = taken(found, shares)
        for part, sizes in write(kept, shares, packages, args.to)["parts"].items():
            print(part, *(f"{count} {what}" for what, count in sizes.items()))
    except Refused as error:
        print(f"corpus.py: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
