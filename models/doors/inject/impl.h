/* What the readers of a checkpoint share; private to this folder. */
#ifndef F2L_MODELS_INJECT_IMPL_H
#define F2L_MODELS_INJECT_IMPL_H

#include "models/doors/inject/base_model.h"
#include <jansson.h>

/* Returns whether the checkpoint has a file of that name. */
bool f2l_base_model_has(const f2l_base_model *checkpoint, const char *name);
/* Reads a file as a JSON object, which the caller owns; NULL on failure. */
f2l_status f2l_base_model_json(json_t **out, const f2l_base_model *checkpoint, const char *name,
                               f2l_error *err);

#endif
