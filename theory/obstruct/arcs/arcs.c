#include "theory/obstruct/arcs/arcs.h"
#include "automata/fsa/rowset.h"
#include "numeric/base/mem.h"
#include <stdio.h>
#include <string.h>

/* Limits: states of the minimal automaton, sets that are tried, and tuples of one search. */
#define MOST_STATES 200
#define MOST_SETS 100000
#define MOST_TUPLES ((size_t)1 << 20)

void f2l_arcs_init(f2l_arcs *arcs)
{
    *arcs = (f2l_arcs){0};
}

void f2l_arcs_clear(f2l_arcs *arcs)
{
    for (size_t i = 0; i < arcs->arcs; i++) f2l_word_clear(&arcs->arc[i].word);
    for (size_t i = 0; arcs->apart && i < arcs->states * (arcs->states - 1) / 2; i++)
        f2l_word_clear(&arcs->apart[i]);
    f2l_word_clear(&arcs->still);
    f2l_free(arcs->arc);
    f2l_free(arcs->apart);
    f2l_free(arcs->class_of);
    f2l_arcs_init(arcs);
}

/* --- the sets --- */

/* The arcs that words make of a set: bit F2L_MOST_ARCS * i + j of `made` for the arc from i to j.
 */
typedef struct made_arcs {
    const uint32_t *set;
    size_t size;
    uint64_t made;
    size_t count;
} made_arcs;

/* Notes the tuple if it is an arc of the set; ends the search when all arcs were met. */
static bool note_arc(const f2l_tuples *search, const uint32_t *from, size_t letter,
                     const uint32_t *to)
{
    (void)from;
    (void)letter;
    made_arcs *m = search->context;
    size_t moved = 0, at = 0;
    for (size_t i = 0; i < m->size; i++) {
        if (to[i] == m->set[i]) continue;
        moved++;
        at = i;
    }
    if (moved != 1) return false;
    for (size_t j = 0; j < m->size; j++) {
        const uint64_t bit = UINT64_C(1) << (F2L_MOST_ARCS * at + j);
        if (to[at] != m->set[j] || m->made & bit) continue;
        m->made |= bit;
        m->count++;
    }
    return m->count == m->size * (m->size - 1);
}

/* Returns whether the tuple has fewer states than one less than the set, so that no arc follows. */
static bool is_below_arcs(const f2l_tuples *search, const uint32_t *tuple)
{
    size_t equal = 0;
    for (size_t i = 1; i < search->size && equal < 2; i++) {
        size_t j = 0;
        while (tuple[j] != tuple[i]) j++;
        equal += j < i;
    }
    return equal > 1;
}

static bool has_both(uint64_t made, size_t i, size_t j)
{
    return made >> (F2L_MOST_ARCS * i + j) & made >> (F2L_MOST_ARCS * j + i) & 1U;
}

/* Sets parent[i] of all states but the first, along arcs that are made both ways, and the order in
 * which they are met; returns whether all are. */
static bool span(size_t *order, size_t *parent, uint64_t made, size_t size)
{
    size_t met = 1;
    bool seen[F2L_MOST_ARCS] = {true};
    order[0] = 0;
    for (size_t i = 0; i < met; i++)
        for (size_t j = 0; j < size; j++) {
            if (seen[j] || !has_both(made, order[i], j)) continue;
            seen[j] = true;
            parent[j] = order[i];
            order[met++] = j;
        }
    return met == size;
}

typedef struct search {
    const f2l_fsa *fsa; /* minimal */
    const f2l_task *task;
    bool cut;      /* a limit left something out */
    uint8_t *pair; /* [n][n] for p < q: FIRST and SECOND where words lead p and q to p, and to q */
    f2l_rowset tried;
    size_t best; /* states of the largest set, `set`; 0: none was found */
    uint32_t set[F2L_MOST_ARCS];
} search;

/* --- pairs --- */

enum { FIRST = 1, SECOND = 2 };

/* Returns whether the set of two states has both arcs. */
static bool has_arcs(const search *s, size_t p, size_t q)
{
    const size_t n = s->fsa->states.count;
    return s->pair[p < q ? p * n + q : q * n + p] == (FIRST | SECOND);
}

