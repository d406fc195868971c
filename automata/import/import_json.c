/* JSON with the arguments of automata-lib's DFA and NFA: states, input_symbols, initial_state and
 * final_states, and transitions, which lead from a state by a letter to a state or to a list of
 * states. The empty text as a letter is the empty word; a text in input_symbols is one letter, also
 * `[0-9]`. States and letters are texts or whole numbers. */
#include "automata/fsa/fsa_build.h"
#include "automata/fsa/letter.h"
#include "automata/import/impl.h"
#include "automata/import/labels.h"
#include <jansson.h>
#include <stdio.h>
#include <string.h>

/* A name in a document: a text, or the digits of a whole number. */
typedef struct name {
    const char *text;
    size_t size;
    char digits[24];
} name;

static f2l_status refuse_json_name(const char *where, const char *text, const char *why,
                                   f2l_error *err)
{
    char shown[F2L_SHOWN];
    return f2l_fail(err, F2L_EFORMAT, "%s: `%s` %s", where, f2l_shown(shown, text, strlen(text)),
                    why);
}

static f2l_status read_json_name(name *out, const json_t *value, const char *where, f2l_error *err)
{
    if (json_is_integer(value)) {
        snprintf(out->digits, sizeof out->digits, "%lld", (long long)json_integer_value(value));
        out->text = out->digits;
        out->size = strlen(out->digits);
        return F2L_OK;
    }
    if (!json_is_string(value))
        return f2l_fail(err, F2L_EFORMAT, "%s: expected a text or a whole number", where);
    out->text = json_string_value(value);
    out->size = json_string_length(value);
    return F2L_OK;
}

/* Adds the names of the list `key`, each of which must be new. */
static f2l_status read_json_names(f2l_names *out, const json_t *root, const char *key,
                                  f2l_error *err)
{
    const json_t *list = json_object_get(root, key);
    if (!json_is_array(list))
        return f2l_fail(err, F2L_EFORMAT, "expected \"%s\", a list of names", key);
    f2l_status status = F2L_OK;
    for (size_t i = 0; i < json_array_size(list) && status == F2L_OK; i++) {
        name n = {.text = ""};
        size_t index;
        status = read_json_name(&n, json_array_get(list, i), key, err);
        if (status == F2L_OK) status = f2l_names_add(out, n.text, n.size, &index, err);
        if (status == F2L_OK && index < i)
            status = refuse_json_name(key, n.text, "is there twice", err);
    }
    return status;
}

static f2l_status find_state(size_t *out, const f2l_nfa *nfa, const json_t *value,
                             const char *where, f2l_error *err)
{
    name n = {.text = ""};
    const f2l_status status = read_json_name(&n, value, where, err);
    if (status != F2L_OK) return status;
    *out = f2l_names_find(&nfa->states, n.text, n.size);
    return *out == F2L_NO_INDEX ? refuse_json_name(where, n.text, "is not in \"states\"", err)
                                : F2L_OK;
}

static f2l_status add_targets(f2l_nfa *nfa, size_t from, size_t letter, const json_t *to,
                              f2l_error *err)
{
    const bool many = json_is_array(to);
    if (many) nfa->partial = true; /* an NFA */
    const size_t count = many ? json_array_size(to) : 1;
    f2l_status status = F2L_OK;
    for (size_t i = 0; i < count && status == F2L_OK; i++) {
        size_t target;
        status = find_state(&target, nfa, many ? json_array_get(to, i) : to, "transitions", err);
        if (status == F2L_OK) status = f2l_nfa_add_edge(nfa, from, letter, target, err);
    }
    return status;
}

/* Adds the transitions of one state. */
static f2l_status add_json_row(f2l_nfa *nfa, const f2l_read_as *as, size_t from, json_t *row,
                               f2l_error *err)
{
    static const char *const own[] = {"", NULL};
    const char *key;
    json_t *to;
    if (!json_is_object(row))
        return refuse_json_name("transitions", f2l_names_get(&nfa->states, from),
                                "has no object of letters and states", err);
    f2l_status status = F2L_OK;
    json_object_foreach(row, key, to)
    {
        const size_t size = strlen(key), listed = f2l_names_find(&nfa->letters, key, size);
        bool empty;
        status = f2l_import_epsilon(&empty, as, key, size, own, 0, 0, err);
        if (status == F2L_OK && !empty && listed == F2L_NO_INDEX)
            status = refuse_json_name("transitions", key, "is not in \"input_symbols\"", err);
        if (status == F2L_OK)
            status = add_targets(nfa, from, empty ? F2L_EPSILON : listed, to, err);
        if (status != F2L_OK) break;
    }
    return status;
}

static f2l_status add_transitions(f2l_nfa *nfa, const f2l_read_as *as, const json_t *root,
                                  f2l_error *err)
{
    json_t *all = json_object_get(root, "transitions"), *row;
    const char *key;
    if (!json_is_object(all))
        return f2l_fail(err, F2L_EFORMAT, "expected \"transitions\", an object");
    json_object_foreach(all, key, row)
    {
        const size_t from = f2l_names_find(&nfa->states, key, strlen(key));
        if (from == F2L_NO_INDEX)
            return refuse_json_name("transitions", key, "is not in \"states\"", err);
        const f2l_status status = add_json_row(nfa, as, from, row, err);
        if (status != F2L_OK) return status;
    }
    return F2L_OK;
}

