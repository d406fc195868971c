/* The table of released layers, hybrids and engines. A row that nobody has decided yet says so:
 * whoever decides it changes its line in theory/choose/released.c, and reports follow. */
#ifndef F2L_CHOOSE_RELEASED_H
#define F2L_CHOOSE_RELEASED_H

#include "theory/obstruct/classify/classify.h"

typedef enum f2l_released_kind {
    F2L_RELEASED_LAYER,
    F2L_RELEASED_HYBRID, /* recurrent layers with layers of attention between them */
    F2L_RELEASED_ENGINE
} f2l_released_kind;

typedef struct f2l_released {
    f2l_released_kind kind;
    const char *name, *setting; /* "Gated DeltaNet", "fla: allow_neg_eigval = false, the default" */
    /* The rung of the ladder that its recurrent layers are on; F2L_LADDER_CLASSES: not decided
     * yet. */
    f2l_ladder_class class;
    const char *library; /* of an engine: f2l_export_target.library of the models whose claims are
                            about it; NULL: not decided yet */
} f2l_released;

/* The rows, layers first; the last has no name. */
extern const f2l_released f2l_released_table[];

#endif
