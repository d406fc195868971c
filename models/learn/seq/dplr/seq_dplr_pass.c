#include "models/learn/op/op_dplr.h"
#include "models/learn/op/op_linear.h"
#include "models/learn/op/op_point.h"
#include "models/learn/op/op_rates.h"
#include "models/learn/seq/dplr/seq_dplr.h"

enum { STREAMS = 5 }; /* q, k, v, and the short vectors of gate and rate */

static size_t set_dplr_streams(f2l_seq_stream stream[STREAMS], const f2l_seq_pass_f32 *pass,
                               size_t layer)
{
    const f2l_seq_config *c = &pass->model->config;
    const size_t *tensor = pass->model->layer[layer].mixer, keys = c->heads * c->key_dim,
                 taps = c->convolution > 0 ? c->convolution - 1 : 0;
    static const size_t first[] = {F2L_DPLR_SLOT_Q, F2L_DPLR_SLOT_K, F2L_DPLR_SLOT_V,
                                   F2L_DPLR_SLOT_GATE_LOW, F2L_DPLR_SLOT_RATE_LOW};
    size_t past = keys * c->value_dim;
    for (size_t i = 0; i < STREAMS; i++) {
        const bool low = i >= 3;
        stream[i] =
            (f2l_seq_stream){.weight = tensor[F2L_DPLR_QUERY + i],
                             .convolution = low ? F2L_SEQ_NONE : tensor[F2L_DPLR_QUERY_TAPS + i],
                             .bias = F2L_SEQ_NONE,
                             .width = low     ? c->step_rank
                                      : i < 2 ? keys
                                              : c->heads * c->value_dim,
                             .silu = !low && c->convolution > 0,
                             .first = first[i],
                             .past = past};
        past += taps * stream[i].width;
    }
    return f2l_dplr_removes(c) ? STREAMS : STREAMS - 1;
}

/* The map from the short vector of the gate, or of the rate, to its keys. */
typedef struct low_map {
    size_t from, to, weight; /* slots, tensor */
} low_map;

static low_map gate_map(const f2l_seq_config *c)
{
    return (low_map){f2l_dplr_removes(c) ? F2L_DPLR_SLOT_GATE_TANH : F2L_DPLR_SLOT_GATE_LOW,
                     F2L_DPLR_SLOT_GATE_IN, F2L_DPLR_GATE};
}
static const low_map rate_map = {F2L_DPLR_SLOT_RATE_LOW, F2L_DPLR_SLOT_RATE_IN, F2L_DPLR_RATE};

static void low_forward(const f2l_seq_pass_f32 *pass, size_t layer, const low_map *map)
{
    const f2l_seq_config *c = &pass->model->config;
    f2l_linear_forward_f32(f2l_seq_at_f32(pass, layer, map->to),
                           f2l_seq_at_f32(pass, layer, map->from),
                           f2l_seq_param_f32(pass, pass->model->layer[layer].mixer[map->weight]),
                           NULL, pass->rows, c->step_rank, c->heads * c->key_dim);
}

static void low_backward(const f2l_seq_pass_f32 *pass, size_t layer, const low_map *map)
{
    const f2l_seq_config *c = &pass->model->config;
    const size_t weight = pass->model->layer[layer].mixer[map->weight];
    f2l_linear_backward_f32(f2l_seq_dat_f32(pass, map->from), false,
                            f2l_seq_dparam_f32(pass, weight), NULL, f2l_seq_dat_f32(pass, map->to),
                            f2l_seq_at_f32(pass, layer, map->from), f2l_seq_param_f32(pass, weight),
                            pass->rows, c->step_rank, c->heads * c->key_dim);
}

static f2l_rates_shape rates_shape(const f2l_seq_pass_f32 *pass)
{
    const f2l_seq_config *c = &pass->model->config;
    return (f2l_rates_shape){.rows = pass->rows,
                             .heads = c->heads,
                             .key = c->key_dim,
                             .removal = f2l_dplr_removes(c),
                             .negative = c->negative,
                             .epsilon = c->key_epsilon > 0 ? c->key_epsilon : c->epsilon};
}

static f2l_rates_in_f32 dplr_rates_in(const f2l_seq_pass_f32 *pass, size_t layer, const float *k)
{
    const size_t *t = pass->model->layer[layer].mixer;
    return (f2l_rates_in_f32){.x = f2l_seq_at_f32(pass, layer, F2L_DPLR_SLOT_GATE_IN),
                              .k = k,
                              .y = f2l_seq_at_f32(pass, layer, F2L_DPLR_SLOT_RATE_IN),
                              .gate_bias = f2l_seq_param_f32(pass, t[F2L_DPLR_GATE_BIAS]),
                              .rate_bias = f2l_seq_param_f32(pass, t[F2L_DPLR_RATE_BIAS]),
                              .removal = f2l_seq_param_f32(pass, t[F2L_DPLR_REMOVAL]),
                              .replacement = f2l_seq_param_f32(pass, t[F2L_DPLR_REPLACEMENT])};
}

