/* Networks for the tests of horizons and observations: rotations written as in [U], random groups
 * of commuting reflections with resets, and permutations with rounded keys. */
#ifndef TESTS_HORIZON_SUPPORT_H
#define TESTS_HORIZON_SUPPORT_H

#include "models/network/exact/run_exact.h"
#include "numeric/base/mem.h"
#include "tests/support/models/field_samples.h"
#include "tests/support/models/hand_nets.h"
#include "theory/certify/horizon/horizon.h"
#include "theory/certify/round/observe.h"
#include "theory/construct/t3/t3.h"
#include <math.h>
#include <stdio.h>

typedef struct horizon_sample {
    f2l_fsa fsa;
    f2l_net net;
    char name[128];
} horizon_sample;

void horizon_sample_clear(horizon_sample *s);

/* Makes rotations of the plane by 72 degrees times turn[letter], each as the two reflections I - 2
 * v v^T with v = (-sin a/2, cos a/2): first a/2 = 90 degrees, which is the first axis, then 90
 * degrees plus half the rotation. They are over K = Q(2 cos 18 degrees), which has the coordinates,
 * with the form 1. */
void horizon_rotations(horizon_sample *s, const int *turn, size_t letters);

/* Makes the network of T3 with the textbook keys (`naive`) or the exact ones. */
void horizon_permutations(horizon_sample *s, const char *text, bool naive);

/* What random networks may have beside reflections. */
typedef struct horizon_kinds {
    bool resets, bias, raw;
} horizon_kinds;

/* Sets u along or across (a, b): two orthogonal vectors, so that their reflections commute. */
void horizon_key(f2l_factor *factor, long a, long b, bool across, bool raw);

/* Makes a letter that overwrites the state with H_0 = v: by gate 0 and a bias, or by gate 0 and a
 * projection on each axis that writes. */
void horizon_reset(f2l_transition *t, const f2l_qvec *initial, bool bias);

/* Makes letters that reflect along a random vector, across it, or both, and perhaps one that
 * resets; n = d = 2. The codes and the automaton are found by stepping exactly. */
void horizon_random(horizon_sample *s, f2l_rng *r, horizon_kinds kinds);

/* Texts of the formats of the tests, and of all schedules with steps. */
static const char *const horizon_formats[] = {"bf16",
                                              "fp16",
                                              "fp32",
                                              "fp64",
                                              "e5m2",
                                              "e4m3",
                                              "e4m3,overflow=saturate",
                                              "tf32",
                                              "bf16,round=stochastic",
                                              "fp16,round=up",
                                              "fp32,round=down",
                                              "fp16,round=zero",
                                              "p=5,emin=-6,emax=7,subnormals=no",
                                              "p=6,emin=-3,emax=6,round=up,subnormals=no",
                                              "p=9,emin=-2,emax=5"};
static const char *const horizon_schedules[] = {"every",     "fma",  "acc32",
                                                "recurrent", "cast", "every,eps=1e-6,raw=16"};
#define HORIZON_FORMATS (sizeof horizon_formats / sizeof *horizon_formats)
#define HORIZON_SCHEDULES (sizeof horizon_schedules / sizeof *horizon_schedules)

/* Checks that no word that is observed is wrong within the horizon, and that no word of one layer
 * has a larger error than the bound. Returns false when the schedule is not for the format. */
bool horizon_agrees(const horizon_sample *s, const char *format_text, const char *schedule_text,
                    uint64_t letters, uint64_t seed, f2l_horizon *out);

#endif
