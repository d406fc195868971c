#include "models/export/export.h"
#include "theory/certify/unrounded/unrounded.h"
#include <stdio.h>

f2l_status f2l_export_prove(f2l_export_proof *out, const f2l_model *model, const f2l_format *format,
                            const char *schedule, const f2l_task *task, f2l_error *err)
{
    f2l_schedule order;
    char name[F2L_SCHEDULE_NAME];
    f2l_unrounded unrounded;
    f2l_unrounded_init(&unrounded);
    f2l_status status = f2l_schedule_parse(&order, name, schedule, err);
    if (status == F2L_OK) status = f2l_unrounded_find(&unrounded, model, format, &order, task, err);
    out->verdict = unrounded.verdict;
    snprintf(out->reason, sizeof out->reason, "%s", unrounded.reason);
    f2l_unrounded_clear(&unrounded);
    return status;
}
