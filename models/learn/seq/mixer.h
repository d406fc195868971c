/* A mixer is a row: everything that the rest needs to know about one recurrence of a layer, except
 * its kernels on a device (cuda/step/cuda_mixer.h). Adding one takes a folder in models/learn/seq
 * and a line in models/learn/seq/mixers.c; docs/recipes.md has the steps. */
#ifndef F2L_MIXER_H
#define F2L_MIXER_H

#include "models/learn/seq/fla.h"
#include "models/learn/seq/pass.h"

/* The pass through a mixer: forward computes out [rows][width] from SLOT_NORM; backward computes
 * the gradient slot of SLOT_NORM from dout, and adds to the gradients of the parameters. */
typedef struct f2l_mixer_pass_f32 {
    f2l_status (*forward)(float *out, const f2l_seq_pass_f32 *pass, size_t layer);
    f2l_status (*backward)(const float *dout, const f2l_seq_pass_f32 *pass, size_t layer);
} f2l_mixer_pass_f32;
typedef struct f2l_mixer_pass_f64 {
    f2l_status (*forward)(double *out, const f2l_seq_pass_f64 *pass, size_t layer);
    f2l_status (*backward)(const double *dout, const f2l_seq_pass_f64 *pass, size_t layer);
} f2l_mixer_pass_f64;

struct f2l_mixer {
    const char *name;    /* in configurations: "delta-product" */
    const char *option;  /* on the command line and in reports: "delta" */
    const char *summary; /* what it is, for the help text */
    bool gated;          /* whether it has a gate: published models then have no MLP beside it */

    /* Returns the reason why no model has this configuration, or NULL; NULL: every model may. */
    const char *(*refuses)(const f2l_seq_config *config);
    /* Adds the layer's tensors, with f2l_seq_add_mixer. */
    void (*parameters)(f2l_seq_layout *to);
    size_t first_state; /* the tensor that states begin with; F2L_SEQ_NONE: they begin with 0 */
    /* Sets the widths of the mixer's slots in width[F2L_SLOTS], which is 0 before. */
    void (*plan)(size_t *width, const f2l_seq_config *config);
    /* Returns the numbers per sequence and layer of a state: the recurrence's, and behind them the
     * last letters of convolutions. */
    size_t (*state)(const f2l_seq_config *config);
    const f2l_mixer_pass_f32 *pass_f32;
    const f2l_mixer_pass_f64 *pass_f64; /* for `inspect` and tests */
    /* Sets slot[F2L_SEQ_LETTER_ARRAYS] to the slots that models/learn/seq/seq_letters.h gives by
     * letter; the others stay F2L_SLOTS. NULL: there are none. */
    void (*letters)(size_t *slot, const f2l_seq_config *config);
    const char *no_relations; /* why a relation of letters is none of states; NULL: it is one */

    /* The classes of flash-linear-attention; fla_class returns the class of a model. NULL: none. */
    const f2l_fla_class *fla;
    size_t fla_classes;
    const f2l_fla_class *(*fla_class)(const f2l_seq_config *config);

    /* Appends the mixer's sizes and options to a line about a model. */
    void (*describe)(f2l_buf *out, const f2l_seq_config *config);
};

extern const f2l_mixer f2l_mixer_delta, f2l_mixer_diagonal;
extern const f2l_mixer f2l_mixer_gla, f2l_mixer_rwkv7;
extern const f2l_mixer f2l_mixer_attention, f2l_mixer_mlstm;

/* All mixers; NULL past the last. The first is the default. */
extern const f2l_mixer *const f2l_mixers[];

/* Returns the tensor that the states of a layer begin with, or F2L_SEQ_NONE: they begin with 0. */
size_t f2l_seq_first_state(const f2l_seq *model, size_t layer);

#endif
