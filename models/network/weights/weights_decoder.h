/* The tensors of a layer's decoder (models/network/weights/weights.h); private to this folder. */
#ifndef F2L_WEIGHTS_DECODER_H
#define F2L_WEIGHTS_DECODER_H

#include "models/network/weights/safetensors.h"

/* Registers the numbers of the layer's codes and boxes. */
void f2l_weights_hold_codes(f2l_safetensors *file, const f2l_layer *layer);
/* Adds PREFIX.part, .reads, .yield_at and .yield, and for head h PREFIX.heads.h.codes, with boxes
 * also .low and .high, or their sparse forms. */
void f2l_weights_add_decoder(f2l_safetensors *file, const f2l_layer *layer, const char *prefix);

#endif
