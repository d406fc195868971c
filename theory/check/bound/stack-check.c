/* stack-check AUTOMATON CERTIFICATE: are two layers with finitely many states, or three or more,
 * enough for the automaton's labels?
 *
 * The claim (theory/pages/two-layers.md, LL.2): some network with this number of layers gives the
 * labels after every word. Its layers have one head and one number a slot, without gates, letters
 * act as products of I - beta k k^T with beta 1 or 2 and constants that are written, and words lead
 * to finitely many states. The decoder may read the letter and the states before and after it.
 *
 * CERTIFICATE, after the lines of bound.c:
 *     slots K
 *     initial V_1 .. V_K       contents of the slots of layer 1 at the start: 0, 1, or 2 for 1/2
 *     letter S_1 .. S_K        for each letter: the slot that each slot reads, no slot twice, or
 *                              K + 1 for 0, K + 2 for 1
 *     device N points D        contents that words lead to, in the order of a search by letters
 *     edges P_1 .. P_D         for each of them and each letter: a permutation of 1 .. D
 *   and for each layer above the second:
 *     device N points D        an automaton of N states, which the layers so far track
 *     next T_1 .. T_L          for each state: where each letter leads; 1 is the start, and states
 *                              are numbered in the order of a search by letters
 *     edges P_1 .. P_D         as above
 *   end
 *
 * Why it is enough: the classes are an automaton with the same labels (bound.c). The letters act on
 * the slots by contractions, so that layer 1 is the first device. Each step shows that one layer
 * above a device tracks the next device, and in the end the classes; its letters are the edges of
 * the device, which the layers below tell before and after a letter. A loop is a word that is not
 * empty and leads the device from a state back to it, and whose permutations have the product 1.
 * This program walks through all loops, and checks that each acts as an idempotent on the states
 * that the automaton above may be in at this state of the device, and that efe = fe for any two of
 * the same state. So OL.7 and OL.8 hold for the graph of states and group elements, and give the
 * slots of the layer.
 *
 *     s VERIFIED layers at most N finite label KIND letters K states Q classes C fsa SHA256
 *         exit status 0; K, Q: of the file
 *     s NOT VERIFIED   1; s UNKNOWN   2, a limit was reached; a wrong command line: 64 */
#include "theory/check/bound/bound.h"
#include <stdio.h>
#include <string.h>

#define MOST_SLOTS 64
#define MOST_POINTS 24
#define MOST_ABOVE 255 /* states of an automaton that a step tracks */

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

/* A deterministic automaton. */
typedef struct device {
    size_t size, letters, start;
    uint32_t *next; /* [size][letters] */
    size_t points;
    uint8_t *edge; /* [size][letters][points], where a layer is above it */
    text line;     /* where the certificate has it */
} device;

static void read_slots(uint8_t *reads, size_t slots, size_t letters, text *t)
{
    for (size_t a = 0; a < letters; a++) {
        bool read[MOST_SLOTS] = {false};
        expect(t, "letter");
        for (size_t i = 0; i < slots; i++) {
            const size_t from = number(t, " ", 1, slots + 2) - 1;
            if (from < slots && read[from]) reject(t, "slot %zu is read twice", from + 1);
            if (from < slots) read[from] = true;
            reads[a * slots + i] = (uint8_t)from;
        }
        end_line(t);
    }
}

static void read_sizes(device *d, text *t, size_t most)
{
    d->line = *t;
    d->size = number(t, "device ", 1, most);
    d->points = number(t, " points ", 1, MOST_POINTS);
    end_line(t);
    d->next = grab(product_of(d->size, d->letters), sizeof *d->next);
}

