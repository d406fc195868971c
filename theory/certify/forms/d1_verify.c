/* The verdict on D1 forms. Statements: theory/pages/d1.md. */
#include "numeric/base/mem.h"
#include "theory/certify/forms/impl.h"

f2l_status f2l_d1_check_exact(f2l_d1_check *c, f2l_error *err)
{
    f2l_status status = f2l_reach_init(&c->reach, c->fsa, err);
    if (status != F2L_OK) return status;
    c->states = c->reach.states;
    c->start = (uint32_t)c->reach.start;
    status = f2l_form_check_labels(c->net, c->fsa, &c->reach, c->label, c->task, err);
    if (status == F2L_OK) status = f2l_d1_check_circuits(c, err);
    if (status == F2L_OK) status = f2l_exact_new(&c->run, c->net, err);
    if (status == F2L_OK) status = f2l_d1_check_clock(c, err);
    if (status == F2L_OK) status = f2l_d1_check_ring(c, err);
    if (status == F2L_OK) status = f2l_d1_check_words(c, err);
    return status == F2L_OK ? f2l_d1_check_pairs(c, err) : status;
}

void f2l_d1_check_clear(f2l_d1_check *c)
{
    f2l_reach_clear(&c->reach);
    f2l_exact_free(c->run);
    f2l_free(c->clock_code);
    f2l_free(c->level_at);
    f2l_free(c->level);
    f2l_free(c->act);
    f2l_free(c->product);
    f2l_free(c->meant);
    f2l_free(c->edge);
    f2l_free(c->place);
    f2l_free(c->list);
    f2l_free(c->orbit);
    f2l_free(c->next);
    f2l_rowset_clear(&c->row);
}

f2l_status f2l_d1_verify(const f2l_d1_kind *kind, f2l_form_verdict *out, const f2l_net *net,
                         const f2l_fsa *fsa, const f2l_format *format, const f2l_schedule *schedule,
                         const f2l_task *task, f2l_error *err)
{
    f2l_d1_check c = {.net = net, .fsa = fsa, .task = task, .letters = fsa->letters.count};
    uint32_t *label;
    f2l_error why = {0};
    f2l_status status = f2l_fsa_check_label(fsa, net->label, err);
    if (status == F2L_OK) status = f2l_form_begin(out, &label, net, fsa, err);
    if (status != F2L_OK) return status;
    c.label = label;
    status = kind->check(&c, &why);
    if (status == F2L_OK && format) status = f2l_d1_check_format(&c, format, schedule, &why);
    f2l_free(label);
    if (status == F2L_OK) *out = kind->verdict(&c);
    f2l_d1_check_clear(&c);
    return f2l_form_conclude(out, status, &why, err);
}

static f2l_form_verdict d1_verdict(const f2l_d1_check *c)
{
    return (f2l_form_verdict){F2L_OK, c->clock, c->block, c->elements, c->pairs, ""};
}

static f2l_status verify_d1(f2l_form_verdict *out, const f2l_net *net, const f2l_fsa *fsa,
                            const f2l_format *format, const f2l_schedule *schedule,
                            const f2l_task *task, f2l_error *err)
{
    static const f2l_d1_kind kind = {f2l_d1_check_exact, d1_verdict};
    return f2l_d1_verify(&kind, out, net, fsa, format, schedule, task, err);
}

const f2l_form f2l_form_d1 = {"theory/pages/d1.md, D1.8", "theory/pages/d1.md, D1.10", verify_d1,
                              f2l_d1_certify};
