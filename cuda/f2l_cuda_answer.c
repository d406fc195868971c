#include "f2l_cuda_answer.h"
#include "f2l_cuda_step_impl.h"
#include "f2l_mem.h"
#include <math.h>
#include <string.h>

enum { PRODUCT_WORK = 32 << 20, PRODUCTS_OF_LAYER = 4 };

/* What stands on the device. By letter: what layer 0's mixer reads, and where that comes from (float). By position, of the
 * type unless said: the residual stream before and after the mixer, and what a layer makes in between; all layers use the
 * same. */
typedef struct places {
    float *parameter;
    uint16_t *shadow; /* NULL for float */
    float *letter_norm, *letter_projection;
    void *letter_q, *letter_k, *letter_v;
    float *letter_beta, *letter_gate;
    uint32_t *letter, *answer;
    void *x, *middle, *norm, *out, *projection, *q, *k, *v, *o, *o_norm, *gate_up, *product;
    float *beta, *gate, *logits;
    float *state; /* of each layer, layer_states() apart: [sequences][heads][key][value] */
    void *work;
} places;

struct f2l_cuda_answer {
    f2l_cuda_step_shape shape;
    f2l_cuda_type type;
    const f2l_cuda_answer_kernels *more;
    const f2l_cuda_kernels *k;
    f2l_step_columns columns;
    size_t most_sequences, most_rows;
    f2l_cuda_blas *blas;
    void *stream, *memory;
    size_t bytes;
    places at;
    void *host;   /* pinned: letters, then answers */
    float *start; /* [layers][heads key value] of the parameters; NULL: states start at 0 */
    float *begun; /* [most_sequences][heads key value] */
    size_t sequences;
    /* Products of a pass over so many rows, in their order; the last ones are those of the tables. */
    f2l_cuda_product **product;
    size_t products, next, rows;
};

static f2l_step_columns columns_of(const f2l_cuda_step_shape *s)
{
    f2l_step_columns c = {.q = s->heads * s->key,
                          .k = s->householders * s->heads * s->key,
                          .v = s->additive ? s->householders * s->heads * s->value : 0,
                          .beta = s->householders * s->heads,
                          .gate = s->forget_gate ? s->heads : 0};
    c.all = c.q + c.k + c.v + c.beta + c.gate;
    c.stride = f2l_step_padded(c.all);
    return c;
}

static size_t state_of(const f2l_cuda_step_shape *s)
{
    return s->heads * s->key * s->value;
}

/* Numbers from the states of one layer to those of the next, which begin at 256 bytes. */
static size_t layer_states(const f2l_cuda_answer *a)
{
    return (a->most_sequences * state_of(&a->shape) + 63) / 64 * 64;
}

/* --- memory --- */

typedef struct carving {
    char *base; /* NULL: only sizes */
    size_t at;
    bool oversized;
} carving;

/* The next piece; NULL also where there is nothing to keep. */
static void *carve(carving *c, size_t rows, size_t width, size_t number)
{
    size_t bytes;
    void *place = c->base ? c->base + c->at : NULL;
    if (rows == 0 || width == 0) return NULL;
    if (!f2l_mul_size(&bytes, rows, width) || !f2l_mul_size(&bytes, bytes, number) ||
        !f2l_add_size(&bytes, bytes, 255) || !f2l_add_size(&c->at, c->at, bytes / 256 * 256))
        c->oversized = true;
    return place;
}

static void carve_letters(places *p, carving *c, const f2l_cuda_answer *a)
{
    const f2l_cuda_step_shape *s = &a->shape;
    const f2l_step_columns *w = &a->columns;
    const size_t number = f2l_cuda_bytes(a->type), wide = sizeof(float);
    p->parameter = carve(c, s->parameters, 1, wide);
    p->shadow = carve(c, a->type == F2L_CUDA_BF16 ? s->parameters : 0, 1, number);
    p->letter_norm = carve(c, s->letters, s->width, wide);
    p->letter_projection = carve(c, s->letters, w->stride, wide);
    p->letter_q = carve(c, s->letters, w->q, number);
    p->letter_k = carve(c, s->letters, w->k, number);
    p->letter_v = carve(c, s->letters, w->v, number);
    p->letter_beta = carve(c, s->letters, w->beta, wide);
    p->letter_gate = carve(c, s->letters, w->gate, wide);
    p->work = carve(c, PRODUCT_WORK, 1, 1);
}

