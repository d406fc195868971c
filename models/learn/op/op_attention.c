#include "models/learn/op/op_attention.h"
#include "models/learn/op/op_exp.h"
#include "models/learn/op/op_rows.h"
#include "numeric/base/mem.h"

/* The letters of one sequence and head that queries may see: the letters of the state, oldest
 * first, and then the tokens. */
typedef struct head_work {
    size_t rows, before;       /* before: places of the state; the first ones may be empty */
    float *table;              /* all arrays below */
    float *cosine, *sine;      /* [rows][key / 2] */
    float *k, *v;              /* [rows][key], rotated; [rows][value] */
    float *q, *weight, *slope; /* [key], [rows], [rows] */
    float *dk, *dv, *dq;       /* backward: [rows][key], [rows][value], [key] */
} head_work;

static bool work_init(head_work *w, const f2l_attention_shape *s, bool past)
{
    size_t numbers;
    w->before = past ? s->window - 1 : 0;
    if (!f2l_add_size(&w->rows, w->before, s->tokens) ||
        !f2l_mul_size(&numbers, w->rows, 3 * s->key + 2 * s->value + 2) ||
        !f2l_add_size(&numbers, numbers, 2 * s->key))
        return false;
    w->table = f2l_calloc(numbers, sizeof *w->table);
    if (!w->table) return false;
    w->cosine = w->table;
    w->sine = w->cosine + w->rows * (s->key / 2);
    w->k = w->sine + w->rows * (s->key / 2);
    w->v = w->k + w->rows * s->key;
    w->weight = w->v + w->rows * s->value;
    w->slope = w->weight + w->rows;
    w->dk = w->slope + w->rows;
    w->dv = w->dk + w->rows * s->key;
    w->q = w->dv + w->rows * s->value;
    w->dq = w->q + s->key;
    for (size_t i = 0; i < s->key / 2; i++) {
        const double speed = pow(10000, -2 * (double)i / (double)s->key);
        for (size_t t = 0; t < w->rows; t++) {
            w->cosine[t * (s->key / 2) + i] = (float)cos((double)t * speed);
            w->sine[t * (s->key / 2) + i] = (float)sin((double)t * speed);
        }
    }
    return true;
}

/* Computes to [key] = x rotated by position `row`, or back. */
static void rotate_by_position(float *to, const float *x, const head_work *w, size_t row,
                               size_t key, bool back)
{
    const size_t half = key / 2;
    for (size_t i = 0; i < half; i++) {
        const float cosine = w->cosine[row * half + i],
                    sine = back ? -w->sine[row * half + i] : w->sine[row * half + i];
        const float a = x[i], b = x[i + half];
        to[i] = a * cosine - b * sine;
        to[i + half] = a * sine + b * cosine;
    }
}

/* Returns the first number of a token's head. */
static size_t attention_token_at(const f2l_attention_shape *s, size_t b, size_t h, size_t t,
                                 size_t width)
{
    return ((b * s->tokens + t) * s->heads + h) * width;
}

/* Brings keys and values together; `past` has the sequence's keys, then its values; NULL: none. */
static void gather_keys_and_values(head_work *w, const f2l_attention_in_f32 *in, const float *past,
                                   const f2l_attention_shape *s, size_t b, size_t h)
{
    for (size_t j = 0; past && j < w->before; j++) {
        const size_t old = j * s->heads + h;
        const float *values = past + w->before * s->heads * s->key;
        rotate_by_position(w->k + j * s->key, past + old * s->key, w, j, s->key, false);
        memcpy(w->v + j * s->value, values + old * s->value, s->value * sizeof *w->v);
    }
    for (size_t t = 0; t < s->tokens; t++) {
        const size_t row = w->before + t;
        rotate_by_position(w->k + row * s->key, in->k + attention_token_at(s, b, h, t, s->key), w,
                           row, s->key, false);
        memcpy(w->v + row * s->value, in->v + attention_token_at(s, b, h, t, s->value),
               s->value * sizeof *w->v);
    }
}

/* Sets weight[first .. last] to the softmax of the scores. */
F2L_INLINE void weigh_keys(float *weight, const float *q, const float *k, size_t first, size_t last,
                           size_t key)
{
    const float scale = 1 / sqrtf((float)key);
    float most = -INFINITY, total = 0;
    for (size_t j = first; j <= last; j++) {
        weight[j] = scale * row_product(q, k + j * key, key);
        most = weight[j] > most ? weight[j] : most;
    }
    for (size_t j = first; j <= last; j++) weight[j] = exp_down_f32(weight[j] - most);
    for (size_t j = first; j <= last; j++) total += weight[j];
    for (size_t j = first; j <= last; j++) weight[j] /= total;
}

/* Sets slope[first .. last] to the gradient at the products q^T k. */
F2L_INLINE void weigh_keys_back(float *slope, const float *weight, const float *dout,
                                const float *v, size_t first, size_t last, size_t key, size_t value)
{
    const float scale = 1 / sqrtf((float)key);
    float mean = 0;
    for (size_t j = first; j <= last; j++) slope[j] = row_product(dout, v + j * value, value);
    for (size_t j = first; j <= last; j++) mean += weight[j] * slope[j];
    for (size_t j = first; j <= last; j++) slope[j] = scale * weight[j] * (slope[j] - mean);
}

