#include "models/learn/op/op_mlstm.h"
#include "models/learn/op/op_exp.h"
#include "models/learn/op/op_rows.h"
#include "numeric/base/mem.h"

/* Returns the logarithm of sigmoid(x). */
static float log_of_sigmoid(float x)
{
    return (x < 0 ? x : 0) - log1pf(expf(-fabsf(x)));
}

/* Returns the least divisor of a letter's o, which is 1 before the division by e^m. */
static float least_divisor(float m)
{
    return expf(-(m < 80 ? m : 80));
}

/* Returns the first number of a token's head. */
static size_t token_at(const f2l_mlstm_shape *s, size_t b, size_t h, size_t t, size_t width)
{
    return ((b * s->tokens + t) * s->heads + h) * width;
}

/* Computes C and n after a letter, old C + now k [v, 1]^T, and sum = their product with q. */
F2L_CLONES
static void letter_forward(float *sum, float *C, const float *q, const float *k, const float *v,
                           float old, float now, const f2l_mlstm_shape *s)
{
    const size_t width = s->value + 1;
    const float scale = 1 / sqrtf((float)s->key);
    for (size_t j = 0; j < width; j++) sum[j] = 0;
    for (size_t i = 0; i < s->key; i++) {
        float *row = C + i * width;
        const float write = now * k[i], read = scale * q[i];
        for (size_t j = 0; j < s->value; j++) row[j] = old * row[j] + write * v[j];
        row[s->value] = old * row[s->value] + write;
        for (size_t j = 0; j < width; j++) sum[j] += read * row[j];
    }
}

/* Steps all tokens of one head; C [key][value + 1], then m; sum [value + 1] is room. */
static void forward_mlstm_head(float *out, float *C, float *sum, const f2l_mlstm_in_f32 *in,
                               const f2l_mlstm_shape *s, size_t b, size_t h)
{
    float *m = C + s->key * (s->value + 1);
    for (size_t t = 0; t < s->tokens; t++) {
        const size_t gate = token_at(s, b, h, t, 1), keys = token_at(s, b, h, t, s->key),
                     values = token_at(s, b, h, t, s->value);
        const float past = log_of_sigmoid(in->forget[gate]) + *m, now = in->in[gate],
                    most = past > now ? past : now;
        letter_forward(sum, C, in->q + keys, in->k + keys, in->v + values, expf(past - most),
                       expf(now - most), s);
        const float size = fabsf(sum[s->value]), least = least_divisor(most),
                    divisor = size > least ? size : least;
        *m = most;
        for (size_t j = 0; j < s->value; j++) out[values + j] = sum[j] / divisor;
    }
}

f2l_status f2l_mlstm_forward_f32(float *out, float *state, const f2l_mlstm_in_f32 *in,
                                 const f2l_mlstm_shape *s, f2l_error *err)
{
    const size_t one = s->key * (s->value + 1) + 1;
    float *room = f2l_calloc(one + s->value + 1, sizeof *room);
    if (!room) return f2l_fail_memory(err);
    for (size_t b = 0; b < s->batch; b++)
        for (size_t h = 0; h < s->heads; h++) {
            if (!state) memset(room, 0, one * sizeof *room);
            forward_mlstm_head(out, state ? state + (b * s->heads + h) * one : room, room + one, in,
                               s, b, h);
        }
    f2l_free(room);
    return F2L_OK;
}

/* One sequence and head of backward, which weighs every pair of letters s <= t by
 * e_ts = exp(log f_(s+1) + .. + log f_t + in_s - m_t): o divides the sum of
 * x_ts [v_s, 1], x_ts = key^-1/2 q_t^T k_s e_ts. */
typedef struct head_work {
    float *table;               /* all arrays below */
    float *k, *v, *dk, *dv;     /* [tokens][key], [tokens][value], likewise */
    float *in, *log_forget, *m; /* [tokens] */
    float *weight, *x, *slope;  /* [tokens]: e, x, and the gradient at x, of one t */
    float *rows, *columns;      /* [tokens]: sums of the gradients at log e over s and over t */
    float *o, *d_sum;           /* [value] */
} head_work;

static bool mlstm_work_init(head_work *w, const f2l_mlstm_shape *s)
{
    size_t numbers;
    if (!f2l_mul_size(&numbers, s->tokens, 2 * (s->key + s->value) + 8) ||
        !f2l_add_size(&numbers, numbers, 2 * s->value))
        return false;
    w->table = f2l_calloc(numbers, sizeof *w->table);
    if (!w->table) return false;
    w->k = w->table;
    w->v = w->k + s->tokens * s->key;
    w->dk = w->v + s->tokens * s->value;
    w->dv = w->dk + s->tokens * s->key;
    w->in = w->dv + s->tokens * s->value;
    w->log_forget = w->in + s->tokens;
    w->m = w->log_forget + s->tokens;
    w->weight = w->m + s->tokens;
    w->x = w->weight + s->tokens;
    w->slope = w->x + s->tokens;
    w->rows = w->slope + s->tokens;
    w->columns = w->rows + s->tokens;
    w->o = w->columns + s->tokens;
    w->d_sum = w->o + s->value;
    return true;
}

