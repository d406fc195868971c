#include "cli/options.h"
#include "numeric/base/text.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define GLOBAL(field) offsetof(f2l_global, field)

const f2l_option f2l_global_options[] = {
    {"json", 0, F2L_OPTION_FLAG, NULL, NULL, 0, 0, GLOBAL(json),
     "print JSON instead of readable text"},
    {"quiet", 0, F2L_OPTION_FLAG, NULL, NULL, 0, 0, GLOBAL(quiet),
     "no progress, no warnings and no summary"},
    {"jobs", 0, F2L_OPTION_NUMBER, "N", NULL, 1, 1024, GLOBAL(jobs),
     "threads that may be used (default: the number of processors)"},
    {"memory", 0, F2L_OPTION_SIZE, "SIZE", NULL, 1 << 20, (uint64_t)1 << 50, GLOBAL(memory),
     "memory that the process may take, such as 500M or 2G (default: no limit); it holds "
     "within 10 % or 64 MiB, and verdicts not reached by then are UNKNOWN"},
    {"time-limit", 0, F2L_OPTION_SECONDS, "TIME", NULL, 0, 0, GLOBAL(time_limit),
     "end the work after this time, such as 90 (seconds), 10m or 1.5h (default: never); it "
     "holds within 10 % or 1 s, and verdicts not reached by then are UNKNOWN"},
    {"help", 'h', F2L_OPTION_FLAG, NULL, NULL, 0, 0, GLOBAL(help), "print this text"},
    {"version", 0, F2L_OPTION_FLAG, NULL, NULL, 0, 0, GLOBAL(version),
     "print the versions of the program and of its libraries"},
    {NULL, 0, F2L_OPTION_FLAG, NULL, NULL, 0, 0, 0, NULL}};

size_t f2l_options_distance(const char *a, const char *b)
{
    size_t row[65], m = strlen(a), n = strlen(b);
    if (m > 64) m = 64;
    if (n > 64) n = 64;
    for (size_t j = 0; j <= n; j++) row[j] = j;
    for (size_t i = 1; i <= m; i++) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= n; j++) {
            size_t best = diagonal + (a[i - 1] != b[j - 1]);
            if (row[j] + 1 < best) best = row[j] + 1;
            if (row[j - 1] + 1 < best) best = row[j - 1] + 1;
            diagonal = row[j];
            row[j] = best;
        }
    }
    return row[n];
}

/* Finds an option by name, or by letter when name is NULL. */
static const f2l_option *find(const f2l_option *table, const char *name, size_t size, char letter)
{
    for (; table && table->name; table++) {
        if (name ? strlen(table->name) == size && memcmp(table->name, name, size) == 0
                 : table->letter == letter)
            return table;
    }
    return NULL;
}

/* Returns the option name of all tables nearest to `name`, or NULL when none is near. */
static const char *nearest(const f2l_command *command, const char *name)
{
    const f2l_option *tables[3] = {command->options, command->shared, f2l_global_options};
    const char *found = NULL;
    size_t best = strlen(name) / 3 + 2;
    for (size_t t = 0; t < 3; t++) {
        for (const f2l_option *o = tables[t]; o && o->name; o++) {
            size_t distance = f2l_options_distance(o->name, name);
            if (distance < best) {
                best = distance;
                found = o->name;
            }
        }
    }
    return found;
}

static bool usage(f2l_error *err, const char *what, const char *name, const char *suggestion)
{
    if (suggestion) {
        f2l_fail(err, F2L_EDOMAIN, "%s '%s'; did you mean '--%s'?", what, name, suggestion);
    } else {
        f2l_fail(err, F2L_EDOMAIN, "%s '%s'", what, name);
    }
    return false;
}

static bool read_number(uint64_t *out, const char *text, const char **end)
{
    if (*text < '0' || *text > '9') return false;
    errno = 0;
    char *stop;
    unsigned long long value = strtoull(text, &stop, 10);
    if (errno == ERANGE) return false;
    *out = value;
    *end = stop;
    return true;
}

bool f2l_options_number(uint64_t *out, const char *text)
{
    const char *end;
    return read_number(out, text, &end) && *end == '\0';
}

