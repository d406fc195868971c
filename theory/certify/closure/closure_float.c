/* Closure in a number format: a network of floats is a finite machine, so the same search proves it
 * right at all lengths, or refutes it, in exactly this format and this schedule of operations
 * (theory/pages/closure.md, C4). */
#include "models/network/wired/network_text.h"
#include "numeric/base/mem.h"
#include "numeric/base/sha256.h"
#include "numeric/format/choices.h"
#include "theory/certify/closure/closure.h"
#include "theory/certify/closure/closure_machine.h"
#include "theory/certify/closure/pack.h"
#include <stdio.h>
#include <string.h>

#define DEFAULT_ROWS 1000000
#define MOST_OUTCOMES 65536
#define MOST_JOBS 64

/* The context of one thread. */
typedef struct numbers_context {
    const f2l_numbers_machine *machine;
    const f2l_pack *pack;
    double *loaded, *joint; /* [numbers] each, in one allocation */
    bool outside;           /* a number did not fit the format */
    f2l_choices *choices;   /* stochastic rounding only */
    size_t outcomes;        /* outcomes of this letter so far */
} numbers_context;

static void numbers_load(void *context, const unsigned char *joint)
{
    numbers_context *c = context;
    f2l_pack_read(c->pack, c->loaded, joint, c->machine->numbers);
}

static f2l_status store_numbers(numbers_context *c, unsigned char *joint, f2l_error *err)
{
    if (f2l_pack_write(c->pack, joint, c->joint, c->machine->numbers)) return F2L_OK;
    c->outside = true;
    return f2l_fail(err, F2L_EDOMAIN, "the schedule keeps numbers outside the format");
}

static f2l_status numbers_step(void *context, size_t letter, unsigned char *joint, uint32_t *label,
                               f2l_error *err)
{
    numbers_context *c = context;
    memcpy(c->joint, c->loaded, c->machine->numbers * sizeof *c->joint);
    f2l_status status = c->machine->step(c->machine->run, c->joint, letter, label, err);
    if (status == F2L_OK && c->choices && c->choices->overflow)
        return f2l_fail(err, F2L_UNKNOWN, "a step rounds stochastically more than %d times",
                        F2L_MAX_CHOICES_TAKEN);
    if (status != F2L_OK || *label == F2L_NO_SYMBOL) return status;
    return store_numbers(c, joint, err);
}

static void numbers_restart(void *context)
{
    numbers_context *c = context;
    f2l_choices_restart(c->choices);
    c->outcomes = 0;
}

static f2l_status numbers_more(void *context, bool *more, f2l_error *err)
{
    numbers_context *c = context;
    *more = f2l_choices_next(c->choices);
    if (*more && ++c->outcomes >= MOST_OUTCOMES)
        return f2l_fail(err, F2L_UNKNOWN, "a step has more than %d outcomes", MOST_OUTCOMES);
    return F2L_OK;
}

static void numbers_taken(const void *context, f2l_buf *out)
{
    const f2l_choices *choices = ((const numbers_context *)context)->choices;
    for (size_t i = 0; i < choices->at; i++) f2l_buf_text(out, choices->bit[i] ? "1" : "0");
    if (choices->at == 0) f2l_buf_text(out, "-");
}

/* --- the table for a certificate --- */

