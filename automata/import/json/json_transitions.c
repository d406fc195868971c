/* Transitions in their usual forms:
 *
 *     {FROM: {LETTER: TO}}                 TO may be a list, and null where there is none
 *     {FROM: [{"input": LETTER, "to": TO}]}
 *     {"FROM,LETTER": TO}                  also "(FROM, LETTER)"
 *     [[FROM, LETTER, TO]]
 *     [[[FROM, LETTER], TO]]
 *     [{"from": FROM, "input": LETTER, "to": TO}]
 */
#include "automata/import/json/impl.h"
#include <string.h>

static const char where[] = "transitions";

/* Adds the edges to one state or to each of a list; null is no edge. */
static f2l_status add_targets(f2l_json_reader *r, size_t from, const char *label, size_t size,
                              const json_t *to, f2l_error *err)
{
    const bool many = json_is_array(to);
    const size_t count = many ? json_array_size(to) : !json_is_null(to);
    if (many || json_is_null(to)) r->nfa->partial = true; /* an NFA, or a gap that is meant */
    f2l_status status = F2L_OK;
    for (size_t i = 0; i < count && status == F2L_OK; i++) {
        size_t target;
        status = f2l_json_state_find(&target, r, many ? json_array_get(to, i) : to, where, err);
        if (status == F2L_OK) status = f2l_json_label_add(r, from, label, size, target, err);
    }
    return status;
}

/* Adds the edges of one label or of each of a list. */
static f2l_status add_labels(f2l_json_reader *r, size_t from, const json_t *label, const json_t *to,
                             f2l_error *err)
{
    const bool many = json_is_array(label);
    const size_t count = many ? json_array_size(label) : 1;
    f2l_status status = F2L_OK;
    for (size_t i = 0; i < count && status == F2L_OK; i++) {
        f2l_json_name name = {.text = ""};
        status = f2l_json_name_read(&name, many ? json_array_get(label, i) : label, where, err);
        if (status == F2L_OK) status = add_targets(r, from, name.text, name.size, to, err);
    }
    return status;
}

/* Adds a transition {"from": .., "input": .., "to": ..}; `from` is given where the object lacks
 * it, else NULL. */
static f2l_status add_object(f2l_json_reader *r, const size_t *from, json_t *object, f2l_error *err)
{
    f2l_json_roles roles = {0};
    size_t state;
    f2l_status status =
        f2l_json_roles_find(&roles, r, object, F2L_JSON_FROM, F2L_JSON_TO, where, err);
    if (status != F2L_OK) return status;
    json_t *const own = roles.value[F2L_JSON_FROM];
    if (!roles.value[F2L_JSON_LETTER] || !roles.value[F2L_JSON_TO] || !own == !from)
        return f2l_fail(err, F2L_EFORMAT, "%s: expected {%s\"input\": LETTER, \"to\": STATE}",
                        where, from ? "" : "\"from\": STATE, ");
    if (from)
        state = *from;
    else
        status = f2l_json_state_find(&state, r, own, where, err);
    return status == F2L_OK
               ? add_labels(r, state, roles.value[F2L_JSON_LETTER], roles.value[F2L_JSON_TO], err)
               : status;
}

/* Adds a transition [FROM, LETTER, TO] or [[FROM, LETTER], TO]. */
static f2l_status add_triple(f2l_json_reader *r, const json_t *item, f2l_error *err)
{
    const json_t *first = json_array_get(item, 0), *letter = json_array_get(item, 1),
                 *to = json_array_get(item, 2);
    size_t from;
    if (json_array_size(item) == 2 && json_is_array(first) && json_array_size(first) == 2) {
        to = letter;
        letter = json_array_get(first, 1);
        first = json_array_get(first, 0);
    } else if (json_array_size(item) != 3) {
        return f2l_fail(err, F2L_EFORMAT, "%s: expected [FROM, LETTER, TO]", where);
    }
    f2l_status status = f2l_json_state_find(&from, r, first, where, err);
    return status == F2L_OK ? add_labels(r, from, letter, to, err) : status;
}

/* Returns whether the list may also be a table: a row of states for each state, in the order of
 * three letters. */
