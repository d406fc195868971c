#include "models/learn/seq/mixer.h"

const f2l_mixer *const f2l_mixers[] = {&f2l_mixer_delta,
                                       &f2l_mixer_diagonal,
                                       &f2l_mixer_gla,
                                       &f2l_mixer_rwkv7,
                                       &f2l_mixer_attention,
                                       &f2l_mixer_mlstm,
                                       NULL};

size_t f2l_seq_first_state(const f2l_seq *model, size_t layer)
{
    const size_t first = model->config.mixer->first_state;
    return first == F2L_SEQ_NONE ? F2L_SEQ_NONE : model->layer[layer].mixer[first];
}
