#include "reports/automata/classify_report.h"
#include "numeric/facts/layout.h"
#include "reports/automata/impl.h"
#include "reports/compile/report_parts.h"
#include "reports/phrases.h"
#include <string.h>

#define INDENT 14 /* columns of the labels */
#define WIDTH 98  /* columns of a line */
#define SHOWN 40  /* letters of a word that are shown */
#define CYCLE 12  /* states of a cycle that are shown */
#define GROUPS 12 /* groups that are shown */

/* Appends a label and the line, which is wrapped and cleared. */
static void lay_line(f2l_buf *out, const char *label, f2l_buf *line)
{
    f2l_report_line(out, label, line, INDENT, WIDTH);
}

/* Appends a label and a template, wrapped. */
static void lay_wrapped(f2l_buf *out, const char *label, f2l_fact from, const char *text)
{
    f2l_report_template(out, label, from, text, INDENT, WIDTH);
}

static const char *ternary(f2l_fact in, const char *name)
{
    return !f2l_is_known(in, name) ? "unknown" : f2l_get_truth(in, name) ? "yes" : "no";
}

static void lay_word(f2l_buf *line, f2l_fact word)
{
    f2l_layout_items(line, word, 0, SHOWN, "{.~}", " ");
    if (f2l_get_size(word, "") > SHOWN) f2l_buf_text(line, " ..");
}

void f2l_lay_cycle_word(f2l_buf *line, f2l_fact word)
{
    const f2l_fact cycle = f2l_get(word, "cycle");
    const size_t period = f2l_get_size(cycle, "");
    lay_word(line, f2l_get(word, "word"));
    f2l_buf_text(line, " (");
    f2l_layout_count(line, f2l_get_size(word, "word"), "letter");
    f2l_layout(line, word, ", {shortest?the shortest|a short one}) takes ");
    f2l_layout_items(line, cycle, 0, CYCLE, "{.~}", " -> ");
    if (period >= CYCLE)
        f2l_buf_text(line, " -> ..");
    else
        f2l_layout_items(line, cycle, 0, 1, " -> {.~}", "");
    f2l_buf_printf(line, ": a cycle of %zu states", period);
}

static void lay_class_witness(f2l_buf *out, const char *label, f2l_fact from, const char *name,
                              const char *none)
{
    f2l_buf line;
    f2l_buf_init(&line);
    if (f2l_is_known(from, name))
        f2l_lay_cycle_word(&line, f2l_get(from, name));
    else
        f2l_buf_text(&line, none);
    lay_line(out, label, &line);
}

static void lay_pair(f2l_buf *line, f2l_fact pair)
{
    const f2l_fact words = f2l_get(pair, "word_pair");
    f2l_buf_text(line, "(");
    lay_word(line, f2l_get_item(words, 0));
    f2l_buf_text(line, ") and (");
    lay_word(line, f2l_get_item(words, 1));
    f2l_layout(line, pair, "{permuted?) permute|) permute all states}");
    if (f2l_is_known(pair, "permuted")) {
        const f2l_fact states = f2l_get(pair, "permuted");
        f2l_layout_items(line, states, 0, CYCLE, " {.~}", "");
        if (f2l_get_size(states, "") > CYCLE)
            f2l_buf_printf(line, " .. (%zu states)", f2l_get_size(states, ""));
    }
    f2l_layout(line, pair, " and generate a group that is not solvable: {group}");
}

static void lay_two_words(f2l_buf *out, f2l_fact from)
{
    f2l_buf line;
    f2l_buf_init(&line);
    if (f2l_is_known(from, "two_words"))
        lay_pair(&line, f2l_get(from, "two_words"));
    else
        f2l_buf_text(&line, "none were found, within the limits, that generate a group that is not "
                            "solvable");
    lay_line(out, "two words", &line);
}

