"""Weakened checkers of claims blocks, points and product, of joined cascades, of outputs of
transitions and classes of letters, and of lower bounds, for weakened.py."""

import copy
from typing import NamedTuple

import handmade
import triple
import triple_judge


class Weakness(NamedTuple):
    name: str
    sources: str  # files in the repository
    old: str  # found once in all of them
    new: str
    claims: tuple  # kinds of the campaign, which must catch it unless `made` does
    made: object = None


def untrue_added():
    """Yields triples whose network is right, and whose added state is none: the start, an accepting
    one, one that is left, and one whose output, or whose transitions' output, others have. The
    labels are names of states."""
    a, net = handmade.partial("states")
    alone, its = handmade.trivial()
    alone.added = 0, a.added[1]
    cases = [(alone, its)] + [(copy.deepcopy(a), net) for _ in range(5)]
    cases[1][0].accept = {0, 2}
    cases[2][0].added = 1, a.added[1]
    cases[3][0].outputs = ["x", "y", "x"]
    cases[4][0].edge_outputs = [["x"] * 3 for _ in a.states]
    cases[5][0].edge_outputs = [["x", "y", "x"], ["x", "y", "x"], ["y", "y", "z"]]
    for changed, of in cases:
        rows = triple_judge.close(of, changed)
        fsa = changed.text()
        lrnn = of.text(triple.sha256(fsa))
        cert = triple_judge.certificate_of(of, changed, rows)
        yield (fsa, lrnn, cert.text(fsa, lrnn)), False


