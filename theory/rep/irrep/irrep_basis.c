/* Bases among the lines of an orbit (theory/pages/irreps.md, I.5). */
#include "numeric/base/mem.h"
#include "theory/rep/irrep/impl.h"
#include <string.h>

/* Limit on the inner products that the search for a frame computes. */
#define FRAME_WORK 200000
/* Limit on its table. */
#define MAX_CELLS ((size_t)1 << 24)

typedef struct frame_search {
    const f2l_orbit *o;
    uint32_t *basis;
    uint32_t *left; /* [dimension][lines] at depth i: the lines that are orthogonal to basis[0 .. i
                       - 1], in order */
    size_t *count;  /* [dimension] */
    size_t *next;   /* [dimension] which of the lines is tried next */
    size_t work;
} frame_search;

static bool is_orthogonal(const f2l_orbit *o, uint32_t x, uint32_t y)
{
    return fmpq_poly_is_zero(&o->product[o->line[f2l_orbit_between(o, x, y)]]);
}

/* Lists the lines at depth + 1, after basis[depth] was chosen: later lines of those at `depth`. */
static void narrow(frame_search *s, size_t depth)
{
    const size_t lines = s->o->lines;
    const uint32_t *from = s->left + depth * lines;
    uint32_t *to = s->left + (depth + 1) * lines;
    s->count[depth + 1] = s->next[depth + 1] = 0;
    for (size_t i = s->next[depth]; i < s->count[depth]; i++)
        if (is_orthogonal(s->o, s->basis[depth], from[i])) to[s->count[depth + 1]++] = from[i];
    s->work += s->count[depth] - s->next[depth];
}

/* Searches depth-first; line 0 may be assumed, since the group moves every line to it. */
static bool search_frame(frame_search *s)
{
    const size_t d = s->o->psi->dimension;
    size_t depth = 0;
    for (size_t i = 0; i < s->o->lines; i++) s->left[i] = (uint32_t)i;
    s->count[0] = s->o->lines;
    s->next[0] = 0;
    while (s->work < FRAME_WORK) {
        if (s->count[depth] - s->next[depth] < d - depth) { /* too few are left */
            if (depth <= 1) return false;
            depth--;
            continue;
        }
        s->basis[depth] = s->left[depth * s->o->lines + s->next[depth]++];
        if (depth + 1 == d) return true;
        narrow(s, depth);
        depth++;
    }
    return false;
}

f2l_status f2l_orbit_frame(uint32_t *basis, bool *found, const f2l_orbit *o, f2l_error *err)
{
    const size_t d = o->psi->dimension;
    size_t cells;
    frame_search s = {.o = o, .basis = basis};
    *found = false;
    if (!f2l_mul_size(&cells, d, o->lines) || cells > MAX_CELLS) return F2L_OK;
    s.left = f2l_calloc(cells, sizeof *s.left);
    s.count = f2l_calloc(d, sizeof *s.count);
    s.next = f2l_calloc(d, sizeof *s.next);
    f2l_status status = s.left && s.count && s.next ? F2L_OK : f2l_fail_memory(err);
    if (status == F2L_OK) *found = search_frame(&s);
    f2l_free(s.left);
    f2l_free(s.count);
    f2l_free(s.next);
    return status;
}

/* Rows in echelon form modulo p. */
typedef struct echelon {
    nmod_t p;
    size_t columns, rows;
    ulong *row;   /* [rows][columns], leading entry 1 */
    size_t *lead; /* [rows] column of the leading entry */
    ulong *next;  /* [columns] the row to be added */
} echelon;

/* Returns whether `next` is independent of the rows; if so it becomes a row. */
static bool add_echelon_row(echelon *e)
{
    for (size_t i = 0; i < e->rows; i++) {
        const size_t lead = e->lead[i];
        if (e->next[lead] == 0) continue;
        _nmod_vec_scalar_addmul_nmod(e->next + lead, e->row + i * e->columns + lead,
                                     (slong)(e->columns - lead), nmod_neg(e->next[lead], e->p),
                                     e->p);
    }
    size_t lead = 0;
    while (lead < e->columns && e->next[lead] == 0) lead++;
    if (lead == e->columns) return false;
    _nmod_vec_scalar_mul_nmod(e->row + e->rows * e->columns, e->next, (slong)e->columns,
                              nmod_inv(e->next[lead], e->p), e->p);
    e->lead[e->rows++] = lead;
    return true;
}

