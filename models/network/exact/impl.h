/* An exact run: first the layers step, then the stages. Private to this folder. */
#ifndef F2L_MODELS_EXACT_IMPL_H
#define F2L_MODELS_EXACT_IMPL_H

#include "models/network/exact/exact.h"
#include "models/network/exact/run_exact.h"
#include "models/network/net/wired_flow.h"

struct f2l_exact {
    const f2l_net *net;
    struct f2l_exact_layer *layer; /* [layers] */
    struct f2l_exact_block *block; /* [blocks] */
    size_t joint;                  /* f2l_net_joint */
    size_t *next;                  /* [joint] codes after the present letter */
    uint64_t *steps;               /* [layers] steps of one letter whose edge is not remembered */
    uint64_t work;
    f2l_stepper stepper;
    f2l_wired_flow flow;
    size_t *room;   /* of a token */
    f2l_qvec state; /* of one head of a stage */
};

/* Prepares the blocks of a run whose stepper is for their heads, too. */
f2l_status f2l_exact_blocks_init(f2l_exact *run, f2l_meter *meter, f2l_error *err);
void f2l_exact_blocks_clear(f2l_exact *run);

/* Sets joint to the values of all readouts, stage by stage. */
f2l_status f2l_exact_start_stages(f2l_exact *run, size_t *joint, f2l_error *err);
/* Steps all stages from the readouts' values joint[] to next[]; *x is the letter of the first stage
 * and becomes the label. */
f2l_status f2l_exact_step_stages(f2l_exact *run, const size_t *joint, size_t *next, size_t *x,
                                 f2l_error *err);

#endif
