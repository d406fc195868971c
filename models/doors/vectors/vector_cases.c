/* The files of each operator: every length around a border of a chunk, packed sequences, grouped
 * heads, formats, and one to eight factors. */
#include "models/doors/vectors/vectors.h"
#include <string.h>

const f2l_vector_op f2l_vector_ops[] = {
    {"delta-rule", "DeltaNet", false, false},
    {"gated-delta-rule", "Gated DeltaNet: gates of 0 and 1", false, true},
    {"delta-product", "DeltaProduct: one to eight factors for each token", true, false},
    {"gated-delta-product", "Gated DeltaProduct: the same with gates of 0 and 1", true, true},
    {NULL, NULL, false, false}};

const f2l_vector_op *f2l_vector_op_find(const char *name)
{
    for (const f2l_vector_op *op = f2l_vector_ops; op->name; op++)
        if (strcmp(op->name, name) == 0) return op;
    return NULL;
}

/* The lengths of packed sequences: every one has others before and after it. */
static const size_t packed[] = {15, 16, 17, 0, 31, 32, 33, 1, 63, 64, 65, 0, 127, 128, 129, 193, 1};
#define PACKED (sizeof packed / sizeof *packed)

size_t f2l_vector_sequences(const f2l_vector_case *c)
{
    return c->tokens ? c->sequences : PACKED;
}

size_t f2l_vector_length(const f2l_vector_case *c, size_t index)
{
    return c->tokens ? c->tokens : packed[index];
}

#define MIXED \
    { \
        F2L_KEYS_ONE, F2L_KEYS_AXES, F2L_KEYS_ROOTS \
    }
#define LONG \
    { \
        F2L_KEYS_LONG, F2L_KEYS_LONG, F2L_KEYS_LONG \
    }
#define FINE \
    { \
        F2L_KEYS_FINE, F2L_KEYS_FINE, F2L_KEYS_FINE \
    }
#define EIGHTH 0.125

/* name, format, sequences, tokens, heads, value heads, key, value, factors, scale, keys, start,
 * end, large */
static const f2l_vector_case rule_cases[] = {
    {"t15", "bf16", 2, 15, 3, 3, 64, 64, 1, EIGHTH, MIXED, true, true, false},
    {"t16", "bf16", 2, 16, 3, 3, 128, 64, 1, EIGHTH, MIXED, true, true, false},
    {"t17", "bf16", 2, 17, 3, 3, 32, 32, 1, EIGHTH, MIXED, true, false, false},
    {"t31", "bf16", 2, 31, 3, 3, 128, 128, 1, EIGHTH, MIXED, true, true, false},
    {"t32", "bf16", 2, 32, 3, 3, 64, 128, 1, EIGHTH, MIXED, false, true, false},
    {"t33", "bf16", 2, 33, 3, 3, 64, 64, 1, EIGHTH, MIXED, true, true, false},
    {"t63", "bf16", 2, 63, 3, 3, 128, 64, 1, 1, MIXED, true, true, false},
    {"t64", "bf16", 2, 64, 3, 3, 64, 64, 1, EIGHTH, MIXED, false, false, false},
    {"t65", "bf16", 2, 65, 3, 3, 32, 32, 1, 1, MIXED, true, true, false},
    {"t127", "bf16", 2, 127, 3, 3, 128, 128, 1, EIGHTH, MIXED, true, true, false},
    {"t128", "bf16", 2, 128, 3, 3, 64, 64, 1, EIGHTH, MIXED, true, true, false},
    {"t129", "bf16", 2, 129, 3, 3, 128, 64, 1, EIGHTH, MIXED, true, true, false},
    {"t193", "bf16", 3, 193, 3, 3, 64, 64, 1, EIGHTH, MIXED, true, true, false},
    {"t1024", "bf16", 1, 1024, 3, 3, 64, 64, 1, EIGHTH, MIXED, true, true, false},
    {"t1024-wide", "bf16", 1, 1024, 3, 3, 128, 128, 1, EIGHTH, MIXED, false, false, false},
    {"t193-deep", "bf16", 1, 193, 3, 3, 256, 64, 1, EIGHTH / 2, MIXED, true, true, false},
    {"t193-long", "bf16", 2, 193, 3, 3, 64, 64, 1, EIGHTH, LONG, true, true, false},
    {"t193-grouped", "bf16", 1, 193, 3, 6, 128, 64, 1, EIGHTH, MIXED, true, true, false},
    {"t193-fp16", "fp16", 2, 193, 3, 3, 64, 64, 1, EIGHTH, MIXED, true, true, false},
    {"t65-read-out", "fp16", 2, 65, 3, 3, 64, 64, 1, EIGHTH, MIXED, true, true, true},
    {"t193-read-out", "fp16", 2, 193, 3, 3, 128, 128, 1, EIGHTH, MIXED, true, true, true},
    {"t193-fp32", "fp32", 2, 193, 3, 3, 64, 64, 1, EIGHTH, MIXED, true, true, false},
    {"t129-fine", "fp32", 2, 129, 2, 2, 128, 64, 1, EIGHTH, FINE, true, true, false},
    {"t193-fine", "fp32", 2, 193, 2, 2, 64, 64, 1, EIGHTH, FINE, true, true, false},
    {"packed", "bf16", 1, 0, 3, 3, 64, 64, 1, EIGHTH, MIXED, true, true, false},
    {"packed-fresh", "bf16", 1, 0, 3, 3, 128, 64, 1, EIGHTH, MIXED, false, false, false},
    {"packed-grouped", "fp16", 1, 0, 3, 6, 64, 64, 1, EIGHTH, MIXED, true, true, false}};

