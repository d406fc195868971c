/* The recipes behind models/experiment/preset.h, one row per preset and setting. */
#ifndef F2L_PRESET_IMPL_H
#define F2L_PRESET_IMPL_H

#include "models/experiment/preset.h"

/* Lengths at which networks are looked at, 0-terminated. */
typedef struct f2l_preset_looks {
    size_t length[12];
    size_t sequences; /* each */
} f2l_preset_looks;

typedef struct f2l_preset_recipe {
    const char *preset; /* NULL past the last */
    f2l_preset_setting setting;
    /* model */
    size_t layers, width, heads, head_dim, mlp;
    size_t convolution, diagonal_convolution; /* of the delta mixer, of the diagonal one */
    double slope;
    bool values, start, silu;
    /* data */
    bool times;       /* arithmetic: with * */
    size_t from, to;  /* lengths in letters: from == to: all of them `to`, or up to it */
    bool shorter_too; /* .. */
    /* training */
    size_t batch;
    uint64_t steps;
    double rate, last_rate, weight_decay, clip, beta2;
    double warmup; /* part of the steps */
    f2l_train_decay decay;
    const f2l_preset_looks *looks;
    const char *remark;
} f2l_preset_recipe;

/* NULL when there is none. */
const f2l_preset_recipe *f2l_preset_recipe_find(const f2l_preset *preset, f2l_preset_setting setting);

#endif