static void carve_positions(places *p, carving *c, const f2l_cuda_answer *a)
{
    const f2l_cuda_step_shape *s = &a->shape;
    const f2l_step_columns *w = &a->columns;
    const size_t rows = a->most_rows, number = f2l_cuda_bytes(a->type), wide = sizeof(float);
    const size_t later = s->layers > 1 ? rows : 0; /* layer 0 reads tables */
    p->letter = carve(c, rows, 1, sizeof *p->letter);
    p->answer = carve(c, rows, 1, sizeof *p->answer);
    p->x = carve(c, rows, s->width, number);
    p->middle = carve(c, s->mlp > 0 ? rows : 0, s->width, number);
    p->norm = carve(c, rows, s->width, number);
    p->out = carve(c, rows, s->width, number);
    p->projection = carve(c, later, w->stride, number);
    p->q = carve(c, later, w->q, number);
    p->k = carve(c, later, w->k, number);
    p->v = carve(c, later, w->v, number);
    p->beta = carve(c, later, w->beta, wide);
    p->gate = carve(c, later, w->gate, wide);
    p->o = carve(c, rows, s->heads * s->value, number);
    p->o_norm = carve(c, rows, s->heads * s->value, number);
    p->gate_up = carve(c, rows, 2 * s->mlp, number);
    p->product = carve(c, rows, s->mlp, number);
    p->logits = carve(c, rows, f2l_step_padded(s->labels), wide);
    p->state = carve(c, s->layers, layer_states(a), wide);
}

static f2l_status place(f2l_cuda_answer *a, f2l_error *err)
{
    carving c = {0};
    places none = {0};
    carve_letters(&none, &c, a);
    carve_positions(&none, &c, a);
    if (c.oversized)
        return f2l_fail(err, F2L_EDOMAIN, "%zu positions at once are too many for a device", a->most_rows);
    a->bytes = c.at;
    const f2l_status status = a->k->alloc(&a->memory, a->bytes, err);
    if (status != F2L_OK) return status;
    c = (carving){.base = a->memory};
    carve_letters(&a->at, &c, a);
    carve_positions(&a->at, &c, a);
    return F2L_OK;
}

static f2l_status make_host(f2l_cuda_answer *a, f2l_error *err)
{
    const f2l_cuda_step_shape *s = &a->shape;
    f2l_status status = a->k->alloc_host(&a->host, a->most_rows * 2 * sizeof(uint32_t), err);
    if (status != F2L_OK) return status;
    a->products = (s->layers + 1) * PRODUCTS_OF_LAYER + 2;
    a->product = f2l_calloc(a->products, sizeof(f2l_cuda_product *));
    if (s->layer[0].start != F2L_CUDA_NONE) {
        a->start = f2l_calloc(s->layers, state_of(s) * sizeof *a->start);
        a->begun = f2l_calloc(a->most_sequences, state_of(s) * sizeof *a->begun);
        if (a->start == NULL || a->begun == NULL) return f2l_fail_memory(err);
    }
    return a->product ? F2L_OK : f2l_fail_memory(err);
}

