/* The constructions that were considered: facts, a table, and a few
 * lines of the summary. */
#include "numeric/facts/layout.h"
#include "reports/compile/report_parts.h"
#include "reports/phrases.h"
#include "theory/compile/fewest.h"
#include <stdio.h>
#include <string.h>

/* Columns of the longest name, "T4 capped cover, gated": rows are printed before all names are
 * known. */
#define NAME_WIDTH 22

/* --- facts --- */

void f2l_report_say_figures(f2l_fact in, const f2l_compile_figures *f, bool built)
{
    const struct {
        const char *key;
        size_t value;
    } row[] = {{"layers", f->layers},
               {"heads", f->heads},
               {"householders", f->householders},
               {"key_dim", f->key_dim},
               {"value_dim", f->value_dim},
               {"state_numbers", f->states},
               {"factors_per_token", f->factors_per_token},
               {"table_entries", f->table_entries},
               {"parameters", f->parameters}};
    for (size_t i = 0; i < sizeof row / sizeof *row; i++)
        if (built || row[i].value) f2l_say_count(in, row[i].key, row[i].value);
}

static void say_entry_formats(f2l_fact in, const f2l_compile_entry *e)
{
    f2l_fact list = f2l_say_list(in, "formats");
    for (size_t i = 0; i < e->formats; i++) {
        const f2l_compile_entry_format *f = &e->format[i];
        f2l_fact one = f2l_say_object(list, NULL);
        f2l_say_arithmetic(one, f->format, f->schedule);
        f2l_say_verdict(one, &(f2l_verdict){.verdict = f->verdict,
                                            .wrong_after = f->word_length,
                                            .reason = f->reason});
        f2l_say_horizon(one, f->bounded, f->verdict == F2L_OK, f->horizon);
    }
}

void f2l_report_say_network(f2l_fact in, const f2l_compile_entry *e)
{
    static const char *const states[] = {[F2L_COMPILE_STATES_INFINITE] = "infinite",
                                         [F2L_COMPILE_STATES_FINITE] = "finite",
                                         [F2L_COMPILE_STATES_UNKNOWN] = "unknown"};
    f2l_report_say_figures(f2l_say_object(in, "figures"), &e->figures, true);
    f2l_fact exact = f2l_say_object(in, "exact");
    f2l_say_verdict(exact, &(f2l_verdict){.verdict = e->exact, .reason = e->exact_reason});
    f2l_say_decoder(exact, false);
    f2l_say_text(in, "exact_states", states[e->states]);
    f2l_say_truth(in, "exact_in_bf16", e->unrounded);
    say_entry_formats(in, e);
}

static void say_built(f2l_fact in, const f2l_compile_entry *e, bool listed)
{
    f2l_report_say_network(in, e);
    f2l_say_truth(in, "best", e->best);
    f2l_say_truth(in, "within_bounds", e->within);
    f2l_say_ternary(in, "undominated", listed, e->undominated);
}

void f2l_report_say_entry(f2l_fact in, const f2l_compile_entry *e, const f2l_compile_entry *equal,
                          bool listed)
{
    static const char *const outcome[] = {"built",   "beaten",       "outside",
                                          "unasked", "inapplicable", "unknown"};
    const bool built = e->outcome == F2L_COMPILE_BUILT;
    f2l_say_text(in, "theorem", e->theorem);
    f2l_say_text(in, "variant", e->variant);
    f2l_say_truth(in, "gated", e->gated);
    f2l_say_text(in, "outcome", outcome[e->outcome]);
    f2l_say_count(in, "steps", e->steps);
    f2l_say_reason(in, "reason", built ? "" : e->reason);
    if (!built && e->figures.layers)
        f2l_report_say_figures(f2l_say_object(in, "at_least"), &e->figures, false);
    else
        f2l_say_null(in, "at_least");
    if (built) say_built(in, e, listed);
    f2l_say_text(in, "equal_to", equal ? equal->theorem : NULL);
    f2l_say_text(in, "equal_variant", equal ? equal->variant : NULL);
}

void f2l_report_say_entries(f2l_fact in, const char *name, const f2l_compile_result *c, bool best)
{
    f2l_fact list = f2l_say_list(in, name);
    for (size_t i = 0; i < c->entries; i++) {
        const f2l_compile_entry *e = &c->entry[i];
        if (e->best && !best) continue;
        f2l_report_say_entry(f2l_say_object(list, NULL), e,
                             e->equal ? &c->entry[e->equal - 1] : NULL, c->all);
    }
}

