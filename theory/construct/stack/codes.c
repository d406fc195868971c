/* Codes of bits: functions are added where they tell no two states apart, and pulled back along the
 * edges until every vertex has what the edges from it read. */
#include "theory/construct/stack/codes.h"
#include "numeric/base/mem.h"
#include "theory/construct/stack/impl.h"
#include <string.h>

#define PHASE "codes of bits"
#define BITS F2L_STACK_CODE_BITS
#define MOST_NODES 64   /* of the search, for a number of bits */
#define MOST_ROWS 20000 /* that are met */

/* The functions that the slots hold at a vertex: the states with value 1, of which the first
 * possible state is none. */
typedef struct code {
    uint8_t function[BITS], bits;
} code;

typedef struct coder {
    const f2l_orbits_graph *graph;
    /* The states before and after the states of each half of a set: [letter][half][set]. */
    uint8_t before[F2L_STACK_LETTERS][2][16], after[F2L_STACK_LETTERS][2][16];
    uint8_t *possible;   /* [vertices] states */
    size_t *into, *from; /* from[into[v] .. into[v + 1]]: the edges that lead to vertex v */
    uint64_t *waiting;   /* bit i: the edge that is i before the last one has more to read */
    size_t most, nodes;  /* bits; of the search */
    f2l_meter meter;
} coder;

/* --- functions --- */

/* Lists the states before and after all sets of at most four states. */
static void list_halves(coder *c)
{
    const f2l_orbits_graph *g = c->graph;
    for (size_t a = 0; a < g->letters; a++)
        for (size_t half = 0; half < 2; half++)
            for (size_t set = 0; set < 16; set++)
                for (size_t q = 0; q < g->states; q++) {
                    const uint32_t to = g->next[q * g->letters + a];
                    if (to / 4 == half && set >> to % 4 & 1)
                        c->before[a][half][set] |= (uint8_t)(1U << q);
                    if (q / 4 == half && set >> q % 4 & 1)
                        c->after[a][half][set] |= (uint8_t)(1U << to);
                }
}

/* Returns the states at vertex `v` from which letter `a` leads to one of `to`. */
static uint8_t states_before(const coder *c, size_t v, size_t a, uint8_t to)
{
    return c->possible[v] & (c->before[a][0][to & 15] | c->before[a][1][to >> 4]);
}

/* Pulls a function back along an edge of vertex `v`. It is 0 where it is constant there; *flip: it
 * is the complement, or the constant 1. */
static uint8_t pull_back(bool *flip, const coder *c, size_t v, size_t a, uint8_t function)
{
    const uint8_t all = c->possible[v], pulled = states_before(c, v, a, function);
    *flip = pulled & all & (uint8_t)-all; /* the first possible state */
    return *flip ? (uint8_t)(all & ~pulled) : pulled;
}

static size_t count_function(const code *x, uint8_t function)
{
    size_t count = 0;
    for (size_t i = 0; i < x->bits; i++) count += x->function[i] == function;
    return count;
}

/* --- closing --- */

static bool add_function(code *x, uint8_t function, size_t most)
{
    if (x->bits == most) return false;
    x->function[x->bits++] = function;
    return true;
}

static size_t count_edges(const coder *c)
{
    return c->graph->vertices * c->graph->letters;
}

static size_t count_words(const coder *c)
{
    return count_edges(c) / 64 + 1;
}

/* Puts the edges that lead to vertex `v` among those that wait. */
static void let_wait(const coder *c, size_t v)
{
    for (size_t k = c->into[v]; k < c->into[v + 1]; k++) {
        const size_t i = count_edges(c) - 1 - c->from[k];
        c->waiting[i / 64] |= UINT64_C(1) << i % 64;
    }
}

/* Takes the last edge before *edge that waits; returns whether there was one. */
static bool take_waiting(size_t *edge, const coder *c)
{
    const size_t first = count_edges(c) - *edge;
    uint64_t here = UINT64_MAX << first % 64;
    for (size_t w = first / 64; w < count_words(c); w++, here = UINT64_MAX) {
        const uint64_t left = c->waiting[w] & here;
        if (!left) continue;
        const size_t i = w * 64 + (size_t)__builtin_ctzll(left);
        c->waiting[w] &= ~(UINT64_C(1) << i % 64);
        *edge = count_edges(c) - 1 - i;
        return true;
    }
    return false;
}

/* Gives vertex `v` what its edge of letter `a` reads; *added: it had not. Returns whether there was
 * room. */
static bool close_edge(bool *added, code *all, const coder *c, size_t v, size_t a)
{
    const code *to = &all[c->graph->below[v * c->graph->letters + a]];
    code read = {.bits = 0};
    for (size_t i = 0; i < to->bits; i++) {
        bool flip;
        const uint8_t function = pull_back(&flip, c, v, a, to->function[i]);
        if (!function) continue;
        read.function[read.bits++] = function;
        if (count_function(&read, function) <= count_function(&all[v], function)) continue;
        if (!add_function(&all[v], function, c->most)) return false;
        let_wait(c, v);
        *added = true;
    }
    return true;
}

