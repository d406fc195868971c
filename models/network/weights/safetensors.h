/* Safetensors files: the code shared by the writers of weights (models/network/weights/weights.h,
 * models/network/weights/wired_weights.h); private to them.
 *
 * A writer starts a file, registers the numbers that it will hold, so that the type of the tensors
 * can be chosen, and passes a function that lists the tensors:
 *
 *     f2l_safetensors_init(&file, net, dtype);
 *     f2l_safetensors_hold..(&file, ..);
 *     status = f2l_safetensors_write(out, report, &file, lay_out, &about, err);
 *
 * Order of the data, header and rounding are described in models/network/weights/weights.h. */
#ifndef F2L_SAFETENSORS_IMPL_H
#define F2L_SAFETENSORS_IMPL_H

#include "models/network/weights/weights.h"
#include "numeric/format/format.h"

#define F2L_DTYPES 4

typedef struct f2l_dtype {
    const char *name, *choice, *format; /* "F16", "f16", "fp16" */
    size_t bytes;
} f2l_dtype;

typedef struct f2l_safetensors f2l_safetensors;
typedef struct f2l_tensor f2l_tensor;

struct f2l_tensor {
    /* Puts the numbers of `source` into the file's data, which is zero before. */
    void (*fill)(f2l_safetensors *file, const f2l_tensor *tensor);
    const void *source; /* borrowed */
    size_t count;       /* number of things at source, if fill needs it */
    bool integer;       /* true: I32; false: the type of the file */
    size_t dims, dim[3];
    const size_t *shape; /* [dims] borrowed; NULL: dim */
    /* Set by f2l_safetensors_add and _write: */
    char name[80];
    size_t element, begin, bytes; /* bytes of one number; range in the data */
};

struct f2l_safetensors {
    const void *owner; /* the network, for lay_out and fill; borrowed */
    f2l_weights_dtype asked;
    bool holds[F2L_DTYPES];
    const f2l_dtype *dtype;
    const f2l_format *format;
    bool exact, sparse;
    bool too_large, index_too_large; /* a weight is too large for the type; an integer for I32 */
    bool no_memory, oversized; /* no memory for the list of tensors or a fill; the bytes do not fit
                                * size_t */
    f2l_tensor *tensor;
    size_t tensors, capacity, data_bytes;
    unsigned char *data;
};

void f2l_safetensors_init(f2l_safetensors *file, const void *owner, f2l_weights_dtype asked);

/* Register numbers that the tensors will hold: x; the entries of v; the numbers of
 * f2l_safetensors_add_letters. */
void f2l_safetensors_hold(f2l_safetensors *file, const mpq_t x);
void f2l_safetensors_hold_vector(f2l_safetensors *file, const f2l_qvec *v);
void f2l_safetensors_hold_letters(f2l_safetensors *file, const f2l_head *head, size_t letters);

/* Adds a tensor, for lay_out. The name is given as for printf; failures are remembered in the
 * file. */
void f2l_safetensors_add(f2l_safetensors *file, f2l_tensor tensor, const char *name, ...)
    __attribute__((format(printf, 3, 4)));
/* Adds PREFIX.beta, .key, .value, .bias or their sparse forms, and .gate, of
 * head->letter[letters]. */
void f2l_safetensors_add_letters(f2l_safetensors *file, const f2l_head *head, size_t letters,
                                 const char *prefix);
/* Adds PREFIX.initial [n, d]. */
void f2l_safetensors_add_initial(f2l_safetensors *file, const f2l_qvec *initial, size_t n, size_t d,
                                 const char *prefix);
/* Adds PREFIX.initial_index and PREFIX.initial_value [entries]. */
void f2l_safetensors_add_initial_entries(f2l_safetensors *file, const f2l_qvec *initial,
                                         const char *prefix);

/* Store number `position` of the tensor, for fill; x must be a value of the file's type, an index
 * must fit I32. */
void f2l_safetensors_put(f2l_safetensors *file, const f2l_tensor *tensor, size_t position,
                         double x);
void f2l_safetensors_put_index(f2l_safetensors *file, const f2l_tensor *tensor, size_t position,
                               size_t x);
/* Sets all numbers of an integer tensor to -1. */
void f2l_safetensors_pad(f2l_safetensors *file, const f2l_tensor *tensor);

typedef struct f2l_safetensors_about {
    const char *fsa_sha256;
    f2l_label label;
    const f2l_names *letters; /* of the network; must equal the letters of the automaton */
    const f2l_letter_classes *classes;
    const f2l_fsa *fsa;
    const char *basis;    /* basis of the numbers, if it is not the network's: "orthonormal"; NULL
                           * otherwise */
    const f2l_names *raw; /* names of the raw heads, as the tensors name them; NULL or empty:
                           * none */
    const char *kind;     /* of networks that are not layers; else NULL */
    const f2l_names *labels;
    size_t start; /* label of the empty word; F2L_NO_INDEX: it has none */
} f2l_safetensors_about;

/* Chooses the type, unless one was asked for, lays the tensors out (file->sparse = false; again
 * with true when they take more than 64 MiB), appends the file's bytes to *out and frees the
 * contents of the file. F2L_EDOMAIN when the letters differ or a number is too large. */
f2l_status f2l_safetensors_write(f2l_buf *out, f2l_weights_report *report, f2l_safetensors *file,
                                 void (*lay_out)(f2l_safetensors *file),
                                 const f2l_safetensors_about *about, f2l_error *err);

#endif
