#include "models/seq/seq.h"
#include "numeric/base/mem.h"
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define TENSORS_OF_LAYER 20 /* an upper bound */

/* The list of tensors while it grows; `oversized` is set on overflow and tested once, at the
 * end. */
typedef struct layout {
    f2l_seq *model;
    bool oversized;
} layout;

typedef struct shape {
    size_t dims, dim[3];
} shape;

static size_t add(layout *to, shape s, f2l_seq_start start, double scale, bool decays,
                  const char *name, ...) __attribute__((format(printf, 6, 7)));

static size_t add(layout *to, shape s, f2l_seq_start start, double scale, bool decays,
                  const char *name, ...)
{
    f2l_seq *model = to->model;
    f2l_seq_tensor *tensor = &model->tensor[model->tensors];
    va_list arguments;
    va_start(arguments, name);
    vsnprintf(tensor->name, sizeof tensor->name, name, arguments);
    va_end(arguments);
    tensor->dims = s.dims;
    tensor->count = 1;
    for (size_t i = 0; i < s.dims; i++) {
        tensor->dim[i] = s.dim[i];
        if (!f2l_mul_size(&tensor->count, tensor->count, s.dim[i])) to->oversized = true;
    }
    tensor->offset = model->parameters;
    tensor->start = start;
    tensor->scale = scale;
    tensor->decays = decays;
    if (!f2l_add_size(&model->parameters, model->parameters, tensor->count)) to->oversized = true;
    return model->tensors++;
}

/* Rows and columns of the matrix of a projection, stored as in PyTorch: y = W x. The variance
 * 1 / (3 columns) is PyTorch's default, with which the reproduced recipes were found. */
#define MATRIX(rows, columns) \
    ((shape){2, {(rows), (columns)}}), F2L_SEQ_NORMAL, 1 / sqrt(3.0 * (double)(columns)), true
#define VECTOR(size) ((shape){1, {(size)}})
#define ONES(size) VECTOR(size), F2L_SEQ_CONSTANT, 1, false
#define TAPS(channels, taps) \
    ((shape){3, {(channels), 1, (taps)}}), F2L_SEQ_NORMAL, 1 / sqrt(3.0 * (double)(taps)), true

static void add_delta(layout *to, f2l_seq_layer *layer, size_t l)
{
    const f2l_seq_config *c = &to->model->config;
    const size_t keys = c->heads * c->key_dim, values = c->heads * c->value_dim,
                 n = c->householders;
    layer->query = add(to, MATRIX(keys, c->width), "layers.%zu.mixer.q_proj.weight", l);
    layer->key = add(to, MATRIX(n * keys, c->width), "layers.%zu.mixer.k_proj.weight", l);
    if (c->additive)
        layer->value = add(to, MATRIX(n * values, c->width), "layers.%zu.mixer.v_proj.weight", l);
    layer->beta = add(to, MATRIX(n * c->heads, c->width), "layers.%zu.mixer.b_proj.weight", l);
    if (c->forget_gate) {
        layer->step = add(to, MATRIX(c->heads, c->width), "layers.%zu.mixer.a_proj.weight", l);
        layer->gate_log =
            add(to, VECTOR(c->heads), F2L_SEQ_LOG_EVEN, 0, false, "layers.%zu.mixer.A_log", l);
        layer->gate_bias =
            add(to, VECTOR(c->heads), F2L_SEQ_STEP, 0, false, "layers.%zu.mixer.dt_bias", l);
    }
    if (c->convolution > 0) {
        layer->query_convolution =
            add(to, TAPS(keys, c->convolution), "layers.%zu.mixer.q_conv1d.weight", l);
        layer->key_convolution =
            add(to, TAPS(n * keys, c->convolution), "layers.%zu.mixer.k_conv1d.weight", l);
        if (c->additive)
            layer->value_convolution =
                add(to, TAPS(n * values, c->convolution), "layers.%zu.mixer.v_conv1d.weight", l);
    }
    if (c->learned_start)
        layer->start =
            add(to, (shape){3, {c->heads, c->key_dim, c->value_dim}}, F2L_SEQ_NORMAL,
                1 / sqrt((double)c->key_dim), false, "layers.%zu.mixer.initial_state", l);
    layer->output_norm = add(to, ONES(c->value_dim), "layers.%zu.mixer.o_norm.weight", l);
    layer->out = add(to, MATRIX(c->width, values), "layers.%zu.mixer.o_proj.weight", l);
}

