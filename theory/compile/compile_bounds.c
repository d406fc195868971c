/* Upper bounds on a network, and the messages when no network built here is within them. */
#include "theory/compile/impl.h"
#include <stdio.h>
#include <string.h>

#define NEAREST 4

static size_t formats_of(const f2l_compile_bounds *bounds)
{
    size_t n = 0;
    while (n < F2L_MAX_FORMATS && bounds->exact_in[n]) n++;
    return n;
}

bool f2l_compile_figures_within(char *text, size_t size, const f2l_compile_figures *least,
                                const f2l_compile_bounds *bounds)
{
    const struct {
        size_t figure, bound;
        const char *noun;
    } row[] = {{least->layers, bounds->layers, "layers"},
               {least->householders, bounds->householders, "factors of a head"},
               {least->key_dim, bounds->key_dim, "key dimensions"}};
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        if (!row[i].bound || row[i].figure <= row[i].bound) continue;
        if (text) snprintf(text, size, "at least %zu %s", row[i].figure, row[i].noun);
        return false;
    }
    return true;
}

/* Returns the verdict in a format of the bounds, and the reason if it is unknown; F2L_UNKNOWN also
 * if the network was not closed in it. */
static f2l_status verdict_in(const f2l_compile_entry *entry, const f2l_format *format,
                             const f2l_compile_options *options, const char **reason)
{
    const f2l_schedule *schedule = f2l_compile_schedule(options);
    *reason = "not closed";
    for (size_t i = 0; i < entry->formats; i++) {
        if (entry->format[i].format != format || entry->format[i].schedule != schedule) continue;
        *reason = entry->format[i].reason;
        return entry->format[i].verdict;
    }
    return F2L_UNKNOWN;
}

bool f2l_compile_entry_within(const f2l_compile_entry *entry, const f2l_compile_options *options)
{
    const f2l_compile_bounds *bounds = &options->bounds;
    const char *reason;
    if (entry->outcome != F2L_COMPILE_BUILT ||
        !f2l_compile_figures_within(NULL, 0, &entry->figures, bounds))
        return false;
    for (size_t i = 0; i < F2L_MAX_FORMATS && bounds->exact_in[i]; i++)
        if (verdict_in(entry, bounds->exact_in[i], options, &reason) != F2L_OK) return false;
    return true;
}

/* How far an entry is from the bounds: the value that each bound would need, 0 where it is kept;
 * the number of missing formats; and whether the entry needs an option when there are no bounds. */
#define MISSES 5
typedef struct miss {
    size_t need[MISSES];
} miss;

static miss miss_of(const f2l_compile_entry *entry, const f2l_compile_options *options)
{
    const f2l_compile_bounds *bounds = &options->bounds;
    const size_t figure[3] = {entry->figures.layers, entry->figures.householders,
                              entry->figures.key_dim};
    const size_t bound[3] = {bounds->layers, bounds->householders, bounds->key_dim};
    miss m = {{0}};
    const char *reason;
    for (size_t i = 0; i < 3; i++) m.need[i] = bound[i] && figure[i] > bound[i] ? figure[i] : 0;
    for (size_t i = 0; i < F2L_MAX_FORMATS && bounds->exact_in[i]; i++)
        m.need[3] += verdict_in(entry, bounds->exact_in[i], options, &reason) != F2L_OK;
    m.need[4] = entry->ask != NULL;
    return m;
}

static bool no_further(const miss *a, const miss *b)
{
    for (size_t i = 0; i < MISSES; i++)
        if (a->need[i] > b->need[i]) return false;
    return true;
}

/* Returns whether no other entry misses the bounds by less and no earlier one by as much. */
static bool is_nearest(const f2l_compile_job *job, size_t at)
{
    const miss mine = miss_of(&job->entry[at], job->base.options);
    for (size_t i = 0; i < job->rows; i++) {
        const f2l_compile_entry *other = &job->entry[i];
        if (i == at || other->outcome != F2L_COMPILE_BUILT || other->exact != F2L_OK) continue;
        const miss theirs = miss_of(other, job->base.options);
        if (no_further(&theirs, &mine) && (i < at || !no_further(&mine, &theirs))) return false;
    }
    return true;
}

static void say_name(f2l_buf *out, const f2l_compile_entry *entry)
{
    f2l_buf_printf(out, "%s%s%s", entry->theorem, entry->variant[0] ? " " : "", entry->variant);
}

