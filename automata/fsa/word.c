#include "automata/fsa/word.h"
#include "automata/fsa/rowset.h"
#include "numeric/base/mem.h"
#include <string.h>

void f2l_word_clear(f2l_word *word)
{
    f2l_free(word->letter);
    *word = (f2l_word){0};
}

void f2l_word_write(f2l_buf *out, const char *before, const f2l_word *word)
{
    f2l_buf_text(out, before);
    for (size_t i = 0; i < word->length; i++) f2l_buf_printf(out, " %u", word->letter[i] + 1);
    f2l_buf_text(out, "\n");
}

f2l_status f2l_bound_begin(f2l_buf *out, const char *kind, const f2l_fsa *fsa, f2l_label label,
                           const uint32_t *class_of, f2l_error *err)
{
    char hex[65];
    f2l_status status = f2l_fsa_sha256(fsa, hex, err);
    if (status != F2L_OK) return status;
    f2l_buf_printf(out, "lrnn-%s 1\nfsa %s\nlabel %s\nclasses", kind, hex, f2l_label_name(label));
    for (size_t i = 0; i < fsa->states.count; i++)
        f2l_buf_printf(out, " %u", class_of[i] + 1); /* 0 where it cannot be reached */
    f2l_buf_text(out, "\n");
    return F2L_OK;
}

bool f2l_labels_differ(const f2l_fsa *fsa, f2l_label label, size_t p, size_t q)
{
    return strcmp(f2l_fsa_label(fsa, label, p), f2l_fsa_label(fsa, label, q)) != 0;
}

bool f2l_tuples_at_target(const f2l_tuples *search, const uint32_t *from, size_t letter,
                          const uint32_t *to)
{
    (void)from;
    (void)letter;
    return memcmp(search->target, to, search->size * sizeof *to) == 0;
}

bool f2l_tuples_are_apart(const f2l_tuples *search, const uint32_t *from, size_t letter,
                          const uint32_t *to)
{
    const f2l_fsa *fsa = search->fsa;
    const size_t k = fsa->letters.count;
    if (search->label == F2L_LABEL_EDGES)
        return fsa->edge_output[from[0] * k + letter] != fsa->edge_output[from[1] * k + letter];
    return f2l_labels_differ(fsa, search->label, to[0], to[1]);
}

#define MOST_PACKED ((size_t)1 << 17) /* tuples whose numbers are kept in a table */

/* The tuples that were met, and how. */
typedef struct walk {
    const f2l_tuples *search;
    size_t count;    /* tuples that were met */
    uint32_t *tuple; /* [count][size] where all tuples are few: then `packed` has the bits of those
                      * that were met, and `met` is empty */
    uint64_t *packed;
    f2l_rowset met;
    size_t tuples;             /* capacity */
    uint32_t *parent, *letter; /* [count - 1], for all tuples but the first */
    size_t parents, letters;   /* capacities */
} walk;

static f2l_status open_walk(walk *w, f2l_error *err)
{
    const size_t n = w->search->fsa->states.count;
    size_t tuples = 1;
    f2l_rowset_init(&w->met);
    for (size_t i = 0; i < w->search->size && tuples <= MOST_PACKED; i++) tuples *= n;
    if (tuples > MOST_PACKED) return F2L_OK;
    w->packed = f2l_calloc(tuples / 64 + 1, sizeof *w->packed);
    return w->packed ? F2L_OK : f2l_fail_memory(err);
}

/* Sets *new to whether the tuple was not met before, and adds it then. */
static f2l_status add_tuple(bool *new, walk *w, const uint32_t *tuple, f2l_error *err)
{
    const size_t size = w->search->size, n = w->search->fsa->states.count;
    size_t at = 0;
    if (!w->packed) {
        f2l_status status = f2l_rowset_add(&w->met, tuple, size, &at, err);
        *new = at == w->count;
        return status;
    }
    for (size_t i = 0; i < size; i++) at = at * n + tuple[i];
    const uint64_t bit = (uint64_t)1 << (at % 64);
    *new = (w->packed[at / 64] & bit) == 0;
    if (!*new) return F2L_OK;
    w->packed[at / 64] |= bit;
    if (!f2l_grow((void **)&w->tuple, &w->tuples, w->count, size * sizeof *w->tuple))
        return f2l_fail_memory(err);
    memcpy(w->tuple + w->count * size, tuple, size * sizeof *tuple);
    return F2L_OK;
}