static f2l_status keep_float_table(f2l_closure *out, f2l_search *search,
                                   const numbers_context *context, f2l_error *err)
{
    const size_t rows = search->pairs.count, size = context->machine->numbers;
    size_t entries, bytes, states;
    if (!f2l_mul_size(&entries, rows, size) ||
        !f2l_mul_size(&bytes, entries, sizeof *out->numbers) ||
        !f2l_mul_size(&states, rows, sizeof *out->state) || !f2l_add_size(&bytes, bytes, states))
        return f2l_fail_memory(err);
    f2l_status status = f2l_task_spend(search->task, search->phase, bytes, err);
    bytes += f2l_pairs_bytes(&search->pairs) + search->pairs.other_bytes;
    if (status == F2L_OK) status = f2l_task_memory(search->task, search->phase, bytes, err);
    if (status != F2L_OK) return status;
    out->numbers = f2l_calloc(entries, sizeof *out->numbers);
    out->state = f2l_calloc(rows, sizeof *out->state);
    if (!out->numbers || !out->state) return f2l_fail_memory(err);
    for (size_t r = 0; r < rows; r++) {
        f2l_pack_read(context->pack, out->numbers + r * size, f2l_pairs_get(&search->pairs, r),
                      size);
        out->state[r] = (uint32_t)f2l_search_state(search, r);
    }
    out->size = size;
    out->next = search->next;
    search->next = NULL;
    return F2L_OK;
}

static f2l_status finish_float_closure(f2l_closure *out, f2l_search *search,
                                       const numbers_context *context, f2l_error *err)
{
    f2l_error why = {0};
    f2l_status status = keep_float_table(out, search, context, &why);
    if (status == F2L_UNKNOWN) return f2l_search_give_up(search, out, &why);
    if (status != F2L_OK && err) *err = why;
    return status;
}

/* --- closing --- */

typedef struct closing {
    const f2l_numbers_machine *machine;
    const f2l_numbers_options *options;
    const f2l_face *face;
    const f2l_fsa *fsa;
    const f2l_task *task;
    char phase[64];
    f2l_pack pack;
    size_t jobs;
    numbers_context *context; /* [jobs] */
    void **contexts;          /* [jobs], their addresses */
} closing;

static f2l_status search_packed(f2l_closure *out, const closing *c, f2l_search *search,
                                size_t width, f2l_error *err)
{
    unsigned char *start = f2l_calloc(width, 1);
    if (!start) return f2l_fail_memory(err);
    c->machine->start(c->machine->run, c->context->joint);
    f2l_status status = store_numbers(c->context, start, err);
    if (status == F2L_OK) status = f2l_search_run(search, out, start, err);
    f2l_free(start);
    if (status == F2L_OK && out->verdict == F2L_OK && c->options->keep)
        status = finish_float_closure(out, search, c->context, err);
    if (status == F2L_OK && out->verdict != F2L_UNKNOWN && search->saving)
        f2l_search_forget(search);
    return status;
}

static f2l_status close_packed(f2l_closure *out, const closing *c, f2l_error *err)
{
    const f2l_numbers_options *options = c->options;
    const bool relation = c->context->choices != NULL;
    size_t width;
    if (!f2l_mul_size(&width, c->machine->numbers, c->pack.width)) return f2l_fail_memory(err);
    const f2l_machine machine = {.width = width,
                                 .jobs = c->jobs,
                                 .context = c->contexts,
                                 .load = numbers_load,
                                 .step = numbers_step,
                                 .restart = relation ? numbers_restart : NULL,
                                 .more = relation ? numbers_more : NULL,
                                 .taken = relation ? numbers_taken : NULL,
                                 .steps = c->machine->steps};
    f2l_search search;
    f2l_status status = f2l_search_init(&search, c->face, c->fsa, &machine,
                                        options->max_rows ? options->max_rows : DEFAULT_ROWS,
                                        options->keep && !relation, c->task, c->phase, err);
    if (status != F2L_OK) return status;
    search.saving = options->saving;
    status = search_packed(out, c, &search, width, err);
    f2l_search_clear(&search);
    return status;
}

static f2l_status close_in(f2l_closure *out, closing *c, const f2l_format *format, f2l_error *err)
{
    f2l_pack_init(&c->pack, format);
    f2l_status status = close_packed(out, c, err);
    bool outside = false;
    for (size_t j = 0; j < c->jobs; j++) outside = outside || c->context[j].outside;
    /* A schedule may hold the state in more precision than its format has; doubles then hold it.
     * This is not tried where the search is saved: a file belongs to one way of packing. */
    if (status != F2L_EDOMAIN || !outside || c->options->saving) return status;
    f2l_pack_init_double(&c->pack);
    f2l_closure_clear(out);
    return close_packed(out, c, err);
}

