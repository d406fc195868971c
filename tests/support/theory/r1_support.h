/* Networks of R1 in tests: built from an automaton, run in double precision, and closed exactly. */
#ifndef TESTS_R1_SUPPORT_H
#define TESTS_R1_SUPPORT_H

#include "automata/family/family.h"
#include "models/network/net/head_field.h"
#include "numeric/base/mem.h"
#include "numeric/base/rng.h"
#include "tests/support/automata/fsa_text.h"
#include "theory/certify/closure/closure.h"
#include "theory/construct/r1/r1.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct r1_sample {
    const char *name;
    f2l_fsa fsa;
    f2l_r1 r1;
    f2l_net net;
    f2l_r1_report report;
} r1_sample;

void r1_analyse(r1_sample *s);

void r1_open_text(r1_sample *s, const char *name, const char *text);

void r1_open_family(r1_sample *s, const char *kind, uint64_t n, bool generators);

void r1_close(r1_sample *s);

void r1_build(r1_sample *s, f2l_r1_variant variant, f2l_label label);

void r1_verify(const r1_sample *s);

/* Sets out[n] to the entries of a stored vector. */
void r1_doubles(double *out, size_t n, const f2l_qvec *v, const f2l_head *head);

/* Does x <- x - (beta / u^T G u) u (u^T G x). */
void r1_reflect(double *x, const double *u, const double *form, size_t n, double beta);

typedef struct r1_float_head {
    double *form, *u, *x, *code; /* u[n] scratch; x[n] the state; code[codes][n] */
} r1_float_head;

void r1_float_step(const f2l_head *head, r1_float_head *f, size_t letter);

r1_float_head *r1_float_open(const f2l_layer *layer);

void r1_float_close(r1_float_head *f, size_t heads);

/* Returns the only code that is as near as rounding allows; layer->codes when there is none. */
size_t r1_float_code(const f2l_layer *layer, const r1_float_head *f);

/* Runs a random word in double precision, without the exact stepper: every state has its code, with
 * the automaton's label. */
void r1_walk(const r1_sample *s, uint64_t seed, size_t steps);

/* Checks the report's figures against the network and the tables. */
void r1_check_report(const r1_sample *s);

void r1_check(const r1_sample *s);

#endif