/* Computes the inner products of a line with the first `columns` test lines, modulo p. */
static void fill_product_row(echelon *e, const f2l_orbit *o, uint32_t line, const uint32_t *test)
{
    for (size_t j = 0; j < e->columns; j++) {
        const uint32_t x = f2l_orbit_between(o, line, test[j]);
        const ulong residue = o->residue[o->line[x]];
        e->next[j] = o->minus[x] ? nmod_neg(residue, e->p) : residue;
    }
}

typedef struct spin {
    echelon e;
    uint32_t *test;  /* [lines] shuffled */
    uint32_t *queue; /* [lines] lines in breadth-first order */
    uint8_t *queued; /* [lines] */
} spin;

/* Appends the lines that letters reach from `line` to the queue, unless they are in it. */
static size_t enqueue(spin *s, size_t queued, const f2l_orbit *o, uint32_t line)
{
    const f2l_group *g = o->world->group;
    for (size_t i = 0; i < g->generators; i++) {
        const size_t letter = f2l_group_find(g, g->generator + i * g->degree);
        const uint32_t to =
            o->line[f2l_group_multiply(g, o->representative[line], (uint32_t)letter)];
        if (s->queued[to]) continue;
        s->queued[to] = 1;
        s->queue[queued++] = to;
    }
    return queued;
}

static bool run_spin(spin *s, uint32_t *basis, const f2l_orbit *o)
{
    const size_t d = o->psi->dimension;
    memset(s->queued, 0, o->lines);
    s->e.rows = 0;
    s->queued[0] = 1;
    s->queue[0] = 0;
    size_t queued = 1;
    for (size_t at = 0; at < queued && s->e.rows < d; at++) {
        fill_product_row(&s->e, o, s->queue[at], s->test);
        if (add_echelon_row(&s->e)) basis[s->e.rows - 1] = s->queue[at];
        queued = enqueue(s, queued, o, s->queue[at]);
    }
    return s->e.rows == d;
}

static void shuffle(uint32_t *test, size_t lines)
{
    f2l_rng rng;
    f2l_rng_init(&rng, lines, 1);
    for (size_t i = 0; i < lines; i++) {
        const size_t j = f2l_rng_below(&rng, i + 1);
        test[i] = test[j];
        test[j] = (uint32_t)i;
    }
}

/* Lines that are independent modulo p, by their products with some test lines, are independent.
 * Test lines that span the space suffice, so if a few do not find a basis all are taken. */
f2l_status f2l_orbit_spin(uint32_t *basis, bool *found, f2l_orbit *o, f2l_error *err)
{
    const size_t d = o->psi->dimension;
    spin s = {0};
    size_t cells;
    *found = false;
    f2l_status status = f2l_orbit_reduce(o, err);
    if (status != F2L_OK) return status;
    s.e.p = o->map.q;
    if (!f2l_mul_size(&cells, d, o->lines)) return f2l_fail_memory(err);
    s.e.row = f2l_calloc(cells, sizeof *s.e.row);
    s.e.lead = f2l_calloc(d, sizeof *s.e.lead);
    s.e.next = f2l_calloc(o->lines, sizeof *s.e.next);
    s.test = f2l_calloc(o->lines, sizeof *s.test);
    s.queue = f2l_calloc(o->lines, sizeof *s.queue);
    s.queued = f2l_calloc(o->lines, 1);
    status = s.e.row && s.e.lead && s.e.next && s.test && s.queue && s.queued
                 ? F2L_OK
                 : f2l_fail_memory(err);
    if (status == F2L_OK) {
        shuffle(s.test, o->lines);
        s.e.columns = 2 * d + 16 < o->lines ? 2 * d + 16 : o->lines;
        *found = run_spin(&s, basis, o);
        if (!*found && s.e.columns < o->lines) {
            s.e.columns = o->lines;
            *found = run_spin(&s, basis, o);
        }
    }
    f2l_free(s.e.row);
    f2l_free(s.e.lead);
    f2l_free(s.e.next);
    f2l_free(s.test);
    f2l_free(s.queue);
    f2l_free(s.queued);
    return status;
}