/* Appends a text such as "D1 n_h = 1 with --layers 4". */
static void say_miss(f2l_buf *out, const f2l_compile_entry *entry,
                     const f2l_compile_options *options)
{
    static const char *const option[3] = {"--layers", "--householders", "--key-dim"};
    const miss m = miss_of(entry, options);
    const char *reason;
    bool first = true;
    say_name(out, entry);
    for (size_t i = 0; i < 3; i++) {
        if (!m.need[i]) continue;
        f2l_buf_printf(out, "%s%s %zu", first ? " with " : " ", option[i], m.need[i]);
        first = false;
    }
    if (!m.need[3]) return;
    f2l_buf_text(out, first ? " without --exact-in " : " and without --exact-in ");
    first = true;
    for (size_t i = 0; i < F2L_MAX_FORMATS && options->bounds.exact_in[i]; i++) {
        if (verdict_in(entry, options->bounds.exact_in[i], options, &reason) == F2L_OK) continue;
        f2l_buf_printf(out, "%s%s", first ? "" : ",", options->bounds.exact_in[i]->name);
        first = false;
    }
}

/* Returns a format of the bounds in which the verdict is open, if everything else is kept; NULL:
 * none. */
static const char *open_format(const f2l_compile_entry *entry, const f2l_compile_options *options,
                               const char **reason)
{
    const char *name = NULL;
    for (size_t i = 0; i < F2L_MAX_FORMATS && options->bounds.exact_in[i]; i++) {
        const char *why;
        const f2l_status verdict = verdict_in(entry, options->bounds.exact_in[i], options, &why);
        if (verdict == F2L_REFUTED) return NULL;
        if (verdict == F2L_OK || name) continue;
        name = options->bounds.exact_in[i]->name;
        *reason = why;
    }
    return name;
}

/* Returns whether the entry might be within the bounds if there were no limits. */
static bool entry_may_be_within(f2l_buf *out, const f2l_compile_entry *entry,
                                const f2l_compile_options *options)
{
    const char *reason = entry->reason, *format = NULL;
    if (!f2l_compile_figures_within(NULL, 0, &entry->figures, &options->bounds)) return false;
    if (entry->outcome == F2L_COMPILE_BUILT) {
        format = open_format(entry, options, &reason);
        if (!format) return false;
    } else if (entry->outcome != F2L_COMPILE_STOPPED) {
        return false;
    }
    say_name(out, entry);
    f2l_buf_printf(out, "%s%s is UNKNOWN: %.100s", format ? " in " : "", format ? format : "",
                   reason);
    return true;
}

static void say_nearest(f2l_buf *out, const f2l_compile_job *job)
{
    size_t shown = 0, left = 0;
    for (size_t i = 0; i < job->rows; i++) {
        const f2l_compile_entry *entry = &job->entry[i];
        if (entry->outcome != F2L_COMPILE_BUILT || entry->exact != F2L_OK || !is_nearest(job, i))
            continue;
        if (shown == NEAREST) {
            left++;
            continue;
        }
        f2l_buf_text(out, shown++ ? "; " : "; the nearest: ");
        say_miss(out, entry, job->base.options);
    }
    if (left) f2l_buf_printf(out, "; and %zu more", left);
}

/* Returns whether L.10 of theory/pages/ladder.md, with the levels of T4.7, gives a network within
 * the bounds, which is not built. Key dimensions and the rounding of its clock are not examined. */
static bool exists_by_l10(const f2l_compile_job *job)
{
    const f2l_compile_options *o = job->base.options;
    const bool any = (o->target == F2L_COMPILE_ANY || o->target == F2L_COMPILE_ONE) &&
                     o->cascade == F2L_COMPILE_AUTO && !o->naive_keys;
    return any && o->bounds.householders && !o->bounds.key_dim && !formats_of(&o->bounds) &&
           (!o->bounds.layers || o->bounds.layers / 2 >= job->base.states);
}

f2l_status f2l_compile_unmet(const f2l_compile_job *job, f2l_error *err)
{
    const char *beyond = exists_by_l10(job)
                             ? " (one that is not built here does, with n_h = 1: L.10 of "
                               "theory/pages/ladder.md)"
                             : "";
    f2l_buf text;
    bool open = false;
    f2l_buf_init(&text);
    for (size_t i = 0; i < job->rows && !open; i++)
        open = entry_may_be_within(&text, &job->entry[i], job->base.options);
    say_nearest(&text, job);
    f2l_status status = f2l_buf_status(&text, err);
    if (status == F2L_OK && open)
        status = f2l_fail(err, F2L_UNKNOWN,
                          "whether a network that is built here keeps the bounds is not known%s: "
                          "%s",
                          beyond, text.data);
    else if (status == F2L_OK)
        status = f2l_fail(err, F2L_EDOMAIN,
                          "no network that is built here keeps the "
                          "bounds%s%s",
                          beyond, text.data ? text.data : "");
    f2l_buf_clear(&text);
    return status;
}
