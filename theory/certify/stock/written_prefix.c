/* The heads on the prefix (EB.25). */
#include "theory/certify/stock/impl.h"
#include <math.h>
#include <stdio.h>

/* Returns the row of a key e_i, SIZE_MAX for another key. */
static size_t unit_row(const double *key, size_t rows)
{
    size_t found = SIZE_MAX;
    for (size_t i = 0; i < rows; i++) {
        if (key[i] == 0) continue;
        if (key[i] != 1 || found != SIZE_MAX) return SIZE_MAX;
        found = i;
    }
    return found;
}

/* Looks at one factor of a token of the prefix. */
static const char *prefix_factor(unsigned char *written, const f2l_written_head *head,
                                 const double *x, const f2l_format *format)
{
    const double *value = x + 1 + head->rows;
    if (f2l_written_all_zero(x + 1, head->rows))
        return x[0] == 0 || f2l_written_all_zero(value, head->columns)
                   ? NULL
                   : "it writes with a key of 0";
    if (x[0] == 0) return "a key that is not 0 has a beta of 0";
    const size_t row = unit_row(x + 1, head->rows);
    if (row == SIZE_MAX) return "a key is no unit vector";
    for (size_t j = 0; j < head->columns; j++)
        if (!isfinite(f2l_format_round_nearest(format, 2 * value[j])))
            return "twice a value is too large";
    if (written[row] == 0 && x[0] == 1) {
        written[row] = 1;
        return NULL;
    }
    if (written[row] == 1 && x[0] == 2 && f2l_written_all_zero(value, head->columns)) {
        written[row] = 2;
        return NULL;
    }
    return "it does more than to write rows and to change their signs";
}

/* Looks whether the outputs in the prefix are sums that fp32 holds. */
static const char *prefix_output(const f2l_written_search *s, size_t l,
                                 const f2l_written_head *head, const double *letter)
{
    const double *state = f2l_written_row(&s->stage[l].code, s->start[l]) + head->state;
    for (size_t j = 0; j < head->columns; j++) {
        f2l_written_sum sum = {0};
        for (size_t i = 0; i < head->rows; i++)
            f2l_written_add(&sum, letter[head->query + i] * state[i * head->columns + j]);
        sum.size *= 4;
        if (!f2l_written_fits(&sum, 24)) return "its outputs may round";
    }
    return NULL;
}

static const char *prefix_head(const f2l_written_search *s, size_t l, size_t h,
                               unsigned char *written)
{
    const f2l_written_stage *g = &s->stage[l];
    const char *fault = NULL;
    for (size_t i = 0; i < s->about->tokens && !fault; i++) {
        const double *letter =
            f2l_written_row(&g->letter, s->prefix_letter[l * s->about->tokens + i]);
        for (size_t f = 0; f < s->model->factors && !fault; f++)
            fault = prefix_factor(written, &g->head[h], f2l_written_factor_of(g, letter, h, f),
                                  s->model->format);
        if (!fault) fault = prefix_output(s, l, &g->head[h], letter);
    }
    return fault;
}

const char *f2l_written_prefix_fault(char room[200], const f2l_written_search *s)
{
    for (size_t l = 0; l < s->model->layers; l++)
        for (size_t h = 0; h < s->model->heads; h++) {
            unsigned char written[256] = {0}; /* a head has at most 256 rows */
            const char *fault = prefix_head(s, l, h, written);
            if (!fault) continue;
            snprintf(room, 200, "the prefix, layer %zu, head %zu: %s", l + 1, h + 1, fault);
            return room;
        }
    return NULL;
}
