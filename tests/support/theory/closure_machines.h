/* Machines for tests of the search that are not networks: a few numbers that change by arithmetic,
 * so that a list without hashing, packing or threads can compute what a closure must find. */
#ifndef TESTS_CLOSURE_MACHINE_H
#define TESTS_CLOSURE_MACHINE_H

#include "numeric/base/mem.h"
#include "numeric/format/choices.h"
#include "tests/support/automata/fsa_text.h"
#include "theory/certify/closure/closure_machine.h"
#include <criterion/criterion.h>

/* A joint state is (x, y, z), x < xs, y < ys, z < 2. Letters: a: x <- 5 x + 1; b: y <- y + x + 1;
 * c: x and y as before, z <- 1 - z. The network's label is z, the automaton's the parity of c. With
 * `choices`, b adds a bit of them to y too. */
enum { MACHINE_LETTERS = 3 };

typedef struct machine {
    size_t xs, ys;
    size_t bad_x, bad_y; /* the label is wrong at (bad_x, bad_y, 1), there is none at (bad_x, bad_y,
                            0); bad_x = xs: none */
    size_t bits;         /* number of choices that `b` takes */
    f2l_choices *choices;
    volatile sig_atomic_t *stop; /* set by the step number stop_at */
    size_t stop_at, steps;       /* with one thread only */
    f2l_fsa fsa;
    f2l_names labels;
} machine;

void machine_open(machine *m, size_t xs, size_t ys);

void machine_done(machine *m);

void machine_start(const void *run, double *joint);

/* Moves the state s by a letter and returns the label; `bit` is what is chosen. */
uint32_t machine_move(const machine *m, size_t *s, size_t letter, size_t bit);

f2l_status machine_step(void *run, double *joint, size_t letter, uint32_t *label, f2l_error *err);

/* Closes the machine; fp32 holds its numbers. The caller may change `options` before; choices are
 * set here. */
f2l_status machine_close(f2l_closure *out, machine *m, f2l_numbers_options options,
                         const f2l_task *task, f2l_error *err);

/* The states that breadth-first search finds, in the order in which it finds them. */
typedef struct machine_table {
    size_t rows;
    size_t *state;  /* [rows] number of the state: (x ys + y) 2 + z */
    uint32_t *next; /* [rows][letters], without choices */
    size_t *length; /* [rows] length of a shortest word */
    size_t failure; /* length of a shortest failing word; 0: none */
} machine_table;

void machine_count(machine_table *t, const machine *m);

void machine_table_clear(machine_table *t);

/* Checks that a kept table equals the list: numbers, states and edges. */
void machine_check(const f2l_closure *c, const machine *m, const machine_table *t);

#endif
