/* The readable comparison: networks, accuracy, matrices. */
#include "numeric/facts/layout.h"
#include "reports/networks/compare_parts.h"
#include "reports/training/failing_report.h"
#include "reports/training/train_report_parts.h"
#include <math.h>
#include <stdio.h>

static void lay_compare_top(f2l_buf *out, f2l_fact from)
{
    const f2l_fact net = f2l_get(from, "compared_network");
    f2l_layout(out, from,
               "network      {weights_file}: {model_text}; {parameters} parameters\n"
               "data         {source}: {data_text}\n");
    f2l_layout(out, net, "constructed  {network_file?{network_file}|{theorem?{theorem}|none}}");
    if (f2l_is_known(net, "layers"))
        f2l_layout(out, net,
                   ": {layers layer}, n_h = {householders}, key dimension {key_dim}, states of "
                   "{joint_numbers number}");
    f2l_layout(out, net, "{reason?; not compared: {reason}|}\n");
}

/* --- accuracy --- */

static void lay_score(f2l_buf *out, f2l_fact score)
{
    f2l_buf_printf(out, "  %15.4f  %10.6f", f2l_get_number(score, "sequence_accuracy"),
                   f2l_get_number(score, "accuracy"));
}

static void lay_scores(f2l_buf *out, f2l_fact from)
{
    const f2l_fact learned = f2l_get(from, "scores"), exact = f2l_get(from, "constructed_scores");
    const bool both = f2l_get_size(exact, "") > 0;
    f2l_layout(out, from, "\naccuracy     on {sequences random word}\n");
    f2l_buf_printf(out, "%10s  %27s%s\n%10s  %15s  %10s", "", "learned",
                   both ? "                  constructed" : "", "length", "sequences right",
                   "answers");
    if (both) f2l_buf_printf(out, "  %15s  %10s", "sequences right", "answers");
    f2l_buf_text(out, "\n");
    for (size_t i = 0; i < f2l_get_size(learned, ""); i++) {
        f2l_layout(out, f2l_get_item(learned, i), "{length%10s}");
        lay_score(out, f2l_get_item(learned, i));
        if (both) lay_score(out, f2l_get_item(exact, i));
        f2l_buf_text(out, "\n");
    }
    f2l_lay_words(out, learned, 0);
    f2l_layout(out, from,
               "             {first_wrong?learned: first wrong answer after {first_wrong "
               "letter}|learned: no wrong answer in these words, which proves nothing}\n");
    f2l_lay_failing(out, from, "             shortest: ");
    f2l_lay_settle(out, from, 13);
    if (both)
        f2l_layout(out, from,
                   "             {constructed_first_wrong?constructed: first wrong answer after "
                   "{constructed_first_wrong letter}|constructed: no wrong answer, in exact "
                   "arithmetic}\n");
}

/* --- matrices --- */

static void lay_rank(f2l_buf *out, const char *kind, f2l_fact heads)
{
    for (size_t h = 0; h < f2l_get_size(heads, ""); h++) {
        const f2l_fact one = f2l_get_item(heads, h), spread = f2l_get(one, "beta_spread");
        char label[40];
        snprintf(label, sizeof label, "%s %zu", kind, h + 1);
        f2l_buf_printf(out, "  %-16s", label);
        f2l_layout(out, spread,
                   "{near_high%5s} of {count%5s} betas near {high}, {near_low%5s} near 0");
        f2l_buf_printf(out, "; effective rank %.2f\n", f2l_get_number(one, "acting_rank"));
    }
}

static void lay_rows(f2l_buf *out, const char *kind, f2l_fact heads, size_t letter, bool gated)
{
    for (size_t h = 0; h < f2l_get_size(heads, ""); h++) {
        char label[40];
        snprintf(label, sizeof label, "%s %zu", kind, h + 1);
        f2l_buf_printf(out, "    %-16s", label);
        f2l_inspect_lay_letter(
            out, f2l_get_item(f2l_get(f2l_get_item(heads, h), "letter_actions"), letter), gated);
    }
}

