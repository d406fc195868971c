/* The selective scan in double, a channel of a sequence at a time. */
#include "kernels/base/kernels_fail.h"
#include "kernels/base/kernels_number.h"
#include "kernels/scan.h"
#include "numeric/base/mem.h"
#include <math.h>
#include <stdbool.h>

#define MOST_STATES 64

typedef struct scan {
    const fsa2lrnn_selective_scan *p;
    const fsa2lrnn_selective_scan_in *in;
    int wide; /* type of the parameters */
    /* The channel's parameters, with rate = exp(state_log). */
    double rate[MOST_STATES], bias, skip;
} scan;

/* What a token gives a channel. */
typedef struct scan_token {
    double u, dt, slope, gate, write[MOST_STATES], read[MOST_STATES]; /* slope: d dt / d step */
} scan_token;

static double number_at(const void *from, int64_t at, int type)
{
    double x;
    f2l_kernels_load(&x, from, at, 1, type);
    return x;
}

static void read_channel(scan *s, int64_t c)
{
    s->bias = number_at(s->in->bias, c, s->wide);
    s->skip = number_at(s->in->skip, c, s->wide);
    f2l_kernels_load(s->rate, s->in->state_log, c * s->p->states, s->p->states, s->wide);
    for (int64_t n = 0; n < s->p->states; n++) s->rate[n] = exp(s->rate[n]);
}

static void read_scan_token(scan_token *x, const scan *s, int64_t row, int64_t c)
{
    const fsa2lrnn_selective_scan *p = s->p;
    const double z = number_at(s->in->step, row * p->channels + c, p->type) + s->bias;
    x->u = number_at(s->in->u, row * p->channels + c, p->type);
    x->gate = number_at(s->in->gate, row * p->gate_row + c, p->type);
    x->dt = (z > 0 ? z : 0) + log1p(exp(-fabs(z)));
    x->slope = 1 / (1 + exp(-z));
    f2l_kernels_load(x->write, s->in->write, row * p->row, p->states, p->type);
    f2l_kernels_load(x->read, s->in->read, row * p->row, p->states, p->type);
}

static double decay_of(const scan *s, const scan_token *x, int64_t n)
{
    const double low = (double)s->p->low;
    return low + (1 - low) * exp(-x->dt * s->rate[n]);
}

/* Steps h and returns sum of C h + skip u. */
static double step_scan(double *h, const scan *s, const scan_token *x)
{
    double y = s->skip * x->u;
    for (int64_t n = 0; n < s->p->states; n++) {
        h[n] = decay_of(s, x, n) * h[n] + x->dt * x->write[n] * x->u;
        y += x->read[n] * h[n];
    }
    return y;
}

static scan scan_of(const fsa2lrnn_selective_scan_in *in, const fsa2lrnn_selective_scan *p)
{
    return (scan){.p = p,
                  .in = in,
                  .wide = p->type == FSA2LRNN_KERNELS_F64 ? FSA2LRNN_KERNELS_F64
                                                          : FSA2LRNN_KERNELS_F32};
}

int f2l_kernels_host_scan_forward(void *out, const fsa2lrnn_selective_scan_in *in,
                                  const fsa2lrnn_selective_scan *p, fsa2lrnn_kernels_error *err)
{
    scan s = scan_of(in, p);
    scan_token x;
    (void)err;
    for (int64_t i = 0; i < p->batch * p->channels; i++) {
        const int64_t b = i / p->channels, c = i % p->channels;
        double h[MOST_STATES] = {0};
        read_channel(&s, c);
        for (int64_t row = b * p->tokens; row < (b + 1) * p->tokens; row++) {
            read_scan_token(&x, &s, row, c);
            const double y = step_scan(h, &s, &x) * x.gate / (1 + exp(-x.gate));
            f2l_kernels_store(out, row * p->channels + c, &y, 1, p->type);
        }
    }
    return FSA2LRNN_KERNELS_OK;
}

/* Sums of one sequence: h before each token of a channel and after the last one, dB and dC. */
typedef struct scan_sums {
    double *h, *dwrite, *dread; /* [tokens + 1][states], [tokens][states] */
    double dh[MOST_STATES], dstate_log[MOST_STATES], dbias, dskip;
} scan_sums;

