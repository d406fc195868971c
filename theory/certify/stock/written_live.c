/* The channels of the stream that matter from a place on (EB.22). */
#include "numeric/base/mem.h"
#include "theory/certify/stock/impl.h"

/* Maps of a layer that read the stream. */
#define READ 7

static void mark_columns(bool *used, const f2l_written_matrix *m)
{
    for (size_t i = 0; m->first && i < m->first[m->rows]; i++) used[m->column[i]] = true;
}

static void mark_rows(bool *used, const f2l_written_matrix *m)
{
    for (size_t r = 0; r < m->rows; r++)
        if (!f2l_written_row_empty(m, r)) used[r] = true;
}

static void mark_layer(bool *used, const f2l_written_layer *l)
{
    const f2l_written_matrix *const read[READ] = {&l->query,     &l->key,  &l->value, &l->beta,
                                                  &l->head_gate, &l->gate, &l->up};
    for (size_t i = 0; i < READ; i++) mark_columns(used, read[i]);
    mark_rows(used, &l->output);
    mark_rows(used, &l->down);
}

f2l_status f2l_written_live_find(f2l_written_live *out, const f2l_written_model *m, size_t layer,
                                 f2l_error *err)
{
    bool *used = f2l_calloc(m->width, sizeof *used);
    out->channel = f2l_calloc(m->width, sizeof *out->channel);
    if (!used || !out->channel) {
        f2l_free(used);
        return f2l_fail_memory(err);
    }
    for (size_t l = layer; l < m->layers; l++) mark_layer(used, &m->layer[l]);
    mark_columns(used, &m->labels);
    for (size_t i = 0; i < m->width; i++)
        if (used[i]) out->channel[out->count++] = (uint32_t)i;
    f2l_free(used);
    return F2L_OK;
}

double f2l_written_expand(double *x, size_t width, const f2l_written_live *live, const double *row)
{
    for (size_t i = 0; i < width; i++) x[i] = 0;
    for (size_t i = 0; i < live->count; i++) x[live->channel[i]] = row[i];
    return row[live->count];
}

const char *f2l_written_reduce(double *row, const f2l_written_live *live, const double *x,
                               size_t width, double squares)
{
    const char *fault = NULL;
    size_t at = 0;
    for (size_t i = 0; i < width && !fault; i++) {
        if (at < live->count && live->channel[at] == i) {
            row[at++] = x[i];
            continue;
        }
        fault = f2l_written_square_fault(x[i]);
        squares += x[i] * x[i];
    }
    row[live->count] = squares;
    return fault;
}
