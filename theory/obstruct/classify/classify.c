#include "theory/obstruct/classify/classify.h"
#include "automata/fsa/definite.h"
#include "automata/fsa/perm.h"
#include "numeric/base/mem.h"
#include "theory/obstruct/classify/impl.h"
#include <stdio.h>
#include <string.h>

#define MAX_SETS 70000
#define MAX_ORDER 720
#define DEFINITE_WORK 20000000

void f2l_classify_init(f2l_classify *c)
{
    memset(c, 0, sizeof *c);
    f2l_fsa_init(&c->own);
}

void f2l_classify_clear(f2l_classify *c)
{
    for (size_t i = 0; i < c->groups; i++) {
        f2l_free(c->group[i].name);
        f2l_free(c->group[i].order);
        f2l_free(c->group[i].factors);
    }
    f2l_free(c->group);
    f2l_cycle_word_clear(&c->any);
    f2l_cycle_word_clear(&c->odd);
    f2l_word_pair_clear(&c->pair);
    f2l_least_clear(&c->least);
    f2l_fsa_clear(&c->own);
    f2l_classify_init(c);
}

/* An effort that is used up stops a part, and not the rest. */
bool f2l_classify_stopped(const f2l_task *task)
{
    return f2l_task_stop(task) != F2L_STOP_NONE;
}

f2l_status f2l_classify_pass(f2l_status status, const f2l_task *task)
{
    return status == F2L_UNKNOWN && !f2l_classify_stopped(task) ? F2L_OK : status;
}

/* --- the automaton --- */

/* Sets out->fsa. States that have the same labels after every word are merged. A quotient that
 * merges nothing is not used, since a group form has its permutations of points; but unreachable
 * points must be removed. */
static f2l_status choose_classified_fsa(f2l_classify *out, const f2l_fsa *fsa, f2l_label label,
                                        const f2l_task *task, f2l_error *err)
{
    uint32_t *classes = NULL;
    size_t dropped;
    out->fsa = fsa;
    if (label == F2L_LABEL_STATES && fsa->track != F2L_TRACK_POINTS) return F2L_OK;
    f2l_status status = f2l_fsa_check_label(fsa, label, err);
    if (status == F2L_OK) status = f2l_fsa_minimise(&out->own, &classes, fsa, label, task, err);
    f2l_free(classes);
    if (status == F2L_OK) status = f2l_fsa_trim(&out->own, &dropped, err);
    if (status == F2L_OK && out->own.states.count < fsa->states.count) out->fsa = &out->own;
    return status;
}

/* --- the letters --- */

/* Returns whether some state is led into a cycle of more than one state. from[states]: scratch. */
static bool cycles(const uint32_t *column, size_t n, uint32_t *from)
{
    memset(from, 0, n * sizeof *from);
    for (uint32_t q = 0; q < n; q++) {
        uint32_t at = q;
        for (; !from[at]; at = column[at]) from[at] = q + 1;
        if (from[at] == q + 1 && column[at] != at) return true;
    }
    return false;
}

/* Returns whether no power of the letter takes all states to one: it has two states on cycles. */
static bool holds(const uint32_t *column, size_t n, uint32_t *from)
{
    uint32_t first = 0;
    memset(from, 0, n * sizeof *from);
    for (uint32_t q = 0, seen = 0; q < n; q++) {
        uint32_t at = q;
        for (; !from[at]; at = column[at]) from[at] = q + 1;
        if (from[at] != q + 1) continue;
        if (seen++ > 0 || column[at] != at) return true;
        first = at;
    }
    return column[first] != first;
}

static f2l_status look_for_cycles(f2l_classify *out, const uint32_t *columns, f2l_error *err)
{
    const size_t n = out->fsa->states.count;
    uint32_t *from = f2l_calloc(n, sizeof *from);
    if (!from) return f2l_fail_memory(err);
    for (size_t a = 0; !out->letter_cycles && a < out->fsa->letters.count; a++)
        out->letter_cycles = cycles(columns + a * n, n, from);
    for (size_t a = 0; !out->letters_hold && a < out->fsa->letters.count; a++)
        out->letters_hold = holds(columns + a * n, n, from);
    f2l_free(from);
    return F2L_OK;
}

