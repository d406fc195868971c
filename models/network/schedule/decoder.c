/* Nearest-code decoding of a rounded local state, exact and mostly without rationals
 * (theory/pages/formats.md, F6).
 *
 * (a) When all codes lie on the grid (1/D) Z^N, two of them are at least 1/D apart. So a code
 * within less than 1/(2D) of the state is the nearest one, and it equals the state with every
 * coordinate rounded to the grid: one hash look-up.
 *
 * (b) Without such a grid the first search is for a code that is nearer than half the least
 * distance between two codes (models/network/schedule/decoder_near.c).
 *
 * (c) Otherwise the codes are ranked by f(c) = |c|^2 - 2 S.c, which is |S - c|^2 less |S|^2. Let m
 * be the number of entries of c, A = |c|^2 + 2 sum |S_i c_i| and u = 2^-53. The stored entries and
 * |c|^2 are within a factor 1 - 2u .. 1 of the exact ones, so the computed f is off by less than
 * 1.01 (m + 4) u A, and the computed A by less than a hundredth. Hence e = 2 (m + 8) u A, computed,
 * bounds the error of f with room for the roundings of f - e and f + e; e also gets (m + 8) 2^-1022
 * for products that underflow. Codes whose f - e exceeds the least f + e are not nearest. If
 * several are left, their f is compared in rationals.
 *
 * With decode=linear codes are ranked by f(c) = -(S . c) / |c| instead, unless all have one length:
 * then |S - c|^2 = |S|^2 + |c|^2 - 2 S . c ranks them alike, and (a) to (c) serve. Otherwise a
 * state that equals a code has this code, since no other code has its direction, and the rest is as
 * in (c), with A = sum |S_i c_i| / |c|: the quotient adds four to the roundings of S . c, and the
 * stored |c|^2 two more units, which m + 8 covers. Exactly, -sgn(S . c) (S . c)^2 / |c|^2 is
 * compared. */
#include "models/network/schedule/float_net.h"
#include "numeric/base/mem.h"
#include <float.h>
#include <math.h>

#define MAX_GRID ((int64_t)1 << 20)
#define MAX_SCALED ((int64_t)1 << 40) /* then rounding S D errs by 2^-13 at most */

static uint64_t mix_scaled_number(uint64_t hash, uint64_t index, int64_t scaled)
{
    return f2l_hash(f2l_hash(hash, index), (uint64_t)scaled);
}

/* Returns the common denominator of all codes, or 0 when it exceeds MAX_GRID or makes some entry
 * larger than MAX_SCALED. */
static int64_t find_grid(const f2l_layer *layer)
{
    mpz_t lcm, entry;
    mpz_init_set_ui(lcm, 1);
    mpz_init(entry);
    bool fits = true;
    for (size_t i = 0; fits && i < layer->codes * layer->heads; i++) {
        for (size_t k = 0; fits && k < layer->code[i].count; k++) {
            mpz_lcm(lcm, lcm, mpq_denref(layer->code[i].value[k]));
            fits = mpz_cmp_si(lcm, MAX_GRID) <= 0;
        }
    }
    for (size_t i = 0; fits && i < layer->codes * layer->heads; i++) {
        for (size_t k = 0; fits && k < layer->code[i].count; k++) {
            mpz_tdiv_q(entry, mpq_numref(layer->code[i].value[k]),
                       mpq_denref(layer->code[i].value[k]));
            mpz_mul(entry, entry, lcm);
            fits = mpz_cmpabs_ui(entry, (unsigned long)(MAX_SCALED / 2)) <= 0;
        }
    }
    int64_t grid = fits ? mpz_get_si(lcm) : 0;
    mpz_clear(entry);
    mpz_clear(lcm);
    return grid;
}

/* Returns whether products with x have the error bounds of (c) in doubles: x is far from overflow
 * and underflow. */
static bool is_moderate(double x)
{
    return fabs(x) > 0x1p-500 && fabs(x) < 0x1p500;
}