f2l_status f2l_cuda_answer_new(f2l_cuda_answer **out, const f2l_cuda_step_shape *shape, f2l_cuda_type type,
                               size_t sequences, size_t positions, const f2l_cuda_answer_kernels *kernels,
                               f2l_error *err)
{
    *out = NULL;
    if (shape->diagonal || shape->convolution > 0)
        return f2l_fail(err, F2L_EDOMAIN,
                        "words are read on a device with the mixer delta without convolution only");
    if (sequences == 0 || positions < sequences || positions > INT32_MAX / shape->heads)
        return f2l_fail(err, F2L_EDOMAIN, "%zu sequences cannot be read %zu letters at a time", sequences,
                        positions);
    f2l_cuda_answer *a = f2l_calloc(1, sizeof *a);
    if (a == NULL) return f2l_fail_memory(err);
    a->shape = *shape;
    a->type = type;
    a->more = kernels;
    a->k = kernels->step;
    a->columns = columns_of(shape);
    a->most_sequences = sequences;
    a->most_rows = positions;
    f2l_status status = a->k->stream_new(&a->stream, err);
    if (status == F2L_OK) status = a->k->blas_new(&a->blas, err);
    if (status == F2L_OK) status = place(a, err);
    if (status == F2L_OK) status = make_host(a, err);
    if (status == F2L_OK)
        *out = a;
    else
        f2l_cuda_answer_free(a);
    return status;
}

static void forget_products(f2l_cuda_answer *a)
{
    for (size_t i = 0; i < a->products && a->product != NULL; i++) {
        if (a->product[i]) a->k->product_free(a->product[i]);
        a->product[i] = NULL;
    }
}

void f2l_cuda_answer_free(f2l_cuda_answer *a)
{
    if (a == NULL) return;
    if (a->stream) (void)a->k->wait(a->stream, NULL);
    forget_products(a);
    if (a->memory) a->k->free(a->memory);
    if (a->host) a->k->free_host(a->host);
    if (a->blas) a->k->blas_free(a->blas);
    if (a->stream) a->k->stream_free(a->stream);
    f2l_free(a->product);
    f2l_free(a->start);
    f2l_free(a->begun);
    f2l_free(a);
}

size_t f2l_cuda_answer_bytes(const f2l_cuda_answer *answer)
{
    return answer->bytes;
}

/* --- a pass --- */

/* Failures are remembered, and what comes after one is left out. */
typedef struct pass {
    f2l_cuda_answer *a;
    const f2l_cuda_kernels *k;
    size_t rows;
    f2l_status status;
    f2l_error *err;
} pass;

#define LAUNCH(p, call)                                                                                      \
    do {                                                                                                     \
        if ((p)->status == F2L_OK) (p)->status = (call);                                                     \
    } while (0)

static const float *number(const pass *p, size_t offset)
{
    return p->a->at.parameter + offset;
}
static const void *matrix(const pass *p, size_t offset)
{
    const places *at = &p->a->at;
    return at->shadow ? (const void *)(at->shadow + offset) : (const void *)(at->parameter + offset);
}

/* y [rows][out], rows `stride` apart = x [rows][in] w^T, w [out][in]. */
static void linear(pass *p, void *y, const void *x, const void *w, size_t rows, size_t in, size_t out,
                   size_t stride, f2l_cuda_type type, f2l_cuda_type y_type)
{
    const f2l_cuda_product_shape shape = {.m = rows,
                                          .n = out,
                                          .k = in,
                                          .lda = in,
                                          .ldb = in,
                                          .ldc = stride,
                                          .transpose_b = true,
                                          .in = type,
                                          .out = y_type};
    f2l_cuda_answer *a = p->a;
    f2l_cuda_product **product = &a->product[a->next++];
    if (p->status == F2L_OK && *product == NULL)
        p->status = p->k->product_new(product, a->blas, &shape, x, w, y, PRODUCT_WORK, 0, p->err);
    LAUNCH(p, p->k->product_run(y, x, w, *product, a->at.work, a->stream, p->err));
}

static f2l_cuda_norm norm_of(const pass *p, size_t rows, size_t width, double scale, f2l_cuda_type type)
{
    return (f2l_cuda_norm){.rows = rows,
                           .width = width,
                           .epsilon = (float)p->a->shape.epsilon,
                           .scale = (float)scale,
                           .type = type};
}

