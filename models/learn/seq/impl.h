/* Declarations shared by the files of models/learn/seq; private to this folder. */
#ifndef F2L_MODELS_SEQ_IMPL_H
#define F2L_MODELS_SEQ_IMPL_H

#include "models/learn/seq/mixer.h"
#include "models/learn/seq/seq_entries.h"
#include "models/learn/seq/seq_file.h"

/* Computes *places. Returns false when the total does not fit size_t. */
bool f2l_seq_place(f2l_seq_places *places, const f2l_seq *model, const f2l_seq_plan *plan);

/* Returns the class of a model, or NULL. */
const f2l_fla_class *f2l_seq_fla_class(const f2l_seq_config *config);
/* Fails with the reason when flash-linear-attention cannot express the model. */
f2l_status f2l_seq_fla_check(const f2l_seq_config *config, f2l_error *err);
/* Returns the tensors of a model of a class as they are written, owned by the caller; NULL: no
 * memory. */
f2l_seq_entry *f2l_seq_fla_list(const f2l_seq *model);

#endif
