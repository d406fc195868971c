#include "theory/certify/unrounded/export_proof.h"
#include "theory/certify/unrounded/unrounded.h"
#include <stdio.h>
#include <string.h>

/* Returns whether every read-out by four halves, of up to four numbers of a column, is exact, too:
 * EB.5. */
static bool halves_fit(const f2l_unrounded *u)
{
    bool fit = true;
    mpq_t scaled;
    mpq_init(scaled);
    for (size_t i = 0; i < u->bounds; i++) {
        const f2l_unrounded_bound *bound = &u->bound[i];
        if (strcmp(bound->what, "output-sums") != 0) continue;
        const int places = bound->places + 2;
        if (places >= 0)
            mpq_mul_2exp(scaled, bound->most, (mp_bitcnt_t)places);
        else
            mpq_div_2exp(scaled, bound->most, (mp_bitcnt_t)-places);
        fit = fit && mpq_cmp_ui(scaled, 1u << 24, 1) <= 0;
    }
    mpq_clear(scaled);
    return fit;
}

static f2l_status prove_in_schedule(f2l_export_proof *out, const f2l_net *model,
                                    const f2l_format *format, const f2l_schedule *schedule,
                                    const f2l_task *task, f2l_error *err)
{
    f2l_unrounded unrounded;
    f2l_unrounded_init(&unrounded);
    f2l_status status = f2l_unrounded_find(&unrounded, model, format, schedule, task, err);
    if (unrounded.verdict == F2L_OK && !halves_fit(&unrounded)) {
        unrounded.verdict = F2L_UNKNOWN;
        snprintf(unrounded.reason, sizeof unrounded.reason,
                 "sums of halves of a state's numbers may round in fp32");
    }
    out->verdict = unrounded.verdict;
    snprintf(out->reason, sizeof out->reason, "%s", unrounded.reason);
    f2l_unrounded_clear(&unrounded);
    return status;
}

f2l_status f2l_export_prove(f2l_export_proof *out, const f2l_net *model, const f2l_format *format,
                            const char *const *schedules, const f2l_task *task, f2l_error *err)
{
    f2l_schedule order;
    char name[F2L_SCHEDULE_NAME];
    f2l_status status = f2l_schedule_parse(&order, name, schedules[0], err);
    if (status != F2L_OK) return status;
    if (!schedules[1] || f2l_unrounded_treats(model, &order))
        return prove_in_schedule(out, model, format, &order, task, err);
    out->verdict = F2L_OK;
    for (size_t i = 1; status == F2L_OK && schedules[i] && out->verdict == F2L_OK; i++) {
        status = f2l_schedule_parse(&order, name, schedules[i], err);
        if (status == F2L_OK) status = prove_in_schedule(out, model, format, &order, task, err);
    }
    return status;
}
