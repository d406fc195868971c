#include "reports/networks/vectors_report.h"
#include "numeric/base/path.h"
#include "numeric/facts/layout.h"

static void say_shape(f2l_fact out, const f2l_vector_case *c)
{
    const f2l_fact lengths = f2l_say_list(out, "sequence_lengths");
    for (size_t s = 0; s < f2l_vector_sequences(c); s++)
        f2l_say_count(lengths, NULL, f2l_vector_length(c, s));
    f2l_say_truth(out, "packed", !c->tokens);
    f2l_say_count(out, "householders", c->factors);
    f2l_say_count(out, "heads", c->heads);
    f2l_say_count(out, "value_heads", c->value_heads);
    f2l_say_count(out, "key_dim", c->key);
    f2l_say_count(out, "value_dim", c->value);
    f2l_say_truth(out, "initial_state", c->start);
    const f2l_fact keys = f2l_say_list(out, "key_families");
    for (size_t i = 0; i < (c->keys[0] == c->keys[1] ? 1 : 3); i++)
        f2l_say_text(keys, NULL, f2l_vector_keys_name(c->keys[i]));
}

static void say_proof(f2l_fact out, const f2l_vectors_file *file)
{
    const f2l_fact claims = f2l_say_list(out, "proved_claims");
    for (f2l_vector_claim i = 0; i < F2L_CLAIMS; i++)
        if (file->claim[i]) f2l_say_text(claims, NULL, f2l_vector_claim_name(i));
    f2l_say_count(out, "vector_tries", file->tries);
    f2l_say_count(out, "bytes", file->hash.bytes);
}

static void describe_vectors(f2l_fact out, const void *report)
{
    const f2l_vectors_report *r = report;
    f2l_say_tool(out, r->version, r->commit);
    f2l_say_text(out, "vector_operator", r->op->name);
    f2l_say_text(out, "out", r->out ? f2l_path_base(r->out) : NULL);
    const f2l_fact list = f2l_say_list(out, "vector_files");
    for (size_t i = 0; i < r->files; i++) {
        const f2l_vectors_file *file = &r->file[i];
        const f2l_fact one = f2l_say_object(list, NULL);
        f2l_say_text(one, "name", file->about->name);
        f2l_say_text(one, "format", file->about->format);
        say_shape(one, file->about);
        f2l_say_text(one, "sha256", file->written ? file->hash.sha256 : NULL);
        if (file->written) say_proof(one, file);
    }
}

static void lay_vectors(f2l_buf *out, f2l_fact from, const void *report)
{
    const f2l_vectors_report *r = report;
    size_t bytes = 0;
    f2l_layout(out, from,
               "{vector_files*{name%-18s} {format}, n_h {householders}, {packed?packed, }tokens "
               "{sequence_lengths*{.}| }, heads {heads}"
               "/{value_heads}, {key_dim} x {value_dim}, keys "
               "{key_families*{.}| }\n|}");
    for (size_t i = 0; i < r->files; i++) bytes += r->file[i].written ? r->file[i].hash.bytes : 0;
    if (r->out)
        f2l_buf_printf(out, "written            %s: %zu files and vectors.json, %.1f MB\n", r->out,
                       r->files, (double)bytes / 1e6);
    if (r->out)
        f2l_buf_text(out,
                     "proved of each     in chunks of 16, 32 and 64 rows and row by row: equal "
                     "results, and representable products, inverse, W, U, states, gradients\n");
}

const f2l_report_kind f2l_vectors_report_kind = {.name = "vectors",
                                                 .describe = describe_vectors,
                                                 .lay_beside = lay_vectors,
                                                 .style = {.digits = 6}};