PRODUCT, BLOCKS, POINTS, D1, CASCADE, BOUND, SEPARATION = (
    f"theory/check/{name}.c"
    for name in (
        *("product", "blocks", "points", "d1", "cascade"),
        *("bound/bound", "bound/separation-check"),
    )
)
AUTOMATON = "theory/check/automaton.c"
WEAKENED = [
    Weakness(
        "product: the label of the classes",
        PRODUCT,
        "if (!same_name(given, label_of(&p->x->a, net->kind, state)))",
        "if (given.size == 0)",
        ("product",),
    ),
    Weakness(
        "product: wires of another part",
        PRODUCT,
        'reject(&c->p->t, "block %zu: part %zu reads wire %zu, which is not its own", (size_t)(c->b'
        " - c->p->x->net.block) + 1, c->part + 1, wire + 1);",
        "return 0;",
        ("product",),
    ),
    Weakness(
        "product: no congruence",
        PRODUCT,
        "if (after == 0 || (*known != UNSET && *known != after - 1))",
        "if (after == 0)",
        ("product",),
    ),
    Weakness(
        "product: no claim of a part",
        PRODUCT,
        "own->claim->check(&own->y, &lines);",
        "",
        ("product",),
    ),
    Weakness(
        "product: parts that are not at work",
        PRODUCT,
        "if (!works) check_idle(p, net->stage[l].block, which, t);",
        "",
        ("product",),
    ),
    Weakness(
        "product: blocks that act differently",
        PRODUCT,
        "same = same_name(a->slot[j].on[v].spelled, b->slot[j].on[v].spelled);",
        "same = a->slot[j].on[v].spelled.size > 0;",
        ("product",),
    ),
    Weakness(
        "blocks: no label and no child",
        BLOCKS,
        "if (!q || !goes_on(f, y, x, p, q, y->next->value[x * y->states + state]))",
        "if (!q)",
        ("blocks",),
    ),
    Weakness(
        "blocks: the start",
        BLOCKS,
        "if (node != f->class[f->x->a.start])",
        "if (node == 0)",
        ("blocks",),
    ),
    Weakness(
        "blocks: the next level's child",
        BLOCKS,
        "above->from[z] == p->child && above->to[z] == q->child;",
        "above->from[z] == p->child;",
        ("blocks",),
    ),
    Weakness(
        "blocks: meanings on level 1",
        BLOCKS,
        "if (y->reads[a] != a + 1 || y->from[a] != 1 || y->to[a] != 1)",
        "if (y->from[a] != 1 || y->to[a] != 1)",
        ("blocks",),
    ),
    Weakness(
        "blocks: steps of the last head",
        D1,
        'reject(t, "the head goes to another state");',
        ";",
        ("blocks", "d1"),
    ),
    Weakness(
        "blocks: the count",
        D1,
        'if (count != z) reject(t, "the count is %zu", (size_t)count + 1);',
        "",
        ("blocks",),
    ),
    Weakness(
        "points: marks",
        POINTS,
        "if (p->place[m]->value[to_code] != (at == i ? y : at == y ? i : at))",
        "if (at == UNSET)",
        ("points",),
    ),
    Weakness(
        "points: the label",
        POINTS,
        "if (list != find(&f->x->net.labels, label_of(a, f->x->net.kind, row[0])))",
        "if (list == NONE)",
        ("points",),
    ),
    Weakness(
        "points: the next row",
        POINTS,
        'if (!right) reject(t, "the row after letter %zu is another", w + 1);',
        "",
        ("points",),
    ),
    Weakness(
        "points: steps of the last head",
        POINTS,
        "if (!state_is(x->state, r->entries, &r->code[to_code]))",
        "if (false)",
        ("points",),
    ),
    Weakness(
        "points: the beginning",
        POINTS,
        'if (!right) reject(t, "row 1 is not the start with the points of the initial state");',
        "",
        ("points",),
    ),
    Weakness(
        "points: letters that do not permute",
        POINTS,
        "if (met[after] || p->orbit[after] != p->orbit[i] || (a == 0 && after != i))",
        "if (p->orbit[after] != p->orbit[i])",
        ("points",),
    ),
    Weakness(
        "points: what does nothing",
        POINTS,
        'need(f, is_idle(&slot->on[0]), "slot", s + 1);',
        "",
        ("points",),
    ),
    Weakness(
        "joined: the letter that is handed on",
        CASCADE,
        "if (found == NONE || b->context[found].reads != symbol)",
        "if (found == NONE)",
        ("joined cascades",),
    ),
    Weakness(
        "joined: the set that is entered",
        CASCADE,
        'if (next[0] != read->to) reject(t, "condition (1): context %zu leads to another set", c +'
        " 1);",
        "",
        ("joined cascades",),
    ),
    Weakness(
        "joined: letters out of a set",
        CASCADE,
        "if (!has_member(&x->subset[to], x->a.next[z->member[i] * x->a.kinds + letter]))",
        "if (z->members == 0)",
        ("joined cascades",),
    ),
    Weakness(
        "edges: the output",
        CASCADE,
        "if (edges ? !is_label(x, symbol, q, letter)",
        "if (edges ? symbol == UNSET",
        ("cascades of edges and classes",),
    ),
    Weakness(
        "classes: letters that act differently",
        "theory/check/automaton.c",
        "if (next[to] != a->next[from] || (output &&",
        "if ((output &&",
        ("edges and classes", "wired edges and classes"),
    ),
    Weakness(
        "classes: letters with different outputs",
        "theory/check/automaton.c",
        "(output && !same_name(output[to], a->edge_output[from]))",
        "false",
        ("edges and classes", "wired edges and classes"),
    ),
    Weakness(
        "added: the start",
        AUTOMATON,
        'if (s == a->start) reject(t, "the added state is the start");',
        "",
        ("exact",),
        untrue_added,
    ),
    Weakness(
        "added: a state that accepts",
        AUTOMATON,
        'if (a->accept[s]) reject(t, "the added state accepts");',
        "",
        ("exact",),
        untrue_added,
    ),
    Weakness(
        "added: a state that is left",
        AUTOMATON,
        "if (a->next[s * k + w] != s)",
        "if (w > k)",
        ("exact",),
        untrue_added,
    ),
    Weakness(
        "added: outputs of two",
        AUTOMATON,
        "if (q != s && same_name(a->output[q], a->output[s]))",
        "if (q > a->states.count)",
        ("exact",),
        untrue_added,
    ),
    Weakness(
        "added: outputs of transitions",
        AUTOMATON,
        "if (same_name(a->edge_output[e], a->edge_output[s * k]) != (a->next[e] == s))",
        "if (e > a->states.count * k)",
        ("exact",),
        untrue_added,
    ),
    Weakness(
        "edges: outputs of the first letter only",
        "theory/check/claim.c",
        "if (symbol == UNSET || !is_label(x, symbol, *row, letter))",
        "if (symbol == UNSET || ((letter == 0 || x->net.kind != LABEL_EDGES) && "
        "!is_label(x, symbol, *row, letter)))",
        ("edges and classes",),
    ),
    Weakness(
        "fork: where u and v lead",
        "theory/check/bound/fork-check.c",
        "must_lead(m, t, i == 0 ? \"u\" : \"v\", s, &w, i == 0 ? p : q);",
        "",
        ("fork",),
    ),
    Weakness(
        "fork: what keeps q",
        "theory/check/bound/fork-check.c",
        'must_lead(m, t, i == 0 ? "u" : "v", q, &w, q);',
        "",
        ("fork",),
    ),
    Weakness(
        "fork: what is still",
        "theory/check/bound/fork-check.c",
        'if (still.length == 0) reject(t, "still is empty");',
        "",
        ("fork",),
    ),
    Weakness(
        "band: where words lead",
        "theory/check/bound/band-check.c",
        "if (end != class[to[i]])",
        "if (from[i] != to[i] && end != class[to[i]])",
        ("band",),
    ),
    Weakness(
        "band: labels that do not differ",
        "theory/check/bound/band-check.c",
        "if (!tells_apart(m, class[T], class[Z], &apart))",
        "if (apart.length > MAX_FILE)",
        ("band",),
    ),
    Weakness(
        "stack: loops that are not idempotent",
        "theory/check/bound/stack-check.c",
        "must_be_idempotent(s, to + 4 + points, v);",
        "",
        ("stack",),
    ),
    Weakness(
        "stack: loops with efe and fe",
        "theory/check/bound/stack-check.c",
        "if (s->may_be[v * n + q] && e[f[e[q]]] != e[f[q]])",
        "if (s->may_be[v * n + q] && v == SIZE_MAX)",
        ("stack",),
    ),
    Weakness(
        "stack: slots that are read twice",
        "theory/check/bound/stack-check.c",
        "if (from < slots && read[from])",
        "if (from < slots && from == SIZE_MAX)",
        ("stack",),
    ),
    Weakness(
        "stack: permutations",
        "theory/check/bound/stack-check.c",
        "if (taken >> to & 1U)",
        "if (taken >> to & 2U && to == SIZE_MAX)",
        ("stack",),
    ),
    Weakness(
        "stack: a step between layers",
        "theory/check/bound/stack-check.c",
        "check_step(&below, &above);",
        "",
        ("stack",),
    ),
    Weakness(
        "depth: a band that is taken for a fork",
        "theory/check/bound/depth-check.c",
        "*finite |= band;",
        "",
        ("depth",),
    ),
    Weakness(
        "arcs: other places",
        "theory/check/bound/arcs-check.c",
        "if (lead(m, state[c], &w) != state[c == i ? j : c])",
        "if (c == i && lead(m, state[c], &w) != state[j])",
        ("arcs",),
    ),
    Weakness(
        "arcs: a graph that is not connected",
        "theory/check/bound/arcs-check.c",
        "if (joined[i] || !joined[j])",
        "if (i == j)",
        ("arcs",),
    ),
    Weakness(
        "arcs: labels of two",
        "theory/check/bound/arcs-check.c",
        "if (!tells_apart(m, state[i], state[j], &apart))",
        "if (apart.length > MAX_FILE)",
        ("arcs",),
    ),
    Weakness(
        "depth: a class that no map leads to",
        "theory/check/bound/depth-check.c",
        'if (!reached) reject(t, "no map of the power leads to the class");',
        "",
        ("depth",),
    ),
    Weakness(
        "depth: the end",
        "theory/check/bound/depth-check.c",
        "if (!leads_to(last, c, d) || !leads_to(last, c, e))",
        "if (!leads_to(last, c, d))",
        ("depth",),
    ),
    Weakness(
        "depth: labels that do not differ",
        "theory/check/bound/depth-check.c",
        "if (!tells_apart(m, r->class[d], r -> class[e], &apart))",
        "if (apart.length > MAX_FILE)",
        ("depth",),
    ),
    Weakness(
        "depth: maps that are not in the stage",
        "theory/check/bound/depth-check.c",
        'reject(t, "the map is not in the stage");',
        ";",
        ("depth",),
    ),
    Weakness(
        "bounds: two labels in a class",
        BOUND,
        "if (m->kind != LABEL_EDGES && !same_name(label_at(m, q, 0), label_at(m, first, 0)))",
        "if (false)",
        ("fork",),
    ),
    Weakness(
        "bounds: two classes after a letter",
        BOUND,
        "if (m->next[c * m->kinds + x] != to)",
        "if (false)",
        ("depth",),
    ),
    Weakness(
        "bounds: classes that are not reached",
        BOUND,
        'if (met < m->classes) reject(t, "the start does not reach every class");',
        "",
        ("arcs",),
    ),
    Weakness(
        "separation: terms that do not sum to 0",
        SEPARATION,
        'if (mpq_sgn(x->sum[i]) != 0) reject(t, "the terms before this line do not sum to 0");',
        "",
        ("separation",),
    ),
    Weakness(
        "separation: negative factors",
        SEPARATION,
        'if (mpq_sgn(scale) <= 0) reject(t, "expected a positive factor");',
        "",
        ("separation",),
    ),
    Weakness(
        "separation: what is not known",
        SEPARATION,
        'reject(t, "the vector before this line is not known");',
        ";",
        ("separation",),
    ),
    Weakness(
        "separation: codes that need not be equal",
        SEPARATION,
        "if (reduce(&x, &x.known[0], x.other) != NONE)",
        "if (false)",
        ("separation",),
    ),
    Weakness(
        "separation: labels after no letter",
        SEPARATION,
        "if (apart.length == 0)",
        "if (false)",
        ("separation",),
    ),
]