static const uint32_t *get_tuple(const walk *w, size_t index)
{
    return w->packed ? w->tuple + index * w->search->size : f2l_rowset_get(&w->met, index, NULL);
}

/* Adds a tuple unless it was met, or nothing follows it. */
static f2l_status meet_tuple(walk *w, const uint32_t *tuple, size_t parent, size_t letter,
                             f2l_error *err)
{
    bool new;
    if (w->count > 0 && w->search->dead && w->search->dead(w->search, tuple)) return F2L_OK;
    f2l_status status = add_tuple(&new, w, tuple, err);
    if (status != F2L_OK || !new || w->count++ == 0) return status;
    const size_t at = w->count - 2;
    if (!f2l_grow((void **)&w->parent, &w->parents, at, sizeof *w->parent) ||
        !f2l_grow((void **)&w->letter, &w->letters, at, sizeof *w->letter))
        return f2l_fail_memory(err);
    w->parent[at] = (uint32_t)parent;
    w->letter[at] = (uint32_t)letter;
    return F2L_OK;
}

/* Sets *out to the word that leads to tuple `index`, then the letter. */
static f2l_status read_word_back(f2l_word *out, const walk *w, size_t index, size_t letter,
                                 f2l_error *err)
{
    out->length = 1;
    for (size_t i = index; i > 0; i = w->parent[i - 1]) out->length++;
    out->letter = f2l_calloc(out->length, sizeof *out->letter);
    if (!out->letter) return f2l_fail_memory(err);
    size_t at = out->length;
    out->letter[--at] = (uint32_t)letter;
    for (size_t i = index; i > 0; i = w->parent[i - 1]) out->letter[--at] = w->letter[i - 1];
    return F2L_OK;
}

/* Follows the letters from tuple `index`; sets *found and the word when one ends the search. */
static f2l_status follow_tuple(f2l_word *out, bool *found, walk *w, size_t index, f2l_error *err)
{
    const f2l_fsa *fsa = w->search->fsa;
    const size_t k = fsa->letters.count, size = w->search->size;
    f2l_status status = F2L_OK;
    for (size_t a = 0; a < k && status == F2L_OK && !*found; a++) {
        uint32_t from[F2L_MOST_TUPLE], to[F2L_MOST_TUPLE];
        memcpy(from, get_tuple(w, index), size * sizeof *from);
        for (size_t i = 0; i < size; i++) to[i] = fsa->next[from[i] * k + a];
        *found = w->search->ends(w->search, from, a, to);
        status = *found ? read_word_back(out, w, index, a, err) : meet_tuple(w, to, index, a, err);
    }
    return status;
}

f2l_status f2l_tuples_find(f2l_word *out, bool *found, const f2l_tuples *search,
                           const uint32_t *start, const f2l_task *task, f2l_error *err)
{
    walk w = {.search = search};
    f2l_meter meter = {.task = task, .phase = "tuples of states"};
    *found = false;
    f2l_status status = open_walk(&w, err);
    if (status == F2L_OK) status = meet_tuple(&w, start, 0, 0, err);
    for (size_t i = 0; i < w.count && status == F2L_OK && !*found; i++) {
        status = follow_tuple(out, found, &w, i, err);
        if (status == F2L_OK)
            status = f2l_meter_spend(&meter, 10 * search->fsa->letters.count, (double)i, 0, err);
        if (status == F2L_OK && search->most > 0 && w.count > search->most && !*found)
            status = f2l_fail(err, F2L_UNKNOWN, "more than %zu tuples of states", search->most);
    }
    f2l_rowset_clear(&w.met);
    f2l_free(w.packed);
    f2l_free(w.tuple);
    f2l_free(w.parent);
    f2l_free(w.letter);
    return status;
}

/* Ends a search at a state that is judged as target[0] says. */
static bool ends_at_judged(const f2l_tuples *search, const uint32_t *from, size_t letter,
                           const uint32_t *to)
{
    (void)from;
    (void)letter;
    return (search->fsa->accept[to[0]] != 0) == (search->target[0] != 0);
}

f2l_status f2l_word_judged(f2l_word *out, bool *found, const f2l_fsa *fsa, bool accepted,
                           const f2l_task *task, f2l_error *err)
{
    const f2l_tuples search = {.fsa = fsa, .size = 1, .ends = ends_at_judged, .target = {accepted}};
    const uint32_t start = (uint32_t)fsa->start;
    *found = (fsa->accept[start] != 0) == accepted;
    return *found ? F2L_OK : f2l_tuples_find(out, found, &search, &start, task, err);
}
