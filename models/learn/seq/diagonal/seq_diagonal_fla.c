#include "models/learn/seq/diagonal/seq_diagonal.h"

static const char *find_diagonal_obstacle(const f2l_seq_config *c)
{
    const double width = (double)c->width;
    if (c->negative) return "Mamba has no eigenvalues in [-1, 0)";
    if (c->mlp > 0) return "blocks of Mamba have no MLP";
    if (c->convolution == 0) return "Mamba needs a convolution";
    return (size_t)(width * ((double)c->channels / width)) == c->channels
               ? NULL
               : "expand would be rounded";
}

/* Rank and epsilon are written also under the names in transformers. */
static void write_diagonal_fla(f2l_buf *out, const f2l_seq_config *c)
{
    f2l_buf_printf(
        out,
        ",\"intermediate_size\":%zu,\"expand\":%.17g,\"state_size\":%zu,\"dt_rank\":%zu,"
        "\"time_step_rank\":%zu,\"conv_kernel\":%zu,\"use_conv_bias\":%s,\"use_bias\":false,"
        "\"hidden_act\":\"silu\",\"norm_eps\":%.17g,\"layer_norm_epsilon\":%.17g",
        c->channels, (double)c->channels / (double)c->width, c->states, c->step_rank, c->step_rank,
        c->convolution, c->convolution_bias ? "true" : "false", c->epsilon, c->epsilon);
}

static void read_diagonal_fla(f2l_seq_fla *model, f2l_fla_members *m)
{
    f2l_seq_config *c = &model->config;
    c->negative = false;
    c->mlp = 0;
    c->channels = f2l_fla_size(m, "intermediate_size");
    c->states = f2l_fla_size(m, "state_size");
    c->convolution = f2l_fla_size(m, "conv_kernel");
    c->convolution_bias = f2l_fla_flag(m, "use_conv_bias", true);
    c->epsilon =
        f2l_fla_real(m, f2l_fla_is_absent(m, "norm_eps") ? "layer_norm_epsilon" : "norm_eps");
    if (f2l_fla_has_text(m, "dt_rank", "auto"))
        c->step_rank = (c->width + 15) / 16;
    else
        c->step_rank =
            f2l_fla_size(m, f2l_fla_is_absent(m, "dt_rank") ? "time_step_rank" : "dt_rank");
}

static const char *const member[] = {
    "intermediate_size",  "state_size", "conv_kernel",    "use_conv_bias", "norm_eps",
    "layer_norm_epsilon", "dt_rank",    "time_step_rank", "expand",        NULL};
static const f2l_fla_rule rule[] = {{"hidden_act", "silu", false}, {NULL, NULL, false}};

const f2l_fla_class f2l_seq_diagonal_fla = {"mamba",
                                            "MambaForCausalLM",
                                            "backbone",
                                            "norm",
                                            "mixer",
                                            "norm_f",
                                            F2L_SEQ_NONE,
                                            NULL,
                                            find_diagonal_obstacle,
                                            write_diagonal_fla,
                                            member,
                                            rule,
                                            read_diagonal_fla,
                                            NULL};
