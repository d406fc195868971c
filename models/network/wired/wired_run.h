/* Runs of a wired network, exactly or in a number format.
 *
 * A run borrows its network and steps one token at a time; it holds room for the wires of one
 * stage, so every thread needs its own run. A token costs a look-up per gate, a test of every slot,
 * and arithmetic only where the state is not zero. */
#ifndef F2L_WIRED_RUN_H
#define F2L_WIRED_RUN_H

#include "models/network/net/wired.h"
#include "models/network/schedule/schedule.h"

typedef struct f2l_wired_exact f2l_wired_exact;

/* Creates a run. Borrows the network, which must be valid (F2L_EDOMAIN otherwise). */
f2l_status f2l_wired_exact_new(f2l_wired_exact **out, const f2l_net *net, f2l_error *err);
void f2l_wired_exact_free(f2l_wired_exact *run); /* NULL allowed */

/* Sets joint[f2l_wired_joint] to the values of all readouts, stage by stage. F2L_EDOMAIN when an
 * initial state has no code. */
f2l_status f2l_wired_exact_start(f2l_wired_exact *run, uint32_t *joint, f2l_error *err);

/* Steps the whole network in exact arithmetic; in place, on success only. F2L_EDOMAIN when a stage
 * (1-based in the text) reaches a state without a code, or joint[] has a value that is no code of
 * its readout. */
f2l_status f2l_wired_exact_step(f2l_wired_exact *run, uint32_t *joint, size_t letter, size_t *label,
                                f2l_error *err);

/* Steps one stage alone, whose inputs are input[]: the values of its readouts from joint[readouts]
 * to next[], and its outputs into output[]. Fails as f2l_wired_exact_step does. */
f2l_status f2l_wired_exact_step_stage(f2l_wired_exact *run, size_t stage, const uint32_t *input,
                                      const uint32_t *joint, uint32_t *next, uint32_t *output,
                                      f2l_error *err);
/* Returns the letters that the slots of a head of the stage choose where these are the stage's
 * inputs: indices into the head's transitions, by slot. They are the run's until its next use. */
const size_t *f2l_wired_exact_letters(f2l_wired_exact *run, size_t stage, const uint32_t *input,
                                      size_t head);

/* Steps one head of a block by the given values of its slots: values[slots], each a value of its
 * wire; out (initialised, replaced) may be `state`. */
f2l_status f2l_wired_exact_step_head(f2l_wired_exact *run, f2l_qvec *out, size_t block, size_t head,
                                     const uint32_t *values, const f2l_qvec *state, f2l_error *err);

/* A run in a number format. Weights are rounded and slots step, slot 1 first, as the schedule does
 * with the letters of a layer (models/network/schedule/schedule.h): a stage acts as if it read one
 * letter per slot, except that end_letter comes once, after the last slot. */
typedef struct f2l_wired_float f2l_wired_float;

/* Creates a run. F2L_EDOMAIN when the network is not valid, when the schedule is not for the format
 * or a head, and for chunk64. */
f2l_status f2l_wired_float_new(f2l_wired_float **out, const f2l_net *net, const f2l_format *format,
                               const f2l_schedule *schedule, f2l_error *err);
void f2l_wired_float_free(f2l_wired_float *run);

/* Returns the numbers in the joint state: n * d of all heads of all stages after each other. */
size_t f2l_wired_float_numbers(const f2l_wired_float *run);
void f2l_wired_float_start(const f2l_wired_float *run, double *joint);
/* Steps the network. Readouts decode to the nearest code in Euclidean distance, which must be
 * unique; *label is F2L_NO_SYMBOL if a readout has none (NaN, infinite, two nearest), and the
 * stages above then keep their states. */
f2l_status f2l_wired_float_step(f2l_wired_float *run, double *joint, size_t letter, uint32_t *label,
                                f2l_error *err);
/* Steps one head of a block by the value of one of its slots: state is dense [n][d], in place.
 * end_letter of the schedule is not called. */
void f2l_wired_float_step_slot(const f2l_wired_float *run, size_t block, size_t head, size_t slot,
                               size_t value, double *state);

#endif
