/* One layer of a large model, alone: a model of one layer that has the recurrence of the chosen
 * layer, for a choice of words.
 *
 * The layer's input is the embedding of the word, scaled by the layer's norm. In the first layer
 * this is what the model does; in a later one the input is what the layers before have made of the
 * word and its past, so that the numbers are an example of what the layer can do with a word, not
 * what it does.
 *
 * Classes are the ones of flash-linear-attention (models/learn/seq/seq_file.h), and the linear
 * layers of OLMo Hybrid, Qwen3-Next and Qwen3.5 of transformers, which are gated delta
 * rules: convolution and SiLU on queries, keys and values, keys of length 1 with epsilon 1e-6.
 * Their layers of full attention, and their MLPs and experts, are not modelled. Qwen3-Next has its
 * projections fused, by head of keys; it and Qwen3.5 have 1 + weight as the weights of norms. The
 * tensors may have the names of Megatron (models/doors/checkpoint/megatron.h).
 *
 * Only what the recurrence needs is read: the words' embeddings, the norm before the layer, the
 * projections of queries, keys, values, betas and gates, and the convolutions. All other numbers of
 * the model are 0. */
#ifndef F2L_PICK_H
#define F2L_PICK_H

#include "models/learn/seq/seq_entries.h"

/* How a hybrid model has its projections. */
typedef enum f2l_pick_layout {
    F2L_PICK_SEPARATE, /* OLMo Hybrid: one for each of queries, keys, values, betas and gates */
    F2L_PICK_FUSED,    /* Qwen3-Next: two, by head of keys */
    F2L_PICK_FOUR      /* Qwen3.5: queries, keys and values in one; output gates, betas, gates */
} f2l_pick_layout;

typedef struct f2l_pick {
    char class[40];
    size_t vocabulary, layers; /* of the whole model */
    f2l_seq_fla fla;           /* config: of the whole model in a class of flash-linear-attention;
                                * else of one layer */
    bool hybrid;               /* of transformers */
    f2l_pick_layout layout;
    const char *obstacle; /* why the model is not read as a whole; NULL: it may be */
    bool megatron;        /* config.json is of Megatron: so are the names */
    double shift;         /* the weights of norms are this + the file's */
} f2l_pick;

/* Reads the text of config.json. Fails as f2l_seq_read_fla_config, and names the hybrid models,
 * too. */
f2l_status f2l_pick_config(f2l_pick *out, const char *text, size_t size, f2l_error *err);

/* Sets *config to the model of one layer for that many words. */
f2l_status f2l_pick_model(f2l_seq_config *config, const f2l_pick *pick, size_t words,
                          f2l_error *err);

/* The tensors of a whole model as the files name them. */
typedef struct f2l_pick_whole {
    f2l_seq_entry *entry; /* [model.tensors] */
    f2l_seq_names names;
    f2l_seq_owner owner;
    char class[80]; /* its name */
} f2l_pick_whole;

/* Lists them into *out, which holds pointers to itself, and sets *refused when there is a reason
 * that the files are not of such a model as far as names tell. Fails as f2l_seq_fla_entries and
 * f2l_megatron_entries. */
f2l_status f2l_pick_whole_list(f2l_pick_whole *out, f2l_error *refused, const f2l_seq *model,
                               const f2l_pick *pick, const struct f2l_safetensors_file *file,
                               size_t files, f2l_error *err);
void f2l_pick_whole_clear(f2l_pick_whole *out);

enum { F2L_PICK_ENTRIES = F2L_MIXER_TENSORS + 2 };
/* Lists what f2l_pick_read_f32 reads, in entry[F2L_PICK_ENTRIES]; the first is the embedding. */
f2l_status f2l_pick_entries(f2l_seq_entry *entry, size_t *entries, const f2l_seq *model,
                            const f2l_pick *pick, size_t layer,
                            const struct f2l_safetensors_file *file, size_t files, f2l_error *err);

/* Reads the layer, from 0 on, for the words word[config.letters], which are rows of the embedding.
 * `model` is initialised from f2l_pick_model, and parameters[model->parameters] are 0.
 * F2L_EDOMAIN for layers that are not there or of another kind, and for words that are not in the
 * vocabulary. */
f2l_status f2l_pick_read_f32(float *parameters, const f2l_seq *model, const f2l_pick *pick,
                             size_t layer, const uint32_t *word,
                             const struct f2l_safetensors_file *file, size_t files, f2l_error *err);

#endif
