/* What the verifiers of all forms share. */
#include "theory/certify/closure/search.h"
#include "theory/certify/forms/impl.h"
#include <stdio.h>

f2l_status f2l_form_begin(f2l_form_verdict *out, uint32_t **label, const f2l_net *net,
                          const f2l_fsa *fsa, f2l_error *err)
{
    const f2l_face face = f2l_face_of_net(net);
    *out = (f2l_form_verdict){.verdict = F2L_UNKNOWN};
    const f2l_status status = f2l_wired_validate(net, err);
    return status == F2L_OK ? f2l_face_expect_any(label, &face, fsa, err) : status;
}

/* Returns whether the network lacks the label of the state, or an output of its transitions. */
static bool lacks_label(const f2l_net *net, const f2l_fsa *fsa, const uint32_t *label, size_t state)
{
    const size_t each = net->label == F2L_LABEL_EDGES ? fsa->letters.count : 1;
    bool lacks = false;
    for (size_t i = 0; i < each; i++) lacks = lacks || label[state * each + i] == F2L_NO_SYMBOL;
    return lacks;
}

f2l_status f2l_form_check_labels(const f2l_net *net, const f2l_fsa *fsa, const f2l_reach *reach,
                                 const uint32_t *label, const f2l_task *task, f2l_error *err)
{
    if (net->label != F2L_LABEL_EDGES && net->start != label[fsa->start])
        return f2l_fail(err, F2L_UNKNOWN,
                        "the label of the empty word is not the label of the start state");
    for (size_t i = 0; i < reach->states; i++)
        if (lacks_label(net, fsa, label, reach->state[i]))
            return f2l_fail(err, F2L_UNKNOWN, "the network has no label for state %zu",
                            (size_t)reach->state[i] + 1);
    /* Polled at least once: a cancelled task must not yield a verdict, however small the
     * automaton. */
    return f2l_task_poll(task, "checking circuits", 0, 0, err);
}

f2l_status f2l_form_conclude(f2l_form_verdict *out, f2l_status status, const f2l_error *why,
                             f2l_error *err)
{
    if (status == F2L_OK) {
        out->verdict = F2L_OK;
        return F2L_OK;
    }
    if (status == F2L_UNKNOWN) {
        snprintf(out->reason, sizeof out->reason, "%.255s", why->text);
        return F2L_OK;
    }
    if (err) *err = *why;
    return status;
}
