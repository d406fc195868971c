#ifndef REAL
#include "models/op/op_linear.h"
#include "models/op/op_point.h"
#include "models/op/op_scan.h"
#include "models/seq/impl.h"
#include <math.h>
#include <string.h>
#define F2L_OP_SELF "models/seq/seq_diagonal.c"
#include "models/op/op_twice.h"
#else

/* The arrays of the recurrence, or their gradients. */
typedef struct OP(arrays) {
    REAL *u, *write, *read, *step, *decay, *state, *y;
} OP(arrays);

static OP(arrays) OP(arrays_at)(const OP(f2l_seq_pass) * pass, size_t layer)
{
    return (OP(arrays)){
        OP(f2l_seq_at)(pass, layer, F2L_SLOT_U_SILU), OP(f2l_seq_at)(pass, layer, F2L_SLOT_WRITE),
        OP(f2l_seq_at)(pass, layer, F2L_SLOT_READ),   OP(f2l_seq_at)(pass, layer, F2L_SLOT_STEP),
        OP(f2l_seq_at)(pass, layer, F2L_SLOT_DECAY),  OP(f2l_seq_at)(pass, layer, F2L_SLOT_STATE),
        OP(f2l_seq_at)(pass, layer, F2L_SLOT_Y)};
}

static OP(arrays) OP(gradients_at)(const OP(f2l_seq_pass) * pass)
{
    return (OP(arrays)){
        OP(f2l_seq_dat)(pass, F2L_SLOT_U_SILU), OP(f2l_seq_dat)(pass, F2L_SLOT_WRITE),
        OP(f2l_seq_dat)(pass, F2L_SLOT_READ),   OP(f2l_seq_dat)(pass, F2L_SLOT_STEP),
        OP(f2l_seq_dat)(pass, F2L_SLOT_DECAY),  OP(f2l_seq_dat)(pass, F2L_SLOT_STATE),
        OP(f2l_seq_dat)(pass, F2L_SLOT_Y)};
}

static void OP(softplus)(REAL *y, const REAL *x, size_t count)
{
    for (size_t i = 0; i < count; i++)
        y[i] = (x[i] > 0 ? x[i] : 0) + R(log1p)(R(exp)(-R(fabs)(x[i])));
}

/* Computes decay = low + (1 - low) exp(-dt exp(A_log)) and state = dt B u: one number per channel
 * and state. */
static void OP(expand)(const OP(arrays) * x, const REAL *log_rate, const OP(f2l_seq_pass) * pass)
{
    const size_t channels = pass->model->config.channels, states = pass->model->config.states;
    const REAL low = pass->model->config.negative ? -1 : 0;
    for (size_t r = 0; r < pass->rows; r++) {
        for (size_t c = 0; c < channels; c++) {
            const REAL dt = x->step[r * channels + c], in = dt * x->u[r * channels + c];
            REAL *decay = x->decay + (r * channels + c) * states,
                 *state = x->state + (r * channels + c) * states;
            for (size_t n = 0; n < states; n++) {
                decay[n] = low + (1 - low) * R(exp)(-dt * R(exp)(log_rate[c * states + n]));
                state[n] = in * x->write[r * states + n];
            }
        }
    }
}

