/* What clusters of states are looked for in: the numbers of the states, or what the network says
 * after each of some letters more.
 *
 * States of a trained network may differ in many ways that no answer shows. Its logits after one
 * more letter show what its read-out sees. */
#ifndef F2L_LEARNED_VIEW_H
#define F2L_LEARNED_VIEW_H

#include "theory/beside/compare/sample.h"

#define F2L_VIEW_PROBES ((size_t)4)

typedef enum f2l_view_kind {
    F2L_VIEW_STATES,
    F2L_VIEW_LOGITS /* minus their mean, of F2L_VIEW_PROBES letters or all, spread evenly */
} f2l_view_kind;

typedef struct f2l_learned_view {
    f2l_view_kind kind;
    size_t states, numbers;
    const float *row; /* [states][numbers] of the sample */
    uint32_t probe[F2L_VIEW_PROBES];
    size_t probes;
    float *owned;   /* the rows, where they are not the states */
    float *scratch; /* [probes][numbers of a state] */
} f2l_learned_view;

/* Builds *out, which borrows the sample; cleared by f2l_learned_view_clear, also after a
 * failure. */
f2l_status f2l_learned_view_build(f2l_learned_view *out, f2l_view_kind kind,
                                  f2l_learned_reader *reader, const f2l_learned_sample *sample,
                                  const f2l_task *task, f2l_error *err);
void f2l_learned_view_clear(f2l_learned_view *view);

/* Sets row[numbers] to what the view has of a state. */
f2l_status f2l_learned_view_row(float *row, const f2l_learned_view *view,
                                f2l_learned_reader *reader, const float *state, f2l_error *err);

#endif
