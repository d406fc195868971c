#include "f2l_cuda_model.h"
#include "f2l_mem.h"

static size_t offset_of(const f2l_seq *model, size_t tensor)
{
    return tensor == F2L_SEQ_NONE ? F2L_CUDA_NONE : model->tensor[tensor].offset;
}

void f2l_cuda_model_clear(f2l_cuda_model *m)
{
    f2l_free(m->layer);
    f2l_free(m->group);
    *m = (f2l_cuda_model){0};
}

f2l_status f2l_cuda_model_init(f2l_cuda_model *m, const f2l_seq *model, f2l_error *err)
{
    const f2l_seq_config *c = &model->config;
    *m = (f2l_cuda_model){0};
    if (c->mixer != F2L_SEQ_DELTA || c->convolution > 0)
        return f2l_fail(err, F2L_EDOMAIN, "a step on a device takes the mixer delta without convolution");
    m->layer = f2l_calloc(c->layers, sizeof *m->layer);
    m->group = f2l_calloc(model->tensors, sizeof *m->group);
    if (m->layer == NULL || m->group == NULL) {
        f2l_cuda_model_clear(m);
        return f2l_fail_memory(err);
    }
    for (size_t l = 0; l < c->layers; l++) {
        const f2l_seq_layer *t = &model->layer[l];
        m->layer[l] = (f2l_cuda_step_layer){.mixer_norm = offset_of(model, t->mixer_norm),
                                            .project = offset_of(model, t->query),
                                            .gate_log = offset_of(model, t->gate_log),
                                            .gate_bias = offset_of(model, t->gate_bias),
                                            .start = offset_of(model, t->start),
                                            .output_norm = offset_of(model, t->output_norm),
                                            .out = offset_of(model, t->out),
                                            .mlp_norm = offset_of(model, t->mlp_norm),
                                            .mlp_in = offset_of(model, t->mlp_gate),
                                            .mlp_down = offset_of(model, t->mlp_down)};
    }
    for (size_t i = 0; i < model->tensors; i++)
        m->group[i] = (f2l_cuda_step_group){model->tensor[i].offset, 1, model->tensor[i].decays ? 1 : 0};
    m->shape = (f2l_cuda_step_shape){.letters = c->letters,
                                     .labels = c->labels,
                                     .layers = c->layers,
                                     .width = c->width,
                                     .mlp = c->mlp,
                                     .heads = c->heads,
                                     .householders = c->householders,
                                     .key = c->key_dim,
                                     .value = c->value_dim,
                                     .additive = c->additive,
                                     .forget_gate = c->forget_gate,
                                     .silu_keys = c->silu_keys,
                                     .normalise_keys = c->normalise_keys,
                                     .range = c->negative ? 2 : 1,
                                     .slope = c->slope,
                                     .epsilon = c->epsilon,
                                     .embedding = offset_of(model, model->embedding),
                                     .norm = offset_of(model, model->norm),
                                     .head = offset_of(model, model->head),
                                     .parameters = model->parameters,
                                     .layer = m->layer,
                                     .group = m->group,
                                     .groups = model->tensors};
    return F2L_OK;
}
