/* Lanes: one sequence of one value head, gathered from the tensors and put back. */
#include "models/doors/vectors/impl.h"
#include "numeric/base/mem.h"
#include <string.h>

f2l_status f2l_vector_lane_make(f2l_vector_lane *lane, const f2l_vector_case *c, size_t tokens,
                                f2l_error *err)
{
    const size_t rows = tokens * c->factors, K = c->key, V = c->value, state = K * V;
    *lane = (f2l_vector_lane){.tokens = tokens,
                              .factors = c->factors,
                              .rows = rows,
                              .key = K,
                              .value = V,
                              .scale = c->scale};
    struct {
        double **array;
        size_t count;
    } part[] = {{&lane->q, tokens * K},  {&lane->dout, tokens * V}, {&lane->o, tokens * V},
                {&lane->dq, tokens * K}, {&lane->k, rows * K},      {&lane->v, rows * V},
                {&lane->beta, rows},     {&lane->dk, rows * K},     {&lane->dv, rows * V},
                {&lane->dbeta, rows},    {&lane->gate, rows},       {&lane->dgate, rows},
                {&lane->start, state},   {&lane->end, state},       {&lane->dstart, state},
                {&lane->dend, state}};
    size_t all = 0;
    for (size_t i = 0; i < sizeof part / sizeof *part; i++) all += part[i].count;
    lane->all = f2l_calloc(all, sizeof *lane->all);
    if (!lane->all) return f2l_fail_memory(err);
    double *at = lane->all;
    for (size_t i = 0; i < sizeof part / sizeof *part; at += part[i].count, i++)
        *part[i].array = at;
    for (size_t r = 0; r < rows; r++) lane->gate[r] = 1;
    return F2L_OK;
}

void f2l_vector_lane_free(f2l_vector_lane *lane)
{
    f2l_free(lane->all);
    lane->all = NULL;
}

/* Where an array of a lane is in a tensor: `count` entries of `width` numbers, `step` apart in the
 * lane and `stride` apart in the tensor. */
typedef struct lane_part {
    int tensor;
    double *array;
    size_t first, stride, count, width, step;
} lane_part;

#define PARTS 16

/* Lists all parts of sequence s and value head h. */
static void list_parts(lane_part part[PARTS], const f2l_vector_lane *lane, const f2l_op_vectors *v,
                       size_t s, size_t h)
{
    const f2l_vector_case *c = v->about;
    const size_t N = c->factors, K = c->key, V = c->value, H = c->value_heads, G = c->heads;
    const size_t T = lane->tokens, R = lane->rows, g = h / (H / G), at = v->at[s];
    const size_t token = at * H + h, row = at * N * H + h, state = s * H + h;
    const lane_part all[PARTS] = {{F2L_VECTOR_Q, lane->q, at * G + g, G, T, K, K},
                                  {F2L_VECTOR_K, lane->k, at * N * G + g, G, R, K, K},
                                  {F2L_VECTOR_V, lane->v, row, H, R, V, V},
                                  {F2L_VECTOR_BETA, lane->beta, row, H, R, 1, 1},
                                  {F2L_VECTOR_GATE, lane->gate, token, H, T, 1, N},
                                  {F2L_VECTOR_START, lane->start, state, 1, 1, K * V, K * V},
                                  {F2L_VECTOR_DOUT, lane->dout, token, H, T, V, V},
                                  {F2L_VECTOR_DEND, lane->dend, state, 1, 1, K * V, K * V},
                                  {F2L_VECTOR_OUT, lane->o, token, H, T, V, V},
                                  {F2L_VECTOR_END, lane->end, state, 1, 1, K * V, K * V},
                                  {F2L_VECTOR_DQ, lane->dq, at * G + g, G, T, K, K},
                                  {F2L_VECTOR_DK, lane->dk, at * N * G + g, G, R, K, K},
                                  {F2L_VECTOR_DV, lane->dv, row, H, R, V, V},
                                  {F2L_VECTOR_DBETA, lane->dbeta, row, H, R, 1, 1},
                                  {F2L_VECTOR_DLOG_GATE, lane->dgate, token, H, T, 1, N},
                                  {F2L_VECTOR_DSTART, lane->dstart, state, 1, 1, K * V, K * V}};
    memcpy(part, all, sizeof all);
}

void f2l_vector_lane_take(f2l_vector_lane *lane, const f2l_op_vectors *v, size_t s, size_t h)
{
    lane_part part[PARTS];
    list_parts(part, lane, v, s, h);
    for (const lane_part *p = part; p->tensor < F2L_VECTOR_OUT; p++) {
        const double *from = v->tensor[p->tensor].value;
        for (size_t i = 0; from && i < p->count; i++)
            memcpy(p->array + i * p->step, from + (p->first + i * p->stride) * p->width,
                   p->width * sizeof *from);
    }
}

void f2l_vector_lane_give(f2l_op_vectors *v, const f2l_vector_lane *lane, size_t s, size_t h)
{
    lane_part part[PARTS];
    list_parts(part, lane, v, s, h);
    for (const lane_part *p = part; p->tensor < F2L_VECTOR_OUT; p++) {
        double *to = v->tensor[p->tensor].value;
        for (size_t i = 0; to && i < p->count; i++)
            memcpy(to + (p->first + i * p->stride) * p->width, p->array + i * p->step,
                   p->width * sizeof *to);
    }
}

void f2l_vector_lane_put(f2l_op_vectors *v, const f2l_vector_lane *lane, size_t s, size_t h)
{
    lane_part part[PARTS];
    list_parts(part, lane, v, s, h);
    for (const lane_part *p = part; p < part + PARTS; p++) {
        double *to = v->tensor[p->tensor].value;
        if (p->tensor < F2L_VECTOR_OUT || !to) continue;
        for (size_t i = 0; i < p->count; i++)
            for (size_t j = 0; j < p->width; j++)
                to[(p->first + i * p->stride) * p->width + j] += p->array[i * p->step + j];
    }
}