static void lay_groups(f2l_buf *out, f2l_fact from)
{
    const f2l_fact groups = f2l_get(from, "groups");
    const size_t n = f2l_get_size(groups, "");
    const bool permutation = f2l_get_truth(from, "permutation");
    f2l_layout(out, from, "{groups?|groups        {groups_known?all trivial|not known}\n}");
    for (size_t i = 0; i < n && i < GROUPS; i++) {
        const f2l_fact group = f2l_get_item(groups, i);
        const bool named = strncmp(f2l_get_text(group, "group"), "order ", 6) != 0;
        f2l_buf line;
        f2l_buf_init(&line);
        f2l_layout(&line, group, "{group}");
        if (named) f2l_layout(&line, group, "{order_decimal?, order {order_decimal}}");
        f2l_layout(&line, group, "{composition?; composition factors {composition}}");
        f2l_layout(&line, group, "{level?|; of the letters that permute all states}");
        if (!permutation) f2l_layout(&line, group, "{level?; level {level}}");
        if (!permutation && f2l_get_count(group, "components") > 1)
            f2l_layout(&line, group, "{level? and others}");
        lay_line(out, i ? "" : "groups", &line);
    }
    if (n > GROUPS) f2l_buf_printf(out, "%*sand %zu more\n", INDENT, "", n - GROUPS);
}

/* Appends the bounds for one layer, which no checker verifies, and the word of the first. */
static void lay_one_layer(f2l_buf *out, f2l_fact from)
{
    const f2l_fact bounds = f2l_get(from, "one_layer_bounds");
    if (f2l_get_size(bounds, "") < 3) return;
    f2l_buf line;
    f2l_buf_init(&line);
    f2l_layout(&line, f2l_get_item(bounds, 0),
               "computed, not certified: a network of one layer without gates, whose decoder "
               "reads a letter and the state after it, has n_h >= {least_value}");
    f2l_layout(&line, f2l_get_item(bounds, 1), " ({least_value} with one head)");
    f2l_layout(
        &line, f2l_get_item(bounds, 2),
        " and key dimensions of all heads together >= {least_value} (LD.2, LD.3): the word ");
    lay_word(&line, f2l_get(f2l_get_item(bounds, 0), "word"));
    f2l_layout(&line, f2l_get_item(bounds, 0),
               " has index {index}, at {index_state~}, and period {period}, at {period_state~}");
    lay_line(out, "one layer", &line);
}

static void lay_answers(f2l_buf *out, f2l_fact from)
{
    const char *aperiodic = ternary(from, "aperiodic"), *two = ternary(from, "two_groups");
    f2l_buf_printf(out, "aperiodic     %s\n2-groups only %s\nsolvable      %s\n", aperiodic, two,
                   ternary(from, "solvable"));
    lay_groups(out, from);
    if (f2l_is_known(from, "reason") &&
        (f2l_get_truth(from, "open") || !f2l_get_truth(from, "groups_known")))
        lay_wrapped(out, "limit", from, "{reason}");
    f2l_layout(out, from,
               "{levels?levels        {levels}{permutation?: a permutation automaton| "
               "(holonomy)}\n}");
    lay_class_witness(out, "cycle", from, "cycle_word",
                      *aperiodic == 'y' ? "none: no word acts as a cycle" : "no word was found");
    if (*aperiodic != 'y')
        lay_class_witness(out, "odd factor", from, "odd_cycle_word",
                          *two == 'y' ? "none: every cycle has a power of two of states"
                                      : "no word was found");
    if (*ternary(from, "solvable") == 'n') lay_two_words(out, from);
    f2l_lay_finer(out, from, INDENT, WIDTH);
    f2l_lay_layers(out, from, INDENT, WIDTH);
    lay_one_layer(out, from);
    f2l_lay_one_layer(out, from, INDENT, WIDTH);
}

static void lay_class_table(f2l_buf *out, f2l_fact classes)
{
    f2l_buf_printf(out, "\n%-24s %-25s %-20s %6s %6s %6s\n", "class", "verdict", "by", "layers",
                   "n_h", "dim");
    for (size_t i = 0; i < f2l_get_size(classes, ""); i++) {
        f2l_layout(out, f2l_get_item(classes, i),
                   "{name%-24s} {answer%-25s} {statement%-20s} {layers%6s} {householders%6s} "
                   "{dimension%6s}");
        while (out->size && out->data[out->size - 1] == ' ') out->size--;
        f2l_buf_text(out, "\n");
    }
    f2l_report_wrap(
        out,
        "layers: a number that suffices, of a network that compile builds where it builds one; "
        "n_h: Householder factors of a head for a letter; dim: its key dimension",
        0, INDENT, WIDTH);
}

