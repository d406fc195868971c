"""Compares packages byte by byte, and finds the part of an archive that differs: archives of ar
(.deb), zip (.whl), tar, gzip and xz are opened, one in the other."""

import gzip
import hashlib
import io
import lzma
import tarfile
import zipfile
from pathlib import Path

SHOWN = 5  # differing parts of a file


def sha256(path):
    return hashlib.sha256(Path(path).read_bytes()).hexdigest()


def ar_members(data):
    """Yields (name, facts, bytes) of the members of an archive of ar."""
    at = 8
    while at + 60 <= len(data):
        name, facts = data[at : at + 16].decode().strip(), data[at + 16 : at + 48].decode()
        size = int(data[at + 48 : at + 58])
        yield name, facts, data[at + 60 : at + 60 + size]
        at += 60 + size + size % 2


def zip_members(data):
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        for one in archive.infolist():
            facts = (one.date_time, oct(one.external_attr >> 16), one.compress_type, one.extra)
            yield one.filename, facts, archive.read(one)


def tar_members(data):
    with tarfile.open(fileobj=io.BytesIO(data)) as archive:
        for one in archive:
            owner = (one.uid, one.gid, one.uname, one.gname)
            facts = (oct(one.mode), one.mtime, owner, one.type, one.linkname)
            yield one.name, facts, archive.extractfile(one).read() if one.isfile() else b""


def members(data):
    """Returns [(name, facts, bytes)] of what an archive holds, None for another file."""
    if data.startswith(b"!<arch>\n"):
        return list(ar_members(data))
    if data.startswith(b"PK"):
        return list(zip_members(data))
    if data.startswith(b"\x1f\x8b"):
        return [("gzip", data[3:10].hex(), gzip.decompress(data))]
    if data.startswith(b"\xfd7zXZ"):
        return [("xz", "", lzma.decompress(data))]
    if data[257:262] == b"ustar":
        return list(tar_members(data))
    return None


def first_byte(name, a, b):
    """Returns where two texts of bytes differ first."""
    at = next((i for i, (x, y) in enumerate(zip(a, b)) if x != y), min(len(a), len(b)))
    show = lambda data: data[at : at + 8].hex(" ") or "the end"  # noqa: E731
    return f"{name}: from byte {at} on: {show(a)} | {show(b)} ({len(a)} and {len(b)} bytes)"


def differences(name, a, b):
    """Yields which parts of two versions of a file differ, and how."""
    if a == b:
        return
    one, other = members(a), members(b)
    if one is None or other is None:
        yield first_byte(name, a, b)
        return
    names = [[member[0] for member in part] for part in (one, other)]
    if sorted(names[0]) != sorted(names[1]):
        yield f"{name}: only one has {sorted(set(names[0]) ^ set(names[1]))}"
    elif names[0] != names[1]:
        yield f"{name}: the order of the members differs: {names[0]} | {names[1]}"
    else:
        yield from member_differences(name, one, other, first_byte("the file", a, b))


def member_differences(name, one, other, whole):
    """Yields the same of the members of two archives, which have the same names; else `whole`, how
    the archives themselves differ."""
    same = True
    for (member, facts, content), (_, facts_b, content_b) in zip(one, other):
        found = list(differences(f"{name}/{member}", content, content_b))
        if not found and facts != facts_b:
            found = [f"{name}/{member}: {facts} | {facts_b}"]
        same = same and not found
        yield from found
    if same:
        yield f"{name}: packed in different ways; {whole}"


def compare_files(first, second):
    """Yields the differences of two {name: path}."""
    for name in sorted(first.keys() ^ second.keys()):
        yield f"{name}: made only {'the first' if name in first else 'the second'} time"
    for name in sorted(first.keys() & second.keys()):
        found = list(differences(name, first[name].read_bytes(), second[name].read_bytes()))
        yield from found[:SHOWN]
        if len(found) > SHOWN:
            yield f"{name}: and {len(found) - SHOWN} more parts"


def compare_paths(first, second):
    """Yields the differences of two files, or of the files in two folders."""
    if first.is_dir():
        files = [{path.name: path for path in folder.iterdir()} for folder in (first, second)]
        yield from compare_files(*files)
    else:
        yield from compare_files({first.name: first}, {first.name: second})
