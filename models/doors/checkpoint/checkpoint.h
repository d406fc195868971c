/* A trained model from a file or a folder, whoever wrote it.
 *
 * What is read:
 * - our layout: a file whose metadata say so (models/learn/seq/seq_file.h), or a folder with such a
 *   weights.safetensors;
 * - the layout of flash-linear-attention: a folder with a config.json that has a model_type, and
 *   model.safetensors or model.safetensors.index.json with shards; or one file that such a
 *   config.json lies beside.
 * Everything else is refused, with what it is as far as that can be seen. */
#ifndef F2L_CHECKPOINT_H
#define F2L_CHECKPOINT_H

#include "models/learn/seq/seq_file.h"

typedef enum f2l_checkpoint_kind {
    F2L_CHECKPOINT_NONE, /* nothing that is a model: the folder of a run may be without weights */
    F2L_CHECKPOINT_OURS,
    F2L_CHECKPOINT_FLA
} f2l_checkpoint_kind;

typedef struct f2l_checkpoint {
    f2l_checkpoint_kind kind;
    f2l_seq model;
    float *parameters; /* [model.parameters] */
    size_t vocabulary; /* rows of embedding and head in the file */
    char class[40];    /* in the layout of flash-linear-attention: the class */
    f2l_buf note;      /* what was left out of names, and the tensors that were passed over, in one
                        * sentence; empty: nothing */
} f2l_checkpoint;

void f2l_checkpoint_init(f2l_checkpoint *out);
void f2l_checkpoint_clear(f2l_checkpoint *out);

/* Returns what lies at the path, by names and by the model_type in config.json. */
f2l_checkpoint_kind f2l_checkpoint_look(const char *path);

/* Reads *out, which is initialised, and empty again after a failure. F2L_EIO; F2L_EFORMAT for
 * damaged files, and for tensors that are missing, unknown, have another shape or type or a number
 * that is not finite, with the tensor's name; F2L_EDOMAIN for models that are not modelled here,
 * with the reason, or the member of config.json and its value. */
f2l_status f2l_checkpoint_read(f2l_checkpoint *out, const char *path, f2l_error *err);

/* Reads the recurrence of one layer, from 0 on, alone (models/doors/checkpoint/pick.h), for the
 * words word[words], from a folder or a file with a config.json; only the tensors that it needs are
 * read. Fails as f2l_checkpoint_read, and with F2L_EDOMAIN for our own layout. *layers is the
 * number of layers of the model. */
f2l_status f2l_checkpoint_read_layer(f2l_checkpoint *out, size_t *layers, const char *path,
                                     size_t layer, const uint32_t *word, size_t words,
                                     f2l_error *err);
/* Sets *words to the number of words in the vocabulary of config.json. */
f2l_status f2l_checkpoint_vocabulary(size_t *words, const char *path, f2l_error *err);

/* Words of the vocabulary; word NULL: the first `count` ones. */
typedef struct f2l_checkpoint_words {
    const uint32_t *word; /* [count] */
    size_t count;
} f2l_checkpoint_words;

/* Keeps these rows of the embedding and of the head, in this order, so that only they are letters
 * and answers. F2L_EDOMAIN for words that are not in the vocabulary. */
f2l_status f2l_checkpoint_restrict(f2l_checkpoint *out, f2l_checkpoint_words letters,
                                   f2l_checkpoint_words labels, f2l_error *err);

#endif
