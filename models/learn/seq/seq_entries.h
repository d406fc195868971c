/* Lists of the tensors of safetensors files, for the writers and readers of models
 * (models/learn/seq/seq_file.h, models/doors/checkpoint/pick.h). */
#ifndef F2L_SEQ_ENTRIES_H
#define F2L_SEQ_ENTRIES_H

#include "models/learn/seq/seq.h"
#include "models/network/weights/safetensors_number.h"

/* A tensor of the model and its name in the file. */
typedef struct f2l_seq_entry {
    char name[96];
    const f2l_seq_tensor *tensor;
    size_t rows;  /* first dimension in the file; when it is written, at least the tensor's, and
                   * rows beyond the tensor's are 0 */
    double scale; /* the number in the file = scale * the number in the model - shift */
    double shift;
    /* Reading: rows of the model come in blocks; `share` blocks in turn are one block of the file,
     * which begin at `first` and have `stride` rows from one to the next. block = 0: the rows are
     * the first ones of the file. */
    size_t first, block, stride, share;
    const char *joined; /* reading: letters that stand for * in the name: the rows of these tensors,
                         * one after the other, are the tensor in the file. NULL: it is one */
    const uint32_t *row; /* reading: the rows of the file, instead; NULL: as above */
} f2l_seq_entry;

/* A vector of parameters of either type. */
typedef struct f2l_seq_numbers {
    size_t bytes; /* bytes of one number: 4 or 8 */
    union {
        const float *single;
        const double *real;
    } from;
    union {
        float *single;
        double *real;
    } to;
} f2l_seq_numbers;

/* Appends a whole file; `metadata` is the text of a JSON object; dtype F64 when `wide`, else F32.
 * Entries are in the order of the data. */
f2l_status f2l_seq_write_entries(f2l_buf *out, const f2l_seq_entry *entry, size_t entries,
                                 const char *metadata, bool wide, const f2l_seq_numbers *numbers,
                                 f2l_error *err);

/* Reads every entry from one of the files; F2L_EFORMAT if one of them has another tensor whose name
 * begins with `prefix` (NULL: none is refused). */
f2l_status f2l_seq_read_entries(const f2l_seq_numbers *numbers, const f2l_seq_entry *entry,
                                size_t entries, const char *prefix,
                                const f2l_safetensors_file *file, size_t files, f2l_error *err);

/* Lists the tensors of a model of a class of flash-linear-attention, owned by the caller, in the
 * order of the model's; `share` heads in turn have one head of queries and keys. NULL: no
 * memory. */
f2l_seq_entry *f2l_seq_fla_entries(const f2l_seq *model, size_t share);

#endif