static bool may_be_table(const f2l_json_reader *r, const json_t *list)
{
    if (json_array_size(list) != r->nfa->states.count || r->nfa->letters.count != 3) return false;
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *row = json_array_get(list, i);
        for (size_t k = 0; k < 3; k++) {
            size_t state;
            if (!json_is_array(row) || json_array_size(row) != 3 ||
                f2l_json_state_find(&state, r, json_array_get(row, k), where, NULL) != F2L_OK)
                return false;
        }
    }
    return true;
}

static f2l_status add_list(f2l_json_reader *r, const size_t *from, const json_t *list,
                           f2l_error *err)
{
    f2l_status status = F2L_OK;
    if (!from && may_be_table(r, list))
        return f2l_fail(err, F2L_EFORMAT,
                        "%s: each row is [FROM, LETTER, TO] or the states that three letters lead "
                        "to; write {\"from\": .., \"input\": .., \"to\": ..}",
                        where);
    for (size_t i = 0; i < json_array_size(list) && status == F2L_OK; i++) {
        json_t *item = json_array_get(list, i);
        if (json_is_object(item))
            status = add_object(r, from, item, err);
        else if (json_is_array(item) && !from)
            status = add_triple(r, item, err);
        else
            status = f2l_fail(err, F2L_EFORMAT,
                              "%s: expected a list of [FROM, LETTER, TO] or of {\"from\": .., "
                              "\"input\": .., \"to\": ..}",
                              where);
    }
    return status;
}

/* Cuts blanks off both ends. */
static void trim_piece(const char **text, const char **end)
{
    while (*text < *end && **text == ' ') ++*text;
    while (*end > *text && (*end)[-1] == ' ') --*end;
}

/* Adds a transition "FROM,LETTER": TO. The comma is one with a state before it; where two have
 * one, the key is refused. */
static f2l_status add_pair(f2l_json_reader *r, const char *key, const json_t *to, f2l_error *err)
{
    const char *text = key, *end = key + strlen(key);
    size_t from = F2L_NO_INDEX;
    const char *label = NULL, *label_end = NULL;
    trim_piece(&text, &end);
    if (end - text > 1 && *text == '(' && end[-1] == ')') {
        text++;
        end--;
    }
    for (const char *comma = text; comma < end; comma++) {
        const char *left = text, *left_end = comma;
        if (*comma != ',') continue;
        trim_piece(&left, &left_end);
        const size_t state = f2l_names_find(&r->nfa->states, left, (size_t)(left_end - left));
        if (state == F2L_NO_INDEX) continue;
        if (label)
            return f2l_json_refuse(r, where, key, strlen(key),
                                   "is a state and a letter in two ways", err);
        from = state;
        label = comma + 1;
        label_end = end;
    }
    if (!label)
        return f2l_json_refuse(
            r, where, key, strlen(key),
            "is no \"FROM,LETTER\" with a state of \"states\", and has no object "
            "of letters and states",
            err);
    trim_piece(&label, &label_end);
    return add_targets(r, from, label, (size_t)(label_end - label), to, err);
}

/* Adds the transitions of a key of the object: all of a state, or one of "FROM,LETTER". */
static f2l_status add_entry(f2l_json_reader *r, const char *key, json_t *row, f2l_error *err)
{
    const bool listed = json_is_array(row) && json_is_object(json_array_get(row, 0));
    if (!json_is_object(row) && !listed) return add_pair(r, key, row, err);
    const size_t from = f2l_names_find(&r->nfa->states, key, strlen(key));
    if (from == F2L_NO_INDEX)
        return f2l_json_refuse(r, where, key, strlen(key), "is not in \"states\"", err);
    if (listed) return add_list(r, &from, row, err);
    const char *label;
    json_t *to;
    f2l_status status = F2L_OK;
    json_object_foreach(row, label, to)
    {
        status = add_targets(r, from, label, strlen(label), to, err);
        if (status != F2L_OK) break;
    }
    return status;
}

f2l_status f2l_json_transitions_read(f2l_json_reader *r, f2l_error *err)
{
    json_t *all = r->roles.value[F2L_JSON_TRANSITIONS], *row;
    const char *key;
    f2l_status status = F2L_OK;
    if (json_is_array(all)) return add_list(r, NULL, all, err);
    if (!json_is_object(all))
        return f2l_fail(err, F2L_EFORMAT, "expected \"transitions\", an object or a list");
    json_object_foreach(all, key, row)
    {
        status = add_entry(r, key, row, err);
        if (status != F2L_OK) break;
    }
    return status;
}
