/* The facts of training runs, plans and evaluations. */
#include "numeric/base/mem.h"
#include "numeric/base/path.h"
#include "numeric/facts/layout.h"
#include "reports/compile/report_parts.h"
#include "reports/training/failing_report.h"
#include "reports/training/impl.h"
#include "reports/training/train_report_parts.h"
#include <math.h>

/* Puts a value that a writer of the library wrote as JSON. */
static void say_written(f2l_fact in, const char *name, f2l_buf *text, f2l_status status,
                        f2l_error *err)
{
    if (status == F2L_OK) status = f2l_buf_status(text, err);
    if (status == F2L_OK)
        f2l_say_json(in, name, json_loadb(text->data, text->size, 0, NULL));
    else
        f2l_facts_fail(in, err);
    f2l_buf_clear(text);
}

void f2l_say_config(f2l_fact in, const f2l_experiment *experiment)
{
    f2l_buf text;
    f2l_error err;
    f2l_buf_init(&text);
    say_written(in, "config", &text, f2l_experiment_write(&text, experiment, &err), &err);
}

static void say_model_text(f2l_fact in, const f2l_seq_config *config)
{
    f2l_buf text;
    f2l_buf_init(&text);
    f2l_train_model_text(&text, config);
    f2l_say_buf(in, "model_text", &text);
}

void f2l_say_model(f2l_fact in, const f2l_seq *model)
{
    f2l_buf text;
    f2l_error err;
    f2l_buf_init(&text);
    say_written(in, "model_config", &text, f2l_seq_config_write(&text, &model->config, &err), &err);
    say_model_text(in, &model->config);
    f2l_say_count(in, "parameters", model->parameters);
}

/* Puts a list of words, and what of it is tested. */
static void say_words(f2l_fact in, const f2l_data *data)
{
    f2l_error err;
    size_t common = 0;
    const f2l_data_options *o = &data->options;
    if (o->words == NULL) {
        f2l_say_null(in, "word_list");
        return;
    }
    f2l_fact list = f2l_say_object(in, "word_list");
    if (o->test && f2l_word_list_common(&common, o->test, o->words, &err) != F2L_OK)
        f2l_facts_fail(in, &err);
    f2l_say_text(list, "sha256", o->words->sha256);
    f2l_say_count(list, "words", o->words->count);
    f2l_say_count(list, "left_out", o->words->left_out);
    f2l_say_number(list, "held_out", o->held_out);
    f2l_say_text(list, "test_sha256", o->test ? o->test->sha256 : NULL);
    f2l_say_known(list, "test_words", o->test != NULL, o->test ? o->test->count : 0);
    f2l_say_count(list, "common_words", common);
}

static void put_words(f2l_buf *out, f2l_fact data, const f2l_data_options *o)
{
    const f2l_fact list = f2l_get(data, "word_list");
    f2l_layout(out, list, "; {words word} of ");
    f2l_buf_printf(out, "%zu to %zu letters, SHA-256 %.12s", o->words->shortest, o->words->longest,
                   o->words->sha256);
    if (o->words->left_out)
        f2l_layout(out, list, ", {left_out} without letters or labels left out");
    if (o->test == NULL && o->held_out > 0)
        f2l_layout(out, list, "; {held_out} of them tested only");
    if (o->test == NULL) return;
    f2l_layout(out, list, "; {test_words test word} of ");
    f2l_buf_printf(out, "%zu to %zu letters, SHA-256 %.12s", o->test->shortest, o->test->longest,
                   o->test->sha256);
    if (f2l_get_count(list, "common_words") > 0)
        f2l_layout(out, list, ", of which {common_words} are trained on");
}

void f2l_say_data(f2l_fact in, const f2l_data *data)
{
    size_t undrawn = 0;
    f2l_buf text;
    if (!data) {
        f2l_say_null(in, "data_text");
        f2l_say_null(in, "word_list");
        return;
    }
    say_words(in, data);
    f2l_buf_init(&text);
    if (data->fsa) f2l_buf_printf(&text, "%zu states, ", data->fsa->states.count);
    f2l_layout_count(&text, data->letters.count, "letter");
    f2l_buf_text(&text, ", ");
    f2l_layout_count(&text, data->labels.count, "label");
    for (size_t a = 0; data->fsa && a < data->fsa->letters.count; a++)
        undrawn += !f2l_data_draws(data, a);
    if (undrawn) f2l_buf_printf(&text, "; %zu of the letters never come", undrawn);
    if (data->options.tokens > 1)
        f2l_buf_printf(&text, "; %zu letters a transition", data->options.tokens);
    if (data->options.words) put_words(&text, in, &data->options);
    if (data->options.kind == F2L_DATA_RECALL)
        f2l_buf_printf(&text, "; %zu pairs; the answer counts where a key comes again",
                       data->options.pairs);
    if (data->options.when == F2L_DATA_LAST) f2l_buf_text(&text, "; the last answer counts");
    f2l_say_buf(in, "data_text", &text);
}

