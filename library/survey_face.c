/* What can be said about automata without a network: a word on which two differ, which classes of
 * models can track one, and which layer to take. */
#include "automata/algebra/algebra.h"
#include "library/impl.h"
#include "numeric/base/mem.h"
#include "reports/automata/classify_report.h"
#include "reports/choose/choose_report.h"
#include "theory/obstruct/survey/survey.h"
#include <stdio.h>
#include <string.h>

/* --- two automata --- */

static f2l_status take_difference(fsa2lrnn_verdict *out, const f2l_difference *d, f2l_error *err)
{
    out->verdict = d->found ? FSA2LRNN_REFUTED : FSA2LRNN_OK;
    if (!d->found) return F2L_OK;
    out->word = f2l_calloc(d->letters ? d->letters : 1, sizeof *out->word);
    if (!out->word) return f2l_fail_memory(err);
    out->length = d->letters;
    for (size_t i = 0; i < d->letters; i++) out->word[i] = d->word[i];
    snprintf(out->text, sizeof out->text, "%.240s and %.240s", d->label[0], d->label[1]);
    return F2L_OK;
}

fsa2lrnn_status fsa2lrnn_equivalent(fsa2lrnn_verdict *out, const fsa2lrnn_automaton *a,
                                    const fsa2lrnn_automaton *b, const char *label,
                                    const fsa2lrnn_task *task, fsa2lrnn_error *err)
{
    f2l_error inner;
    library_task t;
    f2l_label kind;
    f2l_difference difference;
    if (!out || !a || !b) return library_invalid(err, "an argument is NULL");
    memset(out, 0, sizeof *out);
    out->verdict = FSA2LRNN_UNKNOWN;
    if (!label)
        kind = f2l_fsa_usual_label(&a->fsa);
    else if (!library_label(&kind, label))
        return library_invalid(err, "label '%.100s' is not a kind of labels", label);
    library_task_begin(&t, task);
    f2l_difference_init(&difference);
    f2l_status status = f2l_algebra_compare(&difference, &a->fsa, &b->fsa, kind, &t.task, &inner);
    if (status == F2L_OK) status = take_difference(out, &difference, &inner);
    f2l_difference_clear(&difference);
    library_task_end(&t);
    if (status == F2L_UNKNOWN) {
        snprintf(out->text, sizeof out->text, "%s", inner.text);
        status = F2L_OK;
    }
    return library_error(err, status, &inner);
}

/* --- classes of models --- */

static f2l_status report_survey(f2l_buf *out, const f2l_survey *survey, const fsa2lrnn_automaton *a,
                                f2l_label label, const f2l_task *task, f2l_error *err)
{
    const f2l_layers_facts layers = f2l_classify_layers(survey, &a->fsa);
    const bool open = f2l_classify_open(&survey->classify);
    const f2l_classify_report r = {.grammar = a->name.data,
                                   .classify = &survey->classify,
                                   .states = a->fsa.states.count,
                                   .label = label,
                                   .layers = &layers,
                                   .engines = survey->engines,
                                   .finer = &survey->finer,
                                   .one_layer = &survey->one_layer,
                                   .ended = open ? f2l_stop_name(f2l_task_stop(task)) : NULL};
    const f2l_status status = f2l_report_as_json(out, &f2l_classify_report_kind, &r, err);
    return status == F2L_OK ? f2l_buf_status(out, err) : status;
}

static f2l_status classify_automaton(f2l_buf *out, const fsa2lrnn_automaton *a, f2l_label label,
                                     library_task *t, f2l_error *err)
{
    const f2l_classify_options options = {.label = label};
    f2l_survey survey;
    if (t->effort.limit == 0) t->effort.limit = F2L_STEPS * F2L_USUAL_EFFORT;
    t->task.effort = &t->effort;
    f2l_survey_init(&survey);
    f2l_status status = f2l_survey_find(&survey, &a->fsa, &options, &t->task, err);
    const f2l_compile_options list = {.label = label,
                                      .schedule = &f2l_schedules[0],
                                      .merge_letters = true,
                                      .effort = t->effort.limit};
    if (status == F2L_OK) status = f2l_survey_compile(&survey, &a->fsa, &list, &t->task, err);
    if (status == F2L_OK) status = report_survey(out, &survey, a, label, &t->task, err);
    f2l_survey_clear(&survey);
    return status;
}

/* Appends the answer about the automaton as JSON. */
typedef f2l_status answer_about(f2l_buf *out, const fsa2lrnn_automaton *a, f2l_label label,
                                library_task *t, f2l_error *err);

/* Sets *json to the answer of the function. */
static fsa2lrnn_status answer_as_json(char **json, const fsa2lrnn_automaton *automaton,
                                      const char *label, answer_about *answer,
                                      const fsa2lrnn_task *task, fsa2lrnn_error *err)
{
    f2l_error inner;
    library_task t;
    f2l_buf text;
    f2l_label kind = F2L_LABEL_STATES;
    if (!json || !automaton) return library_invalid(err, "an argument is NULL");
    if (label && !library_label(&kind, label))
        return library_invalid(err, "label '%.100s' is not a kind of labels", label);
    f2l_buf_init(&text);
    library_task_begin(&t, task);
    const f2l_status status = answer(&text, automaton, kind, &t, &inner);
    library_task_end(&t);
    if (status == F2L_OK)
        *json = text.data;
    else
        f2l_buf_clear(&text);
    return library_error(err, status, &inner);
}

fsa2lrnn_status fsa2lrnn_classify(char **json, const fsa2lrnn_automaton *automaton,
                                  const char *label, const fsa2lrnn_task *task, fsa2lrnn_error *err)
{
    return answer_as_json(json, automaton, label, classify_automaton, task, err);
}

/* --- one recommendation --- */

static f2l_status choose_layer(f2l_buf *out, const fsa2lrnn_automaton *a, f2l_label label,
                               library_task *t, f2l_error *err)
{
    f2l_choose choose;
    f2l_choose_init(&choose);
    t->task.effort = &t->effort;
    f2l_status status = f2l_choose_find(&choose, &a->fsa, label, &t->task, err);
    const f2l_choose_report r = {
        .grammar = a->name.data, .fsa = &a->fsa, .label = label, .choose = &choose};
    if (status == F2L_OK) status = f2l_report_as_json(out, &f2l_choose_report_kind, &r, err);
    if (status == F2L_OK) status = f2l_buf_status(out, err);
    f2l_choose_clear(&choose);
    return status;
}

fsa2lrnn_status fsa2lrnn_choose(char **json, const fsa2lrnn_automaton *automaton, const char *label,
                                const fsa2lrnn_task *task, fsa2lrnn_error *err)
{
    return answer_as_json(json, automaton, label, choose_layer, task, err);
}