/* Computes backward of expand: dx->step and dx->write are written, dx->u and dlog_rate added to. */
static void OP(expand_backward)(const OP(arrays) * dx, REAL *dlog_rate, const OP(arrays) * x,
                                const REAL *log_rate, const OP(f2l_seq_pass) * pass)
{
    const size_t channels = pass->model->config.channels, states = pass->model->config.states;
    const REAL low = pass->model->config.negative ? -1 : 0;
    memset(dx->write, 0, pass->rows * states * sizeof(REAL));
    for (size_t r = 0; r < pass->rows; r++) {
        for (size_t c = 0; c < channels; c++) {
            const size_t at = r * channels + c;
            const REAL dt = x->step[at], u = x->u[at];
            const REAL *decay = x->decay + at * states;
            const REAL *ddecay = dx->decay + at * states, *dstate = dx->state + at * states;
            REAL dstep = 0, din = 0;
            for (size_t n = 0; n < states; n++) {
                /* d decay / d(dt rate) = -(1 - low) exp(-dt rate) = low - decay */
                const REAL rate = R(exp)(log_rate[c * states + n]),
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
static void OP(read_out)(const OP(arrays) * x, const REAL *skip, const OP(f2l_seq_pass) * pass)
{
    const size_t channels = pass->model->config.channels, states = pass->model->config.states;
    for (size_t r = 0; r < pass->rows; r++) {
        for (size_t c = 0; c < channels; c++) {
            const REAL *h = x->state + (r * channels + c) * states;
            REAL y = skip[c] * x->u[r * channels + c];
            for (size_t n = 0; n < states; n++) y += x->read[r * states + n] * h[n];
            x->y[r * channels + c] = y;
        }
    }
}

/* Writes dx->u, dx->read and dx->state, adds to dskip. */
static void OP(read_out_backward)(const OP(arrays) * dx, REAL *dskip, const OP(arrays) * x,
                                  const REAL *skip, const OP(f2l_seq_pass) * pass)
{
    const size_t channels = pass->model->config.channels, states = pass->model->config.states;
    memset(dx->read, 0, pass->rows * states * sizeof(REAL));
    for (size_t r = 0; r < pass->rows; r++) {
        for (size_t c = 0; c < channels; c++) {
            const size_t at = r * channels + c;
            const REAL dy = dx->y[at];
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
static f2l_status OP(selection_forward)(const OP(f2l_seq_pass) * pass, size_t layer, const REAL *u)
{
    const f2l_seq_config *c = &pass->model->config;
    const f2l_seq_layer *t = &pass->model->layer[layer];
    static const f2l_seq_slot slot[] = {F2L_SLOT_RANK, F2L_SLOT_WRITE, F2L_SLOT_READ};
    const size_t width[] = {c->step_rank, c->states, c->states},
                 row[] = {0, c->step_rank, c->step_rank + c->states};
    const REAL *weight = OP(f2l_seq_param)(pass, t->select);
    f2l_status status = F2L_OK;
    for (size_t i = 0; status == F2L_OK && i < 3; i++)
        status = OP(f2l_linear_forward)(OP(f2l_seq_at)(pass, layer, slot[i]), u,
                                        weight + row[i] * c->channels, NULL, pass->rows,
                                        c->channels, width[i], pass->err);
    REAL *in = OP(f2l_seq_at)(pass, layer, F2L_SLOT_STEP_IN);
    if (status == F2L_OK)
        status = OP(f2l_linear_forward)(in, OP(f2l_seq_at)(pass, layer, F2L_SLOT_RANK),
                                        OP(f2l_seq_param)(pass, t->step_weight),
                                        OP(f2l_seq_param)(pass, t->step_bias), pass->rows,
                                        c->step_rank, c->channels, pass->err);
    if (status == F2L_OK)
        OP(softplus)(OP(f2l_seq_at)(pass, layer, F2L_SLOT_STEP), in, pass->rows * c->channels);
    return status;
}

/* Adds backward of the selection to the gradient of u. */
static f2l_status OP(selection_backward)(const OP(f2l_seq_pass) * pass, size_t layer,
                                         const OP(arrays) * dx, const OP(arrays) * x)
{
    const f2l_seq_config *c = &pass->model->config;
    const f2l_seq_layer *t = &pass->model->layer[layer];
    REAL *din = OP(f2l_seq_dat)(pass, F2L_SLOT_STEP_IN),
         *drank = OP(f2l_seq_dat)(pass, F2L_SLOT_RANK);
    const REAL *in = OP(f2l_seq_at)(pass, layer, F2L_SLOT_STEP_IN);
    for (size_t i = 0; i < pass->rows * c->channels; i++)
        din[i] = dx->step[i] / (1 + R(exp)(-in[i]));
    f2l_status status = OP(f2l_linear_backward)(
        drank, false, OP(f2l_seq_dparam)(pass, t->step_weight),
        OP(f2l_seq_dparam)(pass, t->step_bias), din, OP(f2l_seq_at)(pass, layer, F2L_SLOT_RANK),
        OP(f2l_seq_param)(pass, t->step_weight), pass->rows, c->step_rank, c->channels, pass->err);
    const REAL *gradient[] = {drank, dx->write, dx->read};
    const size_t width[] = {c->step_rank, c->states, c->states},
                 row[] = {0, c->step_rank, c->step_rank + c->states};
    for (size_t i = 0; status == F2L_OK && i < 3; i++)
        status = OP(f2l_linear_backward)(
            dx->u, true, OP(f2l_seq_dparam)(pass, t->select) + row[i] * c->channels, NULL,
            gradient[i], x->u, OP(f2l_seq_param)(pass, t->select) + row[i] * c->channels,
            pass->rows, c->channels, width[i], pass->err);
    return status;
}

/* Returns the stream of the second half of in_proj. */
static f2l_seq_stream OP(gate_stream)(const OP(f2l_seq_pass) * pass, size_t layer)
{
    const size_t channels = pass->model->config.channels;
    return (f2l_seq_stream){.weight = pass->model->layer[layer].in,
                            .row = channels,
                            .convolution = F2L_SEQ_NONE,
                            .width = channels,
                            .first = F2L_SLOT_Z};
}

f2l_status OP(f2l_seq_diagonal_forward)(REAL *out, const OP(f2l_seq_pass) * pass, size_t layer)
{
    const f2l_seq_config *c = &pass->model->config;
    const f2l_seq_layer *t = &pass->model->layer[layer];
    const f2l_scan_shape shape = {pass->batch, pass->tokens, c->channels * c->states};
    const f2l_seq_stream channel = f2l_seq_channel_stream(pass->model, layer),
                         gate = OP(gate_stream)(pass, layer);
    const OP(arrays) x = OP(arrays_at)(pass, layer);
    REAL *u, *z, *gated = OP(f2l_seq_at)(pass, layer, F2L_SLOT_Y_GATED);
    f2l_status status = OP(f2l_seq_stream_forward)(&u, pass, layer, &channel);
    if (status == F2L_OK) status = OP(f2l_seq_stream_forward)(&z, pass, layer, &gate);
    if (status == F2L_OK) status = OP(selection_forward)(pass, layer, u);
    if (status != F2L_OK) return status;
    OP(expand)(&x, OP(f2l_seq_param)(pass, t->state_log), pass);
    OP(f2l_scan_forward)(x.state, OP(f2l_seq_kept)(pass, layer, 0), x.decay, x.state, NULL, &shape);
    OP(read_out)(&x, OP(f2l_seq_param)(pass, t->skip), pass);
    OP(f2l_swiglu_forward)(gated, z, x.y, pass->rows * c->channels);
    return OP(f2l_linear_forward)(out, gated, OP(f2l_seq_param)(pass, t->out), NULL, pass->rows,
                                  c->channels, c->width, pass->err);
}

f2l_status OP(f2l_seq_diagonal_backward)(const REAL *dout, const OP(f2l_seq_pass) * pass,
                                         size_t layer)
{
    const f2l_seq_config *c = &pass->model->config;
    const f2l_seq_layer *t = &pass->model->layer[layer];
    const f2l_scan_shape shape = {pass->batch, pass->tokens, c->channels * c->states};
    const f2l_seq_stream channel = f2l_seq_channel_stream(pass->model, layer),
                         gate = OP(gate_stream)(pass, layer);
    const OP(arrays) x = OP(arrays_at)(pass, layer), dx = OP(gradients_at)(pass);
    REAL *dgated = OP(f2l_seq_dat)(pass, F2L_SLOT_Y_GATED);
    f2l_status status = OP(f2l_linear_backward)(
        dgated, false, OP(f2l_seq_dparam)(pass, t->out), NULL, dout,
        OP(f2l_seq_at)(pass, layer, F2L_SLOT_Y_GATED), OP(f2l_seq_param)(pass, t->out), pass->rows,
        c->channels, c->width, pass->err);
    if (status != F2L_OK) return status;
    OP(f2l_swiglu_backward)
    (OP(f2l_seq_dat)(pass, F2L_SLOT_Z), dx.y, dgated, OP(f2l_seq_at)(pass, layer, F2L_SLOT_Z), x.y,
     pass->rows * c->channels);
    OP(read_out_backward)
    (&dx, OP(f2l_seq_dparam)(pass, t->skip), &x, OP(f2l_seq_param)(pass, t->skip), pass);
    status = OP(f2l_scan_backward)(dx.decay, dx.state, NULL, dx.state, x.state, x.decay, NULL,
                                   &shape, pass->err);
    if (status != F2L_OK) return status;
    OP(expand_backward)
    (&dx, OP(f2l_seq_dparam)(pass, t->state_log), &x, OP(f2l_seq_param)(pass, t->state_log), pass);
    status = OP(selection_backward)(pass, layer, &dx, &x);
    if (status == F2L_OK) status = OP(f2l_seq_stream_backward)(pass, layer, &channel, false);
    return status == F2L_OK ? OP(f2l_seq_stream_backward)(pass, layer, &gate, true) : status;
}

#endif
