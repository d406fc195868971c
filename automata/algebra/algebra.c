#include "automata/algebra/algebra.h"
#include "automata/family/family.h"
#include "automata/fsa/fsa_build.h"
#include "automata/fsa/nfa.h"
#include <string.h>

#define NAMED 8 /* letters of a list in an error text */

/* Appends the letters that `a` has and `b` has not; returns their number. */
static size_t list_missing(f2l_buf *out, const f2l_names *a, const f2l_names *b)
{
    size_t count = 0;
    for (size_t i = 0; i < a->count; i++) {
        const char *name = f2l_names_get(a, i);
        char shown[F2L_SHOWN];
        if (f2l_names_find(b, name, strlen(name)) != F2L_NO_INDEX) continue;
        if (count < NAMED)
            f2l_buf_printf(out, "%s`%s`", count ? ", " : "", f2l_shown(shown, name, strlen(name)));
        else if (count == NAMED)
            f2l_buf_text(out, ", ..");
        count++;
    }
    return count;
}

f2l_status f2l_algebra_same_letters(const f2l_fsa *a, const f2l_fsa *b, f2l_error *err)
{
    f2l_buf first, second;
    f2l_buf_init(&first);
    f2l_buf_init(&second);
    const size_t more = list_missing(&first, &a->letters, &b->letters);
    const size_t less = list_missing(&second, &b->letters, &a->letters);
    f2l_status status = f2l_buf_status(&first, err);
    if (status == F2L_OK) status = f2l_buf_status(&second, err);
    if (status == F2L_OK && more + less > 0)
        status = f2l_fail(err, F2L_EDOMAIN, "the automata have different letters:%s%s%s%s%s",
                          more ? " only the first has " : "", more ? first.data : "",
                          more && less ? ";" : "", less ? " only the second has " : "",
                          less ? second.data : "");
    f2l_buf_clear(&first);
    f2l_buf_clear(&second);
    return status;
}

static void flip(f2l_fsa *fsa)
{
    for (size_t s = 0; s < fsa->states.count; s++) fsa->accept[s] = !fsa->accept[s];
    fsa->has_added = false; /* it accepts now */
}

f2l_status f2l_algebra_complement(f2l_fsa *fsa, f2l_error *err)
{
    const f2l_status status = f2l_fsa_has_label(fsa, F2L_LABEL_ACCEPT, err);
    if (status == F2L_OK) flip(fsa);
    return status;
}

f2l_status f2l_algebra_intersection(f2l_fsa *out, const f2l_fsa *a, const f2l_fsa *b,
                                    f2l_error *err)
{
    f2l_status status = f2l_fsa_has_label(a, F2L_LABEL_ACCEPT, err);
    if (status == F2L_OK) status = f2l_fsa_has_label(b, F2L_LABEL_ACCEPT, err);
    if (status == F2L_OK) status = f2l_algebra_same_letters(a, b, err);
    return status == F2L_OK ? f2l_family_product(out, a, b, err) : status;
}

f2l_status f2l_algebra_union(f2l_fsa *out, const f2l_fsa *a, const f2l_fsa *b, f2l_error *err)
{
    f2l_fsa without[2]; /* the complements: neither accepts what the union rejects */
    f2l_fsa_init(&without[0]);
    f2l_fsa_init(&without[1]);
    f2l_status status = f2l_fsa_copy(&without[0], a, err);
    if (status == F2L_OK) status = f2l_fsa_copy(&without[1], b, err);
    for (int i = 0; i < 2 && status == F2L_OK; i++)
        status = f2l_algebra_complement(&without[i], err);
    if (status == F2L_OK) status = f2l_algebra_intersection(out, &without[0], &without[1], err);
    if (status == F2L_OK) flip(out);
    f2l_fsa_clear(&without[0]);
    f2l_fsa_clear(&without[1]);
    return status;
}

/* Adds a start state without transitions, which the empty language read backwards starts in. */
static f2l_status add_dead_start(f2l_nfa *nfa, f2l_error *err)
{
    f2l_buf name;
    f2l_buf_init(&name);
    f2l_buf_text(&name, "none");
    while (!name.failed && f2l_names_find(&nfa->states, name.data, name.size) != F2L_NO_INDEX)
        f2l_buf_text(&name, "'");
    size_t index = 0;
    f2l_status status = f2l_buf_status(&name, err);
    if (status == F2L_OK) status = f2l_nfa_state(nfa, name.data, name.size, &index, err);
    if (status == F2L_OK) status = f2l_nfa_close_states(nfa, err);
    if (status == F2L_OK) nfa->is_start[index] = 1;
    f2l_buf_clear(&name);
    return status;
}

static f2l_status turn_round(f2l_nfa *nfa, const f2l_fsa *fsa, f2l_error *err)
{
    const size_t k = fsa->letters.count;
    f2l_status status = f2l_names_copy(&nfa->letters, &fsa->letters, err);
    if (status == F2L_OK) status = f2l_names_copy(&nfa->states, &fsa->states, err);
    if (status == F2L_OK) status = f2l_nfa_close_states(nfa, err);
    for (size_t i = 0; i < fsa->states.count * k && status == F2L_OK; i++)
        status = f2l_nfa_add_edge(nfa, fsa->next[i], i % k, i / k, err);
    if (status != F2L_OK) return status;
    memcpy(nfa->is_start, fsa->accept, fsa->states.count * sizeof *fsa->accept);
    nfa->accept[fsa->start] = 1;
    nfa->has_accept = true;
    const bool accepts = memchr(fsa->accept, 1, fsa->states.count) != NULL;
    return accepts ? F2L_OK : add_dead_start(nfa, err);
}

f2l_status f2l_algebra_reverse(f2l_fsa *out, const f2l_fsa *fsa, size_t max_states,
                               const f2l_task *task, f2l_error *err)
{
    const f2l_total_options options = {.sink = true, .max_states = max_states};
    f2l_total_report report;
    f2l_nfa nfa;
    f2l_nfa_init(&nfa);
    f2l_status status = f2l_fsa_has_label(fsa, F2L_LABEL_ACCEPT, err);
    if (status == F2L_OK) status = turn_round(&nfa, fsa, err);
    if (status == F2L_OK) status = f2l_nfa_total(out, &report, &nfa, &options, task, err);
    f2l_nfa_clear(&nfa);
    return status;
}
