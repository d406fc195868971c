/* The nearest code when the state is close to it.
 *
 * Let delta be the least distance between two codes: a code nearer to the state than delta / 2 is
 * the only nearest one. Such a code differs from the state by less than that in every coordinate,
 * so codes are sorted by the coordinate in which they are spread most, and only codes in a window
 * around the state are examined.
 *
 * Rounding: stored codes c' are within 2 u |c| of the codes, u = 2^-53; let M be the largest |c'|.
 * A length that is computed from N differences is right up to a factor 1 +- (N + 4) u. With the
 * computed distance d and least distance D, d <= 0.4999 D gives
 *
 *     |S - c| <= d (1 + (N + 4) u) + 2.1 u M,    delta / 2 >= D (1 - (N + 4) u) / 2 - 2.1 u M,
 *
 * so that |S - c| < delta / 2 when (N + 4) u D + 4.2 u M < 0.0001 D: N <= 2^20 and M <= 2^30 D
 * suffice. Limits on D and M keep squares away from underflow and overflow. A code that the window
 * misses costs time only. */
#include "models/network/schedule/float_net.h"
#include "numeric/base/mem.h"
#include <float.h>
#include <math.h>
#include <stdlib.h>

#define MOST_NUMBERS ((size_t)1 << 20) /* of all codes together */
#define MOST_WORK ((size_t)1 << 28)    /* differences, for delta */

typedef struct entry {
    double at;
    uint32_t code;
} entry;

static int compare_entry_places(const void *a, const void *b)
{
    const entry *x = a, *y = b;
    if (x->at != y->at) return x->at < y->at ? -1 : 1;
    return (x->code > y->code) - (x->code < y->code);
}

void f2l_near_clear(f2l_near *near)
{
    f2l_free(near->code);
    f2l_free(near->at);
    f2l_free(near->numbers);
    *near = (f2l_near){0};
}

static double squared_distance(const double *a, const double *b, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += (a[i] - b[i]) * (a[i] - b[i]);
    return sum;
}

/* Fills numbers[codes][size] in the order of the codes. */
static void fill_near_numbers(f2l_near *near, const f2l_decoder *decoder)
{
    for (size_t c = 0; c < near->codes; c++)
        for (size_t k = decoder->first[c]; k < decoder->first[c + 1]; k++)
            near->numbers[c * near->size + decoder->index[k]] = decoder->value[k];
}

static void choose_axis(f2l_near *near)
{
    double widest = -1;
    for (size_t i = 0; i < near->size; i++) {
        double low = INFINITY, high = -INFINITY;
        for (size_t c = 0; c < near->codes; c++) {
            low = fmin(low, near->numbers[c * near->size + i]);
            high = fmax(high, near->numbers[c * near->size + i]);
        }
        if (high - low <= widest) continue;
        widest = high - low;
        near->axis = i;
    }
}

/* Sets code[], at[] and the order of numbers[]; false: no memory. */
static bool sort_codes(f2l_near *near)
{
    const size_t n = near->size;
    entry *order = f2l_calloc(near->codes, sizeof *order);
    double *sorted = f2l_calloc(near->codes * n, sizeof *sorted);
    if (order && sorted) {
        for (size_t c = 0; c < near->codes; c++)
            order[c] = (entry){near->numbers[c * n + near->axis], (uint32_t)c};
        qsort(order, near->codes, sizeof *order, compare_entry_places);
        for (size_t c = 0; c < near->codes; c++) {
            near->code[c] = order[c].code;
            near->at[c] = order[c].at;
            for (size_t i = 0; i < n; i++) sorted[c * n + i] = near->numbers[order[c].code * n + i];
        }
        f2l_free(near->numbers);
        near->numbers = sorted;
    } else {
        f2l_free(sorted);
    }
    f2l_free(order);
    return order && sorted;
}

/* Returns 0.4999 D, or 0 when the limits on D and M are not kept. */
static double find_reach(const f2l_near *near)
{
    const size_t n = near->size;
    double least = INFINITY, most = 0;
    for (size_t a = 0; a < near->codes; a++) {
        double norm2 = 0;
        for (size_t i = 0; i < n; i++) norm2 += near->numbers[a * n + i] * near->numbers[a * n + i];
        most = fmax(most, norm2);
        for (size_t b = 0; b < a; b++)
            least = fmin(least, squared_distance(near->numbers + a * n, near->numbers + b * n, n));
    }
    const double D = sqrt(least), M = sqrt(most);
    return D >= 0x1p-400 && D <= 0x1p400 && M <= 0x1p400 && M <= 0x1p30 * D ? 0.4999 * D : 0;
}

f2l_status f2l_near_init(f2l_near *out, const f2l_decoder *decoder, f2l_error *err)
{
    const size_t codes = decoder->layer->codes, size = decoder->size;
    if (codes < 2 || size == 0 || codes > MOST_NUMBERS / size || codes > MOST_WORK / size / codes)
        return F2L_OK;
    out->codes = codes;
    out->size = size;
    out->code = f2l_calloc(codes, sizeof *out->code);
    out->at = f2l_calloc(codes, sizeof *out->at);
    out->numbers = f2l_calloc(codes * size, sizeof *out->numbers);
    bool room = out->code && out->at && out->numbers;
    if (room) {
        fill_near_numbers(out, decoder);
        choose_axis(out);
        room = sort_codes(out);
    }
    if (room) {
        out->reach = find_reach(out);
        return F2L_OK;
    }
    f2l_near_clear(out);
    return f2l_fail_memory(err);
}

size_t f2l_near_find(const f2l_near *near, const double *state)
{
    if (near->reach == 0) return F2L_NO_INDEX;
    const double from = state[near->axis] - near->reach, to = state[near->axis] + near->reach;
    size_t low = 0, high = near->codes;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (near->at[middle] < from)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < near->codes && near->at[low] <= to; low++) {
        const double *code = near->numbers + low * near->size;
        if (squared_distance(code, state, near->size) <= near->reach * near->reach)
            return near->code[low];
    }
    return F2L_NO_INDEX;
}
