#include "automata/fsa/futures.h"
#include "automata/fsa/rowset.h"
#include "numeric/base/mem.h"

void f2l_futures_init(f2l_futures *out)
{
    *out = (f2l_futures){0};
}

void f2l_futures_clear(f2l_futures *out)
{
    f2l_free(out->class_of);
    f2l_free(out->first);
    f2l_free(out->next);
    f2l_futures_init(out);
}

/* Puts the states with the same row of transitions into one class. */
static f2l_status classify_by_rows(f2l_futures *out, const f2l_fsa *fsa, bool merge, f2l_error *err)
{
    const size_t letters = fsa->letters.count;
    f2l_status status = F2L_OK;
    f2l_rowset rows;
    f2l_rowset_init(&rows);
    for (size_t q = 0; status == F2L_OK && q < fsa->states.count; q++) {
        size_t class = q;
        if (merge) status = f2l_rowset_add(&rows, fsa->next + q * letters, letters, &class, err);
        if (class == out->classes) out->first[out->classes++] = (uint32_t)q;
        out->class_of[q] = (uint32_t) class;
    }
    f2l_rowset_clear(&rows);
    return status;
}

f2l_status f2l_futures_find(f2l_futures *out, const f2l_fsa *fsa, f2l_label label, f2l_error *err)
{
    const size_t states = fsa->states.count, letters = fsa->letters.count;
    f2l_futures_init(out);
    out->class_of = f2l_calloc(states, sizeof *out->class_of);
    out->first = f2l_calloc(states, sizeof *out->first);
    out->next = f2l_calloc(states, letters * sizeof *out->next);
    f2l_status status = out->class_of && out->first && out->next
                            ? classify_by_rows(out, fsa, label != F2L_LABEL_EDGES, err)
                            : f2l_fail_memory(err);
    for (size_t c = 0; status == F2L_OK && c < out->classes; c++)
        for (size_t a = 0; a < letters; a++)
            out->next[c * letters + a] = out->class_of[fsa->next[out->first[c] * letters + a]];
    if (status != F2L_OK) f2l_futures_clear(out);
    return status;
}
