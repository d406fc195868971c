/* Relators by Cannon's procedure ("Construction of defining relators for finite groups", Discrete
 * Math. 5, 1973): an edge whose loop does not follow from the relators yet gives one more. */
#include "numeric/base/mem.h"
#include "theory/rep/characters/members.h"
#include "theory/rep/cover/impl.h"
#include <string.h>

#define MOST_RELATORS 512
#define POLL 4096

void f2l_presentation_clear(f2l_presentation *p)
{
    f2l_free(p->generator);
    f2l_free(p->next);
    f2l_free(p->back);
    f2l_free(p->word);
    f2l_free(p->word_at);
    f2l_free(p->label);
    f2l_free(p->known);
    memset(p, 0, sizeof *p);
}

typedef struct deduction {
    f2l_presentation *p;
    uint32_t *queue; /* [edges] known ones whose consequences are not drawn yet */
    size_t head, tail;
    uint32_t *parent; /* [order] edge of the tree that leads there; UINT32_MAX at the identity */
    uint32_t *order;  /* [order] elements breadth-first */
    const f2l_task *task;
    f2l_error *err;
} deduction;

static uint16_t *label_of_edge(const f2l_presentation *p, size_t edge)
{
    return p->label + edge * p->room;
}

/* Takes one step of a walk: sets the edge it runs along, and the element it reaches. */
static size_t step_along_edge(const f2l_presentation *p, uint32_t letter, uint32_t *at)
{
    const size_t x = letter / 2, d = p->generators;
    if (letter % 2) {
        *at = p->back[*at * d + x];
        return *at * d + x;
    }
    const size_t edge = *at * d + x;
    *at = p->next[edge];
    return edge;
}

static void know(deduction *s, size_t edge)
{
    s->p->known[edge] = 1;
    s->queue[s->tail++] = (uint32_t)edge;
}

/* Adds sign times the label of an edge to a vector. */
static void add_edge_label(const f2l_presentation *p, uint16_t *sum, size_t edge, bool negative)
{
    const uint16_t *label = label_of_edge(p, edge);
    for (size_t i = 0; i < p->relators; i++)
        sum[i] = (uint16_t)((sum[i] + (negative ? p->modulus - label[i] : label[i])) % p->modulus);
}

/* Deduces a label: if the loop of relator r at g runs along exactly one unknown edge, once, that
 * edge's loop is a product of conjugates of relators and of known loops, and the relator's value
 * fixes its label. */
static void deduce(deduction *s, size_t r, uint32_t g)
{
    f2l_presentation *p = s->p;
    size_t unknown = SIZE_MAX;
    bool inverse = false;
    uint32_t at = g;
    for (size_t i = p->word_at[r]; i < p->word_at[r + 1]; i++) {
        const size_t edge = step_along_edge(p, p->word[i], &at);
        if (p->known[edge]) continue;
        if (unknown != SIZE_MAX) return;
        unknown = edge;
        inverse = p->word[i] % 2;
    }
    if (unknown == SIZE_MAX) return;
    uint16_t *label = label_of_edge(p, unknown);
    label[r] = (uint16_t)(1 % p->modulus);
    at = g;
    for (size_t i = p->word_at[r]; i < p->word_at[r + 1]; i++) {
        const size_t edge = step_along_edge(p, p->word[i], &at);
        if (edge != unknown) add_edge_label(p, label, edge, p->word[i] % 2 == 0);
    }
    for (size_t i = 0; inverse && i < p->relators; i++)
        label[i] = (uint16_t)((p->modulus - label[i]) % p->modulus);
    know(s, unknown);
}

/* Follows all loops of relators along an edge. */
static void follow_loops(deduction *s, size_t edge)
{
    const f2l_presentation *p = s->p;
    const size_t x = edge % p->generators;
    for (size_t r = 0; r < p->relators; r++)
        for (size_t i = p->word_at[r]; i < p->word_at[r + 1]; i++) {
            if (p->word[i] / 2 != x) continue;
            uint32_t at = p->word[i] % 2 ? p->next[edge] : (uint32_t)(edge / p->generators);
            for (size_t k = i; k > p->word_at[r]; k--) step_along_edge(p, p->word[k - 1] ^ 1, &at);
            deduce(s, r, at);
        }
}

static f2l_status follow_all(deduction *s)
{
    while (s->head < s->tail) {
        if (s->head % POLL == 0) {
            f2l_status status =
                f2l_task_poll(s->task, "relators", (double)s->head,
                              (double)(s->p->group->order * s->p->generators), s->err);
            if (status != F2L_OK) return status;
        }
        follow_loops(s, s->queue[s->head++]);
    }
    return F2L_OK;
}

static bool push_letter(f2l_presentation *p, uint32_t letter)
{
    if (!f2l_grow((void **)&p->word, &p->word_room, p->words, sizeof *p->word)) return false;
    p->word[p->words++] = letter;
    return true;
}

/* Appends the letters from the identity along the tree to g, or back from g when `backwards`. */
static bool push_path(deduction *s, uint32_t g, bool backwards)
{
    f2l_presentation *p = s->p;
    const size_t from = p->words;
    while (s->parent[g] != UINT32_MAX) {
        const size_t edge = s->parent[g], x = edge % p->generators;
        if (!push_letter(p, (uint32_t)(2 * x + (backwards ? 1 : 0)))) return false;
        g = (uint32_t)(edge / p->generators);
    }
    for (size_t i = from, j = p->words; !backwards && i + 1 < j; i++, j--) {
        const uint32_t held = p->word[i];
        p->word[i] = p->word[j - 1];
        p->word[j - 1] = held;
    }
    return true;
}

