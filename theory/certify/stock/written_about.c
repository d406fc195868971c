/* prefix.json and export.json: the tokens before every word, and the names of letters and labels.
 */
#include "numeric/base/mem.h"
#include "theory/certify/stock/impl.h"
#include <string.h>

#define SCHEMA 2 /* of the report export.json */

static f2l_status read_prefix_codes(f2l_written_about *out, const f2l_written_model *m,
                                    const json_t *list, f2l_error *err)
{
    const size_t tokens = json_array_size(list);
    if (!json_is_array(list)) return f2l_fail(err, F2L_EFORMAT, "prefix.json is no list");
    if (tokens == 0 || tokens % F2L_WRITTEN_CHUNK)
        return f2l_fail(err, F2L_EDOMAIN, "prefix.json has %zu tokens, which fill no chunks of %d",
                        tokens, F2L_WRITTEN_CHUNK);
    out->prefix = f2l_calloc(tokens, sizeof *out->prefix);
    if (!out->prefix) return f2l_fail_memory(err);
    for (; out->tokens < tokens; out->tokens++) {
        const json_t *token = json_array_get(list, out->tokens);
        const json_int_t number = json_is_integer(token) ? json_integer_value(token) : -1;
        if (number < 0 || (uint64_t)number >= m->vocab)
            return f2l_fail(err, F2L_EDOMAIN, "prefix.json: entry %zu is no token",
                            out->tokens + 1);
        out->prefix[out->tokens] = (uint32_t)number;
    }
    return F2L_OK;
}

static f2l_status read_about_names(f2l_names *out, const json_t *about, const char *member,
                                   const f2l_written_model *m, f2l_error *err)
{
    const json_t *list = json_object_get(about, member);
    size_t index = 0;
    f2l_status status = F2L_OK;
    if (!json_is_array(list) || json_array_size(list) == 0 || json_array_size(list) > m->vocab)
        return f2l_fail(err, F2L_EDOMAIN, "export.json: %s is no list of at most %zu names", member,
                        m->vocab);
    for (size_t i = 0; status == F2L_OK && i < json_array_size(list); i++) {
        const json_t *name = json_array_get(list, i);
        if (!json_is_string(name))
            return f2l_fail(err, F2L_EDOMAIN, "export.json: %s has an entry that is no text",
                            member);
        status = f2l_names_add(out, json_string_value(name), json_string_length(name), &index, err);
        if (status == F2L_OK && index != i)
            return f2l_fail(err, F2L_EDOMAIN, "export.json: %s has a name twice", member);
    }
    return status;
}

static f2l_status read_label_kind(f2l_written_about *out, const json_t *about, f2l_error *err)
{
    const char *kind = json_string_value(json_object_get(about, "label_kind"));
    for (int i = F2L_LABEL_STATES; kind && i <= F2L_LABEL_EDGES; i++)
        if (strcmp(kind, f2l_label_name((f2l_label)i)) == 0) {
            out->label = (f2l_label)i;
            return F2L_OK;
        }
    return f2l_fail(err, F2L_EDOMAIN, "export.json: label_kind is no kind of labels");
}

static f2l_status read_start(f2l_written_about *out, const json_t *about, f2l_error *err)
{
    const json_t *start = json_object_get(about, "start_label");
    out->start = json_is_string(start) ? f2l_names_find(&out->labels, json_string_value(start),
                                                        json_string_length(start))
                                       : F2L_NO_INDEX;
    return json_is_null(start) || out->start != F2L_NO_INDEX
               ? F2L_OK
               : f2l_fail(err, F2L_EDOMAIN, "export.json: start_label is none of label_names");
}

static f2l_status read_about_automaton(f2l_written_about *out, const json_t *about, f2l_error *err)
{
    static const char *const members[] = {"name", "sha256", "states", "letters", NULL};
    const json_t *automaton = json_object_get(about, "automaton");
    const f2l_status status =
        f2l_written_members(automaton, members, "export.json: automaton", err);
    const char *sha256 = json_string_value(json_object_get(automaton, "sha256"));
    const json_t *states = json_object_get(automaton, "states");
    if (status != F2L_OK) return status;
    if (!sha256 || strlen(sha256) != 64)
        return f2l_fail(err, F2L_EDOMAIN, "export.json: automaton: sha256 is no SHA-256");
    memcpy(out->fsa_sha256, sha256, 65);
    out->fsa_states = json_is_integer(states) ? (size_t)json_integer_value(states) : 0;
    if (json_integer_value(json_object_get(automaton, "letters")) != (json_int_t)out->letters.count)
        return f2l_fail(err, F2L_EDOMAIN, "export.json: automaton: letters is not %zu",
                        out->letters.count);
    return F2L_OK;
}

/* Looks at the members that only have to be as `export` writes them. The values of `tool` and
 * `network` say where the folder comes from; f2l_stock_files_compare looks at `files`. */
