#include "reports/networks/export_report.h"
#include "numeric/base/path.h"
#include "numeric/base/sha256.h"
#include "numeric/facts/layout.h"
#include "reports/model/shared_facts.h"

void f2l_say_names(f2l_fact out, const char *fact, const f2l_names *names)
{
    const f2l_fact list = f2l_say_list(out, fact);
    for (size_t i = 0; i < names->count; i++) f2l_say_text(list, NULL, f2l_names_get(names, i));
}

static void say_files(f2l_fact out, const f2l_exported *exported)
{
    f2l_hashed_file hashed[F2L_EXPORT_FILES];
    for (size_t i = 0; i < exported->files; i++) {
        const f2l_export_file *file = &exported->file[i];
        hashed[i] = f2l_hash_file(file->name, file->bytes.data, file->bytes.size);
    }
    f2l_say_files(out, hashed, exported->files);
}

void f2l_say_claims(f2l_fact out, const f2l_exported *exported)
{
    const f2l_fact list = f2l_say_list(out, "claims");
    for (size_t i = 0; i < exported->claims; i++) {
        const f2l_export_claim *claim = &exported->claim[i];
        const f2l_fact one = f2l_say_object(list, NULL);
        f2l_say_text(one, "path", claim->path);
        f2l_say_text(one, "computes_in", claim->dtype);
        f2l_say_truth(one, "claimed_exact", claim->exact);
        f2l_say_text(one, "because", claim->text);
    }
}

void f2l_say_exported(f2l_fact out, const f2l_export_job *job)
{
    const f2l_net *net = job->model;
    (void)f2l_say_automaton(out, NULL, net->fsa_sha256, job->fsa->states.count,
                            job->fsa->letters.count);
    f2l_say_label_kind(out, net->label);
    f2l_say_names(out, "fsa_letters", &net->letters);
    f2l_say_names(out, "label_names", &net->labels);
    f2l_say_text(out, "start_label",
                 net->start == F2L_NO_INDEX ? NULL : f2l_names_get(&net->labels, net->start));
}

static void describe_export(f2l_fact out, const void *report)
{
    const f2l_export_report *r = report;
    f2l_say_tool(out, r->version, r->commit);
    f2l_say_text(out, "network", f2l_path_base(r->network));
    f2l_say_text(out, "target", r->target->name);
    f2l_say_exported(out, r->job);
    f2l_say_text(out, "schedule", r->target->schedules ? r->target->schedules[0] : NULL);
    f2l_say_claims(out, r->exported);
    say_files(out, r->exported);
}

static void lay_export(f2l_buf *out, f2l_fact from, const void *report)
{
    const f2l_export_report *r = report;
    f2l_buf_printf(out, "%-14s %s: ", r->target->name, r->out);
    f2l_layout(out, from,
               "{files*{name}|, }\n"
               "{claims*{path%-14s} {claimed_exact?exact|not claimed exact}"
               "{computes_in? in {computes_in}}: {because}\n}");
}

const f2l_report_kind f2l_export_report_kind = {.name = "export",
                                                .describe = describe_export,
                                                .lay_beside = lay_export,
                                                .style = {.digits = 6}};
