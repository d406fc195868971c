"""`fsa`: operations on automata, conversion, comparison by a shortest word; wrong usage."""

import itertools
import json

EVEN = "letters a b\nstart p\naccept p\np a q\np b p\nq a p\nq b q\n"
ENDS = "letters b a\nstart p\naccept q\np a q\np b p\nq a q\nq b p\n"
PARTIAL = "0\t1\ta\n1\t0\tb\n0\n"
SYNTAXES = {"fsa": "fsa", "att": "att", "dot": "dot", "jflap": "jff", "json": "json"}


def write(t):
    t.write("even.fsa", EVEN)
    t.write("ends.fsa", ENDS)
    t.write("partial.att", PARTIAL)


def test_info(t):
    write(t)
    text = t.tool("fsa", "info", "partial.att")
    assert text == (
        "partial.att: AT&T, 2 states, 2 letters\n"
        "letters        a b\n"
        "transitions    2\n"
        "start states   1\n"
        "accepting      1 state\n"
        "deterministic  yes, 2 transitions missing; 3 states when deterministic and total\n"
        "minimal        3 states, by accept\n"
        "shortest       accepted: the empty word; rejected: a\n"
    )
    facts = json.loads(t.tool("fsa", "info", "--regex", "(a|b)*abb", "--json"))
    assert facts["report"] == "fsa-info" and facts["minimal_states"] == 4
    t.new("s3.fsa", "symmetric", "3")
    facts = json.loads(t.tool("fsa", "info", "s3.fsa", "--json"))
    assert facts["transitions"] == 36 and facts["missing_transitions"] == 0


def test_converts_there_and_back(t):
    write(t)
    t.new("s3.fsa", "symmetric", "3", "--generators")
    for name in ("even.fsa", "partial.att", "s3.fsa"):
        for syntax, ending in SYNTAXES.items():
            out = f"out.{ending}"
            t.tool("fsa", "convert", name, "-o", out)
            assert t.read(out).decode() == t.tool("fsa", "convert", name, "--to", syntax)
            t.tool("fsa", "equivalent", name, out, out="are equivalent")
    t.new("s3.fsa", "symmetric", "3")
    t.tool("fsa", "convert", "s3.fsa", "--to", "jflap", rc=69, err="is not one character")
    # The canonical text of a group form keeps its permutations.
    assert t.tool("fsa", "convert", "s3.fsa") == t.read("s3.fsa").decode()
    assert t.tool("fsa", "convert", "partial.att", "--to", "att") == "0\t1\ta\n0\n1\t0\tb\n"


def test_operations(t):
    write(t)
    t.tool("fsa", "intersection", "even.fsa", "ends.fsa", "-o", "both.fsa")
    t.tool("fsa", "equivalent", "both.fsa", "--regex", "(a|b)*a", out="after a: reject", rc=1)
    t.tool("fsa", "equivalent", "both.fsa", "--regex", "(b|ab*a)*ab*a", out="are equivalent")
    t.tool("fsa", "complement", "even.fsa", "-o", "odd.fsa")
    t.tool("fsa", "union", "even.fsa", "odd.fsa", "ends.fsa", "-o", "all.fsa")
    t.tool("fsa", "equivalent", "all.fsa", "--regex", "(a|b)*", out="are equivalent")
    t.tool("fsa", "minimise", "all.fsa", "-o", "one.fsa")
    assert 'states "((p,p),p)"\n' in t.read("one.fsa").decode()
    t.tool("fsa", "reverse", "ends.fsa", "-o", "begins.fsa")
    t.tool("fsa", "equivalent", "begins.fsa", "--regex", "a(a|b)*", out="are equivalent")
    t.tool("fsa", "determinise", "partial.att", "-o", "total.fsa")
    t.tool("fsa", "equivalent", "total.fsa", "--regex", "(ab)*", out="are equivalent")
    text = json.loads(t.tool("fsa", "complement", "even.fsa", "--json"))["fsa"]
    assert text == t.read("odd.fsa").decode()


def test_minimise_by_label(t):
    outputs = "output p x\noutput q x\noutput r y\n"
    t.write("m.fsa", f"start p\n{outputs}p a q\nq a p\nr a r\np b r\nq b r\nr b r\n")
    assert "states p r\n" in t.tool("fsa", "minimise", "m.fsa")
    t.tool("fsa", "minimise", "m.fsa", "--label", "accept", rc=69, err="which states accept")


def test_equivalent(t):
    write(t)
    out = t.tool("fsa", "equivalent", "even.fsa", "ends.fsa", rc=1)
    assert out == "even.fsa and ends.fsa differ after the empty word: accept and reject\n"
    facts = json.loads(t.tool("fsa", "equivalent", "ends.fsa", "partial.att", "--json", rc=1))
    assert facts["difference"] == {"word": [], "label_pair": ["reject", "accept"]}
    out = t.tool("fsa", "equivalent", "partial.att", "--regex", "(ab)*(ab)?(abba)?", rc=1)
    assert out == "partial.att and regex differ after a b b a: reject and accept\n"
    # 4,096 states that all differ: the pairs met are as many as the states.
    t.new("d.fsa", "definite", "12")
    t.tool("fsa", "minimise", "d.fsa", "-o", "d2.fsa")
    t.tool("fsa", "equivalent", "d.fsa", "d2.fsa", out="are equivalent")
    message = "different letters: only the first has `b`; only the second has `c`"
    t.tool("fsa", "equivalent", "even.fsa", "--regex", "(ac)*", rc=69, err=message)


