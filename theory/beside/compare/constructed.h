/* The constructed network beside a trained one: it reads the letters of the same data, and its
 * states are numbers. */
#ifndef F2L_LEARNED_CONSTRUCTED_H
#define F2L_LEARNED_CONSTRUCTED_H

#include "models/learn/data/data_evaluate.h"
#include "models/network/exact/run_exact.h"
#include "theory/beside/compare/sample.h"

/* The most numbers of a joint state that are looked at. */
#define F2L_CONSTRUCTED_MOST ((size_t)4096)

typedef struct f2l_constructed {
    const f2l_net *net; /* borrowed, like the data */
    const f2l_data *data;
    uint32_t *letter;       /* [letters of the automaton] letter of the first layer */
    uint32_t *label;        /* [labels of the network] label of the data; UINT32_MAX: it has none */
    const char *no_states;  /* why states are not looked at, a constant text; NULL: they are */
    size_t numbers;         /* of a joint state of all layers */
    f2l_learned_part *part; /* the heads */
    size_t parts;
    /* private */
    f2l_net plain; /* codes in orthonormal coordinates */
    f2l_exact *run;
    size_t *joint;  /* [sequences][layers] while words are read; [layers] in a walk */
    bool *lost;     /* [sequences] a state without a code was reached */
    uint32_t *last; /* [sequences] the last answer */
} f2l_constructed;

/* Creates *out; cleared by f2l_constructed_clear, also after a failure. F2L_EDOMAIN: the network
 * lacks a letter of the automaton. */
f2l_status f2l_constructed_init(f2l_constructed *out, const f2l_net *net, const f2l_data *data,
                                const f2l_task *task, f2l_error *err);
void f2l_constructed_clear(f2l_constructed *c);

/* Sets state[length][numbers] to the joint states after the letters of the word. F2L_EDOMAIN: a
 * state has no code. Only where no_states is NULL. */
f2l_status f2l_constructed_walk(double *state, f2l_constructed *c, const uint32_t *word,
                                size_t length, f2l_error *err);

/* Sets *out to the states after the words of a sample; its letters and states of the automaton are
 * the sample's, borrowed. out->state is owned by the caller (f2l_free), also after a failure. */
f2l_status f2l_constructed_sample(f2l_learned_sample *out, f2l_constructed *c,
                                  const f2l_learned_sample *sample, f2l_error *err);

/* Measures it as f2l_experiment_evaluate measures a trained network, on the same words. */
f2l_status f2l_constructed_evaluate(f2l_train_score *score, size_t scores, f2l_data_wrong *wrong,
                                    size_t sequences, f2l_constructed *c, const f2l_data *data,
                                    const f2l_task *task, f2l_error *err);

#endif
