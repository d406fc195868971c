#include "models/learn/op/op_linear.h"
#include "models/learn/op/op_point.h"
#include "models/learn/op/op_scan.h"
#include "models/learn/seq/diagonal/seq_diagonal.h"
#include <math.h>
#include <string.h>

/* The arrays of the recurrence, or their gradients. */
typedef struct arrays {
    float *u, *write, *read, *step, *decay, *state, *y;
} arrays;

static arrays arrays_at(const f2l_seq_pass_f32 *pass, size_t layer)
{
    return (arrays){f2l_seq_at_f32(pass, layer, F2L_DIAGONAL_SLOT_U_SILU),
                    f2l_seq_at_f32(pass, layer, F2L_DIAGONAL_SLOT_WRITE),
                    f2l_seq_at_f32(pass, layer, F2L_DIAGONAL_SLOT_READ),
                    f2l_seq_at_f32(pass, layer, F2L_DIAGONAL_SLOT_STEP),
                    f2l_seq_at_f32(pass, layer, F2L_DIAGONAL_SLOT_DECAY),
                    f2l_seq_at_f32(pass, layer, F2L_DIAGONAL_SLOT_STATE),
                    f2l_seq_at_f32(pass, layer, F2L_DIAGONAL_SLOT_Y)};
}

static arrays gradients_at(const f2l_seq_pass_f32 *pass)
{
    return (arrays){f2l_seq_dat_f32(pass, F2L_DIAGONAL_SLOT_U_SILU),
                    f2l_seq_dat_f32(pass, F2L_DIAGONAL_SLOT_WRITE),
                    f2l_seq_dat_f32(pass, F2L_DIAGONAL_SLOT_READ),
                    f2l_seq_dat_f32(pass, F2L_DIAGONAL_SLOT_STEP),
                    f2l_seq_dat_f32(pass, F2L_DIAGONAL_SLOT_DECAY),
                    f2l_seq_dat_f32(pass, F2L_DIAGONAL_SLOT_STATE),
                    f2l_seq_dat_f32(pass, F2L_DIAGONAL_SLOT_Y)};
}

static void softplus_rows(float *y, const float *x, size_t count)
{
    for (size_t i = 0; i < count; i++) y[i] = (x[i] > 0 ? x[i] : 0) + log1pf(expf(-fabsf(x[i])));
}

/* Computes decay = low + (1 - low) exp(-dt exp(A_log)) and state = dt B u: one number per channel
 * and state. */
static void expand_decays(const arrays *x, const float *log_rate, const f2l_seq_pass_f32 *pass)
{
    const size_t channels = pass->model->config.channels, states = pass->model->config.states;
    const float low = pass->model->config.negative ? -1 : 0;
    for (size_t r = 0; r < pass->rows; r++) {
        for (size_t c = 0; c < channels; c++) {
            const float dt = x->step[r * channels + c], in = dt * x->u[r * channels + c];
            float *decay = x->decay + (r * channels + c) * states,
                  *state = x->state + (r * channels + c) * states;
            for (size_t n = 0; n < states; n++) {
                decay[n] = low + (1 - low) * expf(-dt * expf(log_rate[c * states + n]));
                state[n] = in * x->write[r * states + n];
            }
        }
    }
}

/* Computes backward of expand: dx->step and dx->write are written, dx->u and dlog_rate added to. */
static void expand_backward(const arrays *dx, float *dlog_rate, const arrays *x,
                            const float *log_rate, const f2l_seq_pass_f32 *pass)
{
    const size_t channels = pass->model->config.channels, states = pass->model->config.states;
    const float low = pass->model->config.negative ? -1 : 0;
    memset(dx->write, 0, pass->rows * states * sizeof(float));
    for (size_t r = 0; r < pass->rows; r++) {
        for (size_t c = 0; c < channels; c++) {
            const size_t at = r * channels + c;
            const float dt = x->step[at], u = x->u[at];
            const float *decay = x->decay + at * states;
            const float *ddecay = dx->decay + at * states, *dstate = dx->state + at * states;
            float dstep = 0, din = 0;
            for (size_t n = 0; n < states; n++) {
                /* d decay / d(dt rate) = -(1 - low) exp(-dt rate) = low - decay */
                const float rate = expf(log_rate[c * states + n]),
                            slope = ddecay[n] * (low - decay[n]);
                dstep += slope * rate;
                dlog_rate[c * states + n] += slope * rate * dt;
                din += dstate[n] * x->write[r * states + n];
                dx->write[r * states + n] += dstate[n] * dt * u;
            }
            dx->step[at] = dstep + din * u;
            dx->u[at] += din * dt;
        }
    }
}

