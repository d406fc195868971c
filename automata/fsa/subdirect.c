#include "automata/fsa/subdirect.h"
#include "numeric/base/mem.h"
#include <string.h>

#define MOST_PAIRS ((size_t)1 << 24)   /* of states */
#define MOST_EDGES ((uint64_t)1 << 30) /* of the graph of pairs */
#define MOST_PARTS 64

void f2l_subdirect_init(f2l_subdirect *out)
{
    *out = (f2l_subdirect){0};
}

void f2l_subdirect_clear(f2l_subdirect *out)
{
    for (size_t i = 0; i < out->parts; i++) f2l_free(out->class_of[i]);
    f2l_free(out->class_of);
    f2l_free(out->classes);
    f2l_subdirect_init(out);
}

typedef struct pair {
    uint32_t first, second;
} pair;

/* A congruence that grows by merging states, and can take back the last merges. */
typedef struct work {
    const f2l_fsa *fsa;
    size_t n, letters;
    pair apart;       /* two states that must stay apart */
    uint32_t *parent; /* [n] a forest with a tree for each class; a root is its own parent */
    uint32_t *size;   /* [n] of the tree, at roots */
    uint32_t *merged; /* [n] roots that have lost that place, in order */
    size_t merges;
    pair *open; /* [opens] pairs to be looked at */
    size_t opens, room;
    bool *leads;         /* [n][n] the pair leads to the two states by a word */
    uint32_t *before;    /* the states before each state, letter by letter */
    uint32_t *before_at; /* [letters][n + 1] */
    uint32_t *signature; /* [n] class in all congruences found so far */
    f2l_meter meter;
} work;

static void clear_congruences(work *w)
{
    f2l_free(w->parent);
    f2l_free(w->size);
    f2l_free(w->merged);
    f2l_free(w->open);
    f2l_free(w->leads);
    f2l_free(w->before);
    f2l_free(w->before_at);
    f2l_free(w->signature);
}

static f2l_status allocate_congruences(work *w, const f2l_task *task, f2l_error *err)
{
    const size_t n = w->n, k = w->letters;
    if (n > MOST_PAIRS / n || f2l_steps_of(n * n, k) > MOST_EDGES)
        return f2l_fail(err, F2L_UNKNOWN, "pairs of %zu states are too many to look for factors",
                        n);
    f2l_status status = f2l_task_table(task, "factors", n * n * sizeof *w->leads, err);
    if (status != F2L_OK) return status;
    w->parent = f2l_calloc(n, sizeof *w->parent);
    w->size = f2l_calloc(n, sizeof *w->size);
    w->merged = f2l_calloc(n, sizeof *w->merged);
    w->leads = f2l_calloc(n, n * sizeof *w->leads);
    w->before = f2l_calloc(n, k * sizeof *w->before);
    w->before_at = f2l_calloc(k, (n + 1) * sizeof *w->before_at);
    w->signature = f2l_calloc(n, sizeof *w->signature);
    return w->parent && w->size && w->merged && w->leads && w->before && w->before_at &&
                   w->signature
               ? F2L_OK
               : f2l_fail_memory(err);
}

/* Lists the states before each state by counting. */
static void list_states_before(work *w)
{
    const size_t n = w->n, k = w->letters;
    for (size_t a = 0; a < k; a++) {
        uint32_t *at = w->before_at + a * (n + 1), *list = w->before + a * n;
        for (size_t s = 0; s < n; s++) at[w->fsa->next[s * k + a] + 1]++;
        for (size_t s = 0; s < n; s++) at[s + 1] += at[s];
        for (size_t s = n; s-- > 0;) list[--at[w->fsa->next[s * k + a] + 1]] = (uint32_t)s;
        memmove(at, at + 1, n * sizeof *at); /* each place was moved down to its beginning */
        at[n] = (uint32_t)n;
    }
}

static bool push_pair(work *w, uint32_t x, uint32_t y)
{
    if (!f2l_grow((void **)&w->open, &w->room, w->opens, sizeof *w->open)) return false;
    w->open[w->opens++] = (pair){x, y};
    return true;
}

static bool mark_pair(work *w, uint32_t x, uint32_t y)
{
    if (w->leads[x * w->n + y]) return true;
    w->leads[x * w->n + y] = w->leads[y * w->n + x] = true;
    return push_pair(w, x, y);
}

