/* stack-check AUTOMATON CERTIFICATE: are two layers with finitely many states enough for the
 * automaton's labels?
 *
 * The claim (theory/pages/two-layers.md, LL.2): some network of two layers gives the labels after
 * every word. Its layers have one head and one number a slot, without gates, letters act as
 * products of I - beta k k^T with beta 1 or 2 and constants that are written, and words lead to
 * finitely many states. The decoder may read the letter and the states before and after it.
 *
 * CERTIFICATE, after the lines of bound.c:
 *     slots K
 *     initial V_1 .. V_K       contents of the slots of layer 1 at the start: 0, 1, or 2 for 1/2
 *     letter S_1 .. S_K        for each letter: the slot that each slot reads, no slot twice, or
 *                              K + 1 for 0, K + 2 for 1
 *     device N points D        contents that words lead to, in the order of a search by letters
 *     edges P_1 .. P_D         for each of them and each letter: a permutation of 1 .. D
 *     end
 *
 * Why it is enough: the classes are an automaton with the same labels (bound.c). The letters act on
 * the slots by contractions, so that layer 1 is the device; the letters of layer 2 are its edges,
 * which the states of layer 1 before and after a letter tell. A loop is a word that is not empty
 * and leads the device from some contents back to them, and whose permutations have the product 1.
 * This program walks through all loops, and checks that each acts as an idempotent on the classes
 * that the automaton may be in at these contents, and that efe = fe for any two of the same
 * contents. So OL.7 and OL.8 hold for the graph of contents and group elements, and give the slots
 * of layer 2.
 *
 *     s VERIFIED layers at most 2 finite label KIND letters K states Q classes C fsa SHA256
 *         exit status 0; K, Q: of the file
 *     s NOT VERIFIED   1; s UNKNOWN   2, a limit was reached; a wrong command line: 64 */
#include "theory/check/bound/bound.h"
#include <stdio.h>
#include <string.h>

#define MOST_SLOTS 64
#define MOST_POINTS 24

/* Rows of `width` bytes, each once, in the order of adding. */
typedef struct rows {
    size_t width, count, capacity, heads;
    uint8_t *byte;
    uint32_t *next, *head; /* [count] row with the same hash, [heads] first row, from 1; 0: none */
} rows;

static size_t hash_row(const rows *r, const uint8_t *row)
{
    uint64_t h = 14695981039346656037U;
    for (size_t i = 0; i < r->width; i++) h = (h ^ row[i]) * 1099511628211U;
    return (size_t)((h ^ h >> 32) % r->heads);
}

/* Returns the number of the row, which is added where it is new. */
static size_t add_row(rows *r, const uint8_t *row)
{
    if (!r->head) {
        r->heads = 4093;
        r->head = grab(r->heads, sizeof *r->head);
    }
    uint32_t *at = &r->head[hash_row(r, row)];
    spend(1 + r->width / 8);
    for (size_t i = *at; i > 0 && i <= r->count; i = r->next[i - 1]) {
        spend(1);
        if (memcmp(r->byte + (i - 1) * r->width, row, r->width) == 0) return i - 1;
    }
    size_t links = r->capacity;
    r->next = grow(r->next, r->count, &links, sizeof *r->next);
    r->byte = grow(r->byte, r->count, &r->capacity, r->width);
    memcpy(r->byte + r->count * r->width, row, r->width);
    r->next[r->count] = *at;
    *at = (uint32_t)++r->count;
    return r->count - 1;
}

typedef struct device {
    const machine *m;
    size_t slots, points, size; /* size: number of contents */
    uint8_t *reads;             /* [letters][slots] slot, or slots for 0, slots + 1 for 1 */
    uint32_t *next;             /* [size][letters] */
    uint8_t *edge;              /* [size][letters][points] */
    bool *may_be;               /* [size][classes] */
} device;

static void read_slots(device *d, text *t, uint8_t *initial)
{
    d->slots = number(t, "slots ", 1, MOST_SLOTS);
    end_line(t);
    expect(t, "initial");
    for (size_t i = 0; i < d->slots; i++) initial[i] = (uint8_t)number(t, " ", 0, 2);
    end_line(t);
    d->reads = grab(product_of(d->m->kinds, d->slots), 1);
    for (size_t a = 0; a < d->m->kinds; a++) {
        bool read[MOST_SLOTS] = {false};
        expect(t, "letter");
        for (size_t i = 0; i < d->slots; i++) {
            const size_t from = number(t, " ", 1, d->slots + 2) - 1;
            if (from < d->slots && read[from]) reject(t, "slot %zu is read twice", from + 1);
            if (from < d->slots) read[from] = true;
            d->reads[a * d->slots + i] = (uint8_t)from;
        }
        end_line(t);
    }
}

/* Finds the contents that words lead to. */
static void find_contents(device *d, const text *t, const uint8_t *initial, size_t size)
{
    const size_t kinds = d->m->kinds;
    rows contents = {.width = d->slots};
    d->next = grab(product_of(size, kinds), sizeof *d->next);
    add_row(&contents, initial);
    for (size_t v = 0; v < contents.count; v++)
        for (size_t a = 0; a < kinds; a++) {
            uint8_t to[MOST_SLOTS] = {0};
            for (size_t i = 0; i < d->slots; i++) {
                const size_t from = d->reads[a * d->slots + i];
                to[i] = from < d->slots ? contents.byte[v * d->slots + from]
                                        : (uint8_t)(from - d->slots);
            }
            const size_t at = add_row(&contents, to);
            if (contents.count > size) reject(t, "words lead to more than %zu contents", size);
            d->next[v * kinds + a] = (uint32_t)at;
        }
    if (contents.count < size)
        reject(t, "words lead to %zu contents, not to %zu", contents.count, size);
    d->size = size;
}

