/* claim blocks: the network is a blocks form of a quotient of the automaton, and right by BL.3 of
 * theory/pages/blocks.md. A clock counts letters. Each level is a machine with letters of its own,
 * which a ring and an applying block follow as in claim d1; its letter and its state before the
 * letter give the letter of the next level, and on the last level the label.
 *
 *     size layers S heads H householders F key n value d
 *     letters K states Q classes N clock C block B levels L
 *     class c_1 .. c_Q, like q_1 .. q_N, count t codes c_1 .. c_m      as in claim d1
 *     level l nodes Z elements G      and so on for each level:
 *     letter x reads a from X to Y    what letter x of the level means; increasing x
 *     words .., element .., code .., step ..   as in claim d1, with states of the machine and acts
 * in place of classes and letters pair X s child Y                node, state, and node of the next
 * level, or on the last level a class; increasing (X, s) end N
 *
 * What you must believe of `s VERIFIED blocks`: BL.3 of theory/pages/blocks.md, an induction on
 * the length of words and on the levels. It needs a quotient that keeps labels (check_classes); the
 * form, where only counts and the tables g, T, F, R, M, D and N may hold anything (check_count,
 * check_ring_of, check_applying_of); (a) of D1.8 (check_clock); (c) (read_network); for each level
 * (b), (d) and (e), as given at the head of d1.c, for the machine whose states D moves
 * (check_d1_level, to); and of BL.3:
 * 1. the letters of level 1 mean themselves, and go from node 1 to node 1 (check_first);
 * 2. the pairs of nodes and states in which the levels start are listed, and the last child is the
 *    class of the start (check_start_of);
 * 3. from every pair, by every letter that has a meaning and comes from the pair's node, the levels
 *    go on as the automaton does (check_pair). With label edges the label is the output of the
 *    transition (BL.8).
 * Letters and pairs that no word leads to may be listed, if 3 holds for them. */
#include "theory/check/d1.h"
#include <stdio.h>

/* A pair of a node and a state of the machine: at = (node - 1) * states + state. */
typedef struct node_pair {
    size_t at, child;
} node_pair;

/* reads[x]: 1 + a letter of the automaton, or 0 for letters without a meaning. */
typedef struct tier {
    d1 d1;
    size_t states, acts, letters, nodes, pairs, line, pair_line; /* lines: of the level, and of the
                                                                    first pair */
    size_t *reads, *from, *to;                                   /* [letters] */
    node_pair *pair;
    size_t start;                            /* 1 + the state */
    const struct lookup *act, *moves, *next; /* g, D, N */
} tier;

typedef struct blocks {
    d1 clock;
    tier *tier;
    size_t tiers, classes;
} blocks;

/* Makes the level the one at hand, for the functions of form.h and d1.h. */
static void use(form *f, tier *y)
{
    f->d1 = &y->d1;
    f->n = y->states;
    f->k = y->acts;
    f->moves = y->moves;
}

/* Makes the quotient the machine at hand again. */
static void use_quotient(form *f)
{
    f->d1 = &f->blocks->clock;
    f->n = f->blocks->classes;
    f->k = f->x->a.kinds;
    f->moves = NULL;
}

/* Reading */

/* Sets the sizes of the level whose ring is block `ring`. */
static void size_tier(tier *y, const form *f, const text *t, size_t ring)
{
    const block *r = &f->x->net.block[ring], *applying = r + 1;
    if (r->wires->inputs != 2 || r->wires->pre.gates != 2 || applying->heads != 1 ||
        applying->readouts != 1 || applying->wires->post.gates < 2)
        reject(t, "no such blocks form");
    y->d1.ring = ring;
    y->letters = r->wires->size[0];
    y->acts = r->wires->pre.gate[0].table->values;
    y->states = applying->wires->post.gate[0].table->values;
}

static void read_meanings(tier *y, const form *f, text *t)
{
    y->reads = grab(y->letters, sizeof *y->reads);
    y->from = grab(y->letters, sizeof *y->from);
    y->to = grab(y->letters, sizeof *y->to);
    for (size_t least = 1; comes(t, "letter ");) {
        const size_t x = number(t, "letter ", least, y->letters) - 1;
        y->reads[x] = number(t, " reads ", 1, f->x->a.kinds);
        y->from[x] = number(t, " from ", 1, y->nodes);
        y->to[x] = number_line(t, " to ", 1, y->nodes);
        least = x + 2;
    }
}

static void read_node_pairs(tier *y, text *t, size_t most)
{
    size_t capacity = 0, last = 0;
    y->pair_line = t->line;
    for (size_t least = 0; comes(t, "pair ");) {
        const size_t node = number(t, "pair ", 1, y->nodes);
        const size_t state = number(t, " ", 1, y->states);
        const size_t at = product_of(node - 1, y->states) + state - 1;
        if (at < least || node > last + 1) reject(t, "expected increasing pairs, of every node");
        y->pair = grow(y->pair, y->pairs, &capacity, sizeof *y->pair);
        y->pair[y->pairs++] = (node_pair){at, number_line(t, " child ", 1, most)};
        least = at + 1;
        last = node;
    }
    if (last != y->nodes) reject(t, "expected a pair of node %zu", last + 1);
}

