/* A work of a table: what it takes of a work.json and of the result, and its shape. */
#include "reports/table/impl.h"
#include <string.h>

typedef enum kind { TEXT, TEXT_OR_NULL, COUNT, COUNT_OR_NULL, TRUTH_OR_NULL, TEXTS, OTHER } kind;

/* A member of a TableWork, and where the results of the main job and of `classify` have it. */
typedef struct member {
    const char *name;
    kind kind;
    bool required;
    const char *compiled, *classified; /* NULL: nowhere */
} member;

#define BOUND(name) "layers_needed." name, "layers_needed." name
static const member members[] = {
    {"job", TEXT, true, NULL, NULL},
    {"options", TEXTS, true, NULL, NULL},
    {"version", TEXT, true, NULL, NULL},
    {"commit", TEXT, true, NULL, NULL},
    {"exit_status", COUNT_OR_NULL, true, NULL, NULL},
    {"verdict", TEXT, false, "exact.verdict", NULL},
    {"checked", TEXT, false, NULL, NULL},
    {"how", TEXT_OR_NULL, false, "exact.how", NULL},
    {"statement", TEXT_OR_NULL, false, "exact.statement", NULL},
    {"reason", TEXT_OR_NULL, true, "exact.reason", "reason"},
    {"states", COUNT, false, NULL, NULL}, /* say_states */
    {"letters", COUNT_OR_NULL, false, "automaton.letters", "automaton.letters"},
    {"theorem", TEXT_OR_NULL, false, "construction.theorem", NULL},
    {"layers", COUNT_OR_NULL, false, "construction.layers", NULL},
    {"heads", COUNT, false, "construction.heads", NULL},
    {"householders", COUNT_OR_NULL, false, "construction.householders", NULL},
    {"key_dim", COUNT_OR_NULL, false, "construction.key_dim", NULL},
    {"layers_at_least", COUNT_OR_NULL, false, BOUND("layers_at_least")},
    {"least_by", TEXT_OR_NULL, false, BOUND("least_by")},
    {"scope", TEXT_OR_NULL, false, BOUND("scope")},
    {"most_layers", COUNT_OR_NULL, false, BOUND("most_layers")},
    {"aperiodic", TRUTH_OR_NULL, false, NULL, "aperiodic"},
    {"solvable", TRUTH_OR_NULL, false, NULL, "solvable"},
    {"can_track", TEXTS, false, NULL, NULL},
    {"cannot_track", TEXTS, false, NULL, NULL},
    {"open_classes", TEXTS, false, NULL, NULL},
    {"schedules", OTHER, false, NULL, NULL},
    {"made_sha256", TEXT_OR_NULL, true, NULL, NULL},
    {"checked_sha256", TEXT_OR_NULL, false, NULL, NULL},
    {"cost", OTHER, true, NULL, NULL},
    {"folders", TEXTS, true, NULL, NULL}};
#define MEMBERS (sizeof members / sizeof *members)

bool f2l_table_takes(const char *name, size_t size)
{
    /* where members are, and what else is looked at; the last name of a path is the member's own */
    static const char *const others[] = {
        "exact",   "construction", "layers_needed", "automaton", "minimised_states",
        "classes", "class",        "answer",        "formats",   "schedule",
        "report",  "tool",         "line",          NULL};
    for (size_t i = 0; i < MEMBERS; i++)
        if (members[i].name[0] == name[0] && strncmp(members[i].name, name, size) == 0 &&
            !members[i].name[size])
            return true;
    return f2l_text_is_any(name, size, others);
}

const json_t *f2l_table_at(const json_t *value, const char *path)
{
    char name[64];
    while (value && *path) {
        const size_t size = strcspn(path, ".");
        if (size >= sizeof name) return NULL;
        memcpy(name, path, size);
        name[size] = '\0';
        value = json_object_get(value, name);
        path += size + (path[size] == '.');
    }
    return value;
}

/* --- the shape --- */

bool f2l_table_is_texts(const json_t *value)
{
    if (!json_is_array(value)) return false;
    for (size_t i = 0; i < json_array_size(value); i++)
        if (!json_is_string(json_array_get(value, i))) return false;
    return true;
}

static bool is_verdict(const json_t *value)
{
    const char *text = json_string_value(value);
    return text && (strcmp(text, "VERIFIED") == 0 || strcmp(text, "REFUTED") == 0 ||
                    strcmp(text, "UNKNOWN") == 0);
}

static bool is_null_or_text(const json_t *value)
{
    return json_is_null(value) || json_is_string(value);
}

static bool is_null_or_number(const json_t *value)
{
    return json_is_null(value) || (json_is_number(value) && json_number_value(value) >= 0);
}

