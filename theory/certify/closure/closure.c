/* Exact closure. A joint state is one code index per layer and per readout of a stage, so the table
 * is finite and its size is a count. */
#include "theory/certify/closure/closure.h"
#include "models/network/exact/run_exact.h"
#include "models/network/net/wired.h"
#include "numeric/base/mem.h"
#include "theory/certify/closure/closure_machine.h"
#include <stdio.h>
#include <string.h>

#define DEFAULT_ROWS 50000000

void f2l_closure_init(f2l_closure *c)
{
    *c = (f2l_closure){.verdict = F2L_UNKNOWN};
}

void f2l_closure_clear(f2l_closure *c)
{
    f2l_free(c->word);
    f2l_free(c->choices);
    f2l_free(c->joint);
    f2l_free(c->state);
    f2l_free(c->next);
    f2l_free(c->numbers);
    f2l_closure_init(c);
}

void f2l_closure_explain(f2l_closure *joint, const char *reason)
{
    char text[sizeof joint->reason];
    if (joint->verdict != F2L_UNKNOWN || !reason[0]) return;
    snprintf(text, sizeof text, "%.120s; %.120s", reason, joint->reason);
    memcpy(joint->reason, text, sizeof text);
}

typedef struct codes_context {
    const f2l_codes_machine *machine;
    uint32_t *loaded, *joint; /* [codes] each, in one allocation */
} codes_context;

static void take_codes(const f2l_codes_machine *machine, uint32_t *joint,
                       const unsigned char *bytes)
{
    const size_t width = machine->width;
    for (size_t i = 0; i < machine->codes; i++)
        joint[i] = (uint32_t)f2l_pairs_take(bytes + i * width, width);
}

static void put_joint_codes(const f2l_codes_machine *machine, unsigned char *bytes,
                            const uint32_t *joint)
{
    const size_t width = machine->width;
    for (size_t i = 0; i < machine->codes; i++) f2l_pairs_put(bytes + i * width, width, joint[i]);
}

static void codes_load(void *context, const unsigned char *joint)
{
    codes_context *c = context;
    take_codes(c->machine, c->loaded, joint);
}

static uint64_t codes_work(const void *context)
{
    const codes_context *c = context;
    return c->machine->work(c->machine->run);
}

static f2l_status codes_step(void *context, size_t letter, unsigned char *joint, uint32_t *label,
                             f2l_error *err)
{
    codes_context *c = context;
    size_t index;
    memcpy(c->joint, c->loaded, c->machine->codes * sizeof *c->joint);
    f2l_status status = c->machine->step(c->machine->run, c->joint, letter, &index, err);
    *label = F2L_NO_SYMBOL;
    if (status == F2L_EDOMAIN) return F2L_OK;
    if (status != F2L_OK) return status;
    *label = (uint32_t)index;
    put_joint_codes(c->machine, joint, c->joint);
    return F2L_OK;
}

/* Moves the table to `out` as plain arrays. */
static f2l_status keep_table(f2l_closure *out, f2l_search *search, const f2l_codes_machine *machine,
                             f2l_error *err)
{
    const size_t rows = search->pairs.count, codes = machine->codes;
    size_t entries, bytes;
    if (!f2l_mul_size(&entries, rows, codes) ||
        !f2l_mul_size(&bytes, rows, (codes + 1) * sizeof *out->joint))
        return f2l_fail_memory(err);
    f2l_status status = f2l_task_spend(search->task, search->phase, bytes, err);
    bytes += f2l_pairs_bytes(&search->pairs) + search->pairs.other_bytes;
    if (status == F2L_OK) status = f2l_task_memory(search->task, search->phase, bytes, err);
    if (status != F2L_OK) return status;
    out->joint = f2l_calloc(entries, sizeof *out->joint);
    out->state = f2l_calloc(rows, sizeof *out->state);
    if (!out->joint || !out->state) return f2l_fail_memory(err);
    for (size_t r = 0; r < rows; r++) {
        take_codes(machine, out->joint + r * codes, f2l_pairs_get(&search->pairs, r));
        out->state[r] = (uint32_t)f2l_search_state(search, r);
    }
    out->next = search->next;
    search->next = NULL;
    return F2L_OK;
}

