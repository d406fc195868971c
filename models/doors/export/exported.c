#include "models/doors/export/impl.h"
#include "models/network/weights/weights.h"
#include "numeric/base/visible.h"
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void f2l_exported_init(f2l_exported *out)
{
    *out = (f2l_exported){.files = 0};
}

void f2l_exported_clear(f2l_exported *out)
{
    for (size_t i = 0; i < out->files; i++) f2l_buf_clear(&out->file[i].bytes);
    out->files = out->claims = 0;
}

f2l_status f2l_exported_add(f2l_exported *out, const char *name, f2l_buf *bytes, f2l_error *err)
{
    const f2l_status status = f2l_buf_status(bytes, err);
    if (status != F2L_OK) return status;
    if (out->files == F2L_EXPORT_FILES)
        return f2l_fail(err, F2L_EDOMAIN, "no place for the file %s", name);
    out->file[out->files++] = (f2l_export_file){.name = name, .bytes = *bytes};
    f2l_buf_init(bytes);
    return F2L_OK;
}

void f2l_exported_claim(f2l_exported *out, const char *path, const char *dtype, bool exact,
                        const char *format, ...)
{
    f2l_export_claim *claim = &out->claim[out->claims];
    va_list arguments;
    if (out->claims == F2L_EXPORT_CLAIMS) return;
    *claim = (f2l_export_claim){.path = path, .dtype = dtype, .exact = exact};
    va_start(arguments, format);
    vsnprintf(claim->text, sizeof claim->text, format, arguments);
    va_end(arguments);
    out->claims++;
}

void f2l_exported_claim_proof(f2l_exported *out, const char *path, const f2l_export_job *job)
{
    if (job->proof.verdict == F2L_OK)
        f2l_exported_claim(out, path, job->dtype->name, true,
                           "nothing rounds, so that on every word it has the numbers and gives the "
                           "labels of the exact network");
    else
        f2l_exported_claim(out, path, job->dtype->name, false, "%s", job->proof.reason);
}

f2l_status f2l_export_weights(f2l_buf *out, f2l_weights_report *report, const f2l_export_job *job,
                              f2l_error *err)
{
    return f2l_weights_write(out, report, job->model, job->fsa, F2L_WEIGHTS_AUTO, err);
}

/* --- README.md --- */

/* Appends text from outside, in which nothing is Markdown or HTML, or ends a code span, and all can
 * be seen: other characters as \u and their number. */
static void add_plain(f2l_buf *out, const char *text)
{
    f2l_buf shown;
    f2l_buf_init(&shown);
    f2l_buf_visible(&shown, text, strlen(text), "");
    for (const char *c = shown.data ? shown.data : ""; *c; c++) {
        if (strchr("`<>&", *c))
            f2l_buf_printf(out, "\\u%04x", (unsigned)*c);
        else
            f2l_buf_bytes(out, c, 1);
    }
    out->failed = out->failed || shown.failed;
    f2l_buf_clear(&shown);
}

/* Appends a name, as files spell it, in a code span. */
static void add_code_span(f2l_buf *out, const char *name)
{
    f2l_buf spelled;
    f2l_buf_init(&spelled);
    f2l_buf_name(&spelled, name);
    f2l_buf_text(out, "`");
    add_plain(out, spelled.data ? spelled.data : "");
    f2l_buf_text(out, "`");
    out->failed = out->failed || spelled.failed;
    f2l_buf_clear(&spelled);
}

/* Appends a line for each name, by its number; of a long list the first. */
static void list_names(f2l_buf *out, const char *what, const f2l_names *names)
{
    const size_t most = 100;
    f2l_buf_printf(out, "%s, by number:", what);
    for (size_t i = 0; i < names->count && i < most; i++) {
        f2l_buf_printf(out, "%s %zu ", i ? "," : "", i);
        add_code_span(out, f2l_names_get(names, i));
    }
    if (names->count > most)
        f2l_buf_printf(out, ", .. (%zu; all of them are in " F2L_EXPORT_ABOUT ")", names->count);
    f2l_buf_text(out, ".\n\n");
}

static f2l_status add_readme(f2l_exported *out, const f2l_export_target *target,
                             const f2l_export_job *job, f2l_error *err)
{
    const f2l_net *net = job->model;
    f2l_buf text;
    f2l_buf_init(&text);
    f2l_buf_printf(&text,
                   "# A network that tracks a finite automaton\n\n"
                   "Written by `fsa2lrnn export --to %s`. The automaton has %zu states; SHA-256 of "
                   "its text: %s.\n\n",
                   target->name, job->fsa->states.count, net->fsa_sha256);
    list_names(&text, "Letters", &net->letters);
    list_names(&text, "Labels", &net->labels);
    if (net->start != F2L_NO_INDEX) {
        f2l_buf_text(&text, "Before the first letter the label is ");
        add_code_span(&text, f2l_names_get(&net->labels, net->start));
        f2l_buf_text(&text, ".\n\n");
    }
    f2l_buf_printf(&text, "%s\n## What is claimed\n\n", target->usage);
    for (size_t i = 0; i < out->claims; i++) {
        const f2l_export_claim *c = &out->claim[i];
        f2l_buf_printf(&text, "- %s%s%s: %s: ", c->path, c->dtype ? " in " : "",
                       c->dtype ? c->dtype : "", c->exact ? "exact" : "not claimed exact");
        add_plain(&text, c->text);
        f2l_buf_text(&text, ".\n");
    }
    f2l_buf_text(&text, "\nThat the exact network is right on words of every length is what its "
                        "certificate proves, beside the network that this was made from.\n");
    const f2l_status status = f2l_exported_add(out, "README.md", &text, err);
    f2l_buf_clear(&text);
    return status;
}

f2l_status f2l_export_check_limit(const f2l_export_job *job, uint64_t bytes, f2l_error *err)
{
    if (job->limit == 0 || bytes <= job->limit) return F2L_OK;
    return f2l_fail(err, F2L_EDOMAIN,
                    "the files would take %" PRIu64 " bytes, more than --limit, which is %" PRIu64
                    " bytes; nothing was written",
                    bytes, job->limit);
}

static f2l_status check_all_files(const f2l_exported *out, const f2l_export_job *job,
                                  f2l_error *err)
{
    uint64_t bytes = 0;
    for (size_t i = 0; i < out->files; i++) bytes += out->file[i].bytes.size;
    return f2l_export_check_limit(job, bytes, err);
}

f2l_status f2l_export_model(f2l_exported *out, const f2l_export_target *target,
                            const f2l_export_job *job, f2l_error *err)
{
    f2l_status status = target->write(out, job, err);
    if (status == F2L_OK) status = add_readme(out, target, job, err);
    if (status == F2L_OK) status = check_all_files(out, job, err);
    if (status != F2L_OK) f2l_exported_clear(out);
    return status;
}
