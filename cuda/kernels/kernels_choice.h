/* Which kernels a delta product takes, and where everything is in what is kept and in the
 * workspaces. */
#ifndef F2L_KERNELS_CHOICE_H
#define F2L_KERNELS_CHOICE_H

#include "include/fsa2lrnn_kernels.h"
#include <stdbool.h>

/* The recurrent kernels: tokens from one S that is kept to the next, rows of S of a thread, and
 * most threads of a block. */
enum { F2L_WALK_SEGMENT = 32, F2L_WALK_ROWS = 32, F2L_WALK_THREADS = 256 };

typedef struct f2l_kernels_choice {
    bool tensor, keep_states; /* keep_states: of pairs of chunks, on tensor cores */
    const char *why;
    /* Tensor cores: the sizes of a block of columns of S in the kernel, and the blocks. Recurrent:
     * `lanes` threads with F2L_WALK_ROWS rows each own a column, and a block of threads owns
     * `columns` columns; `strips` of them are a state. */
    uint32_t key, value, blocks;
    uint32_t lanes, columns, strips, threads;
    uint32_t walks; /* blocks of threads of the recurrent backward, each with its workspace */
    bool round_rows, round_betas, round_gates; /* queries and keys, betas, gates go through the
                                                  workspace */
    bool sum_rows, sum_betas, sum_gates;       /* dq and dk, dbeta, dg do */
} f2l_kernels_choice;

/* Offsets in bytes; what is not used has none. */
typedef struct f2l_kernels_places {
    size_t kept, forward, backward; /* all bytes */
    size_t products, end; /* kept: G and S after the last token; or the S of segments (0) */
    size_t before;        /* kept: S before every pair of chunks with gates, on tensor cores; or
                             after it, for TENSOR_STATES */
    size_t q, k, beta, g; /* in both workspaces */
    size_t dq, dk, dbeta, dg, anchors, errors; /* in backward's */
} f2l_kernels_places;

/* EDOMAIN: no path takes this. */
int f2l_kernels_choose(f2l_kernels_choice *c, const fsa2lrnn_delta_product *p,
                       fsa2lrnn_kernels_error *err);
int f2l_kernels_place(f2l_kernels_places *at, const f2l_kernels_choice *c,
                      const fsa2lrnn_delta_product *p, fsa2lrnn_kernels_error *err);

#endif
