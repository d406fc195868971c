/* The list of all small automata up to names: tables in breadth-first numbering, of which the least
 * of each class under exchanges of letters is kept. */
#include "automata/census/census.h"
#include "numeric/base/mem.h"
#include <string.h>

f2l_status f2l_census_begin(f2l_census *census, size_t states, size_t letters, f2l_error *err)
{
    if (states < 1 || states > F2L_CENSUS_STATES || letters < 1 || letters > F2L_CENSUS_LETTERS)
        return f2l_fail(
            err, F2L_EDOMAIN,
            "a census has from 1 to %d states and from 1 to %d letters, not %zu and %zu",
            F2L_CENSUS_STATES, F2L_CENSUS_LETTERS, states, letters);
    *census = (f2l_census){.states = states, .letters = letters};
    return F2L_OK;
}

/* Returns the number of states that the first `entries` entries and the start have met. */
static size_t count_met_states(const f2l_census *c, size_t entries)
{
    size_t count = 1;
    for (size_t i = 0; i < entries; i++)
        if (c->next[i] == count) count++;
    return count;
}

/* Fills the entries from `first` on with the least numbers such that the row of every state comes
 * after an entry that meets the state. Returns false when no filling meets all states. */
static bool fill_entries(f2l_census *c, size_t first)
{
    const size_t entries = c->states * c->letters;
    size_t count = count_met_states(c, first);
    if (count < first / c->letters + (first % c->letters != 0)) return false;
    for (size_t i = first; i < entries; i++) {
        const size_t row = i / c->letters;
        if (count <= row) return false;
        const bool last_of_row = (i + 1) % c->letters == 0;
        const bool must_meet = last_of_row && count == row + 1 && count < c->states;
        c->next[i] = must_meet ? (uint8_t)count++ : 0;
    }
    return count == c->states;
}

/* Goes to the next table in breadth-first numbering; returns false past the last one. */
static bool advance_table(f2l_census *c)
{
    if (!c->begun) {
        c->begun = true;
        return fill_entries(c, 0);
    }
    for (size_t i = c->states * c->letters; i-- > 0;) {
        const size_t count = count_met_states(c, i);
        const size_t most = count < c->states ? count : c->states - 1;
        while (c->next[i] < most) {
            c->next[i]++;
            if (fill_entries(c, i + 1)) return true;
        }
    }
    return false;
}

/* Compares the table with the table in breadth-first numbering that the letters in another order
 * give; returns false when the other one comes first. */
static bool is_before(const f2l_census *c, const size_t *order)
{
    uint8_t name[F2L_CENSUS_STATES], old[F2L_CENSUS_STATES] = {0};
    size_t count = 1;
    memset(name, UINT8_MAX, sizeof name);
    name[0] = 0;
    for (size_t q = 0; q < c->states; q++)
        for (size_t a = 0; a < c->letters; a++) {
            const size_t target = c->next[old[q] * c->letters + order[a]];
            if (name[target] == UINT8_MAX) {
                old[count] = (uint8_t)target;
                name[target] = (uint8_t)count++;
            }
            const uint8_t mine = c->next[q * c->letters + a];
            if (mine != name[target]) return mine < name[target];
        }
    return true;
}

/* Goes to the next permutation of the letters in lexicographic order; returns false past the last
 * one. */
static bool reorder(size_t *order, size_t letters)
{
    size_t i = letters - 1;
    while (i > 0 && order[i - 1] > order[i]) i--;
    if (i == 0) return false;
    size_t j = letters - 1;
    while (order[j] < order[i - 1]) j--;
    const size_t first = order[i - 1];
    order[i - 1] = order[j];
    order[j] = first;
    for (size_t low = i, high = letters - 1; low < high; low++, high--) {
        const size_t swapped = order[low];
        order[low] = order[high];
        order[high] = swapped;
    }
    return true;
}

static bool is_first(const f2l_census *c)
{
    size_t order[F2L_CENSUS_LETTERS];
    for (size_t a = 0; a < c->letters; a++) order[a] = a;
    while (reorder(order, c->letters))
        if (!is_before(c, order)) return false;
    return true;
}

bool f2l_census_next(f2l_census *census)
{
    while (advance_table(census))
        if (is_first(census)) return true;
    return false;
}

uint64_t f2l_census_count(size_t states, size_t letters)
{
    uint64_t count = 0;
    f2l_census census = {.states = states, .letters = letters};
    while (f2l_census_next(&census)) count++;
    return count;
}

void f2l_census_name(f2l_buf *out, const f2l_census *census)
{
    for (size_t a = 0; a < census->letters; a++) {
        if (a > 0) f2l_buf_text(out, " ");
        for (size_t q = 0; q < census->states; q++)
            f2l_buf_printf(out, "%d", census->next[q * census->letters + a]);
    }
}

/* Returns whether the table is in breadth-first numbering and reaches all states. */
static bool is_numbered(const f2l_census *c)
{
    size_t count = 1;
    for (size_t i = 0; i < c->states * c->letters; i++) {
        if (count <= i / c->letters || c->next[i] > count) return false;
        if (c->next[i] == count) count++;
    }
    return count == c->states;
}

bool f2l_census_find(f2l_census *census, const char *name, size_t size)
{
    f2l_census found = {.states = census->states, .letters = census->letters, .begun = true};
    if (size != found.letters * (found.states + 1) - 1) return false;
    for (size_t i = 0; i < size; i++) {
        const size_t a = i / (found.states + 1), q = i % (found.states + 1);
        if (q == found.states) {
            if (name[i] != ' ') return false;
            continue;
        }
        if (name[i] < '0' || (size_t)(name[i] - '0') >= found.states) return false;
        found.next[q * found.letters + a] = (uint8_t)(name[i] - '0');
    }
    if (!is_numbered(&found) || !is_first(&found)) return false;
    *census = found;
    return true;
}

f2l_status f2l_census_automaton(f2l_fsa *out, const f2l_census *census, f2l_error *err)
{
    f2l_status status = F2L_OK;
    size_t index;
    for (size_t a = 0; a < census->letters && status == F2L_OK; a++) {
        const char letter = (char)('a' + (int)a);
        status = f2l_names_add(&out->letters, &letter, 1, &index, err);
    }
    for (size_t q = 0; q < census->states && status == F2L_OK; q++) {
        const char state = (char)('0' + (int)q);
        status = f2l_names_add(&out->states, &state, 1, &index, err);
    }
    if (status != F2L_OK) return status;
    const size_t entries = census->states * census->letters;
    out->next = f2l_calloc(entries, sizeof *out->next);
    out->accept = f2l_calloc(census->states, 1);
    if (!out->next || !out->accept) return f2l_fail_memory(err);
    for (size_t i = 0; i < entries; i++) out->next[i] = census->next[i];
    return F2L_OK;
}