def test_no_accept(t):
    t.write("n.fsa", "start p\np a q\nq a p\n")
    t.tool("fsa", "complement", "n.fsa", rc=69, err="which states accept")
    t.tool("fsa", "convert", "n.fsa", "--to", "att", err="does not say which states accept")
    t.tool("fsa", "convert", "n.fsa", "--to", "dot", err="^$")


def test_usage(t):
    write(t)
    t.tool("fsa", rc=64, err="an operation is expected")
    t.tool("fsa", "minimize", "even.fsa", rc=64, err="did you mean 'minimise'")
    t.tool("fsa", "union", "even.fsa", rc=64, err="two automata or more")
    t.tool("fsa", "info", "even.fsa", "ends.fsa", rc=64, err="one automaton")
    t.tool("fsa", "equivalent", "even.fsa", rc=64, err="two automata; --regex counts")
    t.tool("fsa", "info", "even.fsa", "--to", "dot", rc=64, err="prints a report")
    two = ("even.fsa", "ends.fsa", "--label", "states")
    t.tool("fsa", "union", *two, rc=64, err="--label belongs")
    t.tool("fsa", "convert", "even.fsa", "-o", "x.xyz", rc=64, err="says no syntax")
    t.tool("fsa", "convert", "even.fsa", "--to", "dott", rc=64, err="dot")
    t.tool("fsa", "convert", "none.fsa", rc=74, err="none.fsa")


def test_census_goes_on_from_its_file(t):
    """An interrupted table is the beginning of the whole one, and the same command completes it."""
    whole = t.tool("census", "2", "2")
    lines = whole.splitlines(keepends=True)
    assert len(lines) == 8 and lines[0].startswith("automaton,layers_at_least,")
    t.write("part.csv", "".join(lines[:3]))
    t.tool("census", "2", "2", "--out", "part.csv", out="7 searched")
    assert t.read("part.csv").decode() == whole
    facts = json.loads(t.tool("census", "2", "2", "-o", "part.csv", "--json"))
    assert facts["census_automata"] == facts["searched_automata"] == 7
    assert sum(b["census_automata"] for b in facts["layer_bounds"]) == 7
    t.write("bad.csv", lines[0] + lines[2])
    t.tool("census", "2", "2", "-o", "bad.csv", rc=65, err="bad.csv:2:1: error: the next automaton")
    t.tool("census", "3", "2", "-o", "part.csv", rc=65, err="part.csv:2:1: error")
    t.tool("census", "2", rc=64, err="numbers of states and letters")
    t.tool("census", "7", "2", rc=64, err="from 1 to 6 states")
    t.tool("census", "4", "2", "-o", "late.csv", "--time-limit", "0.01", rc=2, out="searched")


def reached_in_order(rows):
    """Returns the automaton with its states numbered breadth first; None where some are not
    reached."""
    order, number = [0], {0: 0}
    for q in order:
        for to in rows[q]:
            if to not in number:
                number[to] = len(order)
                order.append(to)
    if len(order) < len(rows):
        return None
    return tuple(tuple(number[to] for to in rows[q]) for q in order)


def test_census_counts_by_burnside(t):
    """Up to states the automata are those numbered breadth first, and up to the order of letters
    as many as Burnside's lemma says."""
    for states, letters in ((2, 2), (3, 2), (3, 3)):
        rows = list(itertools.product(range(states), repeat=letters))
        every = (reached_in_order(x) for x in itertools.product(rows, repeat=states))
        numbered = set(every) - {None}
        orders = list(itertools.permutations(range(letters)))
        fixed = sum(
            reached_in_order([[row[i] for i in order] for row in x]) == x
            for order in orders
            for x in numbered
        )
        count = f"{fixed // len(orders)} automata of {states} states and {letters} letters"
        table = f"{states}x{letters}.csv"
        short = () if states == 2 else ("--time-limit", "0.01")
        sizes = str(states), str(letters)
        t.tool("census", *sizes, "-o", table, *short, rc=2 if short else 0, out=count)


def test_minimise_says_what_it_drops(t):
    t.write("mealy.fsa", "start p\naccept q\np a q x\nq a p y\n")
    t.write("moore.fsa", "start p\naccept q\noutput p x\noutput q y\np a q\nq a p\n")
    t.tool("fsa", "minimise", "mealy.fsa", err="no outputs of transitions; --label edges keeps")
    t.tool("fsa", "minimise", "mealy.fsa", "--label", "edges", err="which states accept")
    t.tool("fsa", "minimise", "moore.fsa", err="no outputs of states; --label outputs keeps them")
    t.tool("fsa", "reverse", "moore.fsa", err="no outputs of states$")
    t.tool("fsa", "minimise", "moore.fsa", "--quiet", err="^$")


def test_letters_that_a_syntax_reads_otherwise(t):
    """A letter that the reader of a syntax would ask about is not written; a blank is."""
    t.write("eps.fsa", 'start p\naccept p\np "eps" p\n')
    t.write("less.fsa", "start p\naccept p\np -1 p\n")
    t.write("blank.fsa", 'start p\naccept p\np " " p\n')
    t.write("greek.fsa", 'start p\naccept p\np "λ" p\n')
    for name, syntax in (("eps", "att"), ("less", "att"), ("greek", "att"), ("greek", "jflap")):
        t.tool("fsa", "convert", f"{name}.fsa", "--to", syntax, rc=69, err="mean")
    for ending in ("att", "jff", "json"):
        t.tool("fsa", "convert", "blank.fsa", "-o", f"out.{ending}")
        t.tool("fsa", "equivalent", "blank.fsa", f"out.{ending}", out="are equivalent")