static void gather(head_work *w, const f2l_mlstm_in_f32 *in, const f2l_mlstm_shape *s, size_t b,
                   size_t h)
{
    float m = 0;
    for (size_t t = 0; t < s->tokens; t++) {
        const size_t gate = token_at(s, b, h, t, 1);
        memcpy(w->k + t * s->key, in->k + token_at(s, b, h, t, s->key), s->key * sizeof *w->k);
        memcpy(w->v + t * s->value, in->v + token_at(s, b, h, t, s->value),
               s->value * sizeof *w->v);
        w->in[t] = in->in[gate];
        w->log_forget[t] = log_of_sigmoid(in->forget[gate]);
        m = w->log_forget[t] + m > w->in[t] ? w->log_forget[t] + m : w->in[t];
        w->m[t] = m;
        w->columns[t] = 0;
    }
    memset(w->dk, 0, s->tokens * s->key * sizeof *w->dk);
    memset(w->dv, 0, s->tokens * s->value * sizeof *w->dv);
}

/* Sets weight and x of letter t. */
F2L_INLINE void weigh_mlstm_letters(head_work *w, const float *q, const f2l_mlstm_shape *s,
                                    size_t t)
{
    const float scale = 1 / sqrtf((float)s->key);
    float since = 0;
    for (size_t j = t + 1; j-- > 0;) {
        w->weight[j] = since + w->in[j] - w->m[t];
        since += w->log_forget[j];
    }
    for (size_t j = 0; j <= t; j++) /* above 0 only by rounding */
        w->weight[j] = exp_down_f32(w->weight[j] < 0 ? w->weight[j] : 0);
    for (size_t j = 0; j <= t; j++)
        w->x[j] = scale * w->weight[j] * row_product(q, w->k + j * s->key, s->key);
}

/* Sets d_sum, and returns the gradient at n^T q, from dout [value]. */
F2L_INLINE float divide_back(head_work *w, const float *dout, const f2l_mlstm_shape *s, size_t t)
{
    float size = 0, toward = 0;
    for (size_t j = 0; j <= t; j++) size += w->x[j];
    const float least = least_divisor(w->m[t]);
    const bool counts = fabsf(size) > least;
    const float divisor = counts ? fabsf(size) : least;
    sum_rows(w->o, w->x, w->v, 0, t, s->value);
    for (size_t i = 0; i < s->value; i++) {
        w->d_sum[i] = dout[i] / divisor;
        toward += w->d_sum[i] * w->o[i] / divisor;
    }
    return counts ? (size < 0 ? toward : -toward) : 0;
}

/* Computes dq [key] of letter t, and adds to the sums over t. */
F2L_CLONES
static void letter_back(float *dq, head_work *w, const float *q, const float *dout,
                        const f2l_mlstm_shape *s, size_t t)
{
    const float scale = 1 / sqrtf((float)s->key);
    float row = 0;
    weigh_mlstm_letters(w, q, s, t);
    const float d_size = divide_back(w, dout, s, t);
    for (size_t j = 0; j <= t; j++)
        w->slope[j] = d_size + row_product(w->d_sum, w->v + j * s->value, s->value);
    add_rows(w->dv, w->x, w->d_sum, 0, t, s->value);
    for (size_t j = 0; j <= t; j++) {
        const float change = w->slope[j] * w->x[j];
        row += change;
        w->columns[j] += change;
        w->slope[j] *= scale * w->weight[j];
    }
    w->rows[t] = row;
    sum_rows(dq, w->slope, w->k, 0, t, s->key);
    add_rows(w->dk, w->slope, q, 0, t, s->key);
}

/* log f_u is in the weights of all pairs s < u <= t: the sum of rows t >= u less the columns
 * s >= u. */
static void scatter(const f2l_mlstm_grad_f32 *grad, const head_work *w, const f2l_mlstm_in_f32 *in,
                    const f2l_mlstm_shape *s, size_t b, size_t h)
{
    double since = 0;
    for (size_t t = s->tokens; t-- > 0;) {
        const size_t gate = token_at(s, b, h, t, 1);
        memcpy(grad->dk + token_at(s, b, h, t, s->key), w->dk + t * s->key, s->key * sizeof *w->dk);
        memcpy(grad->dv + token_at(s, b, h, t, s->value), w->dv + t * s->value,
               s->value * sizeof *w->dv);
        since += (double)w->rows[t] - (double)w->columns[t];
        grad->din[gate] = w->columns[t];
        grad->dforget[gate] = (float)since / (1 + expf(in->forget[gate]));
    }
}

f2l_status f2l_mlstm_backward_f32(const f2l_mlstm_grad_f32 *grad, const float *dout,
                                  const f2l_mlstm_in_f32 *in, const f2l_mlstm_shape *s,
                                  f2l_error *err)
{
    head_work w;
    if (!mlstm_work_init(&w, s)) return f2l_fail_memory(err);
    for (size_t b = 0; b < s->batch; b++)
        for (size_t h = 0; h < s->heads; h++) {
            gather(&w, in, s, b, h);
            for (size_t t = 0; t < s->tokens; t++) {
                const size_t at = token_at(s, b, h, t, s->key);
                letter_back(grad->dq + at, &w, in->q + at, dout + token_at(s, b, h, t, s->value), s,
                            t);
            }
            scatter(grad, &w, in, s, b, h);
        }
    f2l_free(w.table);
    return F2L_OK;
}
