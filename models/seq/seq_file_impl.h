/* Lists of tensors as they stand in a safetensors file; private to the writers and readers of models/seq/seq_file.h. */
#ifndef F2L_SEQ_FILE_IMPL_H
#define F2L_SEQ_FILE_IMPL_H

#include "models/weights/safetensors_number.h"
#include "models/seq/seq_file.h"

/* The tensor of the model under the name that it has in the file. */
typedef struct f2l_seq_entry {
    char name[96];
    const f2l_seq_tensor *tensor;
    size_t rows;  /* first dimension in the file; at least that of the tensor, rows beyond it are 0 */
    double scale; /* the file's number = scale * ours */
} f2l_seq_entry;

/* A vector of parameters of either type. */
typedef struct f2l_seq_numbers {
    size_t bytes; /* of one: 4 or 8 */
    union {
        const float *single;
        const double *real;
    } from;
    union {
        float *single;
        double *real;
    } to;
} f2l_seq_numbers;

/* Appends a whole file; `metadata` is the text of a JSON object; dtype F64 when `wide`, else F32. Entries are in the order of
 * the data. */
f2l_status f2l_seq_write_entries(f2l_buf *out, const f2l_seq_entry *entry, size_t entries,
                                 const char *metadata, bool wide, const f2l_seq_numbers *numbers,
                                 f2l_error *err);

/* Every entry is read, and the file must have no other tensor. */
f2l_status f2l_seq_read_entries(const f2l_seq_numbers *numbers, const f2l_seq_entry *entry, size_t entries,
                                const f2l_safetensors_file *file, f2l_error *err);

#endif