static void read_tier(form *f, text *t, size_t l)
{
    blocks *b = f->blocks;
    tier *y = &b->tier[l];
    y->line = t->line;
    size_tier(y, f, t, b->clock.clock + 2 * l);
    number(t, "level ", l + 1, l + 1);
    y->nodes = count_of(t, " nodes ", 1, sizeof "pair 1 1 child 1");
    y->d1.elements =
        number_line(t, " elements ", 1, (size_t)(f->x->lrnn.end - f->x->lrnn.bytes)); /* they are in
                                                                                         tables */
    read_meanings(y, f, t);
    use(f, y);
    read_d1_level(f, t);
    use_quotient(f);
    read_node_pairs(y, t, l + 1 == b->tiers ? b->classes : MAX_FILE);
}

void read_blocks(problem *x, text *t)
{
    form *f = begin_form(x, t, 1);
    blocks *b = f->blocks = grab(1, sizeof *b);
    b->classes = f->n;
    use_quotient(f);
    b->clock.clock = number(t, " clock ", 1, MAX_FILE);
    f->half = count_of(t, " block ", 1, sizeof "count 1 codes 1");
    b->tiers = count_of(t, " levels ", 1, sizeof "level 1 nodes 1 elements 1");
    read_classes(f, t);
    if (x->net.blocks != b->clock.clock + 2 * b->tiers) reject(t, "no such blocks form");
    read_counts_of_clock(f, t);
    b->tier = grab(b->tiers, sizeof *b->tier);
    for (size_t l = 0; l < b->tiers; l++) read_tier(f, t, l);
    number_line(t, "end ", b->classes, b->classes);
    snprintf(x->counts, sizeof x->counts, "block %zu levels %zu classes %zu", f->half, b->tiers,
             b->classes);
}

/* The form */

/* Checks the ring of the level at hand. Wires: letter, count, act, both, rows, rows of the block
 * before, products, rows of this block before the letter, F, R. */
static void check_ring_of(form *f, tier *y)
{
    const size_t rows = 2 * f->half;
    const uint32_t row = 4;
    uint32_t out[] = {0, 1, 0, 0};
    enter(f, y->d1.ring, false);
    need(f, f->b->wires->size[1] == rows, "wire", 2);
    next_gate(f, ANY, 0, 0, 1, (uint32_t[]){0});
    y->act = f->table;
    next_gate(f, BOTH, 0, 0, 2, (uint32_t[]){1, 2});
    check_heads(f, 1, rows, 3);
    check_ring_head(f, rows);
    for (uint32_t j = 0; j < rows; j++) next_gate(f, ROW, j, 0, 2, (uint32_t[]){1, row + j});
    const uint32_t last = check_chain(f, rows, (uint32_t)(row + rows));
    for (uint32_t j = 0; j < rows; j++) next_gate(f, ROW, j, 2, 2, (uint32_t[]){1, row + j});
    out[2] = next_gate(f, ANY, 0, 0, 2, (uint32_t[]){last, 1});
    y->d1.portion = f->table;
    out[3] = next_gate(f, ANY, 0, 0, 2, (uint32_t[]){last, 1});
    y->d1.rest = f->table;
    check_outputs(f, 4, out, rows, last + 1);
}

/* Checks the applying block of the level at hand. Wires: letter, count, F, R, rows of this block,
 * code, states, next letter or label. */
static void check_applying_of(form *f, tier *y, bool is_last)
{
    const uint32_t rows = (uint32_t)(2 * f->half);
    uint32_t out[] = {0, 1};
    enter(f, y->d1.ring + 1, false);
    check_heads(f, 1, 1, 2);
    uint32_t last = next_gate(f, ANY, 0, 0, 2, (uint32_t[]){4 + rows, 3});
    y->d1.meaning = f->table;
    f->moves = y->moves = f->c->gate[1].table;
    for (uint32_t j = 0; j < rows; j++)
        last = next_gate(f, MOVED, 0, 0, 2, (uint32_t[]){last, 4 + j});
    out[0] = next_gate(f, ANY, 0, 0, 2, (uint32_t[]){0, last});
    y->next = f->table;
    check_outputs(f, is_last ? 1 : 2, out, 0, 0);
}

