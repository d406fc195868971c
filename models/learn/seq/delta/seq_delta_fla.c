#include "models/learn/seq/delta/seq_delta.h"

/* Returns whether floating-point arithmetic gives `size` back from width and size / width. */
static bool comes_back(size_t size, size_t width)
{
    return (size_t)((double)width * ((double)size / (double)width)) == size;
}

/* Returns the obstacle that both classes have. */
static const char *find_delta_obstacle(const f2l_seq_config *c)
{
    /* The norm of keys has epsilon 1e-6 in flash-linear-attention, whatever norm_eps is. */
    if ((c->key_epsilon > 0 ? c->key_epsilon : c->epsilon) != 1e-6)
        return "the epsilon of its keys is not 1e-6";
    if (c->exact_keys) return "its keys are exact (--exact-keys), without an epsilon";
    if (c->clamped_betas) return "its betas are clamped (--clamped-betas), not a sigmoid";
    if (!c->additive) return "it has no values (B = 0)";
    if (c->learned_start) return "its H_0 is learned";
    if (!c->normalise_keys) return "its keys are not normalised";
    return c->mlp == 0 ? "its blocks have no MLP" : NULL;
}

static const char *net_obstacle(const f2l_seq_config *c)
{
    const char *why = find_delta_obstacle(c);
    if (why != NULL) return why;
    return comes_back(c->heads * c->key_dim, c->width) &&
                   comes_back(c->heads * c->value_dim, c->width)
               ? NULL
               : "expand_k or expand_v would be rounded";
}

static const char *product_obstacle(const f2l_seq_config *c)
{
    const char *why = find_delta_obstacle(c);
    if (why != NULL) return why;
    if (!c->silu_keys) return "GatedDeltaProduct needs SiLU on queries and keys";
    return comes_back(c->value_dim, c->key_dim) ? NULL : "expand_v would be rounded";
}

static void write_delta_fla(f2l_buf *out, const f2l_seq_config *c)
{
    f2l_fla_put_flag(out, "allow_neg_eigval", c->negative);
    f2l_fla_put_flag(out, "use_short_conv", c->convolution > 0);
    f2l_buf_printf(out,
                   ",\"num_heads\":%zu,\"intermediate_size\":%zu,\"hidden_act\":\"swish\","
                   "\"norm_eps\":%.17g",
                   c->heads, c->mlp, c->epsilon);
    if (c->convolution > 0) f2l_buf_printf(out, ",\"conv_size\":%zu", c->convolution);
}

static void write_delta_net_fla(f2l_buf *out, const f2l_seq_config *c)
{
    write_delta_fla(out, c);
    f2l_buf_printf(out, ",\"expand_k\":%.17g,\"expand_v\":%.17g",
                   (double)c->heads * (double)c->key_dim / (double)c->width,
                   (double)c->heads * (double)c->value_dim / (double)c->width);
    f2l_buf_printf(out,
                   ",\"use_beta\":true,\"use_gate\":%s,\"qk_norm\":\"l2\",\"qk_activation\":\"%s\"",
                   c->output_gate ? "true" : "false", c->silu_keys ? "silu" : "identity");
}

static void write_product(f2l_buf *out, const f2l_seq_config *c)
{
    write_delta_fla(out, c);
    f2l_buf_printf(out, ",\"head_dim\":%zu,\"expand_v\":%.17g,\"num_householder\":%zu", c->key_dim,
                   (double)c->value_dim / (double)c->key_dim, c->householders);
    f2l_fla_put_flag(out, "use_output_gate", c->output_gate);
    f2l_fla_put_flag(out, "use_forget_gate", c->forget_gate);
}

/* Returns the width of the MLP; if it is left open, two thirds of hidden_ratio widths, rounded up
 * to a multiple of 256. */
static size_t mlp_member(f2l_fla_members *m, size_t width)
{
    if (!f2l_fla_is_absent(m, "intermediate_size")) return f2l_fla_size(m, "intermediate_size");
    const double ratio = f2l_fla_is_absent(m, "hidden_ratio") ? 4 : f2l_fla_real(m, "hidden_ratio");
    const size_t two_thirds = (size_t)fmin(fmax((double)width * ratio * 2 / 3, 0), 1e9);
    return (two_thirds + 255) / 256 * 256;
}

/* Returns factor times size, or a size that f2l_seq_config_check refuses. */
static size_t expanded(size_t size, double factor)
{
    return (size_t)fmin(fmax((double)size * factor, 0), 1e9);
}

/* Reads what all classes have; `gate` is the name of the output gate. */
static void read_delta_fla(f2l_seq_config *c, f2l_fla_members *m, const char *gate, bool gated)
{
    c->negative = f2l_fla_flag(m, "allow_neg_eigval", false);
    c->additive = c->normalise_keys = true;
    c->learned_start = false;
    c->slope = 1;
    c->heads = f2l_fla_size(m, "num_heads");
    c->mlp = mlp_member(m, c->width);
    c->epsilon = f2l_fla_real(m, "norm_eps");
    c->key_epsilon = c->epsilon == 1e-6 ? 0 : 1e-6;
    const size_t taps = f2l_fla_is_absent(m, "conv_size") ? 4 : f2l_fla_size(m, "conv_size");
    c->convolution = f2l_fla_flag(m, "use_short_conv", true) ? taps : 0;
    c->output_gate = f2l_fla_flag(m, gate, gated);
}