/* Marks the pairs that a letter leads to this one. */
static f2l_status mark_before(work *w, pair to, size_t letter, f2l_error *err)
{
    const uint32_t *at = w->before_at + letter * (w->n + 1), *list = w->before + letter * w->n;
    const size_t i_end = at[to.first + 1], j_end = at[to.second + 1];
    const uint64_t pairs = (uint64_t)(i_end - at[to.first]) * (j_end - at[to.second]);
    f2l_status status = f2l_meter_spend(&w->meter, 1 + pairs, 0, 0, err);
    for (size_t i = at[to.first]; i < i_end && status == F2L_OK; i++)
        for (size_t j = at[to.second]; j < j_end && status == F2L_OK; j++)
            if (!mark_pair(w, list[i], list[j])) status = f2l_fail_memory(err);
    return status;
}

/* Marks the pairs of states that lead to the two states by a word: no congruence that keeps these
 * apart merges such a pair. */
static f2l_status mark_apart_pairs(work *w, f2l_error *err)
{
    memset(w->leads, 0, w->n * w->n * sizeof *w->leads);
    w->opens = 0;
    f2l_status status =
        mark_pair(w, w->apart.first, w->apart.second) ? F2L_OK : f2l_fail_memory(err);
    while (status == F2L_OK && w->opens > 0) {
        const pair to = w->open[--w->opens];
        for (size_t a = 0; status == F2L_OK && a < w->letters; a++)
            status = mark_before(w, to, a, err);
    }
    return status;
}

static size_t root_of_state(const work *w, size_t s)
{
    while (w->parent[s] != s) s = w->parent[s];
    return s;
}

/* Takes back all merges but the first `kept`. */
static void take_back_merges(work *w, size_t kept)
{
    while (w->merges > kept) {
        const uint32_t lost = w->merged[--w->merges];
        w->size[w->parent[lost]] -= w->size[lost];
        w->parent[lost] = lost;
    }
    w->opens = 0;
}

static bool are_apart(const work *w)
{
    return root_of_state(w, w->apart.first) != root_of_state(w, w->apart.second);
}

/* Makes two classes one, the larger tree the upper one. */
static void join_classes(work *w, size_t one, size_t other)
{
    const size_t large = w->size[one] > w->size[other] ? one : other,
                 small = large == one ? other : one;
    w->parent[small] = (uint32_t)large;
    w->size[large] += w->size[small];
    w->merged[w->merges++] = (uint32_t)small;
}

/* Merges two states and all that follows, or nothing if the two states that must stay apart would
 * be merged too. */
static f2l_status merge_two_states(work *w, size_t s, size_t t, f2l_error *err)
{
    const size_t before = w->merges, k = w->letters;
    bool good = push_pair(w, (uint32_t)s, (uint32_t)t), apart = true;
    f2l_status status = F2L_OK;
    while (good && apart && status == F2L_OK && w->opens > 0) {
        const pair now = w->open[--w->opens];
        const size_t one = root_of_state(w, now.first), other = root_of_state(w, now.second);
        if (one == other) continue;
        status = f2l_meter_spend(&w->meter, 10 + 2 * k, (double)w->merges, (double)w->n, err);
        join_classes(w, one, other);
        apart = !w->leads[now.first * w->n + now.second] && are_apart(w);
        for (size_t a = 0; good && a < k; a++)
            good = push_pair(w, w->fsa->next[now.first * k + a], w->fsa->next[now.second * k + a]);
    }
    if (!good) status = f2l_fail_memory(err);
    if (!good || !apart || status != F2L_OK) take_back_merges(w, before);
    return status;
}

/* Grows a largest congruence that keeps the two states apart. */
static f2l_status grow_congruence(work *w, f2l_error *err)
{
    f2l_status status = mark_apart_pairs(w, err);
    for (size_t s = 0; s < w->n; s++) {
        w->parent[s] = (uint32_t)s;
        w->size[s] = 1;
    }
    w->merges = 0;
    for (size_t t = 1; status == F2L_OK && t < w->n; t++) {
        status = f2l_meter_spend(&w->meter, t, (double)t, (double)w->n, err);
        for (size_t s = 0; s < t && status == F2L_OK && root_of_state(w, t) == t; s++) {
            if (w->leads[s * w->n + t] || root_of_state(w, s) != s) continue;
            status = merge_two_states(w, s, t, err);
        }
    }
    return status;
}

