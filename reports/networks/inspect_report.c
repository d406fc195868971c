#include "automata/fsa/perm.h"
#include "numeric/base/path.h"
#include "reports/networks/impl.h"
#include "reports/training/train_report_parts.h"
#include <math.h>
#include <string.h>

#define INDENT F2L_INSPECT_INDENT
#define TABLE_CLASSES 12

static const char *plural(size_t count)
{
    return count == 1 ? "" : "s";
}

void f2l_inspect_letter_name(f2l_buf *out, const f2l_inspect_report *r, size_t letter)
{
    if (r->data != NULL)
        f2l_buf_text(out, f2l_names_get(&r->data->letters, letter));
    else
        f2l_buf_printf(out, "%zu", letter + 1);
}

static void write_top(f2l_buf *out, const f2l_inspect_report *r)
{
    const f2l_inspect *x = r->inspect;
    f2l_buf_printf(out, "%-*s%s: ", INDENT, "network", f2l_path_base(r->weights));
    f2l_train_model_text(out, &r->model->config);
    f2l_buf_printf(out, "; %zu parameters%s\n", r->model->parameters,
                   r->unfinished ? "; the run has not ended" : "");
    if (r->data != NULL) {
        f2l_buf_printf(out, "%-*s%s: ", INDENT, "data", r->source);
        f2l_train_data_text(out, r->data);
        f2l_buf_text(out, "\n");
    }
    f2l_buf_printf(out, "%-*s%zu letter%s", INDENT, "layer 1", x->letters, plural(x->letters));
    if (x->used_letters < x->letters)
        f2l_buf_printf(out, ", of which the %zu that came in training count", x->used_letters);
    if (x->repeats > 1)
        f2l_buf_printf(out,
                       "; %s of a letter read %zu times in a row, as the convolution sees "
                       "that many",
                       x->heads ? "keys" : "decays", x->repeats);
    else
        f2l_buf_printf(out, "; %s functions of the letter",
                       x->heads ? "keys and betas are" : "decays are");
    f2l_buf_printf(out, "%s\n",
                   r->model->config.layers > 1   ? "; later layers are not looked at"
                   : r->model->config.additive   ? ""
                   : x->heads && x->repeats == 1 ? ", and these matrices are all of the recurrence"
                                                 : "");
}

static void write_decays(f2l_buf *out, const char *label, const f2l_inspect_spread *s)
{
    f2l_buf_printf(out, "  %-18s %6zu %6zu %6zu ", label, s->near_low,
                   s->count - s->near_low - s->near_high, s->near_high);
    for (size_t q = 0; q < F2L_INSPECT_QUANTILES; q++)
        f2l_buf_printf(out, " %6.3f", s->quantile[q]);
    f2l_buf_text(out, "\n");
}

static void write_diagonal(f2l_buf *out, const f2l_inspect_report *r)
{
    const f2l_inspect *x = r->inspect;
    const double low = x->all.low;
    f2l_buf_printf(
        out,
        "\n"
        "eigenvalues (decays) of %zu channels of %zu states, in [%g, 1]; near: within %g\n"
        "  %-18s %6s %6s %6s  quantiles 0, 5, 25, 50, 75, 95, 100 %%\n",
        x->channels, x->states, low, F2L_INSPECT_NEAR * (1 - low), "letter",
        low < 0 ? "near-1" : "near 0", "other", "near 1");
    for (size_t a = 0; a < x->letters && a < r->rows; a++) {
        f2l_buf name;
        f2l_buf_init(&name);
        f2l_inspect_letter_name(&name, r, a);
        if (name.failed) out->failed = true;
        write_decays(out, name.data ? name.data : "", &x->decays[a]);
        f2l_buf_clear(&name);
    }
    if (x->letters > r->rows)
        f2l_buf_printf(out, "  .. and %zu more letters: --letters N shows more, --json all\n",
                       x->letters - r->rows);
    write_decays(out, "all", &x->all);
}

/* Appends the table of characters, to which the heads' multiplicities refer. */
static void write_classes(f2l_buf *out, const f2l_inspect_report *r)
{
    const f2l_inspect_characters *x = r->characters;
    const f2l_group *g = &r->relations->group;
    const size_t classes = x->classes.classes;
    if (classes > TABLE_CLASSES) return;
    for (size_t c = 0; c < classes; c++) {
        f2l_buf_printf(out, "%-*sclass %zu: %zu of order %u, ", INDENT, c ? "" : "classes", c + 1,
                       x->classes.size[c], x->classes.element_order[c]);
        f2l_perm_write(out, g->element + (size_t)x->classes.representative[c] * g->degree,
                       g->degree);
        f2l_buf_text(out, "\n");
    }
    for (size_t i = 0; i < classes; i++) {
        f2l_buf_printf(out, "%-*schi%zu, degree %zu:", INDENT, i ? "" : "characters", i + 1,
                       x->table.degree[i]);
        for (size_t c = 0; c < classes; c++) {
            const double re = x->re[i * classes + c], im = x->im[i * classes + c];
            f2l_buf_printf(out, " %.4g", fabs(re) < 1e-9 ? 0 : re);
            if (fabs(im) > 1e-9) f2l_buf_printf(out, "%+.4gi", im);
        }
        f2l_buf_text(out, "\n");
    }
}

static void write_relations(f2l_buf *out, const f2l_inspect_report *r)
{
    const f2l_inspect_relations *x = r->relations;
    f2l_buf_text(out, "\n");
    if (x->why_none != NULL) {
        f2l_buf_printf(out, "%-*snot looked at: %s\n", INDENT, "relations", x->why_none);
        return;
    }
    f2l_buf_printf(out,
                   "%-*sof the group of order %zu: %zu pairs of letters (w, u) whose product is a "
                   "letter",
                   INDENT, "relations", x->group.order, x->pairs_there);
    if (x->pairs < x->pairs_there) f2l_buf_printf(out, ", of which %zu are looked at", x->pairs);
    f2l_buf_printf(
        out,
        "\n"
        "%-*sdifference: |(A(u) A(w) - A(wu)) Q| / |A(wu) Q|, Frobenius norm; the columns of Q "
        "span all\n"
        "%-*sdifferences of states A(word) H_0, singular values from %g of the largest on\n",
        INDENT, "", INDENT, "", x->threshold);
    if (r->characters != NULL)
        write_classes(out, r);
    else
        f2l_buf_printf(out, "%-*snot looked at: %s\n", INDENT, "characters", r->why_no_characters);
    for (size_t h = 0; h < x->heads; h++) f2l_inspect_report_action(out, r, h);
}

f2l_status f2l_inspect_report_text(f2l_buf *out, const f2l_inspect_report *r, f2l_error *err)
{
    const f2l_inspect *x = r->inspect;
    write_top(out, r);
    if (x->heads == 0) write_diagonal(out, r);
    for (size_t h = 0; h < x->heads; h++) f2l_inspect_report_head(out, r, h);
    if (x->heads > 0) write_relations(out, r);
    f2l_buf_text(out, "what was learned, in floating point: seen, not proved\n");
    return f2l_buf_status(out, err);
}