static void set_code(f2l_decoder *out, size_t code)
{
    const f2l_layer *layer = out->layer;
    size_t at = out->first[code], offset = 0;
    mpq_t t;
    mpq_init(t);
    bool moderate = true;
    for (size_t h = 0; h < layer->heads; h++) {
        const f2l_qvec *state = &layer->code[code * layer->heads + h];
        for (size_t k = 0; k < state->count; k++, at++) {
            out->index[at] = (uint32_t)(offset + state->index[k]);
            out->value[at] = mpq_get_d(state->value[k]);
            moderate = moderate && is_moderate(out->value[at]);
            if (out->grid > 0) {
                mpq_set_d(t, out->grid);
                mpq_mul(t, t, state->value[k]);
                out->scaled[at] = mpz_get_si(mpq_numref(t));
            }
        }
        f2l_qvec_norm2(t, state);
        mpq_add(out->exact_norm2[code], out->exact_norm2[code], t);
        offset += layer->head[h].n * layer->head[h].d;
    }
    out->norm2[code] = moderate ? mpq_get_d(out->exact_norm2[code]) : NAN;
    out->first[code + 1] = at;
    mpq_clear(t);
}

static uint64_t hash_of_decoder_code(const void *decoder_at, size_t code)
{
    const f2l_decoder *decoder = decoder_at;
    uint64_t hash = F2L_HASH;
    for (size_t k = decoder->first[code]; k < decoder->first[code + 1]; k++)
        hash = mix_scaled_number(hash, decoder->index[k], decoder->scaled[k]);
    return hash;
}

f2l_status f2l_decoder_init(f2l_decoder *decoder, const f2l_layer *layer, f2l_decode decode,
                            f2l_error *err)
{
    const bool directions = decode == F2L_DECODE_LINEAR && !f2l_layer_has_one_length(layer);
    *decoder =
        (f2l_decoder){.layer = layer, .directions = directions, .size = f2l_layer_numbers(layer)};
    size_t entries = 0;
    for (size_t i = 0; i < layer->codes * layer->heads; i++) entries += layer->code[i].count;
    decoder->first = f2l_calloc(layer->codes + 1, sizeof *decoder->first);
    decoder->index = f2l_calloc(entries, sizeof *decoder->index);
    decoder->value = f2l_calloc(entries, sizeof *decoder->value);
    decoder->norm2 = f2l_calloc(layer->codes, sizeof *decoder->norm2);
    decoder->exact_norm2 = f2l_calloc(layer->codes, sizeof *decoder->exact_norm2);
    decoder->scaled = f2l_calloc(entries, sizeof *decoder->scaled);
    for (size_t c = 0; decoder->exact_norm2 != NULL && c < layer->codes; c++)
        mpq_init(decoder->exact_norm2[c]);
    if (decoder->first == NULL || decoder->index == NULL || decoder->value == NULL ||
        decoder->norm2 == NULL || decoder->exact_norm2 == NULL || decoder->scaled == NULL ||
        !f2l_index_reserve(&decoder->codes, layer->codes, hash_of_decoder_code, decoder)) {
        f2l_decoder_clear(decoder);
        return f2l_fail_memory(err);
    }
    decoder->grid = (double)find_grid(layer);
    for (size_t code = 0; code < layer->codes; code++) {
        set_code(decoder, code);
        if (decoder->grid > 0) f2l_index_add(&decoder->codes, hash_of_decoder_code(decoder, code));
    }
    f2l_status status =
        decoder->grid > 0 || directions ? F2L_OK : f2l_near_init(&decoder->near, decoder, err);
    if (status != F2L_OK) f2l_decoder_clear(decoder);
    return status;
}

void f2l_decoder_clear(f2l_decoder *decoder)
{
    for (size_t c = 0; decoder->exact_norm2 != NULL && c < decoder->layer->codes; c++)
        mpq_clear(decoder->exact_norm2[c]);
    f2l_free(decoder->first);
    f2l_free(decoder->index);
    f2l_free(decoder->value);
    f2l_free(decoder->norm2);
    f2l_free(decoder->exact_norm2);
    f2l_free(decoder->scaled);
    f2l_index_clear(&decoder->codes);
    f2l_near_clear(&decoder->near);
    *decoder = (f2l_decoder){0};
}

