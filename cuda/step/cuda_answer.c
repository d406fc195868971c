#include "cuda/step/impl.h"
#include "numeric/base/mem.h"
#include <string.h>

enum { PRODUCTS_OF_LAYER = 6 };

static f2l_status check_answer_mixer(const f2l_cuda_step_shape *s, f2l_error *err)
{
    if (!s->mixer->has_sizes(s))
        return f2l_fail(err, F2L_EDOMAIN, "words cannot be read with a mixer that has a size of 0");
    if (s->convolution > F2L_CUDA_CONV_TAPS)
        return f2l_fail(err, F2L_EDOMAIN,
                        "a convolution of %zu letters, but on a device there are at most %d",
                        s->convolution, F2L_CUDA_CONV_TAPS);
    return s->mixer->check_answer ? s->mixer->check_answer(s, err) : F2L_OK;
}

/* Refuses sizes that are too large: operators count the numbers of an array in 32 bits. */
static f2l_status check_answer_sizes(const f2l_cuda_step_shape *s, size_t sequences,
                                     size_t positions, f2l_error *err)
{
    const f2l_step_columns c = f2l_step_columns_of(s);
    const size_t widths[] = {s->width,        s->mlp * 2, c.stride,
                             c.select_stride, c.mixed,    s->labels + 8};
    size_t widest = 0;
    for (size_t i = 0; i < sizeof widths / sizeof *widths; i++)
        widest = widths[i] > widest ? widths[i] : widest;
    if (sequences == 0 || positions < sequences)
        return f2l_fail(err, F2L_EDOMAIN, "%zu sequences cannot be read %zu letters at a time",
                        sequences, positions);
    if (positions > INT32_MAX / widest ||
        (c.taps > 0 && sequences > (INT32_MAX / c.taps - positions) / s->convolution))
        return f2l_fail(err, F2L_EDOMAIN,
                        "%zu letters of %zu sequences at a time are too many for "
                        "a device",
                        positions, sequences);
    return F2L_OK;
}

/* Returns the offset of the first states of a layer, or F2L_CUDA_NONE: they are 0. */
static size_t start_of(const f2l_cuda_step_shape *s, size_t layer)
{
    const size_t first = s->mixer->mixer->first_state;
    return first == F2L_SEQ_NONE ? F2L_CUDA_NONE : s->layer[layer].mixer[first];
}

static f2l_status make_host(f2l_cuda_answer *a, f2l_error *err)
{
    const f2l_cuda_step_shape *s = &a->shape;
    f2l_status status = a->k->alloc_host(&a->host, a->most_rows * 2 * sizeof(uint32_t), err);
    if (status != F2L_OK) return status;
    a->products = s->layers * PRODUCTS_OF_LAYER + 2;
    a->product = f2l_calloc(a->products, sizeof(f2l_cuda_product *));
    if (start_of(s, 0) != F2L_CUDA_NONE) {
        a->start = f2l_calloc(s->layers, a->one_state * sizeof *a->start);
        a->begun = f2l_calloc(a->most_sequences, a->one_state * sizeof *a->begun);
        if (a->start == NULL || a->begun == NULL) return f2l_fail_memory(err);
    }
    return a->product ? F2L_OK : f2l_fail_memory(err);
}

