#include "models/learn/seq/delta/seq_delta.h"

static const char *refuse_delta(const f2l_seq_config *c)
{
    if (c->convolution_bias) return "convolutions of keys have no bias (convolution_bias)";
    if (c->additive || c->learned_start) return NULL;
    return "without values (additive) and without a learned H_0 (learned_start) every state is 0";
}

static void add_delta_parameters(f2l_seq_layout *to)
{
    const f2l_seq_config *c = &to->model->config;
    const size_t keys = c->heads * c->key_dim, values = c->heads * c->value_dim,
                 n = c->householders, taps = c->convolution;
    const f2l_seq_shape start = {3,
                                 {c->heads, c->key_dim, c->value_dim},
                                 F2L_SEQ_NORMAL,
                                 1 / sqrt((double)c->key_dim),
                                 false};
    f2l_seq_add_mixer(to, F2L_DELTA_QUERY, "q_proj.weight", f2l_seq_matrix(keys, c->width));
    f2l_seq_add_mixer(to, F2L_DELTA_KEY, "k_proj.weight", f2l_seq_matrix(n * keys, c->width));
    if (c->additive)
        f2l_seq_add_mixer(to, F2L_DELTA_VALUE, "v_proj.weight",
                          f2l_seq_matrix(n * values, c->width));
    f2l_seq_add_mixer(to, F2L_DELTA_BETA, "b_proj.weight", f2l_seq_matrix(n * c->heads, c->width));
    if (c->forget_gate) {
        f2l_seq_add_mixer(to, F2L_DELTA_STEP, "a_proj.weight", f2l_seq_matrix(c->heads, c->width));
        f2l_seq_add_mixer(to, F2L_DELTA_GATE_LOG, "A_log",
                          f2l_seq_vector(c->heads, F2L_SEQ_LOG_EVEN, 0));
        f2l_seq_add_mixer(to, F2L_DELTA_GATE_BIAS, "dt_bias",
                          f2l_seq_vector(c->heads, F2L_SEQ_STEP, 0));
    }
    if (taps > 0) {
        f2l_seq_add_mixer(to, F2L_DELTA_QUERY_TAPS, "q_conv1d.weight", f2l_seq_taps(keys, taps));
        f2l_seq_add_mixer(to, F2L_DELTA_KEY_TAPS, "k_conv1d.weight", f2l_seq_taps(n * keys, taps));
        if (c->additive)
            f2l_seq_add_mixer(to, F2L_DELTA_VALUE_TAPS, "v_conv1d.weight",
                              f2l_seq_taps(n * values, taps));
    }
    if (c->learned_start) f2l_seq_add_mixer(to, F2L_DELTA_START, "initial_state", start);
    f2l_seq_add_mixer(to, F2L_DELTA_OUTPUT_NORM, "o_norm.weight",
                      f2l_seq_vector(c->value_dim, F2L_SEQ_CONSTANT, 1));
    if (c->output_gate)
        f2l_seq_add_mixer(to, F2L_DELTA_OUTPUT_GATE, "g_proj.weight",
                          f2l_seq_matrix(values, c->width));
    f2l_seq_add_mixer(to, F2L_DELTA_OUT, "o_proj.weight", f2l_seq_residual(c->width, values));
}

static void plan_delta(size_t *width, const f2l_seq_config *c)
{
    const size_t keys = c->heads * c->key_dim, values = c->heads * c->value_dim,
                 n = c->householders;
    width[F2L_DELTA_SLOT_Q] = keys;
    width[F2L_DELTA_SLOT_K] = n * keys;
    width[F2L_DELTA_SLOT_V] = c->additive ? n * values : 0;
    for (size_t s = 0; s < F2L_DELTA_STREAMS; s++) {
        const size_t first = F2L_DELTA_SLOT_Q + 4 * s;
        if (c->convolution > 0) width[first + 1] = width[first];
        if (c->silu_keys || s == 2) width[first + 2] = width[first];
        if (c->normalise_keys && s < 2) width[first + 3] = width[first];
    }
    width[F2L_DELTA_SLOT_BETA_IN] = width[F2L_DELTA_SLOT_BETA] = n * c->heads;
    width[F2L_DELTA_SLOT_GATE_IN] = width[F2L_DELTA_SLOT_GATE] = c->forget_gate ? c->heads : 0;
    width[F2L_DELTA_SLOT_O] = values;
    width[F2L_DELTA_SLOT_O_SCALED] = width[F2L_DELTA_SLOT_O_NORM] = values;
    width[F2L_DELTA_SLOT_OUTPUT_GATE] = width[F2L_DELTA_SLOT_O_GATED] = c->output_gate ? values : 0;
}

