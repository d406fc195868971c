/* One head of the readable report. */
#include "reports/networks/impl.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

#define INDENT F2L_INSPECT_INDENT
#define SHARES 6
#define NAME 18        /* columns of a letter's name */
#define CONTENT 0.0005 /* multiplicities below this are not shown */

static void write_betas(f2l_buf *out, const f2l_inspect *x, const f2l_inspect_head *h)
{
    const f2l_inspect_spread *s = &h->betas;
    f2l_buf_printf(
        out,
        "%-*s%zu of %zu near %g, %zu near 0 (within %g); quantiles 0, 5, 25, 50, 75, 95, 100 %%:",
        INDENT, "  betas", s->near_high, s->count, s->high, s->near_low,
        F2L_INSPECT_NEAR * (s->high - s->low));
    for (size_t q = 0; q < F2L_INSPECT_QUANTILES; q++) f2l_buf_printf(out, " %.3f", s->quantile[q]);
    f2l_buf_printf(out, "\n%-*s%s near %g for %zu of %zu letters", INDENT, "",
                   x->householders == 1   ? "beta is"
                   : x->householders == 2 ? "both betas are"
                                          : "all betas are",
                   s->high, h->letters_high, x->used_letters);
    for (size_t n = 0; n < x->householders && x->householders > 1; n++)
        f2l_buf_printf(out, "%s %zu: %zu", n ? "," : "; factor", n + 1, h->factor[n].near_high);
    f2l_buf_text(out, "\n");
}

static void write_components(f2l_buf *out, const char *label, const char *which, size_t K,
                             const f2l_inspect_components *c)
{
    double three = 0;
    for (size_t i = 0; i < 3 && i < K; i++) three += c->share[i];
    f2l_buf_printf(out,
                   "%-*s%zu%s: three principal components hold %.1f %%, %s %g %%, which takes %zu "
                   "of %zu",
                   INDENT, label, c->keys, which, 100 * three,
                   three > F2L_INSPECT_ENOUGH ? "over" : "not over", 100 * F2L_INSPECT_ENOUGH,
                   c->enough, K);
    f2l_buf_printf(out, "; effective rank %.2f; shares", c->effective_rank);
    for (size_t i = 0; i < SHARES && i < K; i++) f2l_buf_printf(out, " %.1f", 100 * c->share[i]);
    f2l_buf_printf(out, "%s %%\n", K > SHARES ? " .." : "");
}

/* Appends the components of the keys of all factors, and of the factors that act where they are
 * fewer. */
static void write_keys(f2l_buf *out, const f2l_inspect *x, const f2l_inspect_head *h)
{
    char which[48];
    snprintf(which, sizeof which, " with beta >= %g", h->betas.high / 2);
    write_components(out, "  keys", "", x->key_dim, &h->all);
    if (h->acting.keys > 0 && h->acting.keys < h->all.keys)
        write_components(out, "", which, x->key_dim, &h->acting);
}

/* Appends the eigenvalues; a pair of conjugates is one entry: modulus@angle. */
static void write_eigenvalues(f2l_buf *out, const double *re, const double *im, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (im[i] == 0)
            f2l_buf_printf(out, " %.3f", re[i]);
        else if (im[i] > 0)
            f2l_buf_printf(out, " %.3f@%.1f", hypot(re[i], im[i]),
                           atan2(im[i], re[i]) * (180 / 3.14159265358979323846));
    }
}

static void write_letter(f2l_buf *out, const f2l_inspect_report *r, const f2l_inspect_head *h,
                         size_t letter)
{
    const f2l_inspect *x = r->inspect;
    const size_t N = x->householders, M = x->reduced, before = out->size;
    f2l_buf_text(out, "  ");
    f2l_inspect_letter_name(out, r, letter);
    if (!x->used[letter]) f2l_buf_text(out, " *");
    while (!out->failed && out->size - before < NAME + 2) f2l_buf_text(out, " ");
    for (size_t n = 0; n < N; n++) f2l_buf_printf(out, " %5.3f", h->beta[letter * N + n]);
    f2l_buf_text(out, N > 1 ? " " : "");
    for (size_t n = 0; n + 1 < N; n++) {
        const double angle = h->angle[letter * (N - 1) + n];
        if (isnan(angle))
            f2l_buf_text(out, "     -");
        else
            f2l_buf_printf(out, " %5.1f", angle);
    }
    f2l_buf_printf(out, "  %8.4f ", h->distance[letter]);
    if (r->model->config.forget_gate) f2l_buf_printf(out, " %5.3f ", h->gate[letter]);
    write_eigenvalues(out, h->re + letter * M, h->im + letter * M, M);
    f2l_buf_text(out, "\n");
}

