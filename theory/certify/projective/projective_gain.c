/* Whether the size of a state stays bounded: paths of the largest and of the least gain in the
 * closed table. */
#include "numeric/base/mem.h"
#include "theory/certify/projective/impl.h"
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Most sweeps over the table. A sweep goes through the rows in their order, and a cycle that gains
 * is seen as a cycle of best edges. */
#define MOST_SWEEPS 2000
#define MOST_FOLLOWED 1000000 /* letters of a cycle that is followed */
#define NO_ROW UINT32_MAX
#define NO_SIZE INT_MIN

/* Longest paths in the table, with gains multiplied by `sign`. */
typedef struct longest {
    const f2l_closure *table;
    const int *gain; /* [rows][letters] */
    int sign;
    int *size;                     /* [rows] largest size found */
    uint32_t *from, *by, *visited; /* [rows] the last edge of the path that has it */
} longest;

static f2l_status find_gains(int *gain, const f2l_scaled_run *run, const f2l_closure *table,
                             const f2l_task *task, f2l_error *err)
{
    uint32_t label;
    double *state = f2l_calloc(run->size, sizeof *state);
    f2l_status status = state ? F2L_OK : f2l_fail_memory(err);
    for (size_t r = 0; status == F2L_OK && r < table->rows; r++) {
        if (r % 4096 == 0)
            status = f2l_task_poll(task, "sizes", (double)r, (double)table->rows, err);
        for (size_t a = 0; status == F2L_OK && a < table->letters; a++) {
            memcpy(state, table->numbers + r * run->size, run->size * sizeof *state);
            status = f2l_scaled_step(run, state, a, &label, &gain[r * table->letters + a], err);
        }
    }
    f2l_free(state);
    return status;
}

/* Improves the sizes once; returns whether some size grew. */
static bool sweep_sizes(longest *l)
{
    bool grew = false;
    for (size_t r = 0; r < l->table->rows; r++) {
        if (l->size[r] == NO_SIZE) continue;
        for (size_t a = 0; a < l->table->letters; a++) {
            const size_t edge = r * l->table->letters + a;
            const uint32_t to = l->table->next[edge];
            const int size = l->size[r] + l->sign * l->gain[edge];
            if (size <= l->size[to]) continue;
            l->size[to] = size;
            l->from[to] = (uint32_t)r;
            l->by[to] = (uint32_t)a;
            grew = true;
        }
    }
    return grew;
}

/* Returns a row on a cycle of best edges, or NO_ROW. Such a cycle gains (EN.12). */
static uint32_t find_best_cycle(longest *l)
{
    memset(l->visited, 0, l->table->rows * sizeof *l->visited);
    for (uint32_t r = 0; r < l->table->rows; r++) {
        uint32_t at = r;
        while (at != NO_ROW && l->visited[at] == 0) {
            l->visited[at] = r + 1;
            at = l->from[at];
        }
        if (at != NO_ROW && l->visited[at] == r + 1) return at;
    }
    return NO_ROW;
}

/* Sets *row to a row on a cycle that gains, or to NO_ROW where sizes stay bounded; F2L_UNKNOWN
 * where the sweeps do not decide it. */
static f2l_status sweep_to_end(longest *l, uint32_t *row, const f2l_task *task, f2l_error *err)
{
    *row = NO_ROW;
    for (size_t r = 0; r < l->table->rows; r++) {
        l->size[r] = r == 0 ? 0 : NO_SIZE;
        l->from[r] = NO_ROW;
    }
    for (size_t sweep = 1; sweep <= MOST_SWEEPS; sweep++) {
        if (!sweep_sizes(l)) return F2L_OK;
        f2l_status status = f2l_task_poll(task, "sizes", (double)sweep, MOST_SWEEPS, err);
        if (status != F2L_OK) return status;
        if ((sweep & (sweep - 1)) == 0) *row = find_best_cycle(l);
        if (*row != NO_ROW) return F2L_OK;
    }
    return F2L_UNKNOWN;
}

/* --- the word --- */

/* Sets parent[] and by[] to the edges by which the rows are first reached, in their order. */
static void find_first_edges(longest *l, uint32_t *parent, uint32_t *by)
{
    for (size_t r = 0; r < l->table->rows; r++) parent[r] = NO_ROW;
    for (size_t r = 0; r < l->table->rows; r++)
        for (size_t a = 0; a < l->table->letters; a++) {
            const uint32_t to = l->table->next[r * l->table->letters + a];
            if (to == 0 || parent[to] != NO_ROW) continue;
            parent[to] = (uint32_t)r;
            by[to] = (uint32_t)a;
        }
}

/* Writes a path's letters so that they end before `end`. */
static void write_letters(uint32_t *end, const uint32_t *from, const uint32_t *by, uint32_t row,
                          size_t count)
{
    for (size_t i = 1; i <= count; i++, row = from[row]) end[-(ptrdiff_t)i] = by[row];
}

/* Keeps the word to the cycle and once around it. */
static f2l_status keep_cycle(f2l_projective *out, longest *l, uint32_t row, f2l_error *err)
{
    const size_t rows = l->table->rows;
    uint32_t *parent = f2l_calloc(rows, 2 * sizeof *parent);
    if (!parent) return f2l_fail_memory(err);
    uint32_t *by = parent + rows;
    find_first_edges(l, parent, by);
    size_t prefix = 0, cycle = 0;
    for (uint32_t at = row; at != 0; at = parent[at]) prefix++;
    uint32_t at = row;
    out->power = 0;
    do {
        out->power += l->gain[l->from[at] * l->table->letters + l->by[at]];
        at = l->from[at];
        cycle++;
    } while (at != row);
    out->word = f2l_calloc(prefix + cycle, sizeof *out->word);
    if (out->word) {
        write_letters(out->word + prefix, parent, by, row, prefix);
        write_letters(out->word + prefix + cycle, l->from, l->by, row, cycle);
        out->prefix = prefix;
        out->letters = prefix + cycle;
    }
    f2l_free(parent);
    return out->word ? F2L_OK : f2l_fail_memory(err);
}