/* Computes gates, and with removal a, b and the key that is written. */
static void forward_dplr_rates(const f2l_seq_pass_f32 *pass, size_t layer, const float *k)
{
    const f2l_seq_config *c = &pass->model->config;
    const low_map gate = gate_map(c);
    const f2l_rates_shape shape = rates_shape(pass);
    const f2l_rates_in_f32 in = dplr_rates_in(pass, layer, k);
    const f2l_rates_out_f32 out = {.w = f2l_seq_at_f32(pass, layer, F2L_DPLR_SLOT_W),
                                   .a = f2l_seq_at_f32(pass, layer, F2L_DPLR_SLOT_A),
                                   .b = f2l_seq_at_f32(pass, layer, F2L_DPLR_SLOT_B),
                                   .key = f2l_seq_at_f32(pass, layer, F2L_DPLR_SLOT_WRITE)};
    if (shape.removal) /* tanh(z) = 2 sigmoid(2 z) - 1 */
        f2l_sigmoid_forward_f32(f2l_seq_at_f32(pass, layer, F2L_DPLR_SLOT_GATE_TANH),
                                f2l_seq_at_f32(pass, layer, F2L_DPLR_SLOT_GATE_LOW), -1, 1, 2,
                                pass->rows * c->step_rank);
    low_forward(pass, layer, &gate);
    if (shape.removal) low_forward(pass, layer, &rate_map);
    f2l_rates_forward_f32(&out, &in, &shape);
}

/* Computes the gradients at the short vectors, and with removal the gradient dk at k. */
static void backward_dplr_rates(const f2l_seq_pass_f32 *pass, size_t layer, const float *k,
                                float *dk)
{
    const f2l_seq_config *c = &pass->model->config;
    const size_t *t = pass->model->layer[layer].mixer;
    const low_map gate = gate_map(c);
    const f2l_rates_shape shape = rates_shape(pass);
    const f2l_rates_in_f32 in = dplr_rates_in(pass, layer, k);
    const f2l_rates_grad_f32 grad = {.dw = f2l_seq_dat_f32(pass, F2L_DPLR_SLOT_W),
                                     .da = f2l_seq_dat_f32(pass, F2L_DPLR_SLOT_A),
                                     .db = f2l_seq_dat_f32(pass, F2L_DPLR_SLOT_B),
                                     .dkey = f2l_seq_dat_f32(pass, F2L_DPLR_SLOT_WRITE),
                                     .dx = f2l_seq_dat_f32(pass, F2L_DPLR_SLOT_GATE_IN),
                                     .dk = dk,
                                     .dy = f2l_seq_dat_f32(pass, F2L_DPLR_SLOT_RATE_IN),
                                     .dgate_bias = f2l_seq_dparam_f32(pass, t[F2L_DPLR_GATE_BIAS]),
                                     .drate_bias = f2l_seq_dparam_f32(pass, t[F2L_DPLR_RATE_BIAS]),
                                     .dremoval = f2l_seq_dparam_f32(pass, t[F2L_DPLR_REMOVAL]),
                                     .dreplacement =
                                         f2l_seq_dparam_f32(pass, t[F2L_DPLR_REPLACEMENT])};
    f2l_rates_backward_f32(&grad, &in, &shape);
    low_backward(pass, layer, &gate);
    if (!shape.removal) return;
    low_backward(pass, layer, &rate_map);
    f2l_sigmoid_backward_f32(f2l_seq_dat_f32(pass, F2L_DPLR_SLOT_GATE_LOW),
                             f2l_seq_dat_f32(pass, F2L_DPLR_SLOT_GATE_TANH),
                             f2l_seq_at_f32(pass, layer, F2L_DPLR_SLOT_GATE_LOW), -1, 1, 2,
                             pass->rows * c->step_rank);
}

