/* Letters that act alike, as far as pairs of a letter and a local state come up. */
#include "models/network/layered/impl.h"
#include "numeric/base/mem.h"
#include <string.h>

void f2l_letter_merge_clear(f2l_letter_merge *merge)
{
    f2l_free(merge->of);
    f2l_free(merge->first);
    *merge = (f2l_letter_merge){0};
}

static bool rows_agree(const uint32_t *a, const uint32_t *b, size_t states)
{
    for (size_t s = 0; s < states; s++)
        if (a[s] != b[s] && a[s] != F2L_NO_SYMBOL && b[s] != F2L_NO_SYMBOL) return false;
    return true;
}

static void join_rows(uint32_t *into, const uint32_t *row, size_t states)
{
    for (size_t s = 0; s < states; s++)
        if (into[s] == F2L_NO_SYMBOL) into[s] = row[s];
}

/* Returns the first class whose row agrees with the letter's, and its action, too, if `action` is
 * not NULL; merge->count where there is none. */
static size_t find_class(const f2l_letter_merge *merge, const f2l_symbol_rows *rows,
                         const uint32_t *action, size_t letter)
{
    const uint32_t *row = rows->symbol + letter * rows->states;
    size_t c = 0;
    for (; c < merge->count; c++) {
        const size_t first = merge->first[c];
        if ((!action || action[first] == action[letter]) &&
            rows_agree(rows->symbol + first * rows->states, row, rows->states))
            break;
    }
    return c;
}

/* Puts every letter into the first class that it agrees with; the row of a class is the row of its
 * first letter. */
static f2l_status class_rows(f2l_letter_merge *out, f2l_symbol_rows *rows, const uint32_t *action,
                             bool merge, const f2l_task *task, f2l_error *err)
{
    f2l_meter meter = {.task = task, .phase = "letters of layers"};
    f2l_status status = F2L_OK;
    out->of = f2l_calloc(rows->letters, sizeof *out->of);
    out->first = f2l_calloc(rows->letters, sizeof *out->first);
    if (!out->of || !out->first) return f2l_fail_memory(err);
    for (size_t a = 0; a < rows->letters && status == F2L_OK; a++) {
        status = f2l_meter_spend(&meter, out->count + rows->states, (double)a,
                                 (double)rows->letters, err);
        const size_t c = merge ? find_class(out, rows, action, a) : out->count;
        if (c == out->count)
            out->first[out->count++] = (uint32_t)a;
        else
            join_rows(rows->symbol + out->first[c] * rows->states, rows->symbol + a * rows->states,
                      rows->states);
        out->of[a] = (uint32_t)c;
    }
    return status;
}

/* Keeps the rows of the classes only, in their order. */
static void keep_class_rows(f2l_symbol_rows *rows, const f2l_letter_merge *merge)
{
    for (size_t c = 0; c < merge->count; c++)
        memmove(rows->symbol + c * rows->states, rows->symbol + merge->first[c] * rows->states,
                rows->states * sizeof *rows->symbol);
    rows->letters = merge->count;
}

f2l_status f2l_merge_rows(f2l_letter_merge *out, f2l_symbol_rows *rows, const uint32_t *action,
                          bool merge, const f2l_task *task, f2l_error *err)
{
    f2l_letter_merge alike = {0};
    f2l_status status = class_rows(out, rows, action, merge, task, err);
    if (status == F2L_OK) {
        keep_class_rows(rows, out);
        status = class_rows(&alike, rows, NULL, true, task, err);
    }
    for (size_t a = 0; a < rows->letters && status == F2L_OK; a++)
        if (alike.first[alike.of[a]] != a)
            memcpy(rows->symbol + a * rows->states,
                   rows->symbol + alike.first[alike.of[a]] * rows->states,
                   rows->states * sizeof *rows->symbol);
    f2l_letter_merge_clear(&alike);
    return status;
}
