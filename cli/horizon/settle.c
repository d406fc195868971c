/* horizon --settle: words z u^t w whose limit is wrong. */
#include "cli/horizon/horizon_job.h"

/* Prefixes and periods, at most; claims that get a bound; letters of w. */
enum { WORDS = 5000, CLAIMS = 96, SUFFIX = 2 };

f2l_status f2l_horizon_settle(f2l_horizon_job *j, f2l_error *err)
{
    const f2l_settle_ask ask = {.length = (size_t)j->o.words,
                                .words = WORDS,
                                .claims = CLAIMS,
                                .suffix = SUFFIX,
                                .seconds = j->o.seconds,
                                .run = F2L_SETTLE_RUN};
    j->settle.fsa = j->weights.run.experiment.fsa;
    j->settle.why = (f2l_error){0};
    return f2l_run_settle(&j->settle.settle, f2l_weights_file_run(&j->weights), &j->weights.trained,
                          &ask, &j->cli.task, err);
}

static void describe_settle(f2l_fact out, const void *report)
{
    const f2l_horizon_job *j = report;
    f2l_say_settle(out, &j->settle);
}

static void lay_settle(f2l_buf *out, f2l_fact from, const void *report)
{
    const f2l_horizon_job *j = report;
    f2l_lay_settle(out, from, 15);
    if (j->o.out && j->settle.settle.verdict == F2L_SETTLE_FAILS)
        f2l_buf_printf(out, "certificate    %s\n", j->o.out);
}

const f2l_report_kind f2l_horizon_settle_kind = {.name = "settle",
                                                 .describe = describe_settle,
                                                 .lay_beside = lay_settle,
                                                 .style = {.digits = 6}};