static void add_diagonal(layout *to, f2l_seq_layer *layer, size_t l)
{
    const f2l_seq_config *c = &to->model->config;
    layer->in = add(to, MATRIX(2 * c->channels, c->width), "layers.%zu.mixer.in_proj.weight", l);
    if (c->convolution > 0)
        layer->channel_convolution =
            add(to, TAPS(c->channels, c->convolution), "layers.%zu.mixer.conv1d.weight", l);
    layer->select = add(to, MATRIX(c->step_rank + 2 * c->states, c->channels),
                        "layers.%zu.mixer.x_proj.weight", l);
    layer->step_weight =
        add(to, MATRIX(c->channels, c->step_rank), "layers.%zu.mixer.dt_proj.weight", l);
    layer->step_bias =
        add(to, VECTOR(c->channels), F2L_SEQ_STEP, 0, false, "layers.%zu.mixer.dt_proj.bias", l);
    layer->state_log = add(to, (shape){2, {c->channels, c->states}}, F2L_SEQ_LOG_RAMP, 0, false,
                           "layers.%zu.mixer.A_log", l);
    layer->skip = add(to, ONES(c->channels), "layers.%zu.mixer.D", l);
    layer->out = add(to, MATRIX(c->width, c->channels), "layers.%zu.mixer.out_proj.weight", l);
}

static void add_layer(layout *to, size_t l)
{
    const f2l_seq_config *c = &to->model->config;
    f2l_seq_layer *layer = &to->model->layer[l];
    memset(layer, 0xff, sizeof *layer); /* sets every member to F2L_SEQ_NONE */
    layer->mixer_norm = add(to, ONES(c->width), "layers.%zu.mixer_norm.weight", l);
    if (c->mixer == F2L_SEQ_DELTA)
        add_delta(to, layer, l);
    else
        add_diagonal(to, layer, l);
    if (c->mlp == 0) return;
    layer->mlp_norm = add(to, ONES(c->width), "layers.%zu.mlp_norm.weight", l);
    layer->mlp_gate = add(to, MATRIX(c->mlp, c->width), "layers.%zu.mlp.gate_proj.weight", l);
    layer->mlp_up = add(to, MATRIX(c->mlp, c->width), "layers.%zu.mlp.up_proj.weight", l);
    layer->mlp_down = add(to, MATRIX(c->width, c->mlp), "layers.%zu.mlp.down_proj.weight", l);
}

f2l_status f2l_seq_init(f2l_seq *model, const f2l_seq_config *config, f2l_error *err)
{
    *model = (f2l_seq){0};
    f2l_status status = f2l_seq_config_check(config, err);
    if (status != F2L_OK) return status;
    model->config = *config;
    model->layer = f2l_calloc(config->layers, sizeof *model->layer);
    model->tensor = f2l_calloc(config->layers * TENSORS_OF_LAYER + 3, sizeof *model->tensor);
    if (model->layer == NULL || model->tensor == NULL) {
        f2l_seq_clear(model);
        return f2l_fail_memory(err);
    }
    layout to = {.model = model};
    model->embedding = add(&to, (shape){2, {config->letters, config->width}}, F2L_SEQ_NORMAL, 1,
                           false, "embedding.weight");
    for (size_t l = 0; l < config->layers; l++) add_layer(&to, l);
    model->norm = add(&to, ONES(config->width), "norm.weight");
    model->head = add(&to, MATRIX(config->labels, config->width), "head.weight");
    if (to.oversized || model->parameters > SIZE_MAX / 64) {
        f2l_seq_clear(model);
        return f2l_fail(err, F2L_EDOMAIN,
                        "the parameters of this configuration are too many to count");
    }
    return F2L_OK;
}

void f2l_seq_clear(f2l_seq *model)
{
    f2l_free(model->tensor);
    f2l_free(model->layer);
    *model = (f2l_seq){0};
}

const f2l_seq_tensor *f2l_seq_find(const f2l_seq *model, const char *name)
{
    for (size_t i = 0; i < model->tensors; i++)
        if (strcmp(model->tensor[i].name, name) == 0) return &model->tensor[i];
    return NULL;
}