/* Closes codes under all edges that were closed before vertex `v` got its last function; *closed:
 * there was room. Edges are swept from the last to the first. */
static f2l_status close_codes(bool *closed, code *all, coder *c, size_t v, f2l_error *err)
{
    const size_t letters = c->graph->letters;
    bool added = true;
    *closed = true;
    memset(c->waiting, 0, count_words(c) * sizeof *c->waiting);
    let_wait(c, v);
    while (added) {
        added = false;
        for (size_t e = count_edges(c); *closed && take_waiting(&e, c);)
            *closed = close_edge(&added, all, c, e / letters, e % letters);
        if (!*closed) return F2L_OK;
        f2l_status status = f2l_meter_spend(&c->meter, count_edges(c), 0, 0, err);
        if (status != F2L_OK) return status;
    }
    return F2L_OK;
}

/* --- the search --- */

/* Returns two possible states at a vertex that its code does not tell apart, or 0. */
static uint8_t find_joined(const coder *c, const code *x, size_t v)
{
    for (size_t q = 1; q < c->graph->states; q++) {
        unsigned same = c->possible[v]; /* as q, for the functions */
        if (!(same >> q & 1U)) continue;
        for (size_t i = 0; i < x->bits; i++)
            same &= x->function[i] >> q & 1U ? x->function[i] : ~(unsigned)x->function[i];
        same &= (1U << q) - 1;
        if (same) return (uint8_t)(1U << q | (same & -same));
    }
    return 0;
}

static f2l_status extend_codes(bool *found, code *all, coder *c, f2l_error *err);

/* Tries all functions that tell two states of vertex `v` apart. */
static f2l_status tell_apart(bool *found, code *all, coder *c, size_t v, uint8_t pair,
                             f2l_error *err)
{
    const size_t n = c->graph->vertices;
    const unsigned possible = c->possible[v], others = possible & (possible - 1); /* sets of them */
    code *kept = f2l_calloc(n, sizeof *kept);
    if (!kept) return f2l_fail_memory(err);
    memcpy(kept, all, n * sizeof *all);
    f2l_status status = F2L_OK;
    for (unsigned f = others & -others; f && status == F2L_OK && !*found && c->nodes > 0;
         f = ((f | ~others) + 1) & others) {
        const unsigned told = f & pair;
        if (!told || told == pair) continue;
        c->nodes--;
        bool closed = add_function(&all[v], (uint8_t)f, c->most);
        if (closed) status = close_codes(&closed, all, c, v, err);
        if (status == F2L_OK && closed) status = extend_codes(found, all, c, err);
        if (!*found) memcpy(all, kept, n * sizeof *all);
    }
    f2l_free(kept);
    return status;
}

/* Extends closed codes until they tell all states apart; *found: they do. */
static f2l_status extend_codes(bool *found, code *all, coder *c, f2l_error *err)
{
    for (size_t v = 0; v < c->graph->vertices; v++) {
        const uint8_t pair = find_joined(c, &all[v], v);
        if (pair) return tell_apart(found, all, c, v, pair, err);
    }
    *found = true;
    return F2L_OK;
}

static f2l_status search_codes(bool *found, code *all, coder *c, f2l_error *err)
{
    f2l_status status = F2L_OK;
    *found = false;
    for (c->most = 1; c->most <= BITS && status == F2L_OK && !*found; c->most++) {
        c->nodes = MOST_NODES;
        memset(all, 0, c->graph->vertices * sizeof *all);
        status = extend_codes(found, all, c, err);
    }
    return status;
}

/* --- the layer --- */

/* Returns a slot before the edge that holds the function and is not read yet, best slot `i` itself;
 * `slots` where there is none. */
static size_t find_source(const code *before, uint8_t function, const bool *read, size_t i,
                          size_t slots)
{
    if (i < before->bits && before->function[i] == function && !read[i]) return i;
    for (size_t k = 0; k < before->bits; k++)
        if (before->function[k] == function && !read[k]) return k;
    return slots;
}

/* Wires one edge. Slots without a function at the next vertex read what is left, best themselves.
 */
static void wire_edge(f2l_slots *slots, const code *all, const coder *c, size_t edge)
{
    const size_t letters = c->graph->letters, v = edge / letters, n = slots->slots;
    const code *to = &all[c->graph->below[edge]];
    uint32_t *source = slots->source + edge * n;
    uint8_t *flip = slots->flip + edge * n;
    bool read[BITS] = {false};
    for (size_t i = 0; i < to->bits; i++) {
        bool complement;
        const uint8_t function = pull_back(&complement, c, v, edge % letters, to->function[i]);
        flip[i] = complement;
        source[i] = F2L_SLOTS_WRITTEN;
        if (!function) continue;
        source[i] = (uint32_t)find_source(&all[v], function, read, i, n);
        read[source[i]] = true;
    }
    for (size_t i = to->bits; i < n; i++) {
        size_t from = i;
        while (read[from]) from = (from + 1) % n;
        source[i] = (uint32_t)from;
        read[from] = true;
    }
}

