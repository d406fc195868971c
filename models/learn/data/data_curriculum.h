/* A curriculum over lengths: sequences get longer when the network answers well. Its state is two
 * numbers, which a checkpoint keeps. */
#ifndef F2L_DATA_CURRICULUM_H
#define F2L_DATA_CURRICULUM_H

#include "models/learn/data/data.h"

typedef struct f2l_data_curriculum {
    size_t start, limit; /* first and greatest length */
    double threshold;    /* accuracy in (0, 1) that must be exceeded */
    size_t patience;     /* number of consecutive steps in which it must be; 0 counts as 1 */
    bool shorter_too;    /* true: lengths are uniform up to the present one; false: all are the
                          * present one */
    /* state */
    size_t length;
    size_t streak;
} f2l_data_curriculum;

/* Checks the options, rounds start and limit down to possible lengths of the data and begins.
 * F2L_EDOMAIN: start below the least possible length, limit < start, or a threshold outside (0,
 * 1). */
f2l_status f2l_data_curriculum_begin(f2l_data_curriculum *c, const f2l_data *data, f2l_error *err);

/* Returns the range of lengths of the next step. */
f2l_data_range f2l_data_curriculum_range(const f2l_data_curriculum *c, const f2l_data *data);

/* Takes in the accuracy of a step (of the answers after the last letters) and returns true when the
 * length grew, by a quarter and at least to the next possible length. An accuracy that is NaN
 * counts as 0. */
bool f2l_data_curriculum_report(f2l_data_curriculum *c, const f2l_data *data, double accuracy);

/* Restores the state that a checkpoint kept. F2L_EDOMAIN for a state that these options cannot
 * reach. */
f2l_status f2l_data_curriculum_resume(f2l_data_curriculum *c, const f2l_data *data, size_t length,
                                      size_t streak, f2l_error *err);

#endif
