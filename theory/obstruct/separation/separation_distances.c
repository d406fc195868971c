/* What the distances of codes say without numbers that are sought (SP.10): linear equations between
 * the squares d(p, q) = (e_p - e_q)^T G (e_p - e_q), which every feasible form satisfies. */
#include "automata/graph/scc.h"
#include "numeric/base/mem.h"
#include "theory/obstruct/separation/impl.h"
#include <flint/ulong_extras.h>
#include <stdlib.h>
#include <string.h>

#define MOST_STATES 24 /* with up to 276 pairs */

/* Integer equations in echelon form, by the column of their first entry. */
typedef struct distances {
    const f2l_maps *maps;
    size_t pairs;
    int64_t *row;    /* [pairs][pairs] the equation that begins at this column; 0: there is none */
    int64_t *trial;  /* [pairs] an equation on its way into the others */
    uint8_t *tight;  /* [pairs][letters] the letter keeps the distance, and its equations are in */
    uint8_t *equal;  /* [pairs] the distance is 0, and its equations are in */
    uint32_t *image; /* [pairs][letters] F2L_NO_NODE: one state, or the letter is not defined */
    bool large;      /* a number left 64 bits, and nothing more is claimed */
} distances;

static uint32_t pair_of(size_t p, size_t q)
{
    return (uint32_t)(p > q ? p * (p - 1) / 2 + q : q * (q - 1) / 2 + p);
}

static size_t lead(const distances *d, size_t w, size_t q)
{
    return d->maps->next[q * d->maps->letters + w];
}

static bool both_defined(const distances *d, size_t w, size_t p, size_t q)
{
    return f2l_maps_defined(d->maps, w, p) && f2l_maps_defined(d->maps, w, q);
}

/* --- equations --- */

static void begin_equation(distances *d)
{
    memset(d->trial, 0, d->pairs * sizeof *d->trial);
}

static void add_distance(distances *d, size_t p, size_t q, int sign)
{
    if (p != q) d->trial[pair_of(p, q)] += sign;
}

/* Returns the greatest common divisor of two numbers that are not both 0, without a sign. */
static int64_t common_divisor(int64_t a, int64_t b)
{
    return (int64_t)n_gcd((uint64_t)llabs(a), (uint64_t)llabs(b));
}

/* Divides the equation by what all its entries have in common. */
static void make_primitive(distances *d, size_t from)
{
    int64_t divisor = 0;
    for (size_t j = from; j < d->pairs && divisor != 1; j++)
        if (d->trial[j] != 0) divisor = common_divisor(divisor, d->trial[j]);
    for (size_t j = from; j < d->pairs && divisor > 1; j++) d->trial[j] /= divisor;
}

/* Makes the entry at the column 0 by the equation that begins there. */
static void cancel_entry(distances *d, size_t column)
{
    const int64_t *from = d->row + column * d->pairs;
    const int64_t divisor = common_divisor(from[column], d->trial[column]);
    const int64_t own = from[column] / divisor, other = d->trial[column] / divisor;
    for (size_t j = column; j < d->pairs; j++) {
        int64_t kept, taken;
        if (__builtin_mul_overflow(own, d->trial[j], &kept) ||
            __builtin_mul_overflow(other, from[j], &taken) ||
            __builtin_sub_overflow(kept, taken, &d->trial[j]) || d->trial[j] == INT64_MIN)
            d->large = true;
    }
    if (own != 1 && own != -1 && !d->large) make_primitive(d, column + 1);
}

/* Reduces the equation by the others; returns the column where what is left begins, or the number
 * of pairs: it follows from them. */
static size_t reduce_equation(distances *d)
{
    for (size_t j = 0; j < d->pairs && !d->large; j++) {
        if (d->trial[j] == 0) continue;
        if (d->row[j * d->pairs + j] == 0) return j;
        cancel_entry(d, j);
    }
    return d->pairs;
}

/* Adds the equation to the others. */
static void end_equation(distances *d)
{
    const size_t at = reduce_equation(d);
    if (at == d->pairs || d->large) return;
    make_primitive(d, at);
    memcpy(d->row + at * d->pairs, d->trial, d->pairs * sizeof *d->row);
}

/* Returns whether the equations say that the distance is 0, or, with a letter (not `letters`), that
 * the letter keeps it. */
static bool follows(distances *d, size_t p, size_t q, size_t w)
{
    begin_equation(d);
    add_distance(d, p, q, 1);
    if (w < d->maps->letters) add_distance(d, lead(d, w, p), lead(d, w, q), -1);
    return reduce_equation(d) == d->pairs && !d->large;
}

/* --- conclusions --- */

/* The letter keeps d(p, q): so d(s, q) - d(s, p) is d(sw, qw) - d(sw, pw) for the states s of its
 * domain. */
