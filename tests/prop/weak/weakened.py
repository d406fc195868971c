"""Does the campaign see bugs? Checkers that were weakened on purpose, one condition each, must all
be caught.

Every entry of WEAKENED replaces one piece of a checker's source, which must be found exactly once
(blanks and line ends do not matter). The result is compiled in a folder of its own and caught in
one of two ways: by a triple made for it, which is wrong by a replay that shares no code with the
checkers, which the unchanged checker refuses, and which the weakened one accepts; or by the
campaign, when some verdict differs from its judge's.

usage: weakened.py --build build/release [--only WORD] [--jobs J] [--seed S]
       weakened.py --check           only whether what each one replaces is found once
"""

import argparse
import copy
import json
import re
import shutil
import subprocess
import sys
import tempfile
import time
from fractions import Fraction
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
sys.path.append(str(ROOT / "tests/prop"))
import campaign
import cascade
import cascade_mutate
import float_mutate
import handmade
import handmade_cascades
import handmade_float
import handmade_wired
import mutant_run
import swaps_mutate
import triple
import triple_judge
import weak_forms
import wired
from weak_forms import Weakness

COUNTS = 250, 1500, 5000  # changes of meaning, until one is caught


# --- triples made for one weakness: (triple, whether the network is right for the automaton) ---


def late_factor():
    """Yields triples in which one letter's last factor is exchanged; another letter has the earlier
    factors and the old one."""
    a, net = handmade.late()
    cert = triple_judge.certificate_of(net, a, triple_judge.close(net, a))
    for letter in range(len(a.letters)):
        wrong = copy.deepcopy(net)
        factors = wrong.layer[0].head[0].factors
        factors[letter][-1] = factors[2 if letter < 2 else 0][-1]
        fsa = a.text()
        lrnn = wrong.text(triple.sha256(fsa))
        yield (fsa, lrnn, cert.text(fsa, lrnn)), triple_judge.close(wrong, a) is not None


def entered_elsewhere():
    """Yields a triple with a level that is in one set only before the first letter, and wrong
    there; the certificate lets it begin in another set."""
    a, net, cert = handmade_cascades.entered()
    cascade_mutate.begun_in_the_other(a, net, cert)
    cert.recount()
    files = handmade_cascades.texts(a, net, cert)
    assert not cascade.certificate_holds(cert, net, a)
    yield files, triple_judge.close(net, a) is not None


def first_entries():
    """Yields triples in which a change of the first entry of one gate's table makes the network
    wrong."""
    for base in ("form of 2", "form of t3"):
        a, net, cert = handmade_wired.ALL[base]()
        for b, block in enumerate(net.blocks):
            for part in ("pre", "post"):
                for g in range(len(getattr(block, part))):
                    wrong = copy.deepcopy(net)
                    gate = getattr(wrong.blocks[b], part)[g]
                    wrong.tables.append(copy.deepcopy(wrong.tables[gate[0]]))
                    gate[0] = len(wrong.tables) - 1
                    _, values, results = wrong.tables[-1]
                    results[0] = (results[0] + 1) % values
                    if wired.close(wrong, a) is None:
                        yield handmade_wired.texts(a, wrong, cert), False


def outputs_of_a_class():
    """Yields triples in which one state of a class of two has another output by one letter."""
    for letter in range(3):
        a, net, cert = handmade_wired.ALL["form of outputs"]()
        row = a.edge_outputs[4]
        row[letter] = next(label for label in net.labels if label != row[letter])
        yield handmade_wired.texts(a, net, cert), wired.close(net, a) is not None


def overlapping():
    """Yields a triple where an exchange of points of two rows comes between two exchanges of one
    row of each. Rows are moved as by the exchange alone, but copies differ when it is applied: it
    then does nothing, so that the network is wrong."""
    a, net = swaps_mutate.BASES["two states"]()
    cert = swaps_mutate.certificate_of(net, a, triple_judge.close(net, a))
    (factors,) = net.layer[0].head[0].factors
    single = Fraction(2), {0: Fraction(1), 1: Fraction(-1)}, {}
    factors[:] = [single, *factors, copy.deepcopy(single)]
    cert.sizes = list(net.sizes())
    fsa = a.text()
    lrnn = net.text(triple.sha256(fsa))
    yield (fsa, lrnn, cert.text(fsa, lrnn)), triple_judge.close(net, a) is not None


