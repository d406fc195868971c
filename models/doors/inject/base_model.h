/* A causal language model in a folder of Hugging Face's format: config.json, tensors as safetensors
 * in one file or in shards, and files of a tokenizer. Only headers of tensors are read. */
#ifndef F2L_BASE_MODEL_H
#define F2L_BASE_MODEL_H

#include "numeric/base/names.h"
#include "numeric/base/text.h"

typedef struct f2l_base_model {
    const char *folder; /* its path; borrowed */
    f2l_names files;    /* regular files that belong to the model, by name */
    f2l_names skipped;  /* folders, and weights in formats that may run programs */
    f2l_names tensors;
    size_t embedding; /* which tensor is the input embedding, [>= vocab, hidden] */
    size_t hidden, vocab, layers;
    f2l_buf type;         /* model_type of config.json */
    f2l_buf transformers; /* the version of transformers that wrote it; may be empty */
} f2l_base_model;

void f2l_base_model_init(f2l_base_model *checkpoint);
void f2l_base_model_clear(f2l_base_model *checkpoint);

/* Reads the folder into *out, which is initialised. F2L_EIO: it is no folder, or a file cannot be
 * read. F2L_EDOMAIN: its weights have another format, and the text says how to convert them, or it
 * is no causal language model of this form. F2L_EFORMAT: a file is damaged, or a tensor is missing:
 * one that the index of the shards names, all of a layer, or the embedding. */
f2l_status f2l_base_model_open(f2l_base_model *out, const char *folder, f2l_error *err);

/* Appends the path of a file of the folder. */
f2l_status f2l_base_model_path(f2l_buf *out, const f2l_base_model *checkpoint, const char *name,
                               f2l_error *err);

#endif
