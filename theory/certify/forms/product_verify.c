/* Verifying products part by part (theory/pages/product.md, X.4 and X.5). */
#include "numeric/base/mem.h"
#include "theory/certify/forms/impl.h"
#include "theory/certify/forms/product.h"
#include "theory/certify/unrounded/unrounded.h"
#include <stdio.h>

/* Limit on the joint states of a part that they prove. */
#define PART_ROWS 100000

const f2l_form f2l_form_product = {.exact = "theory/pages/product.md, X.4",
                                   .format = "theory/pages/product.md, X.5"};

/* --- one part --- */

/* Proves a part by its joint states. */
static f2l_status verify_rows(f2l_form_verdict *out, f2l_closure *rows, const f2l_part *part,
                              const f2l_task *task, f2l_error *err)
{
    f2l_status status = f2l_closure_exact(rows, &part->net, &part->fsa, PART_ROWS, task, err);
    if (status != F2L_OK) return status;
    *out = (f2l_form_verdict){.verdict = rows->verdict};
    if (rows->verdict == F2L_UNKNOWN) snprintf(out->reason, sizeof out->reason, "%s", rows->reason);
    if (rows->verdict == F2L_REFUTED) {
        out->verdict = F2L_UNKNOWN;
        snprintf(out->reason, sizeof out->reason, "it is wrong after %zu letters",
                 rows->word_length);
    }
    return F2L_OK;
}

/* Proves in a format a part that is exactly right: nothing may round. */
static f2l_status verify_unrounded(f2l_form_verdict *out, const f2l_part *part,
                                   const f2l_format *format, const f2l_schedule *schedule,
                                   const f2l_task *task, f2l_error *err)
{
    f2l_unrounded unrounded;
    f2l_unrounded_init(&unrounded);
    f2l_status status = f2l_unrounded_find(&unrounded, &part->net, format, schedule, task, err);
    if (status == F2L_OK) {
        *out = (f2l_form_verdict){.verdict = unrounded.verdict};
        if (unrounded.verdict != F2L_OK) {
            out->verdict = F2L_UNKNOWN;
            snprintf(out->reason, sizeof out->reason, "%s", unrounded.reason);
        }
    }
    f2l_unrounded_clear(&unrounded);
    return status;
}

f2l_status f2l_part_verify(f2l_form_verdict *out, f2l_closure *rows, const f2l_part *part,
                           f2l_cert_claim claim, bool proved, const f2l_format *format,
                           const f2l_schedule *schedule, const f2l_task *task, f2l_error *err)
{
    const f2l_form *form = claim == F2L_CERT_D1 ? &f2l_form_d1 : &f2l_form_zeiger;
    f2l_status status = F2L_OK;
    *out = (f2l_form_verdict){.verdict = F2L_OK};
    if (proved && !format) return F2L_OK;
    if (claim != F2L_CERT_EXACT)
        return form->verify(out, &part->net, &part->fsa, format, schedule, task, err);
    if (!proved) status = verify_rows(out, rows, part, task, err);
    if (status != F2L_OK || !format || out->verdict != F2L_OK) return status;
    return verify_unrounded(out, part, format, schedule, task, err);
}

/* --- the whole --- */

typedef struct check {
    const f2l_net *net;
    const f2l_division *division;
    const f2l_fsa *fsa;
    const uint32_t *label; /* [states] that the network must give */
    bool proved;           /* it is known to be exactly right */
    const f2l_format *format;
    const f2l_schedule *schedule;
    const f2l_task *task;
} check;

static f2l_status check_part(const check *c, size_t i, f2l_error *err)
{
    f2l_part part = {0};
    f2l_closure rows;
    f2l_form_verdict verdict = {.verdict = F2L_UNKNOWN};
    f2l_closure_init(&rows);
    f2l_status status = f2l_part_cut(&part, c->net, c->division, i, c->fsa, c->task, err);
    if (status == F2L_OK)
        status = f2l_part_verify(&verdict, &rows, &part, c->division->part[i].claim, c->proved,
                                 c->format, c->schedule, c->task, err);
    if (status == F2L_OK && verdict.verdict != F2L_OK)
        status = f2l_fail(err, F2L_UNKNOWN, "part %zu: %.200s", i + 1, verdict.reason);
    f2l_closure_clear(&rows);
    f2l_part_clear(&part);
    return status;
}