/* Computes y = C h + D u. */
static void read_out(const arrays *x, const float *skip, const f2l_seq_pass_f32 *pass)
{
    const size_t channels = pass->model->config.channels, states = pass->model->config.states;
    for (size_t r = 0; r < pass->rows; r++) {
        for (size_t c = 0; c < channels; c++) {
            const float *h = x->state + (r * channels + c) * states;
            float y = skip[c] * x->u[r * channels + c];
            for (size_t n = 0; n < states; n++) y += x->read[r * states + n] * h[n];
            x->y[r * channels + c] = y;
        }
    }
}

/* Writes dx->u, dx->read and dx->state, adds to dskip. */
static void read_out_backward(const arrays *dx, float *dskip, const arrays *x, const float *skip,
                              const f2l_seq_pass_f32 *pass)
{
    const size_t channels = pass->model->config.channels, states = pass->model->config.states;
    memset(dx->read, 0, pass->rows * states * sizeof(float));
    for (size_t r = 0; r < pass->rows; r++) {
        for (size_t c = 0; c < channels; c++) {
            const size_t at = r * channels + c;
            const float dy = dx->y[at];
            dskip[c] += dy * x->u[at];
            dx->u[at] = dy * skip[c];
            for (size_t n = 0; n < states; n++) {
                dx->read[r * states + n] += dy * x->state[at * states + n];
                dx->state[at * states + n] = dy * x->read[r * states + n];
            }
        }
    }
}

/* Computes r, B, C and dt from u. */
static void selection_forward(const f2l_seq_pass_f32 *pass, size_t layer, const float *u)
{
    const f2l_seq_config *c = &pass->model->config;
    const size_t *t = pass->model->layer[layer].mixer;
    static const size_t slot[] = {F2L_DIAGONAL_SLOT_RANK, F2L_DIAGONAL_SLOT_WRITE,
                                  F2L_DIAGONAL_SLOT_READ};
    const size_t width[] = {c->step_rank, c->states, c->states},
                 row[] = {0, c->step_rank, c->step_rank + c->states};
    const float *weight = f2l_seq_param_f32(pass, t[F2L_DIAGONAL_SELECT]);
    for (size_t i = 0; i < 3; i++)
        f2l_linear_forward_f32(f2l_seq_at_f32(pass, layer, slot[i]), u,
                               weight + row[i] * c->channels, NULL, pass->rows, c->channels,
                               width[i]);
    float *in = f2l_seq_at_f32(pass, layer, F2L_DIAGONAL_SLOT_STEP_IN);
    f2l_linear_forward_f32(in, f2l_seq_at_f32(pass, layer, F2L_DIAGONAL_SLOT_RANK),
                           f2l_seq_param_f32(pass, t[F2L_DIAGONAL_STEP_WEIGHT]),
                           f2l_seq_param_f32(pass, t[F2L_DIAGONAL_STEP_BIAS]), pass->rows,
                           c->step_rank, c->channels);
    softplus_rows(f2l_seq_at_f32(pass, layer, F2L_DIAGONAL_SLOT_STEP), in,
                  pass->rows * c->channels);
}

/* Adds backward of the selection to the gradient of u. */
static void selection_backward(const f2l_seq_pass_f32 *pass, size_t layer, const arrays *dx,
                               const arrays *x)
{
    const f2l_seq_config *c = &pass->model->config;
    const size_t *t = pass->model->layer[layer].mixer;
    float *din = f2l_seq_dat_f32(pass, F2L_DIAGONAL_SLOT_STEP_IN),
          *drank = f2l_seq_dat_f32(pass, F2L_DIAGONAL_SLOT_RANK);
    const float *in = f2l_seq_at_f32(pass, layer, F2L_DIAGONAL_SLOT_STEP_IN);
    for (size_t i = 0; i < pass->rows * c->channels; i++) din[i] = dx->step[i] / (1 + expf(-in[i]));
    f2l_linear_backward_f32(drank, false, f2l_seq_dparam_f32(pass, t[F2L_DIAGONAL_STEP_WEIGHT]),
                            f2l_seq_dparam_f32(pass, t[F2L_DIAGONAL_STEP_BIAS]), din,
                            f2l_seq_at_f32(pass, layer, F2L_DIAGONAL_SLOT_RANK),
                            f2l_seq_param_f32(pass, t[F2L_DIAGONAL_STEP_WEIGHT]), pass->rows,
                            c->step_rank, c->channels);
    const float *gradient[] = {drank, dx->write, dx->read};
    const size_t width[] = {c->step_rank, c->states, c->states},
                 row[] = {0, c->step_rank, c->step_rank + c->states};
    for (size_t i = 0; i < 3; i++)
        f2l_linear_backward_f32(
            dx->u, true, f2l_seq_dparam_f32(pass, t[F2L_DIAGONAL_SELECT]) + row[i] * c->channels,
            NULL, gradient[i], x->u,
            f2l_seq_param_f32(pass, t[F2L_DIAGONAL_SELECT]) + row[i] * c->channels, pass->rows,
            c->channels, width[i]);
}

