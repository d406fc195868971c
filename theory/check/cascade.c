/* claim cascade: certificates of levels (theory/pages/t4.md, T4.10).
 *
 *     letters K states Q sets F levels V                   every layer is decode part
 *     set i level v members q .. [cover i ..]              F times; the first is all states; v
 *                                                          in 1..V+1, and
 *     level v layers W contexts C pairs P                  no cover at V+1 or for one state; V
 *                                                          times, W more layers:
 *       context x letter a from X to Y [reads m]           C times: meaning of letter m of the
 *                                                          first one, x where no context of
 *                                                          the level names one; in level 1 none
 *                                                          does
 *       pair p set Z codes c_1 .. c_W [child J] next p ..  P times, different, the start or
 *                                                          named by an earlier one;
 *     start p_1 .. p_V                                     next: one for each context from Z; J:
 *                                                          the set that the level hands on, with
 *                                                          all pairs of a level or none; else
 *                                                          part 1 of c_1 names it in Z's cover,
 *                                                          if Z has level v
 *     end F
 *
 * The layers of a cascade have too many joint states to list. A level, one layer or several
 * after each other, each with any number of heads, reads (a, X, Y): the input letter and two
 * sets of states of the automaton. Its state s is a code for each of its layers. The certificate
 * lists for each level the pairs (Z, s) that words lead to. Let cur(s) be part 1 of the code of
 * the level's first layer, and child(Z, c) the member c of the cover of Z where Z has this
 * level, else Z. Words lead to pairs (Z_v, s_v) with Z_1 all states, Z_{v+1} = child(Z_v,
 * cur(s_v)) and the automaton's state in Z_{V+1}: (0) the empty word does (check_cascade), and
 * for every listed pair (X, s) and letter (a, X, Y) of its level, s' being the exact next state,
 * (1) the pair (Y, s') is listed; (2) the decoder of the last layer gives the letter m of the next
 * level's context (a, X', Y') with X' = child(X, cur(s)) and Y' = child(Y, cur(s')), (3) which
 * exist, (4) with X'a inside Y'; (5) all states in the last Y' have the label given, or with label
 * edges the transitions by a from all states in the last X' have (check_step). Without (2) a level
 * could read as X another set than the one it read as Y a letter before, and levels that fit each
 * other be wrong. The induction, on the length of the word and then on the levels, uses of a level
 * that s' and what it hands on are functions of s and the letter read, no more: contexts may share
 * a letter. Layers that are stepped after each other, each by the symbol of the one below
 * (pass_layers), are such a level, whatever these symbols are: so they need no meaning and no
 * conditions. */
#include "theory/check/claim.h"
#include <stdio.h>

static void read_subset(subset *z, text *t, const problem *x)
{
    z->level = number(t, " level ", 1, x->levels + 1);
    z->member = read_numbers(t, " members", 1, x->a.states.count, &z->members);
    for (size_t i = 1; i < z->members; i++)
        if (z->member[i] <= z->member[i - 1]) reject(t, "expected increasing states");
    if (!comes(t, "\n")) {
        z->cover = read_numbers(t, " cover", 1, x->sets, &z->covers);
        if (z->members == 1 || z->level > x->levels) reject(t, "a set that has no cover");
    }
    end_line(t);
}

/* Lists the contexts of a level by their sets, or removes them from the list. */
static void list_contexts(problem *x, const level *b, bool in)
{
    for (size_t i = b->contexts; i-- > 0;) {
        uint32_t *first = &x->first[b->context[i].from];
        b->context[i].following = *first;
        *first = in ? (uint32_t)i : UNSET;
    }
}

/* Reads the letter that context i reads: in all contexts of a level or none, and not in level 1. */
static void read_reads(const problem *x, text *t, level *b, size_t i)
{
    context *c = &b->context[i];
    c->reads = (uint32_t)i;
    if (b == x->level || (i == 0 ? !comes(t, " reads ") : b->known.count == 0)) return;
    c->reads = (uint32_t)number(t, " reads ", 1, b->y->block->letters) - 1;
    if (!add(&b->known, (name){(const char *)c, 3 * sizeof c->letter}))
        reject(t, "context %zu is one of those before it", i + 1);
}

