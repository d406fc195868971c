#include "reports/choose/choose_report.h"
#include "numeric/facts/layout.h"
#include "reports/automata/classify_report.h"
#include "reports/choose/impl.h"
#include "reports/phrases.h"

#define INDENT 16 /* columns of the labels */
#define WIDTH 98  /* columns of a line */
#define LARGE 16  /* n_h from which on the text names the alternative */
#define SHOWN 4   /* groups that are shown */

/* Appends a label and the line, which is wrapped and cleared. */
static void lay_labelled(f2l_buf *out, const char *label, f2l_buf *line)
{
    f2l_report_line(out, label, line, INDENT, WIDTH);
}

static void lay_template(f2l_buf *out, const char *label, f2l_fact from, const char *text)
{
    f2l_report_template(out, label, from, text, INDENT, WIDTH);
}

static void lay_taken(f2l_buf *out, f2l_fact from)
{
    if (!f2l_is_known(from, "take")) {
        lay_template(out, "take this", from, "UNKNOWN: {reason}");
        return;
    }
    const f2l_fact take = f2l_get(from, "take");
    lay_template(
        out, "take this", take,
        "{layer_type}, n_h = {figures.householders}, beta in [0, {most_beta}]"
        "{allow_neg_eigval? (allow_neg_eigval = true)| (eigenvalues in [0,1] are enough)}");
    lay_template(out, "  layers", take,
                 "{figures.layers}; {figures.heads head} of {figures.key_dim} x "
                 "{figures.value_dim} (key x value); {figures.factors_per_token factor} a token");
    lay_template(out, "  state", take,
                 "{figures.state_numbers number}{state_format?, {state_bytes byte} in "
                 "{state_format}, where it is VERIFIED at all lengths with every operation rounded "
                 "(schedule every, nearest code)|; in no format VERIFIED at all lengths}");
    lay_template(out, "  network", take,
                 "{theorem}{variant? ({variant})}, {exact.verdict} in exact arithmetic; written by "
                 "fsa2lrnn GRAMMAR{compile_options? {compile_options}}");
    if (f2l_get_count(take, "figures.householders") > LARGE)
        lay_template(out, "  note", from,
                     "n_h is large: no smaller network is known here, and PD-SSM takes one layer "
                     "of dimension {automaton.states} (L.12)");
    f2l_layout(out, from,
               "{ended=complete?|  search        ended by its limit ({ended}): a smaller network "
               "may exist (--effort)\n}");
}

/* --- why --- */

static void lay_groups(f2l_buf *out, f2l_fact from)
{
    const f2l_fact groups = f2l_get(from, "groups");
    const size_t n = f2l_get_size(groups, "");
    f2l_buf line;
    f2l_buf_init(&line);
    if (n == 0) return;
    f2l_buf_text(&line, "groups in its transition monoid: ");
    f2l_layout_items(&line, groups, 0, n < SHOWN ? n : SHOWN, "{group}", ", ");
    if (n > SHOWN) f2l_buf_text(&line, ", ..");
    if (f2l_is_known(from, "solvable"))
        f2l_layout(&line, from, "; {solvable?all are solvable|not all are solvable}");
    lay_labelled(out, "", &line);
}

static void lay_why(f2l_buf *out, f2l_fact from)
{
    f2l_buf line;
    f2l_buf_init(&line);
    if (f2l_is_known(from, "cycle_word")) {
        f2l_buf_text(&line, "the word ");
        f2l_lay_cycle_word(&line, f2l_get(from, "cycle_word"));
        f2l_buf_text(&line, " (L.1)");
    } else if (!f2l_is_known(from, "aperiodic")) {
        f2l_buf_text(&line, "whether some word acts as a cycle is UNKNOWN: a limit was reached");
    } else if (f2l_get_truth(from, "aperiodic")) {
        f2l_buf_text(&line, "aperiodic: no word acts as a cycle (L.1)");
    } else {
        f2l_buf_text(&line, "not aperiodic (L.1); no word was found within the limits");
    }
    lay_labelled(out, "why", &line);
    lay_groups(out, from);
    f2l_lay_layers(out, from, INDENT, WIDTH);
}

/* --- the steps --- */

static const char *label_of_step(f2l_fact step)
{
    return f2l_is(step, "cheaper_step", "layers")        ? "  fewer layers"
           : f2l_is(step, "cheaper_step", "eigenvalues") ? "  beta <= 1"
                                                         : "  n_h - 1";
}