static f2l_status mark_states(f2l_nfa *nfa, const json_t *root, f2l_error *err)
{
    const json_t *start = json_object_get(root, "initial_state");
    const json_t *final = json_object_get(root, "final_states");
    size_t state;
    if (!start) return f2l_fail(err, F2L_EFORMAT, "expected \"initial_state\"");
    if (!json_is_array(final))
        return f2l_fail(err, F2L_EFORMAT, "expected \"final_states\", a list of names");
    f2l_status status = find_state(&state, nfa, start, "initial_state", err);
    if (status == F2L_OK) nfa->is_start[state] = 1;
    for (size_t i = 0; i < json_array_size(final) && status == F2L_OK; i++) {
        status = find_state(&state, nfa, json_array_get(final, i), "final_states", err);
        if (status == F2L_OK) nfa->accept[state] = 1;
    }
    nfa->has_accept = true;
    return status;
}

static f2l_status check_keys(json_t *root, f2l_error *err)
{
    static const char *const known[] = {"states",        "input_symbols", "transitions",
                                        "initial_state", "final_states",  "allow_partial"};
    const char *key;
    json_t *value;
    if (!json_is_object(root))
        return f2l_fail(err, F2L_EFORMAT, "expected an object with \"states\" and \"transitions\"");
    json_object_foreach(root, key, value)
    {
        size_t i = 0;
        while (i < sizeof known / sizeof *known && strcmp(key, known[i]) != 0) i++;
        if (i == sizeof known / sizeof *known)
            return refuse_json_name("JSON", key, "is no argument of automata-lib's DFA or NFA",
                                    err);
    }
    return F2L_OK;
}

/* Notes a letter that looks like a set or a list. */
static f2l_status note_json_letter(f2l_nfa *nfa, const char *letter, size_t size, f2l_error *err)
{
    f2l_names parts;
    f2l_names_init(&parts);
    const f2l_status status = f2l_letter_list_read(&parts, letter, size, err);
    if (parts.count > 0 || f2l_letter_set_is(letter, size))
        f2l_notes_add(&nfa->notes, "was read as one letter", letter, size, 0, 0);
    f2l_names_clear(&parts);
    return status;
}

/* Adds the letters. Those that the user calls the empty word are none. */
static f2l_status read_json_letters(f2l_nfa *nfa, const f2l_read_as *as, const json_t *root,
                                    f2l_error *err)
{
    static const char *const none[] = {NULL};
    f2l_names listed;
    f2l_names_init(&listed);
    f2l_status status = read_json_names(&listed, root, "input_symbols", err);
    for (size_t i = 0; i < listed.count && status == F2L_OK; i++) {
        const char *letter = f2l_names_get(&listed, i);
        const size_t size = strlen(letter);
        size_t index;
        if (size == 0)
            status = f2l_fail(err, F2L_EFORMAT, "input_symbols: the empty text is the empty word");
        if (status != F2L_OK || f2l_read_as_epsilon(as, letter, size, none)) continue;
        status = f2l_names_add(&nfa->letters, letter, size, &index, err);
        if (!(as && as->labels) && status == F2L_OK)
            status = note_json_letter(nfa, letter, size, err);
    }
    f2l_names_clear(&listed);
    return status;
}

static f2l_status build_from_json(f2l_nfa *nfa, const f2l_read_as *as, json_t *root, f2l_error *err)
{
    f2l_status status = check_keys(root, err);
    if (status == F2L_OK) status = read_json_names(&nfa->states, root, "states", err);
    if (status == F2L_OK) status = read_json_letters(nfa, as, root, err);
    if (status == F2L_OK) status = f2l_nfa_close_states(nfa, err);
    if (status == F2L_OK) status = mark_states(nfa, root, err);
    if (status == F2L_OK) status = add_transitions(nfa, as, root, err);
    if (json_is_true(json_object_get(root, "allow_partial"))) nfa->partial = true;
    f2l_import_source(nfa, "JSON");
    return status;
}

f2l_status f2l_import_json(f2l_nfa *out, const char *bytes, size_t size,
                           const f2l_import_options *options, f2l_error *err)
{
    json_error_t e = {0};
    f2l_status status = f2l_import_check_text(bytes, size, err);
    if (status != F2L_OK) return status;
    json_t *root = json_loadb(bytes, size, JSON_REJECT_DUPLICATES, &e);
    if (root)
        status = build_from_json(out, options ? options->as : NULL, root, err);
    else if (json_error_code(&e) == json_error_out_of_memory)
        status = f2l_fail_memory(err);
    else
        status = f2l_fail_at(err, e.line > 0 ? (size_t)e.line : 1,
                             e.column > 0 ? (size_t)e.column : 0, "JSON: %s", e.text);
    json_decref(root);
    if (status != F2L_OK) f2l_nfa_clear(out);
    return status;
}
