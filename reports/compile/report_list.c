/* The constructions that were considered: a table, a few lines of the summary, and JSON. */
#include "reports/compile/report_json.h"
#include "reports/compile/report_parts.h"
#include <stdio.h>
#include <string.h>

/* Columns of the longest name, "T4 capped cover, gated": rows are printed before all names are
 * known. */
#define NAME_WIDTH 22

void f2l_report_entry_name(f2l_buf *out, const f2l_compile_entry *entry)
{
    f2l_buf_printf(out, "%s%s%s", entry->theorem, entry->variant[0] ? " " : "", entry->variant);
}

/* --- JSON --- */

static const char *outcome_name(f2l_compile_outcome outcome)
{
    static const char *const name[] = {"built",   "beaten",       "outside",
                                       "unasked", "inapplicable", "unknown"};
    return name[outcome];
}

/* Returns the figures; of a network that was not built, only those that are known. */
static json_t *figures_json(const f2l_compile_figures *f, bool built)
{
    const struct {
        const char *key;
        size_t value;
    } row[] = {{"layers", f->layers},
               {"heads", f->heads},
               {"householders", f->householders},
               {"key_dim", f->key_dim},
               {"value_dim", f->value_dim},
               {"states", f->states},
               {"factors_per_token", f->factors_per_token},
               {"table_entries", f->table_entries}};
    json_t *o = json_object();
    bool complete = true;
    for (size_t i = 0; complete && i < sizeof row / sizeof *row; i++)
        if (built || row[i].value)
            complete = f2l_json_put(o, row[i].key, f2l_json_number(row[i].value));
    return f2l_json_finish(o, complete);
}

static json_t *reason_json(const char *reason)
{
    return reason[0] ? f2l_json_text(reason) : json_null();
}

static json_t *horizon_json(const f2l_compile_entry_format *f)
{
    return f->bounded && f->verdict == F2L_UNKNOWN ? json_integer((json_int_t)f->horizon)
                                                   : json_null();
}

static json_t *verdict_json(const f2l_compile_entry_format *f)
{
    json_t *o = json_object();
    return f2l_json_finish(
        o, f2l_json_put(o, "format", f2l_json_text(f->format->name)) &&
               f2l_json_put(o, "schedule", f2l_json_text(f->schedule->name)) &&
               f2l_json_put(o, "verdict", f2l_json_text(f2l_report_verdict(f->verdict))) &&
               f2l_json_put(o, "letters",
                            f->verdict == F2L_REFUTED ? f2l_json_number(f->word_length)
                                                      : json_null()) &&
               f2l_json_put(o, "reason", reason_json(f->reason)) &&
               f2l_json_put(o, "horizon", horizon_json(f)));
}

static json_t *verdicts_json(const f2l_compile_entry *e)
{
    json_t *a = json_array();
    bool complete = true;
    for (size_t i = 0; complete && i < e->formats; i++)
        complete = f2l_json_append(a, verdict_json(&e->format[i]));
    return f2l_json_finish(a, complete);
}

static json_t *exact_json(const f2l_compile_entry *e)
{
    json_t *o = json_object();
    return f2l_json_finish(
        o, f2l_json_put(o, "verdict", f2l_json_text(f2l_report_verdict(e->exact))) &&
               f2l_json_put(o, "reason", reason_json(e->exact_reason)));
}

static bool put_built(json_t *o, const f2l_compile_entry *e, bool listed)
{
    return f2l_json_put(o, "figures", figures_json(&e->figures, true)) &&
           f2l_json_put(o, "exact", exact_json(e)) &&
           f2l_json_put(o, "exact_in_bf16", json_boolean(e->unrounded)) &&
           f2l_json_put(o, "formats", verdicts_json(e)) &&
           f2l_json_put(o, "best", json_boolean(e->best)) &&
           f2l_json_put(o, "within_bounds", json_boolean(e->within)) &&
           f2l_json_put(o, "undominated", listed ? json_boolean(e->undominated) : json_null());
}

static bool put_unbuilt(json_t *o, const f2l_compile_entry *e)
{
    return f2l_json_put(o, "reason", reason_json(e->reason)) &&
           f2l_json_put(o, "at_least",
                        e->figures.layers ? figures_json(&e->figures, false) : json_null());
}

