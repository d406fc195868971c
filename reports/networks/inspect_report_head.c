/* One head of the readable report. */
#include "numeric/facts/layout.h"
#include "reports/networks/impl.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

#define SHARES 6
#define NAME 18        /* columns of a letter's name */
#define CONTENT 0.0005 /* multiplicities below this are not shown */

static void lay_betas(f2l_buf *out, f2l_fact from, f2l_fact head)
{
    const f2l_fact factors = f2l_get(head, "factor_spreads");
    const double low = f2l_get_number(head, "beta_spread.low");
    const double high = f2l_get_number(head, "beta_spread.high");
    const uint64_t N = f2l_get_count(from, "householders");
    f2l_layout(out, f2l_get(head, "beta_spread"),
               "  betas      {near_high} of {count} near {high}, {near_low} near 0 (within ");
    f2l_buf_printf(out,
                   "%g); quantiles 0, 5, 25, 50, 75, 95, 100 %%:", F2L_INSPECT_NEAR * (high - low));
    f2l_layout(out, head, "{beta_spread.quantiles* {.%.3f}}\n             ");
    f2l_buf_printf(out, "%s near %g for ",
                   N == 1   ? "beta is"
                   : N == 2 ? "both betas are"
                            : "all betas are",
                   high);
    f2l_layout(out, head, "{letters_all_high} of ");
    f2l_layout(out, from, "{letters_used} letters");
    for (size_t n = 0; n < N && N > 1; n++) {
        f2l_buf_printf(out, "%s %zu: ", n ? "," : "; factor", n + 1);
        f2l_layout(out, f2l_get_item(factors, n), "{near_high}");
    }
    f2l_buf_text(out, "\n");
}

static void lay_components(f2l_buf *out, const char *label, const char *which, f2l_fact components)
{
    const f2l_fact share = f2l_get(components, "share");
    const double three = f2l_get_number(components, "three");
    const size_t K = f2l_get_size(share, "");
    f2l_buf_printf(out, "%-13s", label);
    f2l_layout(out, components, "{vectors}");
    f2l_buf_printf(out, "%s: three principal components hold %.1f %%, %s %g %%, which takes ",
                   which, 100 * three, three > F2L_INSPECT_ENOUGH ? "over" : "not over",
                   100 * F2L_INSPECT_ENOUGH);
    f2l_layout(out, components, "{enough} of ");
    f2l_buf_printf(out, "%zu; effective rank %.2f; shares", K,
                   f2l_get_number(components, "effective_rank"));
    for (size_t i = 0; i < SHARES && i < K; i++)
        f2l_buf_printf(out, " %.1f", 100 * f2l_get_number(f2l_get_item(share, i), ""));
    f2l_buf_printf(out, "%s %%\n", K > SHARES ? " .." : "");
}

/* Appends the components of the keys of all factors, and of the factors that act where they are
 * fewer. */
static void lay_keys(f2l_buf *out, f2l_fact head)
{
    const f2l_fact all = f2l_get(head, "key_components");
    const f2l_fact acting = f2l_get(head, "acting_key_components");
    const uint64_t vectors = f2l_get_count(acting, "vectors");
    char which[48];
    snprintf(which, sizeof which, " with beta >= %g", f2l_get_number(head, "beta_spread.high") / 2);
    lay_components(out, "  keys", "", all);
    if (vectors > 0 && vectors < f2l_get_count(all, "vectors"))
        lay_components(out, "", which, acting);
}

/* Appends the eigenvalues; a pair of conjugates is one entry: modulus@angle. */
static void lay_eigenvalues(f2l_buf *out, f2l_fact values)
{
    for (size_t i = 0; i < f2l_get_size(values, ""); i++) {
        const f2l_fact pair = f2l_get_item(values, i);
        const double re = f2l_get_number(f2l_get_item(pair, 0), "");
        const double im = f2l_get_number(f2l_get_item(pair, 1), "");
        if (im == 0)
            f2l_buf_printf(out, " %.3f", re);
        else if (im > 0)
            f2l_buf_printf(out, " %.3f@%.1f", hypot(re, im),
                           atan2(im, re) * (180 / 3.14159265358979323846));
    }
}

void f2l_inspect_lay_letter(f2l_buf *out, f2l_fact action, bool gated)
{
    f2l_layout(out, action, "{betas* {.%5.3f}}{angles? }");
    for (size_t i = 0; i < f2l_get_size(action, "angles"); i++) {
        const double angle = f2l_get_number(f2l_get_item(f2l_get(action, "angles"), i), "");
        f2l_buf_printf(out, isnan(angle) ? "     -" : " %5.1f", angle);
    }
    f2l_layout(out, action, "  {distance%8.4f} ");
    if (gated) f2l_layout(out, action, " {gate%5.3f} ");
    lay_eigenvalues(out, f2l_get(action, "complex_eigenvalues"));
    f2l_buf_text(out, "\n");
}

