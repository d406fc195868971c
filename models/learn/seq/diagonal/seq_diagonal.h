/* The tensors and slots of the mixer diagonal (models/learn/seq/seq.h). */
#ifndef F2L_SEQ_DIAGONAL_H
#define F2L_SEQ_DIAGONAL_H

#include "models/learn/seq/mixer.h"

/* Tensors of a layer. */
enum {
    F2L_DIAGONAL_IN, /* of u, then of z */
    F2L_DIAGONAL_TAPS,
    F2L_DIAGONAL_SELECT, /* of r, B, C */
    F2L_DIAGONAL_STEP_WEIGHT,
    F2L_DIAGONAL_STEP_BIAS,
    F2L_DIAGONAL_STATE_LOG,
    F2L_DIAGONAL_SKIP,
    F2L_DIAGONAL_OUT,
    F2L_DIAGONAL_TAPS_BIAS
};

/* Slots; u: projection, after the convolution, after SiLU. */
enum {
    F2L_DIAGONAL_SLOT_U = F2L_SLOT_MIXER,
    F2L_DIAGONAL_SLOT_U_TAPS,
    F2L_DIAGONAL_SLOT_U_SILU,
    F2L_DIAGONAL_SLOT_Z,
    F2L_DIAGONAL_SLOT_RANK,
    F2L_DIAGONAL_SLOT_WRITE, /* B */
    F2L_DIAGONAL_SLOT_READ,  /* C */
    F2L_DIAGONAL_SLOT_STEP_IN,
    F2L_DIAGONAL_SLOT_STEP,  /* dt */
    F2L_DIAGONAL_SLOT_DECAY, /* a */
    F2L_DIAGONAL_SLOT_STATE, /* dt B u, then h */
    F2L_DIAGONAL_SLOT_Y,
    F2L_DIAGONAL_SLOT_Y_GATED
};

/* The array by letter (models/learn/seq/seq_letters.h). */
enum { F2L_DIAGONAL_LETTER_DECAY }; /* [letters][channels][states] */

extern const f2l_mixer_pass_f32 f2l_seq_diagonal_pass_f32;
extern const f2l_mixer_pass_f64 f2l_seq_diagonal_pass_f64;

/* The class Mamba of flash-linear-attention. */
extern const f2l_fla_class f2l_seq_diagonal_fla;

#endif
