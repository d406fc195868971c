/* `reproduce --dry-run`: what each cell would train, with the memory and the time that it needs. */
#include "cli/reproduce/reproduce_job.h"
#include "reports/training/train_report.h"
#include "reports/training/train_report_parts.h"

static int put_plan(f2l_reproduce_job *j, size_t cell, f2l_buf *text, f2l_fact list)
{
    f2l_error err;
    const f2l_preset_model *model = f2l_reproduce_model(j, cell);
    f2l_preset_run run;
    f2l_seq shape = {.parameters = 0};
    f2l_experiment_need need = {0};
    f2l_preset_run_init(&run);
    f2l_status status = f2l_reproduce_build(&run, j, cell, &err);
    if (status == F2L_OK)
        status = f2l_experiment_needs(&need, &run.experiment, j->request.backend, &err);
    if (status == F2L_OK) status = f2l_seq_init(&shape, &run.experiment.model, &err);
    if (status == F2L_OK) {
        const f2l_experiment *e = &run.experiment;
        f2l_buf_printf(text, "%s: %s\n  ", model->name, model->text);
        f2l_train_experiment_text(text, e);
        f2l_buf_printf(text, "\n  %zu parameters, ", shape.parameters);
        f2l_train_bytes_text(text, need.host);
        f2l_buf_text(text, " of memory, ");
        if (need.device > 0) {
            f2l_train_bytes_text(text, need.device);
            f2l_buf_text(text, " on the device, ");
        }
        f2l_buf_printf(text, "%llu of %llu steps of %zu sequences, rate %g, ",
                       (unsigned long long)e->train.steps, (unsigned long long)run.full_steps,
                       e->batch, e->train.rate);
        const double seconds = f2l_experiment_seconds(e, j->request.backend);
        f2l_experiment_seconds_text(text, seconds);
        f2l_buf_text(text, " a seed\n");
        f2l_fact one = f2l_say_object(list, NULL);
        f2l_say_text(one, "model", model->name);
        f2l_say_number(one, "rate", e->train.rate);
        f2l_say_count(one, "parameters", shape.parameters);
        f2l_say_count(one, "bytes", need.host);
        f2l_say_known(one, "device_bytes", need.device > 0, need.device);
        f2l_say_count(one, "steps", e->train.steps);
        f2l_say_count(one, "full_steps", run.full_steps);
        f2l_say_number(one, "expected_seconds", seconds);
        f2l_say_config(one, e);
    }
    f2l_seq_clear(&shape);
    f2l_preset_run_clear(&run);
    return status == F2L_OK ? 0 : f2l_cli_fail(j->cli, NULL, &err);
}

/* Appends a line on the runs; a single run needs none. */
static void put_runs(f2l_buf *text, const f2l_reproduce_job *j)
{
    const f2l_reproduce_request *r = &j->request;
    const size_t runs = f2l_reproduce_cells(j) * r->seeds;
    if (r->rates > 1 || r->seeds > 1)
        f2l_buf_printf(text, "%zu runs: %zu model%s, %zu rate%s, %zu seed%s\n", runs, r->models,
                       r->models == 1 ? "" : "s", r->rates, r->rates == 1 ? "" : "s", r->seeds,
                       r->seeds == 1 ? "" : "s");
}

int f2l_reproduce_job_plan(f2l_reproduce_job *j)
{
    const f2l_reproduce_request *r = &j->request;
    const char *remark = f2l_preset_remark(r->preset, r->setting),
               *setting = f2l_preset_setting_name(r->setting);
    f2l_buf text;
    f2l_facts facts;
    int code = 0;
    f2l_buf_init(&text);
    f2l_facts_init(&facts);
    const f2l_fact root = f2l_facts_root(&facts);
    f2l_say_report(root, "reproduce-plan");
    f2l_say_text(root, "preset", r->preset->name);
    f2l_say_text(root, "setting", setting);
    f2l_say_text(root, "remark", remark);
    f2l_say_number(root, "scale", r->scale);
    const f2l_fact list = f2l_say_list(root, "plans");
    f2l_buf_printf(&text, "%s, %s setting: %s (%s)\n", r->preset->name, setting, r->preset->text,
                   r->preset->source);
    for (size_t i = 0; i < f2l_reproduce_cells(j) && !code; i++) code = put_plan(j, i, &text, list);
    put_runs(&text, j);
    if (remark[0]) f2l_buf_printf(&text, "Remark: %s\n", remark);
    if (!code && j->cli->global.json)
        code = f2l_cli_print_facts(j->cli, &facts);
    else if (!code)
        code = f2l_cli_print(j->cli, &text);
    f2l_buf_clear(&text);
    f2l_facts_clear(&facts);
    return code;
}