/* Numbers the classes by their first states; returns the number of classes. */
static size_t number_congruence_classes(uint32_t *class_of, const work *w)
{
    size_t count = 0;
    uint32_t *const number_of = w->merged; /* done with */
    memset(number_of, 0xff, w->n * sizeof *number_of);
    for (size_t s = 0; s < w->n; s++) {
        uint32_t *mine = &number_of[root_of_state(w, s)];
        if (*mine == UINT32_MAX) *mine = (uint32_t)count++;
        class_of[s] = *mine;
    }
    return count;
}

static f2l_status keep_congruence(f2l_subdirect *out, const work *w, f2l_error *err)
{
    uint32_t *class_of = f2l_calloc(w->n, sizeof *class_of);
    if (!class_of) return f2l_fail_memory(err);
    out->classes[out->parts] = number_congruence_classes(class_of, w);
    out->class_of[out->parts++] = class_of;
    return F2L_OK;
}

/* Numbers the tuples of classes in the congruences but number `without`, by first states; returns
 * how many there are. With `signature` [n]. */
static size_t combine_congruences(uint32_t *signature, const f2l_subdirect *s, size_t without,
                                  size_t n)
{
    size_t count = 0;
    for (size_t q = 0; q < n; q++) {
        size_t p = 0;
        for (; p < q; p++) {
            size_t i = 0;
            while (i < s->parts && (i == without || s->class_of[i][p] == s->class_of[i][q])) i++;
            if (i == s->parts) break;
        }
        signature[q] = p < q ? signature[p] : (uint32_t)count++;
    }
    return count;
}

/* Leaves out congruences that the others can do without, the last ones first. */
static void leave_out_congruences(f2l_subdirect *out, work *w)
{
    for (size_t i = out->parts; i-- > 0;) {
        if (combine_congruences(w->signature, out, i, w->n) < w->n) continue;
        f2l_free(out->class_of[i]);
        out->parts--;
        for (size_t j = i; j < out->parts; j++) {
            out->class_of[j] = out->class_of[j + 1];
            out->classes[j] = out->classes[j + 1];
        }
    }
}

/* Sets the two states to the first ones that no congruence keeps apart; returns whether there
 * are such states. */
static bool choose_merged_pair(work *w, const f2l_subdirect *out)
{
    if (combine_congruences(w->signature, out, out->parts, w->n) == w->n) return false;
    for (uint32_t t = 1;; t++)
        for (uint32_t s = 0; s < t; s++)
            if (w->signature[s] == w->signature[t]) {
                w->apart = (pair){s, t};
                return true;
            }
}

static f2l_status find_congruences(f2l_subdirect *out, work *w, f2l_error *err)
{
    f2l_status status = F2L_OK;
    while (status == F2L_OK && choose_merged_pair(w, out)) {
        if (out->parts == MOST_PARTS)
            return f2l_fail(err, F2L_UNKNOWN, "the automaton has more than %d factors", MOST_PARTS);
        status = grow_congruence(w, err);
        if (status == F2L_OK && w->merges == 0)
            return f2l_fail(err, F2L_EDOMAIN,
                            "every proper quotient merges the states `%s` and `%s`",
                            f2l_names_get(&w->fsa->states, w->apart.first),
                            f2l_names_get(&w->fsa->states, w->apart.second));
        if (status == F2L_OK) status = keep_congruence(out, w, err);
    }
    if (status == F2L_OK) leave_out_congruences(out, w);
    return status;
}

f2l_status f2l_subdirect_find(f2l_subdirect *out, const f2l_fsa *fsa, const f2l_task *task,
                              f2l_error *err)
{
    work w = {.fsa = fsa,
              .n = fsa->states.count,
              .letters = fsa->letters.count,
              .meter = {.task = task, .phase = "factors"}};
    f2l_subdirect_clear(out);
    if (w.n < 2) return f2l_fail(err, F2L_EDOMAIN, "the automaton has one state");
    f2l_status status = allocate_congruences(&w, task, err);
    out->classes = f2l_calloc(MOST_PARTS, sizeof *out->classes);
    out->class_of = f2l_calloc(MOST_PARTS, sizeof *out->class_of);
    if (status == F2L_OK && out->classes && out->class_of && w.before_at && w.signature) {
        list_states_before(&w);
        status = find_congruences(out, &w, err);
    } else if (status == F2L_OK) {
        status = f2l_fail_memory(err);
    }
    clear_congruences(&w);
    if (status != F2L_OK) f2l_subdirect_clear(out);
    return status;
}
