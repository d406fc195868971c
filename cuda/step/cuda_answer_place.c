/* Sizes and places of an evaluation. */
#include "cuda/step/impl.h"
#include "numeric/base/mem.h"

typedef struct carving {
    char *base; /* NULL: only sizes */
    size_t at;
    bool oversized;
} carving;

/* Returns the next piece, which begins at a multiple of 256 bytes; NULL also for an empty piece. */
static void *carve_piece(carving *c, size_t rows, size_t width, size_t number)
{
    size_t bytes;
    void *place = c->base ? c->base + c->at : NULL;
    if (rows == 0 || width == 0) return NULL;
    if (!f2l_mul_size(&bytes, rows, width) || !f2l_mul_size(&bytes, bytes, number) ||
        !f2l_add_size(&bytes, bytes, 255) || !f2l_add_size(&c->at, c->at, bytes / 256 * 256))
        c->oversized = true;
    return place;
}

static void carve_letters(f2l_answer_places *p, carving *c, const f2l_cuda_answer *a)
{
    const f2l_cuda_step_shape *s = &a->shape;
    const f2l_step_columns *w = &a->columns;
    const size_t number = f2l_cuda_bytes(a->type), wide = sizeof(float);
    const bool bf16 = a->type == F2L_CUDA_BF16, laid_out = f2l_step_laid_out(s, 0);
    const size_t tables = laid_out ? 0 : s->letters;
    p->parameter = carve_piece(c, s->parameters, 1, wide);
    p->shadow = carve_piece(c, bf16 ? s->parameters : 0, 1, number);
    p->letter_norm = carve_piece(c, s->letters, s->width, wide);
    p->letter_projection = carve_piece(c, s->letters, w->stride, wide);
    p->letter_narrow = carve_piece(c, laid_out && bf16 ? s->letters : 0, w->stride, number);
    p->letter_q = carve_piece(c, tables, w->q, number);
    p->letter_k = carve_piece(c, tables, w->k, number);
    p->letter_v = carve_piece(c, tables, w->v, number);
    p->letter_beta = carve_piece(c, tables, w->beta, wide);
    p->letter_gate = carve_piece(c, tables, w->gate, wide);
    p->work = carve_piece(c, F2L_ANSWER_PRODUCT_WORK, 1, 1);
}

/* Places the inputs of the mixer by position. */
static void carve_mixer(f2l_answer_places *p, carving *c, const f2l_cuda_answer *a)
{
    const f2l_cuda_step_shape *s = &a->shape;
    const f2l_step_columns *w = &a->columns;
    const size_t number = f2l_cuda_bytes(a->type), wide = sizeof(float);
    /* 0: all inputs are tables */
    const size_t rows = s->layers > 1 || f2l_step_laid_out(s, 0) ? a->most_rows : 0;
    p->projection = carve_piece(c, rows, w->stride, number);
    p->taps = carve_piece(c, rows, w->taps_stride, number);
    p->q = carve_piece(c, rows, w->q, number);
    p->k = carve_piece(c, rows, w->k, number);
    p->v = carve_piece(c, rows, w->v, number);
    p->beta = carve_piece(c, rows, w->beta, wide);
    p->gate = carve_piece(c, rows, w->gate, wide);
    p->o = carve_piece(c, a->most_rows, w->o, number);
    p->o_norm = carve_piece(c, a->most_rows, w->mixed, number);
    p->u = carve_piece(c, rows, w->u, number);
    p->select = carve_piece(c, rows, w->select_stride, number);
    p->step = carve_piece(c, rows, w->u, number);
    p->low_wide = carve_piece(c, w->removals > 0 ? rows : 0, w->low, wide);
    p->low = carve_piece(c, w->removals > 0 && a->type == F2L_CUDA_BF16 ? rows : 0, w->low, number);
    p->gate_in = carve_piece(c, rows, w->gates, number);
    p->rate_in = carve_piece(c, rows, w->removals, number);
    p->w = carve_piece(c, rows, w->gates, wide);
    p->a = carve_piece(c, rows, w->removals, wide);
    p->b = carve_piece(c, rows, w->removals, wide);
    p->write = carve_piece(c, rows, w->removals, number);
    p->state = carve_piece(c, s->layers, a->layer_states, wide);
    for (size_t i = 0; i < 2; i++) p->past[i] = carve_piece(c, s->layers, a->layer_past, 1);
}

static void carve_positions(f2l_answer_places *p, carving *c, const f2l_cuda_answer *a)
{
    const f2l_cuda_step_shape *s = &a->shape;
    const size_t rows = a->most_rows, number = f2l_cuda_bytes(a->type);
    p->letter = carve_piece(c, rows, 1, sizeof *p->letter);
    p->answer = carve_piece(c, rows, 1, sizeof *p->answer);
    p->x = carve_piece(c, rows, s->width, number);
    p->middle = carve_piece(c, s->mlp > 0 ? rows : 0, s->width, number);
    p->norm = carve_piece(c, rows, s->width, number);
    p->out = carve_piece(c, rows, s->width, number);
    p->gate_up = carve_piece(c, rows, 2 * s->mlp, number);
    p->product = carve_piece(c, rows, s->mlp, number);
    p->logits = carve_piece(c, rows, f2l_step_padded(s->labels), sizeof(float));
    carve_mixer(p, c, a);
}

/* Computes the sizes of the states that a layer carries from piece to piece. */
static bool carried_of(f2l_cuda_answer *a)
{
    const f2l_cuda_step_shape *s = &a->shape;
    const size_t taps = s->convolution > 0 ? s->convolution - 1 : 0;
    size_t states, past;
    a->one_state = a->columns.state;
    if (!f2l_mul_size(&states, a->most_sequences, a->one_state) ||
        !f2l_add_size(&states, states, 63) || !f2l_mul_size(&past, a->most_sequences, taps) ||
        !f2l_mul_size(&past, past, a->columns.taps) ||
        !f2l_mul_size(&past, past, f2l_cuda_bytes(a->type)) || !f2l_add_size(&past, past, 255))
        return false;
    a->layer_states = states / 64 * 64;
    a->layer_past = past / 256 * 256;
    return true;
}

f2l_status f2l_answer_place(f2l_cuda_answer *a, f2l_error *err)
{
    carving c = {0};
    f2l_answer_places none = {0};
    c.oversized = !carried_of(a);
    carve_letters(&none, &c, a);
    carve_positions(&none, &c, a);
    if (c.oversized)
        return f2l_fail(err, F2L_EDOMAIN, "%zu positions at once are too many for a device",
                        a->most_rows);
    a->bytes = c.at;
    const f2l_status status = a->k->alloc(&a->memory, a->bytes, err);
    if (status != F2L_OK) return status;
    c = (carving){.base = a->memory};
    carve_letters(&a->at, &c, a);
    carve_positions(&a->at, &c, a);
    return F2L_OK;
}