static void check_blocks_form(form *f)
{
    const network *net = &f->x->net;
    blocks *b = f->blocks;
    need(f, net->stages == net->blocks, "stages, of which there are", net->stages);
    for (size_t l = 0; l < net->stages; l++)
        need(f, net->stage[l].block == &net->block[l], "stage", l + 1);
    for (size_t l = 0; l < b->clock.clock; l++) check_count(f, l);
    for (size_t l = 0; l < b->tiers; l++) {
        use(f, &b->tier[l]);
        check_ring_of(f, &b->tier[l]);
        check_applying_of(f, &b->tier[l], l + 1 == b->tiers);
    }
    enter(f, 0, false);
    use_quotient(f);
}

/* Conditions 1 to 3 of BL.3 */

static void check_first(const form *f, text *t)
{
    const tier *y = f->blocks->tier;
    t->line = y->line;
    if (y->letters != f->x->a.kinds) reject(t, "level 1 has other letters than the automaton");
    for (size_t a = 0; a < y->letters; a++)
        if (y->reads[a] != a + 1 || y->from[a] != 1 || y->to[a] != 1)
            reject(t, "letter %zu of level 1 does not mean itself", a + 1);
}

/* Returns the pair of the node and the state, from 0, or NULL. */
static const node_pair *find_node_pair(const tier *y, size_t node, size_t state)
{
    const size_t at = product_of(node - 1, y->states) + state;
    size_t low = 0, high = y->pairs;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (y->pair[middle].at == at) return &y->pair[middle];
        if (y->pair[middle].at < at)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

static void check_start_of(const form *f, text *t)
{
    const blocks *b = f->blocks;
    size_t node = 1;
    for (const tier *y = b->tier; y < b->tier + b->tiers; y++) {
        t->line = y->pair_line;
        const node_pair *p = node > y->nodes ? NULL : find_node_pair(y, node, y->start - 1);
        if (!p)
            reject(t, "node %zu and state %zu, where the level starts, are no pair", node,
                   y->start);
        else
            node = p->child;
    }
    if (node != f->class[f->x->a.start]) reject(t, "the last level does not start in the start");
}

/* Returns whether symbol z, by letter x from the pair p to the pair q, is right. */
static bool goes_on(const form *f, const tier *y, size_t x, const node_pair *p, const node_pair *q,
                    size_t z)
{
    const blocks *b = f->blocks;
    const tier *above = y + 1;
    if (above < b->tier + b->tiers)
        return above->reads[z] == y->reads[x] && above->from[z] == p->child &&
               above->to[z] == q->child;
    const size_t class = class_after(f, p->child - 1, y->reads[x] - 1);
    const uint32_t like = f->like[p->child - 1];
    const name expected = label_after(&f->x->a, f->x->net.kind, like, y->reads[x] - 1);
    return q->child == class + 1 && z == find(&f->x->net.labels, expected);
}

/* Checks all letters letter[0 .. count) that come from the pair's node; the level is at hand. */
static void check_pair(const form *f, const text *t, const tier *y, const node_pair *p,
                       const size_t *letter, size_t count)
{
    const size_t state = p->at % y->states;
    spend(1 + count / 2);
    for (size_t i = 0; i < count; i++) {
        const size_t x = letter[i], after = to(f, state, y->act->value[x]);
        const node_pair *q = find_node_pair(y, y->to[x], after);
        if (!q || !goes_on(f, y, x, p, q, y->next->value[x * y->states + state]))
            reject(t, "letter %zu of the level does not lead as the automaton does", x + 1);
    }
}

/* Checks 3 for the level at hand. */
static void check_node_pairs(const form *f, text *t, const tier *y)
{
    size_t *first = grab(y->nodes + 2, sizeof *first), *letter = grab(y->letters, sizeof *letter);
    for (size_t x = 0; x < y->letters; x++)
        if (y->reads[x] > 0) first[y->from[x] + 1]++;
    for (size_t z = 1; z <= y->nodes; z++) first[z + 1] += first[z];
    /* first[z] is where the letters from node z begin, and then where they end. */
    for (size_t x = 0; x < y->letters; x++)
        if (y->reads[x] > 0) letter[first[y->from[x]]++] = x;
    t->line = y->pair_line;
    for (const node_pair *p = y->pair; p < y->pair + y->pairs; p++, t->line++) {
        const size_t node = 1 + p->at / y->states;
        check_pair(f, t, y, p, letter + first[node - 1], first[node] - first[node - 1]);
    }
}

void check_blocks(problem *x, text *t)
{
    form *f = x->form;
    blocks *b = f->blocks;
    check_classes(f, t);
    check_blocks_form(f);
    check_clock(f, t);
    for (tier *y = b->tier; y < b->tier + b->tiers; y++) {
        use(f, y);
        y->start = check_d1_level(f, t);
    }
    check_first(f, t);
    check_start_of(f, t);
    for (tier *y = b->tier; y < b->tier + b->tiers; y++) {
        use(f, y);
        check_node_pairs(f, t, y);
    }
    use_quotient(f);
}
