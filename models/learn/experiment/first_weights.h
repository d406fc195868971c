/* Given weights with which a run starts, in place of random ones: a file of
 * models/learn/seq/seq_file.h in our layout, whose bytes the folder of the run keeps as
 * first.safetensors. */
#ifndef F2L_FIRST_WEIGHTS_H
#define F2L_FIRST_WEIGHTS_H

#include "models/learn/seq/seq.h"

typedef struct f2l_first_weights {
    f2l_buf bytes;    /* the file */
    char sha256[65];  /* of the file */
    f2l_seq model;    /* the model of the file */
    float *parameter; /* [model.parameters], owned; NULL: no weights */
} f2l_first_weights;

void f2l_first_weights_init(f2l_first_weights *first);
void f2l_first_weights_clear(f2l_first_weights *first);

/* Reads a file into *first (initialised empty; empty again after a failure): F2L_EIO, or
 * F2L_EFORMAT as f2l_seq_read_f32. */
f2l_status f2l_first_weights_read(f2l_first_weights *first, const char *path, f2l_error *err);
/* The same for the bytes of a file, which are copied. */
f2l_status f2l_first_weights_parse(f2l_first_weights *first, const char *bytes, size_t size,
                                   f2l_error *err);

/* Makes *first (initialised empty) of the parameters of a model, as a file would have them. */
f2l_status f2l_first_weights_make(f2l_first_weights *first, const f2l_seq *model,
                                  const float *parameter, f2l_error *err);

/* Fails with F2L_EDOMAIN unless the weights have the tensors of the model, in name and shape; the
 * text names the first tensor that differs. */
f2l_status f2l_first_weights_check(const f2l_first_weights *first, const f2l_seq *model,
                                   f2l_error *err);

#endif
