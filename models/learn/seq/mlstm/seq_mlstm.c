#include "models/learn/seq/mlstm/seq_mlstm.h"
#include "models/learn/op/op_mlstm.h"

static const char *refuse_mlstm(const f2l_seq_config *c)
{
    if (c->output_gate) return "mLSTM has no output gate beside its own (output_gate)";
    return c->convolution_bias ? "convolutions of keys have no bias (convolution_bias)" : NULL;
}

/* First values of the gates as in the released code of xLSTM: weights 0, biases near 0 (input) and
 * from 3 to 6 over the heads (forget). */
static void add_mlstm_parameters(f2l_seq_layout *to)
{
    const f2l_seq_config *c = &to->model->config;
    const size_t keys = c->heads * c->key_dim, values = c->heads * c->value_dim;
    const f2l_seq_shape gate = {2, {c->heads, c->width}, F2L_SEQ_CONSTANT, 0, true};
    f2l_seq_add_mixer(to, F2L_MLSTM_QUERY, "q_proj.weight", f2l_seq_matrix(keys, c->width));
    f2l_seq_add_mixer(to, F2L_MLSTM_KEY, "k_proj.weight", f2l_seq_matrix(keys, c->width));
    f2l_seq_add_mixer(to, F2L_MLSTM_VALUE, "v_proj.weight", f2l_seq_matrix(values, c->width));
    f2l_seq_add_mixer(to, F2L_MLSTM_IN, "i_proj.weight", gate);
    f2l_seq_add_mixer(to, F2L_MLSTM_FORGET, "f_proj.weight", gate);
    f2l_seq_add_mixer(to, F2L_MLSTM_OUTPUT_GATE, "g_proj.weight", f2l_seq_matrix(values, c->width));
    f2l_seq_add_mixer(to, F2L_MLSTM_IN_BIAS, "i_proj.bias",
                      f2l_seq_vector(c->heads, F2L_SEQ_NORMAL, 0.1));
    f2l_seq_add_mixer(to, F2L_MLSTM_FORGET_BIAS, "f_proj.bias",
                      f2l_seq_vector(c->heads, F2L_SEQ_RAMP, 3));
    if (c->convolution > 0) {
        f2l_seq_add_mixer(to, F2L_MLSTM_QUERY_TAPS, "q_conv1d.weight",
                          f2l_seq_taps(keys, c->convolution));
        f2l_seq_add_mixer(to, F2L_MLSTM_KEY_TAPS, "k_conv1d.weight",
                          f2l_seq_taps(keys, c->convolution));
    }
    f2l_seq_add_mixer(to, F2L_MLSTM_OUTPUT_NORM, "o_norm.weight",
                      f2l_seq_vector(c->value_dim, F2L_SEQ_CONSTANT, 1));
    f2l_seq_add_mixer(to, F2L_MLSTM_OUT, "o_proj.weight", f2l_seq_residual(c->width, values));
}

static void plan_mlstm(size_t *width, const f2l_seq_config *c)
{
    static const size_t of_values[] = {F2L_MLSTM_SLOT_V,           F2L_MLSTM_SLOT_OUTPUT_GATE,
                                       F2L_MLSTM_SLOT_OUTPUT_RATE, F2L_MLSTM_SLOT_O,
                                       F2L_MLSTM_SLOT_O_NORM,      F2L_MLSTM_SLOT_O_GATED};
    for (size_t i = 0; i < 3; i++)
        if (i == 0 || c->convolution > 0)
            width[F2L_MLSTM_SLOT_Q + i] = width[F2L_MLSTM_SLOT_K + i] = c->heads * c->key_dim;
    for (size_t i = 0; i < sizeof of_values / sizeof *of_values; i++)
        width[of_values[i]] = c->heads * c->value_dim;
    width[F2L_MLSTM_SLOT_IN] = width[F2L_MLSTM_SLOT_FORGET] = c->heads;
}

static size_t mlstm_state_size(const f2l_seq_config *c)
{
    const f2l_mlstm_shape shape = {.heads = c->heads, .key = c->key_dim, .value = c->value_dim};
    const size_t taps = c->convolution > 0 ? c->convolution - 1 : 0;
    return f2l_mlstm_state(&shape) + 2 * taps * c->heads * c->key_dim;
}

static void describe_mlstm(f2l_buf *out, const f2l_seq_config *c)
{
    f2l_buf_printf(out, ", %zu head%s of %zu x %zu", c->heads, c->heads == 1 ? "" : "s", c->key_dim,
                   c->value_dim);
}

const f2l_mixer f2l_mixer_mlstm = {.name = "mlstm",
                                   .option = "mlstm",
                                   .summary = "matrix LSTM, as in xLSTM",
                                   .refuses = refuse_mlstm,
                                   .parameters = add_mlstm_parameters,
                                   .first_state = F2L_SEQ_NONE,
                                   .plan = plan_mlstm,
                                   .state = mlstm_state_size,
                                   .pass_f32 = &f2l_seq_mlstm_pass_f32,
                                   .pass_f64 = &f2l_seq_mlstm_pass_f64,
                                   .no_relations = "the mixer is an mLSTM",
                                   .describe = describe_mlstm};
