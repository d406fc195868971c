/* Stock language models as which a network is exported (theory/pages/stock.md); private to this
 * folder. A model is a row: the names of its tensors, what its layers do, and its config.json. */
#ifndef F2L_EXPORT_STOCK_H
#define F2L_EXPORT_STOCK_H

#include "models/doors/blocks/blocks.h"
#include "models/doors/export/impl.h"

/* A way of running the model whose order of operations is known. */
typedef struct f2l_stock_path {
    const char *name;     /* "chunk" */
    const char *format;   /* what its state and its keys are rounded into; NULL: the model's type */
    const char *schedule; /* as f2l_schedule_parse reads it, without `raw` */
} f2l_stock_path;

typedef struct f2l_stock {
    const char *type, *architecture; /* model_type and architectures of config.json */
    f2l_block_class class;
    const char *embedding;                 /* the tensor's name */
    const char *before_mixer, *before_mlp; /* norms of a layer: "attn_norm" */
    const char *mixer;                     /* "attn" */
    bool hybrid;                           /* olmo_hybrid: convolutions, output gates, decay, and a
                                              last layer of attention */
    const f2l_stock_path *path;            /* [F2L_STOCK_PATHS] the first must be exact */
    const char *because;                   /* the statements of the first; NULL: EB.1 to EB.7 */
    /* Appends the members of config.json that only this class has, each after a comma. */
    void (*config)(f2l_buf *out, const f2l_blocks *blocks);
} f2l_stock;

#define F2L_STOCK_PATHS 2

extern const f2l_stock f2l_stock_deltanet, f2l_stock_deltaproduct, f2l_stock_olmo, f2l_stock_branch;

/* Appends config.json. */
f2l_status f2l_stock_config(f2l_buf *out, const f2l_stock *stock, const f2l_blocks *blocks,
                            f2l_error *err);

/* What model.safetensors has, before it is made. */
typedef struct f2l_stock_layout {
    f2l_buf header; /* with its length before it */
    uint64_t numbers;
} f2l_stock_layout;

f2l_status f2l_stock_measure(f2l_stock_layout *out, const f2l_stock *stock,
                             const f2l_blocks *blocks, f2l_error *err);
/* Appends model.safetensors, of this layout. */
f2l_status f2l_stock_tensors(f2l_buf *out, const f2l_stock_layout *layout, const f2l_stock *stock,
                             const f2l_blocks *blocks, const f2l_task *task, f2l_error *err);
/* Adds the files and claims of the model. F2L_EDOMAIN where nothing would be exact. */
f2l_status f2l_stock_write(f2l_exported *out, const f2l_stock *stock, const f2l_export_job *job,
                           f2l_error *err);

#endif
