/* XState machines as JSON:
 *
 *     {"initial": NAME, "states": {NAME: {"on": {EVENT: TARGET}, "type": "final"}}}
 *
 * TARGET is a state, ".state" or "#machine.state", an object with a target, or a list of one; null
 * and objects without a target remain in the state. The event "*" is any event without a transition
 * of its own. Actions and data cannot decide anything without guards, so they are left out with a
 * note. */
#include "automata/fsa/fsa_build.h"
#include "automata/import/charts/charts.h"
#include "automata/import/charts/flat_chart.h"
#include "automata/import/text/import_text.h"
#include "numeric/base/mem.h"
#include <jansson.h>
#include <string.h>

typedef struct xstate {
    f2l_flat_chart chart;
    const char *id; /* of the machine; "" where it has none */
    json_t *states;
    const char *bytes; /* the document, for the places of errors */
    size_t size;
} xstate;

/* Returns F2L_EFORMAT, with the place of the key where it is there once. */
static f2l_status refuse_in_chart(const xstate *x, const char *where, const char *key,
                                  const char *why, f2l_error *err)
{
    char shown[F2L_SHOWN], place[F2L_SHOWN];
    const size_t size = strlen(key);
    size_t line, column;
    f2l_import_find_quoted(x->bytes, x->size, key, size, &line, &column);
    return f2l_fail_at(err, line, column, "%s: `%s` %s", f2l_shown(place, where, strlen(where)),
                       f2l_shown(shown, key, size), why);
}

static bool is_among(const char *key, const char *const *list)
{
    for (; *list; list++)
        if (strcmp(*list, key) == 0) return true;
    return false;
}

/* Returns whether an action raises an event in the machine itself. */
static bool raises_event(const json_t *action)
{
    const json_t *type = json_is_object(action) ? json_object_get(action, "type") : action;
    const char *text = json_is_string(type) ? json_string_value(type) : "";
    if (json_is_array(action))
        for (size_t i = 0; i < json_array_size(action); i++)
            if (raises_event(json_array_get(action, i))) return true;
    return strncmp(text, "xstate.", 7) == 0 || strstr(text, "raise") != NULL;
}

/* Returns whether a value says nothing. */
static bool is_nothing(const json_t *value)
{
    return json_is_null(value) || json_is_false(value) ||
           (json_is_array(value) && json_array_size(value) == 0) ||
           (json_is_object(value) && json_object_size(value) == 0);
}

/* Checks the keys of an object: those in `read` are the caller's, those in `left` are left out with
 * a note, harmless ones say nothing, and others are refused. */
static f2l_status check_chart_keys(xstate *x, json_t *object, const char *where,
                                   const char *const *read, const char *const *left, f2l_error *err)
{
    static const char *const harmless[] = {"id",
                                           "key",
                                           "description",
                                           "meta",
                                           "tags",
                                           "source",
                                           "eventType",
                                           "version",
                                           "$schema",
                                           "internal",
                                           "reenter",
                                           "order",
                                           "_comment",
                                           "preserveActionOrder",
                                           "predictableActionArguments",
                                           NULL};
    const char *key;
    json_t *value;
    json_object_foreach(object, key, value)
    {
        if (is_among(key, read) || is_among(key, harmless) || is_nothing(value)) continue;
        /* The definition that XState writes of a machine repeats there what is under "on". */
        if (strcmp(key, "transitions") == 0 && json_object_get(object, "on")) continue;
        if (!is_among(key, left))
            return refuse_in_chart(x, where, key,
                                   "is not read: only machines without hierarchy, guards, delays "
                                   "and eventless transitions are",
                                   err);
        if (raises_event(value))
            return refuse_in_chart(x, where, key, "raises an event in the machine itself", err);
        f2l_notes_add(&x->chart.nfa->notes,
                      "was left out: without guards it does not decide about states", key,
                      strlen(key), 0, 0);
    }
    return F2L_OK;
}

/* Returns the state with an id of its own, or F2L_NO_INDEX. */
static size_t find_by_id(const xstate *x, const char *id)
{
    const char *name;
    json_t *value;
    json_object_foreach(x->states, name, value)
    {
        const json_t *own = json_object_get(value, "id");
        if (json_is_string(own) && strcmp(json_string_value(own), id) == 0)
            return f2l_names_find(&x->chart.nfa->states, name, strlen(name));
    }
    return F2L_NO_INDEX;
}

/* Finds the state of a target: its name, ".name", "#id", or "#machine.name". */
static f2l_status find_target(size_t *out, const xstate *x, const char *where, const char *target,
                              f2l_error *err)
{
    const f2l_names *states = &x->chart.nfa->states;
    const size_t n = strlen(x->id);
    const char *name = target;
    if (target[0] == '#') *out = find_by_id(x, target + 1);
    if (target[0] == '#' && *out != F2L_NO_INDEX) return F2L_OK;
    if (target[0] == '#' && n > 0 && strncmp(target + 1, x->id, n) == 0 && target[n + 1] == '.')
        name = target + n + 2;
    else if (target[0] == '.')
        name = target + 1;
    *out = f2l_names_find(states, name, strlen(name));
    return *out == F2L_NO_INDEX
               ? refuse_in_chart(x, where, target, "is no state of the machine", err)
               : F2L_OK;
}

/* Reads the value of an event: sets *to to the state that it leads to, which is `from` where it
 * names none. */
