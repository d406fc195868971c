#include "tests/support/cuda/recurrent_support.h"

bool recurrent_is_wide(int which)
{
    return which == IN_BETA || which == IN_GATE || which == IN_H0;
}

bool recurrent_out_is_wide(int which)
{
    return which >= OUT_DBETA;
}

double recurrent_uniform(f2l_rng *rng)
{
    return ldexp((double)(f2l_rng_u64(rng) >> 11), -52) - 1;
}

size_t recurrent_row(const f2l_delta_shape *s, int which)
{
    const size_t row[] = {s->heads * s->key,
                          s->householders * s->heads * s->key,
                          s->householders * s->heads * s->value,
                          s->householders * s->heads,
                          s->heads,
                          0,
                          s->heads * s->value};
    return row[which];
}

void recurrent_counts(recurrent_sample *r, unsigned options)
{
    const f2l_delta_shape *s = &r->shape;
    const size_t positions = s->batch * s->tokens, rows = r->letters ? r->letters : positions;
    for (int i = 0; i < INPUTS; i++) r->count[i] = rows * recurrent_row(s, i);
    r->count[IN_DOUT] = positions * recurrent_row(s, IN_DOUT);
    r->count[IN_H0] = options & WITH_START ? s->heads * s->key * s->value : 0;
    if (!(options & WITH_VALUES)) r->count[IN_V] = 0;
    if (!(options & WITH_GATES)) r->count[IN_GATE] = 0;
    const int like[OUTPUTS] = {IN_DOUT, IN_Q, IN_K, IN_V, IN_BETA, IN_GATE, IN_H0};
    for (int i = 0; i < OUTPUTS; i++)
        r->results[i] = like[i] == IN_H0    ? r->count[IN_H0]
                        : r->count[like[i]] ? positions * recurrent_row(s, like[i])
                                            : 0;
}

void recurrent_draw(double *x, size_t n, int which, const recurrent_sample *r, f2l_rng *rng)
{
    const size_t key = r->shape.key;
    for (size_t i = 0; i < n; i++) {
        x[i] = recurrent_uniform(rng);
        if (r->dyadic) x[i] = which == IN_K ? 0 : floor(3 * x[i]) / 4;
        if (which == IN_BETA) x[i] = r->dyadic ? 1 + (double)f2l_rng_below(rng, 2) : x[i] + 1;
        if (which == IN_GATE)
            x[i] = r->dyadic ? 1 - (double)f2l_rng_below(rng, 2) / 2 : (x[i] + 1) / 2;
    }
    for (size_t row = 0; which == IN_K && row < n; row += key) {
        double norm = 0;
        for (size_t j = 0, from = r->dyadic ? f2l_rng_below(rng, key - 3) : 0; r->dyadic && j < 4;
             j++)
            x[row + from + j] = f2l_rng_below(rng, 2) ? 0.5 : -0.5;
        for (size_t j = 0; j < key; j++) norm += x[row + j] * x[row + j];
        for (size_t j = 0; !r->dyadic && j < key; j++) x[row + j] /= sqrt(norm);
    }
}

void *recurrent_narrow(double *x, size_t n, bool bf16)
{
    void *out = malloc((n + 1) * sizeof(float));
    for (size_t i = 0; i < n; i++) {
        f2l_replay_put(out, i, (float)x[i], bf16);
        x[i] = (double)f2l_replay_get(out, i, bf16);
    }
    return out;
}

void recurrent_sample_init(recurrent_sample *r, f2l_delta_shape shape, unsigned options,
                           bool dyadic, uint64_t seed)
{
    *r = (recurrent_sample){.shape = shape, .bf16 = options & WITH_BF16, .dyadic = dyadic};
    const size_t positions = shape.batch * shape.tokens;
    f2l_rng rng;
    f2l_rng_init(&rng, seed, options);
    if (options & WITH_LETTERS) r->letters = 5;
    recurrent_counts(r, options);
    r->letter = r->letters ? calloc(positions + 1, sizeof *r->letter) : NULL;
    for (size_t i = 0; r->letter && i < positions; i++)
        r->letter[i] = (uint32_t)f2l_rng_below(&rng, r->letters);
    for (int i = 0; i < INPUTS; i++) {
        if (!r->count[i] && i >= IN_V && i <= IN_H0) continue;
        double *x = malloc((r->count[i] + 1) * sizeof *x);
        recurrent_draw(x, r->count[i], i, r, &rng);
        r->number[i] = recurrent_narrow(x, r->count[i], r->bf16 && !recurrent_is_wide(i));
        r->by_position[i] = x;
        if (!r->letter || i == IN_H0 || i == IN_DOUT) continue;
        const size_t row = recurrent_row(&shape, i);
        r->by_position[i] = malloc((positions * row + 1) * sizeof *x);
        for (size_t p = 0; p < positions; p++)
            memcpy(r->by_position[i] + p * row, x + r->letter[p] * row, row * sizeof *x);
        free(x);
    }
}