static f2l_status check_members(const f2l_written_model *m, const json_t *about, f2l_error *err)
{
    static const char *const members[] = {"schema",      "report",      "tool",       "network",
                                          "target",      "automaton",   "label_kind", "fsa_letters",
                                          "label_names", "start_label", "schedule",   "claims",
                                          "files",       NULL};
    const char *report = json_string_value(json_object_get(about, "report"));
    const char *target = json_string_value(json_object_get(about, "target"));
    const f2l_status status = f2l_written_members(about, members, "export.json", err);
    if (status != F2L_OK) return status;
    if (json_integer_value(json_object_get(about, "schema")) != SCHEMA || !report ||
        strcmp(report, "export") != 0)
        return f2l_fail(err, F2L_EDOMAIN, "export.json is no report of `export` of schema %d",
                        SCHEMA);
    if (!target || strcmp(target, m->kind->target) != 0)
        return f2l_fail(err, F2L_EDOMAIN, "export.json: target is not %s", m->kind->target);
    return json_is_null(json_object_get(about, "schedule"))
               ? F2L_OK
               : f2l_fail(err, F2L_EDOMAIN, "export.json: schedule is not null");
}

/* Reads what export.json claims of one path. */
static f2l_status read_path_claim(f2l_written_about *out, bool *seen, const f2l_written_model *m,
                                  const json_t *claim, f2l_error *err)
{
    static const char *const members[] = {"path", "computes_in", "claimed_exact", "because", NULL};
    const f2l_status status = f2l_written_members(claim, members, "export.json: a claim", err);
    const char *path = json_string_value(json_object_get(claim, "path"));
    const char *type = json_string_value(json_object_get(claim, "computes_in"));
    const json_t *exact = json_object_get(claim, "claimed_exact");
    size_t p = 0;
    if (status != F2L_OK) return status;
    while (p < F2L_STOCK_CHECK_PATHS && (!path || strcmp(path, m->kind->path[p].name) != 0)) p++;
    if (p == F2L_STOCK_CHECK_PATHS)
        return f2l_fail(err, F2L_EDOMAIN,
                        "export.json claims something of a path that %s does not have",
                        m->kind->type);
    if (seen[p])
        return f2l_fail(err, F2L_EDOMAIN, "export.json has two claims of the path %s", path);
    if (!type || strcmp(type, f2l_written_type(m->format)) != 0)
        return f2l_fail(err, F2L_EDOMAIN, "export.json: computes_in is not %s",
                        f2l_written_type(m->format));
    if (!json_is_boolean(exact))
        return f2l_fail(err, F2L_EDOMAIN, "export.json: claimed_exact is neither true nor false");
    seen[p] = true;
    out->claimed[p] = json_is_true(exact);
    return F2L_OK;
}

static f2l_status read_claims(f2l_written_about *out, const f2l_written_model *m,
                              const json_t *about, f2l_error *err)
{
    const json_t *claims = json_object_get(about, "claims");
    bool seen[F2L_STOCK_CHECK_PATHS] = {false}, any = false;
    f2l_status status = F2L_OK;
    for (size_t i = 0; status == F2L_OK && i < json_array_size(claims); i++)
        status = read_path_claim(out, seen, m, json_array_get(claims, i), err);
    for (size_t p = 0; p < F2L_STOCK_CHECK_PATHS; p++) any = any || out->claimed[p];
    return status != F2L_OK || any
               ? status
               : f2l_fail(err, F2L_EDOMAIN, "export.json claims of no path that it is exact");
}

f2l_status f2l_written_about_read(f2l_written_about *out, const f2l_written_model *m,
                                  const f2l_stock_files *files, f2l_error *err)
{
    json_t *prefix = NULL, *about = NULL;
    f2l_status status = f2l_written_json(&prefix, &files->prefix, "prefix.json", err);
    if (status == F2L_OK) status = f2l_written_json(&about, &files->about, "export.json", err);
    if (status == F2L_OK) status = read_prefix_codes(out, m, prefix, err);
    if (status == F2L_OK) status = check_members(m, about, err);
    if (status == F2L_OK) status = read_about_names(&out->letters, about, "fsa_letters", m, err);
    if (status == F2L_OK) status = read_about_names(&out->labels, about, "label_names", m, err);
    if (status == F2L_OK) status = read_label_kind(out, about, err);
    if (status == F2L_OK) status = read_start(out, about, err);
    if (status == F2L_OK) status = read_about_automaton(out, about, err);
    if (status == F2L_OK) status = read_claims(out, m, about, err);
    json_decref(prefix);
    json_decref(about);
    return status;
}

void f2l_written_about_clear(f2l_written_about *about)
{
    f2l_names_clear(&about->letters);
    f2l_names_clear(&about->labels);
    f2l_free(about->prefix);
    *about = (f2l_written_about){0};
}
