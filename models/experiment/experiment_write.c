/* config.json of a run. */
#include "models/experiment/impl.h"
#include "numeric/json/json.h"
#include <stdlib.h>

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
        f2l_json_number(out, e->data.weight[a]);
    }
    f2l_buf_text(out, "]");
}

/* Writes the hashes of the words, not where they are: that is in words.json. */
static f2l_status write_words(f2l_buf *out, const f2l_experiment *e, f2l_error *err)
{
    const f2l_data_options *d = &e->data;
    char hash[65];
    f2l_buf_printf(out, ",\"sha256\":\"%s\",\"words\":%zu,\"test\":", d->words->sha256,
                   d->words->count);
    if (d->test)
        f2l_buf_printf(out, "\"%s\"", d->test->sha256);
    else
        f2l_buf_text(out, "null");
    f2l_buf_text(out, ",\"held_out\":");
    f2l_json_number(out, d->held_out);
    if (e->fsa == NULL) {
        f2l_buf_text(out, ",\"automaton\":null}");
        return F2L_OK;
    }
    const f2l_status status = f2l_fsa_sha256(e->fsa, hash, err);
    if (status != F2L_OK) return status;
    f2l_buf_printf(out, ",\"automaton\":\"%s\",\"states\":%zu,\"label\":\"%s\"}", hash,
                   e->fsa->states.count, f2l_label_name(d->label));
    return F2L_OK;
}

static f2l_status write_data(f2l_buf *out, const f2l_experiment *e, f2l_error *err)
{
    static const char *const kind[] = {"automaton", "arithmetic", "brackets", "words"};
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
    } else if (d->kind == F2L_DATA_WORDS) {
        return write_words(out, e, err);
    } else {
        f2l_buf_printf(out, ",\"modulus\":%zu,\"times\":%s,\"equals\":%s}", d->modulus,
                       yes_or_no(d->times), yes_or_no(d->equals));
    }
    return F2L_OK;
}

f2l_status f2l_experiment_write_words(f2l_buf *out, const f2l_data_options *data, f2l_error *err)
{
    json_t *object = json_pack("{s:i, s:s, s:s?}", "schema", 1, "words", data->words->source,
                               "test", data->test ? data->test->source : NULL);
    char *text = object ? json_dumps(object, JSON_INDENT(1)) : NULL;
    json_decref(object);
    if (text == NULL) return f2l_fail_memory(err);
    f2l_buf_text(out, text);
    f2l_buf_text(out, "\n");
    free(text);
    return f2l_buf_status(out, err);
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
    f2l_json_number(out, c->threshold);
    f2l_buf_printf(out, ",\"patience\":%zu,\"shorter_too\":%s},\n", c->patience,
                   yes_or_no(c->shorter_too));
    f2l_buf_printf(out, "\"batch\":%zu,\"positions\":%zu,\"seed\":%lu", e->batch, e->positions,
                   (unsigned long)e->seed);
    if (e->first) f2l_buf_printf(out, ",\"first_weights\":\"%s\"", e->first->sha256);
    f2l_buf_text(out, "}\n");
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