/* Returns x, |x| <= 2^41, rounded to an integer: the sum has no bits for a fraction. */
static double nearest_integer(double x)
{
    return x + 0x1.8p52 - 0x1.8p52;
}

/* A state, and the number of its coordinates that do not round to zero on the grid. */
typedef struct rounded {
    const double *state;
    size_t entries;
} rounded;

/* Returns whether the state rounded to the grid is this code. */
static bool rounds_to(const void *decoder_at, size_t code, const void *key)
{
    const f2l_decoder *decoder = decoder_at;
    const rounded *x = key;
    if (decoder->first[code + 1] - decoder->first[code] != x->entries) return false;
    for (size_t k = decoder->first[code]; k < decoder->first[code + 1]; k++) {
        if (nearest_integer(x->state[decoder->index[k]] * decoder->grid) !=
            (double)decoder->scaled[k])
            return false;
    }
    return true;
}

/* (a) Returns the nearest code, or F2L_NO_INDEX when the grid does not find it. */
static size_t find_on_grid(const f2l_decoder *decoder, const double *state)
{
    uint64_t hash = F2L_HASH;
    size_t entries = 0;
    double distance2 = 0; /* upper bound of (D |S - c|)^2, up to roundings far below 1/4 */
    for (size_t i = 0; i < decoder->size; i++) {
        if (state[i] == 0) continue;
        double x = state[i] * decoder->grid, q = nearest_integer(x);
        if (!(fabs(x) <= (double)MAX_SCALED)) return F2L_NO_INDEX; /* also for NaN */
        double e = fabs(x - q) + (fabs(x) + 1) * DBL_EPSILON;
        distance2 += e * e;
        if (q == 0) continue;
        entries++;
        hash = mix_scaled_number(hash, i, (int64_t)q);
    }
    if (distance2 > 0.2499) return F2L_NO_INDEX;
    const rounded key = {state, entries};
    return f2l_index_find(&decoder->codes, hash, rounds_to, decoder, &key);
}

/* Returns whether the state is this code. A product with the grid is exact where it is a number
 * below 2^41 and the fused difference is 0. */
static bool equals_code(const f2l_decoder *decoder, size_t code, const double *state)
{
    size_t entries = 0;
    for (size_t i = 0; i < decoder->size; i++) entries += state[i] != 0;
    if (decoder->first[code + 1] - decoder->first[code] != entries) return false;
    for (size_t k = decoder->first[code]; k < decoder->first[code + 1]; k++)
        if (fma(state[decoder->index[k]], decoder->grid, -(double)decoder->scaled[k]) != 0)
            return false;
    return true;
}

/* (c) Computes lower and upper bounds of f(code); infinite ones if doubles give none. */
static void bound_rank(const f2l_decoder *decoder, size_t code, const double *state, double *lower,
                       double *upper)
{
    double dot = 0, sum = 0;
    size_t m = decoder->first[code + 1] - decoder->first[code];
    for (size_t k = decoder->first[code]; k < decoder->first[code + 1]; k++) {
        double product = state[decoder->index[k]] * decoder->value[k];
        dot += product;
        sum += fabs(product);
    }
    double f = decoder->norm2[code] - 2 * dot, room = (double)(m + 8);
    double e = room * DBL_EPSILON * (decoder->norm2[code] + 2 * sum) + room * DBL_MIN;
    if (decoder->directions) {
        const double length = sqrt(decoder->norm2[code]);
        f = -dot / length;
        e = room * DBL_EPSILON * (sum / length) + room * (DBL_MIN + DBL_MIN / length);
    }
    bool known = isfinite(f) && isfinite(e);
    *lower = known ? f - e : -INFINITY;
    *upper = known ? f + e : INFINITY;
}

