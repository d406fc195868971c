/* Code shared by the files of models/doors/checkpoint; private to this folder. */
#ifndef F2L_CHECKPOINT_IMPL_H
#define F2L_CHECKPOINT_IMPL_H

#include "models/learn/seq/seq_entries.h"
#include "models/network/weights/shards.h"

#define F2L_CHECKPOINT_WEIGHTS "weights.safetensors"
#define F2L_CHECKPOINT_CONFIG "config.json"
#define F2L_CHECKPOINT_HYBRID \
    "of this model_type in " F2L_CHECKPOINT_CONFIG \
    " the layers of full attention and the experts are not modelled; inspect --layer N shows the " \
    "recurrence of a linear layer"

/* Appends FOLDER/NAME, FOLDER being the path or the folder that it lies in. */
f2l_status f2l_checkpoint_path(f2l_buf *out, const char *path, const char *name, f2l_error *err);
/* Reads config.json at or beside the path; returns whether it has a model_type. */
bool f2l_checkpoint_config(f2l_buf *text, const char *path);
/* Returns whether the metadata are of a sequence model in our layout. */
bool f2l_checkpoint_is_ours(const f2l_shards *shards);
/* Returns what a file is that has no metadata of a sequence model, as a reason. */
const char *f2l_checkpoint_other_kind(const f2l_shards *shards);

#endif
