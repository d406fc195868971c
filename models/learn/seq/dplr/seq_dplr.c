#include "models/learn/seq/dplr/seq_dplr.h"

static const char *refuse_dplr(const f2l_seq_config *c)
{
    return c->convolution_bias ? "convolutions of queries, keys and values have no bias "
                                 "(convolution_bias)"
                               : NULL;
}

static void add_rate(f2l_seq_layout *to, const f2l_seq_config *c)
{
    const size_t keys = c->heads * c->key_dim;
    f2l_seq_add_mixer(to, F2L_DPLR_RATE, "rate_proj.weight", f2l_seq_matrix(keys, c->step_rank));
    f2l_seq_add_mixer(to, F2L_DPLR_RATE_BIAS, "rate_proj.bias",
                      f2l_seq_vector(keys, F2L_SEQ_CONSTANT, 0));
    f2l_seq_add_mixer(to, F2L_DPLR_REMOVAL, "removal", f2l_seq_vector(keys, F2L_SEQ_CONSTANT, 1));
    f2l_seq_add_mixer(to, F2L_DPLR_REPLACEMENT, "replacement",
                      f2l_seq_vector(keys, F2L_SEQ_CONSTANT, 1));
}

/* The first gates are sigmoid(0)^(1/16) = .96 (gla) or between .94 and 1 (rwkv7). */
static void add_dplr_parameters(f2l_seq_layout *to)
{
    const f2l_seq_config *c = &to->model->config;
    const size_t keys = c->heads * c->key_dim, values = c->heads * c->value_dim,
                 taps = c->convolution;
    const bool removes = f2l_dplr_removes(c);
    const f2l_seq_shape low = f2l_seq_matrix(c->step_rank, c->width);
    f2l_seq_add_mixer(to, F2L_DPLR_QUERY, "q_proj.weight", f2l_seq_matrix(keys, c->width));
    f2l_seq_add_mixer(to, F2L_DPLR_KEY, "k_proj.weight", f2l_seq_matrix(keys, c->width));
    f2l_seq_add_mixer(to, F2L_DPLR_VALUE, "v_proj.weight", f2l_seq_matrix(values, c->width));
    f2l_seq_add_mixer(to, F2L_DPLR_GATE_LOW, "gate_low.weight", low);
    if (removes) f2l_seq_add_mixer(to, F2L_DPLR_RATE_LOW, "rate_low.weight", low);
    f2l_seq_add_mixer(to, F2L_DPLR_GATE, "gate_proj.weight", f2l_seq_matrix(keys, c->step_rank));
    f2l_seq_add_mixer(to, F2L_DPLR_GATE_BIAS, "gate_proj.bias",
                      f2l_seq_vector(keys, removes ? F2L_SEQ_STEP : F2L_SEQ_CONSTANT, 0));
    if (removes) add_rate(to, c);
    if (taps > 0) {
        f2l_seq_add_mixer(to, F2L_DPLR_QUERY_TAPS, "q_conv1d.weight", f2l_seq_taps(keys, taps));
        f2l_seq_add_mixer(to, F2L_DPLR_KEY_TAPS, "k_conv1d.weight", f2l_seq_taps(keys, taps));
        f2l_seq_add_mixer(to, F2L_DPLR_VALUE_TAPS, "v_conv1d.weight", f2l_seq_taps(values, taps));
    }
    f2l_seq_add_mixer(to, F2L_DPLR_OUTPUT_NORM, "o_norm.weight",
                      f2l_seq_vector(c->value_dim, F2L_SEQ_CONSTANT, 1));
    if (c->output_gate)
        f2l_seq_add_mixer(to, F2L_DPLR_OUTPUT_GATE, "g_proj.weight",
                          f2l_seq_matrix(values, c->width));
    f2l_seq_add_mixer(to, F2L_DPLR_OUT, "o_proj.weight", f2l_seq_residual(c->width, values));
}

static void plan_dplr(size_t *width, const f2l_seq_config *c)
{
    const size_t keys = c->heads * c->key_dim, values = c->heads * c->value_dim;
    static const size_t stream[] = {F2L_DPLR_SLOT_Q, F2L_DPLR_SLOT_K, F2L_DPLR_SLOT_V};
    for (size_t i = 0; i < 3; i++) {
        width[stream[i]] = i < 2 ? keys : values;
        if (c->convolution == 0) continue;
        width[stream[i] + 1] = width[stream[i] + 2] = width[stream[i]];
    }
    width[F2L_DPLR_SLOT_GATE_LOW] = c->step_rank;
    width[F2L_DPLR_SLOT_GATE_IN] = width[F2L_DPLR_SLOT_W] = keys;
    for (size_t i = 0; i < (c->output_gate ? 5 : 3); i++) width[F2L_DPLR_SLOT_O + i] = values;
    if (!f2l_dplr_removes(c)) return;
    width[F2L_DPLR_SLOT_GATE_TANH] = width[F2L_DPLR_SLOT_RATE_LOW] = c->step_rank;
    width[F2L_DPLR_SLOT_RATE_IN] = width[F2L_DPLR_SLOT_A] = width[F2L_DPLR_SLOT_B] =
        width[F2L_DPLR_SLOT_WRITE] = keys;
}

static size_t dplr_state_size(const f2l_seq_config *c)
{
    const size_t keys = c->heads * c->key_dim, values = c->heads * c->value_dim,
                 taps = c->convolution > 0 ? c->convolution - 1 : 0;
    return keys * c->value_dim + taps * (2 * keys + values);
}

static void describe_dplr(f2l_buf *out, const f2l_seq_config *c)
{
    const char *least = c->negative ? "-1" : "0";
    f2l_buf_printf(out, ", %zu head%s of %zu x %zu", c->heads, c->heads == 1 ? "" : "s", c->key_dim,
                   c->value_dim);
    if (f2l_dplr_removes(c))
        f2l_buf_printf(out, ", a gate for each key in (0.54, 1), rates up to %s%s",
                       c->negative ? "1 + gate: eigenvalues in [-1, 1]"
                                   : "1: eigenvalues in "
                                     "(-0.46, 1)",
                       c->output_gate ? ", output gate" : "");
    else
        f2l_buf_printf(out, ", a gate for each key: eigenvalues in [%s, 1]%s", least,
                       c->output_gate ? ", output gate" : "");
    f2l_buf_printf(out, ", rank %zu", c->step_rank);
}

#define COMMON \
    .refuses = refuse_dplr, .parameters = add_dplr_parameters, .first_state = F2L_SEQ_NONE, \
    .plan = plan_dplr, .state = dplr_state_size, .pass_f32 = &f2l_seq_dplr_pass_f32, \
    .pass_f64 = &f2l_seq_dplr_pass_f64, .no_relations = "its keys write values", \
    .describe = describe_dplr
const f2l_mixer f2l_mixer_gla = {.name = "gla",
                                 .option = "gla",
                                 .summary = "gated linear attention: a gate for each key",
                                 COMMON};
const f2l_mixer f2l_mixer_rwkv7 = {
    .name = "rwkv7",
    .option = "rwkv7",
    .summary =
        "the recurrence of RWKV-7 in the usual block, without token shift and value residual",
    COMMON};