static void say_bounds(f2l_fact in, const f2l_compile_bounds *b)
{
    f2l_fact bounds = f2l_say_object(in, "bounds");
    f2l_say_known(bounds, "layers", b->layers > 0, b->layers);
    f2l_say_known(bounds, "householders", b->householders > 0, b->householders);
    f2l_say_known(bounds, "key_dim", b->key_dim > 0, b->key_dim);
    f2l_fact formats = f2l_say_list(bounds, "exact_in");
    for (size_t i = 0; i < F2L_MAX_FORMATS && b->exact_in[i]; i++)
        f2l_say_text(formats, NULL, b->exact_in[i]->name);
}

/* Puts the names of the figures that f2l_compile_dominates compares, in its order. */
static void say_dominance(f2l_fact in)
{
    static const char *const name[] = {
        "layers",        "householders", "key_dim", "factors_per_token", "state_numbers",
        "table_entries", "gated",        "formats", "exact_in_bf16"};
    f2l_fact list = f2l_say_list(in, "dominance");
    for (size_t i = 0; i < sizeof name / sizeof *name; i++) f2l_say_text(list, NULL, name[i]);
}

/* Puts the fewest layers of the list, and the constructions that may have fewer. */
static void say_fewest(f2l_fact in, const f2l_compile_result *c)
{
    const f2l_compile_entry *e = f2l_compile_fewest(c, F2L_NETWORKS_FINITE);
    char open[80] = "";
    if (e) f2l_compile_say_open(open, sizeof open, c, e->figures.layers, 0);
    f2l_say_known(in, "most_layers", e != NULL, e ? e->figures.layers : 0);
    f2l_say_text(in, "most_by", e ? e->theorem : NULL);
    f2l_say_reason(in, "fewer_by", open);
}

static void describe_list(f2l_fact out, const void *report)
{
    const f2l_report *r = report;
    const f2l_compile_result *c = r->compiled;
    f2l_say_tool(out, r->version, r->commit);
    f2l_report_say_automaton(out, r);
    say_bounds(out, &r->options->bounds);
    say_dominance(out);
    f2l_report_say_search(out, c);
    f2l_report_say_entries(out, "constructions", c, true);
    say_fewest(out, c);
    f2l_say_reason(out, "unmet", c->unmet.text);
    f2l_say_text(out, "out", r->out);
    f2l_fact timing = f2l_say_object(out, "timing");
    f2l_fact seconds = f2l_say_list(timing, "constructions_seconds");
    for (size_t i = 0; i < c->entries; i++) f2l_say_number(seconds, NULL, c->entry[i].seconds);
    f2l_say_number(timing, "total_seconds", r->total_seconds);
}

/* --- the table --- */

#define NAME "{theorem}{variant? {variant}}"

void f2l_report_lay_formats(f2l_buf *out, f2l_fact network, bool reasons)
{
    const f2l_fact formats = f2l_get(network, "formats");
    const size_t n = f2l_get_size(formats, ""), begin = out->size;
    const bool exact = f2l_get_truth(network, "exact_in_bf16");
    for (size_t i = 0; i < n; i++)
        f2l_layout(out, f2l_get_item(formats, i), "{verdict=VERIFIED?{format} }");
    if (out->size == begin)
        f2l_buf_text(out, "none");
    else
        out->size--;
    for (size_t i = 0; i < n; i++) {
        const f2l_fact one = f2l_get_item(formats, i);
        f2l_layout(out, one,
                   "{verdict=REFUTED?; {format} REFUTED after {wrong_after letter}}"
                   "{verdict=UNKNOWN?; {format} UNKNOWN}");
        if (reasons) f2l_layout(out, one, "{verdict=UNKNOWN?: {reason}}");
        f2l_layout(out, one, "{verdict=UNKNOWN?{horizon?, right up to {horizon.letters} letters}}");
        if (!exact) f2l_layout(out, one, "{format=bf16?{verdict=VERIFIED?; rounded in bf16}}");
    }
}

f2l_status f2l_report_list_head(f2l_buf *out, const f2l_report *r, f2l_error *err)
{
    f2l_facts facts;
    f2l_facts_init(&facts);
    f2l_report_say_automaton(f2l_facts_root(&facts), r);
    f2l_report_headline(out, f2l_facts_root(&facts));
    f2l_buf_printf(out, "  %-*s %6s %5s %5s %5s %5s %8s %7s %9s %7s %-8s %s\n", NAME_WIDTH,
                   "construction", "layers", "heads", "n_h", "key", "value", "states", "factors",
                   "entries", "params", "exact", "at all lengths, by the nearest code, in");
    return f2l_facts_end(&facts, out, err);
}

