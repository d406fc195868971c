/* The columns of a table for people: one line for each row, or for each set of options. */
#include "reports/table/impl.h"
#include <string.h>

static const char *job_of(const json_t *work)
{
    return json_string_value(json_object_get(work, "job"));
}

/* Returns how many works from `at` on have one job; they are neighbours. */
static size_t works_of_job(const json_t *works, size_t at)
{
    size_t end = at + 1;
    while (end < json_array_size(works) &&
           strcmp(job_of(json_array_get(works, end)), job_of(json_array_get(works, at))) == 0)
        end++;
    return end - at;
}

/* Returns the work of the job, whose `count` works begin at `from`, that the line has, or NULL: a
 * job with one work is in every line of its row, otherwise line i has its work i. */
static const json_t *work_of_job(const json_t *works, size_t from, size_t count, size_t variant)
{
    const size_t i = count == 1 ? 0 : variant;
    return i < count ? json_array_get(works, from + i) : NULL;
}

/* Returns whether a work of the row made what the work checked; such a check is told with that work
 * and with no other one, because another network is not checked. */
static bool is_check_of_row(const json_t *work, const json_t *works)
{
    const json_t *checked = json_object_get(work, "checked_sha256");
    for (size_t i = 0; json_is_string(checked) && i < json_array_size(works); i++)
        if (json_equal(json_object_get(json_array_get(works, i), "made_sha256"), checked))
            return true;
    return false;
}

/* Returns whether the line has a work that made what the work checked. */
static bool is_check_of_line(const json_t *work, const f2l_table_line *line)
{
    const json_t *works = json_object_get(line->row, "works");
    const json_t *checked = json_object_get(work, "checked_sha256");
    for (size_t from = 0, count; from < json_array_size(works); from += count) {
        count = works_of_job(works, from);
        const json_t *one = work_of_job(works, from, count, line->variant);
        if (one && json_equal(json_object_get(one, "made_sha256"), checked)) return true;
    }
    return false;
}

/* Returns the next work of the line, or NULL, and moves *at past it: one of each job, and all
 * checks of their networks. */
static const json_t *next_work(size_t *at, const f2l_table_line *line)
{
    const json_t *works = json_object_get(line->row, "works");
    while (*at < json_array_size(works)) {
        const size_t from = *at;
        const json_t *work = json_array_get(works, from);
        const bool owned = is_check_of_row(work, works);
        *at += owned ? 1 : works_of_job(works, from);
        if (!owned) work = work_of_job(works, from, *at - from, line->variant);
        if (work && (!owned || is_check_of_line(work, line))) return work;
    }
    return NULL;
}

size_t f2l_table_lines(const json_t *row)
{
    const json_t *works = json_object_get(row, "works");
    size_t most = 1;
    for (size_t at = 0; at < json_array_size(works);) {
        const size_t count = works_of_job(works, at);
        if (count > most && !is_check_of_row(json_array_get(works, at), works)) most = count;
        at += count;
    }
    return most;
}

static void put_separated(f2l_buf *out, size_t from, const char *separator, const char *text)
{
    if (out->size > from) f2l_buf_text(out, separator);
    f2l_buf_text(out, text);
}

static void lay_texts(f2l_buf *out, const json_t *list)
{
    const size_t from = out->size;
    for (size_t i = 0; i < json_array_size(list); i++)
        put_separated(out, from, " ", json_string_value(json_array_get(list, i)));
}

static void lay_value(f2l_buf *out, const json_t *value)
{
    if (json_is_string(value)) f2l_buf_text(out, json_string_value(value));
    if (json_is_integer(value)) f2l_buf_size(out, (size_t)json_integer_value(value));
    if (json_is_boolean(value)) f2l_buf_text(out, json_is_true(value) ? "yes" : "no");
    if (json_is_array(value)) lay_texts(out, value);
}