/* What a mixer reads, from a projection of `type`. */
typedef struct inputs {
    size_t rows;
    f2l_cuda_type type;
    const void *projection;
    void *q, *k, *v;
    float *beta, *gate;
} inputs;

static const void *column(const inputs *in, size_t at)
{
    return (const char *)in->projection + at * f2l_cuda_bytes(in->type);
}

static void make_inputs(pass *p, const inputs *in, const f2l_cuda_step_layer *layer)
{
    const f2l_cuda_step_shape *s = &p->a->shape;
    const f2l_step_columns *c = &p->a->columns;
    void *stream = p->a->stream;
    f2l_cuda_unit keys = {.rows = in->rows,
                          .groups = s->heads,
                          .width = s->key,
                          .stride = c->stride,
                          .silu = s->silu_keys,
                          .unit = s->normalise_keys,
                          .epsilon = (float)s->epsilon,
                          .x_type = in->type,
                          .y_type = p->a->type};
    f2l_cuda_unit values = keys;
    f2l_cuda_range beta = {.rows = in->rows,
                           .width = c->beta,
                           .stride = c->stride,
                           .high = (float)s->range,
                           .slope = (float)s->slope,
                           .type = in->type};
    f2l_cuda_range gate = beta;
    size_t at = 0;
    LAUNCH(p, p->k->unit_forward(in->q, column(in, at), &keys, stream, p->err));
    at += c->q;
    keys.groups = values.groups = s->householders * s->heads;
    LAUNCH(p, p->k->unit_forward(in->k, column(in, at), &keys, stream, p->err));
    at += c->k;
    values.width = s->value;
    values.silu = true;
    values.unit = false;
    if (c->v > 0) LAUNCH(p, p->k->unit_forward(in->v, column(in, at), &values, stream, p->err));
    at += c->v;
    LAUNCH(p, p->k->sigmoid_forward(in->beta, column(in, at), &beta, stream, p->err));
    at += c->beta;
    gate.width = c->gate;
    gate.high = 1;
    if (c->gate > 0)
        LAUNCH(p, p->k->decay_forward(in->gate, column(in, at), number(p, layer->gate_log),
                                      number(p, layer->gate_bias), &gate, stream, p->err));
}

/* Layer 0 up to its mixer is a function of the letter; in float, as in a step. */
static void make_tables(pass *p)
{
    const f2l_cuda_step_shape *s = &p->a->shape;
    const f2l_cuda_step_layer *layer = &s->layer[0];
    const places *at = &p->a->at;
    const f2l_cuda_norm norm = norm_of(p, s->letters, s->width, 1, F2L_CUDA_F32);
    const inputs in = {.rows = s->letters,
                       .type = F2L_CUDA_F32,
                       .projection = at->letter_projection,
                       .q = at->letter_q,
                       .k = at->letter_k,
                       .v = at->letter_v,
                       .beta = at->letter_beta,
                       .gate = at->letter_gate};
    LAUNCH(p, p->k->rmsnorm_forward(at->letter_norm, NULL, number(p, s->embedding), NULL, NULL,
                                    number(p, layer->mixer_norm), &norm, p->a->stream, p->err));
    linear(p, at->letter_projection, at->letter_norm, number(p, layer->project), s->letters, s->width,
           p->a->columns.all, p->a->columns.stride, F2L_CUDA_F32, F2L_CUDA_F32);
    make_inputs(p, &in, layer);
}