/* A walk backwards through pairs p <= q. */
typedef struct pair_walk {
    size_t *at;       /* [k n + 1] letter a leads the states before[at[a n + x] ..] to x */
    uint32_t *before; /* [k n] */
    uint32_t *queue;  /* [n n] pairs p n + q */
    bool *met;        /* [n n] */
} pair_walk;

static void list_before(pair_walk *w, const f2l_fsa *fsa)
{
    const size_t n = fsa->states.count, k = fsa->letters.count;
    size_t count = 0;
    for (size_t a = 0; a < k; a++)
        for (size_t x = 0; x < n; x++) {
            w->at[a * n + x] = count;
            for (uint32_t q = 0; q < n; q++)
                if (fsa->next[q * k + a] == x) w->before[count++] = q;
        }
    w->at[k * n] = count;
}

/* Notes which pairs words lead to (d, d). */
static void walk_back(search *s, pair_walk *w, size_t d)
{
    const size_t n = s->fsa->states.count, k = s->fsa->letters.count;
    size_t count = 1;
    memset(w->met, 0, n * n * sizeof *w->met);
    w->queue[0] = (uint32_t)(d * n + d);
    w->met[d * n + d] = true;
    for (size_t i = 0; i < count; i++)
        for (size_t a = 0; a < k; a++) {
            const size_t *x = &w->at[a * n + w->queue[i] / n], *y = &w->at[a * n + w->queue[i] % n];
            for (size_t u = x[0]; u < x[1]; u++)
                for (size_t v = y[0]; v < y[1]; v++) {
                    const uint32_t p = w->before[u], q = w->before[v];
                    const size_t to = p < q ? p * n + q : q * n + p;
                    if (!w->met[to]) w->queue[count++] = (uint32_t)to;
                    w->met[to] = true;
                }
        }
    for (size_t p = 0; p < d; p++)
        if (w->met[p * n + d]) s->pair[p * n + d] |= SECOND;
    for (size_t q = d + 1; q < n; q++)
        if (w->met[d * n + q]) s->pair[d * n + q] |= FIRST;
}

/* Finds the sets of two states that have both arcs. In a larger set with its arcs every state has
 * another with which it is such a pair. */
static f2l_status find_pairs(search *s, f2l_error *err)
{
    const size_t n = s->fsa->states.count, k = s->fsa->letters.count;
    pair_walk w = {f2l_calloc(k * n + 1, sizeof *w.at), f2l_calloc(k * n, sizeof *w.before),
                   f2l_calloc(n * n, sizeof *w.queue), f2l_calloc(n * n, sizeof *w.met)};
    s->pair = f2l_calloc(n * n, sizeof *s->pair);
    const bool room = w.at && w.before && w.queue && w.met && s->pair;
    f2l_status status = room ? F2L_OK : f2l_fail_memory(err);
    if (room) list_before(&w, s->fsa);
    for (size_t d = 0; d < n && status == F2L_OK; d++) {
        walk_back(s, &w, d);
        status = f2l_task_spend(s->task, "arcs", n * n * k, err);
    }
    f2l_free(w.at);
    f2l_free(w.before);
    f2l_free(w.queue);
    f2l_free(w.met);
    return status;
}

/* --- larger sets --- */

/* Finds the arcs of a set. */
static f2l_status find_made(made_arcs *out, search *s, const uint32_t *set, size_t size,
                            f2l_error *err)
{
    f2l_word word = {0};
    bool all;
    *out = (made_arcs){.set = set, .size = size};
    const f2l_tuples tuples = {.fsa = s->fsa,
                               .size = size,
                               .most = MOST_TUPLES,
                               .ends = note_arc,
                               .dead = is_below_arcs,
                               .context = out};
    const f2l_status status = f2l_tuples_find(&word, &all, &tuples, set, s->task, err);
    f2l_word_clear(&word);
    if (status != F2L_UNKNOWN) return status;
    s->cut = true;
    return F2L_OK;
}

static f2l_status extend_state_set(search *s, const uint32_t *set, size_t size, f2l_error *err);

/* Returns whether no larger set than the best one is possible. */
static bool is_done(const search *s)
{
    const size_t n = s->fsa->states.count;
    return s->best >= (n < F2L_MOST_ARCS ? n : F2L_MOST_ARCS);
}

