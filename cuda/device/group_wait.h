/* Waiting for several devices without trust in their exchanges: a send that nobody receives would
 * wait for ever. */
#ifndef F2L_GROUP_WAIT_H
#define F2L_GROUP_WAIT_H

#include "numeric/base/status.h"
#include <stddef.h>

#define F2L_GROUP_STEP_LIMIT 600.0 /* seconds, unless the user says otherwise */

/* What is asked of the devices and of their exchange. */
typedef struct f2l_group_watch {
    int (*ready)(void *context, size_t device);   /* 1: its work is done; 0: not yet; -1: failed */
    int (*fault)(void *context, size_t device);   /* of its exchange: a code; 0: none */
    const char *(*text)(void *context, int code); /* of a fault; borrowed */
    void (*abort)(void *context, size_t device);  /* ends its exchange, also one that waits */
    double (*now)(void *context);                 /* seconds */
    void (*rest)(void *context, double seconds);
} f2l_group_watch;

/* Waits until the work of all devices is done. After a failure, a fault or `limit` seconds it
 * aborts the exchanges of all devices and returns F2L_UNKNOWN with the reason: the step is lost,
 * and what was saved before stays. */
f2l_status f2l_group_wait(const f2l_group_watch *watch, void *context, size_t devices, double limit,
                          f2l_error *err);

#endif