static bool allocate_contexts(closing *c)
{
    c->context = f2l_calloc(c->jobs, sizeof *c->context);
    c->contexts = f2l_calloc(c->jobs, sizeof *c->contexts);
    for (size_t j = 0; c->context && c->contexts && j < c->jobs; j++) {
        numbers_context *context = &c->context[j];
        *context = (numbers_context){.machine = c->machine, .pack = &c->pack};
        context->choices = c->options->choices;
        context->loaded = f2l_calloc(c->machine->numbers, 2 * sizeof *context->loaded);
        if (!context->loaded) return false;
        context->joint = context->loaded + c->machine->numbers;
        c->contexts[j] = context;
    }
    return c->context && c->contexts;
}

f2l_status f2l_numbers_close_with(f2l_closure *out, const f2l_numbers_machine *machine,
                                  const f2l_face *face, const f2l_fsa *fsa,
                                  const f2l_format *format, const f2l_numbers_options *options,
                                  const f2l_task *task, f2l_error *err)
{
    closing c = {.machine = machine, .options = options, .face = face, .fsa = fsa, .task = task};
    snprintf(c.phase, sizeof c.phase, "closing in %.40s", format->name);
    c.jobs = options->jobs == 0 || options->choices ? 1 : options->jobs;
    if (c.jobs > MOST_JOBS) c.jobs = MOST_JOBS;
    f2l_status status = allocate_contexts(&c)
                            ? close_in(out, &c, options->state ? options->state : format, err)
                            : f2l_fail_memory(err);
    for (size_t j = 0; c.context && j < c.jobs; j++) f2l_free(c.context[j].loaded);
    f2l_free(c.context);
    f2l_free(c.contexts);
    if (status != F2L_OK) f2l_closure_clear(out);
    out->letters = face->letters->count;
    out->states = fsa->states.count;
    return status;
}

/* --- networks --- */

static void start_in_format(const void *run, double *joint)
{
    f2l_float_start(run, joint);
}

static f2l_status step_in_format(void *run, double *joint, size_t letter, uint32_t *label,
                                 f2l_error *err)
{
    return f2l_float_step(run, joint, letter, label, err);
}

static f2l_status close_network(f2l_closure *out, const f2l_net *net, const f2l_fsa *fsa,
                                const f2l_format *format, const f2l_schedule *schedule,
                                const f2l_numbers_options *options, const f2l_task *task,
                                f2l_error *err)
{
    const f2l_face face = f2l_face_of_net(net);
    f2l_float_net *rounded;
    f2l_error why = {0};
    f2l_status status = f2l_float_net_new_within(&rounded, net, format, schedule, task, &why);
    if (status == F2L_UNKNOWN) return f2l_search_unknown(out, 0, &why);
    if (status != F2L_OK) {
        if (err) *err = why;
        return status;
    }
    const f2l_numbers_machine machine = {rounded, f2l_float_size(rounded), start_in_format,
                                         step_in_format,
                                         f2l_net_letter_steps(net) + f2l_wired_letter_steps(net)};
    f2l_numbers_options numbers = *options;
    numbers.state = f2l_schedule_kept_format(schedule, format);
    if (f2l_schedule_draws(schedule, format)) numbers.choices = format->choices;
    status = f2l_numbers_close_with(out, &machine, &face, fsa, format, &numbers, task, err);
    out->layers = f2l_net_joint(net);
    f2l_float_net_free(rounded);
    return status;
}

/* Steps all outcomes of stochastic rounding one after the other, with choices that belong to this
 * closure. */