static void look_at_letter_maps(f2l_classify *out, const uint8_t *permutes)
{
    const f2l_fsa *fsa = out->fsa;
    const size_t n = fsa->states.count, k = fsa->letters.count;
    out->permutation = out->idempotent = out->hold_or_reset = true;
    for (size_t a = 0; a < k; a++) {
        bool hold = true, reset = true;
        out->permutation = out->permutation && permutes[a];
        for (size_t q = 0; q < n; q++) {
            const size_t to = fsa->next[q * k + a];
            hold = hold && to == q;
            reset = reset && to == fsa->next[a];
            if (out->idempotent && fsa->next[to * k + a] != to) {
                out->idempotent = false;
                out->letter = a;
                out->state = q;
            }
        }
        out->hold_or_reset = out->hold_or_reset && (hold || reset);
    }
}

/* Sets columns[a][q] to the state to which letter a takes q. */
static f2l_status list_columns(uint32_t **columns, uint8_t **permutes, const f2l_fsa *fsa,
                               f2l_error *err)
{
    const size_t n = fsa->states.count, k = fsa->letters.count;
    size_t cells;
    *columns = f2l_mul_size(&cells, n, k) ? f2l_calloc(cells, sizeof **columns) : NULL;
    *permutes = f2l_calloc(k, 1);
    if (!*columns || !*permutes) return f2l_fail_memory(err);
    for (size_t a = 0; a < k; a++) {
        for (size_t q = 0; q < n; q++) (*columns)[a * n + q] = fsa->next[q * k + a];
        (*permutes)[a] = f2l_perm_is_permutation(*columns + a * n, n);
    }
    return F2L_OK;
}

/* Adds the group of the letters that permute all states, a subgroup of the monoid: all of it in a
 * permutation automaton. For a group form whose states are the elements, the group acts faithfully
 * on the points. */
static f2l_status add_units(f2l_classify *out, const uint32_t *columns, const uint8_t *permutes,
                            const f2l_task *task, f2l_error *err)
{
    const f2l_fsa *fsa = out->fsa;
    const size_t n = fsa->states.count, k = fsa->letters.count;
    if (fsa->track == F2L_TRACK_ELEMENTS)
        return f2l_classify_add_group(out, fsa->perm, k, fsa->points, NULL, NULL, out->permutation,
                                      task, err);
    size_t count = 0;
    for (size_t a = 0; a < k; a++) count += permutes[a];
    uint32_t *image = f2l_calloc(count + 1, n * sizeof *image);
    if (!image) return f2l_fail_memory(err);
    count = 0;
    for (size_t a = 0; a < k; a++)
        if (permutes[a]) memcpy(image + count++ * n, columns + a * n, n * sizeof *image);
    f2l_status status =
        f2l_classify_add_group(out, image, count, n, NULL, NULL, out->permutation, task, err);
    f2l_free(image);
    return status;
}

/* --- the answers --- */

static f2l_ternary all_are(const f2l_classify *c, f2l_ternary (*property)(const f2l_ladder_group *))
{
    f2l_ternary answer = c->groups_known ? F2L_TERNARY_YES : F2L_TERNARY_UNKNOWN;
    for (size_t i = 0; i < c->groups; i++) {
        const f2l_ternary one = property(&c->group[i]);
        if (one == F2L_TERNARY_NO) return F2L_TERNARY_NO;
        if (one == F2L_TERNARY_UNKNOWN) answer = F2L_TERNARY_UNKNOWN;
    }
    return answer;
}

static f2l_ternary two_group(const f2l_ladder_group *g)
{
    return g->two_group;
}