/* Tries the set, and if it has its arcs, larger ones with it. */
static f2l_status try_state_set(search *s, const uint32_t *set, size_t size, f2l_error *err)
{
    size_t index, order[F2L_MOST_ARCS], parent[F2L_MOST_ARCS];
    const size_t before = s->tried.count;
    made_arcs made = {0};
    f2l_status status = f2l_rowset_add(&s->tried, set, size, &index, err);
    if (status != F2L_OK || index < before) return status;
    if (before >= MOST_SETS) return f2l_fail(err, F2L_UNKNOWN, "more than %d sets", MOST_SETS);
    status = f2l_task_goes_on(s->task, "arcs", err);
    if (status == F2L_OK && size > 2) status = find_made(&made, s, set, size, err);
    if (status != F2L_OK || (size > 2 && !span(order, parent, made.made, size))) return status;
    if (size > s->best) {
        s->best = size;
        memcpy(s->set, set, size * sizeof *set);
    }
    return size < F2L_MOST_ARCS && !is_done(s) ? extend_state_set(s, set, size, err) : F2L_OK;
}

/* Tries the set with each state that it has not, and that has arcs with one of its states. */
static f2l_status extend_state_set(search *s, const uint32_t *set, size_t size, f2l_error *err)
{
    f2l_status status = F2L_OK;
    for (uint32_t q = 0; q < s->fsa->states.count && status == F2L_OK && !is_done(s); q++) {
        uint32_t more[F2L_MOST_ARCS];
        size_t at = 0;
        bool joined = false;
        while (at < size && set[at] < q) at++;
        if (at < size && set[at] == q) continue;
        for (size_t i = 0; i < size; i++) joined = joined || has_arcs(s, set[i], q);
        if (!joined) continue;
        memcpy(more, set, at * sizeof *more);
        more[at] = q;
        memcpy(more + at + 1, set + at, (size - at) * sizeof *more);
        status = try_state_set(s, more, size + 1, err);
    }
    return status;
}

/* Finds a largest set, in depth first, so that a limit leaves a large one. */
static f2l_status find_set(search *s, f2l_error *err)
{
    const size_t n = s->fsa->states.count;
    f2l_status status = find_pairs(s, err);
    for (uint32_t p = 0; p < n && status == F2L_OK; p++)
        for (uint32_t q = p + 1; q < n && status == F2L_OK && !is_done(s); q++)
            if (has_arcs(s, p, q)) status = try_state_set(s, (const uint32_t[]){p, q}, 2, err);
    return status;
}

/* --- the words --- */

static f2l_status find_arc(f2l_arcs *out, const search *s, size_t from, size_t to, f2l_error *err)
{
    bool found;
    f2l_arc *arc = &out->arc[out->arcs];
    f2l_tuples tuples = {
        .fsa = s->fsa, .size = out->states, .ends = f2l_tuples_at_target, .dead = is_below_arcs};
    memcpy(tuples.target, out->state, out->states * sizeof *tuples.target);
    tuples.target[from] = out->state[to];
    *arc = (f2l_arc){.from = from, .to = to};
    out->arcs++;
    return f2l_tuples_find(&arc->word, &found, &tuples, out->state, NULL, err);
}

static f2l_status find_states_apart(f2l_arcs *out, const search *s, f2l_label label, f2l_error *err)
{
    const f2l_tuples tuples = {
        .fsa = s->fsa, .size = 2, .label = label, .ends = f2l_tuples_are_apart};
    f2l_status status = F2L_OK;
    size_t pair = 0;
    bool found;
    for (size_t i = 0; i < out->states; i++)
        for (size_t j = i + 1; j < out->states && status == F2L_OK; j++, pair++) {
            const uint32_t two[] = {out->state[i], out->state[j]};
            if (label != F2L_LABEL_EDGES && f2l_labels_differ(s->fsa, label, two[0], two[1]))
                continue;
            status = f2l_tuples_find(&out->apart[pair], &found, &tuples, two, NULL, err);
        }
    return status;
}

