#include "reports/networks/inject_report.h"
#include "numeric/base/path.h"
#include "numeric/facts/layout.h"
#include "reports/model/shared_facts.h"
#include "reports/networks/export_report.h"

static void say_base(f2l_fact out, const f2l_inject_report *r)
{
    const f2l_base_model *c = r->inject->checkpoint;
    const f2l_fact base = f2l_say_object(out, "base_model");
    f2l_say_text(base, "model_folder", f2l_path_base(r->model));
    f2l_say_text(base, "model_type", c->type.data);
    f2l_say_count(base, "hidden_size", c->hidden);
    f2l_say_count(base, "vocab_size", c->vocab);
    f2l_say_count(base, "tensor_count", c->tensors.count);
    f2l_say_text(base, "embedding_tensor", f2l_names_get(&c->tensors, c->embedding));
    f2l_say_text(base, "transformers", c->transformers.size > 0 ? c->transformers.data : NULL);
    f2l_say_names(base, "not_copied", &c->skipped);
}

static void say_tokens(f2l_fact out, const f2l_inject *in)
{
    static const char *const from[] = {"file", "tokenizer", "numbers"};
    const f2l_letter_tokens *t = in->tokens;
    const f2l_fact list = f2l_say_list(out, "letter_tokens");
    for (size_t i = 0; i < t->pairs; i++) {
        const f2l_fact one = f2l_say_object(list, NULL);
        f2l_say_text(one, "letter", f2l_names_get(&in->job.model->letters, t->pair[i].letter));
        f2l_say_count(one, "token", t->pair[i].token);
    }
    f2l_say_text(out, "tokens_from", from[t->from]);
}

static void describe_inject(f2l_fact out, const void *report)
{
    const f2l_inject_report *r = report;
    f2l_say_tool(out, r->version, r->commit);
    f2l_say_text(out, "network", f2l_path_base(r->network));
    f2l_say_exported(out, &r->inject->job);
    f2l_say_claims(out, &r->inject->branch);
    say_base(out, r);
    say_tokens(out, r->inject);
    f2l_say_files(out, r->inject->file, r->inject->files);
}

static void lay_inject(f2l_buf *out, f2l_fact from, const void *report)
{
    const f2l_inject_report *r = report;
    f2l_buf_printf(
        out, "inject         %s: model.py, inject.safetensors, README.md, branch, base\n", r->out);
    f2l_layout(
        out, from,
        "base           {base_model.model_type}, {base_model.tensor_count tensor} of width "
        "{base_model.hidden_size}, copied byte for byte"
        "{base_model.not_copied?; not copied: {base_model.not_copied*{.}|, }}\n"
        "tokens         {tokens_from=file?the file says which tokens are letters}"
        "{tokens_from=tokenizer?the letters are tokens of its tokenizer}"
        "{tokens_from=numbers?letter i is token i: its tokenizer lacks letters, or there is none, "
        "and --tokens was not given}\n"
        "{claims*{path%-14s} {claimed_exact?exact|not claimed exact}"
        "{computes_in? in {computes_in}}: {because}\n}"
        "projection     -0 everywhere: the old model's outputs are unchanged, bit for bit where "
        "its kernels are deterministic\n");
}

const f2l_report_kind f2l_inject_report_kind = {.name = "inject",
                                                .describe = describe_inject,
                                                .lay_beside = lay_inject,
                                                .style = {.digits = 6}};