f2l_status f2l_report_list_row(f2l_buf *out, const f2l_compile_entry *e, f2l_error *err)
{
    f2l_facts facts;
    char name[80];
    if (e->outcome != F2L_COMPILE_BUILT) return F2L_OK;
    f2l_facts_init(&facts);
    const f2l_fact entry = f2l_facts_root(&facts);
    f2l_report_say_entry(entry, e, NULL, true);
    snprintf(name, sizeof name, "%s %s", f2l_get_text(entry, "theorem"),
             f2l_get_text(entry, "variant"));
    f2l_buf_printf(out, "%c %-*s ", f2l_get_truth(entry, "within_bounds") ? ' ' : '-', NAME_WIDTH,
                   name);
    f2l_layout(out, f2l_get(entry, "figures"),
               "{layers%6s} {heads%5s} {householders%5s} {key_dim%5s} {value_dim%5s} "
               "{state_numbers%8s} {factors_per_token%7s} {table_entries%9s} {parameters%7s} ");
    f2l_layout(out, entry, "{exact.verdict%-8s} ");
    f2l_report_lay_formats(out, entry, false);
    f2l_buf_text(out, "\n");
    return f2l_facts_end(&facts, out, err);
}

/* Returns whether the outcome of the entry is one of these words. */
static bool has_outcome(f2l_fact entry, const char *outcomes)
{
    return strstr(outcomes, f2l_get_text(entry, "outcome")) != NULL;
}

/* Returns whether the entry was built and has the mark. */
static bool is_marked(f2l_fact entry, const char *mark)
{
    return has_outcome(entry, "built") && f2l_get_truth(entry, mark);
}

/* Appends the marks, which need all rows. */
static void lay_marks(f2l_buf *out, f2l_fact from)
{
    const f2l_fact entries = f2l_get(from, "constructions");
    const size_t n = f2l_get_size(entries, "");
    bool outside = false, undominated = false;
    for (size_t i = 0; i < n; i++)
        outside = outside || (has_outcome(f2l_get_item(entries, i), "built") &&
                              !f2l_get_truth(f2l_get_item(entries, i), "within_bounds"));
    if (outside) f2l_buf_text(out, "-  not within the bounds\n");
    for (size_t i = 0; i < n; i++) {
        if (!is_marked(f2l_get_item(entries, i), "best")) continue;
        f2l_layout(out, f2l_get_item(entries, i), "best: " NAME);
        f2l_layout(out, from,
                   "{search.ended=complete?: what compile writes|: the best of these}\n");
    }
    f2l_layout(out, from,
               "{most_layers?fewest layers: {most_layers} by {most_by}"
               "{fewer_by?; UNKNOWN whether {fewer_by} has fewer}\n}");
    for (size_t i = 0; i < n; i++) {
        if (!is_marked(f2l_get_item(entries, i), "undominated")) continue;
        f2l_buf_text(out, undominated ? "; " : "undominated: ");
        f2l_layout(out, f2l_get_item(entries, i), NAME);
        undominated = true;
    }
    if (undominated)
        f2l_buf_text(out, ": nothing here is as good in layers, n_h, key dimension, factors, state "
                          "numbers, entries, gates, formats and exactness in bf16, and better in "
                          "one\n");
    f2l_layout(out, from,
               "{constructions*{equal_to?equal: " NAME ": as good in all of these as {equal_to}"
               "{equal_variant? {equal_variant}}\n}|}");
}

/* Returns whether the entry is of these outcomes, and no earlier one of them has its reason. */
static bool is_first_of_reason(f2l_fact entries, size_t at, const char *outcomes)
{
    const f2l_fact entry = f2l_get_item(entries, at);
    if (!has_outcome(entry, outcomes)) return false;
    for (size_t i = 0; i < at; i++)
        if (has_outcome(f2l_get_item(entries, i), outcomes) &&
            f2l_is(entry, "reason", f2l_get_text(f2l_get_item(entries, i), "reason")))
            return false;
    return true;
}

/* Appends all entries of these outcomes that give the reason of entry `first`, separated by
 * semicolons, and the reason. */
static void lay_alike(f2l_buf *out, f2l_fact entries, size_t first, const char *outcomes)
{
    const char *reason = f2l_get_text(f2l_get_item(entries, first), "reason");
    for (size_t i = first; i < f2l_get_size(entries, ""); i++) {
        const f2l_fact entry = f2l_get_item(entries, i);
        if (!has_outcome(entry, outcomes) || !f2l_is(entry, "reason", reason)) continue;
        if (i > first) f2l_buf_text(out, "; ");
        f2l_layout(out, entry, NAME);
    }
    f2l_buf_printf(out, ": %s\n", reason);
}

