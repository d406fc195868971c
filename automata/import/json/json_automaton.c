#include "automata/import/json/json_automaton.h"
#include "automata/import/charts/charts.h"
#include "automata/import/json/impl.h"
#include "automata/import/text/import_text.h"
#include <stdio.h>
#include <string.h>

f2l_status f2l_json_state_find(size_t *out, const f2l_json_reader *r, const json_t *value,
                               const char *where, f2l_error *err)
{
    f2l_json_name n = {.text = ""};
    const f2l_status status = f2l_json_name_read(&n, value, where, err);
    if (status != F2L_OK) return status;
    *out = f2l_names_find(&r->nfa->states, n.text, n.size);
    return *out == F2L_NO_INDEX
               ? f2l_json_refuse(r, where, n.text, n.size, "is not in \"states\"", err)
               : F2L_OK;
}

/* Adds the names of a list, each of which must be new. */
static f2l_status read_json_names(f2l_names *out, const f2l_json_reader *r, f2l_json_role role,
                                  f2l_error *err)
{
    const json_t *list = r->roles.value[role];
    const char *key = r->roles.key[role];
    if (!json_is_array(list))
        return f2l_fail(err, F2L_EFORMAT, "%s: expected a list of names", key);
    f2l_status status = F2L_OK;
    for (size_t i = 0; i < json_array_size(list) && status == F2L_OK; i++) {
        f2l_json_name n = {.text = ""};
        size_t index;
        status = f2l_json_name_read(&n, json_array_get(list, i), key, err);
        if (status == F2L_OK) status = f2l_names_add(out, n.text, n.size, &index, err);
        if (status == F2L_OK && index < i)
            status = f2l_json_refuse(r, key, n.text, n.size, "is there twice", err);
    }
    return status;
}

/* Marks the states of a list, or one that is alone, in `mark`. */
static f2l_status mark_listed(uint8_t *mark, const f2l_json_reader *r, f2l_json_role role,
                              f2l_error *err)
{
    const json_t *list = r->roles.value[role];
    const bool many = json_is_array(list);
    f2l_status status = F2L_OK;
    for (size_t i = 0; i < (many ? json_array_size(list) : 1) && status == F2L_OK; i++) {
        size_t state;
        status = f2l_json_state_find(&state, r, many ? json_array_get(list, i) : list,
                                     r->roles.key[role], err);
        if (status == F2L_OK) mark[state] = 1;
    }
    return status;
}

/* Returns F2L_EFORMAT where the document says that it is something else than an automaton. */
static f2l_status check_json_kind(const f2l_json_reader *r, f2l_error *err)
{
    static const char *const kind[] = {"dfa", "nfa",  "enfa",  "fa", "fsa", "epsilon-nfa",
                                       "DFA", "NFA",  "ENFA",  "FA", "FSA", "epsilon-NFA",
                                       "Dfa", "eNFA", "e-nfa", NULL};
    const json_t *value = r->roles.value[F2L_JSON_KIND];
    if (!value) return F2L_OK;
    const char *text = json_is_string(value) ? json_string_value(value) : "";
    for (size_t i = 0; kind[i]; i++)
        if (strcmp(kind[i], text) == 0) return F2L_OK;
    return f2l_json_refuse(r, r->roles.key[F2L_JSON_KIND], text, strlen(text),
                           "is no kind that is read; expected DFA or NFA", err);
}

/* Finds the parts of the document, all of which but the alphabet must be there. */
static f2l_status find_parts(f2l_json_reader *r, json_t *root, f2l_error *err)
{
    static const struct {
        f2l_json_role role;
        const char *expected;
    } needed[] = {{F2L_JSON_STATES, "\"states\", a list of names"},
                  {F2L_JSON_TRANSITIONS, "\"transitions\", an object or a list"},
                  {F2L_JSON_START, "\"start\" (or \"initial_state\", ..), a state"},
                  {F2L_JSON_ACCEPT, "\"accept\" (or \"final_states\", ..), a list of states"}};
    f2l_status status =
        f2l_json_roles_find(&r->roles, r, root, F2L_JSON_STATES, F2L_JSON_OTHER, "JSON", err);
    for (size_t i = 0; i < sizeof needed / sizeof *needed && status == F2L_OK; i++)
        if (!r->roles.key[needed[i].role])
            status = f2l_fail(err, F2L_EFORMAT, "expected %s", needed[i].expected);
    r->has_letters = r->roles.key[F2L_JSON_LETTERS] != NULL;
    r->automata_lib = json_object_get(root, "input_symbols") &&
                      json_object_get(root, "initial_state") &&
                      json_object_get(root, "final_states");
    return status == F2L_OK ? check_json_kind(r, err) : status;
}

