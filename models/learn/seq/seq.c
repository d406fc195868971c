#include "models/learn/seq/mixer.h"
#include "numeric/base/mem.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define TENSORS_OF_LAYER (F2L_MIXER_TENSORS + 5) /* an upper bound */

static size_t add_seq_tensor(f2l_seq_layout *to, f2l_seq_shape s, const char *name, ...)
    __attribute__((format(printf, 3, 4)));

static size_t add_seq_tensor(f2l_seq_layout *to, f2l_seq_shape s, const char *name, ...)
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
    tensor->start = s.start;
    tensor->scale = s.scale;
    tensor->decays = s.decays;
    if (!f2l_add_size(&model->parameters, model->parameters, tensor->count)) to->oversized = true;
    return model->tensors++;
}

void f2l_seq_add_mixer(f2l_seq_layout *to, size_t index, const char *name, f2l_seq_shape shape)
{
    to->model->layer[to->layer].mixer[index] =
        add_seq_tensor(to, shape, "layers.%zu.mixer.%s", to->layer, name);
}

static f2l_seq_shape ones(size_t size)
{
    return f2l_seq_vector(size, F2L_SEQ_CONSTANT, 1);
}

static void add_seq_layer(f2l_seq_layout *to, size_t l)
{
    const f2l_seq_config *c = &to->model->config;
    f2l_seq_layer *layer = &to->model->layer[l];
    memset(layer, 0xff, sizeof *layer); /* sets every member to F2L_SEQ_NONE */
    layer->mixer_norm = add_seq_tensor(to, ones(c->width), "layers.%zu.mixer_norm.weight", l);
    to->layer = l;
    c->mixer->parameters(to);
    if (c->mlp == 0) return;
    const f2l_seq_shape in = f2l_seq_matrix(c->mlp, c->width);
    layer->mlp_norm = add_seq_tensor(to, ones(c->width), "layers.%zu.mlp_norm.weight", l);
    layer->mlp_gate = add_seq_tensor(to, in, "layers.%zu.mlp.gate_proj.weight", l);
    layer->mlp_up = add_seq_tensor(to, in, "layers.%zu.mlp.up_proj.weight", l);
    layer->mlp_down = add_seq_tensor(to, f2l_seq_residual(c->width, c->mlp),
                                     "layers.%zu.mlp.down_proj.weight", l);
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
    f2l_seq_layout to = {.model = model};
    const f2l_seq_shape table = {2, {config->letters, config->width}, F2L_SEQ_MATRIX, 1, false};
    model->embedding = add_seq_tensor(&to, table, "embedding.weight");
    for (size_t l = 0; l < config->layers; l++) add_seq_layer(&to, l);
    model->norm = add_seq_tensor(&to, ones(config->width), "norm.weight");
    model->head = add_seq_tensor(&to, f2l_seq_matrix(config->labels, config->width), "head.weight");
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
