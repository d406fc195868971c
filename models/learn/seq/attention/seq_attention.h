/* The tensors and slots of the mixer attention (models/learn/seq/seq.h). */
#ifndef F2L_SEQ_ATTENTION_H
#define F2L_SEQ_ATTENTION_H

#include "models/learn/seq/mixer.h"

/* Tensors of a layer. */
enum {
    F2L_ATTENTION_QUERY,
    F2L_ATTENTION_KEY,
    F2L_ATTENTION_VALUE,
    F2L_ATTENTION_OUT,
    F2L_ATTENTION_TAPS /* there are none */
};

/* Slots. */
enum {
    F2L_ATTENTION_SLOT_Q = F2L_SLOT_MIXER,
    F2L_ATTENTION_SLOT_K,
    F2L_ATTENTION_SLOT_V,
    F2L_ATTENTION_SLOT_O
};

extern const f2l_mixer_pass_f32 f2l_seq_attention_pass_f32;
extern const f2l_mixer_pass_f64 f2l_seq_attention_pass_f64;

#endif
