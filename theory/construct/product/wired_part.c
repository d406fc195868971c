#include "theory/construct/product/wired_part.h"
#include "automata/fsa/fsa_build.h"
#include "numeric/base/mem.h"
#include "theory/certify/forms/product.h"
#include "theory/construct/product/wired_tables.h"
#include "theory/construct/zeiger/zeiger.h"

/* The share of the steps that are left, and the most steps, for trying a network of tables. */
#define TRIAL_SHARE 4
#define TRIAL_STEPS (100 * F2L_STEPS)

void f2l_wired_part_clear(f2l_wired_part *part)
{
    f2l_net_clear(&part->own);
    f2l_free(part->letter_of);
    *part = (f2l_wired_part){0};
}

/* Takes the network as it is, with all letters of the quotient. */
static f2l_status take_whole(f2l_wired_part *out, const f2l_compile_result *built,
                             const f2l_fsa *fsa, f2l_error *err)
{
    const size_t letters = fsa->letters.count;
    out->letter_of = f2l_calloc(letters, sizeof *out->letter_of);
    if (!out->letter_of) return f2l_fail_memory(err);
    for (size_t a = 0; a < letters; a++) out->letter_of[a] = (uint32_t)a;
    out->net = &built->net;
    out->claim = built->rule == &f2l_form_d1 ? F2L_CERT_D1 : F2L_CERT_EXACT;
    f2l_compile_measure(&out->size, built);
    return F2L_OK;
}

/* Sets the figures of Z.7. */
static void measure_rule(f2l_compile_figures *out, size_t n)
{
    *out = (f2l_compile_figures){.layers = n - 1,
                                 .heads = 1,
                                 .householders = f2l_zeiger_factors(n, 1),
                                 .key_dim = 4 * n,
                                 .value_dim = 1,
                                 .states = 4 * n * (n - 1)};
    for (size_t level = 1; level < n; level++)
        out->factors_per_token += f2l_zeiger_factors(n, level);
}

/* Builds the cascade by rule. `merged` is the quotient, with letters that act alike merged. */
static f2l_status build_rule(f2l_wired_part *out, const f2l_fsa *merged, const f2l_task *task,
                             f2l_error *err)
{
    out->net = &out->own;
    out->claim = F2L_CERT_ZEIGER;
    measure_rule(&out->size, merged->states.count);
    return f2l_zeiger_build(&out->own, merged, F2L_LABEL_STATES, task, err);
}

/* --- networks of tables --- */

/* Returns whether the part's network of tables is right by its joint states, and rounds nothing in
 * bf16. */
static f2l_status judge_part(bool *right, const f2l_net *net, const f2l_fsa *merged,
                             const f2l_task *task, f2l_error *err)
{
    const f2l_part part = {.net = *net, .fsa = *merged}; /* borrowed */
    f2l_form_verdict verdict;
    f2l_closure rows;
    f2l_closure_init(&rows);
    f2l_status status =
        f2l_part_verify(&verdict, &rows, &part, F2L_CERT_EXACT, false, f2l_format_find("bf16"),
                        f2l_schedule_find("every"), task, err);
    *right = status == F2L_OK && verdict.verdict == F2L_OK;
    f2l_closure_clear(&rows);
    return status;
}

/* Tries to take the network of tables: *taken tells whether it did. */
static f2l_status try_tables(bool *taken, f2l_wired_part *out, const f2l_compile_result *built,
                             const f2l_fsa *fsa, const f2l_fsa *merged, const f2l_task *task,
                             f2l_error *err)
{
    uint32_t *first = f2l_calloc(merged->letters.count, sizeof *first);
    if (!first) return f2l_fail_memory(err);
    for (size_t a = fsa->letters.count; a-- > 0;) first[out->letter_of[a]] = (uint32_t)a;
    f2l_status status = f2l_wired_tables_build(&out->own, &built->net, fsa, first,
                                               merged->letters.count, task, err);
    f2l_free(first);
    if (status == F2L_OK) status = judge_part(taken, &out->own, merged, task, err);
    if (status != F2L_OK || !*taken) return status;
    out->net = &out->own;
    out->claim = F2L_CERT_EXACT;
    f2l_compile_measure(&out->size, &(f2l_compile_result){.net = out->own});
    return F2L_OK;
}

/* Does the same with few of the steps. */
static f2l_status take_tables(bool *taken, f2l_wired_part *out, const f2l_compile_result *built,
                              const f2l_fsa *fsa, const f2l_fsa *merged, const f2l_task *task,
                              f2l_error *err)
{
    f2l_effort effort = {.limit = TRIAL_STEPS};
    f2l_task trial = task ? *task : (f2l_task){0};
    f2l_error why = {0};
    *taken = false;
    if (task && task->effort && task->effort->limit) {
        const uint64_t left = task->effort->limit - task->effort->spent;
        if (left / TRIAL_SHARE < effort.limit) effort.limit = left / TRIAL_SHARE + 1;
    }
    trial.effort = &effort;
    f2l_status status = try_tables(taken, out, built, fsa, merged, &trial, &why);
    if (status != F2L_OK && status != F2L_EDOMAIN && status != F2L_UNKNOWN) {
        if (err) *err = why;
        return status;
    }
    return f2l_task_spend(task, "parts", effort.spent, err);
}

f2l_status f2l_wired_part_make(f2l_wired_part *out, const f2l_compile_result *built,
                               const f2l_fsa *fsa, const f2l_task *task, f2l_error *err)
{
    f2l_fsa merged;
    size_t classes;
    bool taken = false;
    f2l_wired_part_clear(out);
    if (f2l_net_check_layers(&built->net, NULL) != F2L_OK &&
        (built->rule == &f2l_form_d1 || !built->rule) &&
        f2l_names_equal(&built->net.labels, &fsa->states))
        return take_whole(out, built, fsa, err);
    f2l_fsa_init(&merged);
    f2l_status status = f2l_fsa_letter_classes(&out->letter_of, &classes, fsa, task, err);
    if (status == F2L_OK) status = f2l_fsa_copy(&merged, fsa, err);
    if (status == F2L_OK && classes < fsa->letters.count)
        status = f2l_fsa_merge_letters(&merged, out->letter_of, classes, err);
    if (status == F2L_OK) status = take_tables(&taken, out, built, fsa, &merged, task, err);
    if (status == F2L_OK && !taken) status = build_rule(out, &merged, task, err);
    f2l_fsa_clear(&merged);
    return status;
}
