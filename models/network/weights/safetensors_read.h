/* Reading weights back from a safetensors file in the layout of models/network/weights/weights.h:
 * for weights that were trained elsewhere.
 *
 * A file has no codes: the result is a network without decoders, which f2l_net_validate refuses.
 * All heads become raw heads with the keys and values of the file, each number exactly the stored
 * dyadic number; beta, gate and the lengths of keys are not checked, since rounding or training may
 * have left them outside the class. */
#ifndef F2L_SAFETENSORS_READ_H
#define F2L_SAFETENSORS_READ_H

#include "models/network/net/net.h"

/* Reads into *out, which is initialised by the caller and empty; on failure it stays empty.
 * Required are PREFIX.beta and keys, dense or sparse, for PREFIX = layers.0.heads.0, ..: values,
 * initial, gate and bias may be missing; if keys are sparse, n comes from `initial`. Other tensors
 * are ignored. Letters get the names of the metadata, if it has them; else out->letters is empty.
 * label, labels, start and fsa_sha256 stay as they were.
 *
 * F2L_EFORMAT: what f2l_safetensors_open (models/network/weights/safetensors_number.h) refuses of
 * any file; a tensor listed above has a type other than BF16, F16, F32, F64 (I32 for indices), a
 * shape that does not fit the others, or a number that is not finite. F2L_EDOMAIN for weights of a
 * wired network. Memory is proportional to the bytes. */
f2l_status f2l_safetensors_read(f2l_net *out, const char *bytes, size_t size, f2l_error *err);

/* Sets *tables to whether the file is for f2l_safetensors_read: it has tables by letter, or is of a
 * wired network. F2L_EFORMAT as f2l_safetensors_open. */
f2l_status f2l_safetensors_has_tables(bool *tables, const char *bytes, size_t size, f2l_error *err);

#endif
