/* The row of the mixer delta: its sizes and places. */
#include "cuda/step/impl.h"
#include "models/learn/seq/delta/seq_delta.h"

static f2l_status takes_delta(const f2l_seq_config *c, f2l_error *err)
{
    return f2l_step_takes_heads(c, F2L_RECURRENT_DIM, err);
}

static bool has_sizes(const f2l_cuda_step_shape *s)
{
    return s->heads > 0 && s->key > 0 && s->value > 0 && s->householders > 0;
}

static f2l_status check_delta_step(const f2l_cuda_step_shape *s, f2l_cuda_type type, f2l_error *err)
{
    /* The tensor cores' mixer reads H_0 in pieces of 16 bytes. */
    for (size_t l = 0; l < s->layers; l++)
        if (type == F2L_CUDA_BF16 && !s->forget_gate &&
            s->layer[l].mixer[F2L_DELTA_START] != F2L_CUDA_NONE &&
            s->layer[l].mixer[F2L_DELTA_START] % 4 != 0)
            return f2l_fail(err, F2L_EDOMAIN,
                            "with bf16 on a device the width must be a multiple of 4, not %zu",
                            s->width);
    return F2L_OK;
}

static void set_delta_columns(f2l_step_columns *c, const f2l_cuda_step_shape *s)
{
    c->q = s->heads * s->key;
    c->k = s->householders * s->heads * s->key;
    c->v = s->additive ? s->householders * s->heads * s->value : 0;
    c->beta = s->householders * s->heads;
    c->gate = s->forget_gate ? s->heads : 0;
    c->all = c->q + c->k + c->v + c->beta + c->gate;
    c->taps = s->convolution > 0 ? c->q + c->k + c->v : 0;
    c->mixed = c->o = s->heads * s->value;
    c->state = s->heads * s->key * s->value;
    c->parts = s->heads;
}

static f2l_status bytes_of(size_t bytes[2], const f2l_cuda_step *step, size_t l, f2l_error *err)
{
    const f2l_cuda_step_shape *s = &step->shape;
    const float some = 0;
    const uint32_t letter = 0; /* only whether it is NULL matters here */
    const f2l_cuda_mixer_in in = {
        .shape = {step->sequences, step->length, s->heads, s->householders, s->key, s->value},
        .type = step->type,
        .v = s->additive ? &some : NULL,
        .gate = s->forget_gate ? &some : NULL,
        .h0 = s->layer[l].mixer[F2L_DELTA_START] != F2L_CUDA_NONE ? &some : NULL,
        .letter = l == 0 && !f2l_step_laid_out(s, l) ? &letter : NULL};
    return step->k->mixer_bytes(&bytes[0], &bytes[1], &in, err);
}

static void want_delta_memory(f2l_step_wishes *w, f2l_step_layer *a, const f2l_cuda_step *step,
                              const size_t bytes[2], size_t l, const f2l_step_phases *p)
{
    const f2l_step_columns *c = &step->columns;
    const size_t rows = step->sequences * step->length, letters = step->shape.letters,
                 number = f2l_cuda_bytes(step->type);
    const bool by_letter = l == 0 && !f2l_step_laid_out(&step->shape, l);
    const size_t here = by_letter ? letters : rows;
    const size_t begin = p->begin, output = p->output, mixed = p->mixed, end = p->end;
    f2l_step_want(w, &a->q, here, c->q * number, begin, mixed);
    f2l_step_want(w, &a->k, here, c->k * number, begin, mixed);
    f2l_step_want(w, &a->v, here, c->v * number, begin, mixed);
    f2l_step_want(w, &a->beta, here, c->beta * sizeof(float), begin, mixed);
    f2l_step_want(w, &a->gate, here, c->gate * sizeof(float), begin, mixed);
    f2l_step_want(w, &a->kept, 1, bytes[0], begin, mixed);
    f2l_step_want(w, &a->mixer_work, 1, bytes[1], begin, mixed);
    f2l_step_want(w, &a->o, rows, c->mixed * number, begin, output);
    f2l_step_want(w, &a->do_norm, rows, c->mixed * number, output, output);
    f2l_step_want(w, &a->d_o, rows, c->mixed * number, output, mixed);
    f2l_step_want(w, &a->dq, rows, c->q * number, mixed, end);
    f2l_step_want(w, &a->dk, rows, c->k * number, mixed, end);
    f2l_step_want(w, &a->dv, rows, c->v * number, mixed, end);
    f2l_step_want(w, &a->dbeta, rows, c->beta * sizeof(float), mixed, end);
    f2l_step_want(w, &a->dgate, rows, c->gate * sizeof(float), mixed, end);
    if (!by_letter) return;
    f2l_step_want(w, &a->sum_q, letters, c->q * sizeof(float), end, end);
    f2l_step_want(w, &a->sum_k, letters, c->k * sizeof(float), end, end);
    f2l_step_want(w, &a->sum_v, letters, c->v * sizeof(float), end, end);
    f2l_step_want(w, &a->sum_beta, letters, c->beta * sizeof(float), end, end);
    f2l_step_want(w, &a->sum_gate, letters, c->gate * sizeof(float), end, end);
}

const f2l_step_mixer f2l_step_mixer_delta = {.mixer = &f2l_mixer_delta,
                                             .project = F2L_DELTA_QUERY,
                                             .taps = F2L_DELTA_QUERY_TAPS,
                                             .out = F2L_DELTA_OUT,
                                             .packs = true,
                                             .takes = takes_delta,
                                             .has_sizes = has_sizes,
                                             .check_step = check_delta_step,
                                             .columns = set_delta_columns,
                                             .bytes = bytes_of,
                                             .want = want_delta_memory,
                                             .forward = f2l_step_delta_forward,
                                             .backward = f2l_step_delta_backward,
                                             .answer = f2l_answer_delta,
                                             .tables = f2l_answer_delta_tables};
