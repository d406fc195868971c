/* Cells of a transitive group from a chain of block systems (theory/pages/diagonal.md, G.2). Least
 * blocks that hold two points: Atkinson, An algorithm for finding the blocks of a permutation
 * group, Math. Comp. 1975. */
#include "automata/cascade/impl.h"
#include "numeric/base/mem.h"
#include <flint/ulong_extras.h>
#include <string.h>

#define NONE UINT32_MAX

void f2l_refine_cells_clear(f2l_refine_cells *c)
{
    f2l_free(c->digit);
    *c = (f2l_refine_cells){0};
}

/* The group on the present blocks, given by their first points. */
typedef struct quotient {
    uint32_t *image; /* [generators][n] */
    size_t generators, n;
    uint32_t *root, *queue, *number, *raw, *label; /* [n] */
} quotient;

static void quotient_clear(quotient *q)
{
    f2l_free(q->image);
    f2l_free(q->root);
}

static f2l_status quotient_init(quotient *q, const uint32_t *image, size_t generators, size_t n,
                                f2l_error *err)
{
    *q = (quotient){.generators = generators, .n = n};
    q->image = f2l_calloc(generators * n + 1, sizeof *q->image);
    q->root = f2l_calloc(5 * n, sizeof *q->root);
    if (!q->image || !q->root) return f2l_fail_memory(err);
    memcpy(q->image, image, generators * n * sizeof *image);
    q->queue = q->root + n;
    q->number = q->queue + n;
    q->raw = q->number + n;
    q->label = q->raw + n;
    return F2L_OK;
}

static uint32_t root_of_point(const quotient *q, uint32_t x)
{
    while (q->root[x] != x) {
        q->root[x] = q->root[q->root[x]];
        x = q->root[x];
    }
    return x;
}

/* Sets root[] to the least blocks that contain 0 and y together; returns their size. */
static size_t join_blocks(quotient *q, uint32_t y)
{
    size_t queued = 0, size = 0;
    for (uint32_t x = 0; x < q->n; x++) q->root[x] = x;
    q->root[y] = 0;
    q->queue[queued++] = y;
    for (size_t i = 0; i < queued; i++)
        for (size_t a = 0; a < q->generators; a++) {
            const uint32_t *image = q->image + a * q->n;
            const uint32_t u = root_of_point(q, image[q->queue[i]]);
            const uint32_t v = root_of_point(q, image[root_of_point(q, q->queue[i])]);
            if (u == v) continue;
            q->root[u > v ? u : v] = u > v ? v : u;
            q->queue[queued++] = u > v ? u : v;
        }
    for (uint32_t x = 0; x < q->n; x++) size += root_of_point(q, x) == 0;
    return size;
}

/* Returns whether step[p], which takes the base block to itself, is a translation in the labels.
 * Labels that make it one exist and are kept if it is the first step that is not the identity;
 * later ones must be translations in these labels. */
static bool admit(quotient *q, const uint32_t *step, size_t p, bool *labelled)
{
    bool identity = true;
    for (uint32_t i = 0; i < p; i++) identity = identity && step[i] == i;
    if (identity) return true;
    if (!*labelled) {
        uint32_t at = 0, steps = 0;
        do q->label[at] = steps++, at = step[at];
        while (at != 0);
        *labelled = steps == p;
        return *labelled;
    }
    const size_t by = (q->label[step[0]] + p - q->label[0]) % p;
    for (uint32_t i = 0; i < p; i++)
        if ((q->label[i] + by) % p != q->label[step[i]]) return false;
    return true;
}

/* Numbers the blocks of size p, each with the places in it that come from the base block along a
 * tree of letters, and labels the places. False unless all letters translate labels. number[]: of
 * every point's block. */