static void keep_distance(distances *d, size_t p, size_t q, size_t w)
{
    const size_t to = lead(d, w, p), other = lead(d, w, q);
    d->tight[pair_of(p, q) * d->maps->letters + w] = 1;
    for (size_t s = 0; s < d->maps->states; s++) {
        if (!f2l_maps_defined(d->maps, w, s)) continue;
        begin_equation(d);
        add_distance(d, s, q, 1);
        add_distance(d, s, p, -1);
        add_distance(d, lead(d, w, s), other, -1);
        add_distance(d, lead(d, w, s), to, 1);
        end_equation(d);
    }
}

/* d(p, q) is 0: all other states are equally far from both, and letters keep this. */
static void join_states(distances *d, size_t p, size_t q)
{
    d->equal[pair_of(p, q)] = 1;
    for (size_t s = 0; s < d->maps->states; s++) {
        begin_equation(d);
        add_distance(d, s, q, 1);
        add_distance(d, s, p, -1);
        end_equation(d);
    }
    for (size_t w = 0; w < d->maps->letters; w++) {
        if (!both_defined(d, w, p, q)) continue;
        begin_equation(d);
        add_distance(d, lead(d, w, p), lead(d, w, q), 1);
        end_equation(d);
    }
}

/* Draws the conclusions of one pair. Returns whether they refute; sets *more where there are new
 * ones. */
static bool conclude_pair(distances *d, size_t p, size_t q, const f2l_scc *scc, bool *more)
{
    const uint32_t pair = pair_of(p, q);
    for (size_t w = 0; w < d->maps->letters; w++) {
        const size_t at = pair * d->maps->letters + w;
        if (d->tight[at] || !both_defined(d, w, p, q)) continue;
        const bool cycle = d->image[at] != F2L_NO_NODE && scc->of[d->image[at]] == scc->of[pair];
        if (!cycle && !follows(d, p, q, w)) continue;
        keep_distance(d, p, q, w);
        *more = true;
    }
    if (d->equal[pair] || !follows(d, p, q, d->maps->letters)) return false;
    join_states(d, p, q);
    *more = true;
    return f2l_maps_apart(d->maps, p, q) && !d->large;
}

/* Draws conclusions while there are new ones. */
static bool conclude_pairs(distances *d, const f2l_scc *scc, f2l_watch *watch)
{
    bool refuted = false;
    for (bool more = true; more && !refuted && !d->large;) {
        more = false;
        for (size_t p = 1; p < d->maps->states; p++)
            for (size_t q = 0; q < p && !refuted && !d->large; q++) {
                const uint64_t steps = (d->maps->letters + 1) * (uint64_t)d->pairs;
                if (!f2l_watch_goes_on(watch, steps)) return false;
                refuted = conclude_pair(d, p, q, scc, &more);
            }
    }
    return refuted;
}

/* --- memory --- */

static void fill_images(distances *d)
{
    const size_t letters = d->maps->letters;
    for (size_t p = 1; p < d->maps->states; p++)
        for (size_t q = 0; q < p; q++)
            for (size_t w = 0; w < letters; w++) {
                uint32_t *to = d->image + pair_of(p, q) * letters + w;
                *to = F2L_NO_NODE;
                if (both_defined(d, w, p, q) && lead(d, w, p) != lead(d, w, q))
                    *to = pair_of(lead(d, w, p), lead(d, w, q));
            }
}

static bool open_distances(distances *d, const f2l_maps *maps)
{
    const size_t pairs = maps->states * (maps->states - 1) / 2;
    *d = (distances){.maps = maps, .pairs = pairs};
    d->row = f2l_calloc(pairs * pairs + 1, sizeof *d->row);
    d->trial = f2l_calloc(pairs + 1, sizeof *d->trial);
    d->tight = f2l_calloc(pairs * maps->letters + 1, 1);
    d->equal = f2l_calloc(pairs + 1, 1);
    d->image = f2l_calloc(pairs * maps->letters + 1, sizeof *d->image);
    if (!d->row || !d->trial || !d->tight || !d->equal || !d->image) return false;
    fill_images(d);
    return true;
}

static void close_distances(distances *d)
{
    f2l_free(d->row);
    f2l_free(d->trial);
    f2l_free(d->tight);
    f2l_free(d->equal);
    f2l_free(d->image);
}

f2l_status f2l_distances_refute(bool *refuted, const f2l_maps *maps, f2l_watch *watch,
                                f2l_error *err)
{
    distances d;
    f2l_scc scc = {0};
    *refuted = false;
    if (maps->states > MOST_STATES) return F2L_OK;
    f2l_status status = open_distances(&d, maps) ? F2L_OK : f2l_fail_memory(err);
    if (status == F2L_OK) {
        const f2l_graph graph = f2l_graph_of_table(d.image, d.pairs, maps->letters);
        status = f2l_scc_build(&scc, &graph, &watch->meter, err);
    }
    if (status == F2L_OK) *refuted = conclude_pairs(&d, &scc, watch);
    if (status == F2L_OK) status = watch->status;
    f2l_scc_clear(&scc);
    close_distances(&d);
    return status;
}