static json_t *entry_json(const f2l_compile_entry *e, const f2l_compile_entry *equal, bool listed)
{
    json_t *o = json_object();
    const bool built = e->outcome == F2L_COMPILE_BUILT;
    return f2l_json_finish(
        o, f2l_json_put(o, "theorem", f2l_json_text(e->theorem)) &&
               f2l_json_put(o, "variant", f2l_json_text(e->variant)) &&
               f2l_json_put(o, "gated", json_boolean(e->gated)) &&
               f2l_json_put(o, "outcome", f2l_json_text(outcome_name(e->outcome))) &&
               f2l_json_put(o, "steps", json_integer((json_int_t)e->steps)) &&
               (built ? put_built(o, e, listed) : put_unbuilt(o, e)) &&
               (!equal || (f2l_json_put(o, "equal_to", f2l_json_text(equal->theorem)) &&
                           f2l_json_put(o, "equal_variant", f2l_json_text(equal->variant)))));
}

json_t *f2l_report_entries_json(const f2l_compile_result *c, bool best)
{
    json_t *a = json_array();
    bool complete = true;
    for (size_t i = 0; complete && i < c->entries; i++) {
        const f2l_compile_entry *e = &c->entry[i];
        if (e->best && !best) continue;
        complete =
            f2l_json_append(a, entry_json(e, e->equal ? &c->entry[e->equal - 1] : NULL, c->all));
    }
    return f2l_json_finish(a, complete);
}

static json_t *bounds_json(const f2l_compile_bounds *b)
{
    json_t *o = json_object(), *formats = json_array();
    bool complete = true;
    for (size_t i = 0; complete && i < F2L_MAX_FORMATS && b->exact_in[i]; i++)
        complete = f2l_json_append(formats, f2l_json_text(b->exact_in[i]->name));
    formats = f2l_json_finish(formats, complete);
    return f2l_json_finish(
        o, f2l_json_put(o, "layers", b->layers ? f2l_json_number(b->layers) : json_null()) &&
               f2l_json_put(o, "householders",
                            b->householders ? f2l_json_number(b->householders) : json_null()) &&
               f2l_json_put(o, "key_dim", b->key_dim ? f2l_json_number(b->key_dim) : json_null()) &&
               f2l_json_put(o, "exact_in", formats));
}

static json_t *timing_json(const f2l_report *r)
{
    json_t *a = json_array(), *o = json_object();
    bool complete = true;
    for (size_t i = 0; complete && i < r->compiled->entries; i++)
        complete = f2l_json_append(a, json_real(r->compiled->entry[i].seconds));
    a = f2l_json_finish(a, complete);
    return f2l_json_finish(o, f2l_json_put(o, "constructions_seconds", a) &&
                                  f2l_json_put(o, "total_seconds", json_real(r->total_seconds)));
}

/* Returns the names of the figures that f2l_compile_dominates compares, in its order. */
static json_t *dominance_json(void)
{
    static const char *const name[] = {
        "layers",        "householders", "key_dim", "factors_per_token", "states",
        "table_entries", "gated",        "formats", "exact_in_bf16"};
    json_t *a = json_array();
    bool complete = true;
    for (size_t i = 0; complete && i < sizeof name / sizeof *name; i++)
        complete = f2l_json_append(a, f2l_json_text(name[i]));
    return f2l_json_finish(a, complete);
}

f2l_status f2l_report_list_json(f2l_buf *out, const f2l_report *r, f2l_error *err)
{
    const f2l_compile_result *c = r->compiled;
    json_t *o = json_object();
    return f2l_report_dump(
        out,
        f2l_json_finish(o,
                        f2l_json_put(o, "schema", json_integer(1)) &&
                            f2l_json_put(o, "tool", f2l_report_tool(r)) &&
                            f2l_json_put(o, "fsa", f2l_report_automaton(r)) &&
                            f2l_json_put(o, "bounds", bounds_json(&r->options->bounds)) &&
                            f2l_json_put(o, "dominance", dominance_json()) &&
                            f2l_json_put(o, "search", f2l_report_search_json(c)) &&
                            f2l_json_put(o, "constructions", f2l_report_entries_json(c, true)) &&
                            f2l_json_put(o, "unmet", reason_json(c->unmet.text)) &&
                            f2l_json_put(o, "out", r->out ? f2l_json_text(r->out) : json_null()) &&
                            f2l_json_put(o, "timing", timing_json(r))),
        err);
}

/* --- the table --- */

/* Appends the formats in which the network is VERIFIED at all lengths, then the other formats with
 * their reasons. */