/* Finds the words for the set. */
static f2l_status find_words(f2l_arcs *out, search *s, f2l_label label, const f2l_task *task,
                             f2l_error *err)
{
    const size_t size = s->best;
    size_t order[F2L_MOST_ARCS], parent[F2L_MOST_ARCS];
    made_arcs made;
    bool found;
    memcpy(out->state, s->set, size * sizeof *s->set);
    out->states = size;
    out->arc = f2l_calloc(2 * size, sizeof *out->arc);
    out->apart = f2l_calloc(size * (size - 1) / 2, sizeof *out->apart);
    if (!out->arc || !out->apart) return f2l_fail_memory(err);
    f2l_status status = find_made(&made, s, out->state, size, err);
    if (status != F2L_OK || !span(order, parent, made.made, size)) return status;
    for (size_t i = 1; i < size && status == F2L_OK; i++) {
        status = find_arc(out, s, order[i], parent[order[i]], err);
        if (status == F2L_OK) status = find_arc(out, s, parent[order[i]], order[i], err);
    }
    if (status == F2L_OK) status = find_states_apart(out, s, label, err);
    if (status != F2L_OK) return status;
    f2l_tuples still = {
        .fsa = s->fsa, .size = size, .most = MOST_TUPLES, .ends = f2l_tuples_at_target};
    memcpy(still.target, out->state, size * sizeof *still.target);
    status = f2l_tuples_find(&out->still, &found, &still, out->state, task, err);
    out->layers = size - 1;
    return status == F2L_UNKNOWN ? F2L_OK : status;
}

static f2l_status find_arcs(f2l_arcs *out, const f2l_fsa *minimal, f2l_label label,
                            const f2l_task *task, f2l_error *err)
{
    search s = {.fsa = minimal, .task = task};
    if (minimal->states.count > MOST_STATES)
        return f2l_fail(err, F2L_UNKNOWN, "more than %d states", MOST_STATES);
    f2l_rowset_init(&s.tried);
    f2l_status status = find_set(&s, err);
    out->complete = (status == F2L_OK && !s.cut) || is_done(&s);
    if (s.cut) snprintf(out->reason, sizeof out->reason, "a set has too many tuples of states");
    if (status == F2L_UNKNOWN) {
        snprintf(out->reason, sizeof out->reason, "%.255s", err->text);
        status = F2L_OK;
    }
    s.task = NULL;
    if (status == F2L_OK && s.best > 2) status = find_words(out, &s, label, task, err);
    f2l_rowset_clear(&s.tried);
    f2l_free(s.pair);
    return status;
}

f2l_status f2l_arcs_find(f2l_arcs *out, const f2l_fsa *fsa, f2l_label label, const f2l_task *task,
                         f2l_error *err)
{
    f2l_fsa minimal;
    f2l_fsa_init(&minimal);
    f2l_arcs_clear(out);
    f2l_status status = f2l_fsa_minimal(&minimal, &out->class_of, fsa, label, task, err);
    if (status == F2L_OK) status = find_arcs(out, &minimal, label, task, err);
    if (status == F2L_UNKNOWN) {
        snprintf(out->reason, sizeof out->reason, "%.255s", err->text);
        status = F2L_OK;
    }
    f2l_fsa_clear(&minimal);
    if (status != F2L_OK) f2l_arcs_clear(out);
    return status;
}

/* --- the certificate --- */

f2l_status f2l_arcs_certificate(f2l_buf *out, const f2l_arcs *arcs, const f2l_fsa *fsa,
                                f2l_label label, f2l_error *err)
{
    size_t pair = 0;
    if (arcs->layers == 0) return f2l_fail(err, F2L_EDOMAIN, "there is no bound to prove");
    f2l_status status = f2l_bound_begin(out, "arcs", fsa, label, arcs->class_of, err);
    if (status != F2L_OK) return status;
    f2l_buf_text(out, "states");
    for (size_t i = 0; i < arcs->states; i++) f2l_buf_printf(out, " %u", arcs->state[i] + 1);
    f2l_buf_text(out, "\n");
    for (size_t i = 0; i < arcs->arcs; i++) {
        f2l_buf_printf(out, "arc %zu %zu", arcs->arc[i].from + 1, arcs->arc[i].to + 1);
        f2l_word_write(out, "", &arcs->arc[i].word);
    }
    for (size_t i = 0; i < arcs->states; i++)
        for (size_t j = i + 1; j < arcs->states; j++) {
            f2l_buf_printf(out, "apart %zu %zu", i + 1, j + 1);
            f2l_word_write(out, "", &arcs->apart[pair++]);
        }
    if (arcs->still.length > 0) {
        f2l_word_write(out, "still", &arcs->still);
    }
    f2l_buf_text(out, "end\n");
    return f2l_buf_status(out, err);
}