/* Appends the fact of the first work that has it. */
static void lay_fact(f2l_buf *out, const char *path, const f2l_table_line *line)
{
    size_t at = 0;
    for (const json_t *work; (work = next_work(&at, line)) != NULL;) {
        const json_t *value = f2l_table_at(work, path);
        if (!value || json_is_null(value)) continue;
        lay_value(out, value);
        return;
    }
}

static void lay_automaton(f2l_buf *out, const f2l_table_line *line)
{
    lay_texts(out, json_object_get(line->row, "hashes"));
}

static void lay_jobs(f2l_buf *out, const f2l_table_line *line)
{
    size_t at = 0;
    const size_t from = out->size;
    for (const json_t *work; (work = next_work(&at, line)) != NULL;)
        put_separated(out, from, " ", job_of(work));
}

static void lay_options(f2l_buf *out, const f2l_table_line *line)
{
    size_t at = 0;
    const size_t from = out->size;
    for (const json_t *work; (work = next_work(&at, line)) != NULL;) {
        const json_t *options = json_object_get(work, "options");
        if (json_array_size(options) == 0) continue;
        put_separated(out, from, "; ", job_of(work));
        f2l_buf_text(out, " ");
        lay_texts(out, options);
    }
}

/* Appends the names of the files; where there are none, as of a run, what tells the row apart. */
static void lay_files(f2l_buf *out, const f2l_table_line *line)
{
    const json_t *list = json_object_get(line->row, "sources");
    const size_t from = out->size;
    const json_t *last = NULL;
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *path = json_object_get(json_array_get(list, i), "path");
        if (!last || !json_equal(path, last))
            put_separated(out, from, " ", json_string_value(path));
        last = path;
    }
    if (json_array_size(list) == 0) lay_options(out, line);
}

/* Appends each version with its commit once. */
static void lay_version(f2l_buf *out, const f2l_table_line *line)
{
    size_t at = 0;
    const size_t from = out->size;
    for (const json_t *work; (work = next_work(&at, line)) != NULL;) {
        f2l_buf one;
        f2l_buf_init(&one);
        f2l_buf_printf(&one, "%s %s", json_string_value(json_object_get(work, "version")),
                       json_string_value(json_object_get(work, "commit")));
        if (one.failed)
            out->failed = true;
        else if (out->size == from || !strstr(out->data + from, one.data))
            put_separated(out, from, "; ", one.data);
        f2l_buf_clear(&one);
    }
}

static void lay_schedules(f2l_buf *out, const f2l_table_line *line)
{
    size_t at = 0;
    const size_t from = out->size;
    for (const json_t *work; (work = next_work(&at, line)) != NULL;) {
        const json_t *list = json_object_get(work, "schedules");
        for (size_t i = 0; i < json_array_size(list); i++) {
            const json_t *one = json_array_get(list, i);
            put_separated(out, from, " ", json_string_value(json_object_get(one, "schedule")));
            f2l_buf_printf(out, "=%s", json_string_value(json_object_get(one, "verdict")));
        }
    }
}

/* Appends the reasons of all works that have one, each with its job. */
static void lay_reason(f2l_buf *out, const f2l_table_line *line)
{
    size_t at = 0;
    const size_t from = out->size;
    for (const json_t *work; (work = next_work(&at, line)) != NULL;) {
        const char *reason = json_string_value(json_object_get(work, "reason"));
        if (!reason) continue;
        put_separated(out, from, "; ", job_of(work));
        f2l_buf_printf(out, ": %s", reason);
    }
}

/* Returns whether a network of the line has a verdict and no check in the row. */
static bool has_unchecked(const f2l_table_line *line)
{
    size_t at = 0;
    const json_t *works = json_object_get(line->row, "works");
    for (const json_t *work; (work = next_work(&at, line)) != NULL;) {
        bool checked = !json_object_get(work, "verdict");
        for (size_t i = 0; !checked && i < json_array_size(works); i++) {
            const json_t *hash = json_object_get(json_array_get(works, i), "checked_sha256");
            checked =
                json_is_string(hash) && json_equal(hash, json_object_get(work, "made_sha256"));
        }
        if (!checked) return true;
    }
    return false;
}