static const f2l_vector_case product_cases[] = {
    {"t15-n2", "bf16", 2, 15, 3, 3, 64, 64, 2, EIGHTH, MIXED, true, true, false},
    {"t16-n3", "bf16", 2, 16, 3, 3, 128, 64, 3, EIGHTH, MIXED, true, true, false},
    {"t17-n4", "bf16", 2, 17, 3, 3, 32, 32, 4, EIGHTH, MIXED, true, false, false},
    {"t31-n5", "bf16", 2, 31, 3, 3, 128, 128, 5, EIGHTH, MIXED, true, true, false},
    {"t32-n2", "bf16", 2, 32, 3, 3, 64, 128, 2, EIGHTH, MIXED, false, true, false},
    {"t33-n6", "bf16", 2, 33, 3, 3, 64, 64, 6, EIGHTH, MIXED, true, true, false},
    {"t63-n7", "bf16", 2, 63, 3, 3, 128, 64, 7, 1, MIXED, true, true, false},
    {"t64-n3", "bf16", 2, 64, 3, 3, 64, 64, 3, EIGHTH, MIXED, false, false, false},
    {"t65-n8", "bf16", 1, 65, 3, 3, 32, 32, 8, 1, MIXED, true, true, false},
    {"t127-n2", "bf16", 1, 127, 3, 3, 128, 128, 2, EIGHTH, MIXED, true, true, false},
    {"t128-n4", "bf16", 1, 128, 3, 3, 64, 64, 4, EIGHTH, MIXED, true, true, false},
    {"t129-n3", "bf16", 1, 129, 3, 3, 128, 64, 3, EIGHTH, MIXED, true, true, false},
    {"t193-n1", "bf16", 3, 193, 3, 3, 64, 64, 1, EIGHTH, MIXED, true, true, false},
    {"t193-n2", "bf16", 2, 193, 3, 3, 64, 64, 2, EIGHTH, MIXED, true, true, false},
    {"t1024-n3", "bf16", 1, 1024, 3, 3, 64, 64, 3, EIGHTH, MIXED, true, true, false},
    {"t193-n2-deep", "bf16", 1, 193, 3, 3, 256, 64, 2, EIGHTH / 2, MIXED, true, true, false},
    {"t193-n2-long", "bf16", 2, 193, 3, 3, 64, 64, 2, EIGHTH, LONG, true, true, false},
    {"t193-n3-grouped", "bf16", 1, 193, 3, 6, 128, 64, 3, EIGHTH, MIXED, true, true, false},
    {"t193-n2-fp16", "fp16", 1, 193, 3, 3, 64, 64, 2, EIGHTH, MIXED, true, true, false},
    {"t65-n2-read-out", "fp16", 2, 65, 3, 3, 64, 64, 2, EIGHTH, MIXED, true, true, true},
    {"t193-n3-read-out", "fp16", 1, 193, 3, 3, 128, 128, 3, EIGHTH, MIXED, true, true, true},
    {"t193-n2-fp32", "fp32", 1, 193, 3, 3, 64, 64, 2, EIGHTH, MIXED, true, true, false},
    {"t129-n2-fine", "fp32", 1, 129, 2, 2, 128, 64, 2, EIGHTH, FINE, true, true, false},
    {"t193-n3-fine", "fp32", 1, 193, 2, 2, 128, 64, 3, EIGHTH, FINE, true, true, false},
    {"packed-n2", "bf16", 1, 0, 3, 3, 64, 64, 2, EIGHTH, MIXED, true, true, false},
    {"packed-n3-fresh", "bf16", 1, 0, 3, 3, 128, 64, 3, EIGHTH, MIXED, false, false, false},
    {"packed-n3-grouped", "fp16", 1, 0, 3, 6, 128, 64, 3, EIGHTH, MIXED, true, true, false}};

const f2l_vector_case *f2l_vector_case_at(const f2l_vector_op *op, size_t index)
{
    const f2l_vector_case *table = op->product ? product_cases : rule_cases;
    const size_t count = op->product ? sizeof product_cases / sizeof *product_cases
                                     : sizeof rule_cases / sizeof *rule_cases;
    return index < count ? table + index : NULL;
}