static void exact_rank(mpq_t out, mpq_t t, mpq_t s, const f2l_decoder *decoder, size_t code,
                       const double *state)
{
    const f2l_layer *layer = decoder->layer;
    size_t offset = 0;
    mpq_set_ui(s, 0, 1);
    for (size_t h = 0; h < layer->heads; h++) {
        const f2l_qvec *entries = &layer->code[code * layer->heads + h];
        for (size_t k = 0; k < entries->count; k++) {
            mpq_set_d(t, state[offset + entries->index[k]]);
            mpq_mul(t, t, entries->value[k]);
            mpq_add(s, s, t);
        }
        offset += layer->head[h].n * layer->head[h].d;
    }
    if (decoder->directions) {
        mpq_mul(out, s, s);
        mpq_div(out, out, decoder->exact_norm2[code]);
        if (mpq_sgn(s) > 0) mpq_neg(out, out);
        return;
    }
    mpq_add(s, s, s);
    mpq_sub(out, decoder->exact_norm2[code], s);
}

static uint32_t symbol_of_code(const f2l_decoder *decoder, size_t letter, size_t code)
{
    return letter == F2L_NO_INDEX ? (uint32_t)code : f2l_layer_symbol(decoder->layer, letter, code);
}

/* Returns the common symbol of the nearest among the codes whose rank may be at most `most`. */
static uint32_t settle_nearest_symbol(const f2l_decoder *decoder, size_t letter,
                                      const double *state, double most)
{
    mpq_t best, rank, t, s;
    mpq_inits(best, rank, t, s, (mpq_ptr)NULL);
    uint32_t symbol = F2L_NO_SYMBOL;
    bool found = false;
    for (size_t code = 0; code < decoder->layer->codes; code++) {
        double lower, upper;
        bound_rank(decoder, code, state, &lower, &upper);
        if (lower > most) continue;
        exact_rank(rank, t, s, decoder, code, state);
        int order = found ? mpq_cmp(rank, best) : -1;
        if (order < 0) {
            mpq_set(best, rank);
            symbol = symbol_of_code(decoder, letter, code);
        } else if (order == 0 && symbol != symbol_of_code(decoder, letter, code)) {
            symbol = F2L_NO_SYMBOL;
        }
        found = true;
    }
    mpq_clears(best, rank, t, s, (mpq_ptr)NULL);
    return symbol;
}

/* (c) Returns the symbol of the nearest code. Codes that doubles cannot tell apart are compared
 * exactly, unless their symbols agree. */
static uint32_t nearest_code_symbol(const f2l_decoder *decoder, size_t letter, const double *state)
{
    /* The least upper bound, its code and the lower bound of that; the least one of the others. */
    double most = INFINITY, least = INFINITY, rest = INFINITY, lower, upper;
    size_t first = 0;
    for (size_t c = 0; c < decoder->layer->codes; c++) {
        bound_rank(decoder, c, state, &lower, &upper);
        rest = fmin(rest, upper < most ? least : lower);
        if (upper >= most) continue;
        most = upper;
        least = lower;
        first = c;
    }
    if (rest > most) return symbol_of_code(decoder, letter, first);
    size_t near = 0, code = 0;
    bool same = true;
    for (size_t c = 0; c < decoder->layer->codes; c++) {
        bound_rank(decoder, c, state, &lower, &upper);
        if (lower > most) continue;
        if (near++ == 0)
            code = c;
        else
            same =
                same && symbol_of_code(decoder, letter, c) == symbol_of_code(decoder, letter, code);
    }
    return same ? symbol_of_code(decoder, letter, code)
                : settle_nearest_symbol(decoder, letter, state, most);
}

uint32_t f2l_decoder_symbol(const f2l_decoder *decoder, size_t letter, const double *state)
{
    const size_t code =
        decoder->grid > 0 ? find_on_grid(decoder, state) : f2l_near_find(&decoder->near, state);
    if (code != F2L_NO_INDEX && (!decoder->directions || equals_code(decoder, code, state)))
        return symbol_of_code(decoder, letter, code);
    for (size_t i = 0; i < decoder->size; i++) {
        if (!isfinite(state[i])) return F2L_NO_SYMBOL;
    }
    return nearest_code_symbol(decoder, letter, state);
}