void recurrent_sample_clear(recurrent_sample *r)
{
    for (int i = 0; i < INPUTS; i++) free(r->number[i]), free(r->by_position[i]);
    free(r->letter);
    *r = (recurrent_sample){0};
}

f2l_recurrent_in recurrent_inputs(const recurrent_sample *r)
{
    return (f2l_recurrent_in){.bf16 = r->bf16,
                              .q = r->number[IN_Q],
                              .k = r->number[IN_K],
                              .v = r->number[IN_V],
                              .beta = r->number[IN_BETA],
                              .gate = r->number[IN_GATE],
                              .h0 = r->number[IN_H0],
                              .letter = r->letter};
}

void recurrent_results_clear(recurrent_results *x)
{
    for (int i = 0; i < OUTPUTS; i++) free(x->wide[i]), free(x->narrow[i]);
    *x = (recurrent_results){0};
}

bool recurrent_reference(recurrent_results *x, const recurrent_sample *r)
{
    double *const *in = r->by_position;
    const f2l_delta_in_f64 input = {in[IN_Q],    in[IN_K],    in[IN_V],
                                    in[IN_BETA], in[IN_GATE], in[IN_H0]};
    *x = (recurrent_results){0};
    for (int i = 0; i < OUTPUTS; i++)
        if (r->results[i] || i <= OUT_DK || i == OUT_DBETA)
            x->wide[i] = calloc(r->results[i] + 1, sizeof(double));
    const f2l_delta_grad_f64 grad = {x->wide[OUT_DQ],    x->wide[OUT_DK],    x->wide[OUT_DV],
                                     x->wide[OUT_DBETA], x->wide[OUT_DGATE], x->wide[OUT_DH0]};
    return f2l_delta_forward_f64(x->wide[OUT_O], NULL, &input, &r->shape, NULL) == F2L_OK &&
           f2l_delta_backward_f64(&grad, in[IN_DOUT], &input, &r->shape, NULL) == F2L_OK;
}

void recurrent_poisoned(recurrent_results *x, const recurrent_sample *r)
{
    *x = (recurrent_results){0};
    for (int i = 0; i < OUTPUTS; i++) {
        if (!r->results[i] && (i == OUT_DV || i >= OUT_DGATE)) continue;
        x->narrow[i] = malloc((r->results[i] + 1) * sizeof(float));
        memset(x->narrow[i], i == OUT_DH0 ? 0 : 0xff, (r->results[i] + 1) * sizeof(float));
    }
}

f2l_recurrent_grad recurrent_gradients(const recurrent_results *x)
{
    return (f2l_recurrent_grad){x->narrow[OUT_DQ],    x->narrow[OUT_DK],    x->narrow[OUT_DV],
                                x->narrow[OUT_DBETA], x->narrow[OUT_DGATE], x->narrow[OUT_DH0]};
}

f2l_status recurrent_replay(recurrent_results *x, const recurrent_sample *r, f2l_error *err)
{
    const f2l_recurrent_in in = recurrent_inputs(r);
    recurrent_poisoned(x, r);
    const f2l_recurrent_grad grad = recurrent_gradients(x);
    float *kept = malloc((f2l_replay_recurrent_kept(&r->shape) + 1) * sizeof *kept);
    f2l_status status =
        f2l_replay_recurrent_forward(x->narrow[OUT_O], NULL, kept, &in, &r->shape, err);
    if (status == F2L_OK)
        status =
            f2l_replay_recurrent_backward(&grad, r->number[IN_DOUT], kept, &in, &r->shape, err);
    free(kept);
    return status;
}

double recurrent_error(const void *got, const double *want, size_t n, bool bf16)
{
    double wrong = 0, all = 0;
    for (size_t i = 0; i < n; i++) {
        const double d = (double)f2l_replay_get(got, i, bf16) - want[i];
        wrong += d * d, all += want[i] * want[i];
    }
    return wrong == 0 ? 0 : sqrt(wrong / all);
}
