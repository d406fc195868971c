/* Reading weights back from a safetensors file in the layout of models/weights/weights.h: for
 * weights that somebody trained.
 *
 * A file has no codes: what comes of it is a network without decoders, which f2l_net_validate
 * refuses. All heads become raw ones, their keys and values standing as they are in the file, each
 * number exactly the dyadic one that is stored; nothing is asked of beta, gate and the lengths of
 * keys, which rounding or training may have left outside the class. */
#ifndef F2L_SAFETENSORS_READ_H
#define F2L_SAFETENSORS_READ_H

#include "models/net/net.h"

/* *out is initialised by the caller and empty; on failure it stays so. Needed are PREFIX.beta and
 * keys, dense or sparse, for PREFIX = layers.0.heads.0, ..: values, initial, gate and bias may be
 * missing; where keys are sparse `initial` says what n is. Other tensors are passed over. Letters
 * get the names of the metadata, if it has them; else out->letters is empty. label, labels, start
 * and fsa_sha256 stay as they were.
 *
 * F2L_EFORMAT: what f2l_safetensors_open (models/weights/safetensors_number.h) refuses of any file;
 * a tensor of those above has a type other than BF16, F16, F32, F64 (I32 for indices), a shape that
 * does not fit the others, or a number that is not finite. F2L_EDOMAIN for weights of a wired
 * network. Memory is proportional to the bytes. */
f2l_status f2l_safetensors_read(f2l_net *out, const char *bytes, size_t size, f2l_error *err);

#endif
