/* Fields, forms and factors of the heads. */
#include "models/network/net/head_field.h"
#include "theory/construct/r1/impl.h"
#include "theory/rep/householders/reflections.h"

#define POLL_EVERY 16

/* Writes the matrix of a letter as reflections inside its field (theory/pages/irreps.md, I.10). */
static f2l_status reflection_factors(f2l_transition *out, const f2l_irrep *rep, size_t letter,
                                     const f2l_task *task, f2l_error *err)
{
    f2l_reflections r;
    f2l_status status =
        f2l_reflections_build(&r, &rep->letter[letter], &rep->form, &rep->field, task, err);
    if (status != F2L_OK) return status;
    status = f2l_transition_set_factors(out, r.count, err);
    for (size_t f = 0; f < r.count && status == F2L_OK; f++) {
        mpq_set_ui(out->factor[f].beta, 2, 1);
        for (size_t i = 0; i < r.dimension && status == F2L_OK; i++)
            status = f2l_push_number(&out->factor[f].u, i, &r.vector[f * r.dimension + i],
                                     rep->field.degree, err);
    }
    f2l_reflections_clear(&r);
    return status;
}

static f2l_status fill_module_head(f2l_head *head, const f2l_r1_module *m, size_t letters,
                                   const f2l_task *task, f2l_error *err)
{
    f2l_status status = F2L_OK;
    head->n = m->key_dim;
    head->d = 1;
    if (m->image == NULL) {
        status = f2l_head_set_field(head, &m->rep.field, err);
        if (status == F2L_OK) status = f2l_head_set_form(head, &m->rep.form, err);
    }
    for (size_t a = 0; a < letters && status == F2L_OK; a++) {
        status = m->image ? f2l_r1_signed_factors(&head->letter[a], m->image + a * m->rep.dimension,
                                                  m->rep.dimension, err)
                          : reflection_factors(&head->letter[a], &m->rep, a, task, err);
        if (status == F2L_OK && a % POLL_EVERY == POLL_EVERY - 1)
            status = f2l_task_poll(task, "building factors", (double)a, (double)letters, err);
    }
    return status;
}

f2l_status f2l_r1_transitions(f2l_layer *layer, const f2l_r1_plan *plan, f2l_error *err)
{
    f2l_status status = F2L_OK;
    for (size_t h = 0; h < plan->modules && status == F2L_OK; h++)
        status =
            fill_module_head(&layer->head[h], &plan->module[h], layer->letters, plan->task, err);
    return status;
}