void f2l_seq_delta_streams(f2l_seq_stream stream[F2L_DELTA_STREAMS], const f2l_seq *model,
                           size_t layer)
{
    const f2l_seq_config *c = &model->config;
    const size_t keys = c->heads * c->key_dim, n = c->householders,
                 *tensor = model->layer[layer].mixer,
                 taps = c->convolution > 0 ? c->convolution - 1 : 0;
    stream[0] = (f2l_seq_stream){.weight = tensor[F2L_DELTA_QUERY],
                                 .convolution = tensor[F2L_DELTA_QUERY_TAPS],
                                 .bias = F2L_SEQ_NONE,
                                 .width = keys,
                                 .unit = c->normalise_keys ? c->key_dim : 0,
                                 .silu = c->silu_keys,
                                 .first = F2L_DELTA_SLOT_Q,
                                 .past = keys * c->value_dim};
    stream[1] = stream[0];
    stream[1].weight = tensor[F2L_DELTA_KEY];
    stream[1].convolution = tensor[F2L_DELTA_KEY_TAPS];
    stream[1].width = n * keys;
    stream[1].ternary = c->ternary_keys;
    stream[1].first = F2L_DELTA_SLOT_K;
    stream[1].past = stream[0].past + taps * keys;
    stream[2] = (f2l_seq_stream){.weight = tensor[F2L_DELTA_VALUE],
                                 .convolution = tensor[F2L_DELTA_VALUE_TAPS],
                                 .bias = F2L_SEQ_NONE,
                                 .width = n * c->heads * c->value_dim,
                                 .silu = true,
                                 .first = F2L_DELTA_SLOT_V,
                                 .past = stream[1].past + taps * n * keys};
}

static size_t delta_state_size(const f2l_seq_config *c)
{
    const size_t keys = c->heads * c->key_dim, values = c->additive ? c->heads * c->value_dim : 0,
                 taps = c->convolution > 0 ? c->convolution - 1 : 0;
    return keys * c->value_dim + taps * (keys + c->householders * (keys + values));
}

static void list_delta_letter_slots(size_t *slot, const f2l_seq_config *c)
{
    slot[F2L_DELTA_LETTER_BETA] = F2L_DELTA_SLOT_BETA;
    slot[F2L_DELTA_LETTER_KEY] = F2L_DELTA_SLOT_K;
    if (c->convolution > 0) slot[F2L_DELTA_LETTER_KEY] = F2L_DELTA_SLOT_K + 1;
    if (c->silu_keys) slot[F2L_DELTA_LETTER_KEY] = F2L_DELTA_SLOT_K + 2;
    if (c->normalise_keys) slot[F2L_DELTA_LETTER_KEY] = F2L_DELTA_SLOT_K + 3;
    slot[F2L_DELTA_LETTER_GATE] = F2L_DELTA_SLOT_GATE;
    if (c->additive) slot[F2L_DELTA_LETTER_VALUE] = F2L_DELTA_SLOT_V + 2;
}

static const f2l_fla_class *find_delta_fla_class(const f2l_seq_config *c)
{
    return &f2l_seq_delta_fla[c->householders == 1 && !c->forget_gate ? 0 : 1];
}

static void describe_delta(f2l_buf *out, const f2l_seq_config *c)
{
    f2l_buf_printf(out, ", %zu head%s of %zu x %zu, n_h = %zu", c->heads, c->heads == 1 ? "" : "s",
                   c->key_dim, c->value_dim, c->householders);
    f2l_buf_printf(out, ", eigenvalues in [%s, 1]%s%s%s", c->negative ? "-1" : "0",
                   c->additive ? ", values" : ", B = 0", c->learned_start ? ", learned H_0" : "",
                   c->forget_gate ? ", forget gate" : "");
    const char *keys = c->ternary_keys ? ", ternary keys" : c->exact_keys ? ", exact keys" : "";
    f2l_buf_printf(out, "%s%s%s%s, slope %g", c->output_gate ? ", output gate" : "",
                   c->silu_keys ? ", SiLU" : "", c->normalise_keys ? keys : ", keys of any length",
                   c->clamped_betas ? ", clamped betas" : "", c->slope);
}

const f2l_mixer f2l_mixer_delta = {.name = "delta-product",
                                   .option = "delta",
                                   .summary = "DeltaProduct; with --householders 1 DeltaNet",
                                   .refuses = refuse_delta,
                                   .parameters = add_delta_parameters,
                                   .first_state = F2L_DELTA_START,
                                   .plan = plan_delta,
                                   .state = delta_state_size,
                                   .pass_f32 = &f2l_seq_delta_pass_f32,
                                   .pass_f64 = &f2l_seq_delta_pass_f64,
                                   .letters = list_delta_letter_slots,
                                   .fla = f2l_seq_delta_fla,
                                   .fla_classes = F2L_DELTA_CLASSES,
                                   .fla_class = find_delta_fla_class,
                                   .describe = describe_delta};
