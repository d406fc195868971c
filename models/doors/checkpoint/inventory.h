/* What the files of a model hold, and what each of their tensors would be used for, also where the
 * model would be refused. No number is read. */
#ifndef F2L_INVENTORY_H
#define F2L_INVENTORY_H

#include "models/network/weights/shards.h"

typedef struct f2l_inventory_tensor {
    const char *name, *type; /* of the files' headers */
    const json_t *shape;
    f2l_buf use;        /* "keys of layer 1"; empty: it is not used */
    const char *unused; /* why not; NULL: it is */
} f2l_inventory_tensor;

typedef struct f2l_inventory {
    f2l_shards shards;
    f2l_inventory_tensor *tensor; /* in the order of the files and their headers */
    size_t tensors;
    char class[40];    /* of flash-linear-attention or transformers; "": none */
    f2l_names absent;  /* tensors that the class has and the files have not */
    f2l_error refused; /* why `import` refuses the model, as far as names, shapes and types tell;
                        * empty text: it does not */
} f2l_inventory;

void f2l_inventory_init(f2l_inventory *out);
void f2l_inventory_clear(f2l_inventory *out);

/* Takes stock of the folder or file, into *out, which is initialised. F2L_EIO, or F2L_EFORMAT for
 * files that are no safetensors files. */
f2l_status f2l_inventory_take(f2l_inventory *out, const char *path, f2l_error *err);

#endif