/* Puts the constructed network. The exact verdict is about all words; a format's verdict is about
 * all words under its schedule. */
static void say_constructed(f2l_fact in, const f2l_train_report *r)
{
    const f2l_compile_result *c = r->constructed;
    const bool there = c && c->theorem;
    f2l_compile_figures size;
    f2l_fact one = f2l_say_object(in, "constructed");
    f2l_say_text(one, "theorem", there ? c->theorem : NULL);
    f2l_say_text(one, "reason", there ? NULL : r->why_none);
    if (!there) return;
    f2l_compile_measure(&size, c);
    f2l_say_text(one, "variant", c->variant ? c->variant : "");
    f2l_say_count(one, "layers", size.layers);
    f2l_say_count(one, "householders", size.householders);
    f2l_say_count(one, "key_dim", size.key_dim);
    f2l_say_compiled_exact(one, c, NULL);
    f2l_say_compiled_formats(one, c, NULL);
}

/* The counts are exact; accuracies are rounded where they are printed. */
void f2l_say_scores(f2l_fact in, const char *name, const f2l_train_score *score, size_t n)
{
    f2l_fact list = f2l_say_list(in, name);
    for (size_t i = 0; i < n; i++) {
        const f2l_train_score *s = &score[i];
        f2l_fact one = f2l_say_object(list, NULL);
        f2l_say_count(one, "length", s->length);
        f2l_say_count(one, "sequences", s->sequences);
        f2l_say_count(one, "right_sequences", s->right_ones);
        f2l_say_count(one, "answers", s->supervised);
        f2l_say_count(one, "right_answers", s->right);
        f2l_say_number(one, "sequence_accuracy", f2l_train_sequence_accuracy(s));
        f2l_say_number(one, "accuracy", f2l_train_accuracy(s));
        f2l_say_number(one, "scaled_accuracy", f2l_train_scaled_accuracy(s));
        f2l_say_number(one, "constant_accuracy", f2l_train_constant_accuracy(s));
        f2l_say_number(one, "scaled_constant", f2l_train_scaled_constant(s));
        f2l_say_number(one, "sink_free_accuracy", f2l_train_live_accuracy(s));
        f2l_say_number(one, "periodic_accuracy", f2l_train_periodic_accuracy(s));
        f2l_say_number(one, "least_accuracy", f2l_train_least_accuracy(s));
    }
}

static void say_runs(f2l_fact in, const f2l_train_report *r)
{
    f2l_fact list = f2l_say_list(in, "runs");
    for (size_t k = 0; k < r->runs; k++) {
        const f2l_train_result *x = &r->run[k].result;
        const f2l_error *why = &r->run[k].why;
        f2l_fact one = f2l_say_object(list, NULL);
        f2l_say_count(one, "seed", r->run[k].seed);
        f2l_say_text(one, "end", f2l_train_end_name(x->end));
        f2l_say_text(one, "reason", why->status == F2L_OK ? NULL : why->text);
        f2l_say_count(one, "steps", x->step);
        f2l_say_count(one, "letters", x->tokens);
        f2l_say_number(one, "loss", x->loss);
        f2l_say_scores(one, "scores", x->score, x->scores);
        f2l_say_headline(one, x->score, x->scores);
    }
}

/* Returns whether the run reached its end and was evaluated there: only such runs count. */
static bool has_ended(const f2l_train_report *r, size_t run)
{
    const f2l_experiment_seed *x = &r->run[run];
    return x->why.status == F2L_OK && x->result.end != F2L_TRAIN_GOES_ON &&
           x->result.scores == r->experiment->train.lengths;
}

