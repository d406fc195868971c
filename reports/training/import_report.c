#include "reports/training/import_report.h"
#include "numeric/base/path.h"
#include "numeric/facts/layout.h"
#include "reports/training/impl.h"
#include "reports/training/train_report_parts.h"

static void say_read_out(f2l_fact out, const f2l_import_report *r)
{
    if (r->no_network) {
        f2l_say_null(out, "read_out");
        return;
    }
    f2l_fact fit = f2l_say_object(out, "read_out");
    f2l_say_count(fit, "codes", r->fit->codes);
    f2l_say_count(fit, "clusters", r->fit->clusters);
    f2l_say_count(fit, "answers", r->fit->answers);
    f2l_say_count(fit, "wrong_answers", r->fit->wrong);
    f2l_say_count(fit, "word_length", F2L_FIT_LENGTH);
    f2l_say_count(fit, "lowered_betas", r->recurrence->lowered);
    f2l_say_count(fit, "dropped_factors", r->recurrence->dropped);
}

static void describe_import(f2l_fact out, const void *report)
{
    const f2l_import_report *r = report;
    f2l_say_text(out, "weights_file", f2l_path_base(r->weights));
    f2l_say_text(out, "model_class", r->class[0] ? r->class : NULL);
    f2l_say_model(out, r->model);
    f2l_say_count(out, "vocabulary", r->vocabulary);
    f2l_say_count(out, "letters", r->model->config.letters);
    f2l_say_text(out, "source", r->source);
    if (r->fsa) f2l_say_count(out, "states", r->fsa->states.count);
    f2l_say_text(out, "no_network", r->no_network);
    say_read_out(out, r);
    f2l_say_text(out, "out", r->out);
}

static void lay_import(f2l_buf *out, f2l_fact from)
{
    f2l_layout(
        out, from,
        "model        {weights_file}: {model_class?{model_class}; |}{model_text}; "
        "{parameters} parameters\n"
        "letters      {letters}, of a vocabulary of {vocabulary}\n"
        "automaton    {source?{source}: {states state}|none: --grammar names one}\n"
        "network      {no_network?none: {no_network}|{read_out.codes code} that are means "
        "of reached states: not the trained read-out}\n"
        "{no_network?|             the nearest code is wrong for {read_out.wrong_answers} of "
        "{read_out.answers answer} on words of {read_out.word_length letter}\n}"
        "{out?written      {out}\n|}");
}

const f2l_report_kind f2l_import_report_kind = {.name = "import",
                                                .describe = describe_import,
                                                .lay = lay_import,
                                                .style = {.indent = true, .digits = 15}};
