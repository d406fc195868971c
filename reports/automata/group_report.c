#include "reports/automata/group_report.h"
#include "automata/fsa/perm.h"
#include "numeric/base/mem.h"
#include "numeric/base/path.h"
#include "reports/phrases.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

#define INDENT 15 /* columns of the labels */
#define TABLE_CLASSES 12
#define CYCLES_BYTES 40 /* bytes of an element before it is cut */

static void numbers(f2l_buf *out, const size_t *value, size_t count, const char *between)
{
    for (size_t i = 0; i < count; i++) f2l_buf_printf(out, "%s%zu", i ? between : "", value[i]);
}

static void cycles(f2l_buf *out, const f2l_group *g, uint32_t element)
{
    f2l_buf text;
    f2l_buf_init(&text);
    f2l_perm_write(&text, g->element + (size_t)element * g->degree, g->degree);
    if (text.failed)
        out->failed = true;
    else if (text.size > CYCLES_BYTES)
        f2l_buf_printf(out, "%.*s..", CYCLES_BYTES, text.data);
    else
        f2l_buf_text(out, text.data);
    f2l_buf_clear(&text);
}

static void write_group(f2l_buf *out, const f2l_group_report *r)
{
    const f2l_structure *s = r->structure;
    f2l_report_label(out, "group", INDENT);
    f2l_buf_printf(out, "%s: order %zu, %zu classes, exponent %zu, centre of order %zu\n", r->name,
                   s->order, r->classes->classes, r->classes->exponent, s->centre);
    f2l_report_label(out, "", INDENT);
    f2l_buf_printf(out, "%s; derived series ",
                   s->abelian     ? "abelian"
                   : s->nilpotent ? "nilpotent"
                   : s->solvable  ? "solvable, not nilpotent"
                                  : "not solvable");
    numbers(out, s->derived, s->derived_terms, " > ");
    f2l_buf_text(out, "\n");
    if (s->factors) {
        f2l_report_label(out, "", INDENT);
        f2l_buf_text(out, "composition factors");
        for (size_t i = 0; i < s->factors; i++) f2l_buf_printf(out, " %s", s->factor[i].name);
        f2l_buf_text(out, "\n");
    }
}

static void write_classes(f2l_buf *out, const f2l_group_report *r)
{
    const f2l_classes *c = r->classes;
    for (size_t i = 0; i < c->classes && c->classes <= TABLE_CLASSES; i++) {
        f2l_report_label(out, i ? "" : "classes", INDENT);
        f2l_buf_printf(out, "%zu: %zu of order %u, ", i + 1, c->size[i], c->element_order[i]);
        cycles(out, r->group, c->representative[i]);
        f2l_buf_printf(out, "%s\n", r->householders->letter[i] ? "  (letters)" : "");
    }
}

/* Appends a value for reading; JSON has the exact value. */
static f2l_status write_value(f2l_buf *out, const f2l_group_report *r, size_t character,
                              size_t class_number, size_t *multiplicity, f2l_error *err)
{
    const size_t e = r->classes->exponent;
    double re = 0, im = 0;
    f2l_status status = f2l_characters_eigenvalues(multiplicity, r->characters, r->classes,
                                                   character, class_number, err);
    if (status != F2L_OK) return status;
    for (size_t j = 0; j < e; j++) {
        const double angle = 2 * 3.14159265358979323846 * (double)j / (double)e;
        re += (double)multiplicity[j] * cos(angle);
        im += (double)multiplicity[j] * sin(angle);
    }
    char text[64];
    const double rounded = fabs(re) < 1e-9 ? 0 : re;
    if (fabs(im) > 1e-9)
        snprintf(text, sizeof text, "%.4g%+.4gi", rounded, im);
    else
        snprintf(text, sizeof text, "%.4g", rounded);
    f2l_buf_printf(out, " %8s", text);
    return F2L_OK;
}

