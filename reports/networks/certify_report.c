#include "reports/networks/certify_report.h"
#include "reports/model/shared_facts.h"
#include "reports/networks/round_report.h"

static void describe_certify(f2l_fact out, const void *report)
{
    const f2l_certify_report *r = report;
    const f2l_round_report verdicts = {.model = r->model, .fsa = r->judges, .exact = r->exact};
    f2l_say_tool(out, r->version, r->commit);
    f2l_fact automaton =
        f2l_say_automaton(out, NULL, r->fsa_sha256, r->fsa->states.count, r->fsa->letters.count);
    f2l_say_label_kind(automaton, r->model->label);
    f2l_round_report_say_exact(out, &verdicts);
    f2l_fact rows = f2l_say_list(out, "formats");
    for (size_t i = 0; i < r->rows; i++)
        f2l_round_report_say_row(f2l_say_object(rows, NULL), &verdicts, r->row[i]);
    if (r->claim) {
        f2l_fact proof = f2l_say_object(out, "certificate_claim");
        f2l_say_text(proof, "claim", r->claim);
        f2l_say_text(proof, "format", r->claim_format);
        f2l_say_text(proof, "schedule", r->claim_schedule);
    } else {
        f2l_say_null(out, "certificate_claim");
    }
    f2l_say_truth(out, "renamed", r->renamed);
    f2l_say_files(out, r->file, r->files);
}

const f2l_report_kind f2l_certify_report_kind = {
    .name = "certify", .describe = describe_certify, .style = {.indent = true, .digits = 6}};
