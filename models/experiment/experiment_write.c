/* config.json of a run. */
#include "models/experiment/impl.h"
#include "models/train/train_json.h"

static const char *yes_or_no(bool flag)
{
    return flag ? "true" : "false";
}

static void write_weights(f2l_buf *out, const f2l_experiment *e)
{
    if (e->data.weight == NULL) {
        f2l_buf_text(out, "null");
        return;
    }
    for (size_t a = 0; a < e->fsa->letters.count; a++) {
        f2l_buf_text(out, a ? "," : "[");
        f2l_train_json_number(out, e->data.weight[a]);
    }
    f2l_buf_text(out, "]");
}

static f2l_status write_data(f2l_buf *out, const f2l_experiment *e, f2l_error *err)
{
    static const char *const kind[] = {"automaton", "arithmetic", "brackets"};
    const f2l_data_options *d = &e->data;
    f2l_buf_printf(out, "{\"kind\":\"%s\",\"when\":\"%s\"%s", kind[d->kind],
                   d->when == F2L_DATA_LAST ? "last" : "every", d->begin ? ",\"begin\":true" : "");
    if (d->kind == F2L_DATA_AUTOMATON) {
        char hash[65];
        const f2l_status status = f2l_fsa_sha256(e->fsa, hash, err);
        if (status != F2L_OK) return status;
        f2l_buf_printf(out,
                       ",\"automaton\":\"%s\",\"states\":%zu,\"label\":\"%s\","
                       "\"weights\":",
                       hash, e->fsa->states.count, f2l_label_name(d->label));
        write_weights(out, e);
        f2l_buf_printf(out, ",\"tokens\":%zu}", d->tokens);
    } else {
        f2l_buf_printf(out, ",\"modulus\":%zu,\"times\":%s,\"equals\":%s}", d->modulus,
                       yes_or_no(d->times), yes_or_no(d->equals));
    }
    return F2L_OK;
}

f2l_status f2l_experiment_plan_write(f2l_buf *out, const f2l_experiment_plan *plan, f2l_error *err)
{
    const f2l_experiment *e = &plan->experiment;
    const f2l_data_curriculum *c = &e->curriculum;
    f2l_buf_text(out, "{\"schema\":1,\n\"data\":");
    f2l_status status = write_data(out, e, err);
    if (status != F2L_OK) return status;
    f2l_buf_text(out, ",\n\"model\":");
    status = f2l_seq_config_write(out, &e->model, err);
    if (status != F2L_OK) return status;
    f2l_buf_text(out, ",\n\"train\":");
    f2l_train_options_json(out, &e->train);
    f2l_buf_printf(out,
                   ",\n"
                   "\"curriculum\":{\"start\":%zu,\"limit\":%zu,"
                   "\"threshold\":",
                   c->start, c->limit);
    f2l_train_json_number(out, c->threshold);
    f2l_buf_printf(out, ",\"patience\":%zu,\"shorter_too\":%s},\n", c->patience,
                   yes_or_no(c->shorter_too));
    f2l_buf_printf(out, "\"batch\":%zu,\"positions\":%zu,\"seed\":%lu}\n", e->batch, e->positions,
                   (unsigned long)e->seed);
    return f2l_buf_status(out, err);
}

f2l_status f2l_experiment_write(f2l_buf *out, const f2l_experiment *experiment, f2l_error *err)
{
    f2l_experiment_plan plan;
    f2l_experiment_plan_init(&plan);
    f2l_status status = f2l_experiment_plan_build(&plan, experiment, err);
    if (status == F2L_OK) status = f2l_experiment_plan_write(out, &plan, err);
    f2l_experiment_plan_clear(&plan);
    return status;
}
