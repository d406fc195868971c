/* Letters that act alike: finding and merging them. */
#include "automata/fsa/fsa.h"
#include "automata/fsa/fsa_build.h"
#include "numeric/base/index.h"
#include "numeric/base/mem.h"
#include <string.h>

static bool same_edge(const f2l_fsa *fsa, size_t e, size_t f)
{
    return fsa->next[e] == fsa->next[f] &&
           (!fsa->edge_output || fsa->edge_output[e] == fsa->edge_output[f]);
}

/* The first letters of the classes met so far, with the hashes of all columns. */
typedef struct column_set {
    const f2l_fsa *fsa;
    uint64_t *hash;  /* [letters] */
    uint32_t *first; /* [classes] */
    f2l_index index; /* of the classes */
} column_set;

static uint64_t hash_of_column_class(const void *set, size_t class)
{
    const column_set *columns = set;
    return columns->hash[columns->first[class]];
}

/* Returns whether the first letter of the class acts as the letter *key does. */
static bool is_class(const void *set, size_t class, const void *key)
{
    const column_set *columns = set;
    const uint32_t *letter = key;
    const size_t states = columns->fsa->states.count, k = columns->fsa->letters.count;
    size_t q = 0;
    while (q < states && same_edge(columns->fsa, q * k + columns->first[class], q * k + *letter))
        q++;
    return q == states;
}

/* Hashes all columns, row by row. */
static f2l_status hash_columns(column_set *columns, f2l_meter *meter, f2l_error *err)
{
    const f2l_fsa *fsa = columns->fsa;
    const size_t states = fsa->states.count, k = fsa->letters.count;
    for (size_t a = 0; a < k; a++) columns->hash[a] = F2L_HASH;
    for (size_t q = 0; q < states; q++) {
        f2l_status status = f2l_meter_spend(meter, k, (double)q, (double)states, err);
        if (status != F2L_OK) return status;
        for (size_t a = 0; a < k; a++)
            columns->hash[a] = f2l_hash(columns->hash[a], fsa->next[q * k + a]);
    }
    return F2L_OK;
}

f2l_status f2l_fsa_letter_classes(uint32_t **class_of, size_t *classes, const f2l_fsa *fsa,
                                  const f2l_task *task, f2l_error *err)
{
    const size_t states = fsa->states.count, k = fsa->letters.count;
    f2l_meter meter = {.task = task, .phase = "letters that act alike"};
    column_set columns = {.fsa = fsa,
                          .hash = f2l_calloc(k, sizeof *columns.hash),
                          .first = f2l_calloc(k, sizeof *columns.first)};
    *class_of = f2l_calloc(k, sizeof **class_of);
    const bool made = *class_of && columns.hash && columns.first &&
                      f2l_index_reserve(&columns.index, k, hash_of_column_class, &columns);
    f2l_status status = made ? hash_columns(&columns, &meter, err) : f2l_fail_memory(err);
    for (uint32_t a = 0; status == F2L_OK && a < k; a++) {
        const size_t met = columns.index.count;
        (*class_of)[a] = (uint32_t)f2l_index_find_or_add(&columns.index, columns.hash[a], is_class,
                                                         &columns, &a);
        if (columns.index.count > met)
            columns.first[met] = a;
        else
            status = f2l_meter_spend(&meter, states, (double)a, (double)k, err);
    }
    *classes = columns.index.count;
    if (status != F2L_OK) {
        f2l_free(*class_of);
        *class_of = NULL;
    }
    f2l_free(columns.hash);
    f2l_free(columns.first);
    f2l_index_clear(&columns.index);
    return status;
}

static f2l_status check_alike(const f2l_fsa *fsa, size_t first, size_t letter, f2l_error *err)
{
    const size_t k = fsa->letters.count;
    for (size_t q = 0; q < fsa->states.count; q++) {
        if (same_edge(fsa, q * k + first, q * k + letter)) continue;
        char a[F2L_SHOWN], b[F2L_SHOWN], state[F2L_SHOWN];
        const char *x = f2l_names_get(&fsa->letters, first),
                   *y = f2l_names_get(&fsa->letters, letter);
        const char *s = f2l_names_get(&fsa->states, q);
        return f2l_fail(err, F2L_EDOMAIN,
                        "letters `%s` and `%s` are of one class and act in different ways on state "
                        "`%s`",
                        f2l_shown(a, x, strlen(x)), f2l_shown(b, y, strlen(y)),
                        f2l_shown(state, s, strlen(s)));
    }
    return F2L_OK;
}

/* Sets first[class] to the first letter of the class. */
static f2l_status find_first(uint32_t *first, const f2l_fsa *fsa, const uint32_t *class_of,
                             f2l_error *err)
{
    size_t met = 0;
    f2l_status status = F2L_OK;
    for (size_t a = 0; status == F2L_OK && a < fsa->letters.count; a++) {
        if (class_of[a] == met)
            first[met++] = (uint32_t)a;
        else
            status = check_alike(fsa, first[class_of[a]], a, err);
    }
    return status;
}

/* Moves the entries of kept letters in place: row by row, entries move forward only. */
static void keep_columns(uint32_t *table, size_t states, size_t letters, const uint32_t *first,
                         size_t classes)
{
    for (size_t q = 0; q < states; q++)
        for (size_t c = 0; c < classes; c++) table[q * classes + c] = table[q * letters + first[c]];
}

static f2l_status merge_state_classes(f2l_fsa *fsa, uint32_t *first, const uint32_t *class_of,
                                      size_t classes, f2l_error *err)
{
    const size_t states = fsa->states.count, letters = fsa->letters.count;
    f2l_names names;
    f2l_names_init(&names);
    f2l_status status = find_first(first, fsa, class_of, err);
    for (size_t c = 0; status == F2L_OK && c < classes; c++) {
        const char *name = f2l_names_get(&fsa->letters, first[c]);
        size_t index;
        status = f2l_names_add(&names, name, strlen(name), &index, err);
    }
    if (status != F2L_OK) {
        f2l_names_clear(&names);
        return status;
    }
    keep_columns(fsa->next, states, letters, first, classes);
    if (fsa->edge_output) keep_columns(fsa->edge_output, states, letters, first, classes);
    f2l_fsa_take_letters(fsa, &names);
    return F2L_OK;
}

f2l_status f2l_fsa_merge_letters(f2l_fsa *fsa, const uint32_t *class_of, size_t classes,
                                 f2l_error *err)
{
    uint32_t *first = f2l_calloc(classes, sizeof *first);
    const f2l_status status =
        first ? merge_state_classes(fsa, first, class_of, classes, err) : f2l_fail_memory(err);
    f2l_free(first);
    return status;
}
