/* What an automaton needs, as `classify` says it: the ladder (theory/pages/ladder.md), lower bounds
 * on the number of layers (layers.md), and one layer with one code for each state
 * (separation.md). */
#ifndef F2L_SURVEY_H
#define F2L_SURVEY_H

#include "theory/obstruct/classify/classify.h"
#include "theory/obstruct/layers/layers.h"
#include "theory/obstruct/separation/one_layer.h"

typedef struct f2l_survey {
    f2l_classify classify;
    f2l_layers layers;
    f2l_one_layer one_layer; /* of the same automaton and label */
} f2l_survey;

void f2l_survey_init(f2l_survey *s);
void f2l_survey_clear(f2l_survey *s);

/* Surveys `fsa`, with the requirements and answers of f2l_classify_build: F2L_OK also when a limit
 * or the task left something unknown. All parts share the task's effort. On failure the caller
 * clears *out. */
f2l_status f2l_survey_find(f2l_survey *out, const f2l_fsa *fsa, const f2l_classify_options *options,
                           const f2l_task *task, f2l_error *err);

/* Returns the fewest layers of a network that is known to exist, and sets *by to the statement that
 * shows it. */
size_t f2l_survey_most(const f2l_survey *s, const char **by);

#endif
