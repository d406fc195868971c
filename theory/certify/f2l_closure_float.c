/* Closure in a number format: a network of floats is a finite machine, so the same search proves it right at
 * all lengths, or refutes it, in exactly this format and this schedule of operations (theory.md R5). */
#include "f2l_closure.h"
#include "f2l_mem.h"
#include "f2l_pack_impl.h"
#include "f2l_search_impl.h"
#include <stdio.h>
#include <string.h>

#define DEFAULT_ROWS 1000000

typedef struct float_context {
    f2l_float_net *net;
    f2l_pack pack;
    size_t numbers;         /* of a joint state */
    double *loaded, *joint; /* [numbers] each, in one allocation */
    bool outside;           /* a number did not fit the format */
} float_context;

static void float_load(void *context, const unsigned char *joint)
{
    float_context *c = context;
    f2l_pack_read(&c->pack, c->loaded, joint, c->numbers);
}

static f2l_status store(float_context *c, unsigned char *joint, f2l_error *err)
{
    if (f2l_pack_write(&c->pack, joint, c->joint, c->numbers)) return F2L_OK;
    c->outside = true;
    return f2l_fail(err, F2L_EDOMAIN, "the schedule keeps numbers outside the format");
}

static f2l_status float_step(void *context, size_t letter, unsigned char *joint, uint32_t *label,
                             f2l_error *err)
{
    float_context *c = context;
    memcpy(c->joint, c->loaded, c->numbers * sizeof *c->joint);
    f2l_status status = f2l_float_step(c->net, c->joint, letter, label, err);
    if (status != F2L_OK || *label == F2L_NO_SYMBOL) return status;
    return store(c, joint, err);
}

static f2l_status close_packed(f2l_closure *out, float_context *context, const f2l_net *net,
                               const f2l_fsa *fsa, size_t max_rows, const f2l_task *task, const char *phase,
                               f2l_error *err)
{
    size_t width;
    if (!f2l_mul_size(&width, context->numbers, context->pack.width)) return f2l_fail_memory(err);
    const f2l_machine machine = {width, context, float_load, float_step};
    f2l_search search;
    f2l_status status = f2l_search_init(&search, net, fsa, &machine, max_rows ? max_rows : DEFAULT_ROWS,
                                        false, task, phase, err);
    if (status != F2L_OK) return status;
    unsigned char *start = f2l_calloc(width, 1);
    status = start ? F2L_OK : f2l_fail_memory(err);
    if (status == F2L_OK) {
        f2l_float_start(context->net, context->joint);
        status = store(context, start, err);
    }
    if (status == F2L_OK) status = f2l_search_run(&search, out, start, err);
    f2l_free(start);
    f2l_search_clear(&search);
    return status;
}

static f2l_status close_in(f2l_closure *out, float_context *context, const f2l_net *net, const f2l_fsa *fsa,
                           const f2l_format *format, size_t max_rows, const f2l_task *task, f2l_error *err)
{
    char phase[64];
    snprintf(phase, sizeof phase, "closing in %.40s", format->name);
    f2l_pack_init(&context->pack, format);
    f2l_status status = close_packed(out, context, net, fsa, max_rows, task, phase, err);
    if (!context->outside) return status;
    /* A schedule may hold the state in more precision than its products: then doubles hold it. */
    f2l_pack_init_double(&context->pack);
    f2l_closure_clear(out);
    return close_packed(out, context, net, fsa, max_rows, task, phase, err);
}

f2l_status f2l_closure_float(f2l_closure *out, const f2l_net *net, const f2l_fsa *fsa,
                             const f2l_format *format, const f2l_schedule *schedule, size_t max_rows,
                             const f2l_task *task, f2l_error *err)
{
    f2l_closure_clear(out);
    float_context context = {0};
    f2l_status status = f2l_float_net_new(&context.net, net, format, schedule, err);
    if (status != F2L_OK) return status;
    context.numbers = f2l_float_size(context.net);
    context.loaded = f2l_calloc(context.numbers, 2 * sizeof *context.loaded);
    context.joint = context.loaded ? context.loaded + context.numbers : NULL;
    status = context.loaded ? close_in(out, &context, net, fsa, format, max_rows, task, err)
                            : f2l_fail_memory(err);
    f2l_free(context.loaded);
    f2l_float_net_free(context.net);
    if (status != F2L_OK) f2l_closure_clear(out);
    out->layers = net->layers;
    out->letters = net->letters.count;
    out->states = fsa->states.count;
    return status;
}