static bool label_blocks(quotient *q, size_t p, uint32_t *member, uint32_t *step)
{
    bool labelled = false;
    size_t blocks = 1, placed = 0;
    for (uint32_t x = 0; x < q->n; x++) q->number[x] = NONE;
    for (uint32_t x = 0; x < q->n; x++)
        if (root_of_point(q, x) == 0) {
            q->number[x] = 0;
            q->raw[x] = (uint32_t)placed;
            member[placed++] = x;
        }
    for (size_t b = 0; b < blocks; b++)
        for (size_t a = 0; a < q->generators; a++) {
            const uint32_t *image = q->image + a * q->n, *of = member + b * p;
            if (q->number[image[of[0]]] == NONE) {
                for (size_t i = 0; i < p; i++) {
                    q->number[image[of[i]]] = (uint32_t)blocks;
                    q->raw[image[of[i]]] = (uint32_t)i;
                    member[blocks * p + i] = image[of[i]];
                }
                blocks++;
                continue;
            }
            for (size_t i = 0; i < p; i++) step[i] = q->raw[image[of[i]]];
            if (!admit(q, step, p, &labelled)) return false;
        }
    return labelled;
}

/* Finds blocks of prime size whose places can be labelled; *p becomes 0 when there are none. */
static f2l_status find_blocks(quotient *q, size_t *p, uint32_t *member, uint32_t *step,
                              const f2l_task *task, f2l_error *err)
{
    f2l_status status = F2L_OK;
    for (uint32_t y = 1; status == F2L_OK && y < q->n; y++) {
        status = f2l_task_spend(task, "blocks of a level", q->n * (2 + q->generators), err);
        if (status != F2L_OK) break;
        *p = join_blocks(q, y);
        if (n_is_prime(*p) && label_blocks(q, *p, member, step)) return F2L_OK;
        status = f2l_task_poll(task, "blocks of a level", y, (double)q->n, err);
    }
    *p = 0;
    return status;
}

/* Replaces the action on the points by the action on the blocks. */
static void collapse(quotient *q, size_t p, const uint32_t *member)
{
    const size_t blocks = q->n / p;
    for (size_t a = 0; a < q->generators; a++)
        for (size_t b = 0; b < blocks; b++)
            q->image[a * blocks + b] = q->number[q->image[a * q->n + member[b * p]]];
    q->n = blocks;
}

/* Reverses the order of the cells, which then go from the finest to the coarsest. */
static void reverse_cells(f2l_refine_cells *c, size_t n)
{
    for (size_t i = 0; 2 * i + 1 < c->cells; i++) {
        const size_t k = c->cells - 1 - i;
        const uint32_t prime = c->prime[i];
        c->prime[i] = c->prime[k];
        c->prime[k] = prime;
        for (size_t x = 0; x < n; x++) {
            uint32_t *digit = c->digit + x * F2L_REFINE_CELLS;
            const uint32_t kept = digit[i];
            digit[i] = digit[k];
            digit[k] = kept;
        }
    }
}

f2l_status f2l_refine_blocks(f2l_refine_cells *out, bool *found, const uint32_t *image,
                             size_t generators, size_t n, const f2l_task *task, f2l_error *err)
{
    quotient q;
    *out = (f2l_refine_cells){0};
    *found = true;
    f2l_status status = f2l_task_spend(
        task, "blocks of a level", n * (generators + 8 + F2L_REFINE_CELLS) * sizeof(uint32_t), err);
    if (status != F2L_OK) return status;
    status = quotient_init(&q, image, generators, n, err);
    out->digit = f2l_calloc(n, F2L_REFINE_CELLS * sizeof *out->digit);
    uint32_t *at = f2l_calloc(3 * n, sizeof *at);
    if (status == F2L_OK && (!out->digit || !at)) status = f2l_fail_memory(err);
    for (uint32_t x = 0; status == F2L_OK && x < n; x++) at[x] = x;
    while (status == F2L_OK && *found && q.n > 1) {
        size_t p;
        status = find_blocks(&q, &p, at + n, at + 2 * n, task, err);
        *found = p > 0 && out->cells < F2L_REFINE_CELLS;
        if (status != F2L_OK || !*found) break;
        for (size_t x = 0; x < n; x++) {
            out->digit[x * F2L_REFINE_CELLS + out->cells] = q.label[q.raw[at[x]]];
            at[x] = q.number[at[x]];
        }
        out->prime[out->cells++] = (uint32_t)p;
        collapse(&q, p, at + n);
    }
    if (status == F2L_OK) reverse_cells(out, n);
    quotient_clear(&q);
    f2l_free(at);
    if (status != F2L_OK || !*found) f2l_refine_cells_clear(out);
    return status;
}
