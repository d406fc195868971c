"""Are lines short, and do the files that name a version or a commit agree?

Refused are
- a line of more than 100 columns in C, CUDA, Python, shell, .ci/ and makefiles (a tab goes to
the next multiple of 8; a line with a URL may be longer; Markdown is not checked);
- a line of .git-blame-ignore-revs that is neither a comment nor the hash of a commit (whether the
commit exists is checked only in a clone with its whole history);
- a CITATION.cff without the keys that readers of such files require, or outside the small part of
YAML that is read here;
- a version that differs from CHANGELOG.md's first section;
- a CUDA source or header of an operator (cuda/op, cuda/delta) whose first comment does not name the
functions on the CPU that it is compared with, as `CPU reference: f, g in models/op/x.c; h in y.c.`,
or `CPU reference: none, REASON.`; a file that is not there, or a function that it does not define;
- a place that asks whether a network has stages in the place of layers, outside readers, writers
and certificates, by the function or by the members of the type (the folders of the type may do
this), and a second such place in a file of NEEDS_LAYERS: what both have needs no question;
- in comments and texts of the product: "that of", "those of" and "so many" in the place of a noun,
and "stands" in the place of "is".

usage: style.py [--root DIR]      prints one line for each fault, exit status 1 if there is one
       style.py --self-test      finds each kind of fault in a small tree, and nothing else"""

import argparse
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from citations import ROOT, SOURCES, c_prose

COLUMNS = 100
MAN = {".1", ".5"}
NARROW = SOURCES | {".mk", ".py", ".sh"}
PRODUCT = "numeric automata models theory cuda reports cli library include".split()
PHRASES = re.compile(r"\b(?:that\s+of|those\s+of|so\s+many|stands?)\b", re.I)
KERNELS = ("cuda/op", "cuda/delta")
KERNEL = {".cu", ".cuh", ".h"}
REFERENCE = re.compile(
    r"CPU reference: (none, [^.]+|\w+(?:, \w+)* in [^ ]+?(?:; [^.]+?\.\w+)*)\.(\s|$)"
)
# What a phrase may begin: an abbreviation or a letter `stands for` what it means.
ALLOWED = re.compile(r"stands?\s+for\b|stand-|that\s+of\s+course\b", re.I)
ASK = re.compile(r"\bf2l_net_is_wired\b")
MAY_ASK = re.compile(r"/net/net\.h$|/wired/network_text\.c$|/weights/weights\.c$|/certify/cert/")
PART = r"\b(?:net|model|wired)(?:\.|->)(?:layer|stage|block)s?\b"
ASK_PARTS = re.compile(
    rf"{PART}\s*(?:[!=<>]=?\s*(?:0\b|NULL))|!\s*(?:\w+(?:\.|->))*{PART}"
    rf"|(?:if \(|return |[^!=<>]= |&& |\|\| )(?:\w+(?:\.|->))*{PART}\s*(?:\?|&&|\|\||\)\s*$)",
    re.M,
)
# The type's folders, certificates, and trained models, which are of another type.
MAY_ASK_PARTS = re.compile(r"^models/network/|^theory/certify/|^models/learn/")
# Files that ask once whether there is a network in layers at all, because what they do next is
# defined for layers only.
NEEDS_LAYERS = {
    "cli/engines/engines_net.c": "rows of engines are those of layers",
    "cli/train/compare_open.c": "a trained network is compared with states that are matrices",
    "reports/html/network_part.c": "a page draws the matrices of letters",
    "theory/compile/compile_order.c": "whether bf16 holds the weights that letters have",
    "theory/construct/product/product_construction.c": "a product puts heads side by side",
}
VERSION = r"\d+\.\d+\.\d+"
CITATION = "CITATION.cff"
CITATION_KEYS = {
    "cff-version": "1.2.0",
    "message": None,
    "title": "fsa2lrnn",
    "type": "software",
    "authors": None,
    "license": "MIT",
    "version": None,
    "references": None,
}
REFERENCE_KEYS = ("type", "title", "authors", "year", "identifiers")
PAPERS = ("arXiv:2411.12537", "arXiv:2502.10297")


def files(root):
    """Yields the files below the root, relative to it, except build/ and files outside git."""
    for folder, folders, names in os.walk(root):
        folders[:] = sorted(
            f for f in folders if f not in ("build", "__pycache__") and (f[0] != "." or f == ".ci")
        )
        for name in sorted(names):
            yield (Path(folder) / name).relative_to(root)


