/* The numbers of one case of tests/support/kernels/kernels_cases.h, and one call with them: on a
 * device, or in double on the CPU. */
#ifndef TESTS_KERNELS_PROBLEM_H
#define TESTS_KERNELS_PROBLEM_H

#include "tests/support/kernels/kernels_cases.h"
#include <stdlib.h>

/* Arrays of a call. */
enum {
    Q,
    K,
    V,
    BETA,
    G,
    DOUT,
    INITIAL,
    DFINAL,
    INPUTS,
    OUT = INPUTS,
    FINAL,
    DQ,
    DK,
    DV,
    DBETA,
    DG,
    DINITIAL,
    ARRAYS
};

/* A case's numbers, dense: rows of all sequences one after the other. */
typedef struct f2l_problem {
    f2l_kernels_case c;
    int64_t sequences, rows, *lengths; /* [sequences + 1], sums of lengths */
    double *x[ARRAYS];
} f2l_problem;

static inline bool is_state(int i)
{
    return i == INITIAL || i == DFINAL || i == FINAL || i == DINITIAL;
}
static inline bool has_factors(int i)
{
    return i == K || i == V || i == BETA || i == DK || i == DV || i == DBETA;
}
static inline bool present(int i, const f2l_kernels_case *c)
{
    if (c->pool && (i > FINAL || (i >= DOUT && i < INPUTS))) return false;
    if (i == V || i == DV) return c->additive;
    if (i == G || i == DG) return c->p.gate;
    if (i == INITIAL || i == DINITIAL) return c->initial;
    return i == DFINAL ? c->dfinal : true;
}
static inline int64_t heads_of(int i, const fsa2lrnn_delta_product *p)
{
    return i == Q || i == K || i == DQ || i == DK ? p->key_heads : p->heads;
}
static inline int64_t width_of(int i, const fsa2lrnn_delta_product *p)
{
    if (is_state(i)) return p->key * p->value;
    if (i == BETA || i == DBETA) return 1;
    if (i == G || i == DG) return p->gate == FSA2LRNN_KERNELS_GATE_KEY ? p->key : 1;
    return i == V || i == DV || i == OUT || i == DOUT ? p->value : p->key;
}
static inline int type_of(int i, const fsa2lrnn_delta_product *p)
{
    if (p->type == FSA2LRNN_KERNELS_F64) return FSA2LRNN_KERNELS_F64;
    if (i == DFINAL) return FSA2LRNN_KERNELS_F32;
    if (is_state(i)) return p->state_type;
    return i == BETA || i == DBETA || i == G || i == DG ? p->beta_type : p->type;
}
static inline int64_t rows_of(int i, int64_t rows, int64_t sequences,
                              const fsa2lrnn_delta_product *p)
{
    return is_state(i) ? sequences : has_factors(i) ? rows * p->factors : rows;
}
static inline size_t count_of(int i, const f2l_problem *a)
{
    return (size_t)(rows_of(i, a->rows, a->sequences, &a->c.p) * heads_of(i, &a->c.p) *
                    width_of(i, &a->c.p));
}

/* Draws a case's inputs, rounded to their types; keys have length 1, gates are logarithms. */
void f2l_problem_draw(f2l_problem *a, const f2l_kernels_case *c, uint64_t seed);
void f2l_problem_free(f2l_problem *a);
/* Copies the inputs of a, or of sequence `only` of it (-1: of all). */
void f2l_problem_copy(f2l_problem *to, const f2l_problem *a, int64_t only);
/* Copies the inputs of `tokens` tokens of every sequence, from `from` on. */
void f2l_problem_cut(f2l_problem *to, const f2l_problem *a, int64_t from, int64_t tokens);

/* Runs forward and, unless states come from a pool, backward; d NULL: on the CPU. Returns whether
 * nothing but the outputs has been written. */
bool f2l_problem_run(f2l_problem *a, int round, const f2l_cases_device *d);
/* Makes one step of all sequences, from the states INITIAL to FINAL, in place. */
bool f2l_problem_step(f2l_problem *a, int round, const f2l_cases_device *d);
/* Ends the program with the error's text unless status is 0. */
void f2l_problem_check(int status, const fsa2lrnn_kernels_error *err, const char *what);

#endif
