/* The subset construction (Rabin and Scott 1959) on the reachable part. */
#include "automata/fsa/fsa_build.h"
#include "automata/fsa/impl.h"
#include "automata/fsa/rowset.h"
#include "numeric/base/mem.h"
#include <stdlib.h>
#include <string.h>

/* The two kinds of rows. While the successors of all (state, letter), as bit sets, stay below this
 * many words, a subset is a bit set, so that a successor takes a few word operations; beyond it is
 * the sorted list of its members. */
#define DENSE_WORDS ((size_t)1 << 22)

typedef struct subsets {
    const f2l_nfa *nfa;
    const f2l_edge_index *x;
    size_t states, letters;
    bool dense;
    size_t words;     /* of a bit set */
    uint32_t *move;   /* dense: [states][letters][words], closed under epsilon */
    uint8_t *listed;  /* [states] in `list` */
    uint32_t *list;   /* [states] members of the set being built */
    size_t count;     /* of `list` */
    uint32_t *bits;   /* [words] */
    uint32_t *member; /* [states] of the set being left */
    size_t members;
    f2l_rowset rows;
    uint32_t *next; /* [rows][letters], UINT32_MAX for the empty set */
    size_t next_capacity;
} subsets;

static void subsets_clear(subsets *u)
{
    f2l_free(u->move);
    f2l_free(u->listed);
    f2l_free(u->list);
    f2l_free(u->bits);
    f2l_free(u->member);
    f2l_free(u->next);
    f2l_rowset_clear(&u->rows);
}

static void list_state(subsets *u, uint32_t s)
{
    if (u->listed[s]) return;
    u->listed[s] = 1;
    u->list[u->count++] = s;
}

