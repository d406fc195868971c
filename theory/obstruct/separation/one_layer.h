/* The verdict on one layer with one code for each state of an automaton's quotient by its labels,
 * and its certificate. What the decoder reads decides which states need different codes
 * (theory/pages/separation.md, SP.9). */
#ifndef F2L_ONE_LAYER_H
#define F2L_ONE_LAYER_H

#include "automata/fsa/word.h"
#include "theory/obstruct/separation/separation.h"

/* Larger automata are not tried; 0 in the limits stands for these. */
#define F2L_ONE_LAYER_STATES 10
#define F2L_ONE_LAYER_LETTERS 8

typedef struct f2l_one_layer_limits {
    size_t states, letters; /* of the quotient */
} f2l_one_layer_limits;

/* What the label after a letter is a function of. Each of them may read what the one before it
 * reads, or what determines that. */
typedef enum f2l_decoder {
    F2L_DECODER_STATE, /* the code after the letter */
    F2L_DECODER_STEP,  /* the letter and the code after it */
    F2L_DECODER_BEFORE /* the code before the letter, the letter and the code after it */
} f2l_decoder;

/* Returns "state", "step" or "before". */
const char *f2l_decoder_name(f2l_decoder decoder);

typedef struct f2l_one_layer {
    f2l_separation separation; /* of the quotient; infeasible: whatever of these the decoder is */
    f2l_decoder decoder;       /* of a feasible one: the first that does */
    size_t states;             /* of the quotient */
    uint32_t *class_of;        /* [states of the caller's automaton] owned; state of the quotient,
                                  UINT32_MAX where it cannot be reached */
    f2l_word apart;            /* infeasible: after it, and it is not empty, the labels of the pair
                                  differ */
} f2l_one_layer;

void f2l_one_layer_init(f2l_one_layer *one);
void f2l_one_layer_clear(f2l_one_layer *one);

/* Decides whether one layer can have one code for each state of the minimal automaton for the
 * label, and with which decoder. `limits` may be NULL. F2L_OK also when that is left unknown;
 * F2L_UNKNOWN when the task was stopped. On failure *out is cleared. */
f2l_status f2l_one_layer_find(f2l_one_layer *out, const f2l_fsa *fsa, f2l_label label,
                              const f2l_one_layer_limits *limits, const f2l_task *task,
                              f2l_error *err);

/* Returns whether the code alone decides: then R4 makes a network of the form. */
bool f2l_one_layer_builds(const f2l_one_layer *one);

/* Appends the certificate of an infeasible one (man page separation-check(1)), which
 * separation-check verifies. */
f2l_status f2l_one_layer_certificate(f2l_buf *out, const f2l_one_layer *one, const f2l_fsa *fsa,
                                     f2l_label label, f2l_error *err);

#endif
