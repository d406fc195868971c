/* The verdict on D1 forms. Statements: theory/pages/d1.md. */
#include "numeric/base/mem.h"
#include "theory/certify/closure/search.h"
#include "theory/certify/forms/impl.h"

f2l_status f2l_d1_check_labels(const f2l_d1_check *c, f2l_error *err)
{
    if (c->net->start != c->label[c->fsa->start])
        return f2l_fail(err, F2L_UNKNOWN,
                        "the label of the empty word is not the label of the start state");
    for (size_t i = 0; i < c->states; i++)
        if (c->label[c->reach.state[i]] == F2L_NO_SYMBOL)
            return f2l_fail(err, F2L_UNKNOWN, "the network has no label for state %zu",
                            (size_t)c->reach.state[i] + 1);
    /* Polled at least once: a cancelled task must not yield a verdict, however small the
     * automaton. */
    return f2l_task_poll(c->task, "checking circuits", 0, 0, err);
}

f2l_status f2l_d1_check_exact(f2l_d1_check *c, f2l_error *err)
{
    f2l_status status = f2l_reach_init(&c->reach, c->fsa, err);
    if (status != F2L_OK) return status;
    c->states = c->reach.states;
    c->start = (uint32_t)c->reach.start;
    status = f2l_d1_check_labels(c, err);
    if (status == F2L_OK) status = f2l_d1_check_circuits(c, err);
    if (status == F2L_OK) status = f2l_wired_exact_new(&c->run, c->net, err);
    if (status == F2L_OK) status = f2l_d1_check_clock(c, err);
    if (status == F2L_OK) status = f2l_d1_check_ring(c, err);
    if (status == F2L_OK) status = f2l_d1_check_words(c, err);
    return status == F2L_OK ? f2l_d1_check_pairs(c, err) : status;
}

void f2l_d1_check_clear(f2l_d1_check *c)
{
    f2l_reach_clear(&c->reach);
    f2l_wired_exact_free(c->run);
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

static f2l_status verify(f2l_form_verdict *out, const f2l_wired *net, const f2l_fsa *fsa,
                         const f2l_format *format, const f2l_schedule *schedule,
                         const f2l_task *task, f2l_error *err)
{
    f2l_d1_check c = {.net = net, .fsa = fsa, .task = task, .letters = fsa->letters.count};
    const f2l_face face = {&net->letters, &net->labels, net->label, net->start, &net->classes};
    uint32_t *label;
    f2l_error why = {0};
    *out = (f2l_form_verdict){.verdict = F2L_UNKNOWN};
    f2l_status status = f2l_wired_validate(net, err);
    if (status == F2L_OK) status = f2l_face_expect(&label, &face, fsa, err);
    if (status != F2L_OK) return status;
    c.label = label;
    status = f2l_d1_check_exact(&c, &why);
    if (status == F2L_OK && format) status = f2l_d1_check_format(&c, format, schedule, &why);
    f2l_free(label);
    if (status == F2L_OK)
        *out = (f2l_form_verdict){F2L_OK, c.clock, c.block, c.elements, c.pairs, ""};
    f2l_d1_check_clear(&c);
    return f2l_form_conclude(out, status, &why, err);
}

const f2l_form f2l_form_d1 = {"theory/pages/d1.md, D1.8", "theory/pages/d1.md, D1.10", verify,
                              f2l_d1_certify};