/* Finds the contents that words lead to; reads: [letters][slots]. */
static void find_contents(device *d, const uint8_t *reads, const uint8_t *initial, size_t slots)
{
    rows contents = {.width = slots};
    add_row(&contents, initial);
    for (size_t v = 0; v < contents.count; v++)
        for (size_t a = 0; a < d->letters; a++) {
            uint8_t to[MOST_SLOTS] = {0};
            for (size_t i = 0; i < slots; i++) {
                const size_t from = reads[a * slots + i];
                to[i] = from < slots ? contents.byte[v * slots + from] : (uint8_t)(from - slots);
            }
            const size_t at = add_row(&contents, to);
            if (contents.count > d->size)
                reject(&d->line, "words lead to more than %zu contents", d->size);
            d->next[v * d->letters + a] = (uint32_t)at;
        }
    if (contents.count < d->size)
        reject(&d->line, "words lead to %zu contents, not to %zu", contents.count, d->size);
}

static void read_first(device *d, text *t)
{
    uint8_t initial[MOST_SLOTS] = {0};
    const size_t slots = number(t, "slots ", 1, MOST_SLOTS);
    end_line(t);
    expect(t, "initial");
    for (size_t i = 0; i < slots; i++) initial[i] = (uint8_t)number(t, " ", 0, 2);
    end_line(t);
    uint8_t *reads = grab(product_of(d->letters, slots), 1);
    read_slots(reads, slots, d->letters, t);
    read_sizes(d, t, 1000000);
    find_contents(d, reads, initial, slots);
}

/* Reads an automaton whose states are numbered as a search from the first one meets them. */
static void read_next(device *d, text *t)
{
    size_t met = 1;
    read_sizes(d, t, MOST_ABOVE);
    for (size_t v = 0; v < d->size; v++) {
        if (v == met) reject(t, "the start does not lead to state %zu", v + 1);
        expect(t, "next");
        for (size_t a = 0; a < d->letters; a++) {
            const size_t to = number(t, " ", 1, d->size) - 1;
            if (to > met) reject(t, "state %zu comes before state %zu", to + 1, met + 1);
            met += to == met;
            d->next[v * d->letters + a] = (uint32_t)to;
        }
        end_line(t);
    }
}

