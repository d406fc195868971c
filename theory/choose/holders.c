/* The stock models that hold one of the networks: their sizes, config.json and claims, as `export`
 * makes them. */
#include "theory/certify/unrounded/export_proof.h"
#include "theory/choose/impl.h"
#include <stdio.h>

static void keep_sizes(void *context, const f2l_export_sizes *sizes)
{
    *(f2l_export_sizes *)context = *sizes;
}

/* Tries the types of the target in turn, until something is exact in one. */
static f2l_status plan_model(f2l_holder *out, const f2l_sought *network, const f2l_fsa *fsa,
                             uint64_t share, const f2l_task *task, f2l_error *err)
{
    f2l_net model;
    f2l_task limited = f2l_choose_aside(task);
    f2l_status status = F2L_EDOMAIN;
    f2l_compile_model(&model, &network->compiled, fsa);
    for (size_t i = 0; status == F2L_EDOMAIN && out->target->dtype[i]; i++) {
        f2l_effort effort = {.limit = share};
        f2l_export_job job = {.model = &model,
                              .network = "OUT",
                              .automaton = "GRAMMAR",
                              .fsa = fsa,
                              .dtype = out->target->dtype[i],
                              .prove = f2l_export_prove,
                              .task = &limited,
                              .announce = keep_sizes,
                              .context = &out->sizes,
                              .config_alone = true};
        limited.effort = &effort;
        out->dtype = job.dtype;
        status = f2l_export_model(&out->files, out->target, &job, err);
    }
    return status;
}

/* Gives the model the best network, or else the one with one factor. */
static f2l_status fill_holder(f2l_holder *out, f2l_choose *c, const f2l_fsa *fsa, uint64_t share,
                              const f2l_task *task, f2l_error *err)
{
    f2l_sought *const network[] = {&c->best, &c->other[0], &c->other[1]};
    f2l_error why = {0};
    f2l_status status = F2L_EDOMAIN;
    f2l_exported_init(&out->files);
    for (size_t i = 0; i < 3 && (status == F2L_EDOMAIN || status == F2L_UNKNOWN); i++) {
        f2l_sought *mine = network[i];
        if (!mine->found || (i > 0 && mine != c->one)) continue;
        if (!mine->unheld[0]) status = plan_model(out, mine, fsa, share, task, &why);
        if (status == F2L_UNKNOWN && !mine->unheld[0])
            snprintf(mine->unheld, sizeof mine->unheld, "UNKNOWN: %.200s (--effort)", why.text);
        if (status == F2L_OK) out->held = mine;
        snprintf(out->reason, sizeof out->reason, "%.319s",
                 mine->unheld[0] ? mine->unheld : why.text);
    }
    if (status == F2L_OK || status == F2L_EDOMAIN || status == F2L_UNKNOWN) return F2L_OK;
    if (err) *err = why;
    return status;
}

f2l_status f2l_choose_hold(f2l_choose *out, const f2l_fsa *fsa, uint64_t share,
                           const f2l_task *task, f2l_error *err)
{
    f2l_status status = F2L_OK;
    for (size_t i = 0; status == F2L_OK && f2l_export_targets[i]; i++) {
        if (!f2l_export_targets[i]->library || out->holders == F2L_HOLDERS) continue;
        f2l_holder *holder = &out->holder[out->holders++];
        *holder = (f2l_holder){.target = f2l_export_targets[i]};
        status = fill_holder(holder, out, fsa, share, task, err);
    }
    return status;
}
