#include "reports/networks/token_report.h"
#include "numeric/facts/layout.h"
#include "reports/networks/impl.h"
#include <inttypes.h>
#include <math.h>

static void lay_top(f2l_buf *out, f2l_fact from)
{
    f2l_layout(
        out, from,
        "network      {weights_file}: {model_text}; {parameters} parameters\n"
        "tokens       {token_file}: {token_count token}, {token_sequences sequence}; the answer is "
        "{own_labels?its label|the next token}\n");
    f2l_layout(
        out, f2l_get(from, "all_positions"),
        !f2l_is_known(from, "all_positions")
            ? "loss         no answer counts\n"
            : "loss         {mean_loss%.6f} nats, accuracy {accuracy%.6f}, of {count answer}\n");
}

/* Appends a number, or a dash where there is none. */
static void lay_number(f2l_buf *out, f2l_fact from, const char *path, const char *format, int width)
{
    if (f2l_is_known(from, path))
        f2l_buf_printf(out, format, width, f2l_get_number(from, path));
    else
        f2l_buf_printf(out, " %*s", width, "-");
}

static void lay_range(f2l_buf *out, f2l_fact one)
{
    const uint64_t first = f2l_get_count(one, "from_position"),
                   last = f2l_get_count(one, "to_position");
    char range[48];
    if (first == last)
        snprintf(range, sizeof range, "%" PRIu64, first);
    else
        snprintf(range, sizeof range, "%" PRIu64 "-%" PRIu64, first, last);
    f2l_buf_printf(out, "%17s", range);
}

static void lay_losses(f2l_buf *out, f2l_fact from)
{
    const f2l_fact list = f2l_get(from, "by_position");
    lay_top(out, from);
    f2l_buf_printf(out, "\n%17s  %12s  %10s  %10s\n", "tokens read", "answers", "loss", "accuracy");
    for (size_t i = 0; i < f2l_get_size(list, ""); i++) {
        const f2l_fact one = f2l_get_item(list, i);
        lay_range(out, one);
        f2l_buf_printf(out, "  %12" PRIu64 " ", f2l_get_count(one, "count"));
        lay_number(out, one, "mean_loss", " %*.6f", 10);
        f2l_buf_text(out, " ");
        lay_number(out, one, "accuracy", " %*.6f", 10);
        f2l_buf_text(out, "\n");
    }
    f2l_buf_text(out, "loss: nats an answer; measured on these tokens, not proved of others\n");
}

/* --- heads --- */

static void lay_head(f2l_buf *out, f2l_fact h)
{
    f2l_layout(out, h, "{layer%5s} {head%4s}");
    const bool betas = f2l_is_known(h, "token_betas");
    lay_number(out, h, betas ? "token_betas.average" : "token_betas", " %*.3f", 6);
    for (size_t i = 0; i < 3; i++) {
        static const char *const share[] = {"share_below_0_1", "share_above_1", "share_above_1_9"};
        if (betas)
            lay_number(out, f2l_get(h, "token_betas"), share[i], " %*.3f", 6);
        else
            f2l_buf_printf(out, " %6s", "-");
    }
    lay_number(out, h, f2l_is_known(h, "token_gates") ? "token_gates.average" : "token_gates",
               " %*.3f", 6);
    lay_number(out, h, "one_token.share_negative", " %*.3f", 7);
    lay_number(out, h, "one_token.share_near_minus_1", " %*.3f", 7);
    lay_number(out, h, "one_token.share_complex", " %*.3f", 7);
    lay_number(out, h, "five_tokens.share_negative", " %*.3f", 7);
    lay_number(out, h, "five_tokens.share_complex", " %*.3f", 7);
    lay_number(out, h, f2l_is_known(h, "angles_within") ? "angles_within.average" : "angles_within",
               " %*.1f", 6);
    lay_number(out, h, f2l_is_known(h, "angles_across") ? "angles_across.average" : "angles_across",
               " %*.1f", 6);
    lay_number(out, h, "greatest_norm", " %*.4g", 9);
    f2l_buf_text(out, "\n");
}

/* Appends a table of means, one row for each head. */
static void lay_means(f2l_buf *out, f2l_fact heads, const char *name, const char *title,
                      const char *column)
{
    const size_t columns = f2l_get_size(f2l_get_item(heads, 0), name);
    if (columns == 0) return;
    f2l_buf_printf(out, "\n%s\nlayer head", title);
    for (size_t c = 0; c < columns; c++)
        f2l_buf_printf(
            out, " %8" PRIu64,
            f2l_get_count(f2l_get_item(f2l_get(f2l_get_item(heads, 0), name), c), column));
    f2l_buf_text(out, "\n");
    for (size_t i = 0; i < f2l_get_size(heads, ""); i++) {
        const f2l_fact h = f2l_get_item(heads, i), list = f2l_get(h, name);
        f2l_layout(out, h, "{layer%5s} {head%4s}");
        for (size_t c = 0; c < f2l_get_size(list, ""); c++)
            lay_number(out, f2l_get_item(list, c), "average", " %*.3f", 8);
        f2l_buf_text(out, "\n");
    }
}

static void lay_heads(f2l_buf *out, f2l_fact from)
{
    const f2l_fact heads = f2l_get(from, "token_heads");
    lay_top(out, from);
    f2l_layout(out, from,
               "states       {state_rows} x {state_columns}; {documents?{documents document}|no "
               "documents told}\n\n");
    f2l_buf_printf(out,
                   "%10s %27s %6s %23s %15s %13s %9s\n"
                   "layer head %6s %6s %6s %6s %6s %7s %7s %7s %7s %7s %6s %6s %9s\n",
                   "", "beta", "gate", "eigenvalues of A", "of five A", "angles", "norm", "mean",
                   "<.1", ">1", ">1.9", "mean", "re<0", "near -1", "complex", "re<0", "complex",
                   "within", "across", "greatest");
    for (size_t i = 0; i < f2l_get_size(heads, ""); i++) lay_head(out, f2l_get_item(heads, i));
    lay_means(out, heads, "rank_by_position",
              "effective rank of the state after 2^k and 3 2^k tokens, by the tokens read, from:",
              "from_position");
    lay_means(out, heads, "norm_by_position",
              "norm of the state, by the tokens read, from:", "from_position");
    lay_means(out, heads, "rank_at_documents",
              "effective rank before a document inside of a sequence (0), and after tokens of it:",
              "tokens_read");
    f2l_buf_text(out,
                 "measured on these tokens, not proved of others; --json has the distributions\n");
}

#define STYLE \
    { \
        .lines = true, .digits = 9 \
    }
const f2l_report_kind f2l_token_losses_report_kind = {.name = "evaluate-tokens",
                                                      .describe = f2l_token_losses_describe,
                                                      .lay = lay_losses,
                                                      .style = STYLE};
const f2l_report_kind f2l_token_heads_report_kind = {.name = "inspect-tokens",
                                                     .describe = f2l_token_heads_describe,
                                                     .lay = lay_heads,
                                                     .style = STYLE};
