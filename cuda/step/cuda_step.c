#include "cuda/step/impl.h"
#include "numeric/base/mem.h"
#include <math.h>
#include <string.h>

/* --- buffers that live as long as the step --- */

static size_t carve(size_t *at, size_t count, size_t size)
{
    const size_t old = *at;
    *at += (count * size + 255) / 256 * 256;
    return old;
}

/* Gives the parts of `fixed` their places; returns their total bytes. */
static size_t fix(f2l_cuda_step *step, char *base)
{
    const size_t n = step->shape.parameters, wide = sizeof(float);
    size_t at = 0;
    const size_t parameter = carve(&at, n, wide), mean = carve(&at, n, wide),
                 square = carve(&at, n, wide), gradient = carve(&at, n, wide),
                 weight = carve(&at, 1, wide),
                 shadow = carve(&at, step->type == F2L_CUDA_BF16 ? n : 0, sizeof(uint16_t)),
                 adam = carve(&at, 1, sizeof(f2l_cuda_adamw_step)),
                 group = carve(&at, step->shape.groups, sizeof(f2l_cuda_adamw_group)),
                 report = carve(&at, 1, sizeof(f2l_cuda_adamw_report)),
                 score = carve(&at, 1, sizeof(f2l_cuda_score));
    if (base == NULL) return at;
    step->parameter = (float *)(void *)(base + parameter);
    step->mean = (float *)(void *)(base + mean);
    step->square = (float *)(void *)(base + square);
    step->gradient = (float *)(void *)(base + gradient);
    step->weight = (float *)(void *)(base + weight);
    step->shadow = step->type == F2L_CUDA_BF16 ? (uint16_t *)(void *)(base + shadow) : NULL;
    step->adam = (f2l_cuda_adamw_step *)(void *)(base + adam);
    step->group = (f2l_cuda_adamw_group *)(void *)(base + group);
    step->report = (f2l_cuda_adamw_report *)(void *)(base + report);
    step->score = (f2l_cuda_score *)(void *)(base + score);
    return at;
}

f2l_step_columns f2l_step_columns_of(const f2l_cuda_step_shape *s)
{
    f2l_step_columns c = {0};
    s->mixer->columns(&c, s);
    c.stride = f2l_step_padded(c.all);
    c.taps_stride = f2l_step_padded(c.taps);
    c.select_stride = f2l_step_padded(c.select);
    return c;
}

static f2l_status check_mixer(const f2l_cuda_step_shape *s, f2l_cuda_type type, f2l_error *err)
{
    if (!s->mixer->has_sizes(s))
        return f2l_fail(err, F2L_EDOMAIN, "a step for a mixer with a size of 0");
    if (s->convolution > F2L_CUDA_CONV_TAPS)
        return f2l_fail(err, F2L_EDOMAIN,
                        "a convolution of %zu letters, but on a device there are at most %d",
                        s->convolution, F2L_CUDA_CONV_TAPS);
    return s->mixer->check_step ? s->mixer->check_step(s, type, err) : F2L_OK;
}

static f2l_status check_shape(const f2l_cuda_step_shape *s, f2l_cuda_type type, f2l_error *err)
{
    if (s->letters == 0 || s->labels == 0 || s->layers == 0 || s->width == 0 || s->groups == 0 ||
        s->group[0].first != 0)
        return f2l_fail(err, F2L_EDOMAIN, "a step for a model with a size of 0");
    if (s->letters > F2L_CUDA_LETTERS_MAX)
        return f2l_fail(err, F2L_EDOMAIN, "%zu letters, but on a device there are at most %d",
                        s->letters, F2L_CUDA_LETTERS_MAX);
    if (s->parameters > UINT32_MAX / 2)
        return f2l_fail(err, F2L_EDOMAIN, "%zu parameters are too many for one device",
                        s->parameters);
    return check_mixer(s, type, err);
}

f2l_status f2l_cuda_step_new(f2l_cuda_step **out, const f2l_cuda_step_shape *shape,
                             f2l_cuda_type type, const f2l_cuda_kernels *kernels, f2l_error *err)
{
    *out = NULL;
    f2l_status status = check_shape(shape, type, err);
    if (status != F2L_OK) return status;
    f2l_cuda_step *step = f2l_calloc(1, sizeof *step);
    if (step == NULL) return f2l_fail_memory(err);
    step->shape = *shape;
    step->type = type;
    step->k = kernels;
    step->columns = f2l_step_columns_of(shape);
    step->fixed_bytes = fix(step, NULL);
    step->products = f2l_step_products(shape);
    step->at.layer = f2l_calloc(shape->layers + 1, sizeof *step->at.layer);
    if (step->at.layer == NULL) status = f2l_fail_memory(err);
    if (status == F2L_OK) status = kernels->stream_new(&step->stream, err);
    if (status == F2L_OK) status = kernels->blas_new(&step->blas, err);
    if (status == F2L_OK) status = kernels->alloc(&step->fixed, step->fixed_bytes, err);
    if (status == F2L_OK) {
        (void)fix(step, step->fixed);
        status = kernels->fill(step->fixed, 0, step->fixed_bytes, step->stream, err);
    }
    if (status == F2L_OK)
        *out = step;
    else
        f2l_cuda_step_free(step);
    return status;
}

