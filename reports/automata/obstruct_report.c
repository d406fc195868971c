#include "reports/automata/obstruct_report.h"
#include "numeric/base/path.h"
#include "reports/compile/report_parts.h"
#include <math.h>
#include <string.h>

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

static void write_network(f2l_buf *out, const f2l_obstruct_report *r)
{
    f2l_buf_printf(out, "network    %s: %zu layer%s, %zu head%s", f2l_path_base(r->network),
                   r->spectra->layers, r->spectra->layers == 1 ? "" : "s", r->spectra->heads,
                   r->spectra->heads == 1 ? "" : "s");
    if (r->fsa)
        f2l_buf_printf(out, "; automaton of %zu states and %zu letters", r->fsa->states.count,
                       r->fsa->letters.count);
    f2l_buf_text(out, "\n");
}

static void write_value(f2l_buf *out, const f2l_eigenvalue *v)
{
    const double re = v->re_low / 2 + v->re_high / 2, im = v->im_low / 2 + v->im_high / 2;
    const bool real = v->im_low == 0 && v->im_high == 0;
    f2l_buf_printf(out, " %.10g", fabs(re) < 1e-300 ? 0 : re);
    if (!real) f2l_buf_printf(out, "%+.10gi", im);
    if (v->multiplicity > 1) f2l_buf_printf(out, " (%zu times)", v->multiplicity);
}

static void write_letter(f2l_buf *out, const f2l_obstruct_report *r, const f2l_head_spectra *h,
                         size_t letter)
{
    if (h->layer == 0 && h->slots == 1 && r->letters && letter < r->letters->count &&
        !f2l_model_is_wired(r->spectra->model))
        f2l_buf_name(out, f2l_names_get(r->letters, letter));
    else
        f2l_buf_printf(out, "%zu", letter + 1);
}

static void write_matrix(f2l_buf *out, const f2l_obstruct_report *r, const f2l_head_spectra *h,
                         size_t m)
{
    const f2l_spectrum *s = &h->spectrum[m];
    size_t letters = 0;
    for (size_t a = 0; a < h->letters; a++) letters += h->matrix_of[a] == m;
    f2l_buf_text(out, "    letter ");
    write_letter(out, r, h, h->example[m]);
    if (letters > 1) f2l_buf_printf(out, " and %zu more", letters - 1);
    f2l_buf_text(out, ":");
    if (s->n == 0) f2l_buf_text(out, " too large");
    for (size_t i = 0; i < s->distinct && i < VALUES; i++) write_value(out, &s->value[i]);
    if (s->distinct > VALUES) f2l_buf_printf(out, " .. (%zu different ones)", s->distinct);
    f2l_buf_text(out, "\n");
}

static void write_example(f2l_buf *out, const f2l_obstruct_report *r, const f2l_head_spectra *h,
                          const size_t *product, size_t length, const char *what)
{
    if (!product) return;
    f2l_buf_printf(out, "; %s:", what);
    for (size_t i = 0; i < length; i++) {
        f2l_buf_text(out, " ");
        write_letter(out, r, h, h->example[product[i]]);
    }
}

static void write_products(f2l_buf *out, const f2l_obstruct_report *r, const f2l_head_spectra *h,
                           const f2l_products *p)
{
    f2l_buf_printf(out, "    products of %zu: ", p->length);
    if (p->diagonal) {
        f2l_buf_printf(out, "all %s, because the matrices are diagonal\n",
                       p->worst == F2L_SPECTRUM_NONNEGATIVE ? "real and >= 0" : "real");
        return;
    }
    if (!p->complete) f2l_buf_printf(out, "UNKNOWN, the first %zu are: ", p->products);
    f2l_buf_printf(out,
                   "%zu with all eigenvalues real and >= 0, %zu real with a negative one, %zu with "
                   "a non-real one",
                   p->kinds[F2L_SPECTRUM_NONNEGATIVE], p->kinds[F2L_SPECTRUM_REAL],
                   p->kinds[F2L_SPECTRUM_COMPLEX]);
    write_example(out, r, h, p->negative, p->length, "negative");
    write_example(out, r, h, p->complex, p->length, "non-real");
    f2l_buf_text(out, "\n");
}

