/* The tensors and slots of the mixers gla and rwkv7 (models/learn/seq/seq.h). */
#ifndef F2L_SEQ_DPLR_H
#define F2L_SEQ_DPLR_H

#include "models/learn/seq/mixer.h"

/* Tensors of a layer; gla has none with RATE, REMOVAL or REPLACEMENT. The first five are
 * neighbours, since they are one product on a device. */
enum {
    F2L_DPLR_QUERY,
    F2L_DPLR_KEY,
    F2L_DPLR_VALUE,
    F2L_DPLR_GATE_LOW,
    F2L_DPLR_RATE_LOW,
    F2L_DPLR_GATE,
    F2L_DPLR_GATE_BIAS,
    F2L_DPLR_RATE,
    F2L_DPLR_RATE_BIAS,
    F2L_DPLR_REMOVAL,
    F2L_DPLR_REPLACEMENT,
    F2L_DPLR_QUERY_TAPS,
    F2L_DPLR_KEY_TAPS,
    F2L_DPLR_VALUE_TAPS,
    F2L_DPLR_OUTPUT_NORM,
    F2L_DPLR_OUTPUT_GATE,
    F2L_DPLR_OUT
};

/* Slots; for q, k, v: projection, after the convolution, after SiLU. */
enum {
    F2L_DPLR_SLOT_Q = F2L_SLOT_MIXER,
    F2L_DPLR_SLOT_K = F2L_DPLR_SLOT_Q + 3,
    F2L_DPLR_SLOT_V = F2L_DPLR_SLOT_K + 3,
    F2L_DPLR_SLOT_GATE_LOW = F2L_DPLR_SLOT_V + 3,
    F2L_DPLR_SLOT_GATE_TANH, /* rwkv7 */
    F2L_DPLR_SLOT_GATE_IN,   /* x of models/learn/op/op_rates.h */
    F2L_DPLR_SLOT_RATE_LOW,  /* from here to WRITE: rwkv7 */
    F2L_DPLR_SLOT_RATE_IN,   /* y */
    F2L_DPLR_SLOT_A,
    F2L_DPLR_SLOT_B,
    F2L_DPLR_SLOT_WRITE, /* the key of the recurrence; gla: it is the last slot of k */
    F2L_DPLR_SLOT_W,
    F2L_DPLR_SLOT_O /* and the four behind it (f2l_seq_output) */
};

/* Returns whether the mixer has the rank-one term. */
static inline bool f2l_dplr_removes(const f2l_seq_config *config)
{
    return config->mixer == &f2l_mixer_rwkv7;
}

extern const f2l_mixer_pass_f32 f2l_seq_dplr_pass_f32;
extern const f2l_mixer_pass_f64 f2l_seq_dplr_pass_f64;

#endif
