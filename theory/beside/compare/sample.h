/* States that a trained network reaches: after every letter of random words. */
#ifndef F2L_LEARNED_SAMPLE_H
#define F2L_LEARNED_SAMPLE_H

#include "theory/beside/compare/reader.h"

#define F2L_SAMPLE_LENGTH ((size_t)8)
#define F2L_SAMPLE_LEAST ((size_t)384)
#define F2L_SAMPLE_MOST ((size_t)2048)
#define F2L_SAMPLE_EACH ((size_t)8) /* states of the network for each state of the automaton */

/* The state of word w after `t` letters, t = 1 .. length, is number w * length + t - 1. */
typedef struct f2l_learned_sample {
    size_t words, length, states; /* states = words * length */
    size_t numbers;               /* of a state */
    uint32_t *used;               /* [used_letters] letters of the automaton that training had */
    size_t used_letters;
    uint32_t *letter; /* [words][length] */
    uint32_t *answer; /* [states] of the network */
    uint32_t *given;  /* [states] state of the automaton */
    float *start;     /* [numbers] the state before the first letter */
    float *state;     /* [states][numbers] */
} f2l_learned_sample;

/* Builds *out; cleared by f2l_learned_sample_clear, also after a failure. Letters are uniform among
 * those that the data draw, the same for the same automaton and length. length 0: twice the number
 * of letters that lead to the farthest state of the automaton, and at least F2L_SAMPLE_LENGTH.
 * F2L_UNKNOWN: the task stopped it, or its memory is too small. */
f2l_status f2l_learned_sample_build(f2l_learned_sample *out, f2l_learned_reader *reader,
                                    size_t length, const f2l_task *task, f2l_error *err);
void f2l_learned_sample_clear(f2l_learned_sample *sample);

#endif
