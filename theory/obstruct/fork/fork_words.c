/* The words of a fork: shorter ones from (s, p, q) to (p, p, q) and (q, p, q), and those from the
 * start to s, from (p, q) to labels that differ, and from (s, p, q) back to it. */
#include "theory/obstruct/fork/impl.h"

/* The most triples of the search for a word that fixes s, p and q. */
#define MOST_TRIPLES ((size_t)1 << 20)
/* The most triples of a search for a shorter word. */
#define MOST_SHORTER ((size_t)1 << 16)
#define FEW_STATES 16 /* of the minimal automaton: all states s are tried */

/* Finds a shortest word that leads s to `to` and fixes p and q, unless that takes long. */
static f2l_status find_fork_word(f2l_word *out, bool *found, const f2l_fork *fork, size_t s,
                                 size_t to, const f2l_fsa *minimal, f2l_error *err)
{
    const uint32_t p = (uint32_t)fork->p, q = (uint32_t)fork->q, from[] = {(uint32_t)s, p, q};
    const f2l_tuples way = {.fsa = minimal,
                            .size = 3,
                            .most = MOST_SHORTER,
                            .target = {(uint32_t)to, p, q},
                            .ends = f2l_tuples_at_target};
    f2l_error left;
    *found = false;
    const f2l_status status = f2l_tuples_find(out, found, &way, from, NULL, &left);
    return status == F2L_OK || status == F2L_UNKNOWN ? F2L_OK
                                                     : f2l_fail(err, status, "%s", left.text);
}

static void replace_word(f2l_word *word, f2l_word *by)
{
    f2l_word_clear(word);
    *word = *by;
    *by = (f2l_word){0};
}

/* Takes s as the state of the fork, with shortest words, if these have fewer than *most letters
 * together, which then becomes their number. */
static f2l_status try_fork_state(f2l_fork *out, size_t *most, size_t s, const f2l_fsa *minimal,
                                 f2l_error *err)
{
    f2l_word u = {0}, v = {0};
    bool to_p, to_q = false;
    f2l_status status = find_fork_word(&u, &to_p, out, s, out->p, minimal, err);
    if (status == F2L_OK && to_p) status = find_fork_word(&v, &to_q, out, s, out->q, minimal, err);
    if (status == F2L_OK && to_q && u.length + v.length < *most) {
        *most = u.length + v.length;
        replace_word(&out->u, &u);
        replace_word(&out->v, &v);
        out->s = s;
    }
    f2l_word_clear(&u);
    f2l_word_clear(&v);
    return status;
}

f2l_status f2l_fork_shorten(f2l_fork *out, const f2l_fsa *minimal, f2l_error *err)
{
    const size_t n = minimal->states.count, p = out->p, q = out->q;
    const bool few = n <= FEW_STATES;
    size_t most = few ? SIZE_MAX : out->u.length + out->v.length;
    f2l_status status = F2L_OK;
    if (!few) return try_fork_state(out, &most, out->s, minimal, err);
    for (size_t s = 0; s < n && status == F2L_OK; s++)
        if (s != p && s != q) status = try_fork_state(out, &most, s, minimal, err);
    return status;
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