def yaml(text):
    """Returns maps, lists and scalars of one line each, by indentation: the part of YAML that a
    CITATION.cff needs. Raises ValueError with a line number for anything else."""
    lines = [
        (number, len(line) - len(line.lstrip()), line.strip())
        for number, line in enumerate(text.splitlines(), 1)
        if line.strip() and not line.lstrip().startswith("#")
    ]

    def scalar(number, value):
        if value[:1] in "[{|>&*!%@`":
            raise ValueError(f"line {number}: not read here: {value}")
        if value[:1] in ('"', "'"):
            if len(value) < 2 or value[-1] != value[0]:
                raise ValueError(f"line {number}: no closing quotation mark")
            return value[1:-1]
        if ": " in value or " #" in value:
            raise ValueError(f"line {number}: needs quotation marks: {value}")
        return value

    def block(indent):
        if lines[0][2].startswith("- "):
            out = []
            while lines and lines[0][1] == indent and lines[0][2].startswith("- "):
                number, _, rest = lines.pop(0)
                lines.insert(0, (number, indent + 2, rest[2:].strip()))
                out.append(block(indent + 2))
            return out
        out = {}
        while lines and lines[0][1] == indent and not lines[0][2].startswith("- "):
            number, _, line = lines.pop(0)
            key, colon, value = line.partition(":")
            if not colon or (value and value[0] != " ") or key in out:
                raise ValueError(f"line {number}: no new key: {line}")
            if value.strip():
                out[key] = scalar(number, value.strip())
            elif lines and lines[0][1] > indent:
                out[key] = block(lines[0][1])
            else:
                raise ValueError(f"line {number}: {key} has no value")
        return out

    out = block(0) if lines else {}
    if lines:
        raise ValueError(f"line {lines[0][0]}: the indentation fits nothing above")
    return out


