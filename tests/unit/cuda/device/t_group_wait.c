/* Waiting for devices, with a table of functions that fails, in place of NCCL and of a clock. */
#include "cuda/device/group_wait.h"
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

enum { DEVICES = 3 };

typedef struct fake {
    double seconds;           /* of the clock, which a look at a device and a rest move */
    double ready_at[DEVICES]; /* INFINITY: never */
    size_t faulty, failed;    /* devices; DEVICES: none */
    double fault_at;
    size_t aborted[DEVICES], looks;
} fake;

static int fake_ready(void *context, size_t device)
{
    fake *f = context;
    f->seconds += 1e-4;
    f->looks++;
    if (device == f->failed && f->seconds >= f->fault_at) return -1;
    return f->seconds >= f->ready_at[device];
}

static int fake_fault(void *context, size_t device)
{
    const fake *f = context;
    return device == f->faulty && f->seconds >= f->fault_at ? 6 : 0;
}

static const char *fake_text(void *context, int code)
{
    (void)context;
    return code == 6 ? "remote process exited or there was a network error" : "?";
}

static void fake_abort(void *context, size_t device)
{
    ((fake *)context)->aborted[device]++;
}

static double fake_now(void *context)
{
    return ((fake *)context)->seconds;
}

static void fake_rest(void *context, double seconds)
{
    ((fake *)context)->seconds += seconds;
}

static const f2l_group_watch watch = {fake_ready, fake_fault, fake_text,
                                      fake_abort, fake_now,   fake_rest};

static fake healthy(void)
{
    return (fake){.ready_at = {0.5, 1, 0.7}, .faulty = DEVICES, .failed = DEVICES};
}

static void cr_all_aborted(const fake *f, size_t times)
{
    for (size_t d = 0; d < DEVICES; d++) cr_assert_eq(f->aborted[d], times);
}

Test(group_wait, waits_for_the_last_device)
{
    f2l_error err = {0};
    fake f = healthy();
    cr_assert_eq(f2l_group_wait(&watch, &f, DEVICES, 10, &err), F2L_OK);
    cr_assert(f.seconds >= 1 && f.seconds < 1.1);
    cr_all_aborted(&f, 0);
}

/* A send that nobody receives: the streams never get ready, and NCCL sees no fault. */
Test(group_wait, gives_up_at_the_limit)
{
    f2l_error err = {0};
    fake f = healthy();
    f.ready_at[1] = INFINITY;
    cr_assert_eq(f2l_group_wait(&watch, &f, DEVICES, 10, &err), F2L_UNKNOWN);
    cr_assert(f.seconds >= 10 && f.seconds < 10.1, "%g", f.seconds);
    cr_assert(f.looks < 40000, "%zu looks: it rests", f.looks);
    cr_assert_not_null(strstr(err.text, "not finished a step in 10 s (--step-limit)"));
    cr_all_aborted(&f, 1);
}

Test(group_wait, gives_up_at_a_fault)
{
    f2l_error err = {0};
    fake f = healthy();
    f.ready_at[0] = INFINITY;
    f.faulty = 2;
    f.fault_at = 0.3;
    cr_assert_eq(f2l_group_wait(&watch, &f, DEVICES, 600, &err), F2L_UNKNOWN);
    cr_assert(f.seconds < 0.4);
    cr_assert_not_null(strstr(err.text, "the exchange of device 2 with the others failed: remote"));
    cr_all_aborted(&f, 1);
    f = healthy();
    f.failed = 1;
    f.fault_at = 0.2;
    cr_assert_eq(f2l_group_wait(&watch, &f, DEVICES, 600, &err), F2L_UNKNOWN);
    cr_assert_not_null(strstr(err.text, "the work of device 1 failed"));
    cr_all_aborted(&f, 1);
}

/* A fault that is seen only when the work seems to be done is one, too. */
Test(group_wait, fault_at_the_end)
{
    f2l_error err = {0};
    fake f = healthy();
    f.faulty = 0;
    f.fault_at = 1;
    cr_assert_eq(f2l_group_wait(&watch, &f, DEVICES, 600, &err), F2L_UNKNOWN);
    cr_all_aborted(&f, 1);
}