/* Appends what the compiler built, and the options of `compile` that build it. */
static void lay_compiled(f2l_buf *out, f2l_fact compiled)
{
    f2l_buf line;
    if (!f2l_is(compiled, "status", "built")) {
        lay_wrapped(out, "  compiled", compiled, "{status=UNKNOWN?UNKNOWN|no}: {reason}");
        return;
    }
    f2l_buf_init(&line);
    f2l_layout(&line, compiled,
               "{theorem}{variant? ({variant})}: {exact.verdict} in exact arithmetic"
               "{exact.reason?: {exact.reason}}; by the nearest code at all lengths in ");
    f2l_report_lay_formats(&line, compiled, true);
    lay_line(out, "  compiled", &line);
    lay_wrapped(out, "  figures", f2l_get(compiled, "figures"),
                "{layers layer}, {heads head}, n_h = {householders}, key dimension {key_dim}, "
                "value dimension {value_dim}, {state_numbers state number}, {factors_per_token "
                "factor} per token, {table_entries table entry/table entries}, {parameters "
                "parameter}");
    lay_wrapped(out, "  write it", compiled,
                "fsa2lrnn compile GRAMMAR{compile_options? {compile_options}}");
}

static void lay_class(f2l_buf *out, f2l_fact row)
{
    f2l_layout(out, row,
               "\n"
               "{name}{model_families? ({model_families})}: {answer}{statement?, by {statement}}\n"
               "{shown_by?  witness     {shown_by=two_words?`two words`|{shown_by=odd_cycle_word?"
               "the word of `odd factor`|the word of `cycle`}} above\n}");
    lay_wrapped(out, "  scope", row, "{scope}");
    lay_wrapped(out, "  reached", row, "{reached_answer}{reached_by?, by {reached_by}}");
    f2l_layout(out, row, "{by_construction?  network     {by_construction}\n}");
    if (f2l_get_count(row, "layers_at_least") > 1)
        f2l_layout(out, row,
                   "  layers      at least {layers_at_least} with finitely many exact states "
                   "(L.6')\n");
    f2l_layout(out, row,
               "{unbuilt_layers?  layers      {unbuilt_layers} suffice by {statement}; no network "
               "with fewer than {layers} was built\n}");
    if (f2l_is_known(row, "remark")) lay_wrapped(out, "  note", row, "{remark}");
    if (f2l_is_known(row, "compiled")) lay_compiled(out, f2l_get(row, "compiled"));
}

/* Appends in which engines the compiled network is exact. */
static void lay_engines(f2l_buf *out, f2l_fact from)
{
    if (!f2l_is_known(from, "engines_exact")) return;
    f2l_buf_text(out, "\n");
    lay_wrapped(out, "engines", from,
                "nothing rounds in the network that `compile` builds, with activations in bf16, in "
                "{engines_exact}");
}

static void lay_classify(f2l_buf *out, f2l_fact from)
{
    const f2l_fact classes = f2l_get(from, "classes");
    f2l_layout(out, from,
               "{automaton.name}: {automaton.states state}, {automaton.letters letter}, labels "
               "{label_kind}");
    if (f2l_get_count(from, "automaton.states") < f2l_get_count(from, "grammar_states"))
        f2l_layout(out, from, " (of {grammar_states} states)");
    f2l_buf_text(out, "\n");
    lay_answers(out, from);
    lay_class_table(out, classes);
    for (size_t i = 0; i < f2l_get_size(classes, ""); i++) lay_class(out, f2l_get_item(classes, i));
    lay_engines(out, from);
    f2l_layout(out, from,
               "\n"
               "The statements are proved, or their sources named, in theory/pages/ladder.md; "
               "`reached` is what\nholds without rounding (theory/pages/released.md).\n"
               "{ended=complete?|ended: {ended}; what is unknown was not decided\n}");
}

const f2l_report_kind f2l_classify_report_kind = {.name = "classify",
                                                  .describe = f2l_classify_report_describe,
                                                  .lay = lay_classify,
                                                  .style = {.digits = 17}};