static f2l_ternary solvable(const f2l_ladder_group *g)
{
    return g->solvable;
}

/* Decides the answers by L.14. The records hold only groups that are not trivial. */
static void decide_by_groups(f2l_classify *c)
{
    c->aperiodic = c->groups         ? F2L_TERNARY_NO
                   : c->groups_known ? F2L_TERNARY_YES
                                     : F2L_TERNARY_UNKNOWN;
    c->two_groups = all_are(c, two_group);
    c->solvable = all_are(c, solvable);
    if (c->two_groups == F2L_TERNARY_YES) c->solvable = F2L_TERNARY_YES;
    const bool open = c->two_groups == F2L_TERNARY_UNKNOWN || c->solvable == F2L_TERNARY_UNKNOWN;
    if (open && !c->reason[0])
        snprintf(c->reason, sizeof c->reason, "a group is too large to be taken apart");
}

/* --- the groups --- */

static f2l_status add_components(f2l_classify *out, const f2l_components *all, const f2l_task *task,
                                 f2l_error *err)
{
    f2l_status status = F2L_OK;
    for (size_t i = 0; status == F2L_OK && i < all->count; i++) {
        const f2l_component *k = &all->component[i];
        if (!k->generators) continue;
        if (!k->order)
            status = f2l_classify_add_unknown(out, k->level, err);
        else
            status = f2l_classify_add_group(out, k->generator, k->generators, k->degree, k->name,
                                            k->order, k->level, task, err);
    }
    return status;
}

/* Finds the groups of holonomy; a limit is kept as the reason why they are not known. */
static f2l_status find_holonomy_groups(f2l_classify *out, f2l_cascade *cascade, f2l_components *all,
                                       size_t max_sets, const f2l_task *task, f2l_error *err)
{
    f2l_error why = {0};
    f2l_status status =
        f2l_cascade_build(cascade, out->fsa, F2L_CASCADE_HOLONOMY, max_sets, task, &why);
    if (status == F2L_OK) {
        out->levels = cascade->levels;
        status = f2l_classify_measure(out, cascade, task, &why);
    }
    if (status == F2L_OK) {
        status = f2l_components_find(all, cascade, task, &why);
    }
    if (status == F2L_OK) {
        const size_t units = out->groups;
        status = add_components(out, all, task, err);
        out->groups_known = status == F2L_OK && all->complete;
        if (!all->complete)
            snprintf(out->reason, sizeof out->reason, "a holonomy group is too large to compute");
        if (out->groups_known) f2l_classify_drop_groups(out, units);
        return status;
    }
    snprintf(out->reason, sizeof out->reason, "%.511s", why.text);
    if (err) *err = why;
    return f2l_classify_pass(status, task);
}

/* --- all together --- */

/* Returns the task with half of its remaining effort, so that later parts have some. */
static f2l_task halve(const f2l_task *task, f2l_effort *half)
{
    f2l_task out = task ? *task : (f2l_task){0};
    const f2l_effort *whole = out.effort;
    if (!whole || whole->limit == 0) return out;
    const uint64_t left = whole->spent < whole->limit ? whole->limit - whole->spent : 0;
    *half = (f2l_effort){.limit = left / 2 + 1};
    out.effort = half;
    return out;
}

/* Keeps why a part was stopped; its answers stay unknown. */
static f2l_status keep_stop_reason(f2l_classify *out, f2l_status status, const f2l_task *task,
                                   const f2l_error *why, f2l_error *err)
{
    if (status == F2L_UNKNOWN) {
        snprintf(out->reason, sizeof out->reason, "%.511s", why->text);
        out->stopped = f2l_classify_stopped(task);
        return F2L_OK;
    }
    if (status != F2L_OK && err) *err = *why;
    return status;
}