static bool is_cost(const json_t *value)
{
    return json_is_null(value) ||
           (json_object_size(value) == 4 && is_null_or_text(json_object_get(value, "host")) &&
            is_null_or_number(json_object_get(value, "seconds")) &&
            is_null_or_number(json_object_get(value, "cpu_seconds")) &&
            is_null_or_number(json_object_get(value, "memory_mib")));
}

static bool is_schedules(const json_t *value)
{
    if (!json_is_array(value)) return false;
    for (size_t i = 0; i < json_array_size(value); i++) {
        const json_t *one = json_array_get(value, i);
        if (json_object_size(one) != 3 || !json_is_string(json_object_get(one, "schedule")) ||
            !is_verdict(json_object_get(one, "verdict")) ||
            !is_null_or_text(json_object_get(one, "reason")))
            return false;
    }
    return true;
}

static bool is_count(const json_t *value)
{
    return json_is_integer(value) && json_integer_value(value) >= 0;
}

static bool fits_kind(const member *m, const json_t *value)
{
    switch (m->kind) {
    case TEXT:
        return json_is_string(value) && (m->required || is_verdict(value));
    case TEXT_OR_NULL:
        return is_null_or_text(value);
    case COUNT:
        return is_count(value);
    case COUNT_OR_NULL:
        return json_is_null(value) || is_count(value);
    case TRUTH_OR_NULL:
        return json_is_null(value) || json_is_boolean(value);
    case TEXTS:
        return f2l_table_is_texts(value);
    default:
        return strcmp(m->name, "cost") == 0 ? is_cost(value) : is_schedules(value);
    }
}

bool f2l_table_is_work(const json_t *value)
{
    size_t known = 0;
    if (!json_is_object(value)) return false;
    for (size_t i = 0; i < MEMBERS; i++) {
        const json_t *one = json_object_get(value, members[i].name);
        if (one ? !fits_kind(&members[i], one) : members[i].required) return false;
        known += one != NULL;
    }
    return known == json_object_size(value);
}

/* --- taking it from a result --- */

static int rank_verdict(const char *verdict)
{
    return strcmp(verdict, "VERIFIED") == 0 ? 0 : strcmp(verdict, "UNKNOWN") == 0 ? 1 : 2;
}

/* Puts, for every schedule, the worst verdict of its formats, with the reason. */
static void say_schedules(f2l_fact in, const json_t *formats)
{
    json_t *list = json_array();
    for (size_t i = 0; i < json_array_size(formats); i++) {
        json_t *f = json_array_get(formats, i), *schedule = json_object_get(f, "schedule"), *one;
        json_t *verdict = json_object_get(f, "verdict"), *reason = json_object_get(f, "reason");
        size_t k = 0;
        if (!json_is_string(schedule) || !is_verdict(verdict)) continue;
        while ((one = json_array_get(list, k)) != NULL &&
               !json_equal(json_object_get(one, "schedule"), schedule))
            k++;
        if (one && rank_verdict(json_string_value(json_object_get(one, "verdict"))) >=
                       rank_verdict(json_string_value(verdict)))
            continue;
        json_t *new = json_pack("{s:O, s:O, s:O?}", "schedule", schedule, "verdict", verdict,
                                "reason", json_is_string(reason) ? reason : NULL);
        if (new && !json_object_get(new, "reason")) json_object_set_new(new, "reason", json_null());
        if ((one ? json_array_set_new(list, k, new) : json_array_append_new(list, new)) == 0)
            continue;
        json_decref(list);
        list = NULL;
        break;
    }
    f2l_say_json(in, "schedules", list);
}

/* Puts the classes whose answer begins like this: `can` also begins `cannot`. */
static void say_classes(f2l_fact in, const char *name, const json_t *classes, int answer)
{
    const f2l_fact list = f2l_say_list(in, name);
    for (size_t i = 0; i < json_array_size(classes); i++) {
        const json_t *one = json_array_get(classes, i);
        const char *class = json_string_value(json_object_get(one, "class"));
        const char *text = json_string_value(json_object_get(one, "answer"));
        if (!class || !text) continue;
        const int found = strncmp(text, "cannot", 6) == 0 ? 1
                          : strncmp(text, "can", 3) == 0  ? 0
                                                          : 2;
        if (found == answer) f2l_say_text(list, NULL, class);
    }
}

/* Puts the number of states: of the minimal automaton where the result tells it, since files that
 * share the row may have other numbers. */