static void write_spectra(f2l_buf *out, const f2l_obstruct_report *r)
{
    f2l_buf_text(
        out, "spectra    eigenvalues of the matrices A of the recurrences S <- A S + B; signs are "
             "decided exactly\n");
    for (size_t i = 0; i < r->spectra->heads; i++) {
        const f2l_head_spectra *h = &r->spectra->head[i];
        f2l_buf_printf(out, "  layer %zu, head %zu: %zu x %zu, ", h->layer + 1, h->number + 1,
                       h->head->n, h->head->n);
        if (h->letters == 0) {
            f2l_buf_text(out, "too many combinations of its slots: UNKNOWN\n");
            continue;
        }
        f2l_buf_printf(out, "%zu letter%s, %zu different matri%s\n", h->letters,
                       h->letters == 1 ? "" : "s", h->matrices, h->matrices == 1 ? "x" : "ces");
        for (size_t m = 0; m < h->matrices && m < MATRICES; m++) write_matrix(out, r, h, m);
        if (h->matrices > MATRICES)
            f2l_buf_printf(out, "    .. (%zu more)\n", h->matrices - MATRICES);
        for (size_t k = 0; k < h->lengths; k++) write_products(out, r, h, &h->products[k]);
    }
}

static void write_theorem(f2l_buf *out, const char *name, const f2l_theorem *t, const char *yes)
{
    f2l_buf_printf(out, "  %s ", name);
    if (t->applies == F2L_APPLIES_YES)
        f2l_buf_printf(out, "applies: %s\n", yes);
    else if (t->applies == F2L_APPLIES_NO)
        f2l_buf_printf(out,
                       "forbids nothing: its condition is met in layer %zu, head %zu, by a product "
                       "of %zu letter%s\n",
                       t->layer + 1, t->head + 1, t->length, t->length == 1 ? "" : "s");
    else
        f2l_buf_printf(out,
                       "UNKNOWN: the products of %zu letters in layer %zu, head %zu are not all "
                       "decided\n",
                       t->length, t->layer + 1, t->head + 1);
}

static void write_theorems(f2l_buf *out, const f2l_obstruct_report *r)
{
    f2l_buf_text(out,
                 "theorems   of exact states, also when each is rounded once where it is read "
                 "([U]'s finite precision);\n"
                 "           where operations round, as in the formats below, they say nothing "
                 "(theory/pages/obstruct.md, OB.4)\n");
    write_theorem(
        out, "T1", r->t1,
        "all letters have non-negative eigenvalues only, so that no letter can turn labels in a "
        "cycle");
    write_theorem(out, "T2", r->t2,
                  "products have real eigenvalues only, so that no letter can turn labels in a "
                  "cycle of odd length > 1");
}

static void write_letters(f2l_buf *out, const f2l_obstruct_report *r, const size_t *letters,
                          size_t count)
{
    for (size_t i = 0; i < count && i < LETTERS; i++) {
        if (i > 0) f2l_buf_text(out, " ");
        f2l_buf_name(out, f2l_names_get(&r->fsa->letters, letters[i]));
    }
    if (count > LETTERS) f2l_buf_printf(out, " .. (%zu letters)", count);
}

static void write_period(f2l_buf *out, const f2l_obstruct_report *r)
{
    const f2l_period *p = r->period;
    if (!p->known) {
        f2l_buf_printf(out, "           no theorem: layer %zu, head %zu ", p->layer + 1,
                       p->head + 1);
        if (p->real == F2L_APPLIES_NO)
            f2l_buf_printf(out, "has a product of %llu letters with a non-real eigenvalue\n",
                           (unsigned long long)p->period);
        else
            f2l_buf_printf(out, "has products of %llu letters that were not decided\n",
                           (unsigned long long)p->period);
        return;
    }
    f2l_buf_printf(out,
                   "           exact labels have in the end a period that divides %llu (OB.3), the "
                   "right ones %llu: %s\n",
                   (unsigned long long)p->period, (unsigned long long)r->word->period,
                   f2l_obstruct_forbidden(r) ? "wrong at infinitely many lengths"
                                             : "no contradiction");
}

