#include "theory/construct/contraction/contraction.h"
#include "numeric/base/mem.h"
#include "theory/construct/contraction/head.h"
#include <string.h>

/* Adds a code for each state, with its label. */
static f2l_status write_codes(f2l_net *net, const f2l_contraction *c, const f2l_fsa *fsa,
                              f2l_error *err)
{
    const size_t states = fsa->states.count;
    uint32_t *label_of = f2l_calloc(states, sizeof *label_of);
    f2l_status status = label_of ? F2L_OK : f2l_fail_memory(err);
    for (size_t q = 0; q < states && status == F2L_OK; q++) {
        const char *text = f2l_fsa_label(fsa, net->label, q);
        size_t index = 0;
        status = f2l_names_add(&net->labels, text, strlen(text), &index, err);
        label_of[q] = (uint32_t)index;
    }
    if (status == F2L_OK) net->start = label_of[fsa->start];
    if (status == F2L_OK)
        status = f2l_layer_set_codes(&net->layer[0], states, net->labels.count, false, err);
    for (size_t q = 0; q < states && status == F2L_OK; q++) {
        net->layer[0].symbol[q] = label_of[q];
        status = f2l_contraction_code(&net->layer[0].code[q], c, q, err);
    }
    f2l_free(label_of);
    return status;
}

static f2l_status write_net(f2l_net *out, const f2l_contraction *c, const f2l_fsa *fsa,
                            f2l_error *err)
{
    const size_t letters = fsa->letters.count;
    f2l_status status = f2l_names_copy(&out->letters, &fsa->letters, err);
    if (status == F2L_OK) status = f2l_net_set_layers(out, 1, err);
    if (status == F2L_OK) status = f2l_layer_set_heads(&out->layer[0], letters, 1, err);
    if (status != F2L_OK) return status;
    f2l_head *head = &out->layer[0].head[0];
    status = f2l_contraction_head(head, c, fsa->start, err);
    for (size_t a = 0; a < letters && status == F2L_OK; a++)
        status = f2l_contraction_letter(&head->letter[a], c, a, err);
    return status == F2L_OK ? write_codes(out, c, fsa, err) : status;
}

/* Finds a form. */
static f2l_status find_form(f2l_separation *s, const f2l_fsa *fsa, const f2l_task *task,
                            f2l_error *err)
{
    const f2l_maps maps = f2l_maps_of(fsa);
    const f2l_status status = f2l_separation_build(s, &maps, task, err);
    if (status != F2L_OK || s->verdict == F2L_SEPARATION_FEASIBLE) return status;
    if (s->verdict == F2L_SEPARATION_INFEASIBLE)
        return f2l_fail(err, F2L_EDOMAIN,
                        "the states %s and %s have one code wherever letters act as contractions",
                        f2l_names_get(&fsa->states, s->chain.p),
                        f2l_names_get(&fsa->states, s->chain.q));
    return f2l_fail(err, F2L_UNKNOWN, "no form was found, and no proof that there is none: %s",
                    s->reason);
}

f2l_status f2l_contraction_build(f2l_net *out, f2l_contraction_report *report, const f2l_fsa *fsa,
                                 f2l_label label, const f2l_task *task, f2l_error *err)
{
    const f2l_maps maps = f2l_maps_of(fsa);
    f2l_separation s;
    f2l_contraction c = {0};
    *report = (f2l_contraction_report){0};
    f2l_net_clear(out);
    f2l_status status = f2l_fsa_check_label(fsa, label, err);
    if (status != F2L_OK) return status;
    if (fsa->states.count < 2 || fsa->states.count > F2L_CONTRACTION_STATES)
        return f2l_fail(err, F2L_UNKNOWN, "forms are sought for 2 to %d states",
                        F2L_CONTRACTION_STATES);
    out->label = label;
    f2l_separation_init(&s);
    status = find_form(&s, fsa, task, err);
    if (status == F2L_OK) status = f2l_contraction_init(&c, &maps, s.form, task, err);
    if (status == F2L_OK) status = write_net(out, &c, fsa, err);
    if (status == F2L_OK)
        *report = (f2l_contraction_report){c.space.dim, c.space.extra};
    else
        f2l_net_clear(out);
    f2l_contraction_clear(&c);
    f2l_separation_clear(&s);
    return status;
}
