#include "theory/obstruct/bands/bands.h"
#include "numeric/base/mem.h"
#include "theory/obstruct/bands/impl.h"
#include <stdio.h>
#include <string.h>

/* As for forks: with more states the pairs take more than half a gigabyte. */
#define MOST_STATES 4096

void f2l_band_init(f2l_band *band)
{
    *band = (f2l_band){0};
}

void f2l_band_clear(f2l_band *band)
{
    f2l_word_clear(&band->reach);
    f2l_word_clear(&band->u);
    f2l_word_clear(&band->v);
    f2l_word_clear(&band->apart);
    f2l_free(band->class_of);
    f2l_band_init(band);
}

static f2l_status copy_word(f2l_word *out, const f2l_word *from, f2l_error *err)
{
    out->letter = f2l_calloc(from->length, sizeof *out->letter);
    if (!out->letter) return f2l_fail_memory(err);
    if (from->length > 0) memcpy(out->letter, from->letter, from->length * sizeof *out->letter);
    out->length = from->length;
    return F2L_OK;
}

f2l_status f2l_band_take_fork(f2l_band *out, const f2l_fork *fork, f2l_error *err)
{
    const size_t s = fork->s, p = fork->p, q = fork->q;
    const size_t state[F2L_BAND_STATES] = {s, p, p, p, q, q};
    memcpy(out->state, state, sizeof state);
    out->found = out->decided = true;
    const f2l_status status = copy_word(&out->u, &fork->u, err);
    return status == F2L_OK ? copy_word(&out->v, &fork->v, err) : status;
}

/* Notes that a limit ended the search; returns the status of any other failure. */
static f2l_status note_band_limit(f2l_band *out, f2l_status status, const f2l_error *err)
{
    if (status != F2L_UNKNOWN) return status;
    out->decided = out->found;
    snprintf(out->reason, sizeof out->reason, "%.255s", err->text);
    return F2L_OK;
}

static f2l_status search_table(f2l_band *out, const f2l_band_table *t, const f2l_fork *fork,
                               const f2l_task *task, f2l_error *err)
{
    f2l_pair_graph graph;
    f2l_fork own;
    out->states = t->n;
    if (t->n > MOST_STATES) return f2l_fail(err, F2L_UNKNOWN, "more than %d states", MOST_STATES);
    f2l_fork_init(&own);
    f2l_status status = f2l_pair_graph_build(&graph, t->next, t->n, t->k, task, err);
    if (status == F2L_OK && !fork) {
        status = f2l_fork_find_in(&own, &graph, task, err);
        fork = &own;
    }
    if (status == F2L_OK && fork->found)
        status = f2l_band_take_fork(out, fork, err);
    else if (status == F2L_OK)
        status = f2l_band_search_graph(out, &graph, fork->unsearched == 0, task, err);
    f2l_pair_graph_clear(&graph);
    f2l_fork_clear(&own);
    return status;
}

f2l_status f2l_band_search(f2l_band *out, const f2l_band_table *table, const f2l_task *task,
                           f2l_error *err)
{
    f2l_band_clear(out);
    const f2l_status status = search_table(out, table, NULL, task, err);
    return note_band_limit(out, status, err);
}

/* Finds the words that lead to the pattern and tell t from t'. */
static f2l_status find_other_words(f2l_band *out, const f2l_fsa *minimal, f2l_label label,
                                   f2l_error *err)
{
    const uint32_t start = (uint32_t)minimal->start;
    const uint32_t pair[] = {(uint32_t)out->state[F2L_BAND_T],
                             (uint32_t)out->state[F2L_BAND_OTHER]};
    const f2l_tuples reach = {.fsa = minimal,
                              .size = 1,
                              .target = {(uint32_t)out->state[F2L_BAND_S]},
                              .ends = f2l_tuples_at_target};
    const f2l_tuples apart = {
        .fsa = minimal, .size = 2, .label = label, .ends = f2l_tuples_are_apart};
    bool found;
    f2l_status status = F2L_OK;
    if (out->state[F2L_BAND_S] != start)
        status = f2l_tuples_find(&out->reach, &found, &reach, &start, NULL, err);
    if (status == F2L_OK &&
        (label == F2L_LABEL_EDGES || !f2l_labels_differ(minimal, label, pair[0], pair[1])))
        status = f2l_tuples_find(&out->apart, &found, &apart, pair, NULL, err);
    return status;
}

/* Returns the task with half of the effort that is left of its own. */
static f2l_task with_half_effort(const f2l_task *task, f2l_effort *half)
{
    f2l_task own = task ? *task : (f2l_task){0};
    *half = (f2l_effort){0};
    if (own.effort && own.effort->limit > 0)
        half->limit = 1 + (own.effort->limit - own.effort->spent) / 2;
    own.effort = half;
    return own;
}

/* Lists the maps with half of the effort, which is soon done where they are few or a pattern has
 * short words; what that leaves open is searched by tuples of states. */
static f2l_status search_minimal(f2l_band *out, const f2l_fsa *minimal, const f2l_fork *fork,
                                 const f2l_task *task, f2l_error *err)
{
    const f2l_band_table table = {minimal->next, minimal->states.count, minimal->letters.count};
    f2l_effort half;
    const f2l_task own = with_half_effort(task, &half);
    f2l_status status = f2l_band_list_maps(out, minimal, &own, err);
    if (task && task->effort) task->effort->spent += half.spent;
    if (status == F2L_UNKNOWN && f2l_task_stop(task) == F2L_STOP_NONE) {
        f2l_word_clear(&out->u);
        f2l_word_clear(&out->v);
        status = search_table(out, &table, fork, task, err);
    }
    return status;
}

f2l_status f2l_band_find(f2l_band *out, const f2l_fsa *fsa, f2l_label label, const f2l_fork *fork,
                         const f2l_task *task, f2l_error *err)
{
    f2l_fsa minimal;
    f2l_fsa_init(&minimal);
    f2l_band_clear(out);
    f2l_status status = f2l_fsa_minimal(&minimal, &out->class_of, fsa, label, task, err);
    if (status == F2L_OK) {
        out->states = minimal.states.count;
        status = search_minimal(out, &minimal, fork, task, err);
    }
    status = note_band_limit(out, status, err);
    if (status == F2L_OK && out->found) status = find_other_words(out, &minimal, label, err);
    f2l_fsa_clear(&minimal);
    if (status != F2L_OK) f2l_band_clear(out);
    return status;
}