static void write_word(f2l_buf *out, const f2l_obstruct_report *r)
{
    f2l_buf_text(out, "word       ");
    if (r->word->length == 0) {
        f2l_buf_printf(out, "%s\n",
                       *r->no_word ? r->no_word
                                   : "no word turns labels in a cycle: T1 and T2 forbid nothing "
                                     "here");
        return;
    }
    f2l_buf_text(out, "(");
    write_letters(out, r, r->word->letter + r->word->prefix, r->word->length);
    f2l_buf_text(out, ") again and again");
    if (r->word->prefix > 0) {
        f2l_buf_text(out, ", after ");
        write_letters(out, r, r->word->letter, r->word->prefix);
    }
    f2l_buf_printf(out, ": right labels have period %llu from length %llu on\n",
                   (unsigned long long)r->word->period, (unsigned long long)r->word->from);
    write_period(out, r);
}

static const char *label_name(const f2l_obstruct_report *r, size_t label)
{
    return label == F2L_NO_INDEX ? NULL
                                 : f2l_names_get(f2l_model_look(r->spectra->model).labels, label);
}

static void write_label(f2l_buf *out, const f2l_obstruct_report *r, size_t label)
{
    if (label == F2L_NO_INDEX)
        f2l_buf_text(out, "no label");
    else
        f2l_buf_name(out, label_name(r, label));
}

static void write_for_ever(f2l_buf *out, const f2l_obstruct_report *r, const f2l_failure *f)
{
    f2l_buf_printf(out, "  the pair of states after %llu letters recurs every %llu",
                   (unsigned long long)f->preperiod, (unsigned long long)f->period);
    if (f->wrong == 0) {
        f2l_buf_text(out, f->first ? ": right for ever after\n"
                                   : ": right at all lengths of this word\n");
        return;
    }
    f2l_buf_printf(out, ": wrong for ever, at %llu of %llu lengths",
                   (unsigned long long)(f->wrong / (f->period / f->pattern)),
                   (unsigned long long)f->pattern);
    const uint64_t all = f->wrong / (f->period / f->pattern);
    if (all < f->pattern) {
        f2l_buf_text(out, ", those that are ");
        for (size_t i = 0; i < f->residues; i++)
            f2l_buf_printf(out, "%s%llu", i ? ", " : "", (unsigned long long)f->residue[i]);
        f2l_buf_printf(out, "%s mod %llu", f->residues < all ? ", .." : "",
                       (unsigned long long)f->pattern);
    }
    f2l_buf_text(out, "\n");
    if (!f->constant) return;
    f2l_buf_text(out, "  the network says ");
    write_label(out, r, f->constant_label);
    f2l_buf_text(out, " at all of them\n");
}

static void write_run(f2l_buf *out, const f2l_obstruct_report *r, size_t i)
{
    const f2l_failure *f = &r->run[i];
    const f2l_status verdict = f2l_obstruct_verdict(r, i);
    if (f->format)
        f2l_buf_printf(out, "%s %s: ", f->format->name, f->schedule->name);
    else
        f2l_buf_text(out, "exact: ");
    f2l_buf_text(out, verdict == F2L_OK ? "right on this word" : f2l_report_verdict(verdict));
    if (f->first) {
        f2l_buf_printf(out, ", wrong at length %llu: ", (unsigned long long)f->first);
        write_label(out, r, f->label);
        f2l_buf_text(out, " in the place of ");
        write_label(out, r, f->expected);
    }
    f2l_buf_text(out, "\n");
    if (f->recurs)
        write_for_ever(out, r, f);
    else
        f2l_buf_printf(
            out, "  after %llu letters: %s%s\n", (unsigned long long)f->letters, f->reason,
            f->format || !f2l_obstruct_forbidden(r) ? ""
                                                    : "; by the theorem it is wrong again and "
                                                      "again");
    if (f->format && f->verdict == F2L_OK && f2l_obstruct_forbidden(r))
        f2l_buf_text(out,
                     "  No contradiction to the theorem, which is about exact states, rounded once "
                     "at most: here operations\n"
                     "  round inside the step, and this rounding does what the exact recurrence "
                     "cannot\n"
                     "  (theory/pages/parity.md, P10)\n");
}

f2l_status f2l_obstruct_report_text(f2l_buf *out, const f2l_obstruct_report *r, f2l_error *err)
{
    write_network(out, r);
    write_spectra(out, r);
    write_theorems(out, r);
    if (!r->fsa) {
        f2l_buf_printf(out, "%s\n", r->without);
        return f2l_buf_status(out, err);
    }
    write_word(out, r);
    for (size_t i = 0; i < r->runs; i++) write_run(out, r, i);
    return f2l_buf_status(out, err);
}