static void lay_letter(f2l_buf *out, f2l_fact letter, f2l_fact action, bool gated)
{
    const size_t before = out->size;
    f2l_layout(out, letter, "  {name}{used?| *}");
    while (!out->failed && out->size - before < NAME + 2) f2l_buf_text(out, " ");
    f2l_inspect_lay_letter(out, action, gated);
}

static void lay_inspect_letters(f2l_buf *out, f2l_fact from, f2l_fact head, size_t rows)
{
    const f2l_fact names = f2l_get(from, "per_letter"), actions = f2l_get(head, "letter_actions");
    const int N = (int)f2l_get_count(from, "householders");
    const uint64_t equal = f2l_get_count(from, "eigenvalues_equal_to_gate");
    const bool gated = f2l_get_truth(from, "model_config.forget_gate");
    const size_t letters = f2l_get_size(names, "");
    f2l_buf_printf(out, "  %-*s %-*s", NAME, "letter", 6 * N - 1, N > 1 ? "betas" : "beta");
    if (N > 1) f2l_buf_printf(out, " %*s", 6 * (N - 1), N > 2 ? "angles" : "angle");
    f2l_buf_printf(out, "  %8s %s eigenvalues", "distance", gated ? "  gate " : "");
    if (equal)
        f2l_buf_printf(out, ", and %zu that %s %s", (size_t)equal, equal == 1 ? "is" : "are",
                       gated ? "the gate" : "1");
    f2l_buf_text(out, N > 1 ? "; r@a: a pair r e^(+-i a), degrees\n" : "\n");
    for (size_t a = 0; a < letters && a < rows; a++)
        lay_letter(out, f2l_get_item(names, a), f2l_get_item(actions, a), gated);
    if (letters > rows)
        f2l_buf_printf(out, "  .. and %zu more letters: --letters N shows more, --json all\n",
                       letters - rows);
    if (f2l_get_count(from, "letters_used") < letters)
        f2l_buf_text(out, "  * never came in training\n");
}

void f2l_inspect_lay_head(f2l_buf *out, f2l_fact from, size_t head, size_t rows)
{
    const f2l_fact one = f2l_get_item(f2l_get(from, "per_head"), head);
    f2l_buf_printf(out, "\nhead %zu\n", head + 1);
    lay_betas(out, from, one);
    lay_keys(out, one);
    f2l_layout(out, f2l_get(one, "worst_letter"),
               "  A(w)       at most {distance%.4f} from an orthogonal matrix (Frobenius norm), "
               "for letter {letter}\n");
    lay_inspect_letters(out, from, one, rows);
}

static void lay_content(f2l_buf *out, f2l_fact action)
{
    const f2l_fact multiplicities = f2l_get(action, "multiplicities");
    const f2l_fact deviations = f2l_get(action, "deviations");
    static const char *const sign[2][2] = {{" is ", " is -"}, {" + ", " - "}};
    bool any = false;
    double deviation = 0;
    f2l_buf_text(out, "             character");
    for (size_t i = 0; i < f2l_get_size(multiplicities, ""); i++) {
        const double m = f2l_get_number(f2l_get_item(multiplicities, i), "");
        deviation = fmax(deviation, f2l_get_number(f2l_get_item(deviations, i), ""));
        if (fabs(m) < CONTENT) continue;
        f2l_buf_printf(out, "%s%.3f chi%zu", sign[any][m < 0], fabs(m), i + 1);
        any = true;
    }
    f2l_buf_printf(out, "%s; traces differ by up to %.3f from the mean of their class\n",
                   any ? "" : " is 0", deviation);
}

void f2l_inspect_lay_action(f2l_buf *out, f2l_fact from, size_t head)
{
    const f2l_fact action = f2l_get_item(f2l_get(from, "relations.head_actions"), head);
    char label[32];
    snprintf(label, sizeof label, "  head %zu", head + 1);
    f2l_buf_printf(out, "%-13s", label);
    if (!f2l_get_count(action, "moving")) {
        f2l_buf_text(out, "no letter moves a state\n");
        return;
    }
    f2l_layout(out, action, "{moving} of ");
    f2l_layout(out, from, "{key_dim} dimensions move; letters lead out of them by up to ");
    f2l_layout(out, action, "{leaves%.3f}\n");
    if (f2l_is_known(action, "worst_pair")) {
        const f2l_fact pair = f2l_get(action, "worst_pair");
        f2l_layout(out, action,
                   "             difference {median%.4f} median, {worst%.4f} worst, for w = ");
        f2l_layout_items(out, pair, 0, 2, "{.}", ", u = ");
        f2l_buf_text(out, "\n");
    }
    if (f2l_is_known(action, "multiplicities")) lay_content(out, action);
}
