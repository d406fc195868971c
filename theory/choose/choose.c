#include "theory/choose/impl.h"
#include <stdio.h>
#include <string.h>

/* The most states for which networks with fewer factors are sought: for more, rows take their time
 * before they count it. */
#define MOST_STATES 512
#define MOST_PERMUTED 128 /* of them where every letter permutes */
#define MOST_FLATTENED 64 /* for networks with fewer layers */

static void init_sought(f2l_sought *chosen)
{
    *chosen = (f2l_sought){.found = false};
    f2l_compile_result_init(&chosen->compiled);
}

void f2l_choose_init(f2l_choose *choose)
{
    *choose = (f2l_choose){.holders = 0};
    f2l_classify_init(&choose->classify);
    f2l_layers_init(&choose->layers);
    init_sought(&choose->best);
    init_sought(&choose->flatter);
    init_sought(&choose->other[0]);
    init_sought(&choose->other[1]);
}

void f2l_choose_clear(f2l_choose *choose)
{
    for (size_t i = 0; i < choose->holders; i++) f2l_exported_clear(&choose->holder[i].files);
    f2l_compile_result_clear(&choose->other[1].compiled);
    f2l_compile_result_clear(&choose->other[0].compiled);
    f2l_compile_result_clear(&choose->flatter.compiled);
    f2l_compile_result_clear(&choose->best.compiled);
    f2l_layers_clear(&choose->layers);
    f2l_classify_clear(&choose->classify);
    f2l_choose_init(choose);
}

size_t f2l_choose_bytes(const f2l_format *format)
{
    static const struct {
        const char *name;
        size_t bytes;
    } row[] = {{"bf16", 2}, {"fp16", 2}, {"fp32", 4}, {"fp64", 8}};
    for (size_t i = 0; i < sizeof row / sizeof *row; i++)
        if (strcmp(row[i].name, format->name) == 0) return row[i].bytes;
    return 0;
}

/* --- the searches --- */

static const char *name_of_end(f2l_compile_end end)
{
    static const char *const name[] = {[F2L_COMPILE_COMPLETE] = NULL,
                                       [F2L_COMPILE_EFFORT] = "effort",
                                       [F2L_COMPILE_TIME] = "time limit",
                                       [F2L_COMPILE_MEMORY] = "memory limit",
                                       [F2L_COMPILE_INTERRUPTED] = "interrupted"};
    return name[end];
}

/* Keeps what the search found, if that is a network of finitely many states that is VERIFIED. */
static void take_network(f2l_sought *out)
{
    const f2l_compile_result *c = &out->compiled;
    out->ended = name_of_end(c->search.end);
    if (c->exact.verdict != F2L_OK)
        snprintf(out->reason, sizeof out->reason, "no network is VERIFIED: %.200s",
                 c->exact.reason);
    else if (f2l_net_has_boxes(&c->net))
        snprintf(out->reason, sizeof out->reason,
                 "only a network of infinitely many states was found");
    else
        out->found = true;
    for (size_t i = 0; out->found && i < c->entries; i++)
        if (c->entry[i].best) out->entry = c->entry[i];
    if (out->found) f2l_compile_record(&out->entry, c);
}

/* Seeks the network that the main job writes, within bounds, and without rows that the lower bounds
 * exclude. */
static f2l_status seek_network(f2l_sought *out, const f2l_layers *known, const f2l_fsa *fsa,
                               f2l_label label, f2l_compile_bounds bounds, uint64_t effort,
                               const f2l_task *task, f2l_error *err)
{
    const f2l_compile_options options = {
        .label = label,
        .schedule = &f2l_schedules[0],
        .merge_letters = true,
        .no_slow = bounds.layers == 0, /* what is slow may have fewer layers */
        .effort = effort,
        .bounds = bounds,
        .least_layers = known->least,
        .margin_layers = known->margin,
        .format = {f2l_format_find("bf16"), f2l_format_find("fp16"), f2l_format_find("fp32"),
                   f2l_format_find("fp64")}};
    f2l_error why = {0};
    const f2l_status status = f2l_compile(&out->compiled, fsa, &options, task, &why);
    if (status == F2L_OK) {
        take_network(out);
        return F2L_OK;
    }
    snprintf(out->reason, sizeof out->reason, "%.255s", why.text);
    if (status == F2L_UNKNOWN) out->ended = "effort";
    if (status == F2L_UNKNOWN && f2l_task_stop(task) != F2L_STOP_NONE)
        out->ended = f2l_stop_name(f2l_task_stop(task));
    if (status == F2L_EDOMAIN || status == F2L_UNKNOWN) return F2L_OK;
    if (err) *err = why;
    return status;
}

