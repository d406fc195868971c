#include "numeric/base/mem.h"
#include "tests/support/train/learned_support.h"
#include "theory/beside/horizon/learned_roots.h"
#include <criterion/criterion.h>
#include <string.h>

/* A trained network, read as if its betas were clamped and its keys exact. */
static void open_exact(trained_run *run)
{
    trained_run_open(run, "tests/data/learned-s3");
    run->model.config.clamped_betas = run->model.config.exact_keys = true;
}

static f2l_status find(f2l_roots *out, trained_run *run, double seconds, const f2l_task *task)
{
    const f2l_roots_ask ask = {3, 1000, seconds};
    return f2l_roots_find(out, &run->model, run->parameters, &run->file.fsa, false, &ask, task,
                          &run->err);
}

Test(roots, found_and_written)
{
    trained_run run;
    f2l_roots roots;
    f2l_buf text;
    open_exact(&run);
    f2l_buf_init(&text);
    cr_assert_eq(find(&roots, &run, 60, NULL), F2L_OK, "%s", run.err.text);
    cr_assert(roots.refuted && roots.ended == F2L_STOP_NONE);
    /* the first of six letters, and not all words of at most three */
    cr_assert(roots.length < 3 && !roots.complete);
    cr_assert(roots.order > 1 && roots.cycle % roots.order == 0 && roots.prime > 2);
    const f2l_learned_files files = {"f", "c", "w"};
    cr_assert_eq(f2l_roots_write(&text, &roots, &files, &run.err), F2L_OK);
    cr_assert_not_null(strstr(text.data, "\nscope exact\nclaim roots\nperiod "));
    f2l_buf_clear(&text);
    roots.refuted = false;
    f2l_buf_init(&text);
    cr_assert_eq(f2l_roots_write(&text, &roots, &files, &run.err), F2L_EDOMAIN);
    f2l_buf_clear(&text);
    trained_run_clear(&run);
}

Test(roots, other_networks)
{
    trained_run run;
    f2l_roots roots;
    open_exact(&run);
    run.model.config.clamped_betas = false;
    cr_assert_eq(find(&roots, &run, 60, NULL), F2L_EDOMAIN);
    cr_assert_not_null(strstr(run.err.text, "its betas are not clamped"));
    run.model.config.clamped_betas = true;
    run.model.config.exact_keys = false;
    cr_assert_eq(find(&roots, &run, 60, NULL), F2L_EDOMAIN);
    cr_assert_not_null(strstr(run.err.text, "its keys have an epsilon"));
    trained_run_clear(&run);
}

Test(roots, no_time)
{
    trained_run run;
    f2l_roots roots;
    open_exact(&run);
    cr_assert_eq(find(&roots, &run, 0, NULL), F2L_OK);
    cr_assert(!roots.refuted && !roots.complete && roots.periods == 0);
    trained_run_clear(&run);
}

#ifdef F2L_MEM_FAILURES
Test(roots, memory_failures)
{
    trained_run run;
    f2l_roots roots;
    size_t failed = 0;
    open_exact(&run);
    for (size_t n = 1;; n++) {
        f2l_mem_fail_after(n, true);
        const f2l_status status = find(&roots, &run, 60, NULL);
        f2l_mem_fail_after(0, false);
        if (status == F2L_OK) break;
        failed++;
        cr_assert_eq(status, F2L_ENOMEM, "allocation %zu: %d", n, (int)status);
    }
    cr_assert(failed > 5 && roots.refuted, "%zu", failed);
    trained_run_clear(&run);
}
#endif