/* Runs the word in the format from the initial state, and compares the states at the two ends of
 * the cycle. */
static f2l_status replay_cycle(f2l_projective *out, const f2l_scaled_run *run, f2l_error *err)
{
    uint32_t label = 0;
    double *state = f2l_calloc(run->size, 2 * sizeof *state);
    if (!state) return f2l_fail_memory(err);
    double *begin = state + run->size;
    f2l_status status = F2L_OK;
    f2l_float_start(run->net, state);
    for (size_t i = 0; status == F2L_OK && i < out->letters; i++) {
        if (i == out->prefix) memcpy(begin, state, run->size * sizeof *state);
        status = f2l_float_step(run->net, state, out->word[i], &label, err);
        if (label == F2L_NO_SYMBOL) break;
    }
    out->replayed = status == F2L_OK && label != F2L_NO_SYMBOL;
    for (size_t i = 0; i < run->size; i++)
        out->replayed = out->replayed && state[i] == ldexp(begin[i], out->power);
    f2l_free(state);
    return status;
}

size_t f2l_projective_place(const f2l_projective *p, size_t i)
{
    return i < p->prefix || p->prefix == p->letters
               ? i
               : p->prefix + (i - p->prefix) % (p->letters - p->prefix);
}

static void name_label(char out[128], const f2l_net *net, uint32_t label)
{
    snprintf(out, 128, "%.127s",
             label == F2L_NO_SYMBOL ? "no code" : f2l_names_get(&net->labels, label));
}

/* Goes around the cycle, beside the scaled state, whose labels are right, until the format's label
 * is another one. Each time around moves the exponents by at least one, of some hundreds. */
static f2l_status follow_cycle(f2l_projective *out, const f2l_scaled_run *run, const f2l_task *task,
                               f2l_error *err)
{
    int gain;
    uint32_t right = 0, label = 0;
    double *state = f2l_calloc(run->size, 2 * sizeof *state);
    if (!state) return f2l_fail_memory(err);
    double *const scaled = state + run->size;
    f2l_status status = F2L_OK;
    f2l_float_start(run->net, state);
    f2l_scaled_start(run, scaled);
    for (size_t i = 0; status == F2L_OK && right == label && i < MOST_FOLLOWED; i++) {
        const uint32_t letter = out->word[f2l_projective_place(out, i)];
        if (i % 4096 == 0) status = f2l_task_poll(task, "growth", (double)i, MOST_FOLLOWED, err);
        if (status == F2L_OK) status = f2l_scaled_step(run, scaled, letter, &right, &gain, err);
        if (status == F2L_OK) status = f2l_float_step(run->net, state, letter, &label, err);
        if (status != F2L_OK || right == label) continue;
        out->wrong = i + 1;
        name_label(out->expected, run->model, right);
        name_label(out->got, run->model, label);
    }
    f2l_free(state);
    return status;
}

/* --- both directions --- */

static f2l_status seek_cycle(f2l_projective *out, longest *l, const f2l_scaled_run *run,
                             const f2l_task *task, f2l_error *err)
{
    uint32_t row;
    f2l_status status = sweep_to_end(l, &row, task, err);
    if (status != F2L_OK) return status;
    if (row != NO_ROW) {
        out->gain = l->sign > 0 ? F2L_GAIN_GROWS : F2L_GAIN_SHRINKS;
        status = keep_cycle(out, l, row, err);
        if (status == F2L_OK) status = replay_cycle(out, run, err);
        return status == F2L_OK ? follow_cycle(out, run, task, err) : status;
    }
    int most = 0;
    for (size_t r = 0; r < l->table->rows; r++)
        if (l->size[r] > most) most = l->size[r];
    if (l->sign > 0)
        out->most = most;
    else
        out->least = -most;
    return F2L_OK;
}

f2l_status f2l_projective_gains(f2l_projective *out, const f2l_scaled_run *run,
                                const f2l_closure *table, const f2l_task *task, f2l_error *err)
{
    const size_t rows = table->rows;
    size_t edges;
    f2l_error why = {0};
    if (!f2l_mul_size(&edges, rows, table->letters)) return f2l_fail_memory(err);
    int *gain = f2l_calloc(edges, sizeof *gain), *size = f2l_calloc(rows, sizeof *size);
    uint32_t *rest = f2l_calloc(rows, 3 * sizeof *rest);
    f2l_status status =
        gain && size && rest ? find_gains(gain, run, table, task, &why) : f2l_fail_memory(&why);
    for (int sign = 1; status == F2L_OK && out->gain == F2L_GAIN_OPEN && sign >= -1; sign -= 2) {
        longest l = {table, gain, sign, size, rest, rest + rows, rest + 2 * rows};
        status = seek_cycle(out, &l, run, task, &why);
        if (status == F2L_OK && sign < 0 && out->gain == F2L_GAIN_OPEN)
            out->gain = F2L_GAIN_BOUNDED;
    }
    f2l_free(gain);
    f2l_free(size);
    f2l_free(rest);
    if (status == F2L_UNKNOWN) return F2L_OK; /* sizes stay open */
    if (status != F2L_OK && err) *err = why;
    return status;
}
