/* Running a wired network, exactly or in a number format.
 *
 * A run borrows its network and steps one token at a time; it holds room for the wires of one
 * stage, so threads need runs of their own. A token costs a look-up per gate, a glance at every
 * slot, and arithmetic only where the state is not zero. */
#ifndef F2L_WIRED_RUN_H
#define F2L_WIRED_RUN_H

#include "models/schedule/schedule.h"
#include "models/wired/wired.h"

typedef struct f2l_wired_exact f2l_wired_exact;

/* Borrows the network, which must be valid (F2L_EDOMAIN otherwise). */
f2l_status f2l_wired_exact_new(f2l_wired_exact **out, const f2l_wired *net, f2l_error *err);
void f2l_wired_exact_free(f2l_wired_exact *run); /* NULL allowed */

/* joint[f2l_wired_joint]: the values of all readouts, stage by stage. F2L_EDOMAIN when an initial
 * state has no code. */
f2l_status f2l_wired_exact_start(f2l_wired_exact *run, uint32_t *joint, f2l_error *err);

/* Steps the whole network in exact arithmetic; in place, on success only. F2L_EDOMAIN when a stage
 * (1-based in the text) reaches a state without a code, or joint[] has a value that its readout has
 * not. */
f2l_status f2l_wired_exact_step(f2l_wired_exact *run, uint32_t *joint, size_t letter, size_t *label,
                                f2l_error *err);

/* One head of a block by given values of its slots: values[slots], each one of its wire's; out
 * (initialised, replaced) may be `state`. */
f2l_status f2l_wired_exact_step_head(f2l_wired_exact *run, f2l_qvec *out, size_t block, size_t head,
                                     const uint32_t *values, const f2l_qvec *state, f2l_error *err);

/* Weights are rounded and slots step, slot 1 first, as the schedule says for the letters of a layer
 * (models/schedule/schedule.h): a stage is as if it did one letter per slot, but
 * that end_letter comes once, after the last slot. */
typedef struct f2l_wired_float f2l_wired_float;

/* F2L_EDOMAIN when the network is not valid, when the schedule is not for the format or a head, and
 * for chunk64. */
f2l_status f2l_wired_float_new(f2l_wired_float **out, const f2l_wired *net,
                               const f2l_format *format, const f2l_schedule *schedule,
                               f2l_error *err);
void f2l_wired_float_free(f2l_wired_float *run);

/* Numbers in the joint state: n * d of all heads of all stages after each other. */
size_t f2l_wired_float_numbers(const f2l_wired_float *run);
void f2l_wired_float_start(const f2l_wired_float *run, double *joint);
/* Readouts decode to the nearest code in Euclidean distance, which must be unique; *label is
 * F2L_NO_SYMBOL where one has none (NaN, infinite, two nearest), and the stages above then stay as
 * they were. */
f2l_status f2l_wired_float_step(f2l_wired_float *run, double *joint, size_t letter, uint32_t *label,
                                f2l_error *err);
/* One head of a block, by the value of one of its slots: state is dense [n][d], in place. What a
 * schedule does at the end of a letter (end_letter) is not done. */
void f2l_wired_float_step_slot(const f2l_wired_float *run, size_t block, size_t head, size_t slot,
                               size_t value, double *state);

#endif
