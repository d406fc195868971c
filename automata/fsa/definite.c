/* Definite automata. States with equal rows of the transition table are merged, round by round:
 * after j rounds two states are one iff every word of j letters takes them to the same state
 * (K.1). */
#include "automata/fsa/definite.h"
#include "numeric/base/mem.h"
#include <string.h>

#define WORK ((size_t)200000000)

void f2l_definite_init(f2l_definite *d)
{
    *d = (f2l_definite){.k = SIZE_MAX};
}

void f2l_definite_clear(f2l_definite *d)
{
    f2l_free(d->letter_class);
    f2l_definite_init(d);
}

/* The automaton with the states merged so far, one column for every class of letters. */
typedef struct merging {
    size_t states, columns;
    uint32_t *next;   /* [states][columns] */
    uint32_t *merged; /* [states] of this round */
    uint32_t *first;  /* [states] the state whose row a new one has */
    f2l_index index;  /* of the new states */
    size_t work, left;
    const f2l_task *task;
    f2l_meter meter;
} merging;

static void merging_clear(merging *m)
{
    f2l_free(m->next);
    f2l_free(m->merged);
    f2l_free(m->first);
    f2l_index_clear(&m->index);
}

static uint64_t hash_merged_row(const merging *m, const uint32_t *row)
{
    return f2l_hash_bytes(F2L_HASH, row, m->columns * sizeof *row);
}

static uint64_t hash_of_merged_row(const void *merging_at, size_t number)
{
    const merging *m = merging_at;
    return hash_merged_row(m, m->next + m->first[number] * m->columns);
}

static bool is_row(const void *merging_at, size_t number, const void *row)
{
    const merging *m = merging_at;
    return memcmp(row, m->next + m->first[number] * m->columns, m->columns * sizeof *m->next) == 0;
}

static f2l_status merging_init(merging *m, const f2l_fsa *fsa, const f2l_definite *d,
                               f2l_error *err)
{
    size_t entries, bytes;
    m->states = fsa->states.count;
    m->columns = d->classes;
    if (!f2l_mul_size(&entries, m->states, m->columns) ||
        !f2l_add_size(&bytes, entries, f2l_index_slots(m->states)) ||
        !f2l_mul_size(&bytes, bytes, 2 * sizeof *m->next))
        return f2l_fail_memory(err);
    f2l_status status = f2l_task_memory(m->task, "the test for definiteness", bytes, err);
    if (status == F2L_OK) status = f2l_meter_spend(&m->meter, bytes / 2, 0, 0, err);
    if (status != F2L_OK) return status;
    m->next = f2l_calloc(entries, sizeof *m->next);
    m->merged = f2l_calloc(m->states, sizeof *m->merged);
    m->first = f2l_calloc(m->states, sizeof *m->first);
    if (!m->next || !m->merged || !m->first ||
        !f2l_index_reserve(&m->index, m->states, hash_of_merged_row, m))
        return f2l_fail_memory(err);
    for (size_t q = 0; q < m->states; q++)
        for (size_t a = 0; a < fsa->letters.count; a++)
            m->next[q * m->columns + d->letter_class[a]] = fsa->next[q * fsa->letters.count + a];
    return F2L_OK;
}

static f2l_status spend_on_rows(merging *m, f2l_error *err)
{
    if (m->left < m->columns)
        return f2l_fail(err, F2L_UNKNOWN,
                        "whether the automaton is definite was not decided within %zu table "
                        "entries",
                        m->work);
    m->left -= m->columns;
    return f2l_meter_spend(&m->meter, 4 + m->columns / 2, (double)(m->work - m->left), 0, err);
}

/* Numbers the different rows, and sets *count to their number. */
static f2l_status number_equal_rows(merging *m, size_t *count, f2l_error *err)
{
    f2l_index_empty(&m->index, m->states);
    *count = 0;
    for (size_t q = 0; q < m->states; q++) {
        const uint32_t *row = m->next + q * m->columns;
        f2l_status status = spend_on_rows(m, err);
        if (status != F2L_OK) return status;
        const size_t number =
            f2l_index_find_or_add(&m->index, hash_merged_row(m, row), is_row, m, row);
        if (number == *count) m->first[(*count)++] = (uint32_t)q;
        m->merged[q] = (uint32_t)number;
    }
    return F2L_OK;
}

/* Moves the row of each new state down to the state's number, over rows that are no longer
 * needed. */
static void merge_equal_rows(merging *m, size_t count)
{
    for (size_t i = 0; i < count; i++)
        for (size_t a = 0; a < m->columns; a++)
            m->next[i * m->columns + a] = m->merged[m->next[m->first[i] * m->columns + a]];
    m->states = count;
}

static f2l_status find_definite_order(merging *m, f2l_definite *d, f2l_error *err)
{
    size_t rounds = 0, count;
    for (; m->states > 1; rounds++) {
        f2l_status status = number_equal_rows(m, &count, err);
        if (status != F2L_OK) return status;
        if (count == m->states) return F2L_OK;
        merge_equal_rows(m, count);
    }
    d->definite = true;
    d->k = rounds;
    return F2L_OK;
}

f2l_status f2l_definite_find(f2l_definite *out, const f2l_fsa *fsa, size_t work,
                             const f2l_task *task, f2l_error *err)
{
    merging m = {.work = work ? work : WORK,
                 .task = task,
                 .meter = {.task = task, .phase = "test for definiteness"}};
    m.left = m.work;
    f2l_definite_clear(out);
    f2l_status status = f2l_fsa_letter_classes(&out->letter_class, &out->classes, fsa, task, err);
    if (status == F2L_OK) status = merging_init(&m, fsa, out, err);
    if (status == F2L_OK) status = find_definite_order(&m, out, err);
    merging_clear(&m);
    if (status != F2L_OK) f2l_definite_clear(out);
    return status;
}