/* Returns the first edge of state s whose letter is at least `letter`. */
static size_t edge_at(const subsets *u, size_t s, uint32_t letter)
{
    size_t low = u->x->first[s], high = u->x->first[s + 1];
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (u->x->edge[middle].letter < letter)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void list_successors(subsets *u, uint32_t s, uint32_t letter)
{
    const size_t end = u->x->first[s + 1];
    for (size_t i = edge_at(u, s, letter); i < end && u->x->edge[i].letter == letter; i++)
        list_state(u, u->x->edge[i].to);
}

/* Closes the list under epsilon; it grows while it is walked. */
static void close_list(subsets *u)
{
    for (size_t i = 0; i < u->count; i++) list_successors(u, u->list[i], F2L_EPSILON);
}

static void empty_list(subsets *u)
{
    for (size_t i = 0; i < u->count; i++) u->listed[u->list[i]] = 0;
    u->count = 0;
}

static void list_to_bits(uint32_t *bits, const subsets *u)
{
    for (size_t i = 0; i < u->count; i++) bits[u->list[i] / 32] |= UINT32_C(1) << u->list[i] % 32;
}

static void bits_to_members(subsets *u, const uint32_t *bits)
{
    u->members = 0;
    for (size_t w = 0; w < u->words; w++)
        for (uint32_t rest = bits[w]; rest; rest &= rest - 1)
            u->member[u->members++] = (uint32_t)(w * 32 + (size_t)__builtin_ctz(rest));
}

static void load_members(subsets *u, size_t row)
{
    size_t size;
    const uint32_t *word = f2l_rowset_get(&u->rows, row, &size);
    if (u->dense) {
        bits_to_members(u, word);
    } else {
        memcpy(u->member, word, size * sizeof *word);
        u->members = size;
    }
}

static int compare_states(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* Adds the listed set as a row. */
static f2l_status add_listed_set(subsets *u, size_t *index, f2l_error *err)
{
    if (u->dense) {
        memset(u->bits, 0, u->words * sizeof *u->bits);
        list_to_bits(u->bits, u);
        return f2l_rowset_add(&u->rows, u->bits, u->words, index, err);
    }
    qsort(u->list, u->count, sizeof *u->list, compare_states);
    return f2l_rowset_add(&u->rows, u->list, u->count, index, err);
}

/* Returns whether the successor of the loaded members is empty; otherwise it is in `bits` or
 * `list`. */
static bool move_members(subsets *u, uint32_t letter)
{
    if (!u->dense) {
        for (size_t i = 0; i < u->members; i++) list_successors(u, u->member[i], letter);
        close_list(u);
        return u->count == 0;
    }
    uint32_t any = 0;
    memset(u->bits, 0, u->words * sizeof *u->bits);
    for (size_t i = 0; i < u->members; i++) {
        const uint32_t *move = u->move + (u->member[i] * u->letters + letter) * u->words;
        for (size_t w = 0; w < u->words; w++) any |= u->bits[w] |= move[w];
    }
    return any == 0;
}

static f2l_status leave_row(subsets *u, size_t row, f2l_error *err)
{
    load_members(u, row);
    for (size_t a = 0; a < u->letters; a++) {
        size_t index = UINT32_MAX;
        f2l_status status = F2L_OK;
        if (!move_members(u, (uint32_t)a))
            status = u->dense ? f2l_rowset_add(&u->rows, u->bits, u->words, &index, err)
                              : add_listed_set(u, &index, err);
        empty_list(u);
        if (status != F2L_OK) return status;
        u->next[row * u->letters + a] = (uint32_t)index;
    }
    return F2L_OK;
}

static bool reserve_next(subsets *u, size_t rows)
{
    if (rows <= u->next_capacity) return true;
    const size_t more = u->next_capacity ? u->next_capacity * 2 : 64;
    size_t entries;
    if (!f2l_mul_size(&entries, more, u->letters)) return false;
    uint32_t *next = f2l_realloc(u->next, entries, sizeof *next);
    if (!next) return false;
    u->next = next;
    u->next_capacity = more;
    return true;
}

static f2l_status search_subsets(subsets *u, size_t max_states, const f2l_task *task,
                                 f2l_error *err)
{
    static const char phase[] = "subset construction";
    size_t start;
    for (size_t s = 0; s < u->states; s++)
        if (u->nfa->is_start[s]) list_state(u, (uint32_t)s);
    close_list(u);
    f2l_status status = add_listed_set(u, &start, err);
    empty_list(u);
    for (size_t row = 0; row < u->rows.count && status == F2L_OK; row++) {
        if (row % 1024 == 0) {
            const size_t bytes =
                f2l_rowset_bytes(&u->rows) + u->next_capacity * u->letters * sizeof *u->next;
            status = f2l_task_poll(task, phase, (double)row, 0, err);
            if (status == F2L_OK) status = f2l_task_memory(task, phase, bytes, err);
        }
        if (status == F2L_OK)
            status = reserve_next(u, row + 1) ? leave_row(u, row, err) : f2l_fail_memory(err);
        if (status == F2L_OK && u->rows.count > max_states)
            status = f2l_fail(err, F2L_UNKNOWN,
                              "making it deterministic needs more than %zu states", max_states);
    }
    return status;
}

/* Chooses the kind of row and, for bit sets, tabulates the closed successors of every reachable
 * state. */
static f2l_status prepare_subsets(subsets *u, const f2l_nfa *nfa, const f2l_edge_index *x,
                                  f2l_error *err)
{
    u->nfa = nfa;
    u->x = x;
    u->states = nfa->states.count;
    u->letters = nfa->letters.count;
    u->words = (u->states + 31) / 32;
    f2l_rowset_init(&u->rows);
    size_t cells;
    u->dense = f2l_mul_size(&cells, u->states, u->letters) &&
               f2l_mul_size(&cells, cells, u->words) && cells <= DENSE_WORDS;
    u->listed = f2l_calloc(u->states, sizeof *u->listed);
    u->list = f2l_calloc(u->states, sizeof *u->list);
    u->member = f2l_calloc(u->states, sizeof *u->member);
    u->bits = f2l_calloc(u->words, sizeof *u->bits);
    if (u->dense) u->move = f2l_calloc(cells, sizeof *u->move);
    if (!u->listed || !u->list || !u->member || !u->bits || (u->dense && !u->move))
        return f2l_fail_memory(err);
    for (size_t s = 0; u->dense && s < u->states; s++)
        for (size_t a = 0; a < u->letters; a++) {
            list_successors(u, (uint32_t)s, (uint32_t)a);
            close_list(u);
            list_to_bits(u->move + (s * u->letters + a) * u->words, u);
            empty_list(u);
        }
    return F2L_OK;
}

/* Names a subset {p,q}; names that contain commas or braces can make two subsets look the same, and
 * then primes tell them apart. */
static f2l_status name_members(f2l_names *names, f2l_buf *name, const subsets *u, f2l_error *err)
{
    name->size = 0;
    for (size_t i = 0; i < u->members; i++) {
        f2l_buf_text(name, i ? "," : "{");
        f2l_buf_text(name, f2l_names_get(&u->nfa->states, u->member[i]));
    }
    f2l_buf_text(name, "}");
    while (!name->failed && f2l_names_find(names, name->data, name->size) != F2L_NO_INDEX)
        f2l_buf_text(name, "'");
    const f2l_status status = f2l_buf_status(name, err);
    size_t index;
    return status == F2L_OK ? f2l_names_add(names, name->data, name->size, &index, err) : status;
}

static f2l_status output_of_members(uint32_t *output, const subsets *u, f2l_error *err)
{
    const f2l_nfa *nfa = u->nfa;
    *output = nfa->output[u->member[0]];
    for (size_t i = 1; i < u->members; i++) {
        if (nfa->output[u->member[i]] == *output) continue;
        char p[F2L_SHOWN], q[F2L_SHOWN];
        const char *first = f2l_names_get(&nfa->states, u->member[0]);
        const char *other = f2l_names_get(&nfa->states, u->member[i]);
        return f2l_fail(err, F2L_EDOMAIN,
                        "states `%s` and `%s` have different outputs, and one word leads to both",
                        f2l_shown(p, first, strlen(first)), f2l_shown(q, other, strlen(other)));
    }
    return F2L_OK;
}

static f2l_status describe_subset_rows(f2l_fsa *out, subsets *u, const f2l_task *task,
                                       f2l_error *err)
{
    const bool outputs = u->nfa->outputs.count > 0;
    out->accept = f2l_calloc(u->rows.count, sizeof *out->accept);
    if (outputs) out->output = f2l_calloc(u->rows.count, sizeof *out->output);
    if (!out->accept || (outputs && !out->output)) return f2l_fail_memory(err);
    f2l_buf name;
    f2l_buf_init(&name);
    f2l_status status = F2L_OK;
    size_t bytes = 0; /* of the names: a large subset has a long one */
    for (size_t row = 0; row < u->rows.count && status == F2L_OK; row++) {
        load_members(u, row);
        for (size_t i = 0; i < u->members; i++) out->accept[row] |= u->nfa->accept[u->member[i]];
        if (outputs) status = output_of_members(&out->output[row], u, err);
        if (status == F2L_OK) status = name_members(&out->states, &name, u, err);
        bytes += name.size;
        if (status == F2L_OK) status = f2l_task_memory(task, "names of subsets", bytes, err);
    }
    f2l_buf_clear(&name);
    return status;
}

f2l_status f2l_nfa_subsets(f2l_fsa *out, const f2l_nfa *nfa, const f2l_edge_index *x,
                           size_t max_states, const f2l_task *task, f2l_error *err)
{
    subsets u = {0};
    f2l_status status = prepare_subsets(&u, nfa, x, err);
    if (status == F2L_OK) status = search_subsets(&u, max_states, task, err);
    if (status == F2L_OK) status = f2l_names_copy(&out->letters, &nfa->letters, err);
    if (status == F2L_OK) status = f2l_names_copy(&out->outputs, &nfa->outputs, err);
    if (status == F2L_OK) status = describe_subset_rows(out, &u, task, err);
    if (status == F2L_OK) {
        out->next = u.next;
        out->start = 0;
        u.next = NULL;
    }
    subsets_clear(&u);
    return status;
}