static void mix(pass *p, size_t l)
{
    f2l_cuda_answer *a = p->a;
    const f2l_cuda_step_shape *s = &a->shape;
    const places *at = &a->at;
    const f2l_delta_shape shape = {a->sequences, p->rows / a->sequences, s->heads, s->householders, s->key,
                                   s->value};
    const bool bf16 = a->type == F2L_CUDA_BF16;
    const f2l_recurrent_in first = {.bf16 = bf16,
                                    .q = at->letter_q,
                                    .k = at->letter_k,
                                    .v = at->letter_v,
                                    .beta = at->letter_beta,
                                    .gate = at->letter_gate,
                                    .letter = at->letter};
    const f2l_recurrent_in later = {
        .bf16 = bf16, .q = at->q, .k = at->k, .v = at->v, .beta = at->beta, .gate = at->gate};
    const inputs in = {.rows = p->rows,
                       .type = a->type,
                       .projection = at->projection,
                       .q = at->q,
                       .k = at->k,
                       .v = at->v,
                       .beta = at->beta,
                       .gate = at->gate};
    if (l > 0) {
        linear(p, at->projection, at->norm, matrix(p, s->layer[l].project), p->rows, s->width, a->columns.all,
               a->columns.stride, a->type, a->type);
        make_inputs(p, &in, &s->layer[l]);
    }
    float *state = at->state + l * layer_states(a);
    LAUNCH(p, a->more->recurrent(at->o, state, NULL, l == 0 ? &first : &later, &shape, a->stream, p->err));
}

/* sum = out + residual, norm = its norm. */
static void add_and_norm(pass *p, void *sum, const void *residual, const uint32_t *letter, size_t weight)
{
    const places *at = &p->a->at;
    const f2l_cuda_norm shape = norm_of(p, p->rows, p->a->shape.width, 1, p->a->type);
    LAUNCH(p, p->k->rmsnorm_forward(at->norm, sum, at->out, residual, letter, number(p, weight), &shape,
                                    p->a->stream, p->err));
}

static void run_layer(pass *p, size_t l)
{
    f2l_cuda_answer *a = p->a;
    const f2l_cuda_step_shape *s = &a->shape;
    const f2l_cuda_step_layer *layer = &s->layer[l];
    const places *at = &a->at;
    const size_t values = s->heads * s->value, rows = p->rows;
    const f2l_cuda_norm of_o = norm_of(p, rows * s->heads, s->value, 1 / sqrt((double)s->key), a->type);
    const size_t next_norm = l + 1 < s->layers ? s->layer[l + 1].mixer_norm : s->norm;
    const void *residual = l == 0 ? matrix(p, s->embedding) : at->x;
    const uint32_t *letter = l == 0 ? at->letter : NULL;
    mix(p, l);
    LAUNCH(p, p->k->rmsnorm_forward(at->o_norm, NULL, at->o, NULL, NULL, number(p, layer->output_norm), &of_o,
                                    a->stream, p->err));
    linear(p, at->out, at->o_norm, matrix(p, layer->out), rows, values, s->width, s->width, a->type, a->type);
    if (s->mlp == 0) {
        add_and_norm(p, at->x, residual, letter, next_norm);
        return;
    }
    add_and_norm(p, at->middle, residual, letter, layer->mlp_norm);
    linear(p, at->gate_up, at->norm, matrix(p, layer->mlp_in), rows, s->width, 2 * s->mlp, 2 * s->mlp,
           a->type, a->type);
    LAUNCH(p, p->k->swiglu_forward(at->product, at->gate_up, rows, s->mlp, a->type, a->stream, p->err));
    linear(p, at->out, at->product, matrix(p, layer->mlp_down), rows, s->mlp, s->width, s->width, a->type,
           a->type);
    add_and_norm(p, at->x, at->middle, NULL, next_norm);
}

static void run(pass *p)
{
    f2l_cuda_answer *a = p->a;
    const f2l_cuda_step_shape *s = &a->shape;
    const size_t labels = f2l_step_padded(s->labels);
    for (size_t l = 0; l < s->layers; l++) run_layer(p, l);
    linear(p, a->at.logits, a->at.norm, matrix(p, s->head), p->rows, s->width, s->labels, labels, a->type,
           F2L_CUDA_F32);
    LAUNCH(p, a->more->answers(a->at.answer, a->at.logits, labels, p->rows, s->labels, a->stream, p->err));
}

