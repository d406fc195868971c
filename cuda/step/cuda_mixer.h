/* A mixer on a device is a row: everything that a step (cuda/step/cuda_step.h) and an evaluation
 * (cuda/step/cuda_answer.h) need to know about it. A mixer without a row is trained on the CPU. */
#ifndef F2L_CUDA_MIXER_H
#define F2L_CUDA_MIXER_H

#include "cuda/step/cuda_step.h"
#include "models/learn/seq/mixer.h"

struct f2l_step_columns;
struct f2l_step_layer;
struct f2l_step_phases;
struct f2l_step_run;
struct f2l_step_wishes;
struct f2l_answer_pass;

struct f2l_step_mixer {
    const f2l_mixer *mixer;    /* the row on the CPU */
    size_t project, taps, out; /* its tensors: the first ones of the projection and of the
                                  convolution, and the output projection */
    bool by_position; /* whether its inputs are always by position, also in the first layer */
    bool packs;      /* whether its operators take packed words (first rows of words), if its inputs
                      * are by position; one that does not is trained with padded words */
    bool keeps_out;  /* whether backward reads o_norm, the input of the output projection */
    size_t products; /* products of matrices in a layer's pass, beside the two projections */

    /* Refuses models that the kernels do not support. */
    f2l_status (*takes)(const f2l_seq_config *config, f2l_error *err);
    /* Returns whether all sizes are positive. */
    bool (*has_sizes)(const f2l_cuda_step_shape *shape);
    /* Refuse shapes of steps and evaluations; NULL: they refuse none. */
    f2l_status (*check_step)(const f2l_cuda_step_shape *shape, f2l_cuda_type type, f2l_error *err);
    f2l_status (*check_answer)(const f2l_cuda_step_shape *shape, f2l_error *err);
    /* Sets the widths of its arrays in *columns, which is 0 before. */
    void (*columns)(struct f2l_step_columns *columns, const f2l_cuda_step_shape *shape);
    /* Computes the bytes that forward keeps for backward, and the bytes of the workspace. */
    f2l_status (*bytes)(size_t bytes[2], const f2l_cuda_step *step, size_t layer, f2l_error *err);
    /* Asks for the places of its arrays. */
    void (*want)(struct f2l_step_wishes *w, struct f2l_step_layer *a, const f2l_cuda_step *step,
                 const size_t bytes[2], size_t layer, const struct f2l_step_phases *p);
    /* Run forward to o_norm, the input of the output projection, and backward from do_norm and
     * dmiddle to dx. */
    void (*forward)(struct f2l_step_run *p, size_t layer);
    void (*backward)(struct f2l_step_run *p, size_t layer, const void *dmiddle);
    /* Runs an evaluation from the layer's projection to o_norm. */
    void (*answer)(struct f2l_answer_pass *p, size_t layer);
    /* Computes the inputs of layer 0 by letter; not called when by_position. */
    void (*tables)(struct f2l_answer_pass *p);
};

extern const f2l_step_mixer f2l_step_mixer_delta, f2l_step_mixer_diagonal;
extern const f2l_step_mixer f2l_step_mixer_gla, f2l_step_mixer_rwkv7;
extern const f2l_step_mixer f2l_step_mixer_attention, f2l_step_mixer_mlstm;

/* Returns the row of a mixer; NULL, with the reason in *err, where there is none. */
const f2l_step_mixer *f2l_step_mixer_of(const f2l_mixer *mixer, f2l_error *err);

/* Refuses heads of more than `most` numbers. */
f2l_status f2l_step_check_heads(size_t key, size_t value, size_t most, f2l_error *err);
/* Refuses the same, output gates, and a separate epsilon for keys. */
f2l_status f2l_step_takes_heads(const f2l_seq_config *config, size_t most, f2l_error *err);

#endif
