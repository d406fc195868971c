/* Weights of a sequence model as a safetensors file, written and read.
 *
 * Our layout has the tensors of models/learn/seq/seq.h under their names, as F32 or F64 by the type
 * of the vector, and the metadata strings kind ("sequence-model"), schema ("1"), tool and config,
 * the configuration as JSON: the file alone is the model.
 *
 * The layout of flash-linear-attention (version 0.5.2) has that library's tensor names, F32, and
 * needs a config.json beside it. The class written is DeltaNet when householders = 1 and there is
 * no forget gate, else GatedDeltaProduct, else Mamba; GatedDeltaNet is read, too. Row orders are
 * equal; the slope of beta is multiplied into b_proj; embedding and head get max(letters, labels)
 * rows, and added rows are 0. F2L_EDOMAIN, with the reason, where these classes cannot express the
 * model:
 * - DeltaProduct without values, with a learned H_0, without unit keys or without an MLP;
 * - GatedDeltaProduct without SiLU;
 * - the diagonal mixer with eigenvalues in [-1, 1], with an MLP or without a convolution;
 * - sizes that the factors expand, expand_k and expand_v do not give back in floating point.
 * tests/clients/fla_roundtrip.py compares the classes with the models here. */
#ifndef F2L_SEQ_FILE_H
#define F2L_SEQ_FILE_H

#include "models/learn/seq/seq.h"
#include "numeric/base/text.h"

struct f2l_safetensors_file;

/* Appends the file's bytes. F2L_EDOMAIN for numbers that are not finite. */
f2l_status f2l_seq_write_f32(f2l_buf *out, const f2l_seq *model, const float *parameters,
                             f2l_error *err);
f2l_status f2l_seq_write_f64(f2l_buf *out, const f2l_seq *model, const double *parameters,
                             f2l_error *err);
f2l_status f2l_seq_write_fla_f32(f2l_buf *out, const f2l_seq *model, const float *parameters,
                                 f2l_error *err);
f2l_status f2l_seq_write_fla_f64(f2l_buf *out, const f2l_seq *model, const double *parameters,
                                 f2l_error *err);
/* Appends the text of config.json for a file in the layout of flash-linear-attention. */
f2l_status f2l_seq_write_fla_config(f2l_buf *out, const f2l_seq *model, f2l_error *err);

/* Read our layout: initialise *model and *parameters (owned by the caller, f2l_free) from the file;
 * on failure both are empty. Numbers may be BF16, F16, F32 or F64 and are rounded to the type of
 * the vector. F2L_EFORMAT: no safetensors file, a tensor that is missing, unknown, has another
 * shape or a number that is not finite, tensors that overlap or leave a gap, no or an invalid
 * configuration. */
f2l_status f2l_seq_read_f32(f2l_seq *model, float **parameters, const char *bytes, size_t size,
                            f2l_error *err);
f2l_status f2l_seq_read_f64(f2l_seq *model, double **parameters, const char *bytes, size_t size,
                            f2l_error *err);

/* Read the layout of flash-linear-attention, for a model that is initialised already
 * (f2l_seq_read_fla_config): fill parameters[model->parameters]; on failure they are partly filled.
 * The slope is divided out of b_proj again. */
f2l_status f2l_seq_read_fla_f32(float *parameters, const f2l_seq *model, const char *bytes,
                                size_t size, f2l_error *err);
f2l_status f2l_seq_read_fla_f64(double *parameters, const f2l_seq *model, const char *bytes,
                                size_t size, f2l_error *err);

/* Whether the head is the embedding. */
typedef enum f2l_seq_tie {
    F2L_SEQ_UNTIED,
    F2L_SEQ_TIED,
    F2L_SEQ_TIED_IF_MISSING /* config.json does not say: when there is no tensor for the head */
} f2l_seq_tie;

/* What a config.json says. */
typedef struct f2l_seq_fla {
    f2l_seq_config config;
    size_t share; /* heads that share queries and keys in the file; here each has its own */
    char class[40];
    f2l_seq_tie tie;
    bool split; /* whether the files may have one tensor for each factor, as the code of the
                 * DeltaProduct paper does */
} f2l_seq_fla;

/* How files name the tensors of a class. */
typedef struct f2l_seq_names {
    char prefix[64]; /* before all names: "_orig_mod." of torch.compile, .. */
    size_t factors;  /* each has tensors of its own; 0: they are one */
} f2l_seq_names;

/* Reads the text of config.json of one of the four classes, as written here or by
 * flash-linear-attention. F2L_EFORMAT; F2L_EDOMAIN, with the member and its value, for options that
 * no model here has, and for members that are not known. */
f2l_status f2l_seq_read_fla_config(f2l_seq_fla *out, const char *text, size_t size, f2l_error *err);

#endif