static void read_contexts(problem *x, text *t, level *b)
{
    for (size_t i = 0; i < b->contexts; i++) {
        context *c = &b->context[i];
        number(t, "context ", i + 1, i + 1);
        c->letter = (uint32_t)number(t, " letter ", 1, x->a.kinds) - 1;
        c->from = (uint32_t)number(t, " from ", 1, x->sets) - 1;
        c->to = (uint32_t)number(t, " to ", 1, x->sets) - 1;
        if (b == x->level && (c->letter != i || c->from != 0 || c->to != 0))
            reject(t, "condition (0): not letter %zu from all states to all states", i + 1);
        read_reads(x, t, b, i);
        end_line(t);
    }
    if (b->known.count == 0 && b->contexts != b->y->block->letters)
        reject(t, "level %zu has %zu contexts for %zu letters", (size_t)(b - x->level) + 1,
               b->contexts, b->y->block->letters);
}

/* Reads a level, whose layers are among the `layers` ones from y on. */
static void read_level(problem *x, text *t, level *b, const stage *y, size_t layers)
{
    b->y = y;
    b->stages = number(t, " layers ", 1, layers);
    b->width = 1 + b->stages;
    for (size_t l = 0; l < b->stages; l++)
        if (y[l].block->parts == 0) reject(t, "one of the layers is not decode part");
    b->contexts = count_of(t, " contexts ", 1, sizeof "context 1 letter 1 from 1 to 1");
    b->pairs = count_of(t, " pairs ", 1, sizeof "pair 1 set 1 codes next" + 2 * b->stages);
    end_line(t);
    b->context = grab(b->contexts, sizeof *b->context);
    read_contexts(x, t, b);
    list_contexts(x, b, true);
    read_pairs(x, t, b, "pair ", " set ", x->sets);
    list_contexts(x, b, false);
}

void read_cascade(problem *x, text *t)
{
    x->sets = read_counts(x, t, " sets ", sizeof "set 1 level 1 members 1");
    x->levels = number_line(t, " levels ", 1, x->net.layers);
    x->subset = grab(x->sets, sizeof *x->subset);
    x->first = grab(x->sets, sizeof *x->first);
    for (size_t i = 0; i < x->sets; i++) {
        number(t, "set ", i + 1, i + 1);
        read_subset(&x->subset[i], t, x);
        if (i == 0 && x->subset[0].members < x->a.states.count)
            reject(t, "condition (0): set 1 is not all states");
        x->first[i] = UNSET;
    }
    x->level = grab(x->levels, sizeof *x->level);
    size_t layers = 0, pairs = 0;
    for (size_t v = 0; v < x->levels; layers += x->level[v++].stages) {
        number(t, "level ", v + 1, v + 1);
        read_level(x, t, &x->level[v], x->net.stage + layers, x->net.stages - layers);
        pairs += x->level[v].pairs;
    }
    if (layers < x->net.stages) reject(t, "layer %zu belongs to no level", layers + 1);
    expect(t, "start");
    for (size_t v = 0; v < x->levels; v++)
        x->level[v].start = (uint32_t)number(t, " ", 1, x->level[v].pairs) - 1;
    end_line(t);
    number_line(t, "end ", x->sets, x->sets);
    snprintf(x->counts, sizeof x->counts, "pairs %zu", pairs);
}

/* Returns the set that the level hands on in this pair: as listed, or child(Z, c) of the pair's set
 * Z, where c is the coordinate in the code of the level's first layer. Any function of the pair
 * would do. */
static uint32_t child(const problem *x, const text *t, const level *b, const uint32_t *pair)
{
    const subset *z = &x->subset[pair[0]];
    if (b->child) return b->child[(size_t)(pair - b->pair) / b->width];
    const uint32_t coordinate = b->y->block->part[pair[1] * b->y->block->parts];
    if (z->level != (size_t)(b - x->level) + 1) return pair[0];
    if (coordinate >= z->covers)
        reject(t, "condition (3): set %zu has no member %zu in its cover", (size_t)pair[0] + 1,
               (size_t)coordinate + 1);
    return z->cover[coordinate];
}

static bool has_member(const subset *z, uint32_t state)
{
    size_t low = 0, high = z->members;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (z->member[middle] == state) return true;
        if (z->member[middle] < state)
            low = middle + 1;
        else
            high = middle;
    }
    return false;
}