static bool set_number(const f2l_option *o, uint64_t *field, const char *text, f2l_error *err)
{
    uint64_t value;
    if (!f2l_options_number(&value, text) || value < o->minimum || value > o->maximum) {
        f2l_fail(err, F2L_EDOMAIN, "--%s takes a number from %llu to %llu, not '%s'", o->name,
                 (unsigned long long)o->minimum, (unsigned long long)o->maximum, text);
        return false;
    }
    *field = value;
    return true;
}

static bool set_size(const f2l_option *o, uint64_t *field, const char *text, f2l_error *err)
{
    static const char units[] = "KMGT";
    uint64_t value;
    const char *end;
    bool good = read_number(&value, text, &end);
    if (good && *end) {
        const char *unit = strchr(units, *end);
        unsigned shift = unit ? 10 * (unsigned)(unit - units + 1) : 0;
        good = unit && end[1] == '\0' && value <= (UINT64_MAX >> shift);
        if (good) value <<= shift;
    }
    if (!good || value < o->minimum || value > o->maximum) {
        f2l_fail(err, F2L_EDOMAIN,
                 "--%s takes a size such as 500M or 2G (at least %lluK), not '%s'", o->name,
                 (unsigned long long)(o->minimum >> 10), text);
        return false;
    }
    *field = value;
    return true;
}

static bool set_seconds(const f2l_option *o, double *field, const char *text, f2l_error *err)
{
    char *end = NULL;
    double value = *text >= '0' && *text <= '9' ? strtod(text, &end) : 0;
    if (end && *end && end[1] == '\0') {
        double unit = *end == 's' ? 1 : *end == 'm' ? 60 : *end == 'h' ? 3600 : 0;
        value *= unit;
        end++;
    }
    if (!end || *end || !(value > 0) || value > 1e9) {
        f2l_fail(err, F2L_EDOMAIN, "--%s takes seconds such as 90, 10m or 1.5h, not '%s'", o->name,
                 text);
        return false;
    }
    *field = value;
    return true;
}

static bool set_real(const f2l_option *o, double *field, const char *text, f2l_error *err)
{
    char *end = NULL;
    const double value = *text >= '0' && *text <= '9' ? strtod(text, &end) : -1;
    const bool decimal = text[strspn(text, "0123456789.eE+-")] == '\0';
    if (!end || *end || !decimal || !(value >= (double)o->minimum && value <= (double)o->maximum)) {
        f2l_fail(err, F2L_EDOMAIN,
                 "--%s takes a number from %llu to %llu such as 0.5 or 1e-3, not '%s'", o->name,
                 (unsigned long long)o->minimum, (unsigned long long)o->maximum, text);
        return false;
    }
    *field = value;
    return true;
}

static size_t find_choice(const f2l_option *o, const char *text, size_t size)
{
    for (size_t i = 0; o->choice(i); i++) {
        if (strlen(o->choice(i)) == size && memcmp(o->choice(i), text, size) == 0) return i;
    }
    return F2L_NO_CHOICE;
}

static bool bad_choice(const f2l_option *o, const char *text, size_t size, f2l_error *err)
{
    f2l_buf list;
    f2l_buf_init(&list);
    for (size_t i = 0; o->choice(i); i++)
        f2l_buf_printf(&list, "%s%s", i ? ", " : "", o->choice(i));
    f2l_fail(err, F2L_EDOMAIN, "--%s is %s: %s; not '%.*s'", o->name,
             o->kind == F2L_OPTION_CHOICES ? "a list, separated by commas, of" : "one of",
             list.data ? list.data : "", (int)(size > 100 ? 100 : size), text);
    f2l_buf_clear(&list);
    return false;
}

static bool set_choices(const f2l_option *o, f2l_chosen *field, const char *text, f2l_error *err)
{
    field->count = 0;
    for (;;) {
        size_t size = strcspn(text, ","), found = find_choice(o, text, size);
        if (found == F2L_NO_CHOICE) return bad_choice(o, text, size, err);
        for (size_t i = 0; i < field->count; i++) {
            if (field->index[i] != found) continue;
            f2l_fail(err, F2L_EDOMAIN, "--%s names '%s' twice", o->name, o->choice(found));
            return false;
        }
        field->index[field->count++] = found;
        if (!text[size]) return true;
        text += size + 1;
    }
}