static f2l_status build_from_json(f2l_json_reader *r, json_t *root, f2l_error *err)
{
    f2l_nfa *nfa = r->nfa;
    f2l_status status = find_parts(r, root, err);
    if (status == F2L_OK) status = read_json_names(&nfa->states, r, F2L_JSON_STATES, err);
    if (status == F2L_OK && r->has_letters)
        status = read_json_names(&nfa->letters, r, F2L_JSON_LETTERS, err);
    if (status == F2L_OK && f2l_names_find(&nfa->letters, "", 0) != F2L_NO_INDEX)
        status = f2l_fail(err, F2L_EFORMAT, "%s: the empty text is the empty word",
                          r->roles.key[F2L_JSON_LETTERS]);
    if (status == F2L_OK) status = f2l_nfa_close_states(nfa, err);
    if (status == F2L_OK) status = mark_listed(nfa->is_start, r, F2L_JSON_START, err);
    if (status == F2L_OK) status = mark_listed(nfa->accept, r, F2L_JSON_ACCEPT, err);
    nfa->has_accept = true;
    if (status == F2L_OK) status = f2l_json_transitions_read(r, err);
    if (status == F2L_OK) status = f2l_set_edges_check(&r->set_edges, nfa, err);
    if (json_is_true(json_object_get(root, "allow_partial"))) nfa->partial = true;
    f2l_import_source(nfa, "JSON");
    return status;
}

/* Reads the document: an XState machine has an object of states where others have a list. */
static f2l_status read_root(f2l_json_reader *r, json_t *root, f2l_error *err)
{
    if (!json_is_object(root))
        return f2l_fail(err, F2L_EFORMAT, "expected an object with \"states\" and \"transitions\"");
    if (json_is_object(json_object_get(root, "states")))
        return f2l_import_xstate(r->nfa, root, r->bytes, r->size, r->as, err);
    f2l_status status = f2l_read_as_check(r->as, 1u << F2L_LABELS_LETTERS | 1u << F2L_LABELS_SETS,
                                          true, "JSON", err);
    return status == F2L_OK ? build_from_json(r, root, err) : status;
}

/* Gives an error without a place the one of the member that its text begins with, where that is
 * there once. */
static void place_at_member(const f2l_json_reader *r, f2l_error *err)
{
    char member[64] = "";
    const size_t size = strcspn(err->text, ":");
    if (err->line > 0 || size >= sizeof member || err->text[size] == '\0') return;
    memcpy(member, err->text, size);
    const char *own = r->roles.key[F2L_JSON_TRANSITIONS];
    if (own && strcmp(member, "transitions") == 0) snprintf(member, sizeof member, "%.63s", own);
    f2l_import_find_quoted(r->bytes, r->size, member, strlen(member), &err->line, &err->column);
}

f2l_status f2l_import_json(f2l_nfa *out, const char *bytes, size_t size,
                           const f2l_import_options *options, f2l_error *err)
{
    f2l_json_reader r = {
        .nfa = out, .as = options ? options->as : NULL, .bytes = bytes, .size = size};
    json_error_t e = {0};
    f2l_status status = f2l_import_check_text(bytes, size, err);
    if (status != F2L_OK) return status;
    const size_t start = size >= 3 && memcmp(bytes, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    json_t *root = json_loadb(bytes + start, size - start, JSON_REJECT_DUPLICATES, &e);
    if (root) {
        status = read_root(&r, root, err);
        if (status == F2L_EFORMAT && err) place_at_member(&r, err);
    } else if (json_error_code(&e) == json_error_out_of_memory) {
        status = f2l_fail_memory(err);
    } else {
        status = f2l_fail_at(err, e.line > 0 ? (size_t)e.line : 1,
                             e.column > 0 ? (size_t)e.column : 0, "JSON: %s", e.text);
    }
    json_decref(root);
    f2l_set_edges_clear(&r.set_edges);
    if (status != F2L_OK) f2l_nfa_clear(out);
    return status;
}