static void read_device_edges(device *d, text *t)
{
    d->edge = grab(product_of(product_of(d->size, d->m->kinds), d->points), 1);
    for (size_t e = 0; e < d->size * d->m->kinds; e++) {
        unsigned taken = 0;
        expect(t, "edges");
        for (size_t i = 0; i < d->points; i++) {
            const size_t to = number(t, " ", 1, d->points) - 1;
            if (taken >> to & 1U) reject(t, "point %zu is twice in a permutation", to + 1);
            taken |= 1U << to;
            d->edge[e * d->points + i] = (uint8_t)to;
        }
        end_line(t);
    }
}

/* Finds the classes that the automaton may be in at each of the contents. */
static void find_classes(device *d)
{
    const machine *m = d->m;
    const size_t nodes = product_of(d->size, m->classes);
    uint32_t *queue = grab(nodes, sizeof *queue);
    size_t met = 1;
    d->may_be = grab(nodes, sizeof *d->may_be);
    queue[0] = (uint32_t)m->start;
    d->may_be[m->start] = true;
    for (size_t i = 0; i < met; i++)
        for (size_t a = 0; a < m->kinds; a++) {
            const size_t v = queue[i] / m->classes, q = queue[i] % m->classes;
            const size_t to = d->next[v * m->kinds + a] * m->classes + m->next[q * m->kinds + a];
            if (!d->may_be[to]) queue[met++] = (uint32_t)to;
            d->may_be[to] = true;
        }
    spend(nodes * m->kinds);
}

/* A place of the walk from contents v: contents in 4 bytes, the product of the permutations, and
 * the class to which the word leads each class that is possible at v, or 0 where it is not. */
static void step_place(uint8_t *to, const device *d, const uint8_t *from, size_t a, size_t v)
{
    const machine *m = d->m;
    uint32_t at, next;
    memcpy(&at, from, sizeof at);
    next = d->next[at * m->kinds + a];
    memcpy(to, &next, sizeof next);
    for (size_t i = 0; i < d->points; i++)
        to[4 + i] = d->edge[(at * m->kinds + a) * d->points + from[4 + i]];
    for (size_t q = 0; q < m->classes; q++)
        to[4 + d->points + q] = d->may_be[v * m->classes + q]
                                    ? (uint8_t)m->next[from[4 + d->points + q] * m->kinds + a]
                                    : 0;
}

/* Checks that the map of classes is idempotent where classes are possible. */
static void must_be_idempotent(const device *d, const text *t, const uint8_t *map, size_t v)
{
    for (size_t q = 0; q < d->m->classes; q++)
        if (d->may_be[v * d->m->classes + q] && map[map[q]] != map[q])
            reject(t, "a loop at contents %zu does not act as an idempotent", v + 1);
}

static void must_be_bands(const device *d, const text *t, const rows *maps, size_t v)
{
    const size_t n = d->m->classes;
    for (size_t i = 0; i < maps->count; i++)
        for (size_t k = 0; k < maps->count; k++) {
            const uint8_t *e = maps->byte + i * n, *f = maps->byte + k * n;
            spend(1 + n / 4);
            for (size_t q = 0; q < n; q++)
                if (d->may_be[v * n + q] && e[f[e[q]]] != e[f[q]])
                    reject(t, "efe is not fe for two loops at contents %zu", v + 1);
        }
}

/* Walks through all words from contents v, and checks the loops. */
static void check_loops(const device *d, const text *t, size_t v)
{
    const machine *m = d->m;
    const size_t width = 4 + d->points + m->classes;
    rows places = {.width = width}, maps = {.width = m->classes};
    uint8_t *place = grab(width, 1), *to = grab(width, 1), *one = grab(d->points + 1, 1);
    const uint32_t at = (uint32_t)v;
    memcpy(place, &at, sizeof at);
    for (size_t i = 0; i < d->points; i++) one[i] = place[4 + i] = (uint8_t)i;
    for (size_t q = 0; q < m->classes; q++)
        place[4 + d->points + q] = d->may_be[v * m->classes + q] ? (uint8_t)q : 0;
    for (size_t i = 0; i == 0 || i <= places.count; i++) {
        if (i > 0) memcpy(place, places.byte + (i - 1) * width, width);
        for (size_t a = 0; a < m->kinds; a++) {
            step_place(to, d, place, a, v);
            spend(width);
            add_row(&places, to);
            if (memcmp(to, &at, sizeof at) != 0 || memcmp(to + 4, one, d->points) != 0) continue;
            must_be_idempotent(d, t, to + 4 + d->points, v);
            add_row(&maps, to + 4 + d->points);
        }
    }
    must_be_bands(d, t, &maps, v);
}

static void judge_stack(const machine *m, text *t)
{
    device d = {.m = m};
    uint8_t initial[MOST_SLOTS] = {0};
    if (m->classes > 255) give_up("the automaton has more than 255 classes");
    read_slots(&d, t, initial);
    const size_t size = number(t, "device ", 1, 1000000);
    d.points = number(t, " points ", 1, MOST_POINTS);
    end_line(t);
    find_contents(&d, t, initial, size);
    read_device_edges(&d, t);
    whole_line(t, "end");
    if (left(t) > 0) reject(t, "expected the end of the file");
    find_classes(&d);
    for (size_t v = 0; v < d.size; v++) {
        const void *before = newest_memory();
        check_loops(&d, t, v);
        free_newer(before);
    }
    printf("s VERIFIED layers at most 2 finite");
    print_machine(m);
}

const bound_program bound_self = {.name = "stack-check",
                                  .version = LRNN_CHECK_VERSION,
                                  .sources = LRNN_CHECK_SOURCES,
                                  .first = "lrnn-stack 1",
                                  .judge = judge_stack};
