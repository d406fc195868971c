/* Local closure in a number format: local states are the raw numbers of a layer's state, read as
 * the nearest codes. */
#include "numeric/base/mem.h"
#include "theory/certify/closure/pack.h"
#include "theory/certify/local/impl.h"
#include <stdio.h>

#define DEFAULT_PAIRS 1000000

typedef struct float_context {
    f2l_float_net *net;
    const f2l_format *format;
    f2l_pack pack;
    double *start; /* all layers */
    const f2l_schedule *schedule;
    double *state, *unstored; /* of a layer; allocated with `start` */
    bool outside;             /* a number did not fit the format */
} float_context;

static f2l_status float_enter(void *context, size_t layer, size_t *width,
                              const f2l_same_letters **same, f2l_error *err)
{
    float_context *c = context;
    /* Stochastic rounding takes a different neighbour each time. */
    *same =
        f2l_schedule_draws(c->schedule, c->format) ? NULL : f2l_float_same_letters(c->net, layer);
    return f2l_mul_size(width, f2l_float_layer_size(c->net, layer), c->pack.width)
               ? F2L_OK
               : f2l_fail_memory(err);
}

/* Sets the code of `read`, and writes the bytes of `state` if it has one. */
static f2l_status store_float_state(float_context *c, size_t layer, const double *state,
                                    const double *read, unsigned char *bytes, size_t *code,
                                    f2l_error *err)
{
    *code = f2l_float_code(c->net, layer, read);
    if (*code == F2L_NO_INDEX ||
        f2l_pack_write(&c->pack, bytes, state, f2l_float_layer_size(c->net, layer)))
        return F2L_OK;
    c->outside = true;
    return f2l_fail(err, F2L_EDOMAIN, "the schedule keeps numbers outside the format");
}

static f2l_status float_start(void *context, size_t layer, unsigned char *state, size_t *code,
                              f2l_error *err)
{
    float_context *c = context;
    size_t at = 0;
    for (size_t l = 0; l < layer; l++) at += f2l_float_layer_size(c->net, l);
    return store_float_state(c, layer, c->start + at, c->start + at, state, code, err);
}

static f2l_status float_step(void *context, size_t layer, size_t letter, const unsigned char *from,
                             unsigned char *state, size_t *code, f2l_error *err)
{
    float_context *c = context;
    f2l_pack_read(&c->pack, c->state, from, f2l_float_layer_size(c->net, layer));
    const double *read = f2l_float_step_layer(c->net, layer, letter, c->state, c->unstored);
    return store_float_state(c, layer, c->state, read, state, code, err);
}

static f2l_status allocate_float_states(float_context *c, f2l_error *err)
{
    const size_t size = f2l_float_size(c->net);
    c->start = f2l_calloc(size, 3 * sizeof *c->start);
    if (!c->start) return f2l_fail_memory(err);
    c->state = c->start + size;
    c->unstored = c->state + size;
    f2l_float_start(c->net, c->start);
    return F2L_OK;
}

f2l_status f2l_local_float(f2l_local *out, const f2l_net *net, const f2l_cascade *cascade,
                           const size_t *layers, f2l_local_reading reading, const f2l_fsa *fsa,
                           const f2l_format *format, const f2l_schedule *schedule, size_t max_pairs,
                           const f2l_task *task, f2l_error *err)
{
    float_context context = {.format = format, .schedule = schedule};
    const f2l_local_machine machine = {&context, float_enter, float_start, float_step};
    const size_t limit = max_pairs ? max_pairs : DEFAULT_PAIRS;
    char phase[64];
    snprintf(phase, sizeof phase, "checking the cascade in %.30s", format->name);
    f2l_local_clear(out);
    if (!f2l_schedule_steps(schedule))
        return f2l_fail(err, F2L_EDOMAIN, "%s does not go letter by letter", schedule->name);
    f2l_error why = {0};
    f2l_status status = f2l_float_net_new_within(&context.net, net, format, schedule, task, &why);
    if (status != F2L_OK) return f2l_local_conclude(out, status, &why, err);
    f2l_pack_init(&context.pack, format);
    status = allocate_float_states(&context, err);
    if (status == F2L_OK)
        status = f2l_local_run(out, &machine, net, cascade, layers, reading, fsa, false, limit,
                               task, phase, err);
    if (context.outside) {
        /* A schedule may hold the state in more precision than its products; doubles then hold
         * it. */
        f2l_pack_init_double(&context.pack);
        status = f2l_local_run(out, &machine, net, cascade, layers, reading, fsa, false, limit,
                               task, phase, err);
    }
    f2l_free(context.start);
    f2l_float_net_free(context.net);
    return status;
}
