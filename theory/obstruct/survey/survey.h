/* What an automaton needs, as `classify` says it: the ladder (theory/pages/ladder.md), lower bounds
 * on the number of layers (layers.md), and one layer with one code for each state
 * (separation.md). */
#ifndef F2L_SURVEY_H
#define F2L_SURVEY_H

#include "theory/compile/compile.h"
#include "theory/compile/fewest.h"
#include "theory/obstruct/classify/classify.h"
#include "theory/obstruct/enough/enough.h"
#include "theory/obstruct/finer/finer.h"
#include "theory/obstruct/layers/layers.h"
#include "theory/obstruct/separation/one_layer.h"

typedef struct f2l_survey {
    f2l_classify classify;
    f2l_layers layers;
    f2l_enough enough; /* sought where at least two layers are needed, and not known to be
                          more than three */
    f2l_stack_lists first_layers; /* listed for `enough` and for the list of constructions */
    f2l_one_layer one_layer;      /* of the same automaton and label */
    f2l_finer finer;
    char engines[F2L_COMPILE_ENGINES]; /* in which nothing rounds in the network that is compiled
                                          (theory/compile/engines_held.h) */
    f2l_effort apart;            /* of finer classes, then of engines: as much as the task has */
    f2l_compile_result compiled; /* the list of the constructions; empty before f2l_survey_compile
                                  */
    size_t most;                 /* fewest layers of a network that is known to exist; 0: none is */
    const char *most_by;         /* its construction, or the statement that shows it */
    bool most_is_built;          /* it was built and is VERIFIED */
    char open[80];               /* constructions that may have fewer (f2l_compile_say_open) */
    char unbuilt[256];           /* why nothing was built; empty: something was */
} f2l_survey;

/* Without formats nothing is built for larger automata. */
#define F2L_SURVEY_STATES 2000

void f2l_survey_init(f2l_survey *s);
void f2l_survey_clear(f2l_survey *s);

/* Surveys `fsa`, with the requirements and answers of f2l_classify_build: F2L_OK also when a limit
 * or the task left something unknown. All parts but the finer classes share the task's effort. On
 * failure the caller clears *out. */
f2l_status f2l_survey_find(f2l_survey *out, const f2l_fsa *fsa, const f2l_classify_options *options,
                           const f2l_task *task, f2l_error *err);

/* Lists the networks that the compiler builds, gives their figures to the ladder and to `most`, and
 * names the engines of the best one.
 * The options are the list's; without formats only rows that may have the fewest layers are
 * built. `task` may have the survey's limits but not its effort, which the options set. */
f2l_status f2l_survey_compile(f2l_survey *s, const f2l_fsa *fsa, const f2l_compile_options *options,
                              const f2l_task *task, f2l_error *err);

/* Returns the networks of the class of models; F2L_NETWORKS_NONE: the compiler has none. */
f2l_network_class f2l_survey_networks(f2l_ladder_class class);

/* Returns the entry of s->compiled whose figures the class has; NULL: none. */
const f2l_compile_entry *f2l_survey_network(const f2l_survey *s, f2l_ladder_class class);

#endif
