/* Closure in a number format: a network of floats is a finite machine, so the same search proves it right at
 * all lengths, or refutes it, in exactly this format and this schedule of operations (theory.md R5). */
#include "f2l_closure.h"
#include "f2l_closure_impl.h"
#include "f2l_mem.h"
#include "f2l_pack_impl.h"
#include <stdio.h>
#include <string.h>

#define DEFAULT_ROWS 1000000

typedef struct numbers_context {
    const f2l_numbers_machine *machine;
    f2l_pack pack;
    double *loaded, *joint; /* [numbers] each, in one allocation */
    bool outside;           /* a number did not fit the format */
} numbers_context;

static void numbers_load(void *context, const unsigned char *joint)
{
    numbers_context *c = context;
    f2l_pack_read(&c->pack, c->loaded, joint, c->machine->numbers);
}

static f2l_status store(numbers_context *c, unsigned char *joint, f2l_error *err)
{
    if (f2l_pack_write(&c->pack, joint, c->joint, c->machine->numbers)) return F2L_OK;
    c->outside = true;
    return f2l_fail(err, F2L_EDOMAIN, "the schedule keeps numbers outside the format");
}

static f2l_status numbers_step(void *context, size_t letter, unsigned char *joint, uint32_t *label,
                               f2l_error *err)
{
    numbers_context *c = context;
    memcpy(c->joint, c->loaded, c->machine->numbers * sizeof *c->joint);
    f2l_status status = c->machine->step(c->machine->run, c->joint, letter, label, err);
    if (status != F2L_OK || *label == F2L_NO_SYMBOL) return status;
    return store(c, joint, err);
}

static f2l_status close_packed(f2l_closure *out, numbers_context *context, const f2l_face *face,
                               const f2l_fsa *fsa, size_t max_rows, const f2l_task *task, const char *phase,
                               f2l_error *err)
{
    size_t width;
    if (!f2l_mul_size(&width, context->machine->numbers, context->pack.width)) return f2l_fail_memory(err);
    const f2l_machine machine = {width, context, numbers_load, numbers_step};
    f2l_search search;
    f2l_status status = f2l_search_init(&search, face, fsa, &machine, max_rows ? max_rows : DEFAULT_ROWS,
                                        false, task, phase, err);
    if (status != F2L_OK) return status;
    unsigned char *start = f2l_calloc(width, 1);
    status = start ? F2L_OK : f2l_fail_memory(err);
    if (status == F2L_OK) {
        context->machine->start(context->machine->run, context->joint);
        status = store(context, start, err);
    }
    if (status == F2L_OK) status = f2l_search_run(&search, out, start, err);
    f2l_free(start);
    f2l_search_clear(&search);
    return status;
}

static f2l_status close_in(f2l_closure *out, numbers_context *context, const f2l_face *face,
                           const f2l_fsa *fsa, const f2l_format *format, size_t max_rows,
                           const f2l_task *task, f2l_error *err)
{
    char phase[64];
    snprintf(phase, sizeof phase, "closing in %.40s", format->name);
    f2l_pack_init(&context->pack, format);
    f2l_status status = close_packed(out, context, face, fsa, max_rows, task, phase, err);
    if (!context->outside) return status;
    /* A schedule may hold the state in more precision than its products: then doubles hold it. */
    f2l_pack_init_double(&context->pack);
    f2l_closure_clear(out);
    return close_packed(out, context, face, fsa, max_rows, task, phase, err);
}

f2l_status f2l_numbers_close(f2l_closure *out, const f2l_numbers_machine *machine, const f2l_face *face,
                             const f2l_fsa *fsa, const f2l_format *format, size_t max_rows,
                             const f2l_task *task, f2l_error *err)
{
    numbers_context context = {.machine = machine};
    context.loaded = f2l_calloc(machine->numbers, 2 * sizeof *context.loaded);
    context.joint = context.loaded ? context.loaded + machine->numbers : NULL;
    f2l_status status = context.loaded ? close_in(out, &context, face, fsa, format, max_rows, task, err)
                                       : f2l_fail_memory(err);
    f2l_free(context.loaded);
    if (status != F2L_OK) f2l_closure_clear(out);
    out->letters = face->letters->count;
    out->states = fsa->states.count;
    return status;
}

static void layers_start(const void *run, double *joint)
{
    f2l_float_start(run, joint);
}

static f2l_status layers_step(void *run, double *joint, size_t letter, uint32_t *label, f2l_error *err)
{
    return f2l_float_step(run, joint, letter, label, err);
}

f2l_status f2l_closure_float(f2l_closure *out, const f2l_net *net, const f2l_fsa *fsa,
                             const f2l_format *format, const f2l_schedule *schedule, size_t max_rows,
                             const f2l_task *task, f2l_error *err)
{
    const f2l_face face = f2l_face_of_net(net);
    f2l_float_net *rounded;
    f2l_closure_clear(out);
    f2l_status status = f2l_float_net_new(&rounded, net, format, schedule, err);
    if (status != F2L_OK) return status;
    const f2l_numbers_machine machine = {rounded, f2l_float_size(rounded), layers_start, layers_step};
    status = f2l_numbers_close(out, &machine, &face, fsa, format, max_rows, task, err);
    out->layers = net->layers;
    f2l_float_net_free(rounded);
    return status;
}