static void write_formats(f2l_buf *out, const f2l_compile_entry *e)
{
    size_t verified = 0;
    for (size_t i = 0; i < e->formats; i++)
        if (e->format[i].verdict == F2L_OK)
            f2l_buf_printf(out, "%s%s", verified++ ? " " : "", e->format[i].format->name);
    if (!verified) f2l_buf_text(out, "none");
    for (size_t i = 0; i < e->formats; i++) {
        const f2l_compile_entry_format *f = &e->format[i];
        if (f->verdict == F2L_REFUTED)
            f2l_buf_printf(out, "; %s REFUTED after %zu letter%s", f->format->name, f->word_length,
                           f->word_length == 1 ? "" : "s");
        else if (f->verdict != F2L_OK && f->bounded)
            f2l_buf_printf(out,
                           "; %s UNKNOWN: %s, right up to %llu "
                           "letters",
                           f->format->name, f->reason, (unsigned long long)f->horizon);
        else if (f->verdict != F2L_OK)
            f2l_buf_printf(out, "; %s UNKNOWN: %s", f->format->name, f->reason);
        else if (f->format == f2l_format_find("bf16") && !e->unrounded)
            f2l_buf_text(out, "; rounded in bf16");
    }
}

f2l_status f2l_report_list_head(f2l_buf *out, const f2l_report *r, f2l_error *err)
{
    f2l_report_headline(out, r);
    f2l_buf_printf(out, "  %-*s %6s %5s %5s %5s %5s %8s %7s %9s %-8s %s\n", NAME_WIDTH,
                   "construction", "layers", "heads", "n_h", "key", "value", "states", "factors",
                   "entries", "exact", "at all lengths in");
    return f2l_buf_status(out, err);
}

f2l_status f2l_report_list_row(f2l_buf *out, const f2l_compile_entry *e, f2l_error *err)
{
    const f2l_compile_figures *f = &e->figures;
    char name[80];
    if (e->outcome != F2L_COMPILE_BUILT) return F2L_OK;
    snprintf(name, sizeof name, "%s %s", e->theorem, e->variant);
    f2l_buf_printf(out, "%c %-*s %6zu %5zu %5zu %5zu %5zu %8zu %7zu %9zu %-8s ",
                   e->within ? ' ' : '-', NAME_WIDTH, name, f->layers, f->heads, f->householders,
                   f->key_dim, f->value_dim, f->states, f->factors_per_token, f->table_entries,
                   f2l_report_verdict(e->exact));
    write_formats(out, e);
    if (e->exact == F2L_UNKNOWN) f2l_buf_printf(out, "; exact: %s", e->exact_reason);
    f2l_buf_text(out, "\n");
    return f2l_buf_status(out, err);
}

static bool is_undominated(const f2l_compile_entry *e)
{
    return e->undominated;
}

/* Appends the names of all entries of the kind, separated by "; "; returns false when there is
 * none. */
static bool write_names(f2l_buf *out, const char *label, const f2l_compile_result *c,
                        bool (*kind)(const f2l_compile_entry *))
{
    bool any = false;
    for (size_t i = 0; i < c->entries; i++) {
        if (!kind(&c->entry[i])) continue;
        f2l_buf_text(out, any ? "; " : label);
        f2l_report_entry_name(out, &c->entry[i]);
        any = true;
    }
    return any;
}

static void write_best(f2l_buf *out, const f2l_compile_result *c)
{
    for (size_t i = 0; i < c->entries; i++) {
        if (!c->entry[i].best) continue;
        f2l_buf_text(out, "best: ");
        f2l_report_entry_name(out, &c->entry[i]);
        f2l_buf_text(out, c->search.end == F2L_COMPILE_COMPLETE ? ": what compile writes\n"
                                                                : ": the best of these\n");
    }
}

static void write_equal(f2l_buf *out, const f2l_compile_result *c)
{
    for (size_t i = 0; i < c->entries; i++) {
        if (!c->entry[i].equal) continue;
        f2l_buf_text(out, "equal: ");
        f2l_report_entry_name(out, &c->entry[i]);
        f2l_buf_text(out, ": as good in all of these as ");
        f2l_report_entry_name(out, &c->entry[c->entry[i].equal - 1]);
        f2l_buf_text(out, "\n");
    }
}

/* Appends the marks, which need all rows. */
static void write_marks(f2l_buf *out, const f2l_compile_result *c)
{
    bool outside = false;
    for (size_t i = 0; i < c->entries; i++)
        outside = outside || (c->entry[i].outcome == F2L_COMPILE_BUILT && !c->entry[i].within);
    if (outside) f2l_buf_text(out, "-  not within the bounds\n");
    write_best(out, c);
    if (write_names(out, "undominated: ", c, is_undominated))
        f2l_buf_text(out, ": nothing here is as good in layers, n_h, key dimension, factors, state "
                          "numbers, entries, gates, formats and exactness in bf16, and better in "
                          "one\n");
    write_equal(out, c);
}