static f2l_status definite(f2l_classify *out, const f2l_task *task, f2l_error *err)
{
    f2l_definite d;
    f2l_definite_init(&d);
    f2l_status status = f2l_definite_find(&d, out->fsa, DEFINITE_WORK, task, err);
    if (status == F2L_OK) {
        out->definite = d.definite;
        out->definite_known = true;
        out->k = d.definite ? d.k : 0;
    }
    f2l_definite_clear(&d);
    return f2l_classify_pass(status, task);
}

/* Examines the letters, then the groups. */
static f2l_status look_at_semigroup(f2l_classify *out, const f2l_classify_options *o,
                                    f2l_cascade *cascade, f2l_components *all, const f2l_task *task,
                                    f2l_error *err)
{
    const size_t max_sets = o->max_sets ? o->max_sets : MAX_SETS;
    uint32_t *columns = NULL;
    uint8_t *permutes = NULL;
    f2l_status status = list_columns(&columns, &permutes, out->fsa, err);
    if (status == F2L_OK) {
        look_at_letter_maps(out, permutes);
        status = look_for_cycles(out, columns, err);
    }
    if (status == F2L_OK) status = add_units(out, columns, permutes, task, err);
    f2l_free(columns);
    f2l_free(permutes);
    if (status == F2L_OK && out->permutation) {
        out->groups_known = true;
        out->levels = out->fsa->states.count > 1;
        status = f2l_classify_represent(out, o->max_order ? o->max_order : MAX_ORDER, task, err);
    } else if (status == F2L_OK) {
        status = find_holonomy_groups(out, cascade, all, max_sets, task, err);
    }
    return status;
}

static f2l_status analyse_semigroup(f2l_classify *out, const f2l_classify_options *o,
                                    f2l_cascade *cascade, f2l_components *all, const f2l_task *task,
                                    f2l_error *err)
{
    f2l_error why = {0};
    f2l_effort half = {0};
    const f2l_task first = halve(task, &half);
    f2l_status status = keep_stop_reason(out, look_at_semigroup(out, o, cascade, all, &first, &why),
                                         task, &why, err);
    if (first.effort == &half) (void)f2l_task_spend(task, "groups", half.spent, NULL);
    if (status == F2L_OK && !out->stopped)
        status = keep_stop_reason(out, definite(out, task, &why), task, &why, err);
    if (status != F2L_OK) return status;
    decide_by_groups(out);
    if (out->stopped) return F2L_OK;
    status = keep_stop_reason(out, f2l_least_build(&out->least, out->fsa, o->label, task, &why),
                              task, &why, err);
    if (status != F2L_OK || out->stopped) return status;
    return keep_stop_reason(out, f2l_classify_find_words(out, cascade, all, &o->cycles, task, &why),
                            task, &why, err);
}

f2l_status f2l_classify_build(f2l_classify *out, const f2l_fsa *fsa,
                              const f2l_classify_options *options, const f2l_task *task,
                              f2l_error *err)
{
    const f2l_classify_options none = {0};
    f2l_cascade cascade;
    f2l_components all;
    f2l_classify_init(out);
    f2l_cascade_init(&cascade);
    f2l_components_init(&all);
    if (!options) options = &none;
    f2l_status status = choose_classified_fsa(out, fsa, options->label, task, err);
    if (status == F2L_OK) status = analyse_semigroup(out, options, &cascade, &all, task, err);
    if (status == F2L_OK) f2l_classify_rows(out);
    f2l_components_clear(&all);
    f2l_cascade_clear(&cascade);
    if (status != F2L_OK) f2l_classify_clear(out);
    return status;
}

bool f2l_classify_open(const f2l_classify *c)
{
    bool open = c->aperiodic == F2L_TERNARY_UNKNOWN || c->two_groups == F2L_TERNARY_UNKNOWN ||
                c->solvable == F2L_TERNARY_UNKNOWN;
    for (size_t i = 0; !open && i < F2L_LADDER_CLASSES; i++)
        open = c->row[i].verdict == F2L_LADDER_UNKNOWN;
    return open;
}
