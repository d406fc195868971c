/* The configuration classes of libraries: what layers they have, or why no row is about them. */
#ifndef F2L_LADDER_LAYER_CLASSES_H
#define F2L_LADDER_LAYER_CLASSES_H

#include "theory/obstruct/classify/classify.h"

/* Where the classes were read. */
typedef enum f2l_layer_library {
    F2L_LIBRARY_FLA,      /* flash-linear-attention at bc3b101d */
    F2L_LIBRARY_FLA_060,  /* classes that only its wheel 0.6.0 has */
    F2L_LIBRARY_CKDA,     /* ComplexKDA at 03af9700, fla with a class of its own */
    F2L_LIBRARY_HF,       /* transformers 5.24.0; vLLM reads the same files */
    F2L_LIBRARY_MEGATRON, /* Megatron-LM at d98e8a64 */
    F2L_LIBRARIES
} f2l_layer_library;

/* Returns "flash-linear-attention", and where it was read, "bc3b101d". */
const char *f2l_layer_library_name(f2l_layer_library library);
const char *f2l_layer_library_version(f2l_layer_library library);

/* How far gates are from 1. */
typedef enum f2l_layer_gates {
    F2L_GATES_NONE,   /* there are none, or settings say so */
    F2L_GATES_OPEN,   /* in (0,1): 1 is reached by rounding only */
    F2L_GATES_SIGNED, /* in (-1,1), of either sign: their ends by rounding only */
    F2L_GATES_HOLD,   /* some of the state is left as it is, without rounding */
    F2L_GATES_DECAY,  /* below 1 at the ends of their range, too */
    F2L_GATES_FIXED   /* constants below 1, which are not trained */
} f2l_layer_gates;

/* How the layer's row follows from the settings. */
typedef enum f2l_layer_kind {
    F2L_KIND_PLAIN,   /* the class of the row */
    F2L_KIND_SIGNED,  /* `low`, or `high` where the setting `sign` is true */
    F2L_KIND_PRODUCT, /* gated or not, several factors, signed */
    F2L_KIND_KDA,     /* signed, with a lower bound of the gate */
    F2L_KIND_COMPLEX, /* as KDA; the gate's name says whether it has a sign */
    F2L_KIND_STEPS,   /* Mamba-2: the least step decides whether gates reach 1 */
    F2L_KIND_FLOOR,   /* Mamba-3: A_floor decides */
    F2L_KIND_RODIMUS, /* with attention by default */
    F2L_KIND_MEGATRON,
    F2L_KIND_REFUSED
} f2l_layer_kind;

typedef struct f2l_layer_class {
    f2l_layer_library library;
    const char *config; /* "KDAConfig" */
    const char *type;   /* "kda", its model_type */
    const char *layer;  /* "KDA"; of a refused class why there is no row */
    f2l_layer_kind kind;
    f2l_ladder_class low, high; /* rows; `high`: with negative eigenvalues */
    f2l_layer_gates gates;
    const char *sign; /* the setting that says so; NULL: none */
    bool is_signed;   /* its default */
    bool attends;     /* layers of attention beside, whatever the settings say */
} f2l_layer_class;

/* The classes; the last has no config. */
extern const f2l_layer_class f2l_layer_classes[];

/* Returns the class with this model_type, or with this name of a model, "KDAForCausalLM"; NULL:
 * none. Either may be NULL. Types are told apart by the library's members: `fla` says whether the
 * settings have one that only fla's classes have. */
const f2l_layer_class *f2l_layer_class_find(const char *type, const char *architecture, bool fla);

#endif
