/* The step of a letter in one head, for every order of operations and in every arithmetic: the
 * schedules of models/schedule/schedule.h are walked here, and nowhere else in the library.
 *
 * A file that computes in an arithmetic (doubles, enclosures, rationals, integers) defines the type
 * walk_machine, includes this header, and defines the functions declared here. The machine has the
 * weights of the head, its state, and numbered registers; most functions work on the value column
 * that walk_column chose last. "Rounded" means whatever the arithmetic does with the result of an
 * operation: it rounds it, encloses its rounding, or checks that it needs none. */
#ifndef F2L_WALK_H
#define F2L_WALK_H

#include "models/schedule/schedule.h"

#define WALK static inline __attribute__((always_inline))

/* Returns false when the machine has seen enough: the walk then ends, at any place. */
WALK bool walk_goes_on(const walk_machine *m);

/* S <- gate S, rounded, for all columns, unless the gate is 1. */
WALK void walk_gate(walk_machine *m, size_t letter);
/* S <- S + bias, rounded, for all columns, where the bias is not 0. */
WALK void walk_bias(walk_machine *m, size_t letter);

/* The numbers first .. end - 1. */
typedef struct walk_range {
    size_t first, end;
} walk_range;

/* Returns the letter's factors. */
WALK walk_range walk_factors(const walk_machine *m, size_t letter);

/* Returns the columns. */
WALK walk_range walk_columns(const walk_machine *m);
/* Turns to a column; columns come in order. Returns false when the factor does not change it. */
WALK bool walk_column(walk_machine *m, size_t factor, size_t column);

/* Returns the factor's key coordinates q that take part, in the order of the sum. */
WALK walk_range walk_keys(const walk_machine *m, size_t factor);
/* Returns, for sums by halves, the number of sums that are complete after product q. */
WALK unsigned walk_sums(const walk_machine *m, size_t q);

/* With `narrow` the operands of products with the key are first rounded into the format of
 * operands: S_q by these two functions, reg[0] by walk_scale; keys have numbers of it.
 * reg[to] <- k_q S_q, rounded. */
WALK void walk_product(walk_machine *m, bool narrow, size_t to, size_t q);
/* reg[0] <- reg[0] + k_q S_q, rounded once. */
WALK void walk_add_product(walk_machine *m, bool narrow, size_t q);
/* reg[to] <- reg[to] + reg[to + 1], rounded; q is the coordinate of the last product. */
WALK void walk_add(walk_machine *m, size_t to, size_t q);
/* reg[0] <- reg[0] - v, rounded, unless the value v of the factor is 0 in this column. */
WALK void walk_subtract_value(walk_machine *m, size_t factor);
/* reg[0] <- beta reg[0], rounded, with `narrow` also into the format of operands. */
WALK void walk_scale(walk_machine *m, bool narrow, size_t factor);
/* S_q <- S_q - k_q reg[0], rounded once. */
WALK void walk_subtract_product(walk_machine *m, size_t q);
/* reg[1] <- k_q reg[0], rounded. */
WALK void walk_product_back(walk_machine *m, size_t q);
/* S_q <- S_q - reg[1], rounded. */
WALK void walk_subtract(walk_machine *m, size_t q);

/* Sums the products of key and state, of which there is at least one, into reg[0]. The numbers of
 * the registers are constants, so that a compiler keeps them in registers. */
WALK void walk_sum_left(bool fused, bool narrow, walk_machine *m, walk_range keys)
{
    walk_product(m, narrow, 0, keys.first);
    for (size_t q = keys.first + 1; q < keys.end && walk_goes_on(m); q++) {
        if (fused) {
            walk_add_product(m, narrow, q);
            continue;
        }
        walk_product(m, narrow, 1, q);
        if (walk_goes_on(m)) walk_add(m, 0, q);
    }
}

/* The same by halves. */
WALK void walk_sum_halves(bool narrow, walk_machine *m, walk_range keys)
{
    size_t top = 0;
    for (size_t q = keys.first; q < keys.end && walk_goes_on(m); q++) {
        walk_product(m, narrow, top++, q);
        for (unsigned sums = walk_sums(m, q); sums > 0 && walk_goes_on(m); sums--) {
            top--;
            walk_add(m, top - 1, q);
        }
    }
}

WALK void walk_update(f2l_schedule_order order, walk_machine *m, walk_range keys)
{
    for (size_t q = keys.first; q < keys.end && walk_goes_on(m); q++) {
        if (order.fused_update) {
            walk_subtract_product(m, q);
            continue;
        }
        walk_product_back(m, q);
        if (walk_goes_on(m)) walk_subtract(m, q);
    }
}

/* Applies a factor to the column that the machine is in. */
WALK void walk_factor(f2l_schedule_order order, bool narrow, walk_machine *m, size_t factor)
{
    const walk_range keys = walk_keys(m, factor);
    if (keys.first == keys.end) return;
    if (order.sum == F2L_SUM_HALVES)
        walk_sum_halves(narrow, m, keys);
    else
        walk_sum_left(order.fused_sum, narrow, m, keys);
    if (walk_goes_on(m)) walk_subtract_value(m, factor);
    if (walk_goes_on(m)) walk_scale(m, narrow, factor);
    walk_update(order, m, keys);
}

/* Does everything of a letter but the store of the state that comes after it. */
WALK void walk_letter(f2l_schedule_order order, bool narrow, walk_machine *m, size_t letter)
{
    walk_gate(m, letter);
    const walk_range factors = walk_factors(m, letter), columns = walk_columns(m);
    for (size_t f = factors.first; f < factors.end; f++)
        for (size_t j = columns.first; j < columns.end && walk_goes_on(m); j++)
            if (walk_column(m, f, j)) walk_factor(order, narrow, m, f);
    if (walk_goes_on(m)) walk_bias(m, letter);
}

#endif
