#include "reports/automata/obstruct_report.h"
#include "numeric/base/visible.h"
#include "numeric/facts/layout.h"
#include "reports/automata/impl.h"
#include <math.h>

#define MATRICES 12 /* matrices of a head that are listed */
#define VALUES 8    /* eigenvalues of a matrix that are listed */
#define LETTERS 24  /* letters of a word before it is cut */

bool f2l_obstruct_forbidden(const f2l_obstruct_report *r)
{
    return r->word && r->word->length > 0 && r->period->known &&
           r->period->period % r->word->period != 0;
}

f2l_status f2l_obstruct_verdict(const f2l_obstruct_report *r, size_t run)
{
    return !r->run[run].format && f2l_obstruct_forbidden(r) ? F2L_REFUTED : r->run[run].verdict;
}

static double middle(f2l_fact interval)
{
    return f2l_get_number(f2l_get_item(interval, 0), "") / 2 +
           f2l_get_number(f2l_get_item(interval, 1), "") / 2;
}

static void lay_eigenvalue(f2l_buf *out, f2l_fact value)
{
    const f2l_fact im = f2l_get(value, "im");
    const double re = middle(f2l_get(value, "re"));
    f2l_buf_printf(out, " %.10g", fabs(re) < 1e-300 ? 0 : re);
    if (f2l_get_number(f2l_get_item(im, 0), "") != 0 ||
        f2l_get_number(f2l_get_item(im, 1), "") != 0)
        f2l_buf_printf(out, "%+.10gi", middle(im));
    if (f2l_get_count(value, "multiplicity") > 1) f2l_layout(out, value, " ({multiplicity} times)");
}

static void lay_matrix(f2l_buf *out, f2l_fact matrix)
{
    const uint64_t letters = f2l_get_count(matrix, "letters");
    f2l_layout(out, matrix, "    letter {letter~}");
    if (letters > 1) f2l_buf_printf(out, " and %zu more", (size_t)letters - 1);
    f2l_buf_text(out, ":");
    if (f2l_is_known(matrix, "eigenvalues")) {
        const f2l_fact values = f2l_get(matrix, "eigenvalues");
        const size_t n = f2l_get_size(values, "");
        for (size_t i = 0; i < n && i < VALUES; i++) lay_eigenvalue(out, f2l_get_item(values, i));
        if (n > VALUES) f2l_buf_printf(out, " .. (%zu different ones)", n);
    } else {
        f2l_buf_text(out, " too large");
    }
    f2l_buf_text(out, "\n");
}

static void lay_products(f2l_buf *out, f2l_fact products)
{
    f2l_layout(out, products, "    products of {length}: ");
    if (f2l_get_truth(products, "because_diagonal")) {
        f2l_layout(out, products,
                   "all {worst_spectrum=non-negative?real and >= 0|real}, because the matrices are "
                   "diagonal\n");
        return;
    }
    f2l_layout(out, products,
               "{complete?|UNKNOWN, the first {products} are: }{non_negative} with all eigenvalues "
               "real and >= 0, {real} real with a negative one, {not_real} with a non-real one"
               "{negative_example?; negative:{negative_example* {.~}}}"
               "{not_real_example?; non-real:{not_real_example* {.~}}}\n");
}

static void lay_obstruct_head(f2l_buf *out, f2l_fact head)
{
    const f2l_fact matrices = f2l_get(head, "matrices"), products = f2l_get(head, "products_of");
    const uint64_t different = f2l_get_count(head, "different");
    f2l_layout(out, head, "  layer {layer}, head {head}: {n} x {n}, ");
    if (!f2l_is_known(head, "letters")) {
        f2l_buf_text(out, "too many combinations of its slots: UNKNOWN\n");
        return;
    }
    f2l_layout(out, head, "{letters letter}, {different different matrix/different matrices}\n");
    for (size_t m = 0; m < different && m < MATRICES; m++)
        lay_matrix(out, f2l_get_item(matrices, m));
    if (different > MATRICES)
        f2l_buf_printf(out, "    .. (%zu more)\n", (size_t)different - MATRICES);
    for (size_t k = 0; k < f2l_get_size(products, ""); k++)
        lay_products(out, f2l_get_item(products, k));
}

static void lay_theorem(f2l_buf *out, const char *name, f2l_fact theorem, const char *yes)
{
    f2l_buf_printf(out, "  %s ", name);
    if (f2l_get_truth(theorem, "applies"))
        f2l_buf_printf(out, "applies: %s\n", yes);
    else if (f2l_is_known(theorem, "applies"))
        f2l_layout(out, theorem,
                   "forbids nothing: its condition is met in layer {layer}, head {head}, by a "
                   "product of {length letter}\n");
    else
        f2l_layout(out, theorem,
                   "UNKNOWN: the products of {length} letters in layer {layer}, head {head} are "
                   "not all decided\n");
}

static void lay_theorems(f2l_buf *out, f2l_fact theorems)
{
    f2l_buf_text(out,
                 "theorems   of exact states, also when each is rounded once where it is read "
                 "([U]'s finite precision);\n"
                 "           where operations round, as in the formats below, they say nothing "
                 "(theory/pages/obstruct.md, OB.4)\n");
    lay_theorem(
        out, "T1", f2l_get(theorems, "t1"),
        "all letters have non-negative eigenvalues only, so that no letter can turn labels in a "
        "cycle");
    lay_theorem(out, "T2", f2l_get(theorems, "t2"),
                "products have real eigenvalues only, so that no letter can turn labels in a "
                "cycle of odd length > 1");
}

