/* The tensors and slots of the mixer mlstm (models/learn/seq/seq.h), and its streams. */
#ifndef F2L_SEQ_MLSTM_H
#define F2L_SEQ_MLSTM_H

#include "models/learn/seq/mixer.h"

/* Tensors of a layer; the projections lie one after the other. */
enum {
    F2L_MLSTM_QUERY,
    F2L_MLSTM_KEY,
    F2L_MLSTM_VALUE,
    F2L_MLSTM_IN,
    F2L_MLSTM_FORGET,
    F2L_MLSTM_OUTPUT_GATE,
    F2L_MLSTM_IN_BIAS,
    F2L_MLSTM_FORGET_BIAS,
    F2L_MLSTM_QUERY_TAPS,
    F2L_MLSTM_KEY_TAPS,
    F2L_MLSTM_OUTPUT_NORM,
    F2L_MLSTM_OUT
};

/* Slots; of queries and keys: projection, after the convolution, after SiLU. */
enum {
    F2L_MLSTM_SLOT_Q = F2L_SLOT_MIXER,
    F2L_MLSTM_SLOT_K = F2L_MLSTM_SLOT_Q + 3,
    F2L_MLSTM_SLOT_V = F2L_MLSTM_SLOT_K + 3,
    F2L_MLSTM_SLOT_IN,
    F2L_MLSTM_SLOT_FORGET,
    F2L_MLSTM_SLOT_OUTPUT_GATE, /* before the sigmoid */
    F2L_MLSTM_SLOT_OUTPUT_RATE, /* after it */
    F2L_MLSTM_SLOT_O,
    F2L_MLSTM_SLOT_O_NORM,
    F2L_MLSTM_SLOT_O_GATED
};

extern const f2l_mixer_pass_f32 f2l_seq_mlstm_pass_f32;
extern const f2l_mixer_pass_f64 f2l_seq_mlstm_pass_f64;

#endif