class Lint:
    def __init__(self, root):
        self.root, self.faults = root, []

    def fault(self, path, what, line=None):
        self.faults.append(f"{path}:{line}: {what}" if line else f"{path}: {what}")

    def text(self, path):
        file = self.root / path
        return file.read_text(encoding="utf-8", errors="replace") if file.is_file() else None

    def width(self, path):
        example = False
        for number, line in enumerate(self.text(path).splitlines(), 1):
            columns = len(line.expandtabs(8))
            example = path.suffix in MAN and (line == ".EX" or (example and line != ".EE"))
            if columns > COLUMNS and "://" not in line and not example:
                self.fault(path, f"{columns} columns, more than {COLUMNS}", number)

    def phrases(self, path):
        prose = c_prose(self.text(path))
        for m in PHRASES.finditer(prose):
            if not ALLOWED.match(prose, m.start()):
                found = re.sub(r"\s+", " ", m.group())
                self.fault(path, f'"{found}": name the thing', prose.count("\n", 0, m.start()) + 1)

    def reference(self, path):
        """Checks the CPU reference in the first comment of a kernel's file."""
        first = re.match(r"/\*(.*?)\*/", self.text(path), re.S)
        comment = re.sub(r"\s*\n \* ?", " ", first.group(1) if first else "")
        found = REFERENCE.search(comment)
        if not found:
            return self.fault(path, "the first comment has no sentence `CPU reference: ..`", 1)
        if found.group(1).startswith("none, "):
            return None
        for part in found.group(1).split("; "):
            names, _, source = part.partition(" in ")
            text = self.text(source)
            if text is None:
                self.fault(path, f"the CPU reference {source} is not there", 1)
                continue
            for name in names.split(", "):
                if not re.search(rf"^\w.*\b{name}(?:_f32)?\)?\([^;{{]*\)\s*{{", text, re.M):
                    self.fault(path, f"{source} does not define {name}", 1)
        return None

    def git(self, *arguments):
        """Returns git's output, or None where this is not a clone or git fails."""
        if not (self.root / ".git").exists():
            return None
        done = subprocess.run(
            ["git", "-C", str(self.root), *arguments], capture_output=True, text=True, check=False
        )
        return done.stdout.strip() if done.returncode == 0 else None

    def blame(self):
        path = ".git-blame-ignore-revs"
        complete = self.git("rev-parse", "--is-shallow-repository") == "false"
        for number, line in enumerate((self.text(path) or "").splitlines(), 1):
            if not line or line.startswith("#"):
                continue
            if not re.fullmatch(r"[0-9a-f]{40}", line):
                self.fault(path, "neither a comment nor a hash of 40 digits", number)
            elif complete and self.git("cat-file", "-t", line) != "commit":
                self.fault(path, "there is no such commit", number)

    def citation(self):
        """Returns the record, or an empty one."""
        text = self.text(CITATION)
        if text is None:
            return self.fault(CITATION, "missing") or {}
        try:
            record = yaml(text)
        except (ValueError, IndexError) as error:
            return self.fault(CITATION, error) or {}
        for key, value in CITATION_KEYS.items():
            if key not in record:
                self.fault(CITATION, f"no key {key}")
            elif value is not None and record[key] != value:
                self.fault(CITATION, f"{key} is not {value}")
        for author in self.records(record, "authors"):
            self.author(author)
        references = self.records(record, "references")
        for reference in references:
            for key in REFERENCE_KEYS:
                if key not in reference:
                    self.fault(CITATION, f"a reference without {key}")
            for author in self.records(reference, "authors"):
                self.author(author)
        have = {
            identifier.get("value")
            for reference in references
            for identifier in self.records(reference, "identifiers")
        }
        for paper in PAPERS:
            if paper not in have:
                self.fault(CITATION, f"no reference {paper}")
        return record

    def records(self, record, key):
        listed = record.get(key, [])
        if isinstance(listed, list) and all(isinstance(item, dict) for item in listed):
            return listed
        return self.fault(CITATION, f"{key} is no list of records") or []

    def author(self, author):
        if not ("name" in author or {"family-names", "given-names"} <= author.keys()):
            self.fault(CITATION, "an author without a name")

    def version(self, record):
        text = self.text("CHANGELOG.md")
        if text is None:
            return self.fault("CHANGELOG.md", "missing")
        found = re.search(rf"^## ({VERSION})\b", text, re.M)
        if not found:
            return self.fault("CHANGELOG.md", "no section `## MAJOR.MINOR.PATCH`")
        want = found.group(1)
        if record and record.get("version") != want:
            self.fault(CITATION, f"version is not {want}, the first of CHANGELOG.md")
        header = self.text("include/fsa2lrnn.h")
        if header is None:
            return None
        named = re.findall(rf'^#define \w*VERSION\w* "({VERSION})"', header, re.M)
        numbers = [
            re.findall(rf"^#define \w*VERSION_{part} (\d+)\b", header, re.M)
            for part in ("MAJOR", "MINOR", "PATCH")
        ]
        if all(len(number) == 1 for number in numbers):
            named.append(".".join(number[0] for number in numbers))
        if not named:
            self.fault("include/fsa2lrnn.h", "no version")
        written = re.findall(rf"^VERSION :?= ({VERSION})$", self.text("Makefile") or "", re.M)
        for path, versions in (("include/fsa2lrnn.h", named), ("Makefile", written)):
            for other in versions:
                if other != want:
                    self.fault(path, f"version {other} is not {want}, the first of CHANGELOG.md")
        return None

    def asks(self, path):
        """Finds questions for the spelling in a source of the product outside theory/check."""
        text, name = self.text(path), path.as_posix()
        found = [] if MAY_ASK.search(name) else list(ASK.finditer(text))
        if not MAY_ASK_PARTS.search(name):
            found += list(ASK_PARTS.finditer(text))[name in NEEDS_LAYERS :]
        for m in found:
            line = text.count("\n", 0, m.start()) + 1
            self.fault(f"{name}:{line}", f"`{m.group()}` asks whether a network has stages")

    def run(self):
        for path in files(self.root):
            page = path.suffix in MAN and path.parts[0] == "docs"
            if path.suffix in NARROW or page or path.parts[0] == ".ci" or path.name == "Makefile":
                self.width(path)
            if path.suffix in SOURCES and path.parts[0] in PRODUCT:
                self.phrases(path)
                if not path.is_relative_to("theory/check"):
                    self.asks(path)
            if path.parent.as_posix() in KERNELS and path.suffix in KERNEL:
                self.reference(path)
        self.blame()
        self.version(self.citation())
        return self.faults