static f2l_status write_characters(f2l_buf *out, const f2l_group_report *r, f2l_error *err)
{
    const f2l_characters *t = r->characters;
    if (t->classes > TABLE_CLASSES) return F2L_OK;
    size_t *multiplicity = f2l_calloc(r->classes->exponent, sizeof *multiplicity);
    f2l_status status = multiplicity ? F2L_OK : f2l_fail_memory(err);
    for (size_t i = 0; status == F2L_OK && i < t->characters; i++) {
        f2l_report_label(out, i ? "" : "characters", INDENT);
        f2l_buf_printf(out, "%zu: indicator %2d ", i + 1, t->indicator[i]);
        for (size_t c = 0; status == F2L_OK && c < t->classes; c++)
            status = write_value(out, r, i, c, multiplicity, err);
        f2l_buf_text(out, "\n");
    }
    f2l_free(multiplicity);
    return status;
}

static void write_irreps(f2l_buf *out, const f2l_group_report *r)
{
    const f2l_householders *h = r->householders;
    f2l_report_label(out, "real irreps", INDENT);
    f2l_buf_printf(out, "%zu; a letter takes at most rank(rho(w) - I) reflections\n", h->irreps);
    for (size_t i = 0; i < h->irreps && h->irreps <= TABLE_CLASSES; i++) {
        f2l_report_label(out, "", INDENT);
        f2l_buf_printf(out, "%zu: character %u, dimension %zu, rank %zu\n", i + 1,
                       h->irrep[i].character + 1, h->irrep[i].dimension, h->irrep[i].most);
    }
}

static void write_fewest(f2l_buf *out, const f2l_group_report *r)
{
    const f2l_householders *h = r->householders;
    f2l_report_label(out, "fewest factors", INDENT);
    f2l_buf_printf(out,
                   "n_h = %zu for %s, over all one-layer networks with orthogonal transitions that "
                   "generate the group itself (R1)\n",
                   h->minimum, r->all_letters ? "all elements as letters" : "these letters");
    f2l_report_label(out, "", INDENT);
    f2l_buf_text(out, "in real irreps");
    for (size_t i = 0; i < h->heads; i++) f2l_buf_printf(out, " %u", h->head[i] + 1);
    f2l_buf_printf(out, ", %zu dimensions%s\n", h->dimension, h->least ? ", the least sum" : "");
    if (h->minimum > 0) {
        f2l_report_label(out, "", INDENT);
        f2l_buf_printf(out, "not fewer: all that take less are trivial on class %u, ",
                       h->hidden + 1);
        cycles(out, r->group, r->classes->representative[h->hidden]);
        f2l_buf_text(out, "\n");
    }
}

static void write_dyadic(f2l_buf *out, const f2l_dyadic *d)
{
    f2l_report_label(out, "dyadic keys", INDENT);
    if (d->lower == d->upper)
        f2l_buf_printf(out, "n_h = %zu when every key is an exactly dyadic unit vector", d->upper);
    else
        f2l_buf_printf(out,
                       "n_h between %zu (proved) and %zu (built) with exactly dyadic unit keys",
                       d->lower, d->upper);
    f2l_buf_printf(out, "; %zu head%s of signed permutations\n", d->heads,
                   d->heads == 1 ? "" : "s");
}

static void write_cover(f2l_buf *out, const f2l_group_report *r)
{
    const f2l_cover *c = r->cover;
    f2l_report_label(out, "covers", INDENT);
    if (!c)
        f2l_buf_printf(out, "not searched: %s", r->cover_reason);
    else if (c->found)
        f2l_buf_printf(out, "n_h = %zu through a group of order %zu, a central extension by %zu",
                       c->factors, c->group.order, c->kernel);
    else
        f2l_buf_text(out, "none with fewer factors found");
    if (c)
        f2l_buf_printf(
            out,
            " (%zu central extensions looked at%s; no cover in one orthogonal layer has less "
            "than %zu)",
            c->extensions, c->complete ? ", all of the kernels searched" : ", stopped at a limit",
            c->lower);
    f2l_buf_text(out, "\n");
}

f2l_status f2l_group_report_text(f2l_buf *out, const f2l_group_report *report, f2l_error *err)
{
    f2l_buf_printf(out, "%s: %zu letters act on %zu points\n", f2l_path_base(report->grammar),
                   report->group->generators, report->group->degree);
    write_group(out, report);
    write_classes(out, report);
    f2l_status status = write_characters(out, report, err);
    if (status != F2L_OK) return status;
    write_irreps(out, report);
    write_fewest(out, report);
    write_dyadic(out, report->dyadic);
    write_cover(out, report);
    return f2l_buf_status(out, err);
}
