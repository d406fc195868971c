#include "tests/support/cuda/replay_parts.h"

typedef struct work {
    float *table;  /* all arrays below */
    float *S, *D;  /* matrices */
    float *anchor; /* [segment / plan.anchor][matrix] */
    float *e;      /* [segment][householders][value] */
    float *last;   /* [batch][heads][matrix], D before the first token */
} work;

static bool work_init(work *w, const f2l_replay_pair *p)
{
    const size_t matrix = f2l_replay_matrix(p), anchors = p->plan.segment / p->plan.anchor * matrix,
                 e = p->plan.segment * p->s->householders * p->plan.value;
    size_t all;
    if (!f2l_mul_size(&all, p->s->batch, p->s->heads) || !f2l_mul_size(&all, all, matrix) ||
        !f2l_add_size(&all, all, 2 * matrix + anchors + e))
        return false;
    w->table = f2l_calloc(all, sizeof *w->table);
    if (!w->table) return false;
    w->S = w->table, w->D = w->S + matrix, w->anchor = w->D + matrix, w->e = w->anchor + anchors;
    w->last = w->e + e;
    return true;
}

/* Returns a sum over the columns of one warp in the order of its lanes: of x_i . y_i, less the
 * products of the second pair of vectors. */
static float strip_sum(const float *x, const float *y, const float *less, const float *by,
                       size_t from, const f2l_recurrent_plan *plan)
{
    float group[32] = {0};
    for (size_t g = 0; g < plan->column_lanes; g++) {
        const size_t at = from + 4 * g;
        group[g] = x[at] * y[at];
        for (size_t c = 1; c < 4; c++) group[g] = fmaf(x[at + c], y[at + c], group[g]);
        for (size_t c = 0; less && c < 4; c++) group[g] = fmaf(-less[at + c], by[at + c], group[g]);
    }
    return f2l_replay_tree(group, plan->column_lanes);
}

/* Returns x . y - less . by over all columns; less NULL: 0. */
static float row_sum(const float *x, const float *y, const float *less, const float *by,
                     const f2l_recurrent_plan *plan)
{
    float sum = 0;
    for (size_t w = 0; w < plan->warps; w++) {
        const float part = strip_sum(x, y, less, by, w * plan->width, plan);
        sum = w ? sum + part : part;
    }
    return sum;
}

/* Returns <D, S>, summed lane by lane. */
static float inner(const float *D, const float *S, const f2l_recurrent_plan *plan)
{
    float sum = 0;
    for (size_t w = 0; w < plan->warps; w++) {
        float lane[32];
        for (size_t l = 0; l < 32; l++) {
            lane[l] = 0;
            for (size_t i = 0; i < plan->rows; i++)
                for (size_t c = 0; c < 4; c++) {
                    const size_t at =
                        f2l_recurrent_row(plan, l / plan->column_lanes, i) * plan->value +
                        w * plan->width + 4 * (l % plan->column_lanes) + c;
                    lane[l] = fmaf(D[at], S[at], lane[l]);
                }
        }
        const float part = f2l_replay_tree(lane, 32);
        sum = w ? sum + part : part;
    }
    return sum;
}

static void back_output(work *w, const f2l_replay_pair *p, const f2l_recurrent_grad *grad,
                        const void *dout, size_t t)
{
    const f2l_delta_shape *s = p->s;
    const size_t row = f2l_replay_position(p, t) * s->heads + p->head, value = p->plan.value;
    float q[F2L_RECURRENT_DIM] = {0}, g[F2L_RECURRENT_DIM] = {0};
    f2l_replay_query(q, p, t);
    f2l_replay_pair_take(g, value, dout, row * s->value, s->value, p->in->bf16);
    for (size_t i = 0; grad->dq && i < s->key; i++)
        f2l_replay_put(grad->dq, row * s->key + i,
                       row_sum(w->S + i * value, g, NULL, NULL, &p->plan), p->in->bf16);
    f2l_replay_outer(w->D, q, 1, g, &p->plan);
}