static void lay_kind(f2l_buf *out, const char *label, f2l_fact entries, const char *outcomes)
{
    for (size_t i = 0; i < f2l_get_size(entries, ""); i++) {
        if (!is_first_of_reason(entries, i, outcomes)) continue;
        f2l_buf_text(out, label);
        lay_alike(out, entries, i, outcomes);
    }
}

/* Returns whether the verdict is UNKNOWN for the reason. */
static bool is_unknown_for(f2l_fact verdict, const char *reason)
{
    return f2l_is(verdict, "verdict", "UNKNOWN") && f2l_is(verdict, "reason", reason);
}

/* Appends the reason of every format of the entry in which the verdict is UNKNOWN, once for all
 * formats that have it: rows have no place for reasons. */
static void lay_format_reasons(f2l_buf *out, f2l_fact entry)
{
    const f2l_fact formats = f2l_get(entry, "formats");
    const size_t n = f2l_get_size(formats, "");
    for (size_t i = 0; i < n; i++) {
        const f2l_fact one = f2l_get_item(formats, i);
        bool told = !f2l_is(one, "verdict", "UNKNOWN");
        const char *reason = told ? "" : f2l_get_text(one, "reason");
        for (size_t k = 0; k < i && !told; k++)
            told = is_unknown_for(f2l_get_item(formats, k), reason);
        if (told) continue;
        f2l_layout(out, entry, "unknown: " NAME " in");
        for (size_t k = i; k < n; k++)
            if (is_unknown_for(f2l_get_item(formats, k), reason))
                f2l_layout(out, f2l_get_item(formats, k), " {format}");
        f2l_buf_printf(out, ": %s\n", reason);
    }
}

static void lay_row_reasons(f2l_buf *out, f2l_fact entries)
{
    for (size_t i = 0; i < f2l_get_size(entries, ""); i++) {
        const f2l_fact entry = f2l_get_item(entries, i);
        if (!has_outcome(entry, "built")) continue;
        f2l_layout(out, entry,
                   "{exact.verdict=UNKNOWN?unknown: " NAME
                   " in exact arithmetic: {exact.reason}\n}");
        lay_format_reasons(out, entry);
    }
}

static void lay_close(f2l_buf *out, f2l_fact from)
{
    lay_marks(out, from);
    lay_row_reasons(out, f2l_get(from, "constructions"));
    lay_kind(out, "unknown: ", f2l_get(from, "constructions"), "unknown");
    lay_kind(out, "not built: ", f2l_get(from, "constructions"),
             "beaten outside unasked inapplicable");
    f2l_layout(out, from,
               "{search.ended=complete?|ended: {search.ended}; what is unknown may be better than "
               "the rows above\n}");
}

const f2l_report_kind f2l_compile_list_kind = {.name = "compile-list",
                                               .describe = describe_list,
                                               .lay = lay_close,
                                               .style = {.indent = true, .digits = 6}};

/* --- lines of the summary --- */

static void start_line(f2l_buf *out, bool *first)
{
    f2l_report_label(out, *first ? "others" : "", F2L_SUMMARY_INDENT);
    *first = false;
}

static void lay_built(f2l_buf *out, f2l_fact entry)
{
    const f2l_fact formats = f2l_get(entry, "formats");
    f2l_layout(out, entry,
               NAME ": {figures.layers layer}, n_h = {figures.householders}, key dimension "
                    "{figures.key_dim}, {figures.factors_per_token factor} per token, "
                    "{figures.state_numbers state number}"
                    "{exact.verdict=VERIFIED?|, exact {exact.verdict}}");
    f2l_layout_items(out, formats, 0, SIZE_MAX, "{verdict=VERIFIED?|, {format} {verdict}}", "");
    f2l_buf_text(out, "\n");
}

void f2l_report_others(f2l_buf *out, f2l_fact from)
{
    const f2l_fact entries = f2l_get(from, "others");
    const size_t n = f2l_get_size(entries, "");
    bool fresh = true;
    for (size_t i = 0; i < n; i++) {
        const f2l_fact entry = f2l_get_item(entries, i);
        if (!has_outcome(entry, "built unknown")) continue;
        start_line(out, &fresh);
        if (has_outcome(entry, "built"))
            lay_built(out, entry);
        else
            f2l_layout(out, entry, NAME ": UNKNOWN: {reason}\n");
    }
    for (size_t i = 0; i < n; i++) {
        if (!is_first_of_reason(entries, i, "beaten outside")) continue;
        start_line(out, &fresh);
        lay_alike(out, entries, i, "beaten outside");
    }
}
