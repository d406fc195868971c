#include "models/learn/seq/attention/seq_attention.h"
#include "models/learn/op/op_attention.h"

static const char *refuse_attention(const f2l_seq_config *c)
{
    if (c->key_dim % 2 != 0)
        return "rotary positions turn pairs of numbers: the key dimension (key_dim) must be even";
    if (c->output_gate) return "attention has no output gate (output_gate)";
    return c->convolution > 0 || c->convolution_bias ? "attention has no convolution" : NULL;
}

static void add_attention_parameters(f2l_seq_layout *to)
{
    const f2l_seq_config *c = &to->model->config;
    const size_t keys = c->heads * c->key_dim, values = c->heads * c->value_dim;
    f2l_seq_add_mixer(to, F2L_ATTENTION_QUERY, "q_proj.weight", f2l_seq_matrix(keys, c->width));
    f2l_seq_add_mixer(to, F2L_ATTENTION_KEY, "k_proj.weight", f2l_seq_matrix(keys, c->width));
    f2l_seq_add_mixer(to, F2L_ATTENTION_VALUE, "v_proj.weight", f2l_seq_matrix(values, c->width));
    f2l_seq_add_mixer(to, F2L_ATTENTION_OUT, "o_proj.weight", f2l_seq_residual(c->width, values));
}

static void plan_attention(size_t *width, const f2l_seq_config *c)
{
    width[F2L_ATTENTION_SLOT_Q] = width[F2L_ATTENTION_SLOT_K] = c->heads * c->key_dim;
    width[F2L_ATTENTION_SLOT_V] = width[F2L_ATTENTION_SLOT_O] = c->heads * c->value_dim;
}

static size_t attention_state_size(const f2l_seq_config *c)
{
    const f2l_attention_shape shape = {
        .heads = c->heads, .key = c->key_dim, .value = c->value_dim, .window = f2l_seq_window(c)};
    return f2l_attention_state(&shape);
}

static void describe_attention(f2l_buf *out, const f2l_seq_config *c)
{
    f2l_buf_printf(out, ", %zu head%s of %zu x %zu, rotary positions, the last %zu letters",
                   c->heads, c->heads == 1 ? "" : "s", c->key_dim, c->value_dim, f2l_seq_window(c));
}

const f2l_mixer f2l_mixer_attention = {.name = "attention",
                                       .option = "attention",
                                       .summary =
                                           "causal softmax attention: a Transformer, as a control",
                                       .refuses = refuse_attention,
                                       .parameters = add_attention_parameters,
                                       .first_state = F2L_SEQ_NONE,
                                       .plan = plan_attention,
                                       .state = attention_state_size,
                                       .pass_f32 = &f2l_seq_attention_pass_f32,
                                       .pass_f64 = &f2l_seq_attention_pass_f64,
                                       .no_relations = "the mixer is attention",
                                       .describe = describe_attention};
