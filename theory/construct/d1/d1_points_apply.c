/* The applying layer of D1.12: the points of a code, moved by the transpositions that are still to
 * come and by the letters of the present block, tell the label. Wires: the slots' values, the
 * transpositions to come, the letters of the present block, then the readout. */
#include "numeric/base/mem.h"
#include "theory/construct/d1/points.h"
#include <string.h>

/* What table entries need beside f2l_d1: it is the first member of f2l_d1_points. */
static const f2l_d1_points *points_of_d1(const f2l_d1 *d)
{
    return (const f2l_d1_points *)d;
}

/* Table entry for (code): mark x. */
static uint32_t place_of_mark(const f2l_d1 *d, size_t x, const uint32_t *in)
{
    const f2l_d1_marks *m = &points_of_d1(d)->marks;
    return m->place[in[0] * m->count + x];
}

/* Table entry for (point, 1 + what x is exchanged with). */
static uint32_t exchanged(const f2l_d1 *d, size_t x, const uint32_t *in)
{
    (void)d;
    if (in[1] == 0) return in[0];
    return in[0] == x ? in[1] - 1 : in[0] == in[1] - 1 ? (uint32_t)x : in[0];
}

/* Returns the number of the list, or its label if it is a whole one; 0 when no word leads there. */
static uint32_t listed(const f2l_d1 *d, size_t marks, const uint32_t *list)
{
    const f2l_d1_marks *m = &points_of_d1(d)->marks;
    const f2l_rowset *in = &m->prefix[marks - 1];
    size_t at = 0;
    while (at < in->count && memcmp(f2l_rowset_get(in, at, NULL), list, marks * sizeof *list) != 0)
        at++;
    return at == in->count ? 0 : marks == m->count ? m->label[at] : (uint32_t)at;
}

/* Table entry for (point) of the first mark. */
static uint32_t first_list(const f2l_d1 *d, size_t x, const uint32_t *in)
{
    (void)x;
    return listed(d, 1, in);
}

/* Table entry for (list of x marks, point). */
static uint32_t longer_list(const f2l_d1 *d, size_t x, const uint32_t *in)
{
    uint32_t *list = points_of_d1(d)->marks.scratch;
    memcpy(list, f2l_rowset_get(&points_of_d1(d)->marks.prefix[x - 1], in[0], NULL),
           x * sizeof *list);
    list[x] = in[1];
    return listed(d, x + 1, list);
}

typedef struct writer {
    f2l_d1_points *p;
    f2l_d1_writer to;
    uint32_t *table; /* [n - 1] the tables of exchanges; F2L_D1_NONE until they are made */
} writer;

/* Moves the point on *wire by what is to come, and then by the letters of the present block. */
static f2l_status put_moves(writer *w, uint32_t *wire, f2l_error *err)
{
    const f2l_d1 *d = w->to.d;
    const size_t n = d->points;
    const uint32_t to_come = (uint32_t)d->householders, letters = to_come + (uint32_t)n - 1;
    f2l_status status = F2L_OK;
    for (size_t at = 0; status == F2L_OK && at + 1 < n; at++) {
        const size_t i = f2l_d1_moved(d, at);
        const f2l_d1_rule rule = {exchanged, 2, {n, n + 1}, n, i};
        const uint32_t in[] = {*wire, to_come + (uint32_t)i};
        *wire = w->to.wire;
        if (w->table[i] != F2L_D1_NONE)
            status = f2l_d1_put_again(&w->to, w->table[i], in, err);
        else {
            w->table[i] = (uint32_t)d->tables;
            status = f2l_d1_put(&w->to, &rule, in, err);
        }
    }
    for (size_t j = 0; status == F2L_OK && j < 2 * d->block; j++) {
        const uint32_t in[] = {*wire, letters + (uint32_t)j};
        *wire = w->to.wire;
        status = f2l_d1_put_again(&w->to, w->p->letter_table, in, err);
    }
    return status;
}

/* Tells the label from the points on the wires. */
static f2l_status put_lists(writer *w, const uint32_t *wire, f2l_error *err)
{
    const f2l_d1_marks *m = &w->p->marks;
    const size_t n = w->to.d->points;
    f2l_status status = F2L_OK;
    for (size_t x = 0; status == F2L_OK && x < m->count; x++) {
        const size_t values = x + 1 < m->count ? m->prefix[x].count : w->to.d->net->labels.count;
        const f2l_d1_rule first = {first_list, 1, {n}, values, 0};
        const f2l_d1_rule more = {longer_list, 2, {x ? m->prefix[x - 1].count : 0, n}, values, x};
        const uint32_t in[] = {w->to.wire - 1, wire[x]};
        status = x ? f2l_d1_put(&w->to, &more, in, err) : f2l_d1_put(&w->to, &first, wire, err);
    }
    w->to.block->output[0] = w->to.wire - 1;
    return status;
}

static f2l_status put_points_posts(writer *w, uint32_t *wire, f2l_error *err)
{
    const size_t n = w->to.d->points, codes = w->to.d->rows.row.count;
    const uint32_t readout = (uint32_t)f2l_wired_first_readout(w->to.block);
    f2l_status status = F2L_OK;
    for (size_t x = 0; status == F2L_OK && x < w->p->marks.count; x++) {
        const f2l_d1_rule rule = {place_of_mark, 1, {codes}, n, x};
        wire[x] = w->to.wire;
        status = f2l_d1_put(&w->to, &rule, &readout, err);
    }
    for (size_t x = 0; status == F2L_OK && x < w->p->marks.count; x++)
        status = put_moves(w, &wire[x], err);
    return status == F2L_OK ? put_lists(w, wire, err) : status;
}

/* Makes the block's inputs and the room for its parts. */
static f2l_status put_frame(const f2l_d1_points *p, f2l_wired_block *block, f2l_error *err)
{
    const f2l_d1 *d = &p->d;
    const size_t n = d->points, slots = 2 * d->block, inputs = d->householders + n - 1 + slots;
    size_t *size = f2l_calloc(inputs, sizeof *size);
    if (!size) return f2l_fail_memory(err);
    for (size_t i = 0; i < inputs; i++)
        size[i] = i < d->householders           ? 1 + n * n
                  : i < d->householders + n - 1 ? n + 1
                                                : d->letters + 1;
    f2l_status status = f2l_wired_block_set_inputs(block, inputs, size, err);
    f2l_free(size);
    const size_t posts = p->marks.count * (2 + n - 1 + slots);
    return status == F2L_OK ? f2l_wired_block_set(block, 0, 1, 1, posts, 1, err) : status;
}

f2l_status f2l_d1_put_point_apply(f2l_d1_points *p, char keys[160], f2l_error *err)
{
    f2l_d1 *d = &p->d;
    f2l_wired_block *block = &d->net->block[d->clock.layers + 1];
    writer w = {.p = p};
    uint32_t *wire = f2l_calloc(p->marks.count, sizeof *wire);
    w.table = f2l_calloc(d->points, sizeof *w.table);
    f2l_status status = wire && w.table ? put_frame(p, block, err) : f2l_fail_memory(err);
    for (size_t i = 0; w.table && i < d->points; i++) w.table[i] = F2L_D1_NONE;
    if (status == F2L_OK) status = f2l_d1_put_point_head(d, keys, err);
    w.to = f2l_d1_write_posts(d, block);
    if (status == F2L_OK) status = put_points_posts(&w, wire, err);
    f2l_free(wire);
    f2l_free(w.table);
    return status;
}
