/* Machines for tests of the search that are no networks: a few numbers that change by arithmetic,
 * so that what a closure must find can be computed by a list without hashing, packing or threads.
 */
#ifndef TESTS_CLOSURE_MACHINE_H
#define TESTS_CLOSURE_MACHINE_H

#include "numeric/base/mem.h"
#include "numeric/format/choices.h"
#include "tests/support/automata/fsa_text.h"
#include "theory/certify/closure/closure_machine.h"
#include <criterion/criterion.h>

/* A joint state is (x, y, z), x < xs, y < ys, z < 2. Letters: a: x <- 5 x + 1; b: y <- y + x + 1;
 * c: x and y as before, z <- 1 - z. The label is z, that of the automaton the parity of c. With
 * `choices`, b adds a bit of them to y too. */
enum { MACHINE_LETTERS = 3 };

typedef struct machine {
    size_t xs, ys;
    size_t bad_x, bad_y; /* the label is wrong at (bad_x, bad_y, 1), there is none at (bad_x, bad_y,
                            0); bad_x = xs: none */
    size_t bits;         /* of choices that `b` takes */
    f2l_choices *choices;
    volatile sig_atomic_t *stop; /* set by the step number stop_at */
    size_t stop_at, steps;       /* with one thread only */
    f2l_fsa fsa;
    f2l_names labels;
} machine;

void machine_open(machine *m, size_t xs, size_t ys);

void machine_done(machine *m);

void machine_start(const void *run, double *joint);

/* `bit`: what is chosen. */
uint32_t machine_move(const machine *m, size_t *s, size_t letter, size_t bit);

f2l_status machine_step(void *run, double *joint, size_t letter, uint32_t *label, f2l_error *err);

/* fp32 holds the numbers. `options` may be changed by the caller before; choices are set here. */
f2l_status machine_close(f2l_closure *out, machine *m, f2l_numbers_options options,
                         const f2l_task *task, f2l_error *err);

/* What breadth-first search finds, in the order in which it is found. */
typedef struct machine_table {
    size_t rows;
    size_t *state;  /* [rows] (x ys + y) 2 + z */
    uint32_t *next; /* [rows][letters], without choices */
    size_t *length; /* [rows] of a shortest word */
    size_t failure; /* length of a shortest failing word; 0: none */
} machine_table;

void machine_count(machine_table *t, const machine *m);

void machine_table_clear(machine_table *t);

/* A kept table is that of the list: the numbers, the states and the edges. */
void machine_check(const f2l_closure *c, const machine *m, const machine_table *t);

#endif
