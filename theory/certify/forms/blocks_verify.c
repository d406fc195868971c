/* The verdict on blocks forms. Statements: theory/pages/blocks.md. */
#include "numeric/base/mem.h"
#include "theory/certify/forms/impl.h"

f2l_status f2l_blocks_check_exact(f2l_blocks_check *c, f2l_error *err)
{
    f2l_status status = f2l_reach_init(&c->reach, c->fsa, err);
    if (status == F2L_OK)
        status = f2l_form_check_labels(c->net, c->fsa, &c->reach, c->label, c->task, err);
    if (status == F2L_OK) status = f2l_exact_new(&c->run, c->net, err);
    if (status == F2L_OK) status = f2l_blocks_check_circuits(c, err);
    if (status == F2L_OK) status = f2l_d1_check_clock(&c->base, err);
    for (size_t l = 0; status == F2L_OK && l < c->levels; l++) {
        status = f2l_d1_check_ring(&c->level[l], err);
        if (status == F2L_OK) status = f2l_d1_check_words(&c->level[l], err);
        if (status == F2L_OK) status = f2l_d1_check_pairs(&c->level[l], err);
    }
    return status == F2L_OK ? f2l_blocks_check_links(c, err) : status;
}

void f2l_blocks_check_clear(f2l_blocks_check *c)
{
    for (size_t l = 0; c->level && l < c->levels; l++) {
        c->level[l].run = NULL; /* it is the network's */
        f2l_d1_check_clear(&c->level[l]);
    }
    for (size_t l = 0; c->link && l < c->levels; l++) {
        f2l_free(c->link[l].reads);
        f2l_free(c->link[l].from);
        f2l_free(c->link[l].to);
        f2l_free(c->link[l].child);
    }
    c->base.run = NULL;
    f2l_d1_check_clear(&c->base);
    f2l_free(c->level);
    f2l_free(c->link);
    f2l_reach_clear(&c->reach);
    f2l_exact_free(c->run);
}

/* Checks clock, rings, and every edge in a format. */
static f2l_status check_blocks_format(const f2l_blocks_check *c, const f2l_format *format,
                                      const f2l_schedule *schedule, f2l_error *err)
{
    f2l_float_net *rounded = NULL;
    f2l_status status = f2l_task_spend(c->task, "rounding a network", f2l_wired_weigh(c->net), err);
    if (status == F2L_OK) status = f2l_float_net_new(&rounded, c->net, format, schedule, err);
    if (status == F2L_OK) status = f2l_d1_round_clock(&c->base, rounded, format, err);
    for (size_t l = 0; status == F2L_OK && l < c->levels; l++)
        status = f2l_d1_round_level(&c->level[l], rounded, format, err);
    f2l_float_net_free(rounded);
    return status;
}

static f2l_status verify_blocks(f2l_form_verdict *out, const f2l_net *net, const f2l_fsa *fsa,
                                const f2l_format *format, const f2l_schedule *schedule,
                                const f2l_task *task, f2l_error *err)
{
    f2l_blocks_check c = {.net = net, .fsa = fsa, .task = task};
    uint32_t *label;
    f2l_error why = {0};
    f2l_status status = f2l_form_begin(out, &label, net, fsa, err);
    if (status != F2L_OK) return status;
    c.label = label;
    status = f2l_blocks_check_exact(&c, &why);
    if (status == F2L_OK && format) status = check_blocks_format(&c, format, schedule, &why);
    f2l_free(label);
    if (status == F2L_OK)
        *out =
            (f2l_form_verdict){F2L_OK, c.clock, c.block, c.level[0].elements, c.level[0].pairs, ""};
    f2l_blocks_check_clear(&c);
    return f2l_form_conclude(out, status, &why, err);
}

const f2l_form f2l_form_blocks = {"theory/pages/blocks.md, BL.3", "theory/pages/blocks.md, BL.6",
                                  verify_blocks, f2l_blocks_certify};