/* Sets the streams of u and z, the two halves of in_proj. */
static void set_diagonal_streams(f2l_seq_stream *channel, f2l_seq_stream *gate,
                                 const f2l_seq *model, size_t layer)
{
    const f2l_seq_config *c = &model->config;
    *channel = (f2l_seq_stream){.weight = model->layer[layer].mixer[F2L_DIAGONAL_IN],
                                .convolution = model->layer[layer].mixer[F2L_DIAGONAL_TAPS],
                                .bias = model->layer[layer].mixer[F2L_DIAGONAL_TAPS_BIAS],
                                .width = c->channels,
                                .silu = true,
                                .first = F2L_DIAGONAL_SLOT_U,
                                .past = c->channels * c->states};
    *gate = (f2l_seq_stream){.weight = channel->weight,
                             .row = c->channels,
                             .convolution = F2L_SEQ_NONE,
                             .bias = F2L_SEQ_NONE,
                             .width = c->channels,
                             .first = F2L_DIAGONAL_SLOT_Z};
}

static f2l_status forward_diagonal(float *out, const f2l_seq_pass_f32 *pass, size_t layer)
{
    const f2l_seq_config *c = &pass->model->config;
    const size_t *t = pass->model->layer[layer].mixer;
    const f2l_scan_shape shape = {pass->batch, pass->tokens, c->channels * c->states};
    f2l_seq_stream channel, gate;
    const arrays x = arrays_at(pass, layer);
    float *gated = f2l_seq_at_f32(pass, layer, F2L_DIAGONAL_SLOT_Y_GATED);
    set_diagonal_streams(&channel, &gate, pass->model, layer);
    const float *u = f2l_seq_stream_forward_f32(pass, layer, &channel),
                *z = f2l_seq_stream_forward_f32(pass, layer, &gate);
    selection_forward(pass, layer, u);
    expand_decays(&x, f2l_seq_param_f32(pass, t[F2L_DIAGONAL_STATE_LOG]), pass);
    f2l_scan_forward_f32(x.state, f2l_seq_kept_f32(pass, layer, 0), x.decay, x.state, NULL, &shape);
    read_out(&x, f2l_seq_param_f32(pass, t[F2L_DIAGONAL_SKIP]), pass);
    f2l_swiglu_forward_f32(gated, z, x.y, pass->rows * c->channels);
    f2l_linear_forward_f32(out, gated, f2l_seq_param_f32(pass, t[F2L_DIAGONAL_OUT]), NULL,
                           pass->rows, c->channels, c->width);
    return F2L_OK;
}

static f2l_status backward_diagonal(const float *dout, const f2l_seq_pass_f32 *pass, size_t layer)
{
    const f2l_seq_config *c = &pass->model->config;
    const size_t *t = pass->model->layer[layer].mixer;
    const f2l_scan_shape shape = {pass->batch, pass->tokens, c->channels * c->states};
    f2l_seq_stream channel, gate;
    const arrays x = arrays_at(pass, layer), dx = gradients_at(pass);
    float *dgated = f2l_seq_dat_f32(pass, F2L_DIAGONAL_SLOT_Y_GATED);
    set_diagonal_streams(&channel, &gate, pass->model, layer);
    f2l_linear_backward_f32(dgated, false, f2l_seq_dparam_f32(pass, t[F2L_DIAGONAL_OUT]), NULL,
                            dout, f2l_seq_at_f32(pass, layer, F2L_DIAGONAL_SLOT_Y_GATED),
                            f2l_seq_param_f32(pass, t[F2L_DIAGONAL_OUT]), pass->rows, c->channels,
                            c->width);
    f2l_swiglu_backward_f32(f2l_seq_dat_f32(pass, F2L_DIAGONAL_SLOT_Z), dx.y, dgated,
                            f2l_seq_at_f32(pass, layer, F2L_DIAGONAL_SLOT_Z), x.y,
                            pass->rows * c->channels);
    read_out_backward(&dx, f2l_seq_dparam_f32(pass, t[F2L_DIAGONAL_SKIP]), &x,
                      f2l_seq_param_f32(pass, t[F2L_DIAGONAL_SKIP]), pass);
    const f2l_status status = f2l_scan_backward_f32(dx.decay, dx.state, NULL, dx.state, x.state,
                                                    x.decay, NULL, &shape, pass->err);
    if (status != F2L_OK) return status;
    expand_backward(&dx, f2l_seq_dparam_f32(pass, t[F2L_DIAGONAL_STATE_LOG]), &x,
                    f2l_seq_param_f32(pass, t[F2L_DIAGONAL_STATE_LOG]), pass);
    selection_backward(pass, layer, &dx, &x);
    f2l_seq_stream_backward_f32(pass, layer, &channel, false);
    f2l_seq_stream_backward_f32(pass, layer, &gate, true);
    return F2L_OK;
}

const f2l_mixer_pass_f32 f2l_seq_diagonal_pass_f32 = {forward_diagonal, backward_diagonal};