/* --- buffers for one shape of batches --- */

static void forget(f2l_cuda_step *step)
{
    for (size_t w = 0; w < step->ways; w++) {
        step->k->graph_free(step->way[w].graph);
        for (size_t i = 0; i < step->products; i++) step->k->product_free(step->way[w].product[i]);
        f2l_free(step->way[w].product);
    }
    f2l_free(step->way);
    step->way = step->now = NULL;
    step->ways = 0;
    step->k->free(step->arena);
    step->k->free_host(step->host);
    step->arena = step->host = NULL;
    step->arena_bytes = step->host_bytes = 0;
    step->sequences = step->length = 0;
    step->packed = false;
}

void f2l_cuda_step_free(f2l_cuda_step *step)
{
    if (step == NULL) return;
    if (step->stream != NULL) (void)step->k->wait(step->stream, NULL);
    forget(step);
    step->k->free(step->fixed);
    step->k->blas_free(step->blas);
    step->k->stream_free(step->stream);
    f2l_free(step->at.layer);
    f2l_free(step);
}

static f2l_status plan_step_shape(f2l_cuda_step *step, size_t sequences, size_t length, bool packed,
                                  f2l_error *err)
{
    f2l_step_layer *layer = step->at.layer;
    size_t rows;
    f2l_status status = step->k->wait(step->stream, err);
    if (status != F2L_OK) return status;
    forget(step);
    if (!f2l_mul_size(&rows, sequences, length) || rows > INT32_MAX / step->columns.parts)
        return f2l_fail(err, F2L_EDOMAIN, "a batch of %zu sequences of %zu letters is too large",
                        sequences, length);
    memset(layer, 0, (step->shape.layers + 1) * sizeof *layer);
    step->at = (f2l_step_buffers){.layer = layer};
    step->sequences = sequences;
    step->length = length;
    step->packed = packed;
    status = f2l_step_place(&step->arena_bytes, step, NULL, err);
    if (status == F2L_OK) status = step->k->alloc(&step->arena, step->arena_bytes, err);
    if (status == F2L_OK) status = f2l_step_place(&step->arena_bytes, step, step->arena, err);
    step->host_bytes = f2l_step_host_bytes(step);
    if (status == F2L_OK) status = step->k->alloc_host(&step->host, step->host_bytes, err);
    if (status != F2L_OK) forget(step);
    return status;
}

/* --- numbers in and out --- */

f2l_status f2l_cuda_step_put(f2l_cuda_step *step, const float *parameter, const float *mean,
                             const float *square, f2l_error *err)
{
    const f2l_cuda_kernels *k = step->k;
    const size_t count = step->shape.parameters, bytes = count * sizeof(float);
    f2l_status status = k->to_device(step->parameter, parameter, bytes, step->stream, err);
    if (status == F2L_OK)
        status = mean ? k->to_device(step->mean, mean, bytes, step->stream, err)
                      : k->fill(step->mean, 0, bytes, step->stream, err);
    if (status == F2L_OK)
        status = square ? k->to_device(step->square, square, bytes, step->stream, err)
                        : k->fill(step->square, 0, bytes, step->stream, err);
    if (status == F2L_OK && step->shadow)
        status = k->cast(step->shadow, F2L_CUDA_BF16, step->parameter, F2L_CUDA_F32, count,
                         step->stream, err);
    return status == F2L_OK ? k->wait(step->stream, err) : status;
}

f2l_status f2l_cuda_step_get(float *parameter, float *mean, float *square, f2l_cuda_step *step,
                             f2l_error *err)
{
    const f2l_cuda_kernels *k = step->k;
    const size_t bytes = step->shape.parameters * sizeof(float);
    f2l_status status = k->to_host(parameter, step->parameter, bytes, step->stream, err);
    if (status == F2L_OK && mean) status = k->to_host(mean, step->mean, bytes, step->stream, err);
    if (status == F2L_OK && square)
        status = k->to_host(square, step->square, bytes, step->stream, err);
    return status;
}

f2l_status f2l_cuda_step_gradient_get(float *gradient, f2l_cuda_step *step, f2l_error *err)
{
    return step->k->to_host(gradient, step->gradient, step->shape.parameters * sizeof(float),
                            step->stream, err);
}

float *f2l_cuda_step_gradient_on_device(f2l_cuda_step *step)
{
    return step->gradient;
}

void *f2l_cuda_step_stream(f2l_cuda_step *step)
{
    return step->stream;
}

size_t f2l_cuda_step_bytes(const f2l_cuda_step *step)
{
    return step->fixed_bytes + step->arena_bytes;
}

