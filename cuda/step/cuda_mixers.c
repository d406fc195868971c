#include "cuda/step/cuda_mixer.h"

static const f2l_step_mixer *const mixers[] = {&f2l_step_mixer_delta,
                                               &f2l_step_mixer_diagonal,
                                               &f2l_step_mixer_gla,
                                               &f2l_step_mixer_rwkv7,
                                               &f2l_step_mixer_attention,
                                               &f2l_step_mixer_mlstm,
                                               NULL};

f2l_status f2l_step_check_heads(size_t key, size_t value, size_t most, f2l_error *err)
{
    if (key <= most && value <= most) return F2L_OK;
    return f2l_fail(
        err, F2L_EDOMAIN,
        "heads of %zu x %zu are not trained on CUDA devices, only up to %zu: use --backend cpu",
        key, value, most);
}

f2l_status f2l_step_takes_heads(const f2l_seq_config *config, size_t most, f2l_error *err)
{
    const char *what = config->output_gate       ? "an output gate"
                       : config->key_epsilon > 0 ? "a separate epsilon for keys"
                       : config->clamped_betas   ? "a clamped beta (--clamped-betas)"
                       : config->ternary_keys    ? "a ternary key (--ternary-keys)"
                       : config->exact_keys      ? "a key without epsilon (--exact-keys)"
                                                 : NULL;
    if (what != NULL)
        return f2l_fail(err, F2L_EDOMAIN, "%s is not computed on CUDA devices: use --backend cpu",
                        what);
    return f2l_step_check_heads(config->key_dim, config->value_dim, most, err);
}

const f2l_step_mixer *f2l_step_mixer_of(const f2l_mixer *mixer, f2l_error *err)
{
    const f2l_step_mixer *const *row = mixers;
    while (*row != NULL && (*row)->mixer != mixer) row++;
    if (*row == NULL)
        f2l_fail(err, F2L_EDOMAIN, "the mixer %s is not trained on CUDA devices: use --backend cpu",
                 mixer->option);
    return *row;
}