/* Appends the worst answer of the line's checks: VERIFIED only where all networks were checked. */
static void lay_checked(f2l_buf *out, const f2l_table_line *line)
{
    static const char *const answers[] = {"REFUTED", "UNKNOWN", "VERIFIED"};
    size_t at = 0, worst = 3;
    for (const json_t *work; (work = next_work(&at, line)) != NULL;) {
        const char *answer = json_string_value(json_object_get(work, "checked"));
        for (size_t i = 0; answer && i < worst; i++)
            if (strcmp(answer, answers[i]) == 0) worst = i;
    }
    if (worst < 2 || (worst == 2 && !has_unchecked(line))) f2l_buf_text(out, answers[worst]);
}

/* Appends the sum, or the largest, of a number of the costs. */
static void lay_cost(f2l_buf *out, const f2l_table_line *line, const char *path, bool largest)
{
    size_t at = 0;
    double number = 0;
    bool any = false;
    for (const json_t *work; (work = next_work(&at, line)) != NULL;) {
        const json_t *value = f2l_table_at(work, path);
        if (!json_is_number(value)) continue;
        const double one = json_number_value(value);
        number = !largest ? number + one : one > number ? one : number;
        any = true;
    }
    if (any) f2l_buf_printf(out, largest ? "%.0f" : "%.2f", number);
}

static void lay_seconds(f2l_buf *out, const f2l_table_line *line)
{
    lay_cost(out, line, "cost.seconds", false);
}

static void lay_cpu_seconds(f2l_buf *out, const f2l_table_line *line)
{
    lay_cost(out, line, "cost.cpu_seconds", false);
}

static void lay_memory(f2l_buf *out, const f2l_table_line *line)
{
    lay_cost(out, line, "cost.memory_mib", true);
}

const f2l_table_column f2l_table_columns[] = {
    {"files", "files", NULL, lay_files},
    {"automaton", NULL, NULL, lay_automaton},
    {"jobs", NULL, NULL, lay_jobs},
    {"options", NULL, NULL, lay_options},
    {"states", "states", "states", NULL},
    {"letters", "letters", "letters", NULL},
    {"verdict", "verdict", "verdict", NULL},
    {"how", "how", "how", NULL},
    {"statement", NULL, "statement", NULL},
    {"theorem", "by", "theorem", NULL},
    {"layers", "layers", "layers", NULL},
    {"householders", "n_h", "householders", NULL},
    {"heads", NULL, "heads", NULL},
    {"key_dim", NULL, "key_dim", NULL},
    {"layers_at_least", "at least", "layers_at_least", NULL},
    {"least_by", NULL, "least_by", NULL},
    {"scope", "scope", "scope", NULL},
    {"most_layers", NULL, "most_layers", NULL},
    {"aperiodic", "aperiodic", "aperiodic", NULL},
    {"solvable", NULL, "solvable", NULL},
    {"can_track", NULL, "can_track", NULL},
    {"cannot_track", "cannot", "cannot_track", NULL},
    {"open_classes", "open", "open_classes", NULL},
    {"schedules", "schedules", NULL, lay_schedules},
    {"checked", "checked", NULL, lay_checked},
    {"reason", "reason", NULL, lay_reason},
    {"version", "version", NULL, lay_version},
    {"folders", NULL, "folders", NULL},
    {"seconds", "s", NULL, lay_seconds},
    {"cpu_seconds", "s of CPU", NULL, lay_cpu_seconds},
    {"memory_mib", "MiB", NULL, lay_memory},
    {NULL, NULL, NULL, NULL}};

void f2l_table_lay_cell(f2l_buf *out, const f2l_table_column *column, const f2l_table_line *line)
{
    if (column->path)
        lay_fact(out, column->path, line);
    else
        column->lay(out, line);
}