def missing():
    """Yields a triple whose network stays in its first code, which is a part of the second one; the
    automaton goes on to a second state."""
    a = handmade.edges(["x"], ["p", "q"], lambda q, w: 1)
    h = handmade.head(2, 1, {(0, 0): 1}, (1,))
    y = handmade.layer(1, [h], lambda x, s: 0, 2)
    y.code.append([{(0, 0): Fraction(1), (1, 0): Fraction(1)}])
    y.symbol = [0, 1]
    net = handmade.network(a, "states", y)
    cert = swaps_mutate.certificate_of(net, a, [[0, [0], [1]], [1, [1], [1]]])
    fsa = a.text()
    lrnn = net.text(triple.sha256(fsa))
    yield (fsa, lrnn, cert.text(fsa, lrnn)), triple_judge.close(net, a) is not None


def tie():
    """Yields a triple with a state as near to a code with the right symbol as to one with a wrong
    symbol."""
    files = float_mutate.tie()
    yield files, handmade_float.should_verify(*files)


# --- the weaknesses ---


PROGRAMS = [
    "lrnn-check",
    *(f"lrnn-check-{kind}" for kind in ("field", "wired", "swaps", "float", "unrounded")),
]  # one calls the others
LRNN, REP = "theory/check/[!r]*.[ch]", "theory/check/rep-check.c"
READER, REAL = "theory/check/network.c", "theory/check/real.c"
LABEL = "is_label(x, symbol, *row, letter)"
SWAPS = "theory/check/swaps.c"
WEAKENED = [
    Weakness(
        "swaps: no beta",
        SWAPS,
        "bool right = mpq_cmp_ui(f->beta, 2, 1) == 0 && f->c.count == 0;",
        "bool right = f->c.count == 0;",
        ("swaps",),
    ),
    Weakness(
        "swaps: no values",
        SWAPS,
        "bool right = mpq_cmp_ui(f->beta, 2, 1) == 0 && f->c.count == 0;",
        "bool right = mpq_cmp_ui(f->beta, 2, 1) == 0;",
        ("swaps",),
    ),
    Weakness(
        "swaps: keys of any size",
        SWAPS,
        "right = (same || is_minus(scratch, u[i].value, u->value)) && add_row(",
        "right = add_row(",
        ("swaps",),
    ),
    Weakness(
        "swaps: no circles",
        SWAPS,
        "return right && plus.rows == minus.rows && links(m, plus.last, plus.first) &&"
        " links(m, minus.last, minus.first);",
        "return right && plus.rows == minus.rows;",
        ("swaps",),
        overlapping,
    ),
    Weakness(
        "swaps: rows of any point",
        SWAPS,
        "return m->next[from] == to;",
        "return true;",
        ("swaps",),
        overlapping,
    ),
    Weakness(
        "swaps: gates",
        SWAPS,
        "if (mpq_cmp_ui(w->gate, 1, 1) != 0 || w->bias.count > 0)",
        "if (w->bias.count > 0)",
        ("swaps",),
    ),
    Weakness(
        "swaps: biases",
        SWAPS,
        "if (mpq_cmp_ui(w->gate, 1, 1) != 0 || w->bias.count > 0)",
        "if (mpq_cmp_ui(w->gate, 1, 1) != 0)",
        ("swaps",),
    ),
    Weakness(
        "swaps: no copies",
        SWAPS,
        'if (!right) reject(&x->lrnn, "the copies',
        'if (false) reject(&x->lrnn, "the copies',
        ("swaps",),
    ),
    Weakness(
        "swaps: no steps",
        SWAPS,
        "if (!becomes(m, &code[row[1]], a, &code[next[1]]))",
        "if (false)",
        ("swaps",),
    ),
    Weakness(
        "swaps: entries that are missing",
        SWAPS,
        "bool right = before->count == after->count;",
        "bool right = true;",
        ("swaps",),
        missing,
    ),
    Weakness(
        "swaps: no label",
        SWAPS,
        "if (said == UNSET || !is_label(x, said, *row, a))",
        "if (said == UNSET)",
        ("swaps",),
    ),
    Weakness(
        "swaps: no edge of the automaton",
        SWAPS,
        "if (x->a.next[*row * x->a.kinds + a] != *next)",
        "if (false)",
        ("swaps",),
    ),
    Weakness(
        "swaps: no start",
        SWAPS,
        "check_start(x, t, x->level, x->a.start);",
        "",
        ("swaps",),
    ),
    Weakness(
        "exact: no label",
        LRNN,
        f'if (symbol == UNSET || !{LABEL}) reject(t, "letter %zu: the label',
        'if (symbol == UNSET) reject(t, "letter %zu: the label',
        ("exact",),
    ),
    Weakness(
        "exact: no edge of the automaton",
        LRNN,
        'if (x->a.next[*row * x->a.kinds + letter] != *next) reject(t, "letter %zu: the automaton'
        ' goes to another state", letter + 1); const size_t symbol = x->program->pass(',
        "const size_t symbol = x->program->pass(",
        ("exact",),
    ),
    Weakness(
        "exact: a step skipped",
        LRNN,
        "check_it(x, t, b, pair, c, b->pair + *next * b->width);",
        "if (*next != i) check_it(x, t, b, pair, c, b->pair + *next * b->width);",
        ("exact",),
    ),
    Weakness(
        "exact: a spelling cache cut short",
        READER,
        "w->spelled = (name){from, (size_t)(t->at - from)};",
        "w->spelled = (name){from, t->at - from < 40 ? (size_t)(t->at - from) : 40};",
        ("exact",),
        late_factor,
    ),
    Weakness(
        "cascade: (2) old set",
        LRNN,
        'if (c->from != from) reject(t, message, (size_t)c->from + 1, "old", (size_t)from + 1);',
        "",
        ("cascade",),
    ),
    Weakness(
        "cascade: (4)",
        LRNN,
        "if (!has_member(&x->subset[to], x->a.next[z->member[i] * x->a.kinds + letter]))",
        "if (i > z->members && letter > to)",
        ("cascade",),
    ),
    Weakness(
        "cascade: (5)",
        LRNN,
        "if (edges ? !is_label(x, symbol, q, letter) : "
        "!same_name(x->net.labels.item[symbol], label_of(&x->a, x->net.kind, q)))",
        "if (i > z->members && edges && letter)",
        ("cascade",),
    ),
    Weakness(
        "cascade: the start set of a level",
        LRNN,
        'if (*pair != first) reject(t, "condition (0): level',
        'if (*pair == UNSET && first == UNSET) reject(t, "condition (0): level',
        ("cascade",),
        entered_elsewhere,
    ),
    # A step is affine, so that three of the four contents would be enough, but two are not.
    Weakness(
        "zeiger: acts",
        LRNN,
        "for (unsigned long v = 0; right && v < 4; v++)",
        "for (unsigned long v = 0; right && v < 2; v++)",
        ("zeiger",),
    ),
    Weakness(
        "zeiger: table entry 0 unchecked",
        LRNN,
        "for (size_t e = 0; right && r != ANY && e < table->entries; e++)",
        "for (size_t e = 1; right && r != ANY && e < table->entries; e++)",
        ("zeiger",),
        first_entries,
    ),
    Weakness(
        "zeiger: outputs of the transitions of a class",
        LRNN,
        "right = right && same_name(label_after(a, kind, q, w), label_after(a, kind, like, w));",
        ";",
        ("zeiger",),
        outputs_of_a_class,
    ),
    Weakness(
        "d1: (e)",
        LRNN,
        "if (d->meaning->value[now * d->rest->values + d->rest->value[z]] != mean)",
        "if (z > at + f->half)",
        ("d1",),
    ),
    Weakness(
        "float: no label",
        LRNN,
        f"*right = stuck == 0 && {LABEL};",
        "*right = stuck == 0;",
        ("float",),
    ),
    Weakness(
        "float: ties",
        LRNN,
        "if (symbol_after(y, letter, m->found[i]) != symbol) return UNSET;",
        "continue;",
        ("float",),
        tie,
    ),
    Weakness(
        "refuted: what comes back",
        LRNN,
        "wrong += !right && i >= b->start;",
        "wrong += !right;",
        ("refuted",),
    ),
    Weakness(
        "unrounded: `lost` without `rest`",
        REAL,
        "lost = lost || half || over;",
        "lost = lost || half;",
        ("unrounded",),
    ),
    Weakness(
        "rep-check: products of classes",
        REP,
        "if (x->separating[j]) check_products(t, x, g, k, j);",
        "if (x->separating[j] && j == 0) check_products(t, x, g, k, j);",
        ("rep-check",),
    ),
    Weakness(
        "rep-check: degrees",
        REP,
        "if (d * d % p * norm % p != order)",
        "if (d * d % p * norm % p != order && d == 0)",
        ("rep-check",),
    ),
    Weakness(
        "rep-check: the hidden class",
        REP,
        "if (list[i].most < minimum && !in_kernel(t, x, k, &list[i], hidden))",
        "if (list[i].most < minimum && !in_kernel(t, x, k, &list[i], hidden) && hidden == 0)",
        ("rep-check",),
    ),
    Weakness(
        "rep-check: names of letters",
        REP,
        "if (compare_names(&a.letter[w], &g->letter[w]) != 0)",
        "if (a.letter[w].size == 0)",
        ("rep-check",),
    ),
    *weak_forms.WEAKENED,
]


