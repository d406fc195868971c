/* Local closure in a number format: the raw numbers of one level's state, with the nearest codes as their
 * reading. */
#include "f2l_local_impl.h"
#include "f2l_mem.h"
#include "f2l_pack_impl.h"
#include <stdio.h>
#include <string.h>

#define DEFAULT_PAIRS 1000000

typedef struct float_context {
    f2l_float_net *net;
    f2l_pack pack;
    size_t first, count;    /* the present level's layers */
    size_t numbers;         /* of a local state there */
    double *start;          /* all layers */
    double *loaded, *state; /* of the present level; in one allocation with `start` */
    size_t *at;             /* [layers] where a layer's numbers begin among those of its level */
    bool outside;           /* a number did not fit the format */
} float_context;

static f2l_status float_enter(void *context, size_t first, size_t count, size_t *width, f2l_error *err)
{
    float_context *c = context;
    c->first = first;
    c->count = count;
    c->numbers = 0;
    for (size_t i = 0; i < count; i++) {
        c->at[first + i] = c->numbers;
        c->numbers += f2l_float_layer_size(c->net, first + i);
    }
    return f2l_mul_size(width, c->numbers, c->pack.width) ? F2L_OK : f2l_fail_memory(err);
}

static f2l_status store(float_context *c, unsigned char *bytes, const double *state, size_t numbers,
                        f2l_error *err)
{
    if (f2l_pack_write(&c->pack, bytes, state, numbers)) return F2L_OK;
    c->outside = true;
    return f2l_fail(err, F2L_EDOMAIN, "the schedule keeps numbers outside the format");
}

static f2l_status float_start(void *context, unsigned char *state, f2l_error *err)
{
    float_context *c = context;
    size_t at = 0;
    for (size_t l = 0; l < c->first; l++) at += f2l_float_layer_size(c->net, l);
    return store(c, state, c->start + at, c->numbers, err);
}

static void float_load(void *context, const unsigned char *state, size_t *code)
{
    float_context *c = context;
    f2l_pack_read(&c->pack, c->loaded, state, c->numbers);
    for (size_t i = 0; i < c->count; i++)
        code[i] = f2l_float_code(c->net, c->first + i, c->loaded + c->at[c->first + i]);
}

static f2l_status float_step(void *context, size_t i, size_t letter, unsigned char *state, size_t *code,
                             f2l_error *err)
{
    float_context *c = context;
    const size_t l = c->first + i, at = c->at[l], numbers = f2l_float_layer_size(c->net, l);
    memcpy(c->state, c->loaded + at, numbers * sizeof *c->state);
    f2l_float_step_layer(c->net, l, letter, c->state);
    *code = f2l_float_code(c->net, l, c->state);
    return *code == F2L_NO_INDEX ? F2L_OK : store(c, state + at * c->pack.width, c->state, numbers, err);
}

static f2l_status allocate(float_context *c, const f2l_net *net, f2l_error *err)
{
    const size_t size = f2l_float_size(c->net);
    c->start = f2l_calloc(3 * size, sizeof *c->start);
    c->at = f2l_calloc(net->layers, sizeof *c->at);
    if (!c->start || !c->at) return f2l_fail_memory(err);
    c->loaded = c->start + size;
    c->state = c->loaded + size;
    f2l_float_start(c->net, c->start);
    return F2L_OK;
}

f2l_status f2l_local_float(f2l_local *out, const f2l_net *net, const f2l_cascade *cascade,
                           const size_t *layers, const f2l_fsa *fsa, const f2l_format *format,
                           const f2l_schedule *schedule, size_t max_pairs, const f2l_task *task,
                           f2l_error *err)
{
    return f2l_local_float_reading(out, net, cascade, layers, (f2l_local_reading){0}, fsa, format, schedule,
                                   max_pairs, task, err);
}

f2l_status f2l_local_float_reading(f2l_local *out, const f2l_net *net, const f2l_cascade *cascade,
                                   const size_t *layers, f2l_local_reading reading, const f2l_fsa *fsa,
                                   const f2l_format *format, const f2l_schedule *schedule, size_t max_pairs,
                                   const f2l_task *task, f2l_error *err)
{
    float_context context = {0};
    const f2l_local_machine machine = {&context, float_enter, float_start, float_load, float_step};
    const size_t limit = max_pairs ? max_pairs : DEFAULT_PAIRS;
    char phase[64];
    snprintf(phase, sizeof phase, "checking the cascade in %.30s", format->name);
    f2l_local_clear(out);
    if (!schedule->step_head)
        return f2l_fail(err, F2L_EDOMAIN, "%s does not go letter by letter", schedule->name);
    f2l_error why = {0};
    f2l_status status = f2l_float_net_new_within(&context.net, net, format, schedule, task, &why);
    if (status == F2L_UNKNOWN) {
        snprintf(out->reason, sizeof out->reason, "%.255s", why.text);
        return F2L_OK;
    }
    if (status != F2L_OK) {
        if (err) *err = why;
        return status;
    }
    f2l_pack_init(&context.pack, format);
    status = allocate(&context, net, err);
    if (status == F2L_OK)
        status =
            f2l_local_run(out, &machine, net, cascade, layers, reading, fsa, false, limit, task, phase, err);
    if (context.outside) {
        /* A schedule may hold the state in more precision than its products: then doubles hold it. */
        f2l_pack_init_double(&context.pack);
        status =
            f2l_local_run(out, &machine, net, cascade, layers, reading, fsa, false, limit, task, phase, err);
    }
    f2l_free(context.start);
    f2l_free(context.at);
    f2l_float_net_free(context.net);
    return status;
}
