#include "models/learn/op/op_delta_strip.h"
#include "numeric/base/mem.h"

/* Steps all tokens of one strip, whose state S [key][STRIP] is updated. */
F2L_CLONES
static void forward_delta_strip(float *out, float *S, const f2l_delta_in_f32 *in,
                                const f2l_delta_shape *s, const f2l_delta_place *at)
{
    float e[STRIP];
    for (size_t t = 0; t < s->tokens; t++) {
        const size_t token = token_row(s, at, t);
        step_token(S, e, in, s, at, t);
        transposed_times(e, S, in->q + token * s->key, s->key);
        memcpy(out + token * s->value + at->from, e, at->width * sizeof *e);
    }
}

static void put_matrix(float *S, const float *from, const f2l_delta_shape *s,
                       const f2l_delta_place *at)
{
    for (size_t i = 0; i < s->key; i++)
        memcpy(S + i * s->value + at->from, from + i * STRIP, at->width * sizeof *S);
}

f2l_status f2l_delta_forward_f32(float *out, float *state, const f2l_delta_in_f32 *in,
                                 const f2l_delta_shape *s, f2l_error *err)
{
    float *S = f2l_calloc(s->key, STRIP * sizeof *S);
    if (!S) return f2l_fail_memory(err);
    for (size_t b = 0; b < s->batch; b++)
        for (size_t h = 0; h < s->heads; h++)
            for (size_t from = 0; from < s->value; from += STRIP) {
                const f2l_delta_place at = strip_at(s, b, h, from);
                float *mine = state ? state + (b * s->heads + h) * s->key * s->value : NULL;
                const float *start = mine ? mine : in->h0 ? in->h0 + h * s->key * s->value : NULL;
                take_matrix(S, start, s, &at);
                forward_delta_strip(out, S, in, s, &at);
                if (mine) put_matrix(mine, S, s, &at);
            }
    f2l_free(S);
    return F2L_OK;
}
