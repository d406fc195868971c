/* Lists of the tensors of safetensors files, for the writers and readers of models
 * (models/learn/seq/seq_file.h, models/doors/checkpoint/pick.h). */
#ifndef F2L_SEQ_ENTRIES_H
#define F2L_SEQ_ENTRIES_H

#include "models/learn/seq/seq_file.h"
#include "models/network/weights/safetensors_number.h"

/* A tensor of the model and its name in the file. */
typedef struct f2l_seq_entry {
    char name[160];
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
    size_t numbered;    /* reading: the numbers 0, .., numbered - 1 stand for * in the name, and all
                         * these tensors have as many rows. 0: it is one */
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

/* Whose tensors the entries are, and which others of the files are passed over. */
typedef struct f2l_seq_owner {
    const char *name; /* in messages: "the class MambaForCausalLM" */
    /* Returns why a tensor that is no entry has no effect, or NULL; NULL: none is passed over. */
    const char *(*unused)(const void *context, const char *tensor);
    const void *context;
} f2l_seq_owner;

/* Returns whether the entry is, or is joined from, the tensor of that name. */
bool f2l_seq_entry_takes(const f2l_seq_entry *entry, const char *tensor);

/* Checks that one of the files has every entry, in its shape and of a floating-point type;
 * F2L_EFORMAT, with the name, if not, and if they have a tensor that is no entry, unless it has no
 * effect (`owner` NULL: none is refused). */
f2l_status f2l_seq_check_entries(const f2l_seq_entry *entry, size_t entries,
                                 const f2l_seq_owner *owner, const f2l_safetensors_file *file,
                                 size_t files, f2l_error *err);
/* Checks them, and reads every entry; F2L_EFORMAT for numbers that are not finite, too. */
f2l_status f2l_seq_read_entries(const f2l_seq_numbers *numbers, const f2l_seq_entry *entry,
                                size_t entries, const f2l_seq_owner *owner,
                                const f2l_safetensors_file *file, size_t files, f2l_error *err);

/* Lists the tensors of a model of a class of flash-linear-attention as the files name them, owned
 * by the caller, in the order of the model's, and sets *names. Names may begin with what
 * torch.compile, DistributedDataParallel and the like put before all of them, and a head that is
 * the embedding may be in the file, too. F2L_EFORMAT: names of which some begin as the names of
 * torch.compile or the like and others do not, with both; a head that config.json calls the
 * embedding and that has other numbers. */
f2l_status f2l_seq_fla_entries(f2l_seq_entry **out, f2l_seq_names *names, const f2l_seq *model,
                               const f2l_seq_fla *fla, const f2l_safetensors_file *file,
                               size_t files, f2l_error *err);
/* Lets head and embedding be one tensor where config.json says so, in a list of all tensors of the
 * model; files may have it under either name or both. F2L_EFORMAT: they have both, and they are not
 * the same. */
f2l_status f2l_seq_tie_head(f2l_seq_entry *entry, const f2l_seq *model, f2l_seq_tie tie,
                            const struct f2l_safetensors_file *file, size_t files, f2l_error *err);
/* Returns why a tensor of that name in files of a class of flash-linear-attention has no effect, or
 * NULL; `context` are its f2l_seq_names. */
const char *f2l_seq_fla_unused(const void *context, const char *tensor);
/* Returns the length of the longest beginning of the name that wrappers of modules have put there:
 * "_orig_mod.module." and the like; "model." counts, too. */
size_t f2l_seq_wrapped(const char *tensor);

#endif
