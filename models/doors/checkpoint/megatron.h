/* Gated delta layers under the names of Megatron-LM (megatron/core/ssm, August 2026).
 *
 * A layer has one projection for all that it takes from its input, and one convolution:
 * - decoder.layers.N.self_attention, GatedDeltaNet: rows for queries, keys, values, output gates,
 *   betas and gates, each by head;
 * - decoder.layers.N.mixer, GatedDeltaProductMixer: rows for output gates, values, keys, queries,
 *   betas and gates; values, keys and betas by factor and then by head.
 * Checkpoints of torch_dist that were converted to one file have a tensor for each of these parts,
 * in_proj.weight.query, in_proj.weight.V0 and so on. The norm before the layer is in the projection
 * or beside it.
 *
 * A whole model is read where every layer is a GatedDeltaNet with an MLP. The mixer of
 * GatedDeltaProduct has its output gate before the norm, which no class here has: of it, and of
 * layers between layers of attention, the recurrence of one layer is read. */
#ifndef F2L_MEGATRON_H
#define F2L_MEGATRON_H

#include "models/doors/checkpoint/pick.h"
#include "models/learn/seq/fla.h"

/* Returns whether the tensors of the files have these names. */
bool f2l_megatron_has_names(const struct f2l_safetensors_file *file, size_t files);

/* Returns whether config.json has model_type `megatron`: its members are the ones of Megatron's
 * arguments, or of its TransformerConfig. */
bool f2l_megatron_is_configured(const f2l_fla_members *m);

/* Reads these members. Fails as f2l_seq_read_fla_config, but for members that are not known, which
 * are passed over: Megatron has many hundreds. */
f2l_status f2l_megatron_config(f2l_pick *out, f2l_fla_members *m, f2l_error *err);

/* Lists the tensors of the model as the files name them, owned by the caller, in the order of the
 * model's, and sets *names. The model's layer l is layer first + l of the files. F2L_EDOMAIN: a
 * configuration that no layer of Megatron has, a layer of another kind, names behind something that
 * is not known, or a projection that is one part of several. */
f2l_status f2l_megatron_entries(f2l_seq_entry **out, f2l_seq_names *names, const f2l_seq *model,
                                const f2l_pick *pick, size_t first,
                                const struct f2l_safetensors_file *file, size_t files,
                                f2l_error *err);

/* Lets the head be the embedding where config.json says so, and refuses a whole model for the first
 * tensor that no class here has, with what it is. */
f2l_status f2l_megatron_check_whole(f2l_seq_entry *entry, const f2l_seq_names *names,
                                    const f2l_seq *model, const f2l_pick *pick,
                                    const struct f2l_safetensors_file *file, size_t files,
                                    f2l_error *err);

/* Returns why a tensor of that name has no effect, or NULL; `context` are its f2l_seq_names. */
const char *f2l_megatron_unused(const void *context, const char *tensor);

#endif
