/* Keys, betas and queries of a head. Every factor I - beta k k^T is the identity, a projection or a
 * reflection, and products of factors are from a finite set: permutations of axes with signs, the
 * symmetries of a triangle; so W and the inverse stay short. A projection beside keys at 60 degrees
 * would halve numbers again and again. */
#include "models/doors/vectors/impl.h"
#include <string.h>

static const char *const keys_names[] = {"one", "axes", "roots", "long", "fine"};

const char *f2l_vector_keys_name(f2l_vector_keys keys)
{
    return keys_names[keys];
}

static double choose_sign(f2l_rng *rng)
{
    return f2l_rng_below(rng, 2) ? 1 : -1;
}

/* Adds a key of 1, 4 or 16 equal numbers from coordinate `at` on, with random signs. */
static void add_spread(f2l_vector_frame *f, size_t at, size_t spread, f2l_rng *rng)
{
    const double x = spread == 1 ? 1 : spread == 4 ? 0.5 : 0.25;
    for (size_t i = 0; i < spread; i++)
        f->vector[f->size][at + i] = f->length * x * choose_sign(rng);
    f->size++;
}

/* Adds the first rows of a Hadamard matrix of order 4, halved. */
static void add_halves(f2l_vector_frame *f, size_t at, size_t rows, f2l_rng *rng)
{
    static const double row[3][4] = {{1, 1, 1, 1}, {1, -1, 1, -1}, {1, 1, -1, -1}};
    for (size_t i = 0; i < rows; i++) {
        const double x = f->length * choose_sign(rng) / 2;
        for (size_t j = 0; j < 4; j++) f->vector[f->size][at + j] = x * row[i][j];
        f->size++;
    }
}

static void add_roots(f2l_vector_frame *f, size_t at)
{
    static const double root[3][4] = {{1, 1, 1, 1}, {1, 1, 1, -1}, {0, 0, 0, 2}};
    for (; f->size < 3; f->size++)
        for (size_t j = 0; j < 4; j++) f->vector[f->size][at + j] = root[f->size][j] / 2;
}

void f2l_vector_frame_choose(f2l_vector_frame *frame, f2l_vector_keys keys, size_t key,
                             unsigned beta, f2l_rng *rng)
{
    static const size_t spreads[] = {4, 16, 1};
    const size_t blocks = (key - F2L_VECTOR_REST - 2) / 4, low = f2l_rng_below(rng, blocks / 2),
                 high = blocks / 2 + f2l_rng_below(rng, blocks - blocks / 2);
    memset(frame, 0, sizeof *frame);
    frame->keys = keys;
    frame->key = key;
    frame->length = keys == F2L_KEYS_LONG ? 2 : 1;
    frame->beta = beta % 3;
    if (keys == F2L_KEYS_ONE) {
        add_spread(frame, 4 * f2l_rng_below(rng, blocks - 3), spreads[f2l_rng_below(rng, 3)], rng);
    } else if (keys == F2L_KEYS_ROOTS) {
        add_roots(frame, 4 * low);
    } else if (keys != F2L_KEYS_FINE) {
        add_halves(frame, 4 * low, 3, rng);
        add_spread(frame, 4 * high, 1, rng);
        add_spread(frame, 4 * high + 1, 1, rng);
    }
}

/* Rows in which one key is repeated: more than a chunk of 64, aligned, from row 64 on. */
static bool in_long_run(size_t row)
{
    return row >= 60 && row < 132;
}

/* A run of a key, often of one row. */
static size_t choose_run(f2l_rng *rng)
{
    return f2l_rng_below(rng, 8) ? 1 : 4 + f2l_rng_below(rng, 16);
}

/* Pair p is a = e_2p and b = (1 + 2^-11) e_2p + e_2p+1. A run of a, then b once, and the pair does
 * not come again, so that its product enters the inverse once. The last pair is a for ever. */
static void choose_fine_keys(double *k, size_t key, size_t rows, f2l_rng *rng)
{
    const size_t pairs = (key - F2L_VECTOR_REST) / 2;
    size_t pair = 0, left = 1;
    for (size_t r = 0; r < rows; r++, k += key) {
        const bool last = pair + 1 == pairs;
        k[2 * pair] = left || last ? 1 : 1 + 0x1p-11;
        if (left || last) {
            left -= left > 0 && !in_long_run(r);
            continue;
        }
        k[2 * pair + 1] = 1;
        pair++;
        left = 1 + f2l_rng_below(rng, 4);
    }
}

void f2l_vector_choose_keys(double *k, const f2l_vector_frame *frame, size_t rows, f2l_rng *rng)
{
    size_t run = 0, index = 0;
    if (frame->keys == F2L_KEYS_FINE) {
        choose_fine_keys(k, frame->key, rows, rng);
        return;
    }
    for (size_t r = 0; r < rows; r++, k += frame->key) {
        if (run == 0) {
            run = choose_run(rng);
            index = f2l_rng_below(rng, frame->size);
        }
        run--;
        memcpy(k, frame->vector[in_long_run(r) ? 0 : index], frame->key * sizeof *k);
    }
}

double f2l_vector_choose_beta(const f2l_vector_frame *frame, size_t row, f2l_rng *rng)
{
    const size_t die = f2l_rng_below(rng, 8);
    const double mixed = die == 0 ? 0 : die < 4 ? 1 : 2;
    if (frame->keys == F2L_KEYS_FINE) return 1;
    if (frame->keys == F2L_KEYS_LONG) return in_long_run(row) ? 0.5 : mixed / 4;
    if (in_long_run(row) && frame->keys == F2L_KEYS_AXES) return 2;
    if (frame->keys == F2L_KEYS_ROOTS) return die || in_long_run(row) ? 2 : 0;
    if (frame->keys == F2L_KEYS_ONE && frame->beta < 2) return frame->beta == 0 ? 2 : 1;
    return mixed;
}

/* Queries of fine keys read the second coordinates of pairs alone: the gradient of the first ones
 * would have squares of 1 + 2^-11. */
void f2l_vector_choose_query(double *q, const f2l_vector_frame *frame, f2l_rng *rng)
{
    const size_t most = frame->key - F2L_VECTOR_REST - 2;
    if (frame->keys == F2L_KEYS_FINE) {
        q[2 * f2l_rng_below(rng, most / 2) + 1] = choose_sign(rng);
    } else if (f2l_rng_below(rng, 4)) {
        const double *key = frame->vector[f2l_rng_below(rng, frame->size)], sign = choose_sign(rng);
        for (size_t i = 0; i < frame->key; i++) q[i] = sign * key[i];
    } else {
        q[f2l_rng_below(rng, most)] = choose_sign(rng);
        q[f2l_rng_below(rng, most)] = choose_sign(rng);
    }
}