/* --- what a caller sees --- */

f2l_status f2l_cuda_answer_put(f2l_cuda_answer *a, const float *parameter, f2l_error *err)
{
    const f2l_cuda_step_shape *s = &a->shape;
    pass p = {.a = a, .k = a->k, .rows = 0, .err = err};
    LAUNCH(&p, a->k->to_device(a->at.parameter, parameter, s->parameters * sizeof(float), a->stream, err));
    if (a->at.shadow)
        LAUNCH(&p, a->k->cast(a->at.shadow, F2L_CUDA_BF16, a->at.parameter, F2L_CUDA_F32, s->parameters,
                              a->stream, err));
    for (size_t l = 0; a->start && l < s->layers; l++)
        memcpy(a->start + l * state_of(s), parameter + s->layer[l].start, state_of(s) * sizeof *a->start);
    a->next = a->products - 1;
    make_tables(&p);
    LAUNCH(&p, a->k->wait(a->stream, err));
    a->sequences = 0;
    return p.status;
}

f2l_status f2l_cuda_answer_begin(f2l_cuda_answer *a, size_t sequences, f2l_error *err)
{
    const size_t one = state_of(&a->shape), bytes = sequences * one * sizeof(float);
    f2l_status status = F2L_OK;
    if (sequences == 0 || sequences > a->most_sequences)
        return f2l_fail(err, F2L_EDOMAIN, "%zu sequences side by side, but there is room for %zu", sequences,
                        a->most_sequences);
    for (size_t l = 0; status == F2L_OK && l < a->shape.layers; l++) {
        float *state = a->at.state + l * layer_states(a);
        for (size_t i = 0; a->start && i < sequences; i++)
            memcpy(a->begun + i * one, a->start + l * one, one * sizeof *a->begun);
        status = a->start ? a->k->to_device(state, a->begun, bytes, a->stream, err)
                          : a->k->fill(state, 0, bytes, a->stream, err);
    }
    a->sequences = status == F2L_OK ? sequences : 0;
    return status;
}

static f2l_status check_letters(const uint32_t *letter, size_t rows, size_t letters, f2l_error *err)
{
    for (size_t i = 0; i < rows; i++)
        if (letter[i] >= letters)
            return f2l_fail(err, F2L_EDOMAIN, "letter %u is none of the model's %zu", (unsigned)letter[i],
                            letters);
    return F2L_OK;
}

f2l_status f2l_cuda_answer_read(uint32_t *out, f2l_cuda_answer *a, const uint32_t *letter, size_t count,
                                f2l_error *err)
{
    size_t rows;
    if (a->sequences == 0) return f2l_fail(err, F2L_EDOMAIN, "letters for sequences that have not begun");
    if (count == 0) return F2L_OK;
    if (!f2l_mul_size(&rows, a->sequences, count) || rows > a->most_rows)
        return f2l_fail(err, F2L_EDOMAIN, "%zu letters of %zu sequences at once, but there is room for %zu",
                        count, a->sequences, a->most_rows);
    const f2l_status status = check_letters(letter, rows, a->shape.letters, err);
    if (status != F2L_OK) return status;
    uint32_t *letters = a->host, *answers = letters + a->most_rows;
    pass p = {.a = a, .k = a->k, .rows = rows, .err = err};
    if (rows != a->rows) forget_products(a); /* plans are for a number of rows */
    a->rows = rows;
    a->next = 0;
    memcpy(letters, letter, rows * sizeof *letters);
    LAUNCH(&p, a->k->to_device(a->at.letter, letters, rows * sizeof *letters, a->stream, err));
    run(&p);
    LAUNCH(&p, a->k->to_host(answers, a->at.answer, rows * sizeof *answers, a->stream, err));
    if (p.status == F2L_OK) memcpy(out, answers, rows * sizeof *out);
    return p.status;
}
