#include "numeric/base/mem.h"
#include "theory/certify/unrounded/impl.h"
#include <string.h>

void f2l_chunk_integers_init(f2l_chunk_integers *c, const f2l_steps *steps,
                             const f2l_vectors *start)
{
    *c = (f2l_chunk_integers){0};
    f2l_integers_init(&c->weights, steps);
    int places = c->weights.beta + c->weights.key; /* beta k is the first vector of back images */
    for (size_t i = 0; i < start->count; i++) f2l_integers_most(&places, &start->vector[i]);
    c->usable = f2l_integers_fill(&c->weights, places + F2L_INTEGERS_SLACK);
    c->base = f2l_calloc(steps->n, sizeof *c->base);
    c->s = f2l_calloc(steps->n, sizeof *c->s);
    if (!c->base || !c->s) c->usable = false;
}

void f2l_chunk_integers_clear(f2l_chunk_integers *c)
{
    f2l_integers_clear(&c->weights);
    f2l_free(c->base);
    f2l_free(c->s);
    f2l_free(c->entry);
    f2l_index_clear(&c->index);
    *c = (f2l_chunk_integers){0};
}

bool f2l_chunk_integers_load(f2l_chunk_integers *c, const f2l_qvec *vector)
{
    bool good = c->usable;
    if (good) memset(c->base, 0, c->weights.steps->n * sizeof *c->base);
    for (size_t i = 0; i < vector->count && good; i++)
        good = f2l_integers_scale(&c->base[vector->index[i]], vector->value[i], c->weights.state);
    return good;
}

/* --- runs --- */

static void see(f2l_chunk_seen *seen, int64_t m)
{
    const uint64_t size = m < 0 ? -(uint64_t)m : (uint64_t)m;
    seen->bits |= size;
    if (size > seen->most) seen->most = size;
}

/* Applies one factor, as `turn_integers` of theory/certify/unrounded/unrounded_chunk.c does.
 * Numbers seen before integers fail are seen again in rationals. */
static bool turn_integers(f2l_chunk_integers *c, const f2l_chunk_kind *kind,
                          const f2l_integer_factor *f, uint32_t column)
{
    const f2l_integer_steps *p = &c->weights;
    const int finer = p->product - p->state;
    int64_t r = 0, term;
    for (size_t q = 0; q < f->keys; q++)
        if (__builtin_mul_overflow(f->key[q], c->s[f->row[q]], &term) ||
            __builtin_add_overflow(r, term, &r))
            return false;
    if (__builtin_mul_overflow(r, INT64_C(1) << (p->sum - p->state - p->key), &r)) return false;
    for (size_t q = 0; q < f->values && kind->writes; q++)
        if (f->column[q] == column && __builtin_sub_overflow(r, f->value[q], &r)) return false;
    if (r == 0) return true;
    if (__builtin_mul_overflow(r, f->beta, &r)) return false;
    see(&c->product, r);
    for (size_t q = 0; q < f->keys; q++) {
        int64_t *s = &c->s[f->row[q]];
        if (__builtin_mul_overflow(f->key[q], r, &term) ||
            (term & ((INT64_C(1) << finer) - 1)) != 0 ||
            __builtin_sub_overflow(*s, term / (INT64_C(1) << finer), s))
            return false;
        see(&c->vectors, *s);
    }
    return true;
}

/* Extends the range by the largest of the numbers and by one with their most places, m 2^-places
 * each. */
static void meet_seen_numbers(f2l_range *range, const f2l_chunk_seen *seen, int places)
{
    mpq_t x;
    mpq_init(x);
    mpz_set_ui(mpq_numref(x), seen->most);
    mpq_div_2exp(x, x, (mp_bitcnt_t)places);
    f2l_range_meet(range, x);
    mpq_set_ui(x, seen->bits & -seen->bits, 1);
    mpq_div_2exp(x, x, (mp_bitcnt_t)places);
    f2l_range_meet(range, x);
    mpq_clear(x);
}

static bool is_more(const f2l_chunk_seen *now, const f2l_chunk_seen *before)
{
    return now->bits != before->bits || now->most != before->most;
}

