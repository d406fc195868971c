/* The first failure of a learned network that is easily found: an observation, beside the proof. */
#ifndef F2L_LEARNED_FAILURE_H
#define F2L_LEARNED_FAILURE_H

#include "automata/fsa/fsa.h"
#include "models/seq/seq.h"

typedef struct f2l_learned_failure {
    size_t searched; /* letters of the words */
    size_t length;   /* of the shortest wrong beginning; 0: none is wrong */
} f2l_learned_failure;

/* Reads the powers of all words of one letter, and of words of two letters, at most 1024 words
 * spread evenly, in float32. `begin` as in f2l_learned_horizon_build. F2L_UNKNOWN: the task stopped
 * it. */
f2l_status f2l_learned_failure_find(f2l_learned_failure *out, const f2l_seq *model,
                                    const float *parameters, const f2l_fsa *fsa, bool begin,
                                    const f2l_task *task, f2l_error *err);

#endif
