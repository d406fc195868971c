#include "reports/networks/check_export_report.h"
#include "numeric/facts/layout.h"
#include "reports/model/shared_facts.h"
#include "reports/networks/export_report.h"
#include <string.h>

static void say_check_witness(f2l_fact out, const f2l_check_export_report *r)
{
    const f2l_stock_verdict *v = r->verdict;
    if (!v->wrong) {
        f2l_say_null(out, "witness");
        return;
    }
    const f2l_fact witness = f2l_say_object(out, "witness");
    f2l_say_word(witness, "word", &r->fsa->letters, v->word, v->length);
    f2l_say_text(witness, "expected", v->expected);
    f2l_say_text(witness, "got", v->answer);
}

static void say_line(f2l_fact out, const f2l_stock_verdict *v, size_t p)
{
    f2l_buf line;
    f2l_buf_init(&line);
    f2l_stock_line(&line, v, p);
    f2l_say_buf(out, "line", &line);
    f2l_buf_clear(&line);
}

static void say_path(f2l_fact list, const f2l_stock_verdict *v, size_t p)
{
    const f2l_fact one = f2l_say_object(list, NULL);
    const f2l_stock_path_verdict *path = &v->path[p];
    f2l_say_text(one, "path", path->name);
    f2l_say_truth(one, "claimed_exact", path->claimed);
    f2l_say_text(one, "verdict", f2l_verdict_name(path->verdict));
    f2l_say_reason(one, "reason", path->verdict == F2L_UNKNOWN ? path->reason : "");
    say_line(one, v, p);
}

static void describe_check_export(f2l_fact out, const void *report)
{
    const f2l_check_export_report *r = report;
    const f2l_stock_verdict *v = r->verdict;
    f2l_say_text(out, "target", v->target);
    (void)f2l_say_automaton(out, r->fsa_path, v->fsa_sha256, v->states, r->fsa->letters.count);
    f2l_say_text(out, "named_automaton", v->named_sha256);
    f2l_say_truth(out, "another_automaton", strcmp(v->named_sha256, v->fsa_sha256) != 0);
    f2l_say_label_kind(out, v->label);
    f2l_say_names(out, "fsa_letters", &v->letters);
    f2l_say_names(out, "label_names", &v->labels);
    f2l_say_files(out, v->file, F2L_STOCK_HASHED);
    f2l_say_text(out, "model_type", v->type);
    f2l_say_text(out, "format", v->format);
    f2l_say_count(out, "layers", v->layers);
    f2l_say_count(out, "heads", v->heads);
    f2l_say_count(out, "parameters", v->parameters);
    f2l_say_count(out, "joint_states", v->joint_states);
    f2l_say_text(out, "verdict", f2l_verdict_name(v->verdict));
    say_check_witness(out, r);
    const f2l_fact list = f2l_say_list(out, "paths");
    for (size_t p = 0; p < F2L_STOCK_CHECK_PATHS; p++) say_path(list, v, p);
}

static void lay_witness(f2l_buf *out, f2l_fact from)
{
    f2l_buf_text(out, "word           ");
    if (f2l_get_size(from, "witness.word") == 0) f2l_buf_text(out, "the empty word");
    f2l_layout_items(out, f2l_get(from, "witness.word"), 0, SIZE_MAX, "{.~}", " ");
    f2l_layout(out, from, ": the model gives {witness.got}, the automaton {witness.expected}\n");
}

static void lay_check_export(f2l_buf *out, f2l_fact from)
{
    f2l_layout(
        out, from,
        "model          {model_type} in {format}, {layers layer} of {heads head}, {parameters "
        "number}\n"
        "{another_automaton?automaton      not the one that export.json names\n}"
        "states         {joint_states} of model and automaton together\n"
        "{paths*{path}\n"
        "               {verdict}{claimed_exact?| (not claimed)}{reason?: {reason}}\n}");
    if (f2l_is_known(from, "witness")) lay_witness(out, from);
    f2l_layout(out, from, "{paths*{line}\n}");
}

const f2l_report_kind f2l_check_export_kind = {.name = "check-export",
                                               .describe = describe_check_export,
                                               .lay = lay_check_export,
                                               .style = {.digits = 6}};