static void write_letters(f2l_buf *out, const f2l_inspect_report *r, const f2l_inspect_head *h)
{
    const f2l_inspect *x = r->inspect;
    const size_t N = x->householders;
    const bool gated = r->model->config.forget_gate;
    f2l_buf_printf(out, "  %-*s %-*s", NAME, "letter", (int)(6 * N - 1), N > 1 ? "betas" : "beta");
    if (N > 1) f2l_buf_printf(out, " %*s", (int)(6 * (N - 1)), N > 2 ? "angles" : "angle");
    f2l_buf_printf(out, "  %8s %s eigenvalues", "distance", gated ? "  gate " : "");
    if (x->key_dim > x->reduced)
        f2l_buf_printf(out, ", and %zu that %s %s", x->key_dim - x->reduced,
                       x->key_dim - x->reduced == 1 ? "is" : "are", gated ? "the gate" : "1");
    f2l_buf_text(out, N > 1 ? "; r@a: a pair r e^(+-i a), degrees\n" : "\n");
    for (size_t a = 0; a < x->letters && a < r->rows; a++) write_letter(out, r, h, a);
    if (x->letters > r->rows)
        f2l_buf_printf(out, "  .. and %zu more letters: --letters N shows more, --json all\n",
                       x->letters - r->rows);
    if (x->used_letters < x->letters) f2l_buf_text(out, "  * never came in training\n");
}

void f2l_inspect_report_head(f2l_buf *out, const f2l_inspect_report *r, size_t head)
{
    const f2l_inspect *x = r->inspect;
    const f2l_inspect_head *h = &x->head[head];
    f2l_buf_printf(out, "\nhead %zu\n", head + 1);
    write_betas(out, x, h);
    write_keys(out, x, h);
    f2l_buf_printf(out,
                   "%-*sat most %.4f from an orthogonal matrix (Frobenius norm), for "
                   "letter ",
                   INDENT, "  A(w)", h->distance[h->worst]);
    f2l_inspect_letter_name(out, r, h->worst);
    f2l_buf_text(out, "\n");
    write_letters(out, r, h);
}

static void write_content(f2l_buf *out, const f2l_inspect_characters *x, size_t head)
{
    const size_t classes = x->classes.classes;
    const double *multiplicity = x->multiplicity + head * classes;
    static const char *const sign[2][2] = {{" is ", " is -"}, {" + ", " - "}};
    bool any = false;
    f2l_buf_printf(out, "%-*scharacter", INDENT, "");
    for (size_t i = 0; i < classes; i++) {
        if (fabs(multiplicity[i]) < CONTENT) continue;
        f2l_buf_printf(out, "%s%.3f chi%zu", sign[any][multiplicity[i] < 0], fabs(multiplicity[i]),
                       i + 1);
        any = true;
    }
    double deviation = 0;
    for (size_t c = 0; c < classes; c++)
        deviation = fmax(deviation, x->deviation[head * classes + c]);
    f2l_buf_printf(out,
                   "%s; traces differ by up to %.3f from the mean of their "
                   "class\n",
                   any ? "" : " is 0", deviation);
}

void f2l_inspect_report_action(f2l_buf *out, const f2l_inspect_report *r, size_t head)
{
    const f2l_inspect_relations *x = r->relations;
    const f2l_inspect_action *a = &x->action[head];
    char label[32];
    snprintf(label, sizeof label, "  head %zu", head + 1);
    if (a->moving == 0) {
        f2l_buf_printf(out, "%-*sno letter moves a state\n", INDENT, label);
        return;
    }
    f2l_buf_printf(out, "%-*s%zu of %zu dimensions move; letters lead out of them by up to %.3f\n",
                   INDENT, label, a->moving, r->inspect->key_dim, a->leaves);
    if (x->pairs > 0) {
        f2l_buf_printf(out, "%-*sdifference %.4f median, %.4f worst, for w = ", INDENT, "",
                       a->median, a->worst);
        f2l_inspect_letter_name(out, r, a->first);
        f2l_buf_text(out, ", u = ");
        f2l_inspect_letter_name(out, r, a->second);
        f2l_buf_text(out, "\n");
    }
    if (r->characters != NULL) write_content(out, r->characters, head);
}