static void back_factor(work *w, const f2l_replay_pair *p, const f2l_recurrent_grad *grad,
                        const float *e, size_t t, size_t n)
{
    const f2l_delta_shape *s = p->s;
    const size_t value = p->plan.value,
                 row = (f2l_replay_position(p, t) * s->householders + n) * s->heads + p->head;
    const float beta = f2l_replay_beta(p, t, n);
    float k[F2L_RECURRENT_DIM] = {0}, r[F2L_RECURRENT_DIM] = {0}, u[F2L_RECURRENT_DIM] = {0};
    f2l_replay_key(k, p, t, n);
    for (size_t c = 0; c < value; c++) u[c] = beta * e[c];
    f2l_replay_outer(w->S, k, -1, u, &p->plan);
    f2l_replay_columns(r, w->D, k, &p->plan);
    if (grad->dbeta) grad->dbeta[row] = row_sum(r, e, NULL, NULL, &p->plan);
    for (size_t i = 0; grad->dk && i < s->key; i++)
        f2l_replay_put(grad->dk, row * s->key + i,
                       beta * row_sum(w->D + i * value, e, w->S + i * value, r, &p->plan),
                       p->in->bf16);
    for (size_t c = 0; c < value; c++) u[c] = beta * r[c];
    for (size_t c = 0; grad->dv && c < s->value; c++)
        f2l_replay_put(grad->dv, row * s->value + c, u[c], p->in->bf16);
    f2l_replay_outer(w->D, k, -1, u, &p->plan);
}

static void back_gate(work *w, const f2l_replay_pair *p, const f2l_recurrent_grad *grad, size_t t)
{
    if (grad->dgate)
        grad->dgate[f2l_replay_position(p, t) * p->s->heads + p->head] =
            inner(w->D, w->S, &p->plan);
    f2l_replay_scale(w->D, f2l_replay_gate(p, t), &p->plan);
}

static void back_segment(work *w, const f2l_replay_pair *p, const f2l_recurrent_grad *grad,
                         const void *dout, const float *kept, size_t first)
{
    const f2l_recurrent_plan *plan = &p->plan;
    const size_t N = p->s->householders, left = p->s->tokens - first, matrix = f2l_replay_matrix(p),
                 count = left < plan->segment ? left : plan->segment, e = N * plan->value;
    memcpy(w->S, kept, matrix * sizeof *kept);
    for (size_t i = 0; i < count; i++) {
        if (i % plan->anchor == 0)
            memcpy(w->anchor + i / plan->anchor * matrix, w->S, matrix * sizeof *kept);
        f2l_replay_recurrent_token(w->S, w->e + i * e, p, first + i);
    }
    for (size_t i = count; i-- > 0;) {
        back_output(w, p, grad, dout, first + i);
        for (size_t n = N; n-- > 0;)
            back_factor(w, p, grad, w->e + i * e + n * plan->value, first + i, n);
        if (i % plan->anchor == 0)
            memcpy(w->S, w->anchor + i / plan->anchor * matrix, matrix * sizeof *kept);
        if (p->in->gate) back_gate(w, p, grad, first + i);
    }
}

/* Computes dh0 += the sum over sequences, group by group. */
static void add_start(float *dh0, const work *w, const f2l_replay_pair *p)
{
    const f2l_delta_shape *s = p->s;
    const size_t all = s->heads * s->key * s->value;
    for (size_t j = 0; j < all; j++) {
        const size_t head = j / (s->key * s->value), i = j / s->value % s->key, c = j % s->value;
        float sum = 0;
        for (size_t from = 0; from < s->batch; from += F2L_RECURRENT_GROUP) {
            float group = 0;
            for (size_t b = from; b < s->batch && b < from + F2L_RECURRENT_GROUP; b++)
                group +=
                    w->last[(b * s->heads + head) * f2l_replay_matrix(p) + i * p->plan.value + c];
            sum += group;
        }
        dh0[j] += sum;
    }
}

f2l_status f2l_replay_recurrent_backward(const f2l_recurrent_grad *grad, const void *dout,
                                         const float *kept, const f2l_recurrent_in *in,
                                         const f2l_delta_shape *s, f2l_error *err)
{
    f2l_replay_pair p = {.s = s, .in = in};
    work w;
    const f2l_status status = f2l_recurrent_plan_of(&p.plan, s, in->gate != NULL, err);
    if (status != F2L_OK) return status;
    if (!s->batch || !s->heads || !s->tokens) return F2L_OK;
    if (!work_init(&w, &p)) return f2l_fail_memory(err);
    const size_t matrix = f2l_replay_matrix(&p);
    for (p.sequence = 0; p.sequence < s->batch; p.sequence++)
        for (p.head = 0; p.head < s->heads; p.head++) {
            const size_t pair = p.sequence * s->heads + p.head;
            memset(w.D, 0, matrix * sizeof *w.D);
            for (size_t segment = p.plan.segments; segment-- > 0;)
                back_segment(&w, &p, grad, dout,
                             kept + (segment * s->batch * s->heads + pair) * matrix,
                             segment * p.plan.segment);
            memcpy(w.last + pair * matrix, w.D, matrix * sizeof *w.D);
        }
    if (grad->dh0) add_start(grad->dh0, &w, &p);
    f2l_free(w.table);
    return F2L_OK;
}
