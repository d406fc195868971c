#include "cuda/device/group_wait.h"
#include <stdbool.h>

/* A step mostly takes milliseconds: it is asked for without rest at first. */
static const double busy_seconds = 0.02, rest_seconds = 0.001;

/* Returns F2L_OK and whether all devices are done, or why they never will be. */
static f2l_status look_at_devices(bool *done, const f2l_group_watch *w, void *context,
                                  size_t devices, f2l_error *err)
{
    bool failed = false;
    size_t first = 0; /* that failed */
    *done = true;
    for (size_t d = 0; d < devices; d++) {
        const int ready = w->ready(context, d);
        if (ready < 0 && !failed) first = d;
        failed = failed || ready < 0;
        *done = *done && ready > 0;
    }
    /* Afterwards, so that no fault of finished work is missed; it says more than a failure. */
    for (size_t d = 0; d < devices; d++) {
        const int fault = w->fault(context, d);
        if (fault != 0)
            return f2l_fail(err, F2L_UNKNOWN,
                            "the exchange of device %zu with the others failed: %s", d,
                            w->text(context, fault));
    }
    if (failed) return f2l_fail(err, F2L_UNKNOWN, "the work of device %zu failed", first);
    return F2L_OK;
}

f2l_status f2l_group_wait(const f2l_group_watch *watch, void *context, size_t devices, double limit,
                          f2l_error *err)
{
    const double begin = watch->now(context);
    for (;;) {
        bool done;
        f2l_status status = look_at_devices(&done, watch, context, devices, err);
        if (status == F2L_OK && done) return F2L_OK;
        const double waited = watch->now(context) - begin;
        if (status == F2L_OK && !(waited < limit))
            status =
                f2l_fail(err, F2L_UNKNOWN,
                         "the devices have not finished a step in %.0f s (--step-limit)", limit);
        if (status != F2L_OK) {
            for (size_t d = 0; d < devices; d++) watch->abort(context, d);
            return status;
        }
        if (waited > busy_seconds) watch->rest(context, rest_seconds);
    }
}
