#include "theory/obstruct/fork/fork.h"
#include "numeric/base/mem.h"
#include "theory/obstruct/fork/impl.h"
#include <stdio.h>

/* With more states the pairs take more than half a gigabyte. */
#define MOST_STATES 4096

void f2l_fork_init(f2l_fork *fork)
{
    *fork = (f2l_fork){0};
}

void f2l_fork_clear(f2l_fork *fork)
{
    f2l_word_clear(&fork->reach);
    f2l_word_clear(&fork->u);
    f2l_word_clear(&fork->v);
    f2l_word_clear(&fork->apart);
    f2l_word_clear(&fork->still);
    f2l_free(fork->class_of);
    f2l_fork_init(fork);
}

/* Notes that a limit ended the search; returns the status of any other failure. */
static f2l_status note_fork_limit(f2l_fork *out, f2l_status status, const f2l_error *err)
{
    if (status != F2L_UNKNOWN) return status;
    snprintf(out->reason, sizeof out->reason, "%.255s", err->text);
    return F2L_OK;
}

f2l_status f2l_fork_find_in(f2l_fork *out, const f2l_pair_graph *g, const f2l_task *task,
                            f2l_error *err)
{
    const f2l_status status = f2l_fork_search(out, g, task, err);
    if (out->found) {
        out->unsearched = 0;
        out->reason[0] = '\0';
    }
    return note_fork_limit(out, status, err);
}

static f2l_status search_fork(f2l_fork *out, const f2l_fsa *minimal, const f2l_task *task,
                              f2l_error *err)
{
    const size_t n = minimal->states.count;
    const uint64_t pairs = (uint64_t)n * (n - 1) / 2;
    f2l_pair_graph graph;
    out->states = n;
    if (n > MOST_STATES) {
        out->unsearched = pairs;
        snprintf(out->reason, sizeof out->reason, "more than %d states", MOST_STATES);
        return F2L_OK;
    }
    f2l_status status =
        f2l_pair_graph_build(&graph, minimal->next, n, minimal->letters.count, task, err);
    if (status == F2L_OK)
        status = f2l_fork_find_in(out, &graph, task, err);
    else if (status == F2L_UNKNOWN)
        out->unsearched = pairs;
    f2l_pair_graph_clear(&graph);
    return note_fork_limit(out, status, err);
}

f2l_status f2l_fork_find(f2l_fork *out, const f2l_fsa *fsa, f2l_label label, const f2l_task *task,
                         f2l_error *err)
{
    f2l_fsa minimal;
    f2l_fsa_init(&minimal);
    f2l_fork_clear(out);
    f2l_status status = f2l_fsa_minimal(&minimal, &out->class_of, fsa, label, task, err);
    if (status == F2L_UNKNOWN) {
        out->unsearched = (uint64_t)fsa->states.count * (fsa->states.count - 1) / 2;
        status = note_fork_limit(out, status, err);
    } else if (status == F2L_OK) {
        status = search_fork(out, &minimal, task, err);
        if (status == F2L_OK && out->found) status = f2l_fork_shorten(out, &minimal, err);
        if (status == F2L_OK && out->found)
            status = f2l_fork_words(out, &minimal, label, task, err);
    }
    f2l_fsa_clear(&minimal);
    if (status != F2L_OK) f2l_fork_clear(out);
    return status;
}