/* Goes back through token t of a channel: writes du, dstep, dgate, adds the rest. */
static void scan_token_back(scan_sums *w, const scan *s, const fsa2lrnn_selective_scan_grad *grad,
                            int64_t row, int64_t t, int64_t c)
{
    const fsa2lrnn_selective_scan *p = s->p;
    const int64_t N = p->states;
    scan_token x;
    read_scan_token(&x, s, row, c);
    const double *h = w->h + t * N, *next = h + N, sigmoid = 1 / (1 + exp(-x.gate)),
                 silu = x.gate * sigmoid,
                 dout = number_at(grad->dout, row * p->channels + c, p->type), dy = dout * silu;
    double y = s->skip * x.u, du = dy * s->skip, ddt = 0;
    for (int64_t n = 0; n < N; n++) y += x.read[n] * next[n];
    for (int64_t n = 0; n < N; n++) {
        const double a = decay_of(s, &x, n), dh = w->dh[n] + dy * x.read[n],
                     slope = dh * h[n] * ((double)p->low - a); /* by dt rate */
        w->dread[t * N + n] += dy * next[n];
        w->dwrite[t * N + n] += dh * x.dt * x.u;
        w->dstate_log[n] += slope * x.dt * s->rate[n];
        ddt += slope * s->rate[n] + dh * x.write[n] * x.u;
        du += dh * x.dt * x.write[n];
        w->dh[n] = dh * a;
    }
    const double dstep = ddt * x.slope, dgate = dout * y * sigmoid * (1 + x.gate * (1 - sigmoid));
    w->dskip += dy * x.u, w->dbias += dstep;
    f2l_kernels_store(grad->du, row * p->channels + c, &du, 1, p->type);
    f2l_kernels_store(grad->dstep, row * p->channels + c, &dstep, 1, p->type);
    f2l_kernels_store(grad->dgate, row * p->gate_row + c, &dgate, 1, p->type);
}

static void add_at(void *to, int64_t at, const double *x, int64_t count, int type)
{
    for (int64_t i = 0; i < count; i++) {
        const double sum = number_at(to, at + i, type) + x[i];
        f2l_kernels_store(to, at + i, &sum, 1, type);
    }
}

static void channel_back(scan_sums *w, scan *s, const fsa2lrnn_selective_scan_grad *grad, int64_t b,
                         int64_t c)
{
    const fsa2lrnn_selective_scan *p = s->p;
    const int64_t N = p->states, first = b * p->tokens;
    scan_token x;
    read_channel(s, c);
    for (int64_t n = 0; n < N; n++) w->h[n] = w->dh[n] = w->dstate_log[n] = 0;
    w->dbias = w->dskip = 0;
    for (int64_t t = 0; t < p->tokens; t++) {
        double *h = w->h + t * N;
        for (int64_t n = 0; n < N; n++) h[N + n] = h[n];
        read_scan_token(&x, s, first + t, c);
        step_scan(h + N, s, &x);
    }
    for (int64_t t = p->tokens - 1; t >= 0; t--) scan_token_back(w, s, grad, first + t, t, c);
    add_at(grad->dbias, c, &w->dbias, 1, s->wide);
    add_at(grad->dskip, c, &w->dskip, 1, s->wide);
    add_at(grad->dstate_log, c * N, w->dstate_log, N, s->wide);
}

int f2l_kernels_host_scan_backward(const fsa2lrnn_selective_scan_grad *grad,
                                   const fsa2lrnn_selective_scan_in *in,
                                   const fsa2lrnn_selective_scan *p, fsa2lrnn_kernels_error *err)
{
    scan s = scan_of(in, p);
    scan_sums w = {.h = NULL};
    const size_t count = (size_t)(p->tokens * p->states);
    w.h = f2l_calloc(count + (size_t)p->states, sizeof *w.h);
    w.dwrite = f2l_calloc(count, sizeof *w.dwrite);
    w.dread = f2l_calloc(count, sizeof *w.dread);
    const bool ready = w.h && w.dwrite && w.dread;
    for (int64_t b = 0; ready && b < p->batch; b++) {
        for (size_t i = 0; i < count; i++) w.dwrite[i] = w.dread[i] = 0;
        for (int64_t c = 0; c < p->channels; c++) channel_back(&w, &s, grad, b, c);
        for (int64_t t = 0; t < p->tokens; t++) {
            const int64_t at = (b * p->tokens + t) * p->row;
            f2l_kernels_store(grad->dwrite, at, w.dwrite + t * p->states, p->states, p->type);
            f2l_kernels_store(grad->dread, at, w.dread + t * p->states, p->states, p->type);
        }
    }
    f2l_free(w.h), f2l_free(w.dwrite), f2l_free(w.dread);
    return ready ? FSA2LRNN_KERNELS_OK
                 : f2l_kernels_fail(err, FSA2LRNN_KERNELS_ENOMEM, "out of memory");
}
