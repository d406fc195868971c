/* The tensors and slots of the mixer delta (models/learn/seq/seq.h), and its streams. */
#ifndef F2L_SEQ_DELTA_H
#define F2L_SEQ_DELTA_H

#include "models/learn/seq/mixer.h"

/* Tensors of a layer. */
enum {
    F2L_DELTA_QUERY,
    F2L_DELTA_KEY,
    F2L_DELTA_VALUE,
    F2L_DELTA_BETA,
    F2L_DELTA_STEP,
    F2L_DELTA_GATE_LOG,
    F2L_DELTA_GATE_BIAS,
    F2L_DELTA_QUERY_TAPS,
    F2L_DELTA_KEY_TAPS,
    F2L_DELTA_VALUE_TAPS,
    F2L_DELTA_START, /* H_0 */
    F2L_DELTA_OUTPUT_NORM,
    F2L_DELTA_OUT,
    F2L_DELTA_OUTPUT_GATE
};

/* Slots; for each stream: projection, after the convolution, after SiLU, scaled to length 1. */
enum {
    F2L_DELTA_SLOT_Q = F2L_SLOT_MIXER,
    F2L_DELTA_SLOT_K = F2L_DELTA_SLOT_Q + 4,
    F2L_DELTA_SLOT_V = F2L_DELTA_SLOT_K + 4, /* values have no length 1 */
    F2L_DELTA_SLOT_BETA_IN = F2L_DELTA_SLOT_V + 3,
    F2L_DELTA_SLOT_BETA,
    F2L_DELTA_SLOT_GATE_IN,
    F2L_DELTA_SLOT_GATE,
    F2L_DELTA_SLOT_O, /* without the factor K^-1/2, which comes with O_SCALED */
    F2L_DELTA_SLOT_O_SCALED,
    F2L_DELTA_SLOT_O_NORM,
    F2L_DELTA_SLOT_OUTPUT_GATE, /* before SiLU */
    F2L_DELTA_SLOT_O_GATED
};

/* The arrays by letter (models/learn/seq/seq_letters.h), in the order of models/learn/op. */
enum {
    F2L_DELTA_LETTER_BETA, /* [letters][householders][heads] */
    F2L_DELTA_LETTER_KEY,  /* [letters][householders][heads][key_dim], input of the recurrence */
    F2L_DELTA_LETTER_GATE, /* [letters][heads]; NULL without a forget gate */
    F2L_DELTA_LETTER_VALUE /* [letters][householders][heads][value_dim]; NULL without values */
};

/* Computes the streams from SLOT_NORM to queries, keys and values. */
enum { F2L_DELTA_STREAMS = 3 };
void f2l_seq_delta_streams(f2l_seq_stream stream[F2L_DELTA_STREAMS], const f2l_seq *model,
                           size_t layer);

extern const f2l_mixer_pass_f32 f2l_seq_delta_pass_f32;
extern const f2l_mixer_pass_f64 f2l_seq_delta_pass_f64;

/* The classes DeltaNet, GatedDeltaProduct and GatedDeltaNet of flash-linear-attention. The last one
 * is only read: what it is, GatedDeltaProduct is, too. */
enum { F2L_DELTA_CLASSES = 3 };
extern const f2l_fla_class f2l_seq_delta_fla[F2L_DELTA_CLASSES];

#endif
