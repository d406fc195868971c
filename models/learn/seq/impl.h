/* Declarations shared by the files of models/learn/seq; private to this folder. */
#ifndef F2L_MODELS_SEQ_IMPL_H
#define F2L_MODELS_SEQ_IMPL_H

#include "models/learn/seq/mixer.h"
#include "models/learn/seq/seq_entries.h"
#include "models/learn/seq/seq_file.h"

/* Computes *places. Returns false when the total does not fit size_t. */
bool f2l_seq_place(f2l_seq_places *places, const f2l_seq *model, const f2l_seq_plan *plan);

#endif