/* Returns the label that the last block gives in the state; wire: room for its wires. */
static uint32_t joined(const check *c, size_t state, uint32_t *wire)
{
    const f2l_wired_block *last = &c->net->block[c->net->blocks - 1];
    for (size_t i = 0; i < c->division->parts; i++) wire[i] = c->division->part[i].class_of[state];
    for (size_t g = 0; g < last->pres; g++) {
        const f2l_wired_table *table = &c->net->table[last->pre[g].table];
        size_t entry = 0;
        for (size_t i = 0; i < table->inputs; i++)
            entry = entry * table->size[i] + wire[last->pre[g].wire[i]];
        wire[last->inputs + g] = table->value[entry];
    }
    return wire[last->output[0]];
}

static bool has_classes(const check *c, size_t state)
{
    for (size_t i = 0; i < c->division->parts; i++)
        if (c->division->part[i].class_of[state] == UINT32_MAX) return false;
    return true;
}

/* Checks that the last block gives the label of every state that has classes. Parts were cut, so
 * that the block is as in a product. */
static f2l_status check_joined_labels(const check *c, f2l_error *err)
{
    const f2l_wired_block *last = &c->net->block[c->net->blocks - 1];
    f2l_status status = f2l_task_spend(c->task, "joining labels",
                                       c->fsa->states.count * (last->pres + last->inputs), err);
    if (status != F2L_OK) return status;
    uint32_t *wire = f2l_calloc(f2l_wired_wires(last), sizeof *wire);
    if (!wire) return f2l_fail_memory(err);
    for (size_t q = 0; status == F2L_OK && q < c->fsa->states.count; q++)
        if (has_classes(c, q) && joined(c, q, wire) != c->label[q])
            status = f2l_fail(err, F2L_UNKNOWN, "the last stage gives another label in state %zu",
                              q + 1);
    f2l_free(wire);
    if (status == F2L_OK && c->net->start != c->label[c->fsa->start])
        status = f2l_fail(err, F2L_UNKNOWN,
                          "the label of the empty word is not the label of the start state");
    return status;
}

static f2l_status check_all(const check *c, f2l_error *err)
{
    f2l_status status = f2l_task_poll(c->task, "checking parts", 0, 0, err);
    if (status == F2L_OK && c->division->parts < 2)
        status = f2l_fail(err, F2L_UNKNOWN, "a product has two parts or more");
    for (size_t i = 0; status == F2L_OK && i < c->division->parts; i++)
        status = check_part(c, i, err);
    return status == F2L_OK ? check_joined_labels(c, err) : status;
}

f2l_status f2l_product_verify(f2l_form_verdict *out, const f2l_net *net,
                              const f2l_division *division, const f2l_fsa *fsa, bool proved,
                              const f2l_format *format, const f2l_schedule *schedule,
                              const f2l_task *task, f2l_error *err)
{
    check c = {.net = net,
               .division = division,
               .fsa = fsa,
               .proved = proved,
               .format = format,
               .schedule = schedule,
               .task = task};
    uint32_t *label;
    f2l_error why = {0};
    *out = (f2l_form_verdict){.verdict = F2L_UNKNOWN};
    f2l_status status = f2l_task_spend(task, "checking parts", f2l_wired_weigh(net) / 8, &why);
    if (status != F2L_OK) return f2l_form_conclude(out, status, &why, err);
    status = f2l_fsa_check_label(fsa, net->label, err);
    if (status == F2L_OK) status = f2l_form_begin(out, &label, net, fsa, err);
    if (status != F2L_OK) return status;
    c.label = label;
    status = check_all(&c, &why);
    f2l_free(label);
    return f2l_form_conclude(out, status, &why, err);
}
