#include "cuda/step/cuda_mixer.h"

static const f2l_step_mixer *const mixers[] = {&f2l_step_mixer_delta,
                                               &f2l_step_mixer_diagonal,
                                               &f2l_step_mixer_gla,
                                               &f2l_step_mixer_rwkv7,
                                               &f2l_step_mixer_attention,
                                               &f2l_step_mixer_mlstm,
                                               NULL};

const f2l_step_mixer *f2l_step_mixer_of(const f2l_mixer *mixer, f2l_error *err)
{
    const f2l_step_mixer *const *row = mixers;
    while (*row != NULL && (*row)->mixer != mixer) row++;
    if (*row == NULL)
        f2l_fail(err, F2L_EDOMAIN, "the mixer %s is not trained on CUDA devices: use --backend cpu",
                 mixer->option);
    return *row;
}