static void read_delta_net_fla(f2l_seq_fla *model, f2l_fla_members *m)
{
    f2l_seq_config *c = &model->config;
    read_delta_fla(c, m, "use_gate", false);
    const double expand_v = f2l_fla_real(m, "expand_v");
    c->householders = 1;
    c->forget_gate = false;
    c->silu_keys = f2l_fla_has_text(m, "qk_activation", "silu");
    if (!c->silu_keys && !f2l_fla_has_text(m, "qk_activation", "identity") && m->bad == NULL)
        m->bad = "qk_activation";
    c->key_dim = expanded(c->width, f2l_fla_real(m, "expand_k")) / c->heads;
    c->value_dim = expanded(c->width, expand_v) / c->heads;
}

/* Returns the member that says whether there is an output gate: the code of the DeltaProduct paper
 * and flash-linear-attention have two names for it. Both must say the same. */
static const char *product_gate(f2l_fla_members *m)
{
    static const char *const paper = "use_gate", *const fla = "use_output_gate";
    if (f2l_fla_is_absent(m, paper)) return fla;
    if (!f2l_fla_is_absent(m, fla) && f2l_fla_flag(m, paper, true) != f2l_fla_flag(m, fla, true) &&
        m->bad == NULL)
        m->bad = paper;
    return paper;
}

static void read_delta_product_fla(f2l_seq_fla *model, f2l_fla_members *m)
{
    f2l_seq_config *c = &model->config;
    read_delta_fla(c, m, product_gate(m), true);
    model->split = true;
    const double expand_v = f2l_fla_real(m, "expand_v");
    c->householders = f2l_fla_size(m, "num_householder");
    c->forget_gate = f2l_fla_flag(m, "use_forget_gate", false);
    c->silu_keys = true;
    c->key_dim = f2l_fla_size(m, "head_dim");
    c->value_dim = expanded(c->key_dim, expand_v);
}

/* GatedDeltaNet is GatedDeltaProduct with n_h = 1 and a forget gate, and its heads may share
 * queries and keys. */
static void read_gated(f2l_seq_fla *model, f2l_fla_members *m)
{
    f2l_seq_config *c = &model->config;
    read_delta_fla(c, m, "use_gate", true);
    const double expand_v = f2l_fla_real(m, "expand_v");
    c->householders = 1;
    c->forget_gate = c->silu_keys = true;
    c->key_dim = f2l_fla_size(m, "head_dim");
    c->value_dim = expanded(c->key_dim, expand_v);
    if (f2l_fla_is_absent(m, "num_v_heads")) return;
    const size_t heads = f2l_fla_size(m, "num_v_heads");
    if (heads % c->heads != 0 && m->bad == NULL) m->bad = "num_v_heads";
    model->share = heads / c->heads;
    c->heads = heads;
}

static bool shares(size_t tensor)
{
    return tensor == F2L_DELTA_QUERY || tensor == F2L_DELTA_KEY || tensor == F2L_DELTA_QUERY_TAPS ||
           tensor == F2L_DELTA_KEY_TAPS;
}

#define READ \
    "num_heads", "norm_eps", "allow_neg_eigval", "use_short_conv", "conv_size", "hidden_ratio", \
        "intermediate_size", "expand_v"
static const char *const net_member[] = {READ, "use_gate", "qk_activation", "expand_k", NULL},
                         *const product_member[] = {READ,       "use_output_gate",
                                                    "use_gate", "num_householder",
                                                    "head_dim", "use_forget_gate",
                                                    NULL},
                         *const gated_member[] = {READ, "use_gate", "head_dim", "num_v_heads",
                                                  NULL};
#define RULES \
    {"hidden_act", "silu", false}, {"use_beta", NULL, true}, \
    { \
        "qk_norm", "l2", false \
    }
static const f2l_fla_rule rule[] = {RULES, {NULL, NULL, false}};
/* The configurations of the DeltaProduct paper have members that its code does not read. */
static const f2l_fla_rule product_rule[] = {RULES,
                                            {"expand_k", "1", false},
                                            {"norm_first", NULL, false},
                                            {"use_decay_gate", NULL, false},
                                            {"use_beta_conv1d", NULL, false},
                                            {"layer_type", "normal|fully_fused", false},
                                            {NULL, NULL, false}};

#define NAMES "model", "attn_norm", "attn", "norm", F2L_DELTA_BETA, shares
const f2l_fla_class f2l_seq_delta_fla[F2L_DELTA_CLASSES] = {
    {"delta_net", "DeltaNetForCausalLM", NAMES, net_obstacle, write_delta_net_fla, net_member, rule,
     read_delta_net_fla, NULL},
    {"gated_deltaproduct", "GatedDeltaProductForCausalLM", NAMES, product_obstacle, write_product,
     product_member, product_rule, read_delta_product_fla, "gated_delta_product"},
    {"gated_deltanet", "GatedDeltaNetForCausalLM", NAMES, product_obstacle, write_product,
     gated_member, rule, read_gated, NULL}};