static f2l_status close_codes(f2l_closure *out, codes_context *context, const f2l_face *face,
                              const f2l_fsa *fsa, size_t max_rows, const f2l_task *task,
                              f2l_error *err)
{
    const f2l_codes_machine *by = context->machine;
    void *const contexts[] = {context};
    const f2l_machine machine = {.width = by->codes * by->width,
                                 .jobs = 1,
                                 .context = contexts,
                                 .load = codes_load,
                                 .step = codes_step,
                                 .steps = by->steps,
                                 .work = by->work ? codes_work : NULL};
    f2l_search search;
    f2l_error why = {0};
    f2l_status status =
        f2l_search_init(&search, face, fsa, &machine, max_rows ? max_rows : DEFAULT_ROWS, true,
                        task, "closing exactly", err);
    if (status != F2L_OK) return status;
    search.total = by->total;
    unsigned char *start = f2l_calloc(by->codes, by->width);
    status = start ? by->start(by->run, context->joint, &why) : f2l_fail_memory(&why);
    if (status == F2L_OK) {
        put_joint_codes(by, start, context->joint);
        status = f2l_search_run(&search, out, start, &why);
    } else if (status == F2L_EDOMAIN) {
        /* No word is wrong because of this, but rows are codes, so this table cannot prove
         * anything. */
        status = f2l_search_unknown(out, 0, &why);
        out->uncoded = true;
    }
    if (status == F2L_OK && out->verdict == F2L_OK) {
        status = keep_table(out, &search, by, &why);
        if (status == F2L_UNKNOWN) status = f2l_search_unknown(out, search.pairs.count, &why);
    }
    if (status != F2L_OK && err) *err = why;
    f2l_free(start);
    f2l_search_clear(&search);
    return status;
}

f2l_status f2l_codes_close(f2l_closure *out, const f2l_codes_machine *machine, const f2l_face *face,
                           const f2l_fsa *fsa, size_t max_rows, const f2l_task *task,
                           f2l_error *err)
{
    codes_context context = {.machine = machine};
    context.loaded = f2l_calloc(machine->codes, 2 * sizeof *context.loaded);
    context.joint = context.loaded ? context.loaded + machine->codes : NULL;
    f2l_status status = context.loaded ? close_codes(out, &context, face, fsa, max_rows, task, err)
                                       : f2l_fail_memory(err);
    f2l_free(context.loaded);
    if (status != F2L_OK) f2l_closure_clear(out);
    out->layers = machine->codes;
    out->letters = face->letters->count;
    out->states = fsa->states.count;
    return status;
}

typedef struct exact_run {
    f2l_exact *exact;
    size_t codes;
    size_t *joint; /* [codes] */
} exact_run;

static f2l_status start_exactly(void *context, uint32_t *joint, f2l_error *err)
{
    exact_run *run = context;
    f2l_status status = f2l_exact_start(run->exact, run->joint, err);
    for (size_t l = 0; status == F2L_OK && l < run->codes; l++) joint[l] = (uint32_t)run->joint[l];
    return status;
}

static f2l_status step_exactly(void *context, uint32_t *joint, size_t letter, size_t *label,
                               f2l_error *err)
{
    exact_run *run = context;
    for (size_t l = 0; l < run->codes; l++) run->joint[l] = joint[l];
    f2l_status status = f2l_exact_step(run->exact, run->joint, letter, label, NULL, err);
    for (size_t l = 0; l < run->codes; l++) joint[l] = (uint32_t)run->joint[l];
    return status;
}

/* Returns the number of rows in advance, if known. For one layer with a code for every state: a
 * code is right for only one state, and every state is reached. */
static size_t rows_in_advance(const f2l_net *net, const f2l_fsa *fsa)
{
    const bool by_state = net->layers == 1 && net->label == F2L_LABEL_STATES &&
                          net->layer[0].codes == fsa->states.count;
    return by_state ? fsa->states.count : 0;
}

/* Returns the number of bytes that hold any code: 4 in layers, and in stages as many as the
 * readouts need. */
static size_t width_of_codes(const f2l_net *net)
{
    size_t most = net->layers > 0 ? UINT32_MAX : 1;
    for (size_t b = 0; b < net->blocks; b++)
        for (size_t r = 0; r < net->block[b].readouts; r++)
            if (net->block[b].readout[r].codes > most) most = net->block[b].readout[r].codes;
    return f2l_pairs_width_of(most - 1);
}

static uint64_t exact_work(const void *context)
{
    const exact_run *run = context;
    return f2l_exact_work(run->exact);
}

f2l_status f2l_closure_exact(f2l_closure *out, const f2l_net *net, const f2l_fsa *fsa,
                             size_t max_rows, const f2l_task *task, f2l_error *err)
{
    const f2l_face face = f2l_face_of_net(net);
    exact_run run = {.codes = f2l_net_joint(net)};
    f2l_closure_clear(out);
    f2l_error why = {0};
    f2l_status status = f2l_exact_new_within(&run.exact, net, task, &why);
    if (status == F2L_UNKNOWN) return f2l_search_unknown(out, 0, &why);
    if (status != F2L_OK) {
        if (err) *err = why;
        return status;
    }
    run.joint = f2l_calloc(run.codes, sizeof *run.joint);
    const f2l_codes_machine machine = {.run = &run,
                                       .codes = run.codes,
                                       .width = width_of_codes(net),
                                       .start = start_exactly,
                                       .step = step_exactly,
                                       .total = rows_in_advance(net, fsa),
                                       .steps = 2 * (net->layers + f2l_wired_letter_steps(net)),
                                       .work = exact_work};
    status = run.joint ? f2l_codes_close(out, &machine, &face, fsa, max_rows, task, err)
                       : f2l_fail_memory(err);
    f2l_free(run.joint);
    f2l_exact_free(run.exact);
    return status;
}
