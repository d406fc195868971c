/* The tensors of a model in one safetensors file or in several, which are mapped into memory, so
 * that only the tensors that are looked at are read from the disk. */
#ifndef F2L_SHARDS_H
#define F2L_SHARDS_H

#include "models/network/weights/safetensors_number.h"
#include "numeric/base/names.h"

typedef struct f2l_shards {
    size_t files;
    f2l_safetensors_file *file; /* [files] */
    void **map;                 /* [files] */
    size_t *size;               /* [files] bytes of the maps */
    f2l_names name;             /* of the files, where an index names them */
    json_t *index;              /* weight_map of the index: the file of every tensor; NULL: none */
} f2l_shards;

void f2l_shards_init(f2l_shards *out);
/* Frees and unmaps; it may be called again. */
void f2l_shards_close(f2l_shards *out);

/* Opens one file. F2L_EIO; F2L_EFORMAT as f2l_safetensors_open. On failure *out is closed, and the
 * text does not name the file. */
f2l_status f2l_shards_open_file(f2l_shards *out, const char *path, f2l_error *err);

/* Opens folder/model.safetensors, or the shards that folder/model.safetensors.index.json names.
 * F2L_EFORMAT for an index that is no JSON object, names a file outside the folder or one that is
 * not there, or a tensor that its file does not have, and for a shard with a tensor that the index
 * does not have; F2L_EIO, with what was looked for, when there is neither. Texts name the file. */
f2l_status f2l_shards_open_folder(f2l_shards *out, const char *folder, f2l_error *err);

/* Parses the text of an index: adds the names of its files to *name, which is empty, in the order
 * in which they come first, and sets *map to its weight_map, owned by the caller. For the opener
 * and tests. */
f2l_status f2l_shards_index(f2l_names *name, json_t **map, const char *text, size_t size,
                            f2l_error *err);

typedef f2l_status f2l_shards_visit(void *context, const f2l_safetensors_file *file,
                                    const char *tensor, f2l_error *err);

/* Visits the tensors file by file, in the order of the index, or of the header of the only file. */
f2l_status f2l_shards_each(const f2l_shards *shards, f2l_shards_visit *visit, void *context,
                           f2l_error *err);

/* Returns whether one of the files has the tensor. */
bool f2l_shards_has(const f2l_shards *shards, const char *name);

#endif