static void lay_letters(f2l_buf *out, f2l_fact word)
{
    f2l_layout_items(out, word, 0, LETTERS, "{.~}", " ");
    if (f2l_get_size(word, "") > LETTERS)
        f2l_buf_printf(out, " .. (%zu letters)", f2l_get_size(word, ""));
}

static void lay_periodic_word(f2l_buf *out, f2l_fact from)
{
    f2l_buf_text(out, "word       ");
    if (!f2l_is_known(from, "periodic_word")) {
        f2l_layout(out, from,
                   "{reason?{reason}|no word turns labels in a cycle: T1 and T2 forbid nothing "
                   "here}\n");
        return;
    }
    const f2l_fact word = f2l_get(from, "periodic_word");
    f2l_buf_text(out, "(");
    lay_letters(out, f2l_get(word, "word"));
    f2l_layout(out, word, ") again and again{prefix?, after }");
    lay_letters(out, f2l_get(word, "prefix"));
    f2l_layout(out, word,
               ": right labels have period {period} from length {from} on\n"
               "           {no_theorem?no theorem: layer {no_theorem.layer}, head "
               "{no_theorem.head} {no_theorem.eigenvalues_decided?has a product of "
               "{no_theorem.length} letters with a non-real eigenvalue|has products of "
               "{no_theorem.length} letters that were not decided}|exact labels have in the end a "
               "period that divides {exact_period_divides} (OB.3), the right ones {period}: "
               "{forbidden?wrong at infinitely many lengths|no contradiction}}\n");
}

/* Appends a label, which may be missing. */
static void lay_label(f2l_buf *out, f2l_fact from, const char *name)
{
    if (f2l_is_known(from, name))
        f2l_buf_visible_name(out, f2l_get_text(from, name));
    else
        f2l_buf_text(out, "no label");
}

/* Appends what recurs for ever; `failed` means that a length was wrong before. */
static void lay_recurrence(f2l_buf *out, f2l_fact recurrence, bool failed)
{
    f2l_layout(out, recurrence,
               "  the pair of states after {preperiod} letters recurs every {period}");
    if (!f2l_get_count(recurrence, "wrong")) {
        f2l_buf_text(out,
                     failed ? ": right for ever after\n" : ": right at all lengths of this word\n");
        return;
    }
    f2l_layout(out, recurrence, ": wrong for ever, at {wrong} of {pattern} lengths");
    if (f2l_get_count(recurrence, "wrong") < f2l_get_count(recurrence, "pattern"))
        f2l_layout(out, recurrence,
                   ", those that are {residues*{.}|, }{residues_complete?|, ..} mod {pattern}");
    f2l_buf_text(out, "\n");
    if (!f2l_get_truth(recurrence, "constant")) return;
    f2l_buf_text(out, "  the network says ");
    lay_label(out, recurrence, "constant_label");
    f2l_buf_text(out, " at all of them\n");
}

static void lay_word_run(f2l_buf *out, f2l_fact run, bool forbidden)
{
    const bool failed = f2l_is_known(run, "first_wrong"), exact = !f2l_is_known(run, "format");
    f2l_layout(out, run,
               "{format?{format} {schedule}, nearest code|exact}: "
               "{result=RIGHT?right on this word|{result}}");
    if (failed) {
        f2l_layout(out, run, ", wrong at length {first_wrong}: ");
        lay_label(out, run, "got");
        f2l_buf_text(out, " in the place of ");
        lay_label(out, run, "expected");
    }
    f2l_buf_text(out, "\n");
    if (f2l_is_known(run, "recurrence")) {
        lay_recurrence(out, f2l_get(run, "recurrence"), failed);
    } else {
        f2l_layout(out, run, "  after {letters} letters: {reason}");
        f2l_buf_text(out,
                     exact && forbidden ? "; by the theorem it is wrong again and again\n" : "\n");
    }
    if (!exact && forbidden && f2l_is(run, "result", "RIGHT"))
        f2l_buf_text(out,
                     "  No contradiction to the theorem, which is about exact states, rounded once "
                     "at most: here operations\n"
                     "  round inside the step, and this rounding does what the exact recurrence "
                     "cannot\n"
                     "  (theory/pages/parity.md, P10)\n");
}

static void lay_obstruct(f2l_buf *out, f2l_fact from)
{
    const f2l_fact spectra = f2l_get(from, "spectra"), runs = f2l_get(from, "word_runs");
    f2l_layout(out, from,
               "network    {network}: {layers layer}, {heads head}{automaton?; automaton of "
               "{automaton.states} states and {automaton.letters} letters}\n"
               "spectra    eigenvalues of the matrices A of the recurrences S <- A S + B; signs "
               "are decided exactly\n");
    for (size_t i = 0; i < f2l_get_size(spectra, ""); i++)
        lay_obstruct_head(out, f2l_get_item(spectra, i));
    lay_theorems(out, f2l_get(from, "theorems"));
    if (!f2l_is_known(from, "automaton")) {
        f2l_layout(out, from, "{reason}\n");
        return;
    }
    lay_periodic_word(out, from);
    const bool forbidden =
        f2l_is_known(from, "periodic_word") && f2l_get_truth(from, "periodic_word.forbidden");
    for (size_t i = 0; i < f2l_get_size(runs, ""); i++)
        lay_word_run(out, f2l_get_item(runs, i), forbidden);
}

const f2l_report_kind f2l_obstruct_report_kind = {.name = "obstruct",
                                                  .describe = f2l_obstruct_report_describe,
                                                  .lay = lay_obstruct,
                                                  .style = {.indent = true, .digits = 17}};