/* Removes x .. x^-1 at the ends; the loop is the same up to conjugation, and starts elsewhere. */
static void trim_loop(f2l_presentation *p, size_t from)
{
    size_t cut = 0;
    while (p->words - from > 2 * cut + 2 &&
           p->word[from + cut] == (p->word[p->words - 1 - cut] ^ 1))
        cut++;
    memmove(p->word + from, p->word + from + cut, (p->words - from - 2 * cut) * sizeof *p->word);
    p->words -= 2 * cut;
}

static f2l_status widen_labels(f2l_presentation *p, f2l_error *err)
{
    const size_t room = p->room ? 2 * p->room : 16, edges = p->group->order * p->generators;
    uint16_t *label = f2l_calloc(edges, room * sizeof *label);
    if (!label) return f2l_fail_memory(err);
    for (size_t e = 0; e < edges && p->room > 0; e++)
        memcpy(label + e * room, p->label + e * p->room, p->room * sizeof *label);
    f2l_free(p->label);
    p->label = label;
    p->room = room;
    return F2L_OK;
}

/* Makes the loop through the edge a relator, and draws consequences everywhere. */
static f2l_status add_relator(deduction *s, size_t edge)
{
    f2l_presentation *p = s->p;
    if (p->relators == MOST_RELATORS)
        return f2l_fail(s->err, F2L_UNKNOWN, "the group needs more than %d relators",
                        MOST_RELATORS);
    if (p->relators == p->room) {
        f2l_status status = widen_labels(p, s->err);
        if (status != F2L_OK) return status;
    }
    const uint32_t g = (uint32_t)(edge / p->generators), x = (uint32_t)(edge % p->generators);
    const size_t from = p->words;
    if (!push_path(s, g, false) || !push_letter(p, 2 * x) || !push_path(s, p->next[edge], true))
        return f2l_fail_memory(s->err);
    trim_loop(p, from);
    p->word_at[++p->relators] = p->words;
    for (uint32_t h = 0; h < p->group->order; h++) deduce(s, p->relators - 1, h);
    return follow_all(s);
}

static f2l_status allocate_deduction(deduction *s, f2l_presentation *p)
{
    const f2l_group *g = p->group;
    size_t edges;
    if (!f2l_mul_size(&edges, g->order, p->generators) || edges > UINT32_MAX / 2)
        return f2l_fail_memory(s->err);
    p->generator = f2l_calloc(p->generators, sizeof *p->generator);
    p->next = f2l_calloc(edges, sizeof *p->next);
    p->back = f2l_calloc(edges, sizeof *p->back);
    p->word_at = f2l_calloc(MOST_RELATORS + 1, sizeof *p->word_at);
    p->known = f2l_calloc(edges, sizeof *p->known);
    s->queue = f2l_calloc(edges, sizeof *s->queue);
    s->parent = f2l_calloc(g->order, sizeof *s->parent);
    s->order = f2l_calloc(g->order, sizeof *s->order);
    return p->generator && p->next && p->back && p->word_at && p->known && s->queue && s->parent &&
                   s->order
               ? widen_labels(p, s->err)
               : f2l_fail_memory(s->err);
}

/* Grows the tree; its edges have label 0. */
static void grow_tree(deduction *s)
{
    f2l_presentation *p = s->p;
    const size_t d = p->generators;
    for (size_t x = 0; x < d; x++) p->generator[x] = f2l_needed_generator(p->group, x);
    for (uint32_t g = 0; g < p->group->order; g++)
        for (size_t x = 0; x < d; x++) {
            const uint32_t to = f2l_group_multiply(p->group, g, p->generator[x]);
            p->next[g * d + x] = to;
            p->back[to * d + x] = g;
        }
    for (size_t g = 0; g < p->group->order; g++) s->parent[g] = UINT32_MAX;
    size_t count = 1;
    for (size_t i = 0; i < count; i++)
        for (size_t x = 0; x < d; x++) {
            const size_t edge = s->order[i] * d + x;
            const uint32_t to = p->next[edge];
            if (to == 0 || s->parent[to] != UINT32_MAX) continue;
            s->parent[to] = (uint32_t)edge;
            s->order[count++] = to;
            know(s, edge);
        }
}

f2l_status f2l_presentation_build(f2l_presentation *out, const f2l_group *group, size_t modulus,
                                  const f2l_task *task, f2l_error *err)
{
    memset(out, 0, sizeof *out);
    out->group = group;
    out->modulus = modulus;
    out->generators = group->needed;
    deduction s = {.p = out, .task = task, .err = err};
    f2l_status status = allocate_deduction(&s, out);
    if (status == F2L_OK) grow_tree(&s);
    for (size_t i = 0; status == F2L_OK && i < group->order; i++)
        for (size_t x = 0; status == F2L_OK && x < out->generators; x++) {
            const size_t edge = s.order[i] * out->generators + x;
            if (!out->known[edge]) status = add_relator(&s, edge);
        }
    f2l_free(s.queue);
    f2l_free(s.parent);
    f2l_free(s.order);
    if (status != F2L_OK) f2l_presentation_clear(out);
    return status;
}