/* Computes out [value] of the letter in row `last`, whose rotated query is in w->q. */
F2L_CLONES
static void attend_letter(float *out, head_work *w, const f2l_attention_shape *s, size_t first,
                          size_t last)
{
    weigh_keys(w->weight, w->q, w->k, first, last, s->key);
    sum_rows(out, w->weight, w->v, first, last, s->value);
}

/* Computes the gradient of w->q from dout [value] of its letter, and adds to dk and dv. */
F2L_CLONES
static void attend_letter_back(head_work *w, const float *dout, const f2l_attention_shape *s,
                               size_t first, size_t last)
{
    weigh_keys(w->weight, w->q, w->k, first, last, s->key);
    weigh_keys_back(w->slope, w->weight, dout, w->v, first, last, s->key, s->value);
    sum_rows(w->dq, w->slope, w->k, first, last, s->key);
    add_rows(w->dk, w->slope, w->q, first, last, s->key);
    add_rows(w->dv, w->weight, dout, first, last, s->value);
}

/* Replaces the letters of a sequence's state by the last ones. Rows move upwards: a row is read
 * before it is written. */
static void keep_last_letters(float *past, const float *x, size_t tokens, size_t kept, size_t width)
{
    for (size_t j = 0; j < kept; j++) {
        const size_t from = tokens + j; /* counted from the first row kept before */
        memmove(past + j * width, from < kept ? past + from * width : x + (from - kept) * width,
                width * sizeof *past);
    }
}

f2l_status f2l_attention_forward_f32(float *out, float *state, const f2l_attention_in_f32 *in,
                                     const f2l_attention_shape *s, f2l_error *err)
{
    const size_t one = f2l_attention_state(s), keys = s->heads * s->key,
                 values = s->heads * s->value;
    head_work w;
    if (s->tokens == 0) return F2L_OK;
    if (!work_init(&w, s, state != NULL)) return f2l_fail_memory(err);
    for (size_t b = 0; b < s->batch; b++) {
        float *mine = state ? state + b * one : NULL, *past = mine ? mine + 1 : NULL;
        const size_t count = mine ? (size_t)mine[0] : 0;
        for (size_t h = 0; h < s->heads; h++) {
            gather_keys_and_values(&w, in, past, s, b, h);
            for (size_t t = 0; t < s->tokens; t++) {
                const size_t row = w.before + t, start = w.before - count,
                             seen = row + 1 < s->window ? 0 : row + 1 - s->window,
                             first = seen > start ? seen : start;
                rotate_by_position(w.q, in->q + attention_token_at(s, b, h, t, s->key), &w, row,
                                   s->key, false);
                attend_letter(out + attention_token_at(s, b, h, t, s->value), &w, s, first, row);
            }
        }
        if (!mine) continue;
        keep_last_letters(past, in->k + b * s->tokens * keys, s->tokens, w.before, keys);
        keep_last_letters(past + w.before * keys, in->v + b * s->tokens * values, s->tokens,
                          w.before, values);
        mine[0] = (float)(s->tokens < w.before - count ? count + s->tokens : w.before);
    }
    f2l_free(w.table);
    return F2L_OK;
}

static void head_back(const f2l_attention_grad_f32 *grad, const float *dout,
                      const f2l_attention_in_f32 *in, head_work *w, const f2l_attention_shape *s,
                      size_t b, size_t h)
{
    gather_keys_and_values(w, in, NULL, s, b, h);
    memset(w->dk, 0, s->tokens * s->key * sizeof *w->dk);
    memset(w->dv, 0, s->tokens * s->value * sizeof *w->dv);
    for (size_t t = 0; t < s->tokens; t++) {
        const size_t first = t + 1 < s->window ? 0 : t + 1 - s->window;
        rotate_by_position(w->q, in->q + attention_token_at(s, b, h, t, s->key), w, t, s->key,
                           false);
        attend_letter_back(w, dout + attention_token_at(s, b, h, t, s->value), s, first, t);
        rotate_by_position(grad->dq + attention_token_at(s, b, h, t, s->key), w->dq, w, t, s->key,
                           true);
    }
    for (size_t t = 0; t < s->tokens; t++) {
        rotate_by_position(grad->dk + attention_token_at(s, b, h, t, s->key), w->dk + t * s->key, w,
                           t, s->key, true);
        memcpy(grad->dv + attention_token_at(s, b, h, t, s->value), w->dv + t * s->value,
               s->value * sizeof *w->dv);
    }
}

f2l_status f2l_attention_backward_f32(const f2l_attention_grad_f32 *grad, const float *dout,
                                      const f2l_attention_in_f32 *in, const f2l_attention_shape *s,
                                      f2l_error *err)
{
    head_work w;
    if (!work_init(&w, s, false)) return f2l_fail_memory(err);
    for (size_t b = 0; b < s->batch; b++)
        for (size_t h = 0; h < s->heads; h++) head_back(grad, dout, in, &w, s, b, h);
    f2l_free(w.table);
    return F2L_OK;
}