static void read_device_edges(device *d, text *t)
{
    d->edge = grab(product_of(product_of(d->size, d->letters), d->points), 1);
    for (size_t e = 0; e < d->size * d->letters; e++) {
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

/* One layer above a device, which shall track another. */
typedef struct step {
    const device *below, *above;
    bool *may_be; /* [states below][states above] */
} step;

/* Finds the states that the automaton above may be in at each state of the device. */
static void find_possible(step *s)
{
    const device *below = s->below, *above = s->above;
    const size_t letters = below->letters, nodes = product_of(below->size, above->size);
    uint32_t *queue = grab(nodes, sizeof *queue);
    size_t met = 1;
    s->may_be = grab(nodes, sizeof *s->may_be);
    queue[0] = (uint32_t)(below->start * above->size + above->start);
    s->may_be[queue[0]] = true;
    for (size_t i = 0; i < met; i++)
        for (size_t a = 0; a < letters; a++) {
            const size_t v = queue[i] / above->size, q = queue[i] % above->size;
            const size_t to =
                below->next[v * letters + a] * above->size + above->next[q * letters + a];
            if (!s->may_be[to]) queue[met++] = (uint32_t)to;
            s->may_be[to] = true;
        }
    spend(nodes * letters);
}

/* A place of the walk from state v of the device: the device's state in 4 bytes, the product of the
 * permutations, and the state above to which the word leads each one that is possible at v, or 0
 * where it is not. */
static void step_place(uint8_t *to, const step *s, const uint8_t *from, size_t a, size_t v)
{
    const device *below = s->below, *above = s->above;
    const size_t letters = below->letters, points = below->points;
    uint32_t at, next;
    memcpy(&at, from, sizeof at);
    next = below->next[at * letters + a];
    memcpy(to, &next, sizeof next);
    for (size_t i = 0; i < points; i++)
        to[4 + i] = below->edge[(at * letters + a) * points + from[4 + i]];
    for (size_t q = 0; q < above->size; q++)
        to[4 + points + q] = s->may_be[v * above->size + q]
                                 ? (uint8_t)above->next[from[4 + points + q] * letters + a]
                                 : 0;
}

/* Checks that the map of states above is idempotent where they are possible. */
static void must_be_idempotent(const step *s, const uint8_t *map, size_t v)
{
    for (size_t q = 0; q < s->above->size; q++)
        if (s->may_be[v * s->above->size + q] && map[map[q]] != map[q])
            reject(&s->below->line, "a loop at state %zu does not act as an idempotent", v + 1);
}

static void must_be_bands(const step *s, const rows *maps, size_t v)
{
    const size_t n = s->above->size;
    for (size_t i = 0; i < maps->count; i++)
        for (size_t k = 0; k < maps->count; k++) {
            const uint8_t *e = maps->byte + i * n, *f = maps->byte + k * n;
            spend(1 + n / 4);
            for (size_t q = 0; q < n; q++)
                if (s->may_be[v * n + q] && e[f[e[q]]] != e[f[q]])
                    reject(&s->below->line, "efe is not fe for two loops at state %zu", v + 1);
        }
}

/* Walks through all words from state v of the device, and checks the loops. */
static void check_loops(const step *s, size_t v)
{
    const size_t points = s->below->points, n = s->above->size, width = 4 + points + n;
    rows places = {.width = width}, maps = {.width = n};
    uint8_t *place = grab(width, 1), *to = grab(width, 1), *one = grab(points + 1, 1);
    const uint32_t at = (uint32_t)v;
    memcpy(place, &at, sizeof at);
    for (size_t i = 0; i < points; i++) one[i] = place[4 + i] = (uint8_t)i;
    for (size_t q = 0; q < n; q++) place[4 + points + q] = s->may_be[v * n + q] ? (uint8_t)q : 0;
    for (size_t i = 0; i == 0 || i <= places.count; i++) {
        if (i > 0) memcpy(place, places.byte + (i - 1) * width, width);
        for (size_t a = 0; a < s->below->letters; a++) {
            step_place(to, s, place, a, v);
            spend(width);
            add_row(&places, to);
            if (memcmp(to, &at, sizeof at) != 0 || memcmp(to + 4, one, points) != 0) continue;
            must_be_idempotent(s, to + 4 + points, v);
            add_row(&maps, to + 4 + points);
        }
    }
    must_be_bands(s, &maps, v);
}

/* Checks that one more layer above the device tracks the automaton `above`. */
static void check_step(const device *below, const device *above)
{
    step s = {.below = below, .above = above};
    find_possible(&s);
    for (size_t v = 0; v < below->size; v++) {
        const void *before = newest_memory();
        check_loops(&s, v);
        free_newer(before);
    }
}

static void judge_stack(const machine *m, text *t)
{
    const device classes = {
        .size = m->classes, .letters = m->kinds, .start = m->start, .next = m->next};
    device below = {.letters = m->kinds};
    size_t layers = 2;
    if (m->classes > MOST_ABOVE) give_up("the automaton has more than 255 classes");
    read_first(&below, t);
    read_device_edges(&below, t);
    for (; comes(t, "device"); layers++) {
        device above = {.letters = m->kinds};
        read_next(&above, t);
        check_step(&below, &above);
        read_device_edges(&above, t);
        below = above;
    }
    whole_line(t, "end");
    if (left(t) > 0) reject(t, "expected the end of the file");
    check_step(&below, &classes);
    printf("s VERIFIED layers at most %zu finite", layers);
    print_machine(m);
}

const bound_program bound_self = {.name = "stack-check",
                                  .version = LRNN_CHECK_VERSION,
                                  .sources = LRNN_CHECK_SOURCES,
                                  .first = "lrnn-stack 1",
                                  .judge = judge_stack};