f2l_status f2l_cuda_step_score(f2l_cuda_score *score, f2l_cuda_adamw_report *report,
                               f2l_cuda_step *step, f2l_error *err)
{
    f2l_status status = F2L_OK;
    if (score) status = step->k->to_host(score, step->score, sizeof *score, step->stream, err);
    if (status == F2L_OK && report)
        status = step->k->to_host(report, step->report, sizeof *report, step->stream, err);
    return status;
}

/* --- a step --- */

/* Sets step->now to what is kept for this number of rows. */
static f2l_status choose_way(f2l_cuda_step *step, size_t rows, f2l_error *err)
{
    for (size_t w = 0; w < step->ways; w++)
        if (step->way[w].rows == rows) {
            step->now = &step->way[w];
            return F2L_OK;
        }
    step->now = NULL;
    f2l_step_way *more = f2l_realloc(step->way, step->ways + 1, sizeof *more);
    if (more == NULL) return f2l_fail_memory(err);
    step->way = more;
    more[step->ways] = (f2l_step_way){
        .rows = rows, .product = f2l_calloc(step->products, sizeof(f2l_cuda_product *))};
    if (more[step->ways].product == NULL) return f2l_fail_memory(err);
    step->now = &more[step->ways++];
    return F2L_OK;
}

static f2l_status capture(f2l_cuda_step *step, f2l_error *err)
{
    void *graph = NULL;
    f2l_status status = step->k->graph_begin(step->stream, err);
    if (status != F2L_OK) return status;
    status = f2l_step_pass(step, err);
    /* The capture must end in all cases. */
    const f2l_status ended =
        step->k->graph_end(&graph, step->stream, status == F2L_OK ? err : NULL);
    if (status == F2L_OK) status = ended;
    if (status == F2L_OK)
        step->now->graph = graph;
    else
        step->k->graph_free(graph);
    return status;
}

f2l_status f2l_cuda_step_gradient(f2l_cuda_step *step, const f2l_cuda_step_batch *batch,
                                  double weight, f2l_error *err)
{
    const size_t length =
        (batch->length + F2L_CUDA_STEP_LETTERS - 1) / F2L_CUDA_STEP_LETTERS * F2L_CUDA_STEP_LETTERS;
    if (batch->sequences == 0 || length == 0)
        return f2l_fail(err, F2L_EDOMAIN, "a batch without letters");
    const bool packed = batch->lengths != NULL && f2l_cuda_step_packs(&step->shape);
    size_t rows;
    f2l_status status = F2L_OK;
    if (batch->sequences != step->sequences || length != step->length || packed != step->packed)
        status = plan_step_shape(step, batch->sequences, length, packed, err);
    if (status == F2L_OK) status = f2l_step_check_batch(batch, &step->shape, err);
    if (status == F2L_OK) status = f2l_step_upload(&rows, step, batch, (float)weight, err);
    if (status == F2L_OK) status = choose_way(step, rows, err);
    if (status == F2L_OK && (!step->now->warm || step->k->graph_begin == NULL)) {
        status = f2l_step_pass(step, err);
        step->now->warm = status == F2L_OK;
        return status;
    }
    if (status == F2L_OK && step->now->graph == NULL) status = capture(step, err);
    return status == F2L_OK ? step->k->graph_run(step->now->graph, step->stream, err) : status;
}

f2l_status f2l_cuda_step_update(f2l_cuda_step *step, const f2l_cuda_step_rate *rate, f2l_error *err)
{
    const f2l_cuda_kernels *k = step->k;
    const f2l_cuda_step_shape *s = &step->shape;
    const double time = (double)rate->time;
    if (step->now == NULL || !step->now->warm)
        return f2l_fail(err, F2L_EDOMAIN, "an update without a gradient");
    const f2l_cuda_adamw_step adam = {.clip = rate->clip,
                                      .beta1 = (float)rate->beta1,
                                      .mean_step = (float)(1 - rate->beta1),
                                      .beta2 = (float)rate->beta2,
                                      .square_step = (float)(1 - rate->beta2),
                                      .root = (float)sqrt(1 - pow(rate->beta2, time)),
                                      .epsilon = (float)rate->epsilon};
    f2l_cuda_adamw_group *group = f2l_calloc(s->groups, sizeof *group);
    if (group == NULL) return f2l_fail_memory(err);
    for (size_t i = 0; i < s->groups; i++) {
        const double r = rate->rate * s->group[i].rate, decay = rate->decay * s->group[i].decay;
        group[i] = (f2l_cuda_adamw_group){.first = (uint32_t)s->group[i].first,
                                          .keep = (float)(1 - r * decay),
                                          .size = (float)(r / (1 - pow(rate->beta1, time)))};
    }
    f2l_status status = k->to_device(step->adam, &adam, sizeof adam, step->stream, err);
    if (status == F2L_OK)
        status = k->to_device(step->group, group, s->groups * sizeof *group, step->stream, err);
    f2l_free(group);
    if (status != F2L_OK) return status;
    return k->adamw(step->parameter, step->mean, step->square, step->shadow, step->report,
                    step->gradient, s->parameters, step->adam, step->group, s->groups,
                    step->at.work, step->stream, err);
}
