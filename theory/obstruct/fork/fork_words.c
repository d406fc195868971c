/* The other words of a fork: from the start to s, from (p, q) to labels that differ, and from (s,
 * p, q) back to it. */
#include "theory/obstruct/fork/impl.h"

/* The most triples of the search for a word that fixes s, p and q. */
#define MOST_TRIPLES ((size_t)1 << 22)

f2l_status f2l_fork_words(f2l_fork *out, const f2l_fsa *minimal, f2l_label label,
                          const f2l_task *task, f2l_error *err)
{
    const uint32_t s = (uint32_t)out->s, p = (uint32_t)out->p, q = (uint32_t)out->q;
    const uint32_t start = (uint32_t)minimal->start, pq[] = {p, q}, spq[] = {s, p, q};
    const f2l_tuples reach = {
        .fsa = minimal, .size = 1, .target = {s}, .ends = f2l_tuples_at_target};
    const f2l_tuples apart = {
        .fsa = minimal, .size = 2, .label = label, .ends = f2l_tuples_are_apart};
    const f2l_tuples still = {.fsa = minimal,
                              .size = 3,
                              .most = MOST_TRIPLES,
                              .target = {s, p, q},
                              .ends = f2l_tuples_at_target};
    bool found;
    f2l_status status = F2L_OK;
    if (s != start) status = f2l_tuples_find(&out->reach, &found, &reach, &start, NULL, err);
    if (status == F2L_OK && (label == F2L_LABEL_EDGES || !f2l_labels_differ(minimal, label, p, q)))
        status = f2l_tuples_find(&out->apart, &found, &apart, pq, NULL, err);
    if (status != F2L_OK) return status;
    status = f2l_tuples_find(&out->still, &found, &still, spq, task, err);
    out->strong_open = status == F2L_UNKNOWN;
    return out->strong_open ? F2L_OK : status;
}
