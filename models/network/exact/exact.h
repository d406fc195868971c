/* Stepping heads exactly, in two arithmetics over one sparse scratch state; heads with a field or a
 * form have a third (models/network/exact/exact_field.c). Private to models.
 *
 * Small: a factor (beta, u, c) means the same as (beta, s u, s c) for any s != 0, so u and c are
 * scaled to integers U, C. With D a common denominator of the head's initial state and codes, a
 * state is M / D with integer M, and the update
 *
 *     M <- M - (p / q) U (U^T M - D C),      p / q = beta / U^T U in lowest terms,
 *
 * stays in the integers whenever the new state has denominator D again; in a raw head p / q = beta
 * / s^2. A bias b adds D b. Every product, sum and division is checked: when one overflows or
 * leaves a remainder, the step is done again in GMP, so the result is exact either way. */
#ifndef F2L_EXACT_IMPL_H
#define F2L_EXACT_IMPL_H

#include "models/network/net/head_field.h"

/* One state while it is being stepped: only coordinates that were touched have an entry. */
typedef struct f2l_scratch {
    uint32_t *slot; /* [most n * d over the heads]: position of the coordinate's entry + 1, 0: the
                       number is zero */
    size_t count, capacity;
    uint32_t *touched; /* [capacity] coordinates in order of first use; count are in use */
    uint32_t *order;   /* [capacity] for sorting */
    int64_t *small;    /* [capacity] values, in one of the two arithmetics */
    mpq_t *big;        /* [big_ready] */
    size_t big_ready;
    /* Columns that may hold a non-zero number: [most d over the heads]. */
    uint32_t *column;
    size_t columns;
    uint8_t *active;
    uint32_t *write; /* position of the column in the present factor's c + 1; 0: writes nothing
                        there */
} f2l_scratch;

typedef struct f2l_small_factor {
    int64_t p, q;
    size_t key, write; /* where the factor's entries begin; they end where the entries of the next
                        * factor begin */
} f2l_small_factor;

typedef struct f2l_small_head {
    bool usable; /* whether all weights fit int64_t */
    int64_t denominator;
    int64_t *gate_p, *gate_q; /* [letters] */
    f2l_small_factor *factor; /* [factors + 1] */
    uint32_t *row;            /* of every key entry, times d */
    int64_t *key;
    uint32_t *column;
    int64_t *write;     /* D C */
    size_t *bias_first; /* [letters + 1] into bias_at, bias */
    uint32_t *bias_at;  /* row * d + column */
    int64_t *bias;      /* D b */
} f2l_small_head;

typedef struct f2l_field_head f2l_field_head;

typedef struct f2l_exact_head {
    const f2l_head *weights; /* borrowed */
    size_t letters;
    f2l_field_head *over; /* for a head with a field or a form, which uses nothing below; owned */
    size_t *first;        /* [letters + 1]: factors of letter x are first[x] .. first[x + 1] - 1 */
    mpq_t *scale;         /* [first[letters]]: beta / u^T u; beta in a raw head */
    f2l_small_head small;
} f2l_exact_head;

/* Initialises *s with room for heads of at most `numbers` = n * d numbers and `columns` = d. */
f2l_status f2l_scratch_init(f2l_scratch *s, size_t numbers, size_t columns, f2l_error *err);
void f2l_scratch_clear(f2l_scratch *s);
/* Makes the scratch state zero again: O(touched). */
void f2l_scratch_reset(f2l_scratch *s);
/* Makes room for `extra` more entries, so that f2l_scratch_touch cannot fail. False: no memory. */
bool f2l_scratch_reserve(f2l_scratch *s, size_t extra);
void f2l_scratch_activate(f2l_scratch *s, uint32_t column);
/* Returns the position of the coordinate's entry; a new entry is zero in both arithmetics. */
size_t f2l_scratch_touch(f2l_scratch *s, uint32_t coordinate);

/* Sets lcm to the least common multiple of itself and all denominators. Returns false, with a
 * number in lcm that does not fit int64_t, when lcm outgrows the small arithmetic. */
bool f2l_common_denominator(mpz_t lcm, const f2l_qvec *v);

f2l_status f2l_small_head_init(f2l_small_head *small, const f2l_exact_head *head,
                               const mpz_t denominator, f2l_error *err);
void f2l_small_head_clear(f2l_small_head *small);

/* Steps `state` into the empty scratch by letter[count], in integers. F2L_UNKNOWN when integers do
 * not suffice; F2L_ENOMEM. In all cases the scratch must be reset afterwards. */
f2l_status f2l_small_step(f2l_scratch *s, const f2l_exact_head *head, const size_t *letter,
                          size_t count, const f2l_qvec *state);

/* Steps heads; its scratch state is empty between steps. */
typedef struct f2l_stepper {
    f2l_scratch scratch;
    bool ready; /* r and t are initialised */
    mpq_t r, t;
    f2l_number *number; /* [numbers] the scratch state of heads with a field or a form, zero between
                           steps */
    size_t numbers;
} f2l_stepper;

/* Initialises a stepper for heads of at most `numbers` = n * d numbers and `columns` = d. */
f2l_status f2l_stepper_init(f2l_stepper *stepper, size_t numbers, size_t columns, f2l_error *err);
void f2l_stepper_clear(f2l_stepper *stepper); /* a zeroed stepper is allowed */

/* Initialises *head. `denominator` is D above; if it does not fit int64_t, only GMP is used.
 * Borrows the weights. */
f2l_status f2l_exact_head_init(f2l_exact_head *head, const f2l_head *weights, size_t letters,
                               const mpz_t denominator, const f2l_task *task, f2l_error *err);
void f2l_exact_head_clear(f2l_exact_head *head); /* a zeroed head is allowed */

/* Sets out to the state after the letters, letter[0] first. `out` (initialised, replaced) may be
 * `state`. */
f2l_status f2l_stepper_step(f2l_stepper *stepper, f2l_qvec *out, const f2l_exact_head *head,
                            const size_t *letter, size_t count, const f2l_qvec *state,
                            f2l_error *err);

/* Creates *out for a head with a field or a form. Borrows the weights; *out is NULL on failure. */
f2l_status f2l_field_head_new(f2l_field_head **out, const f2l_head *weights, size_t letters,
                              f2l_error *err);
void f2l_field_head_free(f2l_field_head *head); /* NULL allowed */
/* Steps such a head as f2l_stepper_step does. */
f2l_status f2l_field_head_step(f2l_stepper *stepper, f2l_qvec *out, const f2l_field_head *head,
                               const size_t *letter, size_t count, const f2l_qvec *state,
                               f2l_error *err);

/* Stores entry number `at` <= count of a vector that is being rewritten in place; the entries from
 * `at` on are old. */
f2l_status f2l_vector_put(f2l_qvec *v, size_t at, uint32_t index, const mpq_t value,
                          f2l_error *err);
/* Drops the entries from `count` on. */
void f2l_vector_cut(f2l_qvec *v, size_t count);

#endif