static bool is_left_out(const f2l_compile_entry *e)
{
    return e->outcome == F2L_COMPILE_BEATEN || e->outcome == F2L_COMPILE_OUTSIDE;
}

static bool is_stopped(const f2l_compile_entry *e)
{
    return e->outcome == F2L_COMPILE_STOPPED;
}

static bool is_unbuilt(const f2l_compile_entry *e)
{
    return e->outcome != F2L_COMPILE_BUILT && e->outcome != F2L_COMPILE_STOPPED;
}

/* Returns whether no earlier entry of the kind gives the same reason. */
static bool is_first(const f2l_compile_result *c, size_t at,
                     bool (*kind)(const f2l_compile_entry *))
{
    if (!kind(&c->entry[at])) return false;
    for (size_t i = 0; i < at; i++)
        if (kind(&c->entry[i]) && strcmp(c->entry[i].reason, c->entry[at].reason) == 0)
            return false;
    return true;
}

/* Appends all entries of the kind that give the reason of entry `first`, separated by semicolons,
 * and the reason. */
static void write_alike(f2l_buf *out, const f2l_compile_result *c, size_t first,
                        bool (*kind)(const f2l_compile_entry *))
{
    const char *reason = c->entry[first].reason;
    for (size_t i = first; i < c->entries; i++) {
        if (!kind(&c->entry[i]) || strcmp(c->entry[i].reason, reason) != 0) continue;
        if (i > first) f2l_buf_text(out, "; ");
        f2l_report_entry_name(out, &c->entry[i]);
    }
    f2l_buf_printf(out, ": %s\n", reason);
}

static void write_kind(f2l_buf *out, const char *label, const f2l_compile_result *c,
                       bool (*kind)(const f2l_compile_entry *))
{
    for (size_t i = 0; i < c->entries; i++) {
        if (!is_first(c, i, kind)) continue;
        f2l_buf_text(out, label);
        write_alike(out, c, i, kind);
    }
}

f2l_status f2l_report_list_close(f2l_buf *out, const f2l_report *r, f2l_error *err)
{
    const f2l_compile_result *c = r->compiled;
    write_marks(out, c);
    write_kind(out, "unknown: ", c, is_stopped);
    write_kind(out, "not built: ", c, is_unbuilt);
    if (c->search.end != F2L_COMPILE_COMPLETE)
        f2l_buf_printf(out, "ended: %s; what is unknown may be better than the rows above\n",
                       f2l_report_search_end(c->search.end));
    return f2l_buf_status(out, err);
}

/* --- lines of the summary --- */

static void start_line(f2l_buf *out, bool *first, int indent)
{
    f2l_buf_printf(out, "%-*s", indent, *first ? "others" : "");
    *first = false;
}

static void write_built(f2l_buf *out, const f2l_compile_entry *e)
{
    const f2l_compile_figures *f = &e->figures;
    f2l_report_entry_name(out, e);
    f2l_buf_printf(out,
                   ": %zu layer%s, n_h = %zu, key dimension %zu, %zu factor%s per token, %zu state "
                   "number%s",
                   f->layers, f->layers == 1 ? "" : "s", f->householders, f->key_dim,
                   f->factors_per_token, f->factors_per_token == 1 ? "" : "s", f->states,
                   f->states == 1 ? "" : "s");
    if (e->exact != F2L_OK) f2l_buf_printf(out, ", exact %s", f2l_report_verdict(e->exact));
    for (size_t i = 0; i < e->formats; i++)
        if (e->format[i].verdict != F2L_OK)
            f2l_buf_printf(out, ", %s %s", e->format[i].format->name,
                           f2l_report_verdict(e->format[i].verdict));
    f2l_buf_text(out, "\n");
}

void f2l_report_others(f2l_buf *out, const f2l_compile_result *c, int indent)
{
    bool fresh = true;
    for (size_t i = 0; i < c->entries; i++) {
        const f2l_compile_entry *e = &c->entry[i];
        if (e->best || (e->outcome != F2L_COMPILE_BUILT && e->outcome != F2L_COMPILE_STOPPED))
            continue;
        start_line(out, &fresh, indent);
        if (e->outcome == F2L_COMPILE_BUILT) {
            write_built(out, e);
        } else {
            f2l_report_entry_name(out, e);
            f2l_buf_printf(out, ": UNKNOWN: %s\n", e->reason);
        }
    }
    for (size_t i = 0; i < c->entries; i++) {
        if (!is_first(c, i, is_left_out)) continue;
        start_line(out, &fresh, indent);
        write_alike(out, c, i, is_left_out);
    }
}
