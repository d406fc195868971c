#include "models/learn/seq/diagonal/seq_diagonal.h"

static const char *refuse_diagonal(const f2l_seq_config *c)
{
    if (c->output_gate) return "the diagonal mixer has no output gate beside its own (output_gate)";
    return c->convolution_bias && c->convolution == 0
               ? "a bias of the convolution (convolution_bias) without a convolution"
               : NULL;
}

static void add_diagonal_parameters(f2l_seq_layout *to)
{
    const f2l_seq_config *c = &to->model->config;
    const f2l_seq_shape log = {2, {c->channels, c->states}, F2L_SEQ_LOG_RAMP, 0, false};
    f2l_seq_add_mixer(to, F2L_DIAGONAL_IN, "in_proj.weight",
                      f2l_seq_matrix(2 * c->channels, c->width));
    if (c->convolution > 0)
        f2l_seq_add_mixer(to, F2L_DIAGONAL_TAPS, "conv1d.weight",
                          f2l_seq_taps(c->channels, c->convolution));
    if (c->convolution_bias)
        f2l_seq_add_mixer(to, F2L_DIAGONAL_TAPS_BIAS, "conv1d.bias",
                          f2l_seq_vector(c->channels, F2L_SEQ_CONSTANT, 0));
    f2l_seq_add_mixer(to, F2L_DIAGONAL_SELECT, "x_proj.weight",
                      f2l_seq_matrix(c->step_rank + 2 * c->states, c->channels));
    f2l_seq_add_mixer(to, F2L_DIAGONAL_STEP_WEIGHT, "dt_proj.weight",
                      f2l_seq_matrix(c->channels, c->step_rank));
    f2l_seq_add_mixer(to, F2L_DIAGONAL_STEP_BIAS, "dt_proj.bias",
                      f2l_seq_vector(c->channels, F2L_SEQ_STEP, 0));
    f2l_seq_add_mixer(to, F2L_DIAGONAL_STATE_LOG, "A_log", log);
    f2l_seq_add_mixer(to, F2L_DIAGONAL_SKIP, "D", f2l_seq_vector(c->channels, F2L_SEQ_CONSTANT, 1));
    f2l_seq_add_mixer(to, F2L_DIAGONAL_OUT, "out_proj.weight",
                      f2l_seq_residual(c->width, c->channels));
}

static void plan_diagonal(size_t *width, const f2l_seq_config *c)
{
    static const size_t channel[] = {F2L_DIAGONAL_SLOT_U,      F2L_DIAGONAL_SLOT_U_SILU,
                                     F2L_DIAGONAL_SLOT_Z,      F2L_DIAGONAL_SLOT_STEP_IN,
                                     F2L_DIAGONAL_SLOT_STEP,   F2L_DIAGONAL_SLOT_Y,
                                     F2L_DIAGONAL_SLOT_Y_GATED};
    for (size_t i = 0; i < sizeof channel / sizeof *channel; i++) width[channel[i]] = c->channels;
    if (c->convolution > 0) width[F2L_DIAGONAL_SLOT_U_TAPS] = c->channels;
    width[F2L_DIAGONAL_SLOT_RANK] = c->step_rank;
    width[F2L_DIAGONAL_SLOT_WRITE] = width[F2L_DIAGONAL_SLOT_READ] = c->states;
    width[F2L_DIAGONAL_SLOT_DECAY] = width[F2L_DIAGONAL_SLOT_STATE] = c->channels * c->states;
}

static size_t diagonal_state_size(const f2l_seq_config *c)
{
    return c->channels * (c->states + (c->convolution > 0 ? c->convolution - 1 : 0));
}

static void letters(size_t *slot, const f2l_seq_config *c)
{
    (void)c;
    slot[F2L_DIAGONAL_LETTER_DECAY] = F2L_DIAGONAL_SLOT_DECAY;
}

static const f2l_fla_class *fla_class(const f2l_seq_config *c)
{
    (void)c;
    return &f2l_seq_diagonal_fla;
}

static void describe_diagonal(f2l_buf *out, const f2l_seq_config *c)
{
    f2l_buf_printf(out, ", %zu channels of %zu states, eigenvalues in [%s, 1]", c->channels,
                   c->states, c->negative ? "-1" : "0");
}

const f2l_mixer f2l_mixer_diagonal = {.name = "diagonal",
                                      .option = "diagonal",
                                      .summary = "selective diagonal recurrence, as in Mamba",
                                      .gated = true,
                                      .refuses = refuse_diagonal,
                                      .parameters = add_diagonal_parameters,
                                      .first_state = F2L_SEQ_NONE,
                                      .plan = plan_diagonal,
                                      .state = diagonal_state_size,
                                      .pass_f32 = &f2l_seq_diagonal_pass_f32,
                                      .pass_f64 = &f2l_seq_diagonal_pass_f64,
                                      .letters = letters,
                                      .no_relations = "the mixer is diagonal",
                                      .fla = &f2l_seq_diagonal_fla,
                                      .fla_classes = 1,
                                      .fla_class = fla_class,
                                      .describe = describe_diagonal};