static void lay_cheaper(f2l_buf *out, f2l_fact from)
{
    const f2l_fact list = f2l_get(from, "cheaper");
    f2l_buf_text(out, "one step cheaper\n");
    for (size_t i = 0; i < f2l_get_size(list, ""); i++) {
        const f2l_fact one = f2l_get_item(list, i);
        lay_template(out, label_of_step(one), one,
                     "{cheaper_answer}{statement? ({statement})}: {because}"
                     "{shown_by=cycle_word?; the word above}{scope?. Scope: {scope}}");
    }
}

/* --- models and the table --- */

static void lay_holders(f2l_buf *out, f2l_fact from, const char *config)
{
    const f2l_fact list = f2l_get(from, "holders");
    f2l_buf line;
    if (f2l_get_size(list, "") > 0) f2l_buf_text(out, "as a model of\n");
    for (size_t i = 0; i < f2l_get_size(list, ""); i++) {
        const f2l_fact one = f2l_get_item(list, i);
        f2l_buf_init(&line);
        f2l_layout(&line, one, "{library}: {target}");
        if (!f2l_get_truth(one, "holds")) {
            f2l_layout(&line, one, ": no: {reason}");
        } else {
            f2l_layout(&line, one,
                       ", {recurrent_layers layer}{attention_layers? and {attention_layers} of "
                       "attention that adds zero}, hidden size {hidden_size}, {heads head} of "
                       "{key_dim} x {value_dim}, n_h = {householders}; state {state_numbers "
                       "number}, {state_bytes byte} in fp32{holds_taken?|; holds the network of "
                       "{theorem} (compile{compile_options? {compile_options}})}");
            f2l_layout(&line, one, "{claims*; {path}: {claimed_exact?exact|not claimed exact}|}");
        }
        if (config && f2l_get_truth(one, "holds"))
            f2l_layout(&line, one, "; config.json in folder {target}");
        lay_labelled(out, "", &line);
    }
}

/* Appends the rows of the kind with this answer, if there are any, in one paragraph. */
static void lay_answered(f2l_buf *out, f2l_fact list, const char *kind, const char *answer)
{
    f2l_buf line;
    size_t rows = 0;
    f2l_buf_init(&line);
    for (size_t i = 0; i < f2l_get_size(list, ""); i++) {
        const f2l_fact one = f2l_get_item(list, i);
        if (!f2l_is(one, "released_kind", kind) || !f2l_is(one, "released_answer", answer))
            continue;
        f2l_buf_printf(&line, "%s", rows++ ? "; " : "");
        f2l_layout(&line, one,
                   "{name}{released_setting? ({released_setting})}{statement?, {statement}}"
                   "{released_note?, {released_note}}");
    }
    if (rows > 0) {
        f2l_buf_printf(out, "  %s\n", answer);
        lay_labelled(out, "", &line);
    }
    f2l_buf_clear(&line);
}

static void lay_released(f2l_buf *out, f2l_fact from)
{
    static const char *const kind[] = {"layer", "hybrid", "engine"};
    static const char *const title[] = {"layers as released", "hybrids", "engines"};
    static const char *const answer[] = {"can",     "can (published)",         "holds",
                                         "cannot",  "cannot unless TC0 = NC1", "not known",
                                         "UNKNOWN", "not yet decided"};
    const f2l_fact list = f2l_get(from, "released");
    for (size_t k = 0; k < sizeof kind / sizeof *kind; k++) {
        f2l_buf_printf(out, "%s\n", title[k]);
        for (size_t i = 0; i < sizeof answer / sizeof *answer; i++)
            lay_answered(out, list, kind[k], answer[i]);
    }
}

static void lay_choose(f2l_buf *out, f2l_fact from, const void *report)
{
    const f2l_choose_report *r = report;
    f2l_layout(out, from,
               "{automaton.name}: {automaton.states state}, {automaton.letters letter}, labels "
               "{label_kind}\n");
    lay_taken(out, from);
    lay_why(out, from);
    lay_cheaper(out, from);
    lay_holders(out, from, r->config);
    lay_released(out, from);
    f2l_report_wrap(out,
                    "can and cannot: in exact arithmetic, for closed ranges, whose ends a sigmoid "
                    "reaches by rounding; `fsa2lrnn classify` has the scopes. docs/choosing.md "
                    "says how to read this.",
                    0, 0, WIDTH);
}

const f2l_report_kind f2l_choose_report_kind = {.name = "choose",
                                                .describe = f2l_choose_report_describe,
                                                .lay_beside = lay_choose,
                                                .style = {.digits = 17}};