# A tree without faults, and for each kind of fault the files that are written over it.
LONG = "x" * COLUMNS
SOUND_CITATION = """# A comment.
cff-version: 1.2.0
message: "If you use it, cite it: thanks."
title: fsa2lrnn
type: software
authors:
  - name: The authors
license: MIT
version: 1.2.3
references:
  - type: article
    title: "One"
    authors:
      - family-names: One
        given-names: A.
    year: 2024
    identifiers:
      - type: other
        value: "arXiv:2411.12537"
  - type: article
    title: Two
    authors:
      - name: Two
    year: 2025
    identifiers:
      - type: other
        value: "arXiv:2502.10297"
"""
SOUND_HEADER = "\n".join(
    [
        '#define X_VERSION "1.2.3"',
        "#define X_VERSION_MAJOR 1",
        "#define X_VERSION_MINOR 2",
        "#define X_VERSION_PATCH 3\n",
    ]
)
SOUND = {
    "CHANGELOG.md": f"# Changes\n\n## 1.2.3\n\n{LONG}x\n\n## 1.2.2\n",
    CITATION: SOUND_CITATION,
    "include/fsa2lrnn.h": SOUND_HEADER,
    "Makefile": f"VERSION := 1.2.3\n\t{LONG[8:]}\n",
    ".ci/run": f"{LONG}\n",
    "cli/b.c": "for (l = 0; l < net->layers && ok; l++) f(net->stages);\nb[net->blocks - 1]\n",
    "theory/certify/cert/a.c": "f2l_net_is_wired(n);\n",
    "theory/check/a.c": "need(net->stages > 0);\n",
    "cli/a.c": (
        f"// {LONG} https://a.b\n/* N stands for the number; it understands that, stand-alone */\nint those;\n"
    ),
    "cuda/op/a.cu": "/* A\n * kernel. CPU reference: f, g in models/op/a.c; h in\n * b.inc. */\n",
    "cuda/op/a.h": "/* A kernel. CPU reference: none, it only sums. */\n",
    "models/op/a.c": "int f(void);\nint f_f32(int x)\n{\n}\nstatic int g(void)\n{\n}\n",
    "b.inc": "void NAME(h)(int x)\n{\n}\n",
    "tests/a.py": f"{LONG}\n# so many\n",
    "docs/man/a.5": f".EX\n{LONG}x\n.EE\n",
    ".git-blame-ignore-revs": "# why\n" + "a1" * 20 + "\n",
}
SEEDED = [
    ({"tests/a.py": LONG + "x\n"}, "tests/a.py:1: 101 columns"),
    ({"cli/a.cuh": "\n" + LONG + "x\n"}, "cli/a.cuh:2: 101 columns"),
    ({"tests/a.sh": LONG + "x\n"}, "tests/a.sh:1: 101 columns"),
    ({".ci/run": LONG + "x\n"}, ".ci/run:1: 101 columns"),
    ({"docs/man/a.1": f".EX\n{LONG}x\n.EE\n{LONG}x\n"}, "docs/man/a.1:4: 101 columns"),
    ({"Makefile": f"\t{LONG[7:]}\n"}, "Makefile:1: 101 columns"),
    ({".git-blame-ignore-revs": "abc\n"}, "neither a comment nor a hash"),
    ({"cli/a.c": "/* its sum and those\n * of the others */\n"}, 'cli/a.c:1: "those of"'),
    ({"cli/a.c": 'char *s = "Like " "That of" "x";\n'}, 'cli/a.c:1: "That of"'),
    ({"cli/a.c": "/* so many letters */\n"}, '"so many"'),
    ({"models/doors/export/a.c": "\nf2l_net_is_wired(n);\n"}, "a.c:2: `f2l_net_is_wired` asks"),
    ({"theory/certify/round/a.c": "f2l_net_is_wired(n);\n"}, "a.c:1: `f2l_net_is_wired` asks"),
    ({"cli/a.c": "if (job->model.stages > 0)\n"}, "a.c:1: `model.stages > 0` asks"),
    ({"cli/a.c": "int a = net->layers == 0;\n"}, "`net->layers == 0` asks"),
    ({"cli/a.c": "if (!j->net->layer)\n"}, "`!j->net->layer` asks"),
    ({"cli/a.c": "x = wired->blocks ? 1 : 2;\n"}, "wired->blocks ?` asks"),
    ({"cli/a.c": "if (net->stages)\n"}, "`if (net->stages)"),
    ({"reports/html/network_part.c": "net->layers == 0\n" * 2}, "network_part.c:2: `net->layers"),
    ({"models/a.h": "\n/* it stands there */\n"}, 'models/a.h:2: "stands"'),
    ({"models/a.h": "/* they stand there */\n"}, '"stand"'),
    ({"cuda/op/a.cu": "int x; /* CPU reference: f in models/op/a.c. */\n"}, "has no sentence"),
    ({"cuda/op/a.cu": "/* CPU reference: none. */\n"}, "has no sentence"),
    ({"cuda/op/a.cu": "/* CPU reference: f in models/op/c.c. */\n"}, "models/op/c.c is not there"),
    ({"cuda/op/a.cu": "/* CPU reference: f, k in models/op/a.c. */\n"}, "a.c does not define k"),
    ({"cuda/op/a.cu": "/* CPU reference: g in models/op/a.c; g in b.inc. */\n"}, "not define g"),
    ({"models/op/a.c": "int f(void);\nstatic int g(void)\n{\n}\n"}, "does not define f"),
    ({CITATION: "title fsa2lrnn\n"}, "line 1: no new key"),
    ({CITATION: "title: [fsa2lrnn]\n"}, "line 1: not read here"),
    ({CITATION: SOUND_CITATION + "    a: b\n  c: d\n"}, "the indentation fits nothing"),
    ({CITATION: SOUND_CITATION.replace("license: MIT\n", "")}, "no key license"),
    ({CITATION: SOUND_CITATION.replace("MIT", "GPL")}, "license is not MIT"),
    ({CITATION: SOUND_CITATION.replace("    title: Two\n", "")}, "a reference without title"),
    ({CITATION: SOUND_CITATION.replace("2502.10297", "2502")}, "no reference arXiv:2502.10297"),
    ({CITATION: SOUND_CITATION.replace("- name: Two", "- given-names: T.")}, "without a name"),
    ({CITATION: SOUND_CITATION.replace("version: 1.2.3", "version: 1.2.2")}, "version is not"),
    ({"CHANGELOG.md": "# Changes\n"}, "no section"),
    ({"include/fsa2lrnn.h": SOUND_HEADER.replace("MINOR 2", "MINOR 3")}, "version 1.3.3 is not"),
    ({"include/fsa2lrnn.h": '#define X_VERSION "1.2.2"\n'}, "version 1.2.2 is not 1.2.3"),
    ({"include/fsa2lrnn.h": "int x;\n"}, "include/fsa2lrnn.h: no version"),
    ({"Makefile": "VERSION := 1.2.4\n"}, "Makefile: version 1.2.4 is not"),
]