def sources(weakness):
    """Returns {path: text} with the replacement made, or what is wrong with the entry."""
    pattern = re.compile(r"\s+".join(map(re.escape, weakness.old.split())))
    texts = {p: p.read_text(encoding="utf-8") for p in sorted(ROOT.glob(weakness.sources))}
    found = sum(len(pattern.findall(text)) for text in texts.values())
    if found != 1:
        raise SystemExit(
            f"FAILED {weakness.name}: what it replaces is found {found} times in {weakness.sources}"
        )
    return {p: pattern.sub(lambda _: weakness.new, text) for p, text in texts.items()}


def compiled(weakness, folder):
    """Returns the weakened checker, compiled as the project does it, in a copy of its folder."""
    shutil.copytree(ROOT / "theory/check", folder / "theory/check")
    shutil.copy(ROOT / "Makefile", folder)
    for path, text in sources(weakness).items():
        (folder / path.relative_to(ROOT)).write_text(text, encoding="utf-8")
    kinds = [campaign.KINDS[kind] for kind in weakness.claims]
    programs = PROGRAMS if kinds[0].checker == PROGRAMS[0] else [kinds[0].checker]
    done = subprocess.run(
        [
            "make",
            "-C",
            str(folder),
            "B=built",
            "WARN=-w",
            "FLAVOUR_release=-O1",
            "NVCC=",
            f"PYTHON={sys.executable}",
            *(f"built/{name}" for name in programs),
        ],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    if done.returncode:
        raise SystemExit(f"FAILED {weakness.name}: not compiled\n{done.stdout[-2000:]}")
    return folder / "built" / programs[0]


def made_for(weakness, checker, weakened, folder):
    """Returns how many of the triples made for it the weakened checker accepts, or what is wrong
    with them."""
    accepted = 0
    for files, right in weakness.made():
        data = [t.encode() for t in files]
        if right or mutant_run.accepted(mutant_run.verdict(checker, folder, data)) is not False:
            raise SystemExit(
                f"FAILED {weakness.name}: the triple made for it is right, or accepted as it is"
            )
        accepted += mutant_run.accepted(mutant_run.verdict(str(weakened), folder, data)) is True
    return accepted


def counts_of(command, record):
    """Returns what a campaign records. One that ends without a record has seen nothing, caught or
    not: its own words say why, such as a library of Python that is missing."""
    record.unlink(missing_ok=True)
    done = subprocess.run(
        [*command, "--record", str(record)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    if not record.exists():
        raise SystemExit(f"FAILED {' '.join(map(str, command))}\n{done.stdout[-2000:]}")
    return json.loads(record.read_text(encoding="utf-8"))


def caught_by(weakness, args, folder):
    """Returns what catches it, or None."""
    weakened = compiled(weakness, folder)
    accepted = (
        made_for(weakness, str(args.build / "lrnn-check"), weakened, folder) if weakness.made else 0
    )
    if accepted:
        return f"{accepted} wrong triples made for it"
    for count in COUNTS:
        for kind in weakness.claims:
            command = campaign.command(kind, count, args.seed, args.build, args.jobs, weakened)
            counts = counts_of(command, folder / "record")
            if counts["wrong"]:
                return f"campaign, {kind}: {counts['wrong']} wrong verdicts of {counts['mutants']}"
    return None


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--build", type=lambda p: Path(p).resolve())
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--only", default="", help="those whose name contains this")
    parser.add_argument("--seed", type=int, default=20260601)
    parser.add_argument("--jobs", type=int, default=2)
    args = parser.parse_args()
    chosen = [w for w in WEAKENED if args.only in w.name]
    for weakness in chosen:
        sources(weakness)  # before any work
    if args.check:
        return 0
    caught = 0
    for weakness in chosen:
        begin = time.monotonic()
        with tempfile.TemporaryDirectory() as folder:
            how = caught_by(weakness, args, Path(folder))
        caught += how is not None
        print(
            f"{weakness.name}: {how or 'FAILED, not caught'} ({time.monotonic() - begin:.1f} s)",
            flush=True,
        )
    print(f"{caught} passed, {len(chosen) - caught} failed")
    return 0 if caught == len(chosen) and chosen else 1


if __name__ == "__main__":
    sys.exit(main())