static void say_states(f2l_fact in, const json_t *result)
{
    const json_t *states = f2l_table_at(result, "construction.minimised_states");
    if (!is_count(states)) states = f2l_table_at(result, "automaton.states");
    if (is_count(states)) f2l_say_json(in, "states", json_deep_copy(states));
}

/* Puts the members of the table that the result has. */
static void say_result(f2l_fact in, const json_t *result, bool classified)
{
    for (size_t i = 0; i < MEMBERS; i++) {
        const char *path = classified ? members[i].classified : members[i].compiled;
        const json_t *value = path ? f2l_table_at(result, path) : NULL;
        if (value && !members[i].required && fits_kind(&members[i], value))
            f2l_say_json(in, members[i].name, json_deep_copy(value));
    }
}

/* Puts why the work is not decided: the reason of the result, or the reason of the record. */
static void say_reason(f2l_fact in, const json_t *record, const json_t *result, bool classified)
{
    const json_t *reason = f2l_table_at(result, classified ? "reason" : "exact.reason");
    if (!json_is_string(reason)) reason = json_object_get(record, "reason");
    f2l_say_text(in, "reason", json_string_value(reason));
}

static void say_cost(f2l_fact in, const json_t *record)
{
    static const char *const names[] = {"seconds", "cpu_seconds", "memory_mib"};
    const f2l_fact cost = f2l_say_object(in, "cost");
    f2l_say_text(cost, "host", json_string_value(json_object_get(record, "host")));
    for (size_t i = 0; i < 3; i++) {
        const json_t *value = json_object_get(record, names[i]);
        if (json_is_number(value))
            f2l_say_number(cost, names[i], json_number_value(value));
        else
            f2l_say_null(cost, names[i]);
    }
}

/* Puts the answer of a checker, the worse one of its line and its exit status, and what it
 * checked. */
static void say_checked(f2l_fact in, const json_t *record, const json_t *result)
{
    const json_t *status = json_object_get(record, "exit_status");
    const json_t *inputs = json_object_get(record, "inputs");
    const json_int_t code = json_is_integer(status) ? json_integer_value(status) : 2;
    const char *line = json_string_value(json_object_get(result, "line"));
    const bool verified = line && strncmp(line, "s VERIFIED ", 11) == 0;
    const bool refuted = line && strncmp(line, "s NOT VERIFIED", 14) == 0;
    f2l_say_text(in, "checked",
                 code == 1 || refuted    ? "REFUTED"
                 : code == 0 && verified ? "VERIFIED"
                                         : "UNKNOWN");
    f2l_say_text(in, "checked_sha256",
                 json_array_size(inputs) > 0
                     ? json_string_value(json_object_get(json_array_get(inputs, 0), "sha256"))
                     : NULL);
}

static const char *text_or_empty(const json_t *record, const char *name)
{
    const char *text = json_string_value(json_object_get(record, name));
    return text ? text : "";
}

json_t *f2l_table_work_of(const json_t *record, const json_t *result, const char *folder)
{
    f2l_facts facts;
    f2l_error err;
    const char *report = json_string_value(json_object_get(result, "report"));
    const bool classified = report && strcmp(report, "classify") == 0;
    const bool checked = report && strcmp(report, "line") == 0;
    json_t *settings = json_object_get(record, "settings");
    const json_t *status = json_object_get(record, "exit_status");
    f2l_facts_init(&facts);
    const f2l_fact root = f2l_facts_root(&facts);
    f2l_say_text(root, "job", text_or_empty(record, "job"));
    f2l_say_json(root, "options",
                 f2l_table_is_texts(settings) ? json_deep_copy(settings) : json_array());
    f2l_say_text(root, "version", text_or_empty(record, "version"));
    f2l_say_text(root, "commit", text_or_empty(record, "commit"));
    f2l_say_known(root, "exit_status", is_count(status), (uint64_t)json_integer_value(status));
    if (checked) say_checked(root, record, result);
    f2l_say_text(root, "made_sha256", json_string_value(json_object_get(record, "made_sha256")));
    say_states(root, result);
    say_result(root, result, classified);
    say_reason(root, record, result, classified);
    if (classified) {
        const json_t *classes = json_object_get(result, "classes");
        say_classes(root, "can_track", classes, 0);
        say_classes(root, "cannot_track", classes, 1);
        say_classes(root, "open_classes", classes, 2);
    }
    if (json_is_array(json_object_get(result, "formats")))
        say_schedules(root, json_object_get(result, "formats"));
    say_cost(root, record);
    f2l_say_text(f2l_say_list(root, "folders"), NULL, folder);
    json_t *work = f2l_facts_status(&facts, &err) == F2L_OK ? json_incref(facts.root) : NULL;
    f2l_facts_clear(&facts);
    return work;
}