static bool set_value(const f2l_option *o, void *record, const char *text, f2l_error *err)
{
    void *field = (char *)record + o->offset;
    switch (o->kind) {
    case F2L_OPTION_FLAG:
        *(bool *)field = true;
        return true;
    case F2L_OPTION_TEXT:
    case F2L_OPTION_FILE:
        *(const char **)field = text;
        return true;
    case F2L_OPTION_NUMBER:
        return set_number(o, field, text, err);
    case F2L_OPTION_SIZE:
        return set_size(o, field, text, err);
    case F2L_OPTION_SECONDS:
        return set_seconds(o, field, text, err);
    case F2L_OPTION_REAL:
        return set_real(o, field, text, err);
    case F2L_OPTION_CHOICE: {
        size_t found = find_choice(o, text, strlen(text));
        if (found == F2L_NO_CHOICE) return bad_choice(o, text, strlen(text), err);
        *(size_t *)field = found;
        return true;
    }
    case F2L_OPTION_CHOICES:
        return set_choices(o, field, text, err);
    }
    return false;
}

/* Returns the option that an argument names: one of the command (NULL: it has none), or a global
 * one; and its inline value (--name=value, -ovalue). */
static const f2l_option *match(const f2l_command *command, const char *argument, bool *is_global,
                               const char **inline_value)
{
    const bool is_long = argument[1] == '-';
    const char *name = is_long ? argument + 2 : NULL;
    const size_t size = is_long ? strcspn(name, "=") : 0;
    *inline_value = NULL;
    if (is_long && name[size] == '=') *inline_value = name + size + 1;
    if (!is_long && argument[2]) *inline_value = argument + 2;
    const f2l_option *o = command ? find(command->options, name, size, argument[1]) : NULL;
    if (!o && command) o = find(command->shared, name, size, argument[1]);
    *is_global = !o;
    return o ? o : find(f2l_global_options, name, size, argument[1]);
}

static bool unknown(const f2l_command *command, const char *argument, f2l_error *err)
{
    char name[65];
    size_t size = strcspn(argument, "=");
    if (size > sizeof name - 1) size = sizeof name - 1;
    memcpy(name, argument, size);
    name[size] = '\0';
    const char *bare = name[1] == '-' ? name + 2 : name + 1;
    return usage(err, "unknown option", name, *bare ? nearest(command, bare) : NULL);
}

bool f2l_options_parse(const f2l_command *command, int argc, char **argv, void *values,
                       f2l_global *global, size_t *operands, f2l_error *err)
{
    size_t count = 0;
    bool only_operands = false;
    for (int i = 0; i < argc; i++) {
        char *argument = argv[i];
        if (only_operands || argument[0] != '-' || argument[1] == '\0') {
            argv[count++] = argument;
            continue;
        }
        if (strcmp(argument, "--") == 0) {
            only_operands = true;
            continue;
        }
        bool is_global;
        const char *value;
        const f2l_option *o = match(command, argument, &is_global, &value);
        if (!o) return unknown(command, argument, err);
        if (o->kind == F2L_OPTION_FLAG && value)
            return usage(err, "no value belongs to", argument, NULL);
        if (o->kind != F2L_OPTION_FLAG && !value) {
            if (i + 1 == argc) return usage(err, "a value is missing after", argument, NULL);
            value = argv[++i];
        }
        if (!set_value(o, is_global ? (void *)global : values, value, err)) return false;
    }
    *operands = count;
    return true;
}

int f2l_options_leading(int argc, char **argv)
{
    int i = 0;
    while (i < argc && argv[i][0] == '-' && argv[i][1] && strcmp(argv[i], "--") != 0) {
        bool is_global;
        const char *value;
        const f2l_option *o = match(NULL, argv[i], &is_global, &value);
        if (!o) break;
        i += o->kind != F2L_OPTION_FLAG && !value ? 2 : 1;
    }
    return i < argc ? i : argc;
}