void f2l_say_spread(f2l_fact in, const char *name, const f2l_train_spread *s)
{
    if (!s->count) {
        f2l_say_null(in, name);
        return;
    }
    f2l_fact one = f2l_say_object(in, name);
    f2l_members_say(one, &f2l_train_spread_members, s);
    f2l_say_count(one, "count", s->count);
}

/* Puts the spread of a measure at the i-th evaluation length over the runs that ended; null when
 * no run ended. */
static void say_measure(f2l_fact in, const char *name, const f2l_train_report *r, size_t i,
                        double measure(const f2l_train_score *))
{
    size_t count = 0;
    f2l_error err;
    f2l_train_spread spread = {0};
    f2l_status status = F2L_OK;
    double *value = f2l_calloc(r->runs, sizeof *value);
    if (!value) status = f2l_fail_memory(&err);
    for (size_t k = 0; value && k < r->runs; k++) {
        if (!has_ended(r, k)) continue;
        value[count] = measure(&r->run[k].result.score[i]);
        count += !isnan(value[count]); /* words of this kind were tested */
    }
    if (count > 0) status = f2l_train_spread_of(&spread, value, count, &err);
    if (status != F2L_OK) f2l_facts_fail(in, &err);
    f2l_say_spread(in, name, &spread);
    f2l_free(value);
}

static void say_spreads(f2l_fact in, const f2l_train_report *r)
{
    const f2l_compile_result *c = r->constructed;
    const bool proved = c && c->theorem && c->exact.verdict == F2L_OK;
    f2l_fact list = f2l_say_list(in, "spreads");
    for (size_t i = 0; i < r->experiment->train.lengths; i++) {
        f2l_fact one = f2l_say_object(list, NULL);
        f2l_say_count(one, "length", r->experiment->train.length[i]);
        f2l_say_known(one, "constructed_accuracy", proved, 1);
        say_measure(one, "sequence_accuracies", r, i, f2l_train_sequence_accuracy);
        say_measure(one, "accuracies", r, i, f2l_train_accuracy);
        say_measure(one, "scaled_accuracies", r, i, f2l_train_scaled_accuracy);
        say_measure(one, "sink_free_accuracies", r, i, f2l_train_live_accuracy);
        say_measure(one, "periodic_accuracies", r, i, f2l_train_periodic_accuracy);
        say_measure(one, "least_accuracies", r, i, f2l_train_least_accuracy);
    }
}

void f2l_train_say_head(f2l_fact out, const f2l_train_report *r)
{
    f2l_say_text(out, "source", r->source);
    f2l_say_text(out, "backend", r->backend);
    f2l_say_count(out, "parameters", r->parameters);
    f2l_say_config(out, r->experiment);
    say_model_text(out, &r->experiment->model);
    f2l_say_data(out, r->data);
    say_constructed(out, r);
}

void f2l_train_describe(f2l_fact out, const void *report)
{
    const f2l_train_report *r = report;
    size_t ended = 0;
    for (size_t k = 0; k < r->runs; k++) ended += has_ended(r, k);
    f2l_train_say_head(out, r);
    f2l_say_text(out, "folder", r->folder);
    f2l_say_truth(out, "fla", r->fla);
    f2l_say_count(out, "sequences", r->experiment->train.sequences);
    say_runs(out, r);
    f2l_say_count(out, "runs_ended", ended);
    say_spreads(out, r);
    f2l_fact seconds = f2l_say_list(f2l_say_object(out, "timing"), "runs_seconds");
    for (size_t k = 0; k < r->runs; k++) f2l_say_number(seconds, NULL, r->run[k].result.seconds);
}

void f2l_evaluate_describe(f2l_fact out, const void *report)
{
    const f2l_evaluate_report *r = report;
    f2l_say_text(out, "weights_file", f2l_path_base(r->weights));
    f2l_say_text(out, "source", r->source);
    f2l_say_model(out, r->model);
    f2l_say_data(out, r->data);
    f2l_say_count(out, "sequences", r->sequences);
    f2l_say_scores(out, "scores", r->score, r->scores);
    f2l_say_headline(out, r->score, r->scores);
    f2l_say_known(out, "first_wrong", r->first_wrong > 0, r->first_wrong);
    f2l_say_failing(out, r->failing, r->data, r->sequences);
    f2l_say_settle(out, r->settle);
    f2l_say_number(f2l_say_object(out, "timing"), "total_seconds", r->seconds);
}