def written(root, tree):
    for name, text in tree.items():
        file = Path(root) / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)


def faults_of(tree):
    with tempfile.TemporaryDirectory(prefix="f2l-style-") as root:
        written(root, tree)
        return Lint(Path(root)).run()


def clone_faults():
    """Returns the faults of a clone in which one hash is a commit, and two are not."""
    with tempfile.TemporaryDirectory(prefix="f2l-style-") as root:
        written(root, SOUND)

        def git(*arguments):
            who = ["-c", "user.name=A", "-c", "user.email=a@b", "-c", "commit.gpgsign=false"]
            return subprocess.run(
                ["git", "-C", root, *who, *arguments], capture_output=True, text=True, check=True
            ).stdout.strip()

        git("init", "-q")
        git("add", "-A")
        git("commit", "-q", "-m", "all")
        commit, tree = git("rev-parse", "HEAD"), git("rev-parse", "HEAD^{tree}")
        written(root, {".git-blame-ignore-revs": f"{commit}\n{tree}\n{'a1' * 20}\n"})
        return Lint(Path(root)).run()


def self_test():
    """Returns the errors of the self-test as text."""
    wrong = [f"sound tree: {fault}" for fault in faults_of(SOUND)]
    for change, expected in SEEDED:
        found = faults_of(SOUND | change)
        if not any(expected in fault for fault in found):
            wrong.append(f"{sorted(change)}: not found: {expected}; found: {found}")
    found = clone_faults()
    if found != [f".git-blame-ignore-revs:{i}: there is no such commit" for i in (2, 3)]:
        wrong.append(f"a clone: found: {found}")
    return wrong


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--root", type=Path, default=ROOT)
    parser.add_argument("--self-test", action="store_true")
    args = parser.parse_args()
    faults = self_test() if args.self_test else Lint(args.root).run()
    if faults:
        print("\n".join(faults))
    else:
        print(f"style: {len(SEEDED) + 2} seeded faults found" if args.self_test else "style: ok")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
