/* The proof and the figures of products, of layers and wired. */
#ifndef F2L_WIRED_PROOF_H
#define F2L_WIRED_PROOF_H

#include "theory/construct/construction.h"
#include "theory/construct/product/wired_product.h"

/* What the report says of a part. */
typedef struct f2l_product_told {
    size_t states, layers;
    const char *theorem, *variant;
} f2l_product_told;

typedef struct f2l_product_detail {
    size_t parts;
    f2l_product_told *part; /* [parts] */
    f2l_division division;  /* of a wired product, with classes of the caller's states */
} f2l_product_detail;

extern const f2l_construction_proof f2l_proof_product;

/* Replaces the classes of the subject's states by classes of the caller's. */
f2l_status f2l_product_track(f2l_division *division, const f2l_construct_job *job, f2l_error *err);

/* f2l_construction.factors and f2l_construction.householders of a wired product. */
size_t f2l_product_factors(const f2l_compile_result *c, size_t layer);
size_t f2l_product_householders(const f2l_compile_result *c, size_t layer);

#endif
