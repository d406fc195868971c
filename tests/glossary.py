"""Does docs/glossary.md have the words that outputs print?

The words are taken where the program has them:
- the values of facts that are one of some texts (reports/facts.txt);
- number formats, schedules, claims of certificates, cascades and targets, from their tables in C;
- what constructions are called, and the classes of models that `classify` knows.
A phrase is in the glossary as a whole, or word by word; PLAIN has the words that mean what they
mean everywhere. Numbers of statements are the business of citations.py. Refused is a word that the
glossary lacks, a word of PLAIN that no output has, and a row out of order.

usage: glossary.py              prints one line for each fault, exit status 1 if there is one
       glossary.py --self-test  finds each kind of fault in small texts, and nothing else"""

import argparse
import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import facts

ROOT = Path(__file__).resolve().parent.parent
PAGE = Path("docs/glossary.md")
ROW = re.compile(r"^\| (\*\*.*?) \| (.+?) \| (.*) \|$", re.M)
BOLD = re.compile(r"\*\*(.+?)\*\*")
STRING = re.compile(r'"((?:[^"\\]|\\.)*)"')
# The tables of names in C: files, and the initialiser whose rows begin with COUNT names each.
TABLES = [
    ("numeric/format/format.c", r"f2l_formats\[\] = \{(.*?)\n\s*\{NULL", 1),
    ("models/network/schedule/schedule.c", r"f2l_schedules\[\] = \{(.*?)\n\s*\{\.name = NULL", 1),
    ("theory/construct/*/*_construction.c", r"f2l_variant variant\[\] = \{(.*?)\};", 2),
    ("theory/obstruct/classify/classify_models.c", r"f2l_ladder_models\[\w+\] = \{(.*?)\};", 2),
]
# In a table: a number of a statement, and what is behind the words: `[0,1]`, `= 2`, `, c = 1`.
NO_WORD = re.compile(r"^[A-Z]+[\d.]*$|(, c)? = .*|\[.*")
SESSION = re.compile(r"^```console\n(.*?)^```$", re.M | re.S)
# The word at the beginning of a line that says something about it, as in `exact          VERIFIED`.
HEAD = re.compile(r"^([a-z][a-z ]{2,13}?) {2,}\S", re.M)
# Words of outputs that mean what they mean everywhere, and parts of phrases.
PLAIN = set(
    """before by can cannot change check complete config cpu decided different does down equivalent
    exists fails file files found gpu holds it known learn learns leaves limit memory neither
    non-negative none not nothing numbers of one open proved published random range reached real
    returns rule save scope size stays theorems time to up would wrong yet zero""".split()
)


def glossary_rows(text):
    """Returns the words of each row of the glossary, in small letters."""
    rows = ROW.findall(text)
    return [[word.lower() for word in BOLD.findall(first)] for first, *_ in rows]


def enum_phrases():
    """Yields (where, phrase) for the facts that are one of some texts."""
    for name, _, kind, *_ in facts.read_table(facts.TABLE.read_text(encoding="utf-8")):
        if kind.startswith('"'):
            yield from ((f"reports/facts.txt, {name}", text) for text in STRING.findall(kind))


def table_phrases():
    """Yields (where, phrase) for the tables in C; a number of a statement is no word."""
    for files, pattern, count in TABLES:
        for path in sorted(ROOT.glob(files)):
            table = re.search(pattern, path.read_text(encoding="utf-8"), re.S)
            if not table:
                raise SystemExit(f"{path.relative_to(ROOT)}: no table {pattern}")
            for row in re.findall(r"(?<!store = )\{[^{}]*", table[1]):
                for text in STRING.findall(row)[:count]:
                    yield str(path.relative_to(ROOT)), NO_WORD.sub("", text)


def session_phrases():
    """Yields (where, phrase) for the words at the beginning of lines in the sessions of docs."""
    for name in ("tutorial", "limits", "rounding", "constructions"):
        text = (ROOT / f"docs/{name}.md").read_text(encoding="utf-8")
        for session in SESSION.findall(text):
            yield from ((f"docs/{name}.md", head) for head in HEAD.findall(session))


def unknown_words(phrase, known, used):
    """Returns the words of a phrase that the glossary lacks; adds those of PLAIN to `used`."""
    whole, missing = phrase.lower().strip(), []
    if {whole, whole.replace("_", " ")} & known:
        return missing
    for word in re.findall(r"[a-z][a-z0-9-]*", whole):
        forms = {word, word.removesuffix("s"), word.removesuffix("es"), word.removesuffix("ed")}
        if not forms & known:
            used.add(word)
            missing += [] if word in PLAIN else [word]
    return missing


def faults_of(page, phrases):
    """Yields a line for each fault."""
    rows = glossary_rows(page)
    known, used = {word for row in rows for word in row}, set()
    for where, phrase in phrases:
        for word in unknown_words(phrase, known, used):
            yield f"{where}: {PAGE} has no word {word}, which outputs print: {phrase}"
    for word in sorted(PLAIN - used):
        yield f"tests/glossary.py: no output has the plain word {word}, or the glossary has it"
    firsts = [row[0] for row in rows]
    for before, after in zip(firsts, firsts[1:]):
        if before >= after:
            yield f"{PAGE}: {after} comes behind {before}"


def self_test():
    """Finds each kind of fault in small texts, and nothing in a sound one."""
    page = "| **gate** | a number | x |\n| **local closure**, **key** | a table | x |\n"
    plain = [("here", " ".join(sorted(PLAIN)))]
    sound = [("here", "gates"), ("here", "local_closure"), ("here", "keys found"), *plain]
    cases = [(page, [("here", "wire"), *plain], "here: docs/glossary.md has no word wire")]
    cases += [(page, sound[:-1], f"no output has the plain word {min(PLAIN)}")]
    cases += [(page + "| **form** | a matrix | x |\n", sound, "form comes behind local closure")]
    assert not list(faults_of(page, sound)), list(faults_of(page, sound))
    for text, phrases, fault in cases:
        assert any(fault in line for line in faults_of(text, phrases)), fault
    print(f"{len(cases)} passed, 0 failed")
    return 0


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--self-test", action="store_true")
    if parser.parse_args().self_test:
        return self_test()
    phrases = [*enum_phrases(), *table_phrases(), *session_phrases()]
    faults = list(faults_of((ROOT / PAGE).read_text(encoding="utf-8"), phrases))
    print("\n".join(dict.fromkeys(faults)), end="\n" if faults else "")
    print(f"{len(phrases)} phrases of outputs, {len(faults)} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
