/* The betas of every layer of a trained network on the words of a sample. In layers after the first
 * they are functions of the word: this is their distribution. */
#ifndef F2L_LEARNED_LAYER_BETAS_H
#define F2L_LEARNED_LAYER_BETAS_H

#include "models/learn/inspect/inspect.h"
#include "theory/beside/compare/sample.h"

/* Sets *spread to [layers][heads], of all factors, owned by the caller (f2l_free); NULL where the
 * mixer has no betas. F2L_UNKNOWN: the task's memory is too small. */
f2l_status f2l_learned_layer_betas(f2l_inspect_spread **spread, const f2l_learned_reader *reader,
                                   const f2l_learned_sample *sample, const f2l_task *task,
                                   f2l_error *err);

#endif
