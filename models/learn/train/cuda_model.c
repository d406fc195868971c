#include "models/learn/train/cuda_model.h"
#include "cuda/step/cuda_mixer.h"
#include "numeric/base/mem.h"

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
    const f2l_step_mixer *mixer = f2l_step_mixer_of(c->mixer, err);
    if (mixer == NULL) return F2L_EDOMAIN;
    m->layer = f2l_calloc(c->layers, sizeof *m->layer);
    m->group = f2l_calloc(model->tensors, sizeof *m->group);
    if (m->layer == NULL || m->group == NULL) {
        f2l_cuda_model_clear(m);
        return f2l_fail_memory(err);
    }
    for (size_t l = 0; l < c->layers; l++) {
        const f2l_seq_layer *t = &model->layer[l];
        m->layer[l] = (f2l_cuda_step_layer){.mixer_norm = offset_of(model, t->mixer_norm),
                                            .project = offset_of(model, t->mixer[mixer->project]),
                                            .taps = offset_of(model, t->mixer[mixer->taps]),
                                            .out = offset_of(model, t->mixer[mixer->out]),
                                            .mlp_norm = offset_of(model, t->mlp_norm),
                                            .mlp_in = offset_of(model, t->mlp_gate),
                                            .mlp_down = offset_of(model, t->mlp_down)};
        for (size_t i = 0; i < F2L_MIXER_TENSORS; i++)
            m->layer[l].mixer[i] = offset_of(model, t->mixer[i]);
    }
    for (size_t i = 0; i < model->tensors; i++)
        m->group[i] =
            (f2l_cuda_step_group){model->tensor[i].offset, 1, model->tensor[i].decays ? 1 : 0};
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
                                     .groups = model->tensors,
                                     .convolution = c->convolution,
                                     .mixer = mixer,
                                     .negative = c->negative,
                                     .channels = c->channels,
                                     .states = c->states,
                                     .rank = c->step_rank,
                                     .window = f2l_seq_window(c)};
    return F2L_OK;
}
