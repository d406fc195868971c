/* The words of a fork: shorter ones from (s, p, q) to (p, p, q) and (q, p, q), and those from the
 * start to s, from (p, q) to labels that differ, and from (s, p, q) back to it. */
#include "theory/obstruct/fork/impl.h"

/* The most triples of the search for a word that fixes s, p and q. */
#define MOST_TRIPLES ((size_t)1 << 20)
/* The most triples of a search for a shorter word. */
#define MOST_SHORTER ((size_t)1 << 16)

/* Replaces the word, which leads s to `to` and fixes p and q, by a shortest one unless that takes
 * long. */
static f2l_status shorten_word(f2l_word *word, const f2l_fork *fork, size_t to,
                               const f2l_fsa *minimal, f2l_error *err)
{
    const uint32_t p = (uint32_t)fork->p, q = (uint32_t)fork->q;
    const uint32_t from[] = {(uint32_t)fork->s, p, q};
    const f2l_tuples way = {.fsa = minimal,
                            .size = 3,
                            .most = MOST_SHORTER,
                            .target = {(uint32_t)to, p, q},
                            .ends = f2l_tuples_at_target};
    f2l_word shorter = {0};
    f2l_error left;
    bool found;
    const f2l_status status = f2l_tuples_find(&shorter, &found, &way, from, NULL, &left);
    if (status != F2L_OK) {
        f2l_word_clear(&shorter);
        return status == F2L_UNKNOWN ? F2L_OK : f2l_fail(err, status, "%s", left.text);
    }
    f2l_word_clear(word);
    *word = shorter;
    return F2L_OK;
}

f2l_status f2l_fork_shorten(f2l_fork *out, const f2l_fsa *minimal, f2l_error *err)
{
    const f2l_status status = shorten_word(&out->u, out, out->p, minimal, err);
    return status == F2L_OK ? shorten_word(&out->v, out, out->q, minimal, err) : status;
}

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
