/* What the verifiers of all forms share. */
#include "theory/certify/forms/impl.h"
#include <stdio.h>

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