static f2l_status close_rounding(f2l_closure *out, const f2l_net *net, const f2l_fsa *fsa,
                                 const f2l_format *format, const f2l_schedule *schedule,
                                 const f2l_numbers_options *options, const f2l_task *task,
                                 f2l_error *err)
{
    if (!f2l_schedule_draws(schedule, format))
        return close_network(out, net, fsa, format, schedule, options, task, err);
    f2l_format chosen = *format;
    chosen.choices = f2l_calloc(1, sizeof *chosen.choices);
    if (!chosen.choices) return f2l_fail_memory(err);
    f2l_choices_restart(chosen.choices);
    f2l_status status = close_network(out, net, fsa, &chosen, schedule, options, task, err);
    f2l_free(chosen.choices);
    return status;
}

/* --- saving --- */

/* The version of saved files; to be raised whenever the same network may step differently. */
#define SAVED_VERSION 1

static f2l_status identify(f2l_saving *saving, const f2l_net *net, const f2l_fsa *fsa,
                           const f2l_format *format, const f2l_schedule *schedule, bool keep,
                           f2l_error *err)
{
    f2l_buf text;
    f2l_buf_init(&text);
    f2l_buf_printf(&text, "closure %d keep %d\n", SAVED_VERSION, keep);
    f2l_buf_printf(&text, "format %d %d %d %a %d %d %d\n", format->precision, format->emin,
                   format->emax, format->largest, format->subnormals, (int)format->overflow,
                   (int)format->rounding);
    char steps[F2L_SCHEDULE_NAME];
    f2l_schedule_write(steps, schedule);
    f2l_buf_printf(&text, "schedule %s\n", steps);
    f2l_status status = f2l_fsa_write(&text, fsa, err);
    if (status == F2L_OK) status = f2l_network_write(&text, net, err);
    if (status == F2L_OK) status = f2l_buf_status(&text, err);
    if (status == F2L_OK) f2l_sha256_hex(text.data, text.size, saving->identity);
    f2l_buf_clear(&text);
    return status;
}

f2l_status f2l_closure_float_saving(f2l_closure *out, const f2l_net *net, const f2l_fsa *fsa,
                                    const f2l_format *format, const f2l_schedule *schedule,
                                    const f2l_closure_float_options *options, size_t rows,
                                    double seconds, const f2l_task *task, f2l_error *err)
{
    f2l_saving saving = {.path = options->checkpoint, .rows = rows, .seconds = seconds};
    const f2l_numbers_options numbers = {.max_rows = options->max_rows,
                                         .jobs = options->jobs,
                                         .keep = options->keep,
                                         .saving = options->checkpoint ? &saving : NULL};
    f2l_closure_clear(out);
    f2l_status status = f2l_schedule_check(schedule, format, err);
    if (status == F2L_OK && !f2l_schedule_steps(schedule))
        status = f2l_fail(err, F2L_EDOMAIN, "the schedule %s does not step letter by letter",
                          schedule->name);
    if (status == F2L_OK && numbers.saving)
        status = identify(&saving, net, fsa, format, schedule, options->keep, err);
    if (status != F2L_OK) return status;
    return close_rounding(out, net, fsa, format, schedule, &numbers, task, err);
}

f2l_status f2l_closure_float_with(f2l_closure *out, const f2l_net *net, const f2l_fsa *fsa,
                                  const f2l_format *format, const f2l_schedule *schedule,
                                  const f2l_closure_float_options *options, const f2l_task *task,
                                  f2l_error *err)
{
    return f2l_closure_float_saving(out, net, fsa, format, schedule, options, F2L_SAVED_ROWS,
                                    F2L_SAVED_SECONDS, task, err);
}

f2l_status f2l_closure_float(f2l_closure *out, const f2l_net *net, const f2l_fsa *fsa,
                             const f2l_format *format, const f2l_schedule *schedule,
                             size_t max_rows, const f2l_task *task, f2l_error *err)
{
    const f2l_closure_float_options options = {.max_rows = max_rows, .jobs = 1};
    return f2l_closure_float_with(out, net, fsa, format, schedule, &options, task, err);
}