static f2l_status read_chart_target(xstate *x, size_t from, json_t *value, size_t *to,
                                    f2l_error *err)
{
    static const char *const read[] = {"target", NULL}, *const left[] = {"actions", NULL};
    const char *where = f2l_names_get(&x->chart.nfa->states, from);
    if (json_is_array(value) && json_array_size(value) > 1)
        return refuse_in_chart(x, where, "on", "has several transitions for one event", err);
    if (json_is_array(value)) value = json_array_get(value, 0);
    if (json_is_object(value)) {
        const f2l_status status = check_chart_keys(x, value, where, read, left, err);
        if (status != F2L_OK) return status;
        value = json_object_get(value, "target");
    }
    if (json_is_array(value) && json_array_size(value) == 1) value = json_array_get(value, 0);
    *to = from;
    if (!value || json_is_null(value)) return F2L_OK;
    if (!json_is_string(value))
        return refuse_in_chart(x, where, "on", "has a target that is no name of one state", err);
    return find_target(to, x, where, json_string_value(value), err);
}

/* Adds the moves of a state: first those with names, then the one for any other event. */
static f2l_status read_chart_moves(xstate *x, size_t from, json_t *on, f2l_error *err)
{
    const char *event, *where = f2l_names_get(&x->chart.nfa->states, from);
    json_t *value;
    size_t letter, to = from;
    f2l_status status = F2L_OK;
    if (!json_is_object(on))
        return refuse_in_chart(x, where, "on", "has no object of events and targets", err);
    json_object_foreach(on, event, value)
    {
        if (strcmp(event, "*") == 0) continue;
        if (event[0] == '\0' || strchr(event, '*'))
            return refuse_in_chart(x, where, event, "is no event that is read", err);
        status = read_chart_target(x, from, value, &to, err);
        if (status == F2L_OK)
            status = f2l_nfa_letter(x->chart.nfa, event, strlen(event), &letter, err);
        if (status == F2L_OK) status = f2l_flat_add(&x->chart, from, letter, to, err);
        if (status != F2L_OK) return status;
    }
    value = json_object_get(on, "*");
    if (value) status = read_chart_target(x, from, value, &to, err);
    if (value && status == F2L_OK) status = f2l_flat_add(&x->chart, from, F2L_FLAT_ANY, to, err);
    return status;
}

static f2l_status read_chart_state(xstate *x, size_t state, json_t *value, f2l_error *err)
{
    static const char *const read[] = {"on", "type", NULL}, *const left[] = {"entry", "exit",
                                                                             "data", "output",
                                                                             NULL};
    const char *name = f2l_names_get(&x->chart.nfa->states, state);
    if (!json_is_object(value)) return refuse_in_chart(x, "states", name, "is no object", err);
    f2l_status status = check_chart_keys(x, value, name, read, left, err);
    json_t *type = json_object_get(value, "type"), *on = json_object_get(value, "on");
    const char *text = json_is_string(type) ? json_string_value(type) : type ? "" : "atomic";
    x->chart.final[state] = strcmp(text, "final") == 0;
    if (status == F2L_OK && !x->chart.final[state] && strcmp(text, "atomic") != 0)
        status = refuse_in_chart(x, name, text, "is no type that is read; expected atomic or final",
                                 err);
    if (status == F2L_OK && x->chart.final[state] && json_object_size(on) > 0)
        status =
            refuse_in_chart(x, name, "on", "is in a final state, which has no transitions", err);
    return status == F2L_OK && on ? read_chart_moves(x, state, on, err) : status;
}

static f2l_status read_machine(xstate *x, json_t *root, f2l_error *err)
{
    static const char *const read[] = {"initial", "states", "type", NULL}, *const left[] = {
                                                                               "context", "entry",
                                                                               "exit", "output",
                                                                               NULL};
    json_t *states = json_object_get(root, "states"), *initial = json_object_get(root, "initial"),
           *type = json_object_get(root, "type"), *value;
    f2l_nfa *nfa = x->chart.nfa;
    const char *name;
    size_t state = 0;
    x->states = states;
    if (!json_is_string(initial))
        return f2l_fail(err, F2L_EFORMAT,
                        "\"states\" is an object: expected a list of names or, for an XState "
                        "machine, \"initial\", the name of a state");
    f2l_status status = check_chart_keys(x, root, "XState", read, left, err);
    if (status == F2L_OK && type &&
        !(json_is_string(type) && strcmp(json_string_value(type), "compound") == 0))
        status = refuse_in_chart(x, "XState", "type", "is read as \"compound\" only", err);
    if (status != F2L_OK) return status;
    json_object_foreach(states, name, value)
    {
        status = f2l_nfa_state(nfa, name, strlen(name), &state, err);
        if (status != F2L_OK) return status;
    }
    status = find_target(&x->chart.start, x, "initial", json_string_value(initial), err);
    x->chart.final = f2l_calloc(nfa->states.count, sizeof *x->chart.final);
    if (!x->chart.final) return f2l_fail_memory(err);
    state = 0;
    json_object_foreach(states, name, value)
    {
        if (status == F2L_OK) status = read_chart_state(x, state++, value, err);
    }
    f2l_import_source(nfa, "XState");
    return status == F2L_OK ? f2l_flat_finish(&x->chart, err) : status;
}

f2l_status f2l_import_xstate(f2l_nfa *out, struct json_t *root, const char *bytes, size_t size,
                             const f2l_read_as *as, f2l_error *err)
{
    json_t *id = json_object_get(root, "id");
    xstate x = {.chart = {.nfa = out},
                .id = json_is_string(id) ? json_string_value(id) : "",
                .bytes = bytes,
                .size = size};
    f2l_status status =
        f2l_read_as_check(as, 1u << F2L_LABELS_LETTERS, false, "XState machines", err);
    if (status == F2L_OK) status = read_machine(&x, root, err);
    f2l_flat_clear(&x.chart);
    return status;
}