f2l_status f2l_cuda_answer_new(f2l_cuda_answer **out, const f2l_cuda_step_shape *shape,
                               f2l_cuda_type type, size_t sequences, size_t positions,
                               const f2l_cuda_answer_kernels *kernels, f2l_error *err)
{
    *out = NULL;
    f2l_status status = check_answer_mixer(shape, err);
    if (status == F2L_OK) status = check_answer_sizes(shape, sequences, positions, err);
    if (status != F2L_OK) return status;
    f2l_cuda_answer *a = f2l_calloc(1, sizeof *a);
    if (a == NULL) return f2l_fail_memory(err);
    a->shape = *shape;
    a->type = type;
    a->more = kernels;
    a->k = kernels->step;
    a->columns = f2l_step_columns_of(shape);
    a->most_sequences = sequences;
    a->most_rows = positions;
    status = a->k->stream_new(&a->stream, err);
    if (status == F2L_OK) status = a->k->blas_new(&a->blas, err);
    if (status == F2L_OK) status = f2l_answer_place(a, err);
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

static f2l_answer_pass pass_of(f2l_cuda_answer *a, size_t rows, f2l_error *err)
{
    return (f2l_answer_pass){.a = a, .shape = &a->shape, .k = a->k, .rows = rows, .err = err};
}

f2l_status f2l_cuda_answer_put(f2l_cuda_answer *a, const float *parameter, f2l_error *err)
{
    const f2l_cuda_step_shape *s = &a->shape;
    f2l_answer_pass p = pass_of(a, 0, err);
    LAUNCH(&p, a->k->to_device(a->at.parameter, parameter, s->parameters * sizeof(float), a->stream,
                               err));
    if (a->at.shadow)
        LAUNCH(&p, a->k->cast(a->at.shadow, F2L_CUDA_BF16, a->at.parameter, F2L_CUDA_F32,
                              s->parameters, a->stream, err));
    for (size_t l = 0; a->start && l < s->layers; l++)
        memcpy(a->start + l * a->one_state, parameter + start_of(s, l),
               a->one_state * sizeof *a->start);
    a->next = a->products - 1;
    f2l_answer_tables(&p);
    LAUNCH(&p, a->k->wait(a->stream, err));
    a->sequences = 0;
    return p.status;
}

/* Sets the states of a layer: H_0 for every sequence, or 0. */
static f2l_status begin_states(f2l_cuda_answer *a, size_t layer, size_t sequences, f2l_error *err)
{
    const size_t one = a->one_state, bytes = sequences * one * sizeof(float);
    float *state = a->at.state + layer * a->layer_states;
    if (a->start == NULL) return a->k->fill(state, 0, bytes, a->stream, err);
    for (size_t i = 0; i < sequences; i++)
        memcpy(a->begun + i * one, a->start + layer * one, one * sizeof *a->begun);
    return a->k->to_device(state, a->begun, bytes, a->stream, err);
}

f2l_status f2l_cuda_answer_begin(f2l_cuda_answer *a, size_t sequences, f2l_error *err)
{
    f2l_status status = F2L_OK;
    if (sequences == 0 || sequences > a->most_sequences)
        return f2l_fail(err, F2L_EDOMAIN, "%zu sequences side by side, but there is room for %zu",
                        sequences, a->most_sequences);
    for (size_t l = 0; status == F2L_OK && l < a->shape.layers; l++)
        status = begin_states(a, l, sequences, err);
    if (status == F2L_OK && a->layer_past > 0)
        status =
            a->k->fill(a->at.past[a->before], 0, a->shape.layers * a->layer_past, a->stream, err);
    a->sequences = status == F2L_OK ? sequences : 0;
    return status;
}

static f2l_status check_answer_letters(const uint32_t *letter, size_t rows, size_t letters,
                                       f2l_error *err)
{
    for (size_t i = 0; i < rows; i++)
        if (letter[i] >= letters)
            return f2l_fail(err, F2L_EDOMAIN, "letter %u is none of the model's %zu",
                            (unsigned)letter[i], letters);
    return F2L_OK;
}

f2l_status f2l_cuda_answer_read(uint32_t *out, f2l_cuda_answer *a, const uint32_t *letter,
                                size_t count, f2l_error *err)
{
    size_t rows;
    if (a->sequences == 0)
        return f2l_fail(err, F2L_EDOMAIN, "letters for sequences that have not begun");
    if (count == 0) return F2L_OK;
    if (!f2l_mul_size(&rows, a->sequences, count) || rows > a->most_rows)
        return f2l_fail(err, F2L_EDOMAIN,
                        "%zu letters of %zu sequences at once, but there is room "
                        "for %zu",
                        count, a->sequences, a->most_rows);
    const f2l_status status = check_answer_letters(letter, rows, a->shape.letters, err);
    if (status != F2L_OK) return status;
    uint32_t *letters = a->host, *answers = letters + a->most_rows;
    f2l_answer_pass p = pass_of(a, rows, err);
    if (rows != a->rows) forget_products(a); /* a plan is for one number of rows */
    a->rows = rows;
    a->next = 0;
    memcpy(letters, letter, rows * sizeof *letters);
    LAUNCH(&p, a->k->to_device(a->at.letter, letters, rows * sizeof *letters, a->stream, err));
    f2l_answer_run(&p);
    LAUNCH(&p, a->k->to_host(answers, a->at.answer, rows * sizeof *answers, a->stream, err));
    if (p.status == F2L_OK)
        memcpy(out, answers, rows * sizeof *out);
    else
        a->sequences = 0; /* some layers have read these letters, and others have not */
    return p.status;
}