static f2l_status wire_codes(f2l_orbits *out, uint8_t **initial, const code *all, const coder *c,
                             f2l_error *err)
{
    const f2l_orbits_graph *g = c->graph;
    f2l_slots *slots = &out->slots;
    slots->letters = g->vertices * g->letters;
    for (size_t v = 0; v < g->vertices; v++)
        if (all[v].bits > slots->slots) slots->slots = all[v].bits;
    if (slots->slots == 0) slots->slots = 1;
    slots->source = f2l_calloc(slots->letters * slots->slots, sizeof *slots->source);
    slots->flip = f2l_calloc(slots->letters * slots->slots, sizeof *slots->flip);
    *initial = f2l_calloc(slots->slots, 1);
    if (!slots->source || !slots->flip || !*initial) return f2l_fail_memory(err);
    for (size_t e = 0; e < slots->letters; e++) wire_edge(slots, all, c, e);
    const code *start = &all[g->start];
    for (size_t i = 0; i < start->bits; i++)
        (*initial)[i] = start->function[i] >> g->start_state & 1U;
    return F2L_OK;
}

/* --- from outside --- */

/* Sets the states that are possible at each vertex. */
static f2l_status find_possible(coder *c, f2l_error *err)
{
    const f2l_orbits_graph *g = c->graph;
    f2l_status status = F2L_OK;
    c->possible[g->start] = (uint8_t)(1U << g->start_state);
    for (bool more = true; more && status == F2L_OK;) {
        more = false;
        for (size_t e = 0; e < g->vertices * g->letters; e++) {
            uint8_t *to = &c->possible[g->below[e]];
            const uint8_t before = *to, from = c->possible[e / g->letters];
            const size_t a = e % g->letters;
            if (g->below[e] != e / g->letters)
                *to |= c->after[a][0][from & 15] | c->after[a][1][from >> 4];
            /* On a loop states lead on at once, as the number of passes is counted. */
            for (size_t q = 0; q < g->states && g->below[e] == e / g->letters; q++)
                if (*to >> q & 1U) *to |= (uint8_t)(1U << g->next[q * g->letters + a]);
            more |= *to != before;
        }
        status = f2l_meter_spend(&c->meter, g->vertices * g->letters, 0, 0, err);
    }
    return status;
}

/* Lists the edges that lead to each vertex. */
static void list_into(coder *c)
{
    const f2l_orbits_graph *g = c->graph;
    const size_t edges = count_edges(c);
    for (size_t e = 0; e < edges; e++) c->into[g->below[e] + 1]++;
    for (size_t v = 0; v < g->vertices; v++) c->into[v + 1] += c->into[v];
    for (size_t e = edges; e-- > 0;) c->from[--c->into[g->below[e] + 1]] = e;
    memmove(c->into, c->into + 1, g->vertices * sizeof *c->into);
    c->into[g->vertices] = edges;
}

static f2l_status find_codes(f2l_orbits *out, coder *c, code *all, const f2l_task *task,
                             f2l_error *err)
{
    bool found = false;
    uint8_t *initial = NULL;
    list_into(c);
    list_halves(c);
    f2l_status status = find_possible(c, err);
    if (status == F2L_OK) status = search_codes(&found, all, c, err);
    if (status == F2L_OK && !found)
        status = f2l_fail(err, F2L_EDOMAIN, "no codes of at most %d bits were found", BITS);
    if (status == F2L_OK) status = wire_codes(out, &initial, all, c, err);
    if (status == F2L_OK) status = f2l_orbits_close(out, c->graph, initial, MOST_ROWS, task, err);
    f2l_free(initial);
    return status;
}

f2l_status f2l_stack_codes_find(f2l_orbits *out, const f2l_orbits_graph *graph,
                                const f2l_task *task, f2l_error *err)
{
    coder c = {.graph = graph, .meter = {.task = task, .phase = PHASE}};
    code *all = f2l_calloc(graph->vertices, sizeof *all);
    c.possible = f2l_calloc(graph->vertices, 1);
    c.into = f2l_calloc(graph->vertices + 1, sizeof *c.into);
    c.from = f2l_calloc(count_edges(&c), sizeof *c.from);
    c.waiting = f2l_calloc(count_words(&c), sizeof *c.waiting);
    f2l_status status = all && c.possible && c.into && c.from && c.waiting
                            ? find_codes(out, &c, all, task, err)
                            : f2l_fail_memory(err);
    if (status != F2L_OK) f2l_orbits_clear(out);
    f2l_free(all);
    f2l_free(c.possible);
    f2l_free(c.into);
    f2l_free(c.from);
    f2l_free(c.waiting);
    return status;
}