/* Seeks a network with fewer layers, which the main job passes over where it rounds more. */
static f2l_status seek_flatter(f2l_choose *out, const f2l_fsa *fsa, f2l_label label,
                               uint64_t effort, const f2l_task *task, f2l_error *err)
{
    const size_t layers = out->best.entry.figures.layers;
    if (layers <= 1 || layers <= out->layers.least || !out->open[0] ||
        fsa->states.count > MOST_FLATTENED)
        return F2L_OK;
    f2l_task aside = f2l_choose_aside(task);
    const f2l_status status =
        seek_network(&out->flatter, &out->layers, fsa, label,
                     (f2l_compile_bounds){.layers = layers - 1}, effort / 4, &aside, err);
    if (status == F2L_OK && out->flatter.found)
        f2l_compile_say_open(out->open, sizeof out->open, &out->flatter.compiled,
                             out->flatter.entry.figures.layers, out->layers.least);
    return status;
}

static f2l_status seek_networks(f2l_choose *out, const f2l_fsa *fsa, f2l_label label,
                                uint64_t effort, const f2l_task *task, f2l_error *err)
{
    f2l_status status = seek_network(&out->best, &out->layers, fsa, label,
                                     (f2l_compile_bounds){.layers = 0}, effort, task, err);
    const size_t n = out->best.entry.figures.householders;
    if (status != F2L_OK || !out->best.found) return status;
    f2l_compile_say_open(out->open, sizeof out->open, &out->best.compiled,
                         out->best.entry.figures.layers, out->layers.least);
    status = seek_flatter(out, fsa, label, effort, task, err);
    if (status != F2L_OK) return status;
    out->fewer = n > 1 ? &out->other[0] : NULL;
    out->one = out->fewer;
    if (n <= 1 || fsa->states.count > (out->classify.permutation ? MOST_PERMUTED : MOST_STATES))
        return status;
    f2l_task aside = f2l_choose_aside(task);
    status = seek_network(&out->other[0], &out->layers, fsa, label,
                          (f2l_compile_bounds){.householders = n - 1}, effort / 4, &aside, err);
    if (status != F2L_OK || n <= 2 || out->other[0].entry.figures.householders == 1) return status;
    out->one = &out->other[1];
    aside = f2l_choose_aside(task);
    return seek_network(&out->other[1], &out->layers, fsa, label,
                        (f2l_compile_bounds){.householders = 1}, effort / 4, &aside, err);
}

/* --- what is known of the automaton --- */

/* Makes every answer unknown, where a limit ended even the quotient by the labels. */
static f2l_status leave_unclassified(f2l_classify *out)
{
    static const f2l_ladder_row row = {.id = "",
                                       .name = "",
                                       .models = "",
                                       .verdict = F2L_LADDER_UNKNOWN,
                                       .statement = "",
                                       .scope = "",
                                       .remark = "",
                                       .construction = ""};
    out->aperiodic = out->two_groups = out->solvable = F2L_TERNARY_UNKNOWN;
    for (size_t i = 0; i < F2L_LADDER_CLASSES; i++) out->row[i] = row;
    return F2L_OK;
}

static f2l_status survey_automaton(f2l_choose *out, const f2l_fsa *fsa, f2l_label label,
                                   uint64_t steps, const f2l_task *task, f2l_error *err)
{
    const f2l_classify_options options = {.label = label};
    const f2l_layers_limits limits = f2l_layers_limits_of(steps);
    f2l_effort effort = {.limit = steps / 2};
    f2l_task limited = *task;
    limited.effort = &effort;
    f2l_status status = f2l_classify_build(&out->classify, fsa, &options, &limited, err);
    if (status == F2L_UNKNOWN) status = leave_unclassified(&out->classify);
    return status == F2L_OK ? f2l_layers_find(&out->layers, fsa, label, &limits, task, err)
                            : status;
}

static void choose_state_format(f2l_choose *out)
{
    const f2l_compile_entry *e = &out->best.entry;
    for (size_t i = 0; i < e->formats && !out->format; i++)
        if (e->format[i].verdict == F2L_OK && f2l_choose_bytes(e->format[i].format) > 0)
            out->format = &e->format[i];
}

f2l_status f2l_choose_find(f2l_choose *out, const f2l_fsa *fsa, f2l_label label,
                           const f2l_task *task, f2l_error *err)
{
    const f2l_task none = {0};
    f2l_task plain = task ? *task : none;
    const uint64_t limit = task && task->effort ? task->effort->limit : 0;
    const uint64_t steps = limit ? limit : F2L_CHOOSE_EFFORT * (uint64_t)F2L_STEPS;
    plain.effort = NULL;
    f2l_status status = f2l_fsa_has_label(fsa, label, err);
    if (status == F2L_OK) status = survey_automaton(out, fsa, label, steps, &plain, err);
    if (status == F2L_OK) status = seek_networks(out, fsa, label, steps, &plain, err);
    if (status != F2L_OK) return status;
    out->reflects = out->best.found && f2l_net_reflects(&out->best.compiled.net);
    choose_state_format(out);
    f2l_choose_compare(out);
    return out->best.found ? f2l_choose_hold(out, fsa, steps / 4, &plain, err) : F2L_OK;
}
