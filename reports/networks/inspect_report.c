#include "numeric/facts/layout.h"
#include "reports/networks/impl.h"
#include <math.h>

#define TABLE_CLASSES 12

static void lay_top(f2l_buf *out, f2l_fact from)
{
    const bool heads = f2l_has(from, "per_head"),
               additive = f2l_get_truth(from, "model_config.additive");
    const uint64_t layers = f2l_get_count(from, "model_config.layers");
    const uint64_t repeats = f2l_get_count(from, "repeats");
    f2l_layout(out, from,
               "network      {weights_file}: {model_text}; {parameters} parameters"
               "{unfinished?; the run has not ended}\n"
               "{data_text?data         {source}: {data_text}\n}");
    f2l_buf_printf(out, "layer %-6zu ", (size_t)f2l_get_count(from, "layer"));
    f2l_layout(out, from, "{letters letter}{layer_of?: words of the vocabulary|}");
    if (f2l_get_count(from, "letters_used") < f2l_get_count(from, "letters"))
        f2l_layout(out, from, ", of which the {letters_used} that came in training count");
    if (repeats > 1)
        f2l_buf_printf(out,
                       "; %s of a letter read %zu times in a row, as the convolution sees that "
                       "many",
                       heads ? "keys" : "decays", (size_t)repeats);
    else
        f2l_buf_printf(out, "; %s functions of the letter",
                       heads ? "keys and betas are" : "decays are");
    const bool alone = f2l_is_known(from, "layer_of");
    f2l_layout(out, from,
               "{layer_of?;\n             one of {layer_of layer}, looked at alone with the "
               "embeddings of words as its input|}");
    f2l_buf_printf(out, "%s\n",
                   alone                   ? ""
                   : layers > 1            ? "; later layers are not looked at"
                   : additive              ? ""
                   : heads && repeats == 1 ? ", and these matrices are all of the recurrence"
                                           : "");
}

static void lay_decays(f2l_buf *out, const char *label, f2l_fact spread)
{
    const uint64_t low = f2l_get_count(spread, "near_low"),
                   high = f2l_get_count(spread, "near_high");
    f2l_buf_printf(out, "  %-18s %6zu %6zu %6zu ", label, (size_t)low,
                   (size_t)(f2l_get_count(spread, "count") - low - high), (size_t)high);
    f2l_layout(out, spread, "{quantiles* {.%6.3f}}\n");
}

static void lay_diagonal(f2l_buf *out, f2l_fact from, size_t rows)
{
    const f2l_fact decays = f2l_get(from, "decays"), names = f2l_get(from, "per_letter");
    const double low = f2l_get_number(decays, "all.low");
    const size_t letters = f2l_get_size(names, "");
    f2l_layout(out, decays, "\neigenvalues (decays) of {channels} channels of {channel_states} ");
    f2l_buf_printf(out,
                   "states, in [%g, 1]; near: within %g\n"
                   "  %-18s %6s %6s %6s  quantiles 0, 5, 25, 50, 75, 95, 100 %%\n",
                   low, F2L_INSPECT_NEAR * (1 - low), "letter", low < 0 ? "near-1" : "near 0",
                   "other", "near 1");
    for (size_t a = 0; a < letters && a < rows; a++)
        lay_decays(out, f2l_get_text(f2l_get_item(names, a), "name"),
                   f2l_get(f2l_get_item(f2l_get(decays, "letter_decays"), a), "spread"));
    if (letters > rows)
        f2l_buf_printf(out, "  .. and %zu more letters: --letters N shows more, --json all\n",
                       letters - rows);
    lay_decays(out, "all", f2l_get(decays, "all"));
}

static void lay_complex_pair(f2l_buf *out, f2l_fact pair)
{
    const double re = f2l_get_number(f2l_get_item(pair, 0), "");
    const double im = f2l_get_number(f2l_get_item(pair, 1), "");
    f2l_buf_printf(out, " %.4g", fabs(re) < 1e-9 ? 0 : re);
    if (fabs(im) > 1e-9) f2l_buf_printf(out, "%+.4gi", im);
}

/* Appends the table of characters, to which the heads' multiplicities refer. */
static void lay_classes(f2l_buf *out, f2l_fact relations)
{
    const f2l_fact classes = f2l_get(relations, "conjugacy_classes");
    const f2l_fact characters = f2l_get(relations, "characters");
    const size_t n = f2l_get_size(classes, "");
    for (size_t c = 0; c < n && n <= TABLE_CLASSES; c++) {
        f2l_buf_printf(out, "%-13sclass %zu: ", c ? "" : "classes", c + 1);
        f2l_layout(out, f2l_get_item(classes, c), "{size} of order {order}, {element}\n");
    }
    for (size_t i = 0; i < n && n <= TABLE_CLASSES; i++) {
        const f2l_fact one = f2l_get_item(characters, i), values = f2l_get(one, "complex_values");
        f2l_buf_printf(out, "%-13schi%zu, degree ", i ? "" : "characters", i + 1);
        f2l_layout(out, one, "{degree}:");
        for (size_t c = 0; c < n; c++) lay_complex_pair(out, f2l_get_item(values, c));
        f2l_buf_text(out, "\n");
    }
}

static void lay_relations(f2l_buf *out, f2l_fact from)
{
    const f2l_fact relations = f2l_get(from, "relations");
    if (f2l_is_known(relations, "reason")) {
        f2l_layout(out, relations, "\nrelations    not looked at: {reason}\n");
        return;
    }
    f2l_layout(out, relations,
               "\n"
               "relations    of the group of order {order}: {letter_pairs_there} pairs of letters "
               "(w, u) whose product is a letter");
    if (f2l_get_count(relations, "letter_pairs") < f2l_get_count(relations, "letter_pairs_there"))
        f2l_layout(out, relations, ", of which {letter_pairs} are looked at");
    f2l_layout(out, relations,
               "\n"
               "             difference: |(A(u) A(w) - A(wu)) Q| / |A(wu) Q|, Frobenius norm; the "
               "columns of Q span all\n"
               "             differences of states A(word) H_0, singular values from {threshold} "
               "of the largest on\n");
    if (f2l_is_known(relations, "characters"))
        lay_classes(out, relations);
    else
        f2l_layout(out, relations, "characters   not looked at: {no_characters_reason}\n");
    for (size_t h = 0; h < f2l_get_size(relations, "head_actions"); h++)
        f2l_inspect_lay_action(out, from, h);
}

static void lay(f2l_buf *out, f2l_fact from, const void *report)
{
    const f2l_inspect_report *r = report;
    const bool heads = f2l_has(from, "per_head");
    lay_top(out, from);
    if (!heads) lay_diagonal(out, from, r->rows);
    for (size_t h = 0; heads && h < f2l_get_size(from, "per_head"); h++)
        f2l_inspect_lay_head(out, from, h, r->rows);
    if (heads) lay_relations(out, from);
    f2l_buf_text(out, "what was learned, in floating point: seen, not proved\n");
}

const f2l_report_kind f2l_inspect_report_kind = {.name = "inspect",
                                                 .describe = f2l_inspect_report_describe,
                                                 .lay_beside = lay,
                                                 .style = {.digits = 9}};
