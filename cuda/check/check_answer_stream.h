/* Checks of the selective recurrence with its state carried on: against doubles, and in pieces
 * against one run. */
#ifndef CHECK_ANSWER_STREAM_H
#define CHECK_ANSWER_STREAM_H

#include "cuda/check/check_train_arrays.h"
#include "cuda/op/cuda_stream.h"

static f2l_error why;
#define RUN(call) demand((call), &why)
#define LENGTH(a) (sizeof(a) / sizeof *(a))

static const f2l_cuda_type types[2] = {F2L_CUDA_F32, F2L_CUDA_BF16};

typedef struct stream_case {
    f2l_cuda_select_shape shape;
    array u, step, projection, select, bias, state_log, skip, before; /* before: the state before
                                                                         the first token */
} stream_case;

static inline stream_case stream_case_of(f2l_cuda_type type, const size_t shape[4], float low)
{
    const size_t batch = shape[0], tokens = shape[1], channels = shape[2], states = shape[3],
                 rows = batch * tokens;
    stream_case c = {.shape = {.batch = batch,
                               .tokens = tokens,
                               .channels = channels,
                               .states = states,
                               .stride = 2 * states + 3,
                               .gate_stride = 2 * channels + 1,
                               .low = low,
                               .type = type}};
    c.u = drawn(rows * channels, type, 1, 0);
    c.step = drawn(rows * channels, type, 3, 1);
    c.projection = drawn(rows * c.shape.gate_stride, type, 2, 0);
    c.select = drawn(rows * c.shape.stride, type, 1, 0);
    c.bias = drawn(channels, F2L_CUDA_F32, 1, 0);
    c.state_log = drawn(channels * states, F2L_CUDA_F32, 2, 0);
    c.skip = drawn(channels, F2L_CUDA_F32, 1, 0);
    c.before = drawn(batch * channels * states, F2L_CUDA_F32, 1, 0);
    return c;
}

static inline void stream_case_clear(stream_case *c)
{
    array *const all[] = {&c->u,    &c->step,      &c->projection, &c->select,
                          &c->bias, &c->state_log, &c->skip,       &c->before};
    for (size_t i = 0; i < LENGTH(all); i++) array_clear(all[i]);
}

/* Returns the inputs from token `first` on, for one sequence. */
static inline f2l_cuda_select_in stream_in(const stream_case *c, size_t first)
{
    const f2l_cuda_select_shape *s = &c->shape;
    const size_t size = f2l_cuda_bytes(s->type);
    return (f2l_cuda_select_in){
        .u = c->u.on.data + first * s->channels * size,
        .step = c->step.on.data + first * s->channels * size,
        .gate = c->projection.on.data + (first * s->gate_stride + s->channels) * size,
        .write = c->select.on.data + (first * s->stride + 1) * size,
        .read = c->select.on.data + (first * s->stride + 1 + s->states) * size,
        .bias = (const float *)(void *)c->bias.on.data,
        .state_log = (const float *)(void *)c->state_log.on.data,
        .skip = (const float *)(void *)c->skip.on.data};
}

static inline double one_channel(double *h, const stream_case *c, size_t row, size_t channel)
{
    const f2l_cuda_select_shape *s = &c->shape;
    const double *write = c->select.host + row * s->stride + 1, *read = write + s->states,
                 u = c->u.host[row * s->channels + channel],
                 gate = c->projection.host[row * s->gate_stride + s->channels + channel],
                 pre = c->step.host[row * s->channels + channel] + c->bias.host[channel],
                 dt = fmax(pre, 0) + log1p(exp(-fabs(pre)));
    double y = c->skip.host[channel] * u;
    for (size_t n = 0; n < s->states; n++) {
        const double rate = exp(c->state_log.host[channel * s->states + n]);
        h[n] = ((double)s->low + (1 - (double)s->low) * exp(-dt * rate)) * h[n] + dt * u * write[n];
        y += read[n] * h[n];
    }
    return y * gate / (1 + exp(-gate));
}

/* Computes out, and steps state, which holds the first state at the call, to the last. */
static inline void stream_reference(double *out, double *state, const stream_case *c)
{
    const f2l_cuda_select_shape *s = &c->shape;
    for (size_t b = 0; b < s->batch; b++)
        for (size_t t = 0; t < s->tokens; t++)
            for (size_t d = 0; d < s->channels; d++)
                out[((b * s->tokens + t) * s->channels + d)] =
                    one_channel(state + (b * s->channels + d) * s->states, c, b * s->tokens + t, d);
}

static inline void check_stream(f2l_cuda_type type, const size_t shape[4], float low, tally t[3])
{
    stream_case c = stream_case_of(type, shape, low);
    const size_t rows = shape[0] * shape[1], channels = shape[2], size = f2l_cuda_bytes(type);
    array out = poisoned(rows * channels, type, 1), again = poisoned(rows * channels, type, 0),
          state = array_new(c.before.count, F2L_CUDA_F32),
          carried = array_new(c.before.count, F2L_CUDA_F32);
    double *want = doubles(out.count), *after = doubles(state.count);
    memcpy(state.host, c.before.host, state.count * sizeof *state.host);
    memcpy(carried.host, c.before.host, state.count * sizeof *state.host);
    memcpy(after, c.before.host, state.count * sizeof *after);
    upload(&state, 0), upload(&carried, 1);
    const f2l_cuda_select_in in = stream_in(&c, 0);
    RUN(f2l_cuda_select_stream(out.on.data, (float *)(void *)state.on.data, &in, &c.shape,
                               run_stream, &why));
    stream_reference(want, after, &c);
    count_error(&t[0], type, error_at(&out, want), type == F2L_CUDA_F32 ? 1e-5 : tolerance(type));
    count_error(&t[1], type, error_at(&state, after), type == F2L_CUDA_F32 ? 1e-5 : 1e-4);
    for (size_t at = 0, count = 1; shape[0] == 1 && at < rows; at += count, count = count % 7 + 1) {
        f2l_cuda_select_shape piece = c.shape;
        piece.tokens = count = count < rows - at ? count : rows - at;
        const f2l_cuda_select_in part = stream_in(&c, at);
        RUN(f2l_cuda_select_stream(again.on.data + at * channels * size,
                                   (float *)(void *)carried.on.data, &part, &piece, run_stream,
                                   &why));
    }
    if (shape[0] == 1) {
        double *whole = download(&out), *states = download(&state);
        count_error(&t[2], type, error_at(&again, whole), 0);
        count_error(&t[2], type, error_at(&carried, states), 0);
        free(whole), free(states);
    }
    array_clear(&out), array_clear(&again), array_clear(&state), array_clear(&carried);
    free(want), free(after);
    stream_case_clear(&c);
}

static inline void stream_operator(void)
{
    static const size_t shape[][4] = {{1, 1, 1, 1},      {1, 100, 45, 5}, {3, 17, 96, 16},
                                      {1, 333, 33, 4},   {2, 64, 129, 8}, {70, 5, 256, 16},
                                      {1, 50, 7, 64},    {4, 9, 20, 33},  {1, 200, 3, 17},
                                      {1, 1000, 64, 16}, {2, 3, 1000, 2}};
    tally t[3] = {
        {.name = "selective, carried on"}, {.name = "its state"}, {.name = "the same in pieces"}};
    for (size_t i = 0; i < LENGTH(shape); i++)
        for (size_t k = 0; k < 4; k++) check_stream(types[k % 2], shape[i], k < 2 ? 0 : -1, t);
    for (int i = 0; i < 3; i++) tell(&t[i]);
}

#endif
