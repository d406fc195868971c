/* The letters of an automaton in another order. */
#include "automata/fsa/fsa.h"
#include "automata/fsa/fsa_build.h"
#include "numeric/base/mem.h"
#include <string.h>

/* Fails with the name of a letter that is missing from `in`. */
static f2l_status find_letters_in(uint32_t *from, const f2l_names *names, const f2l_names *in,
                                  const char *which, f2l_error *err)
{
    for (size_t a = 0; a < names->count; a++) {
        char shown[F2L_SHOWN];
        const char *name = f2l_names_get(names, a);
        const size_t found = f2l_names_find(in, name, strlen(name));
        if (found == F2L_NO_INDEX)
            return f2l_fail(err, F2L_EDOMAIN, "%s `%s`", which,
                            f2l_shown(shown, name, strlen(name)));
        if (from) from[a] = (uint32_t)found;
    }
    return F2L_OK;
}

/* Moves column from[a] of each row to column a. */
static void move_columns(uint32_t *table, uint32_t *row, const uint32_t *from, size_t rows,
                         size_t letters)
{
    for (size_t q = 0; q < rows; q++) {
        memcpy(row, table + q * letters, letters * sizeof *row);
        for (size_t a = 0; a < letters; a++) table[q * letters + a] = row[from[a]];
    }
}

static f2l_status order(f2l_fsa *fsa, uint32_t *from, uint32_t *row, const f2l_names *letters,
                        f2l_error *err)
{
    const size_t states = fsa->states.count, k = letters->count;
    size_t dropped;
    f2l_names names;
    f2l_names_init(&names);
    f2l_status status =
        find_letters_in(from, letters, &fsa->letters, "the automaton has no letter", err);
    if (status == F2L_OK)
        status =
            find_letters_in(NULL, &fsa->letters, letters, "only the automaton has the letter", err);
    if (status == F2L_OK) status = f2l_names_copy(&names, letters, err);
    if (status != F2L_OK) return status;
    move_columns(fsa->next, row, from, states, k);
    if (fsa->edge_output) move_columns(fsa->edge_output, row, from, states, k);
    f2l_fsa_take_letters(fsa, &names);
    status = f2l_fsa_trim(fsa, &dropped, err);
    return status == F2L_OK ? f2l_fsa_number_outputs(fsa, err) : status;
}

f2l_status f2l_fsa_order_letters(f2l_fsa *fsa, const f2l_names *letters, f2l_error *err)
{
    if (f2l_names_equal(&fsa->letters, letters)) return F2L_OK;
    uint32_t *from = f2l_calloc(letters->count, sizeof *from);
    uint32_t *row = f2l_calloc(letters->count, sizeof *row);
    const f2l_status status =
        from && row ? order(fsa, from, row, letters, err) : f2l_fail_memory(err);
    f2l_free(from);
    f2l_free(row);
    return status;
}
