#include "numeric/base/task.h"
#include <criterion/criterion.h>
#include <stdint.h>
#include <string.h>

static void count(void *context, const char *phase, double done, double total)
{
    cr_assert_str_eq(phase, "closure");
    cr_assert_eq(done, 3);
    cr_assert_eq(total, 9);
    ++*(int *)context;
}

Test(task, no_task_means_no_limit)
{
    const f2l_task unlimited = {0};
    f2l_error err;
    cr_assert_eq(f2l_task_poll(NULL, "closure", 3, 9, &err), F2L_OK);
    cr_assert_eq(f2l_task_poll(&unlimited, "closure", 3, 9, &err), F2L_OK);
    cr_assert_eq(f2l_task_memory(NULL, "closure", SIZE_MAX, &err), F2L_OK);
    cr_assert_eq(f2l_task_memory(&unlimited, "closure", SIZE_MAX, &err), F2L_OK);
}

Test(task, the_clock_does_not_go_back)
{
    double before = f2l_now();
    for (int i = 0; i < 1000; i++) {
        double now = f2l_now();
        cr_assert_geq(now, before);
        before = now;
    }
}

Test(task, cancelling_stops_and_says_how_far_it_came)
{
    volatile sig_atomic_t flag = 0;
    int polls = 0;
    const f2l_task task = {.cancel = &flag, .progress = count, .context = &polls};
    f2l_error err;
    cr_assert_eq(f2l_task_poll(&task, "closure", 3, 9, &err), F2L_OK);
    flag = SIGINT;
    cr_assert_eq(f2l_task_poll(&task, "closure", 3, 9, &err), F2L_UNKNOWN);
    cr_assert_eq(err.status, F2L_UNKNOWN);
    cr_assert_not_null(strstr(err.text, "interrupted"));
    cr_assert_not_null(strstr(err.text, "closure"));
    cr_assert_not_null(strstr(err.text, "3 of 9"));
    cr_assert_eq(polls, 1);
}

Test(task, a_deadline_stops)
{
    const f2l_task past = {.deadline = f2l_now() - 1}, future = {.deadline = f2l_now() + 1000};
    f2l_error err;
    cr_assert_eq(f2l_task_poll(&past, "closure", 12, 0, &err), F2L_UNKNOWN);
    cr_assert_not_null(strstr(err.text, "time limit reached"));
    cr_assert_not_null(strstr(err.text, "12"));
    cr_assert_null(strstr(err.text, " of "));
    cr_assert_eq(f2l_task_poll(&future, "closure", 12, 0, &err), F2L_OK);
}

Test(task, memory_is_limited)
{
    const f2l_task task = {.memory = 1 << 20};
    f2l_error err;
    cr_assert_eq(f2l_task_memory(&task, "closure", 1 << 20, &err), F2L_OK);
    cr_assert_eq(f2l_task_memory(&task, "closure", (1 << 20) + 1, &err), F2L_UNKNOWN);
    cr_assert_not_null(strstr(err.text, "memory limit reached"));
    cr_assert_not_null(strstr(err.text, "closure"));
}
