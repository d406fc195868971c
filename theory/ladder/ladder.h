/* The rung of the ladder that a released model is on, by its settings. */
#ifndef F2L_LADDER_H
#define F2L_LADDER_H

#include "theory/ladder/config_text.h"
#include "theory/ladder/layer_classes.h"

typedef struct f2l_ladder_config {
    const f2l_layer_class *class;
    const char *layer; /* "Gated DeltaNet" */
    size_t layers;     /* 0: not known; with recurrent ones, and ones of attention */
    size_t recurrent, attention;
    bool attention_known; /* how many are of attention */
    bool attends;         /* some are */
    bool partial;         /* some attention reads a part of the positions only */
    size_t householders;  /* n_h; 0: the layer has no factors */
    f2l_layer_gates gates;
    f2l_ladder_class base;  /* the rung of its recurrent layers */
    f2l_ladder_class row;   /* and of all layers together */
    f2l_ladder_reach reach; /* what is reached without rounding */
    char range[160];        /* "beta in [0,1]" */
    char setting[160];      /* what says so: "allow_neg_eigval = false, the default" */
    char change[200];       /* the one setting that tracks more; empty: there is none */
} f2l_ladder_config;

/* Finds the rung. F2L_EDOMAIN with line and column: an unknown class, or one without a row, and
 * why; F2L_EFORMAT: a member of a wrong kind, a number of factors that is 0, a range that is open
 * or empty. */
f2l_status f2l_ladder_config_find(f2l_ladder_config *out, const f2l_config_text *settings,
                                  f2l_error *err);

/* Returns which automata such models track, in a sentence; the rung has the scope. */
const char *f2l_ladder_config_claim(const f2l_ladder_config *config);

/* What the rung says of an automaton. */
typedef struct f2l_ladder_answer {
    f2l_ladder_verdict closed, reached;
    const char *closed_by, *reached_by; /* statements; may be empty */
    const char *scope;
    size_t layers; /* of the construction; 0: none */
} f2l_ladder_answer;

f2l_ladder_answer f2l_ladder_config_answer(const f2l_ladder_config *config, const f2l_classify *c);

#endif
