/* Keys that are normalised in fp32, in the ways of models/network/schedule/schedule.h. */
#ifndef F2L_KEY_NORM_H
#define F2L_KEY_NORM_H

#include "models/network/schedule/schedule.h"

/* Replaces the `count` raw numbers, numbers of fp32 that belong to the coordinates index[] below n,
 * by the key's, which are in fp32. eps, of the schedule, may have been rounded; `format` is the
 * network's. F2L_EDOMAIN where the raw key's length is zero or leaves fp32, or a result is not
 * finite. */
f2l_status f2l_normalise_key(double *key, const uint32_t *index, size_t count, size_t n,
                             const f2l_schedule *schedule, const f2l_format *format, double eps,
                             f2l_error *err);

#endif