/* Appends the matrices, letter by letter; heads that are not shown have an empty list. */
static void lay_compare_letters(f2l_buf *out, f2l_fact from, size_t rows)
{
    const f2l_fact names = f2l_get(from, "per_letter"), exact = f2l_get(from, "constructed_heads"),
                   learned = f2l_get(from, "learned_heads");
    const bool known = f2l_is_known(exact, ""),
               gated = f2l_get_truth(from, "model_config.forget_gate");
    const size_t letters = f2l_get_size(names, "");
    f2l_buf_text(out,
                 "\nheads        effective rank: of the keys whose beta is at least half of the "
                 "range\n");
    if (known) lay_rank(out, "constructed", exact);
    lay_rank(out, "learned", learned);
    f2l_buf_text(out, "letters      betas, angles of successive keys in degrees, distance from an "
                      "orthogonal matrix, eigenvalues\n");
    for (size_t a = 0; a < letters && a < rows; a++) {
        f2l_layout(out, f2l_get_item(names, a), "  {name}{used?| (never came in training)}\n");
        if (known) lay_rows(out, "constructed", exact, a, gated);
        lay_rows(out, "learned", learned, a, gated);
    }
    if (letters > rows)
        f2l_buf_printf(out, "  .. and %zu more letters: --letters N shows more, --json all\n",
                       letters - rows);
}

/* Appends the betas of every layer, where there are several. */
static void lay_layers(f2l_buf *out, f2l_fact from)
{
    const f2l_fact layers = f2l_get(from, "layer_betas");
    for (size_t l = 0; l < f2l_get_size(layers, ""); l++) {
        const f2l_fact heads = f2l_get(f2l_get_item(layers, l), "head_betas");
        if (l == 0)
            f2l_buf_text(out, "\nbetas        of every layer, on the words of the sample\n");
        for (size_t h = 0; h < f2l_get_size(heads, ""); h++) {
            f2l_buf_printf(out, "  layer %zu, head %zu  ", l + 1, h + 1);
            f2l_layout(out, f2l_get_item(heads, h),
                       "{near_high%5s} of {count%5s} near {high}, {near_low%5s} near 0; quantiles "
                       "0, 5, 25, 50, 75, 95, 100 %:{quantiles* {.%.3f}}\n");
        }
    }
}

static void lay_matrices(f2l_buf *out, f2l_fact from, size_t rows)
{
    f2l_layout(out, from, "{no_heads_reason?\nletters      not shown: {no_heads_reason}\n|}");
    if (f2l_is_known(from, "no_heads_reason")) return;
    lay_compare_letters(out, from, rows);
    f2l_layout(out, from,
               "{no_constructed_heads_reason?             constructed: not shown: "
               "{no_constructed_heads_reason}\n|}");
    const f2l_fact relations = f2l_get(from, "relations");
    if (f2l_is_known(relations, "reason")) return;
    f2l_buf_text(out, "\nmoving part  of A(word) H_0, as `inspect` has it\n");
    for (size_t h = 0; h < f2l_get_size(relations, "head_actions"); h++)
        f2l_inspect_lay_action(out, from, h);
}

static void lay(f2l_buf *out, f2l_fact from, const void *report)
{
    const f2l_compare_report *r = report;
    lay_compare_top(out, from);
    lay_scores(out, from);
    f2l_compare_lay_extraction(out, from);
    f2l_compare_lay_irreps(out, from);
    f2l_compare_lay_maps(out, from);
    lay_matrices(out, from, r->rows);
    lay_layers(out, from);
    const f2l_fact limits = f2l_get(from, "not_compared");
    for (size_t i = 0; i < f2l_get_size(limits, ""); i++)
        f2l_layout(out, f2l_get_item(limits, i),
                   i == 0 ? "\nnote         {.}\n" : "note         {.}\n");
    if (r->file) f2l_buf_printf(out, "\nfile         %s\n", r->file);
}

const f2l_report_kind f2l_compare_report_kind = {
    .name = "compare", .describe = f2l_compare_describe, .lay_beside = lay, .style = {.digits = 9}};