bool f2l_chunk_integers_run(f2l_chunk_integers *c, const f2l_chunk_kind *kind, size_t letter,
                            uint32_t column)
{
    const f2l_integer_steps *p = &c->weights;
    const f2l_chunk_seen product = c->product, vectors = c->vectors;
    const size_t factors = p->steps->letter[letter].factors;
    bool good = true;
    memcpy(c->s, c->base, p->steps->n * sizeof *c->s);
    for (size_t m = 0; m < factors && good; m++)
        good = turn_integers(
            c, kind, &p->factor[p->first[letter] + (kind->back ? factors - 1 - m : m)], column);
    if (kind->product && is_more(&c->product, &product))
        meet_seen_numbers(kind->product, &c->product, p->scaled);
    if (kind->vectors && is_more(&c->vectors, &vectors))
        meet_seen_numbers(kind->vectors, &c->vectors, p->state);
    return good;
}

/* --- the set --- */

static uint64_t hash_integer_vector(const f2l_chunk_integers *c, uint32_t column)
{
    return f2l_hash_bytes(f2l_hash(F2L_HASH, column), c->s, c->weights.steps->n * sizeof *c->s);
}

/* Returns whether x = m 2^-places; m is not 0. */
static bool is_number(const mpq_t x, int64_t m, int places)
{
    const int zeros = __builtin_ctzll((uint64_t)m), drop = zeros < places ? zeros : places;
    return mpz_cmp_si(mpq_numref(x), m / (INT64_C(1) << drop)) == 0 &&
           mpz_cmp_ui(mpq_denref(x), UINT64_C(1) << (places - drop)) == 0;
}

static bool is_integer_vector(const f2l_chunk_integers *c, const f2l_qvec *v)
{
    size_t at = 0;
    for (size_t i = 0; i < c->weights.steps->n; i++) {
        if (c->s[i] == 0) continue;
        if (at == v->count || v->index[at] != i ||
            !is_number(v->value[at], c->s[i], c->weights.state))
            return false;
        at++;
    }
    return at == v->count;
}

static uint64_t hash_of_integer_vector(const void *integers, size_t i)
{
    return ((const f2l_chunk_integers *)integers)->entry[i].hash;
}

typedef struct key {
    const f2l_vectors *found;
    uint32_t column;
} key;

static bool is_run(const void *integers, size_t i, const void *of)
{
    const f2l_chunk_integers *c = integers;
    const key *k = of;
    const size_t vector = c->entry[i].vector;
    return k->found->column[vector] == k->column && is_integer_vector(c, &k->found->vector[vector]);
}

bool f2l_chunk_integers_known(const f2l_chunk_integers *c, const f2l_chunk_kind *kind,
                              uint32_t column)
{
    const key k = {kind->found, column};
    return f2l_index_find(&c->index, hash_integer_vector(c, column), is_run, c, &k) != F2L_NO_INDEX;
}

void f2l_chunk_integers_store(f2l_step_room *room, const f2l_chunk_integers *c)
{
    for (size_t i = 0; i < room->n; i++) {
        mpq_set_si(room->s[i], c->s[i], 1);
        if (c->s[i] != 0) mpq_div_2exp(room->s[i], room->s[i], (mp_bitcnt_t)c->weights.state);
    }
}

/* Adds the vector to the hashed set. Without memory the set stays unchanged: it only saves work,
 * and the vectors themselves are kept elsewhere. */
static void note_integer_vector(f2l_chunk_integers *c, size_t vector, uint32_t column)
{
    const size_t count = c->index.count;
    if (!f2l_index_grow(&c->index, hash_of_integer_vector, c) ||
        !f2l_grow((void **)&c->entry, &c->entry_room, count, sizeof *c->entry))
        return;
    c->entry[count] = (f2l_chunk_entry){hash_integer_vector(c, column), vector};
    f2l_index_add(&c->index, c->entry[count].hash);
}

void f2l_chunk_integers_note(f2l_chunk_integers *c, const f2l_chunk_kind *kind, uint32_t column)
{
    note_integer_vector(c, kind->found->count - 1, column);
}

void f2l_chunk_integers_begin(f2l_chunk_integers *c, const f2l_chunk_kind *kind)
{
    f2l_free(c->entry);
    c->entry = NULL;
    c->entry_room = 0;
    f2l_index_clear(&c->index);
    c->product = c->vectors = (f2l_chunk_seen){0};
    for (size_t i = 0; i < kind->found->count; i++) {
        if (!f2l_chunk_integers_load(c, &kind->found->vector[i])) continue;
        memcpy(c->s, c->base, c->weights.steps->n * sizeof *c->s);
        note_integer_vector(c, i, kind->found->column[i]);
    }
}