/* Checks (4). */
static void check_inside(const problem *x, const text *t, size_t from, size_t letter, size_t to)
{
    const subset *z = &x->subset[from];
    spend(1 + z->members);
    for (size_t i = 0; i < z->members; i++)
        if (!has_member(&x->subset[to], x->a.next[z->member[i] * x->a.kinds + letter]))
            reject(t, "condition (4): letter %zu leads from set %zu out of set %zu", letter + 1,
                   from + 1, to + 1);
}

/* Returns the context of the level that the symbol must be read for: (letter, from, to) where
 * contexts name their letters, else the context with the symbol's number. */
static context *context_for(const text *t, const level *b, size_t symbol, uint32_t letter,
                            uint32_t from, uint32_t to)
{
    const context key = {.letter = letter, .from = from, .to = to};
    if (b->known.count == 0) return &b->context[symbol];
    const size_t found = find(&b->known, (name){(const char *)&key, 3 * sizeof key.letter});
    if (found == NONE || b->context[found].reads != symbol)
        reject(t,
               "condition (2): the decoder hands on letter %zu, not for letter %zu from set %zu "
               "to set %zu",
               symbol + 1, (size_t)letter + 1, (size_t)from + 1, (size_t)to + 1);
    return &b->context[found];
}

/* Checks (2) and (4) before the last level: its letter, the symbol, is to be the one for (letter,
 * from, to). */
static void check_handed_on(const problem *x, const text *t, const level *b, size_t symbol,
                            uint32_t letter, uint32_t from, uint32_t to)
{
    static const char message[] =
        "condition (2): the decoder hands on set %zu as the %s one, which is set %zu";
    context *c = context_for(t, b, symbol, letter, from, to);
    if (c->letter != letter)
        reject(t, "condition (2): the decoder hands on letter %zu", (size_t)c->letter + 1);
    if (c->from != from) reject(t, message, (size_t)c->from + 1, "old", (size_t)from + 1);
    if (c->to != to) reject(t, message, (size_t)c->to + 1, "new", (size_t)to + 1);
    if (!c->inside) check_inside(x, t, from, letter, to);
    c->inside = true;
}

/* Checks (5): the label of every state of the last set `to`, or the output of every transition by
 * the letter from `from`. */
static void check_label(const problem *x, const text *t, size_t symbol, size_t from, size_t letter,
                        size_t to)
{
    const bool edges = x->net.kind == LABEL_EDGES;
    const subset *z = &x->subset[edges ? from : to];
    if (x->subset[to].level != x->levels + 1)
        reject(t, "condition (5): set %zu is not of the last level", to + 1);
    spend(1 + z->members);
    for (size_t i = 0; i < z->members; i++) {
        const size_t q = z->member[i];
        if (edges ? !is_label(x, symbol, q, letter)
                  : !same_name(x->net.labels.item[symbol], label_of(&x->a, x->net.kind, q)))
            reject(t, "condition (5): the label is not the label of state %zu", q + 1);
    }
}

/* Checks the step of claim cascade, by a context c from the pair's set. */
static void check_step(problem *x, const text *t, const level *b, const uint32_t *pair, size_t c,
                       const uint32_t *next)
{
    const context *read = &b->context[c];
    if (next[0] != read->to) reject(t, "condition (1): context %zu leads to another set", c + 1);
    const size_t symbol =
        x->program->pass(x, t, "condition (1): letter", b, read->reads, pair + 1, next + 1);
    if (symbol == UNSET) reject(t, "condition (2): context %zu gives no symbol", c + 1);
    const uint32_t from = child(x, t, b, pair), to = child(x, t, b, next);
    if (b + 1 < x->level + x->levels) {
        check_handed_on(x, t, b + 1, symbol, read->letter, from, to);
    } else {
        check_inside(x, t, from, read->letter, to);
        check_label(x, t, symbol, from, read->letter, to);
    }
}

/* Checks all levels, then (0), whose line is the next one. */
void check_cascade(problem *x, text *t)
{
    size_t entered = 0;
    for (const level *b = x->level; b < x->level + x->levels; b++) {
        list_contexts(x, b, true);
        check_pairs(x, t, b, check_step);
        list_contexts(x, b, false);
    }
    for (const level *b = x->level; b < x->level + x->levels; b++) {
        check_start(x, t, b, entered);
        entered = child(x, t, b, b->pair + b->start * b->width);
    }
    if (x->subset[entered].level != x->levels + 1 ||
        !has_member(&x->subset[entered], (uint32_t)x->a.start))
        reject(t, "condition (0): the last set does not hold the start state");
}