/* Returns the inputs of the recurrence, from the streams' last slots. */
static f2l_dplr_in_f32 dplr_inputs(const f2l_seq_pass_f32 *pass, size_t layer,
                                   const f2l_seq_stream *stream)
{
    const bool removes = f2l_dplr_removes(&pass->model->config);
    return (f2l_dplr_in_f32){.q = f2l_seq_stream_last_f32(pass, layer, &stream[0], false),
                             .k = removes ? f2l_seq_at_f32(pass, layer, F2L_DPLR_SLOT_WRITE)
                                          : f2l_seq_stream_last_f32(pass, layer, &stream[1], false),
                             .v = f2l_seq_stream_last_f32(pass, layer, &stream[2], false),
                             .w = f2l_seq_at_f32(pass, layer, F2L_DPLR_SLOT_W),
                             .a = removes ? f2l_seq_at_f32(pass, layer, F2L_DPLR_SLOT_A) : NULL,
                             .b = removes ? f2l_seq_at_f32(pass, layer, F2L_DPLR_SLOT_B) : NULL};
}

static f2l_dplr_shape dplr_shape_of(const f2l_seq_pass_f32 *pass)
{
    const f2l_seq_config *c = &pass->model->config;
    return (f2l_dplr_shape){pass->batch, pass->tokens, c->heads, c->key_dim, c->value_dim};
}

static f2l_seq_output output_of(const f2l_seq_pass_f32 *pass, size_t layer)
{
    const size_t *t = pass->model->layer[layer].mixer;
    return (f2l_seq_output){.norm = t[F2L_DPLR_OUTPUT_NORM],
                            .gate = t[F2L_DPLR_OUTPUT_GATE],
                            .out = t[F2L_DPLR_OUT],
                            .first = F2L_DPLR_SLOT_O};
}

static f2l_status forward_dplr(float *out, const f2l_seq_pass_f32 *pass, size_t layer)
{
    const f2l_dplr_shape shape = dplr_shape_of(pass);
    const f2l_seq_output output = output_of(pass, layer);
    f2l_seq_stream stream[STREAMS];
    const size_t streams = set_dplr_streams(stream, pass, layer);
    for (size_t s = 0; s < streams; s++) (void)f2l_seq_stream_forward_f32(pass, layer, &stream[s]);
    forward_dplr_rates(pass, layer, f2l_seq_stream_last_f32(pass, layer, &stream[1], false));
    const f2l_dplr_in_f32 in = dplr_inputs(pass, layer, stream);
    const f2l_status status =
        f2l_dplr_forward_f32(f2l_seq_at_f32(pass, layer, F2L_DPLR_SLOT_O),
                             f2l_seq_kept_f32(pass, layer, 0), &in, &shape, pass->err);
    if (status == F2L_OK) f2l_seq_output_forward_f32(out, pass, layer, &output);
    return status;
}

static f2l_status backward_dplr(const float *dout, const f2l_seq_pass_f32 *pass, size_t layer)
{
    const f2l_dplr_shape shape = dplr_shape_of(pass);
    const f2l_seq_output output = output_of(pass, layer);
    f2l_seq_stream stream[STREAMS];
    const size_t streams = set_dplr_streams(stream, pass, layer);
    f2l_seq_output_backward_f32(dout, pass, layer, &output);
    const f2l_dplr_in_f32 in = dplr_inputs(pass, layer, stream);
    float *dk = f2l_seq_stream_last_f32(pass, layer, &stream[1], true);
    const f2l_dplr_grad_f32 grad = {.dq = f2l_seq_stream_last_f32(pass, layer, &stream[0], true),
                                    .dk = in.a ? f2l_seq_dat_f32(pass, F2L_DPLR_SLOT_WRITE) : dk,
                                    .dv = f2l_seq_stream_last_f32(pass, layer, &stream[2], true),
                                    .dw = f2l_seq_dat_f32(pass, F2L_DPLR_SLOT_W),
                                    .da = in.a ? f2l_seq_dat_f32(pass, F2L_DPLR_SLOT_A) : NULL,
                                    .db = in.a ? f2l_seq_dat_f32(pass, F2L_DPLR_SLOT_B) : NULL};
    const f2l_status status = f2l_dplr_backward_f32(&grad, f2l_seq_dat_f32(pass, F2L_DPLR_SLOT_O),
                                                    &in, &shape, pass->err);
    if (status != F2L_OK) return status;
    backward_dplr_rates(pass, layer, f2l_seq_stream_last_f32(pass, layer, &stream[1], false), dk);
    for (size_t s = 0; s < streams; s++)
        f2l_seq_stream_backward_f32(pass, layer, &stream[s], s > 0);
    f2l_seq_output_gate_backward_f32(pass, layer, &output);
    return F2L_OK;
}

const f2l_mixer_pass_f32 f2l_seq_dplr_pass_f32 = {forward_dplr, backward_dplr};
